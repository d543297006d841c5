/* SPDX-License-Identifier: MIT */
/*
 * packets.c: the fuzz target of packets that lead along a program: after a byte of how many bytes
 * are code, from address 0 on, the packets of a format (FUZZ_PACKETS).  Whatever both are,
 * following ends, each instruction has code, and the memory that is needed at once is bounded.
 */
#include "views/packets.h"

#include <string.h>

#include "formats/format.h"
#include "fuzz/fuzz.h"
#include "spoor/annotate.h"
#include "spoor/spoor.h"
#include "support/trace.h"

enum { AT_ONCE = 1 << 17, MOST = 1 << 20 };

struct follow {
    const uint8_t *code;
    size_t size;
    struct spoor_program_insn insn;
    bool found;
    uint64_t pc, last;
    size_t made, records;
};

static const struct spoor_program_insn *find(void *context, uint64_t pc)
{
    struct follow *follow = context;
    const size_t left = pc < follow->size ? follow->size - (size_t)pc : 0;
    const struct spoor_code_bytes bytes = {pc, follow->code + follow->size - left,
                                           left < 8 ? left : 8, SPOOR_CODE_RISCV};
    follow->pc = pc;
    follow->found = left && spoor_code_decode(&bytes, &follow->insn) && follow->insn.size;
    return follow->found ? &follow->insn : NULL;
}

static void add_insn(void *context, uint64_t pc)
{
    struct follow *follow = context;
    DEMAND(follow->found && follow->pc == pc, "an instruction at %llx", (unsigned long long)pc);
    follow->last = pc;
    follow->made++;
}

static void add_flow(void *context, uint64_t pc, unsigned type, bool taken, const uint64_t *target)
{
    struct follow *follow = context;
    DEMAND(pc == follow->last, "a branch at %llx", (unsigned long long)pc);
    DEMAND(taken || (type & SPOOR_BRANCH_CONDITIONAL), "a jump that was not taken");
    (void)target;
    follow->made++;
}

static void add_event(void *context, const struct spoor_record *event, const char *name,
                      const char *text)
{
    struct follow *follow = context;
    DEMAND(event->kind == SPOOR_EVENT && name && text, "an event");
    follow->made++;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trace trace;
    if (size < 2) return 0;
    const size_t code = 1 + (size - 1) * bytes[0] / 255 / 2;
    struct follow follow = {.code = bytes + 1, .size = code - 1};
    const struct packet_sink sink = {
        .context = &follow, .code = find, .insn = add_insn, .flow = add_flow, .event = add_event};
    const struct spoor_format *format = spoor_format_find(FUZZ_PACKETS);
    trace_decode(&trace, format, bytes + code, size - code);
    void *way = format->packets->open();
    DEMAND(way, "memory");
    for (size_t i = 0; i < trace.batch.count && follow.records < MOST; i++) {
        bool more = true;
        while (more && follow.records < MOST) {
            follow.made = 0;
            more = format->packets->follow(way, &trace.batch, i, &sink);
            DEMAND(follow.made < AT_ONCE, "%zu records at once", follow.made);
            DEMAND(!more || follow.made, "more, and nothing was made");
            follow.records += follow.made;
        }
    }
    format->packets->close(way);
    trace_free(&trace);
    return 0;
}
