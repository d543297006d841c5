/* SPDX-License-Identifier: MIT */
/* pipe_against.c: `pipe --against`: the simulated machine beside the log of another pipeline. */
#include "cli/pipe_against.h"

#include <stdlib.h>

#include "base/array.h"

static enum spoor_status against_log_next(void *context, const struct spoor_batch **batch,
                                          struct spoor_error *error)
{
    struct against_log *log = context;
    (void)error; /* the input prints its own */
    return !log->stops && input_next(&log->input, batch) ? SPOOR_OK : SPOOR_END;
}

static void against_log_keep_pair(void *context, const struct spoor_pipeline_times *machine,
                                  const struct spoor_pipeline_times *log)
{
    struct against_log *against = context;
    struct log_pairs *pairs = &against->pairs;
    if (machine->number < pairs->range.first || machine->number > pairs->range.last) return;
    if (array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1))
        pairs->items[pairs->count++] = (struct log_pair){machine->number, *log};
    else
        pairs->failed = true;
}

bool against_log_open(struct against_log *log, const struct against_choice *choice,
                      const struct settings *settings, const struct range *range)
{
    const struct spoor_pipeline_diff_options options = {.struct_size = sizeof options,
                                                        .tolerance = choice->tolerance,
                                                        .ticks = choice->ticks,
                                                        .next = against_log_next,
                                                        .pair = range->given ? against_log_keep_pair
                                                                             : NULL,
                                                        .context = log};
    if (!choice->log) return true;
    log->pairs.range = *range;
    log->pairs.tolerance = choice->tolerance;
    log->path = choice->log;
    log->settings = *settings;
    log->settings.from = NULL; /* --from and the selection are about the trace */
    log->settings.dialect = NULL;
    log->settings.selection = (struct record_selection){.cpu = NULL};
    log->settings.no_index = true;
    if (!input_open_with(&log->input, choice->log, &log->settings,
                         (struct spoor_reader_options){.format = NULL}))
        return false;
    log->input.unordered = false; /* instructions are sorted by number */
    if (spoor_pipeline_diff_new(&log->diff, &options, &log->error) == SPOOR_OK) return true;
    fail(&log->error);
    input_close(&log->input);
    return false;
}

int against_log_end(struct against_log *log, bool whole)
{
    if (!log->diff) return EXIT_CLEAN;
    log->stops = !whole;
    if (log->error.status == SPOOR_OK) spoor_pipeline_diff_end(log->diff, &log->error);
    const char *path = log->path;
    int code = EXIT_CLEAN;
    if (log->error.status != SPOOR_OK) {
        code = fail(&log->error);
    } else if (whole && !spoor_pipeline_diff_logged(log->diff)) {
        complain("%s: found no instruction that leaves a pipeline, expected a log in O3PipeView or "
                 "Kanata",
                 path);
        code = EXIT_NOTHING;
    } else if (whole && !spoor_pipeline_diff_matched(log->diff)) {
        complain("%s: found no instruction of the trace", path);
        code = EXIT_NOTHING;
    }
    return worse(code, input_close(&log->input));
}

void against_log_close(struct against_log *log)
{
    spoor_pipeline_diff_free(log->diff);
    free(log->pairs.items);
}
