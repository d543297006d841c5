/* SPDX-License-Identifier: MIT */
/* calls TRACE...: prints the calls of traces of one processor each, merged by their time: when,
 * which processor, from where and where to. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

enum { MAX_TRACES = 8 };

/* Prints a call; `context` points at the calls. */
static void print_call(void *context, const struct spoor_calls_event *event)
{
    const struct spoor_calls *calls = *(struct spoor_calls **)context;
    if (event->what != SPOOR_CALLS_ENTER) return;
    printf("%" PRIu64 " %s  %s  %" PRIx64 " calls %" PRIx64 "\n", event->at.time,
           spoor_calls_unit(calls), spoor_calls_cpu(calls, event->cpu), event->from,
           event->function);
}

/* Feeds the merged records to calls. */
static enum spoor_status print_calls(struct spoor_merge *merge, struct spoor_error *error)
{
    struct spoor_calls *calls;
    const struct spoor_batch *batch;
    const struct spoor_calls_options options = {
        .struct_size = sizeof options, .context = (void *)&calls, .event = print_call};
    enum spoor_status status = spoor_calls_new(&calls, &options, error);
    if (status != SPOOR_OK) return status;
    while ((status = spoor_merge_next(merge, &batch, error)) == SPOOR_OK &&
           (status = spoor_calls_feed(calls, batch, error)) == SPOOR_OK) {
    }
    if (status == SPOOR_END) status = spoor_calls_end(calls, error);
    spoor_calls_free(calls);
    return status;
}

static enum spoor_status next_batch(void *reader, const struct spoor_batch **batch,
                                    struct spoor_error *error)
{
    return spoor_reader_next(reader, batch, error);
}

int main(int count, char **words)
{
    static const char *const cpus[MAX_TRACES] = {"cpu0", "cpu1", "cpu2", "cpu3",
                                                 "cpu4", "cpu5", "cpu6", "cpu7"};
    struct spoor_error error = {0};
    struct spoor_reader *readers[MAX_TRACES] = {NULL};
    struct spoor_merge_input inputs[MAX_TRACES];
    struct spoor_merge *merge = NULL;
    enum spoor_status status = SPOOR_OK;
    const size_t traces = (size_t)count - 1;
    if (count < 2 || traces > MAX_TRACES) {
        fprintf(stderr, "usage: calls TRACE... (at most %d)\n", MAX_TRACES);
        return 2;
    }
    for (size_t i = 0; i < traces && status == SPOOR_OK; i++) {
        status = spoor_reader_open(&readers[i], words[i + 1], NULL, &error);
        if (status == SPOOR_OK)
            inputs[i] = (struct spoor_merge_input){.next = next_batch,
                                                   .context = readers[i],
                                                   .stream = spoor_reader_stream(readers[i]),
                                                   .cpu = cpus[i]};
    }
    if (status == SPOOR_OK) status = spoor_merge_open(&merge, inputs, traces, &error);
    if (status == SPOOR_OK) status = print_calls(merge, &error);
    if (merge) spoor_merge_close(merge);
    for (size_t i = 0; i < traces; i++)
        if (readers[i]) spoor_reader_close(readers[i]);
    if (status == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
