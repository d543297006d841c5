/* SPDX-License-Identifier: MIT */
/*
 * shared_library.h: loads a library of the table shared_libraries.def when it is first used.
 *
 * The code that calls a library has a struct with a pointer to each of its functions:
 *
 *     static struct {
 *         RSVG_FUNCTIONS(SHARED_POINTER)
 *     } rsvg;
 *     char sentence[SHARED_SENTENCE];
 *     if (!shared_library_load(&shared_libraries[SHARED_rsvg], &rsvg, sentence)) ...
 *     rsvg.cairo_destroy(cairo);
 */
#ifndef SPOOR_BASE_SHARED_LIBRARY_H
#define SPOOR_BASE_SHARED_LIBRARY_H

#include <stdbool.h>

/* The members of such a struct, from the declarations of the functions. */
#define SHARED_POINTER(function) __typeof__(function) *function;

#define SHARED_LIBRARY(name, ...) SHARED_##name,
enum shared_library_id {
#include "base/shared_libraries.def"
    SHARED_LIBRARIES
};
#undef SHARED_LIBRARY

enum { SHARED_FILES = 2, SHARED_SENTENCE = 512 };

struct shared_library {
    const char *package;             /* of Debian */
    const char *const *functions;    /* NULL after the last */
    const char *files[SHARED_FILES]; /* NULL: there is none but the first */
};
extern const struct shared_library shared_libraries[SHARED_LIBRARIES];

/*
 * Sets the pointers, in the order of the functions, once: all of them or none.  Any thread may call
 * it.  The library stays loaded until the process ends.
 *
 * False: it, or one of its functions, is missing.  `sentence`, which may be NULL, then names the
 * library, the reason and the package; errno is ENOMEM if memory ran out.
 */
bool shared_library_load(const struct shared_library *library, void *pointers,
                         char sentence[SHARED_SENTENCE]);

#endif
