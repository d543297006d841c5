/* SPDX-License-Identifier: MIT */
/*
 * dialect.h: the definition of one member of the Tarmac family.
 *
 * A dialect is data: its rules, each identified by the leading word of a record, and its preferred
 * spelling for records that have none of their own.  A rule reads the text after its word into a
 * record; the writer of the same kind, in the same file, is its inverse.
 */
#ifndef SPOOR_FORMATS_TARMAC_DIALECT_H
#define SPOOR_FORMATS_TARMAC_DIALECT_H

#include "formats/text/text.h"

struct tarmac_reader;
struct tarmac_writer;

/* Reads the rest of a line; false with the position and the expectation in the reader. */
typedef bool rule_read(struct tarmac_reader *reader);
/* Writes the record from its leading word on; false if the dialect cannot express it. */
typedef bool rule_write(struct tarmac_writer *writer);

struct rule {
    const char *word; /* leading word of the record: "IT" */
    const char *name; /* name of the rule in a fault: "tarmac-it" */
    rule_read *read;
    uint8_t kind, op; /* enum spoor_kind and its operation, set before the rule is called */
    bool sized;       /* the word continues with a size: MR4, BW8... */
    uint8_t producer; /* enum producer: the only producer of such lines */
};

/* Producers of Tarmac, each with its own dialect.  spelling.c has the names. */
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
extern const char *const producer_names[]; /* without PRODUCER_ANY, NULL-terminated */
/* Returns the dialect of that name; PRODUCER_ANY for NULL and for an unknown name. */
enum producer producer_named(const char *name);
/* Returns the dialect of a spelling: a name, or NULL. */
const char *producer_of_spelling(const void *spelling, size_t size);
/* True if the RTL of a spelling prints effects before their instruction. */
bool producer_is_effects_first(const void *spelling, size_t size);
/* True if a line that only `line` writes may occur in a trace of `trace`: gem5 imitates Fast
 * Models. */
bool producer_fits(enum producer trace, enum producer line);

enum { TAG_TARMAC = 'T', TAG_MATCHER = 'M' };

/* A letter after the size of a memory access, and its meaning. */
struct access_letter {
    char letter;     /* 0 ends the list */
    uint8_t meaning; /* enum spoor_mem_attr */
};

struct dialect {
    const char *time_unit;         /* of the records of formats without one */
    const struct text_rules *text; /* its rules for formats/text/: tarmac_read_line()... */
    const char *line_rule;         /* names the fault of a line that no rule matches */
    uint8_t tag;                   /* distinguishes this dialect's spellings from others */
    const struct dialect *other;   /* Trace Matcher's for Tarmac, and the reverse */
    const struct rule
        *rules; /* of two rules with one word, the second is tried if the first fails */
    size_t rule_count;
    const struct rule *wordless; /* tried if no word leads; NULL: every line has a word */
    rule_write *write[SPOOR_KINDS];
    struct access_letter letters[4];
    /* canonical spelling: */
    uint8_t address_digits; /* of a virtual address, if it needs no more; maximum 16 */
    uint8_t data_group;     /* digits between the underscores of long data; 0: no underscores */
    bool data_upper;        /* memory data in upper case */
    bool physical;          /* addresses have a physical part and a security */
    bool annotations;       /* register values may be annotated */
    bool numbers_cpus;      /* a cpu is a decimal number and occurs only on instructions */
    bool stamps_all;        /* every line prints its time, also an inherited one */
    bool no_cpus;           /* lines name no cpu */
    bool names_sp_lr;       /* copies of AArch32's r13 and r14 are SP_SVC, LR_SVC: else r13_svc */
    void (*lay_out)(struct tarmac_writer *writer); /* a foreign record's spelling; NULL: plain */
};

extern const struct dialect dialect_tarmac, dialect_matcher;
extern const struct text_rules dialect_tarmac_text;
extern const struct spoor_format format_tarmac, format_tarmac_fm, format_tarmac_es, format_matcher;

/* The functions of a format whose variant is a dialect. */
void dialect_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                   struct text *out);
/* Resolves a batch: a line without a time has the time of the previous line; a diagram without LD
 * or ST continues the previous one. */
void dialect_resolve(struct carry *carry, struct spoor_batch *batch);

/* The probe of a format whose variant is a dialect that has another. */
int dialect_probe(const struct spoor_format *self, const struct spoor_head *head);

/* Members of text rules whose variant is a dialect. */
void dialect_begin(void *state, const struct text_rules *rules, const struct decoder *decoder);
void dialect_begin_batch(void *state, struct text_reader *text);
void dialect_passed(void *state);
const char *tarmac_read_line(struct text_reader *text, void *state, const char *at);

/* ---- the rules, one file for each group ---- */
rule_read insn_line_read, flow_line_read, reg_line_read, mem_line_read, atomic_line_read,
    bus_line_read, cache_line_read, maintenance_line_read, walk_line_read, tlb_line_read,
    event_line_read, remark_line_read, es_insn_line_read, rtl_insn_line_read, bare_insn_line_read,
    cs_insn_line_read, branch_line_read, diagram_line_read, continued_line_read, cycle_line_read,
    bus_cycle_line_read, cs_mem_line_read, es_exception_line_read, exception_line_read;
rule_write insn_line_write, flow_line_write, reg_line_write, mem_line_write, bus_line_write,
    bus_cycle_line_write, branch_line_write, diagram_line_write, exception_line_write,
    maintenance_line_write, cache_line_write, walk_line_write, tlb_line_write, event_line_write;

#endif
