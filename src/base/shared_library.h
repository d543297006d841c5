/* SPDX-License-Identifier: MIT */
/*
 * shared_library.h: a shared library that is loaded at its first use.
 *
 * A large library that few verbs use costs every run of the program its relocations if the program
 * is linked with it.  Such a library is loaded here instead, by the code that calls it.
 */
#ifndef SPOOR_BASE_SHARED_LIBRARY_H
#define SPOOR_BASE_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function of the library, and the function pointer that receives its address. */
struct shared_function {
    const char *name;
    void *pointer; /* address of the function pointer */
};

/* Loads the library and looks up its functions.  The library stays loaded until the process ends,
 * so a second call is cheap.  False: the library or a function is missing; *reason states which,
 * until the next call in this thread. */
bool shared_library_load(const char *name, const struct shared_function *functions, size_t count,
                         const char **reason);

#endif
