/* SPDX-License-Identifier: MIT */
/* random_trace.c: see random_trace.h. */
#include "simulate/pipeline/random_trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "spoor/spoor.h"

enum { REGISTERS = 12, ADDRESSES = 6, SITES = 64 };

static unsigned below(uint64_t *state, unsigned limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)((*state >> 32) % limit);
}

static int some_register(uint64_t *state)
{
    return (int)below(state, REGISTERS) - 1;
}

/* Writes a loop of sites: the kind of a site depends only on its pc, so that tables by pc can
 * learn. */
static void put_line(struct text *text, uint64_t *state, unsigned site)
{
    static const char *const micros[] = {"ADD", "MUL", "DIV", "FADD", "LOAD", "STORE", "JMP_IMM"};
    static const unsigned char shapes[16] = {0, 0, 0, 1, 4, 4, 4, 5, 5, 6, 0, 2, 3, 4, 5, 0};
    const unsigned shape = shapes[site * 7 % 16];
    const uint64_t pc = 0x1000 + 4 * (uint64_t)site;
    const bool last = site == SITES - 1;
    const bool branches = shape == 6 || last;
    const bool taken = last || (branches && below(state, 3) == 0);
    const char flags = branches && !last ? 'R' : shape == 0 && below(state, 2) ? 'W' : '-';
    const char *ldst = shape == 4 && !last ? "L" : shape == 5 && !last ? "S" : "-";
    const bool accesses = *ldst != '-';
    text_printf(text, "1 %" PRIx64 " %d %d %d %c %c %s 0 %x %" PRIx64 " %x MACRO %s\n", pc,
                some_register(state), some_register(state),
                shape == 5 || branches ? -1 : some_register(state), flags,
                !branches ? '-'
                : taken   ? 'T'
                          : 'N',
                ldst, accesses ? 0x8000 + 8 * below(state, ADDRESSES) : 0, pc + 4,
                branches ? 0x1000U : 0U, branches ? "JMP_IMM" : micros[shape]);
}

void random_trace(struct trace *trace, uint64_t seed, size_t count)
{
    struct text text = {0};
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (size_t i = 0; i < count; i++) put_line(&text, &state, (unsigned)(i % SITES));
    trace_decode(trace, spoor_format_find("uop"), text.bytes, text.size);
    text_free(&text);
}
