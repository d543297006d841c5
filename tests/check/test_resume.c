/* SPDX-License-Identifier: MIT */
/* test_resume.c: a check that goes on from the saved state of another finds what one of both parts
 * finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/spoor.h"

/* The beginning of sort.uop.xz, whose next pc is the pc of the next line. */
static const char *const lines[] = {
    "1 11334 -1 -1  3 - - -      8192            0        11338            0 AUIPC    SAVE_PC\n",
    "1 11338  3 -1  3 - - -      1284            0        1133c            0 ADDI     ADD_IMM\n",
    "1 1133c -1 -1  2 - - -     12288            0        11340            0 AUIPC    SAVE_PC\n",
    "1 11340  2 -1  2 - - -      -236            0        11344            0 ADDI     ADD_IMM\n",
    "1 11344 -1 -1  1 - - -         0            0        11348            0 JAL      SAVE_PC\n",
    "2 11344 -1 -1 -1 - T -      -464            0        11348        11174 JAL      JMP_IMM\n",
};
enum { LINES = sizeof lines / sizeof *lines };

struct state {
    uint8_t *bytes;
    size_t size;
};

static struct spoor_reader *open_lines(char path[32], size_t from, size_t end)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_reader_options options = {.struct_size = sizeof options,
                                                 .format = spoor_format_find("uop")};
    strcpy(path, "/tmp/spoor-resume-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t i = from; i < end; i++)
        assert_int_equal(write(file, lines[i], strlen(lines[i])), strlen(lines[i]));
    close(file);
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

/* Checks lines as a trace of their own, after the state of another check; returns the findings of
 * all rules, and the state after it. */
static uint64_t check_lines(size_t from, size_t end, const struct state *before,
                            struct state *after, uint64_t *records)
{
    char path[32];
    struct spoor_error error = {0};
    struct spoor_check *check;
    const struct spoor_batch *batch;
    struct spoor_reader *reader = open_lines(path, from, end);
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    uint64_t findings = 0;
    assert_int_equal(spoor_check_new(&check, NULL, &error), SPOOR_OK);
    if (before)
        assert_int_equal(spoor_check_resume(check, stream, before->bytes, before->size, &error),
                         SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_check_feed(check, batch, &error), SPOOR_OK);
    for (size_t i = 0; i < spoor_rule_count(); i++) findings += spoor_check_count(check, (int)i);
    *records = spoor_check_records(check);
    if (after)
        assert_int_equal(spoor_check_save(check, stream, &after->bytes, &after->size, &error),
                         SPOOR_OK);
    spoor_check_free(check);
    spoor_reader_close(reader);
    unlink(path);
    return findings;
}

static void parts_have_the_findings_of_the_whole(void **state)
{
    (void)state;
    uint64_t records;
    for (size_t at = 1; at < LINES; at++) {
        struct state saved;
        assert_int_equal(check_lines(0, at, NULL, &saved, &records), 0);
        assert_int_equal(check_lines(at, LINES, &saved, NULL, &records), 0);
        assert_int_equal(records, LINES);
        free(saved.bytes);
    }
}

/* A line is missing between two parts: only a check with the state of the first part finds it. */
static void what_is_missing_between_parts_is_found(void **state)
{
    (void)state;
    uint64_t records;
    struct state saved;
    assert_int_equal(check_lines(0, 2, NULL, &saved, &records), 0);
    assert_int_equal(check_lines(3, LINES, NULL, NULL, &records), 0);
    assert_int_equal(check_lines(3, LINES, &saved, NULL, &records), 1);
    free(saved.bytes);
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    char path[32];
    struct state saved;
    uint64_t records;
    check_lines(0, 3, NULL, &saved, &records);
    for (size_t size = 0; size < saved.size; size += 1 + saved.size / 50) {
        struct spoor_error error = {0};
        struct spoor_check *check;
        struct spoor_reader *reader = open_lines(path, 3, LINES);
        assert_int_equal(spoor_check_new(&check, NULL, &error), SPOOR_OK);
        assert_int_equal(
            spoor_check_resume(check, spoor_reader_stream(reader), saved.bytes, size, &error),
            SPOOR_EINPUT);
        assert_non_null(strstr(error.text, "damaged"));
        spoor_check_free(check);
        spoor_reader_close(reader);
        unlink(path);
    }
    free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_findings_of_the_whole),
        cmocka_unit_test(what_is_missing_between_parts_is_found),
        cmocka_unit_test(damaged_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
