"""Declarations of ``line.h``: one pile with forced discards, and the budget it spends from."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from decade_ext.budget cimport Budget, End, release
from decade_ext.piles cimport (
    PREFIX_TOTAL, PREFIX_WORDS, effort, effort_close, effort_make, effort_open, prefix_make,
    prefix_rules, prefix_set,
)
from decade_ext.position cimport CARDS, Rules


cdef extern from "line.h" nogil:
    ctypedef struct line_taken:
        uint8_t dealt
        prefix_set set

    ctypedef struct line_search:
        prefix_rules rules
        int target
        int opening
        int n
        uint8_t value[CARDS]
        effort spent
        void* keys
        void* table
        void* frames
        void* left
        size_t keys_size
        size_t table_size
        size_t frames_size
        size_t left_size
        int keep_play
        int best
        int best_count
        line_taken best_play[CARDS]

    int line_decide(line_search* search)


cdef inline void line_make(line_search* search, const Rules* rules, Budget* budget) noexcept nogil:
    memset(search, 0, sizeof(line_search))
    prefix_make(&search.rules, rules)
    search.target = rules.target
    effort_make(&search.spent, budget)


cdef inline void line_free(line_search* search, Budget* budget) noexcept nogil:
    release(budget, search.keys, search.keys_size)
    release(budget, search.table, search.table_size)
    release(budget, search.frames, search.frames_size)
    release(budget, search.left, search.left_size)
    search.keys = search.table = search.frames = search.left = NULL
    search.keys_size = search.table_size = search.frames_size = search.left_size = 0


cdef inline bint line_fits(const Rules* rules, uint64_t total_of_deal) noexcept nogil:
    """Say whether this kernel decides such deals (values already cut to ``rules.most`` + 1)."""
    return (
        rules.piles == 1 and not rules.optional
        and rules.most <= PREFIX_TOTAL and total_of_deal < 64 * PREFIX_WORDS
    )


cdef inline End line_spend(
    line_search* search, const Rules* rules, Budget* budget, const uint32_t* values, int n
) noexcept nogil:
    """Decide a deal within the budget."""
    cdef int card, end
    for card in range(n):
        search.value[card] = <uint8_t>values[card]
    search.n = n
    search.opening = <int>min(rules.opening, <uint32_t>n)
    effort_open(&search.spent, budget)
    end = line_decide(search)
    effort_close(&search.spent, budget)
    return <End>end
