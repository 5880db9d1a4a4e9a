"""The command `advise`: what to do where the stock cannot be seen."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click

from decade.advice import SAMPLES, SECONDS, Advice, AdviceError, Option
from decade.advice import advise as ask
from decade.cli import show
from decade.cli_input import Failure, RuleChoice, RuledCommand, takes_rules
from decade.cli_search import Limits, spinner, takes_limits
from decade.cli_survey import duration
from decade.render import Paper, pile_words, plural
from decade.rules import Discard, Rules

ASSUMED = (
    "The chances assume clairvoyant play after this choice, by a player who sees the stock."
    " Those of a player who does not are at most these."
)
KNOWN = "What is in the stock is known, so this is what perfect play comes to."


def advice_lines(advice: Advice, paper: Paper) -> Iterator[str]:
    """Print advice: the choices with their chances, and what these assume."""
    options, rules = advice.options, advice.rules
    if not options:
        yield "the game is over: there is nothing to choose"
        return
    game = f"rules {rules.name}" if rules.name else "own rules"
    drawn = f"{advice.samples:,} order{'s' if advice.samples > 1 else ''}"
    orders = f"{drawn} of {plural(advice.unseen, 'unseen card')}"
    yield from paper.wrap("", f"{_head(advice)}; {orders}, {game}, seed {advice.seed}".split())
    yield ""
    yield paper.style("  chance   ± error  total  choice", dim=True)
    for option in options:
        yield from paper.wrap(_figures(option), _words(advice, option, paper))
    unknown = max(option.unknown for option in options)
    yield ""
    if unknown:
        yield from paper.wrap("", f"A limit left up to {unknown:,} orders open, as losses.".split())
    yield from paper.wrap("", (KNOWN if options[0].exact else ASSUMED).split())


def _head(advice: Advice) -> str:
    """Say what to do, and whether there is any choice."""
    if len(advice.options) > 1:
        best = advice.best
        return "leave what lies" if best.move is None else f"take {_cards(advice, best)}"
    if advice.best.move is None:
        return "no choice: no set can be taken, and a card must be dealt"
    return f"no choice: {_cards(advice, advice.best)} must be taken"


def _cards(advice: Advice, option: Option) -> str:
    cards = option.move.cards if option.move else ()
    return " ".join(str(advice.position.cards[card]) for card in cards)


def _figures(option: Option) -> str:
    total = option.move.total if option.move else ""
    return f"{100 * option.chance:>6.2f} % {100 * option.error:>7.2f} %  {total:>5}  "


def _words(advice: Advice, option: Option, paper: Paper) -> Iterator[str]:
    """Show the pile with the set marked, or say what leaving means."""
    if option.move is None:
        forced = advice.rules.discard is Discard.FORCED
        yield from ("deal" if forced else "leave what lies, and deal on").split()
        return
    position, pile = advice.position, option.move.pile
    start = sum(position.sizes[:pile])
    if len(position.sizes) > 1:
        yield f"pile {pile + 1}:"
    lying = range(start, start + position.sizes[pile])
    yield from pile_words(position, lying, option.move.cards, paper)


@click.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade advise --table "JD 9H AC" --seen "4 6 K K"
  decade advise --rules loop --table "9H 2 5 A" --samples 1000 --json
  decade advise --rules pysol --table "4 8 3 3 J 6 4" --time 10s
""",
)
@click.option(
    "--table", metavar="CARDS", required=True, help="Those on the table, piles split by |."
)
@click.option("--seen", metavar="CARDS", default="", help="Those that are gone.")
@click.option(
    "--unseen", metavar="CARDS", help="Those in the stock, in any order (the rest of the pack)."
)
@click.option(
    "--next", "following", type=int, default=0, metavar="K", help="The pile that gets the next (0)."
)
@click.option("--packs", type=int, metavar="N", help="Packs that the cards are from, 1 or 2.")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Orders of the stock to look at ({SAMPLES}, or what {SECONDS:.0f} s are enough for).",
)
@click.option("--time", "seconds", type=duration, metavar="T", help="Stop after a time, as 2s.")
@click.option("--seed", type=int, default=0, metavar="S", help="Of the random orders (0).")
@click.option("--json", "as_json", is_flag=True, help="Print the advice as JSON.")
@takes_limits
@takes_rules
def advise(
    *,
    table: str,
    seen: str,
    unseen: str | None,
    following: int,
    packs: int | None,
    samples: int | None,
    seconds: float | None,
    seed: int,
    as_json: bool,
    limits: Limits,
    choice: RuleChoice,
) -> None:
    """Say what to do where the stock cannot be seen.

    The cards that are neither on the table nor seen are the stock, in an
    unknown order. Each set that may be taken, and leaving what lies where that
    is allowed, gets the chance that the game can be won after it, found by
    solving random orders of the stock, the same for all choices.

    The chances assume that all play after this choice sees the stock.

    Without suits, a card is any of its rank, and a plain 10 any ten-valued card.
    Where sets go under the stock (recycle), give --seen in the order in which
    they lie there.
    """
    try:
        with spinner("solving"):
            advice = ask(
                table,
                choice.over(Rules()),
                seen=seen,
                unseen=unseen,
                next=following,
                packs=packs,
                samples=samples,
                seconds=seconds,
                seed=seed,
                **limits.to_dict(),
            )
    except AdviceError as error:
        raise Failure(str(error)) from error
    if as_json:
        show(json.dumps(advice.to_dict()))
    else:
        show(*advice_lines(advice, Paper.of(sys.stdout)))
