"""Sum of the responses of laws, with the chain rule through the normal force (compliant_law.py)."""

from nsgalpha.jit.decorators import kernel


@kernel
def add_part(total, part, first, column):
    """Add the rows of `part`, which begin at `first`, to all six; histories from `column` on."""
    for c in range(total.force.shape[0]):
        total.energy[c] += part.energy[c]
        for k in range(part.history.shape[1]):
            total.history[c, column + k] = part.history[c, k]
        for i in range(part.force.shape[1]):
            r = first + i
            slope = part.by_normal[c, i]
            total.force[c, r] += part.force[c, i]
            total.by_overlap[c, r] += part.by_overlap[c, i]
            for j in range(part.force.shape[1]):
                total.by_rate[c, r, first + j] += part.by_rate[c, i, j]
                total.by_increment[c, r, first + j] += part.by_increment[c, i, j]
            if slope != 0.0:
                total.by_overlap[c, r] += slope * total.by_overlap[c, 0]
                for j in range(6):
                    total.by_rate[c, r, j] += slope * total.by_rate[c, 0, j]
                    total.by_increment[c, r, j] += slope * total.by_increment[c, 0, j]
