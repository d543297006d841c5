/* SPDX-License-Identifier: MIT */
/*
 * generate_byu.c: bus transactions: sequential fetches with jumps, reads and writes with locality,
 * in the shares of the one public BYU trace (60 % fetches, 24 % reads, 12 % writes, 4 % others).
 */
#include "generate.h"

enum { DRAIN = 1 << 20 };

struct request {
    uint32_t address, delta;
    uint8_t type, size, attribute, processor;
};

static char *put_request(char *at, const struct request *request)
{
    for (unsigned i = 0; i < 4; i++) at = put_char(at, (char)(request->address >> (8 * i)));
    at = put_char(at, (char)request->type);
    at = put_char(at, (char)request->size);
    at = put_char(at, (char)request->attribute);
    at = put_char(at, (char)request->processor);
    for (unsigned i = 0; i < 4; i++) at = put_char(at, (char)(request->delta >> (8 * i)));
    return at;
}

static struct request next_request(struct chance *chance, uint32_t *pc)
{
    uint64_t dice = chance_below(chance, 100);
    struct request request = {.size = 8, .delta = 7 + (uint32_t)chance_below(chance, 60)};
    uint32_t page = (uint32_t)(chance_below(chance, 64) * chance_below(chance, 64)) << 12;
    if (dice < 60) {
        *pc = chance_below(chance, 8) ? *pc + 8 : 0x00100000 + page;
        request.address = *pc;
        return request;
    }
    request.type = dice < 84 ? 0x01 : dice < 96 ? 0x03 : dice < 99 ? 0x02 : 0x20;
    request.size = (uint8_t)(1u << chance_below(chance, 4));
    request.address = 0x01000000 + page + (uint32_t)chance_below(chance, 512) * 8;
    return request;
}

void generate_byu12(uint64_t count)
{
    struct chance chance = {UINT64_C(0xb1b1b1b1b1b1b1b1)};
    struct text out = {0};
    uint32_t pc = 0x00100000;
    for (uint64_t i = 0; i < count; i++) {
        struct request request = next_request(&chance, &pc);
        if (i == 0) request.delta = UINT32_MAX; /* the sentinel that real traces begin with */
        char *at = text_reserve(&out, 12);
        if (at) text_commit(&out, put_request(at, &request));
        drain(&out, DRAIN);
    }
    drain(&out, 1);
    text_free(&out);
}
