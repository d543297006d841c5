/* SPDX-License-Identifier: MIT */
/*
 * press.h: compressing beside the caller.
 *
 * What the caller puts is gathered into portions of one size, so that what becomes of it does not
 * depend on who compresses it, or when.  A thread compresses the portions and writes them, while
 * the caller makes the next ones.
 */
#ifndef SPOOR_IO_PRESS_H
#define SPOOR_IO_PRESS_H

#include <stddef.h>

#include "spoor/error.h"

enum { PRESS_PORTION = 256 << 10 };

struct press;

/* Compress some bytes and write what comes of it. */
typedef enum spoor_status press_work(void *context, const void *bytes, size_t size,
                                     struct spoor_error *error);

/* `work` is called with portions, one after the other; NULL without memory. */
struct press *press_open(press_work *work, void *context);
/* From now on by a thread, if there is one to be had. */
void press_use_thread(struct press *press);
/* These give the first failure of `work`, be it of what was put before. */
enum spoor_status press_put(struct press *press, const void *bytes, size_t size,
                            struct spoor_error *error);
/* Have `work` done for all that was put; it is not called again before there is more. */
enum spoor_status press_drain(struct press *press, struct spoor_error *error);
/* Leaves undone what has not been drained. */
void press_close(struct press *press);

#endif
