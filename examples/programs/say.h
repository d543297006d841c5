/* SPDX-License-Identifier: MIT */
/*
 * say.h: the only library of the example programs: printing text and numbers.
 *
 * The same sources are built twice: freestanding for the RISC-V machine of ../rv64trace, and for
 * this machine against the C library.  Their output must be the same.
 */
#ifndef SAY_H
#define SAY_H

#include <stdint.h>

void say_text(const char *text);
void say_number(uint64_t number);

/* Numbers that look random and are the same everywhere (Knuth's MMIX generator). */
static inline uint32_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
