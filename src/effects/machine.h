/* SPDX-License-Identifier: MIT */
/*
 * machine.h: identifies the registers and the bytes of memory of a record, independently of the
 * dialect.
 *
 * Each register has one name and each processor one number, in tables that outlive the streams they
 * are read from.  A trace gets the same ids wherever reading begins.
 */
#ifndef SPOOR_EFFECTS_MACHINE_H
#define SPOOR_EFFECTS_MACHINE_H

#include "isa/register.h"
#include "spoor/batch.h"
#include "spoor/record.h"

enum { MACHINE_CPUS = 1024 /* further processors share the last number */ };

/* The register that a name of the stream denotes. */
struct machine_register {
    spoor_name name;  /* in machine->registers */
    uint16_t low;     /* bit of that register at which this part begins */
    uint16_t widened; /* bits of the whole register, which a narrower write clears; else 0 */
    bool known;       /* resolved already */
    bool zero;        /* always reads as zero */
    bool vector;      /* RISC-V: a vector register */
    bool whole;       /* a write states all of it: above fewer digits are zeros (printf's %x) */
    uint8_t role;     /* enum register_role */
};
enum register_role {
    ROLE_NONE,
    ROLE_STACK_POINTER,
    ROLE_LINK,
    ROLE_EXCEPTION_LINK, /* ELR_ELx */
    ROLE_MAIN_STACK,     /* M profile: MSP */
    ROLE_PROCESS_STACK,  /* M profile: PSP */
};

struct machine {
    struct spoor_names *registers, *cpus; /* owned; id 0 means none */
    enum isa isa;
    bool isa_known; /* the instruction set is resolved: known, or known to be unknowable */
    bool bus;       /* accesses at the pins count as accesses of memory, because the trace has no
                     * others */
    bool big;       /* data of accesses is a number with its highest byte at the lowest address */
    const struct spoor_stream *stream;
    uint64_t stream_names;                /* names_serial() of its names */
    struct machine_register *by_name;     /* indexed by the stream's names */
    uint16_t *cpu_by_name;                /* likewise: cpu + 1 */
    spoor_name uop_names[256], uop_flags; /* registers of micro-ops, once resolved */
    /* operands by instruction set and number: name + 1, once resolved */
    uint32_t operand_names[4][128];
    unsigned vector_bytes;  /* of a vector register of RISC-V, as records state it; 0: none did */
    uint64_t vector_sought; /* the batch that was searched for one: its first record plus 1 */
    /* number of registers that the trace names; later ones are only read by opcodes; 0: not known
     */
    size_t stated;
    bool unlettered_thumb; /* instructions of AArch32 without a letter are of T32: psr is there, of
                            * Cortex-M0 RTL */
    size_t sought_psr;     /* looked for it among so many registers */
    unsigned cpu;          /* processor of the last record that named one, or 0 */
};

/* Initialises the state; false if memory runs out. */
bool machine_start(struct machine *machine);
void machine_free(struct machine *machine);
/* Call it before the records of this stream. */
void machine_enter(struct machine *machine, const struct spoor_stream *stream);
/* The same, unless the machine is in this stream; true if it was not.  Another stream may have the
 * address of one that was closed. */
bool machine_follow(struct machine *machine, const struct spoor_stream *stream);
/* Call it before the records of each batch: it finds the instruction set that the first one with
 * more than notes and events shows. */
void machine_see(struct machine *machine, const struct spoor_batch *batch);

/* Returns the number of a record's processor, from 0.  A record that names none belongs to the
 * processor named last. */
unsigned machine_cpu(struct machine *machine, const struct spoor_record *record);
/* Returns the processor's name for results: "cpu0" as printed, "" if the trace names none. */
const char *machine_cpu_name(const struct machine *machine, unsigned cpu);
/* True if a processor's name is what the user calls it; NULL: any. */
bool machine_cpu_is(const struct machine *machine, unsigned cpu, const char *wanted);
/* The mode of the M profile that an instruction's mode names: "thread", "thrd_s"; "hyp" is none. */
enum machine_m_mode { MACHINE_NOT_M, MACHINE_THREAD, MACHINE_HANDLER };
enum machine_m_mode machine_m_mode(const char *mode);
/* True if memory ran out for a name: its register or cpu was taken for another. */
bool machine_out_of_memory(const struct machine *machine);
/* Returns the number of processors so far, at least 1. */
unsigned machine_cpu_count(const struct machine *machine);

/* Returns the register of a REG record. */
struct machine_register machine_register(struct machine *machine,
                                         const struct spoor_record *record);
/* True if a register of this name is a stack pointer or holds a return address in some instruction
 * set. */
bool machine_register_points(const char *text, size_t size);
/* The register that a user's name denotes, and which bits of it; name 0: the trace has none. */
struct machine_part {
    spoor_name name;
    uint16_t low, bits; /* bits 0: the whole register */
};
struct machine_part machine_find_register(const struct machine *machine, const char *text);
/* The bytes of a register whose parts are registers, too, as q0 of AArch32 and v0 of AArch64; 0:
 * it is written and read as a whole. */
unsigned machine_parted_bytes(const struct machine *machine, spoor_name name);
/* Returns register `number` of a micro-op. */
spoor_name machine_uop_register(struct machine *machine, int number);
/* Returns the condition flags that micro-ops read and write. */
spoor_name machine_uop_flags(struct machine *machine);
/* Returns the usual name of a register; the buffer may be used to store it. */
enum { MACHINE_NAME_SIZE = 48 };
const char *machine_register_name(const struct machine *machine, spoor_name name,
                                  char capacity[MACHINE_NAME_SIZE]);
/* Returns the name of a part, as d1, s3, d18[1] and v8.s[1]; bits 0: of the whole register.  Of
 * bytes that no name of the architecture has, it is the first one and their number: q0.b[3]+6. */
const char *machine_part_name(const struct machine *machine, const struct machine_part *part,
                              char capacity[MACHINE_NAME_SIZE]);

/* ---- memory ---- */

/* An address has a space: virtual, or physical with a security. */
enum { SPACE_VIRTUAL_MEMORY, SPACE_PHYSICAL_MEMORY /* + enum spoor_security */, MEMORY_SPACES = 6 };

/* Returns the space of a physical address. */
static inline uint8_t space_of_security(uint8_t security)
{
    return (uint8_t)(SPACE_PHYSICAL_MEMORY + security % (MEMORY_SPACES - 1));
}

enum access_does {
    ACCESS_READS = 1 << 0,
    ACCESS_WRITES = 1 << 1,
    ACCESS_FETCHES = 1 << 2, /* states what is in memory, and gives no value to an instruction */
};
struct access {
    uint64_t va, pa;
    uint32_t size; /* bytes, at least 1; 1 if the trace does not state it */
    uint8_t does;  /* enum access_does */
    uint8_t space; /* space of pa */
    bool has_va, has_pa;
    bool sized; /* the trace states the number of bytes */
    bool data;  /* some of the bytes may be known: access_byte() */
    bool big;   /* its data is a number with the highest byte at the lowest address */
};
/* True if accesses at the pins count as accesses of memory, because the stream's format has no
 * others. */
bool machine_counts_bus(const struct spoor_stream *stream);
/* True if the record reads or writes memory; fills `access`. */
bool machine_access(const struct machine *machine, const struct spoor_batch *batch, size_t index,
                    struct access *access);
enum byte_known { BYTE_UNTOUCHED, BYTE_UNKNOWN, BYTE_KNOWN };
/* Finds the value read or written at byte `at` of the access, counted from its address. */
enum byte_known access_byte(const struct spoor_batch *batch, size_t index,
                            const struct access *access, uint32_t at, uint8_t *value);

/* ---- access.c ----
 *
 * Semihosting: calls of the debugger or simulator, which write to the program's memory
 * without an access in the trace.
 *
 * They are instructions that Arm's "Semihosting for AArch32 and AArch64" defines: HLT #0xF000 of
 * A64 and A32, SVC #0x123456 of A32, SVC and BKPT #0xAB and HLT #0x3C of T32 (0x3F, too, as some
 * tools have it).  The operation is in r0 or w0, the address of a block of words in r1 or x1. */

/* Operations that write to memory. */
enum hosted_operation {
    HOSTED_READ = 0x06,        /* handle, buffer, length */
    HOSTED_TMPNAM = 0x0D,      /* buffer, id, length */
    HOSTED_GET_CMDLINE = 0x15, /* buffer, length */
    HOSTED_HEAPINFO = 0x16,    /* buffer, of four words */
    HOSTED_ELAPSED = 0x30,     /* the block itself, of 8 bytes */
};

struct hosted_call {
    uint64_t record; /* of the instruction */
    uint64_t block;  /* address */
    uint8_t operation;
    uint8_t word; /* bytes: 4 or 8 */
};

/* True if the instruction, which was executed, is such a call; *word: bytes of the block's words.
 */
bool hosted_is_call(const struct spoor_record *record, uint8_t *word);
/* True if the operation writes to memory. */
bool hosted_writes(uint64_t operation);
enum { HOSTED_WORDS = 3 };
/* The range that the call writes, by the words of its block; false: they do not say. */
bool hosted_range(const struct hosted_call *call, const uint64_t words[HOSTED_WORDS],
                  uint64_t *address, uint64_t *size);

#endif
