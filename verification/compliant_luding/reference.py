"""Reference numbers of the Luding model, made by reduce.py from two peers' results.

    driven.npz       prescribed motions: input, and every tenth row of what Woo's own law returned;
                     overlaps and normal forces of Yade's Law2_ScGeom_LudingPM and Woo on the same paths
    reference.json   their parameters; plastic work; head-on impacts, exact solutions of the equation of
                     motion to 1e-11 (event-driven, order 8); collisions of spheres in three dimensions, by
                     a leapfrog with steps down to 2.5e-8 s and extrapolation in the step, with the spring
                     that moves first ("return_map") and with Woo's ("woo_literal")

Woo at commit 2594bb4a, its C++ law called step by step; Yade 2023.02a. SI units. In Woo the motion is that
of body 2 relative to body 1 and forces act on body 1. Ours of A = 2 relative to B = 1 is the same motion with
the opposite forces. The order of the columns is Woo's, ROWS and OUT in reduce.py.
"""

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from elements import LudingMaterial, luding
from nsgalpha.arrays import Floats
from verification.recorded import recorded

record = partial(recorded, __file__)
FOLDER = Path(__file__).parent
RATE = [1, 2, 3, 5, 6, 4]  # columns of the input: normal, sliding, rolling, twisting
FORCE = [0, 1, 2, 4, 5, 3]  # columns of the output in that order
STIFFNESS, LARGEST, SPRING, VISCOUS = 6, 7, [8, 9, 10, 11, 12], 14  # other columns of the output


@cache
def driven(name: str) -> tuple[Floats, Floats]:
    """Input, all rows, and output, every tenth row and the last, of a driven case."""
    with np.load(FOLDER / "driven.npz") as file:
        return file[f"{name}.in"], file[f"{name}.out"]


def reduced_radius(params: dict[str, float]) -> float:
    """a_12 [m] of the parameters of a case."""
    return 2.0 * params["a1"] * params["a2"] / (params["a1"] + params["a2"])


def laws(params: dict[str, float], **options: Any) -> dict[str, Any]:
    """Our laws with the `params` of a case, stiffnesses in Woo's units; options of `luding`."""
    K, k1, a12 = params["k2hat"], params["kn1"], reduced_radius(params)
    material = LudingMaterial(
        plastic_ratio=k1 / K,
        adhesive_ratio=params["kna"] / K,
        plastic_depth=params["deltaLim"] * (K - k1) / (K * a12) if k1 < K else 1.0,
        sliding_ratio=params["kt"] / K,
        rolling_ratio=params["kr"] / (K * a12),
        twisting_ratio=params["kw"] / (K * a12),
        tan_phi_t=params["tanPhi"],
        tan_phi_r=params["statR"],
        tan_phi_w=params["statW"],
        dynamic_ratio=params["dynDivStat"],
        gamma_n=params["viscN"],
        gamma_t=params["viscT"],
        gamma_r=params["viscR"],
        gamma_w=params["viscW"],
    )
    return luding(material, stiffness=K, documented_unit=True, **options)
