// A plane that cuts the picture open.

import { Plane, Vector3 } from "three";

export class Clip {
  constructor(renderer, view) {
    Object.assign(this, { renderer, view, plane: new Plane(), active: false });
  }

  // axis: "", "x", "y" or "z"; part in [0, 1] of the view; flipped: the other side is cut off
  set(axis, part, flipped) {
    const k = "xyz".indexOf(axis);
    this.active = axis !== "" && k >= 0;
    this.renderer.clippingPlanes = this.active ? [this.plane] : [];
    if (!this.active) return;
    const low = this.view.low.getComponent(k), high = this.view.high.getComponent(k), sign = flipped ? 1 : -1;
    this.plane.normal.copy(new Vector3().setComponent(k, sign));
    this.plane.constant = -sign * (low + part * (high - low));
  }
}
