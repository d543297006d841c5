/* SPDX-License-Identifier: MIT */
/*
 * dialect.h: what one member of the Tarmac family is made of.
 *
 * A dialect is data: the rules that it knows, each found by the word that leads a record, and the
 * spelling it prefers where a record brings none of its own.  A rule reads what stands after its
 * word into a record; the writer of the same kind, in the same file, is its mirror image.
 */
#ifndef SPOOR_FORMATS_TARMAC_DIALECT_H
#define SPOOR_FORMATS_TARMAC_DIALECT_H

#include "formats/format.h"

struct reading;
struct writing;

/* Reads the rest of a line: false with the place and the expectation noted in the reading. */
typedef bool rule_read(struct reading *reading);
/* Appends the record from its leading word on: false where the dialect cannot say it. */
typedef bool rule_write(struct writing *writing);

struct rule {
    const char *word; /* leads the record: "IT" */
    const char *name; /* of the rule in a fault: "tarmac-it" */
    rule_read *read;
    uint8_t kind, op; /* enum spoor_kind and its operation, set before the rule reads */
    bool sized;       /* the word goes on with a size: MR4, BW8... */
    uint8_t producer; /* enum producer: who alone writes such lines */
};

/* Who writes Tarmac: each has a dialect of its own.  The names are in producer.c. */
enum producer {
    PRODUCER_ANY,
    PRODUCER_FAST_MODELS,
    PRODUCER_GEM5,
    PRODUCER_ES,    /* cycle models and Cortex-A RTL: ES, LD, ST, BR */
    PRODUCER_RTL_M, /* RTL of Cortex-M cores */
    PRODUCER_RTL_R, /* RTL of Cortex-R cores */
    PRODUCER_CS,    /* time in cs; R08, W04 */
    PRODUCERS
};
extern const char *const producer_names[]; /* without that of PRODUCER_ANY, NULL-terminated */
/* The dialect of that name; PRODUCER_ANY for NULL and for a name that there is not. */
enum producer producer_named(const char *name);
/* The same of a spelling: a name, or NULL. */
const char *producer_of_spelling(const void *spelling, size_t size);
/* Whether a line that only `line` writes may stand in a trace of `trace`: gem5 imitates Fast
 * Models.
 */
bool producer_fits(enum producer trace, enum producer line);

enum { TAG_TARMAC = 'T', TAG_MATCHER = 'M' };

/* A letter after the size of a memory access, and what it means. */
struct access_letter {
    char letter;     /* 0 ends the list */
    uint8_t meaning; /* enum spoor_mem_attr */
};

struct dialect {
    const struct spoor_format *format;
    const char *line_rule;    /* names the fault of a line that no rule takes */
    uint8_t tag;              /* tells this dialect's spellings from others' */
    const struct rule *rules; /* of two with one word, the second is tried where the first fails */
    size_t rule_count;
    const struct rule *wordless; /* tried where no word leads; NULL: a line has a word */
    rule_write *write[SPOOR_KINDS];
    struct access_letter letters[4];
    /* canonical spelling: */
    uint8_t address_digits; /* of a virtual address; more where it needs more: 16 */
    uint8_t data_group;     /* digits between the underscores of long data; 0: none */
    bool data_upper;        /* memory data in upper case */
    bool physical;          /* addresses have a physical part and a security */
    bool annotations;       /* register values may be annotated */
    bool numbers_cpus;      /* a cpu is a decimal number and stands on instructions alone */
    bool stamps_all;        /* every line has its time, also one that was inherited */
    bool no_cpus;           /* lines name no cpu */
    bool names_sp_lr;       /* copies of AArch32's r13 and r14 are SP_SVC, LR_SVC: else r13_svc */
    void (*lay_out)(struct writing *writing); /* a foreign record's spelling; NULL: plain */
};

extern const struct dialect dialect_tarmac, dialect_matcher;
extern const struct spoor_format format_tarmac, format_tarmac_fm, format_tarmac_es, format_matcher;

/* Takes lines of known layouts, see fast.h. */
typedef const char *fast_way(const struct reading *reading, const char *at);

/* The format's functions, for any dialect.  dialect_decode() takes common lines in the fastest way
 * that the processor has, _by() in the given one (NULL: by words, as any can); the records are the
 * same. */
void dialect_decode_by_rules(const struct dialect *dialect, const struct decoder *decoder,
                             struct spoor_batch *batch);
void dialect_decode_by(const struct dialect *dialect, const struct decoder *decoder,
                       struct spoor_batch *batch, fast_way *way);
void dialect_decode(const struct dialect *dialect, const struct decoder *decoder,
                    struct spoor_batch *batch);
/* An account in place of records; but records, where the batch goes on with what the one before
 * has begun. */
void dialect_project(const struct dialect *dialect, const struct decoder *decoder,
                     struct spoor_batch *batch);
void dialect_write(const struct dialect *dialect, struct encoder *encoder,
                   const struct spoor_batch *batch, size_t from, size_t to, struct text *out);
/* A line that states no time has the time of the line before; a diagram without LD or ST goes on
 * with the one before. */
void dialect_resolve(struct carry *carry, struct spoor_batch *batch);

/* What the first lines of a trace look like to a dialect. */
struct dialect_sample {
    size_t lines;        /* that are not blank, comment or header */
    size_t typed;        /* of them: understood */
    size_t instructions; /* IT and IS */
    size_t plain_cpus;   /* instructions whose cpu is a bare number */
    size_t named_cpus;   /* records whose cpu is a name */
    size_t plain_modes;  /* instructions whose mode has no security */
    size_t a64;          /* instructions in the A64 set */
    size_t dotted;       /* registers with a range <high..low> */
    size_t letter_x;     /* accesses with the attribute that the dialects disagree on */
    size_t m_profile;    /* instructions in a mode of Arm's M profile, which Trace Matcher lacks */
};
bool dialect_sample(const struct dialect *dialect, const struct spoor_head *head,
                    struct dialect_sample *sample);
/* From the share of lines understood: 0 .. 97. */
int dialect_score(const struct dialect_sample *sample);
/* Which member of the family the lines are of, nearly all of which either could take. */
enum dialect_sign { SIGN_TARMAC, SIGN_NONE, SIGN_MATCHER };
enum dialect_sign dialect_sign(const struct dialect_sample *tarmac,
                               const struct dialect_sample *matcher);

/* ---- the rules, one file a group ---- */
rule_read insn_line_read, flow_line_read, reg_line_read, mem_line_read, atomic_line_read,
    bus_line_read, cache_line_read, maintenance_line_read, walk_line_read, tlb_line_read,
    event_line_read, remark_line_read, es_insn_line_read, rtl_insn_line_read, bare_insn_line_read,
    cs_insn_line_read, branch_line_read, diagram_line_read, continued_line_read, cycle_line_read,
    bus_cycle_line_read, cs_mem_line_read, es_exception_line_read, exception_line_read;
rule_write insn_line_write, flow_line_write, reg_line_write, mem_line_write, bus_line_write,
    bus_cycle_line_write, branch_line_write, diagram_line_write, exception_line_write,
    maintenance_line_write, cache_line_write, walk_line_write, tlb_line_write, event_line_write;

#endif
