/* SPDX-License-Identifier: MIT */
/* symbols.c: decides which symbol covers which addresses. */
#include "image/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"

/* ---- adding ---- */

void symbols_add(struct symbols *symbols, const struct symbol *symbol)
{
    if (symbols->failed || symbols->count >= INTERVAL_NONE ||
        !array_reserve(&symbols->items, &symbols->capacity, symbols->count + 1)) {
        symbols->failed = true;
        return;
    }
    symbols->items[symbols->count++] = *symbol;
}

/* Parses a mapping symbol: "$a", "$t", "$d", "$x", alone or followed by "." and any text;
 * "$xrv64..." names an architecture. */
static bool code_of_mark(const char *name, enum spoor_code *code)
{
    if (name[0] != '$' || name[1] == '\0') return false;
    const bool names_architecture = name[1] == 'x' && name[2] == 'r' && name[3] == 'v';
    if (name[2] != '\0' && name[2] != '.' && !names_architecture) return false;
    switch (name[1]) {
    case 'a': *code = SPOOR_CODE_A32; return true;
    case 't': *code = SPOOR_CODE_T32; return true;
    case 'd': *code = SPOOR_CODE_DATA; return true;
    case 'x': *code = SPOOR_CODE_A64; return true; /* RISC-V uses it, too: see image.c */
    default: return false;
    }
}

bool symbols_add_mark(struct symbols *symbols, const char *name, uint64_t address)
{
    enum spoor_code code;
    if (!code_of_mark(name, &code)) return false;
    if (!array_reserve(&symbols->marks, &symbols->mark_capacity, symbols->mark_count + 1)) {
        symbols->failed = true;
        return true;
    }
    symbols->marks[symbols->mark_count++] = (struct code_mark){address, (uint8_t)code};
    return true;
}

uint8_t symbol_rank(bool function, bool sized, bool global, bool weak, const char *name)
{
    enum { UNDERSCORES = 3 };
    unsigned underscores = 0;
    while (underscores < UNDERSCORES && name[underscores] == '_') underscores++;
    const unsigned binding = global ? 2 : weak;
    return (uint8_t)((unsigned)function << 5 | (unsigned)sized << 4 | binding << 2 |
                     (UNDERSCORES - underscores));
}

/* ---- building ---- */

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->kind != b->kind) return a->kind - b->kind;
    if (a->rank != b->rank) return b->rank - a->rank;
    return strcmp(a->name, b->name);
}

static int compare_marks(const void *left, const void *right)
{
    const struct code_mark *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool are_sorted(const struct symbols *symbols)
{
    for (size_t i = 1; i < symbols->count; i++)
        if (compare_symbols(&symbols->items[i - 1], &symbols->items[i]) > 0) return false;
    return true;
}

static bool is_code(const struct symbol *symbol)
{
    return symbol->kind == SYMBOL_FUNCTION || symbol->kind == SYMBOL_LABEL;
}

/* True if the symbol repeats another at its address: the first code and the first data symbol
 * represent all. */
static bool symbols_repeats(const struct symbols *symbols, size_t index)
{
    if (index == 0) return false;
    const struct symbol *before = &symbols->items[index - 1], *symbol = &symbols->items[index];
    return before->start == symbol->start && is_code(before) == is_code(symbol);
}

void symbols_build(struct symbols *symbols)
{
    if (symbols->count && !are_sorted(symbols))
        qsort(symbols->items, symbols->count, sizeof *symbols->items, compare_symbols);
    if (symbols->mark_count)
        qsort(symbols->marks, symbols->mark_count, sizeof *symbols->marks, compare_marks);
    symbols->order = malloc((symbols->count + 1) * sizeof *symbols->order);
    if (!symbols->order) {
        symbols->failed = true;
        return;
    }
    /* Fills in sizes that the source does not state: up to the next symbol or the limit.  It goes
     * from the last symbol to the first, so that `next` is known. */
    uint64_t next = UINT64_MAX, current = UINT64_MAX;
    for (size_t i = symbols->count; i-- > 0;) {
        struct symbol *symbol = &symbols->items[i];
        if (symbol->start != current) {
            if (i + 1 < symbols->count) next = current;
            current = symbol->start;
        }
        if (symbol->size || symbol->kind == SYMBOL_BOUNDARY) continue;
        const uint64_t end = next < symbol->limit ? next : symbol->limit;
        if (symbol->kind != SYMBOL_DATA && end > symbol->start) symbol->size = end - symbol->start;
    }
    /* Adds the ranges of code; a label inside a function of known size has no range. */
    uint64_t covered = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol *symbol = &symbols->items[i];
        uint64_t end;
        if (__builtin_add_overflow(symbol->start, symbol->size, &end)) end = UINT64_MAX;
        if (symbols_repeats(symbols, i) || symbol->kind == SYMBOL_BOUNDARY) continue;
        if (symbol->kind == SYMBOL_LABEL && symbol->start < covered) continue;
        if (!is_code(symbol)) continue;
        intervals_add(&symbols->functions, symbol->start, end, (uint32_t)i);
        if (end <= symbol->start) continue;
        if (symbol->kind == SYMBOL_FUNCTION && end > covered) covered = end;
        symbols->order[symbols->order_count++] = (uint32_t)i;
    }
    intervals_build(&symbols->functions);
    symbols->failed |= symbols->functions.failed;
}

void symbols_free(struct symbols *symbols)
{
    free(symbols->items);
    free(symbols->marks);
    free(symbols->order);
    intervals_free(&symbols->functions);
    *symbols = (struct symbols){0};
}

/* ---- lookups ---- */

const struct symbol *symbols_at(const struct symbols *symbols, uint64_t address)
{
    const uint32_t id = intervals_find(&symbols->functions, address);
    return id == INTERVAL_NONE ? NULL : &symbols->items[id];
}

enum spoor_code symbols_code_at(const struct symbols *symbols, uint64_t address)
{
    const size_t low = SORTED_UP_TO(symbols->marks, symbols->mark_count, address, address);
    return low ? (enum spoor_code)symbols->marks[low - 1].code : SPOOR_CODE_UNKNOWN;
}
