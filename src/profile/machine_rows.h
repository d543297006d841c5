/* SPDX-License-Identifier: MIT */
/*
 * machine_rows.h: the tables in which the statistics of a machine's own parts count.
 *
 * A kind of statistics counts in sets of rows.  A row is a struct of uint64_t members, and of
 * struct spread where it has times; the first members are its key.  A view is an array of the
 * report: which set, which members are its columns, in what order.  So a kind is its structs, what
 * a record adds to them, and its views (machine_kinds.c).
 */
#ifndef SPOOR_PROFILE_MACHINE_ROWS_H
#define SPOOR_PROFILE_MACHINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "spoor/machine_stats.h"

/* Maximum number of rows of a set; what has no row is counted only in the totals. */
enum { MACHINE_DISTINCT = 1 << 20 };

/* A distribution of numbers: exact up to 15, then by eighths of a power of two. */
enum { SPREAD_BUCKETS = 16 + 60 * 8 };
struct spread {
    uint64_t count, sum, lowest, highest;
    uint64_t buckets[SPREAD_BUCKETS];
};
void spread_add(struct spread *spread, uint64_t value);

/* ---- rows ---- */

enum { MACHINE_HISTORY = 6 /* records of the requested address */, MACHINE_SETS };
struct machine_set {
    uint16_t size; /* bytes of a row */
    bool of_units; /* its rows belong to those of set 0, which may have MACHINE_DISTINCT each */
};
struct machine_rows {
    struct machine_set set;
    void *items; /* in the order of their first appearance */
    size_t count, capacity;
    struct hash_map map; /* struct machine_slot */
    void *last;          /* the row that was found last */
};
/* Of two keys with one hash the later one has the hash of that hash. */
struct machine_slot {
    uint64_t hash; /* of the key */
    size_t number; /* of the row */
};

/* Adds a row, which is zero except for its key. */
void *machine_row_add(struct spoor_machine_stats *stats, struct machine_rows *rows,
                      const uint64_t *key, size_t key_size, uint64_t hash);

static inline void *machine_row_of(struct spoor_machine_stats *stats, struct machine_rows *rows,
                                   const uint64_t *key, size_t key_size)
{
    if (rows->last && memcmp(rows->last, key, key_size) == 0) return rows->last;
    const struct machine_slot *slot;
    uint64_t hash = 0;
    for (size_t i = 0; i < key_size / sizeof *key; i++) hash = hash_mix(hash, key[i]);
    for (; (slot = hash_map_find(&rows->map, hash, sizeof *slot)); hash = hash_mix(hash, 1)) {
        void *row = (char *)rows->items + slot->number * rows->set.size;
        if (memcmp(row, key, key_size) == 0) return rows->last = row;
    }
    return machine_row_add(stats, rows, key, key_size, hash);
}

/* The row of a key in a set, valid until the next call for this set; a new one is zero except for
 * its key, the last arguments.  NULL if the set is full, which is counted, or memory ran out, which
 * is noted. */
#define machine_row(stats, set, ...)                                        \
    machine_row_of((stats), &(stats)->sets[set], (uint64_t[]){__VA_ARGS__}, \
                   sizeof((uint64_t[]){__VA_ARGS__}))
/* Adds 1 to the first member after the key. */
#define machine_count(stats, set, ...) \
    machine_row_count(machine_row((stats), (set), __VA_ARGS__), sizeof((uint64_t[]){__VA_ARGS__}))

static inline void *machine_row_count(uint64_t *row, size_t key_size)
{
    if (row) row[key_size / sizeof *row]++;
    return row;
}

/* ---- views ---- */

enum machine_form {
    MACHINE_NAME,      /* text of the id of a name; "" without one */
    MACHINE_STATED,    /* text of the id of a name; null without one; a number + MACHINE_NUMBER */
    MACHINE_WORD,      /* text in `words` */
    MACHINE_OPERATION, /* name of the operation of a record that the kind counts */
    MACHINE_COUNT,     /* a number */
    MACHINE_HEX,       /* an address */
    MACHINE_OPTIONAL,  /* a number; null unless the member `of` is set */
    MACHINE_RATIO,     /* share of the member `of` of the kind's state */
    MACHINE_MEAN,      /* quotient by the member `of`, at least by 1 */
    MACHINE_MEDIAN,    /* of a spread */
};
#define MACHINE_NUMBER (UINT64_C(1) << 32)

struct machine_column {
    const char *key; /* the part after its last dot */
    enum machine_form form;
    uint16_t at, of; /* offsets in the row; `of` that of RATIO in the state */
    const char *const *words;
};
enum { MACHINE_COLUMNS = 10, MACHINE_ORDER = 3 };
struct machine_view {
    const char *name; /* of the array */
    uint8_t set;      /* of its rows; MACHINE_STATE: the state of the kind is the only row */
    bool top;         /* only as many rows as the caller requested */
    uint16_t least_at, least; /* only rows whose member at this offset is not less */
    /* Offsets of the members that order the rows; rows that are equal in them, or a view without
     * them: by first appearance. */
    struct machine_order {
        uint16_t at;
        enum { MACHINE_UNORDERED, MACHINE_RISING, MACHINE_FALLING } way;
    } order[MACHINE_ORDER];
    struct machine_column columns[MACHINE_COLUMNS];
    /* Distributions in a row, `at` their offsets: each that has numbers makes a row of the array,
     * `time` its key. */
    const struct machine_column *spreads;
};
enum { MACHINE_STATE = 0xFF };

double machine_ratio(uint64_t part, uint64_t whole);
/* Adds the array of a view, unless the caller requested only another table. */
void machine_view_report(struct spoor_machine_stats *stats, const struct machine_view *view,
                         struct spoor_result *result);

/* ---- kinds ---- */

struct machine_kind {
    const char *name;
    uint32_t counted; /* bit k: it counts records of kind k */
    uint32_t seen;    /* bit k: it also reads records of kind k */
    size_t size;      /* of its state, which begins zeroed; 0: none */
    struct machine_set sets[MACHINE_SETS];
    /* Adds a record; `number`: its own in the trace. */
    void (*add)(struct spoor_machine_stats *stats, const struct spoor_record *record,
                uint64_t number);
    /* Computes what a report needs, and adds what stands before its arrays; may be NULL. */
    void (*finish)(struct spoor_machine_stats *stats, struct spoor_result *result);
    const struct machine_view *views; /* up to one without a name */
};
extern const struct machine_kind machine_kinds[SPOOR_MACHINE_KINDS];

struct spoor_machine_stats {
    const struct machine_kind *kind;
    struct spoor_machine_stats_options options;
    void *state; /* of the kind */
    struct machine_rows sets[MACHINE_SETS];
    uint64_t records, untracked, history_left_out;
    uint64_t first_time, last_time;
    bool timed, failed;
    char unit[16];                   /* of time */
    const struct spoor_names *names; /* of the stream */
};

extern const struct machine_set machine_history_set;
extern const struct machine_view machine_history_view;
/* Lists a record if its `address` is the requested one but for its lowest `bits`. */
void machine_note(struct spoor_machine_stats *stats, const struct spoor_record *record,
                  uint64_t number, spoor_name unit, uint64_t address, unsigned bits,
                  uint64_t detail);

#endif
