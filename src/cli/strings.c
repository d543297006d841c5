/* SPDX-License-Identifier: MIT */
/* strings.c: the verb `strings`: the text that a program wrote in memory, and where. */
#include <string.h>

#include "base/text.h"
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

static const char STRINGS_TITLE[] =
    "{trace}: {count:,} string{count:s} of {minimum_length:,} or more characters"
    "[{?unknown_writes}, {unknown_writes:,} of {writes:,} stores without a value]";
static const char STRINGS_HEADING[] =
    "\n<record>*0[  <{time_unit}>*1]  <address>*2  <pc>*3  text\n";
static const char STRINGS_ROW[] = "{record:*0}[  {time:*1}]  [{address:*2}|{physical:*2}]  "
                                  "[{pc:*3}|<->*3]  <\"{shown}\">~[{pc@&}]\n";

static int strings_wider(int width, unsigned digits)
{
    return width > (int)digits ? width : (int)digits;
}

static void strings_put(const struct strings_settings *settings, const struct image_set *located,
                        const struct spoor_strings *strings, const struct spoor_result *result,
                        struct text *text)
{
    enum { RECORD, TIME, ADDRESS, PC, PREFIX = 2 /* 0x */ };
    struct layout layout = layout_of(&settings->common, located);
    struct spoor_string string;
    int *widths = layout.widths;
    size_t unit = 0;
    spoor_result_string(spoor_result_member(result, "time_unit"), &unit);
    widths[RECORD] = (int)strlen("record");
    widths[TIME] = (int)unit;
    widths[ADDRESS] = (int)strlen("address");
    widths[PC] = (int)strlen("pc");
    for (size_t i = 0; spoor_strings_item(strings, i, &string); i++) {
        const struct spoor_string_store *last = &string.last;
        widths[RECORD] = strings_wider(widths[RECORD], decimal_digits(last->record));
        widths[TIME] = strings_wider(widths[TIME], decimal_digits(last->time));
        widths[ADDRESS] = strings_wider(widths[ADDRESS], PREFIX + hex_digits(string.address));
        if (last->has_pc) widths[PC] = strings_wider(widths[PC], PREFIX + hex_digits(last->pc));
    }
    layout.around = result;
    layout_put_title(&layout, STRINGS_TITLE, result, text);
    if (!spoor_strings_count(strings)) return;
    layout_put(&layout, STRINGS_HEADING, result, text);
    for (const struct spoor_result *row =
             spoor_result_first(spoor_result_member(result, "strings"));
         row; row = spoor_result_next(row)) {
        size_t size;
        const char *bytes = spoor_result_string(spoor_result_member(row, "text"), &size);
        struct text shown = {0};
        for (size_t i = 0; bytes && i < size; i++) {
            if (bytes[i] == '\t')
                text_puts(&shown, "\\t");
            else
                text_put(&shown, bytes + i, 1);
        }
        struct spoor_result *with = spoor_result_new_object();
        spoor_result_bytes(with, "shown", shown.bytes, shown.size);
        layout.around = row;
        layout_put(&layout, STRINGS_ROW, with, text);
        text->failed |= shown.failed;
        text_free(&shown);
        spoor_result_free(with);
    }
}

/* ---- reading ---- */

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
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        struct text text = {0};
        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", input.format);
        spoor_strings_report(strings, result);
        if (!prints_data(common)) {
            strings_put(settings, &input.located, strings, result, &text);
            text.failed |= !spoor_result_complete(result);
            code = worse(code, show_apart(shown));
            code = worse(code, show_text(&text));
        } else if (!all) {
            code = worse(code, show_result(result, result_form_of(common)));
        }
        text_free(&text);
        if (!all) spoor_result_free(result);
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
