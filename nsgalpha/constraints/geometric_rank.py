"""How near joints are to a singular position, whatever the masses of their bodies.

The pivots of S = G M^-1 G^T (joint_factor.py) are squares of sines in the metric of the masses. In a loop
whose rows are redundant they are small everywhere if bars are slender: a row that turns a bar about its own
axis has an entry of S as large as the inverse of that inertia, and what is left of it beside others is not.
The position is singular if rows are dependent in any metric. Here bodies are balls of one mass, with the mean
radius of gyration k of the body,

    V . V = v . v + k^2 w . w,    k^2 = (I_1 + I_2 + I_3)/(3 m).
"""

from nsgalpha.constraints.joint_factor import factorise, least_pivot
from nsgalpha.jit.decorators import kernel


@kernel
def _entry(G, MG, r):
    """Entry of the diagonal of S."""
    total = 0.0
    for side in range(G.shape[1]):
        for i in range(6):
            total += G[r, side, i] * MG[r, side, i]
    return total


@kernel
def geometric_pivot(joints, bodies):
    """Smallest pivot of the rows measured last, with balls of one mass; S is factorised again afterwards."""
    G, MG, factor, table = joints.rows.G, joints.rows.MG, joints.factor, joints.table
    kept, compliance = MG.copy(), factor.compliance.copy()
    for j in range(table.body.shape[0]):
        for side in range(table.body.shape[1]):
            b = table.body[j, side]
            I, m = bodies.inertia[b], bodies.mass[b]  # noqa: E741
            whole = I[0, 0] + I[1, 1] + I[2, 2]
            turning = 3.0 * m / whole if whole > 0.0 else 0.0
            moves = bodies.inverse_mass[b] > 0.0
            for r in range(table.row[j], table.row[j + 1]):
                for i in range(3):
                    MG[r, side, i] = G[r, side, i] if moves else 0.0
                    MG[r, side, 3 + i] = turning * G[r, side, 3 + i] if moves else 0.0
    for r in range(G.shape[0]):
        if compliance[r] > 0.0:
            before = _entry(G, kept, r)
            factor.compliance[r] *= _entry(G, MG, r) / before if before > 0.0 else 1.0
    factorise(joints.pattern, G, MG, factor)
    nearest = least_pivot(factor)
    for r in range(G.shape[0]):
        factor.compliance[r] = compliance[r]
        for side in range(G.shape[1]):
            for i in range(6):
                MG[r, side, i] = kept[r, side, i]
    factorise(joints.pattern, G, MG, factor)
    return nearest
