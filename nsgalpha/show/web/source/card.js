// Names and values of what is under the pointer, and of what is selected.

import { get, rows } from "./dom.js";

const three = (values, unit) => `${[...values].map(short).join(", ")} ${unit}`;
const short = (value) => (Math.abs(value) < 1e-12 ? "0" : Number(value.toPrecision(4)).toString());

export function facts(run, { body, thing }) {
  const { data, now, points } = run;
  if (thing >= 0) {
    const list = [["kind", data.things[thing][1]]], rod = data.rod_thing.indexOf(thing);
    if (rod >= 0 && data.rods[2 * rod] !== data.rods[2 * rod + 1]) {
      const [a, b] = [0, 1].map((k) => points.subarray(3 * data.rods[2 * rod + k], 3 * data.rods[2 * rod + k] + 3));
      list.push(["length", `${short(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]))} m`]);
    }
    return list;
  }
  const mine = (values) => values.subarray(3 * body, 3 * body + 3);
  const place = data.origin.map((c, i) => c + run.x[3 * body + i]);
  const list = [["position", three(place, "m")], ["velocity", three(mine(now.v), "m/s")],
    ["speed", `${short(run.speed(body))} m/s`]];
  if (now.spin) list.push(["spin", `${short(now.spin[body])} rad/s`]);
  list.push(["contacts", data.status_names[now.status[body]]]);
  if (now.value) list.push([data.value_label, short(now.value[body])]);
  if (data.radius[body] > 0) list.push(["radius", `${short(data.radius[body])} m`]);
  list.push(["mass", `${short(data.mass[body])} kg`]);
  return list;
}

export const nameOf = (run, { body, thing }) => (thing >= 0 ? run.data.things[thing][0] : run.data.names[body]);

export class Card {
  constructor(run, view, changed) {
    Object.assign(this, { run, view, changed, chosen: null });
    get("close").onclick = () => this.select(null);
    get("follow").onchange = () => this.follow(get("follow").checked);
    get("path").onchange = () => {
      const trails = get("trails");
      trails.value = get("path").checked ? "selected" : "";
      trails.onchange();
    };
  }

  get body() { return this.chosen && this.chosen.thing < 0 ? this.chosen.body : -1; }

  select(what) {
    this.chosen = what;
    if (this.body < 0 || (this.view.followed >= 0 && this.view.followed !== this.body)) this.view.follow(-1);
    get("card").hidden = !what;
    get("doings").hidden = this.body < 0;
    document.body.dataset.selected = what ? nameOf(this.run, what) : "";
    this.changed();
  }

  follow(yes) {
    if (this.body < 0) return;
    this.view.follow(yes ? this.body : -1);
    this.changed();
  }

  draw() {
    if (!this.chosen) return;
    get("name").textContent = nameOf(this.run, this.chosen);
    get("follow").checked = this.view.followed >= 0;
    get("path").checked = get("trails").value !== "";
    rows(get("facts"), facts(this.run, this.chosen));
  }

  // A hint beside the pointer at (x, y), or none
  tip(what, x = 0, y = 0) {
    const tip = get("tip");
    tip.hidden = !what;
    document.body.dataset.hovered = what ? nameOf(this.run, what) : "";
    if (!what) return;
    tip.textContent = [nameOf(this.run, what), ...facts(this.run, what).map((pair) => pair.join("  "))].join("\n");
    tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 6)}px`;
    tip.style.top = `${Math.min(y + 14, innerHeight - tip.offsetHeight - 6)}px`;
  }
}
