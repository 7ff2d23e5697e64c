// Paths of bodies up to the present frame: of the selected one, or of all (the first MOST).

import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, SRGBColorSpace } from "three";

const MOST = 300;
const LONGEST = 4000; // points of a path

export class Trails {
  constructor(run, groups, scene) {
    Object.assign(this, { run, groups, scene, lines: new Map() });
  }

  line(body) {
    if (!this.lines.has(body)) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(6 * LONGEST), 3));
      const colour = new Color().setRGB(...[0, 1, 2].map((i) => this.run.data.body_colours[3 * body + i] / 255),
        SRGBColorSpace);
      const line = new LineSegments(geometry, new LineBasicMaterial({ color: colour }));
      line.frustumCulled = false;
      this.scene.add(line);
      this.lines.set(body, line);
    }
    return this.lines.get(body);
  }

  // how: "", "selected" or "all"
  draw(how, body) {
    for (const line of this.lines.values()) line.visible = false;
    const some = how === "all" ? [...Array(Math.min(this.run.n, MOST)).keys()]
      : how === "selected" && body >= 0 ? [body] : [];
    for (const each of some) if (this.groups.body(each)) this.update(this.line(each), each);
  }

  update(line, body) {
    const { frames, frame, x } = this.run, step = Math.ceil((frame + 1) / (LONGEST - 1));
    const place = line.geometry.attributes.position;
    const points = [];
    for (let k = 0; k <= frame; k += step) points.push(this.at(frames, k, body));
    points.push(x.subarray(3 * body, 3 * body + 3));
    let count = 0; // of ends; no piece leads across a periodic cell
    for (let k = 1; k < points.length; k++) {
      if (points[k].some((at, i) => this.run.way(i, at - points[k - 1][i]) !== at - points[k - 1][i])) continue;
      place.array.set(points[k - 1], 3 * count++);
      place.array.set(points[k], 3 * count++);
    }
    place.needsUpdate = true;
    line.geometry.setDrawRange(0, count);
    line.visible = true;
  }

  at(frames, k, body) {
    return frames.place ? frames.place(k, body) : frames.get(k).x.subarray(3 * body, 3 * body + 3);
  }
}
