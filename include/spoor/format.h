/* SPDX-License-Identifier: MIT */
/*
 * format.h: the formats of the library.
 *
 * A format has a name, the kinds and fields that it can represent, and a probe that scores how
 * likely bytes are in the format.  Readers and writers take a format by pointer; nothing else
 * distinguishes formats.
 */
#ifndef SPOOR_FORMAT_H
#define SPOOR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_format;
struct spoor_stream;

/* All formats, in a fixed order: index 0 .. count - 1.  NULL past the end. */
size_t spoor_format_count(void);
const struct spoor_format *spoor_format_at(size_t index);
/* By name ("byu12"); NULL if there is none. */
const struct spoor_format *spoor_format_find(const char *name);

/* The format of records that come from no trace: a program made them.  A writer then adds what its
 * own document requires, such as the unit of the time and the names of processors. */
const struct spoor_format *spoor_format_none(void);

const char *spoor_format_name(const struct spoor_format *format);     /* "byu12" */
const char *spoor_format_title(const struct spoor_format *format);    /* one line */
const char *spoor_format_suffixes(const struct spoor_format *format); /* "tr;byu": hints */
const char *spoor_format_document(const struct spoor_format *format); /* the document that defines
                                                                       * it */
bool spoor_format_reads(const struct spoor_format *format);
bool spoor_format_writes(const struct spoor_format *format);
/* Bytes of a record; 0 for text, where a record is a line. */
size_t spoor_format_record_size(const struct spoor_format *format);
/* True if the records of a trace are in the order of execution.  False: the number of an
 * instruction (its index) states that order (O3PipeView). */
bool spoor_format_is_ordered(const struct spoor_format *format);
/* True if logs of the format have lines of other programs between their own (what a simulated
 * program prints, a simulator's messages): they are notes, SPOOR_NOTE_COMMENT. */
bool spoor_format_has_console(const struct spoor_format *format);
/* True if files of the format hold records of any format, and lose none of them. */
bool spoor_format_is_container(const struct spoor_format *format);
/* True if the format is a table of the fields of records, for other programs: it is only written,
 * and holds every field. */
bool spoor_format_is_table(const struct spoor_format *format);
/* Content fields of records of `kind` that the format can represent; 0: it has no records of this
 * kind. */
spoor_field_set spoor_format_fields(const struct spoor_format *format, enum spoor_kind kind);
/* True if reading the format can produce records of `kind`; other kinds that it can represent are
 * converted when they are written. */
bool spoor_format_produces(const struct spoor_format *format, enum spoor_kind kind);

/* Sets the format of the records of a stream. */
void spoor_stream_set_format(struct spoor_stream *stream, const struct spoor_format *format);

/* The input of a probe: the first bytes of the decompressed trace. */
struct spoor_head {
    const uint8_t *bytes;
    size_t size;
    bool whole; /* this is the whole trace */
};

/* The two formats with the highest scores, 0 (no) to 100.  A score of 0 comes without a format. */
struct spoor_score {
    const struct spoor_format *format;
    int score;
};
struct spoor_ranking {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    struct spoor_score best, second;
    bool out_of_memory; /* not every format could be scored */
};
void spoor_format_rank(const struct spoor_head *head, struct spoor_ranking *ranking);
/* The score of one format, 0 (no) to 100; -1: memory ran out. */
int spoor_format_probe(const struct spoor_format *format, const struct spoor_head *head);

/* The ticks of a cycle in a log that states times in ticks, as gem5 does, inferred from `count`
 * differences between times of stages, an array that the function sorts: the greatest common
 * divisor of all, or the commonest difference if that is greater and divides at least eight in ten.
 * With count 0: 1,000, which gem5's own viewer assumes. */
uint64_t spoor_stages_cycle(uint64_t *differences, size_t count);

#ifdef __cplusplus
}
#endif

#endif
