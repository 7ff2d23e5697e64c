// A spring of length and radius 1 along y: a tube around a helix.

import { Curve, TubeGeometry, Vector3 } from "three";

const TURNS = 10, LEAD = 0.08; // straight part at each end
const WIRE = 0.16, AROUND = 6, ALONG = 18 * TURNS; // radius over that of the coil; segments

class Helix extends Curve {
  getPoint(s, target = new Vector3()) {
    const part = Math.min(Math.max((s - LEAD) / (1 - 2 * LEAD), 0), 1), angle = 2 * Math.PI * TURNS * part;
    const r = Math.min(1, 12 * part, 12 * (1 - part));
    return target.set(r * Math.cos(angle), s - 0.5, r * Math.sin(angle));
  }
}

// slender: radius over length of the springs, so that wires are round when coils are as long as these
export function coil(slender) {
  const geometry = new TubeGeometry(new Helix(), ALONG, WIRE, AROUND), place = geometry.attributes.position;
  const middle = new Vector3(), helix = new Helix();
  for (let k = 0; k < place.count; k++) {
    helix.getPointAt(Math.floor(k / (AROUND + 1)) / ALONG, middle);
    place.setY(k, middle.y + slender * (place.getY(k) - middle.y));
  }
  return geometry;
}
