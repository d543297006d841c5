/* SPDX-License-Identifier: MIT */
/*
 * roots.c: decides which wrong value is a root and which is a consequence of another.
 *
 * For each register and each byte of memory, a cpu pair stores a taint: whether the last write was
 * wrong, and which root it came from, or came from a volatile source.  A pair that differs and has
 * no tainted source is a root.
 * Where a log prints no memory, addresses are computed from the base registers and offsets, so a
 * wrong value is followed from store to load.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compare/compare.h"
#include "isa/riscv_csr.h"

enum { MIN_REGISTERS = 256 };

/* ---- traps ---- */

static void roots_note_vector(struct cpu_pair *cpu_pair, unsigned side, uint64_t address)
{
    enum { VECTORS = 4 };
    for (unsigned i = 0; i < cpu_pair->vector_count[side] && i < VECTORS; i++)
        if (cpu_pair->vectors[side][i] == address) return;
    cpu_pair->vectors[side][cpu_pair->vector_count[side]++ % VECTORS] = address;
}

/* ---- equal pairs ---- */

void roots_write_side(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                      uint64_t ordinal)
{
    enum { CSRRW = 0x1073, STVEC = 0x105, MTVEC = 0x305, VSET = 0x7057, MASK = 0x707F };
    const struct unit *unit = unit_at(&cpu_pair->queues[side], ordinal);
    const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit);
    for (unsigned i = 0; i < unit->effect_count; i++) {
        if (effects[i].kind != EFFECT_REGISTER && effects[i].kind != EFFECT_STATE) continue;
        struct register_state *state = cpu_pair_register(cpu_pair, effects[i].name);
        if (!state) {
            diff->out_of_memory = true;
            return;
        }
        if (cpu_pair_register_is(diff, cpu_pair, effects[i].name) & REGISTER_TRAP_VECTOR)
            roots_note_vector(cpu_pair, side, effects[i].value[0] & ~UINT64_C(3));
        /* Records the last writer of the register, and its value. */
        const struct effect *effect = &effects[i];
        state->value[side] = effect_value(effect);
        state->record[side] = unit->record;
        state->line[side] = unit->line;
        state->known |= (uint8_t)(1U << side);
        state->pair = cpu_pair->pairs;
    }
    /* A RISC-V csrrw to mtvec or stvec, whose value the log may not print. */
    const unsigned csr = (unsigned)(unit->opcode >> 20) & 0xFFF;
    if (diff->isa == ISA_RISCV && (unit->opcode & MASK) == CSRRW &&
        (csr == STVEC || csr == MTVEC)) {
        const spoor_name source = diff->operand_names.integer[unit->opcode >> 15 & 31];
        if (source && source < cpu_pair->register_capacity &&
            (cpu_pair->registers[source].known >> side & 1))
            roots_note_vector(cpu_pair, side,
                              cpu_pair->registers[source].value[side] & ~UINT64_C(3));
    }
    if (diff->isa == ISA_RISCV && (unit->opcode & MASK) == VSET && unit->opcode_size == 4)
        vector_note_settings(diff, cpu_pair, side, unit);
}

void roots_agree(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                 const struct comparison *comparison)
{
    static const struct comparison none;
    bool masked = comparison && comparison->rule_count;
    if (cpu_pair->tainted_registers || cpu_pair->memory.words.count || diff->volatiles || masked ||
        cpu_pair->handler_end) {
        uint32_t taint;
        roots_of(diff, cpu_pair, comparison ? comparison : &none, &taint);
        return;
    }
    cpu_pair->branch = TAINT_NONE; /* nothing is wrong any more: no branch leads astray */
    for (unsigned side = 0; side < 2; side++)
        roots_write_side(diff, cpu_pair, side, cpu_pair->queues[side].head);
}

/* ---- sources ---- */

/* The sources of the pair at the heads, and where it stores. */
struct flow {
    struct operands operands;
    uint32_t taint;      /* the worst taint among the sources */
    uint32_t kept;       /* among the vectors of which it keeps elements */
    uint32_t registers;  /* among the registers of the sources that are no data of a store */
    uint64_t address[2]; /* computed where the log prints no access */
    bool has_address[2];
    struct rule *source; /* the volatile source that the pair itself reads, or NULL */
    spoor_name csr;      /* the control register of RISC-V that it accesses */
};

static void roots_add_source(struct flow *flow, struct rule *rule)
{
    if (!rule) return;
    flow->source = rule;
    flow->taint = taint_worse(flow->taint, TAINT_VOLATILE);
}

static spoor_name roots_csr(struct spoor_diff *diff, unsigned number)
{
    char name[MAX_RISCV_CSR_NAME];
    return spoor_names_intern(diff->names, name, riscv_csr_name(number, name));
}

static void roots_read_bytes(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                             uint64_t address, unsigned size, struct flow *flow)
{
    flow->taint = taint_worse(flow->taint, taint_get(&cpu_pair->memory, address, size));
    roots_add_source(flow, rule_volatile_memory(diff, address));
}

static void roots_rebuild_address(struct flow *flow, const struct cpu_pair *cpu_pair, unsigned side)
{
    spoor_name base = flow->operands.base;
    if (!base || base >= cpu_pair->register_capacity) return;
    const struct register_state *state = &cpu_pair->registers[base];
    if (!(state->known >> side & 1)) return;
    flow->address[side] = state->value[side] + (uint64_t)flow->operands.offset;
    flow->has_address[side] = true;
}

static void roots_find_sources(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                               const struct unit *const units[2], struct flow *flow)
{
    *flow = (struct flow){0};
    const struct isa_vtype vtype = vector_type(diff, cpu_pair, 0);
    operands_of(units[0], unit_text(&cpu_pair->queues[0], units[0]), diff->isa, diff->names,
                &diff->operand_names, &vtype, &flow->operands);
    const struct operands *operands = &flow->operands;
    for (unsigned i = 0; i < operands->read_count; i++) {
        spoor_name name = operands->reads[i];
        const bool kept = i + operands->kept_count >= operands->read_count;
        uint32_t *taint = kept ? &flow->kept : &flow->taint;
        const bool data = i >= operands->data_begin && i < operands->data_end;
        struct rule *rule = rule_volatile_register(diff, name, -1);
        uint32_t found = rule ? TAINT_VOLATILE : TAINT_NONE;
        if (name < cpu_pair->register_capacity)
            found = taint_worse(found, cpu_pair->registers[name].taint);
        *taint = taint_worse(*taint, found);
        if (!kept && !data) flow->registers = taint_worse(flow->registers, found);
        roots_add_source(flow, rule);
    }
    if (operands->csr >= 0) {
        roots_add_source(flow, rule_volatile_register(diff, SPOOR_NO_NAME, operands->csr));
        flow->csr = roots_csr(diff, (unsigned)operands->csr);
        /* Its state is its own, or that of the one of which it is a part or a view, whichever was
         * written last: Spike prints mstatus where sstatus was written. */
        static const unsigned views[][2] = {{0x100, 0x300}, {0x104, 0x304}, {0x144, 0x344}};
        const unsigned number = (unsigned)operands->csr;
        const struct register_state *state = NULL;
        for (size_t i = 0; i <= sizeof views / sizeof *views; i++) {
            const bool own = i == sizeof views / sizeof *views;
            if (!own && views[i][0] != number && views[i][1] != number) continue;
            const unsigned other = own ? number : views[i][views[i][0] == number];
            const spoor_name name = roots_csr(diff, other);
            if (name >= cpu_pair->register_capacity) continue;
            const struct register_state *one = &cpu_pair->registers[name];
            if (!state || one->pair > state->pair) state = one;
        }
        if (state) flow->taint = taint_worse(flow->taint, state->taint);
    }
    /* Spike prints no sizes of loads: those of vectors are elements */
    const unsigned unstated = operands->is_vector ? operands->element : operands->size;
    /* no value of a MOV comes from memory, whatever a log prints after it; a return from an
     * exception may read the stack */
    const bool loads = !operands->name || operands->load || operands->branch || operands->system;
    for (unsigned side = 0; side < 2; side++) {
        const struct effect *effects = unit_effects(&cpu_pair->queues[side], units[side]);
        bool printed = false;
        for (unsigned i = 0; i < units[side]->effect_count; i++) {
            if (effects[i].kind > EFFECT_UPDATE || effects[i].kind == EFFECT_REGISTER) continue;
            printed = true;
            if (effects[i].kind != EFFECT_WRITE && loads)
                roots_read_bytes(diff, cpu_pair, effects[i].address,
                                 effects[i].size ? effects[i].size : unstated, flow);
        }
        if (printed) continue;
        roots_rebuild_address(flow, cpu_pair, side);
        if (operands->load && flow->has_address[side])
            roots_read_bytes(diff, cpu_pair, flow->address[side], operands->size, flow);
    }
}

/* ---- writes ---- */

/* Taints the registers whose value differs and clears the taint of those that agree. */
static void roots_taint_registers(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                  const struct unit *const units[2], uint32_t wrong)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct effect *effects = unit_effects(&cpu_pair->queues[side], units[side]);
        for (unsigned i = 0; i < units[side]->effect_count; i++) {
            if (effects[i].kind != EFFECT_REGISTER) continue;
            struct register_state *state = cpu_pair_register(cpu_pair, effects[i].name);
            if (!state) continue;
            bool known = state->known == 3;
            bool differs = known && state->value[0] != state->value[1];
            if (rule_volatile_register(diff, effects[i].name, -1) && differs)
                register_taint(cpu_pair, state, TAINT_VOLATILE);
            else
                register_taint(cpu_pair, state, differs ? wrong : TAINT_NONE);
        }
    }
}

/* True if a side states the value that the pair writes to a register. */
static bool roots_states_register(const struct cpu_pair *cpu_pair,
                                  const struct unit *const units[2], spoor_name name)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct effect *effects = unit_effects(&cpu_pair->queues[side], units[side]);
        for (unsigned i = 0; i < units[side]->effect_count; i++)
            if (effects[i].kind == EFFECT_REGISTER && effects[i].name == name) return true;
    }
    return false;
}

/* Taints a control register whose value neither side states. */
static void roots_taint_unstated(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                 const struct unit *const units[2], spoor_name name, uint32_t taint)
{
    if (!name || roots_states_register(cpu_pair, units, name)) return;
    struct register_state *state = cpu_pair_register(cpu_pair, name);
    if (!state) {
        diff->out_of_memory = true;
        return;
    }
    register_taint(cpu_pair, state, taint);
    state->pair = cpu_pair->pairs;
    state->known = 0;
}

/* Taints the control register that an instruction names and writes. */
static void roots_taint_csr(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                            const struct unit *const units[2], const struct flow *flow)
{
    enum { FUNCTION = 3 << 12, SWAPS = 1 << 12, IMMEDIATE = 4 << 12, SOURCE = 31 << 15 };
    const unsigned opcode = (unsigned)units[0]->opcode;
    if (!flow->csr) return;
    const bool swaps = (opcode & FUNCTION) == SWAPS;
    if (!swaps && !(opcode & SOURCE)) return; /* it only reads */
    uint32_t taint = flow->taint;
    if (swaps) { /* what it reads of the register is not in what it writes */
        const spoor_name source = diff->operand_names.integer[opcode >> 15 & 31];
        taint = !(opcode & IMMEDIATE) && source && source < cpu_pair->register_capacity
                    ? cpu_pair->registers[source].taint
                    : TAINT_NONE;
    }
    roots_taint_unstated(diff, cpu_pair, units, flow->csr, taint);
    for (unsigned i = 0; i < flow->operands.change_count; i++) /* fflags and frm of fcsr */
        roots_taint_unstated(diff, cpu_pair, units, flow->operands.changes[i], taint);
}

static bool roots_is_operand(const struct spoor_diff *diff, spoor_name name, enum isa_register reg)
{
    return name && name == diff->operand_names.riscv[reg - ISA_RISCV_VECTOR];
}

/* Taints the control registers that an instruction changes unnamed: it adds to flags, and leaves
 * vstart at 0.  vl is what a vsetvli writes to its result, and vtype what its opcode states. */
static void roots_taint_changes(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                const struct unit *const units[2],
                                const struct comparison *comparison, const struct flow *flow,
                                uint32_t wrong)
{
    enum { RESULT = 31 << 7 };
    const struct operands *operands = &flow->operands;
    const uint32_t taint = comparison->count ? wrong : flow->taint;
    for (unsigned i = 0; i < operands->change_count && !flow->csr; i++) {
        const spoor_name name = operands->changes[i];
        const bool result = roots_is_operand(diff, name, ISA_VL) && units[0]->opcode & RESULT &&
                            !operands->load && !comparison->count;
        if (roots_is_operand(diff, name, ISA_FFLAGS) || roots_is_operand(diff, name, ISA_VXSAT)) {
            const uint32_t before =
                name < cpu_pair->register_capacity ? cpu_pair->registers[name].taint : TAINT_NONE;
            if (taint != TAINT_NONE)
                roots_taint_unstated(diff, cpu_pair, units, name, taint_worse(before, taint));
        } else if (!roots_states_register(cpu_pair, units, name)) {
            struct register_state *state = cpu_pair_register(cpu_pair, name);
            const bool clean = result || roots_is_operand(diff, name, ISA_VSTART);
            if (state) register_taint(cpu_pair, state, clean ? TAINT_NONE : taint);
        }
    }
}

/* The taint of the flags if the pair differs only in flags that instructions add to, and these were
 * wrong before. */
static uint32_t roots_only_adds_to_wrong(const struct cpu_pair *cpu_pair,
                                         const struct unit *const units[2],
                                         const struct comparison *comparison,
                                         const struct operands *operands)
{
    uint32_t worst = TAINT_NONE;
    for (unsigned i = 0; i < comparison->count; i++) {
        if (i == MAX_DIFFERENCES || !operands->change_count) return TAINT_NONE;
        const struct effect *effect = differing_effect(cpu_pair, units, &comparison->items[i]);
        if (!effect) return TAINT_NONE;
        bool changes = false;
        for (unsigned k = 0; k < operands->change_count; k++)
            changes |= operands->changes[k] == effect->name;
        if (effect->kind != EFFECT_REGISTER || !changes ||
            effect->name >= cpu_pair->register_capacity ||
            !taint_is_wrong(cpu_pair->registers[effect->name].taint))
            return TAINT_NONE;
        worst = taint_worse(worst, cpu_pair->registers[effect->name].taint);
    }
    return worst;
}

/* Taints the bytes that a write of one side changes: where the other one writes there, too, those
 * that differ. */
static void roots_taint_write(struct cpu_pair *cpu_pair, const struct unit *unit, unsigned other,
                              const struct effect *write, uint32_t taint)
{
    const struct effect *effects = unit_effects(&cpu_pair->queues[other], unit);
    unsigned i = 0;
    while (taint && i < unit->effect_count &&
           !(effects[i].kind == write->kind && effects[i].address == write->address &&
             effects[i].size == write->size))
        i++;
    const bool bytes = taint && i < unit->effect_count && write->size && write->size <= 16 &&
                       (effects[i].has & write->has & EFFECT_HAS_VALUE);
    if (!bytes) {
        taint_set(&cpu_pair->memory, write->address, write->size, taint);
        return;
    }
    for (unsigned byte = 0; byte < write->size; byte++) {
        const uint64_t differing = effects[i].value[byte / 8] ^ write->value[byte / 8];
        taint_set(&cpu_pair->memory, write->address + byte, 1,
                  differing >> byte % 8 * 8 & 255 ? taint : TAINT_NONE);
    }
}

void roots_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const uint64_t skipped[2],
               uint32_t taint)
{
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t i = 0; i < skipped[side]; i++) {
            /* Only one side stores what a skipped unit does: as the log prints it, or as its
             * registers imply. */
            const struct unit *unit = unit_ahead(cpu_pair, side, i);
            const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit);
            bool printed = false;
            for (unsigned j = 0; j < unit->effect_count; j++) {
                if (effects[j].kind != EFFECT_WRITE && effects[j].kind != EFFECT_UPDATE) continue;
                printed = true;
                taint_set(&cpu_pair->memory, effects[j].address, effects[j].size, taint);
            }
            struct flow flow = {0};
            if (!printed) {
                operands_of(unit, unit_text(&cpu_pair->queues[side], unit), diff->isa, diff->names,
                            &diff->operand_names, NULL, &flow.operands);
                roots_rebuild_address(&flow, cpu_pair, side);
            }
            if (flow.operands.store && flow.has_address[side])
                taint_set(&cpu_pair->memory, flow.address[side], flow.operands.size, taint);
            roots_write_side(diff, cpu_pair, side, cpu_pair->queues[side].head + i);
        }
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t i = 0; i < skipped[side]; i++) {
            const struct unit *unit = unit_ahead(cpu_pair, side, i);
            const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit);
            for (unsigned j = 0; j < unit->effect_count; j++) {
                if (effects[j].kind != EFFECT_REGISTER) continue;
                struct register_state *state = cpu_pair_register(cpu_pair, effects[j].name);
                const bool differs =
                    state && state->known == 3 && state->value[0] != state->value[1];
                if (state) register_taint(cpu_pair, state, differs ? taint : TAINT_NONE);
            }
        }
}

/* True if all differences are in volatile registers themselves. */
static bool roots_only_volatile(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                                const struct unit *const units[2],
                                const struct comparison *comparison)
{
    for (unsigned i = 0; i < comparison->count; i++) {
        if (i == MAX_DIFFERENCES) return false;
        const struct effect *effect = differing_effect(cpu_pair, units, &comparison->items[i]);
        if (!effect) return false;
        struct rule *rule = NULL;
        if (effect->kind == EFFECT_REGISTER)
            rule = rule_volatile_register(diff, effect->name, -1);
        else if (effect->kind == EFFECT_READ)
            rule = rule_volatile_memory(diff, effect->address);
        if (!rule) return false;
        rule->uses++;
    }
    return true;
}

/* `root` is set to the taint that explains a consequence. */
static enum cause roots_cause(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                              const struct unit *const units[2],
                              const struct comparison *comparison, const struct flow *flow,
                              uint32_t *root)
{
    uint8_t class = comparison->items[0].class;
    struct rule *waiver = rule_waives(diff, cpu_pair, class, units[0], units[1], comparison);
    if (waiver) {
        waiver->uses++;
        return CAUSE_WAIVED;
    }
    if (diff->volatiles && roots_only_volatile(diff, cpu_pair, units, comparison))
        return CAUSE_VOLATILE;
    /* The classes of difference that a tainted source explains. */
    const bool explains =
        (class >= SPOOR_DIFF_VALUE && class <= SPOOR_DIFF_MEMORY_DATA) ||
        class == SPOOR_DIFF_MEMORY_ORDER ||
        (flow->operands.is_vector && (class == SPOOR_DIFF_MISSING || class == SPOOR_DIFF_EXTRA));
    if (!explains) return CAUSE_ROOT;
    uint32_t taint = vector_keeps_difference(diff, cpu_pair, units, &flow->operands, comparison)
                         ? taint_worse(flow->taint, flow->kept)
                         : flow->taint;
    for (unsigned i = 0; i < comparison->count && i < MAX_DIFFERENCES; i++)
        if (comparison->items[i].class == SPOOR_DIFF_MEMORY_ADDRESS) taint = flow->registers;
    *root = taint_is_wrong(taint)
                ? taint
                : roots_only_adds_to_wrong(cpu_pair, units, comparison, &flow->operands);
    if (*root) return CAUSE_CONSEQUENCE;
    if (handler_contradicts(diff, cpu_pair, units, comparison, &flow->operands, flow->csr))
        return CAUSE_ROOT;
    return taint == TAINT_VOLATILE ? CAUSE_VOLATILE : CAUSE_ROOT;
}

enum cause roots_of(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                    const struct comparison *comparison, uint32_t *taint)
{
    struct flow flow;
    const struct unit *const units[2] = {unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head),
                                         unit_at(&cpu_pair->queues[1], cpu_pair->queues[1].head)};
    roots_find_sources(diff, cpu_pair, units, &flow);
    enum cause cause = CAUSE_VOLATILE; /* bits that a mask hides may differ, and so may values
                                        * computed from them */
    if (comparison->count) cause = roots_cause(diff, cpu_pair, units, comparison, &flow, taint);
    if (comparison->count && cause == CAUSE_VOLATILE && flow.source) flow.source->uses++;
    if (flow.operands.branch)
        cpu_pair->branch = taint_is_wrong(flow.taint) ? flow.taint : TAINT_NONE;
    for (unsigned side = 0; side < 2; side++)
        roots_write_side(diff, cpu_pair, side, cpu_pair->queues[side].head);
    if (cpu_pair->handler_end) handler_add_stores(cpu_pair, units);
    if (cause == CAUSE_ROOT) *taint = retained_taint(diff);
    const uint32_t wrong =
        cause == CAUSE_VOLATILE || cause == CAUSE_WAIVED ? TAINT_VOLATILE : *taint;
    bool differs = false;
    for (unsigned i = 0; i < comparison->count && i < MAX_DIFFERENCES; i++) {
        /* In what an access writes, or one side lacks the access. */
        const unsigned class = comparison->items[i].class;
        const struct effect *effect = differing_effect(cpu_pair, units, &comparison->items[i]);
        if ((class == SPOOR_DIFF_MISSING || class == SPOOR_DIFF_EXTRA) && effect)
            differs |= effect->kind == EFFECT_WRITE || effect->kind == EFFECT_UPDATE;
        else
            differs |= class == SPOOR_DIFF_MEMORY_DATA || class == SPOOR_DIFF_MEMORY_ADDRESS ||
                       class == SPOOR_DIFF_MEMORY_SIZE || class == SPOOR_DIFF_MEMORY_KIND;
    }
    for (unsigned side = 0; side < 2; side++) {
        const struct effect *effects = unit_effects(&cpu_pair->queues[side], units[side]);
        for (unsigned i = 0; i < units[side]->effect_count; i++)
            if (effects[i].kind == EFFECT_WRITE || effects[i].kind == EFFECT_UPDATE)
                roots_taint_write(cpu_pair, units[!side], !side, &effects[i],
                                  differs ? wrong : TAINT_NONE);
        if (flow.operands.store && flow.has_address[side])
            taint_set(&cpu_pair->memory, flow.address[side], flow.operands.size, flow.taint);
    }
    roots_taint_csr(diff, cpu_pair, units, &flow);
    roots_taint_changes(diff, cpu_pair, units, comparison, &flow, wrong);
    roots_taint_registers(diff, cpu_pair, units, wrong);
    if (cpu_pair->handler_end && cpu_pair->pairs + 1 >= cpu_pair->handler_end) {
        /* The handler of a moved interrupt returned: its registers are those that it found, and a
         * difference in what is computed from them is one.  What it found in memory that the
         * instructions after it write is past. */
        for (uint32_t i = 1; i <= cpu_pair->handler_over; i++) {
            const struct unit *unit = unit_ahead(cpu_pair, cpu_pair->handler_side, i);
            const struct effect *effects =
                unit_effects(&cpu_pair->queues[cpu_pair->handler_side], unit);
            for (unsigned j = 0; j < unit->effect_count; j++)
                if ((effects[j].kind == EFFECT_WRITE || effects[j].kind == EFFECT_UPDATE) &&
                    taint_get(&cpu_pair->memory, effects[j].address, effects[j].size) ==
                        TAINT_VOLATILE)
                    taint_set(&cpu_pair->memory, effects[j].address, effects[j].size, TAINT_NONE);
        }
        for (size_t i = 0; i < cpu_pair->register_capacity; i++) {
            struct register_state *state = &cpu_pair->registers[i];
            if (state->taint == TAINT_VOLATILE)
                register_taint(cpu_pair, state, state->taint_before);
            state->taint_before = TAINT_NONE;
        }
        cpu_pair->handler_end = 0;
    }
    return cause;
}
