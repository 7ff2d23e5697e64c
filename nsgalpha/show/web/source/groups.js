// What is shown and hidden together: bodies by the stems of their names, other things by their kinds.

const MOST = 10;
const LABELS = {
  plane: "planes", mesh: "fixed shapes", surface: "surfaces", joint: "joints", rope: "ropes", spring: "springs",
  cell: "cell", "contact shape": "contact shapes",
};
const HIDDEN = "contact shapes"; // at first, of bodies that have visual shapes

const stem = (name) => name.replace(/[\s_-]*\d+$/, "") || "bodies";

export class Groups {
  constructor(data, run) {
    this.run = run;
    const stems = data.names.map(stem), different = [...new Set(stems)];
    const few = different.length <= MOST;
    this.ofBody = data.names.map((_, k) => (few ? stems[k] : "bodies"));
    this.ofThing = data.things.map(([, kind]) => LABELS[kind]);
    const names = [...new Set([...this.ofBody, ...this.ofThing])];
    this.shown = new Map(names.map((name) => [name, name !== HIDDEN]));
  }

  body(k) { return k < 0 || (this.shown.get(this.ofBody[k]) && !this.run.now.absent?.[k]); }
  thing(k) { return this.shown.get(this.ofThing[k]); }
  name(body, thing) { return thing >= 0 ? this.ofThing[thing] : this.ofBody[body]; }
}
