/* SPDX-License-Identifier: MIT */
/*
 * test_mutations.c: the share of single changes of a trace that `check` finds, by format.
 *
 * The test replaces one digit or letter of a published trace by another one of its kind (text), or
 * flips one bit of a record (binary), and compares the findings with those of the unchanged trace.
 * Many changes give another valid trace (the value of a register that is never read again), so no
 * score can be 100.  The scores are printed; none may fall below its floor.  SPOOR_MUTATIONS sets
 * the number of changes per trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/support.h"
#include "spoor/check.h"

enum { MUTATIONS = 200, MAX_TEXT = 24 << 10, MAX_RECORDS = 400 };

static const struct sample {
    const char *format, *path, *command;
    unsigned floor; /* per cent */
} samples[] = {
    {"spike", "traces/wild/five-stage.spike.log.xz", "xz -dc", 79},
    {"spike", "traces/wild/ctb-logical-3-0.spike.dump.xz", "xz -dc", 75},
    {"spike", "traces/wild/ctb-random.spike.dump.xz", "xz -dc", 63},
    {"riscv-dv", "traces/wild/five-stage.iss.csv.xz", "xz -dc", 48},
    {"riscv-dv", "traces/wild/riscv-dv-jump-stress.csv.xz", "xz -dc", 16},
    {"tarmac", "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac", NULL, 36},
    {"tarmac", "traces/wild/calculator-aarch32-fastmodel.tarmac.xz", "xz -dc", 37},
    {"tarmac", "traces/wild/calculator-aarch32-es-ld-st-style.tarmac.xz", "xz -dc", 31},
    {"tarmac", "traces/wild/instances-v7m.tarmac.xz", "xz -dc", 54},
    {"uop", "traces/uop/gcc-1K.trace", NULL, 59},
    {"byu12", "traces/byu/pentium2-w2k-middle.tr", NULL, 31},
    {"champsim", "traces/wild/simple-array.champsimtrace.xz", "xz -dc", 65},
    {"sbbt", "traces/branch/cbp5-short-mobile-1.sbbt.zst",
     "sh -c 'zstd -dc \"$0\" 2>/dev/null | head -c 100000'", 18},
    {"sbbt", "traces/wild/short-server-1-head.sbbt.zst",
     "sh -c 'zstd -dc \"$0\" 2>/dev/null | head -c 100000'", 7},
};

static void ignore(void *context, const struct spoor_finding *finding)
{
    (void)context;
    (void)finding;
}

/* Counts the findings of each rule that is on by default.  The trace continues after the sample. */
static void count_findings(const struct spoor_format *format, const char *bytes, size_t size,
                           uint64_t *counts)
{
    struct trace trace;
    const struct spoor_check_options how = {.sink = ignore, .context = NULL, .maximum = 1};
    struct spoor_check *check = NULL;
    assert_int_equal(spoor_check_new(&check, &how, NULL), SPOOR_OK);
    assert_non_null(check);
    trace_decode(&trace, format, bytes, size);
    trace.batch.last = false;
    assert_int_equal(spoor_check_feed(check, &trace.batch, NULL), SPOOR_OK);
    for (size_t i = 0; i < spoor_rule_count(); i++) counts[i] = spoor_check_count(check, (int)i);
    trace_free(&trace);
    spoor_check_free(check);
}

/* Returns the class of a byte of text: a change within a class changes a field, not the layout. */
static const char *class_of(char c, size_t *size)
{
    static const char *const classes[] = {"0123456789", "abcdef", "ABCDEF", "ghijklmnopqrstuvwxyz",
                                          "GHIJKLMNOPQRSTUVWXYZ"};
    for (size_t i = 0; c && i < sizeof classes / sizeof *classes; i++)
        if (strchr(classes[i], c)) {
            *size = strlen(classes[i]);
            return classes[i];
        }
    return NULL;
}

static void mutate_text(struct numbers *numbers, char *bytes, size_t size)
{
    for (;;) {
        const size_t at = numbers_below(numbers, size);
        size_t count;
        const char *class = class_of(bytes[at], &count);
        if (!class) continue;
        const size_t old = (size_t)(strchr(class, bytes[at]) - class);
        bytes[at] = class[(old + 1 + numbers_below(numbers, count - 1)) % count];
        return;
    }
}

static void mutate_bit(struct numbers *numbers, char *bytes, size_t size)
{
    const size_t bit = numbers_below(numbers, (8 * size));
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
}

/* Returns the size of the sample: whole lines or records from the beginning. */
static size_t sample_size(const struct spoor_format *format, const char *bytes, size_t size)
{
    const size_t record = spoor_format_record_size(format);
    const size_t header = spoor_format_header_size(format);
    const size_t maximum = record ? header + MAX_RECORDS * record : MAX_TEXT;
    if (size > maximum) size = maximum;
    while (!record && size && bytes[size - 1] != '\n') size--;
    return record ? size - (size - header) % record : size;
}

static unsigned mutations(void)
{
    const char *text = getenv("SPOOR_MUTATIONS");
    const unsigned count = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    return count ? count : MUTATIONS;
}

/* Returns the percentage of changes that are found. */
static unsigned score_of(const struct sample *sample, char *bytes, size_t size, bool show)
{
    const struct spoor_format *format = spoor_format_find(sample->format);
    const size_t rules = spoor_rule_count(), header = spoor_format_header_size(format);
    uint64_t *before = calloc(rules, sizeof *before), *after = calloc(rules, sizeof *after);
    char *copy = malloc(size + 1);
    struct numbers numbers = {11};
    unsigned found = 0;
    const unsigned count = mutations();
    assert_true(before && after && copy);
    count_findings(format, bytes, size, before);
    for (size_t i = 0; i < rules; i++)
        if (before[i])
            print_error("%s: %s on a true trace\n", sample->path, spoor_rule_at(i)->name);
    for (unsigned round = 0; round < count; round++) {
        memcpy(copy, bytes, size);
        (spoor_format_record_size(format) ? mutate_bit : mutate_text)(&numbers, copy + header,
                                                                      size - header);
        count_findings(format, copy, size, after);
        bool differs = false;
        for (size_t i = 0; i < rules; i++) differs |= after[i] > before[i];
        found += differs;
        if (show && !differs) {
            size_t at = 0;
            while (copy[at] == bytes[at]) at++;
            while (at && copy[at - 1] != '\n') at--;
            print_message("  missed %.*s\n", (int)strcspn(copy + at, "\n"), copy + at);
        }
    }
    free(before);
    free(after);
    free(copy);
    return found * 100 / count;
}

static void single_changes_are_found(void **state)
{
    (void)state;
    size_t fallen = 0, seen = 0;
    print_message("%-10s %5s %5s  %s\n", "format", "found", "floor", "trace");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];
        size_t size;
        char *bytes = shared_file(sample->path, sample->command, &size);
        if (!bytes) continue;
        size = sample_size(spoor_format_find(sample->format), bytes, size);
        const unsigned score = score_of(sample, bytes, size, getenv("SPOOR_MISSED") != NULL);
        print_message("%-10s %4u%% %4u%%  %s\n", sample->format, score, sample->floor,
                      strrchr(sample->path, '/') + 1);
        fallen += score < sample->floor;
        seen++;
        free(bytes);
    }
    if (seen == 0) skip();
    assert_int_equal(fallen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_changes_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
