/* SPDX-License-Identifier: MIT */
/*
 * stf.h: the records of STF, RISC-V's Simulation Trace Format.
 *
 * A record is a byte that names its type, and the fields of that type, little-endian and without
 * padding.  A file begins with a header, from the identifier to the end of the header.  After it,
 * a group of records describes an instruction: its registers, accesses and events come first, its
 * opcode is the last one.
 */
#ifndef SPOOR_FORMATS_STF_STF_H
#define SPOOR_FORMATS_STF_STF_H

#include "formats/format.h"

enum stf_type {
    STF_IDENTIFIER = 1,
    STF_VERSION = 2,
    STF_COMMENT = 3,
    STF_ISA = 4,
    STF_ENCODING = 5,
    STF_TRACE_INFO = 6,
    STF_FEATURES = 7,
    STF_PROCESS = 8,
    STF_FORCE_PC = 9,
    STF_VECTOR_LENGTH = 10,
    STF_PROTOCOL = 11,
    STF_CLOCK = 12,
    STF_ISA_EXTENDED = 13,
    STF_END_HEADER = 19,
    STF_PC_TARGET = 31,
    STF_REGISTER = 40,
    STF_READY_REGISTER = 41,
    STF_PAGE_WALK = 50,
    STF_ACCESS = 60,
    STF_CONTENT = 61,
    STF_BUS_ACCESS = 62,
    STF_BUS_CONTENT = 63,
    STF_EVENT = 100,
    STF_EVENT_TARGET = 101,
    STF_MICRO_OP = 230,
    STF_OPCODE32 = 240,
    STF_OPCODE16 = 241,
    STF_TRANSACTION = 250,
    STF_DEPENDENCY = 251,
};
enum { STF_TILELINK = 1 }; /* STF_PROTOCOL */

/* The encoding of instructions (STF_ENCODING). */
enum { STF_RV32 = 1, STF_RV64 = 2 };

/* The byte after the number of a register: its kind, and what it is to the instruction. */
enum stf_register { STF_INTEGER = 1, STF_FLOAT = 2, STF_VECTOR = 3, STF_CSR = 4 };
enum stf_operand {
    STF_STATE = 1, /* a value that the trace states of its own accord, before the instruction */
    STF_SOURCE = 2,
    STF_DESTINATION = 3,
};
enum { STF_OPERAND_SHIFT = 4 };

/* The highest bits of the number of an event, of 64 bits or of 32: it is an interrupt; it is none
 * of RISC-V's, and without others, a change of the mode. */
enum { STF_INTERRUPT = 2, STF_SPECIAL = 1 };

/* The spelling of a group: the types of its records, and after some of them a byte or more that no
 * field of a record has.  The first record of the group refers to it. */
struct stf_spelling {
    char unit[SPELLING_UNIT_SIZE];
    uint8_t codes[240];
};
enum { STF_EVENT_WIDE = 1, STF_EVENT_VALUE = 2, STF_EVENT_INTERRUPT = 4, STF_EVENT_MODE = 8 };
#define STF_MODES "USHM" /* by number */

enum { STF_ADDRESS = 8, STF_REGISTER_HEAD = 4 /* bytes before the value: type, number, kind */ };

enum stf_fit { STF_FITS, STF_TOO_SHORT, STF_IMPOSSIBLE };

/* What the header of a trace states; zero: nothing. */
struct stf_header {
    unsigned encoding;
    unsigned words;       /* of 64 bits, of a register of vectors */
    unsigned protocol;    /* of transactions; 0: it is a trace of instructions */
    unsigned clocks;      /* of transactions */
    uint8_t clock;        /* the number of the last one */
    const char *spelling; /* of transactions: the unit of time and the records of the clocks */
    size_t spelling_size;
};
/* What that of a file of STF states. */
struct stf_header stf_header_of(const struct spoor_stream *stream);
/* What the header at `at` states, which may be a part of one. */
struct stf_header stf_read_header(const uint8_t *at, const uint8_t *end);

/* The size of the record at `at`, with its type.  A register of vectors has so many words; 0: as
 * many as let the following records be records. */
enum stf_fit stf_record_size(const uint8_t *at, const uint8_t *end, unsigned words, size_t *size);
/* The size of the header or group at `at`. */
enum stf_fit stf_group_size(const uint8_t *at, const uint8_t *end, unsigned words, size_t *size);
/* As stf_group_size(), of transactions (stf_transactions.c). */
enum stf_fit stf_transactions_size(const uint8_t *at, const uint8_t *end, size_t *size);
/* The last record of the type in a header or group; NULL: there is none. */
const uint8_t *stf_find(const uint8_t *at, const uint8_t *end, unsigned words, enum stf_type type);

static inline uint64_t stf_number(const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    while (size--) value = value << 8 | at[size];
    return value;
}

/* Which instruction comes next: the state of reading, and of writing. */
struct stf_place {
    uint64_t next;
    bool known;
};
/* Finds the address that records state last; false: they state none. */
bool stf_find_place(const uint8_t *at, const uint8_t *end, unsigned words, struct stf_place *place);

/* Pushes the records of a group of transactions that was found whole. */
void stf_push_transaction(const struct decoder *decoder, struct spoor_batch *batch,
                          spoor_name spelling, const uint8_t *begin, const uint8_t *end);
/* The transactions that were written. */
struct stf_transactions {
    bool is_part; /* those before `first` are not in the file, nor is what depends on them */
    bool any;
    uint64_t first; /* the number of the first one */
    uint64_t time;  /* of the last one that has one */
};
/* Writes the group at `at`, of which records from .. to - 1 are selected; returns how many of them,
 * dependences, it left out. */
size_t stf_put_transaction(struct stf_transactions *writer, const struct spoor_batch *batch,
                           size_t from, size_t to, const uint8_t *at, const uint8_t *end,
                           struct text *out);

/* Writing (stf_write.c). */
void stf_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void stf_end(struct encoder *encoder, struct text *out);
void zstf_front(struct encoder *encoder, struct text *out);

#endif
