/* SPDX-License-Identifier: MIT */
/* formats/spoor/encode.h: records to segments. */
#ifndef SPOOR_FORMATS_SPOOR_ENCODE_H
#define SPOOR_FORMATS_SPOOR_ENCODE_H

#include "formats/spoor/dictionary.h"
#include "formats/spoor/footer.h"
#include "formats/spoor/segment.h"

/* Ids of a stream to ids of the dictionary. */
struct encode_ids {
    spoor_name ids[1 << 16]; /* 0: not known yet */
};

typedef uint64_t word_pair __attribute__((vector_size(16)));
enum { WORD_PAIRS = WORDS / 2 };

/* A template as its records are in their stream, with the stream's ids: a line of
 * the processor's cache.  In the place of the time, which always varies, is what else is known. */
struct known_record {
    uint32_t generation;       /* of the ids; another than the encoder's: not known */
    uint8_t varies;            /* bit i: word i varies */
    uint8_t reg;               /* the number of its register in the model */
    uint8_t lanes;             /* in the encoder's list */
    uint8_t high;              /* the high part of its template's id */
    uint64_t words[WORDS - 1]; /* those after the time */
};
_Static_assert(sizeof(struct known_record) == sizeof(struct spoor_record), "word for word");
enum { KNOWN_BITS = 16 };

struct segment_encoder {
    struct model model; /* first: see large_alloc() */
    _Alignas(sizeof(struct known_record)) struct known_record known[1 << KNOWN_BITS];
    struct dictionary dictionary;
    struct section_packer packer;
    uint32_t terse; /* number of the last segment for which LZMA is tried */
    struct text columns[SECTIONS_MAX], payload;
    struct segment_head head;      /* of the current segment */
    uint32_t segment;              /* its number */
    size_t templates_before;       /* in the dictionary */
    uint32_t ids[SEGMENT_RECORDS]; /* of its templates */
    uint32_t run;                  /* templates that were predicted, since the last miss */
    int64_t last_id;               /* of the last new template; -1: none */
    bool faulty;                   /* a record of the segment has a fault */
    bool timed;                    /* times differ, from some record on */
    uint64_t records, places;      /* so far */
    uint64_t time;                 /* of the last record */
    uint64_t written;              /* bytes of blocks so far */
    struct spoor_ref last_spills[SPOOR_SPILLS]; /* in `spilled` */
    struct text spilled;
    const struct spoor_format *content; /* the format whose spellings are stored */
    const struct spoor_stream *stream;  /* that `names` and `spellings` are of */
    struct encode_ids names, spellings;
    struct footer footer; /* the segments so far */
    uint32_t generation;
    word_pair masks[256][WORD_PAIRS]; /* by `varies`: of what does not vary */
    struct lanes_list lanes;          /* of known records */
    bool failed;                      /* memory ran out */
};

/* LZMA is tried for short columns of the first `terse` segments.  NULL if memory runs out. */
struct segment_encoder *segment_encoder_new(uint32_t terse);
void segment_encoder_free(struct segment_encoder *encoder);

/* Adds records; full segments are appended to `out`.  `seam`: ids of the stream may have changed.
 */
void segment_encoder_add(struct segment_encoder *encoder, const struct spoor_batch *batch,
                         size_t from, size_t to, bool seam, struct text *out);
/* Bytes of the index of the trace were appended: they belong to the last segment that was. */
void segment_encoder_follow(struct segment_encoder *encoder, size_t size);
/* Appends the segment with the records that are left; none follows.  Releases what only records
 * need: the index of the trace is yet to be made. */
void segment_encoder_end(struct segment_encoder *encoder, struct text *out);

/* ---- what a record has besides its template (encode_lanes.c) ---- */

/* A lane about to be stored. */
struct encode_lane {
    enum lane_class class;
    uint32_t slot;
    struct model_context *context;
    uint64_t memory;
};

/* A value that the way of its context does not predict, of a record of the kind. */
void encode_unexpected(struct segment_encoder *encoder, const struct encode_lane *lane,
                       uint64_t value, unsigned kind);

void encode_spills(struct segment_encoder *encoder, const struct spoor_batch *batch, size_t index);
void encode_faults(struct segment_encoder *encoder, const struct spoor_batch *batch, size_t index);

#endif
