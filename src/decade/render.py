"""What people see: verdicts, plays, counts and rule sets as lines of text.

Everything here turns values into text and decides nothing. A :class:`Paper` says what may be
written on: how wide it is, whether it has suit symbols and whether it has colours. A set is marked
by brackets and a suit by its letter or symbol, so that nothing is lost where there is no colour.
"""

from __future__ import annotations

import io
import os
import shutil
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TextIO

import click

from decade.cards import Card, Deal
from decade.difficulty import Difficulty
from decade.play import IllegalMove, Move, Played, Standing, replay_steps
from decade.rules import PRESETS, Rules
from decade.solver import Counts, Result

WIDTH = 80
"""No line is longer, however wide the terminal: long lines of cards are hard to follow."""
NARROWEST = 40
LONGEST_NAME = 24
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
VERDICT_COLOURS = {"winnable": "green", "unwinnable": "red", "unknown": "yellow"}
OUTCOME_COLOURS = {"won": "green", "lost": "red", "draw": "yellow"}


@dataclass(frozen=True, slots=True)
class Paper:
    """What the text is written on."""

    width: int = WIDTH
    symbols: bool = True
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO | None) -> Paper:
        """Find out what a stream can show; a pipe or file gets no colour, nor does ``NO_COLOR``."""
        terminal = stream is not None and stream.isatty()
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        columns = shutil.get_terminal_size((WIDTH, 24)).columns
        return cls(
            width=max(NARROWEST, min(WIDTH, columns)),
            symbols=_can_write("".join(SUITS.values()), getattr(stream, "encoding", None)),
            colour=terminal and not plain,
        )

    def style(self, text: str, **style: Any) -> str:
        """Style a text if there is colour."""
        return click.style(text, **style) if self.colour else text

    def card(self, card: Card, *, bold: bool = False) -> str:
        """Print a card: its token, with the suit's symbol for the letter where it can be shown."""
        token = str(card)
        if card.suit is not None and self.symbols:
            token = token[:-1] + SUITS[card.suit]
        red = "red" if card.suit in ("D", "H") else None
        return self.style(token, fg=red, bold=bold or None)

    def wrap(self, lead: str, words: Iterable[str]) -> Iterator[str]:
        """Lay words out after a lead, later lines indented as far as the lead is long."""
        line, used = lead, width_of(lead)
        indent, fresh = used, True
        for word in words:
            room = width_of(word) + (not fresh)
            if used + room > self.width and not fresh:
                yield line
                line, used, fresh = " " * indent, indent, True
                room -= 1
            line += word if fresh else f" {word}"
            used, fresh = used + room, False
        yield line.rstrip()


def _can_write(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def width_of(text: str) -> int:
    """Count the columns that a text takes; colours take none."""
    return len(click.unstyle(text))


def printable(name: str) -> str:
    r"""Make a name from a file safe to print: short, and without control characters.

    >>> print(printable("a\tb" + chr(27)))
    a\tb\x1b
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 3] + "..."


def plural(number: int, noun: str) -> str:
    """Say how many.

    >>> plural(1, "card"), plural(0, "card")
    ('1 card', '0 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def differences(rules: Rules) -> str:
    """Say how a rule set differs from the standard game, lists spelt as the options spell them.

    >>> differences(Rules(piles=9, wrap=True, totals=(9, 19)))
    'totals 9,19, wrap, piles 9'
    """
    standard = Rules().to_dict()
    changed = {key: value for key, value in rules.to_dict().items() if value != standard[key]}
    return ", ".join(_difference(key, value) for key, value in changed.items())


def _difference(key: str, value: object) -> str:
    if value is True:
        return key
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"{key} {','.join(map(str, value))}"
    return f"{key} {value}"


def result_lines(result: Result, paper: Paper) -> Iterator[str]:
    """Print a result: the verdict, what it is about, the play, and the counts if there are any."""
    yield from verdict_lines(result, paper)
    if result.moves or result.remaining is not None:
        yield ""
        yield from play_lines(result.deal, result.rules, result.moves, paper)
    if result.counts is not None:
        yield ""
        yield from _count_lines(result.counts, paper)


def verdict_lines(result: Result, paper: Paper) -> Iterator[str]:
    """Print the verdict, and what it is about."""
    verdict = result.verdict.value
    about = _about(result.deal, result.rules, f"{plural(result.nodes, 'node')} searched")
    yield from _head(result.deal.name, verdict, VERDICT_COLOURS[verdict], explain(result), paper)
    yield from textwrap.wrap(about, paper.width)


def _head(name: str | None, word: str, colour: str, explained: str, paper: Paper) -> Iterator[str]:
    label = f"{printable(name)}: " if name else ""
    head = label + paper.style(word, fg=colour, bold=True) + ":"
    yield from paper.wrap(head + " ", explained.split())


def _about(deal: Deal, rules: Rules, work: str) -> str:
    game = f"rules {rules.name}" if rules.name else f"own rules ({differences(rules)})"
    table = f" ({sum(deal.layout.sizes)} on the table)" if deal.layout else ""
    return f"{plural(len(deal), 'card')}{table}, {game}, {work}"


def explain(result: Result) -> str:
    """Say what the verdict means for this deal."""
    rules, verdict, least = result.rules, result.verdict.value, result.remaining
    if verdict == "unknown":
        return "a limit stopped the search before it was decided"
    if rules.recycle:
        play = "this play eliminates" if verdict == "winnable" else "no play eliminates"
        return f"{play} all {rules.piles} piles"
    if verdict == "unwinnable":
        return f"every play leaves {plural(least or 0, 'card')} or more"
    if rules.target:
        return f"this play leaves {plural(least or 0, 'card')}, and the target is {rules.target}"
    return "this play leaves no card"


def _count_lines(counts: Counts, paper: Paper) -> Iterator[str]:
    rows = {
        "lines of play": str(counts.lines),
        "winning lines": str(counts.winning_lines),
        "random player": chance(counts.random_win),
    }
    for label, text in rows.items():
        yield from paper.wrap(f"{label}  ", _chopped(text, paper.width - len(label) - 2))


def difficulty_line(found: Difficulty) -> str:
    """Print how hard a deal is."""
    decisions = f"{found.decisions} on this play, {found.critical} lose the game when missed"
    return f"grade          {found.grade}\ndecisions      {decisions}"


def _chopped(text: str, width: int) -> Iterator[str]:
    """Split into words, and words that are longer than a line (huge numbers) into pieces."""
    for word in text.split():
        yield from (word[at : at + width] for at in range(0, len(word), width))


def chance(fraction: Fraction) -> str:
    """Print an exact chance, with percent and odds rounded but never to a false certainty.

    >>> chance(Fraction(11, 32))
    '11/32 = 34.38 %, 1 in 2.909'
    >>> chance(Fraction(10**9 - 1, 10**9))
    '999999999/1000000000 = over 99.99 %, 1 in 1'
    >>> chance(Fraction(0)), chance(Fraction(1))
    ('0, never wins', '1, always wins')
    """
    if fraction in (0, 1):
        return f"{fraction}, {'always' if fraction else 'never'} wins"
    odds = Decimal(fraction.denominator) / Decimal(fraction.numerator)
    return f"{fraction} = {percent(fraction)}, 1 in {_short(odds)}"


def percent(fraction: Fraction) -> str:
    """Print an exact chance in percent, never rounded to a false certainty.

    >>> percent(Fraction(1, 8)), percent(Fraction(10**9 - 1, 10**9)), percent(Fraction(1))
    ('12.5 %', 'over 99.99 %', '100 %')
    """
    # Decimal, since a float has no room for a chance of 1 in 10**400.
    share = Decimal(fraction.numerator) / Decimal(fraction.denominator)
    if share >= Decimal("0.9999") and fraction < 1:
        return "over 99.99 %"
    return f"{_short(100 * share)} %"


def _short(number: Decimal) -> str:
    """Print a number with four digits or so, without zeros at the end.

    >>> [_short(Decimal(number)) for number in ("50.0", "0.0123456", "123456.7", "1e400")]
    ['50', '0.01235', '123457', '1e+400']
    """
    if 1000 <= number < 1_000_000_000:
        return f"{number:.0f}"
    if Decimal("0.0001") <= number < 1000:
        return f"{float(number):.4g}"
    return f"{number.normalize():.4g}"


def play_lines(deal: Deal, rules: Rules, moves: Sequence[Move], paper: Paper) -> Iterator[str]:
    """Print a play: a row for each set, with its pile as it lies then, and what is left at the end.

    A play that goes on for ever (a draw) is printed as far as its moves go.
    """
    place = "pile" if rules.piles > 1 else "line"
    cell = " " * len(_pile_cell(0, rules))
    lead = f"dealt  {cell.replace('    ', 'pile', 1)}total  "
    clicks, dealt = rules == PRESETS["pysol"], 0
    legend = f"the {place} with the [set] taken".split()
    yield from paper.wrap(paper.style(lead, dim=True), (paper.style(w, dim=True) for w in legend))
    try:
        for position, move in replay_steps(
            deal.values(rules.face_values), rules, moves, deal.layout
        ):
            if move is None:
                if clicks and position.dealt > dealt:
                    rest = plural(position.dealt - dealt, "card")
                    yield from paper.wrap(_lead("", "", ""), f"deal {rest}".split())
                yield from _left_rows(deal, rules, position, paper)
            else:
                lead = _lead(str(move.dealt), _pile_cell(move.pile, rules), str(move.total))
                words = pile_words(deal, position.piles[move.pile], move.cards, paper)
                yield from paper.wrap(lead, words)
                if clicks:
                    yield from _click_rows(deal, move.cards, move.dealt - dealt, paper)
                dealt = move.dealt
    except IllegalMove as error:
        if error.index < len(moves):
            raise
        lead = _lead("...", cell, "")
        text = "the position recurs: this can go on for ever"
        yield from paper.wrap(lead, text.split())


def _click_rows(deal: Deal, cards: Sequence[int], more: int, paper: Paper) -> Iterator[str]:
    """Say what to do in PySolFC: cards to deal first, then the two to click (a set's ends)."""
    ends = [paper.card(deal.cards[card]) for card in (cards[0], cards[-1])]
    first = ["deal", *plural(more, "card").split(), "and"] if more else []
    yield from paper.wrap(_lead("", "", ""), [*first, "click", ends[0], "and", ends[1]])


def _lead(first: str, where: str, total: str) -> str:
    return f"{first:>5}  {where}{total:>5}  "


def _pile_cell(number: int, rules: Rules) -> str:
    """Name a pile as people count, from 1; a single line needs no name."""
    return f"pile {number + 1:<2}  " if rules.piles > 1 else ""


def pile_words(
    deal: Deal, pile: Sequence[int], taken: Collection[int], paper: Paper
) -> Iterator[str]:
    """Print a pile card by card, with brackets round each run of cards that are taken."""
    for place, card in enumerate(pile):
        if card not in taken:
            yield paper.card(deal.cards[card])
            continue
        opens = place == 0 or pile[place - 1] not in taken
        closes = place == len(pile) - 1 or pile[place + 1] not in taken
        text = paper.card(deal.cards[card], bold=True)
        yield ("[" if opens else "") + text + ("]" if closes else "")


def _left_rows(deal: Deal, rules: Rules, position: Standing, paper: Paper) -> Iterator[str]:
    """Print what lies on the table at the end."""
    label = "left"
    for number, pile in enumerate(position.piles):
        if pile:
            lead = _lead(label, _pile_cell(number, rules), "")
            yield from paper.wrap(lead, pile_words(deal, pile, (), paper))
            label = ""
    if label:
        stock = f", {plural(len(position.stock), 'card')} still in the stock"
        nothing = "nothing" + (stock if position.stock else "")
        yield from paper.wrap(_lead(label, " " * len(_pile_cell(0, rules)), ""), nothing.split())


def played_object(
    deal: Deal, rules: Rules, played: Played, *, name: str | None, policy: str, seed: int | None
) -> dict[str, object]:
    """Give a play by a policy as a JSON object, its fields named as those of a result."""
    return {
        "name": name,
        "deal": str(deal),
        "rules": rules.as_field(),
        "policy": policy,
        "seed": seed,
        "outcome": played.outcome,
        "dealt": played.dealt,
        "remaining": _remaining(played, rules),
        "moves": [move.to_dict() for move in played.moves],
    }


def played_lines(
    deal: Deal, rules: Rules, played: Played, paper: Paper, *, policy: str, steps: bool
) -> Iterator[str]:
    """Print a play by a policy: the outcome, what it is about, and the play if it is wanted."""
    explained = f"{plural(played.dealt, 'card')} dealt"
    left = _remaining(played, rules)
    if left is not None:
        explained += f", {plural(left, 'card')} left"
    elif played.outcome == "draw":
        explained += ", then the position recurs"
    yield from _head(deal.name, played.outcome, OUTCOME_COLOURS[played.outcome], explained, paper)
    yield from textwrap.wrap(_about(deal, rules, policy), paper.width)
    if steps:
        yield ""
        yield from play_lines(deal, rules, played.moves, paper)


def _remaining(played: Played, rules: Rules) -> int | None:
    """Give what a play leaves, None where that has no meaning, as in results."""
    return None if rules.recycle and played.outcome != "won" else played.remaining


def preset_table(
    presets: Mapping[str, Rules], notes: Mapping[str, str], paper: Paper
) -> Iterator[str]:
    """Print the rule sets that have a name, how they differ and where they are played."""
    from rich.console import Console  # noqa: PLC0415 (slow)
    from rich.table import Table  # noqa: PLC0415 (slow)

    table = Table("name", "differs by", "where it is played", box=None, pad_edge=False)
    for name, rules in presets.items():
        table.add_row(name, differences(rules) or "(the standard game)", notes[name])
    text = io.StringIO()
    colours: Literal["standard"] | None = "standard" if paper.colour else None
    Console(
        file=text,
        width=paper.width,
        color_system=colours,
        force_terminal=paper.colour,
        highlight=False,
    ).print(table)
    yield from map(str.rstrip, text.getvalue().splitlines())
