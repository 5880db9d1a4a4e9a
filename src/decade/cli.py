"""The command line: options in, text and exit status out.

Commands are thin. They read deals, rules and results, call the package and print what
:mod:`decade.render` makes of the answer; all that is wrong with the input comes together in
:class:`Commands`, as one message and status 2. rich is slow to import and is imported where it is
used, so that answers and errors come at once.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
from importlib import import_module
from typing import Any, Literal, NamedTuple

import click

from decade import render
from decade._version import __version__
from decade.cards import Deal, DealError, NumberError
from decade.cli_input import (
    DealChoice,
    Failure,
    NoDeal,
    RuleChoice,
    RuledCommand,
    read_results,
    source_name,
    takes_deal,
    takes_numbers,
    takes_rules,
)
from decade.cli_search import VERDICT_STATUS, Limits, takes_limits
from decade.play import POLICIES, Game, IllegalMove, Policy, play_policy, replay_steps
from decade.rules import PRESET_NOTES, PRESETS, Discard, Rules, RulesError
from decade.solver import Result

INTERRUPTED = 130  # 128 + SIGINT, as shells report it
BROKEN_PIPE = 141  # 128 + SIGPIPE

LATE = {
    "advise": "decade.cli_advise",
    "batch": "decade.cli_batch",
    "find": "decade.cli_find",
    "show": "decade.cli_show",
    "survey": "decade.cli_survey",
}
"""Commands by the module that has them, imported when one is called or listed."""


class Commands(click.Group):
    """The commands, and the one place where what went wrong becomes a message and a status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return sorted({*super().list_commands(ctx), *LATE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command."""
        if cmd_name not in LATE:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(import_module(LATE[cmd_name]), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except (DealError, RulesError, NumberError) as error:
            raise Failure(str(error)) from error
        except OSError as error:  # reading has its own messages, so this is about writing
            _drop_output()
            if isinstance(error, BrokenPipeError):
                ctx.exit(BROKEN_PIPE)
            raise Failure(f"cannot write the output: {error.strerror or error}") from error


def _drop_output() -> None:
    """Send what is still unwritten nowhere, so that Python's own flush at exit cannot fail."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="decade")
def cli() -> None:
    """Solve 10-20-30 (Decade) and its family of patience games exactly."""


@cli.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade solve KC KH 4D 6S
  decade solve --rules loop --count < deal.txt
  decade solve --rules pysol --pysol 9939
  decade solve --max-cards 4 --json "K K 4 6"
  decade solve --table "4 8 3 3 J 6" --stock "9 K 2"
""",
)
@click.option("--count", is_flag=True, help="Count all plays and winning ones, and grade the deal.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the status tells.")
@takes_limits
@takes_deal
@click.pass_context
def solve(
    ctx: click.Context,
    *,
    deal: Deal,
    name: str | None,
    rules: Rules,
    count: bool,
    as_json: bool,
    quiet: bool,
    limits: Limits,
) -> None:
    """Decide whether a deal can be won, and show the play.

    CARDS are dealt in the order given: a rank (A 2 ... 9 T J Q K) and, if you
    like, a suit (C D H S). Without CARDS, or a number instead, one deal is read
    from stdin.

    The exit status is 0 once there is an answer, 2 for bad input. With -q it
    is 0 for winnable, 1 for unwinnable, 3 for unknown.
    """
    if quiet and as_json:
        raise click.UsageError("-q prints nothing and --json prints the result: choose one")
    if count and rules.recycle:
        raise click.UsageError("--count cannot count plays where sets go under the stock (recycle)")
    if count and rules.discard is Discard.OPTIONAL:
        raise click.UsageError("--count cannot count plays where discards are optional")
    result = limits.search(deal, rules, name=name, count=count)
    if quiet:
        ctx.exit(VERDICT_STATUS[result.verdict.value])
    level = limits.rate(result) if count else None
    if as_json:
        show(json.dumps(result.to_dict() | (level.to_dict() if level else {})))
    else:
        paper = render.Paper.of(sys.stdout)
        show(*render.result_lines(result, paper))
        if level is not None:
            show(render.difficulty_line(level))
    limits.explain(result)


def show(*lines: str) -> None:
    """Print lines as they are: `render` has settled colours, and encoding is that of stdout."""
    click.echo("\n".join(lines), file=sys.stdout, color=True)


class Check(NamedTuple):
    """What the replay of a result says."""

    status: Literal["agrees", "disagrees", "illegal", "nothing to replay"]
    remaining: int | None
    reason: str


def check(result: Result, rules: Rules) -> Check:
    """Replay the play in a result and compare what comes out with what the result claims."""
    winnable = result.verdict.value == "winnable"
    if not winnable and not result.moves and result.remaining is None:
        return Check("nothing to replay", None, f"{result.verdict.value}, with no play to show")
    values = result.deal.values(rules.face_values)
    try:
        *_, (end, _) = replay_steps(values, rules, result.moves, result.deal.layout)
    except IllegalMove as error:
        return Check("illegal", None, str(error))
    game = Game(values, rules, result.deal.layout)
    left, won = game.remaining(end), game.won(end)
    found = f"{render.plural(left, 'card')} left after {render.plural(len(result.moves), 'set')}"
    if result.remaining not in (left, None):
        return Check("disagrees", left, f"{found}, but it claims {result.remaining}")
    if won != winnable:
        outcome = "won" if won else "not won"
        return Check("disagrees", left, f"{found}: {outcome}, but it says {result.verdict.value}")
    return Check("agrees", left, found)


@cli.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade solve --json KC KH 4D 6S | decade verify
  decade verify results.jsonl
""",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each result.")
@takes_rules
@click.pass_context
def verify(
    ctx: click.Context, *, files: tuple[str, ...], choice: RuleChoice, as_json: bool
) -> None:
    """Replay the plays in results by the rules, without the search.

    Each FILE (or stdin) holds results as `decade solve --json` prints them. A
    replay proves a win. Of an unwinnable deal it shows only that the play is
    legal and leaves what the result says, not that no play leaves less.

    The exit status is 0 if all agree, 1 if a play is illegal or a result
    claims something else, 2 for bad input.
    """
    wrong = False
    for path in files or ("-",):
        source = source_name(path)
        for line, result in read_results(path):
            if isinstance(result, NoDeal):
                found = Check("nothing to replay", None, f"no deal: {result.error}")
            else:
                found = check(result, choice.over(result.rules))
            wrong = wrong or found.status in ("disagrees", "illegal")
            if as_json:
                about = {"file": source, "line": line, "name": result.name}
                show(json.dumps(about | found._asdict()))
            else:
                name = f"{render.printable(result.name)}: " if result.name else ""
                show(f"{source}:{line}: {name}{found.status}: {found.reason}")
    ctx.exit(int(wrong))


@cli.command(
    epilog="""\b
Examples:
  decade rules
  decade rules loop --toml > my.toml
"""
)
@click.argument("source", metavar="[NAME|FILE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the fields as JSON.")
@click.option("--toml", "as_toml", is_flag=True, help="Print the fields as TOML.")
def rules(*, source: str | None, as_json: bool, as_toml: bool) -> None:
    """List the rule sets, or describe one in plain words."""
    if as_json and as_toml:
        raise click.UsageError("--json and --toml: choose one")
    if source is None:
        if as_json or as_toml:
            raise click.UsageError("name the rule set to print, as in: decade rules loop --toml")
        paper = render.Paper.of(sys.stdout)
        show(*render.preset_table(PRESETS, PRESET_NOTES, paper))
        return
    chosen = Rules.load(source)
    if as_toml:
        show(*chosen.to_toml().splitlines())
    else:
        show(chosen.to_json() if as_json else chosen.describe())


@cli.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade play --policy longest --steps KC KH 4D 6S
  decade play --policy random --policy-seed 7 --ms 11982
""",
)
@click.option(
    "--policy",
    type=click.Choice(POLICIES),
    metavar="POLICY",
    default="front",
    show_default=True,
    help="Which set to take: front, back, longest, shortest or random.",
)
@click.option("--policy-seed", type=int, metavar="S", help="Makes the random policy repeatable.")
@click.option("--steps", is_flag=True, help="Show the play set by set.")
@click.option("--json", "as_json", is_flag=True, help="Print the play as JSON.")
@takes_deal
def play(
    *,
    deal: Deal,
    name: str | None,
    rules: Rules,
    policy: Policy,
    policy_seed: int | None,
    steps: bool,
    as_json: bool,
) -> None:
    """Play a deal by a fixed policy.

    Says whether the play is won or lost, or a draw, which is a play whose
    position recurs, so that it would go on for ever; and after how many cards.
    """
    seed = policy_seed
    if policy != "random" and seed is not None:
        raise click.UsageError("--policy-seed is for --policy random")
    if policy == "random" and seed is None:
        seed = random.randrange(2**32)
    played = play_policy(
        deal.values(rules.face_values), rules, policy, seed=seed, layout=deal.layout
    )
    if as_json:
        found = render.played_object(deal, rules, played, name=name, policy=policy, seed=seed)
        show(json.dumps(found))
        return
    paper = render.Paper.of(sys.stdout)
    by = f"policy {policy}" + ("" if seed is None else f" with seed {seed}")
    show(*render.played_lines(deal, rules, played, paper, policy=by, steps=steps))


@cli.command(
    epilog="""\b
Examples:
  decade deal --pysol 9939
  decade deal --seed 1 --index 1000 --count 10 > deals.txt
"""
)
@takes_numbers
@click.option(
    "--count", type=click.IntRange(min=1), default=1, metavar="N", help="How many deals (1)."
)
def deal(*, source: DealChoice, count: int) -> None:
    """Print deals by number or seed, a line each, as other commands read them.

    With --count, the deals with the numbers that follow come too (of a seed,
    the deals with the indices that follow).
    """
    if not source.given():
        raise click.UsageError("say which deal: --pysol N, --ms N or --seed S")
    for further in range(count):
        made = source.deal(further)
        show(f"{made.name}: {made}")


def main() -> None:
    """Run the program; the entry point of the ``decade`` command."""
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # counts are exact, however long
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names may not fit the terminal
    cli(prog_name="decade")
