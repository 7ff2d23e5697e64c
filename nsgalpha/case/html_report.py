"""Report on a run: one HTML file with status, tables, figures and viewer."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from nsgalpha import show
from nsgalpha.case.file_summary import file_summary, in_words
from nsgalpha.io.result_reader import load
from nsgalpha.run.result import Result
from nsgalpha.show.figure_style import Figure, png
from nsgalpha.show.html_pages import STYLE, figure, head, policy
from nsgalpha.show.html_player import assets
from nsgalpha.show.number_text import Resolution, largest, resolution
from nsgalpha.show.overview import are_loose_balls
from nsgalpha.shown_text import as_html, table, triple
from nsgalpha.stepping.status import outcome
from nsgalpha.user_files import write_text

MOST = 200  # rows of the table of bodies
BODIES = ("body", "radius [m]", "mass [kg]", "position [m]", "velocity [m/s]", "spin [rad/s]")
SCALE = 0.6  # of the pixels of figures
OWN = """
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem; }
iframe { width: 100%; height: 36rem; border: 1px solid #ccc; }
"""


def write_report(path: str, folder: Path) -> Path:
    """Write the page on the result file `path` to `folder`; errors are those of `ns.load`."""
    result, found = load(path), file_summary(path)
    page = folder / "index.html"
    folder.mkdir(exist_ok=True)
    write_text(page, as_page(Path(path).name, result, found))
    return page


def as_page(name: str, result: Result, found: dict[str, Any]) -> str:
    """The whole page."""
    script, style = assets()  # a page within a page is bound by the policies of both
    allowed = policy(scripts=[script], styles=[STYLE + OWN, style], frames=True)
    state, limits = outcome(result.status), resolution(result, found["scheme"]["tol"])
    pictures = "\n".join(figure(caption, png(draw()), SCALE) for caption, draw in figures(result, limits))
    return f"""{head(name, STYLE + OWN, allowed)}
<body><h1>{as_html(name)}</h1>
<p class="{state}">{as_html(result.status.message)}</p>
{table((), [line for line in in_words(found) if line[0] != "status"])}
<h2>The run</h2>
{viewer(result)}
<h2>Figures</h2>
<div class="figures">{pictures}</div>
<h2>Bodies at the end</h2>
{table(BODIES, bodies(result, limits))}
<h2>Statistics of the steps</h2>
{table(("", "largest", "mean"), statistics(found))}
</body></html>
"""


def figures(result: Result, limits: Resolution) -> list[tuple[str, Callable[[], Figure]]]:
    """Captions, and functions that draw the figures."""
    found: list[tuple[str, Callable[[], Figure]]] = []
    if are_loose_balls(result.model):
        found.append(("Paths seen from above", lambda: show.paths(result)))
        found.append(("Paths seen from the side", lambda: show.paths(result, plane="xz")))
    else:
        found.append(("Start and end", lambda: show.overview(result)))
    if largest(result.velocity) > limits.velocity:
        found.append(("Speeds", lambda: show.speeds(result)))
    if largest(result.angular_velocity) > limits.spin.max(initial=0.0):
        found.append(("Spins", lambda: show.speeds(result, spin=True)))
    found.append(("Energies", lambda: show.energies(result)))
    if result.contacts.start[-1]:
        found.append(("Set-valued contacts", lambda: show.statuses(result)))
    if len(result.stats.contacts):
        found.append(("Iterations, impacts, residuals", lambda: show.iterations(result)))
    return found


def viewer(result: Result) -> str:
    """The viewer, as a page within the page."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "viewer.html"
        show.viewer(result, path)
        page = path.read_text(encoding="utf-8")
    return f'<iframe title="viewer" srcdoc="{html.escape(page)}"></iframe>'


def bodies(result: Result, limits: Resolution) -> list[tuple[str, ...]]:
    """Rows of the first MOST bodies, with zeros for numbers below their resolution."""
    x, v, w = (np.asarray(part[-1]) for part in (result.position, result.velocity, result.angular_velocity))
    rows: list[tuple[str, ...]] = [
        (
            body.name,
            f"{body.radius:.4g}",
            f"{body.mass:.4g}",
            triple(x[k], limits.position),
            triple(v[k], limits.velocity),
            triple(w[k], limits.spin[k]),
        )
        for k, body in enumerate(result.model.bodies[:MOST])
    ]
    more = len(result.model.bodies) - MOST
    return [*rows, (f"... and {more} more",)] if more > 0 else rows


def statistics(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows of the statistics."""
    return [
        (name.replace("_", " "), f"{values['largest']:.4g}", f"{values['mean']:.4g}")
        for name, values in found["statistics"].items()
    ]
