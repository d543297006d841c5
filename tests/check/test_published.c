/* SPDX-License-Identifier: MIT */
/* test_published.c: the findings of check on published traces are exactly the known violations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/spoor.h"

struct published_trace {
    const char *path;     /* under ../shared/traces */
    const char *findings; /* "rule count, rule count", in the order of the rules */
};

static const struct published_trace traces[] = {
    {"uop/gcc-1K.trace", ""},
    /* line 6 has "-9" in place of the branch letter, in the published file */
    {"uop/sfsu-test.trace", "syntax 1"},
    /* facts/byu.md: 2 stray bytes, 36 addresses not 8-aligned, 15 undocumented attributes */
    {"byu/pentium2-w2k.tr.xz", "trailing-bytes 1, bus-alignment 36, bus-attribute 15"},
    {"byu/lp64-16byte.tr", ""},
    {"branch/cbp5-short-mobile-1.sbbt.zst", "instruction-count 1"},
    {"tarmac/calltest32.tarmac", ""},
    {"tarmac/calltest64.tarmac", ""},
    {"tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac", ""},
    {"tarmac/fastmodel/quicksort.tarmac", ""},
    {"tarmac/gem5/calculator-aarch64-gem5.tarmac", ""},
    {"tarmac/forms/seed-example.tarmac", ""},
};
enum { TRACES = sizeof traces / sizeof *traces };

static void ignore(void *context, const struct spoor_finding *finding)
{
    (void)context;
    (void)finding;
}

static void check_all(struct spoor_check *check, const char *path)
{
    struct spoor_error error = {0};
    struct spoor_reader_options options = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_reader_open(&reader, path, &options, &error);
    if (status != SPOOR_OK) print_error("%s\n", error.text);
    assert_int_equal(status, SPOOR_OK);
    while ((status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
        assert_int_equal(spoor_check_feed(check, batch, &error), SPOOR_OK);
    assert_int_equal(status, SPOOR_END);
    spoor_reader_close(reader);
}

static void list_findings(const struct spoor_check *check, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        unsigned long long count = spoor_check_count(check, (int)i);
        if (count == 0) continue;
        int more = snprintf(text + used, capacity - used, "%s%s %llu", used ? ", " : "",
                            spoor_rule_at(i)->name, count);
        assert_true(more > 0 && (size_t)more < capacity - used);
        used += (size_t)more;
    }
}

static void only_what_is_there(void **state)
{
    (void)state;
    const char *shared = getenv("SPOOR_SHARED");
    for (size_t i = 0; i < TRACES; i++) {
        char path[1024], found[512];
        snprintf(path, sizeof path, "%s/traces/%s", shared ? shared : "../shared", traces[i].path);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s not found\n", path);
            continue;
        }
        const struct spoor_check_options how = {.sink = ignore, .context = NULL};
        struct spoor_check *check = NULL;
        assert_int_equal(spoor_check_new(&check, &how, NULL), SPOOR_OK);
        check_all(check, path);
        list_findings(check, found, sizeof found);
        if (strcmp(found, traces[i].findings) != 0) print_error("%s\n", path);
        assert_string_equal(found, traces[i].findings);
        spoor_check_free(check);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_is_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
