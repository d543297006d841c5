/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_pt.h: all streams of Intel PT of a perf.data, merged by time.
 */
#ifndef SPOOR_SILICON_PERF_PT_H
#define SPOOR_SILICON_PERF_PT_H

#include "silicon/perf_aux.h"
#include "silicon/perf_code.h"
#include "silicon/perf_file.h"

struct perf_pt;

/* What is passed must outlive it.  NULL: memory ran out. */
struct perf_pt *perf_pt_open(struct perf_file *file, const struct perf_aux *aux,
                             struct perf_code *code);
/* Appends elements of the stream that is behind most, until all are past `until` or `out` has
 * `enough` bytes: then there is more, and it returns true. */
bool perf_pt_run(struct perf_pt *pt, uint64_t until, struct text *out, size_t enough);
void perf_pt_close(struct perf_pt *pt);

#endif
