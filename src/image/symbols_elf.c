/* SPDX-License-Identifier: MIT */
/* symbols_elf.c: reads the symbols of an ELF file: .symtab, or .dynsym if the file is stripped. */
#include <stdlib.h>

#include "image/elf_format.h"
#include "image/symbols.h"

/* The properties of a section that symbols need, looked up once. */
struct zone {
    uint64_t start, end;
    bool code, there;
};

struct zones {
    struct zone *items;
    size_t count;
};

static bool zones_read(struct zones *zones, const struct elf *elf)
{
    struct elf_section section;
    size_t count = 0;
    while (count < SHN_LORESERVE && elf_section_at(elf, count, &section)) count++;
    *zones = (struct zones){.items = calloc(count + 1, sizeof *zones->items), .count = count};
    for (size_t i = 0; zones->items && i < count; i++) {
        elf_section_at(elf, i, &section);
        const uint64_t end = section.address + section.size;
        zones->items[i] = (struct zone){section.address, end >= section.address ? end : UINT64_MAX,
                                        section.flags & SHF_EXECINSTR, section.flags & SHF_ALLOC};
    }
    return zones->items != NULL;
}

static enum symbol_kind symbols_elf_kind_of(const struct elf_symbol *symbol,
                                            const struct zone *zone)
{
    const bool code = !zone || zone->code;
    switch (symbol->type) {
    case STT_FUNC:
    case STT_GNU_IFUNC: return SYMBOL_FUNCTION;
    case STT_OBJECT:
    case STT_COMMON: return SYMBOL_DATA;
    case STT_NOTYPE: return code && zone ? SYMBOL_LABEL : SYMBOL_DATA;
    default: return SYMBOL_BOUNDARY;
    }
}

/* True for the name of a label that the compiler or the assembler made for itself. */
static bool is_local_label(const char *name)
{
    return name[0] == '\0' || (name[0] == '.' && name[1] == 'L');
}

static void symbols_elf_add(struct symbols *symbols, const struct elf *elf,
                            const struct zones *zones, const struct elf_symbol *found)
{
    if (found->section == SHN_UNDEF || found->type == STT_SECTION || found->type == STT_FILE ||
        found->type == STT_TLS)
        return;
    if (found->type == STT_NOTYPE && symbols_add_mark(symbols, found->name, found->value)) return;
    if (is_local_label(found->name)) return;
    const struct zone *zone = found->section < zones->count ? &zones->items[found->section] : NULL;
    if (zone && !zone->there) return;
    struct symbol symbol = {.start = found->value,
                            .size = found->size,
                            .limit = zone ? zone->end : found->value,
                            .name = found->name,
                            .kind = (uint8_t)symbols_elf_kind_of(found, zone)};
    if (symbol.kind == SYMBOL_BOUNDARY) return;
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
    struct elf_section table;
    struct zones zones;
    if (!elf_symbol_table(elf, SHT_SYMTAB, &table) && !elf_symbol_table(elf, SHT_DYNSYM, &table))
        return;
    if (!zones_read(&zones, elf)) {
        symbols->failed = true;
        return;
    }
    const size_t count = elf_symbol_count(elf, &table);
    for (size_t i = 0; i < count && !symbols->failed; i++) {
        struct elf_symbol symbol;
        elf_symbol_at(elf, &table, i, &symbol);
        symbols_elf_add(symbols, elf, &zones, &symbol);
    }
    free(zones.items);
}
