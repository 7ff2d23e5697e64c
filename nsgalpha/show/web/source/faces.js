// Faces: floors with squares, walls that are glass where they stand before the bodies, polygons and meshes.

import {
  BackSide, BufferAttribute, BufferGeometry, CanvasTexture, Color, DoubleSide, FrontSide, LineBasicMaterial,
  LineSegments, Mesh, MeshLambertMaterial, RepeatWrapping, SRGBColorSpace,
} from "three";
import { fading } from "./fade.js";
import { creases, neighbours, normals } from "./smooth.js";

const FACE = 0, FLOOR = 1, WALL = 2; // kinds, as in the page
const INSIDE = 0.6, OUTSIDE = 0.1, EDGES = 0.75; // opacity of walls as they are set at first

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

// Faces { corners, thing, visual } of one kind and one group
class Patchwork {
  constructor(run, faces, kind, materials, pen, scene) {
    Object.assign(this, { run, faces, kind });
    const { owner, radius } = run.data;
    this.corners = faces.flatMap(({ corners: c }) => c.slice(2).flatMap((last, k) => [c[0], c[k + 1], last]));
    this.face = faces.flatMap(({ corners: c }, k) => new Array(3 * (c.length - 2)).fill(k));
    this.around = neighbours(run.points, faces.map(({ corners }) => corners), this.corners, this.face);
    this.geometry = new BufferGeometry();
    const room = () => new BufferAttribute(new Float32Array(3 * this.corners.length), 3);
    this.place = room();
    this.normal = room();
    this.dyes = kind === FACE ? room() : null;
    this.geometry.setAttribute("position", this.place);
    this.geometry.setAttribute("normal", this.normal);
    if (kind === FLOOR) this.geometry.setAttribute("uv", new BufferAttribute(this.uv(), 2));
    if (this.dyes) this.geometry.setAttribute("color", this.dyes);
    this.meshes = materials.map((material) => new Mesh(this.geometry, material));
    for (const mesh of this.meshes) {
      mesh.frustumCulled = false;
      mesh.receiveShadow = mesh.material.depthWrite;
      mesh.castShadow = kind === FACE;
      mesh.renderOrder = mesh.material.depthWrite ? -1 : 0; // glass is drawn over it
      scene.add(mesh);
    }
    this.edges = creases(run.points, faces.map(({ corners }) => corners));
    this.line = new BufferAttribute(new Float32Array(3 * this.edges.length), 3);
    const lines = new LineSegments(new BufferGeometry().setAttribute("position", this.line), pen);
    lines.frustumCulled = false;
    if (this.edges.length) scene.add(lines);
    this.lines = lines;
    const ground = radius.length;
    this.moves = this.corners.some((p) => owner[p] !== ground);
    this.fresh = false;
  }

  get isPlane() { return this.kind !== FACE; }

  show(visible) { for (const mesh of [...this.meshes, this.lines]) mesh.visible = visible; }

  // With the colour of the body that carries it, or the one stated of a visual shape; where the corners are
  // bodies, theirs.
  dye(colours, chosen) {
    const { owner, radius, bare_colour: bare, visual_colours: stated } = this.run.data, n = radius.length;
    const own = this.faces.map(({ corners: c }) => owner[c[0]]);
    const deforms = this.faces.map(({ corners: c }) => c.some((p) => owner[p] !== owner[c[0]]));
    this.corners.forEach((p, k) => {
      const f = this.face[k], body = deforms[f] ? owner[p] : own[f];
      let tint = body >= n ? bare : deforms[f] && colours.alike ? colours.alike : colours.of(body);
      const { thing, visual } = this.faces[f];
      if (colours.stated && stated[visual]) tint = stated[visual];
      if (chosen && (chosen.thing >= 0 ? thing === chosen.thing : thing < 0 && body === chosen.body)) {
        tint = tint.slice(0, 3).map((c, i) => 0.4 * c + 0.6 * [1, 0.48, 0][i]);
      }
      colour(tint).toArray(this.dyes.array, 3 * k);
    });
    this.dyes.needsUpdate = true;
  }

  // In squares along the first edge of a face; a face keeps its form where it has squares.
  uv() {
    const { place, cell } = this.run.data, out = [];
    const at = (p) => [...place.subarray(3 * p, 3 * p + 3)];
    for (const { corners: face } of this.faces) {
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
    const { points } = this.run;
    this.corners.forEach((p, k) => this.place.array.set(points.subarray(3 * p, 3 * p + 3), 3 * k));
    this.edges.forEach((p, k) => this.line.array.set(points.subarray(3 * p, 3 * p + 3), 3 * k));
    normals(points, this.faces, this.around, this.normal.array);
    for (const each of [this.place, this.normal, this.line]) each.needsUpdate = true;
    this.fresh = true;
  }
}

export class Faces {
  constructor(run, groups, scene) {
    const { face_start: start, face_corners: corners, face_kind: kinds, face_thing: things, owner } = run.data;
    const { floor_colour: floor, wall_colour: wall, face_visual: visuals } = run.data;
    const apart = new Map();
    for (let k = 0; k + 1 < start.length; k++) {
      const own = [...corners.subarray(start[k], start[k + 1])];
      const face = { corners: own, thing: things[k], visual: visuals[k] };
      const group = groups.name(owner[face.corners[0]], things[k]), key = `${kinds[k]} ${group}`;
      if (!apart.has(key)) apart.set(key, { kind: kinds[k], group, faces: [] });
      apart.get(key).faces.push(face);
    }
    const glass = { transparent: true, depthWrite: false };
    // behind the balls that stand on it, where depths are nearly equal
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    const fades = (material) => fading(material, run.data);
    this.inside = fades(new MeshLambertMaterial({
      color: colour(floor), emissive: colour(floor), emissiveIntensity: 0.12, side: FrontSide, ...glass,
    }));
    this.outside = fades(new MeshLambertMaterial({ color: colour(wall), side: BackSide, ...glass }));
    this.pen = fades(new LineBasicMaterial({ color: 0x4d5b68, transparent: true, depthWrite: false }));
    const materials = {
      [FLOOR]: () => [fades(new MeshLambertMaterial({ color: colour(floor), map: squares(), side: FrontSide, ...back })),
        this.outside],
      [WALL]: () => [this.inside, this.outside],
      [FACE]: () => [new MeshLambertMaterial({ vertexColors: true, side: DoubleSide, ...back })],
    };
    this.parts = [...apart.values()].map(({ kind, group, faces }) =>
      [new Patchwork(run, faces, kind, materials[kind](), this.pen, scene), group]);
    this.groups = groups;
    this.hasWalls = this.parts.some(([{ kind }]) => kind !== FACE);
    this.opacity(0.5);
  }

  // of walls, in [0, 1]; 0.5 is that of the first view
  opacity(part) {
    const rise = (middle) => (part <= 0.5 ? 2 * part * middle : middle + (2 * part - 1) * (1 - middle));
    this.inside.opacity = rise(INSIDE);
    this.outside.opacity = rise(OUTSIDE);
    this.pen.opacity = Math.min(1, 4 * part) * EDGES;
  }

  // `state`: text that changes with the colours
  draw(colours, chosen, state) {
    for (const [part, group] of this.parts) {
      part.show(this.groups.shown.get(group));
      part.draw();
      if (part.dyes && state !== this.state) part.dye(colours, chosen);
    }
    this.state = state;
  }
}
