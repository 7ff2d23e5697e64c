"""A scene in another code, run by an interpreter that has it: run_peer.py CODE KIND SCENE ANSWER.

See __init__.py. Nothing of nsgalpha is imported here.
"""

import json
import sys
from importlib import import_module
from pathlib import Path


def peak(process):
    """Largest memory [MiB] of a running process; that of `getrusage` begins with its parent's."""
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return float(text.split("VmHWM:")[1].split()[0]) / 1024.0


def main() -> None:
    """Read the scene, run it, write the answer."""
    code, kind, scene, answer = sys.argv[1:]
    found = getattr(import_module(f"{code}_peer"), kind)(json.loads(Path(scene).read_text(encoding="utf-8")))
    found.setdefault("memory", peak("self"))
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
