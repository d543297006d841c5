/* SPDX-License-Identifier: MIT */
/* internal.h: functions that the files of explore share. */
#ifndef SPOOR_EXPLORE_INTERNAL_H
#define SPOOR_EXPLORE_INTERNAL_H

#include "explore/explorer.h"

enum { KEPT_SEGMENTS = 8 };

/* A decoded segment. */
struct segment_batches {
    struct spoor_batch *batches;
    size_t count, capacity;
    size_t segment;
    uint64_t used;             /* time of the last use, by explorer->clock */
    struct call_place *places; /* the last instruction of each processor before it */
    size_t place_count;
};

/* Searches for opcodes that write a register: those that found none are kept, for the registers of
 * a loop. */
enum { UNWRITTEN = 16 };

/* The instructions of a segment whose opcodes write a register, in order: a slice asks for most of
 * them, and each answer would decode the opcodes of the segment again. */
enum { OPCODE_WRITES = 32 };
struct opcode_writes {
    size_t segment;
    unsigned cpu;
    struct machine_part part;
    uint64_t used; /* time of the last use, by explorer->clock; 0: empty */
    struct opcode_write {
        uint64_t record;
        uint16_t low, high;
    } * writes;
    size_t count, capacity;
};

struct explorer {
    const struct index *index;
    struct spoor_reader *reader;
    struct machine machine;
    struct segment_batches kept[KEPT_SEGMENTS];
    uint64_t clock;
    /* Called before each segment that a query decodes; if it returns false, the query fails with
     * SPOOR_EUSAGE.  NULL: none. */
    bool (*goes_on)(void *context, size_t segment);
    void *context;
    spoor_disassemble *disassemble; /* NULL: none */
    void *disassembler;
    struct hosted_write {
        uint64_t record;
        struct access access;
    } * hosted; /* by semihosting calls, in order; NULL: not asked for yet */
    size_t hosted_count;
    uint64_t timed_from; /* the first record that states a time, UINT64_MAX: none does;
                          * `knows_times` */
    bool knows_times;
    struct unwritten_part {
        unsigned cpu;
        struct machine_part part;
        uint64_t moment; /* no opcode before it writes this part; 0: nothing is known */
    } unwritten[UNWRITTEN];
    unsigned unwritten_oldest;
    struct opcode_writes opcode_writes[OPCODE_WRITES];
    struct spoor_images *images; /* for names in spoor/explore.h; NULL: none */
    struct touch found;          /* the write that was found last, for its value */
    struct spoor_byte *touched;  /* the bytes of the touch that was shown last */
    size_t touched_capacity;
    struct spoor_error unread; /* where nobody reads errors */
};

/* True if instructions are not in the trace (state.c). */
bool explorer_has_gaps(const struct explorer *explorer);
enum spoor_status explorer_no_memory(const struct explorer *explorer, struct spoor_error *error);
/* Why index_calls() or index_registers() found nothing: damage of the index, or lack of memory. */
enum spoor_status explorer_no_state(const struct explorer *explorer, bool damaged,
                                    struct spoor_error *error);
/* The error of the caller, or, for NULL, one of the explorer. */
struct spoor_error *explorer_error(struct spoor_explorer *explorer, struct spoor_error *error);

/* ---- explore.c ---- */

struct subject explorer_subject(const struct spoor_subject *subject);

/* ---- gaps (state.c) ---- */

/* Finds the last gap before a moment, of a processor or of any (GAP_OF_ANY): the first record after
 * instructions that are not in the trace.  found->record is UINT64_MAX where there is none. */
enum { GAP_OF_ANY = MACHINE_CPUS };
enum spoor_status explorer_gap_before(struct explorer *explorer, unsigned cpu, uint64_t moment,
                                      struct call_gap *found, struct spoor_error *error);
/* Finds the first one of any processor from a moment on: its record, or UINT64_MAX. */
enum spoor_status explorer_gap_after(struct explorer *explorer, uint64_t moment, uint64_t *record,
                                     struct spoor_error *error);

/* ---- touch.c ---- */

/* How a visited record touches the subject; false: it does not.  touch->failed: memory ran out. */
bool explorer_touch(struct explorer *explorer, const struct subject *subject,
                    const struct explorer_visit *visited, struct touch *touch);

/* Fills in which bits of the register the record states. */
void touch_register_bits(struct touch *touch, const struct spoor_record *record,
                         const struct machine_register *reg);
/* Fills in the value that the visited record writes or reads there, if it states one. */
void touch_register_value(struct touch *touch, const struct explorer_visit *visited,
                          const struct machine_register *reg, const struct machine_part *part);
void touch_memory_value(struct touch *touch, const struct explorer_visit *visited,
                        const struct memory_place *place, const struct access *access,
                        uint64_t from, uint64_t to);

#endif
