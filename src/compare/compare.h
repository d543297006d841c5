/* SPDX-License-Identifier: MIT */
/*
 * compare.h: the types and functions that the parts of a comparison share.
 *
 *   diff.c      reads both traces and passes units to the cpu pair of their processor
 *   advance.c   compares the two queues of one processor, in order or within a window
 *   cpu_pair.c  counts pairs, gaps and omissions
 *   align.c     finds where two diverged queues converge again
 *   script.c, wavefront.c, anchors.c, split.c  find how two sequences of instructions correspond
 *   place.c     chooses the place of a gap
 *   omission.c  finds a side that omits instructions, and pairs those that it has
 *   moved.c     finds instructions that both sides have at different places
 *   handler.c   follows what the handler of a moved interrupt finds
 *   match.c     compares two units under tolerances; class.c names a difference
 *   operands.c  finds what an instruction reads; vector.c: elements of vector registers
 *   roots.c     follows wrong values: roots, consequences, volatile sources
 *   taint.c     what is known of registers, and which memory is wrong
 *   rule.c      masks, volatile sources, waivers
 *   retained.c  retains differences for the report
 *   report.c    fills the result tree; beside.c: both sides of a difference next to each other
 *   describe.c  writes differences as text, and hands them out one by one
 *
 * A *unit* is an instruction with its effects (instructions/build.h).  Side 0 is left, the
 * reference; side 1 is right.  A *cpu pair* holds one processor's units of both sides; its *heads*
 * are the first units of both queues that are not compared yet.
 */
#ifndef SPOOR_COMPARE_COMPARE_H
#define SPOOR_COMPARE_COMPARE_H

#include "base/hash.h"
#include "base/hash_map.h"
#include "compare/script.h"
#include "formats/time_unit.h"
#include "instructions/unit_builder.h"
#include "isa/operands.h"
#include "spoor/diff.h"

/*
 * ---- operands ----
 *
 * The operands that an instruction reads, from its opcode by table or from its
 * disassembly.
 *
 * They suffice to find where a wrong value came from: the source registers, whether memory or a
 * control register was a source, and, where a log prints no memory, how the address is computed.
 */

enum { MAX_READS = MAX_ISA_OPERANDS, MAX_CHANGES = 8 };
struct operands {
    const char *name; /* mnemonic or class of encoding; NULL: unknown */
    spoor_name reads[MAX_READS];
    unsigned read_count;
    unsigned kept_count; /* number of the last reads of which it keeps elements: see isa_operands */
    spoor_name changes[MAX_CHANGES]; /* control registers of RISC-V that it changes unnamed */
    unsigned change_count;
    bool is_vector;    /* RISC-V: how many registers and accesses it has depends on vl and vtype */
    bool masked;       /* it does not write all elements, */
    bool writes_first; /* or element 0 alone */
    unsigned element;  /* bytes of an element of the vectors that it writes; 0: unknown */
    unsigned data_begin, data_end; /* the reads that are the data of a store, not its address */
    spoor_name base;               /* base register of the address, or none */
    int64_t offset;                /* added to the base */
    unsigned size;                 /* bytes of the access; 0: unknown */
    int csr;          /* RISC-V: number of the control register that it reads, -1: none */
    bool load, store; /* accesses memory at base + offset, where base is a name */
    bool branch;      /* the next instruction may not follow it in memory */
    bool system;      /* reads a system register */
};

/* Names of registers in the interned table, by number. */
struct operand_names {
    spoor_name integer[32];                             /* AArch64: [31] is sp */
    spoor_name vector[32];                              /* RISC-V: f0-f31; AArch64: v0-v31 */
    spoor_name riscv[ISA_REGISTERS - ISA_RISCV_VECTOR]; /* v0-v31, and control registers */
    spoor_name flags;                                   /* cpsr */
    spoor_name stack[4];                                /* AArch64: sp_el0 .. sp_el3 */
};
void operand_names_start(struct operand_names *operands, struct spoor_names *names, enum isa isa);

/* Finds the operands that `unit` reads; `text` is its disassembly, `vtype` what RISC-V's vtype is,
 * or NULL.  For an instruction that no table lists, the disassembly decides; without a disassembly
 * it reads nothing. */
void operands_of(const struct unit *unit, const char *text, enum isa isa, struct spoor_names *names,
                 const struct operand_names *registers, const struct isa_vtype *vtype,
                 struct operands *operands);

/* Whether the opcode of a unit writes a register, given by its one name. */
enum operand_written { WRITTEN_UNKNOWN, WRITTEN_BY_OPCODE, NOT_WRITTEN };
enum operand_written operand_written(const struct unit *unit, enum isa isa,
                                     const struct isa_vtype *vtype, const char *name);

/* True if the unit returns from an exception. */
bool unit_returns(enum isa isa, const struct unit *unit);

/* The mnemonic for reports, in lower case: the disassembly's first word, else the table's name,
 * else "unknown". */
enum { MAX_MNEMONIC = 24 };
void mnemonic_of(const struct unit *unit, const char *text, enum isa isa,
                 char mnemonic[MAX_MNEMONIC]);

/* ---- bytes of memory that hold a wrong or a volatile value ---- */

/* What is known of a value: its taint.  From TAINT_WRONG on it is wrong, and the taint names the
 * root that it came from: TAINT_WRONG + the index of that difference among the retained ones. */
enum { TAINT_NONE, TAINT_VOLATILE, TAINT_WRONG };
#define TAINT_UNTRACED UINT32_MAX /* wrong; its root is not retained */

static inline bool taint_is_wrong(uint32_t taint)
{
    return taint >= TAINT_WRONG;
}

/* A wrong value is worse than a volatile one; of two roots, the first one counts. */
static inline uint32_t taint_worse(uint32_t a, uint32_t b)
{
    const uint32_t lower = a < b ? a : b, higher = a < b ? b : a;
    return taint_is_wrong(lower) ? lower : higher;
}

/* An 8-byte word that has tainted bytes. */
struct taint_word {
    uint64_t word; /* address / 8 */
    uint32_t bytes[8];
};
struct taint_memory {
    struct hash_map words; /* of struct taint_word */
    uint64_t forgotten;    /* words beyond the maximum */
};

/* The maximum of words: 40 bytes each. */
enum { MAX_TAINT_WORDS = 1 << 20 };

void taint_set(struct taint_memory *memory, uint64_t address, unsigned size, uint32_t taint);
/* Returns the worst taint among the bytes. */
uint32_t taint_get(const struct taint_memory *memory, uint64_t address, unsigned size);

/*
 * ---- a side that omits instructions ----
 *
 * A side that omits instructions: a CSV without instructions that write
 * nothing, a sampled or a filtered log.
 *
 * Such a side is a subsequence of the other.  Holes show that it is: a hole is an instruction
 * followed by one that never follows it on the other side.  From then on, the number of times that
 * each instruction is omitted decides how instructions are paired: an instruction that is never
 * omitted is not skipped, and skipping one that is always omitted costs nothing.  What a side omits
 * is no difference only where it is known to be incomplete; else each omission is a gap.
 */

struct omission;

/* What a side may omit.  Its format, its own text or the user says so, never what is missing. */
enum omits {
    OMITS_NOTHING, /* what it omits are gaps */
    OMITS_SILENT,  /* instructions that write no register */
    OMITS_ANY,
    OMITS_DECLARED, /* any, and the other side's gaps are omissions */
};

/* Returns the side that omits instructions of the other, whether it may or not; -1 if neither does.
 */
int omission_side(const struct symbols sides[2], bool *out_of_memory);
/* Returns what the beginnings of `sides` show of the omissions of `side`; NULL if memory runs out.
 */
struct omission *omission_new(unsigned side, const struct symbols sides[2], enum omits omits);
void omission_free(struct omission *omission);

unsigned omission_of(const struct omission *omission);
/* Returns the number of instructions of each side that omission_align() should have at hand. */
uint32_t omission_wants(const struct omission *omission);

enum omission_end { OMISSION_NO_MEMORY, OMISSION_FOUND, OMISSION_NONE };
/* Makes a script for the next instructions of the side.  NONE: they are not a subsequence. `begun`:
 * instructions before them were paired; else a side that may omit any begins where it begins. */
enum omission_end omission_align(struct omission *omission, const struct symbols sides[2],
                                 bool begun, struct script *script);
/* True if the side may omit an instruction, as its omissions so far show. */
bool omission_explains(const struct omission *omission, uint64_t flow);
/* True if `count` instructions after its last are no more than it omits between any two. */
bool omission_explains_tail(const struct omission *omission, uint64_t count);

/* ---- two units ---- */

/* The value of a register as one number: equal if it is. */
static inline uint64_t effect_value(const struct effect *effect)
{
    return effect->value[1] ? hash_mix(effect->value[0], effect->value[1]) : effect->value[0];
}

/* Whether vtype lets the elements that differ have any value: they lie after vl, or the instruction
 * has a mask, which may not have them. */
enum agnostic { AGNOSTIC_NONE, AGNOSTIC_TAIL, AGNOSTIC_MASK };

/* One thing in which two units differ.  An effect of -1 means that the side has none. */
struct difference {
    uint8_t class; /* enum spoor_diff_class */
    int16_t effects[2];
    /* of a vector register whose elements are known */
    uint8_t element;      /* bytes of one; 0: it is no such register */
    uint16_t first, last; /* elements that differ, */
    uint16_t elements;    /* and how many do */
    uint8_t agnostic;     /* enum agnostic */
    uint64_t values[2];   /* of the first of them */
};
enum { MAX_DIFFERENCES = SPOOR_DIFF_FIELDS, MAX_RULE_USES = 16 };
struct rule;
struct comparison {
    unsigned
        count; /* number of differences; the ones after MAX_DIFFERENCES are counted, not listed */
    struct difference items[MAX_DIFFERENCES];
    uint8_t tolerated[SPOOR_TOLERANCES]; /* number of times that each tolerance was needed */
    uint8_t unstated[2][UNIT_PARTS]; /* CSRs and vectors where this side has stated none so far */
    uint8_t unnamed_results[2];  /* results whose register neither this side nor an opcode states */
    uint8_t unstated_further[2]; /* effects of the other side beyond the one that this format has */
    struct rule *rules[MAX_RULE_USES]; /* masks that were needed */
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
/* The registers of a rule that names several: the CSRs of RISC-V, those of floating point, or those
 * that match a pattern with * and ?. */
enum rule_group { GROUP_NONE, GROUP_CSR, GROUP_FCSR, GROUP_PATTERN };
struct rule {
    enum rule_kind kind;
    enum rule_group group;
    char *text; /* as the user wrote it; owned */
    uint64_t uses;
    spoor_name name;   /* name of the register */
    uint64_t mask;     /* MASK: the bits that are compared */
    uint64_t first[3]; /* VOLATILE_MEMORY: [0]; WAIVE: pc, memory, record */
    uint64_t last[3];
    int csr;      /* VOLATILE_REGISTER: number of the RISC-V control register, or -1 */
    unsigned has; /* WAIVE: enum waiver_has */
    uint8_t class;
    char mnemonic[MAX_MNEMONIC];
};

/* ---- cpu pairs ---- */

/* What the name of a register says. */
enum register_is {
    REGISTER_ASKED = 1,
    REGISTER_CONTROL = 2,     /* a control register of RISC-V */
    REGISTER_TRAP_VECTOR = 4, /* holds the address of trap handlers */
};

/* The state of a register on both sides. */
struct register_state {
    uint64_t value[2];
    uint64_t record[2]; /* first record of the unit that wrote it last */
    uint64_t line[2];
    uint64_t pair; /* number of that pair of units */
    uint32_t taint;
    uint32_t taint_before; /* the one before a moved handler, until it returns */
    uint8_t known;         /* bit N: side N's value is known */
    uint8_t is;            /* enum register_is, once it was asked for */
};

struct cpu_pair {
    spoor_name cpu;
    struct unit_queue queues[2];
    struct register_state *registers; /* indexed by name */
    size_t register_capacity;
    unsigned tainted_registers;
    struct taint_memory memory;
    uint64_t vectors[2][4]; /* addresses of trap vectors */
    unsigned vector_count[2];
    uint64_t handler_end;  /* a moved handler returns before this pair; 0: there is none */
    uint32_t handler_over; /* so many instructions of this side, the later one, follow it: it */
    uint8_t handler_side;  /* moved over them */
    struct handler_store {
        uint64_t address, value;
        unsigned size;       /* bytes; 0: none */
    } handler_stores[2][32]; /* of each side in the handler, the last ones */
    unsigned handler_store_count[2];
    uint32_t branch;           /* the taint of what the last branch depended on, if it is wrong */
    uint64_t pairs;            /* pairs compared so far */
    uint64_t agreed;           /* the flow is known to agree up to this ordinal of the left side */
    struct omission *omission; /* what a side that omits instructions omits; NULL if neither does */
    uint64_t widened;          /* `agreed` when a small window last did not suffice */
    struct script plan;        /* the decided gaps and pairs, from the heads on */
    size_t planned;            /* number of its edits that have begun */
    uint64_t plan_end;         /* the current edit ends before this pair */
    uint64_t trusted;          /* units are paired without a search up to this pair */
    uint64_t trust;            /* number of pairs to trust the next time */
    bool lost;                 /* the sides diverged for good: later units are only counted */
    bool started[2];           /* the first instruction to compare was reached */
    uint64_t to_skip[2];
    struct wrong_store {
        uint64_t pair; /* its number, from 1; 0: none */
        uint64_t address[2], data[2];
        size_t retained; /* its index, from 1; 0: not retained */
        uint8_t class;
    } wrong_store;                  /* the last store with another address or data */
    uint64_t dropped[2];            /* units dropped when lost, or after the other side's end */
    size_t last_gap, last_retained; /* index of the last gap in each list, from 1; 0: not listed */
};

/* ---- what the report needs ---- */

struct unit_copy {
    bool there;
    struct unit unit;
    struct effect *effects; /* unit.effect_count items */
    char *text;
    uint8_t *wide; /* bytes of registers over 16 bytes, from the effect's `physical` on */
};
enum { CONTEXT = 4, MAX_WRITERS = 4 };
struct last_writer {
    spoor_name name;
    uint8_t known;
    uint64_t record[2], line[2], back; /* back: number of units since then, on the left side */
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
    size_t root;                 /* of a consequence: 1 + the index of its root; 0: not retained */
    uint64_t consequences;       /* of a root, retained or not */
    uint64_t record[2], line[2]; /* the position of each side */
    struct unit_copy units[2];
    struct comparison comparison;
    uint64_t skipped[2];
    struct move move; /* count 0: none */
    struct writers writers;
    struct unit_copy before[CONTEXT][2],
        after[CONTEXT][2]; /* filled for the first difference only */
};
enum cause { CAUSE_ROOT, CAUSE_CONSEQUENCE, CAUSE_VOLATILE, CAUSE_WAIVED, CAUSES };

struct mnemonic_count {
    char mnemonic[MAX_MNEMONIC];
    uint64_t roots, consequences;
};
enum { MAX_GAPS = 10000, MAX_MNEMONICS = 512 };
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
    uint64_t omitted[2];        /* units of the other side that this side omits */
    uint64_t omitted_first[2];  /* those of them before this side's first unit */
    uint64_t omitted_places[2]; /* number of places where it omits units */
    uint64_t reordered;         /* pairs that matched out of order within the window */
    uint64_t moves[2];          /* instructions in another order; interrupts at another place */
    uint64_t least_moved[2], most_moved[2]; /* instructions that they moved over */
    uint8_t moved_sides;                    /* bit N: side N takes an interrupt later */
    uint64_t by_class[SPOOR_DIFF_CLASSES];
    uint64_t tolerated[SPOOR_TOLERANCES];
    uint64_t not_compared[2];         /* units before the start */
    uint64_t unstated[2][UNIT_PARTS]; /* as in struct comparison: writes of the other side */
    uint64_t unnamed_results[2];      /* as in struct comparison */
    uint64_t unstated_first[2];       /* registers that the other side states before its first
                                       * instruction, where this side's format cannot */
    uint64_t unstated_further[2];     /* as in struct comparison */
};

/* What the omitted units of one address did: counted by the first of these that is true. */
enum omitted_kind { OMITTED_STORE, OMITTED_LOAD, OMITTED_REGISTER, OMITTED_OTHER, OMITTED_KINDS };
struct omitted_place {
    uint64_t pc, count;
    uint8_t kind; /* enum omitted_kind, of the first */
};

/* Why two traces, or parts of them, cannot have a pair in common. */
enum diff_obstacle {
    OBSTACLE_NONE,
    OBSTACLE_ISA,    /* they are of different instruction sets */
    OBSTACLE_MATTER, /* they state different things: see enum diff_matter */
};
/* What the traces of a format state. */
enum diff_matter { MATTER_INSTRUCTIONS, MATTER_BRANCHES, MATTER_ACCESSES, MATTER_BUS };

struct spoor_diff {
    struct spoor_diff_options options;
    uint32_t tolerances; /* bit N: enum spoor_tolerance N */
    struct spoor_names *names;
    struct unit_builder builders[2];
    struct unit_scope scope;
    enum isa isa;     /* that both sides are read with */
    enum isa isas[2]; /* that each side states at its beginning */
    enum diff_matter matters[2];
    struct operand_names operand_names;
    bool begun;
    uint32_t unstated[2]; /* what is not compared because this side's beginning states none: bit N:
                           * enum unit_part N */
    bool ended[2];
    bool stop; /* the first difference was found and no more are needed */
    bool out_of_memory;
    bool hurry; /* a queue is long: decide with the units at hand */

    struct wavefront *wavefront; /* made when first needed */
    enum omits omits[2];         /* what each side may omit */
    struct window {
        uint64_t *numbers;
        bool *writes;
        size_t capacity;
    } windows[2];

    struct cpu_pair **cpu_pairs;
    size_t cpu_pair_count, cpu_pair_capacity;
    struct rule *rules;
    size_t rule_count, rule_capacity;
    unsigned waivers, masks, volatiles; /* number of rules of these kinds */
    struct cpu_names {
        spoor_name left, right;
    } * cpus;
    size_t cpu_count, cpu_capacity;
    bool cpus_named;           /* by rules: only these are compared */
    struct cpu_pair *unnamed;  /* the others */
    uint64_t unnamed_units[2]; /* of them */

    struct diff_faults {
        uint64_t count, hash; /* of the bytes that no record was made of, in order */
    } faults[2];
    bool doubted; /* a side could not be read to its end */

    struct diff_counts counts;
    struct retained_difference *retained;
    size_t retained_count, retained_capacity;
    size_t retained_causes[2]; /* roots, and consequences, among them */
    uint64_t unretained;       /* the others, and the first records that one of them has: */
    uint64_t unretained_first[2];
    struct hash_map omitted[2]; /* struct omitted_place: what each side omits, by address */
    uint64_t omitted_kinds[2][OMITTED_KINDS];
    struct retained_gap *gaps;
    size_t gap_count, gap_capacity;
    struct mnemonic_count *mnemonics;
    size_t mnemonic_count, mnemonic_capacity;
    char paths[2][256];
    const struct spoor_format *formats[2];
    char time_units[2][TIME_UNIT_SIZE]; /* if times are compared */
};

/* True for what both sides state: see struct unit_scope. */
bool effect_is_compared(const struct unit_scope *scope, const struct effect *effect);

/* True if the sides state different instruction sets. */
static inline bool isas_differ(const struct spoor_diff *diff)
{
    return diff->isas[0] != ISA_UNKNOWN && diff->isas[1] != ISA_UNKNOWN &&
           diff->isas[0] != diff->isas[1];
}

static inline bool tolerates(const struct spoor_diff *diff, enum spoor_tolerance tolerance)
{
    return diff->tolerances >> tolerance & 1;
}

/* ---- diff.c ---- */
/* Why the traces, or parts of them, have no pair in common. */
enum diff_obstacle diff_obstacle(const struct spoor_diff *diff);
/* True if a part that both sides may state is compared. */
bool diff_compares(const struct spoor_diff *diff, enum unit_part part);
/* True if a part is not compared because this side never states it, though the other one does. */
bool diff_never_states(const struct spoor_diff *diff, unsigned side, enum unit_part part);

/* ---- match.c ---- */
/* True for a control register of RISC-V. */
bool is_control_register(const struct spoor_diff *diff, spoor_name name);
/* Compares the two units; `result` lists every difference that no tolerance or mask accepts. */
void units_compare(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                   const struct unit *left, const struct unit *right, struct comparison *result);

/* ---- vector.c ---- */
/* What RISC-V's vtype is at a unit of this side, as far as the trace states it. */
struct isa_vtype vector_type(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                             unsigned side);
/* Records vtype and vl as vsetvli, vsetivli or vsetvl of RISC-V sets them, which the log may not
 * print. */
void vector_note_settings(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                          const struct unit *unit);
/* Finds which elements differ of a register that both units write. */
void vector_find_elements(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                          const struct unit *const units[2], struct difference *difference);
/* True if elements differ that the instruction may have kept, or if that is not known. */
bool vector_keeps_difference(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                             const struct unit *const units[2], const struct operands *operands,
                             const struct comparison *comparison);

/* ---- class.c ---- */
/* Returns the class of a wrong value. */
enum spoor_diff_class value_class(uint64_t left, uint64_t right);

/* ---- cpu_pair.c ---- */
/* Compares the units in both queues.  Returns the sides (bit 0 left, bit 1 right) from which more
 * units are needed to continue; 0 if there is nothing more to do. */
unsigned cpu_pair_advance(struct spoor_diff *diff, struct cpu_pair *cpu_pair);
struct cpu_pair *cpu_pair_new(spoor_name cpu);
void cpu_pair_free(struct cpu_pair *cpu_pair);
/* The units at the heads are a pair: go on after them. */
void cpu_pair_step(struct spoor_diff *diff, struct cpu_pair *cpu_pair);
/* Counts the units at the heads as a pair and moves to the next units. */
void cpu_pair_match(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                    const struct comparison *comparison);
/* Counts units of one or both sides as a gap. */
void cpu_pair_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t left,
                  uint64_t right);
/* Skips units that one side has at its head and the other side omits. */
void cpu_pair_omit(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t left,
                   uint64_t right);
static inline const struct unit *unit_ahead(const struct cpu_pair *cpu_pair, unsigned side,
                                            uint64_t distance)
{
    return unit_at(&cpu_pair->queues[side], cpu_pair->queues[side].head + distance);
}
/* The effect of the left side in which two units differ, or that of the right side; NULL: they
 * differ in the instruction itself, or the unit is not there. */
static inline const struct effect *differing_effect(const struct cpu_pair *cpu_pair,
                                                    const struct unit *const units[2],
                                                    const struct difference *item)
{
    const unsigned side = item->effects[0] >= 0 ? 0 : 1;
    if (!units[side] || item->effects[side] < 0) return NULL;
    return &unit_effects(&cpu_pair->queues[side], units[side])[item->effects[side]];
}
/* True if two units are the same instruction; their effects are not compared. */
static inline bool same_flow(const struct unit *left, const struct unit *right)
{
    return left->flow == right->flow;
}
/* True if the units could be one instruction with a wrong opcode or address. */
bool units_similar(const struct unit *left, const struct unit *right);

/* ---- align.c ---- */
/* Called where the heads differ: pairs them, or plans how to continue.  Returns the sides from
 * which more units are needed first, as cpu_pair_advance() does. */
unsigned cpu_pair_align(struct spoor_diff *diff, struct cpu_pair *cpu_pair);

/* ---- place.c ---- */
/* Moves each gap of a script, which begins at the heads, to where the fewest values differ; among
 * such places, to the last. */
void place_gaps(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, struct script *script);

/* ---- moved.c ---- */
/* Replaces gaps of a script, which begins at the heads, by moves, where both sides have the same
 * instructions at different places.  False if memory runs out. */
bool find_moves(struct spoor_diff *diff, struct cpu_pair *cpu_pair, struct script *script);
/* Counts a move, and moves the instructions to the head of their side. */
void cpu_pair_move(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const struct move *move);

/* ---- roots.c ---- */
/* Returns why the pair at the heads differs, and sets the taint of the registers and memory that it
 * writes to that of the wrong values: *taint, which names its root.  A root is retained next. */
enum cause roots_of(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                    const struct comparison *comparison, uint32_t *taint);
/* Records that the registers have new writers, where the pair at the heads is equal (comparison is
 * NULL) or was accepted. */
void roots_agree(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                 const struct comparison *comparison);
/* Records what a unit of one side writes; where it is skipped, these values are known on that side
 * only. */
void roots_write_side(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                      uint64_t ordinal);
/* Records that units from the heads on are skipped as a gap: differences after it, in what they
 * wrote, are consequences of the gap, or of its root, which `taint` names. */
void roots_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const uint64_t skipped[2],
               uint32_t taint);

/* ---- taint.c ---- */
/* Returns the state of a register; NULL if memory runs out. */
struct register_state *cpu_pair_register(struct cpu_pair *cpu_pair, spoor_name name);
/* Returns a set of enum register_is; diff->out_of_memory if memory runs out. */
unsigned cpu_pair_register_is(struct spoor_diff *diff, struct cpu_pair *cpu_pair, spoor_name name);
void register_taint(struct cpu_pair *cpu_pair, struct register_state *state, uint32_t taint);
/* Records that a register may have different values on both sides, until it is written again;
 * `written`: it was written now, and a wrong value before does not matter.  Returns its state; NULL
 * if memory runs out. */
struct register_state *register_expect(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                       spoor_name name, bool written);
/* True if the unit lies in a trap handler whose vector the cpu pair has seen. */
bool cpu_pair_is_trap(const struct cpu_pair *cpu_pair, unsigned side, const struct unit *unit);

/* ---- handler.c ---- */
/* The handler of an interrupt begins, which one side takes later; its units are not moved yet.
 * Until it returns, what it finds may differ. */
void handler_enter(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const struct move *move);
/* Records what a pair of such a handler stores. */
void handler_add_stores(struct cpu_pair *cpu_pair, const struct unit *const units[2]);
/* True if the pair at the heads is in such a handler and copies a register, or what the handler
 * stored, that has another value on one side than the copy; `csr` is the control register that it
 * accesses. */
bool handler_contradicts(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                         const struct unit *const units[2], const struct comparison *comparison,
                         const struct operands *operands, spoor_name csr);

/* ---- rule.c ---- */
bool rule_masks(struct spoor_diff *diff, spoor_name name, uint64_t *mask, struct rule **rule);
struct rule *rule_volatile_register(struct spoor_diff *diff, spoor_name name, int csr);
struct rule *rule_volatile_memory(struct spoor_diff *diff, uint64_t address);
/* Returns the waiver that accepts a pair with these differences, or a gap (right may be NULL); NULL
 * if none does. */
struct rule *rule_waives(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, uint8_t class,
                         const struct unit *left, const struct unit *right,
                         const struct comparison *comparison);
void rules_free(struct spoor_diff *diff);

/* ---- retained.c ---- */
/* Finds the last writers of the registers that the pair at the heads reads and gets wrong.  Call it
 * before the pair's own writes are recorded. */
void retain_writers(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                    const struct comparison *comparison, struct writers *writers);
/* The taint of the values of a root that is retained next. */
uint32_t retained_taint(const struct spoor_diff *diff);
/* `taint` names the root of a consequence. */
void retain_pair(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                 const struct comparison *comparison, const struct writers *writers,
                 enum cause cause, uint32_t taint);
/* `taint` is that of the branch before the gap: if it is wrong, the gap is a consequence.  Returns
 * the taint of what depends on the gap. */
uint32_t retain_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const uint64_t skipped[2],
                    uint8_t class, uint32_t taint, bool accepted);
/* Counts instructions that stand at different places; the heads are the earlier place. */
void retain_move(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const struct move *move);
void retained_free(struct spoor_diff *diff);

#endif
