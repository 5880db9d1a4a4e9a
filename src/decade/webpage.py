"""A play as a page: one HTML file that steps through it, and asks nothing of the network.

The parts lie in the folder ``page`` beside this module and are put together here: the frame
(``page.html``), its looks (``page.css``), the drawing of cards (``cards.js``), where cards lie
(``layout.js``) and what moves them (``page.js``). The play is embedded as JSON, and its words as a
list that is read without scripts too. Names of deals are anybody's text, so all text is escaped.
"""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

from decade.cards import Card
from decade.drawing import Layout
from decade.render import explain
from decade.solver import Result
from decade.steps import Steps

RANKS = (
    *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king"),
)
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def spoken(card: Card) -> str:
    """Name a card as people say it.

    >>> spoken(Card.parse("QS")), spoken(Card.parse("4"))
    ('queen of spades', 'four')
    """
    rank = RANKS[card.rank - 1]
    return rank if card.suit is None else f"{rank} of {SUITS[card.suit]}"


def page(result: Result, steps: Steps, layout: Layout = "table") -> str:
    """Make the page for a result whose play these are the steps of."""
    names = [spoken(card) for card in steps.deal.cards]
    title = result.name or steps.deal.name or f"A deal of {len(names)} cards"
    said = [_sentences(steps.words(i, names.__getitem__)) for i in range(len(steps.states))]
    parts = {
        "title": html.escape(title),
        "verdict": result.verdict.value,
        "explained": html.escape(_explained(result)),
        "game": html.escape(f"Rules: {steps.rules.label}"),
        "rules": html.escape(steps.rules.describe()),
        "cards": html.escape(str(steps.deal)),
        "steps": "\n".join(f"<li>{html.escape(sentence)}</li>" for sentence in said),
        "last": str(len(said) - 1),
        "data": as_script(_data(steps, names, layout)),
    }
    parts |= {name: _part(name) for name in ("page.css", "cards.js", "layout.js", "page.js")}
    return re.sub(r"\{\{([\w.]+)\}\}", lambda match: parts[match[1]], _part("page.html"))


def as_script(data: object) -> str:
    r"""Write JSON that may stand in a script element, whatever texts it holds.

    >>> as_script("</script><!--")
    '"\\u003c/script>\\u003c!--"'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", r"\u003c")


def _part(name: str) -> str:
    return files("decade").joinpath("page", name).read_text(encoding="utf-8")


def _sentences(text: str) -> str:
    """Begin each sentence with a capital letter, also where it begins with a card."""
    return re.sub(r"(?:^|(?<=\. ))[a-z]", lambda match: match[0].upper(), text)


def _explained(result: Result) -> str:
    explained = explain(result)
    if result.verdict.value == "unwinnable":
        return f"{explained}; this one leaves {result.remaining}."
    return explained + "."


def _data(steps: Steps, names: list[str], layout: Layout) -> dict[str, Any]:
    rules = steps.rules
    return {
        "layout": layout,
        "wrap": rules.wrap,
        "recycle": rules.recycle,
        "hand": rules.piles == 1 and not rules.wrap,
        "cards": [
            {"rank": card.rank, "suit": card.suit, "name": name}
            for card, name in zip(steps.deal.cards, names, strict=True)
        ],
        "steps": [
            {
                "stock": state.position.stock,
                "piles": state.position.piles,
                "received": state.position.received,
                "discards": state.discards,
                "going": state.going.cards if state.going else (),
            }
            for state in steps.states
        ],
    }
