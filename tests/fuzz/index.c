/* SPDX-License-Identifier: MIT */
/*
 * index.c: the fuzz target of indexes: any bytes as an index, unchanged; as a table with a matching
 * checksum; as the sections of two segments, whose checksums would match, too: what one of them
 * says of calls, registers and addresses is damage or an answer; and as the tables of a reader.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "formats/format.h"
#include "fuzz/fuzz.h"
#include "index/internal.h"

static void parse(uint8_t *content, size_t size)
{
    struct spoor_error error;
    struct index *index = index_new();
    struct index_tie tie;
    struct registers registers = {0};
    bool damaged;
    if (!index) abort();
    if (index_parse(index, content, size, false, &error)) {
        for (size_t i = 0; i < index->count; i++) {
            calls_free(index_calls(index, i, &damaged));
            index_touches(index, i, SET_WRITTEN_PHYSICAL, 0, UINT64_MAX);
        }
        if (index->count) index_tie(index, index->count - 1, 8, &tie);
        index_registers(index, index->count, &registers, &damaged);
        registers_free(&registers);
    }
    index_free(index);
}

/* Calls that were unpacked are packed as they are: unpacked again, they give the same bytes. */
static void pack_again(struct calls *calls)
{
    struct text packed = {0}, again = {0};
    struct calls *other = calls_new(NULL);
    if (!other) abort();
    calls_pack(calls, true, &packed);
    const uint8_t *bytes = (const uint8_t *)packed.bytes;
    struct unpacker from = {bytes, bytes + packed.size, false};
    DEMAND(calls_unpack(other, &from) && !from.failed && from.at == from.end,
           "packed calls are damaged");
    calls_pack(other, true, &again);
    DEMAND(again.size == packed.size && memcmp(again.bytes, packed.bytes, packed.size) == 0,
           "%zu bytes of calls became %zu others", packed.size, again.size);
    calls_free(other);
    text_free(&packed);
    text_free(&again);
}

static bool note_range(void *context, uint64_t address, uint64_t size)
{
    unsigned *left = context;
    (void)address;
    (void)size;
    return (*left)-- > 1;
}

static void ask(const struct index *index, size_t segment)
{
    struct index_tie tie;
    struct registers registers = {0};
    unsigned left = 1000;
    bool damaged;
    struct calls *calls = index_calls(index, segment, &damaged);
    DEMAND(calls || damaged, "neither calls nor damage");
    if (calls) pack_again(calls);
    calls_free(calls);
    for (int set = 0; set < INDEX_SETS; set++)
        index_touches(index, segment, (enum index_set)set, 0x1000, 0x1FFF);
    index_tie(index, segment, 8, &tie);
    index_writes(index, segment, 0, 1);
    index_each_range(index, note_range, &left);
    index_registers(index, segment + 1, &registers, &damaged);
    DEMAND(!registers_find(&registers, 0, 60000), "a register that has no name");
    registers_free(&registers);
}

/* The first byte is where the sets end and the state begins, in parts of 255; the state of the
 * second segment, which is what changed, is the second half of that. */
static void read_sections(const uint8_t *bytes, size_t size)
{
    struct index *index = index_new();
    if (!index || size < 2) abort();
    index->size = size - 1;
    index->content = malloc(index->size);
    index->segments = calloc(2, sizeof *index->segments);
    if (!index->content || !index->segments) abort();
    for (int i = 0; i < 40; i++) {
        char name[8];
        const int length = snprintf(name, sizeof name, "x%d", i);
        spoor_names_intern(index->machine.registers, name, (size_t)length);
    }
    memcpy(index->content, bytes + 1, index->size);
    index->count = index->capacity = 2;
    const uint64_t state = index->size * bytes[0] / 255, middle = (state + index->size) / 2;
    for (size_t i = 0; i < 2; i++)
        index->segments[i].sets = (struct section){.offset = 0, .size = state};
    index->segments[0].state = (struct section){.offset = state, .size = middle - state};
    index->segments[1].state = (struct section){.offset = middle, .size = index->size - middle};
    for (size_t i = 0; i < 2; i++) ask(index, i);
    index_free(index);
}

/* Tables that were read are written by no one: only what came after them. */
static void read_tables(const uint8_t *bytes, size_t size)
{
    const struct spoor_format *format = spoor_format_find("drmemtrace");
    struct carry carry = {.tables = NULL};
    struct text packed = {0};
    const enum spoor_status status = format->unpack_tables(&carry, bytes, size);
    DEMAND(status == SPOOR_OK || status == SPOOR_EINPUT, "status %d", (int)status);
    DEMAND(format->pack_tables(&carry, &packed) && !packed.size, "%zu bytes more", packed.size);
    if (carry.tables) format->forget(&carry);
    text_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t whole = INDEX_MAGIC_SIZE + size + INDEX_TRAILER_SIZE;
    uint8_t *copy = malloc(size + 1), *table = malloc(whole);
    const uint64_t words[] = {INDEX_MAGIC_SIZE, size, hash_of_bytes(data, size)};
    if (!copy || !table) abort();
    memcpy(copy, data, size);
    parse(copy, size);
    memcpy(table, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    memcpy(table + INDEX_MAGIC_SIZE, data, size);
    memcpy(table + INDEX_MAGIC_SIZE + size, words, sizeof words);
    memcpy(table + INDEX_MAGIC_SIZE + size + sizeof words, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    parse(table, whole);
    if (size > 1) read_sections(data, size);
    read_tables(data, size);
    return 0;
}
