// Balls of the bodies, and rods with round ends, as instances of one sphere and one cylinder.

import {
  BackSide, Color, CylinderGeometry, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry,
  SRGBColorSpace, Vector3,
} from "three";

const Y = new Vector3(0, 1, 0);
const matrix = new Matrix4(), turn = new Quaternion(), at = new Vector3(), end = new Vector3();
const along = new Vector3(), scale = new Vector3(), paint = new Color();

// Every second octant is bright, which shows how a ball turns; 0.35 of linear light is 0.6 of the colour.
function marked(material) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        if (vPlace.x * vPlace.y * vPlace.z > 0.0) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.35);`);
  };
  return material;
}

export const instances = (geometry, material, count) => {
  const mesh = new InstancedMesh(geometry, material, Math.max(count, 1));
  mesh.count = count;
  mesh.frustumCulled = false;
  return mesh;
};

export function rodMatrix(target, from, to, radius) {
  along.subVectors(to, from);
  const length = along.length();
  turn.setFromUnitVectors(Y, length > 0 ? along.divideScalar(length) : Y);
  at.addVectors(from, to).multiplyScalar(0.5);
  return target.compose(at, turn, scale.set(radius, length, radius));
}

export class Balls {
  constructor(run, scene) {
    const { radius, hollow, rods, rod_radius: rodRadius, owner } = run.data;
    this.run = run;
    const round = [], shells = [], ends = [];
    this.rods = [];
    radius.forEach((r, body) => { if (r > 0) (hollow[body] ? shells : round).push({ body, r, mover: body }); });
    rodRadius.forEach((r, k) => {
      const [a, b] = [rods[2 * k], rods[2 * k + 1]], size = Math.abs(r);
      const mover = owner[a], body = mover < radius.length ? mover : -1;
      if (a === b) (r < 0 ? shells : round).push({ body, r: size, mover, point: a });
      else {
        for (const point of [a, b]) ends.push({ body, r: size, mover, point });
        this.rods.push({ body, r: size, a, b });
      }
    });
    const fine = round.length + ends.length <= 3000;
    const sphere = new SphereGeometry(1, fine ? 32 : 14, fine ? 20 : 9);
    const look = { roughness: 0.45, metalness: 0 };
    this.solid = [marked(new MeshStandardMaterial(look)), new MeshStandardMaterial(look)];
    this.groups = [
      [instances(sphere, this.solid[0], round.length), round],
      [instances(sphere, marked(new MeshStandardMaterial({ ...look, side: BackSide })), shells.length), shells],
      [instances(sphere, this.solid[1], ends.length), ends],
    ];
    this.tubes = instances(new CylinderGeometry(1, 1, 1, 24, 1, true), this.solid[1], this.rods.length);
    this.casters = [this.groups[0][0], this.groups[2][0], this.tubes];
    scene.add(...this.groups.map(([mesh]) => mesh), this.tubes);
  }

  // Faint, so that what lies between them is seen.
  fade(faint) {
    for (const mesh of this.casters) mesh.castShadow = !faint;
    for (const material of this.solid) {
      material.transparent = faint;
      material.opacity = faint ? 0.12 : 1;
      material.depthWrite = !faint;
    }
  }

  draw(colours) {
    const { x, q, points } = this.run;
    for (const [mesh, entries] of this.groups) {
      entries.forEach(({ mover, r, point }, k) => {
        if (point === undefined) at.fromArray(x, 3 * mover); else at.fromArray(points, 3 * point);
        turn.set(q[4 * mover + 1], q[4 * mover + 2], q[4 * mover + 3], q[4 * mover]);
        mesh.setMatrixAt(k, matrix.compose(at, turn, scale.setScalar(r)));
      });
      this.dye(mesh, entries, colours);
    }
    this.rods.forEach(({ a, b, r }, k) => {
      const from = new Vector3().fromArray(points, 3 * a);
      this.tubes.setMatrixAt(k, rodMatrix(matrix, from, end.fromArray(points, 3 * b), r));
    });
    this.dye(this.tubes, this.rods, colours);
  }

  dye(mesh, entries, colours) {
    entries.forEach(({ body }, k) => {
      const [red, green, blue] = body < 0 ? this.run.data.bare_colour : colours(body);
      mesh.setColorAt(k, paint.setRGB(red, green, blue, SRGBColorSpace));
    });
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }
}
