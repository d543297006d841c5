/* SPDX-License-Identifier: MIT */
/* version.c: the version of libspoor, its built-in features, and those that it lacks. */
#include "spoor/version.h"

#include "base/platform.h"

#ifdef SPOOR_WITH_ISAL
#define GZIP "gzip (isa-l) "
#define NO_GZIP
#elif defined SPOOR_WITH_ZLIB
#define GZIP "gzip (zlib) "
#define NO_GZIP
#else
#define GZIP
#define NO_GZIP "gzip "
#endif
#ifdef SPOOR_WITH_ZSTD
#define ZSTD "zstd "
#define NO_ZSTD
#else
#define ZSTD
#define NO_ZSTD "zstd "
#endif
#ifdef SPOOR_WITH_XZ
#define XZ "xz "
#define NO_XZ
#else
#define XZ
#define NO_XZ "xz "
#endif
#ifdef SPOOR_WITH_BZIP2
#define BZIP2 "bzip2 "
#define NO_BZIP2
#else
#define BZIP2
#define NO_BZIP2 "bzip2 "
#endif
#ifdef SPOOR_WITH_LZ4
#define LZ4 "lz4 "
#define NO_LZ4
#else
#define LZ4
#define NO_LZ4 "lz4 "
#endif
#ifdef SPOOR_WITH_XXHASH
#define XXHASH "checksums (xxhash) "
#define NO_XXHASH
#else
#define XXHASH
#define NO_XXHASH "checksums (xxhash) "
#endif
#ifdef SPOOR_WITH_PCRE2
#define REGEX "regex (pcre2) "
#define NO_REGEX
#else
#define REGEX
#define NO_REGEX "regex (pcre2) "
#endif
#ifdef SPOOR_WITH_ELFUTILS
#define LINES "lines (elfutils) "
#define NO_LINES
#else
#define LINES
#define NO_LINES "lines (elfutils) "
#endif
#ifdef SPOOR_WITH_OPENCSD
#define CORESIGHT "coresight (opencsd) "
#define NO_CORESIGHT
#else
#define CORESIGHT
#define NO_CORESIGHT "coresight (opencsd) "
#endif
#ifdef SPOOR_WITH_IPT
#define INTEL_PT "intel-pt (libipt) "
#define NO_INTEL_PT
#else
#define INTEL_PT
#define NO_INTEL_PT "intel-pt (libipt) "
#endif
#ifdef SPOOR_WITH_SQLITE
#define SQL "sql (sqlite) "
#define NO_SQL
#else
#define SQL
#define NO_SQL "sql (sqlite) "
#endif
#ifdef SPOOR_PORTABLE
#define SYSTEM "threads portable"
#else
#define SYSTEM "threads"
#endif

const char *spoor_version(void)
{
    return SPOOR_VERSION;
}

const char *spoor_features(void)
{
    return GZIP ZSTD XZ BZIP2 LZ4 XXHASH REGEX LINES CORESIGHT INTEL_PT SQL SYSTEM;
}

const char *spoor_features_absent(void)
{
    return "" NO_GZIP NO_ZSTD NO_XZ NO_BZIP2 NO_LZ4 NO_XXHASH NO_REGEX NO_LINES NO_CORESIGHT
        NO_INTEL_PT NO_SQL;
}
