/* SPDX-License-Identifier: MIT */
/*
 * machine.h: whose registers and which bytes of memory a record is about, in terms that do not
 * depend on a dialect.
 *
 * Registers have one name each, processors a number each, in tables that outlive the streams they
 * are read from: the same trace, entered at any place, gives the same ids.
 */
#ifndef SPOOR_EFFECTS_MACHINE_H
#define SPOOR_EFFECTS_MACHINE_H

#include "isa/register.h"
#include "spoor/batch.h"

enum { MACHINE_CPUS = 1024 /* more than that are not told apart */ };

/* What a name of the stream stands for. */
struct machine_register {
    spoor_name name;  /* in machine->registers */
    uint16_t low;     /* it is a part of that register, which begins at this bit */
    uint16_t widened; /* bits of the whole register, which a narrower write clears; else 0 */
    bool known;       /* has been asked for */
    bool zero;        /* reads as zero always */
    uint8_t role;     /* enum register_role */
};
enum register_role { ROLE_NONE, ROLE_STACK_POINTER, ROLE_LINK };

struct machine {
    struct spoor_names *registers, *cpus; /* owned; id 0 is nothing */
    enum isa isa;
    bool isa_known; /* the trace has shown it, or shown that it cannot be told */
    bool bus;       /* accesses at the pins are accesses of memory: the trace has no others */
    bool big;       /* data of accesses is a number with its highest byte at the lowest address */
    const struct spoor_stream *stream;
    struct machine_register *by_name;     /* by the stream's names */
    uint16_t *cpu_by_name;                /* the same: cpu + 1 */
    spoor_name uop_names[256], uop_flags; /* of registers of micro-ops, once asked for */
    /* of operands by instruction set and number: name + 1, once asked for */
    uint32_t operand_names[4][128];
    unsigned cpu; /* of the last record that named one, or 0 */
};

/* False if memory runs out. */
bool machine_start(struct machine *machine);
void machine_free(struct machine *machine);
/* Records of this stream come now. */
void machine_enter(struct machine *machine, const struct spoor_stream *stream);
/* Before a batch's records are looked at: what the trace shows of the instruction set. */
void machine_see(struct machine *machine, const struct spoor_batch *batch);

/* The processor of a record, as a number from 0; one that names none is of the last that was
 * named. */
unsigned machine_cpu(struct machine *machine, const struct spoor_record *record);
/* Its name, for results: "cpu0" as printed, "" where the trace names none. */
const char *machine_cpu_name(const struct machine *machine, unsigned cpu);
/* Whether memory ran out for a name: its register or cpu was taken for another. */
bool machine_out_of_memory(const struct machine *machine);
/* How many there are so far, at least 1. */
unsigned machine_cpu_count(const struct machine *machine);

/* The register that a REG record is about. */
struct machine_register machine_register(struct machine *machine,
                                         const struct spoor_record *record);
/* The one that a user calls by this name, and how many bits of it; name 0: none of the trace. */
struct machine_part {
    spoor_name name;
    uint16_t low, bits; /* bits 0: all of it */
};
struct machine_part machine_find_register(const struct machine *machine, const char *text);
/* Register `number` of a micro-op. */
spoor_name machine_uop_register(struct machine *machine, int number);
/* The condition flags that micro-ops read and write. */
spoor_name machine_uop_flags(struct machine *machine);
/* What users call the register; `room` is where it may be put. */
enum { MACHINE_NAME_SIZE = 48 };
const char *machine_register_name(const struct machine *machine, spoor_name name,
                                  char capacity[MACHINE_NAME_SIZE]);

/* ---- memory ---- */

/* An address has a space of its own by where it is from: virtual, or physical by security. */
enum { SPACE_VIRTUAL_MEMORY, SPACE_PHYSICAL_MEMORY /* + enum spoor_security */, MEMORY_SPACES = 6 };

enum access_does { ACCESS_READS = 1 << 0, ACCESS_WRITES = 1 << 1 };
struct access {
    uint64_t va, pa;
    uint32_t size; /* bytes, at least 1: where the trace does not say, 1 */
    uint8_t does;  /* enum access_does */
    uint8_t space; /* of pa */
    bool has_va, has_pa;
    bool sized; /* the trace says how many bytes */
    bool data;  /* it may know some of them: access_byte() */
    bool big;   /* its data is a number with the highest byte at the lowest address */
};
/* Whether the record reads or writes memory. */
bool machine_access(const struct machine *machine, const struct spoor_batch *batch, size_t index,
                    struct access *access);
enum byte_known { BYTE_UNTOUCHED, BYTE_UNKNOWN, BYTE_KNOWN };
/* Byte `at` of the access, counted from its address: what was read or written there. */
enum byte_known access_byte(const struct spoor_batch *batch, size_t index,
                            const struct access *access, uint32_t at, uint8_t *value);

#endif
