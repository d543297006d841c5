/* SPDX-License-Identifier: MIT */
/* strings.c: the verb `strings`: the text that a program wrote in memory, and where. */
#include "cli/activity_input.h"
#include "cli/inquiry.h"
#include "cli/layout.h"
#include "cli/selection.h"
#include "spoor/memory_strings.h"

struct strings_settings {
    struct settings common;
    uint64_t minimum, top;
};

#define AT(field) offsetof(struct strings_settings, field)
static const struct option options[] = {
    OPT(0, "min-length", COUNT, "N", AT(minimum),
        "only strings of N or more characters (default: 4)"),
    OPT(0, "top", COUNT, "N", AT(top), "the first that are found (default: 100000)"),
    SELECTION_OPTIONS,
    BYTE_ORDER_OPTIONS,
    IMAGE_OPTIONS,
    OPTION_END,
};

static int strings_trace(const void *context, const char *path, bool *shown,
                         struct spoor_result *all)
{
    const struct strings_settings *settings = context;
    const struct settings *common = &settings->common;
    struct activity_input input;
    struct spoor_strings *strings = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    int code = EXIT_CLEAN;
    bool read = false, big;
    if (!byte_order_of(common, &big)) return EXIT_USAGE;
    if (activity_open(&input, common, path) && activity_start(&input, true)) {
        const struct spoor_strings_options chosen = {.struct_size = sizeof chosen,
                                                     .images = input.located.images,
                                                     .minimum = settings->minimum,
                                                     .limit = settings->top,
                                                     .big_endian = big,
                                                     .cpu = common->selection.cpu};
        enum spoor_status status = spoor_strings_new(&strings, &chosen, &error);
        while (status == SPOOR_OK && activity_next(&input, &batch))
            status = spoor_strings_feed(strings, batch, &error);
        if (status == SPOOR_OK) status = spoor_strings_end(strings, &error);
        read = activity_end(&input, status, &error);
    }
    if (read) {
        const uint64_t omitted = spoor_strings_omitted(strings);
        const uint64_t stores = spoor_strings_stores(strings);
        if (omitted && !common->quiet)
            complain("%s: %llu strings not shown: raise --top", path, (unsigned long long)omitted);
        if (!spoor_strings_has_cpu(strings))
            code = complain_for(selection_is_part(common) ? EXIT_NOTHING : EXIT_USAGE,
                                "%s: has no cpu '%s'%s", path, common->selection.cpu,
                                selection_words(common));
        else if (!spoor_strings_count(strings) && spoor_strings_unknown(strings) == stores)
            code = complain_for(EXIT_NOTHING, "%s: found no store %s%s", path,
                                stores ? "of which the trace states the value" : "to memory",
                                selection_words(common));
        struct spoor_result *result = result_of(all);
        const struct layout layout = layout_of(common, &input.located);
        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", input.format);
        spoor_strings_report(strings, result);
        code = worse(code, layout_show(&layout, result, shown, all));
    }
    spoor_strings_free(strings);
    return worse(code, activity_close(&input));
}

const struct verb verb_strings = {
    .name = "strings",
    .brief = "the text that a program wrote in memory, and where",
    .operands = "TRACE...",
    .about = "Prints the strings that the stores of a trace wrote in memory, assembled over time: "
             "each with its address, and the record, instruction and function that wrote its last "
             "character.",
    .options = options,
    .settings_size = sizeof(struct strings_settings),
    .results = true,
    .many = true,
    .numbers = true,
    .follows = true,
    .machine = true,
    .each = strings_trace,
};
