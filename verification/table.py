"""Tables of rows as text and as plain records for JSON."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from verification.outcome import Effort, Row
from verification.run import Verdict

HEADERS = ("quantity", "unit", "reference", "ours", "error", "tolerance", "")
EFFORT_HEADERS = ("run", "steps", "smooth", "position", "velocity", "sub-impacts", "penetration / R")


def number(value: float) -> str:
    """Nine digits: enough to compare with published numbers."""
    return f"{value:.9g}"


def mark(row: Row) -> str:
    """Verdict on a row in one word."""
    if row.tolerance is None:
        return "shown"
    return "ok" if row.passed else "FAILED"


def row_cells(row: Row) -> tuple[str, ...]:
    """Cells in the order of HEADERS."""
    tolerance = "-" if row.tolerance is None else f"{row.tolerance:.1e}"
    values = (number(row.reference), number(row.ours), f"{row.error:.1e}", tolerance)
    return (row.quantity, row.unit, *values, mark(row))


def effort_cells(effort: Effort) -> tuple[str, ...]:
    """Cells in the order of EFFORT_HEADERS; iterations as largest / mean per step."""
    pairs = (f"{largest} / {mean:.2f}" for largest, mean in (effort.smooth, effort.position, effort.velocity))
    return (effort.label, str(effort.steps), *pairs, str(effort.sub_impacts), f"{effort.penetration:.1e}")


def aligned(cells: Sequence[Sequence[str]], numeric: range) -> str:
    """Columns of equal width; those in `numeric` to the right."""
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]

    def one(line: Sequence[str]) -> str:
        padded = (
            text.rjust(width) if i in numeric else text.ljust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        return ("  " + "  ".join(padded)).rstrip()

    return "\n".join(one(line) for line in cells)


def case_table(verdict: Verdict) -> str:
    """Title, rows, iterations and outcome of one case."""
    parts = [f"\n{verdict.name}: {verdict.title}"]
    if verdict.failure:
        parts.append(f"  FAILED: {verdict.failure}")
    if verdict.outcome.rows:
        parts.append(aligned([HEADERS, *map(row_cells, verdict.outcome.rows)], range(2, 6)))
    if verdict.outcome.efforts:
        parts.append("  iterations per step, largest / mean:")
        parts.append(aligned([EFFORT_HEADERS, *map(effort_cells, verdict.outcome.efforts)], range(1, 7)))
    return "\n".join(parts)


def summary(verdicts: Sequence[Verdict]) -> str:
    """One line per case and one for all."""
    lines = [
        (v.name, f"{len(v.outcome.rows)} rows", f"{v.seconds:.1f} s", "ok" if v.passed else "FAILED")
        for v in verdicts
    ]
    failed = sum(not verdict.passed for verdict in verdicts)
    end = f"{failed} of {len(verdicts)} cases failed" if failed else f"all of {len(verdicts)} cases passed"
    return f"\n{aligned(lines, range(1, 3))}\n{end}"


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """One case as JSON content; numbers that are not finite become null."""

    def finite(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return {
        "case": verdict.name,
        "title": verdict.title,
        "passed": verdict.passed,
        "failure": verdict.failure,
        "seconds": verdict.seconds,
        "rows": [
            {key: finite(value) for key, value in dataclasses.asdict(row).items()}
            | {"error": finite(row.error), "passed": row.passed}
            for row in verdict.outcome.rows
        ],
        "efforts": [dataclasses.asdict(effort) for effort in verdict.outcome.efforts],
    }
