/* Optional straight lines, the wide kernel: all levels and counts, two words a lane.
 * The idea is told in interval_plan.h. */
#ifndef INTERVAL_WIDE_H
#define INTERVAL_WIDE_H

#include "interval_plan.h"

/*
 * The same with two words a lane. Residues are counted from the end here, as the rows are: with s_i from the cards
 * behind boundary i a rest totals m g + s_i - s_j, and all that was said holds with the signs changed.
 */
enum {
    INTERVAL_WIDE_NOWHERE = INTERVAL_MOST_CARDS + 1, /* a boundary whose row is empty */
    INTERVAL_WIDE_SIDE_BY_SIDE = 2,                  /* what they touch just fits a 32 KiB cache */
};

typedef struct {
    uint64_t rows[(INTERVAL_WIDE_NOWHERE + 1) * 4 * INTERVAL_LANES]; /* by left end: lanes of noughts, then the lanes */
    uint64_t same[INTERVAL_MOST_MODULUS][2];     /* by residue: the boundaries that have it */
    uint8_t residue[INTERVAL_MOST_CARDS + 1];    /* by boundary: total of the cards behind, modulo m */
    uint8_t shift[INTERVAL_MOST_CARDS];          /* by card: the lanes that it moves the row up */
    uint8_t alone[INTERVAL_MOST_CARDS];          /* by card: the lane with this card alone if it must not go so, or 0 */
    unsigned lanes;                              /* 4 or 8 */
} interval_wide;

typedef struct {
    uint64_t low, high;
} interval_wide_ends;

INTERVAL_INLINE uint64_t *interval_wide_row(const interval_wide *deal, size_t boundary, unsigned lanes)
{
    return (uint64_t *)deal->rows + (2 * boundary + 1) * 2 * lanes;
}

INTERVAL_INLINE interval_wide_ends interval_wide_bit(size_t boundary)
{
    uint64_t bit = (uint64_t)1 << (boundary % 64);
    return boundary < 64 ? (interval_wide_ends){bit, 0} : (interval_wide_ends){0, bit};
}

/* Takes the row of the nearest end, and off the ends those that this row stands for. */
INTERVAL_INLINE const uint64_t *interval_wide_nearest(const interval_wide *deal, interval_wide_ends *ends,
                                                      unsigned lanes)
{
    const size_t low = (size_t)__builtin_ctzll(ends->low | (uint64_t)1 << 63);
    const size_t high = 64 + (size_t)__builtin_ctzll(ends->high); /* not 0: "nowhere" is one of the ends */
    const uint64_t *row = interval_wide_row(deal, ends->low ? low : high, lanes);
    ends->low &= ~row[0];
    ends->high &= ~row[1];
    return row;
}

INTERVAL_INLINE void interval_wide_card(interval_wide *deal, const interval_plan *plan, size_t card, unsigned lanes,
                                        int counts)
{
    const uint64_t *moved = interval_wide_row(deal, card + 1, lanes) - 2 * (size_t)deal->shift[card];
    const uint64_t *same = deal->same[deal->residue[card]];
    const uint64_t nowhere = interval_wide_bit(INTERVAL_WIDE_NOWHERE).high;
    interval_wide_ends ends = {0, 0}, here = interval_wide_bit(card);
    interval_row row[INTERVAL_LANES / 2];
    for (unsigned lane = counts ? plan->min_cards : 1; lane <= plan->top; lane++) {
        const uint64_t counted = counts ? UINT64_MAX : -(uint64_t)(lane != deal->alone[card]);
        ends.low |= moved[2 * lane] & counted;
        ends.high |= moved[2 * lane + 1] & counted;
    }
    ends.low &= same[0];
    ends.high = (ends.high & same[1]) | nowhere;
    /* As in the narrow kernel, two ends without asking whether there are so many. */
    const uint64_t *end = interval_wide_nearest(deal, &ends, lanes);
    const uint64_t *next = interval_wide_nearest(deal, &ends, lanes);
#pragma GCC unroll 4
    for (unsigned k = 0; k < lanes / 2; k++)
        row[k] = ((const interval_row *)moved)[k] | ((const interval_row *)end)[k] | ((const interval_row *)next)[k];
    while (__builtin_expect(ends.low || ends.high != nowhere, 0)) {
        end = interval_wide_nearest(deal, &ends, lanes);
#pragma GCC unroll 4
        for (unsigned k = 0; k < lanes / 2; k++)
            row[k] |= ((const interval_row *)end)[k];
    }
    row[0] |= (interval_row){here.low, here.high, 0, 0};
    uint64_t *stored = interval_wide_row(deal, card, lanes);
#pragma GCC unroll 4
    for (unsigned k = 0; k < lanes / 2; k++)
        ((interval_row *)stored)[k] = row[k];
}

INTERVAL_INLINE void interval_wide_prepare(interval_wide *deal, const interval_plan *plan, const uint8_t *values,
                                           unsigned cards, unsigned lanes, int counts)
{
    /* A sum is below 2^8 + 2^5, so that rounding up by less than m / 2^16 for each unit gives the whole part exactly. */
    const unsigned modulus = plan->modulus, inverse = ((1u << 16) + modulus - 1) / modulus;
    const size_t lane_bytes = 2 * sizeof deal->rows[0];
    unsigned residue = 0;
    memset(deal->same, 0, modulus * sizeof deal->same[0]);
    for (unsigned boundary = 0; boundary <= cards; boundary++)
        memset(interval_wide_row(deal, boundary, lanes) - 2 * lanes, 0, lanes * lane_bytes);
    memset(interval_wide_row(deal, INTERVAL_WIDE_NOWHERE, lanes), 0, lanes * lane_bytes);
    uint64_t *last = interval_wide_row(deal, cards, lanes);
    memset(last, 0, lanes * lane_bytes);
    deal->same[0][cards / 64] = last[cards / 64] = (uint64_t)1 << (cards % 64);
    deal->residue[cards] = 0;
    deal->lanes = lanes;
    for (unsigned card = cards; card-- > 0;) {
        const unsigned sum = residue + values[card], levels = sum * inverse >> 16;
        const unsigned shift = counts ? 1 : interval_min(levels, lanes), left = sum - levels * modulus;
        deal->shift[card] = (uint8_t)shift;
        deal->alone[card] = plan->min_cards == 2 && left == residue ? (uint8_t)shift : 0;
        deal->residue[card] = (uint8_t)left;
        deal->same[left][card / 64] |= (uint64_t)1 << (card % 64);
        residue = left;
    }
}

INTERVAL_INLINE void interval_wide_cards(interval_wide *deals, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards, unsigned lanes, int counts, unsigned side_by_side)
{
    for (unsigned k = 0; k < side_by_side; k++)
        interval_wide_prepare(&deals[k], plan, values + (size_t)k * cards, cards, lanes, counts);
    for (size_t card = cards; card-- > 0;) {
        interval_wide_card(&deals[0], plan, card, lanes, counts);
        if (side_by_side == INTERVAL_WIDE_SIDE_BY_SIDE)
            interval_wide_card(&deals[1], plan, card, lanes, counts);
    }
}

INTERVAL_INLINE void interval_wide_deals(interval_wide *deals, const interval_plan *plan, const uint8_t *values,
                                         unsigned cards, unsigned side_by_side)
{
    if (plan->kind == INTERVAL_COUNTS && plan->top <= 4)
        interval_wide_cards(deals, plan, values, cards, 4, 1, side_by_side);
    else if (plan->kind == INTERVAL_COUNTS)
        interval_wide_cards(deals, plan, values, cards, 8, 1, side_by_side);
    else if (plan->top < 4)
        interval_wide_cards(deals, plan, values, cards, 4, 0, side_by_side);
    else
        interval_wide_cards(deals, plan, values, cards, 8, 0, side_by_side);
}

static inline void interval_wide_alone(interval_wide *deal, const interval_plan *plan, const uint8_t *values,
                                       unsigned cards)
{
    interval_wide_deals(deal, plan, values, cards, 1);
}

/* Two deals one behind the other. */
typedef void interval_two_kernel(interval_wide *deals, const interval_plan *plan, const uint8_t *values,
                                 unsigned cards);

static inline void interval_wide_plain(interval_wide *deals, const interval_plan *plan, const uint8_t *values,
                                       unsigned cards)
{
    interval_wide_deals(deals, plan, values, cards, INTERVAL_WIDE_SIDE_BY_SIDE);
}

#if defined(INTERVAL_AVX2)

INTERVAL_AVX2 static inline void interval_wide_avx2(interval_wide *deals, const interval_plan *plan,
                                                    const uint8_t *values, unsigned cards)
{
    interval_wide_deals(deals, plan, values, cards, INTERVAL_WIDE_SIDE_BY_SIDE);
}

static inline interval_two_kernel *interval_wide_best(void)
{
    return interval_has_avx2() ? interval_wide_avx2 : interval_wide_plain;
}

#else

static inline interval_two_kernel *interval_wide_best(void)
{
    return interval_wide_plain;
}

#endif

INTERVAL_INLINE interval_ends interval_wide_removable(const interval_wide *deal, unsigned left)
{
    const uint64_t *row = interval_wide_row(deal, left, deal->lanes), *same = deal->same[deal->residue[left]];
    return (interval_ends)(row[1] & same[1]) << 64 | (row[0] & same[0]);
}

static inline void interval_wide_spread(const interval_wide *deal, unsigned cards, interval_ends *removable)
{
    for (unsigned left = 0; left <= cards; left++)
        removable[left] = interval_wide_removable(deal, left);
}

/* interval_least, which most deals that can be won do not need. */
static inline int interval_wide_least(const interval_wide *deal, unsigned cards)
{
    interval_ends removable[INTERVAL_MOST_CARDS + 1];
    if (interval_wide_removable(deal, 0) >> cards & 1)
        return 0;
    interval_wide_spread(deal, cards, removable);
    return interval_least(removable, cards, NULL);
}

#endif
