"""Reduction of the peers' outputs to the reference numbers, see reference.py.

    python -m verification.compliant_luding.reduce luding_reference.json luding_yade_crosscheck.json

The input of a driven case is kept whole, since histories need all of it. Of the output every tenth row and
the last are kept, of the collisions the extrapolated values.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROWS = "rows_uN_vN_vt1_vt2_wTwist_wRoll1_wRoll2"
OUT = "out_Fx_Fy_Fz_Tx_Ty_Tz_k2_deltaMax_xiT2_xiR2_xiW_Wplast_Wvisc"
BREAK = "breakRecord_Wplast_Wvisc_deltaMax"
FOLDER = Path(__file__).parent


def kept(count: int) -> np.ndarray:
    """Rows of the output that are kept: every tenth and the last."""
    return np.unique(np.append(np.arange(0, count, 10), count - 1))


def reduce(woo: Path, yade: Path) -> None:
    """Write driven.npz and reference.json."""
    data = json.loads(woo.read_text())["data"]
    cases = json.loads(yade.read_text())
    arrays: dict[str, Any] = {}
    driven = {}
    for name, case in data.items():
        if ROWS in case:
            out = np.array(case[OUT])
            arrays[f"{name}.in"], arrays[f"{name}.out"] = np.array(case[ROWS]), out[kept(len(out))]
            driven[name] = {"params": case["params"], "break": case[BREAK]}
    for name, case in cases["cases"].items():
        force = np.column_stack([case["F_yade"], case["F_woo"]])
        arrays[f"yade.{name}.in"], arrays[f"yade.{name}.out"] = (
            np.array(case["delta"]),
            force[kept(len(force))],
        )
    np.savez_compressed(FOLDER / "driven.npz", **arrays)
    record = {
        "driven": driven,
        "plastic_work": data["normal_plastic_work"],
        "impacts": data["normal_collisions"],
        "collisions": [collision(case) for case in data["sphere_collisions_3d"]],
        "yade": {"params": cases["params"], "cases": list(cases["cases"])},
    }
    (FOLDER / "reference.json").write_text(json.dumps(record, indent=1) + "\n")


def collision(case: dict[str, Any]) -> dict[str, Any]:
    """Input and limits (w, v of bodies 1 and 0) of a collision of spheres."""
    kept = {"name": case["name"], "params": case["params"], "input": case["input"]}
    for variant in ("return_map", "woo_literal"):
        limit = np.reshape(case[f"{variant}_richardson"]["order1"], (4, 3))
        kept[variant] = {"w": limit[[2, 0]].tolist(), "v": limit[[3, 1]].tolist()}
    return kept


if __name__ == "__main__":
    reduce(*map(Path, sys.argv[1:]))
