/* SPDX-License-Identifier: MIT */
/* references.c: the references of a trace, and the selection of those that count. */
#include "cli/references.h"

#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "cli/selection.h"

struct reference_run {
    const struct reference_settings *settings;
    struct reference_sink *sink;
    uint64_t first, last; /* ordinals that are fed */
    uint64_t on, every;   /* every 0: all */
    uint64_t at;          /* ordinal of the next reference */
    bool counting;
    bool training; /* what is fed now is not counted */
};

static void references_count(struct reference_run *run, bool counting)
{
    if (run->counting == counting) return;
    run->counting = counting;
    run->sink->count(run->sink->context, counting);
}

/* False: memory ran out. */
static bool references_feed(struct reference_run *run, const struct spoor_reference *items,
                            size_t count)
{
    while (count > 0 && run->at <= run->last) {
        /* from the current reference on, so many are treated alike */
        uint64_t length = run->last - run->at + (run->last < UINT64_MAX);
        const bool skipped = run->at < run->first;
        bool counted = true;
        if (skipped) {
            length = run->first - run->at;
        } else if (run->every) {
            const uint64_t phase = (run->at - run->first) % run->every;
            counted = phase < run->on;
            const uint64_t alike = (counted ? run->on : run->every) - phase;
            if (alike < length) length = alike;
        }
        const size_t some = length < count ? (size_t)length : count;
        if (!skipped) {
            if (run->sink->count) references_count(run, counted && !run->training);
            if (!run->sink->feed(run->sink->context, items, some)) return false;
            run->sink->fed += some;
            run->sink->counted += counted ? some : 0;
        }
        run->at += some;
        items += some;
        count -= some;
    }
    return true;
}

int references_run(struct trace_input *trace_input, const struct reference_settings *settings,
                   struct reference_sink *sink)
{
    struct reference_run run = {.settings = settings,
                                .sink = sink,
                                .first = settings->range.given ? settings->range.first : 0,
                                .last = settings->range.given ? settings->range.last : UINT64_MAX,
                                .counting = true,
                                .training = true};
    if (!sink->count && settings->sample)
        return complain_for(EXIT_USAGE, "--sample cannot be used here");
    if (settings->sample) {
        struct scan scan = {settings->sample, settings->sample + strlen(settings->sample)};
        if (!scan_number(&scan, &run.on) || !scan_char(&scan, '/') ||
            !scan_number(&scan, &run.every) || !scan_done(&scan) || run.on == 0 ||
            run.every < run.on)
            return complain_for(EXIT_USAGE, "--sample %s: expected N/M, such as 10000/1000000",
                                settings->sample);
    }
    const struct spoor_reference_options options = {.bus = (enum spoor_bus_selection)settings->bus,
                                                    .tarmac_bus = settings->tarmac_bus,
                                                    .pc_by_order = true,
                                                    .update_once = settings->update_once};
    struct spoor_reference_block block = {.struct_size = sizeof block};
    bool good = true;
    while (good && run.at <= run.last && input_next_references(trace_input, &options, &block)) {
        if (run.training && input_counts(trace_input)) {
            run.training = false;
            sink->forget(sink->context);
            sink->fed = sink->counted = 0;
        }
        good = references_feed(&run, block.items, block.count);
    }
    if (!good) {
        const struct spoor_error *error = sink->error;
        complain("%s", error && error->status != SPOOR_OK ? error->text : "out of memory");
        trace_input->exit_code = EXIT_UNREADABLE;
    }
    if (sink->count) references_count(&run, true);
    if (run.training) { /* nothing was counted */
        sink->forget(sink->context);
        sink->fed = sink->counted = 0;
    }
    const bool all_warmed = trace_input->settings->warmup && !input_counts(trace_input);
    if (sink->fed || trace_input->exit_code != EXIT_CLEAN || trace_input->settings->simpoints ||
        all_warmed) /* which input_close() says */
        return EXIT_CLEAN;
    return complain_for(EXIT_NOTHING, "%s: found no memory reference%s", trace_input->stream->path,
                        settings->range.given ? " in the region"
                                              : selection_words(trace_input->settings));
}

void references_put(const struct trace_input *trace_input, const struct reference_sink *sink,
                    struct spoor_result *result)
{
    put_trace(result, trace_input);
    spoor_result_unsigned(result, "references", sink->fed);
    if (sink->counted != sink->fed) spoor_result_unsigned(result, "counted", sink->counted);
}
