// Contacts: their forces as arrows, or all of them as rods between the centres of their sides.

import { Color, CylinderGeometry, Matrix4, MeshBasicMaterial, SRGBColorSpace, Vector3 } from "three";
import { Arrows } from "./arrows.js";
import { clear, instances, rodMatrix } from "./balls.js";

const matrix = new Matrix4(), from = new Vector3(), to = new Vector3(), paint = new Color();
const MOST = 20000;
const LONGEST = 0.2; // of an arrow, over the size of the view
const RED = [0.85, 0.15, 0.1, 1];

export class Contacts {
  constructor(run, size, scene) {
    Object.assign(this, { run, longest: LONGEST * size });
    const { contact_colours: stated } = run.data;
    this.rods = [RED, ...stated].map(([, , , opacity]) => instances(
      new CylinderGeometry(1, 1, 1, 10), new MeshBasicMaterial(opacity < 1 ? clear(opacity) : {}), MOST,
    ));
    this.arrows = [RED, ...stated].map((colour) => new Arrows(MOST, this.longest, colour, scene, true));
    scene.add(...this.rods);
  }

  // how: "", "arrows" or "rods"
  draw(how) {
    const contacts = this.run.now.contacts;
    for (const rods of this.rods) rods.count = 0;
    for (const arrows of this.arrows) arrows.begin();
    if (contacts && how === "rods") this.network(contacts);
    if (contacts && how === "arrows") this.forces(contacts);
  }

  // In the colours of their statuses, but for those whose element has one
  network({ count, ends, force, status, colour }) {
    const { thickest, full_force: full, status_colours: dyes, contact_colours: stated } = this.run.data;
    for (let k = 0; k < Math.min(count, MOST); k++) {
      const part = Math.min(Math.hypot(...force.subarray(3 * k, 3 * k + 3)) / full, 1);
      const radius = thickest * (0.04 + 0.96 * part), rods = this.rods[colour[k] + 1], i = rods.count++;
      rods.setMatrixAt(i, rodMatrix(matrix, from.fromArray(ends, 6 * k), to.fromArray(ends, 6 * k + 3), radius));
      const [red, green, blue] = stated[colour[k]] ?? dyes[status[k]];
      rods.setColorAt(i, paint.setRGB(red, green, blue, SRGBColorSpace));
    }
    for (const rods of this.rods) {
      rods.instanceMatrix.needsUpdate = true;
      if (rods.instanceColor) rods.instanceColor.needsUpdate = true;
    }
  }

  // On side A, with the point in the contact; the longest is that of full_force or more.
  forces({ count, points, force, colour }) {
    const { full_force: full } = this.run.data;
    for (let k = 0; k < count; k++) {
      const [x, y, z] = points.subarray(3 * k, 3 * k + 3), [u, v, w] = force.subarray(3 * k, 3 * k + 3);
      const scale = this.longest / Math.max(full, Math.hypot(u, v, w));
      this.arrows[colour[k] + 1].add(x, y, z, scale * u, scale * v, scale * w);
    }
    for (const arrows of this.arrows) arrows.end();
  }
}
