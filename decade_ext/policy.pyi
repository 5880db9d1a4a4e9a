"""What Python may call of the compiled policies."""

from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

POLICIES: Final[tuple[str, ...]]
OUTCOMES: Final[tuple[str, ...]]

@final
class Player:
    """Plays deals by fixed policies under one rule set; for one thread at a time.

    ``max_cards`` 0 is no limit.
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
    ) -> Player: ...
    def play_many(
        self,
        values: NDArray[np.uint8],
        policy: str,
        outcome: NDArray[np.uint8],
        remaining: NDArray[np.int16],
        *,
        seed: int = 0,
        index: int = 0,
    ) -> None:
        """Play a deal a row of ``values``; the arrays, one item a deal, are filled in.

        Args:
            values: point values, shape (deals, cards), first dealt first.
            policy: one of ``POLICIES``.
            outcome: place in ``OUTCOMES``, for each deal.
            remaining: cards left on the table when the play ended, for each deal.
            seed: seed of the random policy's numbers.
            index: the first deal's index in the seed; the others follow.

        Raises:
            ValueError: if the shapes do not fit or there is no such policy.
            MemoryError: if a play goes on for too many positions.
        """
