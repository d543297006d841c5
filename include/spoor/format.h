/* SPDX-License-Identifier: MIT */
/*
 * format.h: the formats that the library knows.
 *
 * A format is described by what it is called, what it can carry and how sure it is that some bytes
 * are its own.  Readers and writers take one by pointer; nothing else tells formats apart.
 */
#ifndef SPOOR_FORMAT_H
#define SPOOR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "record.h"

struct spoor_format;
struct spoor_stream;

/* All formats, in a fixed order: index 0 .. count - 1.  NULL beyond. */
size_t spoor_format_count(void);
const struct spoor_format *spoor_format_at(size_t index);
/* By name ("byu12"); NULL if there is none. */
const struct spoor_format *spoor_format_find(const char *name);

const char *spoor_format_name(const struct spoor_format *format);     /* "byu12" */
const char *spoor_format_title(const struct spoor_format *format);    /* one line */
const char *spoor_format_suffixes(const struct spoor_format *format); /* "tr;byu": hints */
const char *spoor_format_document(const struct spoor_format *format); /* who defined it */
bool spoor_format_reads(const struct spoor_format *format);
bool spoor_format_writes(const struct spoor_format *format);
/* Bytes of a record, 0 for text where a record is a line. */
size_t spoor_format_record_size(const struct spoor_format *format);
/* Bytes before the first record of a binary trace: a NOTE of its own. */
size_t spoor_format_header_size(const struct spoor_format *format);
/* Whether one line, or binary record, may give several records (SPOOR_CONTINUES). */
bool spoor_format_joins(const struct spoor_format *format);
/* Content fields of records of `kind` that the format can carry; 0: it cannot carry the kind. */
spoor_field_set spoor_format_carries(const struct spoor_format *format, enum spoor_kind kind);
/* Whether reading the format can give records of `kind`; other kinds that it carries are made to
 * fit when they are written. */
bool spoor_format_gives(const struct spoor_format *format, enum spoor_kind kind);

/* Say which format the records of a stream are in. */
void spoor_stream_set_format(struct spoor_stream *stream, const struct spoor_format *format);

/* Name of dialect `index` of the format, counted from 0; NULL beyond the last, and where the format
 * has none. */
const char *spoor_format_dialect(const struct spoor_format *format, size_t index);
/* The dialect in which a record of a trace of this format is spelled: one of those names, or NULL
 * where all dialects spell it so.  `spelling` is the record's. */
const char *spoor_spelling_dialect(const struct spoor_stream *stream, spoor_name spelling);

/* What a probe sees: the first bytes of the decompressed trace. */
struct spoor_head {
    const uint8_t *bytes;
    size_t size;
    bool whole; /* these are all there are */
};

/* How sure the two formats are that are the surest, 0 (no) to 100.  With a score of 0, there is no
 * format. */
struct spoor_score {
    const struct spoor_format *format;
    int score;
};
struct spoor_ranking {
    struct spoor_score best, second;
};
void spoor_format_rank(const struct spoor_head *head, struct spoor_ranking *ranking);
/* The format that these bytes are in: the best of the ranking, where it clearly is; else the call
 * fails with a sentence that names the candidates and how to choose (-f). */
enum spoor_status spoor_format_detect(const struct spoor_head *head, const char *path,
                                      struct spoor_ranking *ranking, struct spoor_error *error);
/* How sure one format is, 0 (no) to 100. */
int spoor_format_probe(const struct spoor_format *format, const struct spoor_head *head);

#endif
