/* SPDX-License-Identifier: MIT */
/*
 * explore.h: the state of a program at any moment of its trace, what wrote it, and where a value
 * came from.
 *
 *     spoor_index_open(&index, path, NULL, &error);
 *     spoor_explorer_open(&explorer, path, index, NULL, &error);
 *     spoor_explorer_moment(explorer, "record:1000", &moment, &error);
 *     spoor_explorer_subject(explorer, "8000+4", 0, moment, &subject, &error);
 *     spoor_explorer_last_write(explorer, &subject, moment, &touch, &error);
 *     ...
 *     spoor_explorer_close(explorer);
 *     spoor_index_close(index);
 *
 * A moment is a number of records: the state after so many.  An answer comes from the index of the
 * trace and from the few segments of the trace that it needs; memory does not grow with the trace.
 *
 * Values are text: "0x" and hexadecimal digits, the highest first, with '?' for a digit that the
 * trace does not state.
 */
#ifndef SPOOR_EXPLORE_H
#define SPOOR_EXPLORE_H

#include "annotate.h"
#include "index.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_explorer;

struct spoor_explorer_options {
    size_t struct_size; /* sizeof this struct */
    /* Their symbols may be named in moments and subjects; NULL: none. */
    struct spoor_images *images;
    bool big_endian; /* data of accesses is a number with its highest byte at the lowest address */
    /* Called before each segment that a query reads, with its number; false: the query fails with
     * SPOOR_EUSAGE.  NULL: none. */
    bool (*goes_on)(void *context, size_t segment);
    void *context;
    spoor_disassemble *disassemble; /* for instructions whose text the trace lacks; NULL: none */
    void *disassembler;             /* its context */
};

/* Opens a trace, a file, whose index is `index`.  On SPOOR_OK the caller owns *explorer; the index,
 * and what the options point at, must outlive it. */
enum spoor_status spoor_explorer_open(struct spoor_explorer **explorer, const char *path,
                                      const struct spoor_index *index,
                                      const struct spoor_explorer_options *options,
                                      struct spoor_error *error);
void spoor_explorer_close(struct spoor_explorer *explorer);
/* The index that it was opened with. */
const struct spoor_index *spoor_explorer_index(const struct spoor_explorer *explorer);

/* ---- moments and processors ---- */

enum spoor_moment_kind {
    SPOOR_MOMENT_TIME,
    SPOOR_MOMENT_RECORD,
    SPOOR_MOMENT_LINE,
    SPOOR_MOMENT_PC,
    SPOOR_MOMENT_END,
};
struct spoor_moment {
    enum spoor_moment_kind kind;
    uint64_t number; /* a time, a record from 0, a line from 1 or an address */
    int64_t visit;   /* PC: number of the execution, from 1; negative: counted from the last */
};
/* Parses "123", "record:123", "line:123", "pc:8000[#2]" or "end", without symbols; false for other
 * text. */
bool spoor_moment_parse(const char *text, struct spoor_moment *moment);
/* Finds the moment that a text denotes: "end", a time ("1234"), "record:N" (from 0), "line:N" (from
 * 1), or "pc:ADDR#K", the K-th execution of an address in hexadecimal, or of a symbol of the images
 * (without #K the first; negative: counted from the last).  The moment lies after all records of
 * that time or line, after that record, or after all effects of that execution.  NULL: the end.
 * SPOOR_EUSAGE: the text is none of these; SPOOR_END, with a sentence: the trace has no such
 * moment. */
enum spoor_status spoor_explorer_moment(struct spoor_explorer *explorer, const char *text,
                                        uint64_t *moment, struct spoor_error *error);

/* The number of processors, at least 1. */
unsigned spoor_explorer_cpu_count(const struct spoor_explorer *explorer);
/* The name of a processor: "cpu0", or "" where the trace names none. */
const char *spoor_explorer_cpu_name(const struct spoor_explorer *explorer, unsigned cpu);
/* The instruction set of the trace; UNKNOWN: of x86, or nothing shows it. */
enum spoor_isa spoor_explorer_isa(const struct spoor_explorer *explorer);
/* Copies the usual name of a register of the trace, by number from 1, cut to `capacity` bytes with
 * its NUL; false past the last one. */
bool spoor_explorer_register(const struct spoor_explorer *explorer, unsigned number, char *name,
                             size_t capacity);
/* Finds the processor of a name, which letter case and a missing "cpu" do not change; false: the
 * trace has none. */
bool spoor_explorer_find_cpu(const struct spoor_explorer *explorer, const char *name,
                             unsigned *cpu);

/* ---- records ---- */

/* A record, its processor, and the instruction that it belongs to. */
struct spoor_record_visit {
    const struct spoor_batch *batch; /* valid during the call */
    size_t index;
    uint64_t record;          /* number, from 0 */
    uint64_t instruction, pc; /* with `has_instruction`: its record's number, and its address */
    uint32_t cpu;
    bool has_instruction;
    uint8_t instruction_size; /* bytes; 0: unknown */
};
/* Visits the records from `from` to before `end`, in order, until the function returns false. */
typedef bool spoor_visit(void *context, const struct spoor_record_visit *visited);
enum spoor_status spoor_explorer_visit(struct spoor_explorer *explorer, uint64_t from, uint64_t end,
                                       spoor_visit *visit, void *context,
                                       struct spoor_error *error);
/* The same for those of one segment of the index (index.h), by its number; none if the index has no
 * such segment. */
enum spoor_status spoor_explorer_visit_segment(struct spoor_explorer *explorer, size_t segment,
                                               uint64_t from, uint64_t end, spoor_visit *visit,
                                               void *context, struct spoor_error *error);
/* Copies the text of the instruction whose record is `record`, cut to `capacity` bytes with its
 * NUL;
 * "" where the trace has none. */
enum spoor_status spoor_explorer_text(struct spoor_explorer *explorer, uint64_t record, char *text,
                                      size_t capacity, struct spoor_error *error);
/* True if the time of a record is known: it, or one before it, states a time. */
bool spoor_explorer_timed(struct spoor_explorer *explorer, uint64_t record);

/* ---- registers and calls ---- */

struct spoor_state;

/* Finds the registers and the open calls at a moment.  On SPOOR_OK the caller owns *state, which
 * the explorer must outlive. */
enum spoor_status spoor_explorer_state(struct spoor_explorer *explorer, uint64_t moment,
                                       struct spoor_state **state, struct spoor_error *error);
void spoor_state_free(struct spoor_state *state);

/* Instructions that ran and are not in the trace: the numbers of those that are state it, or an
 * event (lost data).  What was written before them may have been written again: registers and bytes
 * of memory have no value from a gap on, until the trace states one, and no call is open. */
struct spoor_gap {
    size_t struct_size;    /* sizeof this struct; 0: as in version 0.1 */
    uint64_t record;       /* the first record after it, or the event that states it */
    uint64_t instructions; /* how many; 0: the trace does not state it */
};
/* Finds the last gap of a processor before a moment; SPOOR_END: there is none. */
enum spoor_status spoor_explorer_gap(struct spoor_explorer *explorer, unsigned cpu, uint64_t moment,
                                     struct spoor_gap *gap, struct spoor_error *error);

/* The last instruction of a processor; false: there is none. */
struct spoor_last_instruction {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    uint64_t record, time, pc;
};
bool spoor_state_last(const struct spoor_state *state, unsigned cpu,
                      struct spoor_last_instruction *place);

struct spoor_register {
    const char *name;
    const char *value;  /* NULL: it is not known */
    const char *before; /* the value in the state `before`; NULL: not known, or no such state */
    uint64_t writer;    /* with `written`: the record that wrote it last */
    uint16_t bits;      /* widest value so far; 0: not known */
    bool written;       /* a record wrote it; else it was only read */
};
/* Lists the registers of a processor that are known or were written: numbered ones first, wide ones
 * last; with `before`, a state of the same explorer, only those that differ from it.  The caller
 * frees *list, one block with its texts. */
enum spoor_status spoor_state_registers(const struct spoor_state *state,
                                        const struct spoor_state *before, unsigned cpu,
                                        struct spoor_register **list, size_t *count,
                                        struct spoor_error *error);

/* A call that is open, by the rule of calls (spoor-stack(1)). */
struct spoor_frame {
    size_t struct_size;    /* sizeof this struct; 0: as in version 0.1 */
    uint64_t record, time; /* of the instruction that called, or was interrupted */
    uint64_t from;         /* its address */
    uint64_t function;     /* where it went */
    uint64_t back;         /* with `has_back`: where it returns to */
    uint64_t sp;           /* with `has_sp`: the stack pointer at the call */
    uint8_t kind;          /* enum spoor_call_kind */
    bool has_back, has_sp;
    bool nowhere; /* an exception: the trace does not state what was interrupted: `from` is 0 */
    bool known;   /* false: an exception whose handler had not begun; `function` is 0 */
};
/* The number of calls of a processor that are open.  From SPOOR_STACK_WHOLE on, the outermost ones
 * may have been dropped: at most 65,536 are kept. */
enum { SPOOR_STACK_WHOLE = 3 << 14 };
size_t spoor_state_depth(const struct spoor_state *state, unsigned cpu);
/* One of them: 0 is the outermost; false past the innermost. */
bool spoor_state_frame(const struct spoor_state *state, unsigned cpu, size_t depth,
                       struct spoor_frame *frame);

/* The stack pointer of a processor, by whatever name the trace has for it; false: not known. */
bool spoor_state_stack_pointer(const struct spoor_state *state, unsigned cpu, uint64_t *sp);

/* ---- calls of a segment ---- */

enum spoor_call_event_kind {
    SPOOR_CALL_EVENT_CALL,
    SPOOR_CALL_EVENT_RETURN,
    SPOOR_CALL_EVENT_EXCEPTION
};
struct spoor_call_event {
    uint64_t record;  /* number of the instruction that calls, returns or is interrupted */
    uint64_t arrival; /* of the instruction after it */
    uint32_t depth;   /* open calls after it */
    uint16_t cpu;
    uint8_t kind; /* enum spoor_call_event_kind */
};
struct spoor_call_events {
    const struct spoor_call_event *events; /* in the order of arrival */
    size_t count;
    const uint32_t *depths; /* open calls of each processor before the segment */
    size_t cpu_count;
};
/* Finds the calls, returns and exceptions of a segment of the index, by the rule of calls
 * (spoor-stack(1)).  What arrives in the segment counts.  The caller frees *events, one block. */
enum spoor_status spoor_explorer_call_events(struct spoor_explorer *explorer, size_t segment,
                                             struct spoor_call_events **events,
                                             struct spoor_error *error);

/* ---- memory ---- */

/* Bytes of memory. */
struct spoor_range {
    uint64_t address, size;
    bool physical;    /* `address` is physical */
    uint8_t security; /* of a physical address: enum spoor_security */
};
/* Parses "8000", "8000+16" (hexadecimal + decimal), or a physical address: "pa:8000+16", or with
 * its security "pa_s:", "pa_ns:", "pa_rl:" or "pa_rt:".  False for other text, and where the
 * last byte would lie beyond the last address. */
bool spoor_range_parse(const char *text, struct spoor_range *range);

enum spoor_byte_known {
    SPOOR_BYTE_UNKNOWN,
    SPOOR_BYTE_WRITTEN, /* the value was written there */
    SPOOR_BYTE_READ,    /* the value was read there, then or later, before the next write */
};
struct spoor_byte {
    uint8_t value;
    uint8_t known;   /* enum spoor_byte_known */
    bool has_writer; /* a record wrote it; the value may be unknown */
    uint64_t writer; /* number of the last such record */
};
/* Finds range->size bytes at a moment.  A virtual address is mapped as the trace maps it then. */
enum spoor_status spoor_explorer_memory(struct spoor_explorer *explorer,
                                        const struct spoor_range *range, uint64_t moment,
                                        struct spoor_byte *bytes, struct spoor_error *error);
/* Calls the function for each range of virtual addresses that the trace accesses, lowest first, in
 * lines of 64 bytes, until it returns false; returns false then, or if memory runs out. */
bool spoor_explorer_each_range(const struct spoor_explorer *explorer,
                               bool (*range)(void *context, uint64_t address, uint64_t size),
                               void *context);

/* ---- who wrote, who read ---- */

/* A register of a processor, or memory within one page of 4 KiB. */
struct spoor_subject {
    uint64_t address, physical; /* memory: the first byte */
    uint64_t size;              /* memory: bytes */
    uint32_t cpu;               /* register: its processor */
    uint16_t name;              /* register: its number in the trace; 0: memory */
    uint16_t low, bits;         /* register: lowest bit, and bits; 0: the whole register */
    bool has_address, has_physical;
    uint8_t security; /* of `physical`: enum spoor_security */
};
/* Finds what a text denotes: a register of the trace, of processor `cpu`; a range as
 * spoor_range_parse() reads it, mapped as the trace maps it at the moment; or a symbol of the
 * images, with "+BYTES".  SPOOR_EUSAGE, with a sentence: none of these, or more than one page. */
enum spoor_status spoor_explorer_subject(struct spoor_explorer *explorer, const char *text,
                                         unsigned cpu, uint64_t moment,
                                         struct spoor_subject *subject, struct spoor_error *error);

/* The subject of a range, mapped as the trace maps it at the moment; it ends with its first page of
 * 4 KiB.  The segments of semihosting calls, whose writes no record states, may be read once. */
enum spoor_status spoor_explorer_place(struct spoor_explorer *explorer,
                                       const struct spoor_range *range, uint64_t moment,
                                       struct spoor_subject *subject, struct spoor_error *error);
/* The register or memory that a visited record itself reads or writes; of a micro-op without an
 * access, its destination.  False: it names none. */
bool spoor_explorer_subject_of(struct spoor_explorer *explorer,
                               const struct spoor_record_visit *visited,
                               struct spoor_subject *subject);

/* The value of a register at a moment, lowest byte first, from the lowest bit of the subject on. */
enum { SPOOR_REGISTER_BYTES = 256 };
struct spoor_register_value {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    uint64_t writer;    /* with `written`: the record that wrote the register last */
    uint16_t bits;      /* of the subject; of a whole register, its widest value so far */
    bool written;       /* a record wrote it; else it was only read */
    uint8_t bytes[SPOOR_REGISTER_BYTES], known[SPOOR_REGISTER_BYTES]; /* known: mask of the bits */
};
/* Fills in the value of the subject, a register; false: the trace has not named it before. */
bool spoor_state_value(const struct spoor_state *state, const struct spoor_subject *subject,
                       struct spoor_register_value *value);

/* A record that wrote or read the subject.  Its pointers are valid until the next call for the
 * explorer. */
struct spoor_touch {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    uint64_t record, time;
    uint64_t instruction, pc; /* with `has_instruction`: its record's number, and its address */
    const struct spoor_batch *batch; /* the record is batch->records[index]; NULL for a single
                                      * write, which spoor_explorer_visit() shows */
    size_t index;
    const char *value; /* of the access, or of the register after it; NULL: it is not known */
    const struct spoor_byte *bytes; /* memory: those of the subject from `offset` to before `end`,
                                     * as the record states them, with a writer if it wrote the
                                     * byte; NULL for a register, and for a single write */
    uint64_t offset, end;
    uint32_t cpu;
    bool has_instruction;
    bool writes, reads;
    bool across_gap; /* a single write: between it and the moment, instructions are not in the trace
                      * (struct spoor_gap), which may have written, too */
};
/* False: no record of the segment of the index writes (reads) the subject. */
bool spoor_explorer_may_touch(struct spoor_explorer *explorer, size_t segment,
                              const struct spoor_subject *subject, bool writes, bool reads);
/* How a visited record writes or reads the subject; false: it does not, or memory ran out. */
bool spoor_explorer_touch(struct spoor_explorer *explorer, const struct spoor_record_visit *visited,
                          const struct spoor_subject *subject, struct spoor_touch *touch);
/* Finds the last write of the subject before a moment, or the first one from it on.  SPOOR_END:
 * there is none. */
enum spoor_status spoor_explorer_last_write(struct spoor_explorer *explorer,
                                            const struct spoor_subject *subject, uint64_t moment,
                                            struct spoor_touch *touch, struct spoor_error *error);
enum spoor_status spoor_explorer_next_write(struct spoor_explorer *explorer,
                                            const struct spoor_subject *subject, uint64_t moment,
                                            struct spoor_touch *touch, struct spoor_error *error);
/* Finds the last writer of each byte of the subject, a register, before a moment: bytes[0] is its
 * lowest byte, *count how many it has, and of a byte `has_writer` and `writer` are set.  A record
 * that states more than its instruction writes is the writer of that alone. */
enum spoor_status spoor_explorer_register_writers(struct spoor_explorer *explorer,
                                                  const struct spoor_subject *subject,
                                                  uint64_t moment,
                                                  struct spoor_byte bytes[SPOOR_REGISTER_BYTES],
                                                  size_t *count, struct spoor_error *error);
/* Copies the name of a register or of its part, "x0", "v8.s[1]", or of memory, "8000+4", cut to
 * `capacity` bytes with its NUL. */
void spoor_explorer_subject_name(const struct spoor_explorer *explorer,
                                 const struct spoor_subject *subject, char *name, size_t capacity);
/* The history of the subject: calls the function for all that touches it from record `from` to
 * before `end`, in order, until it returns false. */
typedef bool spoor_touch_visit(void *context, const struct spoor_touch *touch);
enum spoor_status spoor_explorer_touches(struct spoor_explorer *explorer,
                                         const struct spoor_subject *subject, uint64_t from,
                                         uint64_t end, spoor_touch_visit *visit, void *context,
                                         struct spoor_error *error);

/* ---- where a value came from, and where it went ---- */

struct spoor_dataflow;

struct spoor_dataflow_options {
    size_t struct_size; /* sizeof this struct */
    uint32_t depth;     /* instructions that are followed; 0: all */
    bool forward;       /* the uses of the value from the moment on, not its sources */
    const struct spoor_select *where; /* follow only writes that it accepts, or the instruction of
                                       * which; NULL: all.  The subject is followed in any case */
};
/* A write of a register or of bytes of memory, in the flow of data. */
struct spoor_dataflow_node {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    char what[48];      /* "x0", "8000+4", "pa:8000+4" */
    const char *value;  /* NULL: it is not known */
    const char *stop;   /* why it has no sources, in words; NULL: it has */
    const size_t *from; /* the nodes that its value came from */
    size_t from_count;
    uint64_t record, time;    /* with `written`: that wrote it */
    uint64_t instruction, pc; /* with `has_instruction` */
    uint32_t depth;           /* instructions from the subject */
    bool written, has_instruction;
};
/* Computes the flow of data into the subject's value at a moment, or out of it.  A load comes from
 * the bytes that it loaded, another instruction from the registers that its opcode reads; registers
 * that only form an address are not followed.  At most 100,000 nodes.  On SPOOR_OK the caller owns
 * *dataflow. */
enum spoor_status spoor_explorer_dataflow(struct spoor_explorer *explorer,
                                          const struct spoor_subject *subject, uint64_t moment,
                                          const struct spoor_dataflow_options *options,
                                          struct spoor_dataflow **dataflow,
                                          struct spoor_error *error);
void spoor_dataflow_free(struct spoor_dataflow *dataflow); /* NULL is allowed */
/* The number of nodes. */
size_t spoor_dataflow_count(const struct spoor_dataflow *dataflow);
/* A node, by number; 0 is the subject.  The dataflow owns its texts; false past the last one. */
bool spoor_dataflow_node(const struct spoor_dataflow *dataflow, size_t number,
                         struct spoor_dataflow_node *node);

/* ---- as results ---- */

/* Fills an object: `record`, the last record before the moment (null: none); and `cpus`, an array
 * of `name` and `registers`: an object with the value of each register that is known.  `at` as for
 * spoor_explorer_moment(). */
enum spoor_status spoor_explorer_report_state(struct spoor_explorer *explorer, const char *at,
                                              struct spoor_result *result,
                                              struct spoor_error *error);
/* Fills an object: `touches`, an array of `record`, `time`, `cpu`, `pc`, `value` (null: the trace
 * does not state it) and `access` (read, write or both), in order, of what read or wrote `what`
 * before the moment; a register is that of every processor in turn.  `maximum`: at most the last
 * ones, so many; 0: all. */
enum spoor_status spoor_explorer_report_touches(struct spoor_explorer *explorer, const char *what,
                                                const char *at, size_t maximum,
                                                struct spoor_result *result,
                                                struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
