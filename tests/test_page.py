"""The page in a real browser: steps, keys, motion, phones, dark mode, and what a reader hears."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import browser as chromium
import pytest
from browser import Browser

from decade import PRESETS, Deal, Rules, solve
from decade.drawing import Layout
from decade.sources import seeded_deal
from decade.steps import Steps
from decade.webpage import page

SMALL = "KC KH 4D 6S"
WINNABLE = (
    "KS 7H QS 4S TH AS 5S 5D 4C TD 9C TC 6D 8D 5C 8S 3D 3S 7C 6H JC QC KD QH AD TS JS 3H 6S 2S "
    "7S JD 2H 4D KC 2C 5H AC QD 8H 3C 9D 6C 4H 2D 9H KH 9S JH 8C 7D AH"
)
WORDS = "document.getElementById('words').textContent"

# Steps through a play without motion, and lists where the page or a card is too wide or too high.
OVERFLOWS = """
const [slider, stage] = ["slider", "stage"].map(id => document.getElementById(id));
const frame = stage.getBoundingClientRect(), scrolls = arguments[0], found = [];
stage.classList.add("still");
for (let step = 0; step <= slider.max; step += 3) {
  slider.value = step;
  slider.dispatchEvent(new Event("input"));
  if (document.documentElement.scrollWidth > innerWidth) found.push([step, "page"]);
  for (const card of document.querySelectorAll(".card")) {
    const box = card.getBoundingClientRect();
    const wide = !scrolls && (box.left < frame.left || box.right > frame.right);
    if (wide || box.top < frame.top || box.bottom > frame.bottom) found.push([step, box]);
  }
}
return found;
"""

needs_browser = pytest.mark.skipif(
    chromium.CHROMIUM is None or chromium.DRIVER is None,
    reason="Chromium or its driver is not installed (Debian: chromium and chromium-driver)",
)


def made(deal: str | Deal, rules: str | Rules = "decade", layout: Layout = "table") -> str:
    result = solve(deal, rules)
    return page(result, Steps.of(result.deal, result.rules, result.moves), layout)


# The file


def test_the_page_asks_nothing_of_the_network() -> None:
    text = made(WINNABLE)
    assert not re.search(
        r"\bsrc=|https?:|//[a-z]|url\((?!#)|@import|<link(?! rel=\"icon\" href=\"data:,\")", text
    )
    assert "default-src 'none'" in text
    assert "{{" not in text


def test_the_steps_are_embedded() -> None:
    text = made(SMALL)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert found is not None
    data = json.loads(found[1])
    assert [card["name"] for card in data["cards"]][:2] == ["king of clubs", "king of hearts"]
    assert data["steps"][3]["going"] == [0, 1]
    assert data["steps"][-1] == {
        "stock": [],
        "piles": [[]],
        "received": [4],
        "discards": [0, 1, 2, 3],
        "going": [],
    }
    assert "<li>Four of diamonds is dealt to the line. King of clubs and king of hearts" in text


# In the browser


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def view(window: Browser) -> Iterator[Browser]:
    """Give the browser with a desktop's window; at the end nothing may be on its console."""
    window.window(1000, prefers_color_scheme="light", prefers_reduced_motion="no-preference")
    yield window
    assert window.log() == []


def open_page(view: Browser, folder: Path, text: str) -> None:
    file = folder / "play.html"
    file.write_text(text, encoding="utf-8")
    view.open(file)


def step(view: Browser) -> int:
    found = re.match(r"Step (\d+) of \d+\. ", view.run(f"return {WORDS}"))
    assert found is not None
    return int(found[1])


def slide(view: Browser, value: int) -> None:
    view.choose("#slider", str(value))


def boxes(view: Browser, selector: str) -> list[dict[str, float]]:
    boxed = "[...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect())"
    found: list[dict[str, float]] = view.run(f"return {boxed}.map(b => b.toJSON())", selector)
    return found


@needs_browser
def test_buttons_keys_and_slider_step(view: Browser, tmp_path: Path) -> None:
    open_page(view, tmp_path, made(SMALL))
    assert view.run("return document.title") == "A deal of 4 cards - Decade"
    assert step(view) == 0
    assert view.run("return document.getElementById('back').disabled")
    for press, at in (("#next", 1), ("#next", 2), ("#back", 1), ("#last", 6), ("#first", 0)):
        view.click(press)
        assert step(view) == at
    view.run("document.activeElement.blur()")
    for key, at in (
        *(("right", 1), ("space", 2), ("left", 1), ("end", 6), ("right", 6), ("home", 0)),
        *(("left", 0), ("space", 1)),
    ):
        view.press(key)
        assert step(view) == at
    slide(view, 4)
    assert step(view) == 4
    view.run("document.getElementById('slider').focus()")
    for key, at in (("right", 5), ("left", 4), ("end", 6), ("home", 0), ("space", 1)):
        view.press(key)
        assert step(view) == at, key
    view.run("document.getElementById('next').focus()")
    view.press("space")  # a button's own key: one step, not two
    assert step(view) == 2
    assert view.run("return document.getElementById('slider').value") == "2"


@needs_browser
@pytest.mark.parametrize("layout", ["table", "hand"])
def test_the_set_goes_and_nothing_is_left(view: Browser, tmp_path: Path, layout: Layout) -> None:
    open_page(view, tmp_path, made(WINNABLE, layout=layout))
    result = solve(WINNABLE)
    states = Steps.of(result.deal, result.rules, result.moves).states
    at = next(number for number, state in enumerate(states) if state.going)
    slide(view, at)
    assert len(boxes(view, ".lit")) == 5
    lit = view.run(
        "return [...document.querySelectorAll('.card')]"
        ".flatMap((card, index) => card.matches('.lit') ? [index] : [])"
    )
    assert tuple(lit) == result.moves[0].cards
    view.press("right")
    assert boxes(view, ".lit") == []
    view.press("end")
    words = view.run(f"return {WORDS}")
    assert words.endswith("The game is won: no card is left on the table.")
    assert view.run("return document.getElementById('stage').getAttribute('aria-label')") == (
        "The line: empty. Stock: 0."
    )
    assert boxes(view, ".card.down") == []
    assert view.run(
        "return [...document.querySelectorAll('.card')].every(e => e.style.zIndex < 1000)"
    )


@needs_browser
def test_autoplay_and_its_speed(view: Browser, tmp_path: Path) -> None:
    open_page(view, tmp_path, made(SMALL))
    view.choose("#speed", "4")
    view.click("#play")
    assert view.run("return document.getElementById('play').getAttribute('aria-label')") == "Pause"
    view.until(f"{WORDS}.startsWith('Step 2 ')")
    view.click("#play")
    paused = step(view)
    assert view.run("return document.getElementById('play').getAttribute('aria-label')") == "Play"
    view.run("document.activeElement.blur()")
    view.press("p")
    view.until(f"{WORDS}.startsWith('Step 6 ')")
    assert paused < 6
    assert view.run("return document.getElementById('play').getAttribute('aria-label')") == "Play"
    view.press("p")  # from the end it begins again
    view.until(f"{WORDS}.startsWith('Step 1 ')")


@needs_browser
def test_cards_move_unless_the_reader_wants_no_motion(view: Browser, tmp_path: Path) -> None:
    for wish, moves in (("no-preference", True), ("reduce", False)):
        view.window(1000, prefers_reduced_motion=wish)
        open_page(view, tmp_path, made(SMALL))
        slide(view, 3)
        times = view.run(
            "return [...document.querySelectorAll('.card, .faces')]"
            ".map(e => parseFloat(getComputedStyle(e).transitionDuration))"
        )
        assert all((time > 0) is moves for time in times)
        view.until("document.getAnimations().length === 0")
        view.press("right")
        running = view.run("return document.getAnimations().length")
        assert (running > 0) is moves


@needs_browser
def test_it_is_read_aloud(view: Browser, tmp_path: Path) -> None:
    open_page(view, tmp_path, made(SMALL))
    live = "document.getElementById('words')"
    assert view.run(f"return [{live}.ariaLive, {live}.role]") == ["polite", "status"]
    slide(view, 3)
    assert view.run(f"return {WORDS}") == (
        "Step 3 of 6. Four of diamonds is dealt to the line. "
        "King of clubs and king of hearts total 20 and go next."
    )
    assert view.run("return document.getElementById('slider').ariaValueText") == "Step 3 of 6"
    unnamed = view.run(
        "return [...document.querySelectorAll('button, select, input')]"
        ".filter(e => !e.ariaLabel && !(e.labels && e.labels.length)).map(e => e.id)"
    )
    assert unnamed == []
    assert view.run("return document.querySelector('[aria-current]').textContent").startswith(
        "Four of diamonds"
    )
    nodes = view.devtools("Accessibility.getFullAXTree")["nodes"]
    named = {(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes}
    assert ("button", "Step forward") in named
    assert ("slider", "Step") in named
    label = "The line: king of clubs, king of hearts, four of diamonds. Stock: 1."
    assert ("image", label) in named


@needs_browser
def test_dark_and_light(view: Browser, tmp_path: Path) -> None:
    open_page(view, tmp_path, made(SMALL))
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = view.run(ground)
    view.window(1000, prefers_color_scheme="dark")
    assert view.run(ground) == "rgb(21, 24, 27)"
    assert light == "rgb(245, 242, 234)"


@needs_browser
@pytest.mark.parametrize(
    ("rules", "layout"),
    [
        *((rules, "table") for name, rules in PRESETS.items() if not rules.recycle),
        *((PRESETS[name], "hand") for name in ("decade", "max-three", "pysol", "face-up")),
        (Rules(piles=52, opening=1), "table"),
        (Rules(piles=9, wrap=True), "table"),
    ],
)
def test_phones(view: Browser, tmp_path: Path, rules: Rules, layout: Layout) -> None:
    deal = seeded_deal(1949, 1)
    text = made(deal, rules, layout)
    view.window(360, 640)
    open_page(view, tmp_path, text)
    stage = boxes(view, "#stage")[0]
    assert stage["left"] >= 0
    assert stage["right"] <= 360
    scrolls = view.run("return document.getElementById('stage').matches('.scrolls')")
    assert layout == "hand" or not scrolls
    assert view.run(OVERFLOWS, scrolls) == []


@needs_browser
def test_loops_are_closed(view: Browser, tmp_path: Path) -> None:
    open_page(view, tmp_path, made(seeded_deal(1949, 0), "ends"))
    view.run("document.getElementById('stage').classList.add('still')")
    slide(view, 14)
    middles = [
        ((box["left"] + box["right"]) / 2, (box["top"] + box["bottom"]) / 2)
        for box in boxes(view, ".card:not(.down)")
    ][-8:]
    (ring,) = boxes(view, ".ring")
    x, y = (ring["left"] + ring["right"]) / 2, (ring["top"] + ring["bottom"]) / 2
    sides = {(across > x, down > y) for across, down in middles}
    assert len(sides) == 4  # there are cards on all sides of the ring
    open_page(view, tmp_path, made(seeded_deal(1949, 0), "seven-piles-loop"))
    slide(view, 20)
    assert len(boxes(view, ".track")) == 7


@needs_browser
def test_the_layout_is_changed_on_the_page(view: Browser, tmp_path: Path) -> None:
    open_page(view, tmp_path, made(SMALL))
    assert boxes(view, ".palm") == []
    view.choose("#layout", "hand")
    slide(view, 4)
    assert len(boxes(view, ".palm:not([hidden])")) == 1
    open_page(view, tmp_path, made(SMALL, "loop"))
    assert not view.run("return document.getElementById('layouts').checkVisibility()")


@needs_browser
def test_names_are_only_text(view: Browser, tmp_path: Path) -> None:
    name = '</script></title><img src=x onerror=alert(1)>{{data}} &amp; "quoted"'
    open_page(view, tmp_path, made(Deal.parse(SMALL, name=name)))
    assert view.run("return document.querySelector('h1').textContent") == name
    assert view.run("return document.title") == f"{name} - Decade"
    assert view.run("return document.querySelectorAll('img').length") == 0
    assert view.run("return performance.getEntriesByType('resource').length") == 0
    view.press("right")
    assert step(view) == 1
