"""The command ``survey``: options into plan and goal, a checkpoint kept on the way, a report."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from decade import survey_run
from decade.bar import Bar
from decade.cli_input import Failure, RuleChoice, RuledCommand, RuleOption, takes_fields
from decade.cluster import ClusterError, cluster, cores, threads
from decade.plot import PlotError, check_path, draw
from decade.render import Paper
from decade.rules import PRESETS, Rules
from decade.sources import LARGEST_INDEX
from decade.survey import SAMPLES, SURVEY_POLICIES, Plan, SurveyError
from decade.survey_run import Goal
from decade.survey_state import Survey, load, merge, save
from decade.survey_text import progress_text, summary_lines, title
from decade_ext.search import Stop

DEALS = 100_000
EXACT_DEALS = 10_000
SAVE_SECONDS = 1.0
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def whole(text: str) -> int:
    """Read a number of deals: 1000000, 1_000_000 or 1e6."""
    found = re.fullmatch(r"([0-9]+)[eE]\+?([0-9]{1,2})", text)
    try:
        return int(found[1]) * 10 ** int(found[2]) if found else int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a whole number such as 100000 or 1e6") from None


def deals_wanted(text: str) -> int:
    """Read a number of deals, 1 or more."""
    if (number := whole(text)) < 1:
        raise click.BadParameter(f"{text!r} is less than 1")
    return number


def duration(text: str) -> float:
    """Read a time: 90, 90s, 10m, 1h30m, 2d."""
    parts = re.findall(r"([0-9]+(?:\.[0-9]+)?)([smhd]|$)", text)
    if not parts or "".join(map("".join, parts)) != text:
        raise click.BadParameter(f"{text!r} is not a time such as 90s, 10m or 1h30m")
    seconds = sum(float(number) * _UNITS[unit or "s"] for number, unit in parts)
    if not seconds:
        raise click.BadParameter("the time must be more than 0")
    return seconds


@click.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade survey --rules decade --deals 1e6 --policy random
  decade survey --rules loop pysol --precision 0.001 --plot rates.svg
  decade survey --rules all --time 10m --checkpoint odds.json
  decade survey --merge a.json b.json
""",
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--rules",
    multiple=True,
    metavar="NAME|FILE...",
    cls=RuleOption,
    help="Rule sets, one or more, or all: see `decade rules`. Options below change single fields.",
)
@click.option("--deals", type=deals_wanted, metavar="N", help=f"Stop after N deals ({DEALS}).")
@click.option(
    "--precision",
    type=click.FloatRange(0, 0.5, min_open=True),
    metavar="P",
    help="Stop when half the 95 % interval's width is P.",
)
@click.option("--time", "seconds", type=duration, metavar="T", help="Stop after a time, as 10m.")
@click.option("--seed", type=int, metavar="S", help="Which deals (0).")
@click.option(
    "--index",
    type=whole,
    metavar="I",
    help="The first deal's number in the seed (0).",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(SURVEY_POLICIES),
    metavar="POLICY",
    help="Also play each deal by a policy: front, back, longest, shortest, random, or advise, what"
    " `decade advise` says.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    metavar="K",
    help=f"With --policy advise: orders of the stock that a choice is weighed in ({SAMPLES}).",
)
@click.option(
    "--random-win",
    type=whole,
    metavar="M",
    help=f"Find the random player's exact chance for deals 0 to M - 1 (with --policy random"
    f" {EXACT_DEALS}, otherwise 0).",
)
@click.option(
    "--node-limit",
    type=click.IntRange(1, 2**63 - 1),
    metavar="N",
    help="Search no further than N nodes a deal; it is unknown then.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="W", help="Threads or processes (all cores)."
)
@click.option(
    "--scheduler", metavar="ADDRESS|local", help="Work on a Dask cluster, or start one here."
)
@click.option(
    "--checkpoint",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep what is counted in FILE, and go on from there if it exists.",
)
@click.option("--merge", is_flag=True, help="Add up the surveys in the files NAME... instead.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each rule set.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.svg|.png",
    help="Draw what is left over, or the rates of several rule sets.",
)
@takes_fields
def survey(
    *,
    names: tuple[str, ...],
    rules: tuple[str, ...],
    changes: dict[str, Any],
    checkpoint: Path | None,
    merge: bool,
    as_json: bool,
    plot: Path | None,
    **asked: Any,
) -> None:
    """Decide random deals and report how many can be won.

    The deals are those of `decade deal --seed S --index I` and the ones that
    follow. The counts depend on rules, seed and deals alone: not on workers,
    interruptions or the machine. What --json prints and --checkpoint keeps can
    be gone on from, and added up with --merge if no deal is in both.
    """
    try:
        if plot is not None:
            check_path(plot)
        if merge:
            surveys = _merged(names, rules, changes, checkpoint, asked)
        else:
            choices = [RuleChoice(name, changes) for name in _all((*rules, *names))]
            games = [choice.over(Rules()) for choice in choices] or [Rules.from_dict(changes)]
            surveys = _Surveying(games, checkpoint, asked).finish()
        if plot is not None:
            draw(surveys, plot)
    except (SurveyError, ClusterError, PlotError) as error:
        raise Failure(str(error)) from error
    if as_json:
        lines = [json.dumps(item.to_dict()) for item in surveys]
    else:
        lines = list(summary_lines(surveys, Paper.of(sys.stdout)))
    click.echo("\n".join(lines), color=True)


def _all(names: Sequence[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        yield from PRESETS if name == "all" else (name,)


def _merged(
    names: tuple[str, ...],
    rules: tuple[str, ...],
    changes: dict[str, Any],
    checkpoint: Path | None,
    asked: dict[str, Any],
) -> list[Survey]:
    """Add up the surveys in files; ``--checkpoint`` says where the sum is to be kept."""
    if rules or changes or any(value not in (None, ()) for value in asked.values()):
        raise click.UsageError("--merge counts no deals: give it files, --checkpoint and no more")
    if not names:
        raise click.UsageError("--merge needs the files: decade survey --merge a.json b.json")
    surveys: list[Survey] = []
    for name in names:
        try:
            found = load(name)
        except OSError as error:
            raise Failure(f"{name}: {error.strerror or error}") from error
        try:
            surveys = merge([surveys, found])
        except SurveyError as error:
            raise Failure(f"{name} cannot be added to the files before it: {error}") from error
    if checkpoint is not None:
        _write(checkpoint, surveys)
    return surveys


def _write(path: Path, surveys: Sequence[Survey]) -> None:
    try:
        save(path, surveys)
    except OSError as error:
        raise Failure(f"{path}: cannot be written: {error.strerror or error}") from error


class _Surveying:
    """One run of the command: surveys one after the other, all kept in one checkpoint."""

    def __init__(self, games: list[Rules], checkpoint: Path | None, asked: dict[str, Any]) -> None:
        self.asked, self.checkpoint = asked, checkpoint
        if asked["samples"] is not None and "advise" not in asked["policies"]:
            raise click.UsageError("--samples is for --policy advise")
        exact = asked["random_win"]
        if exact is None:
            exact = EXACT_DEALS if "random" in asked["policies"] else 0
        try:
            plans = [
                Plan.of(
                    game,
                    asked["seed"] or 0,
                    node_limit=asked["node_limit"],
                    policies=asked["policies"],
                    random_win=exact,
                    samples=asked["samples"] or SAMPLES,
                )
                for game in dict.fromkeys(games)
            ]
        except ValueError as error:
            raise Failure(str(error)) from error
        self.goal = _goal(asked)
        kept = self._kept()
        self.surveys = [kept.pop(plan.rules, Survey(plan)) for plan in plans]
        self.others = list(kept.values())
        self.saved = time.monotonic()
        for item, plan in zip(self.surveys, plans, strict=True):
            self._check(item, plan)

    def _kept(self) -> dict[Rules, Survey]:
        if self.checkpoint is None or not self.checkpoint.exists():
            return {}
        try:
            return {item.plan.rules: item for item in load(self.checkpoint)}
        except OSError as error:
            raise Failure(f"{self.checkpoint}: {error.strerror or error}") from error

    def _check(self, item: Survey, plan: Any) -> None:
        try:
            item.check_same(plan)
            self.goal.check(item)
        except SurveyError as error:
            raise Failure(f"{self.checkpoint}: {error}") from error

    def save(self) -> None:
        """Keep what is counted."""
        if self.checkpoint is not None:
            _write(self.checkpoint, [*self.surveys, *self.others])
        self.saved = time.monotonic()

    def finish(self) -> list[Survey]:
        """Run every survey until its goal is reached."""
        self.save()  # says at once if it cannot be written
        workers = self.asked["workers"] or cores()
        scheduler = self.asked["scheduler"]
        with cluster(scheduler, workers) if scheduler else threads(workers) as crew:
            try:
                for number, begun in enumerate(self.surveys):
                    stop = None if scheduler else Stop()
                    with Bar(title(begun.plan.rules)) as bar:
                        progress = self._progress(number, bar)
                        survey_run.run(begun, self.goal, crew, progress, stop=stop)
                    self.save()
            except KeyboardInterrupt:
                self.save()
                if self.checkpoint is not None:
                    deals = sum(item.tally.deals for item in self.surveys)
                    click.echo(f"decade: {deals:,} deals are kept in {self.checkpoint}", err=True)
                raise
        return self.surveys

    def _progress(self, number: int, bar: Bar) -> Callable[[Survey], None]:
        """Take note of how far a survey is, show it, and keep it every now and then."""
        before = self.surveys[number].tally.deals

        def progress(now: Survey) -> None:
            self.surveys[number] = now
            if bar.due:
                deals = now.tally.deals
                text = progress_text(now, (deals - before) / bar.passed)
                bar.show(deals, self.goal.likely_end(now, before, bar.passed), text)
            if time.monotonic() - self.saved > SAVE_SECONDS:
                self.save()

        return progress


def _goal(asked: dict[str, Any]) -> Goal:
    deals, first = asked["deals"], asked["index"] or 0
    if deals is None and asked["precision"] is None and asked["seconds"] is None:
        deals = DEALS
    if first < 0 or first + (deals or 1) - 1 > LARGEST_INDEX:
        raise Failure(f"the deals of a seed have the indices 0 to {LARGEST_INDEX}")
    return Goal(first, deals, asked["precision"], asked["seconds"])
