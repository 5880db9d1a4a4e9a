"""What a search may spend: bytes, nodes and the user's patience.

All memory that a search holds is accounted for here, so one limit covers it. A *node* is a position
looked at after a discard, or where plays are followed in bundles (``residue.h``), such a bundle: the
unit of effort that is the same on every machine. Signals are polled on a counter of nodes, so that
Ctrl-C is heard within milliseconds and costs nothing measurable.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc


cdef extern from "Python.h":
    int PyErr_CheckSignals() noexcept   # the exception stays set, for the caller to pass on


cdef enum:
    POLL_NODES = 4096

cdef enum End:
    # How a search ended; GOING_ON while it has not; NO_CARD at a deal of an array that has a 0 in it.
    GOING_ON, DECIDED, OUT_OF_NODES, OUT_OF_MEMORY, INTERRUPTED, NO_CARD


cdef struct Budget:
    size_t bytes            # held now
    size_t byte_limit
    int64_t nodes           # spent on this deal
    int64_t node_limit
    int until_poll          # nodes until signals are polled again
    const int* stop         # set to nonzero from another thread to end the search


cdef inline void* resize(Budget* budget, void* block, size_t old, size_t new) noexcept nogil:
    """Resize a block of memory; NULL, with the block as it was, if that is over the limit."""
    if budget.bytes - old + new > budget.byte_limit:
        return NULL
    cdef void* moved = realloc(block, new)
    if moved != NULL:
        budget.bytes += new - old
    return moved


cdef inline void release(Budget* budget, void* block, size_t size) noexcept nogil:
    free(block)
    budget.bytes -= size


cdef inline End poll(Budget* budget) noexcept nogil:
    """Ask whether to stop; an exception raised by a signal handler is left pending."""
    budget.until_poll = POLL_NODES
    if budget.stop[0]:
        return INTERRUPTED
    with gil:
        if PyErr_CheckSignals() < 0:
            return INTERRUPTED
    return GOING_ON


cdef inline End poll_after(Budget* budget, int work) noexcept nogil:
    """Count work that is worth so many nodes; ask whether to stop if enough has been done since."""
    budget.until_poll -= work
    return poll(budget) if budget.until_poll <= 0 else GOING_ON


cdef inline End spend_node(Budget* budget) noexcept nogil:
    if budget.nodes >= budget.node_limit:
        return OUT_OF_NODES
    budget.nodes += 1
    return poll_after(budget, 1)
