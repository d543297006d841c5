/* SPDX-License-Identifier: MIT */
/* context.c: what a rule calls: the findings that it makes, and names of the trace. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        context->findings->sink(context->findings->context, finding);
    }
    ++*context->count;
    *finding = (struct spoor_finding){0};
}

const char *context_name(const struct context *context, spoor_name name)
{
    return spoor_names_text(context->batch->stream->names, name, NULL);
}
