"""The command that makes docs/odds.md: goes on from what is kept, and says what is to be done."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture
def make_odds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_odds", DOCS / "make_odds.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "make_odds", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "DOCS", tmp_path)
    monkeypatch.setattr(module, "FOLDER", tmp_path / "odds")
    return module


def test_the_page_grows_with_what_is_kept(
    make_odds: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def made(*args: str) -> str:
        monkeypatch.setattr(sys, "argv", ["make_odds.py", *args])
        make_odds.main()
        return capsys.readouterr().out

    few = ("--deals", "200", "--deals-decade", "300", "--exact", "100", "--workers", "2")
    out = made(*few, "decade")
    assert "decade: has 0 of 300 deals" in out
    assert "decade: 300 of 300 deals" in out
    assert "| `decade` | 300 | " in (tmp_path / "odds.md").read_text()
    assert not (tmp_path / "odds.svg").exists()
    before = json.loads((tmp_path / "odds" / "decade.json").read_text())
    out = made(*few, "decade", "pysol")
    assert "decade: has 300 of 300 deals" in out
    assert "all: about " in out
    page = (tmp_path / "odds.md").read_text()
    assert "| `pysol` | 200 | " in page
    assert "| `decade` | 100 | " in page.partition("exactly")[2]
    assert json.loads((tmp_path / "odds" / "decade.json").read_text()) == before
    for picture in ("odds.svg", "odds.png", "odds-decade.svg", "odds-decade.png"):
        assert (tmp_path / picture).stat().st_size > 5000
    (tmp_path / "odds.md").unlink()
    assert made("--table") == ""
    assert (tmp_path / "odds.md").read_text() == page
    with pytest.raises(SystemExit, match="exact for deals below 100, not 50"):
        made("decade", "--exact", "50")
