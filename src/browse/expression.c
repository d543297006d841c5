/* SPDX-License-Identifier: MIT */
/*
 * expression.c: numbers, registers and symbols in a prompt: "sp+0x10", "counter+4*2".
 *
 *   expression := sum { ("<<" | ">>") sum }
 *   sum        := product { ("+" | "-") product }
 *   product    := unary { "*" unary }
 *   unary      := ("+" | "-") unary | "(" expression ")" | number | NAME
 *   NAME       := register, symbol, "reg::" register, "sym::" symbol
 */
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "browse/internal.h"

struct expression_parser {
    struct browser *browser;
    const char *at;
    bool hexadecimal, uses_registers, failed;
    unsigned depth;
    struct spoor_error *error;
};

enum { MAX_DEPTH = 64 };

static uint64_t expression_parse(struct expression_parser *parser);

static void expression_fail(struct expression_parser *parser, const char *what, const char *name,
                            size_t size)
{
    if (!parser->failed)
        spoor_error_set(parser->error, SPOOR_EUSAGE, "found '%.*s', %s", (int)size, name, what);
    parser->failed = true;
}

static bool expression_accept(struct expression_parser *parser, const char *sign)
{
    while (*parser->at == ' ') parser->at++;
    if (strncmp(parser->at, sign, strlen(sign)) != 0) return false;
    parser->at += strlen(sign);
    return true;
}

bool value_number(const struct spoor_register_value *value, uint64_t *number)
{
    *number = 0;
    if (!value->bits || value->bits > 64) return false;
    for (unsigned i = 0; i < value->bits; i++) {
        if (!(value->known[i / 8] >> i % 8 & 1)) return false;
        *number |= (uint64_t)(value->bytes[i / 8] >> i % 8 & 1) << i;
    }
    return true;
}

bool trace_register(struct view *view, const char *name, struct spoor_subject *subject)
{
    uint64_t moment; /* what sp is depends on it */
    if (!view_moment(view, &moment)) moment = 0;
    return spoor_explorer_subject(view->explorer, name, view_here(view)->cpu, moment, subject,
                                  NULL) == SPOOR_OK &&
           subject->name;
}

static bool expression_register(struct expression_parser *parser, const char *name, uint64_t *value)
{
    struct view *view = view_of(parser->browser);
    struct spoor_subject subject;
    struct spoor_register_value found = {.struct_size = sizeof found};
    uint64_t moment;
    if (!view->explorer || !view_moment(view, &moment)) return false;
    const bool is_named = trace_register(view, name, &subject);
    /* "sp" of a trace that names the stack pointer of each mode */
    if (!is_named && strcmp(name, "sp") != 0) return false;
    parser->uses_registers = true;
    const struct spoor_state *state = view_state(view, moment);
    bool known = state != NULL;
    if (known && is_named) {
        known = spoor_state_value(state, &subject, &found);
        if (known && found.bits > 64) found.bits = 64; /* its lowest bits */
        known = known && value_number(&found, value);
    } else if (known) {
        known = spoor_state_stack_pointer(state, view_here(view)->cpu, value);
    }
    if (!known) expression_fail(parser, "the value of which is unknown here", name, strlen(name));
    return true;
}

static uint64_t expression_parse_name(struct expression_parser *parser)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$:";
    char word[128];
    const size_t size = strspn(parser->at, letters);
    uint64_t value = 0;
    if (size == 0 || size >= sizeof word) {
        expression_fail(parser, "expected a number, a register or a symbol", parser->at,
                        strlen(parser->at));
        return 0;
    }
    memcpy(word, parser->at, size);
    word[size] = '\0';
    parser->at += size;
    const bool is_register = strncmp(word, "reg::", 5) == 0;
    const bool is_symbol = strncmp(word, "sym::", 5) == 0;
    const char *name = word + (is_register || is_symbol ? 5 : 0);
    struct spoor_images *images = parser->browser->options.images;
    if (!is_symbol && expression_register(parser, name, &value)) return value;
    if (!is_register && images && spoor_images_find(images, name, 0, &value)) return value;
    if (!is_register && !is_symbol &&
        (parser->hexadecimal ? scan_all_address(name, &value) : scan_all_number(name, &value)))
        return value;
    expression_fail(parser, "expected a number, a register or a symbol", word, size);
    return 0;
}

static uint64_t expression_parse_unary(struct expression_parser *parser)
{
    if (++parser->depth > MAX_DEPTH) {
        expression_fail(parser, "expected fewer signs and parentheses", parser->at,
                        strlen(parser->at));
        return 0;
    }
    uint64_t value;
    if (expression_accept(parser, "+")) {
        value = expression_parse_unary(parser);
    } else if (expression_accept(parser, "-")) {
        value = 0 - expression_parse_unary(parser);
    } else if (expression_accept(parser, "(")) {
        value = expression_parse(parser);
        if (!expression_accept(parser, ")"))
            expression_fail(parser, "expected ')'", parser->at, strlen(parser->at));
    } else {
        expression_accept(parser, " ");
        value = expression_parse_name(parser);
    }
    parser->depth--;
    return value;
}

static uint64_t expression_parse_product(struct expression_parser *parser)
{
    uint64_t value = expression_parse_unary(parser);
    while (!parser->failed && expression_accept(parser, "*"))
        value *= expression_parse_unary(parser);
    return value;
}

static uint64_t expression_parse_sum(struct expression_parser *parser)
{
    uint64_t value = expression_parse_product(parser);
    while (!parser->failed) {
        if (expression_accept(parser, "+"))
            value += expression_parse_product(parser);
        else if (expression_accept(parser, "-"))
            value -= expression_parse_product(parser);
        else
            break;
    }
    return value;
}

static uint64_t expression_parse(struct expression_parser *parser)
{
    uint64_t value = expression_parse_sum(parser);
    while (!parser->failed) {
        const bool left = expression_accept(parser, "<<");
        if (!left && !expression_accept(parser, ">>")) break;
        const uint64_t by = expression_parse_sum(parser);
        value = by > 63 ? 0 : left ? value << by : value >> by;
    }
    return value;
}

bool expression_value(struct browser *browser, const char *words, bool hexadecimal, uint64_t *value,
                      bool *uses_registers, struct spoor_error *error)
{
    struct expression_parser parser = {
        .browser = browser, .at = words, .hexadecimal = hexadecimal, .error = error};
    *value = expression_parse(&parser);
    expression_accept(&parser, " ");
    if (!parser.failed && *parser.at)
        expression_fail(&parser, "expected the end of the expression", parser.at,
                        strlen(parser.at));
    if (uses_registers) *uses_registers = parser.uses_registers;
    return !parser.failed;
}
