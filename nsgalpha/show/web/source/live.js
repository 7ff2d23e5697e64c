// The run behind the page: its frames as they come, and what the user asks of it.

import { get } from "./dom.js";

export class Live {
  // `changed` is called when frames have come
  constructor(run, bar, { token }, changed) {
    Object.assign(this, { run, bar, token, held: false });
    get("live").hidden = false;
    for (const id of ["step", "stop"]) get(id).onclick = () => this.send(id);
    get("hold").onclick = () => this.hold();
    bar.edge = true;
    this.source = new EventSource(`events?token=${encodeURIComponent(token)}`);
    this.source.onmessage = ({ data }) => { this.take(JSON.parse(data)); changed(); };
    this.source.onerror = () => this.end("the run does not answer");
  }

  take({ frame, held, end }) {
    if (held !== undefined) {
      this.held = held;
      get("hold").textContent = held ? "go on" : "hold run";
      get("state").textContent = held ? "held" : "";
    }
    if (frame) {
      this.run.frames.add(frame);
      this.bar.range();
      if (this.bar.edge) this.bar.go(this.run.end);
    }
    document.body.dataset.frames = this.run.frames.count;
    if (end !== undefined) this.end(end);
  }

  // Forces of compliant contacts, which the run evaluates for the page
  wants(forces) {
    if (forces !== (this.forces ?? false)) this.send(forces ? "forces" : "no forces");
    this.forces = forces;
  }

  hold() { this.send(this.held ? "go" : "hold"); }

  send(word) {
    if (this.over) return;
    fetch("command", { method: "POST", headers: { "X-Token": this.token }, body: word }).catch(() => {});
  }

  end(words) {
    if (this.over) return;
    this.over = true;
    this.source.close();
    for (const id of ["hold", "step", "stop"]) get(id).hidden = true;
    get("state").textContent = words;
    get("state").title = words;
    document.body.dataset.ended = words;
    Object.assign(this.bar, { edge: null, playing: false });
    this.bar.go(this.bar.t);
  }
}
