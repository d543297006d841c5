/* SPDX-License-Identifier: MIT */
/* access.c: rules about the processor's accesses, its registers, and addresses of both. */
#include <inttypes.h>
#include <stddef.h>

#include "base/scan.h"
#include "check/rule.h"

enum { PAGE_MASK = 0xFFF }; /* no page is smaller than 4 KiB */

/* The kinds below begin with both addresses. */
#define BEGINS_WITH(member, virtual, physical)                           \
    _Static_assert(offsetof(struct spoor_record, member.virtual) ==      \
                           offsetof(struct spoor_record, word[0]) &&     \
                       offsetof(struct spoor_record, member.physical) == \
                           offsetof(struct spoor_record, word[1]),       \
                   #member)
BEGINS_WITH(insn, va, pa);
BEGINS_WITH(mem, va, pa);
BEGINS_WITH(cacheop, va, pa);
BEGINS_WITH(flow, va, pa);
BEGINS_WITH(event, value, value_pa);

static void access_feed_page_offset(struct context *context)
{
    const struct spoor_record *record = context->record;
    uint64_t pairs[2][2] = {{record->word[0], record->word[1]}}; /* virtual, physical */
    if (record->kind == SPOOR_FLOW && (record->has & SPOOR_HAS_PA2)) {
        pairs[1][0] = record->flow.target;
        pairs[1][1] = record->flow.target_pa;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (((pairs[i][0] ^ pairs[i][1]) & PAGE_MASK) == 0) continue;
        context_found(context, "%" PRIx64 " at physical %" PRIx64, pairs[i][0], pairs[i][1]);
        context_expected(context, "the same low 12 bits in both");
    }
}
EXAMINE_BLOCK(access_feed_page_offset)
const struct rule rule_page_offset = {
    .info = {"page-offset", "virtual and physical address agree in the low 12 bits",
             "tarmac: <vaddr>:<paddr>; the smallest page is 4 KiB", SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(INSN) | KIND(MEM) | KIND(CACHEOP) | KIND(FLOW) | KIND(EVENT),
    .has = SPOOR_HAS_VA | SPOOR_HAS_PA,
    .feed = access_feed_page_offset_block,
};

static void access_feed_size(struct context *context)
{
    uint16_t size = context->record->mem.size;
    if (size == 0) return; /* the trace does not state it */
    if (size == 1 || size == 2 || size == 4 || size == 8 || size == 16) return;
    if (context_is_of_matcher(context)) return; /* "Decimal integer value" */
    context_found(context, "%u bytes", size);
    context_expected(context, "1, 2, 4, 8 or 16");
}
EXAMINE_BLOCK(access_feed_size)
const struct rule rule_mem_size = {
    .info = {"mem-size",
             "an access with data transfers 1, 2, 4, 8 or 16 bytes; in Trace "
             "Matcher's format any number",
             "tarmac: <sz> of M and MU (published traces have M of 16 bytes)",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(MEM),
    .has = SPOOR_HAS_DATA,
    .feed = access_feed_size_block,
};

static void access_feed_data_width(struct context *context)
{
    const struct spoor_record *record = context->record;
    const bool mem = record->kind == SPOOR_MEM;
    const unsigned digits = mem ? record->mem.data_digits : record->bus.data_digits;
    const unsigned size = mem ? record->mem.size : record->bus.size;
    if (digits == 0 || digits == 2 * size) return;
    context_found(context, "%u digits of data", digits);
    context_expected(context, "%u for %u bytes", 2 * size, size);
}
EXAMINE_BLOCK(access_feed_data_width)
const struct rule rule_data_width = {
    .info = {"data-width", "the data of an access has two digits a byte",
             "tarmac: <data>, padding according to the size of the transfer; matcher: <data>",
             SPOOR_SEVERITY_ERROR, true},
    .kinds = KIND(MEM) | KIND(BUS),
    .has = SPOOR_HAS_DATA,
    .feed = access_feed_data_width_block,
};

/* ---- addresses outside a process ---- */

/* Counts the addresses of a 64-bit process. */
struct range {
    uint64_t right;
    uint64_t place; /* 1 + the MiB of the last address that is not of one */
};

static void access_feed_range(struct context *context)
{
    enum { TRUSTED = 32 };
    struct range *range = context->state;
    const struct spoor_record *record = context->record;
    const char *what = "branch at";
    uint64_t address = record->flow.va;
    if (record->kind == SPOOR_MEM) {
        what = "an access to";
        address = record->mem.va;
    } else if (record->kind == SPOOR_INSN) {
        what = "pc";
        address = record->insn.va;
    }
    const uint64_t high = address >> 47;
    if ((high == 0 && address > UINT32_MAX) || high == UINT64_MAX >> 47) {
        range->right++;
    } else if (range->right < TRUSTED || range->place == 1 + (address >> 20)) {
        /* the trace is of another machine, or a program linked to fixed addresses lies there */
        context->finished = true;
    } else {
        range->place = 1 + (address >> 20);
        context_found(context, "%s %" PRIx64, what, address);
        context_expected(context,
                         "an address above 4 GiB whose bits 47 to 63 are equal, as in all others");
    }
}
EXAMINE_BLOCK(access_feed_range)
const struct rule rule_address_range = {
    .info = {"address-range",
             "in a trace of a 64-bit process, every address belongs to such a process",
             "48-bit virtual addresses; reported after 32 addresses without an exception",
             SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(MEM) | KIND(INSN) | KIND(FLOW),
    .has = SPOOR_HAS_VA,
    .feed = access_feed_range_block,
    .state_size = sizeof(struct range),
};

struct register_class {
    char letter;
    unsigned bits;
    bool scalable; /* a multiple of `bits` is valid */
};

/* Letters that only Arm traces use with a number; x, s and d also name registers of other machines.
 */
static const struct register_class classes[] = {
    {'X', 64, false}, {'W', 32, false},  {'w', 32, false},  {'R', 32, false},
    {'r', 32, false}, {'Q', 128, false}, {'q', 128, false}, {'Z', 128, true},
    {'z', 128, true}, {'P', 16, true},   {'p', 16, true},
};

enum { CLASSES = sizeof classes / sizeof *classes };

/* The way in which the trace writes values. */
struct widths {
    bool padded[CLASSES]; /* a value of the class had leading zeros up to its width */
    struct name_cache asked;
    uint8_t classes[CACHED_NAMES]; /* 1 + index of the class of a cached name; 0: it has none */
};

/* Returns the first digit of a value of 4 to 128 bits. */
static unsigned access_first_digit(const struct spoor_reg *reg)
{
    const unsigned digit = reg->bits / 4u - 1;
    return (unsigned)(reg->value[digit / 16] >> 4 * (digit % 16)) & 15;
}

static void access_feed_reg_width(struct context *context)
{
    const struct spoor_reg *reg = &context->record->reg;
    struct widths *widths = context->state;
    if (context->record->op != SPOOR_REG_WRITE || reg->low || reg->high) return;
    uint8_t *known = &widths->classes[reg->name % CACHED_NAMES];
    if (!name_is_cached(&widths->asked, reg->name)) {
        /* A name like X0, r13_mon, q31 has a class, if its letter implies a width. */
        const char *text = context_name(context, reg->name);
        struct scan scan = {text + 1, text + strlen(text)};
        uint64_t number;
        const bool numbered = text[0] && scan_decimal(&scan, &number) && number <= 31 &&
                              (scan_done(&scan) || *scan.at == '_');
        *known = 0;
        for (size_t i = 0; numbered && !*known && i < CLASSES; i++)
            if (classes[i].letter == text[0]) *known = (uint8_t)(1 + i);
        name_put(&widths->asked, reg->name);
    }
    if (!*known) return;
    const struct register_class *class = &classes[*known - 1];
    bool *padded = &widths->padded[*known - 1];
    if (reg->bits == class->bits) {
        *padded |= access_first_digit(reg) == 0;
        return;
    }
    /* Some producers omit leading zeros ("R r0 8"). */
    const bool shorter = reg->bits > 0 && reg->bits < class->bits;
    if (shorter && !*padded && (reg->bits <= 4 || access_first_digit(reg) != 0)) return;
    const char *name = context_name(context, reg->name);
    const bool x86 = reg->bits == 64 && name[0] == 'r' && !strchr(name, '_') && /* r8 to r15 */
                     (name[2] ? name[1] == '1' && name[2] <= '5' : name[1] >= '8');
    if (x86 && !*padded) return;
    if (class->scalable && reg->bits && reg->bits % class->bits == 0) return;
    if (context_is_of_matcher(context)) return;
    context_found(context, "%s of %u bits", name, reg->bits);
    context_expected(context, "%s%u", class->scalable ? "a multiple of " : "", class->bits);
}
EXAMINE_BLOCK(access_feed_reg_width)
const struct rule rule_reg_width = {
    .info = {"reg-width",
             "X has 64 bits, R and W 32, Q 128, Z a multiple of 128, P of 16, unless leading zeros "
             "are omitted",
             "tarmac: <register> <value>", SPOOR_SEVERITY_WARNING, true},
    .kinds = KIND(REG),
    .has = SPOOR_HAS_DATA,
    .feed = access_feed_reg_width_block,
    .state_size = sizeof(struct widths),
};
