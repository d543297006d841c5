/* SPDX-License-Identifier: MIT */
/*
 * file.c: stores an index in a file: the sections, a table of them, and a trailer with the offset
 * of the table.
 *
 * No data are used before their checksum was verified.  The trailer holds the checksum of the
 * table; the table holds those of the sections.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/hash.h"
#include "index/internal.h"
#include "spoor/format.h"

void index_free(struct index *index)
{
    if (!index) return;
    machine_free(&index->machine);
    spoor_names_free(index->names);
    for (size_t i = 0; !index->owns_windows && i < index->checkpoints.count; i++)
        index->checkpoints.items[i].window = NULL;
    checkpoints_free(&index->checkpoints);
    free(index->segments);
    free(index->hosted);
    free(index->extras);
    free(index->damage);
    free(index->dialect);
    free(index->path);
    free(index->selection);
    if (index->mapped)
        munmap(index->content, index->size);
    else
        free(index->content);
    free(index);
}

/* ---- writing ---- */

static void index_file_put_text(struct text *to, const char *text)
{
    const size_t size = text ? strlen(text) : 0;
    text_varint(to, text ? size + 1 : 0);
    text_put(to, text, size);
}

static void index_file_put_names(struct text *to, const struct spoor_names *names)
{
    const size_t count = spoor_names_count(names);
    text_varint(to, count);
    for (size_t i = 1; i < count; i++) {
        size_t size;
        const char *text = spoor_names_text(names, (spoor_name)i, &size);
        text_varint(to, size);
        text_put(to, text, size);
    }
}

static void index_file_put_section(struct text *to, const struct section *section)
{
    text_varint(to, section->offset);
    text_varint(to, section->size);
    text_varint(to, section->hash);
}

/* The places of segments refer to the tables in the content. */
static void index_file_refer(const struct index *index)
{
    for (size_t i = 0; i < index->count; i++)
        index->segments[i].place.tables = index->content + (index->tables.offset - index->passed);
}

bool index_finish(struct index *index, const struct text *tables, struct text *content)
{
    const size_t windows = content->size;
    for (size_t i = 0; i < index->checkpoints.count; i++)
        text_put(content, index->checkpoints.items[i].window,
                 index->checkpoints.items[i].window_size);
    index->owns_windows = true;
    const size_t from = content->size;
    text_append(content, tables);
    index->tables = (struct section){index->passed + from, content->size - from,
                                     hash_of_bytes(content->bytes + from, content->size - from)};
    index->windows = (struct section){index->passed + windows, from - windows,
                                      hash_of_bytes(content->bytes + windows, from - windows)};
    const uint64_t begin = content->size;
    text_varint(content, index->trace.size);
    text_varint(content, index->trace.seconds);
    text_varint(content, index->trace.nanoseconds);
    text_varint(content, index->trace.samples);
    text_varint(content, index->trace.identity);
    text_varint(content, index->trace.whole);
    index_file_put_text(content, format_identity(index->format));
    index_file_put_text(content, index->dialect);
    index_file_put_text(content, index->damage);
    text_varint(content, index->implicit_thumb);
    text_varint(content, index->isa);
    text_varint(content, index->effects);
    text_varint(content, index->effects_first);
    text_varint(content, index->enterable);
    text_varint(content, index->crowded);
    text_varint(content, index->machine.isa);
    index_file_put_names(content, index->machine.registers);
    index_file_put_names(content, index->machine.cpus);
    index_file_put_names(content, index->names);
    text_varint(content, index->records);
    text_varint(content, index->bytes);
    text_varint(content, index->count);
    for (size_t i = 0; i < index->count; i++) {
        const struct segment *segment = &index->segments[i];
        const struct carry *carry = &segment->place.carry;
        text_varint(content, segment->place.offset);
        text_varint(content, segment->place.line);
        text_varint(content, segment->place.record);
        text_varint(content, carry->time);
        text_varint(content, carry->has_time);
        text_varint(content, carry->cpu);
        for (size_t j = 0; j < sizeof carry->word / sizeof *carry->word; j++)
            text_varint(content, carry->word[j]);
        text_varint(content, segment->place.tables_size);
        text_varint(content, segment->records);
        text_varint(content, segment->bytes);
        text_varint(content, segment->time_first);
        text_varint(content, segment->time_highest);
        text_varint(content, segment->pc_low);
        text_varint(content, segment->pc_high);
        text_varint(content, segment->time_minimum);
        text_varint(content, segment->time_maximum);
        text_varint(content, segment->cpus);
        text_varint(content, segment->kinds);
        text_varint(content, segment->flags);
        text_varint(content, segment->cpu);
        index_file_put_section(content, &segment->sets);
        index_file_put_section(content, &segment->state);
    }
    text_varint(content, index->hosted_count);
    for (size_t i = 0; i < index->hosted_count; i++) {
        text_varint(content, index->hosted[i].record);
        text_varint(content, index->hosted[i].block);
        text_varint(content, index->hosted[i].operation);
        text_varint(content, index->hosted[i].word);
    }
    text_varint(content, index->extra_count);
    for (size_t i = 0; i < index->extra_count; i++) {
        text_varint(content, index->extras[i].id);
        text_varint(content, index->extras[i].version);
        index_file_put_section(content, &index->extras[i].section);
    }
    const struct checkpoints *list = &index->checkpoints;
    index_file_put_section(content, &index->windows);
    index_file_put_section(content, &index->tables);
    text_varint(content, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct checkpoint *item = &list->items[i];
        text_varint(content, item->offset);
        text_varint(content, item->place);
        text_varint(content, item->kind);
        text_varint(content, item->detail);
        text_varint(content, item->header);
        text_varint(content, item->window_size);
    }
    if (content->failed) return false;
    const uint64_t words[] = {index->passed + begin, content->size - begin,
                              hash_of_bytes(content->bytes + begin, content->size - begin)};
    text_put(content, words, sizeof words);
    text_put(content, INDEX_MAGIC, INDEX_MAGIC_SIZE);
    if (content->failed) return false;
    index->content = (uint8_t *)content->bytes;
    index->size = content->size;
    index_file_refer(index);
    *content = (struct text){0};
    return true;
}

/* ---- reading ---- */

static char *index_file_get_text(struct unpacker *from)
{
    const uint64_t size = unpack(from);
    const uint8_t *bytes = size ? unpack_bytes(from, (size_t)(size - 1)) : NULL;
    if (!bytes) return NULL;
    char *text = malloc((size_t)size);
    if (!text) {
        from->failed = true;
        return NULL;
    }
    memcpy(text, bytes, (size_t)size - 1);
    text[size - 1] = '\0';
    return text;
}

static void index_file_get_names(struct unpacker *from, struct spoor_names *names)
{
    const uint64_t count = unpack(from);
    for (uint64_t i = 1; i < count && !from->failed; i++) {
        const uint64_t size = unpack(from);
        const uint8_t *bytes = unpack_bytes(from, (size_t)size);
        if (!bytes || spoor_names_intern(names, bytes, (size_t)size) != i) from->failed = true;
    }
}

static void index_file_get_section(struct unpacker *from, struct section *section)
{
    section->offset = unpack(from);
    section->size = unpack(from);
    section->hash = unpack(from);
}

/* Memory for the items of a list, each of which takes `smallest` bytes or more where it is packed,
 * and for one more; their number. */
static void *index_file_get_list(struct unpacker *from, size_t smallest, size_t item_size,
                                 uint64_t *count)
{
    *count = unpack(from);
    void *items = *count <= (uint64_t)(from->end - from->at) / smallest
                      ? calloc((size_t)*count + 1, item_size)
                      : NULL;
    from->failed |= !items;
    return items;
}

static void index_file_get_segments(struct unpacker *from, struct index *index)
{
    uint64_t count;
    index->segments = index_file_get_list(from, 24, sizeof *index->segments, &count);
    if (index->segments) index->capacity = (size_t)count + 1;
    for (; index->count < count && !from->failed; index->count++) {
        struct segment *segment = &index->segments[index->count];
        struct carry *carry = &segment->place.carry;
        segment->place.offset = unpack(from);
        segment->place.line = unpack(from);
        segment->place.record = unpack(from);
        carry->time = unpack(from);
        carry->has_time = unpack(from);
        carry->cpu = (spoor_name)unpack(from);
        for (size_t i = 0; i < sizeof carry->word / sizeof *carry->word; i++)
            carry->word[i] = unpack(from);
        segment->place.tables_size = (size_t)unpack(from);
        segment->records = unpack(from);
        segment->bytes = unpack(from);
        segment->time_first = unpack(from);
        segment->time_highest = unpack(from);
        segment->pc_low = unpack(from);
        segment->pc_high = unpack(from);
        segment->time_minimum = unpack(from);
        segment->time_maximum = unpack(from);
        segment->cpus = unpack(from);
        segment->kinds = (uint32_t)unpack(from);
        segment->flags = (uint32_t)unpack(from);
        segment->cpu = (uint16_t)unpack(from);
        index_file_get_section(from, &segment->sets);
        index_file_get_section(from, &segment->state);
    }
}

static void index_file_get_checkpoints(struct unpacker *from, struct index *index)
{
    struct checkpoints *list = &index->checkpoints;
    index_file_get_section(from, &index->windows);
    index_file_get_section(from, &index->tables);
    from->failed |= index->windows.offset > index->size ||
                    index->windows.size > index->size - index->windows.offset;
    uint64_t count, at = 0;
    list->items = index_file_get_list(from, 6, sizeof *list->items, &count);
    if (list->items) list->capacity = (size_t)count + 1;
    for (; list->count < count && !from->failed; list->count++) {
        struct checkpoint *item = &list->items[list->count];
        item->offset = unpack(from);
        item->place = unpack(from);
        const uint64_t kind = unpack(from);
        item->kind = (enum checkpoint_kind)kind;
        item->detail = (uint32_t)unpack(from);
        item->header = unpack(from);
        item->window_size = (uint32_t)unpack(from);
        from->failed |=
            kind > CHECKPOINT_ZSTF_FRAME || item->window_size > index->windows.size - at;
        if (!from->failed && item->window_size)
            item->window = index->content + index->windows.offset + at;
        at += from->failed ? 0 : item->window_size;
    }
}

static bool index_file_section_holds(const struct index *index, const struct section *section)
{
    return section->offset <= index->size && section->size <= index->size - section->offset &&
           hash_of_bytes(index->content + section->offset, (size_t)section->size) == section->hash;
}

/* True if the sections are contiguous from the magic to the table, and each is intact. */
static bool index_file_sections_hold(const struct index *index, uint64_t end)
{
    uint64_t at = INDEX_MAGIC_SIZE;
    for (size_t i = 0; i < index->count; i++) {
        const struct segment *segment = &index->segments[i];
        if (segment->sets.offset != at || !index_file_section_holds(index, &segment->sets))
            return false;
        at += segment->sets.size;
        if (segment->state.offset != at || !index_file_section_holds(index, &segment->state))
            return false;
        at += segment->state.size;
    }
    for (size_t i = 0; i < index->extra_count; i++) {
        const struct section *section = &index->extras[i].section;
        if (section->offset != at || !index_file_section_holds(index, section)) return false;
        at += section->size;
    }
    for (size_t i = 0; i < index->count; i++)
        if (index->segments[i].place.tables_size > index->tables.size) return false;
    return index->windows.offset == at && index_file_section_holds(index, &index->windows) &&
           index->tables.offset == at + index->windows.size &&
           index_file_section_holds(index, &index->tables) &&
           index->tables.offset + index->tables.size == end;
}

static bool index_file_parse(struct index *index)
{
    uint64_t words[3];
    const uint8_t *content = index->content;
    if (index->size < INDEX_MAGIC_SIZE + INDEX_TRAILER_SIZE) return false;
    const size_t trailer = index->size - INDEX_TRAILER_SIZE;
    memcpy(words, content + trailer, sizeof words);
    if (memcmp(content, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0 ||
        memcmp(content + trailer + sizeof words, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0 ||
        words[0] > trailer || words[1] != trailer - words[0] ||
        hash_of_bytes(content + words[0], (size_t)words[1]) != words[2])
        return false;
    struct unpacker from = {content + words[0], content + trailer, false};
    index->trace.size = unpack(&from);
    index->trace.seconds = unpack(&from);
    index->trace.nanoseconds = unpack(&from);
    index->trace.samples = unpack(&from);
    index->trace.identity = unpack(&from);
    index->trace.whole = unpack(&from);
    char *format = index_file_get_text(&from);
    index->format = format ? spoor_format_find(format) : NULL;
    free(format);
    index->dialect = index_file_get_text(&from);
    index->damage = index_file_get_text(&from);
    index->implicit_thumb = unpack(&from);
    index->isa = (enum spoor_isa)unpack(&from);
    index->effects = (enum spoor_effects)unpack(&from);
    index->effects_first = unpack(&from);
    index->enterable = unpack(&from);
    index->crowded = unpack(&from);
    const uint64_t isa = unpack(&from);
    index->machine.isa = isa <= ISA_LOONGARCH ? (enum isa)isa : ISA_UNKNOWN;
    index->machine.isa_known = true;
    index_file_get_names(&from, index->machine.registers);
    index_file_get_names(&from, index->machine.cpus);
    index_file_get_names(&from, index->names);
    index->records = unpack(&from);
    index->bytes = unpack(&from);
    index_file_get_segments(&from, index);
    uint64_t count;
    index->hosted = index_file_get_list(&from, 4, sizeof *index->hosted, &count);
    if (index->hosted) index->hosted_capacity = (size_t)count + 1;
    for (; index->hosted_count < count && !from.failed; index->hosted_count++) {
        struct hosted_call *call = &index->hosted[index->hosted_count];
        call->record = unpack(&from);
        call->block = unpack(&from);
        call->operation = (uint8_t)unpack(&from);
        call->word = (uint8_t)unpack(&from);
        from.failed |= call->word != 4 && call->word != 8;
    }
    index->extras = index_file_get_list(&from, 5, sizeof *index->extras, &count);
    for (; index->extra_count < count && !from.failed; index->extra_count++) {
        struct extra *extra = &index->extras[index->extra_count];
        extra->id = (uint32_t)unpack(&from);
        extra->version = (uint32_t)unpack(&from);
        index_file_get_section(&from, &extra->section);
    }
    index_file_get_checkpoints(&from, index);
    from.failed |= !index->format || from.at != from.end;
    return !from.failed && index_file_sections_hold(index, words[0]);
}

bool index_parse(struct index *index, uint8_t *content, size_t size, bool mapped,
                 struct spoor_error *error)
{
    index->content = content;
    index->size = size;
    index->mapped = mapped;
    if (index_file_parse(index)) {
        index_file_refer(index);
        return true;
    }
    const bool is_other = size >= INDEX_MAGIC_SIZE &&
                          memcmp(content, INDEX_MAGIC_ANY, sizeof INDEX_MAGIC_ANY - 1) == 0 &&
                          memcmp(content, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0;
    spoor_error_set(error, SPOOR_EINPUT,
                    "found %s, expected a whole index of version " INDEX_VERSION,
                    is_other ? "the index of another version of spoor" : "damage");
    return false;
}
