"""The report: one HTML file with tables and inlined figures."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from nsgalpha.show.figure_style import png
from nsgalpha.show.html_pages import STYLE, figure, head, policy
from nsgalpha.shown_text import as_html, table
from nsgalpha.user_files import write_text
from verification.run import Verdict
from verification.table import EFFORT_HEADERS, HEADERS, effort_cells, row_cells

OWN = """
h2 { border-top: 1px solid #ccc; padding-top: 1rem; }
figure { margin: 1rem 0; } .meta { color: #555; font-size: 13px; }
"""
PACKAGES = ("nsgalpha", "numpy", "scipy", "numba", "matplotlib")


def section(verdict: Verdict) -> str:
    """One case: outcome, figures, rows with provenance, iterations."""
    outcome = verdict.outcome
    state = "ok" if verdict.passed else "FAILED"
    parts = [
        f'<h2 id="{verdict.name}">{as_html(verdict.title)}</h2>',
        f'<p class="meta">{verdict.name}: <strong class="{state}">{state}</strong>, '
        f"{len(outcome.rows)} rows, {verdict.seconds:.1f} s</p>",
    ]
    if verdict.failure:
        parts.append(f'<p><strong class="FAILED">{as_html(verdict.failure)}</strong></p>')
    parts += [figure(caption, png(draw())) for caption, draw in outcome.figures.items()]
    if outcome.notes:
        parts += [f"<p>{as_html(each)}</p>" for each in outcome.notes.split("\n\n")]
    if outcome.rows:
        lines = [(*row_cells(row), row.provenance) for row in outcome.rows]
        parts.append(table((*HEADERS, "source of the reference"), lines))
    if outcome.efforts:
        parts.append('<p class="meta">Iterations per step of each subproblem, largest / mean:</p>')
        parts.append(table(EFFORT_HEADERS, map(effort_cells, outcome.efforts)))
    return "\n".join(parts)


def page(verdicts: Sequence[Verdict]) -> str:
    """The whole page."""
    lines = [
        (v.name, v.title, str(len(v.outcome.rows)), f"{v.seconds:.1f}", "ok" if v.passed else "FAILED")
        for v in verdicts
    ]
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return "\n".join(
        [
            head("nsgalpha: verification", STYLE + OWN, policy(styles=[STYLE + OWN])),
            "<body><h1>nsgalpha: verification</h1>",
            f'<p class="meta">{date}; Python {platform.python_version()}, {versions}</p>',
            table(("case", "title", "rows", "time [s]", ""), lines),
            *map(section, verdicts),
            "</body></html>\n",
        ]
    )


def write_report(folder: Path, verdicts: Sequence[Verdict]) -> Path:
    """Write `folder`/index.html and return its path."""
    path = folder / "index.html"
    folder.mkdir(exist_ok=True)
    write_text(path, page(verdicts))
    return path
