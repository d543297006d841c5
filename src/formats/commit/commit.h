/* SPDX-License-Identifier: MIT */
/*
 * commit.h: formats in which a line is one instruction with its effects.
 *
 * Spike's commit log, riscv-dv's CSV and QEMU's execlog state the same in different forms: the
 * address, the instruction, the registers it wrote, its accesses.  A line becomes an INSN record
 * and, with SPOOR_CONTINUES, a record for each effect.
 *
 * The spelling of a line is a template: the line itself with a code in place of each field of a
 * record.  The reader builds the template while it parses; the writer fills it in.  A line that its
 * template does not reproduce is verbatim.  Each format is thus one grammar, and one canonical form
 * for records of other formats.
 */
#ifndef SPOOR_FORMATS_COMMIT_COMMIT_H
#define SPOOR_FORMATS_COMMIT_COMMIT_H

#include "base/scan.h"
#include "formats/probe.h"
#include "formats/text/text.h"

/* Codes in a template: bytes that never occur in a line.  A number's code is followed by its
 * minimum number of digits (1 .. 255), and by 2 for upper-case letters, else 1. */
enum commit_code {
    COMMIT_BYTES, /* MEM: its data, byte by byte in the order of memory; a number, of any digits */
    COMMIT_NEXT = 1, /* the codes that follow belong to the next record of the line */
    COMMIT_CPU,
    COMMIT_MODE,
    COMMIT_PC,     /* a number, like all codes marked so: of the record, or where it is no INSN, of
                    * the line's last one */
    COMMIT_OPCODE, /* a number */
    COMMIT_DISASM,
    COMMIT_MNEMONIC,        /* the first word of the disassembly */
    COMMIT_OPERANDS,        /* the text after it, without blanks */
    COMMIT_INDEX = 10,      /* the index of the instruction, in decimal */
    COMMIT_REGISTER = 11,   /* the name of the register */
    COMMIT_REGISTER_SPACED, /* a letter and its number in two columns: "x 5" for x5 */
    COMMIT_ORIGIN = 13,     /* a number: MEM: the pc of the access, which is spilled */
    COMMIT_VALUE = 14,      /* a number: REG */
    COMMIT_VIRTUAL,         /* a number: MEM */
    COMMIT_PHYSICAL,        /* a number: MEM */
    COMMIT_DATA,            /* a number: MEM */
    COMMIT_MEMTYPE,         /* MEM: what was accessed */
    COMMIT_EVENT,           /* the name of the event */
    COMMIT_EVENT_VALUE,     /* a number */
    COMMIT_HEAD,            /* the codes that follow belong to the line's first record again */
    COMMIT_REST,            /* INSN: the rest of its line, unchanged */
    COMMIT_OPERANDS_ABI,    /* operands with x0 to x31 by the names of RISC-V's ABI */
    COMMIT_TIME,   /* a number: seconds, a point, and this many digits; the record's unit is ns */
    COMMIT_FROM,   /* a number: FLOW */
    COMMIT_TARGET, /* a number: FLOW */
    COMMIT_SYMBOL, /* the spill of the record's main address */
    COMMIT_TARGET_SYMBOL,    /* FLOW: the spill of the target */
    COMMIT_TEXT,             /* EVENT: the text */
    COMMIT_PERIOD,           /* EVENT: value1 in decimal */
    COMMIT_TICK,             /* the time, in decimal */
    COMMIT_FIRST_PLAIN = 32, /* bytes below this do not occur in a line, except tabs */
};

enum { TEMPLATE_CAPACITY = 2048 };

/* ---- reading ---- */

struct commit_reader {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct scan scan;
    size_t first;              /* index of the line's first record */
    struct spoor_record *last; /* the last record pushed */
    const char *expected;      /* what a failing rule expected at scan.at */
    bool verbatim;
    bool loses; /* a code of the template keeps less than the text that it stands for */
    struct text_facts *learning;
    struct scan number; /* the digits of the last number */
    struct text made;   /* a line rebuilt from its template */
    unsigned size;      /* of the template in bytes */
    char template[SPELLING_UNIT_SIZE + TEMPLATE_CAPACITY];
};

/* A line's grammar: true if the whole line matches; else `expected` states what was expected. */
typedef bool commit_rule(struct commit_reader *reading);

/* Returns the next record of the line.  The pointer is valid until the next call. */
struct spoor_record *commit_push(struct commit_reader *reading, enum spoor_kind kind);
/* Returns a further record at the time of the line's first one. */
struct spoor_record *commit_push_further(struct commit_reader *reading, enum spoor_kind kind);
/* Returns a copy of the last record, which is a further one, for a line that is verbatim. */
static inline struct spoor_record *commit_push_again(struct commit_reader *reading)
{
    const struct spoor_record last = *reading->last;
    reading->last = spoor_batch_push(reading->batch);
    *reading->last = last;
    if (reading->learning)
        text_copy_word(reading->learning, reading->batch, &reading->last->time,
                       &reading->batch->records[reading->first].time, UINT64_MAX);
    return reading->last;
}
/* The name of some bytes; where the names are full, the line keeps its text. */
spoor_name commit_intern(struct commit_reader *reading, const char *bytes, size_t size);

/* Each function parses what its name states, or returns false and changes nothing. */
static inline bool commit_literal(struct commit_reader *reading, const char *text);
bool commit_gap(struct commit_reader *reading); /* one or more blanks */
static inline bool commit_is_blank(char c)
{
    return c == ' ' || c == '\t';
}
/* Parses a number into *value: hexadecimal, without a prefix. */
bool commit_hex(struct commit_reader *reading, enum commit_code code, uint64_t *value);
/* Notes that the last number is the record's `value`, for numbers that commit_hex() cannot
 * identify. */
void commit_learn(struct commit_reader *reading, const uint64_t *value);
/* Notes that the last number is an opcode, whose size some of its digits determine. */
void commit_fix_size(struct commit_reader *reading);
/* Parses the value of the last REG, or the data of the last MEM, of any width. */
bool commit_value(struct commit_reader *reading);
/* Parses a name of letters, digits and '_' . */
bool commit_name(struct commit_reader *reading, enum commit_code code, spoor_name *name);
/* Appends the bytes up to `to` as they are. */
void commit_copy(struct commit_reader *reading, const char *to);
/* Parses seconds, a point and 6 or 9 digits into a record's time, in ns. */
bool commit_seconds(struct commit_reader *reading, struct spoor_record *record);
/* Spills the next `size` bytes with the record pushed last, as `code` says. */
void commit_symbol(struct commit_reader *reading, enum commit_code code, size_t size);
/* Returns the bytes up to one of `stops` or the end; may be empty. */
struct spoor_slice commit_until(struct commit_reader *reading, const char *stops);
/* Returns the bytes up to one of `stops` or the end, which the template has as they are. */
struct spoor_slice commit_pass(struct commit_reader *reading, const char *stops);
/* Bytes of the line, if any, are kept as they are with the first record.  No record of the line may
 * have spills before, and a line that has this twice is verbatim. */
void commit_keep(struct commit_reader *reading, struct spoor_slice bytes);
/* Keeps the rest of the line by commit_keep(). */
void commit_rest(struct commit_reader *reading);
/* Appends the operands of a disassembly as `code`, an OPERANDS of enum commit_code, says. */
void commit_put_operands(struct text *out, struct spoor_slice disassembly, enum commit_code code);
/* Appends a code, or plain bytes, to the template. */
void commit_code(struct commit_reader *reading, enum commit_code code);
static inline void commit_plain(struct commit_reader *reading, const char *bytes, size_t size)
{
    if (reading->size + size > sizeof reading->template) {
        reading->verbatim = true;
        return;
    }
    memcpy(reading->template + reading->size, bytes, size);
    reading->size += (unsigned)size;
}
static inline bool commit_literal(struct commit_reader *reading, const char *text)
{
    const size_t size = strlen(text); /* a constant, once this is inlined */
    if (!scan_word(&reading->scan, text, size)) return false;
    commit_plain(reading, text, size);
    return true;
}
bool commit_fail(struct commit_reader *reading, const char *expected);
/* Returns the size in bytes of a RISC-V instruction, from its lowest bits; 4 where a higher bit
 * than its 16 is set, as in logs that were written of Arm code. */
uint8_t commit_riscv_size(uint64_t opcode);

/* The kinds of lines that a format has. */
struct commit_lines {
    const char *name;    /* name of the rule, in faults */
    commit_rule *rule;   /* for lines that are not blank, no comment and not the title */
    const char *comment; /* what a comment begins with: marks, with blanks between; NULL: none */
    const char *title;   /* what the title begins with; NULL: the format has none */
    /* True if a line that the rule does not accept could be a damaged record; else it is console
     * text, which is a note.  NULL: any such line is a fault. */
    bool (*resembles)(const char *line, size_t size);
};
/* True if the line has "0x..." or 6 or more hexadecimal digits that are no part of a word. */
bool commit_has_address(const char *line, size_t size);
/* Members of struct text_rules, whose variant is the lines.  The state begins with a struct
 * commit_reader. */
const char *commit_line_decode(struct text_reader *text, void *state, const char *at);
void commit_begin_batch(void *state, struct text_reader *text);
void commit_end_batch(void *state);
#define COMMIT_RULES(lines, state)                                               \
    .variant = (lines), .line = commit_line_decode, .state_size = sizeof(state), \
    .begin_batch = commit_begin_batch, .end_batch = commit_end_batch

/* Whether a line matches the rule; an empty one is neutral.  For probes. */
enum line_fit commit_fits(commit_rule *rule, const char *line, size_t size);
/* struct spoor_format's `fit`, by the lines that are the variant of its rules: a comment is
 * neutral, the title fits. */
enum line_fit commit_fit(const struct spoor_format *self, const char *line, size_t size);

/* ---- writing ---- */

enum { COMMIT_HARTS = 64 /* more of them share numbers */ };

/* A line under construction from records of another format, or from a part of a line. */
struct commit_line {
    bool open;
    bool stores;                 /* gem5: its access is a store */
    unsigned access;             /* bytes of an access of the instruction; 0: not known */
    uint64_t tags[COMMIT_HARTS]; /* instructions of each hart until now */
    struct text head, registers, csrs, accesses, tail; /* the columns, in the form that the format
                                                        * needs */
};

/* The way in which a format writes records of other formats. */
struct commit_style {
    const char *title; /* first line of a new trace; NULL: none */
    /* Writes an instruction, or an effect of one; false if the line has no column for it. */
    bool (*put)(struct commit_line *line, const struct spoor_batch *batch, size_t index);
    /* The line: H stands for the head, R, C, A and T for the other columns, and other bytes for
     * themselves.  NULL: all columns in this order, and a newline. */
    const char *columns;
    const char *no_tail; /* stands for an empty tail; NULL: nothing */
    void (*finish)(struct commit_line *line, struct text *out); /* NULL: as `columns` says */
    /* For commit_write_records(): writes one record; false if it has no line. */
    bool (*record)(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                   struct text *out);
};

/* The write and end functions of a struct spoor_format whose variant is a style. */
void commit_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out);
void commit_end(struct encoder *encoder, struct text *out);
/* The write function of one whose lines state what one record does.  No variant: other formats have
 * no such records. */
void commit_write_records(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                          size_t to, struct text *out);
/* Writes the whole line of record `index` as it was read; false if it has no text of its own. */
bool commit_put_own(const struct spoor_batch *batch, size_t index, struct text *out);
/* Returns the index after the last record of the line that begins at `index`. */
static inline size_t commit_line_end(const struct spoor_batch *batch, size_t index)
{
    do index++;
    while (index < batch->count && (batch->records[index].has & SPOOR_CONTINUES));
    return index;
}

/* Writes the name of a register; its value, or the data of an access, in as many digits as its
 * width requires. */
void commit_put_register(struct text *out, const struct spoor_batch *batch, size_t index);
void commit_put_value(struct text *out, const struct spoor_batch *batch, size_t index);

/* Writes the lowest digits of a number of `size` bytes, the lowest byte first. */
void commit_put_wide(struct text *out, const void *number, size_t size, size_t digits, bool upper);

/* Counts an instruction of a hart; returns its number, from 1. */
uint64_t commit_next_tag(struct commit_line *line, unsigned hart);
/* Returns the digit of the privilege of an instruction; that of machine mode, in which a processor
 * begins, if the trace names none. */
char commit_privilege(const struct spoor_batch *batch, const struct spoor_record *record);
/* Returns the letter of the privilege of an instruction: U, S, H or M. */
char commit_privilege_letter(const struct spoor_batch *batch, const struct spoor_record *record);
/* Returns the number at the end of a processor's name, or 0. */
unsigned commit_cpu_number(const struct spoor_batch *batch, const struct spoor_record *record);

/* ---- templates ---- */

/* Appends the line of record `index` as its template states.  `names` resolves the ids in the
 * records.  False if the template does not fit the records. */
bool commit_render(const struct spoor_batch *batch, size_t index, const struct spoor_names *names,
                   struct spoor_slice template, struct text *out);

#endif
