// Faces: floors with squares, glassy walls, and those of primitives.

import {
  BackSide, BufferAttribute, BufferGeometry, CanvasTexture, Color, DoubleSide, FrontSide, Mesh,
  MeshLambertMaterial, RepeatWrapping, SRGBColorSpace,
} from "three";

function squares() {
  const canvas = document.createElement("canvas"), size = 128;
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = "#efefef";
  pen.fillRect(0, 0, size / 2, size / 2);
  pen.fillRect(size / 2, size / 2, size / 2, size / 2);
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

const colour = ([red, green, blue]) => new Color().setRGB(red, green, blue, SRGBColorSpace);
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

class Patchwork {
  constructor(run, faces, materials, scene) {
    this.run = run;
    this.corners = faces.flatMap((face) => face.slice(2).flatMap((last, k) => [face[0], face[k + 1], last]));
    this.geometry = new BufferGeometry();
    this.place = new BufferAttribute(new Float32Array(3 * this.corners.length), 3);
    this.geometry.setAttribute("position", this.place);
    this.geometry.setAttribute("uv", new BufferAttribute(this.uv(faces), 2));
    for (const material of materials) {
      const mesh = new Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.receiveShadow = !material.transparent;
      scene.add(mesh);
    }
    const ground = run.data.radius.length;
    this.moves = this.corners.some((p) => run.data.owner[p] !== ground);
    this.fresh = false;
    this.dyes = materials[0].vertexColors ? new BufferAttribute(new Float32Array(3 * this.corners.length), 3) : null;
    if (this.dyes) this.geometry.setAttribute("color", this.dyes);
    this.movers = faces.flatMap((face) => new Array(3 * (face.length - 2)).fill(run.data.owner[face[0]]));
  }

  // With the colour of the body that carries a face, or of the first of its corners.
  dye(colours) {
    const { radius, bare_colour: bare } = this.run.data;
    this.movers.forEach((mover, k) => colour(mover < radius.length ? colours(mover) : bare).toArray(this.dyes.array, 3 * k));
    this.dyes.needsUpdate = true;
  }

  // In squares along the first edge of a face; a face keeps its form where it has squares.
  uv(faces) {
    const { place, cell } = this.run.data, out = [];
    const at = (p) => [...place.subarray(3 * p, 3 * p + 3)];
    for (const face of faces) {
      const origin = at(face[0]), edge = minus(at(face[1]), origin);
      const across = cross(cross(edge, minus(at(face[2]), at(face[1]))), edge);
      const [a, b] = [edge, across].map((v) => (2 * cell * Math.sqrt(dot(v, v))) || 1);
      const spot = (p) => { const d = minus(at(p), origin); return [dot(d, edge) / a, dot(d, across) / b]; };
      for (let k = 2; k < face.length; k++) out.push(...spot(face[0]), ...spot(face[k - 1]), ...spot(face[k]));
    }
    return new Float32Array(out);
  }

  draw() {
    if (this.fresh && !this.moves) return;
    this.corners.forEach((p, k) => this.place.array.set(this.run.points.subarray(3 * p, 3 * p + 3), 3 * k));
    this.place.needsUpdate = true;
    this.fresh = true;
  }
}

export class Faces {
  constructor(run, scene) {
    const { faces, face_kind: kind, floor_colour: floor, wall_colour: wall } = run.data;
    const of = (name) => faces.filter((_, k) => kind[k] === name);
    const glass = { color: colour(wall), transparent: true, opacity: 0.18, depthWrite: false, flatShading: true };
    // behind the balls that stand on it, where depths are nearly equal
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    const floors = [
      new MeshLambertMaterial({ color: colour(floor), map: squares(), flatShading: true, side: FrontSide, ...back }),
      new MeshLambertMaterial({ ...glass, side: BackSide }),
    ];
    const walls = [new MeshLambertMaterial({ ...glass, side: DoubleSide })];
    const others = [new MeshLambertMaterial({ vertexColors: true, flatShading: true, side: DoubleSide })];
    this.parts = [["floor", floors], ["wall", walls], ["face", others]]
      .map(([name, materials]) => new Patchwork(run, of(name), materials, scene));
  }

  draw(colours) {
    for (const part of this.parts) {
      part.draw();
      if (part.dyes) part.dye(colours);
    }
  }
}
