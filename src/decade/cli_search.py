"""A search as commands run it: within the limits that the options set, with a spinner on terminals.

rich is slow to import, so the spinner does it only when it shows.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from decade.cards import Deal
from decade.difficulty import Difficulty, difficulty
from decade.rules import Rules
from decade.solver import MEMORY_LIMIT, Result
from decade.solver import solve as search

VERDICT_STATUS = {"winnable": 0, "unwinnable": 1, "unknown": 3}
MIB = 2**20
NO_LIMIT = 2**63 - 1  # the search takes no larger one, and reaches none so large
PATIENCE = 2.0
"""Seconds of search before the spinner shows."""


class Limits(NamedTuple):
    """What the options say about how far to search."""

    node_limit: int | None
    memory_limit: int

    def to_dict(self) -> dict[str, Any]:
        """Give the limits as the search takes them."""
        return {
            "node_limit": None if self.node_limit is None else min(self.node_limit, NO_LIMIT),
            "memory_limit": min(self.memory_limit * MIB, NO_LIMIT),
        }

    def search(self, deal: Deal, rules: Rules, *, name: str | None, count: bool = False) -> Result:
        """Decide a deal within the limits."""
        with spinner("searching"):
            return search(deal, rules, count=count, name=name, **self.to_dict())

    def rate(self, result: Result) -> Difficulty | None:
        """Say how hard a deal is, if it can be won and no limit stops that."""
        with spinner("looking at the decisions"):
            return difficulty(result, **self.to_dict())

    def explain(self, result: Result) -> None:
        """Say on stderr which limit stopped a search, if one did."""
        if result.verdict.value == "unknown":
            nodes = result.limit == "nodes"
            limit = (
                f"node-limit {self.node_limit}" if nodes else f"memory-limit {self.memory_limit}"
            )
            text = f"decade: stopped by --{limit}: give a larger one to search further"
            click.echo(text, err=True)


def takes_limits(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for limits of the search, as ``limits``, a `Limits`."""

    @functools.wraps(command)
    def wrapper(node_limit: int | None, memory_limit: int, **given: Any) -> None:
        command(limits=Limits(node_limit, memory_limit), **given)

    memory = click.option(
        "--memory-limit",
        type=click.IntRange(min=1),
        default=MEMORY_LIMIT // MIB,
        show_default=True,
        metavar="MIB",
        help="Stop it when it needs more.",
    )
    nodes = click.option(
        "--node-limit",
        type=click.IntRange(min=1),
        metavar="N",
        help="Stop the search after N nodes.",
    )
    return nodes(memory(wrapper))


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show on a terminal that work goes on, once it has gone on for a while.

    The work stays in the main thread, where Ctrl-C arrives; this one only waits and draws.
    """
    done = threading.Event()

    def draw() -> None:
        if not done.wait(PATIENCE):
            from rich.console import Console  # noqa: PLC0415 (slow)

            with Console(stderr=True).status(f"{text} (Ctrl-C stops)"):
                done.wait()

    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
