"""The command `find`: deals with a property, streamed by number as they are found."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Literal, TextIO

import click

from decade.bar import Bar
from decade.cards import show
from decade.cli_input import RuleChoice, RuledCommand, takes_rules
from decade.cli_search import Limits, takes_limits
from decade.difficulty import GRADES
from decade.find import Found, find_deals
from decade.render import percent
from decade.rules import Rules
from decade.solver import Verdict
from decade.sources import LARGEST_INDEX, LARGEST_MS, LARGEST_PYSOL, Numbers, Seed
from decade.survey import countable

Kind = Literal["pysol", "ms", "seed"]
NUMBERS: dict[Kind, tuple[int, int]] = {
    "pysol": (1, LARGEST_PYSOL),
    "ms": (1, LARGEST_MS),
    "seed": (0, LARGEST_INDEX),
}
"""The numbers that there are of each kind."""


def _source(kind: Kind, text: str | None, seed: int | None) -> Numbers | Seed:
    """Make the source: ``A-B``, from A on (``A-``), a single number, or all there are."""
    if kind != "seed" and seed is not None:
        raise click.UsageError("--seed is for --from seed")
    least, most = NUMBERS[kind]
    found = re.fullmatch(r"([0-9]{1,40})(-([0-9]{1,40})?)?", text or f"{least}-")
    first, last = 1, 0
    if found:
        first, last = int(found[1]), int(found[3] or (most if found[2] else found[1]))
    if last < first:
        raise click.BadParameter(f"{show(text)} is no range of numbers such as 1-32000 or 7-")
    if kind == "seed":
        return Seed(seed or 0, last - first + 1, first)
    return Numbers(kind, first, last)


def _text_line(found: Found) -> str:
    """Print a deal for people: name, verdict, and the grade and a random player's chance."""
    line = f"{found.deal.name:<15} {found.verdict.value:<10}"
    if found.counts is not None:
        line += f" {found.grade or '-':<7} {percent(found.counts.random_win)}"
    return line.rstrip()


def _json_line(rules: Rules, limits: Limits) -> Callable[[Found], str]:
    """Print a deal as `solve --json` does."""

    def line(found: Found) -> str:
        result = replace(limits.search(found.deal, rules, name=None), counts=found.counts)
        level = limits.rate(result) if found.counts is not None else None
        return json.dumps(result.to_dict() | (level.to_dict() if level else {}))

    return line


class _Shown:
    """Where lines go, and a bar that makes way for them if both are on a terminal."""

    def __init__(self, source: Numbers | Seed, out: TextIO) -> None:
        self.size = source.deals
        self.out, self.bar = out, Bar()
        self.found = self.left_open = 0

    def line(self, text: str) -> None:
        """Write a line at once."""
        if self.out.isatty():
            self.bar.close()
        self.out.write(f"{text}\n")  # not by way of sys.stdout, which is the bar's while it shows
        self.out.flush()
        self.found += 1

    def watch(self, looked_at: int, left_open: int) -> None:
        """Show how far it is."""
        self.left_open = left_open
        if self.bar.due:
            speed = f"{looked_at:,} deals, {looked_at / self.bar.passed:,.0f}/s"
            self.bar.show(looked_at, self.size, speed, f"{self.found:,} found")


@click.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade find --winnable --limit 20
  decade find --from pysol --range 1-32000 --grade hard --unique
  decade find --rules pysol --from ms --unwinnable --format pysol > lost.txt
""",
)
@click.option(
    "--from",
    "kind",
    type=click.Choice(tuple(NUMBERS)),
    default="seed",
    show_default=True,
    help="PySolFC's deals, Microsoft's, or Decade's own.",
)
@click.option(
    "--range",
    "numbers",
    metavar="A-B",
    help="Their numbers, or A- for all from A on; of a seed, the indices (all).",
)
@click.option("--seed", type=int, metavar="S", help="With --from seed: which seed (0).")
@click.option("--winnable", "verdict", flag_value="winnable", help="Deals that can be won.")
@click.option("--unwinnable", "verdict", flag_value="unwinnable", help="Deals that cannot.")
@click.option(
    "--grade",
    "grades",
    multiple=True,
    type=click.Choice(tuple(GRADES)),
    metavar="GRADE",
    help=f"Winnable deals of this grade, one or more: {', '.join(GRADES)}.",
)
@click.option("--unique", is_flag=True, help="Deals that just one line of play wins.")
@click.option("--count", is_flag=True, help="Count the plays, and show the grade, of all.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after N deals.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "jsonl", "pysol")),
    default="text",
    show_default=True,
    help="A line each, results as `solve --json` prints them, or the numbers alone.",
)
@click.option("--workers", type=click.IntRange(min=1), metavar="W", help="Threads (all cores).")
@takes_limits
@takes_rules
def find(
    *,
    kind: Kind,
    numbers: str | None,
    seed: int | None,
    verdict: str | None,
    grades: tuple[str, ...],
    unique: bool,
    count: bool,
    limit: int | None,
    form: str,
    workers: int | None,
    limits: Limits,
    choice: RuleChoice,
) -> None:
    """Find deals that can be won or cannot, or that are as hard as you like.

    They are printed in the order of their numbers as they are found, with the
    grade and a random player's chance where plays are counted. Deals of a seed
    are made in no time, those of PySolFC and Microsoft a few thousand a second.
    """
    rules = choice.over(Rules())
    source = _source(kind, numbers, seed)
    for option, given in (("--grade", grades), ("--unique", unique), ("--count", count)):
        if given and not countable(rules):
            why = "sets go under the stock (recycle)" if rules.recycle else "discards are optional"
            raise click.UsageError(f"{option} counts plays, which cannot be done where {why}")
        if given and verdict == "unwinnable" and option != "--count":
            raise click.UsageError(f"{option} is for winnable deals, not --unwinnable")
    shown = _Shown(source, sys.stdout)
    lines: dict[str, Callable[[Found], str]] = {
        "text": _text_line,
        "jsonl": _json_line(rules, limits),
        "pysol": lambda found: str(found.number),
    }
    deals = find_deals(
        source,
        rules,
        verdict=None if verdict is None else Verdict(verdict),
        grades=grades,
        unique=unique,
        count=count,
        limit=limit,
        workers=workers,
        watch=shown.watch,
        **limits.to_dict(),
    )
    with shown.bar, closing(deals):
        for found in deals:
            shown.line(lines[form](found))
    if shown.left_open:
        text = f"decade: a limit left {shown.left_open:,} deals open, which are not among these"
        click.echo(text, err=True)
