/* SPDX-License-Identifier: MIT */
/* test_drm_groups.c: where groups of entries end, found from the end and one after another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/drmemtrace/drmemtrace.h"
#include "formats/support.h"

enum { ENTRIES = 200, TURNS = 2000 };

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Mostly parts, so that some runs of them are longer than a group can be. */
static void make_entries(char *at, uint64_t *seed)
{
    static const uint16_t types[] = {DRM_ENCODING, DRM_ENCODING, DRM_ENCODING, DRM_ENCODING,
                                     DRM_MARKER,   DRM_INSN,     DRM_READ,     DRM_TYPES};
    const unsigned many = 2 + draw(seed) % 7;
    for (unsigned i = 0; i < ENTRIES; i++) {
        const uint16_t type = types[draw(seed) % many];
        at = drm_store(at, type, type == DRM_MARKER ? DRM_BRANCH_TARGET : 4, draw(seed));
    }
}

static void last_known_is_an_end(void **state)
{
    (void)state;
    static char bytes[ENTRIES * DRM_ENTRY];
    uint64_t seed = 24, inside = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        make_entries(bytes, &seed);
        const size_t size = draw(&seed) % sizeof bytes, known = drm_last_known(bytes, size);
        size_t end = 0, length;
        while (end < known && (length = drm_length(NULL, bytes + end, size - end)) != 0)
            end += length;
        assert_int_equal(end, known);
        inside += known > 0 && known + DRM_ENTRY < size;
    }
    assert_true(inside > TURNS / 4); /* parts followed the last known end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_known_is_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
