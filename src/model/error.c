/* SPDX-License-Identifier: MIT */
/* error.c: filling the error that a caller owns, the words of faults, and options that carry their
 * size. */
#include "model/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/options.h"
#include "spoor/batch.h"

/* strerror_r is thread-safe.  That of GNU may return a constant instead of filling `words`; that of
 * POSIX returns a number. */
static inline const char *reason_of_gnu(const char *reason, const char *words)
{
    (void)words;
    return reason;
}

static inline const char *reason_of_posix(int failed, const char *words)
{
    return failed ? "unknown error" : words;
}

#define REASON(number, words) \
    _Generic(strerror_r(number, words, sizeof words), char *: reason_of_gnu, default : \
             reason_of_posix)(strerror_r(number, words, sizeof words), words)

enum spoor_status spoor_error_set(struct spoor_error *error, enum spoor_status status,
                                  const char *format, ...)
{
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->status = status;
    error->system_error = 0;
    error->line = error->offset = 0;
    return status;
}

enum spoor_status spoor_error_system(struct spoor_error *error, enum spoor_status status,
                                     const char *format, ...)
{
    int number = errno;
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (used >= 0 && (size_t)used < sizeof error->text) {
        char words[128];
        const char *reason = REASON(number, words);
        snprintf(error->text + used, sizeof error->text - (size_t)used, ": %s", reason);
    }
    error->status = status;
    error->system_error = number;
    error->line = error->offset = 0;
    return status;
}

enum spoor_status error_no_memory(struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
}

enum spoor_status error_no_memory_while(struct spoor_error *error, const char *path,
                                        const char *doing)
{
    return spoor_error_set(error, SPOOR_ENOMEM, "%s%sout of memory%s%s", path ? path : "",
                           path ? ": " : "", doing ? " while " : "", doing ? doing : "");
}

enum spoor_status memory_check(const char *what, uint64_t needed, uint64_t allowed,
                               struct spoor_error *error)
{
    char sentence[MEMORY_SENTENCE];
    if (memory_fits(what, needed, allowed, sentence)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "%s", sentence);
}

void struct_fill(void *to, const void *made, size_t size)
{
    size_t room;
    memcpy(&room, to, sizeof room);
    const size_t known = room && room < size ? room : size;
    if (known > sizeof room)
        memcpy((char *)to + sizeof room, (const char *)made + sizeof room, known - sizeof room);
    if (room > known) memset((char *)to + known, 0, room - known);
}

enum spoor_status memory_status(bool enough, struct spoor_error *error)
{
    return enough ? SPOOR_OK : spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
}

/* ---- faults ---- */

enum { MAX_SHOWN = 48 }; /* bytes; each takes up to four characters */

const char *spoor_fault_found(const struct spoor_batch *batch, const struct spoor_fault *fault,
                              char words[SPOOR_FOUND_CAPACITY])
{
    _Static_assert(SPOOR_FOUND_CAPACITY > 4 * MAX_SHOWN + sizeof "'...'", "the shown bytes fit");
    const char *bytes = spoor_batch_bytes(batch, fault->found);
    char *at = words;
    if (fault->found.size == 0) return "the end of the line";
    *at++ = '\'';
    at = put_visible(at, bytes, fault->found.size < MAX_SHOWN ? fault->found.size : MAX_SHOWN);
    strcpy(at, fault->found.size > MAX_SHOWN ? "...'" : "'");
    return words;
}

/* ---- options ---- */

enum spoor_status options_read(void *own, size_t size, const void *options,
                               struct spoor_error *error)
{
    size_t given = size;
    memset(own, 0, size);
    if (options) memcpy(&given, options, sizeof given);
    if (given == 0) given = size; /* the members that version 0.1 has */
    if (given < sizeof given)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "the options state a size of %zu bytes, which is less than that of "
                               "the member `struct_size`",
                               given);
    if (options) memcpy(own, options, given < size ? given : size);
    memcpy(own, &size, sizeof size);
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)options)[i])
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "the options were made for a later version of libspoor: they "
                                   "have %zu bytes, expected at most %zu",
                                   given, size);
    return SPOOR_OK;
}
