/* SPDX-License-Identifier: MIT */
/* machine.c: rules about the machine's own activity: caches, table walks, TLBs, events. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "check/rule.h"
#include "model/record.h"

enum { SHORTEST_LINE = 16 }; /* bytes: the smallest cache line that Arm's CTR can express */

static void machine_feed_cache_alignment(struct context *context)
{
    uint64_t address = context->record->cache.pa;
    if (address % SHORTEST_LINE == 0) return;
    context_found(context, "line at %" PRIx64, address);
    context_expected(context, "a multiple of %d, the smallest line", SHORTEST_LINE);
}
EXAMINE_BLOCK(machine_feed_cache_alignment)
const struct rule rule_cache_alignment = {
    .info = {"cache-alignment", "the address of a cache line is a multiple of 16",
             "tarmac: CACHE LINE, <paddr> of a line", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(CACHE),
    .has = SPOOR_HAS_PA,
    .feed = machine_feed_cache_alignment_block,
};

/* ---- table walks ---- */

static bool machine_walk_is_long(const struct context *context)
{
    return strcmp(context_name(context, context->record->walk.table_format), "LPAE") == 0;
}

static void machine_feed_walk_range(struct context *context)
{
    const struct spoor_walk *walk = &context->record->walk;
    unsigned lowest =
        machine_walk_is_long(context) ? 0 : 1; /* walks for 48-bit addresses begin at level
                                                * 0 */
    const char *side = context_name(context, walk->side);
    if (strcmp(side, "DTLB") != 0 && strcmp(side, "ITLB") != 0) {
        context_found(context, "a walk for %s", side);
        context_expected(context, "DTLB or ITLB");
    }
    if (walk->stage < 1 || walk->stage > 2) {
        context_found(context, "stage %u", walk->stage);
        context_expected(context, "1 or 2");
    }
    if (walk->level < lowest || walk->level > 3) {
        context_found(context, "level %u", walk->level);
        context_expected(context, "%u to 3", lowest);
    }
}
EXAMINE_BLOCK(machine_feed_walk_range)
const struct rule rule_walk_range = {
    .info = {"walk-range",
             "a walk is of the ITLB or DTLB, and has stage 1 or 2 and level 1 to 3 (LPAE: 0 to 3)",
             "tarmac: TTW, <side>, <stage> and <level>; level 0 exists for 48-bit addresses",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(WALK),
    .feed = machine_feed_walk_range_block,
};

static void machine_feed_walk_alignment(struct context *context)
{
    unsigned entry = machine_walk_is_long(context) ? 8 : 4;
    uint64_t address = context->record->walk.pa;
    if (address % entry == 0) return;
    context_found(context, "lookup at %" PRIx64, address);
    context_expected(context, "a multiple of %u, the size of an entry", entry);
}
EXAMINE_BLOCK(machine_feed_walk_alignment)
const struct rule rule_walk_alignment = {
    .info = {"walk-alignment",
             "the address of a lookup is a multiple of the entry's size (LPAE 8, VMSA 4)",
             "tarmac: TTW, <address>", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(WALK),
    .feed = machine_feed_walk_alignment_block,
};

static void machine_feed_walk_result(struct context *context)
{
    const struct spoor_walk *walk = &context->record->walk;
    bool long_format = machine_walk_is_long(context);
    bool long_result = walk->result == SPOOR_WALK_TABLE || walk->result == SPOOR_WALK_BLOCK;
    const char *table_format = context_name(context, walk->table_format);
    if (strcmp(table_format, "LPAE") != 0 && strcmp(table_format, "VMSA") != 0) {
        context_found(context, "an entry of format %s", table_format);
        context_expected(context, "LPAE or VMSA");
        return;
    }
    if (walk->result <= SPOOR_WALK_RESERVED) return;
    if (long_result != long_format) {
        context_found(context, "%s entry with a result of the other format", table_format);
        context_expected(context, long_format ? "TABLE or BLOCK"
                                              : "SUPERSECTION, SECTION, PAGETABLE, LARGEPAGE or "
                                                "SMALLPAGE");
    } else if (walk->result == SPOOR_WALK_TABLE && walk->level >= 3) {
        context_found(context, "TABLE at level %u", walk->level);
        context_expected(context, "BLOCK: no level follows");
    } else if (walk->result == SPOOR_WALK_TABLE && !walk->attributes.size) {
        context_found(context, "TABLE without attributes");
        context_expected(context, "one or more: TABLE {<attr>=<value>}+");
    }
}
EXAMINE_BLOCK(machine_feed_walk_result)
const struct rule rule_walk_result = {
    .info = {"walk-result",
             "LPAE entries have the result TABLE (above level 3, with attributes) or BLOCK, VMSA "
             "entries the others",
             "tarmac: TTW, <result>", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(WALK),
    .feed = machine_feed_walk_result_block,
};

/* ---- TLBs ---- */

static void machine_feed_tlb_alignment(struct context *context)
{
    const struct spoor_record *record = context->record;
    size_t size;
    const char *text = spoor_names_text(context->batch->stream->names, record->tlb.region, &size);
    uint64_t region = region_bytes((struct spoor_slice){text, size});
    if (region == 0) return;
    const uint64_t bases[2] = {record->tlb.va, record->has & SPOOR_HAS_PA ? record->tlb.pa : 0};
    for (unsigned i = 0; i < 2; i++) {
        if (bases[i] % region == 0) continue;
        context_found(context, "%s base %" PRIx64, i ? "physical" : "virtual", bases[i]);
        context_expected(context, "a multiple of the region's size %s", text);
    }
}
EXAMINE_BLOCK(machine_feed_tlb_alignment)
const struct rule rule_tlb_alignment = {
    .info = {"tlb-alignment", "a mapped region begins at a multiple of its size on both sides",
             "tarmac: TLB, <size>, <vbase> and <paddr>", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(TLB),
    .feed = machine_feed_tlb_alignment_block,
};

static void machine_feed_tlb_regime(struct context *context)
{
    static const char *const regimes[] = {"EL1_n", "EL2_n", "EL1_s", "EL3_s"};
    const char *regime = context_name(context, context->record->tlb.regime);
    if (!regime[0]) return;
    for (size_t i = 0; i < sizeof regimes / sizeof *regimes; i++)
        if (strcmp(regime, regimes[i]) == 0) return;
    context_found(context, "regime %s", regime);
    context_expected(context, "EL1_n, EL2_n, EL1_s or EL3_s");
}
EXAMINE_BLOCK(machine_feed_tlb_regime)
const struct rule rule_tlb_regime = {
    .info = {"tlb-regime", "a stated regime is EL1_n, EL2_n, EL1_s or EL3_s",
             "tarmac: <el> of <virtualregime>", SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(TLB),
    .feed = machine_feed_tlb_regime_block,
};

/* The first word among the attributes of a mapping that is no <attr>=<value>; false: there is none.
 */
static bool machine_bare_word(const struct context *context, struct spoor_slice *word)
{
    size_t at = 0;
    const struct spoor_ref *text = &context->record->tlb.attributes;
    const struct spoor_slice list = {spoor_batch_bytes(context->batch, *text), text->size};
    struct spoor_slice value;
    while (attributes_next(list, &at, word, &value))
        if (value.bytes == word->bytes + word->size) return true; /* without the sign */
    return false;
}

static void machine_feed_tlb_attributes(struct context *context)
{
    const struct spoor_record *record = context->record;
    struct spoor_slice word;
    if (!record->tlb.attributes.size) {
        if (record->op != SPOOR_TLB_FILL) return;
        context_found(context, "a mapping without attributes");
    } else {
        /* a word before them all is a memory type, right or wrong */
        const bool typed = context_name(context, record->tlb.memory_type)[0];
        if (!machine_bare_word(context, &word)) return;
        const char *begin = spoor_batch_bytes(context->batch, record->tlb.attributes);
        if (!typed && word.bytes == begin) return;
        context_found(context, "attribute %.*s", (int)word.size, word.bytes);
    }
    context_expected(context, "one or more: {<attr>=<value>}+");
}
EXAMINE_BLOCK(machine_feed_tlb_attributes)
const struct rule rule_tlb_attributes = {
    .info = {"tlb-attributes", "a mapping that fills a TLB has one or more attributes",
             "tarmac: TLB FILL, {<attr>=<value>}+", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(TLB),
    .feed = machine_feed_tlb_attributes_block,
};

/* ---- memory types ---- */

/* Passes one of the words, if the text begins with it. */
static const char *machine_pass_word(const char *at, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0) return at + strlen(words[i]);
    return NULL;
}
#define PASS_WORD(at, words) machine_pass_word(at, words, sizeof(words) / sizeof *(words))

/* Passes "Inner=WriteBackNonWriteAllocate"; NULL: it is not there. */
static const char *machine_pass_cache_type(const char *at, const char *side)
{
    static const char *const caches[] = {"NonCacheable", "WriteBack", "WriteThrough"};
    static const char *const reads[] = {"NonReadAllocate", ""};
    static const char *const writes[] = {"NonWriteAllocate", "WriteAllocate", ""};
    if (strncmp(at, side, strlen(side)) != 0) return NULL;
    at = PASS_WORD(at + strlen(side), caches);
    if (at) at = PASS_WORD(at, reads);
    return at ? PASS_WORD(at, writes) : NULL;
}

static bool machine_is_memory_type(const char *type)
{
    static const char *const devices[] = {"Device-GRE",   "Device-GRnE",   "Device-GnRE",
                                          "Device-GnRnE", "Device-nGRE",   "Device-nGRnE",
                                          "Device-nGnRE", "Device-nGnRnE", "StronglyOrdered"};
    static const char *const normal[] = {"Normal NonShareable ", "Normal Shareable "};
    /* the names of Armv7 for two of them */
    static const char *const aliases[] = {"Device-nGnRnE (StronglyOrdered)",
                                          "Device-nGnRE (Device)"};
    const char *at = PASS_WORD(type, aliases);
    if (!at) at = PASS_WORD(type, devices);
    if (at) return !*at;
    at = PASS_WORD(type, normal);
    if (at) at = machine_pass_cache_type(at, "Inner=");
    if (at) at = machine_pass_cache_type(at, " Outer=");
    return at && !*at;
}

static void machine_feed_memory_type(struct context *context)
{
    const struct spoor_record *record = context->record;
    const bool of_tlb = record->kind == SPOOR_TLB;
    const char *type =
        context_name(context, of_tlb ? record->tlb.memory_type : record->cacheop.memory_type);
    char unknown[64] = "";
    struct spoor_slice word;
    /* A word before the attributes is one, which no reader takes for a memory type. */
    if (of_tlb && !type[0] && record->tlb.attributes.size && machine_bare_word(context, &word) &&
        word.bytes == spoor_batch_bytes(context->batch, record->tlb.attributes)) {
        snprintf(unknown, sizeof unknown, "%.*s", (int)word.size, word.bytes);
        type = unknown;
    }
    if (!type[0] || machine_is_memory_type(type) || (!of_tlb && strcmp(type, "Normal") == 0))
        return;
    context_found(context, "memory type %s", type);
    context_expected(context, "Device-nGnRnE or its like, or Normal NonShareable or Shareable with "
                              "Inner= and Outer= cache types");
}
EXAMINE_BLOCK(machine_feed_memory_type)
const struct rule rule_memory_type = {
    .info = {"memory-type", "a memory type is one of the document",
             "tarmac: <memtype> of TLB and CACHE MAINTENANCE", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(TLB) | KIND(CACHEOP),
    .feed = machine_feed_memory_type_block,
};

/* ---- events ---- */

enum { EVENT_MODE_CHANGE = 0x19 };
static const struct core_event {
    uint32_t number;
    const char *name;
    bool of_m; /* of the M profile, whose exceptions have numbers of their own */
} events[] = {
    {0x00, "CoreEvent_Reset",
     false}, /* published traces print this number besides the document's 1 */
    {0x01, "CoreEvent_Reset", false},
    {0x02, "CoreEvent_UndefinedInstr", false},
    {0x03, "CoreEvent_SWI", false},
    {0x04, "CoreEvent_PrefetchAbort", false},
    {0x05, "CoreEvent_DataAbort", false},
    {0x07, "CoreEvent_IRQ", false},
    {0x08, "CoreEvent_FIQ", false},
    {0x0E, "CoreEvent_ImpDataAbort", false},
    {EVENT_MODE_CHANGE, "CoreEvent_ModeChange", false},
    /* the document has 80 and 88; the others are the vectors of AArch64 in their order */
    {0x80, "CoreEvent_CURRENT_SP0_SYNC", false},
    {0x81, "CoreEvent_CURRENT_SP0_IRQ", false},
    {0x82, "CoreEvent_CURRENT_SP0_FIQ", false},
    {0x83, "CoreEvent_CURRENT_SP0_SERROR", false},
    {0x84, "CoreEvent_CURRENT_SPx_SYNC", false},
    {0x85, "CoreEvent_CURRENT_SPx_IRQ", false},
    {0x86, "CoreEvent_CURRENT_SPx_FIQ", false},
    {0x87, "CoreEvent_CURRENT_SPx_SERROR", false},
    {0x88, "CoreEvent_LOWER_64_SYNC", false},
    {0x89, "CoreEvent_LOWER_64_IRQ", false},
    {0x8A, "CoreEvent_LOWER_64_FIQ", false},
    {0x8B, "CoreEvent_LOWER_64_SERROR", false},
    {0x8C, "CoreEvent_LOWER_32_SYNC", false},
    {0x8D, "CoreEvent_LOWER_32_IRQ", false},
    {0x8E, "CoreEvent_LOWER_32_FIQ", false},
    {0x8F, "CoreEvent_LOWER_32_SERROR", false},
    {0x02, "CoreEvent_NMI", true},
    {0x03, "CoreEvent_HARDFAULT", true},
    {0x04, "CoreEvent_MEMMANAGE", true},
    {0x05, "CoreEvent_BUSFAULT", true},
    {0x06, "CoreEvent_USAGEFAULT", true},
    {0x07, "CoreEvent_SECUREFAULT", true},
    {0x0B, "CoreEvent_SVCALL", true},
    {0x0C, "CoreEvent_DEBUGMONITOR", true},
    {0x0E, "CoreEvent_PENDSV", true},
    {0x0F, "CoreEvent_SYSTICK", true},
};
enum {
    EVENTS = sizeof events / sizeof *events,
    FIRST_EXTERNAL = 0x10 /* of the M profile: interrupts of devices */
};

/* True if the instruction before an event is of the M profile, by its mode. */
static bool machine_is_of_m_profile(const struct context *context)
{
    static const char *const modes[] = {"thread", "handler", "thrd", "hndl"};
    for (size_t i = context->index; i-- > 0;) {
        const struct spoor_record *record = &context->batch->records[i];
        if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_EXTRA)) continue;
        const char *mode = context_name(context, record->insn.mode);
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
            if (ascii_compare_some(mode, modes[k], strlen(modes[k])) == 0) return true;
        return false;
    }
    return false;
}

/* What the table has for an event. */
struct listed_event {
    bool right;               /* the number and the name belong together */
    const char *of_number[2]; /* names of the number: of the A profile, of the M profile */
    const struct core_event *of_name;
};

static struct listed_event machine_list_event(uint32_t number, const char *name)
{
    enum { PREFIX = sizeof "CoreEvent_" - 1, HANDLE = sizeof "handle" - 1 };
    static const char external[] = "CoreEvent_EXT_INT"; /* and a number: of the M profile */
    struct listed_event listed = {.right =
                                      number >= FIRST_EXTERNAL &&
                                      ascii_compare_some(external, name, sizeof external - 1) == 0};
    /* Names are equal in any letter case; some producers print CoreEvent_handleDataAbort. */
    const bool prefixed = ascii_compare_some("CoreEvent_", name, PREFIX) == 0;
    const char *rest = prefixed ? name + PREFIX : name;
    if (strncmp(rest, "handle", HANDLE) == 0) rest += HANDLE;
    for (size_t i = 0; i < EVENTS; i++) {
        const bool same_number = events[i].number == number;
        const bool same_name = prefixed && ascii_compare(events[i].name + PREFIX, rest) == 0;
        listed.right |= same_number && same_name;
        if (same_number) listed.of_number[events[i].of_m] = events[i].name;
        if (same_name) listed.of_name = &events[i];
    }
    return listed;
}

static void machine_feed_event_name(struct context *context)
{
    const struct spoor_event *event = &context->record->event;
    if (context->record->op != SPOOR_EVENT_E) return;
    const char *name = context_name(context, event->name);
    const struct listed_event listed = machine_list_event(event->number, name);
    const bool changes_mode = listed.of_name && listed.of_name->number == EVENT_MODE_CHANGE;
    if (listed.right && changes_mode != (event->mode != SPOOR_NO_NAME)) {
        context_found(context, "event %08" PRIx32 " %s with%s a mode", event->number, name,
                      changes_mode ? "out" : "");
        context_expected(context, changes_mode ? "the new mode" : "a mode of ModeChange only");
        return;
    }
    const char *of_a = listed.of_number[0], *of_m = listed.of_number[1];
    if (listed.right || !(of_a || of_m || listed.of_name)) return;
    context_found(context, "event %08" PRIx32 " %s", event->number, name);
    if (of_a && of_m && !machine_is_of_m_profile(context))
        context_expected(context, "%s (M profile: %s)", of_a, of_m);
    else if (of_a || of_m)
        context_expected(context, "%s", of_m ? of_m : of_a);
    else
        context_expected(context, "number %08" PRIx32 " for this name", listed.of_name->number);
}
EXAMINE_BLOCK(machine_feed_event_name)
const struct rule rule_event_name = {
    .info = {"event-name", "an event's number matches its name; a change of mode has the new mode",
             "tarmac: E, table 6-16 (any letter case; CoreEvent_Reset also with number 0; "
             "exceptions of "
             "the M profile)",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(EVENT),
    .has = SPOOR_HAS_INDEX,
    .feed = machine_feed_event_name_block,
};

static void machine_feed_event_known(struct context *context)
{
    const struct spoor_event *event = &context->record->event;
    if (context->record->op != SPOOR_EVENT_E) return;
    const char *name = context_name(context, event->name);
    const struct listed_event listed = machine_list_event(event->number, name);
    if (listed.right || listed.of_number[0] || listed.of_number[1] || listed.of_name) return;
    context_found(context, "event %08" PRIx32 " %s", event->number, name);
    context_expected(context, "an event of the document, of AArch64 or of the M profile");
}
EXAMINE_BLOCK(machine_feed_event_known)
const struct rule rule_event_known = {
    .info = {"event-known", "an event is one of the document, of AArch64 or of the M profile",
             "tarmac: E, table 6-16; models may have others", SPOOR_SEVERITY_NOTE, true},
    .kinds = KIND(EVENT),
    .has = SPOOR_HAS_INDEX,
    .feed = machine_feed_event_known_block,
};
