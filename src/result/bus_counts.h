/* SPDX-License-Identifier: MIT */
/* bus_counts.h: counts of bus transactions in a result. */
#ifndef SPOOR_RESULT_BUS_COUNTS_H
#define SPOOR_RESULT_BUS_COUNTS_H

#include "model/bus.h"
#include "spoor/result.h"

/* Adds "cached": the counts by what the transactions state of their block, if any does. */
static inline void result_put_cached(struct spoor_result *result,
                                     const uint64_t counts[BUS_CACHEABILITIES])
{
    struct spoor_result *cached = NULL;
    for (int i = 0; i < BUS_CACHEABILITIES; i++) {
        if (!counts[i]) continue;
        if (!cached) cached = spoor_result_object(result, "cached");
        spoor_result_unsigned(cached, bus_cacheability_word((enum bus_cacheability)i), counts[i]);
    }
}

#endif
