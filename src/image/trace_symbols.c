/* SPDX-License-Identifier: MIT */
/* trace_symbols.c: collects the symbols of records into a list of symbols. */
#include "spoor/image.h"

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
#include "image/trace_symbols.h"
#include "io/reader.h"

enum { LARGEST_FUNCTION = 16 << 20 /* bytes: a larger offset is none */ };

/* A function that was seen. */
struct traced_function {
    uint64_t start, end;
    size_t name, size; /* in the names */
    bool unplaced;     /* no offset was stated */
};
struct seen_slot {
    uint64_t hash;
    size_t number; /* + 1; 0: none yet */
};
struct collection {
    struct traced_function *items;
    size_t count, capacity;
    struct hash_map map;
    struct text names;
    bool failed; /* memory ran out */
};

/* Samples name the functions of a trace that has nothing else: beside branches they name too few,
 * and jumps between those are no calls. */
struct trace_names {
    struct collection traced, sampled;
};

/* "NAME+0xOFFSET (FILE)", or "NAME+OFFSET" in decimal: the name, and the offset; false: the offset
 * is not stated. */
static bool trace_symbols_split(struct spoor_slice *symbol, uint64_t *offset)
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
    const char *digits = end;
    while (digits > begin && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    struct scan scan = {digits, end};
    if (digits < begin + 2 || digits[-1] != '+' || !scan_decimal(&scan, offset)) return false;
    symbol->size = (size_t)(digits - 1 - begin);
    return true;
}

static void trace_symbols_collect(struct collection *collection, const struct spoor_batch *batch,
                                  size_t index, enum spoor_spill_what what, uint64_t address)
{
    struct spoor_ref ref;
    uint64_t offset = 0;
    if (!spoor_batch_find_spill(batch, index, what, &ref)) return;
    struct spoor_slice name = {spoor_batch_bytes(batch, ref), ref.size};
    const struct spoor_slice whole = name;
    const bool known = trace_symbols_split(&name, &offset);
    /* a function that the compiler has put into another has no address of its own */
    static const char mark[] = " (inlined)";
    const size_t size = sizeof mark - 1;
    const bool is_inlined =
        whole.size > size && memcmp(whole.bytes + whole.size - size, mark, size) == 0;
    if (name.size == 0 || is_inlined || (known && (offset > address || offset > LARGEST_FUNCTION)))
        return;
    /* without offsets, all of one file that has a name is one function */
    const uint64_t key = known ? address - offset : hash_of_bytes(whole.bytes, whole.size);
    bool added;
    const uint64_t hash = hash_mix(hash_of_bytes(name.bytes, name.size), key);
    struct seen_slot *slot = hash_map_add(&collection->map, hash, sizeof *slot, &added);
    if (!slot || !array_reserve(&collection->items, &collection->capacity, collection->count + 1)) {
        collection->failed = true;
        return;
    }
    if (!slot->number) {
        collection->items[collection->count++] =
            (struct traced_function){UINT64_MAX, 0, collection->names.size, name.size, false};
        text_put(&collection->names, name.bytes, name.size);
        collection->failed |= collection->names.failed;
        slot->number = collection->count;
    }
    struct traced_function *seen = &collection->items[slot->number - 1];
    seen->unplaced = !known;
    if (address - offset < seen->start) seen->start = address - offset;
    if (address >= seen->end) seen->end = address + 1;
}

static void trace_symbols_collect_record(struct trace_names *names, const struct spoor_batch *batch,
                                         size_t index)
{
    struct collection *collection = &names->traced;
    const struct spoor_record *record = &batch->records[index];
    if (!(record->has & SPOOR_IS_SPILLED)) return;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_FLOW:
        trace_symbols_collect(collection, batch, index, SPOOR_SPILL_SYMBOL, record->flow.va);
        trace_symbols_collect(collection, batch, index, SPOOR_SPILL_TARGET_SYMBOL,
                              record->flow.target);
        break;
    case SPOOR_INSN:
        trace_symbols_collect(collection, batch, index, SPOOR_SPILL_SYMBOL, record->insn.va);
        break;
    case SPOOR_EVENT: {
        const bool is_sample = record->op == SPOOR_EVENT_SAMPLE || record->op == SPOOR_EVENT_FRAME;
        if (is_sample || record->op == SPOOR_EVENT_BEGIN || record->op == SPOOR_EVENT_END)
            trace_symbols_collect(is_sample ? &names->sampled : collection, batch, index,
                                  SPOOR_SPILL_SYMBOL, record->event.value);
        break;
    }
    default: break;
    }
}

bool spoor_format_names_functions(const struct spoor_format *format)
{
    return (format->fields[SPOOR_FLOW] | format->fields[SPOOR_INSN]) & SPOOR_FIELD_BIT(TEXT);
}

struct trace_names *trace_names_new(void)
{
    return calloc(1, sizeof(struct trace_names));
}

bool trace_names_add(struct trace_names *names, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) trace_symbols_collect_record(names, batch, i);
    return !names->traced.failed && !names->sampled.failed;
}

size_t trace_names_size(const struct trace_names *names)
{
    return names->traced.names.size + names->sampled.names.size +
           (names->traced.count + names->sampled.count) * sizeof(struct traced_function);
}

static void collection_free(struct collection *collection)
{
    hash_map_free(&collection->map);
    text_free(&collection->names);
    free(collection->items);
}

void trace_names_free(struct trace_names *names)
{
    if (!names) return;
    collection_free(&names->traced);
    collection_free(&names->sampled);
    free(names);
}

/* Damage is not stated here: the verb meets it, too. */
static enum spoor_status trace_symbols_unless_damage(enum spoor_status status,
                                                     const struct spoor_error *error)
{
    return status < 0 && spoor_error_is_of_system(error) ? status : SPOOR_OK;
}

bool trace_names_list(struct trace_names *names, struct text *list)
{
    struct collection *used = names->traced.count ? &names->traced : &names->sampled;
    if (used->count && !used->failed) {
        /* The list, as nm -S prints it. */
        for (size_t i = 0; i < used->count; i++) {
            const struct traced_function *seen = &used->items[i];
            const char *name = used->names.bytes + seen->name;
            /* A symbol without an offset may be the beginning of a function whose offsets were
             * stated. */
            const uint64_t hash = hash_mix(hash_of_bytes(name, seen->size), seen->start);
            const struct seen_slot *slot =
                seen->unplaced ? hash_map_find(&used->map, hash, sizeof *slot) : NULL;
            struct traced_function *placed = slot ? &used->items[slot->number - 1] : NULL;
            if (placed && seen->end > placed->end) placed->end = seen->end;
            if (placed) continue;
            text_printf(list, "%016" PRIx64 " %016" PRIx64 " T ", seen->start,
                        seen->end - seen->start);
            const size_t begin = list->size;
            text_put(list, name, seen->size);
            for (size_t j = begin; j < list->size; j++)
                if (list->bytes[j] == '\0') list->bytes[j] = '?';
            text_puts(list, "\n");
        }
    }
    return !names->traced.failed && !names->sampled.failed && !used->names.failed && !list->failed;
}

enum spoor_status trace_names_add_to(struct spoor_images *images, const char *path,
                                     struct text *list, struct spoor_error *error)
{
    return list->size ? images_add(images, path, 0, list, false, error) : SPOOR_OK;
}

enum spoor_status spoor_images_add_trace(struct spoor_images *images, const char *path,
                                         const struct spoor_reader_options *options,
                                         struct spoor_error *error)
{
    struct spoor_reader *reader;
    struct text list = {0};
    enum spoor_status status = spoor_reader_open(&reader, path, options, error);
    if (status != SPOOR_OK) return trace_symbols_unless_damage(status, error);
    const bool names_functions = spoor_format_names_functions(spoor_reader_stream(reader)->format);
    struct trace_names *names = trace_names_new();
    const struct spoor_batch *batch;
    bool good = names != NULL;
    while (names_functions && good &&
           (status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK)
        good = trace_names_add(names, batch);
    status = trace_symbols_unless_damage(status, error);
    spoor_reader_close(reader);
    good = good && trace_names_list(names, &list);
    trace_names_free(names);
    if (good && status == SPOOR_OK) return trace_names_add_to(images, path, &list, error);
    text_free(&list);
    return good ? status
                : spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory for its symbols", path);
}
