/* SPDX-License-Identifier: MIT */
/* index.c: the verb `index`: make, describe and check the index of a trace. */
#include "cli/trace_index.h"

struct index_settings {
    struct settings common;
    bool show, verify;
};

static const struct option options[] = {
    OPT_FLAG(0, "show", offsetof(struct index_settings, show),
             "print what is in the index; make it where there is none"),
    OPT_FLAG(0, "verify", offsetof(struct index_settings, verify),
             "compare the index that is there with a new one"),
    OPTION_END,
};

static int index_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct index_settings *settings = context;
    struct trace_index trace_index;
    struct spoor_index *index = NULL;
    int code = EXIT_CLEAN;
    trace_index_start(&trace_index, &settings->common);
    trace_index.options.beside = true;
    if (settings->verify) {
        struct spoor_error error = {0};
        trace_index.file = same_file_of(path);
        const enum spoor_status status = spoor_index_verify(path, &trace_index.options, &error);
        progress_clear(&trace_index.progress);
        if (!trace_index_is_same(&trace_index, path)) return EXIT_UNREADABLE;
        if (status == SPOOR_OK) return EXIT_CLEAN;
        if (status != SPOOR_END) return fail(&error);
        return complain_for(EXIT_NO, "%s", error.text);
    }
    if (!settings->show && !settings->common.json &&
        spoor_index_find(&index, path, &trace_index.options, NULL) == SPOOR_OK) {
        const bool own = spoor_index_is_embedded(index); /* in the trace itself */
        spoor_index_close(index);
        if (own) return code;
        index = NULL;
    }
    trace_index.options.anew = !settings->show;
    if (!trace_index_open(&trace_index, path, &index, &code)) return code;
    if (settings->show || settings->common.json) {
        struct spoor_result *result = result_of(all);
        spoor_result_text(result, "trace", path);
        spoor_index_report(index, result);
        code = worse(code, show_one(&settings->common, result, shown, all));
    }
    if (!spoor_index_path(index)) {
        complain("%s: the index could not be stored", path);
        code = worse(code, EXIT_UNREADABLE);
    }
    spoor_index_close(index);
    return code;
}

const struct verb verb_index = {
    .name = "index",
    .brief = "make, describe and check the index of a trace",
    .operands = "TRACE...",
    .about =
        "Reads each trace once and stores its index as TRACE.spoor-index, or in the cache "
        "folder where that cannot be written.  The verbs that ask a trace (state, who, stack, "
        "slice) make an index in the cache folder where there is none that fits.  An index can "
        "be deleted at any time.  A .spoor file has its index in itself, and gets no other.",
    .options = options,
    .settings_size = sizeof(struct index_settings),
    .results = true,
    .writes = true,
    .many = true,
    .each = index_trace,
};
