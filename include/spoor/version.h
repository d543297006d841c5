/* SPDX-License-Identifier: MIT */
/* version.h: the version of libspoor and the features that it was built with. */
#ifndef SPOOR_VERSION_H
#define SPOOR_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char *spoor_version(void);
/* The features built in, with the library that each uses: "gzip (isa-l) zstd xz bzip2 lz4 checksums
 * (xxhash) regex (pcre2) lines (elfutils) sql (sqlite) threads". */
const char *spoor_features(void);
/* The features that were not built in, in the same words, each followed by a space; "": none. */
const char *spoor_features_absent(void);

#ifdef __cplusplus
}
#endif

#endif
