/* SPDX-License-Identifier: MIT */
/* record.c: the names of kinds and operations. */
#include "spoor/record.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct spoor_record) == 64, "one record is one cache line");

const char *spoor_kind_name(enum spoor_kind kind)
{
    static const char *const names[SPOOR_KINDS] = {
        [SPOOR_NOTE] = "note", [SPOOR_UOP] = "uop",         [SPOOR_INSN] = "insn",
        [SPOOR_FLOW] = "flow", [SPOOR_REG] = "reg",         [SPOOR_MEM] = "mem",
        [SPOOR_BUS] = "bus",   [SPOOR_CACHEOP] = "cacheop", [SPOOR_CACHE] = "cache",
        [SPOOR_WALK] = "walk", [SPOOR_TLB] = "tlb",         [SPOOR_EVENT] = "event",
    };
    return (unsigned)kind < SPOOR_KINDS ? names[kind] : "?";
}

int spoor_kind_find(const char *name)
{
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (strcmp(spoor_kind_name((enum spoor_kind)kind), name) == 0) return kind;
    return -1;
}

static const char *const note_ops[] = {"unknown", "blank", "comment", "header", "trailing", "rest"};
static const char *const insn_ops[] = {"skipped", "taken", "again", "squashed"};
static const char *const flow_ops[] = {"direct", "indirect", "return", "branch"};
/* Names of typed branches, by their bits. */
static const char *const flow_types[] = {"jump",
                                         "conditional",
                                         "indirect-jump",
                                         "conditional-indirect-jump",
                                         "direct-return",
                                         "conditional-direct-return",
                                         "return",
                                         "conditional-return",
                                         "call",
                                         "conditional-call",
                                         "indirect-call",
                                         "conditional-indirect-call",
                                         "direct-call-return",
                                         "conditional-direct-call-return",
                                         "call-return",
                                         "conditional-call-return"};
static const char *const reg_ops[] = {"write", "system", "read"};
static const char *const mem_ops[] = {"read",
                                      "write",
                                      "add",
                                      "bic",
                                      "cas",
                                      "eor",
                                      "orr",
                                      "smax",
                                      "smin",
                                      "swp",
                                      "umax",
                                      "umin",
                                      "fetch",
                                      "modify",
                                      "misc",
                                      "copy-back",
                                      "invalidate",
                                      "to-coprocessor",
                                      "from-coprocessor",
                                      "prefetch",
                                      "prefetch-code"};
static const char *const bus_ops[] = {"undefined",   "fetch",     "read",        "read-invalidate",
                                      "write",       "writeback", "io-read",     "io-write",
                                      "defer-reply", "int-ack",   "agent",       "branch-trace",
                                      "special",     "shutdown",  "flush",       "halt",
                                      "sync",        "flush-ack", "stopclk-ack", "smi-ack"};
static const char *const cache_ops[] = {"alloc", "inval", "dirty", "clean", "fill", "evict"};
static const char *const walk_ops[] = {"read", "update"};
static const char *const tlb_ops[] = {"fill", "evict", "walkcache-fill", "walkcache-evict"};
static const char *const event_ops[] = {
    "event",       "signal", "cadi",       "debug",  "exception", "reason", "sample",
    "frame",       "begin",  "end",        "lost",   "state",     "stage",  "stage-end",
    "instruction", "label",  "dependence", "marker", "repeated"};

#define WORDS(list)                      \
    {                                    \
        list, sizeof list / sizeof *list \
    }
static const struct {
    const char *const *words;
    size_t count;
} ops[SPOOR_KINDS] = {
    [SPOOR_NOTE] = WORDS(note_ops),   [SPOOR_INSN] = WORDS(insn_ops),
    [SPOOR_REG] = WORDS(reg_ops),     [SPOOR_MEM] = WORDS(mem_ops),
    [SPOOR_BUS] = WORDS(bus_ops),     [SPOOR_CACHE] = WORDS(cache_ops),
    [SPOOR_WALK] = WORDS(walk_ops),   [SPOOR_TLB] = WORDS(tlb_ops),
    [SPOOR_EVENT] = WORDS(event_ops),
};

const char *spoor_op_name(const struct spoor_record *record)
{
    if (record->kind == SPOOR_FLOW) {
        const uint8_t plain = record->op & (uint8_t)~SPOOR_FLOW_NOT_TAKEN;
        if (plain & SPOOR_FLOW_TYPED) return plain >> 5 ? "" : flow_types[plain & 15];
        return plain <= SPOOR_FLOW_BRANCH ? flow_ops[plain] : "";
    }
    if (record->kind >= SPOOR_KINDS || record->op >= ops[record->kind].count) return "";
    return ops[record->kind].words[record->op];
}
