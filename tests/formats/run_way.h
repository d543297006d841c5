/* SPDX-License-Identifier: MIT */
/* run_way.h: runs the same tests for each decoder, which is their state. */
#ifndef TESTS_FORMATS_RECORDS_RUN_WAY_H
#define TESTS_FORMATS_RECORDS_RUN_WAY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline void give_way(struct CMUnitTest *tests, size_t count, const void *way)
{
    for (size_t i = 0; i < count; i++) tests[i].initial_state = (void *)(uintptr_t)way;
}

/* Runs the array of tests and returns how many failed; the way has a name. */
#define RUN_WAY(way, tests)                                                                    \
    (give_way((tests), sizeof(tests) / sizeof *(tests), (way)), printf("# %s\n", (way)->name), \
     cmocka_run_group_tests_name((way)->name, (tests), NULL, NULL))

#endif
