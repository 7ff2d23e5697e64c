"""The common part of the scripts of verification/examples.

An example is a module with a docstring (a title, then text in Markdown) and four functions:

    build(...)       the model, with defaults for the picture
    run(...)         the result: of one run, of several, or the table of a sweep
    check(result)    rows that compare what came out with what must come out
    figure(result)   the picture, a matplotlib figure

`python -m verification.examples.cradle` runs one, shows its rows and writes cradle.png.
"""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from verification.outcome import Row
from verification.table import HEADERS, aligned, row_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    import nsgalpha as ns
    from nsgalpha.arrays import Floats
    from nsgalpha.show import Camera

FOLDER = Path(__file__).parent / "examples"


class Example(Protocol):
    """The interface of a script besides `build`."""

    def run(self) -> Any:
        """Build and simulate."""

    def check(self, result: Any) -> Sequence[Row]:
        """Compare."""

    def figure(self, result: Any) -> "Figure":
        """Draw."""


def example_names() -> list[str]:
    """Names of all examples, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


def load_example(name: str) -> Example:
    """Import the example `name`."""
    return importlib.import_module(f"verification.examples.{name}")


def main(script: str) -> None:
    """Run the example `script`; write its rows to the terminal, its picture to this folder."""
    name = Path(script).stem
    example = load_example(name)
    result = example.run()
    cells = [HEADERS, *map(row_cells, example.check(result))]
    example.figure(result).savefig(f"{name}.png")
    sys.stdout.write(f"{aligned(cells, range(2, 6))}\n  {name}.png\n")


def paint(
    axis: "Axes",
    result: "ns.Result",
    camera: "Camera | None" = None,
    *,
    t: float | None = None,
    colour: str = "body",
    size: tuple[int, int] = (960, 720),
) -> None:
    """Put the still picture at `t` [s] (None: the end) on `axis`; the arguments are those of `show.still`."""
    from nsgalpha import show

    axis.imshow(show.still(result, t=t, camera=camera, colour=colour, size=size))
    axis.set_axis_off()


def paint_grains(
    axis: "Axes",
    x: "Floats",
    speed: "Floats",
    radius: float,
    wide: tuple[float, float],
    high: tuple[float, float],
) -> None:
    """Circles at the centres `x` (n, 3) [mm] of grains seen along y, the last in front, coloured by `speed`.

    `radius`, and the limits `wide` of x and `high` of z: [mm].
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    circles = [Circle((one[0], one[2]), radius) for one in x]
    grains = PatchCollection(circles, cmap="viridis", edgecolor="0.3", linewidth=0.4)
    grains.set_array(speed)
    axis.add_collection(grains)
    axis.set_xlim(*wide)
    axis.set_ylim(*high)
    axis.set_aspect("equal")
    axis.figure.colorbar(grains, ax=axis, label="speed [m/s]")
