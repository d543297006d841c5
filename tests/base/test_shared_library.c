/* SPDX-License-Identifier: MIT */
/* Tests loading the functions of a library, from the first file that the system has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/shared_library.h"

double no_such_function(double number); /* of no library */

#define MATH_FUNCTIONS(X) X(fmod) X(hypot)
SHARED_LIBRARY(math, MATH_FUNCTIONS, "libspoor-no-such.so.9", "libm.so.6")
#ifndef SPOOR_LINKS_LIBRARIES
SHARED_LIBRARY(absent, MATH_FUNCTIONS, "libspoor-no-such.so.9")
#define MORE_FUNCTIONS(X) X(fmod) X(no_such_function)
SHARED_LIBRARY(incomplete, MORE_FUNCTIONS, "libm.so.6")
#endif

static void test_loads_the_first_file_that_exists(void **state)
{
    const char *reason = NULL;
    (void)state;
    for (int time = 0; time < 2; time++) {
        assert_true(math_load(&reason));
        assert_true(math.fmod(7, 4) == 3);
        assert_true(math.hypot(3, 4) == 5);
    }
}

static void test_names_what_is_missing(void **state)
{
    (void)state;
#ifdef SPOOR_LINKS_LIBRARIES
    skip();
#else
    const char *reason = NULL;
    assert_false(absent_load(&reason));
    assert_non_null(strstr(reason, "libspoor-no-such.so.9"));
    assert_false(incomplete_load(&reason));
    assert_non_null(strstr(reason, "no_such_function"));
    assert_null(incomplete.fmod);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_the_first_file_that_exists),
        cmocka_unit_test(test_names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
