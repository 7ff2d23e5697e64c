"""The command that takes screenshots of cases in the viewer."""

import numpy as np
import pytest
from chromium import needs_chromium
from PIL import Image

from verification import screenshots


@needs_chromium
def test_the_sheet_shows_the_cases(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(screenshots, "SIZES", {"phone": (390, 800)})
    assert screenshots.main([str(tmp_path / "shots"), "bouncing_ball"]) == 0
    assert "bouncing_ball" in capsys.readouterr().out
    with Image.open(tmp_path / "shots" / "sheet.png") as image:
        picture = np.asarray(image.convert("RGB")).astype(int)
    assert (np.ptp(picture, axis=2) > 45).sum() > 100  # the ball
    assert (tmp_path / "shots" / "bouncing_ball.html").exists()


def test_unknown_cases_are_refused(tmp_path, capsys):
    for wrong, named in ([str(tmp_path), "bouncing"], "bouncing"), ([], "folder"), (["--what"], "folder"):
        with pytest.raises(SystemExit) as caught:
            screenshots.main(wrong)
        assert caught.value.code == 2
        assert named in capsys.readouterr().err


def test_help_says_what_there_is_and_leaves_no_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        screenshots.main(["--help"])
    assert caught.value.code == 0
    assert "bouncing_ball" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
