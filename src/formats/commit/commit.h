/* SPDX-License-Identifier: MIT */
/*
 * commit.h: formats whose line is one instruction with its effects.
 *
 * Spike's commit log, riscv-dv's CSV and QEMU's execlog say the same in different words: where,
 * which instruction, the registers it wrote, its accesses.  A line becomes an INSN record and, with
 * SPOOR_CONTINUES, a record for each effect.
 *
 * How a line is spelled is a template: the line itself with a code where a field of a record
 * stands.  Reading builds it as it goes; writing fills it in; a line that does not come out as it
 * was is odd.  So each format is one grammar, and one canonical form for records from elsewhere.
 */
#ifndef SPOOR_FORMATS_COMMIT_COMMIT_H
#define SPOOR_FORMATS_COMMIT_COMMIT_H

#include "base/scan.h"
#include "formats/text/text.h"

/* Codes in a template: bytes that are never in a line.  Those of numbers are followed by the fewest
 * digits (1 .. 255) and by 2 where letters are upper case, else 1. */
enum commit_code {
    COMMIT_NEXT = 1, /* what follows is of the next record of the line */
    COMMIT_CPU,
    COMMIT_MODE,
    COMMIT_PC,     /* a number, as all that say so */
    COMMIT_OPCODE, /* a number */
    COMMIT_DISASM,
    COMMIT_MNEMONIC,         /* the first word of the disassembly */
    COMMIT_OPERANDS,         /* what stands after it, without blanks */
    COMMIT_REGISTER = 11,    /* its name */
    COMMIT_REGISTER_SPACED,  /* a letter and its number in two columns: "x 5" for x5 */
    COMMIT_VALUE = 14,       /* a number: REG */
    COMMIT_VIRTUAL,          /* a number: MEM */
    COMMIT_PHYSICAL,         /* a number: MEM */
    COMMIT_DATA,             /* a number: MEM */
    COMMIT_MEMTYPE,          /* MEM: what was accessed */
    COMMIT_EVENT,            /* its name */
    COMMIT_EVENT_VALUE,      /* a number */
    COMMIT_HEAD,             /* what follows is of the line's first record again */
    COMMIT_REST,             /* INSN: what its line has further, as it is */
    COMMIT_OPERANDS_ABI,     /* operands with x0 to x31 by the names of RISC-V's ABI */
    COMMIT_FIRST_PLAIN = 32, /* no byte below is in a line, but for tabs */
};

enum { TEMPLATE_CAPACITY = 2048 };

/* ---- reading ---- */

struct commit_reading {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct scan scan;
    size_t first;              /* index of the line's first record */
    struct spoor_record *last; /* the record pushed last */
    const char *expected;      /* what a failing rule wanted, at scan.at */
    bool verbatim;
    struct text_learning *learning;
    struct scan number; /* the digits of the last one */
    struct text made;   /* a line made again of its template */
    unsigned size;      /* of the template */
    char template[SPELLING_UNIT_SIZE + TEMPLATE_CAPACITY];
};

/* A line's grammar: true where all of it fits; else `expected` says what was wanted. */
typedef bool commit_rule(struct commit_reading *reading);

/* The next record of the line.  Its pointer is valid until the next one. */
struct spoor_record *commit_push(struct commit_reading *reading, enum spoor_kind kind);

/* Each takes what it is named after, or leaves all as it was and returns false. */
bool commit_literal(struct commit_reading *reading, const char *text);
bool commit_gap(struct commit_reading *reading); /* one or more blanks */
/* A number into *value: hexadecimal, without prefix. */
bool commit_hex(struct commit_reading *reading, enum commit_code code, uint64_t *value);
/* The number that was taken last is the record's `value`, where commit_hex() could not know. */
void commit_learn(struct commit_reading *reading, const uint64_t *value);
/* The last digit of that number decides more than its value. */
void commit_fix_last_digit(struct commit_reading *reading);
/* The value of the REG, and the data of the MEM, pushed last, of any width. */
bool commit_value(struct commit_reading *reading);
bool commit_data(struct commit_reading *reading);
/* A name of letters, digits and '_' . */
bool commit_name(struct commit_reading *reading, enum commit_code code, spoor_name *name);
/* Bytes up to one of `stops` or the end; may be none. */
struct spoor_slice commit_until(struct commit_reading *reading, const char *stops);
/* Bytes of the line, if any, are kept as they are with the first record.  No record of the line may
 * have spills before, and a line that has this twice is verbatim. */
void commit_keep(struct commit_reading *reading, struct spoor_slice bytes);
/* The same of the rest of the line. */
void commit_rest(struct commit_reading *reading);
/* Append the operands of a disassembly as `code`, an OPERANDS of enum commit_code, says. */
void commit_put_operands(struct text *out, struct spoor_slice disassembly, enum commit_code code);
/* Put a code, or plain bytes, into the template. */
void commit_code(struct commit_reading *reading, enum commit_code code);
void commit_plain(struct commit_reading *reading, const char *bytes, size_t size);
bool commit_fail(struct commit_reading *reading, const char *expected);
/* Bytes that an instruction of RISC-V has, by its lowest bits. */
uint8_t commit_riscv_size(uint64_t opcode);

/* Which lines a format has. */
struct commit_lines {
    const char *name;    /* of the rule, in faults */
    commit_rule *rule;   /* is tried on every line that is not blank, */
    const char *comment; /* does not begin so, */
    const char *title;   /* nor so; NULL: there are none */
};
/* Members of struct text_rules, of which `line` adds the lines. */
const char *commit_line_decode(struct text_reading *text, void *state, const char *at,
                               const struct commit_lines *lines);
void commit_begin_batch(void *state, struct text_reading *text);
void commit_end_batch(void *state);
#define COMMIT_RULES(function, bytes)                                     \
    {                                                                     \
        .line = (function), .state_size = sizeof(struct commit_reading),  \
        .begin_batch = commit_begin_batch, .end_batch = commit_end_batch, \
        .mark = {(bytes)[0], (bytes)[1]},                                 \
    }

/* Whether a line fits, for probes. */
bool commit_fits(commit_rule *rule, const char *line, size_t size);

/* ---- writing ---- */

/* A line being put together from records of another format, or of a part of a line. */
struct commit_line {
    bool open;
    struct text head, registers, csrs, accesses, tail; /* the columns, as the format needs them */
};

/* How a format writes what is not its own. */
struct commit_style {
    const char *title; /* first line of a new trace; NULL: none */
    void (*insn)(struct commit_line *line, const struct spoor_batch *batch, size_t index);
    /* Whether the effect could be put. */
    bool (*effect)(struct commit_line *line, const struct spoor_batch *batch, size_t index);
    void (*finish)(struct commit_line *line, struct text *out);
};

/* struct spoor_format's write and end.  `own`: the records come from this very format. */
void commit_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out, const struct commit_style *style, bool own);
void commit_end(struct encoder *encoder, struct text *out, const struct commit_style *style);

/* The name of a register, its value in at least `digits` digits, or as many as it has bits. */
void commit_put_register(struct text *out, const struct spoor_batch *batch, size_t index);
void commit_put_value(struct text *out, const struct spoor_batch *batch, size_t index);
void commit_put_data(struct text *out, const struct spoor_batch *batch, size_t index);
void commit_put_name(struct text *out, const struct spoor_batch *batch, spoor_name name);
/* The number that a processor's name ends in, or 0. */
unsigned commit_cpu_number(const struct spoor_batch *batch, const struct spoor_record *record);

/* ---- templates ---- */

/* Append the line of record `index` as its template says, with the names of `names`, whose ids the
 * records have; false where it does not fit the records. */
bool commit_render(const struct spoor_batch *batch, size_t index, const struct spoor_names *names,
                   struct spoor_slice template, struct text *out);

#endif
