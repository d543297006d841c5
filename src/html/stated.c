/* SPDX-License-Identifier: MIT */
/* stated.c: what a trace states of execution. */
#include "html/stated.h"

void stated_add(struct stated *stated, const struct spoor_record *record)
{
    const bool event = record->kind == SPOOR_EVENT;
    stated->executed |= record->kind == SPOOR_INSN || record->kind == SPOOR_UOP ||
                        (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_FETCH);
    stated->samples |= event && record->op == SPOOR_EVENT_SAMPLE;
    stated->stages |= event && record->op == SPOOR_EVENT_STAGE;
    stated->indexed |= record->kind == SPOOR_FLOW && (record->has & SPOOR_HAS_INDEX);
}

const char *stated_unit(const struct stated *stated)
{
    if (stated->samples) return "sample";
    return stated->executed || stated->indexed ? "instruction" : "branch";
}

bool stated_has_exceptions(const struct stated *stated, const struct spoor_format *format)
{
    return spoor_format_produces(format, SPOOR_EVENT) && !stated->samples && !stated->stages;
}
