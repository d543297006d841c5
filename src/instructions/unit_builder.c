/* SPDX-License-Identifier: MIT */
/*
 * unit_builder.c: build units from batches of records.
 *
 * Each kind of record has a function that either begins a unit or adds effects to the open one, the
 * last in the queue.  A unit is complete when the next one begins; then writes of parts of one
 * register are merged and the unit is hashed.
 */
#include "instructions/unit_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "isa/operands.h"
#include "isa/privilege.h"
#include "isa/riscv_csr.h"
#include "isa/riscv_zc.h"
#include "model/bus.h"
#include "spoor/field.h"
#include "spoor/format.h"

enum { MAX_NAMES = 65536 };

/* The stream's names in the table of the view. */
struct name_entry {
    bool known, zero;
    uint16_t widened;
    spoor_name name;
};
struct name_map {
    struct name_entry entries[MAX_NAMES];
};

/* The registers of a processor, as its last dump states them. */
struct register_dump {
    const struct unit_queue *queue;
    struct dump_register {
        uint64_t value;
        bool known;
    } * registers; /* indexed by name */
    size_t capacity;
};

/* ---- names ---- */

static spoor_name unit_intern_lower(struct spoor_names *names, const char *text, size_t size)
{
    char lower[64];
    if (size > sizeof lower) size = sizeof lower;
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    return spoor_names_intern(names, lower, size);
}

spoor_name unit_cpu_name(struct spoor_names *names, const char *text, size_t size)
{
    static const char *const words[] = {"cpu", "core", "hart"};
    if (size == 0) return spoor_names_intern(names, "0", 1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (size <= length || ascii_compare_some(text, words[i], length) != 0) continue;
        const char *number = text + length;
        if (strspn(number, "0123456789") != size - length) continue;
        return spoor_names_intern(names, number, size - length);
    }
    return unit_intern_lower(names, text, size);
}

/* Notes that the trace states some of a part. */
static void unit_note_part(struct unit_builder *builder, enum unit_part part)
{
    builder->states |= unit_part_bit(part);
}

enum unit_part unit_register_part(enum isa isa, const char *name)
{
    struct register_name canonical = {.zero = false};
    const bool riscv = isa == ISA_RISCV;
    if (riscv && riscv_csr_number(name, strlen(name)) >= 0) return UNIT_PART_CSRS;
    snprintf(canonical.text, sizeof canonical.text, "%s", name);
    const int number = isa_register_number(isa, &canonical);
    if (!riscv) return number == ISA_FLAGS ? UNIT_PART_FLAGS : UNIT_PART_REGISTERS;
    return number >= ISA_RISCV_VECTOR && number < ISA_RISCV_CSR ? UNIT_PART_VECTORS
                                                                : UNIT_PART_REGISTERS;
}

static const struct name_entry *unit_register(struct unit_builder *builder, spoor_name name)
{
    struct name_entry *entry = &builder->registers->entries[name];
    if (entry->known) return entry;
    size_t size;
    const char *text = spoor_names_text(builder->stream->names, name, &size);
    struct register_name canonical;
    register_canonical(text, size, builder->options.isa, &canonical);
    *entry = (struct name_entry){
        true, canonical.zero, canonical.widened,
        spoor_names_intern(builder->names, canonical.text, strlen(canonical.text))};
    unit_note_part(builder, unit_register_part(builder->options.isa, canonical.text));
    return entry;
}

static spoor_name unit_lower_name(struct unit_builder *builder, struct name_map *map,
                                  spoor_name name)
{
    struct name_entry *entry = &map->entries[name];
    if (!entry->known) {
        size_t size;
        const char *text = spoor_names_text(builder->stream->names, name, &size);
        *entry = (struct name_entry){true, false, 0, unit_intern_lower(builder->names, text, size)};
    }
    return entry->name;
}

/* ---- completing a unit ---- */

static bool unit_same_register(const struct effect *a, const struct effect *b)
{
    return a->kind == EFFECT_REGISTER && b->kind == EFFECT_REGISTER && a->name == b->name;
}

static void unit_merge_bits(struct effect *into, const struct effect *from)
{
    for (unsigned bit = 0; bit < from->size && from->low + bit < 128; bit++) {
        unsigned at = from->low + bit;
        uint64_t one = UINT64_C(1) << (at % 64);
        bool set = from->value[bit / 64] >> (bit % 64) & 1;
        into->value[at / 64] = set ? into->value[at / 64] | one : into->value[at / 64] & ~one;
    }
    if (from->low + from->size > into->size) into->size = (uint16_t)(from->low + from->size);
}

/* Moves a part that does not begin at bit 0 to its place. */
static void unit_place_effect(struct effect *effect)
{
    if (!effect->low || effect->low >= 128) return;
    struct effect whole = *effect;
    whole.value[0] = whole.value[1] = 0;
    whole.low = 0;
    whole.size = 0;
    unit_merge_bits(&whole, effect);
    whole.low = effect->low; /* the bits below are not written */
    *effect = whole;
}

static bool unit_has_open(const struct unit_queue *queue)
{
    return deque_end(&queue->units) > queue->complete;
}

static struct unit *unit_open(const struct unit_queue *queue)
{
    return unit_at(queue, deque_end(&queue->units) - 1);
}

/* A count of records or lines: 1 at least. */
static uint16_t unit_limited(uint64_t count)
{
    return (uint16_t)(count > UINT16_MAX ? UINT16_MAX : count ? count : 1);
}

/* Completes the oldest unit that is not complete. */
static void unit_end(struct unit_builder *builder, struct unit_queue *queue)
{
    struct unit *unit = unit_at(queue, queue->complete);
    const bool last = queue->complete + 1 == deque_end(&queue->units);
    struct effect *effects = unit_effects(queue, unit);
    unit->records = unit_limited((last ? builder->record : unit[1].record) - unit->record);
    unit->lines = unit->line ? unit_limited((last ? builder->line : unit[1].line) - unit->line) : 0;
    size_t dropped = unit->effect_count;
    if (unit->effect_count > 1) {
        /* registers written more than once are rare, so they are tested first */
        bool again = false;
        for (unsigned i = 0; i < unit->effect_count; i++) {
            if (effects[i].kind != EFFECT_REGISTER) continue;
            for (unsigned j = i + 1; j < unit->effect_count; j++)
                again |= unit_same_register(&effects[i], &effects[j]);
        }
        if (again && unit->effect_count < 64) {
            /* A later write of the same register replaces an earlier one, or completes it. */
            unsigned kept = 0;
            for (unsigned i = 0; i < unit->effect_count; i++) {
                unsigned before = 0;
                while (before < kept && !unit_same_register(&effects[before], &effects[i]))
                    before++;
                if (before == kept) {
                    effects[kept++] = effects[i];
                } else if (effects[i].low || effects[before].low) {
                    unit_merge_bits(&effects[before], &effects[i]);
                    if (effects[i].low == 0) effects[before].low = 0;
                } else {
                    effects[before] = effects[i];
                }
            }
            unit->effect_count = (uint16_t)kept;
        }
        for (unsigned i = 0; i < unit->effect_count; i++)
            if (effects[i].kind == EFFECT_REGISTER && effects[i].low)
                unit_place_effect(&effects[i]);
    } else if (unit->effect_count && effects->kind == EFFECT_REGISTER && effects->low) {
        unit_place_effect(effects);
    }
    queue->effects.count -= dropped - unit->effect_count;
    if (builder->options.isa == ISA_RISCV && riscv_zc_shares(unit->opcode, unit->opcode_size)) {
        /* c.fsdsp or an instruction of Zcmp or Zcmt, by what it wrote */
        bool integer = false, memory = false;
        for (unsigned i = 0; i < unit->effect_count; i++) {
            memory |= effects[i].kind == EFFECT_WRITE;
            if (effects[i].kind == EFFECT_REGISTER)
                integer |= spoor_names_text(builder->names, effects[i].name, NULL)[0] == 'x';
        }
        unit->zc = (uint8_t)riscv_zc_of_effects(
            unit->opcode, integer, memory, builder->states & unit_part_bit(UNIT_PART_REGISTERS));
    }
    unit_hash(unit, effects, &builder->scope);
    if (builder->options.duplicates && queue->complete > queue->units.first &&
        unit_at(queue, queue->complete - 1)->whole == unit->whole) {
        queue->effects.count -= unit->effect_count;
        queue->text.count -= unit->text_size;
        queue->units.count--;
        return;
    }
    queue->complete++;
}

void unit_builder_end(struct unit_builder *builder, struct unit_queue *queue)
{
    while (unit_has_open(queue)) unit_end(builder, queue);
}

/* ---- beginning a unit, adding effects ---- */

static struct unit *unit_begin(struct unit_builder *builder, enum unit_kind kind,
                               const struct spoor_record *record)
{
    struct unit_queue *queue = builder->queue;
    /* a dump of registers that follows belongs to the last unit */
    const unsigned waiting = builder->options.dumps ? 1 : 0;
    while (deque_end(&queue->units) - queue->complete > waiting) unit_end(builder, queue);
    struct unit *unit = deque_reserve(&queue->units, 1);
    if (!unit) {
        builder->out_of_memory = true;
        return NULL;
    }
    *unit = (struct unit){
        .record = builder->record,
        .line = builder->line,
        .effects = deque_end(&queue->effects),
        .text = deque_end(&queue->text),
        .cpu = builder->cpu,
        .kind = (uint8_t)kind,
        .time = record->time,
        .has = record->has & SPOOR_HAS_TIME ? UNIT_HAS_TIME : 0,
    };
    queue->units.count++;
    if (unit->has) unit_note_part(builder, UNIT_PART_TIME);
    return unit;
}

/* Adds an effect to the open unit; begins one if there is none. */
static struct effect *unit_add_effect(struct unit_builder *builder,
                                      const struct spoor_record *record, enum effect_kind kind)
{
    struct unit_queue *queue = builder->queue;
    const bool own = builder->options.by_record || (!builder->has_instructions && !queue->begun);
    const bool joins =
        !own && unit_has_open(queue) && unit_open(queue)->effect_count < UNIT_MAX_EFFECTS;
    const enum unit_kind begun = !own && !queue->begun ? UNIT_PREAMBLE : UNIT_ACCESS;
    struct unit *unit = joins ? unit_open(queue) : unit_begin(builder, begun, record);
    if (!unit) return NULL;
    struct effect *effect = deque_reserve(&builder->queue->effects, 1);
    if (!effect) {
        builder->out_of_memory = true;
        return NULL;
    }
    builder->queue->effects.count++;
    unit->effect_count++;
    *effect = (struct effect){.kind = (uint8_t)kind, .time = record->time};
    if (record->has & SPOOR_HAS_TIME) {
        effect->has = EFFECT_HAS_TIME;
        unit_note_part(builder, UNIT_PART_EFFECT_TIMES);
    }
    return effect;
}

static void unit_keep_text(struct unit_builder *builder, struct unit *unit, const char *text,
                           size_t size)
{
    char *to = size ? deque_reserve(&builder->queue->text, size) : NULL;
    if (!to) return;
    memcpy(to, text, size);
    builder->queue->text.count += size;
    unit->text_size = (uint32_t)size;
}

/* ---- by kind ---- */

static void unit_note_instruction(struct unit_builder *builder, const struct unit *unit)
{
    if (unit->has & UNIT_HAS_PC) unit_note_part(builder, UNIT_PART_PC);
    if (unit->has & UNIT_HAS_OPCODE) unit_note_part(builder, UNIT_PART_OPCODE);
    if (unit->has & UNIT_HAS_MODE) unit_note_part(builder, UNIT_PART_MODE);
    if (unit->has & UNIT_HAS_PHYSICAL) unit_note_part(builder, UNIT_PART_PHYSICAL);
    if ((unit->has & UNIT_HAS_EXECUTED) && !unit->executed)
        unit_note_part(builder, UNIT_PART_FAILED);
    /* Trace Matcher's letter A stands for any opcode of RISC-V */
    if (unit->iset && builder->options.isa != ISA_RISCV) unit_note_part(builder, UNIT_PART_ISET);
}

static void unit_note_access(struct unit_builder *builder, const struct effect *effect)
{
    unit_note_part(builder, effect->kind == EFFECT_READ ? UNIT_PART_READS : UNIT_PART_WRITES);
    if (effect->has & EFFECT_HAS_VALUE) unit_note_part(builder, UNIT_PART_DATA);
    if (effect->size) unit_note_part(builder, UNIT_PART_SIZES);
    if ((effect->has & EFFECT_HAS_ADDRESS) && (effect->has & EFFECT_HAS_PHYSICAL) &&
        effect->physical != effect->address) /* Whisper prints both where they are the same */
        unit_note_part(builder, UNIT_PART_PHYSICAL_ACCESSES);
}

static void unit_instruction(struct unit_builder *builder, const struct spoor_batch *batch,
                             const struct spoor_record *record)
{
    struct unit_queue *queue = builder->queue;
    if (record->op > SPOOR_INSN_TAKEN && unit_has_open(queue)) { /* the same instruction, printed
                                                                  * again */
        struct unit *unit = unit_open(queue);
        if (!unit->text_size && deque_end(&queue->text) == unit->text)
            unit_keep_text(builder, unit, spoor_batch_bytes(batch, record->insn.disasm),
                           record->insn.disasm.size);
        return;
    }
    struct unit *unit = unit_begin(builder, UNIT_INSTRUCTION, record);
    if (!unit) return;
    const struct spoor_insn *insn = &record->insn;
    unsigned has = UNIT_HAS_EXECUTED;
    if (record->has & SPOOR_HAS_VA) has |= UNIT_HAS_PC;
    if (record->has & SPOOR_HAS_PA) has |= UNIT_HAS_PHYSICAL;
    if (record->has & SPOOR_HAS_DATA) has |= UNIT_HAS_OPCODE;
    if (record->has & SPOOR_HAS_EXTRA) has |= UNIT_HAS_MODE;
    unit->has |= (uint8_t)has;
    unit->pc = insn->va;
    unit->physical = insn->pa;
    if (has & UNIT_HAS_OPCODE) unit->opcode = insn->opcode;
    unit->opcode_size = insn->opcode_size;
    unit->iset = insn->iset;
    unit->executed = record->op == SPOOR_INSN_TAKEN;
    unit_note_instruction(builder, unit);
    if (has & UNIT_HAS_MODE) {
        struct name_entry *entry = &builder->modes->entries[insn->mode];
        char digit = '\0';
        if (!entry->known && builder->options.privileges) {
            size_t size;
            const char *text = spoor_names_text(builder->stream->names, insn->mode, &size);
            digit = privilege_of_mode(text, size);
        }
        if (digit)
            *entry =
                (struct name_entry){true, false, 0, spoor_names_intern(builder->names, &digit, 1)};
        unit->mode = digit ? entry->name : unit_lower_name(builder, builder->modes, insn->mode);
    }
    unit_keep_text(builder, unit, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
    queue->begun = true;
}

static bool unit_is_program_counter(const struct unit_builder *builder, spoor_name name)
{
    static const char *const names[] = {"pc", "rip", "eip", "nip", "psw.addr"};
    const char *text = spoor_names_text(builder->names, name, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) return true;
    return builder->options.isa == ISA_AARCH32 && strcmp(text, "r15") == 0;
}

/* A register of a dump: where it differs from the last one, the unit before the open one wrote it,
 * if it is one instruction. */
static void unit_dumped_register(struct unit_builder *builder, const struct spoor_record *record)
{
    struct unit_queue *queue = builder->queue;
    const struct name_entry *entry = unit_register(builder, record->reg.name);
    struct register_dump *dump = NULL;
    for (size_t i = 0; i < builder->dump_count && !dump; i++)
        if (builder->dumps[i].queue == queue) dump = &builder->dumps[i];
    if (!dump && array_reserve(&builder->dumps, &builder->dump_capacity, builder->dump_count + 1)) {
        dump = &builder->dumps[builder->dump_count++];
        *dump = (struct register_dump){.queue = queue};
    }
    if (!unit_has_open(queue) || entry->zero || unit_is_program_counter(builder, entry->name))
        return;
    if (!dump ||
        !array_reserve_zeroed(&dump->registers, &dump->capacity, entry->name + (size_t)1)) {
        builder->out_of_memory = true;
        return;
    }
    struct dump_register *dumped = &dump->registers[entry->name];
    struct unit *unit = unit_at(queue, queue->complete);
    const bool waits = unit != unit_open(queue);
    const bool known = dumped->known, same = known && dumped->value == record->reg.value[0];
    *dumped = (struct dump_register){record->reg.value[0], true};
    if (waits && unit->opcode_size && !unit->is_block) unit->has |= UNIT_HAS_DUMP;
    if (same || unit->effect_count >= UNIT_MAX_EFFECTS) return;
    struct effect *effect = deque_reserve(&queue->effects, 1);
    if (!effect) {
        builder->out_of_memory = true;
        return;
    }
    if (!unit->effect_count) unit->effects = deque_end(&queue->effects);
    queue->effects.count++;
    unit->effect_count++;
    *effect = (struct effect){
        .kind = waits && known && !unit->is_block ? EFFECT_REGISTER : EFFECT_STATE,
        .name = entry->name,
        .op = record->op,
        .size = record->reg.bits,
        .has = EFFECT_HAS_VALUE,
        .value = {record->reg.value[0], record->reg.value[1]},
    };
}

static void unit_register_write(struct unit_builder *builder, const struct spoor_batch *batch,
                                const struct spoor_record *record)
{
    const struct spoor_reg *reg = &record->reg;
    const struct name_entry *entry = unit_register(builder, reg->name);
    bool writes = record->op == SPOOR_REG_WRITE || record->op == SPOOR_REG_SYSTEM;
    if (entry->zero || !writes) return;
    struct effect *effect = unit_add_effect(builder, record, EFFECT_REGISTER);
    if (!effect) return;
    effect->name = entry->name;
    effect->op = record->op;
    effect->unknown = reg->unknown;
    effect->size = reg->bits;
    effect->low = reg->high ? reg->low : 0;
    if (record->has & SPOOR_HAS_DATA) effect->has |= EFFECT_HAS_VALUE;
    if (reg->wide.size) {
        const char *bytes = spoor_batch_bytes(batch, reg->wide);
        effect->value[0] = hash_of_bytes(bytes, reg->wide.size);
        /* The bytes of a register that is too wide for its effect. */
        struct deque *text = &builder->queue->text;
        char *to = deque_reserve(text, reg->wide.size);
        if (!to || effect->size != 8 * reg->wide.size) return;
        memcpy(to, bytes, reg->wide.size);
        effect->physical = deque_end(text);
        effect->has |= EFFECT_HAS_BYTES;
        text->count += reg->wide.size;
        return;
    }
    effect->value[0] = reg->value[0];
    effect->value[1] = reg->value[1];
    if (entry->widened > effect->size && !reg->high) effect->size = entry->widened;
}

static void unit_access(struct unit_builder *builder, const struct spoor_batch *batch,
                        const struct spoor_record *record)
{
    const struct spoor_mem *mem = &record->mem;
    if (record->op == SPOOR_MEM_FETCH) { /* it represents its instruction */
        struct unit *unit = unit_begin(builder, UNIT_INSTRUCTION, record);
        if (!unit) return;
        unit->pc = record->has & SPOOR_HAS_VA ? mem->va : mem->pa;
        unit->has |= UNIT_HAS_PC;
        unit_note_part(builder, UNIT_PART_PC);
        builder->queue->begun = true;
        return;
    }
    struct effect *effect = unit_add_effect(builder, record,
                                            record->op == SPOOR_MEM_READ    ? EFFECT_READ
                                            : record->op == SPOOR_MEM_WRITE ? EFFECT_WRITE
                                                                            : EFFECT_UPDATE);
    if (!effect) return;
    effect->op = record->op;
    effect->address = record->has & SPOOR_HAS_VA ? mem->va : mem->pa;
    effect->physical = mem->pa;
    effect->size = mem->size;
    effect->attr = mem->attr;
    effect->unknown = mem->unknown;
    if (record->has & SPOOR_HAS_VA) effect->has |= EFFECT_HAS_ADDRESS;
    if (record->has & SPOOR_HAS_PA) effect->has |= EFFECT_HAS_PHYSICAL;
    if (record->has & SPOOR_HAS_DATA) {
        const bool wide = mem->wide.size;
        effect->has |= EFFECT_HAS_VALUE;
        effect->value[0] = wide ? hash_of_bytes(spoor_batch_bytes(batch, mem->wide), mem->wide.size)
                                : mem->data[0];
        effect->value[1] = wide ? 0 : mem->data[1];
    }
    unit_note_access(builder, effect);
}

static void unit_event(struct unit_builder *builder, const struct spoor_record *record)
{
    const struct spoor_event *what = &record->event;
    if (record->op != SPOOR_EVENT_E && record->op != SPOOR_EVENT_EXCEPTION) {
        builder->left_out[SPOOR_EVENT]++;
        return;
    }
    struct effect *effect = unit_add_effect(builder, record, EFFECT_EVENT);
    if (!effect) return;
    effect->op = record->op;
    effect->name = unit_lower_name(builder, builder->events, what->name);
    effect->value[0] = record->has & SPOOR_HAS_INDEX ? what->number : 0;
    effect->address = what->value;
    effect->physical = what->value1;
    if (record->has & SPOOR_HAS_VA) effect->has |= EFFECT_HAS_ADDRESS;
    if (record->has & SPOOR_HAS_EXTRA) effect->has |= EFFECT_HAS_PHYSICAL;
    effect->has |= EFFECT_HAS_VALUE;
    unit_note_part(builder, UNIT_PART_EVENTS);
}

/* Any other field of a record. */
static void unit_field(struct unit_builder *builder, const struct spoor_batch *batch, size_t index,
                       enum spoor_field which)
{
    struct spoor_value value = spoor_field_get(batch, index, which);
    if (value.type == SPOOR_VALUE_ABSENT) return;
    struct effect *effect = unit_add_effect(builder, &batch->records[index], EFFECT_FIELD);
    if (!effect) return;
    effect->name = (spoor_name)which;
    effect->has |= EFFECT_HAS_VALUE;
    if (value.type == SPOOR_VALUE_TEXT || value.type == SPOOR_VALUE_BYTES) {
        effect->value[0] = hash_of_bytes(value.text.bytes, value.text.size);
        effect->has |= EFFECT_IS_TEXT;
    } else {
        effect->value[0] = value.number;
    }
}

static void unit_uop(struct unit_builder *builder, const struct spoor_batch *batch, size_t index)
{
    static const enum spoor_field fields[] = {
        SPOOR_FIELD_UOP,       SPOOR_FIELD_SRC1,  SPOOR_FIELD_SRC2,
        SPOOR_FIELD_DEST,      SPOOR_FIELD_FLAGS, SPOOR_FIELD_BRANCH,
        SPOOR_FIELD_IMMEDIATE, SPOOR_FIELD_FALL,  SPOOR_FIELD_TARGET,
    };
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_names *names = builder->stream->names;
    const bool goes_on = spoor_uop_of(batch, index).step > 1;
    const bool joined = builder->options.join_steps && goes_on && unit_has_open(builder->queue);
    if (!joined) {
        struct unit *unit = unit_begin(builder, UNIT_INSTRUCTION, record);
        if (!unit) return;
        size_t macro_size, micro_size;
        const char *macro = spoor_names_text(names, record->uop.macro, &macro_size);
        const char *micro = spoor_names_text(names, record->uop.micro, &micro_size);
        unit->pc = record->uop.pc;
        unit->opcode = hash_mix(hash_of_bytes(macro, macro_size), hash_of_bytes(micro, micro_size));
        unit->has |= UNIT_HAS_PC | UNIT_HAS_OPCODE | UNIT_OPCODE_IS_NAME;
        unit_note_instruction(builder, unit);
        unit_keep_text(builder, unit, macro, macro_size);
        builder->queue->begun = true;
    }
    const bool by_record = builder->options.by_record; /* the effects are of this record */
    builder->options.by_record = false;
    for (size_t i = 0; !builder->options.join_steps && i < sizeof fields / sizeof *fields; i++)
        unit_field(builder, batch, index, fields[i]);
    if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) {
        const enum effect_kind kind = record->op & SPOOR_UOP_LOAD ? EFFECT_READ : EFFECT_WRITE;
        struct effect *effect = unit_add_effect(builder, record, kind);
        if (effect) {
            effect->op = kind == EFFECT_READ ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
            effect->address = record->uop.address;
            effect->has |= EFFECT_HAS_ADDRESS;
            unit_note_access(builder, effect);
        }
    }
    builder->options.by_record = by_record;
}

static void unit_bus(struct unit_builder *builder, const struct spoor_batch *batch, size_t index)
{
    static const enum spoor_field fields[] = {SPOOR_FIELD_TYPE, SPOOR_FIELD_ATTR, SPOOR_FIELD_AGENT,
                                              SPOOR_FIELD_ENABLES};
    enum { BUS_OP = 128 };
    const struct spoor_record *record = &batch->records[index];
    if (builder->has_instructions && !builder->options.by_record && !builder->options.transfers) {
        builder->left_out[SPOOR_BUS]++;
        return;
    }
    if (builder->options.no_fetches && record->op == SPOOR_BUS_FETCH) {
        builder->fetches++;
        return;
    }
    unit_begin(builder, UNIT_ACCESS, record);
    builder->queue->begun = true; /* the fields below join this unit */
    enum effect_kind kind = record->op == SPOOR_BUS_READ    ? EFFECT_READ
                            : record->op == SPOOR_BUS_WRITE ? EFFECT_WRITE
                                                            : EFFECT_UPDATE;
    bool by_record = builder->options.by_record;
    builder->options.by_record = false;
    struct effect *effect = unit_add_effect(builder, record, kind);
    if (effect) {
        effect->op = (uint8_t)(BUS_OP + record->op);
        effect->address = effect->physical = bus_first_byte(&record->bus);
        effect->has |= EFFECT_HAS_PHYSICAL;
        effect->size = record->bus.size;
        if (record->has & SPOOR_HAS_DATA) {
            struct spoor_ref wide;
            effect->has |= EFFECT_HAS_VALUE;
            effect->value[0] = record->bus.data[0];
            effect->value[1] = record->bus.data[1];
            if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_DATA, &wide))
                effect->value[0] = hash_of_bytes(spoor_batch_bytes(batch, wide), wide.size);
        }
        unit_note_access(builder, effect);
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        unit_field(builder, batch, index, fields[i]);
    builder->options.by_record = by_record;
}

/* A branch of a trace of branches.  Where one that is not taken would go, formats do not all state.
 */
static void unit_branch(struct unit_builder *builder, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (!builder->options.branches) {
        builder->left_out[SPOOR_FLOW]++;
        return;
    }
    struct unit *unit = unit_begin(builder, UNIT_INSTRUCTION, record);
    if (!unit) return;
    const bool by_record = builder->options.by_record; /* the effects are of this record */
    unit->pc = record->flow.va;
    unit->has |= record->has & SPOOR_HAS_VA ? UNIT_HAS_PC : 0;
    builder->queue->begun = true;
    builder->options.by_record = false;
    unit_field(builder, batch, index, SPOOR_FIELD_BRANCH);
    const bool typed = record->op & SPOOR_FLOW_TYPED;
    if (!typed || !(record->op & SPOOR_FLOW_NOT_TAKEN))
        unit_field(builder, batch, index, SPOOR_FIELD_TARGET);
    builder->options.by_record = by_record;
}

/* ---- batches ---- */

bool unit_builder_feed(struct unit_builder *builder, const struct spoor_batch *batch)
{
    if (!builder->begun && builder->options.isa == ISA_UNKNOWN)
        builder->options.isa = isa_of(batch);
    builder->begun = true;
    for (size_t i = 0; i < batch->count && !builder->out_of_memory; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool named = record->has & SPOOR_HAS_CPU;
        if (!builder->queue || (named && builder->cpu_last != record->cpu)) {
            /* The queue of another processor. */
            builder->cpu_last = named ? record->cpu : 0;
            const spoor_name name = (spoor_name)builder->cpu_last;
            struct name_entry *entry = &builder->cpus->entries[name];
            if (!entry->known) {
                size_t size;
                const char *text = spoor_names_text(builder->stream->names, name, &size);
                *entry =
                    (struct name_entry){true, false, 0, unit_cpu_name(builder->names, text, size)};
            }
            builder->cpu = entry->name;
            builder->queue = builder->queue_of(builder->context, builder->cpu);
            if (!builder->queue) builder->out_of_memory = true;
        }
        if (!builder->queue) break;
        builder->line = spoor_batch_line(batch, i);
        builder->record = batch->first + i;
        switch ((enum spoor_kind)record->kind) {
        case SPOOR_INSN:
            if (record->op == SPOOR_INSN_SQUASHED) break;
            unit_instruction(builder, batch, record);
            if (builder->options.dumps && unit_has_open(builder->queue))
                unit_open(builder->queue)->is_block =
                    builder->options.block_limit && builder->options.block_limit(batch, i) != 1;
            break;
        case SPOOR_REG:
            if (builder->options.dumps && record->op == SPOOR_REG_READ)
                unit_dumped_register(builder, record);
            else
                unit_register_write(builder, batch, record);
            break;
        case SPOOR_MEM: unit_access(builder, batch, record); break;
        case SPOOR_UOP: unit_uop(builder, batch, i); break;
        case SPOOR_BUS: unit_bus(builder, batch, i); break;
        case SPOOR_EVENT: unit_event(builder, record); break;
        case SPOOR_FLOW: unit_branch(builder, batch, i); break;
        case SPOOR_NOTE: builder->left_out[SPOOR_NOTE] += record->op != SPOOR_NOTE_LEFT_OUT; break;
        default: builder->left_out[record->kind < SPOOR_KINDS ? record->kind : 0]++; break;
        }
    }
    return !builder->out_of_memory;
}

bool unit_builder_start(struct unit_builder *builder, const struct spoor_stream *stream)
{
    struct name_map **maps[] = {&builder->registers, &builder->cpus, &builder->modes,
                                &builder->events};
    builder->stream = stream;
    builder->has_instructions =
        stream->kinds & (UINT32_C(1) << SPOOR_INSN | UINT32_C(1) << SPOOR_UOP);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (!(*maps[i] = calloc(1, sizeof **maps[i]))) return false;
    return true;
}

void unit_builder_free(struct unit_builder *builder)
{
    for (size_t i = 0; i < builder->dump_count; i++) free(builder->dumps[i].registers);
    free(builder->dumps);
    free(builder->registers);
    free(builder->cpus);
    free(builder->modes);
    free(builder->events);
}
