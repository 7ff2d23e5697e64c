// Normals and edges of faces that share points: smooth below a crease angle, an edge above it.

const CREASE = Math.cos((35 * Math.PI) / 180);

// Newell's normal, as long as twice the area
function normal(points, corners, target) {
  let x = 0, y = 0, z = 0;
  for (let k = 0; k < corners.length; k++) {
    const a = 3 * corners[k], b = 3 * corners[(k + 1) % corners.length];
    x += (points[a + 1] - points[b + 1]) * (points[a + 2] + points[b + 2]);
    y += (points[a + 2] - points[b + 2]) * (points[a] + points[b]);
    z += (points[a] - points[b]) * (points[a + 1] + points[b + 1]);
  }
  target[0] = x; target[1] = y; target[2] = z;
  return target;
}

function smooth(a, b) {
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > CREASE * lengths;
}

// For each corner (of triangles, in `corners`, of the face numbered in `face`) the faces that shade it
export function neighbours(points, faces, corners, face) {
  const own = faces.map((each) => normal(points, each, [0, 0, 0])), at = new Map();
  faces.forEach((each, k) => each.forEach((p) => { if (at.has(p)) at.get(p).push(k); else at.set(p, [k]); }));
  return corners.map((p, k) => at.get(p).filter((f) => f === face[k] || smooth(own[f], own[face[k]])));
}

export function normals(points, faces, around, target) {
  const own = faces.map(({ corners }) => normal(points, corners, [0, 0, 0]));
  around.forEach((list, k) => {
    let x = 0, y = 0, z = 0;
    for (const f of list) { x += own[f][0]; y += own[f][1]; z += own[f][2]; }
    const length = Math.hypot(x, y, z) || 1;
    target[3 * k] = x / length; target[3 * k + 1] = y / length; target[3 * k + 2] = z / length;
  });
}

// Pairs of points: edges of one face alone, and those where two faces meet at an angle
export function creases(points, faces) {
  const own = faces.map((each) => normal(points, each, [0, 0, 0])), edges = new Map();
  faces.forEach((each, f) => each.forEach((a, k) => {
    const b = each[(k + 1) % each.length], key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (edges.has(key)) edges.get(key).push(f); else edges.set(key, [f]);
  }));
  return [...edges].filter(([, at]) => at.length === 1 || !at.every((f) => smooth(own[f], own[at[0]])))
    .flatMap(([key]) => key.split(" ").map(Number));
}
