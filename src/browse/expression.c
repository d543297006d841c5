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

struct parsing {
    struct browser *browser;
    const char *at;
    bool hexadecimal, uses_registers, failed;
    unsigned depth;
    struct spoor_error *error;
};

enum { MAX_DEPTH = 64 };

static uint64_t expression_parse(struct parsing *parsing);

static void fail_with(struct parsing *parsing, const char *what, const char *name, size_t size)
{
    if (!parsing->failed)
        spoor_error_set(parsing->error, SPOOR_EUSAGE, "found '%.*s', %s", (int)size, name, what);
    parsing->failed = true;
}

static bool expression_accept(struct parsing *parsing, const char *sign)
{
    while (*parsing->at == ' ') parsing->at++;
    if (strncmp(parsing->at, sign, strlen(sign)) != 0) return false;
    parsing->at += strlen(sign);
    return true;
}

static bool expression_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == ':';
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

/* The lowest 64 bits of a register. */
static bool low_number(const struct spoor_register_value *value, uint64_t *number)
{
    struct spoor_register_value low = *value;
    if (low.bits > 64) low.bits = 64;
    return value_number(&low, number);
}

bool trace_register(struct view *view, const char *name, struct spoor_subject *subject)
{
    uint64_t moment; /* what sp is depends on it */
    if (!view_moment(view, &moment)) moment = 0;
    return spoor_explorer_subject(view->explorer, name, view_here(view)->cpu, moment, subject,
                                  NULL) == SPOOR_OK &&
           subject->name;
}

static bool register_value(struct parsing *parsing, const char *name, uint64_t *value)
{
    struct view *view = view_of(parsing->browser);
    struct spoor_subject subject;
    struct spoor_register_value found;
    uint64_t moment;
    if (!view->explorer || !view_moment(view, &moment)) return false;
    const bool is_named = trace_register(view, name, &subject);
    /* "sp" of a trace that names the stack pointer of each mode */
    if (!is_named && strcmp(name, "sp") != 0) return false;
    parsing->uses_registers = true;
    const struct spoor_state *state = view_state(view, moment);
    const bool known =
        state && (is_named ? spoor_state_value(state, &subject, &found) && low_number(&found, value)
                           : spoor_state_stack_pointer(state, view_here(view)->cpu, value));
    if (!known) fail_with(parsing, "the value of which is unknown here", name, strlen(name));
    return true;
}

static bool number_value(const struct parsing *parsing, const char *name, uint64_t *value)
{
    return parsing->hexadecimal ? scan_all_address(name, value) : scan_all_number(name, value);
}

static uint64_t expression_parse_name(struct parsing *parsing)
{
    char word[128];
    size_t size = 0;
    uint64_t value = 0;
    while (expression_is_name(parsing->at[size])) size++;
    if (size == 0 || size >= sizeof word) {
        fail_with(parsing, "expected a number, a register or a symbol", parsing->at,
                  strlen(parsing->at));
        return 0;
    }
    memcpy(word, parsing->at, size);
    word[size] = '\0';
    parsing->at += size;
    const bool is_register = strncmp(word, "reg::", 5) == 0;
    const bool is_symbol = strncmp(word, "sym::", 5) == 0;
    const char *name = word + (is_register || is_symbol ? 5 : 0);
    struct spoor_images *images = parsing->browser->options.images;
    if (!is_symbol && register_value(parsing, name, &value)) return value;
    if (!is_register && images && spoor_images_find(images, name, 0, &value)) return value;
    if (!is_register && !is_symbol && number_value(parsing, name, &value)) return value;
    fail_with(parsing, "expected a number, a register or a symbol", word, size);
    return 0;
}

static uint64_t parse_unary(struct parsing *parsing)
{
    if (++parsing->depth > MAX_DEPTH) {
        fail_with(parsing, "expected fewer signs and parentheses", parsing->at,
                  strlen(parsing->at));
        return 0;
    }
    uint64_t value;
    if (expression_accept(parsing, "+")) {
        value = parse_unary(parsing);
    } else if (expression_accept(parsing, "-")) {
        value = 0 - parse_unary(parsing);
    } else if (expression_accept(parsing, "(")) {
        value = expression_parse(parsing);
        if (!expression_accept(parsing, ")"))
            fail_with(parsing, "expected ')'", parsing->at, strlen(parsing->at));
    } else {
        expression_accept(parsing, " ");
        value = expression_parse_name(parsing);
    }
    parsing->depth--;
    return value;
}

static uint64_t parse_product(struct parsing *parsing)
{
    uint64_t value = parse_unary(parsing);
    while (!parsing->failed && expression_accept(parsing, "*")) value *= parse_unary(parsing);
    return value;
}

static uint64_t parse_sum(struct parsing *parsing)
{
    uint64_t value = parse_product(parsing);
    while (!parsing->failed) {
        if (expression_accept(parsing, "+"))
            value += parse_product(parsing);
        else if (expression_accept(parsing, "-"))
            value -= parse_product(parsing);
        else
            break;
    }
    return value;
}

static uint64_t expression_parse(struct parsing *parsing)
{
    uint64_t value = parse_sum(parsing);
    while (!parsing->failed) {
        const bool left = expression_accept(parsing, "<<");
        if (!left && !expression_accept(parsing, ">>")) break;
        const uint64_t by = parse_sum(parsing);
        value = by > 63 ? 0 : left ? value << by : value >> by;
    }
    return value;
}

bool expression_value(struct browser *browser, const char *words, bool hexadecimal, uint64_t *value,
                      bool *uses_registers, struct spoor_error *error)
{
    struct parsing parsing = {
        .browser = browser, .at = words, .hexadecimal = hexadecimal, .error = error};
    *value = expression_parse(&parsing);
    expression_accept(&parsing, " ");
    if (!parsing.failed && *parsing.at)
        fail_with(&parsing, "expected the end of the expression", parsing.at, strlen(parsing.at));
    if (uses_registers) *uses_registers = parsing.uses_registers;
    return !parsing.failed;
}
