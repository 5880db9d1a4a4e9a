"""Shuffling a pack with random words that are given: the same words, the same order, everywhere.

A pack of 52 is shuffled from the last place down: place i gets one of the cards in places 0 to i, for
i = 51 to 1 (Fisher and Yates). The 51 choices take eight words of 64 bits. A word x is a fraction
x / 2^64; multiplied by the number of cards to choose from it gives the choice as its whole part, and
what is behind the point serves for the next choice (Brackett-Rozinsky and Lemire, "Batched ranged
random integer generation", 2024). With b the product of the numbers that a word has served for, the
choices together are floor(x b / 2^64), and x b mod 2^64 is left over. Each of the b outcomes has the
same number of words if those that leave less than 2^64 mod b are rejected. Less than one in 2^24 is,
and then another word must be given.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy


cdef extern from *:
    """
    static inline uint64_t decade_mul(uint64_t *x, uint64_t y) {
        unsigned __int128 product = (unsigned __int128)*x * y;
        *x = (uint64_t)product;
        return (uint64_t)(product >> 64);
    }
    """
    uint64_t wide_multiply "decade_mul"(uint64_t* x, uint64_t y) noexcept nogil

PACK = 52
WORDS = 8


cdef enum:
    PACK_CARDS = 52
    PACK_WORDS = 8


cdef int shuffle_pack(const uint64_t* words, uint8_t* cards) noexcept nogil:
    """Bring the cards in the order the words say; the first word rejected, or -1."""
    cdef int word, _step, place
    cdef uint64_t x, product, choice
    cdef uint8_t card
    place = PACK_CARDS - 1
    for word in range(PACK_WORDS):
        x = words[word]
        product = 1
        for _step in range(7 if word < 3 else 6):    # 3 x 7 + 5 x 6 = 51 choices
            choice = wide_multiply(&x, place + 1)
            product *= place + 1
            card = cards[choice]
            cards[choice] = cards[place]
            cards[place] = card
            place -= 1
        if x < product and x < -product % product:
            return word
    return -1


def shuffle(const uint64_t[:, ::1] words, const uint8_t[::1] pack, uint8_t[:, ::1] cards):
    """Shuffle a pack a row. See the stub."""
    cdef Py_ssize_t deal, deals = words.shape[0]
    cdef int rejected = -1
    if words.shape[1] != PACK_WORDS or cards.shape[0] != deals or cards.shape[1] != PACK_CARDS:
        raise ValueError("words must have the shape (deals, 8) and cards (deals, 52)")
    if pack.shape[0] != PACK_CARDS:
        raise ValueError("pack must have 52 items")
    if deals == 0:
        return None
    with nogil:
        for deal in range(deals):
            memcpy(&cards[deal, 0], &pack[0], PACK_CARDS)
            rejected = shuffle_pack(&words[deal, 0], &cards[deal, 0])
            if rejected >= 0:
                break
    return None if rejected < 0 else (deal, rejected)
