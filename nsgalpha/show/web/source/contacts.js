// Contacts as rods between the centres of their sides, the thicker the larger the force.

import { Color, CylinderGeometry, Matrix4, MeshBasicMaterial, SRGBColorSpace, Vector3 } from "three";
import { instances, rodMatrix } from "./balls.js";

const matrix = new Matrix4(), from = new Vector3(), to = new Vector3(), paint = new Color();

export class Contacts {
  constructor(run, scene) {
    const { contact_start: start } = run.data;
    this.run = run;
    this.most = 0;
    for (let f = 0; f < run.frames; f++) this.most = Math.max(this.most, start[f + 1] - start[f]);
    this.mesh = instances(new CylinderGeometry(1, 1, 1, 10), new MeshBasicMaterial(), this.most);
    this.mesh.visible = false;
    scene.add(this.mesh);
  }

  show(visible) { this.mesh.visible = visible; }

  draw() {
    const {
      contact_start: start, contact_ends: ends, contact_force: force, contact_status: status,
      low, size, thickest, status_colours: colours,
    } = this.run.data;
    const first = start[this.run.frame];
    this.mesh.count = start[this.run.frame + 1] - first;
    const place = (target, k) =>
      target.set(...[0, 1, 2].map((i) => low[i] + (size[i] * ends[k + i]) / 65535));
    for (let k = 0; k < this.mesh.count; k++) {
      const row = 6 * (first + k), radius = thickest * (0.04 + (0.96 * force[first + k]) / 255);
      this.mesh.setMatrixAt(k, rodMatrix(matrix, place(from, row), place(to, row + 3), radius));
      const [red, green, blue] = colours[status[first + k]];
      this.mesh.setColorAt(k, paint.setRGB(red, green, blue, SRGBColorSpace));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
