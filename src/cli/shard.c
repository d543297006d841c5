/* SPDX-License-Identifier: MIT */
/* shard.c: parts of a trace, and the files with the state of a fold after one. */
#include "cli/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"
#include "cli/indexed.h"
#include "cli/output.h"
#include "cli/simpoints.h"

enum { MAX_SHARDS = 1 << 20 };

/* What --shard selects: the parts from `first` to `last` of `count`. */
struct shards {
    uint64_t first, last, count;
    uint64_t size; /* records of the trace, or bytes; 0: not counted, because there is one part */
};

/* "K/N" or "K-L/N" with 1 <= K <= L <= N. */
static bool parse_shards(const struct settings *settings, struct shards *shards)
{
    struct scan scan = {settings->shard, settings->shard + strlen(settings->shard)};
    bool good = scan_number(&scan, &shards->first);
    shards->last = shards->first;
    if (good && scan_char(&scan, '-')) good = scan_number(&scan, &shards->last);
    if (good && scan_char(&scan, '/') && scan_number(&scan, &shards->count) && scan_done(&scan) &&
        shards->first >= 1 && shards->first <= shards->last && shards->last <= shards->count &&
        shards->count <= MAX_SHARDS)
        return true;
    complain("%s --shard: found '%s', expected K/N, such as 1/8 for the first of eight parts",
             settings->verb->name, settings->shard);
    return false;
}

/* The number of records of the trace, from its index, which is made where there is none. */
static bool count_records(const struct settings *settings, const char *path, uint64_t *records,
                          int *code)
{
    struct indexing indexing;
    struct spoor_index *index;
    struct spoor_error error = {0};
    indexing_start(&indexing, settings, settings->selection.no_index);
    const enum spoor_status status = spoor_index_open(&index, path, &indexing.options, &error);
    progress_clear(&indexing.progress);
    if (status != SPOOR_OK) {
        *code = fail(&error);
        return false;
    }
    *records = spoor_index_records(index);
    spoor_index_close(index);
    return true;
}

/* The number of bytes of the decompressed trace. */
static bool measure(const struct settings *settings, const char *path, uint64_t *bytes, int *code)
{
    struct indexing indexing;
    struct spoor_error error = {0};
    indexing_start(&indexing, settings, true);
    if (spoor_index_part_measure(bytes, path, &indexing.options, &error) == SPOOR_OK) return true;
    *code = fail(&error);
    return false;
}

/* The operand, if there is exactly one. */
static const char *only_trace(const struct settings *settings)
{
    const char *option = settings->shard ? "shard" : settings->after ? "after" : "partial-result";
    if (operand_count(settings) == 1) return operand(settings, 0);
    complain("%s --%s: found %zu traces, expected one", settings->verb->name, option,
             operand_count(settings));
    return NULL;
}

/* The middle part of a product that may not fit into 64 bits. */
static uint64_t share(uint64_t size, uint64_t number, uint64_t count)
{
    return size / count * number + size % count * number / count;
}

/* Finds what --shard selects, if it is given. */
static bool find_shards(struct settings *settings, struct shards *shards, int *code)
{
    const char *path = only_trace(settings);
    *code = EXIT_USAGE;
    *shards = (struct shards){.count = 1};
    if (!path) return false;
    settings->shard_trace = same_file_of(path);
    if (settings->partial_result && settings->selection.time.given) {
        complain("%s --partial-result: parts are chosen by --shard or --records, found --time",
                 settings->verb->name);
        return false;
    }
    if (!settings->shard) return true;
    if (!parse_shards(settings, shards)) return false;
    if (settings->selection.records.given) {
        complain("%s --shard: it selects records itself, found --records", settings->verb->name);
        return false;
    }
    if (shards->count == 1) return true;
    const bool of_bytes = settings->verb->shards_bytes;
    if (!(of_bytes ? measure : count_records)(settings, path, &shards->size, code)) return false;
    if (shards->size >= shards->count) return true;
    complain(
        "%s --shard: %s has %" PRIu64 " %s, expected at least one for each of %" PRIu64 " parts",
        settings->verb->name, path, shards->size, of_bytes ? "bytes" : "records", shards->count);
    *code = EXIT_USAGE;
    return false;
}

static void select_shard(struct settings *settings, const struct shards *shards, uint64_t number)
{
    if (shards->count == 1) return;
    settings->selection.records = (struct range){
        true, share(shards->size, number - 1, shards->count),
        number == shards->count ? UINT64_MAX : share(shards->size, number, shards->count) - 1};
}

bool shard_select(struct settings *settings, int *code)
{
    struct shards shards;
    *code = EXIT_USAGE;
    if (!settings->shard && !settings->partial_result && !settings->after) return true;
    if (!find_shards(settings, &shards, code)) return false;
    if (shards.first != shards.last) {
        complain("%s --shard: found parts %" PRIu64 " to %" PRIu64 ", expected one",
                 settings->verb->name, shards.first, shards.last);
        *code = EXIT_USAGE;
        return false;
    }
    select_shard(settings, &shards, shards.first);
    return true;
}

/* ---- several parts ---- */

/* Runs one part, whose number takes the place of '%' in the name of its file. */
static int run_shard(struct settings *settings, const struct shards *shards, uint64_t number,
                     int (*run)(void *chosen), void *chosen)
{
    const char *pattern = settings->partial_result;
    const size_t before = strcspn(pattern, "%");
    struct text path = {0};
    int code = EXIT_UNREADABLE;
    text_put(&path, pattern, before);
    text_printf(&path, "%" PRIu64 "%s", number, pattern + before + 1);
    text_put(&path, "", 1);
    if (path.failed) {
        complain("out of memory");
    } else {
        settings->partial_result = path.bytes;
        select_shard(settings, shards, number);
        code = run(chosen);
        settings->partial_result = pattern;
    }
    text_free(&path);
    return code;
}

int shards_run(struct settings *settings, int (*run)(void *chosen), void *chosen)
{
    struct shards shards;
    int code = EXIT_CLEAN;
    if (!settings->shard || !strchr(settings->shard, '-'))
        return shard_select(settings, &code) ? run(chosen) : code;
    if (!find_shards(settings, &shards, &code)) return code;
    if (!settings->partial_result || !strchr(settings->partial_result, '%')) {
        complain("%s --shard: several parts need --partial-result with a '%%' in its name, in "
                 "place of which each file has the number of its part",
                 settings->verb->name);
        return EXIT_USAGE;
    }
    struct carried carried = {.stateless = true};
    if (settings->verb->reads_on) settings->carried = &carried;
    code = EXIT_CLEAN;
    for (uint64_t number = shards.first; number <= shards.last; number++) {
        code = worse(code, run_shard(settings, &shards, number, run, chosen));
        if (code == EXIT_UNREADABLE || code == EXIT_USAGE) break;
    }
    settings->carried = NULL;
    return worse(code, carried_close(&carried));
}

/* ---- what a file states ---- */

static void put_value(struct text *words, const struct option *option, const char *name,
                      const char *value)
{
    text_printf(words, "--%s%s%s\n", name, option->value ? "=" : "", option->value ? value : "");
}

/* An option of the verb that was given, as words. */
static void put_option(struct text *words, const struct option *option, const void *settings)
{
    const void *at = (const char *)settings + option->at;
    const struct range *range = at;
    const struct list *list = at;
    char value[64];
    switch (option->type) {
    case OPTION_FLAG:
        if (*(const bool *)at) put_value(words, option, option->name, "");
        break;
    case OPTION_TEXT:
    case OPTION_INPUT:
        if (*(const char *const *)at)
            put_value(words, option, option->name, *(const char *const *)at);
        break;
    case OPTION_NUMBER:
    case OPTION_COUNT:
        snprintf(value, sizeof value, "%" PRIu64, *(const uint64_t *)at);
        if (*(const uint64_t *)at) put_value(words, option, option->name, value);
        break;
    case OPTION_CHOICE:
        snprintf(value, sizeof value, "%d", *(const int *)at);
        if (*(const int *)at) put_value(words, option, option->name, value);
        break;
    case OPTION_RANGE:
    case OPTION_HEXRANGE:
        snprintf(value, sizeof value, "%" PRIu64 ":%" PRIu64, range->first, range->last);
        if (range->given) put_value(words, option, option->name, value);
        break;
    case OPTION_LIST:
        for (size_t i = 0; i < list->count; i++)
            put_value(words, option, option->name, list->items[i]);
        break;
    case OPTION_OUTPUT:
    case OPTION_FORMAT: break;
    }
}

/* The options that change the result, but for those that choose the part. */
static void put_options(struct text *words, const struct settings *settings)
{
    static const char *const left_out[] = {"shard", "records", "no-index", "after"};
    for (const struct option *option = settings->verb->options; option->name; option++) {
        bool out = false;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            out |= strcmp(option->name, left_out[i]) == 0;
        if (!out) put_option(words, option, settings);
    }
    if (settings->dialect) text_printf(words, "--dialect=%s\n", settings->dialect);
    if (settings->implicit_thumb) text_puts(words, "--implicit-thumb\n");
    if (settings->isa) text_printf(words, "--isa=%d\n", settings->isa);
    text_put(words, "", 1);
}

/* A partial result of the trace with these settings, without a state. */
static enum spoor_status describe(struct spoor_partial **partial, const struct settings *settings,
                                  const struct spoor_partial_options *part,
                                  struct spoor_error *error)
{
    struct spoor_partial_options about = *part;
    const struct range *range = &settings->selection.records;
    struct text words = {0};
    put_options(&words, settings);
    about.struct_size = sizeof about;
    about.options = words.bytes;
    about.first = range->given ? range->first : 0;
    if (range->given && range->last < UINT64_MAX) about.records = range->last - range->first + 1;
    const enum spoor_status status = words.failed
                                         ? spoor_error_set(error, SPOOR_ENOMEM, "out of memory")
                                         : spoor_partial_new(partial, &about, error);
    text_free(&words);
    return status;
}

bool shard_continue(struct settings *settings, struct spoor_partial **before, int *code)
{
    struct range *range = &settings->selection.records;
    struct spoor_partial *next = NULL;
    struct spoor_error error = {0};
    if (spoor_partial_open(before, settings->after, &error) != SPOOR_OK) {
        *code = fail(&error);
        return false;
    }
    const struct spoor_partial_options *about = spoor_partial_about(*before);
    if (strcmp(spoor_partial_tool(*before), settings->verb->name) != 0) {
        complain("%s --after: %s is of another verb", settings->verb->name, settings->after);
        *code = EXIT_USAGE;
        return false;
    }
    if (!range->given) *range = (struct range){true, about->first + about->records, UINT64_MAX};
    const struct spoor_partial_options part = {.trace = operand(settings, 0), .after = *before};
    const enum spoor_status status = describe(&next, settings, &part, &error);
    spoor_partial_free(next);
    if (status == SPOOR_OK) return true;
    *code = fail(&error);
    return false;
}

/* ---- the file ---- */

enum spoor_status shard_begin(struct shard_file *file, const struct settings *settings,
                              const struct spoor_partial_options *part, bool whole)
{
    *file = (struct shard_file){.settings = settings, .path = part->trace, .whole = whole};
    if (!spoor_result_complete(part->head))
        file->status = spoor_error_set(&file->error, SPOOR_ENOMEM, "out of memory");
    else
        file->status = describe(&file->partial, settings, part, &file->error);
    return file->status;
}

enum spoor_status shard_begin_trace(struct shard_file *file, const struct settings *settings,
                                    const char *path, const char *format, bool whole)
{
    struct spoor_result *head = spoor_result_new_object();
    const struct spoor_partial_options part = {.trace = path, .format = format, .head = head};
    spoor_result_text(head, "trace", path);
    spoor_result_text(head, "format", format);
    const enum spoor_status status = shard_begin(file, settings, &part, whole);
    spoor_result_free(head);
    return status;
}

enum spoor_status shard_begin_input(struct shard_file *file, const struct settings *settings,
                                    const char *path, const struct trace_input *input)
{
    return shard_begin_trace(file, settings, path, spoor_format_name(input->stream->format),
                             !input->broken);
}

int shard_end(struct shard_file *file)
{
    const struct settings *settings = file->settings;
    int code = EXIT_UNREADABLE;
    if (file->status != SPOOR_OK) {
        code = fail(&file->error);
    } else if (same_file_still(&settings->shard_trace, file->path)) {
        size_t size;
        const uint8_t *bytes = spoor_partial_bytes(file->partial, &size);
        code = output_write(settings->partial_result, (const char *)bytes, size, file->whole,
                            settings);
    } /* else the identity is not that of what was counted */
    spoor_partial_free(file->partial);
    return code;
}
