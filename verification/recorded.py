"""Numbers of other programs and solutions, in JSON files beside the modules of a case."""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def recorded(module: str, name: str = "reference.json") -> dict[str, Any]:
    """Content of the file `name` beside a `module`, given by its `__file__`."""
    return dict(json.loads(Path(module).with_name(name).read_text(encoding="utf-8")))
