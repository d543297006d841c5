/* SPDX-License-Identifier: MIT */
/*
 * memory_strings.c: the strings that stores wrote.
 *
 * Memory is blocks of 64 bytes, of which only those with a character are kept.  A block has a bit
 * for each byte that has a character, and one for each whose character is new: given since a string
 * with it was found.  When a store is about to take a new character away, the string around it is
 * found first, and none of its characters is new any more.  So a buffer that is written again byte
 * by byte gives the string that it had once, not at each byte, and the next one when that is whole.
 *
 * A byte has the number of its store, which many bytes share.
 */
#include "spoor/memory_strings.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "base/portable.h"
#include "base/text.h"
#include "effects/activity.h"
#include "formats/time_unit.h"
#include "model/cpu_name.h"
#include "model/options.h"

enum { BLOCK = 64, SPACE_SHIFT = 58 /* of the key of a block */ };

struct string_block {
    uint64_t key;         /* its space and address; must come first */
    uint64_t text, fresh; /* bit n: byte n has a character, and it is new */
    char bytes[BLOCK];
    uint32_t stores[BLOCK]; /* of the characters; in strings->stores */
};
struct string_slot {
    uint64_t key;
    struct string_block *block;
};

/* The store of a character. */
struct string_origin {
    uint64_t record, time;
    uint64_t pc; /* with `has_pc`, of its instruction */
    uint16_t cpu;
    bool has_pc;
};

struct memory_string {
    uint64_t size;                    /* characters */
    uint64_t address;                 /* of the first one */
    bool physical;                    /* the address is, */
    uint8_t security;                 /* and this is its enum spoor_security */
    struct string_origin first, last; /* of its characters */
    uint64_t overwritten_record,
        overwritten_time; /* `overwritten`: of the store that took one away */
    bool overwritten;
    bool cut; /* instructions that are not in the trace followed */
};

/* A store whose characters lie in memory. */
struct string_store {
    struct string_origin is;
    uint32_t references; /* bytes; 0: the element is free */
    uint32_t next;       /* the next free one */
};

struct found_string {
    struct memory_string is;
    size_t text; /* place in strings->texts */
};

struct string_cpu {
    uint64_t pc;
    bool known;
};

struct spoor_strings {
    struct spoor_strings_options options;
    struct machine machine;
    struct activity *activity;
    struct hash_map blocks;
    struct string_store *stores;
    size_t store_count, store_capacity;
    uint32_t unused; /* the first free store; NO_STORE: none */
    struct found_string *items;
    size_t count, capacity;
    struct text texts;
    uint64_t omitted, writes, unknown;
    struct string_cpu *cpus;
    size_t cpu_count;
    char unit[TIME_UNIT_SIZE];
    bool failed;
};
#define NO_STORE UINT32_MAX

static bool string_has(uint8_t byte)
{
    return (byte >= ' ' && byte <= '~') || byte == '\t';
}

/* ---- blocks ---- */

static uint64_t string_key(unsigned space, uint64_t address)
{
    return (uint64_t)space << SPACE_SHIFT | address / BLOCK;
}

static struct string_block *string_block(const struct spoor_strings *strings, unsigned space,
                                         uint64_t address)
{
    const struct string_slot *slot =
        hash_map_find(&strings->blocks, string_key(space, address), sizeof *slot);
    return slot ? slot->block : NULL;
}

static struct string_block *string_add_block(struct spoor_strings *strings, unsigned space,
                                             uint64_t address)
{
    bool added;
    const uint64_t key = string_key(space, address);
    struct string_slot *slot = hash_map_add(&strings->blocks, key, sizeof *slot, &added);
    if (!slot) return NULL;
    if (!added) return slot->block;
    slot->block = calloc(1, sizeof *slot->block);
    if (slot->block)
        slot->block->key = key;
    else
        hash_map_remove(&strings->blocks, key, sizeof *slot);
    return slot->block;
}

/* The first address of the run of characters that `at` is in. */
static uint64_t string_begin(const struct spoor_strings *strings, unsigned space, uint64_t at)
{
    for (;;) {
        const struct string_block *block = string_block(strings, space, at);
        const unsigned last = at % BLOCK;
        const uint64_t gaps = block ? ~block->text << (BLOCK - 1 - last) : UINT64_MAX;
        const unsigned run = gaps ? (unsigned)__builtin_clzll(gaps) : last + 1;
        if (run <= last) return at - run + 1;
        if (at < BLOCK) return 0;
        at -= last + 1;
    }
}

/* The last one. */
static uint64_t string_end(const struct spoor_strings *strings, unsigned space, uint64_t at)
{
    for (;;) {
        const struct string_block *block = string_block(strings, space, at);
        const unsigned first = at % BLOCK;
        const uint64_t gaps = block ? ~block->text >> first : UINT64_MAX;
        const unsigned run = gaps ? (unsigned)__builtin_ctzll(gaps) : BLOCK - first;
        if (run < BLOCK - first) return at + run - 1;
        at += BLOCK - first;
        if (at == 0) return UINT64_MAX;
    }
}

/* ---- stores ---- */

/* The number of a store, without references; NO_STORE: memory ran out. */
static uint32_t string_add_store(struct spoor_strings *strings, const struct string_origin *store)
{
    uint32_t number = strings->unused;
    if (number != NO_STORE) {
        strings->unused = strings->stores[number].next;
    } else {
        if (strings->store_count == NO_STORE ||
            !array_reserve(&strings->stores, &strings->store_capacity, strings->store_count + 1))
            return NO_STORE;
        number = (uint32_t)strings->store_count++;
    }
    strings->stores[number] = (struct string_store){.is = *store};
    return number;
}

static void string_free_store(struct spoor_strings *strings, uint32_t number)
{
    strings->stores[number].next = strings->unused;
    strings->unused = number;
}

static void string_clear_byte(struct spoor_strings *strings, struct string_block *block,
                              unsigned at)
{
    const uint64_t bit = UINT64_C(1) << at;
    if (!(block->text & bit)) return;
    block->text &= ~bit;
    block->fresh &= ~bit;
    if (!--strings->stores[block->stores[at]].references)
        string_free_store(strings, block->stores[at]);
}

/* ---- strings ---- */

static void string_keep(struct spoor_strings *strings, struct found_string *found, unsigned space)
{
    const struct memory_string *string = &found->is;
    found->text = strings->texts.size;
    for (uint64_t i = 0; i < string->size && i < SPOOR_STRING_TEXT; i++) {
        const uint64_t at = string->address + i;
        text_put(&strings->texts, string_block(strings, space, at)->bytes + at % BLOCK, 1);
    }
    strings->failed |= strings->texts.failed ||
                       !array_reserve(&strings->items, &strings->capacity, strings->count + 1);
    if (!strings->failed) strings->items[strings->count++] = *found;
}

/* True if the processor that the options name, if any, gave the string its last character. */
static bool string_is_by_chosen(const struct spoor_strings *strings,
                                const struct memory_string *string)
{
    const char *chosen = strings->options.cpu;
    return !chosen || cpu_is_named(machine_cpu_name(&strings->machine, string->last.cpu), chosen);
}

/* Finds the string around a new character; `end` has how it ended. */
static void string_find(struct spoor_strings *strings, unsigned space, uint64_t at,
                        const struct memory_string *end)
{
    struct found_string found = {.is = *end};
    struct memory_string *string = &found.is;
    const uint64_t first = string_begin(strings, space, at), last = string_end(strings, space, at);
    const bool is_long = last - first >= strings->options.minimum - 1;
    string->first.record = UINT64_MAX;
    for (at = first;; at = (at | (BLOCK - 1)) + 1) {
        struct string_block *block = string_block(strings, space, at);
        const unsigned from = at % BLOCK;
        const unsigned to = last - at < BLOCK - from ? (unsigned)(last % BLOCK) : BLOCK - 1;
        block->fresh &= ~(UINT64_MAX << from & UINT64_MAX >> (BLOCK - 1 - to));
        for (unsigned i = from; is_long && i <= to; i++) {
            if (i > from && block->stores[i] == block->stores[i - 1]) continue;
            const struct string_origin *store = &strings->stores[block->stores[i]].is;
            if (store->record < string->first.record) string->first = *store;
            if (store->record >= string->last.record) string->last = *store;
        }
        if (last - at < BLOCK - from) break;
    }
    string->address = first;
    string->size = last - first + 1;
    string->physical = space != SPACE_VIRTUAL_MEMORY;
    if (string->physical) string->security = (uint8_t)(space - SPACE_PHYSICAL_MEMORY);
    if (!is_long || !string_is_by_chosen(strings, string)) return;
    if (strings->count < strings->options.limit)
        string_keep(strings, &found, space);
    else
        strings->omitted++;
}

static int string_compare_blocks(const void *left, const void *right, void *context)
{
    (void)context;
    const uint64_t a = ((const struct string_slot *)left)->key;
    const uint64_t b = ((const struct string_slot *)right)->key;
    return a < b ? -1 : a > b;
}

/* Finds all strings with new characters, by their addresses, and forgets memory. */
static void string_find_all(struct spoor_strings *strings, bool cut)
{
    const struct memory_string end = {.cut = cut};
    const struct string_slot *slot = NULL;
    struct string_slot *sorted = malloc((strings->blocks.count + 1) * sizeof *sorted);
    size_t count = 0;
    strings->failed |= !sorted;
    while ((slot = hash_map_next(&strings->blocks, slot, sizeof *slot)) != NULL) {
        if (sorted) sorted[count] = *slot;
        count++;
    }
    if (sorted) sort_items(sorted, count, sizeof *sorted, string_compare_blocks, NULL);
    for (size_t i = 0; sorted && i < count; i++) {
        const struct string_block *block = sorted[i].block;
        while (block->fresh && !strings->failed)
            string_find(strings, (unsigned)(block->key >> SPACE_SHIFT),
                        block->key * BLOCK + (unsigned)__builtin_ctzll(block->fresh), &end);
        if (strings->failed) break;
    }
    free(sorted);
    for (slot = NULL; (slot = hash_map_next(&strings->blocks, slot, sizeof *slot)) != NULL;)
        free(slot->block);
    hash_map_clear(&strings->blocks, sizeof *slot);
    strings->store_count = 0;
    strings->unused = NO_STORE;
}

/* ---- records ---- */

/* The value that the access gives its byte `at`; 0, which is no character: it is not known.  False:
 * the byte stays as it is. */
static bool string_byte(const struct spoor_batch *batch, size_t index, const struct access *access,
                        uint32_t at, uint8_t *byte, bool *unknown)
{
    const enum byte_known known = access_byte(batch, index, access, at, byte);
    if (known == BYTE_UNTOUCHED) return false;
    if (known == BYTE_UNKNOWN || (access->does & ACCESS_READS)) {
        *unknown = true;
        *byte = 0;
    }
    return true;
}

static void string_add_access(struct spoor_strings *strings, const struct spoor_batch *batch,
                              size_t index, const struct access *access, unsigned cpu)
{
    const struct spoor_record *record = &batch->records[index];
    const unsigned space = access->has_va ? SPACE_VIRTUAL_MEMORY : access->space;
    const uint64_t address = access->has_va ? access->va : access->pa;
    const struct memory_string end = {.overwritten = true,
                                      .overwritten_record = batch->first + index,
                                      .overwritten_time = record->time};
    struct string_origin store = {
        .record = batch->first + index, .time = record->time, .cpu = (uint16_t)cpu};
    struct spoor_ref ref;
    bool unknown = false;
    uint8_t byte;
    if (record->kind == SPOOR_UOP) {
        store.pc = record->uop.pc;
        store.has_pc = true;
    } else if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_ORIGIN, &ref)) {
        struct spoor_origin origin;
        memcpy(&origin, spoor_batch_bytes(batch, ref), sizeof origin);
        store.pc = origin.pc;
        store.has_pc = true;
    } else if (cpu < strings->cpu_count) {
        store.pc = strings->cpus[cpu].pc;
        store.has_pc = strings->cpus[cpu].known;
    }
    /* before any byte changes: strings that end are as they were */
    for (uint32_t i = 0; i < access->size; i++) {
        const uint64_t at = address + i;
        const struct string_block *block = string_block(strings, space, at);
        const uint64_t bit = UINT64_C(1) << at % BLOCK;
        if (!string_byte(batch, index, access, i, &byte, &unknown)) continue;
        if (block && (block->fresh & bit) && (uint8_t)block->bytes[at % BLOCK] != byte)
            string_find(strings, space, at, &end);
    }
    strings->writes++;
    strings->unknown += unknown;
    uint32_t number = NO_STORE;
    for (uint32_t i = 0; i < access->size && !strings->failed; i++) {
        const uint64_t at = address + i;
        const unsigned place = at % BLOCK;
        const uint64_t bit = UINT64_C(1) << place;
        if (!string_byte(batch, index, access, i, &byte, &unknown)) continue;
        struct string_block *block = string_has(byte) ? string_add_block(strings, space, at)
                                                      : string_block(strings, space, at);
        if (!string_has(byte)) {
            if (!block) continue;
            string_clear_byte(strings, block, place);
            if (block->text) continue;
            hash_map_remove(&strings->blocks, block->key, sizeof(struct string_slot));
            free(block);
            continue;
        }
        if (block && (block->text & bit) && (uint8_t)block->bytes[place] == byte) continue;
        if (number == NO_STORE) number = string_add_store(strings, &store);
        if (!block || number == NO_STORE) {
            strings->failed = true;
            return;
        }
        /* the store is not free yet, whatever the byte before gives back */
        strings->stores[number].references++;
        string_clear_byte(strings, block, place);
        block->text |= bit;
        block->fresh |= bit;
        block->bytes[place] = (char)byte;
        block->stores[place] = number;
    }
}

static void string_event(void *context, const struct activity_event *event)
{
    if (event->what == ACTIVITY_GAP) string_find_all(context, true);
}

static void string_instruction(void *context, unsigned cpu, const struct spoor_batch *batch,
                               size_t index, uint64_t pc)
{
    struct spoor_strings *strings = context;
    (void)batch;
    (void)index;
    if (array_reserve_zeroed(&strings->cpus, &strings->cpu_count, cpu + (size_t)1))
        strings->cpus[cpu] = (struct string_cpu){pc, true};
    else
        strings->failed = true;
}

/* ---- interface ---- */

enum spoor_status spoor_strings_new(struct spoor_strings **strings,
                                    const struct spoor_strings_options *options,
                                    struct spoor_error *error)
{
    struct spoor_strings_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_strings *made = calloc(1, sizeof *made);
    const struct activity_listener listener = {
        .context = made, .event = string_event, .instruction = string_instruction};
    if (made && machine_start(&made->machine))
        made->activity = activity_new(&listener, &made->machine);
    if (!made || !made->activity) {
        spoor_strings_free(made);
        return memory_status(false, error);
    }
    made->options = own;
    if (!made->options.limit) made->options.limit = SPOOR_STRINGS_USUAL_LIMIT;
    if (!made->options.minimum) made->options.minimum = SPOOR_STRINGS_USUAL_LENGTH;
    made->machine.big = own.big_endian;
    made->unused = NO_STORE;
    *strings = made;
    return SPOOR_OK;
}

void spoor_strings_free(struct spoor_strings *strings)
{
    if (!strings) return;
    const struct string_slot *slot = NULL;
    while ((slot = hash_map_next(&strings->blocks, slot, sizeof *slot)) != NULL) free(slot->block);
    hash_map_free(&strings->blocks);
    activity_free(strings->activity);
    machine_free(&strings->machine);
    text_free(&strings->texts);
    free(strings->stores);
    free(strings->items);
    free(strings->cpus);
    free(strings);
}

enum spoor_status spoor_strings_feed(struct spoor_strings *strings, const struct spoor_batch *batch,
                                     struct spoor_error *error)
{
    struct machine *machine = &strings->machine;
    struct access access;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    time_unit_find(strings->unit, batch);
    for (size_t i = 0; i < batch->count && !strings->failed; i++) {
        const unsigned cpu = machine_cpu(machine, &batch->records[i]);
        if (!activity_add(strings->activity, batch, i, cpu)) strings->failed = true;
        if (machine_access(machine, batch, i, &access) && access.does & ACCESS_WRITES)
            string_add_access(strings, batch, i, &access, cpu);
    }
    return memory_status(!strings->failed, error);
}

static int string_compare_items(const void *left, const void *right, void *context)
{
    const struct memory_string *a = &((const struct found_string *)left)->is;
    const struct memory_string *b = &((const struct found_string *)right)->is;
    (void)context;
    if (a->last.record != b->last.record) return a->last.record < b->last.record ? -1 : 1;
    if (a->physical != b->physical) return a->physical - b->physical;
    if (a->security != b->security) return a->security - b->security;
    if (a->address != b->address) return a->address < b->address ? -1 : 1;
    /* the same bytes, and others near them that lasted */
    if (a->overwritten != b->overwritten) return b->overwritten - a->overwritten;
    return a->overwritten_record < b->overwritten_record
               ? -1
               : a->overwritten_record > b->overwritten_record;
}

enum spoor_status spoor_strings_end(struct spoor_strings *strings, struct spoor_error *error)
{
    strings->failed |= !activity_stop(strings->activity);
    string_find_all(strings, false);
    sort_items(strings->items, strings->count, sizeof *strings->items, string_compare_items, NULL);
    return memory_status(!strings->failed && !machine_out_of_memory(&strings->machine), error);
}

size_t spoor_strings_count(const struct spoor_strings *strings)
{
    return strings->count;
}

bool spoor_strings_has_cpu(const struct spoor_strings *strings)
{
    const unsigned count = strings->options.cpu ? machine_cpu_count(&strings->machine) : 0;
    for (unsigned i = 0; i < count; i++)
        if (cpu_is_named(machine_cpu_name(&strings->machine, i), strings->options.cpu)) return true;
    return !strings->options.cpu;
}

uint64_t spoor_strings_omitted(const struct spoor_strings *strings)
{
    return strings->omitted;
}

uint64_t spoor_strings_stores(const struct spoor_strings *strings)
{
    return strings->writes;
}

uint64_t spoor_strings_unknown(const struct spoor_strings *strings)
{
    return strings->unknown;
}

/* ---- result tree ---- */

static void string_put(const struct spoor_strings *strings, const struct found_string *found,
                       struct spoor_result *row)
{
    const struct memory_string *string = &found->is;
    static const char *const securities[] = {NULL, "s", "ns", "realm", "root"};
    const bool timed = strings->unit[0];
    const struct string_origin *last = &string->last, *first = &string->first;
    const char *cpu = machine_cpu_name(&strings->machine, last->cpu);
    struct spoor_place place = {0};
    if (last->has_pc && strings->options.images)
        spoor_images_function(strings->options.images, last->pc, &place);
    spoor_result_unsigned(row, "record", last->record);
    spoor_result_unsigned_if(row, "time", timed, last->time);
    spoor_result_hex_if(row, "address", !string->physical, string->address);
    spoor_result_hex_if(row, "physical", string->physical, string->address);
    spoor_result_text(row, "security", string->physical ? securities[string->security] : NULL);
    spoor_result_unsigned(row, "size", string->size);
    spoor_result_bytes(
        row, "text", strings->texts.bytes + found->text,
        (size_t)(string->size < SPOOR_STRING_TEXT ? string->size : SPOOR_STRING_TEXT));
    spoor_result_hex_if(row, "pc", last->has_pc, last->pc);
    spoor_result_text(row, "function", place.function);
    spoor_result_text(row, "cpu", cpu[0] ? cpu : NULL);
    spoor_result_unsigned(row, "first_record", first->record);
    spoor_result_unsigned_if(row, "first_time", timed, first->time);
    spoor_result_unsigned_if(row, "overwritten_record", string->overwritten,
                             string->overwritten_record);
    spoor_result_unsigned_if(row, "overwritten_time", string->overwritten && timed,
                             string->overwritten_time);
    spoor_result_bool(row, "cut", string->cut);
}

enum spoor_status spoor_strings_report(const struct spoor_strings *strings,
                                       struct spoor_result *result)
{
    spoor_result_text(result, "time_unit", strings->unit[0] ? strings->unit : NULL);
    spoor_result_unsigned(result, "count", strings->count + strings->omitted);
    spoor_result_unsigned(result, "omitted", strings->omitted);
    spoor_result_unsigned(result, "minimum_length", strings->options.minimum);
    spoor_result_unsigned(result, "writes", strings->writes);
    spoor_result_unsigned(result, "unknown_writes", strings->unknown);
    struct spoor_result *rows = spoor_result_array(result, "strings");
    spoor_result_set_columns(rows,
                             "record,time,address,physical,security,size,text,pc,function,cpu,"
                             "first_record,first_time,overwritten_record,overwritten_time,cut");
    for (size_t i = 0; i < strings->count; i++)
        string_put(strings, &strings->items[i], spoor_result_object(rows, NULL));
    return result_status(result);
}
