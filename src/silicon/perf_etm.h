/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_etm.h: ETM and ETE in a perf.data, as a CoreSight snapshot whose buffers and memory
 * lie in the file and in the images of its processes.
 */
#ifndef SPOOR_SILICON_PERF_ETM_H
#define SPOOR_SILICON_PERF_ETM_H

#include "silicon/coresight_decoder.h"
#include "silicon/perf_aux.h"
#include "silicon/perf_code.h"
#include "silicon/perf_file.h"

/* Opens the decoder, from a buffer on, as coresight_decoder_open() does.  What is passed must
 * outlive it. */
enum spoor_status perf_etm_open(struct coresight_decoder **decoder, const struct perf_file *file,
                                const struct perf_aux *aux, struct perf_code *code, size_t buffer,
                                struct spoor_error *error);

#endif
