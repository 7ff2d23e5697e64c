// The choices of what is shown, and the legend.

import { legend } from "./colours.js";
import { element, get, options } from "./dom.js";

const TICKS = ["velocity", "axes", "flip"];

export class Panel {
  constructor(run, groups, settings, changed) {
    Object.assign(this, { run, groups, changed });
    const { contact_start: contacts, value_label: label, live } = run.data;
    const colours = [["body", "body"], ["speed", "speed"], ["status", "contact status"]];
    if (label) colours.push(["value", label]);
    options(get("colour"), colours, settings.colour ?? (label ? "value" : "body"));
    const how = { 1: "rods", 2: "arrows", rods: "rods", arrows: "arrows" }[settings.contacts];
    options(get("contacts"), [["", "none"], ["arrows", "forces"], ["rods", "network"]], how ?? "");
    options(get("trails"), [["", "none"], ["selected", "selected"], ["all", "all"]], settings.trails ?? "");
    options(get("clip"), [["", "none"], ["x", "x"], ["y", "y"], ["z", "z"]], settings.clip ?? "");
    get("lines").hidden = !contacts && !live;
    if (get("lines").hidden) get("contacts").value = "";
    get("velocity").checked = settings.velocity === "1";
    if (settings.axes === "0") get("axes").checked = false;
    for (const id of ["colour", "contacts", "trails", "clip", ...TICKS]) get(id).onchange = () => this.update();
    for (const id of ["walls", "cut"]) get(id).oninput = () => this.update();
    this.groupBoxes();
    this.update();
  }

  groupBoxes() {
    for (const [name, checked] of this.groups.shown) {
      const box = element("input", "", { type: "checkbox", checked });
      box.onchange = () => { this.groups.shown.set(name, box.checked); this.changed(); };
      const label = element("label");
      label.append(box, ` ${name}`);
      get("groups").append(label);
    }
  }

  get colour() { return get("colour").value; }
  get contacts() { return get("contacts").value; }
  get trails() { return get("trails").value; }
  get velocity() { return get("velocity").checked; }
  get axes() { return get("axes").checked; }
  get walls() { return Number(get("walls").value); }
  get clip() { return [get("clip").value, Number(get("cut").value), get("flip").checked]; }

  // The next choice of a select, or the other state of a box
  next(id) {
    const input = get(id);
    if (input.type === "checkbox") input.checked = !input.checked;
    else input.selectedIndex = (input.selectedIndex + 1) % input.length;
    this.update();
  }

  glass() {
    get("walls").value = this.walls >= 0.9 ? 0 : this.walls + 0.25;
    this.update();
  }

  update() {
    get("legend").replaceChildren(...legend(this.run, this.colour).map(([dyes, before, after]) => {
      const dot = element("i", "", { className: dyes.length > 1 ? "wide" : "" });
      dot.style.background = dyes.length > 1 ? `linear-gradient(90deg, ${dyes})` : dyes[0];
      const span = element("span", before);
      span.append(dot, after);
      return span;
    }));
    this.changed();
  }
}
