"""Pictures: real SVG and PNG files with the labels that they need."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path

import pytest

from decade.plot import PlotError, check_path, draw
from decade.rules import PRESETS
from decade.survey import Plan, count_deals
from decade.survey_state import Survey


def surveys(*names: str, deals: int = 300) -> list[Survey]:
    plans = [Plan.of(PRESETS[name], 1, policies=("random", "longest")) for name in names]
    return [Survey(plan, ((0, deals),), count_deals(plan, 0, deals).tally) for plan in plans]


def pixels(content: bytes) -> tuple[int, int, bytes]:
    """Take a PNG file apart: width, height, and the bytes of its rows."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    at, data = 8, b""
    while at < len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", content[at + 8 + size :][:4])[0]
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    return width, height, zlib.decompress(data)


@pytest.mark.parametrize("names", [("decade",), ("nine-columns",), ("ends",), tuple(PRESETS)])
def test_png(names: tuple[str, ...], tmp_path: Path) -> None:
    draw(surveys(*names, deals=60), tmp_path / "a.png")
    width, height, data = pixels((tmp_path / "a.png").read_bytes())
    assert width >= 1000
    assert height >= 500
    assert len(set(data)) > 20


def test_svg_says_what_it_shows_and_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        draw(surveys("decade", "loop"), tmp_path / name)
    content = (tmp_path / "a.svg").read_text()
    assert content == (tmp_path / "b.svg").read_text()
    root = ET.fromstring(content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 20
    texts = " ".join(text for text in root.itertext())
    for wanted in ("decade", "loop", "1 in 50", "random player", "300 deals each", "95 %"):
        assert wanted in texts
    draw(surveys("decade"), tmp_path / "c.svg")
    texts = " ".join(ET.parse(tmp_path / "c.svg").getroot().itertext())
    for wanted in ("cards left at best", "share of deals", "winnable", "300 random deals"):
        assert wanted in texts


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    for path in (tmp_path / "a.pdf", tmp_path / "a", tmp_path / "no" / "a.svg"):
        with pytest.raises(PlotError):
            check_path(path)
    with pytest.raises(PlotError, match="no deal"):
        draw([Survey(Plan.of(PRESETS["decade"], 1))], tmp_path / "a.svg")
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(PlotError, match="cannot be written"):
        draw(surveys("decade"), tmp_path / "a.svg")
