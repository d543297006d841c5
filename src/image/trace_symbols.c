/* SPDX-License-Identifier: MIT */
/* trace_symbols.c: collects the symbols of records into a list of symbols. */
#include "image/trace_symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/scan.h"
#include "base/text.h"
#include "formats/format.h"
#include "image/images.h"

enum { LARGEST_FUNCTION = 16 << 20 /* bytes: a larger offset is none */ };

/* A function that was seen. */
struct seen {
    uint64_t start, end;
    size_t name, size; /* in the names */
};
struct seen_slot {
    uint64_t hash;
    size_t number; /* + 1; 0: none yet */
};
struct collecting {
    struct seen *items;
    size_t count, capacity;
    struct hash_map map;
    struct text names;
    bool failed; /* memory ran out */
};

/* "NAME+0xOFFSET (FILE)": the name, and the offset; false: the offset is not stated. */
static bool split_symbol(struct spoor_slice *symbol, uint64_t *offset)
{
    const char *begin = symbol->bytes, *end = begin + symbol->size;
    for (const char *at = end; at > begin + 1; at--) {
        if (at[-1] != '(' || at[-2] != ' ') continue;
        end = at - 2;
        break;
    }
    *symbol = (struct spoor_slice){begin, (size_t)(end - begin)};
    for (const char *at = end; at > begin + 3; at--) {
        if (at[-1] != 'x' || at[-2] != '0' || at[-3] != '+') continue;
        struct scan scan = {at, end};
        if (!scan_hex(&scan, offset, NULL, NULL) || !scan_done(&scan)) return false;
        symbol->size = (size_t)(at - 3 - begin);
        return true;
    }
    return false;
}

static struct seen *find_seen(struct collecting *collecting, struct spoor_slice name,
                              uint64_t start)
{
    bool added;
    const uint64_t hash = hash_mix(hash_of_bytes(name.bytes, name.size), start);
    struct seen_slot *slot = hash_map_add(&collecting->map, hash, sizeof *slot, &added);
    if (!slot || !array_reserve(&collecting->items, &collecting->capacity, collecting->count + 1)) {
        collecting->failed = true;
        return NULL;
    }
    if (slot->number) return &collecting->items[slot->number - 1];
    struct seen *seen = &collecting->items[collecting->count++];
    *seen = (struct seen){UINT64_MAX, 0, collecting->names.size, name.size};
    text_put(&collecting->names, name.bytes, name.size);
    slot->number = collecting->count;
    return seen;
}

static void collect(struct collecting *collecting, const struct spoor_batch *batch, size_t index,
                    enum spoor_spill_what what, uint64_t address)
{
    struct spoor_ref ref;
    uint64_t offset = 0;
    if (!spoor_batch_find_spill(batch, index, what, &ref)) return;
    struct spoor_slice name = {spoor_batch_bytes(batch, ref), ref.size};
    const bool known = split_symbol(&name, &offset);
    if (name.size == 0 || (known && (offset > address || offset > LARGEST_FUNCTION))) return;
    /* without offsets, all that has a name is one function */
    struct seen *seen = find_seen(collecting, name, known ? address - offset : 0);
    if (!seen) return;
    if (address - offset < seen->start) seen->start = address - offset;
    if (address >= seen->end) seen->end = address + 1;
}

static void collect_record(struct collecting *collecting, const struct spoor_batch *batch,
                           size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (!(record->has & SPOOR_IS_SPILLED)) return;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_FLOW:
        collect(collecting, batch, index, SPOOR_SPILL_SYMBOL, record->flow.va);
        collect(collecting, batch, index, SPOOR_SPILL_TARGET_SYMBOL, record->flow.target);
        break;
    case SPOOR_INSN: collect(collecting, batch, index, SPOOR_SPILL_SYMBOL, record->insn.va); break;
    case SPOOR_EVENT: /* samples name too few functions: jumps between them are no calls */
        if (record->op == SPOOR_EVENT_BEGIN || record->op == SPOOR_EVENT_END)
            collect(collecting, batch, index, SPOOR_SPILL_SYMBOL, record->event.value);
        break;
    default: break;
    }
}

/* The list, as nm -S prints it. */
static void put_list(struct collecting *collecting, struct text *list)
{
    for (size_t i = 0; i < collecting->count; i++) {
        const struct seen *seen = &collecting->items[i];
        text_printf(list, "%016" PRIx64 " %016" PRIx64 " T ", seen->start, seen->end - seen->start);
        const size_t begin = list->size;
        text_put(list, collecting->names.bytes + seen->name, seen->size);
        for (size_t j = begin; j < list->size; j++)
            if (list->bytes[j] == '\0') list->bytes[j] = '?';
        text_puts(list, "\n");
    }
    collecting->failed |= list->failed || collecting->names.failed;
}

/* True if records of the format may name functions. */
static bool names_functions(const struct spoor_format *format)
{
    return format->fields[SPOOR_FLOW] & SPOOR_FIELD_BIT(TEXT);
}

enum spoor_status images_add_trace(struct spoor_images *images, const char *path,
                                   const struct spoor_reader_options *options,
                                   struct spoor_error *error)
{
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    struct spoor_error ignored = {0};
    struct collecting collecting = {.count = 0};
    struct text list = {0};
    enum spoor_status status = SPOOR_OK;
    if (spoor_reader_open(&reader, path, options, &ignored) != SPOOR_OK) return SPOOR_OK;
    const bool names = names_functions(spoor_reader_stream(reader)->format);
    while (names && !collecting.failed && spoor_reader_next(reader, &batch, &ignored) == SPOOR_OK)
        for (size_t i = 0; i < batch->count; i++) collect_record(&collecting, batch, i);
    spoor_reader_close(reader);
    if (collecting.count) put_list(&collecting, &list);
    if (collecting.failed) {
        status = spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory for its symbols", path);
        text_free(&list);
    } else if (list.size) {
        status = images_add_list(images, path, &list, error);
    }
    hash_map_free(&collecting.map);
    text_free(&collecting.names);
    free(collecting.items);
    return status;
}
