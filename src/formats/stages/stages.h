/* SPDX-License-Identifier: MIT */
/*
 * stages.h: shared by the formats that log the stages of instructions in a pipeline.
 *
 * An instruction has a number, unique in the log.  When it enters a stage, an EVENT of op stage
 * names the stage, in the lane `mode`; value1 is the number.  When it leaves the pipeline, an INSN
 * record stands for it, taken, again (a further micro-op) or squashed; its index is the
 * number.  The log's line is that INSN and, with SPOOR_CONTINUES, the stage "retire" or "flush".
 */
#ifndef SPOOR_FORMATS_STAGES_STAGES_H
#define SPOOR_FORMATS_STAGES_STAGES_H

#include "base/scan.h"
#include "formats/format.h"

enum { STAGE_NAMES = 64, STAGE_TAIL = 240 /* bytes of a line's spelling after the unit */ };

/* The parser of a batch, at a line of it. */
struct stage_reader {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct line line;
    const char *at;       /* in the line */
    const char *expected; /* what a failing rule expected there */
    bool verbatim;        /* the canonical form of the line is not the line */
    struct {              /* names of at most 8 bytes, the last of them not zero, by their bytes */
        uint64_t bytes;
        spoor_name name;
    } names[STAGE_NAMES];
};

/* Each function parses what it states at reader->at, or returns false and sets what was expected.
 */
bool stages_char(struct stage_reader *reader, char c, const char *expected);
/* A decimal number; `signs`: of either sign. */
bool stages_decimal(struct stage_reader *reader, uint64_t *value, bool signs);
/* The name of the bytes up to `end`; marks the line as verbatim if it has no id. */
spoor_name stages_name(struct stage_reader *reader, const char *begin, const char *end);

/* Pushes the first record of the line, or with `continues` another one. */
struct spoor_record *stages_push(struct stage_reader *reader, enum spoor_kind kind, unsigned op,
                                 bool continues);
/* Ends the line, directly after its first record was pushed: its spelling is the unit of time and
 * `tail`, or the line is verbatim. */
void stages_end_line(struct stage_reader *reader, struct spoor_record *record, const char *unit,
                     struct spoor_slice tail);
/* Skips blanks up to the end of the line, where it must end; false: it does not. */
bool stages_blank_end(struct stage_reader *reader);

/* The id of a name that stages_name() has had, 1 to 8 bytes, the first of them lowest in `bytes`,
 * the last of them not zero, as the size is not kept; SPOOR_NO_NAME: it is not cached. */
static inline spoor_name stages_cached(const struct stage_reader *reader, uint64_t bytes)
{
    const size_t slot = (size_t)(bytes * UINT64_C(0x9E3779B97F4A7C15) >> 58);
    _Static_assert(STAGE_NAMES == 64, "the hash has 6 bits");
    return reader->names[slot].bytes == bytes ? reader->names[slot].name : SPOOR_NO_NAME;
}

/* Decodes a batch: `read` makes the records of a line, or returns false.  `quick` may be NULL: it
 * makes the record of a line that is common and canonical, and returns the beginning of the next
 * one, or NULL for any other line. */
typedef bool stages_line(struct stage_reader *reader, void *state);
typedef const char *stages_quick(struct stage_reader *reader, const char *at);
void stages_decode(const struct decoder *decoder, struct spoor_batch *batch, const char *rule,
                   stages_line *read, stages_quick *quick, void *state);

/* The bytes that the spelling of a record has after the unit; of size 0 where it is canonical. */
struct spoor_slice stages_tail(const struct spoor_batch *batch, const struct spoor_record *record);
/* The text of a name in the trace's table. */
struct spoor_slice stages_text(const struct spoor_batch *batch, spoor_name name);
static inline bool stages_is(struct spoor_slice word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.bytes, text, word.size) == 0;
}
/* Orders numbers of 64 bits, for qsort(). */
int stages_by_number(const void *a, const void *b);

/* An address at the beginning of a label: "00001000: add", "0x1000.2: st", "12000d918 iALU".
 * Returns the position after it and one separator, or `begin` where there is none. */
const char *stages_address(const char *begin, const char *end, uint64_t *address, uint32_t *micro);

#endif
