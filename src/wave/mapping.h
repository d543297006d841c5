/* SPDX-License-Identifier: MIT */
/*
 * wave/mapping.h: which signals of a waveform are which fields of an instruction.
 *
 * The lines of a mapping (docs/describe.md):
 *
 *     clock = SIGNAL [falling]
 *     scope = PATH
 *     ports = SIGNAL            as many ports as it has bits, among which each signal is split
 *     ports = NAME[A][B]        as many as there are such signals; A and B, or A alone, are their
 *                               indices in other names, and numbers; NAME_{A}: without brackets
 *     when = EXPRESSION         an instruction retires at this edge
 *     FIELD = EXPRESSION        of the instruction; "?=": its signals may be missing
 *     [PORT]                    `when` and the fields of another port follow
 *     stage NAME when EXPRESSION id EXPRESSION
 *                               it holds the instruction of that id; "?when": as "?="
 *     stall NAME when EXPRESSION
 *                               why nothing retires; the first that is true
 *
 * A signal is NAME, NAME[BIT] or NAME[HIGH:LOW]; "A, B": the first of them that the waveform has.
 */
#ifndef SPOOR_WAVE_MAPPING_H
#define SPOOR_WAVE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/batch.h"

enum wave_field {
    WAVE_WHEN,
    WAVE_ORDER,
    WAVE_CPU,
    WAVE_ID,
    WAVE_PC,
    WAVE_INSN,
    WAVE_MODE,
    WAVE_TRAP,
    WAVE_INTR,
    WAVE_RS1,
    WAVE_RS1_VALUE,
    WAVE_RS2,
    WAVE_RS2_VALUE,
    WAVE_RD,
    WAVE_RD_VALUE,
    WAVE_RD_WHEN,
    WAVE_RD_WAITS,
    WAVE_LATE_WHEN,
    WAVE_LATE_RD,
    WAVE_LATE_RD_VALUE,
    WAVE_FRD,
    WAVE_FRD_VALUE,
    WAVE_FRD_WHEN,
    WAVE_X_WRITE_MASK, /* from here on, a mask of registers and the values of all of them */
    WAVE_X_WRITE_VALUES,
    WAVE_F_WRITE_MASK,
    WAVE_F_WRITE_VALUES,
    WAVE_V_WRITE_MASK,
    WAVE_V_WRITE_VALUES,
    WAVE_CSR_WRITE_MASK,
    WAVE_CSR_WRITE_VALUES,
    WAVE_MEM_ADDR,
    WAVE_MEM_READ_MASK,
    WAVE_MEM_READ_DATA,
    WAVE_MEM_WRITE_MASK,
    WAVE_MEM_WRITE_DATA,
    WAVE_FIELDS
};

enum wave_op {
    WAVE_NUMBER,
    WAVE_SIGNAL,
    WAVE_INDEX,
    WAVE_NOT,
    WAVE_AND,
    WAVE_OR,
    WAVE_EQUAL,
    WAVE_UNEQUAL
};

enum { WAVE_INDICES = 2 };

/* A name, or one of several: the first that is found. */
struct wave_reference {
    struct spoor_slice path;
    bool sliced;
    uint32_t high, low; /* as the waveform numbers the bits */
    bool more;          /* the next reference is another name for the same */
    bool optional;
    bool wide;                     /* it may have more than 64 bits */
    unsigned index;                /* it is not a signal but index number - 1; 0: a signal */
    uint8_t indices[WAVE_INDICES]; /* of each "[NAME]" in the path: which index it is */
    unsigned index_count;
    unsigned line, column;
};

struct wave_node {
    enum wave_op op;
    int left, right;    /* nodes */
    uint64_t number;    /* NUMBER */
    unsigned reference; /* SIGNAL, INDEX: the first of its names */
    unsigned line;
};

enum { WAVE_ABSENT = -1 };
struct wave_port {
    struct spoor_slice name;
    int fields[WAVE_FIELDS]; /* a node, or WAVE_ABSENT */
    unsigned line;           /* the first */
};

/* A slot of a stage of the pipeline; several have one name, and the rank of the first of them. */
struct wave_stage {
    struct spoor_slice name;
    int when, id; /* nodes */
    unsigned rank;
};
struct wave_stall {
    struct spoor_slice name;
    int when; /* node */
};

enum { WAVE_STAGES = 64 /* of a mapping, at most; of stalls, too */ };
struct wave_mapping {
    const char *name;
    struct wave_reference *references;
    size_t reference_count, reference_capacity;
    struct wave_node *nodes;
    size_t node_count, node_capacity;
    struct wave_port *ports;
    size_t port_count, port_capacity;
    struct wave_stage *stages;
    size_t stage_count, stage_capacity;
    struct wave_stall *stalls;
    size_t stall_count, stall_capacity;
    int clock;  /* reference, or WAVE_ABSENT */
    int packed; /* reference of the signal that has a bit for each port, or WAVE_ABSENT */
    struct spoor_slice indices[WAVE_INDICES]; /* of an array of signals that are `packed` instead */
    unsigned index_count;
    bool falling;
    bool riscv;               /* else opcodes are as they are, and registers have no names */
    struct spoor_slice scope; /* empty: wherever the signals are */
    char *text;               /* a copy that the slices lie in */
};

/* True for a character of names and paths. */
bool wave_is_mapping_letter(char c);
/* True if a line of a description, without comment and blanks around it, is one of a mapping. */
bool wave_mapping_has_line(struct spoor_slice line);
/* Reads a file of which the other lines are the description's.  NULL: `error` is filled with
 * "PATH:LINE:COLUMN: expected ...". */
struct wave_mapping *wave_mapping_parse(const char *path, const char *name, struct spoor_slice text,
                                        bool riscv, struct spoor_error *error);
void wave_mapping_free(struct wave_mapping *mapping);

/* The mappings of the library; the last has no name. */
struct builtin_mapping {
    const char *name, *text;
};
extern const struct builtin_mapping builtin_mappings[];

#endif
