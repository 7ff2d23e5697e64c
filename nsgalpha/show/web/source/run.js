// The run: arrays as they stand in the page, and the pose of all movers at any time.

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const TYPES = { f4: Float32Array, u2: Uint16Array, i2: Int16Array, u1: Uint8Array, i4: Int32Array };

export function decode(text) {
  const data = JSON.parse(text);
  for (const [name, value] of Object.entries(data)) {
    if (value !== null && value.base64 !== undefined) data[name] = new TYPES[value.type](bytes(value.base64));
  }
  return data;
}

export class Run {
  constructor(data) {
    this.data = data;
    this.frames = data.times.length;
    this.movers = data.positions.length / (3 * this.frames);
    this.x = new Float32Array(3 * this.movers);
    this.q = new Float32Array(4 * this.movers);
    this.points = new Float32Array(data.place.length);
    this.frame = 0; // the last one before the present time
  }

  get start() { return this.data.times[0]; }
  get end() { return this.data.times[this.frames - 1]; }

  // Between two frames positions and quaternions are interpolated linearly.
  moveTo(t) {
    const { times, positions, rotations, low, size } = this.data;
    let first = 0, last = this.frames - 1;
    while (last - first > 1) {
      const middle = (first + last) >> 1;
      if (times[middle] <= t) first = middle; else last = middle;
    }
    const part = last > first ? Math.min(Math.max((t - times[first]) / (times[last] - times[first]), 0), 1) : 0;
    this.frame = part < 1 ? first : last;
    const n = 3 * this.movers, m = 4 * this.movers;
    for (let i = 0; i < n; i++) {
      const a = positions[first * n + i], b = positions[last * n + i];
      this.x[i] = low[i % 3] + size[i % 3] * (a + part * (b - a)) / 65535;
    }
    for (let i = 0; i < m; i += 4) {
      let dot = 0, square = 0;
      for (let k = i; k < i + 4; k++) dot += rotations[first * m + k] * rotations[last * m + k];
      const sign = dot < 0 ? -1 : 1; // q and -q are the same rotation
      for (let k = i; k < i + 4; k++) {
        this.q[k] = (1 - part) * rotations[first * m + k] + part * sign * rotations[last * m + k];
        square += this.q[k] ** 2;
      }
      for (let k = i; k < i + 4; k++) this.q[k] /= Math.sqrt(square) || 1;
    }
    this.movePoints();
  }

  // point = x + R(q) place, quaternions scalar first
  movePoints() {
    const { owner, place } = this.data;
    for (let p = 0; p < owner.length; p++) {
      const m = owner[p], [s, a, b, c] = this.q.subarray(4 * m, 4 * m + 4);
      const [u, v, w] = place.subarray(3 * p, 3 * p + 3);
      const d = 2 * (b * w - c * v), e = 2 * (c * u - a * w), f = 2 * (a * v - b * u);
      this.points[3 * p] = this.x[3 * m] + u + s * d + b * f - c * e;
      this.points[3 * p + 1] = this.x[3 * m + 1] + v + s * e + c * d - a * f;
      this.points[3 * p + 2] = this.x[3 * m + 2] + w + s * f + a * e - b * d;
    }
  }
}
