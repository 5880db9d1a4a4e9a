"""The command `show`: the play that solves a deal, step by step on the terminal or on a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from decade import render
from decade.cards import Deal
from decade.cli_input import Failure, RuledCommand, takes_deal
from decade.cli_search import VERDICT_STATUS, Limits, takes_limits
from decade.drawing import LAYOUTS, Layout, table_lines, words_line
from decade.rules import Rules
from decade.solver import Result
from decade.steps import Steps


@click.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade show KC KH 4D 6S
  decade show --rules loop --seed 1949
  decade show --pysol 9939 --rules pysol --html play.html
""",
)
@click.option("--html", metavar="FILE", help="Write a page that plays it, in one file.")
@click.option("--force", is_flag=True, help="Replace a FILE that is there.")
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default="table",
    show_default=True,
    help="On a table, or the one-handed game.",
)
@takes_limits
@takes_deal
@click.pass_context
def show(
    ctx: click.Context,
    *,
    deal: Deal,
    name: str | None,
    rules: Rules,
    html: str | None,
    force: bool,
    layout: Layout,
    limits: Limits,
) -> None:
    """Step through the play that solves a deal.

    On a terminal, space and → go on, ← goes back, ↑ and ↓ go to the sets, Home
    and End to the ends, and q ends. Elsewhere all steps are printed. Where no
    play wins, the one that is shown leaves as few cards as any.

    The exit status is 0 if there is a play to show, 1 if the deal is
    unwinnable and there is none (with --recycle), 3 if it is unknown, 2 for
    bad input.
    """
    if force and html is None:
        raise click.UsageError("--force is for a page: --html")
    if layout == "hand" and (rules.piles > 1 or rules.wrap):
        raise click.UsageError("--layout hand is for games with one straight line")
    if html is not None and not force and os.path.lexists(html):
        raise Failure(f"{html} is there already: --force replaces it")
    result = limits.search(deal, rules, name=name)
    shown = result.remaining is not None
    steps = Steps.of(deal, rules, result.moves) if shown else None
    if steps is None:
        _print(render.verdict_lines(result, render.Paper.of(sys.stdout)))
        limits.explain(result)
        ctx.exit(VERDICT_STATUS[result.verdict.value])
    if html is not None:
        _write(html, result, steps, layout, force=force)
    elif not _stepped(result, steps, layout):
        _print(_all_steps(result, steps, layout, render.Paper.of(sys.stdout)))


def _print(lines: Iterator[str]) -> None:
    click.echo("\n".join(lines), file=sys.stdout, color=True)


def _all_steps(result: Result, steps: Steps, layout: Layout, paper: render.Paper) -> Iterator[str]:
    yield from render.verdict_lines(result, paper)
    for index in range(len(steps.states)):
        yield ""
        yield from words_line(steps, index, paper)
        yield from table_lines(steps, index, paper, layout)


def _stepped(result: Result, steps: Steps, layout: Layout) -> bool:
    """Step through on the terminal if there is one to draw on and to read keys from."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return False

    def head(paper: render.Paper) -> list[str]:
        return list(render.verdict_lines(result, paper))

    with _keyboard() as keys:
        if keys is None:
            return False
        from decade.stepper import Stepper  # noqa: PLC0415 (needs a terminal)

        Stepper(steps, layout, head, keys).run()
    _print(iter(head(render.Paper.of(sys.stdout))))
    return True


@contextmanager
def _keyboard() -> Iterator[int | None]:
    """Give what to read keys from: stdin, or the terminal itself where the deal came by a pipe."""
    if sys.stdin is not None and sys.stdin.isatty():
        yield sys.stdin.fileno()
        return
    try:
        keys = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        yield None
        return
    try:
        yield keys
    finally:
        os.close(keys)


def _write(path: str, result: Result, steps: Steps, layout: Layout, *, force: bool) -> None:
    from decade.webpage import page  # noqa: PLC0415 (a terminal does without)

    text = page(result, steps, layout)
    try:
        with Path(path).open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Failure(f"{path} is there already: --force replaces it") from None
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    _print(render.verdict_lines(result, render.Paper.of(sys.stdout)))
    click.echo(f"page: {path}")
