/* SPDX-License-Identifier: MIT */
/* ini.c: the ini files of a CoreSight snapshot. */
#include "silicon/ini.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"

static bool ini_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Ends the string before the blanks at its end, and returns what follows those at its begin. */
static char *ini_trim(char *begin, char *end)
{
    while (begin < end && ini_is_blank(*begin)) begin++;
    while (end > begin && ini_is_blank(end[-1])) end--;
    *end = 0;
    return begin;
}

static char *ini_unquote(char *text)
{
    const size_t size = strlen(text);
    const bool quoted = size >= 2 && (*text == '"' || *text == '\'') && text[size - 1] == *text;
    if (!quoted) return text;
    text[size - 1] = 0;
    return text + 1;
}

static enum spoor_status ini_fail(const char *path, unsigned line, const char *found,
                                  const char *expected, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT, "%s:%u: found '%.60s', expected %s", path, line,
                           found, expected);
}

enum spoor_status ini_parse(struct ini *ini, const char *path, char *bytes, size_t size,
                            struct spoor_error *error)
{
    *ini = (struct ini){.bytes = bytes};
    const char *section = NULL;
    unsigned part = 0, line = 0;
    char *next, *end = bytes + size;
    if (size && memchr(bytes, 0, size))
        return spoor_error_set(error, SPOOR_EINPUT, "%s: found a byte 0, expected text", path);
    *end = 0;
    for (char *at = bytes; at < end; at = next) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        next = stop + 1;
        line++;
        for (char *comment = at; comment < stop; comment++)
            if (*comment == ';' || *comment == '#') stop = comment;
        char *text = ini_trim(at, stop);
        if (!*text) continue;
        char *close = strchr(text, ']');
        if (*text == '[') {
            if (!close || close[1]) return ini_fail(path, line, text, "[section]", error);
            part += section != NULL;
            section = ini_trim(text + 1, close);
            continue;
        }
        char *equals = strchr(text, '=');
        if (!equals || equals == text)
            return ini_fail(path, line, text, "[section] or key=value", error);
        if (!section) return ini_fail(path, line, text, "a [section] before it", error);
        char *value = ini_unquote(ini_trim(equals + 1, equals + strlen(equals)));
        char *parenthesis = memchr(text, '(', (size_t)(equals - text));
        if (!array_reserve(&ini->entries, &ini->capacity, ini->count + 1))
            return error_no_memory_while(error, path, "reading");
        ini->entries[ini->count++] =
            (struct ini_entry){.section = section,
                               .key = ini_trim(text, parenthesis ? parenthesis : equals),
                               .value = value,
                               .part = part,
                               .line = line};
    }
    return SPOOR_OK;
}

void ini_free(struct ini *ini)
{
    free(ini->bytes);
    free(ini->entries);
    *ini = (struct ini){0};
}

const char *ini_find(const struct ini *ini, const char *section, const char *key)
{
    for (size_t i = 0; i < ini->count; i++)
        if (strcmp(ini->entries[i].section, section) == 0 && strcmp(ini->entries[i].key, key) == 0)
            return ini->entries[i].value;
    return NULL;
}

bool ini_number(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *at = hex ? text + 2 : text;
    const unsigned base = hex ? 16 : 10;
    uint64_t sum = 0;
    if (!*at) return false;
    for (; *at; at++) {
        const char lower = (char)(*at | 0x20);
        const unsigned digit = *at >= '0' && *at <= '9'              ? (unsigned)(*at - '0')
                               : hex && lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10
                                                                     : base;
        if (digit >= base || sum > (UINT64_MAX - digit) / base) return false;
        sum = sum * base + digit;
    }
    *value = sum;
    return true;
}
