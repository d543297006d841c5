/* SPDX-License-Identifier: MIT */
/*
 * address.c: <vaddr>{:<paddr><psecurity>}, the common address definition.  Of Morello, <vaddr> may
 * be a capability: (<tag>|<metadata>|<address>).
 */
#include "formats/tarmac/writer.h"

enum { PHYSICAL_DIGITS = 12 };

static const char *const suffixes[] = {
    [SPOOR_SEC_NONE] = "",     [SPOOR_SEC_S] = "_S",     [SPOOR_SEC_NS] = "_NS",
    [SPOOR_SEC_REALM] = "_RL", [SPOOR_SEC_ROOT] = "_RT",
};

const char *const diagram_prefixes[] = {
    [SPOOR_SEC_NONE] = "",     [SPOOR_SEC_S] = "S:",     [SPOOR_SEC_NS] = "NS:",
    [SPOOR_SEC_REALM] = "RL:", [SPOOR_SEC_ROOT] = "RT:",
};

uint8_t tarmac_read_security(struct tarmac_reader *reader)
{
    static const uint8_t order[] = {SPOOR_SEC_NS, SPOOR_SEC_S, SPOOR_SEC_REALM, SPOOR_SEC_ROOT};
    struct scan *scan = &reader->scan;
    if (scan_done(scan) || *scan->at != '_') return SPOOR_SEC_NONE;
    for (size_t i = 0; i < sizeof order; i++)
        if (scan_word(scan, suffixes[order[i]], strlen(suffixes[order[i]]))) return order[i];
    return SPOOR_SEC_NONE;
}

bool tarmac_read_capability(struct tarmac_reader *reader, uint64_t *metadata, uint64_t *address)
{
    static const char expected[] = "a capability: (<tag>|<metadata>|<address>)";
    struct scan *scan = &reader->scan;
    const bool bracketed = scan_char(scan, '(');
    const bool tagged = scan_char(scan, '0') || scan_char(scan, '1');
    if (!tagged || !scan_char(scan, '|') || !scan_hex(scan, metadata, NULL, NULL) ||
        !scan_char(scan, '|') || !scan_hex(scan, address, NULL, NULL) ||
        (bracketed && !scan_char(scan, ')')))
        return tarmac_fail(reader, expected);
    reader->verbatim = true; /* the tag and the spelling stay with the line */
    text_refuse(reader->learning);
    return true;
}

bool tarmac_read_any_address(struct tarmac_reader *reader, unsigned slot, struct address *address)
{
    uint64_t metadata;
    address->pa = 0;
    if (!scan_done(&reader->scan) && *reader->scan.at == '(') {
        if (!tarmac_read_capability(reader, &metadata, &address->va)) return false;
    } else if (!tarmac_read_hex(reader, slot, &address->va, "an address in hexadecimal")) {
        return false;
    }
    address->has_pa = reader->dialect->physical && scan_char(&reader->scan, ':');
    if (address->has_pa &&
        !tarmac_read_hex(reader, slot + 1, &address->pa, "a physical address in hexadecimal"))
        return false;
    address->security = reader->dialect->physical ? tarmac_read_security(reader) : SPOOR_SEC_NONE;
    return true;
}

bool tarmac_read_address(struct tarmac_reader *reader, unsigned slot, struct address *address)
{
    if (!tarmac_read_any_address(reader, slot, address)) return false;
    return address->has_pa || !address->security ||
           tarmac_fail(reader, "a security after a physical address only");
}

bool tarmac_read_physical(struct tarmac_reader *reader, unsigned slot, uint64_t *pa,
                          uint8_t *security)
{
    if (!tarmac_read_gap(reader)) return false;
    if (!SCAN_LITERAL(&reader->scan, "0x")) return tarmac_fail(reader, "0x and an address");
    if (!tarmac_read_hex(reader, slot, pa, "an address in hexadecimal")) return false;
    *security = tarmac_read_security(reader);
    return true;
}

void tarmac_write_security(struct tarmac_writer *writer, uint8_t security)
{
    if (security < sizeof suffixes / sizeof *suffixes)
        tarmac_write_text(writer, suffixes[security]);
}

void tarmac_write_address(struct tarmac_writer *writer, unsigned slot,
                          const struct address *address)
{
    unsigned digits = writer->dialect->address_digits;
    tarmac_write_hex(writer, slot, address->va, address->va >> 32 ? 16 : digits);
    if (!writer->dialect->physical) return;
    if (address->has_pa) {
        tarmac_write_char(writer, ':');
        tarmac_write_hex(writer, slot + 1, address->pa, PHYSICAL_DIGITS);
    }
    tarmac_write_security(writer, address->security);
}
