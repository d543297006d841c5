/* SPDX-License-Identifier: MIT */
/* stats/mix.h: the parts of the mix: opcodes, registers, references. */
#ifndef SPOOR_STATS_MIX_H
#define SPOOR_STATS_MIX_H

#include "base/hash_map.h"
#include "isa/register.h"
#include "spoor/mix.h"
#include "spoor/view.h"

enum {
    MIX_SIZES = 17, /* instruction sizes 0 .. 15, and larger */
    MIX_UOPS = 33,  /* micro-ops of a macro-op 0 .. 31, and more */
    MIX_BITS = 67,  /* bits of a branch's distance */
    MIX_LOGS = 33,  /* classes of powers of two: 0, 1, 2-3, 4-7, ... */
    MIX_STEPS = 7,  /* strides: at most 0, 8, 64, 512, 4096, 32768 bytes, and more */
    MIX_NAMES = 1 << 16,
    MIX_REGISTERS = 256, /* by number, for micro-ops */
};
enum mix_class { MIX_LOAD, MIX_STORE, MIX_UNCONDITIONAL, MIX_CONDITIONAL, MIX_OTHER, MIX_CLASSES };

/* Counts of names; `names` owns the text. */
struct mix_names {
    struct spoor_names *names;
    uint64_t *counts; /* by id: MIX_NAMES of them */
    spoor_name *ids;  /* by id in the batch: MIX_NAMES of them; SPOOR_NO_NAME: not known yet */
};
bool mix_names_open(struct mix_names *names);
void mix_names_close(struct mix_names *names);
/* Begins a batch, whose stream may have other ids than that of the previous one. */
void mix_names_begin(struct mix_names *names, const struct spoor_batch *batch);
/* The id of a name of the batch. */
static inline spoor_name mix_names_id(struct mix_names *names, const struct spoor_batch *batch,
                                      spoor_name name)
{
    if (names->ids[name]) return names->ids[name];
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    return names->ids[name] = spoor_names_intern(names->names, text, size);
}
/* Counts a name once more; returns its id. */
spoor_name mix_names_count(struct mix_names *names, const char *text, size_t size);
bool mix_names_any(const struct mix_names *names);

/* ---- registers ---- */

struct mix_life {
    uint64_t written, last_read; /* in instructions or micro-ops so far */
    uint64_t reads;
    bool alive;
};
struct mix_registers {
    uint64_t now; /* instructions or micro-ops so far */
    struct mix_life lives[MIX_NAMES];
    uint64_t reads[MIX_NAMES], writes[MIX_NAMES]; /* by id in the names */
    uint64_t lifetimes[MIX_LOGS]; /* from a write to the last read before the next */
    uint64_t uses[MIX_LOGS];      /* reads of a value that was written */
    uint64_t values, dead;        /* values that were overwritten; and those of them never read */
    bool sees_reads;
};
void mix_register_read(struct mix_registers *registers, uint16_t id);
void mix_register_written(struct mix_registers *registers, uint16_t id);

/* ---- references ---- */

struct mix_site {
    uint64_t pc;   /* the key */
    uint64_t last; /* address */
};
struct mix_references {
    uint64_t window, shift; /* options: references, log2 of the page */
    uint64_t counts[SPOOR_REFERENCE_OPS];
    uint64_t in_window;    /* references so far in the open window */
    struct hash_map pages; /* of the open window */
    uint64_t *windows;     /* pages of the completed windows */
    size_t window_count, window_capacity;
    struct hash_map sites[2]; /* of struct mix_site: of reads and writes */
    uint64_t last[2];         /* addresses of the last read and write */
    bool has_last[2];
    uint64_t local[2][MIX_STEPS], global[2][MIX_STEPS];
};
/* A read or write: its stride and page.  Both return false if memory runs out. */
bool mix_data_access(struct mix_references *references, const struct spoor_reference *reference);
bool mix_window_end(struct mix_references *references);
static inline bool mix_reference(struct mix_references *references,
                                 const struct spoor_reference *reference)
{
    const uint8_t op = reference->op;
    references->counts[op]++;
    if ((op == SPOOR_REFERENCE_READ || op == SPOOR_REFERENCE_WRITE) &&
        !mix_data_access(references, reference))
        return false;
    return ++references->in_window < references->window || mix_window_end(references);
}
static inline uint64_t mix_data_accesses(const struct mix_references *references)
{
    return references->counts[SPOOR_REFERENCE_READ] + references->counts[SPOOR_REFERENCE_WRITE];
}
void mix_references_close(struct mix_references *references);

/* ---- all ---- */

struct spoor_mix {
    unsigned top;
    uint64_t micro_ops, macro_ops, instructions, skipped;
    enum isa isa;             /* of the instructions, where it is known */
    uint8_t last_size;        /* of the last instruction, in bytes, */
    spoor_name last_mnemonic; /* and its name, 0: none */
    uint64_t iterations;      /* of string instructions of x86, after the first */
    uint64_t uops[MIX_UOPS], sizes[MIX_SIZES], bits[MIX_BITS], classes[MIX_CLASSES];
    uint64_t sized;    /* instructions whose size is known */
    uint64_t fused;    /* pairs */
    uint64_t in_macro; /* micro-ops of the open macro-op */
    bool wrote_flags;  /* the last micro-op did */
    struct mix_names macros, micros, register_names;
    spoor_name uop_registers[MIX_REGISTERS]; /* names of micro-ops' registers, once they occurred */
    struct mix_registers *registers;
    struct mix_references references;
    struct spoor_references view; /* of one batch */
};

/* 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7, ... */
static inline unsigned mix_log(uint64_t value)
{
    const unsigned log = value ? 64 - (unsigned)__builtin_clzll(value) : 0;
    return log < MIX_LOGS ? log : MIX_LOGS - 1;
}

#endif
