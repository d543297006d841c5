/* SPDX-License-Identifier: MIT */
/* study_cells.c: the cells of a study: their commands, their names and their files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "cli/study.h"

static bool cells_add_text(struct word_list *words, struct text *text)
{
    if (text->failed) complain("out of memory");
    const bool good = !text->failed && word_list_add(words, text->bytes);
    text_free(text);
    return good;
}

bool cell_words(const struct study *study, const struct study_cell *cell, struct word_list *words)
{
    const struct study_run *run = &study->runs[cell->run];
    const struct study_trace *trace = &study->traces[cell->trace];
    bool good = word_list_add(words, run->verb) && word_list_add(words, "-q") &&
                word_list_add(words, "-j1") && word_list_add(words, "--json");
    for (size_t i = 0; i < run->options.count && good; i++) {
        struct text text = {0};
        /* the values of the combination in place of the names in braces */
        const char *option = run->options.items[i];
        for (const char *at = option; *at;) {
            const size_t plain = strcspn(at, "{"), size = at[plain] ? strcspn(at + plain, "}") : 0;
            text_put(&text, at, plain);
            at += plain;
            if (!*at) break;
            for (size_t axis = 0; axis < run->grid.axis_count; axis++)
                if (strlen(run->grid.axes[axis].name) == size - 1 &&
                    memcmp(run->grid.axes[axis].name, at + 1, size - 1) == 0)
                    text_puts(&text, sweep_value(&run->grid, cell->combination, axis));
            at += size + (at[size] == '}');
        }
        text_put(&text, "", 1);
        good = cells_add_text(words, &text);
    }
    for (size_t i = 0; i < trace->options.count && good; i++)
        good = word_list_add(words, trace->options.items[i]);
    if (good && trace->simpoints)
        good = word_list_add(words, "--simpoints") && word_list_add(words, trace->simpoints);
    if (good && trace->warmup) {
        struct text text = {0};
        text_printf(&text, "--warmup=%" PRIu64, trace->warmup);
        text_put(&text, "", 1);
        good = cells_add_text(words, &text);
    }
    return good && word_list_add(words, "--") && word_list_add(words, trace->path);
}

/* The hash of all that decides the result of a cell. */
static bool cells_hash(const struct study *study, struct study_cell *cell, struct text *text)
{
    const struct study_trace *trace = &study->traces[cell->trace];
    struct word_list words = {0};
    bool good = cell_words(study, cell, &words);
    const struct study_run *run = &study->runs[cell->run];
    const struct verb *verb = verb_find(run->verb);
    enum { OWN = 4 }; /* the verb, and what cell_words() adds */
    for (size_t i = OWN; good && i < words.count && strcmp(words.items[i], "--") != 0; i++) {
        if (option_of_word(verb, words.items[i], OPTION_OUTPUT))
            good = complain(
                "sweep: run '%s': found '%s', which writes a file, expected options that write "
                "none: the folder of results has the results",
                run->name, words.items[i]);
    }
    text->size = 0;
    text_printf(text, "%s %" PRIu64 " %" PRIu64 " %" PRIu64, spoor_version(), trace->size,
                trace->seconds, trace->nanoseconds);
    if (trace->simpoints) text_printf(text, " %" PRIx64, trace->intervals);
    for (size_t i = OWN; good && i < words.count && strcmp(words.items[i], "--") != 0; i++) {
        /* a plug-in that was compiled anew is another one */
        const char *plugin = strncmp(words.items[i], "--plugin=", 9) == 0 ? words.items[i] + 9
                             : strcmp(words.items[i], "--plugin") == 0    ? words.items[i + 1]
                                                                          : NULL;
        struct stat about;
        if (plugin && stat(plugin, &about) == 0)
            text_printf(text, " %lld %lld %ld", (long long)about.st_size,
                        (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    }
    for (size_t i = 0; i < words.count; i++)
        text_put(text, words.items[i], strlen(words.items[i]) + 1);
    word_list_free(&words);
    if (text->failed) complain("out of memory");
    if (good && !text->failed) cell->hash = hash_of_bytes(text->bytes, text->size);
    return good && !text->failed;
}

bool cells_make(struct cells *cells, const struct study *study)
{
    struct text text = {0};
    bool good = true;
    for (uint32_t run = 0; run < study->run_count && good; run++) {
        const size_t combinations = sweep_count(&study->runs[run].grid);
        for (uint32_t trace = 0; trace < study->trace_count && good; trace++)
            for (size_t i = 0; i < combinations && good; i++) {
                struct study_cell cell = {.trace = trace, .run = run, .combination = (uint32_t)i};
                if (cells->count == MAX_CELLS)
                    good = complain("sweep: found more than %d cells", MAX_CELLS);
                good = good && cells_hash(study, &cell, &text);
                if (good && !array_reserve(&cells->items, &cells->capacity, cells->count + 1))
                    good = complain("out of memory");
                if (good) cells->items[cells->count++] = cell;
            }
    }
    text_free(&text);
    return good;
}

void cell_path(const struct study *study, const struct study_cell *cell, enum cell_file which,
               struct text *path)
{
    const char *suffix = which == CELL_FAILED ? "failed" : "json";
    path->size = 0;
    text_printf(path, "%s/cells/%016" PRIx64 ".%s", study->results, cell->hash, suffix);
    text_put(path, "", 1);
}

struct spoor_result *result_of_file(const char *path)
{
    struct text text = {0};
    FILE *file = fopen(path, "re");
    size_t got = 1;
    if (!file) return NULL;
    errno = 0;
    while (got > 0 && !text.failed) {
        char *at = text_reserve(&text, 1 << 16);
        got = at ? fread(at, 1, 1 << 16, file) : 0;
        if (at) text_commit(&text, at + got);
    }
    const int why = text.failed ? ENOMEM : ferror(file) ? errno : 0;
    fclose(file);
    struct spoor_result *result = why ? NULL : result_of_json(text.bytes, text.size);
    text_free(&text);
    if (why) errno = why;
    return result;
}

enum cell_state cell_state(const struct study *study, const struct study_cell *cell)
{
    struct text path = {0};
    enum cell_state state = CELL_MISSING;
    cell_path(study, cell, CELL_RESULT, &path);
    if (path.failed) {
        complain("out of memory");
        state = CELL_UNREAD;
    } else if (access(path.bytes, F_OK) == 0) {
        struct spoor_result *result = result_of_file(path.bytes);
        if (!result && errno) state = CELL_UNREAD;
        if (result)
            state = CELL_DONE;
        else if (state == CELL_UNREAD)
            complain("sweep: %s: cannot be read: %s", path.bytes, strerror(errno));
        else
            complain("sweep: %s: found no result in JSON: the cell is missing, and a run makes it "
                     "again",
                     path.bytes);
        spoor_result_free(result);
    }
    cell_path(study, cell, CELL_FAILED, &path);
    if (state == CELL_MISSING && !path.failed && access(path.bytes, F_OK) == 0)
        state = CELL_HAS_FAILED;
    text_free(&path);
    return state;
}
