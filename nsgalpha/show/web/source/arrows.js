// Arrows, as instances of one shaft and one head.

import {
  Color, ConeGeometry, CylinderGeometry, Matrix4, MeshLambertMaterial, SRGBColorSpace, Vector3,
} from "three";
import { instances, rodMatrix } from "./balls.js";

const matrix = new Matrix4(), from = new Vector3(), neck = new Vector3(), tip = new Vector3();
const HEAD = 0.3, THICK = 0.045, WIDE = 2.4; // parts of the length, at most of `longest`; head over shaft

export class Arrows {
  // colour: [red, green, blue], or with an opacity where inFront: seen through all else
  constructor(most, longest, colour, scene, inFront = false) {
    const [red, green, blue, opacity = 1] = colour, color = new Color().setRGB(red, green, blue, SRGBColorSpace);
    const look = new MeshLambertMaterial({ color, opacity, depthTest: !inFront });
    look.transparent = inFront; // drawn last
    this.longest = longest;
    this.shafts = instances(new CylinderGeometry(1, 1, 1, 10), look, most);
    this.heads = instances(new ConeGeometry(1, 1, 14), look, most);
    this.shafts.renderOrder = this.heads.renderOrder = inFront ? 1 : 0;
    scene.add(this.shafts, this.heads);
    this.begin();
  }

  begin() { this.shafts.count = this.heads.count = 0; }

  // From (x, y, z) along (u, v, w) [m]
  add(x, y, z, u, v, w) {
    const length = Math.hypot(u, v, w), k = this.shafts.count;
    if (!(length > 1e-3 * this.longest) || k >= this.shafts.instanceMatrix.count) return;
    const radius = THICK * Math.min(0.6 * length, 0.35 * this.longest), head = Math.min(HEAD * length, 5 * radius * WIDE);
    from.set(x, y, z);
    tip.set(x + u, y + v, z + w);
    neck.copy(tip).lerp(from, head / length);
    this.shafts.setMatrixAt(k, rodMatrix(matrix, from, neck, radius));
    this.heads.setMatrixAt(k, rodMatrix(matrix, neck, tip, WIDE * radius));
    this.shafts.count = this.heads.count = k + 1;
  }

  end() { this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true; }
}
