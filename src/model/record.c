/* SPDX-License-Identifier: MIT */
/* record.c: the names of kinds and operations, and what stands in records of some kinds. */
#include "spoor/record.h"

#include <stddef.h>
#include <string.h>

#include "base/scan.h"
#include "model/bus.h"
#include "model/layout.h"
#include "model/record.h"
#include "spoor/batch.h"

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

int kind_find(const char *name)
{
    for (int kind = 0; kind < SPOOR_KINDS; kind++)
        if (strcmp(spoor_kind_name((enum spoor_kind)kind), name) == 0) return kind;
    return -1;
}

static const char *const note_ops[] = {"unknown",  "blank", "comment", "header",
                                       "trailing", "rest",  "left-out"};
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

/* ---- the tables of layout.h ---- */

#define AT(member) offsetof(struct spoor_record, member)

const struct layout record_layouts[SPOOR_KINDS] = {
    [SPOOR_NOTE] = {.refs = {AT(note.text)}},
    [SPOOR_UOP] = {.names = {AT(uop.macro), AT(uop.micro)}},
    [SPOOR_INSN] = {.names = {AT(insn.mode)}, .refs = {AT(insn.disasm)}},
    [SPOOR_REG] = {.names = {AT(reg.name), AT(reg.note)}, .refs = {AT(reg.wide)}},
    [SPOOR_MEM] = {.refs = {AT(mem.wide)}},
    [SPOOR_BUS] = {.names = {AT(bus.master)}},
    [SPOOR_CACHEOP] = {.names = {AT(cacheop.side), AT(cacheop.operation), AT(cacheop.scope),
                                 AT(cacheop.region), AT(cacheop.memory_type)}},
    [SPOOR_CACHE] = {.names = {AT(cache.unit)}},
    [SPOOR_WALK] = {.names = {AT(walk.side), AT(walk.table_format)}, .refs = {AT(walk.attributes)}},
    [SPOOR_TLB] = {.names = {AT(tlb.unit), AT(tlb.region), AT(tlb.regime), AT(tlb.memory_type)},
                   .refs = {AT(tlb.attributes)}},
    [SPOOR_EVENT] = {.names = {AT(event.mode), AT(event.name)}, .refs = {AT(event.text)}},
};

#undef AT

/* ---- what a bus transaction states ---- */

const char *bus_agent_name(uint8_t agent)
{
#define TEN(tens)                                                                             \
    tens "0", tens "1", tens "2", tens "3", tens "4", tens "5", tens "6", tens "7", tens "8", \
        tens "9"
#define HUNDRED(hundreds)                                                                          \
    TEN(hundreds "0"), TEN(hundreds "1"), TEN(hundreds "2"), TEN(hundreds "3"), TEN(hundreds "4"), \
        TEN(hundreds "5"), TEN(hundreds "6"), TEN(hundreds "7"), TEN(hundreds "8"),                \
        TEN(hundreds "9")
    static const char names[][4] = {TEN(""),  TEN("1"), TEN("2"),     TEN("3"),
                                    TEN("4"), TEN("5"), TEN("6"),     TEN("7"),
                                    TEN("8"), TEN("9"), HUNDRED("1"), HUNDRED("2")};
    return names[agent];
#undef TEN
#undef HUNDRED
}

const uint8_t bus_cacheability_of_control[16] = {
    BUS_CACHEABILITIES,   BUS_CACHEABILITIES,     BUS_CACHEABILITIES, BUS_CACHEABILITIES,
    BUS_CACHEABILITIES,   BUS_CACHEABILITIES,     BUS_CACHEABILITIES, BUS_CACHEABILITIES,
    [8] = BUS_CACHEABLE,  [9] = BUS_UNCACHEABLE,  BUS_CACHEABILITIES, BUS_CACHEABILITIES,
    [12] = BUS_CACHEABLE, [13] = BUS_UNCACHEABLE, BUS_CACHEABILITIES, BUS_CACHEABILITIES,
};

const char *bus_cacheability_word(enum bus_cacheability cacheability)
{
    static const char *const words[] = {
        [BUS_UNCACHEABLE] = "uncacheable",     [BUS_WRITE_THROUGH] = "write through",
        [BUS_WRITE_PROTECT] = "write protect", [BUS_WRITE_BACK] = "write back",
        [BUS_CACHEABLE] = "cacheable",         [BUS_CACHEABILITIES] = "",
    };
    return words[cacheability];
}

/* ---- attribute lists and region sizes of walks and TLB entries ---- */

bool attributes_next(struct spoor_slice list, size_t *at, struct spoor_slice *key,
                     struct spoor_slice *value)
{
    size_t begin = *at;
    while (begin < list.size && list.bytes[begin] == ' ') begin++;
    if (begin == list.size) return false;
    size_t end = begin;
    while (end < list.size && list.bytes[end] != ' ' && list.bytes[end] != '=') end++;
    *key = (struct spoor_slice){list.bytes + begin, end - begin};
    *value = (struct spoor_slice){list.bytes + end, 0};
    size_t equals = end;
    while (equals < list.size && list.bytes[equals] == ' ') /* Fast Models: "ContiguousHint =0" */
        equals++;
    if (equals < list.size && list.bytes[equals] == '=') {
        const char *from = list.bytes + equals + 1;
        const char *space = memchr(from, ' ', list.size - equals - 1);
        end = space ? (size_t)(space - list.bytes) : list.size;
        *value = (struct spoor_slice){from, end - equals - 1};
    }
    *at = end;
    return true;
}

uint64_t region_bytes(struct spoor_slice text)
{
    struct scan scan = {text.bytes, text.bytes + text.size};
    uint64_t value;
    if (!scan_decimal(&scan, &value)) return 0;
    if (scan_done(&scan)) return value;
    static const char units[] = "KMGTPE";
    const char *unit = memchr(units, *scan.at, 6);
    unsigned shift = unit ? (unsigned)(unit - units + 1) * 10 : 0;
    bool fits = unit && scan.at + 1 == scan.end && value << shift >> shift == value;
    return fits ? value << shift : 0;
}
