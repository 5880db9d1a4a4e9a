/* Optional straight lines, the general kernel: any totals, any limits.
 * The idea is told in interval_plan.h. */
#ifndef INTERVAL_GENERAL_H
#define INTERVAL_GENERAL_H

#include "interval_plan.h"

/*
 * For one right end at a time, the rests of the stretches that end there and keep their last card: at every left end
 * the (total, count) pairs that occur. Without max_cards a count only has to tell whether it is min_cards or more, so
 * it stands still there. With small totals the pairs are bits, a row of words a count; otherwise an ascending list of
 * total * 256 + count. Memory grows with the pairs that occur at one right end, not with the square of the cards.
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
 * Ends are walked from the nearest, as above: an end that can be reached from a nearer one by a removable stretch
 * adds nothing, as its rests are among those of the nearer one.
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
        if (rests->plan->stop && rests->plan->stop(rests->plan->stop_about))
            return INTERVAL_STOPPED;
        if (interval_rests_of(rests, right, 0, &sets) < 0)
            return INTERVAL_NO_MEMORY;
        for (unsigned left = 0; left < right; left++)
            if (rests->removable[left] & sets)
                rests->removable[left] |= interval_bit(right);
    }
    return 0;
}

#endif
