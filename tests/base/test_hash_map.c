/* SPDX-License-Identifier: MIT */
/* test_hash_map.c: the hash map against a plain array, through random additions and removals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash_map.h"

struct item {
    uint64_t key;
    uint64_t value;
    uint32_t more;
};

enum { KEYS = 600, STEPS = 60000 };

/* Small keys, keys that differ in high bits only, and the extremes. */
static uint64_t key_of(unsigned number)
{
    if (number == 0) return 0;
    if (number == 1) return UINT64_MAX;
    return number % 2 ? number : (uint64_t)number << 55 | number / 128;
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The map has exactly the keys that are present, each once. */
static void check_listing(const struct hash_map *map, const bool *present)
{
    size_t listed = 0, expected = 0;
    for (const struct item *item = NULL; (item = hash_map_next(map, item, sizeof *item)); listed++)
        assert_ptr_equal(hash_map_find(map, item->key, sizeof *item), item);
    for (unsigned i = 0; i < KEYS; i++) {
        const struct item *item = hash_map_find(map, key_of(i), sizeof *item);
        assert_int_equal(item != NULL, present[i]);
        expected += present[i];
    }
    assert_int_equal(listed, expected);
    assert_int_equal(map->count, expected);
}

static void test_random(void **state)
{
    struct hash_map map = {0};
    bool present[KEYS] = {0};
    uint64_t values[KEYS] = {0};
    uint32_t random = 1;
    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned number = draw(&random) % KEYS;
        const bool grows = step / (STEPS / 6) % 2 == 0;
        struct item *item = hash_map_find(&map, key_of(number), sizeof *item);
        assert_int_equal(item != NULL, present[number]);
        if (item) assert_int_equal(item->value, values[number]);
        if (draw(&random) % 4 < (grows ? 3u : 1u)) {
            bool added;
            item = hash_map_add(&map, key_of(number), sizeof *item, &added);
            assert_non_null(item);
            assert_int_equal(added, !present[number]);
            assert_int_equal(item->key, key_of(number));
            assert_int_equal(item->value, values[number]);
            item->value = values[number] = step + 1;
            present[number] = true;
        } else {
            hash_map_remove(&map, key_of(number), sizeof *item);
            present[number] = false;
            values[number] = 0;
        }
        if (step % 1000 == 0) check_listing(&map, present);
    }
    check_listing(&map, present);
    hash_map_free(&map);
}

static int by_key(const void *a, const void *b)
{
    const uint64_t one = ((const struct item *)a)->key, other = ((const struct item *)b)->key;
    return one < other ? -1 : one > other;
}

static void test_gather(void **state)
{
    struct hash_map map = {0};
    bool added;
    (void)state;
    for (uint64_t key = 1000; key-- > 0;) {
        struct item *item = hash_map_add(&map, key * key, sizeof *item, &added);
        assert_non_null(item);
        item->value = key;
    }
    struct item *items = hash_map_gather(&map, sizeof *items);
    qsort(items, map.count, sizeof *items, by_key);
    for (uint64_t key = 0; key < 1000; key++) assert_int_equal(items[key].value, key);
    hash_map_clear(&map, sizeof *items);
    assert_int_equal(map.count, 0);
    assert_null(hash_map_next(&map, NULL, sizeof *items));
    assert_null(hash_map_find(&map, 0, sizeof *items));
    assert_null(hash_map_find(&map, 49, sizeof *items));
    hash_map_free(&map);
}

static void test_empty(void **state)
{
    struct hash_map map = {0};
    (void)state;
    assert_null(hash_map_find(&map, 0, sizeof(struct item)));
    assert_null(hash_map_next(&map, NULL, sizeof(struct item)));
    hash_map_remove(&map, 0, sizeof(struct item));
    hash_map_clear(&map, sizeof(struct item));
    hash_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
