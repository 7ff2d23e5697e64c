// What is under the pointer: balls and rods by their equations, faces by their triangles.

import { Raycaster, Vector2, Vector3 } from "three";
import { faded } from "./fade.js";

const from = new Vector3(), to = new Vector3(), along = new Vector3(), across = new Vector3(), apart = new Vector3();

// Distance along the ray at which it meets a ball, or Infinity
function ball(ray, centre, r) {
  apart.subVectors(ray.origin, centre);
  const b = apart.dot(ray.direction), c = apart.lengthSq() - r * r, square = b * b - c;
  const s = square >= 0 ? -b - Math.sqrt(square) : Infinity;
  return s > 0 ? s : Infinity;
}

// The same for a tube between two points
function tube(ray, a, b, r) {
  along.subVectors(b, a);
  const length = along.length();
  if (!(length > 0)) return Infinity;
  along.divideScalar(length);
  apart.subVectors(ray.origin, a);
  const d = across.copy(ray.direction).addScaledVector(along, -ray.direction.dot(along));
  const o = apart.clone().addScaledVector(along, -apart.dot(along));
  const p = d.lengthSq(), q = d.dot(o), square = q * q - p * (o.lengthSq() - r * r);
  if (!(square >= 0 && p > 0)) return Infinity;
  const s = (-q - Math.sqrt(square)) / p, h = apart.dot(along) + s * ray.direction.dot(along);
  return s > 0 && h >= 0 && h <= length ? s : Infinity;
}

export class Picker {
  constructor(run, view, balls, faces, clip) {
    Object.assign(this, { run, view, balls, faces, clip, caster: new Raycaster() });
  }

  // { body, thing } at the pixel, or null
  at(x, y) {
    const { camera, width, height } = this.view;
    this.caster.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
    const { ray } = this.caster, { points, x: places } = this.run;
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height; // per distance
    let nearest = Infinity, found = null;
    const meet = (distance, what) => {
      if (distance < nearest && this.seen(ray, distance)) { nearest = distance; found = what; }
    };
    for (const piece of this.balls.pieces) {
      if (!this.balls.shown(piece)) continue;
      const { a, b, r, point, mover } = piece;
      from.fromArray(a === undefined && point === undefined ? places : points, 3 * (a ?? point ?? mover));
      const near = 3 * pixel * from.distanceTo(ray.origin); // thin ones are met within three pixels
      if (a === undefined) meet(ball(ray, from, Math.max(r, near)), piece);
      else meet(tube(ray, from, to.fromArray(points, 3 * b), Math.max(r, near)), piece);
    }
    for (const [part, group] of this.faces.parts) {
      if (!this.faces.groups.shown.get(group)) continue;
      for (const hit of this.caster.intersectObjects(part.meshes)) {
        if (hit.object.material === this.faces.outside) continue; // glass
        if (part.isPlane && faded(this.run.data, hit.point)) continue;
        const face = part.faces[part.face[3 * hit.faceIndex]], body = this.run.data.owner[face.corners[0]];
        meet(hit.distance, { thing: face.thing, body: body < this.run.n ? body : -1 });
      }
    }
    return found && { body: found.body, thing: found.thing };
  }

  seen(ray, distance) {
    return !this.clip.active || this.clip.plane.distanceToPoint(ray.at(distance, apart)) >= 0;
  }
}
