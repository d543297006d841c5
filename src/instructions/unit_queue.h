/* SPDX-License-Identifier: MIT */
/*
 * unit_queue.h: an instruction with its effects, from the records of any format.
 *
 * A trace spreads one instruction over several records: the instruction, the registers that it
 * wrote, the memory that it accessed, the exception that it took.  A unit combines them,
 * independent of the dialect: each register has one name (w8 is x8 with its upper half cleared),
 * partial writes of one register are merged, the zero register is left out.  Formats without
 * instructions have a unit for each access or micro-op.
 *
 * The units of one processor lie in a queue, oldest first, with their effects and their text beside
 * them.  Memory is proportional to the units in the queue; dropping the front releases it.
 */
#ifndef SPOOR_INSTRUCTIONS_UNIT_QUEUE_H
#define SPOOR_INSTRUCTIONS_UNIT_QUEUE_H

#include "base/deque.h"
#include "spoor/batch.h"
#include "spoor/field.h"

/* The kind of an effect. */
enum effect_kind {
    EFFECT_REGISTER,
    EFFECT_READ,   /* of memory */
    EFFECT_WRITE,  /* of memory */
    EFFECT_UPDATE, /* an atomic update, a request to a cache: see `op` */
    EFFECT_EVENT,  /* an exception or interrupt */
    EFFECT_FIELD,  /* any other field of a record: name is enum spoor_field */
    EFFECT_STATE,  /* the value that a register has before the instruction; never compared */
};
enum effect_has {
    EFFECT_HAS_ADDRESS = 1 << 0,  /* address is virtual */
    EFFECT_HAS_PHYSICAL = 1 << 1, /* physical; of an event its second value */
    EFFECT_HAS_VALUE = 1 << 2,
    EFFECT_IS_TEXT = 1 << 3,   /* FIELD: value is a hash of text */
    EFFECT_HAS_BYTES = 1 << 4, /* REGISTER over 16 bytes: `physical` is the ordinal of the first */
    EFFECT_HAS_TIME = 1 << 5,
};
struct effect {
    uint64_t address, physical;
    uint64_t value[2]; /* low half first; over 16 bytes: a hash of the bytes */
    uint64_t time;     /* of its record */
    uint64_t unknown;  /* register: bit i: hex digit i; memory: bit i: byte i is unknown */
    spoor_name name;   /* REGISTER, EVENT: in the view's names; FIELD: enum spoor_field */
    uint16_t size;     /* memory: bytes, 0 unknown; register: bits */
    uint16_t low;      /* register: lowest bit written */
    uint8_t kind;      /* enum effect_kind */
    uint8_t op;        /* memory: enum spoor_mem_op; event: enum spoor_event_op */
    uint8_t attr;      /* memory: enum spoor_mem_attr */
    uint8_t has;       /* enum effect_has */
};

enum unit_kind {
    UNIT_INSTRUCTION,
    UNIT_PREAMBLE, /* effects before the first instruction: the initial state of a simulator */
    UNIT_ACCESS,   /* one access of a trace without instructions, or one record alone */
};
enum unit_has {
    UNIT_HAS_PC = 1 << 0,
    UNIT_HAS_OPCODE = 1 << 1,
    UNIT_HAS_MODE = 1 << 2,
    UNIT_HAS_PHYSICAL = 1 << 3,
    UNIT_HAS_EXECUTED = 1 << 4,
    UNIT_HAS_TIME = 1 << 5,
    UNIT_HAS_DUMP = 1 << 6,       /* a dump of all registers after it states what it wrote */
    UNIT_OPCODE_IS_NAME = 1 << 7, /* with HAS_OPCODE: a hash of the names of a micro-op */
};
struct unit {
    uint64_t pc, physical, opcode;
    uint64_t time;
    uint64_t flow, whole; /* hashes: of address and opcode; and of these with all effects */
    uint64_t record;      /* its first record, from 0 */
    uint64_t line;        /* text: the line of that record, from 1; binary: 0 */
    uint64_t effects;     /* ordinal of its first effect */
    uint64_t text;        /* ordinal of the first byte of its disassembly, after which come the
                           * bytes of wide registers */
    uint32_t text_size;
    uint16_t effect_count;
    uint16_t cpu, mode;  /* in the view's names */
    uint16_t records;    /* number of its records; 65535: or more */
    uint16_t lines;      /* the same of its lines; binary: 0 */
    uint8_t kind;        /* enum unit_kind */
    uint8_t has;         /* enum unit_has */
    uint8_t opcode_size; /* bytes */
    uint8_t iset;        /* letter, 0 absent */
    uint8_t is_block;    /* of a side with dumps: it may be several instructions */
    uint8_t executed;    /* HAS_EXECUTED: false: its condition failed */
    uint8_t zc;          /* of an opcode that c.fsdsp shares: enum riscv_zc */
};

struct unit_queue {
    struct deque units, effects, text;
    uint64_t head;     /* ordinal of the first unit not yet consumed */
    uint64_t complete; /* ordinal after the last complete unit */
    bool begun;        /* an instruction has been seen */
    bool promoted;     /* not all units are in the order of their effects */
};

static inline struct unit *unit_at(const struct unit_queue *queue, uint64_t ordinal)
{
    return deque_at(&queue->units, ordinal);
}
static inline struct effect *unit_effects(const struct unit_queue *queue, const struct unit *unit)
{
    return deque_at(&queue->effects, unit->effects);
}
static inline const char *unit_text(const struct unit_queue *queue, const struct unit *unit)
{
    return deque_at(&queue->text, unit->text);
}
/* The number of complete units from the head on. */
static inline uint64_t unit_count(const struct unit_queue *queue)
{
    return queue->complete - queue->head;
}

/* An empty queue; false if memory runs out. */
bool unit_queue_start(struct unit_queue *queue);
/* Releases the units more than `history` before the head. */
void unit_queue_trim(struct unit_queue *queue, uint64_t history);
/* Moves unit `ordinal`, at or after the head, to the head; those between move one position back. */
void unit_queue_promote(struct unit_queue *queue, uint64_t ordinal);
/* Moves `count` units, which stand `after` units after the head, to the head, in their order; those
 * between follow them.  False if memory runs out. */
bool unit_queue_move(struct unit_queue *queue, uint64_t after, uint64_t count);
void unit_queue_free(struct unit_queue *queue);

/* The parts of a unit that its hashes include: those that both sides of a comparison state. */
struct unit_scope {
    bool pc, opcode, executed, mode, iset, physical;
    bool registers, reads, writes, events;
    bool data, sizes, physical_accesses; /* of accesses: data, sizes, physical addresses */
    bool unordered;                      /* the order of accesses does not matter */
    bool bytes;                          /* nor how they are split */
    bool time;
    bool opcode_sizes;      /* else opcodes may be followed by bytes of the next instruction */
    bool narrow;            /* only the low 32 bits of addresses of instructions */
    spoor_field_set fields; /* of EFFECT_FIELD */
};
/* The opcode's first two bytes in memory, as a number: all that is known of an opcode without a
 * size. */
uint16_t unit_opcode_begin(const struct unit *unit);
void unit_hash(struct unit *unit, const struct effect *effects, const struct unit_scope *scope);

#endif
