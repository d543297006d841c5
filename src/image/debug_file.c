/* SPDX-License-Identifier: MIT */
/*
 * debug_file.c: finds debug information in a separate file, as distributions package it.
 *
 * The file is searched by build id below /usr/lib/debug/.build-id, and by the name in
 * .gnu_debuglink beside the program, in .debug beside it, and below /usr/lib/debug.  A file whose
 * build id or checksum does not match the program is rejected.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_file.h"

static const char debug_root[] = "/usr/lib/debug";

static bool has_build_id(const struct elf *elf, const char *wanted)
{
    char digits[SPOOR_BUILD_ID_DIGITS + 1];
    elf_build_id(elf, digits);
    return strcmp(digits, wanted) == 0;
}

static bool open_by_build_id(struct elf *debug, const char *build_id)
{
    char path[SPOOR_BUILD_ID_DIGITS + 64];
    if (strlen(build_id) < 4) return false;
    snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", debug_root, build_id, build_id + 2);
    if (elf_open(debug, path, NULL) != SPOOR_OK) return false;
    if (has_build_id(debug, build_id)) return true;
    elf_close(debug);
    return false;
}

/* Returns the checksum that .gnu_debuglink uses, which is gzip's. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t table[256], sum = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xEDB88320) : 0);
    }
    for (size_t i = 0; i < size; i++) sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 255];
    return ~sum;
}

static bool open_link(struct elf *debug, const char *path, const char *build_id, uint32_t sum)
{
    if (elf_open(debug, path, NULL) != SPOOR_OK) return false;
    if (build_id[0] ? has_build_id(debug, build_id) : checksum(debug->bytes, debug->size) == sum)
        return true;
    elf_close(debug);
    return false;
}

static uint32_t link_sum(const struct elf *elf, const uint8_t *at)
{
    return elf->big_endian
               ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
               : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static bool open_by_link(struct elf *debug, const struct elf *elf, const char *path,
                         const char *build_id)
{
    struct elf_section section;
    if (!elf_section_named(elf, ".gnu_debuglink", &section)) return false;
    const char *name = elf_string(elf, section.offset);
    if (!name || strchr(name, '/')) return false;
    const uint64_t at = section.offset + (strlen(name) + 4) / 4 * 4;
    if (at > elf->size || elf->size - at < 4) return false;
    const uint32_t sum = link_sum(elf, elf->bytes + at);
    char folder[PATH_MAX], candidate[2 * PATH_MAX];
    if (!realpath(path, folder)) return false;
    *strrchr(folder, '/') = '\0';
    const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {debug_root, ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(candidate, sizeof candidate, "%s%s%s/%s", places[i][0], folder, places[i][1],
                     name) < (int)sizeof candidate &&
            open_link(debug, candidate, build_id, sum))
            return true;
    return false;
}

bool debug_file_open(struct elf *debug, const struct elf *elf, const char *path)
{
    char build_id[SPOOR_BUILD_ID_DIGITS + 1];
    elf_build_id(elf, build_id);
    return open_by_build_id(debug, build_id) || open_by_link(debug, elf, path, build_id);
}
