/*
 * What the kernels in C spend of the budget (budget.pxd): nodes, bytes, and a look at signals now and then.
 */
#ifndef DECADE_EFFORT_H
#define DECADE_EFFORT_H

#include <stddef.h>
#include <stdint.h>

/* How a search ended, as in budget.pxd; and that this kernel cannot decide the deal. */
enum {
    EFFORT_GOING_ON, EFFORT_DECIDED, EFFORT_OUT_OF_NODES, EFFORT_OUT_OF_MEMORY, EFFORT_INTERRUPTED, EFFORT_TOO_WIDE
};

enum { EFFORT_POLL = 4096 };

typedef struct {
    int64_t nodes, node_limit;
    int until_poll;
    int (*poll)(void *owner);       /* nonzero: stop */
    void *(*resize)(void *owner, void *block, size_t old, size_t size);     /* NULL: no memory, the block as it was */
    void (*release)(void *owner, void *block, size_t size);
    void *owner;
} effort;

static inline __attribute__((always_inline)) int effort_spend_node(effort *spent) {
    if (spent->nodes >= spent->node_limit)
        return EFFORT_OUT_OF_NODES;
    spent->nodes++;
    if (--spent->until_poll > 0)
        return EFFORT_GOING_ON;
    spent->until_poll = EFFORT_POLL;
    return spent->poll(spent->owner) ? EFFORT_INTERRUPTED : EFFORT_GOING_ON;
}

static inline int effort_grow(effort *spent, void **items, size_t *size, size_t bytes) {
    size_t larger = bytes > 2 * *size ? bytes : 2 * *size;
    void *moved = spent->resize(spent->owner, *items, *size, larger);
    if (!moved)
        return 0;
    *items = moved;
    *size = larger;
    return 1;
}

static inline int effort_restart(effort *spent, void **items, size_t *size, size_t bytes) {
    spent->release(spent->owner, *items, *size);
    *items = spent->resize(spent->owner, NULL, 0, bytes);
    *size = *items ? bytes : 0;
    return *items != NULL;
}

/* Give an array its first size, whatever an earlier deal made of it: what a limit allows is each deal's own. */
#define EFFORT_START(p, items, bytes) \
    ((p)->items##_size == (bytes) || effort_restart(&(p)->spent, (void **)&(p)->items, &(p)->items##_size, (bytes)))

/* Make room for so many bytes in the array `items` of a search; 0 if there is no memory. */
#define EFFORT_ROOM(p, items, bytes) \
    ((bytes) <= (p)->items##_size || effort_grow(&(p)->spent, (void **)&(p)->items, &(p)->items##_size, (bytes)))

#endif
