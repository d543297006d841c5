/* SPDX-License-Identifier: MIT */
/* snapshot.c: registers, program counters and memory at the target's moment. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/internal.h"
#include "debug/packet.h"

/* Number of segments in which the next instruction of another processor is searched. */
enum { NEAR_SEGMENTS = 4 };

/* ---- program counters ---- */

/* Finds a processor's next instruction; after its last one, the address that follows it. */
static bool find_pc(struct server *server, unsigned cpu, uint64_t *pc)
{
    struct spoor_error error = {0};
    struct begin begin;
    const size_t segments = cpu == server->cpu ? 0 : NEAR_SEGMENTS;
    if (begin_after(server, server->moment, cpu, false, segments, &begin, &error) == SPOOR_OK) {
        *pc = begin.pc;
        return true;
    }
    if (begin_before(server, server->moment, cpu, false, segments, &begin, &error) != SPOOR_OK)
        return false;
    *pc = begin.pc + begin.size;
    return true;
}

static bool find_pcs(struct server *server)
{
    const unsigned count = machine_cpu_count(explorer_machine(server->explorer));
    struct pcs *pcs = &server->pcs;
    size_t capacity = pcs->capacity;
    if (!array_reserve(&pcs->pc, &capacity, count) ||
        !array_reserve(&pcs->known, &pcs->capacity, count)) {
        server_heed(server, SPOOR_ENOMEM, &(struct spoor_error){0});
        return false;
    }
    pcs->count = count;
    for (unsigned i = 0; i < count; i++) pcs->known[i] = find_pc(server, i, &pcs->pc[i]);
    return true;
}

bool server_snapshot(struct server *server)
{
    struct spoor_error error = {0};
    if (server->has_snapshot) return true;
    registers_free(&server->registers);
    server->registers = (struct registers){0};
    const enum spoor_status status =
        explorer_registers(server->explorer, server->moment, &server->registers, &error);
    server->has_snapshot = server_heed(server, status, &error) == SPOOR_OK && find_pcs(server);
    return server->has_snapshot;
}

/* ---- registers ---- */

static void put_unknown(struct text *out, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) text_puts(out, "xx");
}

static void put_number(struct text *out, uint64_t number, unsigned bytes)
{
    uint8_t value[8];
    for (unsigned i = 0; i < bytes && i < sizeof value; i++) value[i] = (uint8_t)(number >> 8 * i);
    hex_put(out, value, bytes);
}

/* Writes a byte of a cell at a byte boundary; a partly known byte is unknown. */
static void put_cell(struct text *out, const struct cell *cell, unsigned low, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        const unsigned at = low / 8 + i;
        const bool known = at < REGISTER_BYTES && cell->known[at] == 0xFF;
        if (known)
            hex_put(out, &cell->bytes[at], 1);
        else
            put_unknown(out, 1);
    }
}

void server_put_register(struct server *server, unsigned cpu, unsigned number, struct text *out)
{
    const struct target_register *reg = &server->target.registers[number];
    const struct machine *machine = explorer_machine(server->explorer);
    struct machine_part part = {0};
    const unsigned bytes = reg->bits / 8u;
    if (reg->is_pc) {
        if (cpu < server->pcs.count && server->pcs.known[cpu])
            put_number(out, server->pcs.pc[cpu], bytes);
        else
            put_unknown(out, bytes);
        return;
    }
    if (server->target.architecture == TARGET_RISCV && strcmp(reg->name, "zero") == 0) {
        put_number(out, 0, bytes);
        return;
    }
    const struct cell *cell =
        target_cell(&server->target, number, machine, &server->registers, cpu, &part);
    if (cell && part.low % 8 == 0)
        put_cell(out, cell, part.low, bytes);
    else
        put_unknown(out, bytes);
}

/* ---- memory ---- */

/* Writes the opcode of an instruction in the order of its bytes in memory. */
static unsigned opcode_bytes(const struct spoor_insn *insn, unsigned size, uint8_t bytes[8])
{
    const bool two_halves = insn->iset == 'T' && size == 4;
    for (unsigned i = 0; i < size; i++) {
        const unsigned at = two_halves ? i ^ 2u : i; /* T32 prints its first halfword first */
        bytes[i] = (uint8_t)(insn->opcode >> 8 * at);
    }
    return size;
}

struct code_search {
    struct code_line *line;
    enum isa isa;
};

static bool see_code(void *context, const struct visited *visited)
{
    const struct code_search *search = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    uint8_t bytes[8];
    if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) return true;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? record->insn.va : record->insn.pa;
    if (pc / 64 != search->line->line && (pc + 7) / 64 != search->line->line) return true;
    const unsigned size = isa_opcode_size(search->isa, &record->insn);
    if (size == 0 || size > sizeof bytes) return true;
    opcode_bytes(&record->insn, size, bytes);
    for (unsigned i = 0; i < size; i++) {
        const uint64_t address = pc + i;
        if (address / 64 != search->line->line) continue;
        search->line->bytes[address % 64] = bytes[i];
        search->line->known |= UINT64_C(1) << address % 64;
    }
    return true;
}

/* Fills a line from a few segments around the moment that execute it. */
static void fill_code(struct server *server, struct code_line *line)
{
    enum { SEGMENTS = 4 };
    const struct index *index = explorer_index(server->explorer);
    struct code_search search = {line, explorer_machine(server->explorer)->isa};
    struct spoor_error error = {0};
    unsigned visited = 0;
    if (index->count == 0) return;
    const size_t here = index_segment_of(index, server->moment);
    for (size_t distance = 0; distance < index->count && visited < SEGMENTS; distance++) {
        const size_t candidates[] = {here + distance, here - distance};
        for (size_t i = 0; i < (distance ? 2u : 1u); i++) {
            if (candidates[i] >= index->count) continue;
            if (!index_touches(index, candidates[i], SET_EXECUTED, line->line * 64,
                               line->line * 64 + 63))
                continue;
            visited++;
            server_heed(server,
                        explorer_visit_segment(server->explorer, candidates[i], 0, UINT64_MAX,
                                               see_code, &search, &error),
                        &error);
        }
        if (~line->known == 0) break;
    }
}

static bool code_byte(struct server *server, uint64_t address, uint8_t *byte)
{
    struct code_line *line = &server->code[address / 64 % CODE_LINES];
    if (server->is_micro_ops) return false;
    if (!line->filled || line->line != address / 64) {
        *line = (struct code_line){.line = address / 64, .filled = true};
        fill_code(server, line);
    }
    *byte = line->bytes[address % 64];
    return line->known >> address % 64 & 1;
}

size_t server_memory(struct server *server, uint64_t address, uint64_t size, uint8_t *bytes)
{
    struct spoor_error error = {0};
    size_t count = 0;
    while (count < size) {
        const struct memory_place place = explorer_place(server->explorer, address + count,
                                                         size - count, false, 0, server->moment);
        struct spoor_byte *known = calloc(place.size, sizeof *known);
        const enum spoor_status status =
            known ? explorer_memory(server->explorer, &place, server->moment, known, &error)
                  : SPOOR_ENOMEM;
        const bool read = server_heed(server, status, &error) == SPOOR_OK && known;
        uint64_t i = 0;
        for (; read && i < place.size; i++) {
            if (known[i].known != SPOOR_BYTE_UNKNOWN)
                bytes[count + i] = known[i].value;
            else if (!code_byte(server, address + count + i, &bytes[count + i]))
                break;
        }
        free(known);
        count += i;
        if (!read || i < place.size) break;
    }
    return count;
}
