/* The load: real clients on loopback, in a thread of their own, that know nothing of the server's timers.
 *
 * Of ten clients four are silent (and will be found idle), two chat for ever (and reach the hard lifetime),
 * one speaks rarely, but often enough, two chat and leave politely, and one leaves with a reset. */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load {
    uint16_t port;
    size_t clients;      /* how many to play */
    size_t connected;    /* result: connects that succeeded */
    size_t sent, echoed; /* result: bytes */
    size_t wrong_bytes;  /* result: bytes that nobody sent */
    bool finished;       /* result: every client has seen its end */
};

/* Plays the whole load; a thread's main function. The argument is a struct load. */
void *load_run(void *load);

#endif
