/* SPDX-License-Identifier: MIT */
/* browse.c: the verb `browse`, which walks through a trace in a terminal. */
#include "browse/browser.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/scan.h"
#include "base/text.h"
#include "browse/press.h"
#include "browse/terminal.h"
#include "cli/inquiry.h"
#include "cli/same_file.h"
#include "record/code.h"

struct browse_settings {
    struct settings common;
    const char *at, *keys, *dump, *list_keys;
    bool follow;
};

static const struct option options[] = {
    OPT(0, "at", TEXT, "MOMENT", offsetof(struct browse_settings, at),
        "(also N%; default: the beginning)"),
    OPT_FLAG(0, "follow", offsetof(struct browse_settings, follow), "(stay at its end)"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS,
    OPT_FLAG(0, "no-index", COMMON(no_index), NULL),
    OPT(0, "dump", TEXT, "WxH", offsetof(struct browse_settings, dump),
        "print a screen of W columns and H rows, and end"),
    OPT(0, "keys", TEXT, "KEYS", offsetof(struct browse_settings, keys),
        "press these keys first: 'jj/word<CR>'"),
    OPT(0, "list-keys", TEXT, "FORM", offsetof(struct browse_settings, list_keys),
        "print the table of keys as text, man or markdown, and end"),
    OPTION_END,
};

/* ---- the table of keys ---- */

/* scdoc treats them as mark-up. */
static const char mark_up[] = "*_\\[<";

/* A key as code; '`' and '|' need care. */
static void browse_put_code(struct text *out, const char *words)
{
    text_puts(out, "`");
    for (; *words; words++) text_puts(out, *words == '|' ? "\\|" : (char[]){*words, 0});
    text_puts(out, "`");
}

static int browse_list_keys(const char *form)
{
    const bool man = strcmp(form, "man") == 0, markdown = strcmp(form, "markdown") == 0;
    struct text out = {0}, keys = {0};
    struct browser_key_row row = {.keys = &keys};
    const char *group = "";
    if (!man && !markdown && strcmp(form, "text") != 0)
        return complain_for(EXIT_USAGE, "--list-keys: found '%s', expected text, man or markdown",
                            form);
    for (size_t i = 0; browser_key_row(i, &row); i++) {
        text_put(&keys, "", 1);
        if (keys.failed) break;
        if (man) {
            if (strcmp(group, row.group) != 0) text_printf(&out, "## %s\n\n", row.group);
            text_puts(&out, "*");
            put_escaped(&out, row.keys->bytes, mark_up);
            text_puts(&out, "*\n\t");
            put_escaped(&out, row.help, mark_up);
            text_printf(&out, " (:%s)\n\n", row.name);
        } else if (markdown) {
            if (strcmp(group, row.group) != 0)
                text_printf(
                    &out,
                    "%s### %s\n\n| key | command | does | tarmac-browser |\n|---|---|---|---|\n",
                    *group ? "\n" : "", row.group);
            text_puts(&out, "| ");
            browse_put_code(&out, row.keys->bytes);
            text_printf(&out, " | `:%s` | %s | ", row.name, row.help);
            if (row.peer) browse_put_code(&out, row.peer);
            text_puts(&out, row.peer ? " |\n" : "|\n");
        } else
            text_printf(&out, "%s\t%s\t%s\n", keys.bytes, row.name, row.help);
        group = row.group;
        keys.size = 0;
    }
    const int code = show_text(&out);
    text_free(&out);
    text_free(&keys);
    return code;
}

static void browse_press(struct browser *browser, const char *keys)
{
    int key;
    while (keys && (key = press_parse(&keys)) != 0 && !browser_is_over(browser)) {
        browser_press(browser, key);
        browser_draw(browser); /* screens depend on those before */
    }
}

/* Finds the place to begin at; false: there is no such place. */
static bool browse_begin(struct browser *browser, const struct browse_settings *settings)
{
    char line[300];
    if (!settings->at) {
        if (settings->follow) browser_execute(browser, "end");
        return true;
    }
    snprintf(line, sizeof line, "goto %s", settings->at);
    if (browser_execute(browser, line)) return true;
    return complain("--at: %s", browser_message(browser));
}

/* Says what could not be read, or for what memory ran out; returns the exit code. */
static int browse_say_failure(const struct browser *browser)
{
    const char *failure = browser_failure(browser);
    if (!failure) return EXIT_CLEAN;
    return complain_for(EXIT_UNREADABLE, "%s", failure);
}

static int browse_dump(struct browser *browser, const struct browse_settings *settings)
{
    struct text text = {0};
    const bool styles = wants_color(&settings->common);
    struct scan scan = {settings->dump, settings->dump + strlen(settings->dump)};
    uint64_t width, height;
    if (!scan_decimal(&scan, &width) || !scan_char(&scan, 'x') || !scan_decimal(&scan, &height) ||
        !scan_done(&scan) || !width || !height || width > GRID_MAX || height > GRID_MAX)
        return complain_for(EXIT_USAGE, "--dump: found '%s', expected WxH, for example 80x24",
                            settings->dump);
    browser_resize(browser, (int)width, (int)height);
    browser_draw(browser);
    if (!settings->common.no_index && (settings->at || settings->keys)) browser_wait(browser);
    if (!browse_begin(browser, settings)) return worse(EXIT_NOTHING, browse_say_failure(browser));
    browser_draw(browser);
    browse_press(browser, settings->keys);
    grid_dump(browser_draw(browser), styles, styles, &text);
    const int code = show_text(&text);
    text_free(&text);
    /* the screen needs the first bytes alone: the index knows whether all of them could be read */
    if (!settings->common.no_index && !settings->follow) browser_wait(browser);
    return worse(code, browse_say_failure(browser));
}

/* ---- traces from pipes ---- */

/* The traces as files. */
struct traces {
    struct spool spools[2]; /* of those that are pipes */
    bool piped[2];
    const char *paths[2], *names[2];
    bool unnamed; /* one of them has no name beside which an index could be stored */
};

static void browse_show_copying(void *context, uint64_t copied)
{
    struct progress *progress = context;
    if (progress->on) progress_update(progress, "pipe", copied, 0);
}

/* Makes a file of a pipe, which may grow while a single trace is shown. */
static bool browse_open_pipe(struct traces *traces, size_t number, const char *path, bool may_grow)
{
    struct spoor_error error = {0};
    struct spool *spool = &traces->spools[number];
    struct progress progress = progress_start(false);
    traces->unnamed = true;
    traces->names[number] = strcmp(path, "-") == 0 ? "standard input" : path_name(path);
    if (spool_open(spool, path, &error) != SPOOR_OK) return complain("%s", error.text);
    traces->piped[number] = true;
    traces->paths[number] = spool->path;
    spool_wait(spool, !may_grow, browse_show_copying, &progress);
    if (may_grow) {
        /* a compressed file can be read only as a whole */
        unsigned char bytes[64];
        FILE *file = fopen(spool->path, "rb");
        const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (file) fclose(file);
        if (spoor_reader_compression_of(bytes, size))
            spool_wait(spool, true, browse_show_copying, &progress);
    }
    progress_clear(&progress);
    return true;
}

/* True if a file on standard input has a path by which it can be opened again. */
static bool browse_input_has_path(void)
{
    struct stat status;
#ifdef SPOOR_HAVE_PROC_SELF
    return fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
           access("/proc/self/fd/0", R_OK) == 0;
#else
    (void)status;
    return false;
#endif
}

/* Without an index nothing has read the trace to its end: says what is wrong there; the exit code.
 */
static int browse_read_to_end(const char *path, const struct settings *common,
                              const struct image_set *located)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    if (!input_open_with(&trace_input, path, common, image_set_reading(located)))
        return trace_input.exit_code;
    while (input_next(&trace_input, &batch)) continue;
    return input_close(&trace_input);
}

static int browse_traces(const struct browse_settings *settings, const struct image_set *located,
                         struct traces *traces)
{
    const struct settings *common = &settings->common;
    struct browser *browser = NULL;
    struct spoor_error error = {0};
    struct trace_index trace_index;
    bool big;
    if (!byte_order_of(common, &big)) return EXIT_USAGE;
    struct code_reader *code = code_reader_open();
    trace_index_start(&trace_index, common);
    trace_index.options.no_index |= traces->unnamed;
    struct browser_options browser_options = {
        .paths = {traces->paths[0], traces->paths[1]},
        .names = {traces->names[0], traces->names[1]},
        .path_count = (size_t)common->operand_count,
        .spool = traces->piped[0] ? &traces->spools[0] : NULL,
        .reading = {.format = common->from,
                    .decode = trace_index.options.decode,
                    .threads = trace_index.options.threads,
                    .memory = common->memory,
                    .locator = image_set_locator(located)},
        .indexing = trace_index.options,
        .images = located->images,
        .images_of_index = located->later == OWN_NAMES_LATER,
        .hints = !settings->dump,
        .no_index = settings->common.no_index,
        .follow = settings->follow,
        .colors = common->color != 2,
        .big_endian = big,
        .disassemble = code ? code_reader_put : NULL,
        .disassembler = code,
        .goes_on = terminal_goes_on,
    };
    struct same_file files[2];
    for (size_t i = 0; i < browser_options.path_count; i++)
        files[i] = same_file_of(browser_options.paths[i]);
    if (browser_open(&browser, &browser_options, &error) != SPOOR_OK) {
        code_reader_close(code);
        return fail(&error);
    }
    int exit_code = EXIT_CLEAN;
    if (settings->dump) {
        exit_code = browse_dump(browser, settings);
    } else if (terminal_open(common->color != 2 && !getenv("NO_COLOR"), &error) != SPOOR_OK) {
        exit_code = complain_for(EXIT_USAGE, "%s", error.text);
    } else {
        terminal_show(browser);
        const bool begins = browse_begin(browser, settings);
        if (begins) browse_press(browser, settings->keys);
        if (begins) terminal_run(browser);
        terminal_close();
        if (!begins) exit_code = complain_for(EXIT_NOTHING, "--at: %s", browser_message(browser));
    }
    for (size_t i = 0; settings->dump && i < browser_options.path_count; i++)
        if (!settings->follow && !traces->piped[i] &&
            !same_file_still(&files[i], browser_options.paths[i]))
            exit_code = EXIT_UNREADABLE;
    for (size_t i = 0; settings->dump && i < browser_options.path_count; i++) {
        const struct spoor_index *index = browser_index(browser, i);
        if (index)
            exit_code = worse(exit_code, index_state_damage(index, browser_options.paths[i]));
        else if (settings->common.no_index && !settings->follow)
            exit_code =
                worse(exit_code, browse_read_to_end(browser_options.paths[i], common, located));
    }
    for (size_t i = 0; i < browser_options.path_count && !common->quiet; i++) {
        const char *notice = browser_notice(browser, i);
        if (notice) complain("%s", notice);
    }
    browser_close(browser);
    code_reader_close(code);
    return exit_code;
}

static int browse_run(void *chosen)
{
    const struct browse_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct image_set located;
    if (settings->list_keys) return browse_list_keys(settings->list_keys);
    if (common->operand_count < 1 || common->operand_count > 2)
        return complain_for(EXIT_USAGE,
                            "browse: expected one trace, or two to compare: browse TRACE [TRACE2]");
    setlocale(LC_CTYPE, "");
    if (!image_set_open(&located, common, operand(common, 0), OWN_NAMES_LATER)) return located.code;
    struct traces traces = {0};
    bool opened = true;
    struct stat status;
    for (int i = 0; opened && i < common->operand_count; i++) {
        const char *path = operand(common, (size_t)i);
        const bool is_input = strcmp(path, "-") == 0;
        traces.paths[i] = path;
        if (is_input && isatty(STDIN_FILENO))
            opened = complain("-: expected a trace on standard input, found a terminal");
        else if (is_input && browse_input_has_path()) {
            traces.paths[i] = "/proc/self/fd/0";
            traces.names[i] = "standard input";
            traces.unnamed = true;
        } else if (is_input || (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))) {
            const bool may_grow = common->operand_count == 1 && !settings->dump;
            opened = browse_open_pipe(&traces, (size_t)i, path, may_grow);
        }
    }
    const int code = opened ? browse_traces(settings, &located, &traces) : EXIT_UNREADABLE;
    for (size_t i = 0; i < 2; i++)
        if (traces.piped[i]) spool_close(&traces.spools[i]);
    return worse(code, image_set_close(&located));
}

const struct verb verb_browse = {
    .name = "browse",
    .brief = "walk through a trace in a terminal",
    .operands = "TRACE [TRACE2]",
    .about = "Shows a trace in a terminal, with the keys of less and vi; ? lists them.  The first "
             "screen needs only the first bytes; an index is found or made meanwhile.  --dump "
             "prints a screen for scripts.",
    .options = options,
    .settings_size = sizeof(struct browse_settings),
    .run = browse_run,
};
