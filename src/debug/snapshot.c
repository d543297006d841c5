/* SPDX-License-Identifier: MIT */
/* snapshot.c: registers, program counters and memory at the target's moment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/internal.h"
#include "debug/packet.h"
#include "spoor/view.h"

/* Number of segments in which the next instruction of another processor is searched. */
enum { NEAR_SEGMENTS = 4 };

/* ---- program counters ---- */

/* Finds what the letter and the mode of an instruction state of CPSR or xPSR. */
static bool snapshot_note_status(void *context, const struct spoor_record_visit *visited)
{
    static const struct {
        const char *mode;
        uint32_t bits;
    } modes[] = {{"usr", 0x10}, {"fiq", 0x11}, {"irq", 0x12}, {"svc", 0x13}, {"mon", 0x16},
                 {"abt", 0x17}, {"hyp", 0x1A}, {"und", 0x1B}, {"sys", 0x1F}};
    enum { THUMB = 1 << 5, MODE = 0x1F };
    struct next_pc *next = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const uint8_t letter = record->kind == SPOOR_INSN ? record->insn.iset : 0;
    if (record->kind != SPOOR_INSN) return false;
    if (letter == 'T' || letter == 'X') next->status |= THUMB;
    if (letter) next->mask |= THUMB;
    const char *mode =
        (record->has & SPOOR_HAS_EXTRA)
            ? spoor_names_text(visited->batch->stream->names, record->insn.mode, NULL)
            : "";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strncmp(mode, modes[i].mode, 3) == 0) {
            next->status |= modes[i].bits;
            next->mask |= MODE;
        }
    return false;
}

/* The last instruction of a processor. */
struct last_branch {
    struct server *server;
    struct next_pc *next;
    unsigned cpu;
};

/* Finds where the last instruction of a processor went, if its opcode and the registers state it.
 * Of conditional branches, Tarmac marks those that do not branch, in A32 and T32. */
static bool snapshot_note_target(void *context, const struct spoor_record_visit *visited)
{
    struct last_branch *last = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct spoor_insn *insn = &record->insn;
    const bool thumb = insn->iset == 'T' || insn->iset == 'X';
    const bool compares = (insn->opcode & 0xF500) == 0xB100 && insn->opcode <= 0xFFFF; /* CBZ */
    struct spoor_branch_target target;
    if (record->kind != SPOOR_INSN || record->op != SPOOR_INSN_TAKEN ||
        !(record->has & SPOOR_HAS_DATA) ||
        !spoor_branch_target(spoor_explorer_isa(last->server->explorer), thumb, visited->pc,
                             insn->opcode, visited->instruction_size, &target))
        return false;
    const bool marked = insn->iset == 'A' || (thumb && !compares);
    if (target.type & SPOOR_BRANCH_CONDITIONAL && !marked) return false;
    if (target.reg >= 0) {
        /* Adds what the register of the branch held before it, unless the branch wrote it, or the
         * trace does not state it. */
        struct server *server = last->server;
        const enum spoor_isa isa = spoor_explorer_isa(server->explorer);
        const int link = isa == SPOOR_ISA_AARCH64 ? 30 : isa == SPOOR_ISA_AARCH32 ? 14 : 1;
        struct spoor_subject subject;
        struct spoor_register_value value = {.struct_size = sizeof value};
        struct spoor_error error = {0};
        uint64_t address = 0;
        char name[16];
        snprintf(name, sizeof name, "%c%d", isa == SPOOR_ISA_AARCH32 ? 'r' : 'x', target.reg);
        if ((target.type & SPOOR_BRANCH_CALL && target.reg == link) ||
            spoor_explorer_subject(server->explorer, name, last->cpu, server->moment, &subject,
                                   &error) != SPOOR_OK ||
            !subject.name || !spoor_state_value(server->state, &subject, &value) || !value.bits)
            return false;
        for (unsigned i = 0; i < sizeof address && 8 * i < value.bits; i++) {
            if (value.known[i] != 0xFF) return false;
            address |= (uint64_t)value.bytes[i] << 8 * i;
        }
        target.address += address;
        if (isa == SPOOR_ISA_AARCH32) target.address &= ~UINT64_C(1);
        /* EXC_RETURN: the address is on the stack */
        if (server->target.architecture == TARGET_ARM_M && target.address >= 0xF0000000)
            return false;
    }
    last->next->pc = target.address;
    return false;
}

bool server_snapshot(struct server *server)
{
    enum { M_THUMB = 1 << 24 };
    const unsigned count = spoor_explorer_cpu_count(server->explorer);
    struct pcs *pcs = &server->pcs;
    struct spoor_error error = {0};
    if (server->has_snapshot) return true;
    spoor_state_free(server->state);
    enum spoor_status status =
        spoor_explorer_state(server->explorer, server->moment, &server->state, &error);
    if (status == SPOOR_OK && !array_reserve(&pcs->items, &pcs->capacity, count))
        status = SPOOR_ENOMEM;
    if (server_heed(server, status, &error) != SPOOR_OK) return false;
    pcs->count = count;
    for (unsigned i = 0; i < count; i++) {
        /* that of its next instruction; after its last one, the address at which it went on */
        struct next_pc *next = &pcs->items[i];
        struct begin begin;
        const size_t segments = i == server->cpu ? 0 : NEAR_SEGMENTS;
        *next = (struct next_pc){0};
        error = (struct spoor_error){0};
        if (server_seek_begin(server, server->moment, true, i, segments, &begin, &error) ==
            SPOOR_OK) {
            next->pc = begin.pc;
            next->after = begin.record + 1;
            next->known = true;
        } else if (server_seek_begin(server, server->moment, false, i, segments, &begin, &error) ==
                   SPOOR_OK) {
            struct last_branch last = {server, next, i};
            next->pc = begin.pc + begin.size;
            next->known = true;
            server_heed(server,
                        spoor_explorer_visit(server->explorer, begin.record, begin.record + 1,
                                             snapshot_note_target, &last, &error),
                        &error);
        }
        if (server->target.architecture == TARGET_ARM_M) next->status = next->mask = M_THUMB;
        if (server->target.architecture == TARGET_ARM && next->known)
            server_heed(server,
                        spoor_explorer_visit(server->explorer, begin.record, begin.record + 1,
                                             snapshot_note_status, next, &error),
                        &error);
    }
    server->has_snapshot = true;
    return true;
}

/* ---- registers ---- */

static void snapshot_put_number(struct text *out, uint64_t number, unsigned bytes)
{
    uint8_t value[8];
    for (unsigned i = 0; i < bytes && i < sizeof value; i++) value[i] = (uint8_t)(number >> 8 * i);
    hex_put(out, value, bytes);
}

void server_put_register(struct server *server, unsigned cpu, unsigned number, struct text *out)
{
    static const struct next_pc unknown;
    const struct target_register *reg = &server->target.registers[number];
    struct spoor_register_value value = {.struct_size = sizeof value};
    const unsigned bytes = reg->bits / 8u;
    const struct next_pc *next = cpu < server->pcs.count ? &server->pcs.items[cpu] : &unknown;
    if (reg->is_pc) {
        if (next->known)
            snapshot_put_number(out, next->pc, bytes);
        else
            for (unsigned i = 0; i < bytes; i++) text_puts(out, "xx");
        return;
    }
    if (server->target.architecture == TARGET_RISCV && strcmp(reg->name, "zero") == 0) {
        snapshot_put_number(out, 0, bytes);
        return;
    }
    const bool found = target_value(&server->target, number, server->explorer, server->state,
                                    next->after ? next->after : server->moment, cpu, &value);
    if (number == server->target.status) {
        /* CPSR or xPSR.  GDB cannot go on without the T bit, which the instruction has; the bits
         * that the trace does not state at all are zero, which is said once. */
        uint32_t flags = 0;
        bool known = found;
        for (unsigned i = 0; i < bytes && known; i++) {
            flags |= (uint32_t)value.bytes[i] << 8 * i;
            known = value.known[i] == 0xFF;
        }
        if (!known && !server->told_status)
            server_tell(server, "the trace does not state the flags here: the status register has "
                                "the T bit and the mode alone");
        server->told_status |= !known;
        snapshot_put_number(out, ((known ? flags : 0) & ~next->mask) | next->status, bytes);
        return;
    }
    for (unsigned i = 0; i < bytes; i++)
        if (found && i < SPOOR_REGISTER_BYTES && value.known[i] == 0xFF)
            hex_put(out, &value.bytes[i], 1);
        else
            text_puts(out, "xx"); /* a partly known byte, too */
}

/* ---- memory ---- */

static bool snapshot_see_code(void *context, const struct spoor_record_visit *visited)
{
    struct code_line *line = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    uint8_t bytes[8];
    if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) return true;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa;
    if (pc / 64 != line->line && (pc + 7) / 64 != line->line) return true;
    const unsigned size = visited->instruction_size;
    if (size == 0 || size > sizeof bytes) return true;
    const bool two_halves = record->insn.iset == 'T' && size == 4;
    for (unsigned i = 0; i < size; i++) {
        const unsigned at = two_halves ? i ^ 2u : i; /* T32 prints its first halfword first */
        bytes[i] = (uint8_t)(record->insn.opcode >> 8 * at);
    }
    for (unsigned i = 0; i < size; i++) {
        const uint64_t address = pc + i;
        if (address / 64 != line->line) continue;
        line->bytes[address % 64] = bytes[i];
        line->known |= UINT64_C(1) << address % 64;
    }
    return true;
}

/* Fills a line from a segment, if that executes it. */
static bool snapshot_fill_from(struct server *server, struct code_line *line, size_t number)
{
    const uint64_t begin = line->line * 64;
    struct spoor_error error = {0};
    if (!spoor_index_may_execute(server->index, number, begin, begin + 63)) return false;
    server_heed(server,
                spoor_explorer_visit_segment(server->explorer, number, 0, UINT64_MAX,
                                             snapshot_see_code, line, &error),
                &error);
    return true;
}

size_t server_memory(struct server *server, uint64_t address, uint64_t size, uint8_t *bytes)
{
    const struct spoor_range range = {.address = address, .size = size};
    struct spoor_error error = {0};
    struct spoor_byte *known = calloc((size_t)size + 1, sizeof *known);
    const enum spoor_status status =
        known ? spoor_explorer_memory(server->explorer, &range, server->moment, known, &error)
              : SPOOR_ENOMEM;
    const bool read = server_heed(server, status, &error) == SPOOR_OK && known;
    size_t count = 0;
    for (; read && count < size; count++) {
        bytes[count] = known[count].value;
        if (known[count].known != SPOOR_BYTE_UNKNOWN) continue;
        if (server->is_micro_ops) break;
        const uint64_t at = address + count;
        struct code_line *line = &server->code[at / 64 % CODE_LINES];
        if (!line->filled || line->line != at / 64) {
            *line = (struct code_line){.line = at / 64, .filled = true};
            /* the line is filled from a few segments around the moment that execute it */
            enum { SEGMENTS = 4 };
            const size_t segments = spoor_index_segment_count(server->index);
            const size_t here = spoor_index_segment_of(server->index, server->moment);
            unsigned visited = 0;
            for (size_t distance = 0; distance < segments && visited < SEGMENTS; distance++) {
                visited += snapshot_fill_from(server, line, here + distance);
                if (distance && distance <= here)
                    visited += snapshot_fill_from(server, line, here - distance);
                if (~line->known == 0) break;
            }
        }
        bytes[count] = line->bytes[at % 64];
        if (!(line->known >> at % 64 & 1)) break;
    }
    free(known);
    return count;
}
