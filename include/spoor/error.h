/* SPDX-License-Identifier: MIT */
/*
 * error.h: how libspoor reports errors.
 *
 * The library never prints, never exits and keeps no global state.  A function that can fail
 * returns a status and, if it takes a struct spoor_error, fills it.  The *caller* owns the error.
 */
#ifndef SPOOR_ERROR_H
#define SPOOR_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The status of a call.  Values below zero are errors; the caller's spoor_error then holds a
 * message. */
enum spoor_status {
    SPOOR_OK = 0,       /* success; there may be more */
    SPOOR_END = 1,      /* the input ended properly */
    SPOOR_EUSAGE = -1,  /* the caller passed invalid or contradictory arguments */
    SPOOR_EINPUT = -2,  /* the input cannot be read, or cannot be read beyond this point */
    SPOOR_EOUTPUT = -3, /* the output cannot be written (full disk, closed pipe: system_error) */
    SPOOR_ENOMEM = -4,  /* out of memory */
    SPOOR_ELOSSY = -5,  /* a conversion would lose content, and loss was not allowed */
};

/* A failing call fills it; a successful call does not touch it.  Zero-initialise it once. */
struct spoor_error {
    enum spoor_status status;
    int system_error; /* errno of the failed system call, else 0 */
    uint64_t line;    /* 1-based line in a text trace; 0: unknown */
    uint64_t offset;  /* byte offset in the (decompressed) trace; meaningful where line is 0 */
    char text[480];   /* one sentence without a newline at its end: what was found, what was
                       * expected */
};

/* True if memory ran out or a system call failed: the input need not be damaged, and another try
 * may succeed.  `error` is that of a call that failed. */
static inline bool spoor_error_is_of_system(const struct spoor_error *error)
{
    return error->status == SPOOR_ENOMEM || error->system_error != 0;
}

/* Fills `error` (may be NULL) and returns `status`, so that a caller can fail in one statement. */
enum spoor_status spoor_error_set(struct spoor_error *error, enum spoor_status status,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same; appends the text of errno to the message and stores errno in `system_error`. */
enum spoor_status spoor_error_system(struct spoor_error *error, enum spoor_status status,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
