/* SPDX-License-Identifier: MIT */
/* context.c: what a rule calls: the findings that it makes, and names of the trace. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "check/rule.h"
#include "spoor/format.h"

static bool context_is_reported(const struct context *context)
{
    const uint64_t maximum = context->findings->maximum;
    return context->findings->sink && (!maximum || *context->count < maximum);
}

/* Prints into `capacity` bytes; what does not fit is cut with "...". */
static void context_print(char *text, size_t capacity, const char *format, va_list arguments)
{
    int size = vsnprintf(text, capacity, format, arguments);
    if (size >= 0 && (size_t)size >= capacity) memcpy(text + capacity - 4, "...", 4);
}

void context_found(struct context *context, const char *format, ...)
{
    if (!context_is_reported(context)) return;
    va_list arguments;
    va_start(arguments, format);
    struct spoor_finding *finding = &context->findings->finding;
    context_print(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

struct record_place context_place(const struct context *context)
{
    const struct spoor_batch *batch = context->batch;
    return (struct record_place){batch->first + context->index,
                                 spoor_batch_line(batch, context->index),
                                 spoor_batch_offset(batch, context->index)};
}

void context_at(struct context *context, const struct record_place *place)
{
    struct spoor_finding *finding = &context->findings->finding;
    finding->record = place->record;
    finding->line = place->line;
    finding->offset = place->offset;
    context->findings->placed = true;
}

void findings_deliver(struct findings *findings)
{
    if (findings->count == 0) return;
    for (size_t record = 0; record < BLOCK_RECORDS; record++)
        for (uint32_t at = findings->first[record]; at; at = findings->pending[at - 1].next)
            findings->sink(findings->context, &findings->pending[at - 1].finding);
    memset(findings->first, 0, sizeof findings->first);
    memset(findings->last, 0, sizeof findings->last);
    findings->count = 0;
}

void context_expected(struct context *context, const char *format, ...)
{
    struct findings *findings = context->findings;
    struct spoor_finding *finding = &findings->finding;
    if (context_is_reported(context)) {
        va_list arguments;
        va_start(arguments, format);
        context_print(finding->expected, sizeof finding->expected, format, arguments);
        va_end(arguments);
        finding->rule = &context->rule->info;
        if (!findings->placed) {
            const struct record_place place = context_place(context);
            context_at(context, &place);
        }
        if (array_reserve(&findings->pending, &findings->capacity, findings->count + 1)) {
            const size_t record = context->index - context->first;
            const uint32_t last = findings->last[record];
            findings->pending[findings->count++] = (struct pending_finding){*finding, 0};
            const uint32_t number = (uint32_t)findings->count;
            if (last)
                findings->pending[last - 1].next = number;
            else
                findings->first[record] = number;
            findings->last[record] = number;
        } else {
            findings->out_of_memory = true;
        }
    }
    ++*context->count;
    *finding = (struct spoor_finding){0};
    findings->placed = false;
}

static uint64_t context_word_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* A hash of two words at a time; the last ones overlap those before. */
static uint64_t context_hash_text(const char *at, size_t size)
{
    const char *const end = at + size;
    uint64_t hash = size;
    if (size < 8) return hash_of_bytes(at, size);
    if (size < 16) return hash_mix(hash ^ context_word_at(at), context_word_at(end - 8));
    for (; end - at > 16; at += 16)
        hash = hash_mix(hash ^ context_word_at(at), context_word_at(at + 8));
    return hash_mix(hash ^ context_word_at(end - 16), context_word_at(end - 8));
}

const uint64_t *context_disasm_hashes(const struct context *context)
{
    const struct spoor_record *records = context->batch->records + context->first;
    struct texts *texts = context->texts;
    for (size_t word = 0; word < BLOCK_WORDS; word++) {
        uint64_t bits = context->examined[word] & ~texts->known[word];
        texts->known[word] |= bits;
        for (; bits; bits &= bits - 1) {
            const size_t at = word * 64 + (size_t)__builtin_ctzll(bits);
            const struct spoor_ref text = records[at].insn.disasm;
            texts->hashes[at] =
                text.size ? context_hash_text(spoor_batch_bytes(context->batch, text), text.size)
                          : 0;
        }
    }
    return texts->hashes;
}

bool context_is_of_matcher(const struct context *context)
{
    return strcmp(spoor_format_name(context->batch->stream->format), "matcher") == 0;
}

const char *context_name(const struct context *context, spoor_name name)
{
    return spoor_names_text(context->batch->stream->names, name, NULL);
}
