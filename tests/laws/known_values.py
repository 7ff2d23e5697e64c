"""Values that were computed elsewhere, see data/README.md."""

import json
from pathlib import Path

DATA = Path(__file__).parent / "data"
TABLES = json.loads((DATA / "mpacts_adhesion_tables.json").read_text())
VALUES = json.loads((DATA / "mpacts_misc_values.json").read_text())["values"]
