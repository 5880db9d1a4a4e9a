/* Optional straight lines, the wide kernel: all levels and counts, two words a lane.
 * The idea is told in interval_plan.h. */
#ifndef INTERVAL_WIDE_H
#define INTERVAL_WIDE_H

#include "interval_plan.h"

/*
 * The same with two words a lane. Residues are counted from the end here, as the rows are: with s_i from the cards
 * behind boundary i a rest totals m g + s_i - s_j, and all that was said holds with the signs changed.
 */
typedef struct {
    uint64_t rows[(INTERVAL_MOST_CARDS + 1) * 4 * INTERVAL_LANES]; /* by left end: lanes of noughts, then the lanes */
    uint64_t same[INTERVAL_MOST_MODULUS][2];                       /* by residue: the boundaries so far */
    unsigned residue[INTERVAL_MOST_CARDS + 1];                     /* total of the cards behind, modulo m */
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

#endif
