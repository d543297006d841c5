/* SPDX-License-Identifier: MIT */
/* select_constant.c: constants of expressions: numbers, and the words of `kind` and `op`. */
#include <string.h>

#include "base/scan.h"
#include "query/field_source.h"
#include "query/select_test.h"

enum { OPS = 64 };

/* ---- numbers ---- */

static bool select_constant_is(struct spoor_slice word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.bytes, text, word.size) == 0;
}

const char *select_parse_number(struct spoor_slice word, enum spoor_value_type type,
                                struct number *number)
{
    *number = (struct number){0};
    if (type == SPOOR_VALUE_BOOL) {
        number->low = select_constant_is(word, "true") || select_constant_is(word, "yes") ||
                      select_constant_is(word, "1");
        if (number->low || select_constant_is(word, "false") || select_constant_is(word, "no") ||
            select_constant_is(word, "0"))
            return NULL;
        return "true or false";
    }
    struct scan scan = {word.bytes, word.bytes + word.size};
    bool negative = scan_char(&scan, '-'), good;
    bool hex = SCAN_LITERAL(&scan, "0x") || SCAN_LITERAL(&scan, "0X") || type == SPOOR_VALUE_HEX;
    if (hex) {
        for (good = !scan_done(&scan); good && !scan_done(&scan); scan.at++) {
            const uint8_t digit = hex_value[(unsigned char)*scan.at];
            good = digit <= 15 && number->high >> 60 == 0;
            number->high = number->high << 4 | number->low >> 60;
            number->low = number->low << 4 | digit;
        }
    } else {
        good = scan_number(&scan, &number->low) && scan_done(&scan);
    }
    if (negative && (number->low || number->high)) number->rank = -1;
    if (good) return NULL;
    return type == SPOOR_VALUE_HEX
               ? "a hexadecimal number of at most 128 bits"
               : "a number of at most 64 bits (4096, 4K, or hexadecimal with 0x)";
}

/* ---- words ---- */

const char *select_word_at(const void *field, size_t index)
{
    if (*(const enum spoor_field *)field == SPOOR_FIELD_KIND)
        return index < SPOOR_KINDS ? spoor_kind_name((enum spoor_kind)index) : NULL;
    if (index >= SPOOR_KINDS * OPS) return NULL;
    unsigned kind = (unsigned)(index / OPS);
    unsigned op = (unsigned)(index % OPS);
    struct spoor_record record = {.kind = (uint8_t)kind, .op = (uint8_t)op};
    return kind == SPOOR_UOP ? uop_op_word(op) : spoor_op_name(&record);
}

const struct constant *select_test_to_bits(const struct spoor_select *select, struct test *test)
{
    const bool equality = test->relation == RELATION_EQUAL || test->relation == RELATION_NOT_EQUAL;
    const enum spoor_field field = (enum spoor_field)test->field;
    const size_t ops = field == SPOOR_FIELD_KIND ? 1 : OPS;
    for (size_t kind = 0; kind < SPOOR_KINDS; kind++)
        for (size_t op = 0; op < ops; op++) {
            const char *word = select_word_at(&field, kind * ops + op);
            if (!*word ||
                (test->relation != RELATION_PRESENT &&
                 !select_text_holds(select, test, (struct spoor_slice){word, strlen(word)})))
                continue;
            test->bits[ops == 1 ? 0 : kind] |= UINT64_C(1) << (ops == 1 ? kind : op);
        }
    test->type = ops == 1 ? TEST_KIND : TEST_OP;
    /* The first constant that is not one of the words. */
    for (uint32_t i = 0; equality && i < test->count; i++) {
        const struct constant *constant = &select->constants[test->first + i];
        const char *word;
        size_t at = 0;
        while ((word = select_word_at(&field, at)) && !select_constant_is(constant->text, word))
            at++;
        if (!word) return constant;
    }
    return NULL;
}
