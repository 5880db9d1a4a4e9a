/* A play that leaves the least, set by set, for a deal that residue_solve has decided.
 *
 * The line is dealt as a player would. Where several sets can be taken, they are tried one after the other: what would
 * then lie in the line, with the rest of the stock behind it, is solved as a deal of its own, and the first set is
 * taken that still leaves the least. The last one need not be tried: some set does.
 *
 * That deal is the same game. After the turn in which a set was taken the line holds none (of the opening's three
 * cards at most one is left, and one card is no set), nor does any part of it, so that dealing it once more with
 * opening 1 takes nothing. A turn after the opening has two sets at most, see residue_plays.h, so a play costs less
 * than one residue_solve a card, and no memory.
 */
#ifndef RESIDUE_MOVES_H
#define RESIDUE_MOVES_H

#include "residue_plays.h"

/* Set k is the cards card[end[k - 1]] .. card[end[k] - 1], taken after dealt[k] cards; end[-1] would be 0. */
typedef struct {
    int sets;
    uint8_t dealt[RESIDUE_MAX_CARDS], end[RESIDUE_MAX_CARDS], card[RESIDUE_MAX_CARDS];
} residue_moves;

/* The line in a turn: its cards by their place in the deal, and the set [start, end) of them looked at last. */
typedef struct {
    const uint8_t *values;
    int cards, dealt, length, start, end;
    uint8_t line[RESIDUE_MAX_CARDS];
} residue_turn;

/* Goes on to the next set: lower ends first, then shorter sets; 0 if there is none. */
static inline int residue_next_set(residue_turn *turn, const residue_game *game) {
    for (; turn->end <= turn->length; turn->start = ++turn->end) {
        int total = 0;
        for (int start = turn->end - 1; start >= 0 && total <= game->multiples * game->modulus; start--) {
            total += turn->values[turn->line[start]];
            if (start >= turn->start || start == turn->end - 1) continue;
            if (total % game->modulus || total > game->multiples * game->modulus) continue;
            turn->start = start;
            return 1;
        }
    }
    return 0;
}

/* What is left at least if the set is taken; may be RESIDUE_STOPPED. */
static inline int residue_after_set(const residue_turn *turn, const residue_game *game) {
    uint8_t rest[RESIDUE_MAX_CARDS];
    residue_game on = *game;
    int cards = 0;
    int64_t work;
    for (int i = 0; i < turn->length; i++)
        if (i < turn->start || i >= turn->end) rest[cards++] = turn->values[turn->line[i]];
    for (int i = turn->dealt; i < turn->cards; i++) rest[cards++] = turn->values[i];
    on.opening = 1;
    on.limit = INT64_MAX;
    return cards ? residue_solve(rest, cards, &on, &work) : 0;
}

static inline void residue_take(residue_turn *turn, residue_moves *moves) {
    int gone = moves->sets ? moves->end[moves->sets - 1] : 0;
    for (int i = turn->start; i < turn->end; i++) moves->card[gone++] = turn->line[i];
    moves->dealt[moves->sets] = (uint8_t)turn->dealt;
    moves->end[moves->sets++] = (uint8_t)gone;
    memmove(turn->line + turn->start, turn->line + turn->end, (size_t)(turn->length - turn->end));
    turn->length -= turn->end - turn->start;
}

/* Finds a play that leaves `least` cards, the remainder of the deal. Returns 0 or RESIDUE_STOPPED. */
static inline int residue_find_moves(const uint8_t *values, int cards, const residue_game *game, int least,
                                     residue_moves *moves) {
    const int live = game->opening < cards ? game->opening : cards;
    residue_turn turn = {.values = values, .cards = cards};
    moves->sets = 0;
    while (turn.dealt < cards) {
        turn.line[turn.length++] = (uint8_t)turn.dealt++;
        if (turn.dealt < live) continue;
        turn.start = turn.end = turn.dealt == live ? 2 : turn.length;
        if (!residue_next_set(&turn, game)) continue;
        for (residue_turn next = turn; residue_next_set(&next, game); turn = next) {
            const int left = residue_after_set(&turn, game);
            if (left == RESIDUE_STOPPED) return RESIDUE_STOPPED;
            if (left == least) break;
        }
        residue_take(&turn, moves);
    }
    return 0;
}

#endif
