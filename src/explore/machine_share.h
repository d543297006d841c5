/* SPDX-License-Identifier: MIT */
/* explore/machine_share.h: what the statistics of the machine's own parts share. */
#ifndef SPOOR_EXPLORE_MACHINE_SHARE_H
#define SPOOR_EXPLORE_MACHINE_SHARE_H

#include "base/array.h"
#include "base/hash_map.h"
#include "spoor/machine_stats.h"

/* Maximum number of distinct addresses; others are counted only in totals. */
enum { MACHINE_DISTINCT = 1 << 20, MACHINE_HISTORY = 1 << 16 };

/* ---- distributions ---- */

/* A distribution of numbers: exact up to 15, then by eighths of a power of two. */
enum { SPREAD_BUCKETS = 16 + 60 * 8 };
struct spread {
    uint64_t count, sum, lowest, highest;
    uint64_t buckets[SPREAD_BUCKETS];
};
void spread_add(struct spread *spread, uint64_t value);
/* Returns a number that `percent` of them do not exceed: the lowest one of its bucket. */
uint64_t spread_percentile(const struct spread *spread, unsigned percent);
/* Adds count, lowest, mean, median, 90 %, 99 % and highest to an object. */
void spread_report(const struct spread *spread, struct spoor_result *row);

/* ---- records of one address ---- */

struct machine_history {
    struct machine_moment {
        uint64_t record, time, detail;
        spoor_name cpu, unit;
        uint8_t op;
        bool timed;
    } * items;
    size_t count, capacity;
    uint64_t left_out;
};

/* ---- names ---- */

/* The ids in stats->names of those of one other table; zeroed: of none. */
struct machine_ids {
    const struct spoor_names *of;
    spoor_name *ids; /* by the id there; 0: not known yet */
    size_t count;
};

/* ---- kinds ---- */

struct spoor_machine_stats {
    const struct machine_kind *kind;
    struct spoor_machine_stats_options options;
    void *state; /* of the kind */
    uint64_t records, untracked;
    uint64_t first_time, last_time;
    bool timed, failed;
    char unit[16];             /* of time */
    struct spoor_names *names; /* of the records that are counted */
    struct machine_ids ids;
    struct machine_history history;
};

struct machine_kind {
    const char *name;
    uint32_t counted; /* bit k: it counts records of kind k */
    uint32_t seen;    /* bit k: it also reads records of kind k */
    size_t size;      /* size of its state, which begins zeroed */
    /* Adds a record, whose names are those of the statistics; `number`: its own in the trace. */
    void (*add)(struct spoor_machine_stats *stats, void *state, const struct spoor_record *record,
                uint64_t number);
    void (*report)(struct spoor_machine_stats *stats, void *state, struct spoor_result *result);
    void (*free)(void *state);
};
extern const struct machine_kind machine_cache_kind, machine_walk_kind, machine_tlb_kind,
    machine_bus_kind;

/* Returns the item of a key, for maps of bounded memory; NULL if the map is full or memory ran out,
 * which is counted or noted. */
void *machine_distinct(struct spoor_machine_stats *stats, struct hash_map *map, uint64_t key,
                       size_t size);
/* Returns the name of an id of the statistics. */
const char *machine_name(const struct spoor_machine_stats *stats, spoor_name name);
/* Returns the array of a table of the report; NULL if the caller requested only another table. */
struct spoor_result *machine_table(const struct spoor_machine_stats *stats,
                                   struct spoor_result *result, const char *name);
/* Stores a record of the requested address. */
void machine_note(struct spoor_machine_stats *stats, const struct spoor_record *record,
                  uint64_t number, spoor_name unit, uint64_t detail);
/* Returns the bytes of a region by the name of its size. */
uint64_t machine_region(const struct spoor_machine_stats *stats, spoor_name region);
/* Returns the items of a map in the order of `compare`; the caller frees them.  NULL: none, or
 * memory ran out. */
void *machine_sorted(struct spoor_machine_stats *stats, const struct hash_map *map, size_t size,
                     int (*compare)(const void *, const void *));

#endif
