/* SPDX-License-Identifier: MIT */
/*
 * formats/describe/describe.h: text formats that a description defines.
 *
 * A description is a file of rules that look like the lines of a log, with the fields of a record
 * in braces (docs/describe.md).  describe_parse() makes a format of it.  A line is then read in two
 * steps: match.c finds which rule takes it and which bytes are fields; emit.c makes the records.
 * The spelling of a line is the line with a code in place of each field, which spell.c fills in;
 * write.c makes lines of the records of other formats.
 */
#ifndef SPOOR_FORMATS_DESCRIBE_DESCRIBE_H
#define SPOOR_FORMATS_DESCRIBE_DESCRIBE_H

#include "formats/commit/parts.h"
#include "formats/text/text.h"
#include "wave/mapping.h"

enum {
    DESCRIBE_NAMES = 4,    /* fields that one number may state */
    DESCRIBE_FIELDS = 250, /* of a description: a byte of a spelling names one */
    DESCRIBE_NESTING = 16, /* of groups and parts */
    DESCRIBE_FILE =
        24 << 10,      /* bytes of a description: the head of a .spoor file has room for it */
    DESCRIBE_ANY = -1, /* as a kind: none is stated */
    DESCRIBE_MASK = SPOOR_FIELDS_ALL, /* as a field: the bytes of an access that count */
};

/* What a run of bytes consists of. */
enum describe_class {
    CLASS_HEX,
    CLASS_DECIMAL,
    CLASS_BINARY,
    CLASS_OCTAL,
    CLASS_WORD,    /* letters, digits and _ */
    CLASS_SOLID,   /* no blanks */
    CLASS_BLANK,   /* blanks and tabs */
    CLASS_UNKNOWN, /* hexadecimal digits, and X and ? for digits that are not known */
    CLASSES
};

/* Spellings of a value: "words access LD=read". */
struct describe_word {
    struct spoor_slice spelling, value;
};
struct describe_words {
    struct spoor_slice name;
    struct describe_word *words;
    size_t count;
};

/* A field as "kind.field"; the kind is DESCRIBE_ANY where it is not stated. */
struct describe_name {
    int kind, field;
};

/* A field of a template. */
struct describe_slot {
    unsigned id; /* in the description, from 0 */
    struct describe_name names[DESCRIBE_NAMES];
    unsigned name_count; /* 0: the bytes are part of the spelling */
    char type; /* letter of the grammar; 'W' one of `words`, 'P' what a part takes, 'M' the mnemonic
                * of the disassembly, 'O' its operands, 'U' the unit of the time */
    struct spoor_slice prefix; /* of a number that names a register: "x" */
    bool exact, zero, lowest_first;
    unsigned width, sign_bits; /* 0: not stated */
    const struct describe_words *words;
    unsigned part;
    const char *expected; /* in faults */
};

enum describe_what { ELEMENT_TEXT, ELEMENT_BLANKS, ELEMENT_GROUP, ELEMENT_PART, ELEMENT_FIELD };

struct describe_sequence {
    struct describe_element *elements;
    size_t count;
};
struct describe_element {
    enum describe_what what;
    char mark; /* GROUP: '?', '*' or '+'; BLANKS: ' ' at least one, '\0' perhaps none */
    bool peek; /* PART, FIELD: it must follow and is not taken */
    struct spoor_slice text;       /* TEXT */
    unsigned search;               /* TEXT, BLANKS: number of its span in a match */
    const char *expected;          /* TEXT: in faults */
    struct describe_sequence body; /* GROUP */
    unsigned part;                 /* PART */
    const struct describe_slot *slot;
};

struct describe_constant {
    struct describe_name name;
    struct spoor_slice value;
};
/* A rule, or an alternative of a part. */
struct describe_rule {
    int kind;     /* of the record that it opens; DESCRIBE_ANY: none */
    bool again;   /* "again?": the instruction before, printed again, where pc and opcode are its */
    bool operand; /* a register that the opcode says to be read or written */
    bool table;   /* the columns follow, and no template */
    struct describe_constant *constants;
    size_t constant_count;
    struct describe_sequence template;
    unsigned line;
};
struct describe_part {
    struct spoor_slice name;
    struct describe_rule *rules;
    size_t count, capacity;
};
struct describe_column {
    struct spoor_slice name;
    struct describe_sequence template;
};

struct description {
    struct spoor_format format; /* its variant is the description */
    struct text_rules rules;
    char name[64], identity[64 + 24], title_line[160];
    char unit[SPELLING_UNIT_SIZE];
    struct spoor_slice text; /* the whole file */
    bool builtin;            /* of the library */
    bool hidden; /* no name finds it: a .spoor file carries it, or another one has its name */
    bool is_riscv, is_aarch64;
    bool carries_time, carries_cpu, derives_access, derives_cause;
    bool read_only; /* records of other formats are not written as lines of this one */
    bool waveform;  /* its lines are made of waveforms, by the library's mappings, */
    struct wave_mapping *mapping; /* or by this one; NULL: none */
    bool others;                  /* lines that no rule takes are comments */
    bool again;                   /* a rule has `again?` */
    char separator;               /* of a table's columns; '\0': there is no table */
    struct spoor_slice title;     /* of a table: the line that names its columns */
    uint32_t binary_size;         /* bytes of a record; 0: text */
    bool big_endian;
    bool has_signature; /* a line has at least 3 bytes of text of its own */
    struct { /* a disassembly in the middle of lines that a text follows, or the last group */
        const struct describe_slot *slot; /* NULL: there is none */
        char open;                        /* after so many of these bytes, or '\0': so many words */
        unsigned number;
        struct spoor_slice close; /* empty: the group */
        const struct describe_sequence *sequence;
        size_t after; /* of its elements, the one that follows */
    } middle;
    struct describe_settles { /* `derive access`: what describe_settle() sets of all lines */
        bool any, op, size, operands;
    } settles;
    const char *table_expected;
    unsigned slot_count, search_count;
    struct describe_words *words;
    size_t words_count;
    struct describe_part *parts;
    size_t part_count;
    struct describe_rule *rule;
    size_t rule_count;
    struct describe_column *columns;
    size_t column_count;
    const struct describe_slot **slots;
    struct describe_block *blocks; /* of memory */
};

/* Makes a format of the text of a description; `name` is that of the format, `path` goes to the
 * error: "PATH:LINE:COLUMN: expected ...".  NULL: `error` is filled.  The text is copied. */
struct description *describe_parse(const char *path, const char *name, struct spoor_slice text,
                                   struct spoor_error *error);
void describe_free(struct description *description);
/* Sets the functions of the format, of text and of binary records (format.c, binary.c). */
void describe_set_functions(struct description *description);
void describe_set_binary(struct description *description);
/* The probe of binary records: they are never found by their bytes. */
int describe_binary_probe(const struct spoor_format *self, const struct spoor_head *head);

/* ---- match.c ---- */

enum capture_what { CAPTURE_FIELD, CAPTURE_RULE, CAPTURE_REPEAT };
/* Which columns a table has: for each the number of its description, -1: it has none and is kept.
 */
struct describe_order {
    size_t count;
    int column[];
};

/* What a match found, in the order of the line. */
struct capture {
    enum capture_what what;
    bool peeked;
    const char *begin, *end;          /* FIELD */
    const char *seen;                 /* FIELD, a text: the end of the bytes examined before */
    const struct describe_slot *slot; /* FIELD */
    const struct describe_rule *rule; /* RULE: a part that opens a record, or has constants */
};

struct describe_span {
    const char *begin, *end;
};
struct describe_match {
    const struct description *description;
    const struct describe_order *order; /* of a table's columns; NULL: as described */
    const char *line;                   /* its beginning */
    const char *begin, *end;            /* what is matched: the line, or a cell of a table */
    struct capture *captures;
    size_t count, capacity;
    const char *furthest;           /* where the rule that came furthest stopped, */
    const char *expected;           /* and what it expected there */
    const char *seen;               /* the end of the bytes examined until now */
    bool all_fields;                /* those without a name are captured, too */
    unsigned looking;               /* in a look ahead: texts are not taken */
    bool enough;                    /* a look ahead came to a text */
    bool failed;                    /* memory ran out */
    size_t steps;                   /* elements tried, and bytes examined for them: for tests */
    size_t literal, loose;          /* bytes of the line that are the description's, and any text */
    struct describe_span *runs;     /* of fields: part of `searches` */
    struct describe_span *searches; /* for each text and blanks of the description */
    uint8_t told[TEXT_LINE];        /* enum told: how the bytes were told apart */
};
/* Facts about a number hold only if no attempt told its digits apart. */
enum told { TOLD_FROM_TEXT = 1, TOLD_DECIMAL = 2, TOLD_OTHER = 4 };

/* The order of the columns that a title line names; NULL: it is none, or memory ran out. */
struct describe_order *describe_read_title(const struct description *description, const char *begin,
                                           const char *end);
/* True if the line names the columns of a table, in the order that is known. */
bool describe_is_title(const struct description *description, const struct describe_order *order,
                       const struct line *line);
/* The end of the text that the slot takes from `begin` on, where what follows it can begin, of the
 * line from `line` to `end`; NULL: memory ran out. */
const char *describe_match_text(const struct description *description, const char *line,
                                const char *begin, const char *end);
/* Finds the rule that takes the line; NULL: none does. */
const struct describe_rule *describe_match_line(struct describe_match *match, const char *begin,
                                                const char *end);
void describe_match_free(struct describe_match *match);

/* ---- emit.c ---- */

/* What opcodes say, and the numbers of registers by name, plus 2; 0: not looked up yet. */
struct describe_opcodes {
    struct commit_opcodes effects;
    int16_t numbers[256];
};
/* State of decoding lines: that of struct text_rules. */
struct describe_reader {
    const struct description *description;
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct text_facts *learning;
    struct describe_match match;
    size_t first;         /* index of the line's first record */
    size_t last;          /* of the record that fields go to */
    spoor_field_set *set; /* of each record of the line */
    size_t set_capacity;
    uint8_t *digits; /* of each record: of its opcode, data or value */
    size_t digits_capacity;
    struct describe_spill {
        size_t record;
        enum spoor_spill_what what;
        struct spoor_ref ref;
    } spills[8];
    unsigned spill_count;
    struct describe_derived { /* text that follows from the disassembly, which may come after it */
        const struct capture *capture;
        unsigned code; /* where its code is in the template */
    } derived[4];
    unsigned derived_count;
    uint64_t operands; /* bit i: record i is of a rule `operand` */
    uint64_t mask;     /* of the last access */
    bool has_mask, verbatim, full;
    const char *wrong, *expected; /* a field whose value cannot be */
    struct text made;
    unsigned size; /* of the template */
    char template[SPELLING_UNIT_SIZE + 2048];
    struct describe_opcodes opcodes[]; /* one, if the description settles */
};

/* struct text_rules' `settle`: what the opcodes say of accesses and registers. */
void describe_settle(void *state, struct spoor_batch *batch, size_t from);
/* Makes the records of a line that the rule took; false: the value of a field cannot be. */
bool describe_emit(struct describe_reader *reader, const char *begin, const char *end);

/* ---- spell.c ---- */

enum describe_code { DESCRIBE_CODE_FIELD = 1, DESCRIBE_FIRST_PLAIN = 32 };

/* Appends a field of a record as its slot is written, in at least so many digits (0: as many as it
 * needs).  False: the record does not have it. */
bool describe_put_field(struct text *out, const struct spoor_batch *batch,
                        const struct spoor_names *names, size_t index,
                        const struct describe_slot *slot, unsigned digits, bool upper);
/* Appends the line of the record `index` and those that continue it, by the template. */
bool describe_render(struct text *out, const struct description *description,
                     const struct spoor_batch *batch, const struct spoor_names *names, size_t index,
                     struct spoor_slice template);
/* The kind of record that a field opens where no open record has it; DESCRIBE_ANY: none, the first
 * has it. */
int describe_owner(int field);
/* True for the fields that the first record of a line has, if its kind has them. */
bool describe_is_of_first(int field);
/* Appends the mnemonic of a disassembly ('M') or its operands ('O'), without blanks, with the
 * registers of RISC-V by the names of its ABI or as they are. */
void describe_put_derived(struct text *out, char type, struct spoor_slice disassembly, bool abi);
/* The operation of a kind by its name; -1: it has none of that name. */
int describe_op(int kind, struct spoor_slice name);

/* ---- write.c ---- */

void describe_end(struct encoder *encoder, struct text *out);
void describe_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                    size_t to, struct text *out);

static inline bool slice_is(struct spoor_slice slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.bytes, text, slice.size) == 0;
}

#endif
