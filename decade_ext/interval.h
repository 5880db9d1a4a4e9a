/* Optional straight lines decided without a search: what callers use. The idea is told in interval_plan.h. */
#ifndef INTERVAL_H
#define INTERVAL_H

#include "interval_general.h"
#include "interval_narrow.h"
#include "interval_wide.h"

/* ---- entry points ---------------------------------------------------------------------------------------------- */

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

/* The values as bytes, and the kernel for them; the bytes are void if that is INTERVAL_BY_RESTS. */
static inline interval_kernel interval_bytes(const interval_plan *plan, const uint32_t *values, unsigned cards,
                                             uint8_t *bytes)
{
    uint32_t all_bits = 0;
    for (unsigned card = 0; card < cards; card++) {
        all_bits |= values[card];
        bytes[card] = (uint8_t)values[card];
    }
    if (all_bits > UINT8_MAX)
        return INTERVAL_BY_RESTS;
    return interval_kernel_for(plan, cards, interval_greatest(bytes, cards));
}

/* removable[0..cards] as interval_least wants it. Returns 0, INTERVAL_NO_MEMORY or INTERVAL_STOPPED. */
static inline int interval_decide(const interval_plan *plan, const uint32_t *values, unsigned cards,
                                  interval_ends *removable, size_t memory_limit)
{
    uint8_t bytes[INTERVAL_MOST_CARDS];
    interval_kernel kernel = interval_bytes(plan, values, cards, bytes);
    if (kernel == INTERVAL_BY_NARROW) {
        interval_narrow deal;
        interval_narrow_alone(&deal, plan, bytes, cards);
        interval_narrow_spread(&deal, cards, removable);
        return 0;
    }
    if (kernel == INTERVAL_BY_WIDE) {
        interval_wide deal;
        interval_wide_alone(&deal, plan, bytes, cards);
        interval_wide_spread(&deal, cards, removable);
        return 0;
    }
    interval_rests rests;
    int failed = interval_rests_open(&rests, plan, removable, memory_limit);
    if (!failed)
        failed = interval_general_deal(&rests, values, cards);
    interval_rests_close(&rests);
    return failed;
}

/* The smallest number of cards that can be left, or INTERVAL_NO_MEMORY or INTERVAL_STOPPED. */
static inline int interval_remaining(const interval_plan *plan, const uint32_t *values, unsigned cards,
                                     size_t memory_limit)
{
    uint8_t bytes[INTERVAL_MOST_CARDS];
    if (interval_bytes(plan, values, cards, bytes) == INTERVAL_BY_NARROW) {
        interval_narrow deal;
        interval_narrow_alone(&deal, plan, bytes, cards);
        return interval_narrow_least(&deal, cards);
    }
    interval_ends removable[INTERVAL_MOST_CARDS + 1];
    int failed = interval_decide(plan, values, cards, removable, memory_limit);
    if (failed)
        return failed;
    return interval_least(removable, cards, NULL);
}

static inline void interval_batch_narrow(const interval_plan *plan, const uint8_t *values, size_t deals,
                                         unsigned cards, int16_t *remaining)
{
    interval_narrow work[INTERVAL_SIDE_BY_SIDE];
    interval_eight_kernel *kernel = plan->plain ? interval_narrow_plain : interval_narrow_best();
    const size_t rest = deals % INTERVAL_SIDE_BY_SIDE, groups = deals / INTERVAL_SIDE_BY_SIDE;
    const size_t group_values = (size_t)INTERVAL_SIDE_BY_SIDE * cards;
    const uint8_t *end = values + deals * cards;
    uint8_t padded[INTERVAL_SIDE_BY_SIDE * INTERVAL_NARROW_CARDS + 64] = {0};
    memset(work, 0, sizeof work);
    for (size_t group = 0; group < groups; group++, values += group_values) {
        const uint8_t *readable = values;
        if ((size_t)(end - values) < group_values + 64)
            readable = memcpy(padded, values, group_values);
        kernel(work, plan, readable, cards);
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
    interval_wide work[INTERVAL_WIDE_SIDE_BY_SIDE];
    interval_two_kernel *kernel = plan->plain ? interval_wide_plain : interval_wide_best();
    for (; deals > 1; deals -= 2, values += 2 * (size_t)cards) {
        kernel(work, plan, values, cards);
        *remaining++ = (int16_t)interval_wide_least(&work[0], cards);
        *remaining++ = (int16_t)interval_wide_least(&work[1], cards);
    }
    if (deals) {
        interval_wide_alone(work, plan, values, cards);
        *remaining = (int16_t)interval_wide_least(work, cards);
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

/* The same for `deals` deals of `cards` cards each, one behind the other. Returns 0, INTERVAL_NO_MEMORY or INTERVAL_STOPPED. */
static inline int interval_batch(const interval_plan *plan, const uint8_t *values, size_t deals, unsigned cards,
                                 int16_t *remaining, size_t memory_limit)
{
    switch (interval_kernel_for(plan, cards, interval_greatest(values, deals * cards))) {
    case INTERVAL_BY_NARROW:
        interval_batch_narrow(plan, values, deals, cards, remaining);
        return 0;
    case INTERVAL_BY_WIDE:
        interval_batch_wide(plan, values, deals, cards, remaining);
        return 0;
    default:
        return interval_batch_general(plan, values, deals, cards, remaining, memory_limit);
    }
}

/* ---- the play -------------------------------------------------------------------------------------------------- */

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
static inline unsigned interval_count_behind(const interval_rests *rests, unsigned left, uint64_t total,
                                             unsigned count)
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

/* A play that leaves the smallest remainder. Returns 0, INTERVAL_NO_MEMORY or INTERVAL_STOPPED. */
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
    int failed = interval_decide(plan, values, cards, removable, memory_limit);
    if (failed)
        return failed;
    answer->remaining = (unsigned)interval_least(removable, cards, left_over);
    interval_choose(removable, left_over, cards, &stretches);
    failed = interval_rests_open(&rests, plan, removable, memory_limit);
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
