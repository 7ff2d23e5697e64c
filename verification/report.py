"""The report: one HTML file with tables and inlined figures; it needs no network and no other file."""

import base64
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from nsgalpha.files import write_text
from nsgalpha.show.figures import png
from nsgalpha.show.pages import as_html, head, policy
from verification.run import Verdict
from verification.table import EFFORT_HEADERS, HEADERS, effort_cells, row_cells

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: 1rem; }
table { border-collapse: collapse; font-size: 13px; margin: 0.8rem 0; }
th, td { padding: 0.15rem 0.6rem; text-align: left; border-bottom: 1px solid #e6e6e6; }
th { border-bottom: 1px solid #888; font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.ok, strong.ok { color: #20713a; }
td.FAILED, strong.FAILED { color: #b00020; font-weight: 700; }
td.shown { color: #777; }
figure { margin: 1rem 0; } figure img { max-width: 100%; } figcaption, .meta { color: #555; font-size: 13px; }
"""

PACKAGES = ("nsgalpha", "numpy", "scipy", "numba", "matplotlib")


def table(headers: Sequence[str], lines: Iterable[Sequence[str]], numeric: range) -> str:
    """An HTML table; columns in `numeric` to the right, cells with an outcome in its colour."""

    def cell(tag: str, i: int, text: str) -> str:
        kind = "number" if i in numeric else text if text in ("ok", "FAILED", "shown") else ""
        return f"<{tag}{f' class={kind}' if kind else ''}>{as_html(text)}</{tag}>"

    def line(tag: str, cells: Sequence[str]) -> str:
        return "<tr>" + "".join(cell(tag, i, text) for i, text in enumerate(cells)) + "</tr>"

    body = "\n".join(line("td", cells) for cells in lines)
    return f"<table><thead>{line('th', headers)}</thead>\n<tbody>{body}</tbody></table>"


def figures(verdict: Verdict) -> str:
    """All figures of a case as inlined PNG."""
    return "\n".join(
        f'<figure><img alt="{as_html(caption)}" src="data:image/png;base64,'
        f'{base64.b64encode(png(draw())).decode()}"><figcaption>{as_html(caption)}</figcaption></figure>'
        for caption, draw in verdict.outcome.figures.items()
    )


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
    parts.append(figures(verdict))
    if outcome.notes:
        parts.append(f"<p>{as_html(outcome.notes)}</p>")
    if outcome.rows:
        lines = [(*row_cells(row), row.provenance) for row in outcome.rows]
        parts.append(table((*HEADERS, "source of the reference"), lines, range(2, 6)))
    if outcome.efforts:
        parts.append('<p class="meta">Iterations per step of each subproblem, largest / mean:</p>')
        parts.append(table(EFFORT_HEADERS, map(effort_cells, outcome.efforts), range(1, 7)))
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
            head("nsgalpha: verification", STYLE, policy(styles=[STYLE])),
            "<body><h1>nsgalpha: verification</h1>",
            f'<p class="meta">{date}; Python {platform.python_version()}, {versions}</p>',
            table(("case", "title", "rows", "time [s]", ""), lines, range(2, 4)),
            *map(section, verdicts),
            "</body></html>\n",
        ]
    )


def write_report(folder: Path, verdicts: Sequence[Verdict]) -> Path:
    """Write `folder`/index.html and return its path."""
    path = folder / "index.html"
    write_text(path, page(verdicts))
    return path
