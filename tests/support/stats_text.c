/* SPDX-License-Identifier: MIT */
/* stats_text.c: the output of `spoor info`, as text for comparison. */
#include "support/stats_text.h"

#include <stdlib.h>

char *stats_text(struct spoor_info *info, const struct spoor_stream *stream)
{
    struct spoor_result *result = spoor_result_new_object();
    if (!info || !result) abort();
    (void)stream;
    if (spoor_info_report(info, result) != SPOOR_OK) abort();
    char *text = spoor_result_to_json(result, NULL);
    if (!text) abort();
    spoor_result_free(result);
    spoor_info_free(info);
    return text;
}
