"""Shuffling packs with random words that are given. ``shuffle.h`` says how."""

from libc.stdint cimport uint8_t, uint64_t


cdef extern from "shuffle.h" nogil:
    enum:
        SHUFFLE_CARDS
        SHUFFLE_WORDS
    bint shuffle_has_vector()
    size_t shuffle_packs(
        const uint64_t* words, const uint8_t* pack, uint8_t* cards, size_t deals, bint vector,
        int* word
    )

WORDS = SHUFFLE_WORDS
PATHS = ("scalar", "vector") if shuffle_has_vector() else ("scalar",)


def shuffle(const uint64_t[:, ::1] words, const uint8_t[::1] pack, uint8_t[:, ::1] cards, str path=None):
    """Shuffle a pack a row. See the stub."""
    cdef size_t deal, deals = words.shape[0]
    cdef int word
    cdef bint vector = path == "vector" or path is None and shuffle_has_vector()
    if path not in (None, *PATHS):
        raise ValueError(f"path must be None or one of {PATHS}")
    if words.shape[1] != SHUFFLE_WORDS or cards.shape[0] != words.shape[0] or cards.shape[1] != SHUFFLE_CARDS:
        raise ValueError("words must have the shape (deals, 8) and cards (deals, 52)")
    if pack.shape[0] != SHUFFLE_CARDS:
        raise ValueError("pack must have 52 items")
    if deals == 0:
        return None
    with nogil:
        deal = shuffle_packs(&words[0, 0], &pack[0], &cards[0, 0], deals, vector, &word)
    return None if deal == deals else (deal, word)
