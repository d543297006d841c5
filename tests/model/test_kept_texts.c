/* SPDX-License-Identifier: MIT */
/* test_kept_texts.c: numbered texts are in the arena of each batch once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/kept_texts.h"

enum { TEXTS = 600, TURNS = 3 };

static struct spoor_ref text_in(struct kept_texts *texts, struct spoor_batch *batch, size_t number)
{
    char text[16];
    struct spoor_ref ref;
    if (kept_texts_find(texts, number, &ref)) return ref;
    const int size = snprintf(text, sizeof text, "text %zu", number);
    return kept_texts_add(texts, batch, number, text, (size_t)size);
}

static void a_batch_has_a_text_once(void **state)
{
    (void)state;
    struct kept_texts texts = {0};
    for (int batches = 0; batches < 2; batches++) {
        struct spoor_batch batch = {0};
        struct spoor_ref first[TEXTS];
        size_t used = 0;
        kept_texts_begin(&texts);
        for (int turn = 0; turn < TURNS; turn++) {
            for (size_t i = 0; i < TEXTS; i++) {
                const size_t number = (i * 7 + (size_t)turn) % TEXTS;
                char expected[16];
                const struct spoor_ref ref = text_in(&texts, &batch, number);
                if (turn == 0) first[number] = ref;
                assert_memory_equal(&ref, &first[number], sizeof ref);
                snprintf(expected, sizeof expected, "text %zu", number);
                assert_int_equal(ref.size, strlen(expected));
                assert_memory_equal(spoor_batch_bytes(&batch, ref), expected, ref.size);
            }
            if (turn == 0) used = batch.arena_size;
            assert_int_equal(batch.arena_size, used);
        }
        spoor_batch_free(&batch);
    }
    kept_texts_free(&texts);
    assert_null(texts.items);
}

/* A text of the batch before is not one of this batch. */
static void a_new_batch_has_no_texts(void **state)
{
    (void)state;
    struct kept_texts texts = {0};
    struct spoor_batch batch = {0};
    struct spoor_ref ref;
    kept_texts_begin(&texts);
    assert_false(kept_texts_find(&texts, 0, &ref));
    text_in(&texts, &batch, 3);
    assert_true(kept_texts_find(&texts, 3, &ref));
    assert_false(kept_texts_find(&texts, 2, &ref));
    kept_texts_begin(&texts);
    assert_false(kept_texts_find(&texts, 3, &ref));
    spoor_batch_free(&batch);
    kept_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_has_a_text_once),
        cmocka_unit_test(a_new_batch_has_no_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
