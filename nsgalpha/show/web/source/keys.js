// The keyboard, and the list of its keys.

import { element, get } from "./dom.js";

export function keyboard({ bar, panel, view, card, film, snapshot, live }) {
  const list = [
    [["Space"], "play or pause", () => bar.toggle()],
    [["ArrowRight", "ArrowLeft"], "next or last frame; with shift ten", (event) =>
      bar.step((event.key === "ArrowRight" ? 1 : -1) * (event.shiftKey ? 10 : 1))],
    [["Home", "End"], "to the start or the end", (event) => {
      bar.leave();
      bar.go(event.key === "Home" ? bar.run.start : bar.run.end);
    }],
    [["+", "-"], "faster, slower", (event) => bar.faster(event.key === "-" ? -1 : 1)],
    [["l"], "loop", () => { get("loop").checked = !get("loop").checked; }],
    [["r"], "reset the view", () => view.reset()],
    [["x", "y", "z"], "look along an axis", (event) => view.along("xyz".indexOf(event.key))],
    [["o"], "next colouring", () => panel.next("colour")],
    [["c"], "contacts: none, forces, network", () => { if (!get("lines").hidden) panel.next("contacts"); }],
    [["v"], "velocities", () => panel.next("velocity")],
    [["t"], "trails: none, selected, all", () => panel.next("trails")],
    [["f"], "follow the selected body", () => card.follow(view.followed < 0)],
    [["w"], "opacity of walls", () => panel.glass()],
    [["k"], "cut open across x, y, z", () => panel.next("clip")],
    [["a"], "axes and scale", () => panel.next("axes")],
    [["g"], "panel", () => { get("panel").open = !get("panel").open; }],
    [["p"], "save the picture", snapshot],
    [["m"], "record a film, or end it", () => film.toggle()],
    [["Escape"], "deselect, close", () => { get("help").hidden = true; card.select(null); }],
    [["?"], "this list", () => { get("help").hidden = !get("help").hidden; }],
  ];
  if (live) {
    list.splice(4, 0, [["h"], "hold the run, or let it go on", () => live.hold()],
      [["n"], "one step of the run", () => live.send("step")]);
  }
  const shown = { Space: "space", ArrowRight: "→", ArrowLeft: "←", Escape: "Esc" };
  get("keys").replaceChildren(...list.map(([keys, text]) => {
    const row = element("tr"), first = element("td");
    for (const key of keys) first.append(element("kbd", shown[key] ?? key), " ");
    row.append(first, element("td", text));
    return row;
  }));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    const found = list.find(([keys]) => keys.includes(event.code) || keys.includes(event.key)
      || (event.key === "=" && keys.includes("+")));
    if (!found || tagName === "SELECT") return;
    if (event.code === "Space" && (tagName === "BUTTON" || tagName === "SUMMARY" || type === "checkbox")) return;
    if (event.key.startsWith("Arrow") && type === "range" && event.target.id !== "time") return;
    found[2](event);
    event.preventDefault();
  });
}
