"""Lines of a benchmark, and their table."""

from collections.abc import Sequence
from typing import Any

from verification.table import aligned

Line = dict[str, Any]  # quantity, value, unit, source


def line(quantity: str, value: float, unit: str, source: str = "") -> Line:
    """One number with its unit."""
    return {"quantity": quantity, "value": value, "unit": unit, "source": source}


def as_text(title: str, lines: Sequence[Line]) -> str:
    """Title and table of one benchmark."""
    cells = [(entry["quantity"], f"{entry['value']:.4g}", entry["unit"], entry["source"]) for entry in lines]
    return f"\n{title}\n{aligned(cells, range(1, 2))}"
