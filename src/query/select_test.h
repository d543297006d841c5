/* SPDX-License-Identifier: MIT */
/*
 * select_test.h: a compiled expression.
 *
 * An expression becomes an array of tests.  Each has the next test for true and for false, so that
 * `and`, `or` and `not` cost nothing and no test runs twice.  A test on the kind or the op of a
 * record is evaluated for every word at compile time: at run time it reads one bit.
 */
#ifndef SPOOR_QUERY_SELECT_TEST_H
#define SPOOR_QUERY_SELECT_TEST_H

#include "base/regex.h"
#include "isa/mode_role.h"
#include "spoor/field.h"
#include "spoor/select.h"

enum relation {
    RELATION_PRESENT, /* no constants */
    RELATION_EQUAL,   /* to one of the constants */
    RELATION_NOT_EQUAL,
    RELATION_LESS,
    RELATION_AT_MOST,
    RELATION_GREATER,
    RELATION_AT_LEAST,
    RELATION_BETWEEN, /* constants[0] and [1], both included; either may be open */
    RELATION_LIKE,    /* constants[0] is a shell pattern */
    RELATION_REGEX,   /* constants[0] has a regular expression */
    RELATION_HAS,     /* constants[0] is a part of the text */
};

/* A whole number of up to 128 bits and a sign. */
struct number {
    int8_t rank; /* -1: negative; 0; 1: wider than 128 bits, above all others */
    uint64_t high, low;
};

struct constant {
    bool open; /* BETWEEN: this end was omitted */
    struct number number;
    struct spoor_slice text; /* into select->text */
    struct regex *regex;     /* REGEX: compiled; else NULL */
    uint8_t role;            /* reg: enum mode_role that the text names */
};

enum test_type {
    TEST_NUMBER,
    TEST_TEXT,
    TEST_KIND, /* bits[0]: bit k: kind k */
    TEST_OP,   /* bits[k]: bit o: op o of kind k */
};

enum { ACCEPT = -1, REJECT = -2 };

struct test {
    int on_true, on_false; /* the next test, ACCEPT or REJECT */
    uint8_t type, field, relation;
    bool names_role;       /* a constant has a role */
    uint32_t first, count; /* of its constants */
    uint64_t bits[SPOOR_KINDS];
};

struct spoor_select {
    char *text; /* a copy of the expression */
    struct test *tests;
    size_t test_count, test_capacity;
    struct constant *constants;
    size_t constant_count, constant_capacity;
    int entry;
};

/* True if a text has the relation to the test's constants. */
bool select_text_holds(const struct spoor_select *select, const struct test *test,
                       struct spoor_slice text);

/* True if the text matches a shell pattern: * ? [abc] [a-z] [!abc]. */
bool select_pattern_fits(struct spoor_slice pattern, struct spoor_slice text);

/* Parses a number in the notation of fields of this type.  Returns NULL, or, if it is invalid, what
 * was expected. */
const char *select_parse_number(struct spoor_slice word, enum spoor_value_type type,
                                struct number *number);

/* Turns a test of `kind` or `op` into bits.  If it compares with a word that does not exist,
 * returns that constant, else NULL. */
const struct constant *select_test_to_bits(const struct spoor_select *select, struct test *test);
/* The words of `kind` (field SPOOR_FIELD_KIND) or `op`, some more than once; NULL past the end.
 */
const char *select_word_at(const void *field, size_t index);

/* ---- select_bounds.c: whether any of many records may match an expression, from properties of
 * all of them.  The answer "no" is certain; after a "yes", the records must be read. ---- */

struct select_bounds {
    uint32_t kinds; /* bit k: there may be records of kind k */
    void *context;
    /* True if the field of a record may be a number from `first` to `last`, both included. */
    bool (*has_number)(void *context, enum spoor_field field, uint64_t first, uint64_t last);
    /* Returns the texts that the field may have, number by number from 0; false: there are no more.
     * Called only for fields for which `lists` states that it knows them all. */
    bool (*lists)(void *context, enum spoor_field field);
    bool (*text)(void *context, enum spoor_field field, size_t number, struct spoor_slice *text);
};

bool select_may_match(const struct spoor_select *select, const struct select_bounds *bounds);

#endif
