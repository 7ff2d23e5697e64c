// A spring of length and radius 1 along y: a tube around a helix.

import { Curve, TubeGeometry, Vector3 } from "three";

const TURNS = 9, LEAD = 0.08; // straight part at each end

class Helix extends Curve {
  getPoint(s, target = new Vector3()) {
    const part = Math.min(Math.max((s - LEAD) / (1 - 2 * LEAD), 0), 1), angle = 2 * Math.PI * TURNS * part;
    const r = Math.min(1, 12 * part, 12 * (1 - part));
    return target.set(r * Math.cos(angle), s - 0.5, r * Math.sin(angle));
  }
}

export const coil = () => new TubeGeometry(new Helix(), 20 * TURNS, 0.12, 6);
