/* SPDX-License-Identifier: MIT */
/*
 * explorer.h: queries about a trace, answered from its index and the few segments that they need.
 *
 * A moment is a number of records: the state after that many records.  The explorer decodes
 * segments on demand and retains the most recently used ones.
 */
#ifndef SPOOR_EXPLORE_EXPLORER_H
#define SPOOR_EXPLORE_EXPLORER_H

#include "index/index.h"
#include "spoor/explore.h"

struct explorer;

/* A struct spoor_explorer is a struct explorer: its content is the library's. */
static inline struct explorer *explorer_of(struct spoor_explorer *explorer)
{
    return (struct explorer *)(void *)explorer;
}
static inline const struct explorer *explorer_seen(const struct spoor_explorer *explorer)
{
    return (const struct explorer *)(const void *)explorer;
}

/* Opens the trace `path`, whose index is `index`; the index must outlive the explorer. */
enum spoor_status explorer_open(struct explorer **explorer, const char *path,
                                const struct index *index, struct spoor_error *error);
void explorer_close(struct explorer *explorer);

/* Returns the names of registers and processors. */
const struct machine *explorer_machine(const struct explorer *explorer);

/* ---- moments ---- */

/* Finds the number of records before the moment.  The moment is after all records of that time or
 * line, after the record, or after all effects of that execution.  SPOOR_END, with a message: there
 * is no such moment. */
enum spoor_status explorer_moment(struct explorer *explorer, const struct spoor_moment *query,
                                  uint64_t *records, struct spoor_error *error);

/* ---- records ---- */

/* A record, with its processor and the instruction that it belongs to. */
struct explorer_visit {
    const struct spoor_batch *batch;
    size_t index;
    uint64_t record;
    unsigned cpu;
    const struct call_place *place; /* that instruction; ->known is false if there is none */
};
/* Visits the records from `from` up to, but not including, `to`, in order, until the function
 * returns false. */
typedef bool visit_function(void *context, const struct explorer_visit *visited);
enum spoor_status explorer_visit(struct explorer *explorer, uint64_t from, uint64_t to,
                                 visit_function *function, void *context,
                                 struct spoor_error *error);
/* Visits those of one segment.  SPOOR_END: the function ended it. */
enum spoor_status explorer_visit_segment(struct explorer *explorer, size_t segment, uint64_t from,
                                         uint64_t to, visit_function *function, void *context,
                                         struct spoor_error *error);
/* True if the time of a record is known: it, or one before it, states a time.  False if the trace
 * cannot be decoded. */
bool explorer_timed(struct explorer *explorer, uint64_t record);
/* True if an expression accepts a record, or the instruction that it belongs to. */
enum spoor_status explorer_selects(struct explorer *explorer, const struct spoor_select *select,
                                   uint64_t record, bool *selects, struct spoor_error *error);
/* The batches of a segment, which belong to the explorer until some other segments have been asked
 * for (KEPT_SEGMENTS in internal.h). */
enum spoor_status explorer_segment(struct explorer *explorer, size_t segment,
                                   const struct spoor_batch **batches, size_t *count,
                                   struct spoor_error *error);

/* ---- state ---- */

/* Computes the registers at a moment; the caller frees them. */
enum spoor_status explorer_registers(struct explorer *explorer, uint64_t moment,
                                     struct registers *registers, struct spoor_error *error);
/* Computes the open calls at a moment; the caller frees them. */
enum spoor_status explorer_calls(struct explorer *explorer, uint64_t moment, struct calls **calls,
                                 struct spoor_error *error);

/* A range of memory: virtual addresses, with the physical ones if the trace maps the page; or only
 * physical addresses. */
struct memory_place {
    uint64_t va, pa; /* address of the first byte */
    uint64_t size;
    uint8_t space; /* space of pa */
    bool has_va, has_pa;
};
/* Returns the part of the range that lies in one page, mapped as the trace maps it at the moment:
 * from `address` on, at most `size` bytes. */
struct memory_place explorer_place(struct explorer *explorer, uint64_t address, uint64_t size,
                                   bool physical, uint8_t space, uint64_t moment);
/* True if an access touches the place; *from and *to are the touched bytes of the place, `to`
 * excluded. */
bool place_touched(const struct memory_place *place, const struct access *access, uint64_t *from,
                   uint64_t *to);
/* True if a segment may read a byte of the place. */
bool segment_reads(const struct index *index, size_t segment, const struct memory_place *place);

/* Call it before the next two; it finds what semihosting calls write, which no record states. */
enum spoor_status explorer_find_hosted(struct explorer *explorer, struct spoor_error *error);
/* The access of a record, or of a semihosting call; false: there is none. */
bool explorer_access(const struct explorer *explorer, const struct explorer_visit *visited,
                     struct access *access);
/* True if a segment may write a byte of the place, by a record or a semihosting call. */
bool explorer_segment_writes(const struct explorer *explorer, size_t segment,
                             const struct memory_place *place);

/* Finds the place->size bytes of the place at a moment. */
enum spoor_status explorer_memory(struct explorer *explorer, const struct memory_place *place,
                                  uint64_t moment, struct spoor_byte *bytes,
                                  struct spoor_error *error);

/* Returns the register that is sp, r13, lr, r14, fp, or the flags (flags, nzcv, cpsr, xpsr, psr,
 * apsr) at a moment: MSP or PSP, SP_ELx, r13_svc, ...; 0: the trace has none, or it is no role.
 * The mode is that of the last instruction before another moment: of the reader of a register,
 * which comes after `moment`. */
spoor_name explorer_role(struct explorer *explorer, const char *text, unsigned cpu, uint64_t moment,
                         uint64_t mode_moment);

/* ---- writers and readers ---- */

/* The object of a query: a register of a processor, or memory. */
struct subject {
    bool is_memory;
    unsigned cpu;
    struct machine_part part;
    struct memory_place place;
};
struct touch {
    uint64_t record, time;
    unsigned cpu;
    const struct explorer_visit *visited; /* the record; valid while touches are passed on */
    struct call_place place;              /* the instruction; known is false if there is none */
    bool writes, reads;
    uint16_t low, high; /* of a register: the first and the last bit that the record states */
    bool failed;        /* memory ran out for the value */
    bool valued;        /* the value is known */
    char value[2 * REGISTER_BYTES + 8]; /* "0x...": the value of the access, or of the register
                                         * after it */
};
/* Finds the last write of the subject before a moment, or the first one from it on.  SPOOR_END:
 * there is none.  Of the bytes of a vector register, records that state more than the instruction
 * writes are none. */
enum spoor_status explorer_last_write(struct explorer *explorer, const struct subject *subject,
                                      uint64_t moment, struct touch *touch,
                                      struct spoor_error *error);
enum spoor_status explorer_next_write(struct explorer *explorer, const struct subject *subject,
                                      uint64_t moment, struct touch *touch,
                                      struct spoor_error *error);
/* Finds the last writers of the lowest `count` bytes of a register, or of its part. */
enum spoor_status explorer_byte_writers(struct explorer *explorer, const struct subject *subject,
                                        uint64_t moment, size_t count, struct spoor_byte *bytes,
                                        struct spoor_error *error);
/* Finds the last instruction before a moment whose opcode writes a register that the trace never
 * states, in the last UNSTATED_SEGMENTS segments: further back, the answer would not be worth its
 * time.  SPOOR_END: there is none; touch->record is the first record that was searched. */
enum { UNSTATED_SEGMENTS = 16 };
enum spoor_status explorer_last_unstated(struct explorer *explorer, const struct subject *subject,
                                         uint64_t moment, struct touch *touch,
                                         struct spoor_error *error);
/* Calls the function for all touches of the subject from `from` up to, but not including, `to`, in
 * order, until it returns false. */
typedef bool touch_function(void *context, const struct touch *touch);
enum spoor_status explorer_touches(struct explorer *explorer, const struct subject *subject,
                                   uint64_t from, uint64_t to, touch_function *function,
                                   void *context, struct spoor_error *error);

#endif
