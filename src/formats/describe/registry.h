/* SPDX-License-Identifier: MIT */
/* formats/describe/registry.h: described formats, for the list of all formats. */
#ifndef SPOOR_FORMATS_DESCRIBE_REGISTRY_H
#define SPOOR_FORMATS_DESCRIBE_REGISTRY_H

#include "formats/format.h"
#include "wave/mapping.h"

/* The descriptions in the library; the last has no name.  The build makes them of *.spoor-format in
 * src/formats/described. */
struct builtin_description {
    const char *name, *text;
};
extern const struct builtin_description builtin_descriptions[];

/* The formats that descriptions define, but those that another one of the same name replaced. */
size_t described_count(void);
const struct spoor_format *described_at(size_t index);
/* By name, or by identity; NULL: there is none. */
const struct spoor_format *described_find(const char *name);
/* The mapping of a format that a mapping defines; NULL: it is another format. */
const struct wave_mapping *described_mapping(const struct spoor_format *format);
/* True if the lines of the format are made of waveforms. */
bool described_reads_waveforms(const struct spoor_format *format);
/* Appends the description that is proposed for a log, of which the sample is the beginning; *share:
 * of its lines, those that it takes as records.  SPOOR_EINPUT: nothing is known of its lines. */
enum spoor_status describe_propose(const char *name, struct spoor_slice sample, struct text *out,
                                   double *share, struct spoor_error *error);

/* What a described format of text takes of a log, whose batches it read, in order.  NULL or false:
 * memory ran out; describe_trial_end() releases the trial. */
struct describe_trial *describe_trial_new(const struct spoor_format *format);
bool describe_trial_feed(struct describe_trial *trial, const struct spoor_batch *batch);
struct spoor_describe_trial *describe_trial_end(struct describe_trial *trial);

/* The format of the identity, by the description that a .spoor file carries; NULL: the text is not
 * that description, or has a mistake. */
const struct spoor_format *described_carried(const char *identity, struct spoor_slice text);

#endif
