"""The role of theta: which contacts of a pass are struck together with the fastest."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from verification.table import aligned

SHOWN = 6  # balls of a line at most: the first, and the fastest after the impacts


def theta_table(entries: dict[str, Any], thetas: Iterable[float]) -> str:
    """Speeds [m/s] after the first impact along its largest component, case by case, theta by theta."""
    lines: list[tuple[str, ...]] = [("case", "theta", "passes", *(f"[{i}]" for i in range(SHOWN)))]
    for name, entry in entries.items():
        after = np.array(entry["after"])
        axis = int(np.argmax(np.abs(after[0]).max(axis=0)))
        order = np.argsort(-np.abs(after[0, :, axis]), kind="stable")[:SHOWN]
        for theta, passes, v in zip(thetas, entry["passes"], after, strict=True):
            speeds = [f"{value:.5f}" for value in v[order, axis]]
            lines.append((name, f"{theta:g}", str(passes), *speeds, *[""] * (SHOWN - len(speeds))))
    return aligned(lines, range(1, 3 + SHOWN))
