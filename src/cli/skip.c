/* SPDX-License-Identifier: MIT */
/* skip.c: finds the index of a trace, by which segments of it are skipped. */
#include "cli/skip.h"

#include <stdlib.h>

#include "cli/indexed.h"

struct skipping {
    struct spoor_index *index; /* NULL: the file's own table */
    struct spoor_skipper *skipper;
};

/* The index of the trace; NULL: there is none that fits. */
static struct spoor_index *find_index(const struct settings *settings, const char *path)
{
    struct spoor_index *index = NULL;
    struct indexing indexing;
    indexing_start(&indexing, settings, false);
    indexing.options.tell = NULL;
    if (spoor_index_find(&index, path, &indexing.options, NULL) != SPOOR_OK) return NULL;
    return index;
}

void input_skip(struct trace_input *trace_input, const char *path,
                const struct spoor_skipper_options *selection)
{
    struct spoor_reader *reader = trace_input->reader;
    if (!selection->records.given && !selection->time.given && !selection->cpu && !selection->where)
        return;
    struct skipping *skipping = calloc(1, sizeof *skipping);
    if (!skipping) return;
    trace_input->skipping = skipping;
    if (spoor_skipper_open(&skipping->skipper, reader, NULL, selection, NULL) == SPOOR_END) {
        skipping->index = find_index(trace_input->settings, path);
        if (skipping->index)
            spoor_skipper_open(&skipping->skipper, reader, skipping->index, selection, NULL);
    }
    if (skipping->skipper) state_unverified(path, trace_input->settings);
}

enum spoor_status skip_ahead(struct trace_input *trace_input, struct spoor_error *error)
{
    struct skipping *skipping = trace_input->skipping;
    return skipping && skipping->skipper ? spoor_skipper_skip(skipping->skipper, error) : SPOOR_OK;
}

bool skip_passed(struct trace_input *trace_input, const char **cpu, bool *timed)
{
    struct skipping *skipping = trace_input->skipping;
    return skipping && skipping->skipper && spoor_skipper_passed(skipping->skipper, cpu, timed);
}

void skipping_close(struct skipping *skipping)
{
    if (!skipping) return;
    spoor_skipper_close(skipping->skipper);
    spoor_index_close(skipping->index);
    free(skipping);
}
