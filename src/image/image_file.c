/* SPDX-License-Identifier: MIT */
/* image_file.c: opens an image and looks up its symbols. */
#include "image/images.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/elf_format.h"

enum { LIST_MAXIMUM = 256 << 20 };

/* ---- opening ---- */

/* Returns the file's text, with a newline after its last line. */
static char *image_file_read_text(const char *path, size_t *size, struct spoor_error *error)
{
    FILE *file = fopen(path, "rbe");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0 || S_ISDIR(status.st_mode)) {
        if (file && S_ISDIR(status.st_mode)) errno = EISDIR;
        spoor_error_system(error, SPOOR_EINPUT, "%s", path);
        if (file) fclose(file);
        return NULL;
    }
    const size_t capacity =
        status.st_size > 0 && status.st_size < LIST_MAXIMUM ? (size_t)status.st_size : LIST_MAXIMUM;
    char *text = malloc(capacity + 1);
    *size = text ? fread(text, 1, capacity, file) : 0;
    fclose(file);
    if (!text) {
        spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", path);
        return NULL;
    }
    if (*size && text[*size - 1] != '\n') text[(*size)++] = '\n';
    return text;
}

static bool image_is_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if ((c < ' ' && !strchr("\t\n\r", c)) || c == 0x7F || c == 0) return false;
        if (c >= 0x80 && !utf8_size(bytes + i, size - i)) return false;
    }
    return true;
}

enum spoor_status image_open(struct image *image, const char *path, struct text *list,
                             bool may_be_memory, struct spoor_error *error)
{
    size_t size = list ? list->size : 0;
    *image = (struct image){.path = strdup(path), .text = list ? list->bytes : NULL};
    if (list) *list = (struct text){.size = 0};
    if (!image->path) {
        image_close(image);
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", path);
    }
    char magic[SELFMAG];
    enum spoor_status status = SPOOR_OK;
    FILE *file = list ? NULL : fopen(path, "rbe");
    const bool is_elf =
        file && fread(magic, 1, SELFMAG, file) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
    if (file)
        fclose(file);
    else if (!list)
        status = spoor_error_system(error, SPOOR_EINPUT, "%s", path);
    if (is_elf) {
        status = elf_open(&image->elf, path, error);
        if (status == SPOOR_OK && image->elf.type != ET_EXEC && image->elf.type != ET_DYN)
            status = spoor_error_set(
                error, SPOOR_EINPUT,
                "%s is %s: expected a linked program or library, whose addresses are final", path,
                image->elf.type == ET_REL    ? "an object file that is not linked"
                : image->elf.type == ET_CORE ? "a memory dump"
                                             : "an ELF file of another type");
    } else if (status == SPOOR_OK) {
        if (!list) image->text = image_file_read_text(path, &size, error);
        struct spoor_error inner = {0};
        if (image->text) {
            status = symbols_read_text(&image->symbols, image->text, size, &inner);
            const bool is_memory =
                may_be_memory && status == SPOOR_EINPUT && !image_is_text(image->text, size);
            if (is_memory) status = SPOOR_OK;
            if (status != SPOOR_OK)
                spoor_error_set(error, status,
                                "%s is neither an ELF file nor a list of symbols: %s", path,
                                inner.text);
        } else {
            status = error ? error->status : SPOOR_EINPUT;
        }
        if (status == SPOOR_OK) symbols_build(&image->symbols);
        image->symbols_read = true;
        if (status == SPOOR_OK && image->symbols.failed)
            status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory for %s", path);
    }
    if (status != SPOOR_OK) image_close(image);
    return status;
}

void image_close(struct image *image)
{
    lines_close(image->lines);
    symbols_free(&image->symbols);
    elf_close(&image->elf);
    elf_close(&image->debug);
    free(image->names);
    free(image->text);
    free(image->path);
    *image = (struct image){0};
}

/* ---- debug information in a separate file, as distributions package it ----
 *
 * The file is searched by build id below /usr/lib/debug/.build-id, and by the name in
 * .gnu_debuglink beside the program, in .debug beside it, and below /usr/lib/debug.  A file whose
 * build id or checksum does not match the program is rejected. */

static const char debug_root[] = "/usr/lib/debug";

/* Opens a file whose build id, or if `build_id` is empty whose checksum, is that of the program. */
static bool debug_file_open_at(struct elf *debug, const char *path, const char *build_id,
                               uint32_t sum)
{
    char found[SPOOR_BUILD_ID_DIGITS + 1];
    if (elf_open(debug, path, NULL) != SPOOR_OK) return false;
    elf_build_id(debug, found);
    bool same = strcmp(found, build_id) == 0;
    if (!build_id[0]) { /* the checksum that .gnu_debuglink uses is gzip's */
        uint32_t table[256], own = UINT32_MAX;
        for (uint32_t i = 0; i < 256; i++) {
            table[i] = i;
            for (int bit = 0; bit < 8; bit++)
                table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xEDB88320) : 0);
        }
        for (size_t i = 0; i < debug->size; i++)
            own = own >> 8 ^ table[(own ^ debug->bytes[i]) & 255];
        same = ~own == sum;
    }
    if (same) return true;
    elf_close(debug);
    return false;
}

/* ---- symbols and lines ---- */

/* The file with the debug information of the image; NULL: there is none that matches. */
static const struct elf *image_debug(struct image *image)
{
    struct elf *debug = &image->debug;
    const struct elf *elf = &image->elf;
    if (image->debug_sought) return debug->bytes ? debug : NULL;
    image->debug_sought = true;
    char build_id[SPOOR_BUILD_ID_DIGITS + 1], folder[PATH_MAX], candidate[2 * PATH_MAX];
    elf_build_id(elf, build_id);
    snprintf(candidate, sizeof candidate, "%s/.build-id/%.2s/%s.debug", debug_root, build_id,
             build_id[0] ? build_id + 2 : "");
    if (strlen(build_id) >= 4 && debug_file_open_at(debug, candidate, build_id, 0)) return debug;
    struct elf_section section;
    if (!elf_section_named(elf, ".gnu_debuglink", &section)) return NULL;
    const char *name = elf_string(elf, section.offset);
    if (!name || strchr(name, '/')) return NULL;
    const uint64_t at = section.offset + (strlen(name) + 4) / 4 * 4;
    if (at > elf->size || elf->size - at < 4 || !realpath(image->path, folder)) return NULL;
    uint32_t sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum = sum << 8 | elf->bytes[at + (elf->big_endian ? i : 3 - i)];
    *strrchr(folder, '/') = '\0';
    const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {debug_root, ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(candidate, sizeof candidate, "%s%s%s/%s", places[i][0], folder, places[i][1],
                     name) < (int)sizeof candidate &&
            debug_file_open_at(debug, candidate, build_id, sum))
            return debug;
    return NULL;
}

struct symbols *image_symbols(struct image *image)
{
    struct elf_section table;
    if (image->symbols_read) return &image->symbols;
    image->symbols_read = true;
    const struct elf *elf = &image->elf;
    if (!elf_symbol_table(elf, SHT_SYMTAB, &table)) {
        const struct elf *debug = image_debug(image);
        if (debug && elf_symbol_table(debug, SHT_SYMTAB, &table)) elf = debug;
    }
    symbols_read_elf(&image->symbols, elf);
    symbols_build(&image->symbols);
    return &image->symbols;
}

static bool image_has_lines(const struct elf *elf)
{
    struct elf_section section;
    return elf_section_named(elf, ".debug_info", &section) ||
           elf_section_named(elf, ".zdebug_info", &section);
}

struct lines *image_lines(struct image *image, struct strings *strings)
{
    if (image->lines_sought || !image->elf.bytes) return image->lines;
    image->lines_sought = true;
    const struct elf *elf = &image->elf;
    if (!image_has_lines(elf)) elf = image_debug(image);
    if (elf && image_has_lines(elf)) image->lines = lines_open(elf->bytes, elf->size, strings);
    return image->lines;
}

const char *image_symbol_name(struct image *image, struct strings *strings, size_t index)
{
    const struct symbols *symbols = &image->symbols;
    if (!image->names) image->names = calloc(symbols->count + 1, sizeof *image->names);
    strings->failed |= !image->names;
    if (!image->names) return symbols->items[index].name;
    if (!image->names[index])
        image->names[index] = strings_demangled(strings, symbols->items[index].name);
    return image->names[index];
}

/* ---- places ---- */

bool image_covers(struct image *image, uint64_t address)
{
    struct elf_segment segment;
    if (!image->elf.bytes) return symbols_at(&image->symbols, address) != NULL;
    for (size_t i = 0; elf_segment_at(&image->elf, i, &segment); i++)
        if (segment.type == PT_LOAD && address >= segment.address &&
            address - segment.address < segment.memory_size)
            return true;
    return false;
}

bool image_find_function(struct image *image, struct strings *strings, uint64_t address,
                         struct spoor_place *place)
{
    const struct symbols *symbols = image_symbols(image);
    const struct symbol *symbol = symbols_at(symbols, address);
    place->image = image->path;
    const enum spoor_code mark = symbols_code_at(symbols, address);
    switch (mark == SPOOR_CODE_DATA || !image->elf.bytes ? EM_NONE : image->elf.machine) {
    case EM_AARCH64: place->code = SPOOR_CODE_A64; break;
    case EM_ARM: place->code = mark == SPOOR_CODE_T32 ? mark : SPOOR_CODE_A32; break;
    case EM_RISCV: place->code = SPOOR_CODE_RISCV; break;
    case EM_MIPS: place->code = SPOOR_CODE_MIPS; break;
    case EM_LOONGARCH: place->code = SPOOR_CODE_LOONGARCH; break;
    case EM_386: place->code = SPOOR_CODE_X86; break;
    case EM_X86_64: place->code = SPOOR_CODE_X86_64; break;
    case EM_NONE: place->code = mark; break;
    default: place->code = SPOOR_CODE_OTHER;
    }
    /* True if instructions are stored with the highest byte first.  Arm from version 6, AArch64 and
     * RISC-V always store them with the lowest byte first, whatever the byte order of data. */
    if (!image->elf.bytes || !image->elf.big_endian)
        place->big_endian = false;
    else if (image->elf.machine == EM_ARM)
        place->big_endian = !(image->elf.flags & EF_ARM_BE8);
    else
        place->big_endian = image->elf.machine != EM_AARCH64 && image->elf.machine != EM_RISCV;
    if (!symbol) return false;
    place->symbol = symbol->name;
    place->function = image_symbol_name(image, strings, (size_t)(symbol - symbols->items));
    place->start = symbol->start + image->offset;
    place->size = symbol->size;
    place->offset = address - symbol->start;
    return true;
}

size_t image_bytes(const struct image *image, uint64_t address, bool code, void *bytes, size_t size)
{
    const struct elf *elf = &image->elf;
    struct elf_segment segment;
    for (size_t i = 0; elf->bytes && elf_segment_at(elf, i, &segment); i++) {
        if (segment.type != PT_LOAD || address < segment.address ||
            (code && !(segment.flags & PF_X)))
            continue;
        const uint64_t within = address - segment.address;
        if (within >= segment.file_size || segment.offset > elf->size ||
            elf->size - segment.offset <= within)
            continue;
        const uint64_t in_segment = segment.file_size - within,
                       in_file = elf->size - segment.offset - within;
        const uint64_t there = in_segment < in_file ? in_segment : in_file;
        if (there < size) size = (size_t)there;
        memcpy(bytes, elf->bytes + segment.offset + within, size);
        return size;
    }
    return 0;
}
