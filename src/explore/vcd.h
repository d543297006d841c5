/* SPDX-License-Identifier: MIT */
/* explore/vcd.h: shared by the files of the value change dump. */
#ifndef SPOOR_EXPLORE_VCD_H
#define SPOOR_EXPLORE_VCD_H

#include "effects/calls.h"
#include "effects/registers.h"
#include "spoor/vcd.h"
#include "wave/fst_writer.h"

/* ---- variables ---- */

enum { VCD_ID_SIZE = 8 };
#define VCD_NONE UINT32_MAX /* no variable */

/* A variable, with the value that was written last and the one that is to be written. */
struct vcd_variable {
    char id[VCD_ID_SIZE];
    uint16_t width;                              /* bits; 0: a text */
    bool dirty;                                  /* `now` is to be written */
    bool drawn_any;                              /* something has been written */
    bool none;                                   /* now: nothing drives it (z, or the empty text) */
    bool drawn_none;                             /* the same of what was written last */
    uint64_t now, unknown, drawn, drawn_unknown; /* of at most 64 bits; unknown bits are x */
    struct text wide, drawn_wide;                /* of a wider one: its digits; a text */
};

struct vcd_variables {
    struct vcd_variable *items;
    uint32_t count;
    size_t capacity; /* of both arrays */
    uint32_t *dirty; /* variables that were set since the last moment */
    uint32_t dirty_count;
    struct text value;      /* that is drawn */
    struct fst_writer *fst; /* what declarations and values go to; NULL: text of a VCD */
    bool failed;            /* memory ran out */
};

/* Declares a variable, in FST or by a declaration in `out`; its number, or VCD_NONE if memory runs
 * out. `type` is "wire", "string" ... */
uint32_t vcd_declare(struct vcd_variables *variables, struct text *out, const char *type,
                     unsigned width, const char *name);
void vcd_set(struct vcd_variables *variables, uint32_t variable, uint64_t value, uint64_t unknown);
void vcd_set_text(struct vcd_variables *variables, uint32_t variable, const char *text,
                  size_t size);
/* Of any width: lowest byte first, with a mask of the bits that are known. */
void vcd_set_bytes(struct vcd_variables *variables, uint32_t variable, const uint8_t *bytes,
                   const uint8_t *known);
void vcd_set_none(struct vcd_variables *variables, uint32_t variable);
/* Writes the values that changed, to FST or `out`. */
void vcd_draw(struct vcd_variables *variables, struct text *out);
void vcd_variables_free(struct vcd_variables *variables);

/* ---- values as text ---- */

/* A name as a dump has it, in which brackets and dots have a meaning of their own: others are _. */
void vcd_put_name(struct text *out, const char *name);
/* A text without blanks and unprintable bytes: those are written as \ooo. */
void vcd_put_escaped(struct text *out, const char *text, size_t size);
/* Binary digits from the highest: `trimmed` without leading zeros. */
void vcd_put_bits(struct text *out, const uint8_t *bytes, const uint8_t *known, unsigned width,
                  bool trimmed);
/* The disassembly of a record: a comment and further blanks are left out. */
void vcd_put_disassembly(struct text *out, const struct spoor_batch *batch, size_t index);

/* ---- the dump ---- */

/* The kinds of data in a processor's records. */
enum vcd_seen {
    SEEN_PC = 1 << 0,
    SEEN_OPCODE = 1 << 1,
    SEEN_TEXT = 1 << 2,
    SEEN_MODE = 1 << 3,
    SEEN_CALLS = 1 << 4,
    SEEN_EVENT = 1 << 5,
    SEEN_FLOW = 1 << 6,
    SEEN_ACCESS = 1 << 7,
    SEEN_DATA = 1 << 8,
    SEEN_TIME = 1 << 9,
    SEEN_ANY = 1 << 10,
};
enum vcd_place {
    VCD_TIME,
    VCD_PC,
    VCD_OPCODE,
    VCD_TEXT,
    VCD_EXECUTED,
    VCD_MODE,
    VCD_FUNCTION,
    VCD_DEPTH,
    VCD_EVENT,
    VCD_EXCEPTIONS,
    VCD_TARGET,
    VCD_MEM_OP,
    VCD_MEM_ADDR,
    VCD_MEM_SIZE,
    VCD_MEM_DATA,
    VCD_PLACES
};
struct vcd_cpu {
    uint32_t seen; /* enum vcd_seen */
    uint16_t opcode_bits, data_bits;
    uint32_t variables[VCD_PLACES];
    bool instructed;      /* an instruction of it began at this moment */
    bool accessed;        /* its bus of memory has an access at this moment */
    bool driven;          /* the same since its last instruction */
    bool stated;          /* `event` is set */
    uint64_t stated_at;   /* the moment when it was */
    uint64_t start, size; /* of the function that it is in, by the images */
    size_t depth;
    uint64_t function;
    uint64_t exceptions; /* that are open */
};

struct vcd_ttu;

struct spoor_vcd {
    struct spoor_vcd_options options;
    struct machine machine;
    struct calls *calls;
    struct registers registers;   /* after the survey: their widths */
    uint32_t *register_variables; /* of processor c: c * register_names + name */
    size_t register_names, register_cpus;
    struct vcd_cpu *cpus;
    size_t cpu_count, cpu_capacity;
    struct vcd_cpu bus; /* of transactions at the pins */
    struct vcd_variables variables;
    struct text out, taken, scratch;
    bool begun, failed;
    /* times */
    char unit[16];
    bool timed; /* the trace states times */
    uint64_t highest, records, steps;
    struct spoor_vcd_disorder disorder;
    uint64_t stamp;   /* the latest time of the records so far */
    uint64_t now;     /* in steps */
    bool moment_open; /* #now has been reached */
    bool fst_ended;   /* the file is being taken */
    struct vcd_ttu *ttu;
};

/* True if a record of this processor is drawn. */
bool vcd_draws(const struct spoor_vcd *vcd, const struct spoor_batch *batch, size_t index,
               unsigned cpu);
/* Declares all variables and appends the beginning of the dump, before the first record. */
void vcd_begin(struct spoor_vcd *vcd);
/* The unit of the dump's steps, for the trace's unit; and how many steps the trace's unit has. */
const char *vcd_timescale(const char *unit, uint64_t *steps);
/* Appends what is to be said of the times, `between` before each sentence. */
void vcd_put_remarks(const struct spoor_vcd *vcd, const char *between, struct text *out);
/* Steps are 10^exponent seconds. */
int vcd_exponent(const struct spoor_vcd *vcd);

/* ---- the peer's layout ---- */

struct vcd_ttu *ttu_new(struct spoor_vcd *vcd);
void ttu_free(struct vcd_ttu *ttu);
void ttu_begin(struct vcd_ttu *ttu);
void ttu_feed(struct vcd_ttu *ttu, const struct spoor_batch *batch);
void ttu_end(struct vcd_ttu *ttu);

#endif
