/* SPDX-License-Identifier: MIT */
/*
 * select_parse.c: compiling expressions: the grammar of select.h, one function per production.
 *
 * Parsing gives a tree of tests; linking flattens it, so that each test has the next test for true
 * and for false.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "query/select_test.h"

enum { MAX_TESTS = 4096, MAX_DEPTH = 200, NONE = -1 };

enum node_type { NODE_TEST, NODE_AND, NODE_OR, NODE_NOT };

struct node {
    enum node_type type;
    int left, right; /* nodes; TEST: left is the test */
};

struct parser {
    struct spoor_select *select;
    const char *at;
    struct node *nodes;
    size_t node_count, node_capacity;
    unsigned depth;
    bool failed;
    struct spoor_error *error;
};

/* ---- failing: everything returns NONE from here on ---- */

static int select_parse_fail_at(struct parser *parser, struct spoor_slice found,
                                const char *expected, const char *near)
{
    if (parser->failed) return NONE;
    parser->failed = true;
    size_t column = (size_t)(found.bytes - parser->select->text) + 1;
    int size = found.size < 40 ? (int)found.size : 40;
    if (size == 0)
        spoor_error_set(parser->error, SPOOR_EUSAGE, "column %zu: found the end, expected %s",
                        column, expected);
    else
        spoor_error_set(parser->error, SPOOR_EUSAGE, "column %zu: found '%.*s', expected %s%s%s%s",
                        column, size, found.bytes, expected, near ? "; did you mean '" : "",
                        near ? near : "", near ? "'?" : "");
    return NONE;
}

static int select_parse_no_memory(struct parser *parser)
{
    if (!parser->failed)
        spoor_error_set(parser->error, SPOOR_ENOMEM, "out of memory for the expression");
    parser->failed = true;
    return NONE;
}

/* ---- tokens ---- */

static void select_parse_skip_spaces(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\n\r");
}

/* The word that begins here, possibly empty; nothing is consumed. */
static struct spoor_slice select_word_here(struct parser *parser)
{
    select_parse_skip_spaces(parser);
    const char *end = parser->at;
    while (*end && !strchr(" \t\n\r()!=<>~{},\"'&|", *end) && !(end[0] == '.' && end[1] == '.'))
        end++;
    return (struct spoor_slice){parser->at, (size_t)(end - parser->at)};
}

/* The token here, for an error message: a word, else one character, or nothing at the end. */
static struct spoor_slice select_found_here(struct parser *parser)
{
    struct spoor_slice word = select_word_here(parser);
    if (word.size == 0 && *word.bytes) word.size = 1;
    return word;
}

/* Consumes the symbol if it is next. */
static bool select_accept_symbol(struct parser *parser, const char *symbol)
{
    select_parse_skip_spaces(parser);
    size_t size = strlen(symbol);
    if (strncmp(parser->at, symbol, size) != 0) return false;
    parser->at += size;
    return true;
}

/* Consumes the word if exactly this one is next. */
static bool select_accept_word(struct parser *parser, const char *wanted)
{
    struct spoor_slice word = select_word_here(parser);
    if (word.size != strlen(wanted) || memcmp(word.bytes, wanted, word.size) != 0) return false;
    parser->at += word.size;
    return true;
}

/* ---- growing ---- */

static int select_add_node(struct parser *parser, enum node_type type, int left, int right)
{
    if (parser->failed) return NONE;
    if (!array_reserve(&parser->nodes, &parser->node_capacity, parser->node_count + 1))
        return select_parse_no_memory(parser);
    parser->nodes[parser->node_count] = (struct node){type, left, right};
    return (int)parser->node_count++;
}

static struct constant *select_add_constant(struct parser *parser, struct test *test)
{
    struct spoor_select *select = parser->select;
    if (!array_reserve(&select->constants, &select->constant_capacity,
                       select->constant_count + 1)) {
        select_parse_no_memory(parser);
        return NULL;
    }
    test->count++;
    struct constant *constant = &select->constants[select->constant_count++];
    *constant = (struct constant){.text = {"", 0}};
    return constant;
}

/* ---- values ---- */

/* A word, or a string in quotes without them. */
static bool select_accept_value(struct parser *parser, struct spoor_slice *value)
{
    select_parse_skip_spaces(parser);
    char quote = *parser->at;
    if (quote != '"' && quote != '\'') {
        *value = select_word_here(parser);
        parser->at += value->size;
        return value->size > 0;
    }
    const char *close = strchr(parser->at + 1, quote);
    if (!close) return false;
    *value = (struct spoor_slice){parser->at + 1, (size_t)(close - parser->at - 1)};
    parser->at = close + 1;
    return true;
}

static bool select_parse_value(struct parser *parser, struct test *test)
{
    struct spoor_slice found = select_found_here(parser);
    struct constant *constant = select_add_constant(parser, test);
    if (!constant) return false;
    if (!select_accept_value(parser, &constant->text)) {
        select_parse_fail_at(parser, found, "a value", NULL);
        return false;
    }
    if (test->type == TEST_TEXT) {
        /* A value of `reg` that names a role is compared with the registers that may have it. */
        const struct spoor_slice text = constant->text;
        const bool compares =
            test->relation == RELATION_EQUAL || test->relation == RELATION_NOT_EQUAL;
        char word[8] = "";
        if (test->field == SPOOR_FIELD_REG && compares && text.size < sizeof word) {
            memcpy(word, text.bytes, text.size);
            constant->role = (uint8_t)mode_role_named(word);
        }
        test->names_role |= constant->role != NO_ROLE;
        return true;
    }
    const char *expected = select_parse_number(
        constant->text, spoor_field_type((enum spoor_field)test->field), &constant->number);
    if (expected) select_parse_fail_at(parser, constant->text, expected, NULL);
    return !expected;
}

/* A pattern ends at the next space or parenthesis, unless it is in quotes. */
static bool select_parse_pattern(struct parser *parser, struct test *test)
{
    if (test->type != TEST_TEXT) {
        select_parse_fail_at(parser, (struct spoor_slice){parser->at - 1, 1},
                             "==, !=, <, <=, >, >= or in: the field is a number", NULL);
        return false;
    }
    select_parse_skip_spaces(parser);
    if (*parser->at == '"' || *parser->at == '\'') return select_parse_value(parser, test);
    const char *end = parser->at;
    while (*end && !strchr(" \t\n\r)", *end)) end++;
    if (end == parser->at) {
        select_parse_fail_at(parser, select_found_here(parser), "a pattern", NULL);
        return false;
    }
    struct constant *constant = select_add_constant(parser, test);
    if (!constant) return false;
    constant->text = (struct spoor_slice){parser->at, (size_t)(end - parser->at)};
    parser->at = end;
    return true;
}

/* An end of a range, which may be omitted if `left_out`. */
static bool select_parse_end(struct parser *parser, struct test *test, bool left_out)
{
    if (!left_out) return select_parse_value(parser, test);
    struct constant *constant = select_add_constant(parser, test);
    if (constant) constant->open = true;
    return constant != NULL;
}

/* ---- tests ---- */

static const char *select_parse_field_name_at(const void *unused, size_t index)
{
    (void)unused;
    return spoor_field_name((enum spoor_field)index);
}

static const char *select_nearest_of(struct spoor_slice found,
                                     const char *(*at)(const void *, size_t), const void *context,
                                     size_t count)
{
    char word[32];
    if (found.size >= sizeof word) return NULL;
    memcpy(word, found.bytes, found.size);
    word[found.size] = '\0';
    return nearest(word, at, context, count);
}

static bool select_parse_relation(struct parser *parser, struct test *test)
{
    static const struct {
        const char *symbol;
        enum relation relation;
    } symbols[] = {
        {"==", RELATION_EQUAL},    {"!=", RELATION_NOT_EQUAL}, {"<=", RELATION_AT_MOST},
        {">=", RELATION_AT_LEAST}, {"=", RELATION_EQUAL},      {"<", RELATION_LESS},
        {">", RELATION_GREATER},
    };
    if (select_accept_symbol(parser, "=~")) {
        test->relation = RELATION_REGEX;
        /* A regular expression, compiled at once. */
        if (!select_parse_pattern(parser, test)) return false;
        struct constant *constant = &parser->select->constants[test->first];
        char expected[REGEX_REASON];
        constant->regex = regex_new(constant->text.bytes, constant->text.size, expected);
        if (constant->regex) return true;
        if (*expected)
            select_parse_fail_at(parser, constant->text, expected, NULL);
        else
            select_parse_no_memory(parser);
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (select_accept_symbol(parser, symbols[i].symbol)) {
            test->relation = (uint8_t)symbols[i].relation;
            return select_parse_value(parser, test);
        }
    if (select_accept_symbol(parser, "~")) {
        test->relation = RELATION_LIKE;
        return select_parse_pattern(parser, test);
    }
    if (select_accept_word(parser, "contains")) {
        test->relation = RELATION_HAS;
        return select_parse_pattern(parser, test);
    }
    if (select_accept_word(parser, "in")) {
        if (!select_accept_symbol(parser, "{")) {
            /* VALUE ".." VALUE */
            test->relation = RELATION_BETWEEN;
            bool from_start = select_accept_symbol(parser, "..");
            if (!select_parse_end(parser, test, from_start)) return false;
            if (!from_start && !select_accept_symbol(parser, "..")) {
                select_parse_fail_at(parser, select_found_here(parser),
                                     "'..' between the ends of a range", NULL);
                return false;
            }
            struct spoor_slice next = select_word_here(parser);
            bool over = next.size == 0 && *next.bytes != '"' && *next.bytes != '\'';
            bool keyword = (next.size == 3 && memcmp(next.bytes, "and", 3) == 0) ||
                           (next.size == 2 && memcmp(next.bytes, "or", 2) == 0);
            return select_parse_end(parser, test, !from_start && (over || keyword));
        }
        test->relation = RELATION_EQUAL;
        do {
            if (!select_parse_value(parser, test)) return false;
        } while (select_accept_symbol(parser, ","));
        if (select_accept_symbol(parser, "}")) return true;
        select_parse_fail_at(parser, select_found_here(parser), "',' or '}'", NULL);
        return false;
    }
    test->relation = RELATION_PRESENT;
    return true;
}

/* Looks up the words of `kind` and `op` now. */
static bool select_resolve_words(struct parser *parser, struct test *test)
{
    const enum spoor_field field = (enum spoor_field)test->field;
    if (field != SPOOR_FIELD_KIND && field != SPOOR_FIELD_OP) return true;
    const struct constant *unknown = select_test_to_bits(parser->select, test);
    if (spoor_select_status(parser->select, parser->error) != SPOOR_OK) { /* of a word */
        parser->failed = true;
        return false;
    }
    if (!unknown) return true;
    size_t count = 0;
    while (select_word_at(&field, count)) count++;
    select_parse_fail_at(parser, unknown->text,
                         field == SPOOR_FIELD_KIND ? "a kind of record"
                                                   : "an operation of some kind of record",
                         select_nearest_of(unknown->text, select_word_at, &field, count));
    return false;
}

static int select_parse_test(struct parser *parser)
{
    struct spoor_slice found = select_found_here(parser);
    int field = spoor_field_find(found.bytes, found.size);
    if (field < 0)
        return select_parse_fail_at(
            parser, found, "the name of a field",
            select_nearest_of(found, select_parse_field_name_at, NULL, SPOOR_FIELDS_ALL));
    parser->at += found.size;
    bool text = spoor_field_type((enum spoor_field)field) == SPOOR_VALUE_TEXT;
    struct test test = {.field = (uint8_t)field,
                        .type = text ? TEST_TEXT : TEST_NUMBER,
                        .first = (uint32_t)parser->select->constant_count};
    if (!select_parse_relation(parser, &test) || !select_resolve_words(parser, &test)) return NONE;
    struct spoor_select *select = parser->select;
    if (select->test_count == MAX_TESTS)
        return select_parse_fail_at(parser, select_found_here(parser), "at most 4096 tests", NULL);
    if (!array_reserve(&select->tests, &select->test_capacity, select->test_count + 1))
        return select_parse_no_memory(parser);
    select->tests[select->test_count++] = test;
    return select_add_node(parser, NODE_TEST, (int)select->test_count - 1, NONE);
}

/* ---- and, or, not ---- */

static int select_parse_or(struct parser *parser);

static int select_parse_not(struct parser *parser)
{
    if (++parser->depth > MAX_DEPTH)
        return select_parse_fail_at(parser, select_found_here(parser),
                                    "less than 200 levels of nesting", NULL);
    int node;
    if (select_accept_word(parser, "not") || select_accept_symbol(parser, "!")) {
        node = select_parse_not(parser);
        node = node == NONE ? NONE : select_add_node(parser, NODE_NOT, node, NONE);
    } else if (select_accept_symbol(parser, "(")) {
        node = select_parse_or(parser);
        if (node != NONE && !select_accept_symbol(parser, ")"))
            node =
                select_parse_fail_at(parser, select_found_here(parser), "'and', 'or' or ')'", NULL);
    } else {
        node = select_parse_test(parser);
    }
    parser->depth--;
    return node;
}

static int select_parse_and(struct parser *parser)
{
    int node = select_parse_not(parser);
    while (node != NONE &&
           (select_accept_word(parser, "and") || select_accept_symbol(parser, "&&"))) {
        int right = select_parse_not(parser);
        node = right == NONE ? NONE : select_add_node(parser, NODE_AND, node, right);
    }
    return node;
}

static int select_parse_or(struct parser *parser)
{
    int node = select_parse_and(parser);
    while (node != NONE &&
           (select_accept_word(parser, "or") || select_accept_symbol(parser, "||"))) {
        int right = select_parse_and(parser);
        node = right == NONE ? NONE : select_add_node(parser, NODE_OR, node, right);
    }
    return node;
}

/* ---- linking ---- */

/* The first test of the node, linked so that it leads to `on_true` or `on_false`. */
static int select_link_node(struct parser *parser, int index, int on_true, int on_false)
{
    struct node node = parser->nodes[index];
    switch (node.type) {
    case NODE_NOT: return select_link_node(parser, node.left, on_false, on_true);
    case NODE_AND:
        return select_link_node(parser, node.left,
                                select_link_node(parser, node.right, on_true, on_false), on_false);
    case NODE_OR:
        return select_link_node(parser, node.left, on_true,
                                select_link_node(parser, node.right, on_true, on_false));
    case NODE_TEST: break;
    }
    parser->select->tests[node.left].on_true = on_true;
    parser->select->tests[node.left].on_false = on_false;
    return node.left;
}

enum spoor_status spoor_select_compile(struct spoor_select **select, const char *expression,
                                       struct spoor_error *error)
{
    struct spoor_error own = {0};
    struct parser parser = {.error = error ? error : &own};
    parser.select = calloc(1, sizeof *parser.select);
    if (parser.select) parser.select->text = strdup(expression);
    if (!parser.select || !parser.select->text) {
        spoor_select_free(parser.select);
        return spoor_error_set(parser.error, SPOOR_ENOMEM, "out of memory for the expression");
    }
    parser.at = parser.select->text;
    const int root = select_parse_or(&parser);
    select_parse_skip_spaces(&parser);
    if (root != NONE && *parser.at)
        select_parse_fail_at(&parser, select_found_here(&parser), "'and', 'or' or the end", NULL);
    if (!parser.failed) parser.select->entry = select_link_node(&parser, root, ACCEPT, REJECT);
    free(parser.nodes);
    if (parser.failed) {
        spoor_select_free(parser.select);
        return parser.error->status;
    }
    /* All regular expressions together take as long as one may. */
    struct constant *constants = parser.select->constants;
    const size_t constant_count = parser.select->constant_count;
    size_t count = 0;
    for (size_t i = 0; i < constant_count; i++) count += constants[i].regex != NULL;
    for (size_t i = 0; i < constant_count; i++)
        if (constants[i].regex) regex_share(constants[i].regex, count);
    *select = parser.select;
    return SPOOR_OK;
}
