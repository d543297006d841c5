/* SPDX-License-Identifier: MIT */
/*
 * request.c: takes a request apart, refuses what may not be asked, and writes members of answers.
 *
 * The Host header is checked against DNS rebinding: a page of another site that gives its own name
 * the address of this machine sends that name.  The token is the first part of the path, so a
 * request that does not know it finds nothing.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/json.h"
#include "base/scan.h"
#include "serve/internal.h"

bool same_token(const char *one, size_t one_size, const char *other, size_t other_size)
{
    unsigned char difference = one_size != other_size;
    for (size_t i = 0; i < one_size; i++) {
        const char against = other_size ? other[i % other_size] : 0;
        difference |= (unsigned char)(one[i] ^ against);
    }
    return difference == 0;
}

bool host_is_allowed(const char *host, const char *name)
{
    const char *const names[] = {"localhost", "127.0.0.1", "[::1]", name};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        const size_t size = names[i] ? strlen(names[i]) : 0;
        if (size == 0 || strncasecmp(host, names[i], size) != 0) continue;
        const char *port = host + size;
        if (*port == '\0') return true;
        const size_t digits = strspn(port + 1, "0123456789");
        if (*port == ':' && digits > 0 && digits <= 5 && port[1 + digits] == '\0') return true;
    }
    return false;
}

/* ---- the target ---- */

/* Decodes %XX and + in place; false: not well-formed, or with a NUL. */
static bool request_decode(char *words)
{
    char *to = words;
    for (const char *at = words; *at; at++) {
        if (*at != '%') {
            *to++ = *at == '+' ? ' ' : *at;
            continue;
        }
        const uint8_t high = hex_value[(uint8_t)at[1]];
        const uint8_t low = high > 15 ? high : hex_value[(uint8_t)at[2]];
        if (low > 15 || (high == 0 && low == 0)) return false;
        *to++ = (char)(high << 4 | low);
        at += 2;
    }
    *to = '\0';
    return true;
}

bool target_parse(const char *words, struct target *target)
{
    *target = (struct target){.path = ""};
    const size_t size = strlen(words);
    if (size >= sizeof target->copy || words[0] != '/') return false;
    memcpy(target->copy, words, size + 1);
    char *query = strchr(target->copy, '?');
    if (query) *query++ = '\0';
    char *slash = strchr(target->copy + 1, '/');
    target->token = target->copy + 1;
    target->token_size = slash ? (size_t)(slash - target->token) : strlen(target->token);
    target->bare = !slash;
    if (slash) target->path = slash + 1;
    while (query && *query) {
        char *next = strchr(query, '&');
        if (next) *next++ = '\0';
        char *value = strchr(query, '=');
        if (value) *value++ = '\0';
        if (target->count == PARAMETERS || !request_decode(query) ||
            (value && !request_decode(value)))
            return false;
        target->parameters[target->count++] = (struct parameter){query, value ? value : ""};
        query = next;
    }
    return true;
}

/* ---- parameters ---- */

const char *parameter(const struct question *question, const char *name)
{
    for (size_t i = 0; i < question->parameter_count; i++)
        if (strcmp(question->parameters[i].name, name) == 0) return question->parameters[i].value;
    return NULL;
}

bool question_find_address(const struct question *question, const char *words, uint64_t *address)
{
    struct spoor_images *images = question->site->options->images;
    if (words && (scan_all_address(words, address) ||
                  (images && spoor_images_find(images, words, 0, address))))
        return true;
    const char *plus = words && images ? strrchr(words, '+') : NULL;
    char symbol[SITE_LONGEST_TARGET];
    uint64_t offset;
    if (plus && scan_all_address(plus + 1, &offset)) {
        snprintf(symbol, sizeof symbol, "%.*s", (int)(plus - words), words);
        if (spoor_images_find(images, symbol, 0, address)) {
            *address += offset;
            return true;
        }
    }
    return false;
}

bool parameter_address(struct question *question, uint64_t *address)
{
    const char *words = parameter(question, "address");
    if (question_find_address(question, words, address)) return true;
    refuse(question, 400, "address: found '%.40s', expected one in hexadecimal%s",
           words ? words : "", question->site->options->images ? " or a symbol" : "");
    return false;
}

bool parameter_number(struct question *question, const char *name, uint64_t highest,
                      uint64_t *number)
{
    const char *words = parameter(question, name);
    if (!words) return true;
    struct scan scan = {words, words + strlen(words)};
    if (scan_decimal(&scan, number) && scan_done(&scan) && *number <= highest) return true;
    refuse(question, 400, "%s: found '%.40s', expected a number of at most %llu", name, words,
           (unsigned long long)highest);
    return false;
}

bool parameter_cpu(struct question *question, unsigned *cpu, bool *given)
{
    uint64_t number = 0;
    const unsigned count = spoor_explorer_cpu_count(question->trace->explorer);
    *given = parameter(question, "cpu") != NULL;
    if (!parameter_number(question, "cpu", count - 1, &number)) return false;
    *cpu = (unsigned)number;
    return true;
}

bool question_place(struct question *question, const struct spoor_range *range, uint64_t moment,
                    struct spoor_subject *subject)
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_place(question->trace->explorer, range, moment, subject, &error);
    if (status != SPOOR_OK) refuse_error(question, status, &error);
    return status == SPOOR_OK;
}

bool question_moment(struct question *question, uint64_t *moment)
{
    const uint64_t records = spoor_index_records(question->trace->index);
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    uint64_t at = records ? records - 1 : 0;
    if (!parameter_number(question, "at", UINT64_MAX, &at)) return false;
    *moment = 0;
    if (at >= records) at = records ? records - 1 : 0;
    if (!records) return true;
    const enum spoor_status status =
        spoor_listing_of_record(question->trace->listing, at, &row, &error);
    if (status != SPOOR_OK) {
        refuse_error(question, status, &error);
        return false;
    }
    *moment = row.record + row.count;
    return true;
}

/* ---- refusing ---- */

void refuse(struct question *question, unsigned status, const char *format, ...)
{
    char *words = question->reply->reason;
    va_list arguments;
    if (question->refused) return; /* the first reason stays */
    va_start(arguments, format);
    vsnprintf(words, sizeof question->reply->reason, format, arguments);
    va_end(arguments);
    question->refused = true;
    question->reply->status = status;
    question->out->size = 0;
    json_begin(question->out, NULL, '{');
    json_text(question->out, "error", words);
}

void refuse_error(struct question *question, enum spoor_status status,
                  const struct spoor_error *error)
{
    const bool late = clock_milliseconds() >= question->site->deadline;
    if (status == SPOOR_END)
        refuse(question, 404, "%s", error->text[0] ? error->text : "there is no such place");
    else if (status == SPOOR_EUSAGE && late)
        refuse(question, 503, "the answer takes too long");
    else
        refuse(question, status == SPOOR_EUSAGE ? 400 : 500, "%s", error->text);
}

bool question_has_timeline(struct question *question)
{
    struct serve_trace *trace = question->trace;
    struct spoor_error error = {0};
    const enum spoor_status status = timeline_build(&trace->timeline, trace->index, &error);
    if (status != SPOOR_OK) refuse_error(question, status, &error);
    return status == SPOOR_OK;
}

const struct spoor_call_events *question_events(struct question *question, size_t segment)
{
    struct serve_trace *trace = question->trace;
    struct spoor_error error = {0};
    const struct spoor_call_events *events;
    const enum spoor_status status =
        kept_events_find(&trace->events, trace->explorer, segment, &events, &error);
    if (status == SPOOR_OK) return events;
    refuse_error(question, status, &error);
    return NULL;
}

/* ---- members of an answer ---- */

void json_place(struct text *out, struct spoor_images *images, uint64_t pc)
{
    struct spoor_place place = {.struct_size = sizeof place};
    if (!images || !spoor_images_resolve(images, pc, &place)) return;
    if (place.function) {
        struct text name = {0};
        text_puts(&name, place.function);
        if (place.offset) text_printf(&name, "+0x%" PRIx64, place.offset);
        out->failed |= name.failed;
        json_bytes(out, "function", name.bytes, name.failed ? 0 : name.size);
        text_free(&name);
    }
    if (place.source) json_text(out, "source", place.source);
}

void json_function(struct text *out, struct spoor_images *images, uint64_t address)
{
    struct spoor_place place = {.struct_size = sizeof place};
    char key[24];
    if (!images || !spoor_images_function(images, address, &place) || !place.function) return;
    snprintf(key, sizeof key, "0x%" PRIx64, address);
    json_text(out, key, place.function);
}

void json_located(struct question *question, uint64_t pc)
{
    json_place(question->out, question->site->options->images, pc);
}
