// Axes and a bar of a round length, drawn over the picture.

import { Vector3 } from "three";

const AXES = [["x", "#b5483d"], ["y", "#4d8a52"], ["z", "#46679e"]], ARM = 26;
const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

export class Overlay {
  constructor(view, root) {
    Object.assign(this, { view, root });
    this.picture = svg("svg", { width: 80, height: 80, viewBox: "-40 -40 80 80" });
    this.arms = AXES.map(([name, colour]) => {
      const line = svg("line", { stroke: colour, "stroke-width": 2, x1: 0, y1: 0 });
      const label = svg("text", { fill: colour, "text-anchor": "middle", "dominant-baseline": "middle" });
      label.textContent = name;
      this.picture.append(line, label);
      return { line, label };
    });
    this.bar = document.createElement("div");
    this.bar.id = "scale";
    root.append(this.picture, this.bar);
  }

  draw() {
    const { camera, controls } = this.view, turn = camera.quaternion.clone().invert();
    this.arms.forEach(({ line, label }, k) => {
      const arm = new Vector3().setComponent(k, 1).applyQuaternion(turn);
      for (const [element, names, length] of [[line, ["x2", "y2"], ARM], [label, ["x", "y"], ARM + 8]]) {
        element.setAttribute(names[0], (length * arm.x).toFixed(2));
        element.setAttribute(names[1], (-length * arm.y).toFixed(2));
      }
    });
    const [length, pixels] = this.scale(110);
    this.bar.style.width = `${pixels.toFixed(1)}px`;
    this.bar.textContent = inWords(length);
    this.root.dataset.scale = length;
  }

  // The longest round length [m] of at most `room` pixels at the point that the camera looks at, and its pixels
  scale(room) {
    const { camera, controls } = this.view, distance = camera.position.distanceTo(controls.target);
    const pixels = this.view.height / (2 * Math.tan((camera.fov * Math.PI) / 360) * distance); // per metre
    const power = 10 ** Math.floor(Math.log10(room / pixels));
    const length = power * [5, 2, 1].find((step) => step * power * pixels <= room * 1.0001);
    return [length, length * pixels];
  }
}

// A value >= 0 in `unit`, with the prefix that makes it readable
export function inWords(value, unit = "m") {
  const prefixes = [[1e3, "k"], [1, ""], [1e-2, "c"], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const [size, prefix] = prefixes.find(([each]) => value >= 0.999 * each) ?? (value > 0 ? prefixes.at(-1) : [1, ""]);
  return `${Number((value / size).toPrecision(3))} ${prefix}${unit}`;
}
