// Frames that come while a run goes on.

import { array } from "./run.js";

const MOST = 3000; // frames that are kept; then every second one of the older half is dropped

export class StreamFrames {
  constructor(data) {
    Object.assign(this, { data, list: [] });
    Object.assign(data, { fastest: 0, usual_speed: 0, full_force: 0 });
    this.add(data.frame);
    this.movers = this.list[0].x.length / 3;
  }

  get count() { return this.list.length; }
  time(k) { return this.list[k].t; }
  get(k) { return this.list[k]; }

  add(given) {
    const { t, full_force: full } = given, frame = { t, value: null };
    if (this.count && t <= this.list.at(-1).t) this.list.pop(); // sent twice
    for (const name of ["x", "q", "v", "spin", "status"]) frame[name] = array(given[name]);
    const [ends, points, force, status, colour] = ["ends", "points", "force", "contact_status", "contact_colour"]
      .map((n) => array(given[n]));
    frame.contacts = { count: status.length, ends, points, force, status, colour };
    if (given.absent) frame.absent = array(given.absent);
    this.list.push(frame);
    let fastest = 0;
    for (let k = 0; k < frame.v.length; k += 3) {
      fastest = Math.max(fastest, Math.hypot(frame.v[k], frame.v[k + 1], frame.v[k + 2]));
    }
    const { data } = this;
    data.fastest = Math.max(data.fastest, fastest);
    data.usual_speed = data.usual_speed ? 0.97 * data.usual_speed + 0.03 * fastest : fastest;
    data.full_force = Math.max(full, 0.97 * data.full_force);
    if (this.count > MOST) this.list = this.list.filter((_, k) => k > MOST / 2 || k % 2 === 0);
  }
}
