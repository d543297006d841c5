/* SPDX-License-Identifier: MIT */
/* internal.h: shared by the files of debug. */
#ifndef SPOOR_DEBUG_INTERNAL_H
#define SPOOR_DEBUG_INTERNAL_H

#include <limits.h>

#include "debug/server.h"

/* ---- target.c: the registers that GDB expects for each architecture ----
 *
 * GDB numbers registers in the order of the target description.  (Debugging with GDB, appendix
 * "Target Descriptions", "Standard Target Features".) */

enum target_architecture { TARGET_AARCH64, TARGET_ARM, TARGET_ARM_M, TARGET_RISCV, TARGET_X86_64 };

struct target_register {
    char name[12];       /* GDB's name */
    uint16_t bits;       /* a multiple of 8 */
    bool is_pc;          /* the address of the next instruction, not a register of the trace */
    const char *type;    /* in the description; NULL: an integer of its width */
    const char *feature; /* name of the feature that begins with this register; else NULL */
};

enum { TARGET_REGISTERS = 96 /* maximum */ };
struct target {
    enum target_architecture architecture;
    unsigned count;
    struct target_register registers[TARGET_REGISTERS];
    unsigned status;          /* AArch32: number of CPSR or xPSR; else TARGET_REGISTERS */
    uint8_t address_bytes;    /* 4 or 8 */
    bool stops_before_access; /* GDB expects a watchpoint to stop before the access */
};

/* Chooses the target of a trace.  `wide`: its addresses need more than 32 bits.  False: its
 * instruction set is unknown. */
bool target_choose(struct target *target, struct spoor_explorer *explorer, bool is_micro_ops,
                   bool wide);
/* Appends the description as XML. */
void target_describe(const struct target *target, struct text *out);
/* Finds the value of a register in a state; false: the trace does not have it.  A banked register
 * is the copy of the mode at a moment: that of the state, or after the instruction that comes next.
 */
bool target_value(const struct target *target, unsigned number, struct spoor_explorer *explorer,
                  const struct spoor_state *state, uint64_t moment, unsigned cpu,
                  struct spoor_register_value *value);

/* ---- the server ---- */

/* The beginning of an instruction or macro-op: the record that begins it. */
struct begin {
    uint64_t record, pc;
    unsigned cpu;
    uint8_t size; /* bytes; 0: unknown */
};

enum { BREAKPOINTS = 1024, WATCHPOINTS = 64, CODE_LINES = 256 };
enum watch_kind { WATCH_WRITES, WATCH_READS, WATCH_ACCESSES };
struct watchpoint {
    enum watch_kind kind;
    uint64_t address, size;
};

/* 64 bytes of code, assembled from the opcodes of executed instructions. */
struct code_line {
    uint64_t line; /* address / 64 */
    bool filled;
    uint64_t known; /* bit i: byte i */
    uint8_t bytes[64];
};

/* The next instruction of each processor at a moment. */
struct pcs {
    struct next_pc {
        uint64_t pc;
        bool known;
        /* after the instruction at `pc`, whose mode is that of the moment; before it, nothing else
         * happens; 0: it is not in the trace */
        uint64_t after;
        uint32_t status, mask; /* AArch32: bits of CPSR or xPSR that its letter and mode state */
    } * items;
    unsigned count;
    size_t capacity;
};

struct server {
    struct server_options options;
    struct spoor_explorer *explorer;
    const struct spoor_index *index; /* the explorer's */
    struct target target;
    uint64_t moment; /* number of records before it */
    unsigned cpu;    /* the processor that stopped last */
    unsigned asked;  /* the processor whose registers and memory GDB requests */
    uint64_t breakpoints[BREAKPOINTS];
    size_t breakpoint_count;
    struct watchpoint watchpoints[WATCHPOINTS];
    size_t watchpoint_count;
    /* State at the current moment, computed on request. */
    struct spoor_state *state;
    struct pcs pcs;
    bool has_snapshot; /* they are those of the current moment */
    struct code_line code[CODE_LINES];
    struct text stopped; /* the last stop reply */
    bool failed;         /* a part of the trace could not be read, or memory ran out */
    bool is_micro_ops;
    bool told_status; /* that the trace does not state the flags */
};

/* ---- motion.c ---- */

enum stop_kind {
    STOP_STEP,
    STOP_BREAKPOINT,
    STOP_WATCHPOINT,
    STOP_BEGIN, /* the beginning of the trace */
    STOP_END,
    STOP_INTERRUPT,
    STOP_FAILED /* the trace cannot be read at this place */
};
struct stop {
    enum stop_kind kind;
    enum watch_kind watch;
    uint64_t address; /* of the watchpoint */
};

#define ANY_CPU UINT_MAX
/* Finds the first instruction from a record on or, not forwards, the last one before it, of a
 * processor or of all, within `segments` segments; 0: all. */
enum spoor_status server_seek_begin(struct server *server, uint64_t at, bool forwards, unsigned cpu,
                                    size_t segments, struct begin *begin,
                                    struct spoor_error *error);

/* Moves, and returns the reason for the stop.  With a range, stepping continues while the pc is in
 * it. */
struct stop server_step_forward(struct server *server, unsigned cpu, uint64_t low, uint64_t high);
struct stop server_step_backward(struct server *server, unsigned cpu);
struct stop server_run_forward(struct server *server);
struct stop server_run_backward(struct server *server);

/* ---- what the user is told (server.c) ---- */

/* Says a sentence to the user. */
void server_tell(const struct server *server, const char *sentence);
/* Returns the status.  The first failure is said to the user, and server_failed() is true from then
 * on. */
enum spoor_status server_heed(struct server *server, enum spoor_status status,
                              const struct spoor_error *error);

/* ---- stop.c ---- */

/* Makes the reply to the last stop. */
void server_put_stop(struct server *server, const struct stop *stop);

/* ---- snapshot.c ---- */

/* Computes registers and program counters at the moment; false: memory ran out or the trace cannot
 * be read. */
bool server_snapshot(struct server *server);
/* Writes the value of a register, lowest byte first, as hexadecimal digits; "xx" for unknown bytes.
 */
void server_put_register(struct server *server, unsigned cpu, unsigned number, struct text *out);
/* Reads bytes of memory, up to the first unknown one; returns their number. */
size_t server_memory(struct server *server, uint64_t address, uint64_t size, uint8_t *bytes);

/* ---- monitor.c ---- */

/* Executes a command of `monitor` and appends its output. */
void server_monitor(struct server *server, const char *command, struct text *out);

#endif
