/* SPDX-License-Identifier: MIT */
/*
 * test_index_parts.c: through the public interface alone, the index that is joined of the parts of
 * a trace is the one of the whole, byte for byte.
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

static const char trace_path[] = SOURCE_ROOT "/examples/sort.uop.xz";
enum { PARTS = 3 };

static char *bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Ranges of bytes of a trace, those of the last two by one reading. */
static void read_index_parts(const char *path, struct spoor_partial *partials[PARTS])
{
    const struct spoor_index_options options = {.struct_size = sizeof options, .threads = 2};
    struct spoor_index_part *part = NULL;
    uint64_t size;
    assert_int_equal(spoor_index_part_measure(&size, path, &options, NULL), SPOOR_OK);
    for (size_t i = 0; i < PARTS; i++) {
        const uint64_t first = size * i / PARTS, end = size * (i + 1) / PARTS;
        const uint64_t bytes = i + 1 < PARTS ? end - first : 0;
        if (i < 2) {
            spoor_index_part_close(part);
            assert_int_equal(spoor_index_part_open(&part, path, &options, NULL), SPOOR_OK);
        }
        assert_int_equal(spoor_index_part_read(part, first, bytes, NULL), SPOOR_OK);
        const struct spoor_partial_options about = {
            .struct_size = sizeof about,
            .trace = path,
            .format = spoor_format_name(spoor_index_part_format(part)),
            .first = first,
            .records = bytes};
        assert_int_equal(spoor_partial_new(&partials[i], &about, NULL), SPOOR_OK);
        assert_int_equal(spoor_index_part_save(part, partials[i], NULL), SPOOR_OK);
    }
    spoor_index_part_close(part);
}

static struct spoor_join *joined(struct spoor_partial *const partials[PARTS])
{
    struct spoor_join *join;
    struct spoor_error error = {0};
    assert_int_equal(spoor_join_new(&join, NULL, NULL), SPOOR_OK);
    for (size_t i = PARTS; i-- > 0;)
        assert_int_equal(spoor_join_feed(join, partials[i], NULL), SPOOR_OK);
    if (spoor_join_end(join, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return join;
}

static void the_index_of_all_parts_is_that_of_the_whole(void **state)
{
    char path[] = "/tmp/spoor-partial-XXXXXX", beside[sizeof path + sizeof ".spoor-index"];
    struct spoor_partial *partials[PARTS];
    struct spoor_index *index;
    struct spoor_error error = {0};
    size_t size, expected_size;
    char *trace = bytes_of(trace_path, &size);
    FILE *file = fdopen(mkstemp(path), "wb");
    (void)state;
    assert_non_null(file);
    assert_int_equal(fwrite(trace, 1, size, file), size);
    fclose(file);
    free(trace);
    snprintf(beside, sizeof beside, "%s.spoor-index", path);
    const struct spoor_index_options options = {.struct_size = sizeof options,
                                                .needs = SPOOR_INDEX_SEGMENTS};
    assert_int_equal(spoor_index_open(&index, path, &options, NULL), SPOOR_OK);
    spoor_index_close(index);
    char *expected = bytes_of(beside, &expected_size);
    unlink(beside);
    read_index_parts(path, partials);
    struct spoor_join *join = joined(partials);
    if (spoor_join_index(join, &index, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    assert_string_equal(spoor_index_path(index), beside);
    spoor_index_close(index);
    char *found = bytes_of(beside, &size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(found, expected, size);
    free(found);
    free(expected);
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_join_report(join, result), SPOOR_EUSAGE);
    spoor_result_free(result);
    const char *other = SOURCE_ROOT "/examples/search.uop.xz";
    assert_int_equal(spoor_join_index(join, &index, other, NULL, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "another trace"));
    spoor_join_free(join);
    for (size_t i = 0; i < PARTS; i++) spoor_partial_free(partials[i]);
    unlink(beside);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_of_all_parts_is_that_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
