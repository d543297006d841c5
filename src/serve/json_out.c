/* SPDX-License-Identifier: MIT */
/* json_out.c: the members of an answer.  A comma comes first unless a bracket has just opened. */
#include <inttypes.h>

#include "base/json.h"
#include "serve/internal.h"

static void json_out_begin_member(struct text *out, const char *key)
{
    const char last = out->size ? out->bytes[out->size - 1] : '{';
    if (last != '{' && last != '[') text_put(out, ",", 1);
    if (key) text_printf(out, "\"%s\":", key);
}

void json_begin(struct text *out, const char *key, char bracket)
{
    json_out_begin_member(out, key);
    text_put(out, &bracket, 1);
}

void json_end(struct text *out, char bracket)
{
    text_put(out, &bracket, 1);
}

void json_number(struct text *out, const char *key, uint64_t number)
{
    json_out_begin_member(out, key);
    text_printf(out, "%" PRIu64, number);
}

void json_hex(struct text *out, const char *key, uint64_t number)
{
    json_out_begin_member(out, key);
    text_printf(out, "\"0x%" PRIx64 "\"", number);
}

void json_time(struct text *out, const char *key, uint64_t time)
{
    json_out_begin_member(out, key);
    text_printf(out, "\"%" PRIu64 "\"", time);
}

void json_bytes(struct text *out, const char *key, const char *bytes, size_t size)
{
    json_out_begin_member(out, key);
    json_put_string(out, bytes, size);
}

void json_text(struct text *out, const char *key, const char *words)
{
    if (words)
        json_bytes(out, key, words, strlen(words));
    else
        json_null(out, key);
}

void json_bool(struct text *out, const char *key, bool value)
{
    json_out_begin_member(out, key);
    text_puts(out, value ? "true" : "false");
}

void json_null(struct text *out, const char *key)
{
    json_out_begin_member(out, key);
    text_puts(out, "null");
}

void json_located(const struct question *question, uint64_t pc)
{
    struct spoor_images *images = question->site->options->images;
    struct spoor_place place;
    if (!images || !spoor_images_resolve(images, pc, &place)) return;
    if (place.function) {
        struct text name = {0};
        text_puts(&name, place.function);
        if (place.offset) text_printf(&name, "+0x%" PRIx64, place.offset);
        question->out->failed |= name.failed;
        json_bytes(question->out, "function", name.bytes, name.failed ? 0 : name.size);
        text_free(&name);
    }
    if (place.source) json_text(question->out, "source", place.source);
}
