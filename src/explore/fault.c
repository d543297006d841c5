/* SPDX-License-Identifier: MIT */
/*
 * fault.c: the last fault of a trace, from the records between two instructions that state it.
 */
#include "spoor/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "effects/event.h"
#include "explore/fault_words.h"
#include "explore/internal.h"
#include "explore/operand.h"
#include "model/options.h"

enum { HANDLER_RECORDS = 20000 /* in which a handler reads why it runs */ };

/* ---- which records state a fault ---- */

static bool fault_contains(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (ascii_compare_some(text + i, word, length) == 0) return true;
    return false;
}

static bool is_fault_name(const struct machine *machine, const struct event_statement *said,
                          const struct call_place *place)
{
    static const char *const words[] = {"fault",      "abort",     "undef", "illegal",
                                        "misaligned", "memmanage", "serr"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fault_contains(said->name, said->name_size, words[i])) return true;
    if (fault_contains(said->name, said->name_size, "_SYNC")) {
        const uint32_t what = place->bits & 0xFFE0001F; /* A64: SVC, HVC or SMC asked for it */
        return !(place->known && place->iset == 'O' && place->has_bits &&
                 (what == 0xD4000001 || what == 0xD4000002 || what == 0xD4000003));
    }
    if (machine->isa != ISA_RISCV || !said->numbered) return false;
    const uint64_t code = said->number;
    return code != 3 && (code < 8 || code > 11) && riscv_exception_words(code) &&
           !fault_contains(said->name, said->name_size, "interrupt");
}

static bool states_fault(struct machine *machine, const struct explorer_visit *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind == SPOOR_MEM)
        return (record->mem.attr & SPOOR_MEM_ABORTED) && (record->has & SPOOR_HAS_VA);
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE && !record->reg.unknown) {
        const struct machine_register reg = machine_register(machine, record);
        /* A64: a syndrome that an exception wrote, not MSR, of a class that is a fault */
        static const uint8_t classes[] = {0x00, 0x0E, 0x20, 0x21, 0x22,
                                          0x24, 0x25, 0x26, 0x2F, 0x3C};
        const char *name = spoor_names_text(machine->registers, reg.name, NULL);
        if (strncmp(name, "esr_el", 6) != 0) return false;
        if (visited->place->known && (visited->place->bits & 0xFFF00000) == 0xD5100000)
            return false;
        return memchr(classes, (int)(record->reg.value[0] >> 26 & 0x3F), sizeof classes);
    }
    if (record->kind != SPOOR_EVENT) return false;
    const struct event_statement said = event_read(visited->batch, record);
    switch (said.meaning) {
    case EVENT_MEANS_RAISED:
    case EVENT_MEANS_LOCKUP: return true;
    case EVENT_MEANS_EXCEPTION: return is_fault_name(machine, &said, visited->place);
    default: return false;
    }
}

/* ---- collecting what is stated of it ---- */

struct fault_search {
    struct explorer *explorer;
    struct spoor_processor_fault *fault;
    int cpu;        /* -1: any */
    uint64_t found; /* the last record that states a fault, `any` */
    uint64_t from;  /* the instruction before it */
    bool any, begins;
    bool out_of_memory;
    bool main;          /* the instruction is of the M profile */
    bool locked;        /* a lockup was stated */
    char read_name[16]; /* the register that the handler's instruction reads; "": another */
    struct operand_list operands;

    uint64_t word, word_size, word_value; /* the last access that read before the fault */
    bool has_tval;                        /* the event states the cause and mtval (RISC-V) */
    uint64_t cause, tval;
};

static bool fault_find_last(void *context, const struct explorer_visit *visited)
{
    struct fault_search *search = context;
    if (search->cpu >= 0 && visited->cpu != (unsigned)search->cpu) return true;
    if (!states_fault(&search->explorer->machine, visited)) return true;
    search->any = true;
    search->found = visited->record;
    search->from = visited->place->known ? visited->place->record : visited->record;
    search->begins = visited->place->known;
    search->fault->cpu = visited->cpu;
    return true;
}

static void fault_add_step(struct fault_search *search, const struct explorer_visit *visited)
{
    struct spoor_processor_fault *fault = search->fault;
    const struct event_statement said =
        event_read(visited->batch, &visited->batch->records[visited->index]);
    struct spoor_fault_step step = {.record = visited->record,
                                    .number = said.number,
                                    .address = said.value,
                                    .numbered = said.numbered,
                                    .addressed = said.addressed};
    switch (said.meaning) {
    case EVENT_MEANS_RAISED:
        step.kind = said.escalated ? SPOOR_FAULT_ESCALATED : SPOOR_FAULT_RAISED;
        if (said.fault && !said.escalated)
            snprintf(step.words, sizeof step.words, "%.*s", (int)said.fault_size, said.fault);
        break;
    case EVENT_MEANS_EXCEPTION:
        step.kind = SPOOR_FAULT_TAKEN;
        if (!said.has_tval || !is_fault_name(&search->explorer->machine, &said, visited->place))
            break;
        search->has_tval = said.numbered;
        search->cause = said.number;
        search->tval = said.value;
        break;
    case EVENT_MEANS_LOCKUP: step.kind = SPOOR_FAULT_LOCKUP; break;
    case EVENT_MEANS_RESET: step.kind = SPOOR_FAULT_RESET; break;
    default: return;
    }
    if (step.kind < SPOOR_FAULT_LOCKUP) {
        const char *name = said.name ? said.name : "";
        size_t size = said.name ? said.name_size : 0;
        static const char prefix[] = "CoreEvent_";
        if (size > sizeof prefix - 1 && memcmp(name, prefix, sizeof prefix - 1) == 0) {
            name += sizeof prefix - 1;
            size -= sizeof prefix - 1;
        }
        snprintf(step.name, sizeof step.name, "%.*s", (int)size, name);
    } else {
        step.numbered = step.addressed = false;
    }
    struct spoor_fault_step *last = fault->step_count ? &fault->steps[fault->step_count - 1] : NULL;
    if (last && step.kind == SPOOR_FAULT_TAKEN && last->kind == step.kind &&
        last->addressed == step.addressed && last->address == step.address &&
        ascii_compare(last->name, step.name) == 0) {
        /* the INFO_EXCEPTION_REASON and the E line of one exception are one step */
        last->numbered |= step.numbered;
        if (step.numbered) last->number = step.number;
        return;
    }
    if (fault->step_count < SPOOR_FAULT_STEPS && !search->locked)
        fault->steps[fault->step_count++] = step;
    else
        fault->more_steps++;
    search->locked |= step.kind == SPOOR_FAULT_LOCKUP;
}

/* A register that is known already keeps its value: a fault wrote it. */
static void fault_add_register(struct fault_search *search, const char *name, uint64_t value,
                               uint64_t record, bool read)
{
    struct spoor_processor_fault *fault = search->fault;
    struct text words = {0};
    struct spoor_fault_register *reg = fault->registers;
    const struct spoor_fault_register *end = reg + fault->register_count;
    if (!fault_register_words(name, value, search->main, &words)) return;
    while (reg < end && strcmp(reg->name, name) != 0) reg++;
    if (reg < end ? !read : fault->register_count < SPOOR_FAULT_REGISTERS) {
        if (reg == end) fault->register_count++;
        *reg = (struct spoor_fault_register){.record = record, .value = value, .read = read};
        snprintf(reg->name, sizeof reg->name, "%s", name);
        if (words.bytes && !words.failed)
            snprintf(reg->words, sizeof reg->words, "%.*s", (int)words.size, words.bytes);
        search->out_of_memory |= words.failed;
    }
    text_free(&words);
}

/* The records from the instruction before the fault to the next one. */
static bool fault_collect(void *context, const struct explorer_visit *visited)
{
    struct fault_search *search = context;
    struct spoor_processor_fault *fault = search->fault;
    struct machine *machine = &search->explorer->machine;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (visited->cpu != fault->cpu) return true;
    if (visited->record == search->from && search->begins) {
        if (record->kind == SPOOR_INSN) {
            search->main =
                record->insn.iset == 'T' && machine_m_mode(operand_mode(visited)) != MACHINE_NOT_M;
            operand_list(machine, visited, &search->operands);
        }
        fault->has_instruction = true;
        fault->instruction = visited->record;
        fault->pc = visited->place->pc;
        return true;
    }
    if (record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN) {
        fault->handled = true;
        fault->handler = (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa;
        fault->end = visited->record;
        return false;
    }
    if (!fault->record && states_fault(machine, visited)) {
        fault->record = visited->record;
        fault->time = record->time;
    }
    if (record->kind == SPOOR_EVENT) fault_add_step(search, visited);
    if (record->kind == SPOOR_MEM && (record->has & SPOOR_HAS_VA) && !fault->access) {
        if (record->mem.attr & SPOOR_MEM_ABORTED) {
            fault->access = record->op == SPOOR_MEM_FETCH  ? SPOOR_FAULT_FETCH
                            : record->op == SPOOR_MEM_READ ? SPOOR_FAULT_READ
                                                           : SPOOR_FAULT_WRITE;
            fault->address = record->mem.va;
            fault->size = record->mem.size;
        } else if (record->op == SPOOR_MEM_READ && (record->has & SPOOR_HAS_DATA) &&
                   !fault->step_count) {
            search->word = record->mem.va;
            search->word_size = record->mem.size;
            search->word_value = record->mem.data[0];
        }
    }
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE && !record->reg.unknown &&
        !record->reg.high) {
        const struct machine_register reg = machine_register(machine, record);
        fault_add_register(search, spoor_names_text(machine->registers, reg.name, NULL),
                           record->reg.value[0], visited->record, false);
    }
    fault->end = visited->record + 1;
    return true;
}

/* ---- what the handler reads ---- */

static bool fault_read_by_handler(void *context, const struct explorer_visit *visited)
{
    struct fault_search *search = context;
    struct machine *machine = &search->explorer->machine;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (visited->cpu != search->fault->cpu) return true;
    if (record->kind == SPOOR_EVENT) {
        /* another exception has reasons of its own */
        const enum event_meaning meaning = event_read(visited->batch, record).meaning;
        return meaning != EVENT_MEANS_EXCEPTION && meaning != EVENT_MEANS_RETURN &&
               meaning != EVENT_MEANS_RESET;
    }
    if (record->kind == SPOOR_INSN) { /* MRS or CSRR of a register that says something of faults */
        static const char *const xcsr[] = {"cause", "tval"};
        const bool whole = (record->has & SPOOR_HAS_DATA) && record->insn.opcode_size == 4;
        const uint32_t bits = (uint32_t)record->insn.opcode, csr = bits >> 20;
        char *name = search->read_name;
        name[0] = '\0';
        if (whole && record->insn.iset == 'O') {
            const uint32_t reads = bits & ~UINT32_C(0x7001F);
            const unsigned level = bits >> 16 & 7;
            const unsigned el = level == 0 ? 1 : level == 4 ? 2 : level == 6 ? 3 : 0;
            if (el && reads == 0xD5385200) snprintf(name, 16, "esr_el%u", el);
            if (el && reads == 0xD5386000) snprintf(name, 16, "far_el%u", el);
        } else if (whole && machine->isa == ISA_RISCV && (bits & 0xFF07F) == 0x2073 &&
                   (csr & ~UINT32_C(0x201)) == 0x142) {
            snprintf(name, 16, "%c%s", csr & 0x200 ? 'm' : 's', xcsr[csr & 1]);
        }
    }
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE && search->read_name[0] &&
        !record->reg.unknown) {
        fault_add_register(search, search->read_name, record->reg.value[0], visited->record, true);
        search->read_name[0] = '\0';
    }
    if (record->kind == SPOOR_MEM && record->op == SPOOR_MEM_READ && record->mem.size == 4 &&
        (record->has & SPOOR_HAS_VA) && (record->has & SPOOR_HAS_DATA)) {
        const char *name = fault_register_at(record->mem.va);
        search->main |= name != NULL;
        if (name) fault_add_register(search, name, record->mem.data[0], visited->record, true);
    }
    return true;
}

/* ---- the access and its pointer ---- */

static bool fault_find_register(const struct spoor_processor_fault *fault, const char *name,
                                uint64_t *value)
{
    for (uint32_t i = 0; i < fault->register_count; i++) {
        const char *text = fault->registers[i].name;
        const size_t size = strlen(name);
        if (strncmp(text, name, size) != 0 || (text[size] && text[size] != '_')) continue;
        *value = fault->registers[i].value;
        return true;
    }
    return false;
}

static void fault_set_access(struct spoor_processor_fault *fault, enum spoor_fault_access access,
                             uint64_t address)
{
    if (fault->access) return;
    fault->access = (uint8_t)access;
    fault->address = address;
}

/* RISC-V: by the cause of the trap, and the value of mtval with it. */
static void fault_set_access_by_cause(struct spoor_processor_fault *fault, uint64_t cause,
                                      uint64_t tval)
{
    static const uint32_t fetches = 1U << 1 | 1U << 12 | 1U << 20,
                          reads = 1U << 4 | 1U << 5 | 1U << 13 | 1U << 21,
                          writes = 1U << 6 | 1U << 7 | 1U << 15 | 1U << 23;
    if (cause > 23) return;
    if (fetches >> cause & 1) fault_set_access(fault, SPOOR_FAULT_FETCH, tval);
    if (reads >> cause & 1) fault_set_access(fault, SPOOR_FAULT_READ, tval);
    if (writes >> cause & 1) fault_set_access(fault, SPOOR_FAULT_WRITE, tval);
}

/* The access to the address that a register has, if the trace states that register. */
static void fault_set_access_by(struct spoor_processor_fault *fault, enum spoor_fault_access access,
                                const char *name)
{
    uint64_t address;
    if (fault_find_register(fault, name, &address)) fault_set_access(fault, access, address);
}

/* The access that the registers, or the words of the trace, state. */
static void fault_derive_access(struct fault_search *search)
{
    struct spoor_processor_fault *fault = search->fault;
    const enum spoor_fault_access data =
        search->operands.stores ? SPOOR_FAULT_WRITE : SPOOR_FAULT_READ;
    uint64_t value;
    for (uint32_t i = 0; i < fault->step_count; i++) {
        const struct spoor_fault_step *step = &fault->steps[i];
        if (step->addressed &&
            fault_contains(step->words, strlen(step->words), "instruction fetch"))
            fault_set_access(fault, SPOOR_FAULT_FETCH, step->address);
    }
    if (fault_find_register(fault, "cfsr", &value)) {
        if (value >> 7 & 1) fault_set_access_by(fault, data, "mmfar");
        if (value >> 15 & 1) fault_set_access_by(fault, data, "bfar");
    }
    if (fault_find_register(fault, "esr", &value)) {
        const unsigned class = (unsigned)(value >> 26 & 0x3F);
        if (class == 0x20 || class == 0x21) fault_set_access_by(fault, SPOOR_FAULT_FETCH, "far");
        if (class == 0x24 || class == 0x25)
            fault_set_access_by(fault, value >> 6 & 1 ? SPOOR_FAULT_WRITE : SPOOR_FAULT_READ,
                                "far");
    }
    if (fault_find_register(fault, "dfsr", &value) && !search->main)
        fault_set_access_by(fault, value >> 11 & 1 ? SPOOR_FAULT_WRITE : SPOOR_FAULT_READ, "dfar");
    if (fault_find_register(fault, "ifsr", &value))
        fault_set_access_by(fault, SPOOR_FAULT_FETCH, "ifar");
    if (search->has_tval) fault_set_access_by_cause(fault, search->cause, search->tval);
    for (size_t i = 0; i < 2; i++) {
        uint64_t tval;
        if (fault_find_register(fault, i ? "scause" : "mcause", &value) &&
            fault_find_register(fault, i ? "stval" : "mtval", &tval))
            fault_set_access_by_cause(fault, value, tval);
    }
}

/* Whether the words of a step say so, or bits of CFSR, or the class of ESR.  The bits of CFSR stay
 * set until a program clears them: beside those of other faults it is doubtful whose they are. */
enum fault_statement { FAULT_UNSAID, FAULT_DOUBTFUL, FAULT_STATED };
static enum fault_statement fault_states(const struct spoor_processor_fault *fault,
                                         const char *word, uint32_t cfsr, unsigned class)
{
    enum { FAULTS = 0x3B | 0x3F << 8 | 0x31F << 16 }; /* without MMARVALID and BFARVALID */
    uint64_t value;
    for (uint32_t i = 0; i < fault->step_count; i++)
        if (fault_contains(fault->steps[i].words, strlen(fault->steps[i].words), word))
            return FAULT_STATED;
    if (fault_find_register(fault, "cfsr", &value) && value & cfsr)
        return value & FAULTS & ~cfsr ? FAULT_DOUBTFUL : FAULT_STATED;
    return fault_find_register(fault, "esr", &value) && (value >> 26 & 0x3F) == class
               ? FAULT_STATED
               : FAULT_UNSAID;
}

/* The stack pointer of which an address of a stack frame is near; SPOOR_NO_NAME: none, or of stacks
 * at several places it is not known whose. */
static spoor_name fault_find_stack(struct fault_search *search)
{
    static const char *const names[] = {"psp", "msp", "psp_s", "msp_s", "psp_ns", "msp_ns"};
    enum { LARGEST_FRAME = 52 * 4 };
    const struct spoor_processor_fault *fault = search->fault;
    spoor_name name = SPOOR_NO_NAME;
    uint64_t found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct machine_part part =
            machine_find_register(&search->explorer->machine, names[i]);
        const struct subject subject = {.cpu = fault->cpu, .part = part};
        struct spoor_error error = {0};
        struct touch touch;
        if (!part.name || explorer_last_write(search->explorer, &subject, fault->instruction,
                                              &touch, &error) != SPOOR_OK)
            continue;
        const uint64_t sp = strtoull(touch.value, NULL, 16);
        const uint64_t distance =
            fault->access == SPOOR_FAULT_WRITE ? sp - fault->address - 1 : fault->address - sp;
        if (!touch.valued || distance >= LARGEST_FRAME) continue;
        if (name && sp != found) return SPOOR_NO_NAME;
        if (!name) name = part.name;
        found = sp;
    }
    return name;
}

/* The base register of the access; of a fetch, what the branch before it went to. */
static void fault_find_pointer(struct fault_search *search)
{
    struct spoor_processor_fault *fault = search->fault;
    const struct operand_list *operands = &search->operands;
    spoor_name name = SPOOR_NO_NAME;
    enum {
        STACKING = 7 << 3 | 7 << 11, /* of CFSR: of MemManage, of BusFault */
        INVSTATE = 1 << 17,
        UNALIGNED = 1 << 24,
        MISALIGNED_PC = 0x22,
        MISALIGNED_SP = 0x26,
        NO_CLASS = 0x40
    };
    /* a branch to an address that no instruction has: of the M profile, one that is not of T32 */
    const bool no_target =
        !fault->access && fault_states(fault, "INVSTATE", INVSTATE, MISALIGNED_PC) == FAULT_STATED;
    /* the access of a misaligned address was not made: of the M profile, or by A64's sp */
    if (!fault->has_instruction || !operands->known ||
        (!fault->access && !no_target &&
         fault_states(fault, "UNALIGNED", UNALIGNED, MISALIGNED_SP) != FAULT_STATED))
        return;
    const enum fault_statement stacking = fault_states(fault, "STKERR", STACKING, NO_CLASS);
    if (stacking == FAULT_STATED ||
        fault_states(fault, "LSPERR", STACKING, NO_CLASS) == FAULT_STATED) {
        /* an access to a stack frame, of the entry or return of an exception, not of the
         * instruction */
        name = fault_find_stack(search);
    } else if (stacking == FAULT_DOUBTFUL) {
        return;
    } else if (fault->access != SPOOR_FAULT_FETCH && !no_target) {
        /* the first register that the address is made of: tables name the base first, and the data
         * of a store last */
        name = operands->base;
        for (unsigned i = 0; !name && i < operands->count; i++)
            if (operands->stores ? !operands->reads[i].data : operands->loads)
                name = operands->reads[i].name;
    } else if (operands->loads) {
        const bool differs = (search->word_value ^ fault->address) & ~UINT64_C(1);
        if (!search->word_size || (no_target ? search->word_value & 1 : differs)) return;
        fault->pointer = (struct spoor_subject){
            .address = search->word, .size = search->word_size, .has_address = true};
        snprintf(fault->pointer_name, sizeof fault->pointer_name, "%llx+%llu",
                 (unsigned long long)search->word, (unsigned long long)search->word_size);
        fault->has_pointer = true;
        return;
    } else if (operands->count == 1) {
        name = operands->reads[0].name;
        for (uint32_t i = 0; i < fault->step_count; i++)
            if (fault->steps[i].kind == SPOOR_FAULT_TAKEN && fault->steps[i].addressed &&
                fault->steps[i].address != fault->address && fault->steps[i].record < fault->record)
                return; /* an exception came first: its vector had the address */
    }
    if (!name) return;
    char capacity[MACHINE_NAME_SIZE];
    fault->pointer = (struct spoor_subject){.cpu = fault->cpu, .name = name};
    snprintf(fault->pointer_name, sizeof fault->pointer_name, "%s",
             machine_register_name(&search->explorer->machine, name, capacity));
    fault->has_pointer = true;
}

enum spoor_status spoor_explorer_fault(struct spoor_explorer *shown, uint64_t moment, int cpu,
                                       struct spoor_processor_fault **made,
                                       struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct fault_search *search = calloc(1, sizeof *search);
    struct spoor_processor_fault *fault = calloc(1, sizeof *fault);
    enum spoor_status status = SPOOR_OK;
    error = explorer_error(shown, error);
    *made = NULL;
    if (!search || !fault) {
        free(search);
        free(fault);
        return memory_status(false, error);
    }
    search->explorer = explorer;
    search->fault = fault;
    search->cpu = cpu;
    const struct index *index = explorer->index;
    for (size_t i = index->count ? index_segment_of(index, moment) + 1 : 0;
         i-- > 0 && status == SPOOR_OK && !search->any;) {
        status = explorer_visit_segment(explorer, i, 0, moment, fault_find_last, search, error);
        if (status == SPOOR_END) status = SPOOR_OK; /* the moment is in it */
    }
    if (status == SPOOR_OK && !search->any)
        status =
            spoor_error_set(error, SPOOR_END, "states no fault%s", cpu < 0 ? "" : " of this cpu");
    if (status == SPOOR_OK)
        status = explorer_visit(explorer, search->from, moment, fault_collect, search, error);
    if (status == SPOOR_OK && fault->handled)
        status = explorer_visit(explorer, fault->end,
                                moment - fault->end > HANDLER_RECORDS ? fault->end + HANDLER_RECORDS
                                                                      : moment,
                                fault_read_by_handler, search, error);
    if (status == SPOOR_OK) status = memory_status(!search->out_of_memory, error);
    if (status == SPOOR_OK) {
        fault_derive_access(search);
        fault_find_pointer(search);
        *made = fault;
        fault = NULL;
    }
    free(search);
    free(fault);
    return status;
}

void spoor_processor_fault_free(struct spoor_processor_fault *fault)
{
    free(fault);
}
