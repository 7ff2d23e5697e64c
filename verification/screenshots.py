"""Screenshots of the shipped cases in the viewer, by a headless Chromium.

`python -m verification.screenshots DIR [NAME ...]` runs the cases, all by default. It writes the page of
each, DIR/NAME.html, and its pictures in the middle of the run in a window and on a phone. DIR/sheet.png has
all of them. It ends with 2 where there is no Chromium or no such case.
"""

import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageDraw

from nsgalpha import Result, show
from nsgalpha.case import load_case
from nsgalpha.case.case_commands import shipped

SIZES = {"window": (1440, 900), "phone": (390, 800)}  # [pixels]
OPTIONS = (
    "--headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars "
    "--disable-background-networking --no-first-run"
)
TILE, ROW, LABEL = 450, 3, 16  # height of a case on the sheet [pixels], cases in a row, height of its name
PATIENCE = 120.0  # seconds


def chromium() -> str | None:
    """The program, if it is installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def photographed(result: Result, name: str, folder: Path) -> list[Path]:
    """Write a run's page and its pictures of SIZES to `folder`; return the pictures.

    Raises OSError if the browser writes none.
    """
    page = show.viewer(result, folder / f"{name}.html", title=name)
    t = 0.5 * float(result.t[0] + result.t[-1])
    pictures = []
    for kind, (width, height) in SIZES.items():
        picture = folder / f"{name}-{kind}.png"
        picture.unlink(missing_ok=True)
        with TemporaryDirectory() as profile:
            command = [str(chromium()), *OPTIONS.split(), f"--user-data-dir={profile}"]
            command += [
                f"--window-size={width},{height}",
                f"--screenshot={picture}",
                f"{page.as_uri()}#t={t}",
            ]
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        if not picture.exists():
            raise OSError(f"{name}: the browser wrote no picture: {done.stderr.decode(errors='replace')}")
        pictures.append(picture)
    return pictures


def sheet(cases: Mapping[str, Sequence[Path]]) -> Image.Image:
    """The pictures of each case side by side, ROW cases in a row."""
    widths = [round(TILE * width / height) for width, height in SIZES.values()]
    across, down = sum(widths), -(-len(cases) // ROW)
    whole = Image.new("RGB", (ROW * across, down * (TILE + LABEL)), "white")
    pen = ImageDraw.Draw(whole)
    for k, (name, pictures) in enumerate(cases.items()):
        x, y = k % ROW * across, k // ROW * (TILE + LABEL)
        pen.text((x + 4, y + 2), name, fill="black")
        for path, width in zip(pictures, widths, strict=True):
            with Image.open(path) as picture:
                whole.paste(picture.resize((width, TILE), Image.Resampling.LANCZOS), (x, y + LABEL))
            x += width
    return whole


def main(arguments: Sequence[str]) -> int:
    """See above."""
    known = shipped()
    parser = ArgumentParser("python -m verification.screenshots", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where pages and pictures are written")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"all by default, or some of {', '.join(known)}"
    )
    given = parser.parse_args(arguments)
    folder, names = given.folder, given.names or sorted(known)
    unknown = [name for name in names if name not in known]
    if unknown or chromium() is None:
        parser.error(f"unknown case: {', '.join(unknown)}" if unknown else "Chromium is not installed")
    folder.mkdir(exist_ok=True)
    taken = {}
    for name in names:
        taken[name] = photographed(load_case(known[name]).run(), name, folder.absolute())
        sys.stdout.write(f"  {name}\n")
    sheet(taken).save(folder / "sheet.png")
    sys.stdout.write(f"  {folder / 'sheet.png'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
