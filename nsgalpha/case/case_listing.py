"""The command `nsgalpha cases`: the case files that are shipped, in lines or on a page with pictures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nsgalpha.case.case_commands import listing, shipped, title_of
from nsgalpha.case.name_suggestions import unknown_name
from nsgalpha.commands.command_line import as_json, folder, say, told
from nsgalpha.io.user_files import write_text

SIZE = 480, 360  # pixels of a picture
OWN = """
.cases { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1.2rem; }
.cases img { width: 100%; aspect-ratio: 4 / 3; object-fit: cover; } code { user-select: all; }
"""


class Cases:
    """List the shipped cases."""

    name = "cases"
    help = "list the shipped cases, or write a page with a picture of each"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which of them, and where the page goes."""
        parser.add_argument("names", metavar="NAME", nargs="*", help="all by default")
        parser.add_argument(
            "-o", "--output", metavar="DIR", type=folder, help="write DIR/index.html with pictures of them"
        )
        parser.add_argument("--json", action="store_true", help="names, titles and files as JSON")

    def run(self, arguments: argparse.Namespace) -> int:
        """0 if they are listed, 2 for a name that is unknown."""
        return told(f"nsgalpha {self.name}", lambda: self._run(arguments), ValueError)

    def _run(self, arguments: argparse.Namespace) -> int:
        known = shipped()
        for name in arguments.names:
            if name not in known:
                raise ValueError(unknown_name(name, sorted(known)))
        chosen = {name: known[name] for name in arguments.names or sorted(known)}
        if arguments.json:
            rows = [
                {"name": name, "title": title_of(path), "file": str(path)} for name, path in chosen.items()
            ]
            sys.stdout.write(as_json(rows))
        elif arguments.output is None:
            say(*listing(chosen))
        if arguments.output is not None:
            page = write_page(chosen, arguments.output)
            if not arguments.json:
                say(f"cases: {page}")
        return 0


def write_page(cases: dict[str, Path], folder: Path) -> Path:
    """Write `folder`/index.html with a tile for each case: its start, its title, the command that runs it."""
    from nsgalpha.show.html_pages import STYLE, as_html, figure, head, policy

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
    from io import BytesIO

    from PIL import Image

    from nsgalpha import show
    from nsgalpha.case.case_file import load_case
    from nsgalpha.run.initial_result import start_of

    buffer = BytesIO()
    Image.fromarray(show.still(start_of(load_case(path).model), size=SIZE)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
