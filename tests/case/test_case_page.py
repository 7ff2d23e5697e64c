"""The TOML blocks of the page on case files are cases, and run."""

import re
from pathlib import Path

import pytest

from nsgalpha.case import parse_case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "case-files.md"
BLOCKS = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_blocks_are_found():
    assert len(BLOCKS) == 4


@pytest.mark.parametrize("text", BLOCKS)
def test_a_block_runs(text):
    case = parse_case(text, "block")
    assert case.run(t_end=0.02).status.ok


def test_the_page_names_all_layouts_motions_loads_and_schemes():
    from nsgalpha.case.layouts import LAYOUTS
    from nsgalpha.case.plane_groups import WALLS
    from nsgalpha.case.plugin_catalogue import installed

    named = set(re.findall(r"`([\w.]+)`", PAGE.read_text(encoding="utf-8")))
    kinds = ("joints", "motions", "loads", "schemes")
    assert named >= {*LAYOUTS, *WALLS, *(name for kind in kinds for name in installed().of(kind))}
