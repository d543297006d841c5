/* SPDX-License-Identifier: MIT */
/*
 * address.c: <vaddr>{:<paddr><psecurity>}, the common address definition.  Of Morello, <vaddr> may
 * be a capability: (<tag>|<metadata>|<address>).
 */
#include "formats/tarmac/writing.h"

enum { PHYSICAL_DIGITS = 12 };

static const char *const suffixes[] = {
    [SPOOR_SEC_NONE] = "",     [SPOOR_SEC_S] = "_S",     [SPOOR_SEC_NS] = "_NS",
    [SPOOR_SEC_REALM] = "_RL", [SPOOR_SEC_ROOT] = "_RT",
};

const char *const diagram_prefixes[] = {
    [SPOOR_SEC_NONE] = "",     [SPOOR_SEC_S] = "S:",     [SPOOR_SEC_NS] = "NS:",
    [SPOOR_SEC_REALM] = "RL:", [SPOOR_SEC_ROOT] = "RT:",
};

uint8_t reading_security(struct reading *reading)
{
    static const uint8_t order[] = {SPOOR_SEC_NS, SPOOR_SEC_S, SPOOR_SEC_REALM, SPOOR_SEC_ROOT};
    struct scan *scan = &reading->scan;
    if (scan_done(scan) || *scan->at != '_') return SPOOR_SEC_NONE;
    for (size_t i = 0; i < sizeof order; i++)
        if (scan_word(scan, suffixes[order[i]], strlen(suffixes[order[i]]))) return order[i];
    return SPOOR_SEC_NONE;
}

bool reading_capability(struct reading *reading, uint64_t *metadata, uint64_t *address)
{
    static const char expected[] = "a capability: (<tag>|<metadata>|<address>)";
    struct scan *scan = &reading->scan;
    const bool bracketed = scan_char(scan, '(');
    const bool tagged = scan_char(scan, '0') || scan_char(scan, '1');
    if (!tagged || !scan_char(scan, '|') || !scan_hex(scan, metadata, NULL, NULL) ||
        !scan_char(scan, '|') || !scan_hex(scan, address, NULL, NULL) ||
        (bracketed && !scan_char(scan, ')')))
        return reading_fail(reading, expected);
    reading->verbatim = true; /* the tag and the spelling stay with the line */
    text_refuse(reading->learning);
    return true;
}

bool reading_any_address(struct reading *reading, unsigned slot, struct address *address)
{
    uint64_t metadata;
    address->pa = 0;
    if (!scan_done(&reading->scan) && *reading->scan.at == '(') {
        if (!reading_capability(reading, &metadata, &address->va)) return false;
    } else if (!reading_hex(reading, slot, &address->va, "an address in hexadecimal")) {
        return false;
    }
    address->has_pa = reading->dialect->physical && scan_char(&reading->scan, ':');
    if (address->has_pa &&
        !reading_hex(reading, slot + 1, &address->pa, "a physical address in hexadecimal"))
        return false;
    address->security = reading->dialect->physical ? reading_security(reading) : SPOOR_SEC_NONE;
    return true;
}

bool reading_address(struct reading *reading, unsigned slot, struct address *address)
{
    if (!reading_any_address(reading, slot, address)) return false;
    return address->has_pa || !address->security ||
           reading_fail(reading, "a security after a physical address only");
}

bool reading_physical(struct reading *reading, unsigned slot, uint64_t *pa, uint8_t *security)
{
    if (!reading_gap(reading)) return false;
    if (!SCAN_LITERAL(&reading->scan, "0x")) return reading_fail(reading, "0x and an address");
    if (!reading_hex(reading, slot, pa, "an address in hexadecimal")) return false;
    *security = reading_security(reading);
    return true;
}

void writing_security(struct writing *writing, uint8_t security)
{
    if (security < sizeof suffixes / sizeof *suffixes) writing_text(writing, suffixes[security]);
}

void writing_address(struct writing *writing, unsigned slot, const struct address *address)
{
    unsigned digits = writing->dialect->address_digits;
    writing_hex(writing, slot, address->va, address->va >> 32 ? 16 : digits);
    if (!writing->dialect->physical) return;
    if (address->has_pa) {
        writing_char(writing, ':');
        writing_hex(writing, slot + 1, address->pa, PHYSICAL_DIGITS);
    }
    writing_security(writing, address->security);
}

void writing_physical(struct writing *writing, unsigned slot, uint64_t pa, uint8_t security)
{
    writing_text(writing, "0x");
    writing_hex(writing, slot, pa, PHYSICAL_DIGITS);
    writing_security(writing, security);
}
