// The picture as PNG, and the run as a film in WebM, both made by the browser.

import { get } from "./dom.js";
import { inWords } from "./overlay.js";

const RATE = 30; // pictures per second

function keep(blob, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${(document.title || "run").replace(/[^\w.-]+/g, "_")}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  document.body.dataset.saved = `${link.download} ${blob.size}`;
}

// The picture with its time and scale
export function picture(source, clock, overlay) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  Object.assign(canvas, { width: source.width, height: source.height });
  pen.drawImage(source, 0, 0);
  const unit = source.width / innerWidth, [length, pixels] = overlay.scale(110), bottom = canvas.height - 16 * unit;
  pen.font = `${12 * unit}px system-ui, sans-serif`;
  pen.fillStyle = pen.strokeStyle = "#444";
  pen.lineWidth = unit;
  pen.beginPath();
  pen.moveTo(14 * unit, bottom - 5 * unit);
  for (const [x, y] of [[14, 0], [14 + pixels, 0], [14 + pixels, -5]]) pen.lineTo(x * unit, bottom + y * unit);
  pen.stroke();
  pen.fillText(inWords(length), 16 * unit, bottom - 7 * unit);
  pen.fillText(clock, (30 + pixels) * unit, bottom);
  canvas.toBlob((blob) => keep(blob, "png"));
}

export class Film {
  constructor(source, bar) { Object.assign(this, { source, bar, recorder: null }); }

  get running() { return this.recorder !== null; }

  // From the start to the end, at the speed that is set; a second call ends it.
  toggle() {
    if (this.running) { this.recorder.stop(); return; }
    if (typeof MediaRecorder === "undefined") {
      Object.assign(get("message"), { hidden: false, textContent: "This browser cannot record films." });
      return;
    }
    const parts = [], stream = this.source.captureStream(RATE);
    this.recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => parts.push(data);
    this.recorder.onstop = () => {
      this.recorder = null;
      get("film").textContent = "film";
      keep(new Blob(parts, { type: "video/webm" }), "webm");
    };
    get("film").textContent = "end film";
    this.bar.playing = true;
    this.bar.go(this.bar.run.start);
    this.recorder.start(500);
  }

  // After each picture
  tick() { if (this.running && !this.bar.playing && this.recorder.state === "recording") this.recorder.stop(); }
}
