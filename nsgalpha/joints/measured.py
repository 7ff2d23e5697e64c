"""Rows of joints in the recorded states of a run."""

from nsgalpha.compiled import uncounted
from nsgalpha.joints.rows import measure_joints


@uncounted
def measure_states(table, rows, bodies, inverse_inertia, motion, x, q, g, G, lever):
    """Measure the joints of `table` in n states with the poses `x` (n, B, 3), `q` (n, B, 4).

    Fills violations `g` (n, R), `G` (n, R, 2, 6), `lever` (n, J, 2, 3); `rows` and `motion` are room.
    """
    for k in range(x.shape[0]):
        for b in range(x.shape[1]):
            for i in range(3):
                motion.x[b, i] = x[k, b, i]
            for i in range(4):
                motion.q[b, i] = q[k, b, i]
        measure_joints(table, rows, motion, bodies, inverse_inertia)
        for r in range(g.shape[1]):
            g[k, r] = rows.g[r]
            for side in range(2):
                for i in range(6):
                    G[k, r, side, i] = rows.G[r, side, i]
        for j in range(lever.shape[1]):
            for side in range(2):
                for i in range(3):
                    lever[k, j, side, i] = rows.lever[j, side, i]
