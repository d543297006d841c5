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

static uint64_t parse(struct parsing *parsing);

static void fail_with(struct parsing *parsing, const char *what, const char *name, size_t size)
{
    if (!parsing->failed)
        spoor_error_set(parsing->error, SPOOR_EUSAGE, "found '%.*s', %s", (int)size, name, what);
    parsing->failed = true;
}

static bool accept(struct parsing *parsing, const char *sign)
{
    while (*parsing->at == ' ') parsing->at++;
    if (strncmp(parsing->at, sign, strlen(sign)) != 0) return false;
    parsing->at += strlen(sign);
    return true;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == ':';
}

/* "sp" of a trace that names the stack pointer of each mode. */
static bool stack_pointer(struct parsing *parsing, struct view *view, uint64_t moment,
                          uint64_t *value)
{
    struct calls *calls;
    if (explorer_calls(view->explorer, moment, &calls, parsing->error) != SPOOR_OK) return false;
    parsing->uses_registers = true;
    if (!calls_stack_pointer(calls, view_here(view)->cpu, value))
        fail_with(parsing, "the value of which is unknown here", "sp", 2);
    calls_free(calls);
    return true;
}

static bool register_value(struct parsing *parsing, const char *name, uint64_t *value)
{
    struct view *view = view_of(parsing->browser);
    uint64_t moment;
    if (!view->explorer || !view_moment(view, &moment)) return false;
    const struct machine_part part = machine_find_register(explorer_machine(view->explorer), name);
    if (!part.name) return strcmp(name, "sp") == 0 && stack_pointer(parsing, view, moment, value);
    parsing->uses_registers = true;
    const struct registers *registers = view_registers(view, moment);
    const struct cell *cell =
        registers ? registers_find(registers, view_here(view)->cpu, part.name) : NULL;
    const unsigned width = part.bits ? part.bits : cell ? cell->bits : 0;
    const unsigned bits = width > 64 ? 64 : width;
    if (!cell || !bits || !cell_knows(cell, part.low, bits)) {
        fail_with(parsing, "the value of which is unknown here", name, strlen(name));
        return true;
    }
    *value = cell_number(cell, part.low) & UINT64_MAX >> (64 - bits);
    return true;
}

static bool number_value(const struct parsing *parsing, const char *name, uint64_t *value)
{
    return parsing->hexadecimal ? scan_all_address(name, value) : scan_all_number(name, value);
}

static uint64_t parse_name(struct parsing *parsing)
{
    char word[128];
    size_t size = 0;
    uint64_t value = 0;
    while (is_name(parsing->at[size])) size++;
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
    if (accept(parsing, "+")) {
        value = parse_unary(parsing);
    } else if (accept(parsing, "-")) {
        value = 0 - parse_unary(parsing);
    } else if (accept(parsing, "(")) {
        value = parse(parsing);
        if (!accept(parsing, ")"))
            fail_with(parsing, "expected ')'", parsing->at, strlen(parsing->at));
    } else {
        accept(parsing, " ");
        value = parse_name(parsing);
    }
    parsing->depth--;
    return value;
}

static uint64_t parse_product(struct parsing *parsing)
{
    uint64_t value = parse_unary(parsing);
    while (!parsing->failed && accept(parsing, "*")) value *= parse_unary(parsing);
    return value;
}

static uint64_t parse_sum(struct parsing *parsing)
{
    uint64_t value = parse_product(parsing);
    while (!parsing->failed) {
        if (accept(parsing, "+"))
            value += parse_product(parsing);
        else if (accept(parsing, "-"))
            value -= parse_product(parsing);
        else
            break;
    }
    return value;
}

static uint64_t parse(struct parsing *parsing)
{
    uint64_t value = parse_sum(parsing);
    while (!parsing->failed) {
        const bool left = accept(parsing, "<<");
        if (!left && !accept(parsing, ">>")) break;
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
    *value = parse(&parsing);
    accept(&parsing, " ");
    if (!parsing.failed && *parsing.at)
        fail_with(&parsing, "expected the end of the expression", parsing.at, strlen(parsing.at));
    if (uses_registers) *uses_registers = parsing.uses_registers;
    return !parsing.failed;
}
