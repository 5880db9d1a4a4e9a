"""One step of a play drawn in text, for terminals and for paper.

A straight pile is a row of cards. A loop has a track round it that leads from its last card back
to its first. The one-handed game is a packet seen from the side, top to bottom: the line on top,
the deck face down, and the discards face up underneath. The set about to go stands in brackets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, get_args

from decade.play import Standing
from decade.render import Paper, pile_words, plural, width_of
from decade.steps import State, Steps

Layout = Literal["table", "hand"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
LEAD = 9  # a label, right-aligned, and two blanks


def words_line(steps: Steps, index: int, paper: Paper) -> Iterator[str]:
    """Say a step in words, after its number."""
    said = steps.words(index, lambda card: paper.card(steps.deal.cards[card]))
    number = f"step {index} of {len(steps.states) - 1}: "
    yield from paper.wrap(paper.style(number, bold=True), said.split(" "))


def table_lines(steps: Steps, index: int, paper: Paper, layout: Layout) -> Iterator[str]:
    """Draw the table as it lies after a step."""
    state = steps.states[index]
    if layout == "hand":
        yield from _packet(steps, state, paper)
        return
    yield from paper.wrap(_lead("stock"), [plural(len(state.position.stock), "card")])
    for pile in range(steps.rules.piles):
        yield from _pile(steps, state, pile, paper)
    if not steps.rules.recycle:
        yield from paper.wrap(_lead("gone"), [plural(len(state.discards), "card")])


def _lead(label: str) -> str:
    return f"{label:>{LEAD - 2}}  "


def _pile(steps: Steps, state: State, pile: int, paper: Paper) -> Iterator[str]:
    rules, position = steps.rules, state.position
    single = "loop" if rules.wrap else "line"
    lead = _lead(f"pile {pile + 1}" if rules.piles > 1 else single)
    if not position.piles[pile]:
        yield from paper.wrap(lead, ["out"] if _eliminated(position, pile) else [])
        return
    if not rules.wrap:
        yield from paper.wrap(lead, _cards(steps, state, pile, paper))
        return
    for row in _track(_cards(steps, state, pile, paper), paper):
        yield lead + row
        lead = _lead("")


def _eliminated(position: Standing, pile: int) -> bool:
    return len(position.piles) > 1 and position.received[pile] > 0


def _cards(steps: Steps, state: State, pile: int, paper: Paper) -> Iterator[str]:
    going = state.going.cards if state.going else ()
    return pile_words(steps.deal, state.position.piles[pile], going, paper)


def _track(words: Iterable[str], paper: Paper) -> Iterator[str]:
    """Draw a loop: its rows in reading order, and the way back from the end to the start."""
    first, later, turn, back = (
        ("╭▸", "│ ", "╮", "╰─╯") if paper.symbols else ("+>", "| ", "+", "+-+")
    )
    room = replace(paper, width=paper.width - LEAD - 5)
    rows = list(room.wrap("", words))
    wide = max(map(width_of, rows))
    for number, row in enumerate(rows):
        end = turn if number == len(rows) - 1 else ""
        yield f"{later if number else first} {_padded(row, wide)} {end}".rstrip()
    yield back[0] + back[1] * (wide + 3) + back[2]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


def _packet(steps: Steps, state: State, paper: Paper) -> Iterator[str]:
    """Draw what is in the hand: three layers of a packet of cards, in one frame."""
    room = replace(paper, width=paper.width - LEAD - 4)
    deck = len(state.position.stock)
    back = ("▒" if paper.symbols else "#") * deck
    layers: dict[str, Iterable[str]] = {
        "line": _cards(steps, state, 0, paper),
        "deck": (back[at : at + room.width] for at in range(0, deck, room.width)),
        "under": pile_words(steps.deal, state.discards, (), paper),
    }
    across, down = ("─", "│") if paper.symbols else ("-", "|")
    corners = ("╭╮", "├┤", "├┤", "╰╯") if paper.symbols else ("++",) * 4
    edges = [_lead("") + pair[0] + across * (room.width + 2) + pair[1] for pair in corners]
    for edge, (label, words) in zip(edges, layers.items(), strict=False):
        yield edge
        lead = _lead(label)
        for row in room.wrap("", words):
            yield f"{lead}{down} {_padded(row, room.width)} {down}"
            lead = _lead("")
    yield edges[-1]
    gone = plural(len(state.discards), "card")
    yield from paper.wrap(_lead(""), f"{plural(deck, 'card')} face down, {gone} gone".split())
