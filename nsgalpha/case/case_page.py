"""A page with a tile for each shipped case."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from nsgalpha import show
from nsgalpha.case.case_commands import title_of
from nsgalpha.case.case_file import load_case
from nsgalpha.run.initial_result import start_of
from nsgalpha.show.html_pages import STYLE, figure, head, policy
from nsgalpha.shown_text import as_html
from nsgalpha.user_files import write_text

SIZE = 480, 360  # pixels of a picture
OWN = """
.cases { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1.2rem; }
.cases img { width: 100%; aspect-ratio: 4 / 3; object-fit: cover; } code { user-select: all; }
"""


def write_page(cases: dict[str, Path], folder: Path) -> Path:
    """Write `folder`/index.html with a tile for each case: start, title, command."""
    style = STYLE + OWN
    tiles = []
    for name, path in cases.items():
        command = f"<p><code>nsgalpha run {as_html(name)}</code></p>"
        tiles.append(f"<div>{figure(f'{name}: {title_of(path)}', picture(path))}{command}</div>")
    page = folder / "index.html"
    folder.mkdir(exist_ok=True)
    write_text(
        page,
        f"{head('nsgalpha: cases', style, policy(styles=[style]))}<body><h1>Cases</h1>"
        f'<div class="cases">{"".join(tiles)}</div></body></html>\n',
    )
    return page


def picture(path: Path) -> bytes:
    """The start of a case as a PNG file; nothing is run."""
    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(show.still(start_of(load_case(path).model), size=SIZE)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
