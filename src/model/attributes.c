/* SPDX-License-Identifier: MIT */
/* attributes.c: reading attribute lists and region sizes of walks and TLB entries. */
#include <string.h>

#include "base/scan.h"
#include "spoor/batch.h"

static size_t attributes_skip_spaces(struct spoor_slice list, size_t at)
{
    while (at < list.size && list.bytes[at] == ' ') at++;
    return at;
}

static size_t word_end(struct spoor_slice list, size_t at)
{
    while (at < list.size && list.bytes[at] != ' ' && list.bytes[at] != '=') at++;
    return at;
}

bool spoor_attributes_next(struct spoor_slice list, size_t *at, struct spoor_slice *key,
                           struct spoor_slice *value)
{
    size_t begin = attributes_skip_spaces(list, *at);
    if (begin == list.size) return false;
    size_t end = word_end(list, begin);
    *key = (struct spoor_slice){list.bytes + begin, end - begin};
    *value = (struct spoor_slice){list.bytes + end, 0};
    size_t equals = attributes_skip_spaces(list, end); /* Fast Models prints "ContiguousHint =0" */
    if (equals < list.size && list.bytes[equals] == '=') {
        const char *from = list.bytes + equals + 1;
        const char *space = memchr(from, ' ', list.size - equals - 1);
        end = space ? (size_t)(space - list.bytes) : list.size;
        *value = (struct spoor_slice){from, end - equals - 1};
    }
    *at = end;
    return true;
}

uint64_t spoor_region_bytes(struct spoor_slice text)
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
