"""The linter of sentences finds broken rules, and does not read code and tables."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / ".ci"))
import prose

LONG = "Word " + "word " * 25 + "end."
FINE = "\n".join([f"`{LONG}`", f"| {LONG} |", f"$${LONG}$$", "    " + LONG])


@pytest.mark.parametrize(
    ("name", "source", "line", "rule"),
    [
        ("page.md", f"Fine.\n\nA first sentence. {LONG}", 3, "27 words, at most 25"),
        ("page.md", "It has what it needs.", 1, "relative clause without its noun"),
        ("page.md", "Those that stay count.", 1, "relative clause without its noun"),
        ("page.md", "The gap is\nmeasured anew.", 1, "'anew': again"),
        ("page.md", "The color of a body.", 1, "'color': British spelling"),
        ("code.py", f'"""{"word " * 16}"""', 1, "16 words, at most 15"),
        ("code.py", f"a = 1  # one\n\n# {LONG}", 3, "27 words, at most 25"),
        ("code.py", f'a = 1\nraise ValueError(f"{{a}}: {LONG}")', 2, "27 words, at most 25"),
    ],
)
def test_a_broken_rule_is_found_with_its_line(tmp_path, name, source, line, rule):
    path = tmp_path / name
    path.write_text(source)
    (found,) = prose.findings(path)
    assert found.startswith(f"{path}:{line}: {rule}: ")


def test_code_tables_and_equations_are_not_read(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("What is a gap? It is signed.\n\n" + FINE.replace("\n", "\n\n"))
    assert list(prose.findings(path)) == []
