// Contacts: their forces as arrows, or all of them as rods between the centres of their sides.

import { Color, CylinderGeometry, Matrix4, MeshBasicMaterial, SRGBColorSpace, Vector3 } from "three";
import { Arrows } from "./arrows.js";
import { instances, rodMatrix } from "./balls.js";

const matrix = new Matrix4(), from = new Vector3(), to = new Vector3(), paint = new Color();
const MOST = 20000;
const LONGEST = 0.2; // of an arrow, over the size of the view

export class Contacts {
  constructor(run, size, scene) {
    Object.assign(this, { run, longest: LONGEST * size });
    this.rods = instances(new CylinderGeometry(1, 1, 1, 10), new MeshBasicMaterial(), MOST);
    this.arrows = new Arrows(MOST, this.longest, [0.85, 0.15, 0.1], scene, true);
    scene.add(this.rods);
  }

  // how: "", "arrows" or "rods"
  draw(how) {
    const contacts = this.run.now.contacts;
    this.rods.count = 0;
    this.arrows.begin();
    if (contacts && how === "rods") this.network(contacts);
    if (contacts && how === "arrows") this.forces(contacts);
  }

  network({ count, ends, force, status }) {
    const { thickest, full_force: full, status_colours: colours } = this.run.data;
    this.rods.count = Math.min(count, MOST);
    for (let k = 0; k < this.rods.count; k++) {
      const part = Math.min(Math.hypot(...force.subarray(3 * k, 3 * k + 3)) / full, 1);
      const radius = thickest * (0.04 + 0.96 * part);
      this.rods.setMatrixAt(k, rodMatrix(matrix, from.fromArray(ends, 6 * k), to.fromArray(ends, 6 * k + 3), radius));
      const [red, green, blue] = colours[status[k]];
      this.rods.setColorAt(k, paint.setRGB(red, green, blue, SRGBColorSpace));
    }
    this.rods.instanceMatrix.needsUpdate = true;
    if (this.rods.instanceColor) this.rods.instanceColor.needsUpdate = true;
  }

  // On side A, with the point in the contact; the longest is that of full_force or more.
  forces({ count, points, force }) {
    const { full_force: full } = this.run.data;
    for (let k = 0; k < count; k++) {
      const [x, y, z] = points.subarray(3 * k, 3 * k + 3), [u, v, w] = force.subarray(3 * k, 3 * k + 3);
      const scale = this.longest / Math.max(full, Math.hypot(u, v, w));
      this.arrows.add(x, y, z, scale * u, scale * v, scale * w);
    }
    this.arrows.end();
  }
}
