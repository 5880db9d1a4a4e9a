/* The straight line with forced discards, decided by residues: the smallest remainder of many deals at once.
 *
 * The class. One pile, no loop, any set may be taken, sets must be taken; a set is two or more cards (no upper limit)
 * that total m, 2 m, .. or K m, where K >= 2, and every card is worth 1 .. m. The pile is live from its first, second
 * or third card on. `decade` is m = 10, K = 3. A card worth m is called a ten here, whatever m is.
 *
 * The idea. A set's total is a multiple of m, so taking sets never changes the residue modulo m of the prefix total
 * at a boundary between two cards: the residues are those of the deal and are known before the search. A play is only
 * which boundaries are still alive, and which tens lie between them.
 *
 * What a new card can do. After the opening the line holds no set when a card lands, so every set ends at the new
 * card and starts at an alive boundary with the new boundary's residue.
 *   (1) Two alive boundaries with one residue lie a multiple of m apart. If one card lies between them it is a ten;
 *       if more do, they are more than K m apart, or there would be a set.
 *   (2) So of the boundaries b1 < b2 < b3 with one residue, b1 and b3 are more than K m apart, and tens never lie
 *       side by side (2 m would be a set). Between two other cards there is no ten or one.
 *   (3) A ten lands. On a ten: both go, and that is the only set, for the next boundary down is more than K m below
 *       the lower ten by (2). Not on a ten: the nearest boundary with its residue is its own lower one, which makes one
 *       card, no set, and the next is more than K m below by (1). It stays.
 *   (4) Another card lands. Let D m be the distance to the nearest boundary with its residue. If D > K there is no
 *       set: all others are further. If not, the set down to it can be taken; and if the card below it is a ten, the
 *       set with that ten too when D + 1 <= K. No third set exists: a boundary below those is more than K m away by
 *       (2). Let b be the boundary below that ten, or the nearest one if there is no ten: the line that either set
 *       leaves is what lies below b, with the ten on b or without it.
 * So only cards that are no tens get a boundary, a ten is a flag of the boundary it lies on, and a turn's choice is
 * whether the ten on the boundary that becomes the top one stays. Tens then land on it: no ten becomes one, one
 * becomes none.
 *
 * Either. Both outcomes of a choice go on as one play whose flag says "either". It stands for every line that its
 * flags allow, each of which can be reached:
 *   - a ten on "either" gives "either";
 *   - a set taken down to a boundary b whose flag is "either" leaves "either" (without the
 *     ten it leaves none; with the ten it leaves one, or the choice);
 *   - a set taken down to a boundary whose ten lies there leaves the choice, "either", if D < K, otherwise the ten.
 * D counts the tens above b, so flags above b that say "either" can matter. Let there be n of them, and let D be the
 * distance without them. If D + n <= K every line takes a set; if D > K none does. Otherwise the play splits. The
 * lines with less than K + 1 - D of the open tens take a set, which removes those flags, and what is left is one play
 * again: the ten on b is a choice if some line has distance < K, and the line without open tens has distance D. The
 * lines with K + 1 - D of the open tens or more keep the card; one play for every choice of which are the newest K +
 * 1 - D, so C(n, K + 1 - D) plays. The work of a deal is the number of plays in the end. It does not depend on the
 * order of the search.
 *
 * The opening. Before the third card the line may hold a set, the first two cards a, b with a + b = m or 2 m. If the
 * third card c is no ten, then taking a b leaves c; taking b c (only if c = a) leaves a card of the same value; a b c
 * totals no multiple of m: the same line as if a b had gone before. If c is a ten, a b leaves the ten (so does b c,
 * if all are tens) and a b c leaves nothing, provided that a + b + m <= K m: this is "either" on boundary 0, and
 * whatever boundary 0's flag is before that does not matter, since it has no open tens above it and returns to
 * "either" by the rules above. So a deal that starts like this starts with "either", and nothing else differs. With
 * fewer than three cards the pile goes live with the last card, which makes the same sets as going live earlier.
 *
 * The state. Boundary 0 is the bottom, boundary j lies above the j-th card that is no ten; at most 105 boundaries.
 *
 *     bit      63   62   61   60 ..          0 | 63 ..                  newer boundaries are lower bits, so that
 *     boundary  0    1    2    3 ..         63 | 64 .. 104              "nearest" is x & -x and "above it" (x - 1) & ~x
 *     alive     1    1    0    1                                        the boundary is in the line
 *     ten       1    0    0    0                                        a ten lies on it
 *     either    0    0    0    1                                        a ten lies on it or does not; never both bits
 *     carry     0    1    0    0      (of the deal)                     its card passes a multiple of m
 *     lone      1    0    1    1      (of the deal)                     an odd number of tens follow its card
 *
 * The card of boundary j is dealt on a boundary with the residue of j - 1, whatever was taken before, so that its
 * carry too is the deal's. The distance D is the carries of the alive boundaries above b (the new one included) and
 * their tens: population counts. Three sets of boundaries are a play; there is no stack to undo and nothing to hash.
 *
 * Forks wait on a stack in the scalar search. Every fork there is charged to an open ten that the current play has
 * settled or removed, a flag says "either" once for every set that made it so, and a card takes at most one set: 105
 * entries.
 *
 * Lanes. Every deal lays the same number of cards (36 of a pack), so plays go side by side, 32 boundaries to a lane
 * and `pieces` lanes to a play; boundaries past those alive so far are not touched. All plays of a batch lay card j
 * before any lays card j + 1. Plays that split off are appended behind the others, with the card laid, and never
 * leave a gap. Lanes without a play and cards that a short deal does not have are harmless: see residue_record and
 * residue_lay_group.
 *
 * Side by side they go in residue.h, which also says what was tried and dropped. Which sets to take is told by
 * residue_moves.h.
 */

#ifndef RESIDUE_PLAYS_H
#define RESIDUE_PLAYS_H

#include <stdint.h>
#include <string.h>

/* RESIDUE_LANES: 32-bit lanes of a vector, 0 where there is only the scalar search. RESIDUE_PORTABLE builds, for
 * tests, what a machine without AVX2 or NEON code of its own would run. */
#if defined(__x86_64__) && !defined(RESIDUE_PORTABLE)
#define RESIDUE_LANES 8
#define RESIDUE_AVX2
#define RESIDUE_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(RESIDUE_PORTABLE)
#define RESIDUE_LANES 4
#define RESIDUE_NEON
#define RESIDUE_TARGET
#include <arm_neon.h>
#elif defined(RESIDUE_PORTABLE)
#define RESIDUE_LANES 4
#define RESIDUE_TARGET
#else
#define RESIDUE_LANES 0
#endif

#define RESIDUE_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define RESIDUE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RESIDUE_UNROLL _Pragma("GCC unroll 8")
#endif

enum {
    RESIDUE_MAX_CARDS = 104,
    RESIDUE_MAX_MODULUS = 15, /* leaves residue 15 to the boundaries that a short deal does not have */
    RESIDUE_MAX_MULTIPLES = 104,
    RESIDUE_DIGITS = 4, /* binary digits of a residue */
    RESIDUE_WORDS = 2,  /* 64-bit words for the boundaries */
    RESIDUE_FORKS = RESIDUE_MAX_CARDS + 1,
    RESIDUE_ASK = 64, /* plays of a deal, and deals, between two questions whether to stop */
};

enum {
    RESIDUE_OVER = -1,    /* instead of a remainder: there are more plays than the limit */
    RESIDUE_STOPPED = -2, /* the caller asked to stop */
};

typedef struct {
    int modulus;         /* m, 2 .. RESIDUE_MAX_MODULUS */
    int multiples;       /* K, 2 .. RESIDUE_MAX_MULTIPLES */
    int opening;         /* 1, 2 or 3 */
    int64_t limit;       /* how many plays of one deal to follow, at least 1 */
    int (*stop)(void *); /* asked now and then: stop? */
    void *stop_about;
} residue_game;

typedef enum {
    RESIDUE_SCALAR,
    RESIDUE_VECTOR, /* only if residue_has_vector() */
} residue_path;

/* Does the class above hold these numbers? `values` has `count` card values, of any number of deals. */
static inline int residue_fits(const residue_game *game, int cards, const uint8_t *values, int64_t count) {
    if (game->modulus < 2 || game->modulus > RESIDUE_MAX_MODULUS) return 0;
    if (game->multiples < 2 || game->multiples > RESIDUE_MAX_MULTIPLES) return 0;
    if (game->opening < 1 || game->opening > 3 || game->limit < 1) return 0;
    if (cards < 1 || cards > RESIDUE_MAX_CARDS) return 0;
    int outside = 0;
    for (int64_t i = 0; i < count; i++) outside |= (uint8_t)(values[i] - 1) >= game->modulus;
    return !outside;
}

/* ---- a deal ---- */

typedef struct {
    uint64_t same[RESIDUE_MAX_MODULUS][RESIDUE_WORDS]; /* the boundaries of each residue */
    uint64_t carry[RESIDUE_WORDS], lone[RESIDUE_WORDS];
    uint8_t residue[RESIDUE_MAX_CARDS + 1]; /* of each boundary */
    int last;                               /* boundary */
    int either;                             /* does the opening leave "either"? */
} residue_deal;

RESIDUE_INLINE uint64_t residue_bit(int boundary) { return (uint64_t)1 << (63 - boundary % 64); }

/* The bits of word `w` for boundaries 0 .. last. */
RESIDUE_INLINE uint64_t residue_up_to(int last, int w) {
    const int bits = last + 1 - 64 * w;
    return bits >= 64 ? ~(uint64_t)0 : bits <= 0 ? 0 : ~(~(uint64_t)0 >> bits);
}

RESIDUE_INLINE int residue_ones(uint64_t x) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcountll(x);
#else
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    return (int)((((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
#endif
}

RESIDUE_INLINE int residue_opens_either(const uint8_t *values, int cards, const residue_game *game) {
    if (game->opening < 3 || cards < 3 || values[2] != game->modulus) return 0;
    const int two = values[0] + values[1];
    return two == game->modulus || (two == 2 * game->modulus && game->multiples > 2);
}

static inline void residue_read(residue_deal *deal, const uint8_t *values, int cards, const residue_game *game) {
    const int modulus = game->modulus;
    int last = 0, residue = 0;
    memset(deal->same, 0, sizeof deal->same);
    memset(deal->carry, 0, sizeof deal->carry);
    memset(deal->lone, 0, sizeof deal->lone);
    deal->same[0][0] = residue_bit(0);
    for (int i = 0; i < cards; i++) {
        const int ten = values[i] == modulus;
        last += !ten;
        residue += ten ? 0 : values[i];
        const int passes = residue >= modulus;
        residue -= passes ? modulus : 0;
        const uint64_t bit = residue_bit(last);
        deal->residue[last] = (uint8_t)residue;
        deal->same[residue][last / 64] |= bit;
        deal->carry[last / 64] |= passes ? bit : 0;
        deal->lone[last / 64] ^= ten ? bit : 0;
    }
    deal->last = last;
    deal->either = residue_opens_either(values, cards, game);
}

/* ---- one play at a time ---- */

typedef struct {
    uint64_t alive[RESIDUE_WORDS], ten[RESIDUE_WORDS], either[RESIDUE_WORDS];
} residue_line;

/* Plays that keep `card`, laid already, because at least `need` of the `need` + `spare` open tens lie on the line. */
typedef struct {
    residue_line line;
    uint64_t open[RESIDUE_WORDS];
    int need, spare, card;
} residue_fork;

/* Lays `card`, whose boundary is in word `words` - 1. If the play splits, `fork` gets the lines that keep the card,
 * `line` goes on as those that take a set, and the answer is 1. */
RESIDUE_INLINE int residue_lay(residue_line *line, const residue_deal *deal, const residue_game *game, int card,
                               int words, residue_fork *fork) {
    const int top = words - 1;
    const uint64_t bit = residue_bit(card), lone = bit & deal->lone[top];
    const uint64_t *same = deal->same[deal->residue[card]];
    uint64_t above[RESIDUE_WORDS] = {0}, target[RESIDUE_WORDS] = {0};
    int found = 0, distance = 0, open = 0;
    for (int w = top; w >= 0 && !found; w--) {
        const uint64_t seen = line->alive[w] & same[w];
        if (w == top) line->alive[w] |= bit;
        above[w] = (seen - 1) & ~seen;
        target[w] = seen & -seen;
        distance += residue_ones(line->alive[w] & deal->carry[w] & above[w]) + residue_ones(line->ten[w] & above[w]);
        found = seen != 0;
    }
    if (!found || distance > game->multiples) {
        line->ten[top] |= lone;
        return 0;
    }
    for (int w = 0; w < words; w++) open += residue_ones(line->either[w] & above[w]);
    const int splits = distance + open > game->multiples;
    if (splits) {
        fork->line = *line;
        fork->line.ten[top] |= lone;
        for (int w = 0; w < RESIDUE_WORDS; w++) fork->open[w] = line->either[w] & above[w];
        fork->need = game->multiples + 1 - distance;
        fork->spare = open - fork->need;
        fork->card = card;
    }
    for (int w = 0; w < words; w++) {
        const uint64_t ten = line->ten[w] & ~above[w];
        const uint64_t choice = distance < game->multiples ? ten & target[w] : 0;
        line->alive[w] &= ~above[w];
        line->either[w] = (line->either[w] & ~above[w]) | choice;
        line->ten[w] = (ten ^ choice) ^ (lone ? target[w] & ~line->either[w] : 0);
    }
    return splits;
}

/* Takes the top fork from the stack and makes its first play: the newest open tens lie, as many as must. For each of
 * them that could also be missing, the fork in which it is goes on the stack. Returns the new height. */
static inline int residue_settle(residue_fork *stack, int height, residue_line *line) {
    const residue_fork fork = stack[--height];
    uint64_t open[RESIDUE_WORDS] = {fork.open[0], fork.open[1]};
    int need = fork.need;
    *line = fork.line;
    while (need > 0 && fork.spare > 0) {
        const int w = open[1] != 0;
        const uint64_t bit = open[w] & -open[w];
        open[w] ^= bit;
        line->either[w] ^= bit;
        stack[height++] = (residue_fork){*line, {open[0], open[1]}, need, fork.spare - 1, fork.card};
        line->ten[w] ^= bit;
        need--;
    }
    for (int w = 0; need > 0 && w < RESIDUE_WORDS; w++) {
        line->either[w] ^= open[w];
        line->ten[w] ^= open[w];
    }
    return height;
}

/* The smallest remainder of one deal, RESIDUE_OVER or RESIDUE_STOPPED; `work` gets the number of plays followed, one
 * more than the limit if there are more. */
static inline int residue_solve(const uint8_t *values, int cards, const residue_game *game, int64_t *work) {
    residue_deal deal;
    residue_fork stack[RESIDUE_FORKS];
    residue_line line = {{residue_bit(0)}, {0}, {0}};
    int height = 0, best = cards, card = 1;
    int64_t plays = 0;
    residue_read(&deal, values, cards, game);
    *(deal.either ? line.either : line.ten) = residue_bit(0) & (deal.either ? residue_bit(0) : deal.lone[0]);
    for (;;) {
        for (; card <= deal.last && card < 64; card++)
            height += residue_lay(&line, &deal, game, card, 1, &stack[height]);
        for (; card <= deal.last; card++) height += residue_lay(&line, &deal, game, card, 2, &stack[height]);
        int left = -1;
        for (int w = 0; w < RESIDUE_WORDS; w++) left += residue_ones(line.alive[w]) + residue_ones(line.ten[w]);
        if (left < best) best = left;
        plays++;
        if (height == 0) break;
        if (plays == game->limit) {
            best = RESIDUE_OVER;
            plays++;
            break;
        }
        if (plays % RESIDUE_ASK == 0 && game->stop(game->stop_about)) {
            best = RESIDUE_STOPPED;
            break;
        }
        card = stack[height - 1].card + 1;
        height = residue_settle(stack, height, &line);
    }
    *work = plays;
    return best;
}

/* Returns 0 or RESIDUE_STOPPED. */
static inline int residue_many_scalar(const uint8_t *values, int64_t deals, int cards, const residue_game *game,
                                      int16_t *remaining, int64_t *work) {
    for (int64_t i = 0; i < deals; i++) {
        remaining[i] = (int16_t)residue_solve(values + i * cards, cards, game, work + i);
        if (remaining[i] == RESIDUE_STOPPED) return RESIDUE_STOPPED;
        if (i % RESIDUE_ASK == RESIDUE_ASK - 1 && game->stop(game->stop_about)) return RESIDUE_STOPPED;
    }
    return 0;
}

#endif
