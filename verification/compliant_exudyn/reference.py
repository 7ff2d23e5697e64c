"""Numbers of Exudyn and of independent solutions, from reference.json; its `provenance` says whence."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verification.recorded import recorded

data = partial(recorded, __file__)


@dataclass(frozen=True, slots=True)
class Collision:
    """One of the binary collisions: parameters, and velocities and spins (2, 3) at its end."""

    name: str
    parameters: dict[str, Any]  # named as in Exudyn
    ode: dict[str, np.ndarray]  # "x", "v", "w"
    program: dict[str, np.ndarray]
    spread: dict[str, float]  # largest difference of the two

    @property
    def jumps(self) -> bool:
        """True if the force jumps at touch or separation."""
        p = self.parameters
        return bool(p["contactDamping"] or (p["contactPlasticityRatio"] and p["constantPullOffForce"]))


def collisions() -> list[Collision]:
    """The binary collisions, in the order of the file."""
    common = data()["default"]

    def arrays(end: dict[str, list[list[float]]]) -> dict[str, np.ndarray]:
        return {name: np.array(values) for name, values in end.items()}

    return [
        Collision(
            name, common | case["parameters"], arrays(case["ode"]), arrays(case["program"]), case["spread"]
        )
        for name, case in data()["binary"].items()
    ]
