/* SPDX-License-Identifier: MIT */
/*
 * tlb.c: [TLB|WALKCACHE] FILL <id> <size> <regime>:{0x}<paddr>{_NS} {<memtype>} {<attr>=<value>}
 *        [TLB|WALKCACHE] EVICT <id> <size> <regime>
 *
 * where <regime> is 0x<vbase>{_NS}{ <el>}{ vmid=<vmid>}{, nG asid=<asid>}.  The document calls <el>
 * mandatory; its examples omit it.
 */
#include "base/ascii.h"
#include "formats/tarmac/writer.h"

enum { VIRTUAL, PHYSICAL };

_Static_assert(SPOOR_TLB_EVICT == SPOOR_TLB_FILL + 1 &&
                   SPOOR_WALKCACHE_EVICT == SPOOR_WALKCACHE_FILL + 1,
               "each fill's number is followed by its evict's");

bool tlb_line_read(struct tarmac_reader *reader)
{
    struct spoor_record *record = reader->record;
    struct spoor_tlb *tlb = &record->tlb;
    struct scan *scan = &reader->scan;
    struct spoor_slice action;
    uint64_t vmid = SPOOR_NO_VMID, asid = 0;
    if (!tarmac_read_token(reader, &action, "FILL or EVICT")) return false;
    const bool evict = slice_is(action, "EVICT");
    if (!evict && !slice_is(action, "FILL")) {
        scan->at = action.bytes;
        return tarmac_fail(reader, "FILL or EVICT");
    }
    if (evict) record->op++;
    if (!tarmac_read_name(reader, &tlb->unit, "the name of the TLB") ||
        !tarmac_read_name(reader, &tlb->region, "the size of the region") ||
        !tarmac_read_physical(reader, VIRTUAL, &tlb->va, &tlb->va_security))
        return false;
    struct spoor_slice regime = tarmac_peek(reader); /* { <el>}: up to a comma or a colon */
    for (size_t i = 0; i < regime.size; i++)
        if (regime.bytes[i] == ',' || regime.bytes[i] == ':') regime.size = i;
    if (!scan_done(scan) && *scan->at == ' ' && regime.size &&
        !ascii_some_begins(regime.bytes, regime.size, "vmid=")) {
        if (!tarmac_read_gap(reader)) return false;
        scan->at += regime.size;
        if (!tarmac_intern(reader, regime, &tlb->regime)) return false;
    }
    if (SCAN_LITERAL(scan, " vmid=") &&
        !tarmac_read_decimal(reader, SPOOR_NO_VMID - 1, &vmid, "a vmid in decimal"))
        return false;
    if (SCAN_LITERAL(scan, ", nG asid=")) {
        tlb->non_global = 1;
        if (!tarmac_read_decimal(reader, UINT16_MAX, &asid, "an asid in decimal")) return false;
    }
    tlb->vmid = (uint32_t)vmid;
    tlb->asid = (uint16_t)asid;
    record->has |= SPOOR_HAS_VA;
    if (evict) return true;
    if (!tarmac_read_char(reader, ':', "':' and a physical address")) return false;
    if (!SCAN_LITERAL(scan, "0x")) reader->spelling.shape |= SHAPE_BARE;
    if (!tarmac_read_hex(reader, PHYSICAL, &tlb->pa, "a physical address in hexadecimal"))
        return false;
    tlb->security = tarmac_read_security(reader);
    record->has |= SPOOR_HAS_PA;
    /* {Device-nGnRnE (StronglyOrdered)}, {Normal NonShareable Inner=... Outer=...} */
    struct spoor_slice type = tarmac_peek(reader);
    const bool device = ascii_some_begins(type.bytes, type.size, "Device");
    if (device || ascii_some_begins(type.bytes, type.size, "Normal")) {
        if (!tarmac_read_gap(reader)) return false;
        struct spoor_slice word = type;
        bool continues;
        do {
            scan->at = word.bytes + word.size;
            type.size = (size_t)(scan->at - type.bytes);
            word = tarmac_peek(reader);
            continues = device ? ascii_some_begins(word.bytes, word.size, "(")
                               : slice_is(word, "NonShareable") || slice_is(word, "Shareable") ||
                                     slice_is(word, "InnerShareable") ||
                                     slice_is(word, "OuterShareable") ||
                                     ascii_some_begins(word.bytes, word.size, "Inner=") ||
                                     ascii_some_begins(word.bytes, word.size, "Outer=");
        } while (continues);
        if (!tarmac_intern(reader, type, &tlb->memory_type)) return false;
    }
    if (!tarmac_read_rest(reader, &tlb->attributes)) return false;
    if (tlb->attributes.size) record->has |= SPOOR_HAS_EXTRA;
    return true;
}

bool tlb_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct spoor_tlb *tlb = &record->tlb;
    bool fill = record->op == SPOOR_TLB_FILL || record->op == SPOOR_WALKCACHE_FILL;
    if (record->op > SPOOR_WALKCACHE_EVICT || (fill && !(record->has & SPOOR_HAS_PA))) return false;
    tarmac_write_text(writer, record->op < SPOOR_WALKCACHE_FILL ? "TLB" : "WALKCACHE");
    tarmac_write_word(writer, fill ? "FILL" : "EVICT");
    tarmac_write_word_name(writer, tlb->unit);
    tarmac_write_word_name(writer, tlb->region);
    tarmac_write_gap(writer);
    tarmac_write_text(writer, "0x");
    tarmac_write_hex(writer, VIRTUAL, tlb->va, tlb->va >> 32 ? 16 : 8);
    tarmac_write_security(writer, tlb->va_security);
    if (tlb->regime) tarmac_write_word_name(writer, tlb->regime);
    if (tlb->vmid != SPOOR_NO_VMID) {
        tarmac_write_text(writer, " vmid=");
        tarmac_write_decimal(writer, tlb->vmid);
    }
    if (tlb->non_global) {
        tarmac_write_text(writer, ", nG asid=");
        tarmac_write_decimal(writer, tlb->asid);
    }
    if (fill) {
        tarmac_write_char(writer, ':');
        if (!(writer->spelling.shape & SHAPE_BARE)) tarmac_write_text(writer, "0x");
        tarmac_write_hex(writer, PHYSICAL, tlb->pa, 10);
        tarmac_write_security(writer, tlb->security);
        if (tlb->memory_type) tarmac_write_word_name(writer, tlb->memory_type);
        tarmac_write_word_ref(writer, tlb->attributes);
    }
    return true;
}
