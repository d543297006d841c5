/* SPDX-License-Identifier: MIT */
/*
 * symbols.c: reads the symbols of an ELF file: .symtab, or .dynsym if the file is stripped; and
 * decides which symbol covers which addresses.
 */
#include "image/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "model/elf_format.h"

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

/* A mapping symbol is "$a", "$t", "$d", "$x", alone or followed by "." and any text; "$xrv64..."
 * names an architecture. */
bool symbols_add_mark(struct symbols *symbols, const char *name, uint64_t address)
{
    static const uint8_t codes[128] = {
        ['a'] = SPOOR_CODE_A32,
        ['t'] = SPOOR_CODE_T32,
        ['d'] = SPOOR_CODE_DATA,
        ['x'] = SPOOR_CODE_A64 /* RISC-V's, too: image_find_function() */};
    if (name[0] != '$' || !strchr("atdx", name[1]) || name[1] == '\0') return false;
    const bool names_architecture = name[1] == 'x' && name[2] == 'r' && name[3] == 'v';
    if (name[2] != '\0' && name[2] != '.' && !names_architecture) return false;
    if (!array_reserve(&symbols->marks, &symbols->mark_capacity, symbols->mark_count + 1)) {
        symbols->failed = true;
        return true;
    }
    symbols->marks[symbols->mark_count++] = (struct code_mark){address, codes[(uint8_t)name[1]]};
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

/* ---- of an ELF file ---- */

/* The properties of a section that symbols need, looked up once. */
struct zone {
    uint64_t start, end;
    bool code, there;
};

static void symbols_elf_add(struct symbols *symbols, const struct elf *elf, const struct zone *zone,
                            const struct elf_symbol *found)
{
    if (found->section == SHN_UNDEF || found->type == STT_SECTION || found->type == STT_FILE ||
        found->type == STT_TLS)
        return;
    if (found->type == STT_NOTYPE && symbols_add_mark(symbols, found->name, found->value)) return;
    const char *name = found->name;
    if (!name[0] || (name[0] == '.' && name[1] == 'L')) return; /* of the compiler, for itself */
    if (zone && !zone->there) return;
    enum symbol_kind kind;
    switch (found->type) {
    case STT_FUNC:
    case STT_GNU_IFUNC: kind = SYMBOL_FUNCTION; break;
    case STT_OBJECT:
    case STT_COMMON: kind = SYMBOL_DATA; break;
    case STT_NOTYPE: kind = zone && zone->code ? SYMBOL_LABEL : SYMBOL_DATA; break;
    default: return;
    }
    struct symbol symbol = {.start = found->value,
                            .size = found->size,
                            .limit = zone ? zone->end : found->value,
                            .name = found->name,
                            .kind = (uint8_t)kind};
    /* outside its section's addresses, for example the end of the code: not code */
    if (zone && (found->value < zone->start || found->value >= zone->end)) return;
    if (elf->machine == EM_ARM && symbol.kind == SYMBOL_FUNCTION) {
        symbols_add_mark(symbols, symbol.start & 1 ? "$t" : "$a", symbol.start & ~UINT64_C(1));
        symbol.start &= ~UINT64_C(1);
    }
    symbol.rank =
        symbol_rank(symbol.kind == SYMBOL_FUNCTION, found->size != 0, found->binding == STB_GLOBAL,
                    found->binding == STB_WEAK, symbol.name);
    symbols_add(symbols, &symbol);
}

void symbols_read_elf(struct symbols *symbols, const struct elf *elf)
{
    struct elf_section table, section;
    if (!elf_symbol_table(elf, SHT_SYMTAB, &table) && !elf_symbol_table(elf, SHT_DYNSYM, &table))
        return;
    size_t zone_count = 0;
    while (zone_count < SHN_LORESERVE && elf_section_at(elf, zone_count, &section)) zone_count++;
    struct zone *zones = calloc(zone_count + 1, sizeof *zones);
    symbols->failed |= !zones;
    for (size_t i = 0; zones && i < zone_count; i++) {
        elf_section_at(elf, i, &section);
        const uint64_t end = section.address + section.size;
        zones[i] = (struct zone){section.address, end >= section.address ? end : UINT64_MAX,
                                 section.flags & SHF_EXECINSTR, section.flags & SHF_ALLOC};
    }
    const size_t count = elf_symbol_count(elf, &table);
    for (size_t i = 0; i < count && !symbols->failed; i++) {
        struct elf_symbol symbol;
        elf_symbol_at(elf, &table, i, &symbol);
        symbols_elf_add(symbols, elf, symbol.section < zone_count ? &zones[symbol.section] : NULL,
                        &symbol);
    }
    free(zones);
}

/* ---- building ---- */

static int symbol_compare(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->kind != b->kind) return a->kind - b->kind;
    if (a->rank != b->rank) return b->rank - a->rank;
    return strcmp(a->name, b->name);
}

static int code_mark_compare(const void *left, const void *right)
{
    const struct code_mark *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool symbol_is_code(const struct symbol *symbol)
{
    return symbol->kind == SYMBOL_FUNCTION || symbol->kind == SYMBOL_LABEL;
}

void symbols_build(struct symbols *symbols)
{
    size_t sorted = 1;
    while (sorted < symbols->count &&
           symbol_compare(&symbols->items[sorted - 1], &symbols->items[sorted]) <= 0)
        sorted++;
    if (sorted < symbols->count)
        qsort(symbols->items, symbols->count, sizeof *symbols->items, symbol_compare);
    if (symbols->mark_count)
        qsort(symbols->marks, symbols->mark_count, sizeof *symbols->marks, code_mark_compare);
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
        /* the first code and the first data symbol at an address represent all */
        const bool repeats = i && symbol[-1].start == symbol->start &&
                             symbol_is_code(symbol - 1) == symbol_is_code(symbol);
        if (repeats || symbol->kind == SYMBOL_BOUNDARY) continue;
        if (symbol->kind == SYMBOL_LABEL && symbol->start < covered) continue;
        if (!symbol_is_code(symbol)) continue;
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
