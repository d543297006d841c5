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

/*
 * SHARED_LIBRARY(lz4, LZ4_FUNCTIONS, "liblz4.so.1")
 *
 * declares what a file calls of a library whose header it includes: the static struct `lz4` has a
 * pointer to each function (or variable) FUNCTION of the list, which is
 *   #define LZ4_FUNCTIONS(X) X(FUNCTION) X(FUNCTION) ...
 * and lz4_load(&reason) sets them, from the first of the libraries named that the system has;
 * false: as shared_library_load().  Any thread may call it.  Where the build links libraries
 * (SPOOR_LINKS_LIBRARIES), they are always set.
 */
#define SHARED_POINTER(function) __typeof__(function) *function;
#ifdef SPOOR_LINKS_LIBRARIES
#define SHARED_ADDRESS(function) .function = &(function),
#define SHARED_LIBRARY(library, LIST, ...)          \
    static const struct library {                   \
        LIST(SHARED_POINTER)                        \
    } library = {LIST(SHARED_ADDRESS)};             \
    static bool library##_load(const char **reason) \
    {                                               \
        (void)reason;                               \
        return true;                                \
    }
#else
#define SHARED_NAME(function) #function,
#define SHARED_LIBRARY(library, LIST, ...)                                   \
    static struct library {                                                  \
        LIST(SHARED_POINTER)                                                 \
    } library;                                                               \
    static bool library##_load(const char **reason)                          \
    {                                                                        \
        static const char *const files[] = {__VA_ARGS__, NULL};              \
        static const char *const names[] = {LIST(SHARED_NAME) NULL};         \
        static bool loaded;                                                  \
        return shared_library_fill(files, names, &library, &loaded, reason); \
    }
#endif

/* For SHARED_LIBRARY: sets the pointers of a struct to the functions of these names, once. */
bool shared_library_fill(const char *const *files, const char *const *names, void *pointers,
                         bool *loaded, const char **reason);

#endif
