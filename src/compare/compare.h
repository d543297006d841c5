/* SPDX-License-Identifier: MIT */
/*
 * compare.h: what the parts of a comparison share.
 *
 *   diff.c    reads both traces, hands units to the lane of their processor
 *   cpu_pair.c    compares the two queues of one processor, in order or within a window
 *   align.c   finds where queues that part meet again; script.c, wavefront.c, anchors.c: how two
 *             sequences of instructions correspond; place.c: where a gap stands
 *   omission.c  a side that leaves instructions out
 *   match.c   compares two units under tolerances; class.c names a difference
 *   roots.c   follows wrong values: roots, consequences, volatile sources
 *   rule.c    masks, volatile sources, waivers
 *   report.c  keeps differences for the report and fills the result tree
 *
 * Side 0 is left, the reference; side 1 is right.
 */
#ifndef SPOOR_COMPARE_COMPARE_H
#define SPOOR_COMPARE_COMPARE_H

#include "compare/omission.h"
#include "compare/operands.h"
#include "compare/script.h"
#include "compare/taint.h"
#include "instructions/build.h"
#include "spoor/diff.h"

/* ---- two units ---- */

/* One thing in which two units differ.  An effect of -1: the side has none. */
struct difference {
    uint8_t class; /* enum spoor_diff_class */
    int16_t effects[2];
};
enum { MAX_DIFFERENCES = 16, MAX_RULE_USES = 16 };
struct rule;
struct comparison {
    unsigned count; /* of differences; more than MAX_DIFFERENCES are counted, not listed */
    struct difference items[MAX_DIFFERENCES];
    uint8_t tolerated[SPOOR_TOLERANCES]; /* how often each tolerance was needed */
    struct rule *rules[MAX_RULE_USES];   /* masks that were needed */
    unsigned rule_count;
};

/* ---- rules ---- */

enum rule_kind { RULE_IGNORE, RULE_MASK, RULE_VOLATILE_REGISTER, RULE_VOLATILE_MEMORY, RULE_WAIVE };
enum waiver_has {
    WAIVER_CLASS = 1 << 0,
    WAIVER_PC = 1 << 1,
    WAIVER_REGISTER = 1 << 2,
    WAIVER_MEMORY = 1 << 3,
    WAIVER_MNEMONIC = 1 << 4,
    WAIVER_RECORD = 1 << 5,
};
struct rule {
    enum rule_kind kind;
    char *text; /* as given; owned */
    uint64_t uses;
    spoor_name name;   /* of the register */
    uint64_t mask;     /* MASK: bits that are compared */
    uint64_t first[3]; /* VOLATILE_MEMORY: [0]; WAIVE: pc, memory, record */
    uint64_t last[3];
    int csr;      /* VOLATILE_REGISTER: RISC-V number, or -1 */
    unsigned has; /* WAIVE: enum waiver_has */
    uint8_t class;
    char mnemonic[MAX_MNEMONIC];
};

/* ---- lanes ---- */

/* What is known of a register on both sides. */
struct register_state {
    uint64_t value[2];
    uint64_t record[2]; /* the unit that wrote it last: its first record */
    uint64_t line[2];
    uint64_t pair; /* number of that unit among those compared */
    uint8_t known; /* bit: side */
    uint8_t taint; /* enum taint */
};

struct cpu_pair {
    spoor_name cpu;
    struct unit_queue queues[2];
    struct register_state *registers; /* by name */
    size_t register_capacity;
    unsigned tainted_registers;
    struct taint_memory memory;
    uint64_t vectors[2][4]; /* where traps go */
    unsigned vector_count[2];
    bool branch_wrong;         /* the last branch depended on a wrong value */
    uint64_t pairs;            /* compared so far */
    uint64_t agreed;           /* left ordinal up to which the flow is known to agree */
    struct omission *omission; /* a side leaves instructions out; else NULL */
    uint64_t widened;          /* where a small window did not suffice: `agreed` at that time */
    struct script plan;        /* what is decided: gaps and pairs from the heads on */
    size_t planned;            /* edits of it that are begun */
    uint64_t plan_end;         /* the edit at hand ends before this pair */
    uint64_t trusted;          /* up to this pair, units are paired without a search */
    uint64_t trust;            /* for how many pairs the next time */
    bool lost;                 /* the sides parted for good: what follows is only counted */
    bool started[2];           /* the first instruction to compare was reached */
    uint64_t to_skip[2];
    uint64_t dropped[2];        /* units left behind when lost, or behind the other's end */
    size_t last_gap, last_kept; /* its last gap in the lists, from 1; 0: not listed */
};

/* ---- what is kept for the report ---- */

struct unit_copy {
    bool there;
    struct unit unit;
    struct effect *effects; /* unit.effect_count */
    char *text;
};
enum { CONTEXT = 4, MAX_WRITERS = 4 };
struct last_writer {
    spoor_name name;
    uint8_t known;
    uint64_t record[2], line[2], back; /* units since; of the left side */
};
struct writers {
    struct last_writer items[MAX_WRITERS];
    unsigned count;
};
struct retained_difference {
    bool gap;
    uint8_t cause; /* enum cause */
    uint8_t class;
    spoor_name cpu;
    uint64_t record[2], line[2]; /* where each side stands */
    struct unit_copy units[2];
    struct comparison comparison;
    uint64_t skipped[2];
    struct writers writers;
    struct unit_copy before[CONTEXT][2], after[CONTEXT][2]; /* of the first difference only */
};
enum cause { CAUSE_ROOT, CAUSE_CONSEQUENCE, CAUSE_VOLATILE, CAUSE_WAIVED, CAUSES };

struct mnemonic_count {
    char mnemonic[MAX_MNEMONIC];
    uint64_t roots, consequences;
};
enum { GAPS_KEPT = 10000, MAX_MNEMONICS = 512 };
struct retained_gap {
    uint64_t record[2], line[2], skipped[2];
    uint8_t class;
    bool consequence;
    spoor_name cpu;
};

struct diff_counts {
    uint64_t compared;   /* pairs of units */
    uint64_t mismatches; /* pairs that differ: roots and consequences */
    uint64_t causes[CAUSES];
    uint64_t gaps, gaps_accepted;
    uint64_t skipped[2];        /* units in gaps */
    uint64_t omitted[2];        /* units that this side leaves out of what the other has */
    uint64_t omitted_first[2];  /* of them before its first */
    uint64_t omitted_places[2]; /* in how many places */
    uint64_t reordered;         /* pairs that matched within the window */
    uint64_t by_class[SPOOR_DIFF_CLASSES];
    uint64_t tolerated[SPOOR_TOLERANCES];
    uint64_t not_compared[2]; /* units before the start */
};

struct spoor_diff {
    struct spoor_diff_options options;
    uint32_t tolerances; /* bit: enum spoor_tolerance */
    struct spoor_names *names;
    struct unit_builder builders[2];
    struct unit_scope scope;
    enum isa isa;
    struct operand_names operand_names;
    bool begun;
    bool ended[2];
    bool stop; /* the first difference was found and is enough */
    bool out_of_memory;
    bool hurry; /* a queue is long: decide with what is there */

    struct wavefront *wavefront; /* NULL: not needed yet */
    struct window {
        uint64_t *numbers;
        bool *writes;
        size_t capacity;
    } windows[2];

    struct cpu_pair **cpu_pairs;
    size_t cpu_pair_count, cpu_pair_capacity;
    struct rule *rules;
    size_t rule_count, rule_capacity;
    unsigned waivers, masks, volatiles; /* rules of these kinds */
    struct cpu_names {
        spoor_name left, right;
    } * cpus;
    size_t cpu_count, cpu_capacity;

    struct diff_faults {
        uint64_t count, hash; /* of the bytes that no record was made of, in order */
    } faults[2];
    bool doubted; /* a side could not be read to its end */

    struct diff_counts counts;
    struct retained_difference *retained;
    size_t retained_count, retained_capacity;
    struct retained_gap *gaps;
    size_t gap_count, gap_capacity;
    struct mnemonic_count *mnemonics;
    size_t mnemonic_count, mnemonic_capacity;
    char paths[2][256];
    const struct spoor_format *formats[2];
};

static inline bool tolerates(const struct spoor_diff *diff, enum spoor_tolerance tolerance)
{
    return diff->tolerances >> tolerance & 1;
}

/* ---- match.c ---- */
/* Compare the two units; every difference that no tolerance or mask accepts is in `result`. */
void units_compare(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                   const struct unit *left, const struct unit *right, struct comparison *result);

/* ---- class.c ---- */
/* What kind of wrong value it is. */
enum spoor_diff_class value_class(uint64_t left, uint64_t right);

/* ---- cpu_pair.c ---- */
/* Compare what both queues hold.  Gives the sides (bit 0 left, bit 1 right) of which more units are
 * needed to go on; 0: nothing more to do. */
unsigned cpu_pair_advance(struct spoor_diff *diff, struct cpu_pair *cpu_pair);
struct cpu_pair *cpu_pair_new(spoor_name cpu);
void cpu_pair_free(struct cpu_pair *cpu_pair);
/* The units at the heads are a pair: go on after them. */
void cpu_pair_step(struct spoor_diff *diff, struct cpu_pair *cpu_pair);
/* Take the units at the heads as a pair and go on after them. */
void cpu_pair_match(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                    const struct comparison *comparison);
/* Take units of one or both sides as a gap. */
void cpu_pair_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t left,
                  uint64_t right);
/* One side leaves out units that the other has at its head. */
void cpu_pair_omit(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t left,
                   uint64_t right);
static inline const struct unit *unit_ahead(const struct cpu_pair *cpu_pair, unsigned side,
                                            uint64_t distance)
{
    return unit_at(&cpu_pair->queues[side], cpu_pair->queues[side].head + distance);
}
/* Whether two units are the same instruction, whatever their effects. */
static inline bool same_flow(const struct unit *left, const struct unit *right)
{
    return left->flow == right->flow;
}
/* Whether the units could be one instruction of which something went wrong. */
bool units_similar(const struct unit *left, const struct unit *right);

/* ---- align.c ---- */
/* The heads differ: take them as a pair, or decide on a plan for what follows.  Gives the sides of
 * which more units are needed first, as cpu_pair_advance() does. */
unsigned cpu_pair_align(struct spoor_diff *diff, struct cpu_pair *cpu_pair);

/* ---- place.c ---- */
/* Put each gap of a script, which begins at the heads, where the fewest values differ; of such
 * places, in the last. */
void place_gaps(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, struct script *script);

/* ---- roots.c ---- */
/* Why the pair at the heads differs, and what becomes of the registers and memory it writes. */
enum cause roots_of(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                    const struct comparison *comparison);
/* The pair at the heads is equal, or accepted as such (comparison, else NULL): registers have new
 * writers. */
void roots_agree(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                 const struct comparison *comparison);
/* Units of one side are skipped: what they wrote is known of that side only. */
void roots_skip(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                uint64_t ordinal);
/* Units from the heads on are skipped as a gap: what differs after it in what they wrote is a
 * consequence of the gap. */
void roots_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const uint64_t skipped[2]);
/* Whether the unit lies in a trap handler that its lane has heard of. */
bool roots_is_trap(const struct cpu_pair *cpu_pair, unsigned side, const struct unit *unit);
/* The state of a register; NULL if memory runs out. */
struct register_state *cpu_pair_register(struct cpu_pair *cpu_pair, spoor_name name);

/* ---- rule.c ---- */
bool rule_masks(struct spoor_diff *diff, spoor_name name, uint64_t *mask, struct rule **rule);
struct rule *rule_volatile_register(struct spoor_diff *diff, spoor_name name, int csr);
struct rule *rule_volatile_memory(struct spoor_diff *diff, uint64_t address);
/* The waiver that accepts a pair with these differences, or a gap (right may be NULL). */
struct rule *rule_waives(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, uint8_t class,
                         const struct unit *left, const struct unit *right,
                         const struct comparison *comparison);
void rules_free(struct spoor_diff *diff);

/* ---- retained.c ---- */
/* Who last wrote the registers that the pair at the heads reads and gets wrong: to be asked before
 * its own writes count. */
void retain_writers(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                    const struct comparison *comparison, struct writers *writers);
void retain_pair(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                 const struct comparison *comparison, const struct writers *writers,
                 enum cause cause);
void retain_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const uint64_t skipped[2],
                uint8_t class, bool consequence, bool accepted);
void retained_free(struct spoor_diff *diff);

#endif
