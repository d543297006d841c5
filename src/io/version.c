/* SPDX-License-Identifier: MIT */
/* version.c: the version of libspoor and its built-in features. */
#include "spoor/version.h"

#ifdef SPOOR_WITH_ISAL
#define GZIP "gzip (isa-l) "
#elif defined SPOOR_WITH_ZLIB
#define GZIP "gzip (zlib) "
#else
#define GZIP
#endif
#ifdef SPOOR_WITH_ZSTD
#define ZSTD "zstd "
#else
#define ZSTD
#endif
#ifdef SPOOR_WITH_XZ
#define XZ "xz "
#else
#define XZ
#endif
#ifdef SPOOR_WITH_BZIP2
#define BZIP2 "bzip2 "
#else
#define BZIP2
#endif
#ifdef SPOOR_WITH_LZ4
#define LZ4 "lz4 "
#else
#define LZ4
#endif

#ifdef SPOOR_WITH_ELFUTILS
#define LINES " lines (elfutils)"
#else
#define LINES
#endif

const char *spoor_version(void)
{
    return SPOOR_VERSION;
}

const char *spoor_features(void)
{
    return GZIP ZSTD XZ BZIP2 LZ4 "threads" LINES;
}
