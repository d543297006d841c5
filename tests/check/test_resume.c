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

#include "check/check_pack.h"
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

/* Gives the state of a check after lines to a partial result. */
static struct spoor_partial *save(const struct spoor_check *check, size_t from, size_t end,
                                  const struct spoor_stream *stream)
{
    const struct spoor_partial_options part = {.struct_size = sizeof part,
                                               .format = "uop",
                                               .first = from,
                                               .records = end == LINES ? 0 : end - from};
    struct spoor_error error = {0};
    struct spoor_partial *partial;
    assert_int_equal(spoor_partial_new(&partial, &part, &error), SPOOR_OK);
    assert_int_equal(spoor_check_save(check, stream, partial, &error), SPOOR_OK);
    return partial;
}

/* Checks lines as a trace of their own, after the state of another check; returns the findings of
 * all rules, and the state after it. */
static uint64_t check_lines(size_t from, size_t end, const struct spoor_partial *before,
                            struct spoor_partial **after, uint64_t *records)
{
    char path[32];
    struct spoor_error error = {0};
    struct spoor_check *check;
    const struct spoor_batch *batch;
    struct spoor_reader *reader = open_lines(path, from, end);
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    uint64_t findings = 0;
    assert_int_equal(spoor_check_new(&check, NULL, &error), SPOOR_OK);
    if (before) assert_int_equal(spoor_check_resume(check, stream, before, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_check_feed(check, batch, &error), SPOOR_OK);
    for (size_t i = 0; i < spoor_rule_count(); i++) findings += spoor_check_count(check, (int)i);
    *records = spoor_check_records(check);
    if (after) *after = save(check, from, end, stream);
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
        struct spoor_partial *saved;
        assert_int_equal(check_lines(0, at, NULL, &saved, &records), 0);
        assert_int_equal(check_lines(at, LINES, saved, NULL, &records), 0);
        assert_int_equal(records, LINES);
        spoor_partial_free(saved);
    }
}

/* A line is missing between two parts: only a check with the state of the first part finds it. */
static void what_is_missing_between_parts_is_found(void **state)
{
    (void)state;
    uint64_t records;
    struct spoor_partial *saved;
    assert_int_equal(check_lines(0, 2, NULL, &saved, &records), 0);
    assert_int_equal(check_lines(3, LINES, NULL, NULL, &records), 0);
    assert_int_equal(check_lines(3, LINES, saved, NULL, &records), 1);
    spoor_partial_free(saved);
}

static void cut_states_are_refused(void **state)
{
    (void)state;
    char path[32];
    struct spoor_check *check;
    struct spoor_reader *reader = open_lines(path, 0, 3);
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    const struct spoor_batch *batch;
    struct text bytes = {0};
    assert_int_equal(spoor_check_new(&check, NULL, NULL), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        assert_int_equal(spoor_check_feed(check, batch, NULL), SPOOR_OK);
    check_pack(check, stream, &bytes);
    assert_false(bytes.failed);
    spoor_check_free(check);
    for (size_t size = 0; size < bytes.size; size += 1 + bytes.size / 50) {
        struct unpacker from = {(const uint8_t *)bytes.bytes, (const uint8_t *)bytes.bytes + size,
                                false};
        const struct spoor_stream fresh = {.names = spoor_names_new(),
                                           .spellings = spoor_names_new()};
        assert_int_equal(spoor_check_new(&check, NULL, NULL), SPOOR_OK);
        assert_false(check_unpack(check, &fresh, &from));
        spoor_check_free(check);
        spoor_names_free(fresh.names);
        spoor_names_free(fresh.spellings);
    }
    text_free(&bytes);
    spoor_reader_close(reader);
    unlink(path);
}

/* A check goes on from the state of a check alone. */
static void states_of_other_tools_are_refused(void **state)
{
    (void)state;
    char path[32];
    struct spoor_error error = {0};
    const struct spoor_partial_options part = {.struct_size = sizeof part, .format = "uop"};
    struct spoor_reader *reader = open_lines(path, 0, LINES);
    struct spoor_partial *partial;
    struct spoor_mix *mix;
    struct spoor_check *check;
    assert_int_equal(spoor_mix_new(&mix, NULL, &error), SPOOR_OK);
    assert_int_equal(spoor_partial_new(&partial, &part, &error), SPOOR_OK);
    assert_int_equal(spoor_mix_save(mix, partial, &error), SPOOR_OK);
    assert_int_equal(spoor_check_new(&check, NULL, &error), SPOOR_OK);
    assert_int_equal(spoor_check_resume(check, spoor_reader_stream(reader), partial, &error),
                     SPOOR_EINPUT);
    spoor_check_free(check);
    spoor_partial_free(partial);
    spoor_mix_free(mix);
    spoor_reader_close(reader);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_findings_of_the_whole),
        cmocka_unit_test(what_is_missing_between_parts_is_found),
        cmocka_unit_test(cut_states_are_refused),
        cmocka_unit_test(states_of_other_tools_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
