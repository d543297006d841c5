/* SPDX-License-Identifier: MIT */
/*
 * error.h: how libspoor says that something went wrong.
 *
 * The library never prints, never exits and keeps no global state.  Functions that can fail return
 * a short ladder of results and, where they take one, fill an error that the *caller* owns.
 */
#ifndef SPOOR_ERROR_H
#define SPOOR_ERROR_H

#include <stdint.h>

/* The result ladder.  Anything below zero is an error; the caller's spoor_error then has a
 * sentence. */
enum spoor_status {
    SPOOR_OK = 0,      /* done, and there may be more */
    SPOOR_END = 1,     /* the input ended where it should */
    SPOOR_EUSAGE = -1, /* the caller asked for something that makes no sense */
    SPOOR_EINPUT = -2, /* the input cannot be read, or stops being readable here */
    SPOOR_EOUTPUT =
        -3, /* the output could not be written (full disk, closed pipe: see system_error) */
    SPOOR_ENOMEM = -4, /* memory ran out */
    SPOOR_ELOSSY = -5, /* a conversion would lose something and was not told to */
};

/* Filled by the call that failed; untouched by one that succeeded.  Zero-initialise it once. */
struct spoor_error {
    enum spoor_status status;
    int system_error; /* errno where the operating system refused, else 0 */
    uint64_t line;    /* 1-based line in a text trace, 0 where unknown */
    uint64_t offset;  /* byte offset in the (decompressed) trace; meaningful where line is 0 */
    char text[480];   /* one sentence without a final newline: what was found, what was expected */
};

/* Fill `error` (may be NULL) and return `status`, so that failing is one statement. */
enum spoor_status spoor_error_set(struct spoor_error *error, enum spoor_status status,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, with errno's words behind the sentence and errno kept in system_error. */
enum spoor_status spoor_error_system(struct spoor_error *error, enum spoor_status status,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
