/* SPDX-License-Identifier: MIT */
/*
 * io/waveform.h: waveforms as files of a trace: their bytes are the text that wave/wave.h makes.
 */
#ifndef SPOOR_IO_WAVEFORM_H
#define SPOOR_IO_WAVEFORM_H

#include "io/bytes.h"

/* True unless the caller named a format that is not made of waveforms. */
bool waveform_may_be(const struct spoor_format *format);
/* What stands for a compression: "vcd", "fst", "ghw"; NULL: the bytes begin no waveform. */
const struct compression *waveform_form(const void *bytes, size_t size);
bool waveform_is_form(const struct compression *compression);

/* Sets bytes->waveform.  `read` delivers the waveform's bytes, after the `size` bytes that were
 * read already. */
typedef enum spoor_status waveform_source(void *bytes, void *to, size_t capacity, size_t *size,
                                          struct spoor_error *error);
enum spoor_status waveform_open(struct bytes *bytes, waveform_source *read, const void *first,
                                size_t size, struct spoor_error *error);
enum spoor_status waveform_read(struct waveform *waveform, struct bytes *bytes, void *to,
                                size_t capacity, size_t *size, struct spoor_error *error);
/* "vcd", "fst", "ghw"; NULL: it could not be opened. */
const char *waveform_kind(const struct waveform *waveform);
/* Units of the lines' times in one of the waveform; 0: it could not be opened. */
uint64_t waveform_step(const struct waveform *waveform);
/* The name of the mapping that was chosen; NULL: none fits. */
const char *waveform_mapping(const struct waveform *waveform);
void waveform_close(struct waveform *waveform);

#endif
