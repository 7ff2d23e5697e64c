// The bar below the picture: plays, pauses, scrubs; and the legend above it.

const RATES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const get = (id) => document.getElementById(id);
const css = ([r, g, b]) => `rgb(${[r, g, b].map((c) => Math.round(255 * c))})`;

function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

export class Bar {
  // `changed` is called after everything that changes the picture
  constructor(run, settings, changed) {
    Object.assign(this, { run, changed, playing: settings.t === undefined, t: settings.t ?? run.start });
    const length = run.end - run.start;
    const usual = length >= 1 && length <= 60 ? 1 : RATES.reduce((a, b) =>
      Math.abs(Math.log((b * 8) / length)) < Math.abs(Math.log((a * 8) / length)) ? b : a);
    options(get("speed"), RATES.map((r) => [r, `${r} x`]), usual);
    const colourings = [["body", "body"], ["speed", "speed"], ["status", "contact status"]];
    options(get("colour"), colourings, settings.colour ?? "body");
    Object.assign(get("time"), { min: run.start, max: run.end });
    get("lines").hidden = !run.data.contact_start;
    get("contacts").checked = settings.contacts === "1" && !!run.data.contact_start;
    get("play").onclick = () => this.toggle();
    get("time").oninput = () => { this.playing = false; this.go(Number(get("time").value)); };
    for (const id of ["colour", "contacts"]) get(id).onchange = () => { this.legend(); changed(); };
    addEventListener("keydown", (event) => this.key(event));
    this.legend();
    this.go(this.t);
  }

  get colour() { return get("colour").value; }
  get contacts() { return get("contacts").checked; }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.t >= this.run.end) this.t = this.run.start;
    this.go(this.t);
  }

  key(event) {
    if (event.code === "Space" && event.target.tagName !== "BUTTON") this.toggle();
    else if (event.code === "ArrowRight" || event.code === "ArrowLeft") {
      const by = ((event.code === "ArrowRight" ? 1 : -1) * (this.run.end - this.run.start)) / this.run.frames;
      this.playing = false;
      this.go(this.t + by);
    } else return;
    event.preventDefault();
  }

  // `seconds` have passed on the user's clock
  advance(seconds) {
    if (!this.playing) return;
    const t = this.t + seconds * Number(get("speed").value);
    this.playing = t < this.run.end;
    this.go(t);
  }

  go(t) {
    this.t = Math.min(Math.max(t, this.run.start), this.run.end);
    get("time").value = this.t;
    get("clock").textContent = `t = ${this.t.toPrecision(5)} s`;
    get("play").textContent = this.playing ? "pause" : "play";
    this.changed();
  }

  legend() {
    const { status_names: names, status_colours: colours, statuses, scale, fastest } = this.run.data;
    const entries = [];
    if (this.colour === "status") {
      for (const k of statuses) entries.push([css(colours[k]), names[k]]);
    }
    const marks = entries.map(([colour, text]) => {
      const span = document.createElement("span"), dot = document.createElement("i");
      dot.style.background = colour;
      span.append(dot, text);
      return span;
    });
    if (this.colour === "speed") {
      const span = document.createElement("span"), strip = document.createElement("i");
      Object.assign(strip.style, { width: "120px", background: `linear-gradient(90deg, ${scale.map(css)})` });
      span.append("0", strip, `${fastest.toPrecision(3)} m/s`);
      marks.push(span);
    }
    get("legend").replaceChildren(...marks);
  }
}
