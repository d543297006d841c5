/* SPDX-License-Identifier: MIT */
/*
 * symbol.c: the rule about symbols that a trace states with its addresses: a function lies at one
 * place.
 *
 * Both directions are followed, because a wrong name gives a function that occurs once, and a wrong
 * address or offset a place that occurs once.  Functions of several files may share a name, and
 * files may be loaded again: only a value that occurs once, between two occurrences of another one,
 * is reported (site.h).
 */
#include <inttypes.h>

#include "base/hash.h"
#include "base/scan.h"
#include "check/rule.h"
#include "check/site.h"

struct places {
    struct sites names;  /* by the beginning of a function */
    struct sites begins; /* by the hash of its name */
};

/* Examines the symbol of an address, which traces print as "NAME+OFFSET", perhaps " (FILE)" after
 * it.  One that states no offset may be that of the whole function. */
static void symbol_meet(struct context *context, uint64_t address, enum spoor_spill_what what)
{
    struct places *places = context->state;
    struct spoor_ref ref;
    uint64_t offset;
    if (!spoor_batch_find_spill(context->batch, context->index, what, &ref)) return;
    const char *text = spoor_batch_bytes(context->batch, ref);
    const char *space = memchr(text, ' ', ref.size);
    const char *end = space ? space : text + ref.size, *plus = end;
    while (plus > text && *--plus != '+') continue;
    if (plus <= text || *plus != '+') return;
    struct scan scan = {plus + 1, end};
    const bool hex = SCAN_LITERAL(&scan, "0x");
    if (!(hex ? scan_hex(&scan, &offset, NULL, NULL) : scan_decimal(&scan, &offset)) ||
        !scan_done(&scan))
        return;
    const size_t size = (size_t)(plus - text);
    const int shown = (int)(size < 60 ? size : 60);
    const uint64_t begin = address - offset;
    const uint64_t name =
        hash_mix(hash_of_bytes(text, size), hash_of_bytes(end, (size_t)(text + ref.size - end)));
    const struct site_value named = {.text = name}, placed = {.number = begin};
    const bool other_name = site_meet(&places->names, begin, 0, &named) != NULL;
    const bool other_place = site_meet(&places->begins, name, 0, &placed) != NULL;
    if (other_name || other_place) {
        context_found(context,
                      "once before: another name of the function at %" PRIx64
                      ", or another place of %.*s",
                      begin, shown, text);
        context_expected(context, "%.*s at %" PRIx64 ", as for %" PRIx64 " here", shown, text,
                         begin, address);
    }
}

static void symbol_feed(struct context *context)
{
    const struct spoor_record *record = context->record;
    if (record->kind == SPOOR_INSN) {
        symbol_meet(context, record->insn.va, SPOOR_SPILL_SYMBOL);
        return;
    }
    symbol_meet(context, record->flow.va, SPOOR_SPILL_SYMBOL);
    symbol_meet(context, record->flow.target, SPOOR_SPILL_TARGET_SYMBOL);
}
EXAMINE_BLOCK(symbol_feed)
const struct rule rule_symbol_place = {
    .info = {"symbol-place",
             "a function lies at one place, and has one name: the address less the offset",
             "a symbol's offset counts from the beginning of the function", SPOOR_SEVERITY_WARNING,
             true},
    .kinds = KIND(INSN) | KIND(FLOW),
    .has = SPOOR_IS_SPILLED | SPOOR_HAS_VA,
    .feed = symbol_feed_block,
    .state_size = sizeof(struct places),
};
