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
 * Tried and dropped (pysol, 52 cards, side by side on a Zen 3 at 3.4 GHz; the batch as it stands is 0.23 us a deal,
 * the plain cubic program 40): a branch for the second end of a card 0.39; the third end without a branch 0.24 to
 * 0.28; the nearest and the farthest end at once 0.37, since then more ends are left over; lanes moved by a shuffle
 * 0.32 instead of 0.29 at the time; rows packed to 40 bytes 0.30 instead of 0.29; four deals side by side 0.27,
 * twelve 0.25; for the 14 deals of 100 that are not won, minima over all removable ends 0.06 instead of 0.02 for the
 * frontier. A first pass that joins only the farthest end proves 54 deals of 100 won (nearest: 33; two ends: 84) for
 * half the price, which gains nothing. One deal alone through the batch's code 0.83 instead of 0.52: it waits for its
 * own stores.
 */
#ifndef INTERVAL_H
#define INTERVAL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__) && !defined(INTERVAL_PORTABLE)
#include <emmintrin.h>
#endif

enum {
    INTERVAL_MOST_CARDS = 104,
    INTERVAL_NARROW_CARDS = 62, /* boundaries 0 to 62 and "nowhere" share a word */
    INTERVAL_MOST_MODULUS = 32, /* residues and sums of two of them fit a byte */
    INTERVAL_LANES = 8,         /* of a wide row; a narrow row has four */
    INTERVAL_SIDE_BY_SIDE = 8,  /* narrow deals at a time: what they touch just fits a 32 KiB cache */
    INTERVAL_NO_MEMORY = -1
};

#define INTERVAL_INLINE static inline __attribute__((always_inline))

/* ---- the plan: which kernel decides these rules ------------------------------------------------------------------ */

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
} interval_plan;

/*
 * Levels ask for totals m, 2m, ..., Hm and no more about the number of cards than whether it is one.
 *
 * Counts ask for a limit of K cards and the same totals, so that the total itself need not be known: K cards of at most
 * `largest` total less than m(H + 1), hence a rest of up to K cards is a total as soon as m divides it.
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

static inline unsigned interval_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* ---- boundaries as bits ------------------------------------------------------------------------------------------ */

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
 * A frontier instead of a minimum a boundary: the boundaries that can be reached with k cards left, from them those with
 * k + 1. Each boundary is spread once, at its least k.
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

/* ---- narrow: totals m, 2m, 3m and values up to m, or at most four cards; 62 cards ------------------------------- */

typedef uint64_t interval_row __attribute__((vector_size(32), aligned(8), may_alias));

#define INTERVAL_NOWHERE ((uint64_t)1 << 63)

typedef struct {
    uint64_t rows[64][8];  /* by left end: four lanes of noughts, then the four lanes; row 63 ("nowhere") is empty */
    uint64_t same[INTERVAL_MOST_MODULUS]; /* by residue: the boundaries that have it */
    uint8_t residue[64];   /* by boundary: total of the cards before it, modulo m */
    int8_t shift[64];      /* by card: minus the levels that it adds, 0 or -1 */
    int8_t first[64];      /* by card: where to look for sets: shift, but 1 higher if the card must not go alone */
} interval_narrow;

static inline int interval_fits_narrow(const interval_plan *plan, uint32_t greatest, unsigned cards)
{
    if (cards > INTERVAL_NARROW_CARDS)
        return 0;
    return plan->kind == INTERVAL_COUNTS ? plan->top <= 4 && greatest < 2 * plan->modulus
                                         : plan->top == 3 && greatest <= plan->modulus;
}

#if defined(__SSE2__) && !defined(INTERVAL_PORTABLE)

/* x modulo m for x < 2m: if x < m, x - m wraps round to a greater byte. */
INTERVAL_INLINE __m128i interval_reduce(__m128i x, __m128i modulus)
{
    return _mm_min_epu8(x, _mm_sub_epi8(x, modulus));
}

/* Running totals modulo m by doubling, sixteen cards at a time; the masks of equal residues by comparison. */
INTERVAL_INLINE void interval_narrow_residues(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                              unsigned cards)
{
    const __m128i modulus = _mm_set1_epi8((char)plan->modulus), below = _mm_set1_epi8((char)(plan->modulus - 1));
    const __m128i alone = plan->min_cards == 1 ? _mm_setzero_si128() : modulus;
    __m128i before[4];
    uint8_t padded[64] = {0};
    unsigned carried = 0;
    memcpy(padded, values, cards);
#pragma GCC unroll 4
    for (unsigned block = 0; block < 4; block++) {
        __m128i value = _mm_loadu_si128((const __m128i *)(padded + 16 * block));
        __m128i x = interval_reduce(value, modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 1)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 2)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 4)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_slli_si128(x, 8)), modulus);
        x = interval_reduce(_mm_add_epi8(x, _mm_set1_epi8((char)carried)), modulus);
        before[block] = _mm_or_si128(_mm_slli_si128(x, 1), _mm_cvtsi32_si128((int)carried));
        carried = (unsigned)_mm_extract_epi16(x, 7) >> 8;
        __m128i shift = _mm_cmpgt_epi8(_mm_add_epi8(before[block], value), below);
        __m128i first = _mm_sub_epi8(shift, _mm_cmpeq_epi8(value, alone));
        _mm_storeu_si128((__m128i *)(deal->residue + 16 * block), before[block]);
        _mm_storeu_si128((__m128i *)(deal->shift + 16 * block), shift);
        _mm_storeu_si128((__m128i *)(deal->first + 16 * block), first);
    }
    for (unsigned residue = 0; residue < plan->modulus; residue++) {
        __m128i wanted = _mm_set1_epi8((char)residue);
        uint64_t mask = 0;
#pragma GCC unroll 4
        for (unsigned block = 0; block < 4; block++)
            mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(before[block], wanted)) << (16 * block);
        deal->same[residue] = mask;
    }
}

#else

INTERVAL_INLINE void interval_narrow_residues(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                              unsigned cards)
{
    unsigned residue = 0;
    memset(deal->same, 0, plan->modulus * sizeof deal->same[0]);
    for (unsigned card = 0; card < cards; card++) {
        deal->residue[card] = (uint8_t)residue;
        deal->same[residue] |= (uint64_t)1 << card;
        residue += values[card];
        unsigned carry = residue >= plan->modulus;
        residue -= carry ? plan->modulus : 0;
        residue -= residue >= plan->modulus ? plan->modulus : 0;
        deal->shift[card] = (int8_t)-(int)carry;
        deal->first[card] = (int8_t)((plan->min_cards == 2 && values[card] == plan->modulus) - (int)carry);
    }
    deal->residue[cards] = (uint8_t)residue;
    deal->same[residue] |= (uint64_t)1 << cards;
}

#endif

INTERVAL_INLINE uint64_t *interval_narrow_row(const interval_narrow *deal, size_t boundary)
{
    return (uint64_t *)deal->rows[boundary] + 4;
}

INTERVAL_INLINE void interval_narrow_prepare(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                             unsigned cards)
{
    interval_narrow_residues(deal, plan, values, cards);
    *(interval_row *)interval_narrow_row(deal, 63) = (interval_row){0, 0, 0, 0};
    *(interval_row *)interval_narrow_row(deal, cards) = (interval_row){(uint64_t)1 << cards, 0, 0, 0};
}

/* The boundaries j >= left for which all cards from `left` to j can leave. */
INTERVAL_INLINE uint64_t interval_narrow_removable(const interval_narrow *deal, unsigned left)
{
    return interval_narrow_row(deal, left)[0] & deal->same[deal->residue[left]];
}

INTERVAL_INLINE void interval_narrow_card(interval_narrow *deal, const interval_plan *plan, size_t card, int counts)
{
    const uint64_t *behind = interval_narrow_row(deal, card + 1);
    const uint64_t *moved = behind + (counts ? -1 : deal->shift[card]);
    uint64_t ends;
    if (counts)
        ends = (behind[0] & plan->counted[0]) | (behind[1] & plan->counted[1]) | (behind[2] & plan->counted[2]) |
               (behind[3] & plan->counted[3]);
    else
        ends = (behind + 1)[deal->first[card]] | moved[2] | moved[3];
    ends = (ends & deal->same[deal->residue[card]]) | INTERVAL_NOWHERE;
    interval_row row = *(const interval_row *)moved;
    /* Nearly always at most two ends are walked; the empty row stands in for those that there are not. */
    const uint64_t *nearest = interval_narrow_row(deal, (size_t)__builtin_ctzll(ends));
    ends &= ~nearest[0];
    const uint64_t *next = interval_narrow_row(deal, (size_t)__builtin_ctzll(ends));
    ends &= ~next[0];
    row |= *(const interval_row *)nearest | *(const interval_row *)next;
    while (__builtin_expect(ends != INTERVAL_NOWHERE, 0)) {
        next = interval_narrow_row(deal, (size_t)__builtin_ctzll(ends));
        row |= *(const interval_row *)next;
        ends &= ~next[0];
    }
    row |= (interval_row){(uint64_t)1 << card, 0, 0, 0};
    *(interval_row *)interval_narrow_row(deal, card) = row;
}

/* Eight deals, card by card, so that the processor always has seven others to work at while it waits for a row. */
INTERVAL_INLINE void interval_narrow_eight(interval_narrow *deals, const interval_plan *plan, const uint8_t *values,
                                           unsigned cards, int counts)
{
    for (unsigned k = 0; k < INTERVAL_SIDE_BY_SIDE; k++)
        interval_narrow_prepare(&deals[k], plan, values + (size_t)k * cards, cards);
    for (size_t card = cards; card-- > 0;) {
        interval_narrow_card(&deals[0], plan, card, counts);
        interval_narrow_card(&deals[1], plan, card, counts);
        interval_narrow_card(&deals[2], plan, card, counts);
        interval_narrow_card(&deals[3], plan, card, counts);
        interval_narrow_card(&deals[4], plan, card, counts);
        interval_narrow_card(&deals[5], plan, card, counts);
        interval_narrow_card(&deals[6], plan, card, counts);
        interval_narrow_card(&deals[7], plan, card, counts);
    }
}

typedef void interval_narrow_kernel(interval_narrow *deals, const interval_plan *plan, const uint8_t *values,
                                    unsigned cards);

static inline void interval_narrow_plain(interval_narrow *deals, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards)
{
    if (plan->kind == INTERVAL_COUNTS)
        interval_narrow_eight(deals, plan, values, cards, 1);
    else
        interval_narrow_eight(deals, plan, values, cards, 0);
}

#if defined(__x86_64__) && !defined(__AVX2__) && !defined(INTERVAL_PORTABLE)

/* The same text, compiled for processors where a row is one register. */
__attribute__((target("avx2,bmi"))) static inline void
interval_narrow_avx2(interval_narrow *deals, const interval_plan *plan, const uint8_t *values, unsigned cards)
{
    if (plan->kind == INTERVAL_COUNTS)
        interval_narrow_eight(deals, plan, values, cards, 1);
    else
        interval_narrow_eight(deals, plan, values, cards, 0);
}

static inline interval_narrow_kernel *interval_narrow_best(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? interval_narrow_avx2
                                                                           : interval_narrow_plain;
}

#else

static inline interval_narrow_kernel *interval_narrow_best(void)
{
    return interval_narrow_plain;
}

#endif

/*
 * One deal alone waits for its own last row at every card, so here the lanes stay in four registers, and a guess of the
 * branch predictor is cheaper than the second row.
 */
INTERVAL_INLINE void interval_narrow_lanes(interval_narrow *deal, const interval_plan *plan, unsigned cards, int counts)
{
    uint64_t lane0 = (uint64_t)1 << cards, lane1 = 0, lane2 = 0, lane3 = 0, ends;
    for (size_t card = cards; card-- > 0;) {
        if (counts) {
            ends = (lane0 & plan->counted[0]) | (lane1 & plan->counted[1]) | (lane2 & plan->counted[2]) |
                   (lane3 & plan->counted[3]);
            lane3 = lane2, lane2 = lane1, lane1 = lane0, lane0 = 0;
        } else {
            uint64_t carry = (uint64_t)deal->shift[card];
            uint64_t not_alone = carry & ~(uint64_t)(deal->shift[card] - deal->first[card]);
            ends = lane1 | lane2 | (lane0 & not_alone) | (lane3 & ~carry);
            lane3 = carry ? lane2 : lane3;
            lane2 = carry ? lane1 : lane2;
            lane1 = carry ? lane0 : lane1;
            lane0 = carry ? 0 : lane0;
        }
        ends = (ends & deal->same[deal->residue[card]]) | INTERVAL_NOWHERE;
        do {
            const uint64_t *row = interval_narrow_row(deal, (size_t)__builtin_ctzll(ends));
            lane0 |= row[0], lane1 |= row[1], lane2 |= row[2], lane3 |= row[3];
            ends &= ~row[0];
        } while (ends != INTERVAL_NOWHERE);
        lane0 |= (uint64_t)1 << card;
        uint64_t *row = interval_narrow_row(deal, card);
        row[0] = lane0, row[1] = lane1, row[2] = lane2, row[3] = lane3;
    }
}

static inline void interval_narrow_alone(interval_narrow *deal, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards)
{
    interval_narrow_prepare(deal, plan, values, cards);
    if (plan->kind == INTERVAL_COUNTS)
        interval_narrow_lanes(deal, plan, cards, 1);
    else
        interval_narrow_lanes(deal, plan, cards, 0);
}

/* interval_least in one word. */
static inline int interval_narrow_least(const interval_narrow *deal, unsigned cards)
{
    uint64_t reached = 0, front = interval_narrow_removable(deal, 0);
    int k = 0;
    for (; !(front >> cards & 1); k++) {
        uint64_t fresh = front & ~reached;
        reached |= fresh;
        for (front = 0; fresh; fresh &= fresh - 1)
            front |= interval_narrow_removable(deal, (unsigned)__builtin_ctzll(fresh) + 1);
    }
    return k;
}

static inline void interval_narrow_spread(const interval_narrow *deal, unsigned cards, interval_ends *removable)
{
    for (unsigned left = 0; left <= cards; left++)
        removable[left] = interval_narrow_removable(deal, left);
}

/* ---- wide: all levels and counts --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t rows[(INTERVAL_MOST_CARDS + 1) * 4 * INTERVAL_LANES]; /* by left end: lanes of noughts, lanes; two words each */
    uint64_t same[INTERVAL_MOST_MODULUS][2];                       /* by residue: the boundaries so far */
    unsigned residue[INTERVAL_MOST_CARDS + 1];                     /* total of the cards behind the boundary, modulo m */
    unsigned lanes;                                                /* 4 or 8 */
} interval_wide;

INTERVAL_INLINE uint64_t *interval_wide_row(const interval_wide *deal, size_t boundary, unsigned lanes)
{
    return (uint64_t *)deal->rows + (2 * boundary + 1) * 2 * lanes;
}

INTERVAL_INLINE void interval_wide_card(interval_wide *deal, const interval_plan *plan, unsigned card, unsigned value,
                                        unsigned lanes, int counts)
{
    unsigned sum = deal->residue[card + 1] + value;
    unsigned residue = sum % plan->modulus;
    unsigned shift = counts ? 1 : interval_min(sum / plan->modulus, lanes);
    int alone = plan->min_cards == 2 && value % plan->modulus == 0;
    unsigned first = counts ? plan->min_cards : alone ? shift + 1 : 1;
    const uint64_t *moved = interval_wide_row(deal, card + 1, lanes) - 2 * shift;
    uint64_t *same = deal->same[residue];
    uint64_t ends[2] = {0, 0};
    interval_row row[INTERVAL_LANES / 2];
    for (unsigned lane = first; lane <= plan->top; lane++) {
        ends[0] |= moved[2 * lane];
        ends[1] |= moved[2 * lane + 1];
    }
    ends[0] &= same[0];
    ends[1] &= same[1];
#pragma GCC unroll 4
    for (unsigned k = 0; k < lanes / 2; k++)
        row[k] = ((const interval_row *)moved)[k];
    for (unsigned word = card / 64; word < 2; word++)
        while (ends[word]) {
            const uint64_t *end = interval_wide_row(deal, 64 * word + (unsigned)__builtin_ctzll(ends[word]), lanes);
#pragma GCC unroll 4
            for (unsigned k = 0; k < lanes / 2; k++)
                row[k] |= ((const interval_row *)end)[k];
            ends[0] &= ~end[0];
            ends[1] &= ~end[1];
        }
    uint64_t *stored = interval_wide_row(deal, card, lanes);
#pragma GCC unroll 4
    for (unsigned k = 0; k < lanes / 2; k++)
        ((interval_row *)stored)[k] = row[k];
    stored[card / 64] |= (uint64_t)1 << (card % 64);
    same[card / 64] |= (uint64_t)1 << (card % 64);
    deal->residue[card] = residue;
}

INTERVAL_INLINE void interval_wide_cards(interval_wide *deal, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards, unsigned lanes, int counts)
{
    memset(deal->same, 0, sizeof deal->same);
    for (unsigned boundary = 0; boundary <= cards; boundary++)
        memset(interval_wide_row(deal, boundary, lanes) - 2 * lanes, 0, 2 * lanes * sizeof deal->rows[0]);
    uint64_t *last = interval_wide_row(deal, cards, lanes);
    memset(last, 0, 2 * lanes * sizeof last[0]);
    deal->same[0][cards / 64] = last[cards / 64] = (uint64_t)1 << (cards % 64);
    deal->residue[cards] = 0;
    deal->lanes = lanes;
    for (unsigned card = cards; card-- > 0;)
        interval_wide_card(deal, plan, card, values[card], lanes, counts);
}

static inline void interval_wide_deal(interval_wide *deal, const interval_plan *plan, const uint8_t *values,
                                      unsigned cards)
{
    if (plan->kind == INTERVAL_COUNTS && plan->top <= 4)
        interval_wide_cards(deal, plan, values, cards, 4, 1);
    else if (plan->kind == INTERVAL_COUNTS)
        interval_wide_cards(deal, plan, values, cards, 8, 1);
    else if (plan->top < 4)
        interval_wide_cards(deal, plan, values, cards, 4, 0);
    else
        interval_wide_cards(deal, plan, values, cards, 8, 0);
}

static inline void interval_wide_spread(const interval_wide *deal, unsigned cards, interval_ends *removable)
{
    for (unsigned left = 0; left <= cards; left++) {
        const uint64_t *row = interval_wide_row(deal, left, deal->lanes), *same = deal->same[deal->residue[left]];
        removable[left] = (interval_ends)(row[1] & same[1]) << 64 | (row[0] & same[0]);
    }
}

/* ---- general: any totals, any limits ----------------------------------------------------------------------------- */

/*
 * For one right end at a time, the rests of the stretches that end there and keep their last card: at every left end the
 * (total, count) pairs that occur. A count that is only asked to be `min_cards` or more stands still there. With small
 * totals the pairs are bits, a row of words a count; otherwise an ascending list of total * 256 + count.
 */
enum { INTERVAL_BITS_BYTES = 1 << 20 };

typedef struct {
    const interval_plan *plan;
    const uint32_t *values;
    interval_ends *removable; /* by left end */
    interval_ends alive;      /* left ends at which there is a rest */
    uint32_t max_total;
    unsigned counts;          /* counts 1 to this one are told apart */
    size_t memory_limit;
    unsigned words;           /* of a row of bits; 0: lists */
    uint64_t *bits;           /* by left end, count - 1 and word; behind them the totals as one more row */
    uint64_t *list;           /* of all left ends, one behind the other */
    size_t list_size, list_room;
    size_t from[INTERVAL_MOST_CARDS + 1], to[INTERVAL_MOST_CARDS + 1];
} interval_rests;

static inline int interval_rests_open(interval_rests *rests, const interval_plan *plan, interval_ends *removable,
                                      size_t memory_limit)
{
    memset(rests, 0, sizeof *rests);
    rests->plan = plan;
    rests->removable = removable;
    rests->memory_limit = memory_limit;
    rests->max_total = plan->totals[plan->totals_size - 1];
    rests->counts = plan->max_cards ? plan->max_cards : interval_min(plan->min_cards, INTERVAL_MOST_CARDS + 1);
    uint64_t words = rests->max_total / 64 + 1;
    uint64_t bytes = words * (INTERVAL_MOST_CARDS * (uint64_t)rests->counts + 1) * sizeof(uint64_t);
    if (bytes > INTERVAL_BITS_BYTES || bytes > memory_limit)
        return 0;
    rests->bits = (uint64_t *)calloc(1, (size_t)bytes);
    if (!rests->bits)
        return INTERVAL_NO_MEMORY;
    rests->words = (unsigned)words;
    uint64_t *totals = rests->bits + (size_t)INTERVAL_MOST_CARDS * rests->counts * rests->words;
    for (size_t k = 0; k < plan->totals_size; k++)
        totals[plan->totals[k] / 64] |= (uint64_t)1 << (plan->totals[k] % 64);
    return 0;
}

static inline void interval_rests_close(interval_rests *rests)
{
    free(rests->bits);
    free(rests->list);
}

/* The count with one more card; 0: more than allowed. */
static inline unsigned interval_count_after(const interval_rests *rests, unsigned count)
{
    if (count < rests->counts)
        return count + 1;
    return rests->plan->max_cards ? 0 : count;
}

INTERVAL_INLINE uint64_t *interval_bits_at(const interval_rests *rests, unsigned left, unsigned count, unsigned words)
{
    return rests->bits + ((size_t)left * rests->counts + count - 1) * words;
}

INTERVAL_INLINE uint64_t interval_bits_add(const uint64_t *from, uint64_t *to, unsigned words, uint32_t value)
{
    unsigned skip = value / 64, bits = value % 64;
    uint64_t any = 0;
    for (unsigned word = skip; word < words; word++) {
        uint64_t moved = from[word - skip] << bits;
        if (bits && word > skip)
            moved |= from[word - skip - 1] >> (64 - bits);
        any |= to[word] |= moved;
    }
    return any;
}

/* The rests that begin with card `left`; is one of them a set? */
INTERVAL_INLINE int interval_bits_card(interval_rests *rests, unsigned left, unsigned right, unsigned words)
{
    uint32_t value = rests->values[left];
    const uint64_t *totals = interval_bits_at(rests, INTERVAL_MOST_CARDS, 1, words);
    uint64_t *row = interval_bits_at(rests, left, 1, words), any = 0, set = 0;
    for (size_t k = 0; k < (size_t)rests->counts * words; k++)
        row[k] = 0;
    if (left + 1 == right) {
        if (value / 64 < words)
            any = row[value / 64] = (uint64_t)1 << (value % 64);
    } else if (rests->alive >> (left + 1) & 1) {
        for (unsigned count = 1; count <= rests->counts; count++) {
            unsigned after = interval_count_after(rests, count);
            if (after)
                any |= interval_bits_add(interval_bits_at(rests, left + 1, count, words), row + (after - 1) * words,
                                         words, value);
        }
    }
    if (!any)
        return 0;
    rests->alive |= interval_bit(left);
    for (unsigned count = rests->plan->min_cards; count <= rests->counts; count++)
        for (unsigned word = 0; word < words; word++)
            set |= row[(count - 1) * words + word] & totals[word];
    return set != 0;
}

INTERVAL_INLINE void interval_bits_join(interval_rests *rests, unsigned left, unsigned end, unsigned words)
{
    uint64_t *to = interval_bits_at(rests, left, 1, words);
    const uint64_t *from = interval_bits_at(rests, end, 1, words);
    for (size_t k = 0; k < (size_t)rests->counts * words; k++)
        to[k] |= from[k];
}

static inline int interval_list_reserve(interval_rests *rests, size_t more)
{
    size_t needed = rests->list_size + more, most = rests->memory_limit / sizeof(uint64_t);
    if (needed <= rests->list_room)
        return 0;
    size_t room = needed + needed / 2 + 1024;
    if (room > most)
        room = most;
    if (room < needed)
        return INTERVAL_NO_MEMORY;
    uint64_t *list = (uint64_t *)realloc(rests->list, room * sizeof(uint64_t));
    if (!list)
        return INTERVAL_NO_MEMORY;
    rests->list = list;
    rests->list_room = room;
    return 0;
}

static inline int interval_is_total(const interval_plan *plan, uint64_t total)
{
    size_t low = 0, high = plan->totals_size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->totals[middle] < total)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->totals_size && plan->totals[low] == total;
}

/* As interval_bits_card. Adding the same value and one card keeps a list ascending and brings equals side by side. */
static inline int interval_list_card(interval_rests *rests, unsigned left, unsigned right)
{
    uint32_t value = rests->values[left];
    size_t from = rests->list_size, size = from;
    int set = 0;
    if (left + 1 == right) {
        if (interval_list_reserve(rests, 1) < 0)
            return INTERVAL_NO_MEMORY;
        if (value <= rests->max_total)
            rests->list[size++] = (uint64_t)value << 8 | 1;
    } else if (rests->alive >> (left + 1) & 1) {
        if (interval_list_reserve(rests, rests->to[left + 1] - rests->from[left + 1]) < 0)
            return INTERVAL_NO_MEMORY;
        for (size_t k = rests->from[left + 1]; k < rests->to[left + 1]; k++) {
            unsigned count = interval_count_after(rests, rests->list[k] & 255);
            uint64_t total = (rests->list[k] >> 8) + value, entry = total << 8 | count;
            if (count && total <= rests->max_total && (size == from || rests->list[size - 1] != entry))
                rests->list[size++] = entry;
        }
    }
    for (size_t k = from; k < size && !set; k++)
        set = (rests->list[k] & 255) >= rests->plan->min_cards && interval_is_total(rests->plan, rests->list[k] >> 8);
    if (size > from)
        rests->alive |= interval_bit(left);
    rests->from[left] = from;
    rests->to[left] = rests->list_size = size;
    return set;
}

/* The list of `left` is the last one: the union is made behind it and moved down. */
static inline int interval_list_join(interval_rests *rests, unsigned left, unsigned end)
{
    size_t a = rests->from[end], a_to = rests->to[end], b = rests->from[left], b_to = rests->to[left], size = b_to;
    if (interval_list_reserve(rests, a_to - a + b_to - b) < 0)
        return INTERVAL_NO_MEMORY;
    while (a < a_to || b < b_to) {
        uint64_t x = a < a_to ? rests->list[a] : UINT64_MAX, y = b < b_to ? rests->list[b] : UINT64_MAX;
        rests->list[size++] = x < y ? x : y;
        a += x <= y;
        b += y <= x;
    }
    size_t joined = size - b_to, from = rests->from[left];
    memmove(rests->list + from, rests->list + b_to, joined * sizeof rests->list[0]);
    rests->to[left] = rests->list_size = from + joined;
    return 0;
}

/*
 * All rests for this right end, from left ends down to `first`. *sets becomes the left ends from which one set spans
 * the stretch, its first card the stretch's first, its last card the last. All stretches in between must be known.
 *
 * Walking the ends from the nearest, one that the stretch up to it hides (it can be removed as well from a nearer end)
 * adds nothing: its rests are among those of the nearer end.
 */
INTERVAL_INLINE int interval_rests_walk(interval_rests *rests, unsigned right, unsigned first, interval_ends *sets,
                                        unsigned words)
{
    rests->alive = 0;
    rests->list_size = 0;
    *sets = 0;
    for (unsigned left = right; left-- > first;) {
        int set = words ? interval_bits_card(rests, left, right, words) : interval_list_card(rests, left, right);
        if (set < 0)
            return INTERVAL_NO_MEMORY;
        if (set)
            *sets |= interval_bit(left);
        interval_ends ends = rests->removable[left] & rests->alive & ~interval_bit(left);
        while (ends) {
            unsigned end = interval_lowest(ends);
            if (words)
                interval_bits_join(rests, left, end, words);
            else if (interval_list_join(rests, left, end) < 0)
                return INTERVAL_NO_MEMORY;
            rests->alive |= interval_bit(left);
            ends &= ~rests->removable[end];
        }
    }
    return 0;
}

static inline int interval_rests_of(interval_rests *rests, unsigned right, unsigned first, interval_ends *sets)
{
    if (rests->words == 1)
        return interval_rests_walk(rests, right, first, sets, 1);
    return interval_rests_walk(rests, right, first, sets, rests->words);
}

/* A stretch can be removed if a set ends it and what lies before that set can be removed, or is nothing. */
static inline int interval_general_deal(interval_rests *rests, const uint32_t *values, unsigned cards)
{
    rests->values = values;
    for (unsigned left = 0; left <= cards; left++)
        rests->removable[left] = interval_bit(left);
    for (unsigned right = 1; right <= cards; right++) {
        interval_ends sets;
        if (interval_rests_of(rests, right, 0, &sets) < 0)
            return INTERVAL_NO_MEMORY;
        for (unsigned left = 0; left < right; left++)
            if (rests->removable[left] & sets)
                rests->removable[left] |= interval_bit(right);
    }
    return 0;
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

/*
 * removable[0..cards] as interval_least wants it, by the fastest kernel that is exact here; with `only_win` it may be
 * left undone where all cards can leave. Returns whether they can, or INTERVAL_NO_MEMORY.
 */
static inline int interval_decide(const interval_plan *plan, const uint32_t *values, unsigned cards, int only_win,
                                  interval_ends *removable, size_t memory_limit)
{
    uint8_t bytes[INTERVAL_MOST_CARDS];
    uint32_t greatest = 0;
    for (unsigned card = 0; card < cards; card++) {
        greatest = values[card] > greatest ? values[card] : greatest;
        bytes[card] = (uint8_t)values[card];
    }
    if (plan->kind == INTERVAL_GENERAL || greatest > plan->largest) {
        interval_rests rests;
        int failed = interval_rests_open(&rests, plan, removable, memory_limit);
        if (!failed)
            failed = interval_general_deal(&rests, values, cards);
        interval_rests_close(&rests);
        return failed ? failed : (int)(removable[0] >> cards & 1);
    }
    if (interval_fits_narrow(plan, greatest, cards)) {
        interval_narrow deal;
        interval_narrow_alone(&deal, plan, bytes, cards);
        if (only_win && interval_narrow_removable(&deal, 0) >> cards & 1)
            return 1;
        interval_narrow_spread(&deal, cards, removable);
    } else {
        interval_wide deal;
        interval_wide_deal(&deal, plan, bytes, cards);
        interval_wide_spread(&deal, cards, removable);
    }
    return (int)(removable[0] >> cards & 1);
}

/* The smallest number of cards that can be left, or INTERVAL_NO_MEMORY. */
static inline int interval_remaining(const interval_plan *plan, const uint32_t *values, unsigned cards,
                                     size_t memory_limit)
{
    interval_ends removable[INTERVAL_MOST_CARDS + 1];
    int won = interval_decide(plan, values, cards, 1, removable, memory_limit);
    if (won < 0)
        return INTERVAL_NO_MEMORY;
    return won ? 0 : interval_least(removable, cards, NULL);
}

static inline void interval_batch_narrow(const interval_plan *plan, const uint8_t *values, size_t deals,
                                         unsigned cards, int16_t *remaining)
{
    interval_narrow work[INTERVAL_SIDE_BY_SIDE];
    interval_narrow_kernel *kernel = interval_narrow_best();
    const size_t rest = deals % INTERVAL_SIDE_BY_SIDE, groups = deals / INTERVAL_SIDE_BY_SIDE;
    memset(work, 0, sizeof work);
    for (size_t group = 0; group < groups; group++, values += (size_t)INTERVAL_SIDE_BY_SIDE * cards) {
        kernel(work, plan, values, cards);
        for (unsigned k = 0; k < INTERVAL_SIDE_BY_SIDE; k++)
            *remaining++ = (int16_t)interval_narrow_least(&work[k], cards);
    }
    for (size_t k = 0; k < rest; k++, values += cards) {
        interval_narrow_alone(work, plan, values, cards);
        *remaining++ = (int16_t)interval_narrow_least(work, cards);
    }
}

static inline void interval_batch_wide(const interval_plan *plan, const uint8_t *values, size_t deals, unsigned cards,
                                       int16_t *remaining)
{
    interval_wide work;
    interval_ends removable[INTERVAL_MOST_CARDS + 1];
    for (size_t deal = 0; deal < deals; deal++) {
        interval_wide_deal(&work, plan, values + deal * cards, cards);
        interval_wide_spread(&work, cards, removable);
        remaining[deal] = (int16_t)interval_least(removable, cards, NULL);
    }
}

static inline int interval_batch_general(const interval_plan *plan, const uint8_t *values, size_t deals,
                                         unsigned cards, int16_t *remaining, size_t memory_limit)
{
    interval_rests rests;
    interval_ends removable[INTERVAL_MOST_CARDS + 1];
    uint32_t deal_values[INTERVAL_MOST_CARDS];
    int failed = interval_rests_open(&rests, plan, removable, memory_limit);
    for (size_t deal = 0; deal < deals && !failed; deal++) {
        for (unsigned card = 0; card < cards; card++)
            deal_values[card] = values[deal * cards + card];
        failed = interval_general_deal(&rests, deal_values, cards);
        if (!failed)
            remaining[deal] = (int16_t)interval_least(removable, cards, NULL);
    }
    interval_rests_close(&rests);
    return failed;
}

static inline uint32_t interval_greatest(const uint8_t *values, size_t size)
{
    typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1)));
    sixteen most = {0};
    uint8_t greatest = 0;
    size_t k = 0;
    for (; k + 16 <= size; k += 16) {
        sixteen block = *(const sixteen *)(values + k);
        sixteen higher = (sixteen)(block > most);
        most = (block & higher) | (most & ~higher);
    }
    for (unsigned lane = 0; lane < 16; lane++)
        greatest = most[lane] > greatest ? most[lane] : greatest;
    for (; k < size; k++)
        greatest = values[k] > greatest ? values[k] : greatest;
    return greatest;
}

/* The same for `deals` deals of `cards` cards each, one behind the other. Returns 0 or INTERVAL_NO_MEMORY. */
static inline int interval_batch(const interval_plan *plan, const uint8_t *values, size_t deals, unsigned cards,
                                 int16_t *remaining, size_t memory_limit)
{
    uint32_t greatest = interval_greatest(values, deals * cards);
    if (plan->kind == INTERVAL_GENERAL || greatest > plan->largest)
        return interval_batch_general(plan, values, deals, cards, remaining, memory_limit);
    if (interval_fits_narrow(plan, greatest, cards))
        interval_batch_narrow(plan, values, deals, cards, remaining);
    else
        interval_batch_wide(plan, values, deals, cards, remaining);
    return 0;
}

/* ---- the play ---------------------------------------------------------------------------------------------------- */

typedef struct {
    unsigned remaining, sets;
    uint8_t ends[INTERVAL_MOST_CARDS];  /* set k is cards[ends[k - 1]] (set 0: cards[0]) up to cards[ends[k] - 1] */
    uint8_t cards[INTERVAL_MOST_CARDS]; /* places in the deal, ascending within a set */
} interval_answer;

typedef struct {
    uint8_t left[INTERVAL_MOST_CARDS], right[INTERVAL_MOST_CARDS]; /* disjoint, not empty: never more than cards */
    unsigned size;
} interval_stretches;

static inline void interval_push(interval_stretches *stretches, unsigned left, unsigned right)
{
    if (left == right)
        return;
    stretches->left[stretches->size] = (uint8_t)left;
    stretches->right[stretches->size++] = (uint8_t)right;
}

/* The stretches that leave, the cards between them staying: back from the last boundary, one card left at a time. */
static inline void interval_choose(const interval_ends *removable, const uint8_t *left_over, unsigned cards,
                                   interval_stretches *stretches)
{
    unsigned right = cards;
    for (unsigned k = left_over[cards]; k > 0; k--) {
        unsigned card = 0;
        while (left_over[card] != k - 1 || !(removable[card + 1] >> right & 1))
            card++;
        interval_push(stretches, card + 1, right);
        right = card;
    }
    interval_push(stretches, 0, right);
}

static inline int interval_has_rest(const interval_rests *rests, unsigned left, uint64_t total, unsigned count)
{
    if (!(rests->alive >> left & 1) || total > rests->max_total)
        return 0;
    if (rests->words)
        return interval_bits_at(rests, left, count, rests->words)[total / 64] >> (total % 64) & 1;
    for (size_t k = rests->from[left]; k < rests->to[left]; k++)
        if (rests->list[k] == (total << 8 | count))
            return 1;
    return 0;
}

/* The count of the rest behind card `left` if that card is the first of this one; 0: it is not. */
static inline unsigned interval_count_behind(const interval_rests *rests, unsigned left, uint64_t total, unsigned count)
{
    uint32_t value = rests->values[left];
    if (value >= total)
        return 0;
    if (count > 1 && interval_has_rest(rests, left + 1, total - value, count - 1))
        return count - 1;
    if (interval_count_after(rests, count) == count && interval_has_rest(rests, left + 1, total - value, count))
        return count;
    return 0;
}

/* Marks the cards of one set that ends the stretch; what lies before it and inside it is pushed. */
static inline int interval_take_apart(interval_rests *rests, unsigned left, unsigned right, uint8_t *set_of,
                                      uint8_t set, interval_stretches *stretches)
{
    const interval_plan *plan = rests->plan;
    interval_ends sets;
    uint64_t total = 0;
    unsigned count = 0;
    if (interval_rests_of(rests, right, left, &sets) < 0)
        return INTERVAL_NO_MEMORY;
    unsigned start = interval_lowest(sets & rests->removable[left]);
    interval_push(stretches, left, start);
    for (size_t k = 0; k < plan->totals_size && !total; k++)
        for (unsigned c = plan->min_cards; c <= rests->counts && !total; c++)
            if (interval_has_rest(rests, start, plan->totals[k], c)) {
                total = plan->totals[k];
                count = c;
            }
    while (start + 1 < right) {
        unsigned behind = interval_count_behind(rests, start, total, count);
        if (behind) {
            set_of[start] = set;
            total -= rests->values[start];
            count = behind;
            start++;
            continue;
        }
        interval_ends ends = rests->removable[start] & ~interval_bit(start) & (interval_bit(right) - 1);
        while (!interval_has_rest(rests, interval_lowest(ends), total, count))
            ends &= ends - 1;
        interval_push(stretches, start, interval_lowest(ends));
        start = interval_lowest(ends);
    }
    set_of[start] = set;
    return 0;
}

/* Sets in the order of their last cards: what lies within a set ends before it, so it is gone by then. */
static inline void interval_write(const uint8_t *set_of, unsigned cards, interval_answer *answer)
{
    unsigned written = 0;
    answer->sets = 0;
    for (unsigned last = 0; last < cards; last++) {
        if (set_of[last] == UINT8_MAX || memchr(set_of + last + 1, set_of[last], cards - last - 1))
            continue;
        for (unsigned card = 0; card <= last; card++)
            if (set_of[card] == set_of[last])
                answer->cards[written++] = (uint8_t)card;
        answer->ends[answer->sets++] = (uint8_t)written;
    }
}

/* A play that leaves the smallest remainder. Returns 0 or INTERVAL_NO_MEMORY. */
static inline int interval_play(const interval_plan *plan, const uint32_t *values, unsigned cards,
                                interval_answer *answer, size_t memory_limit)
{
    interval_ends removable[INTERVAL_MOST_CARDS + 1];
    interval_rests rests;
    interval_stretches stretches;
    uint8_t left_over[INTERVAL_MOST_CARDS + 1], set_of[INTERVAL_MOST_CARDS], sets = 0;
    stretches.size = 0;
    memset(left_over, UINT8_MAX, sizeof left_over);
    memset(set_of, UINT8_MAX, sizeof set_of);
    if (interval_decide(plan, values, cards, 0, removable, memory_limit) < 0)
        return INTERVAL_NO_MEMORY;
    answer->remaining = (unsigned)interval_least(removable, cards, left_over);
    interval_choose(removable, left_over, cards, &stretches);
    int failed = interval_rests_open(&rests, plan, removable, memory_limit);
    rests.values = values;
    while (stretches.size && !failed) {
        stretches.size--;
        failed = interval_take_apart(&rests, stretches.left[stretches.size], stretches.right[stretches.size], set_of,
                                     sets++, &stretches);
    }
    interval_rests_close(&rests);
    if (!failed)
        interval_write(set_of, cards, answer);
    return failed;
}

#endif
