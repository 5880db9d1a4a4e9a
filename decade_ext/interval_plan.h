/*
 * The optional straight line (one pile, no wrap, reach any): the smallest remainder of a deal, and a play that leaves
 * it.
 *
 * The idea. Only which cards leave together matters, not when. Two sets of a play never cross: if a < b < c < d are
 * places in the deal, a and c of one set, b and d of another, then the one that is taken first is not a run, a card
 * of the other still lying within it. And what lies between two cards of a set has left before it, as sets of its
 * own. Conversely take any disjoint sets such that all cards between two cards of a set belong to sets as well, none
 * crossing another. In the order of their last cards they are a play: a set within another one has the smaller last
 * card, so it is gone when the outer one is complete, whose cards are then neighbours. Each may be taken as soon as
 * its last card is dealt, or later: with `optional` nothing forces a hand, and the line is live when the stock is
 * empty at the latest, so `opening` does not matter either. What remains is a question about nested intervals.
 *
 * Boundary i lies before card i (from 0), boundary n behind the last one; the stretch (i, j) is the cards i to j - 1.
 * A stretch is *removable* if all its cards can leave by sets within it. A *rest* of a stretch is what lies when
 * removable stretches within it have left. A stretch is removable if one of its rests is a set, or if it falls into
 * two removable ones. The kernels find the removable stretches from right to left, adding one card in front at a
 * time:
 *
 *     rests of (i, j) = { card i and a rest of (i + 1, j) }  and  { rests of (k, j) : (i, k) removable }
 *
 * Levels. Let all totals be multiples of m, and let P_j be the total of the cards before boundary j, P_j = m F_j +
 * r_j with 0 <= r_j < m. Sets take multiples of m away, so a rest of (i, j) totals m g + r_j - r_i for some level g,
 * and the level says all about it: m, 2m, ..., mH are the totals if r_i = r_j and 1 <= g <= H. The state is one row
 * for each left end i, H + 1 lanes of one bit for each right end j:
 *
 *     bit        n   ...   j   ...  i   ...  1   0
 *     lane 0   [             x                     ]   (i, j) has a rest of       r_j - r_i ; removable if r_i = r_j
 *     lane 1   [             x                     ]   (i, j) has a rest of   m + r_j - r_i
 *     lane 2   [             x                     ]   (i, j) has a rest of  2m + r_j - r_i
 *     lane 3   [             x                     ]   (i, j) has a rest of  3m + r_j - r_i ; not removed yet
 *
 * Card i in front adds F_{i+1} - F_i to the level of all rests at once (m g + r_j - r_{i+1} and its value, m (F_{i+1}
 * - F_i) + r_{i+1} - r_i, are m (g + F_{i+1} - F_i) + r_j - r_i): the row of i + 1 moves up that many lanes. Then the
 * ends j with r_j = r_i and a bit in a lane from 1 to H have become removable; their rows are joined by OR.
 *
 * Counts. If sets have at most K cards and K cards never total m(H + 1), the total needs no watching: lane c holds
 * the rests of c cards, a card in front moves the row up one lane, and the lanes from min_cards to K with r_j = r_i
 * are sets.
 *
 * A row has four lanes of one word (up to 62 cards; the common rules), or four or eight lanes of two words. Lanes of
 * noughts lie before each row, so that "moved up" is an address, not an operation:
 *
 *     word     0     1     2     3     4       5       6       7
 *            [ 0  |  0  |  0  |  0  | lane 0 | lane 1 | lane 2 | lane 3 ]     moved up by one: words 3 to 6
 *
 * All other rules go to the general kernel, which keeps (total, count) pairs instead of lanes.
 *
 * Why it may be done so:
 *
 * - The top lane may hold rests above mH (r_j > r_i). They do no harm: while the row does not move up, r_i falls with
 *   every card in front, so r_j = r_i cannot come about, and when it moves up they are gone.
 * - With min_cards 2 a card whose value is a multiple of m is a total but no set. As values are 1 or more, a rest
 *   that begins with this card and totals its value is this card alone, and it is in the lane that lane 0 of
 *   removable stretches moved to; so that lane is left out, at this card only (a later card in front changes the
 *   level or r).
 * - Ends are walked from the nearest. If (i, j) and (j, k) are removable, every rest of (k, l) is one of (j, l), so
 *   the row of k is part of the row of j and is skipped: in lane 0 of j the ends that have the residue of j, as all
 *   ends of i do, are just the removable ones, and one ANDN clears them. 0.9 rows a card are joined instead of all.
 *
 * Tried and dropped (pysol, 52 cards, side by side on a Zen 3; the batch was 0.25 us a deal at the time and is 0.20
 * now that 32 cards are prepared at a time and sets looked up a deal ahead, the plain cubic program 40): a branch for
 * the second end of a card 0.39; the third end without a branch 0.24 to 0.28; the nearest and the farthest end at once
 * 0.37, since then more ends are left over; lanes moved by a shuffle 0.32 instead of 0.29 at the time; rows packed to
 * 40 bytes 0.30 instead of 0.29; four deals side by side 0.27, twelve 0.25; for the 14 deals of 100 that are not won,
 * minima over all removable ends 0.06 instead of 0.02 for the frontier. A first pass that joins only the farthest end
 * proves 54 deals of 100 won (nearest: 33; two ends: 84) for half the price, which gains nothing. One deal alone
 * through the batch's code 0.83 instead of 0.52: it waits for its own stores. At 0.21, before the looking ahead:
 * residues' masks from bit planes 0.20 to 0.21; a third end without a branch for the cards in front alone, where there
 * are most, 0.21; what is left over noted and not walked, such deals done again if not won, no less for the store that
 * it takes; four instructions less of 30, by tuning for this processor, 0.21. At 0.195, of which guessing wrong that no
 * end is left over takes 0.03 and the frontier 0.02: rows kept in registers and moved by a permutation 0.195; what is
 * left over looked at one to six deals later 0.19 to 0.20, for four deals at once 0.205; for the frontier, a loop
 * without branches 0.205, only boundaries whose stretches are not in it yet 0.205, four lost deals in step 0.195 to
 * 0.20. 104 cards take 2.0 us, one deal alone 2.6 (2.9 without AVX2), three or four side by side 1.95.
 */
#ifndef INTERVAL_PLAN_H
#define INTERVAL_PLAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && !defined(INTERVAL_PORTABLE)
#include <immintrin.h>
#elif defined(__SSE2__) && !defined(INTERVAL_PORTABLE)
#include <emmintrin.h>
#endif

enum {
    INTERVAL_MOST_CARDS = 104,
    INTERVAL_NARROW_CARDS = 62, /* boundaries 0 to 62 and "nowhere" share a word */
    INTERVAL_MOST_MODULUS = 32, /* residues and sums of two of them fit a byte */
    INTERVAL_LANES = 8,         /* of a wide row; a narrow row has four */
    INTERVAL_SIDE_BY_SIDE = 8,  /* narrow deals at a time: what they touch just fits a 32 KiB cache */
    INTERVAL_NO_MEMORY = -1,
    INTERVAL_STOPPED = -2
};

#define INTERVAL_INLINE static inline __attribute__((always_inline))

/* Two lanes of two words, or four of one. */
typedef uint64_t interval_row __attribute__((vector_size(32), aligned(8), may_alias));

#if defined(__x86_64__) && !defined(INTERVAL_PORTABLE)

#define INTERVAL_AVX2 __attribute__((target("avx2,bmi")))

static inline int interval_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

#endif

/* ---- the plan: which kernel decides these rules ---------------------------------------------------------------- */

typedef enum { INTERVAL_LEVELS, INTERVAL_COUNTS, INTERVAL_GENERAL } interval_kind;

typedef struct {
    interval_kind kind;
    unsigned modulus;       /* levels, counts: the totals are its multiples */
    unsigned top;           /* levels: modulus * top is the greatest total; counts: max_cards */
    unsigned min_cards;     /* 1 or more */
    unsigned max_cards;     /* 0: no limit */
    uint64_t counted[4];    /* counts: all ones for the lanes whose rests may be sets once they have another card */
    uint32_t largest;       /* levels, counts: exact for card values up to this one */
    const uint32_t *totals; /* ascending; borrowed */
    size_t totals_size;
    int plain;              /* take no instructions that not every processor has */
    int (*stop)(void *);    /* general: asked between cards whether to stop, unless NULL */
    void *stop_about;
} interval_plan;

/*
 * Levels ask for totals m, 2m, ..., Hm and no more about the number of cards than whether it is one.
 *
 * Counts ask for a limit of K cards and the same totals, so that the total itself need not be known: K cards of at
 * most `largest` total less than m(H + 1), hence a rest of up to K cards is a total as soon as m divides it.
 */
static inline void interval_plan_make(interval_plan *plan, const uint32_t *totals, size_t totals_size,
                                      unsigned min_cards, unsigned max_cards)
{
    uint64_t modulus = totals[0], multiples = 1;
    memset(plan, 0, sizeof *plan);
    plan->kind = INTERVAL_GENERAL;
    plan->totals = totals;
    plan->totals_size = totals_size;
    plan->min_cards = min_cards > 1 ? min_cards : 1;
    plan->max_cards = max_cards < INTERVAL_MOST_CARDS ? max_cards : 0;
    while (multiples < totals_size && totals[multiples] == modulus * (multiples + 1))
        multiples++;
    if (multiples < totals_size || modulus > INTERVAL_MOST_MODULUS)
        return;
    plan->modulus = (unsigned)modulus;
    plan->largest = UINT8_MAX;
    if (!plan->max_cards && plan->min_cards <= 2 && multiples < INTERVAL_LANES) {
        plan->kind = INTERVAL_LEVELS;
        plan->top = (unsigned)multiples;
    } else if (plan->max_cards && plan->max_cards <= INTERVAL_LANES) {
        uint64_t largest = (modulus * (multiples + 1) - 1) / plan->max_cards;
        plan->kind = INTERVAL_COUNTS;
        plan->top = plan->max_cards;
        if (largest < plan->largest)
            plan->largest = (uint32_t)largest;
        for (unsigned lane = plan->min_cards - 1; lane < plan->max_cards && lane < 4; lane++)
            plan->counted[lane] = UINT64_MAX;
    }
}

typedef enum { INTERVAL_BY_NARROW, INTERVAL_BY_WIDE, INTERVAL_BY_RESTS } interval_kernel;

/* The fastest kernel that is exact for so many cards of at most this value. */
static inline interval_kernel interval_kernel_for(const interval_plan *plan, unsigned cards, uint32_t greatest)
{
    if (plan->kind == INTERVAL_GENERAL || greatest > plan->largest)
        return INTERVAL_BY_RESTS;
    int narrow = plan->kind == INTERVAL_COUNTS ? plan->top <= 4 && greatest < 2 * plan->modulus
                                               : plan->top == 3 && greatest <= plan->modulus;
    return narrow && cards <= INTERVAL_NARROW_CARDS ? INTERVAL_BY_NARROW : INTERVAL_BY_WIDE;
}

static inline unsigned interval_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* ---- boundaries as bits ---------------------------------------------------------------------------------------- */

/* Boundary i, between the i-th card and the next (counting from one), is bit i. */
__extension__ typedef unsigned __int128 interval_ends;

static inline interval_ends interval_bit(unsigned boundary)
{
    return (interval_ends)1 << boundary;
}

static inline unsigned interval_lowest(interval_ends ends)
{
    uint64_t low = (uint64_t)ends;
    return low ? (unsigned)__builtin_ctzll(low) : 64 + (unsigned)__builtin_ctzll((uint64_t)(ends >> 64));
}

/*
 * removable[i]: the boundaries j >= i for which all cards from i to j can leave, i itself among them.
 * Returns the smallest remainder; left_over[j] becomes that of the cards before j where it is asked for.
 *
 * A frontier instead of a minimum a boundary: the boundaries that can be reached with k cards left, from them those
 * with k + 1. Each boundary is spread once, at its least k.
 */
static inline int interval_least(const interval_ends *removable, unsigned cards, uint8_t *left_over)
{
    interval_ends reached = 0, front = removable[0];
    for (int k = 0;; k++) {
        interval_ends fresh = front & ~reached;
        reached |= fresh;
        front = 0;
        if (!left_over && reached >> cards & 1)
            return k;
        for (interval_ends rest = fresh; rest; rest &= rest - 1) {
            unsigned boundary = interval_lowest(rest);
            if (left_over)
                left_over[boundary] = (uint8_t)k;
            if (boundary < cards)
                front |= removable[boundary + 1];
        }
        if (reached >> cards & 1)
            return k;
    }
}

#endif
