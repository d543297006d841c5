/* SPDX-License-Identifier: MIT */
/* Tests loading the functions of a library: of the table, and of libraries that lack something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "base/shared_library.h"

double no_such_function(double number); /* of no library */

#define MATH_FUNCTIONS(X) X(fmod) X(hypot)
#define MORE_FUNCTIONS(X) X(fmod) X(no_such_function)
#define NAME(function) #function,
static const char *const math_functions[] = {MATH_FUNCTIONS(NAME) NULL};
static const char *const more_functions[] = {MORE_FUNCTIONS(NAME) NULL};

static void test_loads_the_first_file_that_exists(void **state)
{
    const struct shared_library library = {
        "libc6", math_functions, {"libspoor-no-such.so.9", "libm.so.6"}};
    struct {
        MATH_FUNCTIONS(SHARED_POINTER)
    } math = {0};
    (void)state;
    if (!dlopen("libm.so.6", RTLD_LAZY)) skip(); /* a system without the GNU C library */
    for (int time = 0; time < 2; time++) {
        assert_true(shared_library_load(&library, &math, NULL));
        assert_true(math.fmod(7, 4) == 3);
        assert_true(math.hypot(3, 4) == 5);
    }
}

static void test_names_what_is_missing(void **state)
{
    const struct shared_library absent = {
        "libspoor-no-such9", math_functions, {"libspoor-no-such.so.9", NULL}};
    const struct shared_library incomplete = {"libc6", more_functions, {"libm.so.6", NULL}};
    struct {
        MORE_FUNCTIONS(SHARED_POINTER)
    } math = {0};
    char sentence[SHARED_SENTENCE];
    (void)state;
    assert_false(shared_library_load(&absent, &math, sentence));
    assert_non_null(strstr(sentence, "libspoor-no-such.so.9 cannot be loaded ("));
    assert_non_null(strstr(sentence, "on Debian the package libspoor-no-such9"));
    assert_false(shared_library_load(&absent, &math, NULL));
    if (!dlopen("libm.so.6", RTLD_LAZY)) skip();
    assert_false(shared_library_load(&incomplete, &math, sentence));
    assert_non_null(strstr(sentence, "no_such_function"));
    assert_null(math.fmod);
}

/* Whichever of them this machine has, it has all that is called of it. */
static void test_functions_of_the_table_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHARED_LIBRARIES; i++) {
        void *pointers[32] = {0};
        char sentence[SHARED_SENTENCE];
        const struct shared_library *library = &shared_libraries[i];
        if (!dlopen(library->files[0], RTLD_LAZY)) continue;
        if (!shared_library_load(library, pointers, sentence)) fail_msg("%s", sentence);
        for (size_t j = 0; library->functions[j]; j++) assert_non_null(pointers[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_the_first_file_that_exists),
        cmocka_unit_test(test_names_what_is_missing),
        cmocka_unit_test(test_functions_of_the_table_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
