/* SPDX-License-Identifier: MIT */
/* lines.c: decode one line to a record, and print a record as text. */
#include "formats/tarmac/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe_value(struct spoor_value value, struct text *out)
{
    switch (value.type) {
    case SPOOR_VALUE_ABSENT: break;
    case SPOOR_VALUE_BOOL: break;
    case SPOOR_VALUE_UNSIGNED: text_printf(out, "=%" PRIu64, value.number); break;
    case SPOOR_VALUE_SIGNED: text_printf(out, "=%" PRId64, value.signed_number); break;
    case SPOOR_VALUE_HEX: text_printf(out, "=%" PRIx64, value.number); break;
    case SPOOR_VALUE_TEXT:
        text_puts(out, "=");
        text_put(out, value.text.bytes, value.text.size);
        break;
    case SPOOR_VALUE_BYTES:
        text_puts(out, "=");
        for (size_t i = value.text.size; i-- > 0;)
            text_printf(out, "%02x", (unsigned char)value.text.bytes[i]);
        break;
    }
}

void describe(const struct spoor_batch *batch, size_t index, struct text *out)
{
    text_puts(out, spoor_kind_name((enum spoor_kind)batch->records[index].kind));
    for (int field = 0; field < SPOOR_FIELDS; field++) {
        struct spoor_value value = spoor_field_get(batch, index, (enum spoor_field)field);
        bool clear = value.type == SPOOR_VALUE_BOOL && !value.number;
        if (value.type == SPOOR_VALUE_ABSENT || clear) continue;
        text_printf(out, " %s", spoor_field_name((enum spoor_field)field));
        describe_value(value, out);
    }
    text_put(out, "", 1);
    out->size--;
}

char *published(const char *path, size_t *size)
{
    const char *shared = getenv("SPOOR_SHARED");
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", shared ? shared : SOURCE_ROOT "/../shared", path);
    FILE *file = fopen(name, "rb");
    if (!file) return NULL;
    struct text bytes = {0};
    char *at;
    size_t got;
    while ((at = text_reserve(&bytes, 1 << 16)) && (got = fread(at, 1, 1 << 16, file)) > 0)
        text_commit(&bytes, at + got);
    fclose(file);
    *size = bytes.size;
    return bytes.bytes;
}

bool comes_back(const struct spoor_format *format, const void *bytes, size_t size)
{
    struct trace trace;
    struct text out = {0};
    trace_decode(&trace, format, bytes, size);
    trace_encode(&trace, format, SPOOR_WRITE_TRACE, &out);
    bool same = out.size == size && (size == 0 || memcmp(out.bytes, bytes, size) == 0);
    if (!same)
        printf("%.*s\nbecame\n%.*s\n", (int)size, (const char *)bytes, (int)out.size, out.bytes);
    text_free(&out);
    trace_free(&trace);
    return same;
}
