"""One line of a benchmark."""

from typing import Any

Line = dict[str, Any]  # quantity, value, unit, source


def line(quantity: str, value: float, unit: str, source: str = "") -> Line:
    """One number with its unit."""
    return {"quantity": quantity, "value": value, "unit": unit, "source": source}
