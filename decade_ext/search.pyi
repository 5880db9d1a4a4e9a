"""What Python may call of the compiled search."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

MAX_CARDS: Final[int]
PATHS: Final[tuple[str, ...]]
"""The ways in which this machine can run kernels that decide many deals side by side."""

@final
class Stop:
    """A flag that ends searches in other threads."""

    def set(self) -> None:
        """End the searches that were given this flag, within a few thousand nodes."""
    def is_set(self) -> bool:
        """Say whether it was set."""

@final
class Search:
    """Decides deals under one rule set; for one thread at a time.

    ``max_cards`` 0 is no limit. ``memory_limit`` is in bytes. ``memo_entries`` is how many
    positions are remembered, -1 for all; fewer cost time, never truth. ``path`` is one of
    ``PATHS``, which give the same results, None for the fastest, or "search" to search where the
    residue kernel would decide.
    """

    def __new__(
        cls,
        *,
        totals: Sequence[int],
        min_cards: int,
        max_cards: int,
        wrap: bool,
        reach: str,
        piles: int,
        opening: int,
        optional: bool,
        recycle: bool,
        target: int,
        node_limit: int,
        memory_limit: int,
        stop: Stop,
        memo_entries: int = -1,
        path: str | None = None,
    ) -> Search: ...
    def solve(
        self,
        values: Sequence[int],
        *,
        count: bool = False,
        layout: tuple[Sequence[int], int, Sequence[int]] | None = None,
    ) -> tuple[
        int,
        int,
        int,
        list[tuple[int, int, tuple[int, ...]]],
        tuple[int, int, Fraction] | None,
        str | None,
    ]:
        """Decide one deal.

        Args:
            values: point values, first dealt first; those on the table before those in the stock.
            count: count plays.
            layout: how many cards lie in each pile, the pile that gets the next, and how many each
                pile has had, if the game does not begin with all cards in the stock. For several
                piles only.

        Returns:
            The verdict (0 unwinnable, 1 winnable, 2 unknown), what the play leaves (-1 for null),
            nodes, the play as (cards dealt, pile, cards), the counts (plays, winning plays, chance
            of a uniformly random player) if asked for, and the limit that ended the search
            ("nodes" or "memory") or None.

        Raises:
            ValueError: if there are not 1 to 104 values, or the layout does not fit.
            RuntimeError: if another thread is using this search.
            KeyboardInterrupt: if it was interrupted.
        """

    def solve_many(
        self,
        values: NDArray[np.uint8],
        verdict: NDArray[np.uint8],
        remaining: NDArray[np.int16],
        nodes: NDArray[np.int64],
        *,
        layout: tuple[Sequence[int], int, Sequence[int]] | None = None,
    ) -> None:
        """Decide a deal a row of ``values``; the arrays, one item a deal, are filled in.

        Args:
            values: point values, a deal a row.
            verdict: 0 unwinnable, 1 winnable, 2 unknown.
            remaining: what is left, -1 for null.
            nodes: positions looked at.
            layout: as for ``solve``; the same for all deals.

        Raises:
            ValueError: if the shapes do not fit, or the layout, or a value is 0.
            RuntimeError: if another thread is using this search.
            KeyboardInterrupt: if it was interrupted.
        """
