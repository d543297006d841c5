/* SPDX-License-Identifier: MIT */
/* encoder_keys.c: reads "KEY=N,KEY=N". */
#include "formats/encoder_keys.h"

#include <string.h>

#include "base/scan.h"
#include "base/text.h"

static enum spoor_status encoder_keys_refuse(const char *at, const struct encoder_key *keys,
                                             size_t count, struct spoor_error *error)
{
    struct text expected = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&expected, "%s%s=%u..%u", i ? ", " : "", keys[i].name, keys[i].least,
                    keys[i].most);
    text_put(&expected, "", 1);
    const enum spoor_status status =
        spoor_error_set(error, SPOOR_EUSAGE, "--encoder: found '%.*s', expected %s",
                        (int)strcspn(at, ","), at, expected.failed ? "" : expected.bytes);
    text_free(&expected);
    return status;
}

enum spoor_status encoder_keys_read(const char *text, const struct encoder_key *keys, size_t count,
                                    struct spoor_error *error)
{
    struct scan scan = {text, text ? text + strlen(text) : text};
    while (!scan_done(&scan)) {
        const char *begin = scan.at;
        const size_t size = strcspn(begin, "=,");
        uint64_t value;
        size_t key = 0;
        while (key < count &&
               (strlen(keys[key].name) != size || memcmp(keys[key].name, begin, size) != 0))
            key++;
        scan.at += size;
        if (key == count || !scan_char(&scan, '=') || !scan_decimal(&scan, &value) ||
            value < keys[key].least || value > keys[key].most ||
            (!scan_done(&scan) && !scan_char(&scan, ',')))
            return encoder_keys_refuse(begin, keys, count, error);
        *keys[key].value = (unsigned)value;
    }
    return SPOOR_OK;
}
