/* SPDX-License-Identifier: MIT */
/* partial_sums.c: results whose counts are added: those of caches. */
#include <stdlib.h>

#include "result/result_node.h"
#include "spoor/combine.h"
#include "sweep/partial.h"

struct sums {
    struct spoor_result *result;
};

static void free_sums(void *state)
{
    struct sums *sums = state;
    spoor_result_free(sums->result);
    free(sums);
}

static void *load_sums(struct unpacker *from, const struct spoor_stream *stream)
{
    struct sums *sums = calloc(1, sizeof *sums);
    (void)stream;
    if (!sums) return NULL;
    sums->result = spoor_result_new_object();
    if (sums->result && result_unpack(from, sums->result) && spoor_result_complete(sums->result))
        return sums;
    free_sums(sums);
    return NULL;
}

static enum spoor_status merge_sums(void *state, const void *next, struct spoor_error *error)
{
    struct sums *sums = state;
    const struct sums *after = next;
    const struct spoor_combine_part parts[] = {{sums->result, 1}, {after->result, 1}};
    struct spoor_result *both = spoor_result_new_object();
    if (!both || spoor_combine(parts, 2, SPOOR_COMBINE_SUMS, both) != SPOOR_OK) {
        spoor_result_free(both);
        return spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
    }
    spoor_result_free(sums->result);
    sums->result = both;
    return SPOOR_OK;
}

static enum spoor_status report_sums(void *state, struct spoor_result *result)
{
    const struct sums *sums = state;
    for (const struct spoor_result *at = sums->result->first; at; at = at->next)
        spoor_result_copy(result, at->key, at);
    return spoor_result_complete(result) ? SPOOR_OK : SPOOR_ENOMEM;
}

const struct partial_fold partial_sums = {
    .name = "cache",
    .version = 1,
    .load = load_sums,
    .merge = merge_sums,
    .report = report_sums,
    .free = free_sums,
};
