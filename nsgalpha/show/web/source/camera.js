// The camera: the first view, views along the axes, following a body.

import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const ASIDE = (55 * Math.PI) / 180, WORTH = 0.85; // another first view, and of the distance at which it is taken
const FLAT = 0.2; // height over length

export class View {
  constructor(run, canvas, changed) {
    const { data } = run;
    Object.assign(this, { run, canvas });
    this.low = new Vector3(...data.view_low);
    this.high = new Vector3(...data.view_high);
    this.size = Math.max(...this.high.clone().sub(this.low).toArray());
    this.camera = new PerspectiveCamera(30, canvas.clientWidth / canvas.clientHeight);
    this.camera.up.set(...data.up); // which the controls read once
    this.controls = new OrbitControls(this.camera, canvas);
    this.turned = false;
    this.towards = new Vector3(...data.towards);
    this.followed = -1;
    this.controls.addEventListener("start", () => { this.turned = true; });
    this.controls.addEventListener("change", changed);
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  // How far from the middle the camera, which turns to it, needs to stand to see the whole box.
  distance(towards, middle) {
    const { camera, low, high } = this;
    camera.position.copy(middle).add(towards);
    camera.lookAt(middle);
    camera.updateMatrixWorld();
    const half = Math.tan((camera.fov * Math.PI) / 360), turn = camera.quaternion.clone().invert();
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
      corner.sub(middle).applyQuaternion(turn);
      const needed = Math.max(Math.abs(corner.x) / camera.aspect, Math.abs(corner.y)) / half;
      distance = Math.max(distance, corner.z + needed);
    }
    return distance;
  }

  // In an upright window what is long and flat, such as a table, is seen along its length.
  get first() {
    const extent = this.high.clone().sub(this.low);
    if (this.camera.aspect >= 1 || Math.abs(extent.dot(this.camera.up)) > FLAT * this.size) return this.towards;
    const aside = this.towards.clone().applyAxisAngle(this.camera.up, ASIDE);
    const middle = this.low.clone().add(this.high).multiplyScalar(0.5);
    const gain = this.distance(aside, middle) / this.distance(this.towards, middle);
    return gain < WORTH ? aside : this.towards;
  }

  stand(towards = this.first) {
    const { camera, low, high } = this, middle = low.clone().add(high).multiplyScalar(0.5);
    const distance = this.distance(towards, middle);
    camera.position.copy(middle).addScaledVector(towards, 1.03 * distance);
    camera.lookAt(middle);
    const reach = high.distanceTo(low);
    Object.assign(camera, { near: 1e-3 * reach, far: 200 * reach });
    camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.last = null;
  }

  reset() { this.turned = false; this.followed = -1; this.stand(); }

  // Along an axis 0, 1, 2; a little aside of the vertical, where the controls have a pole
  along(axis) {
    const towards = new Vector3().setComponent(axis, axis === 1 ? -1 : 1);
    if (Math.abs(towards.dot(this.camera.up)) > 0.9) towards.add(new Vector3(-2e-3, -2e-3, -2e-3));
    this.turned = true;
    this.stand(towards.normalize());
  }

  resize() {
    this.camera.aspect = this.width / this.height;
    if (this.turned) this.camera.updateProjectionMatrix(); else this.stand();
  }

  follow(body) { this.followed = body; this.last = null; }

  // Move with the body that is followed
  update() {
    if (this.followed < 0) return;
    const place = new Vector3().fromArray(this.run.x, 3 * this.followed);
    const by = place.clone().sub(this.last ?? this.controls.target);
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.last = place;
    this.turned = true;
    this.controls.update();
  }
}
