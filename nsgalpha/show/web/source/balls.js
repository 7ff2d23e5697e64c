// Balls of the bodies, rods with round ends, and springs as coils, as instances of a few forms.

import {
  BackSide, Color, CylinderGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion,
  SphereGeometry, SRGBColorSpace, Vector3,
} from "three";
import { coil } from "./coil.js";

const Y = new Vector3(0, 1, 0);
const matrix = new Matrix4(), turn = new Quaternion(), at = new Vector3(), end = new Vector3();
const along = new Vector3(), scale = new Vector3(), paint = new Color(), from = new Vector3();
const KINDS = { joint: [0.45, 0.45, 0.47], rope: [0.25, 0.23, 0.2], spring: [0.35, 0.42, 0.52] };
const TRIANGLES = 4e5, FEWEST = 12, FINEST = 80; // of all balls; segments around a ball
const OUTLINE = 0.07; // of the radius

// Every second octant is bright, which shows how a ball turns; 0.35 of linear light is 0.6 of the colour.
function marked(material) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        float side = vPlace.x * vPlace.y * vPlace.z, blur = 0.7 * fwidth(side);
        diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.35 * smoothstep(-blur, blur, side));`);
  };
  return material;
}

export const instances = (geometry, material, count) => {
  const mesh = new InstancedMesh(geometry, material, Math.max(count, 1));
  mesh.count = count;
  mesh.frustumCulled = false;
  return mesh;
};

export const clear = (opacity) => ({ transparent: true, opacity, depthWrite: false });

// Lists of pieces whose stated colours { dye } have the same opacity
function byOpacity(pieces) {
  const lists = new Map();
  for (const piece of pieces) {
    const opacity = piece.dye ? piece.dye[3] : 1;
    if (!lists.has(opacity)) lists.set(opacity, []);
    lists.get(opacity).push(piece);
  }
  return lists;
}

export function rodMatrix(target, a, b, radius) {
  along.subVectors(b, a);
  const length = along.length();
  turn.setFromUnitVectors(Y, length > 0 ? along.divideScalar(length) : Y);
  at.addVectors(a, b).multiplyScalar(0.5);
  return target.compose(at, turn, scale.set(radius, length, radius));
}

export class Balls {
  constructor(run, groups, scene) {
    const { radius, hollow, rods, rod_radius: rodRadius, rod_thing: rodThing, owner, things, coils } = run.data;
    const { thing_colours: dyes, visual_colours: stated, rod_visual: visuals } = run.data;
    Object.assign(this, { run, groups });
    const round = [], shells = [], ends = [];
    const springs = new Set(coils);
    this.rods = [];
    this.coils = [];
    radius.forEach((r, body) => {
      if (r > 0) (hollow[body] ? shells : round).push({ body, thing: -1, r, mover: body });
    });
    rodRadius.forEach((r, k) => {
      const [a, b] = [rods[2 * k], rods[2 * k + 1]], size = Math.abs(r), thing = rodThing[k];
      const mover = owner[a], body = mover < radius.length ? mover : -1;
      const kind = thing < 0 ? null : things[thing][1], dye = thing < 0 ? null : dyes[thing];
      const visual = stated[visuals[k]] ?? null;
      const entry = { body, thing, kind, dye, visual, r: size, mover };
      if (springs.has(k)) this.coils.push({ ...entry, r: run.data.coil_radius, a, b });
      else if (a === b) (r < 0 ? shells : kind ? ends : round).push({ ...entry, point: a });
      else {
        if (kind !== "spring") for (const point of [a, b]) ends.push({ ...entry, mover: owner[point], point });
        this.rods.push({ ...entry, a, b });
      }
    });
    const wanted = Math.sqrt(TRIANGLES / (round.length + ends.length + 1));
    const around = Math.round(Math.min(Math.max(wanted, FEWEST), FINEST));
    const sphere = new SphereGeometry(1, around, Math.ceil(0.5 * around));
    const tube = new CylinderGeometry(1, 1, 1, 24, 1, true);
    const look = { roughness: 0.45, metalness: 0 };
    this.solid = [marked(new MeshStandardMaterial(look)), new MeshStandardMaterial(look)];
    this.parts = [
      [instances(sphere, this.solid[0], round.length), round],
      [instances(sphere, marked(new MeshStandardMaterial({ ...look, side: BackSide })), shells.length), shells],
    ];
    this.clear = [];
    for (const [form, pieces] of [[sphere, ends], [tube, this.rods], [coil(this.slender()), this.coils]]) {
      for (const [part, some] of byOpacity(pieces)) {
        const material = part < 1 ? new MeshStandardMaterial({ ...look, ...clear(part) }) : this.solid[1];
        if (part < 1) this.clear.push([material, part]);
        this.parts.push([instances(form, material, some.length), some]);
      }
    }
    const edge = new MeshBasicMaterial({ color: 0xff7a00, side: BackSide });
    this.outlines = [instances(sphere, edge, 0), instances(tube, edge, 0)];
    this.pieces = this.parts.flatMap(([, entries]) => entries);
    scene.add(...this.parts.map(([mesh]) => mesh), ...this.outlines);
    this.fade(false);
  }

  // Radius of the coils over their mean length at first
  slender() {
    const { points } = this.run, r = this.run.data.coil_radius;
    const lengths = this.coils.map(({ a, b }) => from.fromArray(points, 3 * a).distanceTo(end.fromArray(points, 3 * b)));
    return r / (lengths.reduce((sum, each) => sum + each, 0) / (lengths.length || 1) || 1);
  }

  // Faint, so that what lies between them is seen.
  fade(faint) {
    for (const [mesh] of this.parts) mesh.castShadow = !faint && this.solid.includes(mesh.material);
    for (const material of this.solid) {
      material.transparent = faint;
      material.opacity = faint ? 0.12 : 1;
      material.depthWrite = !faint;
    }
    for (const [material, opacity] of this.clear) material.opacity = faint ? 0.12 * opacity : opacity;
  }

  // For machines that are slow
  coarser() {
    const sphere = new SphereGeometry(1, FEWEST, Math.ceil(0.5 * FEWEST));
    for (const mesh of [...this.parts.map(([each]) => each), ...this.outlines]) {
      if (mesh.geometry.type === "SphereGeometry") mesh.geometry = sphere;
    }
  }

  shown({ body, thing }) { return thing >= 0 ? this.groups.thing(thing) : this.groups.body(body); }

  // The matrix of a piece, larger by `more`
  place(piece, more = 1) {
    const { x, q, points } = this.run, { mover, point, a, b } = piece;
    const r = this.shown(piece) ? piece.r * more : 0;
    if (a !== undefined) return rodMatrix(matrix, from.fromArray(points, 3 * a), end.fromArray(points, 3 * b), r);
    if (point === undefined) at.fromArray(x, 3 * mover); else at.fromArray(points, 3 * point);
    turn.set(q[4 * mover + 1], q[4 * mover + 2], q[4 * mover + 3], q[4 * mover]);
    return matrix.compose(at, turn, scale.setScalar(r));
  }

  draw(colours) {
    for (const [mesh, pieces] of this.parts) {
      pieces.forEach((piece, k) => {
        mesh.setMatrixAt(k, this.place(piece));
        const { kind, body, dye, visual } = piece;
        const own = colours.stated ? visual : null;
        const [red, green, blue] = own ?? dye ?? KINDS[kind] ?? (body < 0 ? this.run.data.bare_colour : colours.of(body));
        mesh.setColorAt(k, paint.setRGB(red, green, blue, SRGBColorSpace));
      });
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  // An outline around a body or a thing { body, thing }, or none
  outline(chosen) {
    const ours = chosen ? this.pieces.filter(({ body, thing }) =>
      (chosen.thing >= 0 ? thing === chosen.thing : thing < 0 && body === chosen.body)) : [];
    for (const [k, mesh] of this.outlines.entries()) {
      const mine = ours.filter(({ a }) => (a === undefined) === (k === 0));
      if (mine.length > mesh.instanceMatrix.count) {
        const larger = instances(mesh.geometry, mesh.material, mine.length);
        mesh.parent.add(larger);
        mesh.removeFromParent();
        mesh.dispose();
        this.outlines[k] = larger;
      }
      const target = this.outlines[k];
      target.count = mine.length;
      mine.forEach((piece, i) => target.setMatrixAt(i, this.place(piece, 1 + OUTLINE)));
      target.instanceMatrix.needsUpdate = true;
    }
  }
}
