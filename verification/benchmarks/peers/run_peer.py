"""A scene in another code, run by an interpreter that has it: run_peer.py CODE KIND SCENE ANSWER.

See __init__.py. Nothing of nsgalpha is imported here.
"""

import json
import resource
import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Read the scene, run it, write the answer."""
    code, kind, scene, answer = sys.argv[1:]
    found = getattr(import_module(f"{code}_peer"), kind)(json.loads(Path(scene).read_text(encoding="utf-8")))
    who = resource.RUSAGE_CHILDREN if found.pop("outside", False) else resource.RUSAGE_SELF
    found["memory"] = resource.getrusage(who).ru_maxrss / 1024.0
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
