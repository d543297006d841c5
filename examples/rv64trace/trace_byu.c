/* SPDX-License-Identifier: MIT */
/*
 * trace_byu.c: a run as BYU's bus analyser would record it with the caches switched off.
 *
 * The bus model: the bus is eight bytes wide.  The processor has a prefetch buffer of one aligned
 * line of eight bytes and requests a line when the next instruction is not in it.  Loads and stores
 * are requested one by one and never cross a line, because the machine requires alignment.  A
 * request takes BUS_TICKS clock ticks, during which the processor waits; an instruction takes one
 * tick.  Everything is uncacheable, there is one processor, and there is no I/O.
 */
#include "tracer.h"

enum { BUS_TICKS = 7, LINE = 8 };

enum request_type { FETCH, READ, WRITE };
struct request {
    enum request_type type;
    uint64_t address;
    unsigned size;  /* bytes */
    uint32_t delta; /* ticks since the last request; all ones for the first, as in BYU's files */
};

/* What the processor requests at this moment, and the time that it takes. */
static struct request request(struct bus *bus, enum request_type type, uint64_t address,
                              unsigned size)
{
    uint32_t delta = bus->requested ? (uint32_t)(bus->now - bus->request) : UINT32_MAX;
    bus->requested = true;
    bus->request = bus->now;
    bus->now += BUS_TICKS;
    return (struct request){type, address, size, delta};
}

/* The requests of one instruction: at most a fetch and a data access.  Returns how many. */
static int requests_of(struct bus *bus, const struct step *step, struct request requests[2])
{
    int count = 0;
    const struct operation *operation = step->instruction.operation;
    uint64_t line = step->pc - step->pc % LINE;
    if (!bus->holds_line || bus->line != line) {
        requests[count++] = request(bus, FETCH, line, LINE);
        bus->holds_line = true;
        bus->line = line;
    }
    bus->now++;
    if (operation->size)
        requests[count++] = request(bus, operation->class == CLASS_LOAD ? READ : WRITE,
                                    step->address, operation->size);
    return count;
}

/* Big-endian address of the line, byte enables (0 enables), control. */
static void print_byu6(FILE *file, const struct request *request)
{
    static const uint8_t control[] = {[FETCH] = 0x90, [READ] = 0xd0, [WRITE] = 0xf0};
    uint32_t line = (uint32_t)(request->address - request->address % LINE);
    unsigned lanes = ((1u << request->size) - 1) << request->address % LINE;
    uint8_t record[6];
    for (unsigned i = 0; i < 4; i++) record[i] = (uint8_t)(line >> (24 - 8 * i));
    record[4] = (uint8_t)~lanes;
    record[5] = control[request->type];
    fwrite(record, 1, sizeof record, file);
}

/* Little-endian address, type, size, attribute (0: uncacheable), processor 0, delta. */
static void print_byu12(FILE *file, const struct request *request)
{
    static const uint8_t type[] = {[FETCH] = 0x00, [READ] = 0x01, [WRITE] = 0x03};
    uint8_t record[12] = {[4] = type[request->type], [5] = (uint8_t)request->size};
    for (unsigned i = 0; i < 4; i++) {
        record[i] = (uint8_t)(request->address >> (8 * i));
        record[8 + i] = (uint8_t)(request->delta >> (8 * i));
    }
    fwrite(record, 1, sizeof record, file);
}

void trace_byu6(struct trace *trace, const struct step *step)
{
    struct request requests[2];
    int count = requests_of(&trace->bus, step, requests);
    for (int i = 0; i < count; i++) print_byu6(trace->file, &requests[i]);
}

void trace_byu12(struct trace *trace, const struct step *step)
{
    struct request requests[2];
    int count = requests_of(&trace->bus, step, requests);
    for (int i = 0; i < count; i++) print_byu12(trace->file, &requests[i]);
}
