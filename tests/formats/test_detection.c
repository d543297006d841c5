/* SPDX-License-Identifier: MIT */
/*
 * test_detection.c: the format of every published trace is detected.
 *
 * The traces are all files under ../shared/traces; the folder of each gives its format.  The test
 * prints the confusion matrix: a row for each true format, a column for each detected one.  A
 * second matrix has the scores of all probes, and the seeds of the fuzzers are detected, too.
 * Windows from any position of text traces may be too small to decide, but must never give a wrong
 * format.
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/format.h"
#include "spoor/reader.h"

enum { MAX_FORMATS = 80, PATH_CAPACITY = 512 };
#define NO_FORMAT "none"

/* The format of each folder, by a part of the path; the first match decides. */
static const struct {
    const char *part, *format;
} truths[] = {
    {"/README", ""},
    {"/program.disassembly", ""},
    {"LICENSE", ""},
    {".spoor-index", ""},
    {".sbbt", "sbbt"},
    {"/byu/lp64-16byte", "byu16"},
    {"/byu/", "byu12"},
    {"/compare/", "spike"},
    {".spike.", "spike"},
    {".rtl.dump", "spike"},
    {"/spike-commit-", "spike"},
    {"/memory/small5M.din", "din"},
    {"/memory/small5M.xdin", "xdin"},
    {".champsimtrace", "champsim"},
    {"/tarmac/", "tarmac"},
    {".tarmac", "tarmac"},
    {"/uop/", "uop"},
    {".vcd", "waveform"},
    {".fst", "waveform"},
    {"/wild/five-stage.", "riscv-dv"},
    {"/wild/riscv-dv-", "riscv-dv"},
    {"/cvp/made-here-cvp1", "cvp1"},
    {"/cvp/made-here-cbp2025", "cbp2025"},
    {"/tenet/boombox", "tenet"},
    {"/perf_etm.data", "perf-data"},
    {"/perf_with_", "perf-data"},
    {".nex", "n-trace"},
    {".te_inst_raw", "e-trace"},
    {".insns.txt", ""},
    {".zstf", "stf"},
    {".bare.stf", "stf"},
    /* formats that are read now, or will be */
    {"_schedule.bin", ""},
    {"funclist.log", ""},
    {"v2p-example", ""},
    {".memtrace.sz", ""}, /* snappy */
    {"/drmemtrace/", "drmemtrace"},
    {"/gem5/o3pipeview", "o3pipeview"},
    {"/gem5/kanata", "kanata"},
    {"/gem5/", "gem5"},
    {"/perf/", "perf"},
    {"/riscv/rvvi/", "rvvi"},
    {"/riscv/sail/", "sail"},
    {"/riscv/whisper/rv64-program.csv", "whisper-csv"},
    {"/riscv/whisper/rv32-program.csv", "whisper-csv"},
    {"/riscv/whisper/rv64-program-branches", "whisper-branches"},
    {"/riscv/whisper/", "whisper"},
};

struct matrix {
    const char *name[MAX_FORMATS]; /* of rows and columns */
    unsigned count[MAX_FORMATS][MAX_FORMATS];
    size_t names, files, wrong;
};
static struct matrix found; /* nftw() passes no context to its callback */

static size_t index_of(const char *name)
{
    for (size_t i = 0; i < found.names; i++)
        if (strcmp(found.name[i], name) == 0) return i;
    assert_true(found.names < MAX_FORMATS);
    found.name[found.names] = name;
    return found.names++;
}

/* Returns the format of a trace at that path; NULL: it is not a trace. */
static const char *truth_of(const char *path)
{
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        if (!strstr(path, truths[i].part)) continue;
        if (!*truths[i].format) return NULL;
        return spoor_format_find(truths[i].format) ? truths[i].format : NO_FORMAT;
    }
    return NO_FORMAT;
}

static const char *detected(const char *path)
{
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) return NO_FORMAT;
    const char *name = spoor_format_name(spoor_reader_stream(reader)->format);
    spoor_reader_close(reader);
    return name;
}

static int count_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)at;
    const char *truth = type == FTW_F ? truth_of(path) : NULL;
    if (!truth) return 0;
    const char *name = detected(path);
    found.files++;
    found.count[index_of(truth)][index_of(name)]++;
    if (strcmp(truth, name) == 0) return 0;
    print_error("%s: detected as %s, is %s\n", path, name, truth);
    found.wrong++;
    return 0;
}

static void print_matrix(void)
{
    print_message("%-10s", "is \\ as");
    for (size_t i = 0; i < found.names; i++) print_message(" %8s", found.name[i]);
    print_message("\n");
    for (size_t row = 0; row < found.names; row++) {
        print_message("%-10s", found.name[row]);
        for (size_t i = 0; i < found.names; i++) print_message(" %8u", found.count[row][i]);
        print_message("\n");
    }
}

static const char *traces(char *path)
{
    const char *shared = getenv("SPOOR_SHARED");
    snprintf(path, PATH_CAPACITY, "%s/traces", shared ? shared : SOURCE_ROOT "/../shared");
    return path;
}

static void every_trace_is_taken_for_what_it_is(void **state)
{
    (void)state;
    char path[PATH_CAPACITY];
    found = (struct matrix){0};
    nftw(traces(path), count_file, 16, FTW_PHYS);
    if (found.files == 0) {
        print_message("%s is not here (set SPOOR_SHARED): skipped\n", path);
        skip();
    }
    print_matrix();
    assert_int_equal(found.wrong, 0);
}

/* ---- the scores of all probes ---- */

enum { HEAD_SIZE = 64 << 10, NAME_SIZE = 24 };

/* The highest score of each format on traces of each format; the last row is of other files. */
static int scores[MAX_FORMATS + 1][MAX_FORMATS];
static size_t score_files, score_wrong;

static size_t row_of(const char *truth)
{
    for (size_t i = 0; i < spoor_format_count(); i++)
        if (strcmp(spoor_format_name(spoor_format_at(i)), truth) == 0) return i;
    return MAX_FORMATS;
}

/* Returns the first bytes of a file, decompressed where a format reads it. */
static struct text head_of(const char *path)
{
    struct text head = {0};
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (spoor_reader_open(&reader, path, NULL, &error) == SPOOR_OK) {
        if (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
            text_put(&head, batch->text,
                     batch->text_size < HEAD_SIZE ? batch->text_size : HEAD_SIZE);
        spoor_reader_close(reader);
        return head;
    }
    FILE *file = fopen(path, "rb");
    char *at = text_reserve(&head, HEAD_SIZE);
    if (file && at) text_commit(&head, at + fread(at, 1, HEAD_SIZE, file));
    if (file) fclose(file);
    return head;
}

static int score_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)at;
    const char *truth = type == FTW_F ? truth_of(path) : NULL;
    if (!truth) return 0;
    struct text bytes = head_of(path);
    const struct spoor_head head = {(const uint8_t *)bytes.bytes, bytes.size,
                                    bytes.size < HEAD_SIZE};
    const size_t row = row_of(truth);
    const int own =
        row < MAX_FORMATS ? spoor_format_probe(spoor_format_at(row), &head) : 60 /* sure enough */;
    for (size_t i = 0; i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        if (!spoor_format_reads(format)) continue;
        const int score = spoor_format_probe(format, &head);
        if (score > scores[row][i]) scores[row][i] = score;
        if (i == row || score < own) continue;
        print_error("%s: %s scores %d, its own format (%s) %d\n", path, spoor_format_name(format),
                    score, truth, own);
        score_wrong++;
    }
    text_free(&bytes);
    score_files++;
    return 0;
}

static void print_scores(void)
{
    print_message("highest scores of all formats, where they are not 0:\n");
    for (size_t row = 0; row <= MAX_FORMATS; row++) {
        bool any = false;
        for (size_t i = 0; i < spoor_format_count(); i++) {
            if (!scores[row][i]) continue;
            if (!any)
                print_message("%-17s", row < MAX_FORMATS ? spoor_format_name(spoor_format_at(row))
                                                         : NO_FORMAT);
            print_message(" %s %d", spoor_format_name(spoor_format_at(i)), scores[row][i]);
            any = true;
        }
        if (any) print_message("\n");
    }
}

static void no_other_format_scores_as_much(void **state)
{
    (void)state;
    char path[PATH_CAPACITY];
    assert_true(spoor_format_count() < MAX_FORMATS);
    memset(scores, 0, sizeof scores);
    score_files = score_wrong = 0;
    nftw(traces(path), score_file, 16, FTW_PHYS);
    if (score_files == 0) skip();
    print_scores();
    assert_int_equal(score_wrong, 0);
}

/* ---- seeds of the fuzzers ---- */

static size_t seeds_right, seeds_wrong;

/* A seed may be too short or too damaged to be detected, but is no other format's. */
static int detect_seed(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    char folder[NAME_SIZE];
    if (type != FTW_F || at->base < 2) return 0;
    const char *end = path + at->base - 1, *begin = end;
    while (begin > path && begin[-1] != '/') begin--;
    snprintf(folder, sizeof folder, "%.*s", (int)(end - begin), begin);
    for (char *c = folder; *c; c++)
        if (*c == '_') *c = '-';
    const struct spoor_format *format = spoor_format_find(folder);
    if (!format || spoor_format_is_container(format)) return 0; /* a container is what it holds */
    const char *name = detected(path);
    seeds_right += strcmp(name, folder) == 0;
    if (strcmp(name, folder) == 0 || strcmp(name, NO_FORMAT) == 0) return 0;
    print_error("%s: detected as %s\n", path, name);
    seeds_wrong++;
    return 0;
}

static void no_seed_is_taken_for_another_format(void **state)
{
    (void)state;
    seeds_right = seeds_wrong = 0;
    nftw(SOURCE_ROOT "/tests/fuzz/seeds", detect_seed, 16, FTW_PHYS);
    print_message("seeds: %zu right, %zu wrong\n", seeds_right, seeds_wrong);
    assert_true(seeds_right > 0);
    assert_int_equal(seeds_wrong, 0);
}

/* ---- windows ---- */

/* Returns the bytes of a trace, decompressed; NULL if it is absent.  The caller frees them. */
static char *bytes_of(const char *path, size_t *size)
{
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    struct text bytes = {0};
    const struct spoor_batch *batch;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) return NULL;
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        text_put(&bytes, batch->text, batch->text_size);
    spoor_reader_close(reader);
    *size = bytes.size;
    return bytes.bytes;
}

static size_t line_after(const char *bytes, size_t size, size_t at)
{
    const char *newline = at < size ? memchr(bytes + at, '\n', size - at) : NULL;
    return newline ? (size_t)(newline + 1 - bytes) : size;
}

static size_t windows_wrong, windows_right, windows_open;

static void try_window(const char *path, const char *truth, const char *bytes, size_t size)
{
    const struct spoor_head head = {(const uint8_t *)bytes, size, true};
    struct spoor_ranking ranking = {.struct_size = sizeof ranking};
    struct spoor_error error = {0};
    const bool sure = format_detect(&head, path, &ranking, &error) == SPOOR_OK;
    const char *name = sure ? spoor_format_name(ranking.best.format) : "";
    windows_open += !sure;
    windows_right += sure && strcmp(name, truth) == 0;
    if (!sure || strcmp(name, truth) == 0) return;
    print_error("%s: %zu bytes detected as %s, are %s: %.60s\n", path, size, name, truth, bytes);
    windows_wrong++;
}

static int count_windows(const char *path, const struct stat *status, int type, struct FTW *at)
{
    enum { WINDOWS = 12, LINES = 30 };
    (void)status;
    (void)at;
    const char *truth = type == FTW_F ? truth_of(path) : NULL;
    const struct spoor_format *format = truth ? spoor_format_find(truth) : NULL;
    size_t size = 0;
    if (!format || format->record_size || strstr(path, "/memory/") || strstr(path, "/forms/"))
        return 0;
    char *bytes = bytes_of(path, &size);
    for (size_t window = 0; bytes && window < WINDOWS; window++) {
        const size_t begin = window ? line_after(bytes, size, size / WINDOWS * window) : 0;
        size_t end = begin;
        for (size_t line = 0; line < LINES; line++) end = line_after(bytes, size, end);
        if (end > begin) try_window(path, truth, bytes + begin, end - begin);
    }
    free(bytes);
    return 0;
}

static void no_window_is_taken_for_another_format(void **state)
{
    (void)state;
    char path[PATH_CAPACITY];
    windows_wrong = windows_right = windows_open = 0;
    nftw(traces(path), count_windows, 16, FTW_PHYS);
    print_message("windows of 30 lines: %zu right, %zu too little to tell, %zu wrong\n",
                  windows_right, windows_open, windows_wrong);
    if (windows_right == 0) skip();
    assert_int_equal(windows_wrong, 0);
    assert_true(windows_right > 10 * windows_open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trace_is_taken_for_what_it_is),
        cmocka_unit_test(no_other_format_scores_as_much),
        cmocka_unit_test(no_seed_is_taken_for_another_format),
        cmocka_unit_test(no_window_is_taken_for_another_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
