/* SPDX-License-Identifier: MIT */
/*
 * learn.c: learns the layout of a line that the rules parsed.
 *
 * A new layout is tested at once on the same line: if it does not produce the records of the rules,
 * it is never used.
 */
#include "base/scan.h"
#include "base/simd_text.h"
#include "formats/text/layout.h"
#include "model/layout.h"

enum {
    MAX_SPACES = 6,
    LINE_OF_CACHE = 64,
    ARENA_UNIT = 8, /* bytes */
    REACH = (TEXT_RECORDS * (int)sizeof(struct spoor_record)) - (int)sizeof(uint64_t),
};

/* A layout under construction. */
struct layout_draft {
    const struct text_facts *learning;
    const struct spoor_batch *batch;
    struct text_run run;
    const char *line, *next;
    struct text_pieces pieces;
    const char *rest; /* the end of a text in the middle of the line; else the line */
    size_t region;    /* bytes that lines of the layout have in common, but for digits */
    struct text_shape shape;
    _Alignas(SIMD_BYTES) uint8_t same[TEXT_LINE]; /* of the shape */
    uint8_t bytes[TEXT_LINE];                     /* of the layout */
    struct text_layout layout;
    struct spoor_record records[TEXT_RECORDS];
    struct text_extras extras;
    bool has_extras;
};

/* True if the line made records that it determines by itself. */
static bool learn_is_plain(const struct text_facts *learning, const struct spoor_batch *batch,
                           const char *next)
{
    const size_t records = batch->count - learning->first;
    if (learning->refused || batch->out_of_memory || next[-1] != '\n' || records == 0 ||
        records > TEXT_RECORDS || batch->fault_count != learning->faults)
        return false;
    for (size_t i = 0; i < records; i++)
        if (batch->records[learning->first + i].kind == SPOOR_NOTE) return false;
    return true;
}

/* The place in the layout of a byte of the line, but of the text in its middle. */
static size_t learn_place(const struct layout_draft *draft, const char *at)
{
    const size_t split = TEXT_BLOCK * draft->pieces.head_blocks;
    return at >= draft->rest ? split + (size_t)(at - draft->rest) : (size_t)(at - draft->line);
}

/* True for bytes that lines of the layout have in common. */
static bool learn_is_inside(const struct layout_draft *draft, const char *bytes, size_t size)
{
    return bytes >= draft->line && bytes + size <= draft->next &&
           (bytes >= draft->rest || bytes + size <= draft->pieces.middle.begin) &&
           learn_place(draft, bytes) + size <= draft->region;
}

/* Finds the bytes that lines of the layout have in common, and the spaces before the tail; false if
 * these do not follow the mark, or others follow the tail. */
static bool learn_find_region(struct layout_draft *draft)
{
    struct text_extras *extras = &draft->extras;
    const char *tail = draft->learning->tail;
    const struct text_rules *rules = draft->run.rules;
    struct text_pieces *pieces = &draft->pieces;
    draft->rest = draft->line;
    if (rules->find_middle) {
        text_cut(pieces, rules, draft->line, draft->next - 1);
        draft->rest = pieces->middle.end;
    }
    draft->shape.head = (uint16_t)pieces->head;
    draft->shape.head_blocks = (uint8_t)pieces->head_blocks;
    draft->shape.blocks =
        (uint8_t)(pieces->head ? text_key_of_pieces(pieces, draft->line, &draft->shape.key)
                               : text_key_of(draft->line, draft->run.end, tail ? rules->mark : NULL,
                                             &draft->shape.key));
    if (draft->shape.blocks == 0) return false;
    const unsigned block = draft->shape.blocks - 1U;
    const size_t stop =
        TEXT_BLOCK * block + 63 - (unsigned)__builtin_clzll(draft->shape.key.words[block]);
    draft->region = stop + 1;
    draft->layout.size = (uint16_t)draft->region;
    if (!tail) return draft->region == learn_place(draft, draft->next);
    const char *begin = draft->line + stop + TEXT_MARK;
    const bool crlf = draft->next[-2] == '\r';
    const char *last = draft->next - 2 - crlf;
    if (tail < begin || tail > begin + MAX_SPACES || last < tail || *last == ' ') return false;
    for (const char *at = begin; at < tail; at++)
        if (*at != ' ') return false;
    draft->has_extras = extras->has_tail = true;
    extras->tail_gap = (uint8_t)(tail - begin);
    extras->tail_crlf = crlf;
    memcpy(extras->tail_refused, draft->learning->refuse, sizeof extras->tail_refused);
    return true;
}

/* Adds a number to the shape; false if it is in no record, or not in the region. */
static bool learn_put_number(struct layout_draft *draft, const struct text_field *field,
                             uint8_t group)
{
    const size_t at = learn_place(draft, field->begin);
    const char *point =
        field->style & TEXT_SECONDS ? memchr(field->begin, '.', field->digits) : NULL;
    const size_t whole = point ? (size_t)(point - field->begin) : field->digits;
    const bool leading = (field->style & TEXT_LEADING) && whole > 1;
    if (!learn_is_inside(draft, field->begin, field->digits) || field->place > REACH) return false;
    draft->shape.numbers[draft->shape.number_count++] =
        (struct text_number){.at = (uint16_t)at,
                             .size = field->digits,
                             .others = (uint8_t)(SIMD_BYTES - field->digits),
                             .place = (uint8_t)field->place,
                             .group = group,
                             .refused = leading && *field->begin != '0' ? '0' : UINT8_MAX,
                             .point = point ? (uint8_t)whole : 0};
    memset(draft->same + at, 0, field->digits);
    if (point) draft->same[at + whole] = UINT8_MAX;
    if (leading && *field->begin == '0') draft->same[at] = UINT8_MAX;
    return true;
}

static bool learn_put_numbers(struct layout_draft *draft)
{
    const struct text_facts *learning = draft->learning;
    unsigned groups = 0;
    memset(draft->same, UINT8_MAX, draft->region);
    if (draft->pieces.head)
        memset(draft->same + draft->pieces.head, 0,
               TEXT_BLOCK * draft->pieces.head_blocks - draft->pieces.head);
    for (unsigned i = 0; i < learning->count; i++) {
        const struct text_field *field = &learning->fields[i];
        if (field->style & TEXT_DECIMAL) continue;
        groups += !(field->style & TEXT_JOINED);
        const bool grouped = groups && groups <= TEXT_GROUPS;
        if (!learn_put_number(draft, field, grouped ? (uint8_t)(1U << (groups - 1)) : 0))
            return false;
        draft->shape.hex_count++;
    }
    for (unsigned i = 0; i < learning->count; i++)
        if ((learning->fields[i].style & TEXT_DECIMAL) &&
            !learn_put_number(draft, &learning->fields[i], 0))
            return false;
    for (unsigned i = 0; i < learning->fixed_count; i++)
        if (learn_is_inside(draft, learning->fixed[i], 1))
            draft->same[learn_place(draft, learning->fixed[i])] = UINT8_MAX;
    for (unsigned i = 0; i < draft->region; i++)
        if (draft->same[i])
            draft->bytes[i] =
                (uint8_t)*text_at(text_split(&draft->shape), draft->line, draft->rest, i);
    return true;
}

/* ---- its records ---- */

static bool learn_put_ref(struct layout_draft *draft, size_t place, size_t at)
{
    struct text_extras *extras = &draft->extras;
    if (extras->ref_count == TEXT_REFS) return false;
    extras->ref_place[extras->ref_count] = (uint8_t)place;
    extras->ref_at[extras->ref_count++] = (uint16_t)at;
    return draft->has_extras = true;
}

/* Stores the records, whose references to the line's text become relative to the line; false if one
 * refers to other bytes. */
static bool learn_put_records(struct layout_draft *draft)
{
    const struct text_facts *learning = draft->learning;
    draft->layout.record_count = (uint16_t)(draft->batch->count - learning->first);
    for (size_t i = 0; i < draft->layout.record_count; i++) {
        struct spoor_record *record = &draft->records[i];
        *record = draft->batch->records[learning->first + i];
        const uint8_t offset = record_layouts[record->kind].refs[0];
        if (offset == 0) continue;
        struct spoor_ref *ref = layout_ref(record, offset);
        const char *bytes = draft->batch->text + (ref->at & ~SPOOR_REF_ARENA);
        const size_t place = i * sizeof *record + offset;
        const bool in_text = !(ref->at & SPOOR_REF_ARENA) && bytes >= draft->line &&
                             bytes + ref->size <= draft->next;
        /* an empty reference may point anywhere, also to the beginning of the text */
        if (!in_text && ref->size == 0) continue;
        if (!in_text || (ref->size == 0 && ref->at == 0)) return false;
        if (draft->pieces.head && bytes == draft->pieces.middle.begin) {
            if (ref->size != draft->pieces.middle.size || draft->extras.middle_place) return false;
            draft->extras.middle_place = (uint8_t)place;
            draft->has_extras = true;
            *ref = (struct spoor_ref){0, 0};
        } else if (bytes == learning->tail) {
            draft->extras.tail_place = (uint8_t)place;
            *ref = (struct spoor_ref){0, 0};
        } else if (!learn_is_inside(draft, bytes, ref->size) ||
                   !learn_put_ref(draft, place, learn_place(draft, bytes))) {
            return false;
        }
    }
    if ((learning->tail && !draft->extras.tail_place) ||
        (draft->pieces.head && !draft->extras.middle_place))
        return false;
    draft->records[0].spelling = SPOOR_NAMES_FULL;
    return !learning->has_word_place || learn_put_ref(draft, learning->word_place, 0);
}

/* Stores what the records spill; false if that is not in the line, and not short. */
static bool learn_put_spills(struct layout_draft *draft)
{
    const struct spoor_batch *batch = draft->batch;
    const struct text_facts *learning = draft->learning;
    const size_t count = batch->spill_count - learning->spills;
    size_t kept = 0;
    if (count > TEXT_SPILLS) return false;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_spill *from = &batch->spills[learning->spills + i];
        struct text_spill *to = &draft->extras.spills[i];
        const char *bytes = spoor_batch_bytes(batch, from->ref);
        const size_t size = from->ref.size;
        to->record = (uint8_t)(from->record - learning->first);
        to->what = (uint8_t)from->what;
        to->size = from->ref.size;
        to->kept = from->ref.at & SPOOR_REF_ARENA;
        if (from->record < learning->first || (to->kept && size > sizeof to->bytes) ||
            (!to->kept && !(size && learn_is_inside(draft, bytes, size))))
            return false;
        if (to->kept)
            memcpy(to->bytes, bytes, size);
        else
            to->at = (uint16_t)learn_place(draft, bytes);
        kept += to->kept ? (size + ARENA_UNIT - 1) / ARENA_UNIT * ARENA_UNIT : 0;
    }
    draft->extras.spill_count = (uint8_t)count;
    draft->has_extras |= count > 0;
    return kept == batch->arena_size - learning->arena;
}

/* ---- storing ---- */

static void *learn_store(struct text_memory *memory, const void *item, size_t size)
{
    void *stored = text_item(memory, memory->used);
    memcpy(stored, item, size);
    memory->used += (uint32_t)((size + LINE_OF_CACHE - 1) / LINE_OF_CACHE * LINE_OF_CACHE);
    return stored;
}

static const struct text_shape *learn_keep_shape(struct text_memory *memory,
                                                 const struct layout_draft *draft)
{
    const struct text_shape *own = &draft->shape;
    uint32_t *slot = text_shape_slot(memory, &own->key, own->blocks);
    for (uint32_t offset = *slot; offset;) {
        const struct text_shape *shape = text_item(memory, offset);
        if (shape->blocks == own->blocks && shape->number_count == own->number_count &&
            shape->head == own->head &&
            memcmp(shape->numbers, own->numbers, sizeof shape->numbers) == 0 &&
            memcmp(&shape->key, &own->key, sizeof shape->key) == 0 &&
            memcmp(text_same(shape), draft->same, TEXT_BLOCK * own->blocks) == 0)
            return shape;
        offset = shape->next;
    }
    struct text_shape *shape = learn_store(memory, own, sizeof *own);
    learn_store(memory, draft->same, TEXT_BLOCK * own->blocks);
    shape->next = *slot;
    *slot = text_offset(memory, shape);
    return shape;
}

/* The layout is never used again.  Others may still name it as the one that follows them. */
static void learn_drop_layout(struct text_layout *layout, uint32_t *link)
{
    layout->shape = 0;
    *link = layout->next;
}

static void learn_put_spelling(struct text_layout *layout, const struct layout_draft *draft,
                               unsigned cases, spoor_name spelling)
{
    struct spoor_record *first = (void *)(uintptr_t)text_records(layout, draft->shape.blocks);
    layout->spellings[cases] = spelling;
    if (cases == 0) first->spelling = spelling;
}

/* True if the known layouts produce the records of the rules from this line. */
static bool learn_is_true(const struct layout_draft *draft)
{
    struct spoor_record records[TEXT_RECORDS];
    struct text_run run = draft->run;
    const size_t count = draft->layout.record_count;
    run.at = draft->line;
    run.records = records;
    run.stop = records + 1;
    text_run(&run);
    return run.at == draft->next && (size_t)(run.records - records) == count &&
           memcmp(records, draft->batch->records + draft->learning->first,
                  count * sizeof *records) == 0;
}

/* Stores the layout; or if it is known, its spelling with other letters in upper case. */
static void learn_keep_layout(struct text_memory *memory, struct layout_draft *draft,
                              unsigned cases)
{
    const struct text_shape *shape = learn_keep_shape(memory, draft);
    const spoor_name spelling = draft->batch->records[draft->learning->first].spelling;
    const uint64_t sum = shape->head
                             ? text_pieces_sum(shape, draft->line, draft->rest)
                             : simd_sum(draft->line, draft->same, TEXT_BLOCK * shape->blocks);
    draft->layout.shape = text_offset(memory, shape);
    uint32_t *slot = text_layout_slot(memory, sum, draft->layout.shape), *link = slot;
    struct text_layout *known = NULL;
    while (*link && !known) {
        struct text_layout *layout = text_item(memory, *link);
        if (layout->shape != draft->layout.shape ||
            memcmp(text_bytes(layout), draft->bytes, TEXT_BLOCK * shape->blocks) != 0) {
            link = &layout->next;
            continue;
        }
        /* only tails can differ where the bytes do not */
        const struct text_extras *extras = text_extras(layout), *own = &draft->extras;
        const bool alike = extras && draft->has_extras ? extras->has_tail == own->has_tail &&
                                                             extras->tail_gap == own->tail_gap &&
                                                             extras->tail_crlf == own->tail_crlf
                                                       : !extras && !draft->has_extras;
        if (alike)
            known = layout;
        else
            learn_drop_layout(layout, link);
    }
    struct text_layout *layout = known;
    if (!known) {
        layout = learn_store(memory, &draft->layout, sizeof draft->layout);
        learn_store(memory, draft->bytes, TEXT_BLOCK * shape->blocks);
        learn_store(memory, draft->records, draft->layout.record_count * sizeof *draft->records);
        const uint32_t end = memory->used;
        if (draft->has_extras) learn_store(memory, &draft->extras, sizeof draft->extras);
        layout->extras = draft->has_extras ? end - text_offset(memory, layout) : 0;
        layout->next = *slot;
        *slot = text_offset(memory, layout);
    }
    const spoor_name before = layout->spellings[cases];
    learn_put_spelling(layout, draft, cases, spelling);
    if (learn_is_true(draft)) return;
    learn_put_spelling(layout, draft, cases, before);
    if (!known) learn_drop_layout(layout, slot);
}

void text_learn(struct text_memory *memory, const struct text_rules *rules,
                const struct text_reader *reading, const char *next)
{
    enum {
        MOST = sizeof(struct layout_draft) + 4 * LINE_OF_CACHE,
        NONE = sizeof(struct text_shape) + sizeof(struct text_layout)
    };
    const struct spoor_batch *batch = reading->batch;
    const struct text_facts *learning = reading->learning;
    unsigned cases = 0;
    if (!learn_is_plain(learning, batch, next)) return;
    struct layout_draft draft = {
        .learning = learning,
        .batch = batch,
        .line = learning->line,
        .next = next,
        .run = {.memory = memory,
                .rules = rules,
                .text = batch->text,
                .end = batch->text + batch->text_size},
    };
    struct text_extras *extras = &draft.extras;
    if (!learn_find_region(&draft) || !learn_put_numbers(&draft) || !learn_put_records(&draft) ||
        !learn_put_spills(&draft))
        return;
    for (unsigned i = 0; i < learning->copy_count; i++) {
        if (learning->copies[i].place > REACH) return;
        extras->copies[extras->copy_count++] = learning->copies[i];
    }
    extras->low_bits = (uint8_t)learning->low_bits;
    extras->low_place = (uint8_t)learning->low_place;
    draft.has_extras |= extras->copy_count || extras->low_bits;
    if (!text_find_cases(&draft.shape, draft.line, draft.rest, &cases)) return;
    memset(draft.layout.spellings, UINT8_MAX, sizeof draft.layout.spellings);
    /* offset 0 is none: a shape or a layout of zeros */
    if (memory->used == 0) memory->used = NONE;
    if (memory->used + MOST > memory->size) { /* no room for both: everything is forgotten */
        memset(memory->shapes, 0, sizeof memory->shapes);
        memset(memory->layouts, 0, sizeof memory->layouts);
        memset(memory->items, 0, NONE);
        memory->used = NONE;
        memset(memory->followers, 0, sizeof memory->followers);
        memory->history = memory->last = 0;
        memory->wide = false;
    }
    memory->wide |= draft.region > TEXT_NARROW;
    learn_keep_layout(memory, &draft, cases);
}
