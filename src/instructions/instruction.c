/* SPDX-License-Identifier: MIT */
/* instruction.c: the public view of units: one at a time, with names as text. */
#include "spoor/instruction.h"

#include <stdlib.h>

#include "base/array.h"
#include "instructions/unit_builder.h"
#include "isa/operands.h"
#include "model/options.h"

struct spoor_instructions {
    struct unit_builder builder;
    struct instruction_processor {
        spoor_name name;   /* the one name: see unit_cpu_name() */
        spoor_name stated; /* as the trace names it first, or none */
        struct unit_queue queue;
    } * *processors; /* in the order of their first records */
    size_t count, processor_capacity;
    struct spoor_effect *effects; /* UNIT_MAX_EFFECTS; of the instruction given last */
};

/* The builder's processor as the trace names it, in the view's names; none: it does not. */
static spoor_name instructions_stated_cpu(const struct spoor_instructions *view)
{
    size_t size;
    const char *text =
        spoor_names_text(view->builder.stream->names, (spoor_name)view->builder.cpu_last, &size);
    return spoor_names_intern(view->builder.names, text, size);
}

static struct unit_queue *instructions_queue(void *context, spoor_name cpu)
{
    struct spoor_instructions *view = context;
    for (size_t i = 0; i < view->count; i++) {
        struct instruction_processor *known = view->processors[i];
        if (known->name != cpu) continue;
        if (!known->stated) known->stated = instructions_stated_cpu(view);
        return &known->queue;
    }
    if (!array_reserve(&view->processors, &view->processor_capacity, view->count + 1)) return NULL;
    struct instruction_processor *processor = calloc(1, sizeof *processor);
    if (!processor || !unit_queue_start(&processor->queue)) {
        free(processor);
        return NULL;
    }
    processor->name = cpu;
    processor->stated = instructions_stated_cpu(view);
    view->processors[view->count++] = processor;
    return &processor->queue;
}

enum spoor_status spoor_instructions_new(struct spoor_instructions **view,
                                         const struct spoor_instructions_options *options,
                                         struct spoor_error *error)
{
    struct spoor_instructions_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (!own.stream)
        return spoor_error_set(error, SPOOR_EUSAGE, "the options name no stream of a trace");
    struct spoor_instructions *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->builder.names = spoor_names_new();
    made->builder.queue_of = instructions_queue;
    made->builder.context = made;
    made->effects = malloc(UNIT_MAX_EFFECTS * sizeof *made->effects);
    if (!made->effects || !made->builder.names || !unit_builder_start(&made->builder, own.stream)) {
        spoor_instructions_free(made);
        return memory_status(false, error);
    }
    *view = made;
    return SPOOR_OK;
}

void spoor_instructions_free(struct spoor_instructions *view)
{
    if (!view) return;
    for (size_t i = 0; i < view->count; i++) {
        unit_queue_free(&view->processors[i]->queue);
        free(view->processors[i]);
    }
    free(view->processors);
    free(view->effects);
    unit_builder_free(&view->builder);
    spoor_names_free(view->builder.names);
    free(view);
}

enum spoor_status spoor_instructions_feed(struct spoor_instructions *view,
                                          const struct spoor_batch *batch,
                                          struct spoor_error *error)
{
    return memory_status(unit_builder_feed(&view->builder, batch), error);
}

enum spoor_status spoor_instructions_end(struct spoor_instructions *view, struct spoor_error *error)
{
    for (size_t i = 0; i < view->count; i++)
        unit_builder_end(&view->builder, &view->processors[i]->queue);
    return memory_status(true, error);
}

static const struct unit *instructions_unit_next(const struct instruction_processor *processor)
{
    return unit_at(&processor->queue, processor->queue.head);
}

static struct spoor_effect instructions_effect(const struct spoor_names *names,
                                               const struct effect *effect)
{
    const bool event = effect->kind == EFFECT_EVENT;
    const bool named = effect->kind == EFFECT_REGISTER || event;
    const unsigned has = event ? effect->has & EFFECT_HAS_VALUE : effect->has;
    return (struct spoor_effect){
        .address = event ? 0 : effect->address,
        .physical = has & EFFECT_HAS_PHYSICAL ? effect->physical : 0,
        .value = {effect->value[0], effect->value[1]},
        .unknown = effect->unknown,
        .name = spoor_names_text(names, named ? effect->name : SPOOR_NO_NAME, NULL),
        .size = effect->size,
        .low = effect->low,
        .kind = effect->kind, /* the two count alike */
        .op = effect->op,
        .attr = effect->attr,
        .has =
            has & (SPOOR_EFFECT_HAS_ADDRESS | SPOOR_EFFECT_HAS_PHYSICAL | SPOOR_EFFECT_HAS_VALUE),
    };
}

/* What the public view has of enum unit_has. */
enum { STATED = UNIT_HAS_DUMP - 1 };

bool spoor_instructions_next(struct spoor_instructions *view, struct spoor_instruction *instruction)
{
    /* The processor whose next unit is the oldest.  Units returned before are dropped. */
    struct instruction_processor *processor = NULL;
    for (size_t i = 0; i < view->count; i++) {
        struct instruction_processor *other = view->processors[i];
        unit_queue_trim(&other->queue, 0);
        if (unit_count(&other->queue) == 0) continue;
        if (!processor ||
            instructions_unit_next(other)->record < instructions_unit_next(processor)->record)
            processor = other;
    }
    if (!processor) return false; /* none has a complete one */
    struct unit_queue *queue = &processor->queue;
    const struct unit *unit = instructions_unit_next(processor);
    const bool is_name = unit->has & UNIT_OPCODE_IS_NAME;
    struct spoor_instruction made = {
        .pc = unit->pc,
        .physical = unit->physical,
        .opcode = is_name ? 0 : unit->opcode,
        .time = unit->time,
        .record = unit->record,
        .line = unit->line,
        .cpu = spoor_names_text(view->builder.names, processor->stated, NULL),
        .mode = spoor_names_text(view->builder.names, unit->mode, NULL),
        .text = unit_text(queue, unit),
        .text_size = unit->text_size,
        .kind = unit->kind,
        .has = (uint8_t)(unit->has & (is_name ? STATED & ~UNIT_HAS_OPCODE : STATED)),
        .opcode_size = unit->opcode_size,
        .iset = unit->iset,
        .executed = unit->executed,
    };
    /* fields of records that are no effects of a machine stay out */
    const struct effect *effects = unit_effects(queue, unit);
    made.effects = view->effects;
    for (size_t i = 0; i < unit->effect_count; i++)
        if (effects[i].kind != EFFECT_FIELD)
            view->effects[made.effect_count++] =
                instructions_effect(view->builder.names, &effects[i]);
    queue->head++;
    struct_fill(instruction, &made, sizeof made);
    return true;
}

_Static_assert((int)SPOOR_EFFECT_EVENT == (int)EFFECT_EVENT &&
                   (int)SPOOR_INSTRUCTION_ACCESS == (int)UNIT_ACCESS &&
                   (int)SPOOR_INSTRUCTION_HAS_TIME == (int)UNIT_HAS_TIME &&
                   (int)SPOOR_EFFECT_HAS_VALUE == (int)EFFECT_HAS_VALUE,
               "the public view and units number alike");

bool spoor_opcode_writes(enum spoor_isa isa, bool thumb, uint64_t opcode, unsigned size,
                         uint64_t *registers)
{
    struct isa_operands operands;
    *registers = 0;
    if (!isa_operands_of(&operands, (enum isa)isa, thumb, opcode, size)) return false;
    for (unsigned i = 0; i < operands.write_count; i++) {
        const unsigned reg = operands.writes[i];
        if (reg == ISA_FLAGS) *registers |= UINT64_C(1) << SPOOR_OPCODE_FLAGS;
        if (reg < ISA_VECTOR) *registers |= UINT64_C(1) << reg;
    }
    return true;
}

bool spoor_opcode_writes_vectors(enum spoor_isa isa, bool thumb, uint64_t opcode, unsigned size,
                                 uint64_t *vectors)
{
    enum { VECTORS = 32, WORD = 4 };
    struct isa_operands operands;
    struct isa_parts parts;
    *vectors = 0;
    if (!isa_parts_of(&operands, &parts, NULL, (enum isa)isa, thumb, opcode, size)) return false;
    for (unsigned i = 0; i < operands.write_count; i++) {
        const unsigned reg = operands.writes[i] - (unsigned)ISA_VECTOR;
        if (reg >= VECTORS) continue;
        if (isa != SPOOR_ISA_AARCH32) {
            *vectors |= UINT64_C(1) << reg;
            continue;
        }
        const struct isa_part *part = &parts.writes[i];
        const unsigned first = part->size ? part->low / WORD : 0;
        const unsigned last = part->size ? (part->low + part->size - 1u) / WORD : 1;
        for (unsigned word = first; word <= last; word++)
            *vectors |= UINT64_C(1) << (2 * reg + word);
    }
    return true;
}
