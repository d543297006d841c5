/* SPDX-License-Identifier: MIT */
/* version.h: the version of libspoor and the features that it was built with. */
#ifndef SPOOR_VERSION_H
#define SPOOR_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char *spoor_version(void);
/* The features built in, one word each: "gzip (isa-l) zstd xz bzip2 lz4 threads lines
 * (elfutils)". */
const char *spoor_features(void);

#ifdef __cplusplus
}
#endif

#endif
