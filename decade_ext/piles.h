/*
 * Several piles with forced discards and no recycling: a search over which pile is emptied when.
 *
 * Piles touch each other in one way only: a pile that is emptied gets no more cards, so the cards that
 * follow go to other piles. Until then each pile is a game of its own, and the choices made in one say
 * nothing about the others. So a position is not one way the piles can lie but all of them:
 *
 *     pile    0           1           2           3
 *           { 3 5 7 }   { 4 9,      gone        { 8,          any of the lines of a pile goes with any
 *                         4 }                     6 2 }       of the others
 *
 * A card goes to a pile: each of its lines gets the card and is taken through its discard phase in all
 * ways; the lines that come of it are its new ones, equal ones once. If one of them is empty, the search
 * forks: either the pile is emptied now, or it is not and only the lines that are not empty stay. Depth
 * first, the branch that empties it before the other; where all lines are empty there is no other.
 *
 * Why this is the game. A play names, card by card, a line for the pile that got the card; a branch
 * takes just the plays in which the same piles are emptied at the same cards. In them every card goes to
 * the same pile, and every combination of lines can be reached, as a discard phase covers the pile that
 * just got a card and no other. When the stock is empty it covers all, but a pile that is live holds no
 * set then; those that are not are taken through a phase of their own, and the order in which their sets
 * go does not change what is left. So the least remainder of a branch is the sum of the piles' least ones,
 * 0 if all are emptied early.
 *
 * Where sets are looked for. A live pile holds none when a card lands on it, so a set contains that card,
 * the last one. (For the loop: a run over the seam that does not contain the card is none any more.) After a set
 * is taken:
 *   - straight, reach any: none is left. A set takes the last cards, and a run of the others was there before.
 *   - loop, reach any or top: a run without the last card or without the first one was there before (reach any),
 *     or is out of reach (top), so again a set contains the last card.
 *   - reach top, straight: the same. (What is left need not have been quiet before: it may go back to the
 *     time before the pile was live.)
 *   - reach ends: a set contains the last card or starts at the first.
 * At the card with which a pile goes live, and at the end if it never did, a set may lie anywhere.
 *
 * A line is the bit set of prefix.h. All lines of the search lie on one stack that grows by pushing; a
 * branch that is done is popped whole. Sets taken are logged on another, each with the one before it in
 * the same pile, so a line's log is its play. No line needs a memo: equal ones of one pile meet in the
 * turn in which they become equal.
 *
 * Limits. Two words hold lines that total up to 127; a deal that needs more is searched again with 18. If a pile
 * has more than PILES_WIDE lines at once, which sets in any order before a pile is live can do, the
 * kernel gives up and the general search decides the deal.
 *
 * Tried and dropped (microseconds for a deal of 52 cards, medians): a depth-first search over whole positions with a
 * memo, 7.6 for seven piles and 35 for seven loops, where this takes 1.7 and 5.6; the bit set counted from the
 * front, which needs the pile's total for each window, 1.9 for seven piles; sets of a loop tested total
 * by total with branches, twice the mispredicted ones (260 a deal) for a fifth fewer instructions, no gain.
 */
#ifndef DECADE_PILES_H
#define DECADE_PILES_H

#include "effort.h"
#include "prefix.h"

enum { PILES_WORDS = 2, PILES_MOST = 52, PILES_WIDE = 1024, PILES_LOGS = 512, PILES_FORKS = 8, PILES_NONE = 0x7FFFFFFF };

enum { PHASE_QUIET, PHASE_LIVE, PHASE_ALL };    /* no discards; sets with the last card; all sets */

typedef struct {
    uint32_t before;        /* the set taken before it in the same line, PILES_NONE if there is none */
    uint8_t dealt;          /* after how many cards dealt */
    prefix_set set;
} piles_taken;

typedef struct {
    uint32_t first;         /* its lines on the stack; if it is emptied, the log of that */
    uint32_t count;         /* 0 if it is emptied */
} piles_lines;

/* A branch at the point where it forked. */
typedef struct {
    piles_lines pile[PILES_MOST];
    uint8_t next[PILES_MOST];       /* by pile: the next one in the rotation */
    uint32_t top, logs;
    int card, last, left;
} piles_fork;

typedef struct {
    uint8_t pile;
    uint8_t dealt;
    prefix_set set;
} piles_move;

typedef struct {
    prefix_rules rules;
    int piles, target;
    int opening;                    /* at most one more than PREFIX_CARDS */
    int n;
    int quiet, live;                /* cards before the first that brings a set; cards until all piles are live */
    uint8_t value[PREFIX_CARDS];
    effort spent;

    uint64_t *lines;                /* W words, then log and total, a line */
    piles_taken *log;
    uint64_t *middle;               /* the same within a discard phase */
    size_t lines_size, log_size, middle_size;   /* bytes */
    piles_fork at;
    piles_fork *forks;
    size_t forks_size;
    int depth;
    uint8_t goes[PREFIX_CARDS];     /* by card: the pile it went to */
    prefix_set sets[PREFIX_SETS];

    int keep_play;
    int best;
    int best_moves;
    piles_move best_move[PREFIX_CARDS];
    uint8_t best_goes[PREFIX_CARDS];
} piles_search;

PREFIX_INLINE unsigned piles_total(const uint64_t *line, const int W) { return (unsigned)(line[W] >> 32); }

/* Add a line to some others unless it is among them; say how many there are then. */
PREFIX_INLINE int piles_add(uint64_t *lines, int count, const uint64_t *line, const int W) {
    const int stride = W + 1;
    for (int i = 0; i < count; i++)
        if (prefix_same(lines + i * stride, line, W))
            return count;
    for (int i = 0; i < stride; i++)
        lines[count * stride + i] = line[i];
    return count + 1;
}

/* Give a line after a set is taken from it, with the set logged. */
PREFIX_INLINE int piles_take(
    piles_search *p, uint64_t *after, const uint64_t *line, prefix_set set, int dealt, const int W
) {
    int end = effort_spend_node(&p->spent);
    if (end != EFFORT_GOING_ON)
        return end;
    if (!EFFORT_ROOM(p, log, (p->at.logs + 1) * sizeof(piles_taken)))
        return EFFORT_OUT_OF_MEMORY;
    p->log[p->at.logs] = (piles_taken){(uint32_t)line[W], (uint8_t)dealt, set};
    for (int i = 0; i < W; i++)
        after[i] = line[i];
    prefix_take(after, piles_total(line, W), set, W);
    after[W] = (uint64_t)(piles_total(line, W) - set.total) << 32 | p->at.logs++;
    return EFFORT_GOING_ON;
}

PREFIX_INLINE unsigned piles_sets(
    piles_search *p, const uint64_t *line, int phase, int first, const int W, const int wrap
) {
    const prefix_rules *rules = &p->rules;
    if (phase == PHASE_ALL)
        return prefix_list_all(rules, line, piles_total(line, W), p->sets, W);
    if (!wrap && !first && rules->reach == PREFIX_ANY)
        return 0;
    unsigned sum = piles_total(line, W);
    uint64_t low = wrap || rules->reach == PREFIX_ENDS ? prefix_low(line, sum, W) : 0;
    unsigned found = prefix_list_top(rules, line[W - 1], low, sum, p->sets, wrap, 0);
    if (!first && rules->reach == PREFIX_ENDS)
        found += prefix_list_front(rules, low, sum, p->sets + found);
    return found;
}

/*
 * Take a line through its discard phase, with the sets that it has found already. The lines that come of it
 * are added to the `count` ones before `line`, and those in between to the `middle` ones.
 */
PREFIX_INLINE int piles_discard(
    piles_search *p, uint64_t *line, int *count, int *middle, unsigned sets, int phase, int dealt,
    uint32_t *emptied, const int W, const int wrap
) {
    const int stride = W + 1, quiet = phase != PHASE_ALL && !wrap && p->rules.reach == PREFIX_ANY;
    uint64_t *lines = line - *count * stride, from[PREFIX_WORDS + 1], after[PREFIX_WORDS + 1];
    for (int i = 0; i < stride; i++)
        from[i] = line[i];
    for (int done = *middle;;) {
        for (unsigned k = 0; k < sets; k++) {
            int end = piles_take(p, after, from, p->sets[k], dealt, W);
            if (end != EFFORT_GOING_ON)
                return end;
            if (piles_total(after, W) == 0)
                *emptied = (uint32_t)after[W];
            else if (quiet)
                *count = piles_add(lines, *count, after, W);
            else
                *middle = piles_add(p->middle, *middle, after, W);
            if (*count > PILES_WIDE || *middle > PILES_WIDE)
                return EFFORT_TOO_WIDE;
        }
        for (sets = 0; done < *middle && !sets; done++) {      /* to the next one with a set */
            const uint64_t *next = p->middle + done * stride;
            sets = piles_sets(p, next, phase, 0, W, wrap);
            if (!sets && (*count = piles_add(lines, *count, next, W)) > PILES_WIDE)
                return EFFORT_TOO_WIDE;
            for (int i = 0; i < stride; i++)
                from[i] = next[i];
        }
        if (!sets)
            return EFFORT_GOING_ON;
    }
}

/*
 * Take all lines of a pile through a turn: the card that lands (value 0: none), then the discard phase.
 * The new lines are put on the stack; `emptied` is the log of an empty one, PILES_NONE if there is none.
 */
PREFIX_INLINE int piles_turn(
    piles_search *p, piles_lines *pile, unsigned value, int phase, int dealt, uint32_t *emptied,
    const int W, const int wrap
) {
    const int stride = W + 1;
    uint32_t first = p->at.top;
    int count = 0, middle = 0;
    *emptied = PILES_NONE;
    if (!EFFORT_ROOM(p, lines, (first + (size_t)PILES_WIDE + 1) * stride * sizeof(uint64_t)))
        return EFFORT_OUT_OF_MEMORY;
    uint64_t *lines = p->lines + (size_t)first * stride;
    const uint64_t *from = p->lines + (size_t)pile->first * stride;
    for (uint32_t i = 0; i < pile->count; i++, from += stride) {
        uint64_t *line = lines + count * stride;
        for (int k = 0; k < stride; k++)
            line[k] = from[k];
        if (value && !prefix_deal(line, value, W))
            return EFFORT_TOO_WIDE;
        line[W] += (uint64_t)value << 32;
        unsigned sets = phase == PHASE_QUIET ? 0 : piles_sets(p, line, phase, 1, W, wrap);
        if (sets) {
            int end = piles_discard(p, line, &count, &middle, sets, phase, dealt, emptied, W, wrap);
            if (end != EFFORT_GOING_ON)
                return end;
        } else if ((count = count ? piles_add(lines, count, line, W) : count + 1) > PILES_WIDE) {
            return EFFORT_TOO_WIDE;
        }
    }
    pile->first = first;
    pile->count = (uint32_t)count;
    p->at.top = first + (uint32_t)count;
    return EFFORT_GOING_ON;
}

/* Take a pile that never went live through the discards at the end. */
PREFIX_RARE int piles_last_turn(piles_search *p, piles_lines *pile, uint32_t *emptied, int words) {
    return piles_turn(p, pile, 0, PHASE_ALL, p->n, emptied, words, p->rules.wrap);
}

/* Find the line of a pile with the fewest cards. */
PREFIX_INLINE int piles_least(const piles_search *p, piles_lines pile, uint32_t *log, const int W) {
    int least = PREFIX_CARDS + 1;
    for (uint32_t i = 0; i < pile.count; i++) {
        const uint64_t *line = p->lines + (size_t)(pile.first + i) * (W + 1);
        int cards = prefix_cards(line, W);
        if (cards < least) {
            least = cards;
            *log = (uint32_t)line[W];
        }
    }
    return least;
}

/* Write the play down that a branch's piles have logged. */
static void piles_keep(piles_search *p, const uint32_t *log) {
    int moves = 0;
    for (int pile = 0; pile < p->piles; pile++) {
        int first = moves;
        for (uint32_t i = log[pile]; i != PILES_NONE; i = p->log[i].before)
            p->best_move[moves++] = (piles_move){(uint8_t)pile, p->log[i].dealt, p->log[i].set};
        for (int last = moves - 1; first < last; first++, last--) {
            piles_move move = p->best_move[first];
            p->best_move[first] = p->best_move[last];
            p->best_move[last] = move;
        }
    }
    p->best_moves = moves;
    memcpy(p->best_goes, p->goes, sizeof p->goes);
}

/* Add up what is left at the end of a branch, and keep its play if that is less than ever. */
PREFIX_INLINE int piles_end(piles_search *p, const int W) {
    uint32_t log[PILES_MOST], emptied;
    int left = 0;
    for (int pile = 0; pile < p->piles; pile++) {
        piles_lines lines = p->at.pile[pile];
        log[pile] = PILES_NONE;
        if (lines.count == 0) {
            log[pile] = lines.first;
            continue;
        }
        if (p->n < p->piles * p->opening && (p->n - pile + p->piles - 1) / p->piles < p->opening) {
            int end = piles_last_turn(p, &lines, &emptied, W);
            if (end != EFFORT_GOING_ON)
                return end;
            if (emptied != PILES_NONE) {
                log[pile] = emptied;
                continue;
            }
        }
        left += piles_least(p, lines, &log[pile], W);
    }
    if (left < p->best) {
        p->best = left;
        if (p->keep_play)
            piles_keep(p, log);
    }
    return EFFORT_GOING_ON;
}

/* Remember the branch in which the pile just dealt to is not emptied. */
PREFIX_INLINE int piles_push(piles_search *p) {
    if (!EFFORT_ROOM(p, forks, (p->depth + 1) * sizeof(piles_fork)))
        return 0;
    p->forks[p->depth++] = p->at;
    return 1;
}

/* Take the pile out of the rotation. */
PREFIX_INLINE void piles_pass_over(piles_fork *at, int pile) {
    int before = at->next[pile];
    while (at->next[before] != pile)
        before = at->next[before];
    at->next[before] = at->next[pile];
    at->last = before;
    at->left--;
}

/* Deal until a branch ends. */
PREFIX_INLINE int piles_deal(piles_search *p, const int W, const int wrap) {
    piles_fork *at = &p->at;
    uint32_t emptied;
    while (at->left && at->card < p->n) {
        int pile = at->next[at->last];
        int phase = at->card >= p->live ? PHASE_LIVE : at->card < p->quiet ? PHASE_QUIET : PHASE_ALL;
        unsigned value = p->value[at->card];
        p->goes[at->card++] = (uint8_t)pile;
        at->last = pile;
        int end = piles_turn(p, &at->pile[pile], value, phase, at->card, &emptied, W, wrap);
        if (end != EFFORT_GOING_ON)
            return end;
        if (emptied != PILES_NONE) {
            if (at->pile[pile].count && !piles_push(p))
                return EFFORT_OUT_OF_MEMORY;
            at->pile[pile] = (piles_lines){emptied, 0};
            piles_pass_over(at, pile);
        }
    }
    return EFFORT_GOING_ON;
}

PREFIX_INLINE int piles_search_words(piles_search *p, const int W, const int wrap) {
    int end;
    const size_t room = (PILES_WIDE + 1) * (size_t)(W + 1) * sizeof(uint64_t);
    if (!EFFORT_START(p, lines, 2 * room)
            || !EFFORT_START(p, middle, room)
            || !EFFORT_START(p, log, PILES_LOGS * sizeof(piles_taken))
            || !EFFORT_START(p, forks, PILES_FORKS * sizeof(piles_fork)))
        return EFFORT_OUT_OF_MEMORY;
    prefix_empty(p->lines, W);
    p->lines[W] = PILES_NONE;
    for (int pile = 0; pile < p->piles; pile++) {
        p->at.pile[pile] = (piles_lines){0, 1};
        p->at.next[pile] = (uint8_t)(pile + 1 < p->piles ? pile + 1 : 0);
    }
    p->live = p->piles * p->opening;
    p->quiet = p->live - p->piles;
    p->at.top = 1;
    p->at.logs = 0;
    p->at.card = 0;
    p->at.last = p->piles - 1;
    p->at.left = p->piles;
    p->depth = 0;
    p->best = p->n + 1;
    p->best_moves = 0;
    for (;;) {
        if ((end = piles_deal(p, W, wrap)) != EFFORT_GOING_ON
                || (end = piles_end(p, W)) != EFFORT_GOING_ON)
            return end;
        if (p->best <= p->target || p->depth == 0)
            return EFFORT_DECIDED;
        p->at = p->forks[--p->depth];
    }
}

/* A copy of the search for straight piles and one for loops. */
PREFIX_FAST int piles_search_fast(piles_search *p) {
    return p->rules.wrap ? piles_search_words(p, PILES_WORDS, 1) : piles_search_words(p, PILES_WORDS, 0);
}

PREFIX_RARE int piles_search_any(piles_search *p, int words) {
    return piles_search_words(p, words, p->rules.wrap);
}

/* Decide a deal. The caller sets n, value, keep_play and the limits. */
static int piles_decide(piles_search *p) {
    int end = prefix_is_fast() ? piles_search_fast(p) : piles_search_any(p, PILES_WORDS);
    return end == EFFORT_TOO_WIDE ? piles_search_any(p, PREFIX_WORDS) : end;
}

#endif
