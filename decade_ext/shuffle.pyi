"""Shuffling a pack with random words that are given."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

PACK: Final[int]
WORDS: Final[int]

def shuffle(
    words: NDArray[np.uint64], pack: NDArray[np.uint8], cards: NDArray[np.uint8]
) -> tuple[int, int] | None:
    """Fill each row of ``cards`` with the pack in the order that the row's words say.

    Args:
        words: C-contiguous uint64 array of shape (deals, 8).
        pack: C-contiguous uint8 array of 52 items.
        cards: C-contiguous uint8 array of shape (deals, 52), overwritten.

    Returns:
        None, or the row and column of the first word that must be replaced for every order to be
        as likely; rows from there on are not done.

    Raises:
        ValueError: if the shapes do not fit.
    """
