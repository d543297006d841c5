/* SPDX-License-Identifier: MIT */
/* skip.c: finds the index of a trace, by which segments of it are skipped. */
#include "cli/skip.h"

#include <stdlib.h>

#include "cli/trace_index.h"

struct trace_skip {
    struct spoor_index *index; /* NULL: the file's own table */
    struct spoor_skipper *skipper;
};

void input_skip(struct trace_input *trace_input, const char *path,
                const struct spoor_skipper_options *selection)
{
    struct spoor_reader *reader = trace_input->reader;
    if (!selection->records.given && !selection->time.given && !selection->cpu && !selection->where)
        return;
    struct trace_skip *skip = calloc(1, sizeof *skip);
    if (!skip) return;
    trace_input->skip = skip;
    if (spoor_skipper_open(&skip->skipper, reader, NULL, selection, NULL) == SPOOR_END) {
        struct trace_index trace_index;
        trace_index_start(&trace_index, trace_input->settings);
        trace_index.options.tell = NULL;
        if (spoor_index_find(&skip->index, path, &trace_index.options, NULL) == SPOOR_OK)
            spoor_skipper_open(&skip->skipper, reader, skip->index, selection, NULL);
    }
    if (skip->skipper) state_unverified(path, trace_input->settings);
}

enum spoor_status skip_ahead(struct trace_input *trace_input, struct spoor_error *error)
{
    struct trace_skip *skip = trace_input->skip;
    return skip && skip->skipper ? spoor_skipper_skip(skip->skipper, error) : SPOOR_OK;
}

bool skip_passed(struct trace_input *trace_input, const char **cpu, bool *timed)
{
    struct trace_skip *skip = trace_input->skip;
    return skip && skip->skipper && spoor_skipper_passed(skip->skipper, cpu, timed);
}

void skip_close(struct trace_skip *skip)
{
    if (!skip) return;
    spoor_skipper_close(skip->skipper);
    spoor_index_close(skip->index);
    free(skip);
}
