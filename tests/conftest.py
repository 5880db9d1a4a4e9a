"""What the tests share: the seed that random cases come from, and a search for given rules."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from decade.rules import Discard, Rules
from decade_ext.search import Search, Stop

DEFAULT_SEED = 1949
SEED = int(os.environ.get("DECADE_SEED", str(DEFAULT_SEED)))
DATA = Path(__file__).parent / "data"


def pytest_report_header() -> str:
    """Say which random cases this run draws."""
    return f"random cases: DECADE_SEED={SEED} (set it to draw others; default {DEFAULT_SEED})"


@pytest.fixture(scope="session")
def seed() -> int:
    """Where random cases start from; the same by default in every run."""
    return SEED


def search_for(
    rules: Rules,
    *,
    node_limit: int = 2**63 - 1,
    memory_limit: int = 2**30,
    memo_entries: int = -1,
    path: str | None = None,
    stop: Stop | None = None,
) -> Search:
    """Make the compiled search for a rule set, below the layer that checks what comes in."""
    return Search(
        totals=rules.totals,
        min_cards=rules.min_cards,
        max_cards=rules.max_cards or 0,
        wrap=rules.wrap,
        reach=rules.reach.value,
        piles=rules.piles,
        opening=rules.opening,
        optional=rules.discard is Discard.OPTIONAL,
        recycle=rules.recycle,
        target=rules.target,
        node_limit=node_limit,
        memory_limit=memory_limit,
        stop=Stop() if stop is None else stop,
        memo_entries=memo_entries,
        path=path,
    )


@pytest.fixture(scope="session")
def make_search() -> Callable[..., Search]:
    """Give the maker of compiled searches."""
    return search_for
