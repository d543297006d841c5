/* SPDX-License-Identifier: MIT */
/* findings.c: keeps the findings of a block of records, a list for each record. */
#include "check/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void findings_add(struct findings *findings, size_t record)
{
    if (!array_reserve(&findings->pending, &findings->capacity, findings->count + 1)) {
        findings->out_of_memory = true;
        return;
    }
    findings->pending[findings->count++] = (struct pending_finding){findings->finding, 0};
    const uint32_t number = (uint32_t)findings->count, last = findings->last[record];
    if (last)
        findings->pending[last - 1].next = number;
    else
        findings->first[record] = number;
    findings->last[record] = number;
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

void findings_free(struct findings *findings)
{
    free(findings->pending);
}
