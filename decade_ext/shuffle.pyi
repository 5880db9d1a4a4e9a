"""Shuffling a pack with random words that are given."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

PATHS: Final[tuple[str, ...]]
WORDS: Final[int]

def shuffle(
    words: NDArray[np.uint64],
    pack: NDArray[np.uint8],
    cards: NDArray[np.uint8],
    path: str | None = None,
) -> tuple[int, int] | None:
    """Fill each row of ``cards`` with the pack in the order that the row's words say.

    Args:
        words: C-contiguous uint64 array of shape (deals, 8).
        pack: C-contiguous uint8 array of 52 items.
        cards: C-contiguous uint8 array of shape (deals, 52), overwritten.
        path: one of ``PATHS``, which give the same cards, or None for the fastest.

    Returns:
        None, or the row and column of the first word that must be replaced for every order to be
        as likely; rows from there on are not done.

    Raises:
        ValueError: if the shapes do not fit, or there is no such path.
    """
