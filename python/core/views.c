/* SPDX-License-Identifier: MIT */
/*
 * views.c: references, branches and instructions as blocks.
 *
 * References and branches are the library's own arrays, handed over without a copy.  An instruction
 * has pointers, so it becomes a row of 64 bytes, and its effects rows of another block.
 */
#include "core.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char reference_format[] = "T{Q:address:Q:pc:I:size:H:cpu:B:op:B:has:}";
const char branch_format[] = "T{Q:pc:Q:target:Q:fall:I:gap:H:cpu:B:type:B:has:}";

/* What a reader gives: None at the end, the exception, or the block. */
static PyObject *give(struct reader_object *self, PyObject *block, enum spoor_status status,
                      const struct spoor_error *error)
{
    if (status == SPOOR_OK) return block;
    Py_DECREF(block);
    if (PyErr_Occurred()) return NULL; /* closed */
    return status == SPOOR_END ? Py_NewRef(Py_None) : raise_of_reader(self, error);
}

/* The next batch of those records that the expression accepts, in filter->batch. */
static enum spoor_status next_chosen(struct reader_object *self, struct filter *filter,
                                     struct spoor_error *error)
{
    const struct spoor_batch *batch;
    const enum spoor_status status = spoor_reader_next(self->reader, &batch, error);
    if (status != SPOOR_OK) return status;
    return filter_batch(filter, self->select, batch, error);
}

/* ---- references ---- */

static enum spoor_status read_references(struct reader_object *self, struct block_object *block,
                                         const struct spoor_reference_options *options,
                                         struct spoor_error *error)
{
    struct spoor_reference_block next = {.struct_size = sizeof next};
    const enum spoor_status status =
        spoor_reader_next_references(self->reader, options, &next, error);
    if (status != SPOOR_OK) return status;
    block->items = next.items;
    block->count = (Py_ssize_t)next.count;
    return spoor_reader_keep(self->reader, &block->memory, error);
}

/* Of records that an expression chose: the array that they are added to changes hands. */
static enum spoor_status choose_references(struct reader_object *self, struct block_object *block,
                                           const struct spoor_reference_options *options,
                                           struct spoor_error *error)
{
    struct filter filter = {0};
    struct spoor_references *made = &self->references;
    enum spoor_status status = next_chosen(self, &filter, error);
    made->count = 0;
    if (status == SPOOR_OK) status = spoor_references_add(made, &filter.batch, options, error);
    filter_free(&filter);
    if (status != SPOOR_OK) return status;
    block->owned = made->items;
    block->items = made->items;
    block->count = (Py_ssize_t)made->count;
    made->items = NULL;
    made->count = made->capacity = 0;
    return SPOOR_OK;
}

/* ---- one member of all items ---- */

struct member {
    const char *name, *format;
    size_t at, size;
};
#define MEMBER(type, name, format)                                     \
    {                                                                  \
#name, format, offsetof(type, name), sizeof(((type *)0)->name) \
    }
static const struct member reference_members[] = {MEMBER(struct spoor_reference, address, "Q"),
                                                  MEMBER(struct spoor_reference, pc, "Q"),
                                                  MEMBER(struct spoor_reference, size, "I"),
                                                  MEMBER(struct spoor_reference, cpu, "H"),
                                                  MEMBER(struct spoor_reference, op, "B"),
                                                  MEMBER(struct spoor_reference, has, "B"),
                                                  {0}};
static const struct member branch_members[] = {
    MEMBER(struct spoor_branch, pc, "Q"),   MEMBER(struct spoor_branch, target, "Q"),
    MEMBER(struct spoor_branch, fall, "Q"), MEMBER(struct spoor_branch, gap, "I"),
    MEMBER(struct spoor_branch, cpu, "H"),  MEMBER(struct spoor_branch, type, "B"),
    MEMBER(struct spoor_branch, has, "B"),  {0}};

struct gathering {
    const struct member *member;
    bool branches;
    struct spoor_reference_options options;
    size_t item_size, count, capacity;
    void *bytes;
};

/* The next items, wherever they are made. */
static enum spoor_status next_items(struct reader_object *self, const struct gathering *gathering,
                                    const void **items, size_t *count, struct spoor_error *error)
{
    struct spoor_reference_block references = {0};
    struct spoor_branch_block branches = {0};
    const enum spoor_status status =
        gathering->branches
            ? spoor_reader_next_branches(self->reader, &branches, error)
            : spoor_reader_next_references(self->reader, &gathering->options, &references, error);
    *items = gathering->branches ? (const void *)branches.items : references.items;
    *count = gathering->branches ? branches.count : references.count;
    return status;
}

static void copy_members(const struct gathering *gathering, const void *items, size_t count)
{
    const size_t size = gathering->member->size;
    const char *from = (const char *)items + gathering->member->at;
    char *to = (char *)gathering->bytes + gathering->count * size;
    if (size == sizeof(uint64_t)) /* of a constant size, it is one instruction */
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * sizeof(uint64_t), from + i * gathering->item_size, sizeof(uint64_t));
    else
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * size, from + i * gathering->item_size, size);
}

static enum spoor_status gather(struct reader_object *self, struct gathering *gathering,
                                struct spoor_error *error)
{
    const void *items;
    size_t count;
    enum spoor_status status;
    while ((status = next_items(self, gathering, &items, &count, error)) == SPOOR_OK) {
        if (gathering->count + count > gathering->capacity) {
            const size_t capacity = 2 * (gathering->count + count);
            void *grown = realloc(gathering->bytes, capacity * gathering->member->size);
            if (!grown) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
            gathering->bytes = grown;
            gathering->capacity = capacity;
        }
        copy_members(gathering, items, count);
        gathering->count += count;
    }
    return status;
}

static bool refuse_field(const struct core *core, const char *field, bool branches)
{
    const struct member *member = branches ? branch_members : reference_members;
    struct spoor_error error = {.status = SPOOR_EUSAGE};
    int used =
        snprintf(error.text, sizeof error.text, "found field '%.40s', expected one of", field);
    for (const char *comma = ""; member->name; member++, comma = ",")
        used += snprintf(error.text + used, sizeof error.text - (size_t)used, "%s %s", comma,
                         member->name);
    raise_error(core, NULL, &error);
    return false;
}

static bool read_gathering(const struct core *core, PyObject *words, PyObject *named,
                           struct gathering *gathering)
{
    static char *names[] = {"field",    "branches",    "bus",         "tarmac_bus",
                            "physical", "pc_by_order", "update_once", NULL};
    const char *field;
    int branches = 0, bus = 0, tarmac = 0, physical = 0, by_order = 0, once = 0;
    if (!PyArg_ParseTupleAndKeywords(words, named, "s|pipppp", names, &field, &branches, &bus,
                                     &tarmac, &physical, &by_order, &once))
        return false;
    *gathering = (struct gathering){.branches = branches,
                                    .options = {.struct_size = sizeof gathering->options,
                                                .bus = (enum spoor_bus_selection)bus,
                                                .tarmac_bus = tarmac,
                                                .physical = physical,
                                                .pc_by_order = by_order,
                                                .update_once = once},
                                    .item_size = branches ? sizeof(struct spoor_branch)
                                                          : sizeof(struct spoor_reference)};
    const struct member *member = branches ? branch_members : reference_members;
    while (member->name && strcmp(member->name, field) != 0) member++;
    gathering->member = member;
    return member->name || refuse_field(core, field, branches);
}

PyObject *reader_gather(PyObject *object, PyObject *words, PyObject *named)
{
    struct reader_object *self = (struct reader_object *)object;
    struct spoor_error error = {0};
    struct gathering gathering;
    enum spoor_status status = SPOOR_EUSAGE; /* closed */
    if (!read_gathering(self->core, words, named, &gathering)) return NULL;
    struct block_object *block = block_new(self->core->block, self->core, self);
    if (!block) return NULL;
    reader_lock(self);
    if (reader_is_open(self)) {
        Py_BEGIN_ALLOW_THREADS;
        status = gather(self, &gathering, &error);
        Py_END_ALLOW_THREADS;
    }
    reader_unlock(self);
    block->owned = gathering.bytes;
    block->items = gathering.bytes;
    block->count = (Py_ssize_t)gathering.count;
    block->item_size = (Py_ssize_t)gathering.member->size;
    block->format = gathering.member->format;
    return give(self, (PyObject *)block, status == SPOOR_END ? SPOOR_OK : status, &error);
}

PyObject *reader_next_references(PyObject *object, PyObject *words, PyObject *named)
{
    static char *names[] = {"bus", "tarmac_bus", "physical", "pc_by_order", "update_once", NULL};
    struct reader_object *self = (struct reader_object *)object;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_END;
    int bus = 0, tarmac = 0, physical = 0, by_order = 0, once = 0;
    if (!PyArg_ParseTupleAndKeywords(words, named, "|ipppp", names, &bus, &tarmac, &physical,
                                     &by_order, &once))
        return NULL;
    const struct spoor_reference_options options = {.struct_size = sizeof options,
                                                    .bus = (enum spoor_bus_selection)bus,
                                                    .tarmac_bus = tarmac,
                                                    .physical = physical,
                                                    .pc_by_order = by_order,
                                                    .update_once = once};
    struct block_object *block = block_new(self->core->block, self->core, self);
    if (!block) return NULL;
    block->format = reference_format;
    block->item_size = sizeof(struct spoor_reference);
    reader_lock(self);
    if (reader_is_open(self)) {
        Py_BEGIN_ALLOW_THREADS;
        status = self->select ? choose_references(self, block, &options, &error)
                              : read_references(self, block, &options, &error);
        Py_END_ALLOW_THREADS;
    }
    reader_unlock(self);
    return give(self, (PyObject *)block, status, &error);
}

/* ---- branches ---- */

static enum spoor_status read_branches(struct reader_object *self, struct block_object *block,
                                       struct spoor_error *error)
{
    struct spoor_branch_block next = {.struct_size = sizeof next};
    const enum spoor_status status = spoor_reader_next_branches(self->reader, &next, error);
    if (status != SPOOR_OK) return status;
    block->items = next.items;
    block->count = (Py_ssize_t)next.count;
    return spoor_reader_keep(self->reader, &block->memory, error);
}

static enum spoor_status choose_branches(struct reader_object *self, struct block_object *block,
                                         struct spoor_error *error)
{
    struct filter filter = {0};
    struct spoor_branches *made = &self->branches;
    enum spoor_status status = next_chosen(self, &filter, error);
    made->count = 0;
    if (status == SPOOR_OK) {
        status = spoor_branches_add(made, &filter.batch, error);
    } else if (status == SPOOR_END && !self->branches_ended) {
        self->branches_ended = true;
        status = spoor_branches_end(made, error);
    }
    filter_free(&filter);
    if (status != SPOOR_OK) return status;
    block->owned = made->items;
    block->items = made->items;
    block->count = (Py_ssize_t)made->count;
    made->items = NULL;
    made->count = made->capacity = 0;
    return SPOOR_OK;
}

PyObject *reader_next_branches(PyObject *object, PyObject *unused)
{
    struct reader_object *self = (struct reader_object *)object;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_END;
    (void)unused;
    struct block_object *block = block_new(self->core->block, self->core, self);
    if (!block) return NULL;
    block->format = branch_format;
    block->item_size = sizeof(struct spoor_branch);
    reader_lock(self);
    if (reader_is_open(self)) {
        Py_BEGIN_ALLOW_THREADS;
        status = self->select ? choose_branches(self, block, &error)
                              : read_branches(self, block, &error);
        Py_END_ALLOW_THREADS;
    }
    reader_unlock(self);
    return give(self, (PyObject *)block, status, &error);
}

/* ---- instructions ---- */

struct instruction_row {
    uint64_t pc, physical, opcode, time, record, line;
    uint32_t effects, effect_count; /* effects: the first, in the block of effects */
    uint8_t kind, has, opcode_size, iset, executed, reserved[3];
};
struct effect_row {
    uint64_t address, physical, value, value_high, unknown;
    uint16_t size, low;
    uint8_t kind, op, attr, has;
    char name[16]; /* cut */
};
static const char instruction_format[] =
    "T{Q:pc:Q:physical:Q:opcode:Q:time:Q:record:Q:line:I:effects:I:effect_count:"
    "B:kind:B:has:B:opcode_size:B:iset:?:executed:3x}";
static const char effect_format[] =
    "T{Q:address:Q:physical:Q:value:Q:value_high:Q:unknown:H:size:H:low:"
    "B:kind:B:op:B:attr:B:has:16s:name:}";

struct rows {
    struct instruction_row *instructions;
    struct effect_row *effects;
    size_t count, capacity, effect_count, effect_capacity;
};

static bool grow(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return true;
    const size_t more = 2 * count + 64;
    void *grown = realloc(*items, more * size);
    if (!grown) return false;
    *items = grown;
    *capacity = more;
    return true;
}

static struct effect_row effect_of(const struct spoor_effect *effect)
{
    struct effect_row row = {.address = effect->address,
                             .physical = effect->physical,
                             .value = effect->value[0],
                             .value_high = effect->value[1],
                             .unknown = effect->unknown,
                             .size = effect->size,
                             .low = effect->low,
                             .kind = effect->kind,
                             .op = effect->op,
                             .attr = effect->attr,
                             .has = effect->has};
    const size_t size = strlen(effect->name);
    memcpy(row.name, effect->name, size < sizeof row.name ? size : sizeof row.name);
    return row;
}

static bool put_instruction(struct rows *rows, const struct spoor_instruction *from)
{
    void *instructions = rows->instructions, *effects = rows->effects;
    const bool good =
        grow(&instructions, &rows->capacity, rows->count + 1, sizeof *rows->instructions) &&
        grow(&effects, &rows->effect_capacity, rows->effect_count + from->effect_count,
             sizeof *rows->effects);
    rows->instructions = instructions;
    rows->effects = effects;
    if (!good) return false;
    rows->instructions[rows->count++] =
        (struct instruction_row){.pc = from->pc,
                                 .physical = from->physical,
                                 .opcode = from->opcode,
                                 .time = from->time,
                                 .record = from->record,
                                 .line = from->line,
                                 .effects = (uint32_t)rows->effect_count,
                                 .effect_count = (uint32_t)from->effect_count,
                                 .kind = from->kind,
                                 .has = from->has,
                                 .opcode_size = from->opcode_size,
                                 .iset = from->iset,
                                 .executed = from->executed};
    for (size_t i = 0; i < from->effect_count; i++)
        rows->effects[rows->effect_count++] = effect_of(&from->effects[i]);
    return true;
}

static enum spoor_status feed_instructions(struct reader_object *self, struct spoor_error *error)
{
    const struct spoor_instructions_options options = {.struct_size = sizeof options,
                                                       .stream = spoor_reader_stream(self->reader)};
    const struct spoor_batch *batch;
    enum spoor_status status = SPOOR_OK;
    if (self->instructions_ended) return SPOOR_END;
    if (!self->instructions) status = spoor_instructions_new(&self->instructions, &options, error);
    if (status == SPOOR_OK) status = spoor_reader_next(self->reader, &batch, error);
    if (status == SPOOR_OK) return spoor_instructions_feed(self->instructions, batch, error);
    if (status != SPOOR_END) return status;
    self->instructions_ended = true;
    return spoor_instructions_end(self->instructions, error);
}

static enum spoor_status read_instructions(struct reader_object *self, struct rows *rows,
                                           struct spoor_error *error)
{
    struct spoor_instruction instruction = {.struct_size = sizeof instruction};
    const enum spoor_status status = feed_instructions(self, error);
    if (status != SPOOR_OK) return status;
    while (spoor_instructions_next(self->instructions, &instruction))
        if (!put_instruction(rows, &instruction))
            return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return SPOOR_OK;
}

static PyObject *block_of(struct reader_object *self, void *owned, size_t count, size_t size,
                          const char *format)
{
    struct block_object *block = block_new(self->core->block, self->core, self);
    if (!block) {
        free(owned);
        return NULL;
    }
    block->owned = owned;
    block->items = owned;
    block->count = (Py_ssize_t)count;
    block->item_size = (Py_ssize_t)size;
    block->format = format;
    return (PyObject *)block;
}

PyObject *reader_next_instructions(PyObject *object, PyObject *unused)
{
    struct reader_object *self = (struct reader_object *)object;
    struct spoor_error error = {0};
    struct rows rows = {0};
    enum spoor_status status = SPOOR_END;
    (void)unused;
    reader_lock(self);
    const bool open = reader_is_open(self);
    if (open) {
        Py_BEGIN_ALLOW_THREADS;
        status = read_instructions(self, &rows, &error);
        Py_END_ALLOW_THREADS;
    }
    reader_unlock(self);
    if (status != SPOOR_OK) {
        free(rows.instructions);
        free(rows.effects);
        if (!open) return NULL;
        return status == SPOOR_END ? Py_NewRef(Py_None) : raise_of_reader(self, &error);
    }
    PyObject *instructions = block_of(self, rows.instructions, rows.count,
                                      sizeof *rows.instructions, instruction_format);
    PyObject *effects =
        block_of(self, rows.effects, rows.effect_count, sizeof *rows.effects, effect_format);
    if (instructions && effects) return Py_BuildValue("(NN)", instructions, effects);
    Py_XDECREF(instructions);
    Py_XDECREF(effects);
    return NULL;
}

_Static_assert(sizeof(struct spoor_record) == 64 && sizeof(struct spoor_reference) == 24 &&
                   sizeof(struct spoor_branch) == 32 && sizeof(struct instruction_row) == 64 &&
                   sizeof(struct effect_row) == 64,
               "the formats state these sizes");
