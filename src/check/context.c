/* SPDX-License-Identifier: MIT */
/* context.c: what a rule calls: the findings that it makes, and names of the trace. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "check/rule.h"

static bool is_reported(const struct context *context)
{
    const uint64_t maximum = context->findings->maximum;
    return context->findings->sink && (!maximum || *context->count < maximum);
}

/* Prints into `capacity` bytes; what does not fit is cut with "...". */
static void print_cut(char *text, size_t capacity, const char *format, va_list arguments)
{
    int size = vsnprintf(text, capacity, format, arguments);
    if (size >= 0 && (size_t)size >= capacity) memcpy(text + capacity - 4, "...", 4);
}

void context_column(struct context *context, uint32_t column)
{
    context->findings->finding.column = column;
}

void context_found(struct context *context, const char *format, ...)
{
    if (!is_reported(context)) return;
    va_list arguments;
    va_start(arguments, format);
    struct spoor_finding *finding = &context->findings->finding;
    print_cut(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

static void place(const struct context *context, struct spoor_finding *finding)
{
    const struct spoor_batch *batch = context->batch;
    finding->rule = &context->rule->info;
    finding->record = batch->first + context->index;
    finding->line = spoor_batch_line(batch, context->index);
    finding->offset = spoor_batch_offset(batch, context->index);
}

void context_expected(struct context *context, const char *format, ...)
{
    struct spoor_finding *finding = &context->findings->finding;
    if (is_reported(context)) {
        va_list arguments;
        va_start(arguments, format);
        print_cut(finding->expected, sizeof finding->expected, format, arguments);
        va_end(arguments);
        place(context, finding);
        findings_add(context->findings, context->index - context->first);
    }
    ++*context->count;
    *finding = (struct spoor_finding){0};
}

/* A hash of at least 8 bytes; the last word overlaps the one before. */
static uint64_t hash_of_words(const char *at, size_t size)
{
    const char *const last = at + size - 8;
    uint64_t hash = size, word;
    for (; at < last; at += 8) {
        memcpy(&word, at, 8);
        hash = hash_mix(hash, word);
    }
    memcpy(&word, last, 8);
    return hash_mix(hash, word);
}

uint64_t context_disasm_hash(const struct context *context)
{
    const struct spoor_ref text = context->record->insn.disasm;
    const size_t at = context->index - context->first;
    struct texts *texts = context->texts;
    if (!(texts->known[at / 64] >> at % 64 & 1)) {
        const char *bytes = spoor_batch_bytes(context->batch, text);
        texts->known[at / 64] |= UINT64_C(1) << at % 64;
        texts->hashes[at] = text.size >= 8 ? hash_of_words(bytes, text.size)
                            : text.size    ? hash_of_bytes(bytes, text.size)
                                           : 0;
    }
    return texts->hashes[at];
}

const char *context_name(const struct context *context, spoor_name name)
{
    return spoor_names_text(context->batch->stream->names, name, NULL);
}
