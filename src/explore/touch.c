/* SPDX-License-Identifier: MIT */
/* touch.c: finds the writers and readers of a register or memory. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "explore/internal.h"
#include "explore/operand.h"

struct touch_search {
    struct explorer *explorer;
    const struct subject *subject;
    bool reads; /* include readers */
    bool first; /* stop at the first write */
    bool found;
    bool failed; /* memory ran out for a value */
    struct touch touch;
    touch_function *function;
    void *context;
};

static void touch_begin(struct touch *touch, const struct explorer_visit *visited)
{
    *touch = (struct touch){
        .record = visited->record,
        .visited = visited,
        .time = visited->batch->records[visited->index].time,
        .cpu = visited->cpu,
        .place = *visited->place,
    };
}

static void touch_put_value(struct touch *touch, const struct text *text)
{
    touch->failed |= text->failed;
    if (text->failed || text->size >= sizeof touch->value) return;
    memcpy(touch->value, text->bytes, text->size);
    touch->value[text->size] = '\0';
    touch->valued = true;
}

/* ---- registers ---- */

void touch_register_value(struct touch *touch, const struct explorer_visit *visited,
                          const struct machine_register *reg, const struct machine_part *part)
{
    struct cell cell = {0};
    struct text text = {0};
    if (!(visited->batch->records[visited->index].has & SPOOR_HAS_DATA)) return;
    cell_write(&cell, visited->batch, visited->index, reg);
    cell_text(&cell, part->low, part->bits, &text);
    touch_put_value(touch, &text);
    text_free(&text);
}

void touch_register_bits(struct touch *touch, const struct spoor_record *record,
                         const struct machine_register *reg)
{
    const unsigned low = reg->low + (record->reg.high ? record->reg.low : 0u);
    const unsigned high = record->reg.high ? reg->low + record->reg.high
                          : reg->whole || reg->widened
                              ? UINT16_MAX
                              : reg->low + (record->reg.bits ? record->reg.bits : 1u) - 1u;
    touch->low = (uint16_t)low;
    touch->high = (uint16_t)high;
}

/* True if the record writes any of the requested bits. */
static bool touch_writes_part(const struct touch *touch, const struct machine_part *part)
{
    return !part->bits ||
           (touch->low < part->low + (unsigned)part->bits && touch->high >= part->low);
}

static bool touch_register(struct touch_search *search, const struct explorer_visit *visited)
{
    const struct subject *subject = search->subject;
    struct machine *machine = &search->explorer->machine;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    struct touch *touch = &search->touch;
    if (visited->cpu != subject->cpu) return false;
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        const bool flags = subject->part.name == machine_uop_flags(machine);
        touch_begin(touch, visited);
        touch->high = UINT16_MAX;
        touch->writes = flags ? (record->op & SPOOR_UOP_WRITES_FLAGS)
                              : machine_uop_register(machine, uop.dest) == subject->part.name;
    } else if (record->kind == SPOOR_REG && record->op != SPOOR_REG_SYSTEM) {
        const struct machine_register reg = machine_register(machine, record);
        if (reg.name != subject->part.name || reg.zero) return false;
        touch_begin(touch, visited);
        touch_register_bits(touch, record, &reg);
        if (!touch_writes_part(touch, &subject->part) ||
            operand_keeps(machine, visited->place, &subject->part))
            return false;
        touch->writes = record->op == SPOOR_REG_WRITE;
        touch->reads = record->op == SPOOR_REG_READ;
        touch_register_value(touch, visited, &reg, &subject->part);
    } else if (record->kind != SPOOR_INSN) {
        return false;
    }
    if (search->reads && operand_reads(machine, visited, &subject->part)) {
        if (!touch->writes) touch_begin(touch, visited);
        touch->reads = true;
    }
    return touch->writes || touch->reads;
}

/* ---- memory ---- */

void touch_memory_value(struct touch *touch, const struct explorer_visit *visited,
                        const struct memory_place *place, const struct access *access,
                        uint64_t from, uint64_t to)
{
    struct text text = {0};
    const bool physical = place->has_pa && access->has_pa;
    /* offset from the place; it may wrap */
    const uint64_t begin = physical ? place->pa - access->pa : place->va - access->va;
    bool any = false;
    text_puts(&text, "0x");
    for (uint64_t i = from; i < to; i++) { /* the highest digits first */
        const uint64_t at = access->big ? i : to - 1 - (i - from);
        uint8_t value = 0;
        const bool known = access_byte(visited->batch, visited->index, access,
                                       (uint32_t)(begin + at), &value) == BYTE_KNOWN;
        if (known)
            text_printf(&text, "%02x", value);
        else
            text_puts(&text, "??");
        any |= known;
    }
    if (any) touch_put_value(touch, &text);
    text_free(&text);
}

static bool touch_memory(struct touch_search *search, const struct explorer_visit *visited)
{
    const struct memory_place *place = &search->subject->place;
    struct access access;
    uint64_t from, to;
    uint8_t value;
    struct touch *touch = &search->touch;
    if (!explorer_access(search->explorer, visited, &access) ||
        !place_touched(place, &access, &from, &to))
        return false;
    const bool physical = place->has_pa && access.has_pa;
    const uint64_t begin = physical ? place->pa - access.pa : place->va - access.va;
    uint64_t at = from; /* of the first byte that it touches, not only bytes around it */
    while (at < to && access_byte(visited->batch, visited->index, &access, (uint32_t)(begin + at),
                                  &value) == BYTE_UNTOUCHED)
        at++;
    if (at == to) return false;
    touch_begin(touch, visited);
    touch->writes = access.does & ACCESS_WRITES;
    touch->reads = access.does & ACCESS_READS;
    touch_memory_value(touch, visited, place, &access, from, to);
    return touch->writes || (touch->reads && search->reads);
}

/* ---- search ---- */

static bool touch_any(struct touch_search *search, const struct explorer_visit *visited)
{
    search->touch.writes = search->touch.reads = false;
    const bool touches = search->subject->is_memory ? touch_memory(search, visited)
                                                    : touch_register(search, visited);
    search->failed |= search->touch.failed;
    return touches;
}

bool explorer_touch(struct explorer *explorer, const struct subject *subject,
                    const struct explorer_visit *visited, struct touch *touch)
{
    struct touch_search search = {.explorer = explorer, .subject = subject, .reads = true};
    const bool touches = touch_any(&search, visited);
    *touch = search.touch;
    return touches;
}

static bool touch_keep_write(void *context, const struct explorer_visit *visited)
{
    struct touch_search *search = context;
    const struct touch before = search->touch;
    if (touch_any(search, visited) && search->touch.writes) {
        search->found = true;
        return !search->first;
    }
    search->touch = before;
    return true;
}

static bool touch_may_write(const struct explorer *explorer, size_t segment,
                            const struct subject *subject)
{
    return subject->is_memory
               ? explorer_segment_writes(explorer, segment, &subject->place)
               : index_writes(explorer->index, segment, subject->cpu, subject->part.name);
}

enum spoor_status explorer_last_write(struct explorer *explorer, const struct subject *subject,
                                      uint64_t moment, struct touch *touch,
                                      struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct touch_search search = {.explorer = explorer, .subject = subject};
    if (index->count == 0) return SPOOR_END;
    if (subject->is_memory && explorer_find_hosted(explorer, error) != SPOOR_OK)
        return error->status;
    for (size_t i = index_segment_of(index, moment) + 1; i-- > 0 && !search.found;) {
        if (!touch_may_write(explorer, i, subject)) continue;
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, 0, moment, touch_keep_write, &search, error);
        if (status < SPOOR_OK) return status;
    }
    if (search.failed) return explorer_no_memory(explorer, error);
    if (search.found) *touch = search.touch;
    return search.found ? SPOOR_OK : SPOOR_END;
}

/* The last writers of a register's bytes, of those that a segment writes. */
struct byte_writers {
    struct touch_search search;
    struct spoor_byte bytes[SPOOR_REGISTER_BYTES];
    size_t count;
};

static bool touch_keep_writers(void *context, const struct explorer_visit *visited)
{
    struct byte_writers *writers = context;
    struct touch_search *search = &writers->search;
    const struct machine_part *whole = &search->subject->part;
    if (!touch_any(search, visited) || !search->touch.writes) return !search->failed;
    for (size_t i = 0; i < writers->count; i++) {
        const struct machine_part byte = {whole->name, (uint16_t)(whole->low + 8 * i), 8};
        if (touch_writes_part(&search->touch, &byte) &&
            !operand_keeps(&search->explorer->machine, visited->place, &byte))
            writers->bytes[i] = (struct spoor_byte){.has_writer = true, .writer = visited->record};
    }
    return !search->failed;
}

enum spoor_status explorer_byte_writers(struct explorer *explorer, const struct subject *subject,
                                        uint64_t moment, size_t count, struct spoor_byte *bytes,
                                        struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct byte_writers writers = {.search = {.explorer = explorer, .subject = subject},
                                   .count = count};
    size_t left = count;
    memset(bytes, 0, count * sizeof *bytes);
    for (size_t i = index->count ? index_segment_of(index, moment) + 1 : 0; i-- > 0 && left > 0;) {
        if (!touch_may_write(explorer, i, subject)) continue;
        memset(writers.bytes, 0, sizeof writers.bytes);
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, 0, moment, touch_keep_writers, &writers, error);
        if (writers.search.failed) return explorer_no_memory(explorer, error);
        if (status < SPOOR_OK) return status;
        for (size_t byte = 0; byte < count; byte++) {
            if (bytes[byte].has_writer || !writers.bytes[byte].has_writer) continue;
            bytes[byte] = writers.bytes[byte];
            left--;
        }
    }
    return SPOOR_OK;
}

struct opcode_search {
    struct explorer *explorer;
    struct opcode_writes *into;
    bool failed; /* memory ran out */
};

static bool touch_note_opcode_write(void *context, const struct explorer_visit *visited)
{
    struct opcode_search *search = context;
    struct opcode_writes *into = search->into;
    uint16_t low, high;
    if (visited->cpu != into->cpu || visited->place->record != visited->record ||
        !operand_writes(&search->explorer->machine, visited, &into->part, &low, &high))
        return true;
    if (!array_reserve(&into->writes, &into->capacity, into->count + 1)) {
        search->failed = true;
        return false;
    }
    into->writes[into->count++] = (struct opcode_write){visited->record, low, high};
    return true;
}

static bool touch_is_same_part(const struct machine_part *one, const struct machine_part *other)
{
    return one->name == other->name && one->low == other->low && one->bits == other->bits;
}

/* The list of a segment, found if it is not known; NULL with the error. */
static const struct opcode_writes *touch_opcode_writes(struct explorer *explorer, size_t segment,
                                                       const struct subject *subject,
                                                       struct spoor_error *error)
{
    struct opcode_writes *list = &explorer->opcode_writes[0];
    const uint64_t now = ++explorer->clock;
    for (size_t i = 0; i < OPCODE_WRITES; i++) {
        struct opcode_writes *known = &explorer->opcode_writes[i];
        if (known->used && known->segment == segment && known->cpu == subject->cpu &&
            touch_is_same_part(&known->part, &subject->part)) {
            known->used = now;
            return known;
        }
        if (known->used < list->used) list = known;
    }
    list->used = list->count = 0;
    list->segment = segment;
    list->cpu = subject->cpu;
    list->part = subject->part;
    struct opcode_search search = {explorer, list, false};
    const enum spoor_status status = explorer_visit_segment(
        explorer, segment, 0, UINT64_MAX, touch_note_opcode_write, &search, error);
    if (search.failed) explorer_no_memory(explorer, error);
    if (search.failed || status < SPOOR_OK) return NULL;
    list->used = now;
    return list;
}

static bool touch_begin_found(void *context, const struct explorer_visit *visited)
{
    touch_begin(context, visited);
    return false;
}

enum spoor_status explorer_last_unstated(struct explorer *explorer, const struct subject *subject,
                                         uint64_t moment, struct touch *touch,
                                         struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const struct opcode_write *found = NULL;
    touch->record = 0;
    if (index->count == 0) return SPOOR_END;
    struct unwritten_part *unwritten =
        NULL; /* the search of this part that found no opcode at all */
    for (unsigned i = 0; i < UNWRITTEN && !unwritten; i++) {
        struct unwritten_part *known = &explorer->unwritten[i];
        if (known->moment && known->cpu == subject->cpu &&
            touch_is_same_part(&known->part, &subject->part))
            unwritten = known;
    }
    if (unwritten && moment <= unwritten->moment) return SPOOR_END;
    const size_t last = index_segment_of(index, moment);
    for (size_t i = last + 1; i-- > 0 && !found && last - i < UNSTATED_SEGMENTS;) {
        touch->record = index->segments[i].place.record;
        const struct opcode_writes *list = touch_opcode_writes(explorer, i, subject, error);
        if (!list) return error->status;
        const size_t before = SORTED_BELOW(list->writes, list->count, record, moment);
        if (before) found = &list->writes[before - 1];
    }
    if (found) {
        const enum spoor_status status = explorer_visit(explorer, found->record, found->record + 1,
                                                        touch_begin_found, touch, error);
        touch->low = found->low;
        touch->high = found->high;
        return status;
    }
    if (touch->record) return SPOOR_END;
    if (!unwritten) unwritten = &explorer->unwritten[explorer->unwritten_oldest++ % UNWRITTEN];
    *unwritten = (struct unwritten_part){subject->cpu, subject->part, moment};
    return SPOOR_END;
}

enum spoor_status explorer_next_write(struct explorer *explorer, const struct subject *subject,
                                      uint64_t moment, struct touch *touch,
                                      struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct touch_search search = {.explorer = explorer, .subject = subject, .first = true};
    if (index->count == 0) return SPOOR_END;
    if (subject->is_memory && explorer_find_hosted(explorer, error) != SPOOR_OK)
        return error->status;
    for (size_t i = index_segment_of(index, moment); i < index->count && !search.found; i++) {
        if (!touch_may_write(explorer, i, subject)) continue;
        const enum spoor_status status = explorer_visit_segment(explorer, i, moment, UINT64_MAX,
                                                                touch_keep_write, &search, error);
        if (status < SPOOR_OK) return status;
    }
    if (search.failed) return explorer_no_memory(explorer, error);
    if (search.found) *touch = search.touch;
    return search.found ? SPOOR_OK : SPOOR_END;
}

static bool touch_pass_on(void *context, const struct explorer_visit *visited)
{
    struct touch_search *search = context;
    return !touch_any(search, visited) || search->function(search->context, &search->touch);
}

enum spoor_status explorer_touches(struct explorer *explorer, const struct subject *subject,
                                   uint64_t from, uint64_t to, touch_function *function,
                                   void *context, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct touch_search search = {.explorer = explorer,
                                  .subject = subject,
                                  .reads = true,
                                  .function = function,
                                  .context = context};
    if (index->count == 0) return SPOOR_OK;
    if (subject->is_memory && explorer_find_hosted(explorer, error) != SPOOR_OK)
        return error->status;
    for (size_t i = index_segment_of(index, from); i < index->count; i++) {
        if (index->segments[i].place.record >= to) break;
        if (subject->is_memory && !explorer_segment_writes(explorer, i, &subject->place) &&
            !segment_reads(index, i, &subject->place))
            continue;
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, from, to, touch_pass_on, &search, error);
        if (search.failed) return explorer_no_memory(explorer, error);
        if (status != SPOOR_OK) return status < SPOOR_OK ? status : SPOOR_OK;
    }
    return SPOOR_OK;
}
