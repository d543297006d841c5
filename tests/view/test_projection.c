/* SPDX-License-Identifier: MIT */
/*
 * test_projection.c: formats that decode straight into a view give what their records give: of
 * published traces, of the examples, and of both damaged at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/projection.h"
#include "view/published.h"

enum { MOST = 200000, DAMAGES = 40, CUTS = 60 };

/* The first MOST bytes of a trace, whatever its compression. */
static size_t bytes_of(struct spoor_reader *reader, char *bytes)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    size_t size = 0;
    while (size < MOST && spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        const size_t more = batch->text_size < MOST - size ? batch->text_size : MOST - size;
        memcpy(bytes + size, batch->text, more);
        size += more;
    }
    return size;
}

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static void demand(const struct spoor_format *format, const char *bytes, size_t size)
{
    const char *difference = projection_difference(format, bytes, size);
    if (difference) fail_msg("%s of %zu bytes: %s", spoor_format_name(format), size, difference);
}

static void compare_damaged(const struct spoor_format *format, char *bytes, size_t size)
{
    uint64_t seed = size;
    demand(format, bytes, size);
    for (size_t cut = 0; cut < CUTS && cut < size; cut++) demand(format, bytes, cut);
    for (int turn = 0; turn < 8; turn++) {
        for (int i = 0; i < DAMAGES; i++) bytes[draw(&seed) % size] = (char)draw(&seed);
        demand(format, bytes, size - draw(&seed) % 16);
    }
}

static void compare_all(struct spoor_reader *reader)
{
    static char bytes[MOST];
    if (!reader) return;
    const struct spoor_format *format = spoor_reader_stream(reader)->format;
    const size_t size = bytes_of(reader, bytes);
    assert_true(format->projects != 0);
    compare_damaged(format, bytes, size);
    spoor_reader_close(reader);
}

static void published_traces(void **state)
{
    (void)state;
    compare_all(open_published("traces/byu/pentium2-w2k.tr.xz"));
    compare_all(open_published("traces/byu/lp64-16byte.tr"));
}

static void examples(void **state)
{
    (void)state;
    compare_all(open_example("sort.byu12.xz"));
    compare_all(open_example("search.byu12.xz"));
    compare_all(open_example("sort.byu6.xz"));
}

/* Any bytes are records of a binary format. */
static void random_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"byu6", "byu12", "byu16", "byu24"};
    static char bytes[MOST / 10];
    uint64_t seed = 7;
    for (size_t turn = 0; turn < 8; turn++) {
        /* types are few, agents mostly one, so that groups of records are common in some turns */
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)(draw(&seed) & (turn % 2 ? 0xFF : i % 12 == 7 ? 0 : 0x03));
        for (size_t f = 0; f < sizeof names / sizeof *names; f++)
            demand(spoor_format_find(names[f]), bytes, sizeof bytes - turn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_traces),
        cmocka_unit_test(examples),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
