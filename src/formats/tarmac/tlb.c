/* SPDX-License-Identifier: MIT */
/*
 * tlb.c: [TLB|WALKCACHE] FILL <id> <size> <regime>:{0x}<paddr>{_NS} {<memtype>} {<attr>=<value>}
 *        [TLB|WALKCACHE] EVICT <id> <size> <regime>
 *
 * where <regime> is 0x<vbase>{_NS}{ <el>}{ vmid=<vmid>}{, nG asid=<asid>}.  The document calls <el>
 * mandatory; its examples omit it.
 */
#include "base/ascii.h"
#include "formats/tarmac/writing.h"

enum { VIRTUAL, PHYSICAL };

static bool read_action(struct reading *reading)
{
    struct spoor_slice token;
    if (!reading_token(reading, &token, "FILL or EVICT")) return false;
    bool evict = slice_is(token, "EVICT");
    if (!evict && !slice_is(token, "FILL")) {
        reading->scan.at = token.bytes;
        return reading_fail(reading, "FILL or EVICT");
    }
    if (evict) reading->record->op++; /* each fill's number is followed by its evict's */
    return true;
}
_Static_assert(SPOOR_TLB_EVICT == SPOOR_TLB_FILL + 1 &&
                   SPOOR_WALKCACHE_EVICT == SPOOR_WALKCACHE_FILL + 1,
               "read_action() relies on it");

/* { <el>}: a word up to a comma, a colon or a space. */
static bool read_regime(struct reading *reading)
{
    struct spoor_slice word = reading_peek(reading);
    if (reading->scan.at == reading->scan.end || *reading->scan.at != ' ') return true;
    if (word.size >= 5 && memcmp(word.bytes, "vmid=", 5) == 0) return true;
    for (size_t i = 0; i < word.size; i++)
        if (word.bytes[i] == ',' || word.bytes[i] == ':') word.size = i;
    if (word.size == 0) return true;
    if (!reading_gap(reading)) return false;
    reading->scan.at += word.size;
    return reading_intern(reading, word, &reading->record->tlb.regime);
}

/* { vmid=<vmid>}{, nG asid=<asid>} */
static bool read_space(struct reading *reading)
{
    struct spoor_tlb *tlb = &reading->record->tlb;
    struct scan *scan = &reading->scan;
    uint64_t vmid = SPOOR_NO_VMID, asid = 0;
    if (SCAN_LITERAL(scan, " vmid=") &&
        !reading_decimal(reading, SPOOR_NO_VMID - 1, &vmid, "a vmid in decimal"))
        return false;
    if (SCAN_LITERAL(scan, ", nG asid=")) {
        tlb->non_global = 1;
        if (!reading_decimal(reading, UINT16_MAX, &asid, "an asid in decimal")) return false;
    }
    tlb->vmid = (uint32_t)vmid;
    tlb->asid = (uint16_t)asid;
    return true;
}

/* :{0x}<paddr>{_NS} */
static bool read_physical(struct reading *reading)
{
    struct spoor_tlb *tlb = &reading->record->tlb;
    if (!reading_char(reading, ':', "':' and a physical address")) return false;
    if (!SCAN_LITERAL(&reading->scan, "0x")) reading->spelling.shape |= SHAPE_BARE;
    if (!reading_hex(reading, PHYSICAL, &tlb->pa, "a physical address in hexadecimal"))
        return false;
    tlb->security = reading_security(reading);
    reading->record->has |= SPOOR_HAS_PA;
    return true;
}

/* True if the word continues the memory type that `first` began. */
static bool is_of_type(struct spoor_slice first, struct spoor_slice word)
{
    if (ascii_some_begins(first.bytes, first.size, "Device"))
        return ascii_some_begins(word.bytes, word.size, "(");
    return slice_is(word, "NonShareable") || slice_is(word, "Shareable") ||
           slice_is(word, "InnerShareable") || slice_is(word, "OuterShareable") ||
           ascii_some_begins(word.bytes, word.size, "Inner=") ||
           ascii_some_begins(word.bytes, word.size, "Outer=");
}

/* {Device-nGnRnE (StronglyOrdered)}, {Normal NonShareable Inner=... Outer=...} */
static bool read_type(struct reading *reading)
{
    struct spoor_slice first = reading_peek(reading);
    if (!ascii_some_begins(first.bytes, first.size, "Device") &&
        !ascii_some_begins(first.bytes, first.size, "Normal"))
        return true;
    if (!reading_gap(reading)) return false;
    struct spoor_slice type = first;
    reading->scan.at = first.bytes + first.size;
    for (struct spoor_slice word; word = reading_peek(reading), is_of_type(first, word);) {
        reading->scan.at = word.bytes + word.size;
        type.size = (size_t)(reading->scan.at - type.bytes);
    }
    return reading_intern(reading, type, &reading->record->tlb.memory_type);
}

bool tlb_line_read(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    struct spoor_tlb *tlb = &record->tlb;
    if (!read_action(reading) || !reading_name(reading, &tlb->unit, "the name of the TLB") ||
        !reading_name(reading, &tlb->region, "the size of the region") ||
        !reading_physical(reading, VIRTUAL, &tlb->va, &tlb->va_security) || !read_regime(reading) ||
        !read_space(reading))
        return false;
    record->has |= SPOOR_HAS_VA;
    if (record->op == SPOOR_TLB_EVICT || record->op == SPOOR_WALKCACHE_EVICT) return true;
    if (!read_physical(reading) || !read_type(reading) || !reading_rest(reading, &tlb->attributes))
        return false;
    if (tlb->attributes.size) record->has |= SPOOR_HAS_EXTRA;
    return true;
}

static void write_regime(struct writing *writing)
{
    const struct spoor_tlb *tlb = &writing->record->tlb;
    writing_text(writing, "0x");
    writing_hex(writing, VIRTUAL, tlb->va, tlb->va >> 32 ? 16 : 8);
    writing_security(writing, tlb->va_security);
    if (tlb->regime) writing_word_name(writing, tlb->regime);
    if (tlb->vmid != SPOOR_NO_VMID) {
        writing_text(writing, " vmid=");
        writing_decimal(writing, tlb->vmid);
    }
    if (tlb->non_global) {
        writing_text(writing, ", nG asid=");
        writing_decimal(writing, tlb->asid);
    }
}

static void write_mapping(struct writing *writing)
{
    const struct spoor_tlb *tlb = &writing->record->tlb;
    writing_char(writing, ':');
    if (!(writing->spelling.shape & SHAPE_BARE)) writing_text(writing, "0x");
    writing_hex(writing, PHYSICAL, tlb->pa, 10);
    writing_security(writing, tlb->security);
    if (tlb->memory_type) writing_word_name(writing, tlb->memory_type);
    writing_word_ref(writing, tlb->attributes);
}

bool tlb_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    bool fill = record->op == SPOOR_TLB_FILL || record->op == SPOOR_WALKCACHE_FILL;
    if (record->op > SPOOR_WALKCACHE_EVICT || (fill && !(record->has & SPOOR_HAS_PA))) return false;
    writing_text(writing, record->op < SPOOR_WALKCACHE_FILL ? "TLB" : "WALKCACHE");
    writing_word(writing, fill ? "FILL" : "EVICT");
    writing_word_name(writing, record->tlb.unit);
    writing_word_name(writing, record->tlb.region);
    writing_gap(writing);
    write_regime(writing);
    if (fill) write_mapping(writing);
    return true;
}
