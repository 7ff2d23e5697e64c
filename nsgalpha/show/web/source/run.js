// The run: frames as they stand in the page or come from a server, and the pose of all movers at any time.

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const TYPES = { f4: Float32Array, u2: Uint16Array, i2: Int16Array, u1: Uint8Array, i4: Int32Array };

export const array = ({ type, base64 }) => new TYPES[type](bytes(base64));

export function decode(text) {
  const data = JSON.parse(text);
  for (const [name, value] of Object.entries(data)) {
    if (value !== null && value.base64 !== undefined) data[name] = array(value);
  }
  return data;
}

// A frame is { t, x, q, v, spin, status, value, absent, contacts }, numbers in SI units.
export class PackedFrames {
  constructor(data) {
    Object.assign(this, { data, count: data.times.length, known: new Map() });
    this.movers = data.positions.length / (3 * this.count);
  }

  time(k) { return this.data.times[k]; }

  get(k) {
    if (!this.known.has(k)) {
      if (this.known.size > 8) this.known.clear();
      this.known.set(k, this.read(k));
    }
    return this.known.get(k);
  }

  read(k) {
    const { positions, rotations, turning, rest, velocity, spins, status, values, absent, low, size, radius, fastest }
      = this.data;
    const n = radius.length, part = (all, width) => all.subarray(k * width, (k + 1) * width);
    const scaled = (all, width, factor) => Float32Array.from(part(all, width), (c) => c * factor);
    const q = Float32Array.from(rest);
    part(rotations, 4 * turning.length).forEach((c, i) => { q[4 * turning[i >> 2] + (i & 3)] = c / 32767; });
    return {
      t: this.time(k),
      x: Float32Array.from(part(positions, 3 * this.movers), (c, i) => low[i % 3] + (size[i % 3] * c) / 65535),
      q,
      v: scaled(velocity, 3 * n, fastest / 32767),
      spin: spins ? scaled(spins, n, this.data.fastest_spin / 65535) : null,
      status: part(status, n),
      value: values ? part(values, n) : null,
      absent: absent ? part(absent, n) : null,
      contacts: this.contacts(k),
    };
  }

  contacts(k) {
    const { contact_start: start, contact_ends: ends, contact_force: force, contact_status: status } = this.data;
    if (!start) return null;
    const { contact_points: points, contact_colour: colour, low, size, largest_force: largest } = this.data, first = start[k];
    const box = (all, width) => Float32Array.from(all.subarray(width * first, width * start[k + 1]),
      (c, i) => low[i % 3] + (size[i % 3] * c) / 65535);
    return {
      count: start[k + 1] - first,
      ends: box(ends, 6),
      points: box(points, 3),
      force: Float32Array.from(force.subarray(3 * first, 3 * start[k + 1]), (c) => (c * largest) / 32767),
      status: status.subarray(first, start[k + 1]),
      colour: colour.subarray(first, start[k + 1]),
    };
  }
}

export class Run {
  constructor(data, frames) {
    Object.assign(this, { data, frames, n: data.radius.length });
    const movers = frames.movers ?? data.movers;
    this.movers = movers;
    this.x = new Float32Array(3 * movers);
    this.q = new Float32Array(4 * movers);
    this.points = new Float32Array(data.place.length);
    this.frame = 0; // the last one before the present time
  }

  get start() { return this.frames.time(0); }
  get end() { return this.frames.time(this.frames.count - 1); }
  get now() { return this.frames.get(this.frame); }

  // The way of coordinate `i` by `d`, to the nearest image where that is periodic.
  way(i, d) {
    const period = this.data.periods[i % 3];
    return period > 0 && Math.abs(d) > 0.5 * period ? d - period * Math.round(d / period) : d;
  }

  // Between two frames positions and quaternions are interpolated linearly.
  moveTo(t) {
    const { frames } = this;
    let first = 0, last = frames.count - 1;
    while (last - first > 1) {
      const middle = (first + last) >> 1;
      if (frames.time(middle) <= t) first = middle; else last = middle;
    }
    const from = frames.time(first), to = frames.time(last);
    const part = last > first ? Math.min(Math.max((t - from) / (to - from), 0), 1) : 0;
    this.frame = part < 1 ? first : last;
    const a = frames.get(first), b = frames.get(last);
    for (let i = 0; i < this.x.length; i++) this.x[i] = a.x[i] + part * this.way(i, b.x[i] - a.x[i]);
    for (let i = 0; i < this.q.length; i += 4) {
      let dot = 0, square = 0;
      for (let k = i; k < i + 4; k++) dot += a.q[k] * b.q[k];
      const sign = dot < 0 ? -1 : 1; // q and -q are the same rotation
      for (let k = i; k < i + 4; k++) {
        this.q[k] = (1 - part) * a.q[k] + part * sign * b.q[k];
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

  speed(body) {
    const { v } = this.now;
    return Math.hypot(v[3 * body], v[3 * body + 1], v[3 * body + 2]);
  }
}
