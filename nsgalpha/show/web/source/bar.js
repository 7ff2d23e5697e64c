// The bar below the picture: plays, pauses, scrubs, loops.

import { get, options } from "./dom.js";

const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const RATES = Array.from({ length: 37 }, (_, k) => Number(`${[1, 2, 5][k % 3]}e${Math.floor(k / 3) - 6}`)); // to 1e6

export class Bar {
  // `changed` is called after everything that changes the picture
  constructor(run, settings, changed) {
    const playing = settings.t === undefined && run.end > run.start;
    Object.assign(this, { run, changed, playing, t: settings.t ?? run.start });
    this.edge = null; // of a run that goes on: true at its newest frame, false elsewhere; null: there is none
    const length = run.end - run.start;
    const usual = length === 0 || (length >= 1 && length <= 60) ? 1 : RATES.reduce((a, b) =>
      Math.abs(Math.log((b * 8) / length)) < Math.abs(Math.log((a * 8) / length)) ? b : a);
    options(get("speed"), RATES.map((r) => [r, `${r} x`]), usual);
    get("loop").checked = settings.loop === "1";
    get("play").onclick = () => this.toggle();
    get("time").oninput = () => { this.leave(); this.go(Number(get("time").value)); };
    this.range();
    this.go(this.t);
  }

  // The time, to four figures of the longest
  get clock() {
    const longest = Math.abs(this.run.end) || 1;
    const [unit, name] = UNITS.find(([size]) => longest >= 0.1 * size) ?? UNITS.at(-1);
    const places = 3 - Math.floor(Math.log10(longest / unit));
    return `t = ${(this.t / unit).toFixed(Math.min(Math.max(0, places), 20))} ${name}`;
  }

  // After frames were added
  range() { Object.assign(get("time"), { min: this.run.start, max: this.run.end }); }

  // Stand still
  leave() {
    this.playing = false;
    if (this.edge) this.edge = false;
  }

  toggle() {
    if (this.edge) { this.leave(); this.go(this.t); return; }
    this.playing = !this.playing;
    if (this.playing && this.t >= this.run.end && this.edge === null) this.t = this.run.start;
    this.go(this.t);
  }

  // By a number of frames
  step(count) {
    this.leave();
    this.go(this.t + (count * (this.run.end - this.run.start)) / Math.max(this.run.frames.count - 1, 1));
  }

  // By a number of places in the list of speeds
  faster(places) {
    const select = get("speed"), at = select.selectedIndex + places;
    select.selectedIndex = Math.min(Math.max(at, 0), RATES.length - 1);
  }

  // `seconds` have passed on the user's clock
  advance(seconds) {
    if (!this.playing) return;
    const t = this.t + seconds * Number(get("speed").value), over = t >= this.run.end;
    if (over && this.edge === false) { this.playing = false; this.edge = true; }
    const again = over && get("loop").checked;
    this.playing = this.playing && (!over || again);
    this.go(again ? this.run.start : t);
  }

  go(t) {
    this.t = Math.min(Math.max(t, this.run.start), this.run.end);
    get("time").value = this.t;
    get("clock").textContent = this.clock;
    get("play").textContent = this.playing || this.edge ? "pause" : "play";
    this.changed();
  }
}
