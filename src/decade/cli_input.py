"""What the command line reads: deals, rules and results, from arguments, options and files.

Decorators give a command its options, so that each is written once: `takes_rules` for the fields
of a rule set, `takes_numbers` for deals by number, and `takes_deal` for a deal of any kind and its
rules. What cannot be read is a :class:`Failure` that names the file and line.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from decade.cards import Deal, DealError
from decade.play import Game
from decade.position import Position
from decade.rules import Discard, Reach, Rules
from decade.solver import Result

BAD_INPUT = 2


class Failure(click.ClickException):
    """Bad input: one message, status 2."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Print the message."""
        click.echo(f"decade: error: {self.format_message()}", file=file, err=True)


def read_text(path: str) -> str:
    """Read a UTF-8 file, or standard input for ``-`` unless that is a terminal."""
    if path == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError("nothing to read: name a file, or send something to stdin")
    source = source_name(path)
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        raise Failure(f"{source}: {getattr(error, 'strerror', None) or error}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Failure(f"{source}, line {line}: this is not UTF-8 text") from error


def source_name(path: str) -> str:
    """Say what messages call a file."""
    return "stdin" if path == "-" else path


@dataclass(frozen=True, slots=True)
class DealChoice:
    """What the options say about where the deal comes from, if not from the cards given."""

    pysol: str | None
    ms: str | None
    seed: int | None
    index: int | None

    def given(self) -> list[str]:
        """Name the options that each give a deal."""
        options = {"--pysol": self.pysol, "--ms": self.ms, "--seed": self.seed}
        return [option for option, value in options.items() if value is not None]

    def check(self) -> None:
        """Refuse options that do not go together."""
        if len(self.given()) > 1:
            raise click.UsageError(f"{' and '.join(self.given())} each give a deal: choose one")
        if self.index is not None and self.seed is None:
            raise click.UsageError("--index says which deal of --seed: give that too")

    def deal(self, further: int = 0) -> Deal:
        """Make the deal, or one so many numbers further; there must be an option that gives one."""
        from decade.sources import ms_deal, pysol_deal, seeded_deal  # noqa: PLC0415 (often not needed)

        if self.pysol is not None:
            return pysol_deal(self.pysol, further)
        if self.ms is not None:
            return ms_deal(self.ms, further)
        return seeded_deal(self.seed or 0, (self.index or 0) + further)


def takes_numbers(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for deals by number, as ``source``, a `DealChoice`."""

    @functools.wraps(command)
    def wrapper(
        pysol: str | None, ms: str | None, seed: int | None, index: int | None, **given: Any
    ) -> None:
        source = DealChoice(pysol, ms, seed, index)
        source.check()
        command(source=source, **given)

    for name, kind, metavar, about in reversed(
        (
            ("pysol", str, "N", "PySolFC's deal with this number."),
            ("ms", str, "N", "Microsoft's (FreeCell) deal with this number."),
            ("seed", int, "S", "Decade's own deal with this seed, 0 or more."),
            ("index", int, "I", "Deal I of the seed, from 0 (0)."),
        )
    ):
        wrapper = click.option(f"--{name}", type=kind, metavar=metavar, help=about)(wrapper)
    return wrapper


def read_deal(
    cards: tuple[str, ...], packs: int | None, source: DealChoice, rules: Rules
) -> tuple[Deal, str | None]:
    """Read the deal given as arguments, by number or on standard input, and its name."""
    if source.given():
        if cards or packs is not None:
            other = "--packs" if packs is not None else "cards"
            raise click.UsageError(f"{source.given()[0]} gives the whole deal: no {other} with it")
        deal = source.deal()
        return deal, deal.name
    if cards:
        # Joined by line ends, so that a comment in one argument does not swallow the next.
        text = "\n".join(cards)
        return Deal.parse(text, packs=packs, face_values=rules.face_values), None
    if sys.stdin is None or sys.stdin.isatty():
        command = click.get_current_context().command_path
        raise click.UsageError(
            f"no cards: give them as arguments, as in\n\n    {command} KC KH 4D 6S\n\n"
            f"or on standard input, as in\n\n    {command} < deal.txt"
        )
    lines = enumerate(read_text("-").split("\n"), 1)
    deals = [(number, line) for number, line in lines if line.partition("#")[0].strip()]
    if not deals:
        raise Failure("stdin: there is no deal, and no cards are given as arguments")
    if len(deals) > 1:
        where = ", ".join(str(number) for number, _ in deals[:10])
        more = ", ..." if len(deals) > 10 else ""
        raise Failure(f"stdin: {len(deals)} deals (lines {where}{more}), but one is wanted")
    number, line = deals[0]
    try:
        deal = Deal.parse_line(line, packs=packs, face_values=rules.face_values)
    except DealError as error:
        raise Failure(f"stdin, line {number}: {error}") from error
    return deal, deal.name or str(number)


def numbers(text: str) -> list[int]:
    """Read an option's list of whole numbers, separated by commas."""
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a list of whole numbers such as 9,19,29"
        ) from None


def number_or_none(text: str) -> int | str:
    """Read an option's whole number, or ``none``, which the rules know themselves."""
    try:
        return text if text == "none" else int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a whole number nor none") from None


class RuleChoice(NamedTuple):
    """What the options say about the rules: the rule set to start from, and changed fields."""

    base: str | None
    changes: dict[str, Any]

    def over(self, default: Rules) -> Rules:
        """Give the rules, starting from ``default`` where no rule set is named."""
        rules = default if self.base is None else Rules.load(self.base)
        return Rules.from_dict(rules.to_dict() | self.changes) if self.changes else rules


class RuleOption(click.Option):
    """An option for one field of a rule set, or for the rule set itself."""


class RuledCommand(click.Command):
    """A command that lists its options for rules in a section of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both sections."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        for title, ruling in (("Options", False), ("Rules", True)):
            chosen = [option for option in options if isinstance(option, RuleOption) is ruling]
            records = [option.get_help_record(ctx) for option in chosen]
            with formatter.section(title):
                formatter.write_dl([record for record in records if record is not None])


# A field's name, and what its option takes. Help says what the standard game has.
RULE_FIELDS: dict[str, dict[str, Any]] = {
    "totals": {"type": numbers, "metavar": "N,N...", "help": "Totals of a set (10,20,30)."},
    "min_cards": {"type": int, "metavar": "N", "help": "Fewest cards in a set (2)."},
    "max_cards": {
        "type": number_or_none,
        "metavar": "N|none",
        "help": "Most cards in a set; none is no limit (none).",
    },
    "wrap": {"help": "Whether a pile is a loop (no)."},
    "reach": {
        "type": click.Choice([reach.value for reach in Reach]),
        "help": "Sets that may be taken: any, those with the last card, or with an end (any).",
    },
    "piles": {"type": int, "metavar": "N", "help": "Piles to deal to (1)."},
    "opening": {"type": int, "metavar": "N", "help": "Cards after which a pile is live (3)."},
    "discard": {
        "type": click.Choice([discard.value for discard in Discard]),
        "help": "Whether sets must be taken (forced).",
    },
    "recycle": {"help": "Whether sets go under the stock (no)."},
    "target": {"type": int, "metavar": "N", "help": "Cards that may be left in a win (0)."},
    "face_values": {
        "type": numbers,
        "metavar": "N,N,N",
        "help": "What J, Q and K count (10,10,10).",
    },
}


def takes_fields(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for single fields of rules: it gets ``changes``, those given."""

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        fields = {name: given.pop(name) for name in RULE_FIELDS}
        changes = {name: value for name, value in fields.items() if value is not None}
        command(changes=changes, **given)

    for name, options in reversed(RULE_FIELDS.items()):
        flag = name.replace("_", "-")
        switch = "type" not in options
        spelling = f"--{flag}/--no-{flag}" if switch else f"--{flag}"
        wrapper = click.option(spelling, default=None, cls=RuleOption, **options)(wrapper)
    return wrapper


def takes_rules(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for rules; it gets them as ``choice``, a `RuleChoice`."""

    @functools.wraps(command)
    def wrapper(rules: str | None, changes: dict[str, Any], **given: Any) -> None:
        command(choice=RuleChoice(rules, changes), **given)

    about = "Rule set to start from: see `decade rules`. Options below change single fields."
    named = click.option("--rules", metavar="NAME|FILE", cls=RuleOption, help=about)
    return named(takes_fields(wrapper))


class PositionChoice(NamedTuple):
    """What the options say about a game that is gone on with."""

    table: str | None
    stock: str | None
    next: int | None

    def given(self) -> list[str]:
        """Name the options that are given."""
        return [f"--{name}" for name, value in self._asdict().items() if value is not None]

    def position(self, packs: int | None, rules: Rules, others: Sequence[str]) -> Position:
        """Read the position, which nothing else must give cards for."""
        if self.table is None:
            raise click.UsageError(f"{self.given()[0]} goes with --table, the cards on the table")
        if others:
            raise click.UsageError(f"--table gives the cards: no {others[0]} with it")
        return Position.of(
            self.table,
            self.stock or "",
            next=self.next or 0,
            packs=packs,
            face_values=rules.face_values,
        )


def takes_position(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for a game in its middle, as ``lying``, a `PositionChoice`."""

    @functools.wraps(command)
    def wrapper(table: str | None, stock: str | None, next: int | None, **given: Any) -> None:
        command(lying=PositionChoice(table, stock, next), **given)

    for name, kind, metavar, about in reversed(
        (
            ("table", str, "CARDS", "Go on from here: the cards on the table, piles split by |."),
            ("stock", str, "CARDS", "With --table: the cards in the stock, the next one first."),
            ("next", int, "K", "With --table: the pile that gets the next card, from 0 (0)."),
        )
    ):
        wrapper = click.option(f"--{name}", type=kind, metavar=metavar, help=about)(wrapper)
    return wrapper


def takes_deal(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command a deal or position and its rules, as ``deal``, ``name`` and ``rules``."""

    @functools.wraps(command)
    def wrapper(
        cards: tuple[str, ...],
        packs: int | None,
        source: DealChoice,
        choice: RuleChoice,
        lying: PositionChoice,
        **given: Any,
    ) -> None:
        rules, name = choice.over(Rules()), None
        deal: Deal
        if lying.given():
            deal = lying.position(packs, rules, ["cards"] * bool(cards) + source.given())
            Game(deal.values(rules.face_values), rules, deal.layout)  # whether it fits the rules
        else:
            deal, name = read_deal(cards, packs, source, rules)
        command(deal=deal, name=name, rules=rules, **given)

    packs = click.option(
        "--packs", type=int, metavar="N", help="Packs that the cards are from, 1 or 2."
    )
    dealt = takes_numbers(takes_position(packs(takes_rules(wrapper))))
    return click.argument("cards", nargs=-1)(dealt)


class NoDeal(NamedTuple):
    """A row of a batch for a line that is no deal."""

    name: str | None
    error: str

    @classmethod
    def of(cls, data: object) -> NoDeal | None:
        """Read such a row; None if it is something else."""
        if not isinstance(data, dict) or not isinstance(data.get("error"), str):
            return None
        name = data.get("name")
        return cls(name if isinstance(name, str) else None, data["error"])


def read_results(path: str) -> Iterator[tuple[int, Result | NoDeal]]:
    """Read JSON objects, one or many, each with the number of the line on which it begins."""
    text, source = read_text(path), source_name(path)
    decoder = json.JSONDecoder()
    at, line = 0, 1
    if not text.strip():
        raise Failure(f"{source}: there is no result")
    while at < len(text):
        if text[at].isspace():
            line += text[at] == "\n"
            at += 1
            continue
        try:
            data, end = decoder.raw_decode(text, at)
            result = NoDeal.of(data) or Result.from_dict(data)
        except json.JSONDecodeError as error:
            raise Failure(f"{source}, line {error.lineno}: not JSON: {error.msg}") from error
        except RecursionError as error:
            raise Failure(f"{source}, line {line}: nested too deep") from error
        except ValueError as error:
            raise Failure(f"{source}, line {line}: {error}") from error
        yield line, result
        line += text.count("\n", at, end)
        at = end
