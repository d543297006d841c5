/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/footer.h: the blocks after the last segment.
 *
 * They are the late description (LATE), the rest of the index of the trace (HIST), the table of
 * segments (INDX) and where these begin (TAIL).  A file that ends before has the same records; it
 * is entered by reading the heads of its blocks.
 */
#ifndef SPOOR_FORMATS_SPOOR_FOOTER_H
#define SPOOR_FORMATS_SPOOR_FOOTER_H

#include "formats/spoor/block.h"

struct footer_segment {
    uint64_t offset;        /* of its pages */
    uint64_t record, place; /* ordinals of its first record, and of its line or binary record */
    uint32_t pages;         /* bytes of the blocks before its block SEGM */
    uint32_t size;          /* of its blocks */
    uint32_t history;       /* bytes of its last blocks, which hold a part of the index */
    uint32_t records;
    uint32_t dictionary; /* its number */
    bool faulty;         /* records of it do not keep their format */
};

struct footer {
    uint64_t offset, end; /* of the first block after the last segment; of the file */
    uint64_t records;
    struct footer_segment *segments;
    size_t count, capacity;
};
void footer_free(struct footer *footer);

/* Adds a segment; false if memory runs out. */
bool footer_add(struct footer *footer, const struct footer_segment *segment);
/* Appends INDX and TAIL. */
void footer_put(const struct footer *footer, struct text *out);

/* Reads the table of an uncompressed file; false if it has none that is whole. */
bool footer_read(struct footer *footer, int file);
/* Appends the payload of the next block of the type from *at on, and moves *at to its end; false if
 * none that is whole ends before `end`. */
bool footer_block(int file, uint64_t *at, uint64_t end, enum block_type type, struct text *payload);
/* True if every block before `end` has its checksum.  It reads all bytes of them. */
bool footer_blocks_intact(int file, uint64_t end);
/* Appends the late description of an uncompressed file; false if it has none that is whole. */
bool footer_late(int file, struct text *lines);
/* The last segment that begins at the record or before; NULL: there is none. */
const struct footer_segment *footer_find(const struct footer *footer, uint64_t record);
/* The segment that begins at the offset; NULL: there is none. */
const struct footer_segment *footer_at(const struct footer *footer, uint64_t offset);

#endif
