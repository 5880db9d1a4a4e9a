"""The command `batch`: files of deals in, a table out, with progress and a summary on stderr."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from decade import render
from decade.bar import Bar
from decade.batch import SAVE_SECONDS, Outcome, Watch, solve_to_file
from decade.cli_input import Failure, RuleChoice, RuledCommand, takes_rules
from decade.cli_search import MIB, Limits
from decade.cluster import ClusterError
from decade.files import STDIN, Format, InputError, sources_at
from decade.journal import FinishedError, OutputError
from decade.parts import solve_folder
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT
from decade.sources import Numbers, Seed, Source
from decade.tally import Tally

BAR = 40


def _progress(bar: Bar) -> Watch:
    """Show on a bar how far the batch is."""

    def watch(tally: Tally, share: float | None) -> None:
        if bar.due:
            rates = {verdict: tally.share(verdict) for verdict in ("winnable", "unwinnable")}
            if tally.verdicts["unknown"]:
                rates["unknown"] = tally.share("unknown")
            about = ", ".join(f"{verdict} {percent(rate)}" for verdict, rate in rates.items())
            errors = f", {render.plural(tally.errors, 'error')}" if tally.errors else ""
            speed = f"{tally.rows:,} deals, {tally.rows / bar.passed:,.0f}/s"
            bar.show(share or 0, None if share is None else 1, speed, about + errors)

    return watch


def percent(share: float) -> str:
    """Print a share.

    >>> percent(0.12345)
    '12.35 %'
    """
    return f"{100 * share:.2f} %"


def summary_lines(outcome: Outcome, seconds: float) -> list[str]:
    """Print what a batch found: the counts, the share that can be won, and the remainders."""
    tally = outcome.tally
    rows = [("deals", f"{tally.deals:,}", "")]
    for verdict in ("winnable", "unwinnable", "unknown"):
        rows.append((verdict, f"{tally.verdicts[verdict]:,}", percent(tally.share(verdict))))
    if tally.deals:
        low, high = tally.winnable_interval()
        _, count, share = rows[1]
        rows[1] = ("winnable", count, f"{share} (95 %: {percent(low)} to {percent(high)})")
    rows.append(("errors", f"{tally.errors:,}", "lines that are no deals" if tally.errors else ""))
    if outcome.resumed:
        rows.append(("resumed", f"{outcome.resumed:,}", "rows were there already"))
    made = tally.rows - outcome.resumed
    rows.append(("time", f"{seconds:,.1f} s", f"{made / max(seconds, 1e-9):,.0f} deals a second"))
    width = max(len(row[1]) for row in rows)
    lines = [f"{name:<10}  {count:>{width}}  {about}".rstrip() for name, count, about in rows]
    if tally.remaining:
        lines += ["", "left  deals"]
        most = max(tally.remaining.values())
        wide = len(f"{most:,}")
        for left, number in sorted(tally.remaining.items()):
            bar = "#" * max(1, round(BAR * number / most))
            share = percent(number / tally.deals)
            lines.append(f"{left:>4}  {number:>{wide},}  {share:>8}  {bar}")
    return lines


def _chosen_sources(
    *,
    files: tuple[str, ...],
    format: Format | Literal["parquet"] | None,
    pysol: str | None,
    ms: str | None,
    seed: int | None,
    deals: int | None,
    index: int | None,
) -> list[Source]:
    """Make the sources that the command line names: files, or one range of numbers."""
    ranges = {"--pysol": pysol, "--ms": ms, "--seed": seed}
    given = [option for option, value in ranges.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} each give deals: choose one")
    if given and files:
        raise click.UsageError(f"{given[0]} gives the deals: no files with it")
    if given and format is not None:
        raise click.UsageError(f"--format is for files, and {given[0]} gives the deals")
    for option, value in (("--deals", deals), ("--index", index)):
        if value is not None and seed is None:
            raise click.UsageError(f"{option} says which deals of --seed: give that too")
    if pysol is not None:
        return [Numbers.of("pysol", pysol)]
    if ms is not None:
        return [Numbers.of("ms", ms)]
    if seed is not None:
        if deals is None:
            raise click.UsageError("--seed needs --deals, the number of deals")
        return [Seed(seed, deals, index or 0)]
    if files.count(STDIN) > 1:
        raise click.UsageError("stdin can be read only once")
    return [source for path in files or (STDIN,) for source in sources_at(path, format)]


def _chosen_folder(
    files: tuple[str, ...], format: str | None, output: str | None, given: dict[str, Any]
) -> str:
    """Give the one folder that a cluster is to solve."""
    for option, value in given.items():
        if value is not None:
            raise click.UsageError(f"--{option} does not go with --scheduler")
    if output is None:
        raise click.UsageError("--scheduler writes a folder: say which with -o")
    if len(files) != 1 or not Path(files[0]).is_dir() or format not in (None, "parquet"):
        raise click.UsageError("--scheduler is for one folder of Parquet files")
    return files[0]


@click.command(
    cls=RuledCommand,
    epilog="""\b
Examples:
  decade batch deals.txt -o results.csv
  decade batch deals.jsonl.gz --rules loop --no-moves -o results.parquet
  decade batch --pysol 1-32000 --rules pysol -o pysol.sqlite
  decade batch deals.txt -o results.csv --resume
  decade batch deals/ -o results/ --scheduler tcp://head:8786
""",
)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "-o", "--output", metavar="FILE", help="A .csv, .jsonl, .sqlite or .parquet file (CSV, stdout)."
)
@click.option(
    "--format",
    type=click.Choice(("text", "jsonl", "acm", "parquet")),
    help="What files hold: a deal a line, JSON Lines, the 1996 contest's numbers, or Parquet.",
)
@click.option("--pysol", metavar="N-M", help="PySolFC's deals with these numbers.")
@click.option("--ms", metavar="N-M", help="Microsoft's (FreeCell) deals with these numbers.")
@click.option("--seed", type=int, metavar="S", help="Decade's own deals with this seed.")
@click.option("--deals", type=int, metavar="N", help="How many deals of the seed.")
@click.option("--index", type=int, metavar="I", help="The first of them, from 0 (0).")
@click.option("--moves/--no-moves", default=True, help="Whether rows have the play (yes).")
@click.option("--resume", is_flag=True, help="Go on with an interrupted run, if there is one.")
@click.option("--force", is_flag=True, help="Replace an output that is there.")
@click.option("--strict", is_flag=True, help="Stop at a line that is no deal, with status 2.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Threads or processes (all cores)."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS|local",
    help="Solve a folder of Parquet files into another, on a Dask cluster or one started here.",
)
@click.option(
    "--node-limit", type=click.IntRange(min=1), metavar="N", help="Nodes a deal, then unknown."
)
@click.option(
    "--memory-limit",
    type=click.IntRange(min=1),
    default=MEMORY_LIMIT // MIB,
    show_default=True,
    metavar="MIB",
    help="Memory of one worker's search.",
)
@click.option(
    "--chunk", type=click.IntRange(min=1), metavar="N", help="Deals taken at a time (adapted)."
)
@click.option(
    "--save-every",
    type=click.FloatRange(min=0),
    metavar="S",
    help=f"Seconds between saves to resume from ({SAVE_SECONDS}).",
)
@takes_rules
def batch(
    *,
    files: tuple[str, ...],
    output: str | None,
    format: Format | Literal["parquet"] | None,
    choice: RuleChoice,
    node_limit: int | None,
    memory_limit: int,
    resume: bool,
    force: bool,
    quiet: bool,
    scheduler: str | None,
    save_every: float | None,
    pysol: str | None,
    ms: str | None,
    seed: int | None,
    deals: int | None,
    index: int | None,
    **options: Any,
) -> None:
    """Solve many deals, and write a row for each.

    Each FILE (or stdin) holds a deal a line, perhaps compressed by gzip, or is
    a Parquet file or a folder of them, with a column `deal`; or give a range of
    numbers. What is no deal becomes a row that says why. An interrupted run
    goes on with --resume, and what is there is never overwritten without it or
    --force.

    The exit status is 0 when all is written, 2 for wrong use or bad input.
    """
    output = None if output == "-" else output
    if resume and force:
        raise click.UsageError("--resume goes on and --force begins afresh: choose one")
    if output is None and (resume or force):
        raise click.UsageError(f"{'--resume' if resume else '--force'} is for an output file: -o")
    bar = Bar()
    options |= {
        "rules": choice.over(Rules()),
        **Limits(node_limit, memory_limit).to_dict(),
        "resume": resume,
        "force": force,
        "watch": None if quiet else _progress(bar),
    }
    numbers: dict[str, Any] = {
        "pysol": pysol,
        "ms": ms,
        "seed": seed,
        "deals": deals,
        "index": index,
    }
    try:
        if scheduler is None:
            outcome = solve_to_file(
                _chosen_sources(files=files, format=format, **numbers),
                None if output is None else Path(output),
                save_every=SAVE_SECONDS if save_every is None else save_every,
                **options,
            )
        else:
            folder = _chosen_folder(files, format, output, numbers | {"save-every": save_every})
            outcome = solve_folder(folder, output or "", scheduler=scheduler, **options)
    except FinishedError as error:
        click.echo(f"decade: {error}", err=True)
        return
    except (InputError, OutputError, ClusterError) as error:
        raise Failure(str(error)) from error
    except KeyboardInterrupt:
        if output is not None and Path(f"{output}.part").exists():
            click.echo(f"decade: {output} can be gone on with: --resume", err=True)
        raise
    except OSError as error:
        if output is None:
            raise
        raise Failure(
            f"cannot write {output}: {error.strerror or error}; "
            "when that is mended, --resume goes on with what is there"
        ) from error
    finally:
        bar.close()
    if not quiet:
        click.echo("\n".join(summary_lines(outcome, bar.passed)), err=True)
