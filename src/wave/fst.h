/* SPDX-License-Identifier: MIT */
/* wave/fst.h: what the reader and the writer of FST share: the sections of a file (fst.c). */
#ifndef SPOOR_WAVE_FST_H
#define SPOOR_WAVE_FST_H

enum fst_section {
    FST_HEADER,
    FST_CHANGES,
    FST_BLACKOUT,
    FST_GEOMETRY,
    FST_NAMES_GZIP,
    FST_CHANGES_ALIAS,
    FST_NAMES_LZ4,
    FST_NAMES_LZ4_TWICE,
    FST_CHANGES_ALIAS_2,
    FST_WRAPPED = 254,
    FST_UNFINISHED = 255,
};

enum {
    FST_HEADER_SIZE = 329, /* with the 8 bytes of its length */
    FST_SECTION_HEAD = 9,
};

/* Tags of the hierarchy; below them, the type of a variable. */
enum fst_tag {
    FST_WIRE = 16,
    FST_STRING = 21,
    FST_LAST_TYPE = 29,
    FST_ATTRIBUTE = 252,
    FST_ATTRIBUTE_END,
    FST_SCOPE,
    FST_SCOPE_END
};

/* The digits of a bit that is neither 0 nor 1, by their number in a chain. */
#define FST_DIGITS "xzhuwl-?"

#endif
