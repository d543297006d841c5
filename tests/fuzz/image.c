/* SPDX-License-Identifier: MIT */
/*
 * image.c: the fuzz target of images: any bytes as an ELF file with its symbols and DWARF, or as a
 * list of symbols.
 *
 * For any bytes, every function returns; a symbol that is found covers the address; the same query
 * gives the same result twice.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "image/images.h"

enum { QUESTIONS = 64 };

static void ask_symbols(const struct symbols *symbols, uint64_t address)
{
    const struct symbol *symbol = symbols_at(symbols, address);
    DEMAND(symbols_at(symbols, address) == symbol, "two answers");
    DEMAND(!symbol || address - symbol->start < symbol->size, "%s does not cover it", symbol->name);
    symbols_code_at(symbols, address);
}

static void ask_lines(struct lines *lines, uint64_t address)
{
    struct spoor_place first = {0}, second = {0};
    const bool found = lines_resolve(lines, address, &first);
    DEMAND(lines_resolve(lines, address, &second) == found, "two answers");
    DEMAND(first.line == second.line && first.inlined_count == second.inlined_count, "two lines");
}

static bool visit(void *context, const struct line_row *line)
{
    uint64_t *left = context;
    DEMAND(line->file && line->line && line->address < line->end, "a line without code");
    return (*left)-- > 0;
}

static void ask(struct image *image, struct strings *strings, uint64_t address)
{
    struct spoor_place place = {0};
    uint8_t bytes[16];
    image_covers(image, address);
    image_find_function(image, strings, address, &place);
    image_bytes(image, address, false, bytes, sizeof bytes);
    ask_symbols(&image->symbols, address);
    if (image->lines) ask_lines(image->lines, address);
}

/* Queries the beginnings and ends of symbols and segments, and addresses from the input's hash. */
static void ask_all(struct image *image, struct strings *strings, uint32_t hash)
{
    const struct symbols *symbols = image_symbols(image);
    struct elf_segment segment;
    if (image->elf.bytes) image_lines(image, strings);
    for (size_t i = 0; i < symbols->count && i < QUESTIONS; i++) {
        ask(image, strings, symbols->items[i].start);
        ask(image, strings, symbols->items[i].start + symbols->items[i].size);
        DEMAND(image_symbol_name(image, strings, i), "no name");
    }
    for (size_t i = 0; i < 8 && image->elf.bytes && elf_segment_at(&image->elf, i, &segment); i++)
        for (uint64_t at = 0; at < QUESTIONS; at++) ask(image, strings, segment.address + at);
    for (uint64_t i = 0; i < QUESTIONS; i++) ask(image, strings, hash * i);
    uint64_t left = 10000;
    if (image->lines) lines_each(image->lines, 0, visit, &left);
}

static void close_image(struct image *image, struct strings *strings)
{
    lines_close(image->lines);
    symbols_free(&image->symbols);
    free(image->names);
    strings_free(strings);
}

static void try_elf(const uint8_t *bytes, size_t size)
{
    char path[] = "fuzz", build_id[SPOOR_BUILD_ID_DIGITS + 1];
    struct image image = {.path = path, .debug_sought = true};
    struct strings strings = {0};
    uint8_t *copy = calloc(1, size + 1); /* libelf writes to it, as to a private mapping */
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    if (elf_open_bytes(&image.elf, copy, size)) {
        elf_build_id(&image.elf, build_id);
        ask_all(&image, &strings, fuzz_hash(bytes, size));
        close_image(&image, &strings);
    }
    free(copy);
}

static void try_list(const uint8_t *bytes, size_t size)
{
    char path[] = "fuzz";
    struct image image = {.path = path, .symbols_read = true};
    struct strings strings = {0};
    struct spoor_error error = {0};
    char *text = malloc(size + 1);
    size_t length = size;
    if (!text) abort();
    if (size) memcpy(text, bytes, size);
    if (size && text[size - 1] != '\n') text[length++] = '\n';
    if (symbols_read_text(&image.symbols, text, length, &error) == SPOOR_OK) {
        symbols_build(&image.symbols);
        ask_all(&image, &strings, fuzz_hash(bytes, size));
    } else {
        DEMAND(error.text[0], "refused without a sentence");
    }
    close_image(&image, &strings);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    try_elf(bytes, size);
    try_list(bytes, size);
    return 0;
}
