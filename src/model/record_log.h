/* SPDX-License-Identifier: MIT */
/*
 * record_log.h: records as bytes, for states of a part of a trace that must be continued by the
 * records themselves.
 *
 * A record is its kind, the distance of its number from the one before, a bit for each of its words
 * that differs from the last record of its kind, and the differences of these words.  It loses its
 * spelling and what refers to its batch: text, data over 128 bits, spills.
 */
#ifndef SPOOR_MODEL_RECORD_LOG_H
#define SPOOR_MODEL_RECORD_LOG_H

#include "base/pack.h"
#include "spoor/record.h"

/* Zeroed: no record came so far. */
struct record_log {
    uint64_t number; /* of the last record */
    struct spoor_record last[SPOOR_KINDS];
};

/* Appends a record; numbers do not decrease. */
void record_log_add(struct record_log *log, struct text *bytes, const struct spoor_record *record,
                    uint64_t number);
/* The next record, whose number is then log->number.  False: the bytes are damaged. */
bool record_log_next(struct record_log *log, struct unpacker *from, struct spoor_record *record);

#endif
