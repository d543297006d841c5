/* SPDX-License-Identifier: MIT */
/* test_child.c: bytes of a process: its end, its crash, what it leaves behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/error.h"
#include "silicon/child.h"

enum { PUT = 5 << 20 /* more than a pipe holds */ };

enum ends { BY_RETURN, BY_FAILURE, BY_CRASH, BY_UNKNOWN_CRASH, BY_EXIT };

static uint8_t byte_at(size_t at)
{
    return (uint8_t)(at * 7 ^ at >> 9);
}

static enum spoor_status run(void *context, struct spoor_error *error)
{
    const enum ends *ends = context;
    uint8_t bytes[1000];
    for (size_t at = 0; at < PUT; at += sizeof bytes) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = byte_at(at + i);
        if (!child_put(bytes, PUT - at < sizeof bytes ? PUT - at : sizeof bytes)) _exit(9);
    }
    switch (*ends) {
    case BY_FAILURE: return spoor_error_set(error, SPOOR_EINPUT, "a sentence of %d", 5);
    case BY_CRASH:
    case BY_UNKNOWN_CRASH: raise(SIGSEGV); break;
    case BY_EXIT: _exit(3);
    default: break;
    }
    return SPOOR_END;
}

static bool crash(void *context, int number, uint64_t *place)
{
    const enum ends *ends = context;
    if (*ends == BY_UNKNOWN_CRASH) return false;
    *place = (uint64_t)number + 100;
    return child_put("!", 1);
}

static const struct child_work work = {.run = run, .crash = crash};

/* Reads to the end, and returns how many bytes there were. */
static size_t read_all(struct child *child)
{
    uint8_t bytes[4096];
    size_t all = 0, size;
    while ((size = child_read(child, bytes, sizeof bytes)) > 0)
        for (size_t i = 0; i < size; i++, all++)
            assert_int_equal(bytes[i], all < PUT ? byte_at(all) : '!');
    return all;
}

static unsigned descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        enum ends ends;
        enum child_end how;
        enum spoor_status status;
        const char *text;
    } cases[] = {
        {BY_RETURN, CHILD_ENDED, SPOOR_END, ""},
        {BY_FAILURE, CHILD_ENDED, SPOOR_EINPUT, "a sentence of 5"},
        {BY_CRASH, CHILD_CRASHED, SPOOR_OK, ""},
        {BY_UNKNOWN_CRASH, CHILD_LOST, SPOOR_EINPUT,
         "trace: its decoder was ended by Segmentation fault"},
        {BY_EXIT, CHILD_LOST, SPOOR_EINPUT, "trace: its decoder was ended by something else"}};
    const unsigned before = descriptors();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_error error = {.text = ""};
        enum ends ends = cases[i].ends;
        enum spoor_status status;
        uint64_t place;
        struct child *child = child_start(&work, &ends, "trace", &error);
        assert_non_null(child);
        assert_false(child_is_empty(child));
        assert_int_equal(read_all(child), PUT + (ends == BY_CRASH));
        assert_int_equal(child_how(child, &status, &place, &error), cases[i].how);
        if (ends == BY_CRASH) assert_int_equal(place, SIGSEGV + 100);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(error.text, cases[i].text);
        child_free(child);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
        assert_int_equal(errno, ECHILD);
    }
    assert_int_equal(descriptors(), before);
}

/* One that is closed before its end waits in the middle of a write. */
static void test_closed_early(void **state)
{
    (void)state;
    const unsigned before = descriptors();
    enum ends ends = BY_RETURN;
    struct spoor_error error;
    for (int i = 0; i < 20; i++) {
        uint8_t byte;
        struct child *child = child_start(&work, &ends, "trace", &error);
        assert_non_null(child);
        if (i % 2) assert_int_equal(child_read(child, &byte, 1), 1);
        child_free(child);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    }
    assert_int_equal(descriptors(), before);
}

static enum spoor_status run_empty(void *context, struct spoor_error *error)
{
    (void)context;
    DIR *folder = opendir("/proc/self/fd"); /* 0 to 3, itself and two dots */
    unsigned count = 0;
    while (folder && readdir(folder)) count++;
    return spoor_error_set(error, SPOOR_EUSAGE, "%u entries", count);
}

static void test_empty(void **state)
{
    (void)state;
    static const struct child_work empty = {.run = run_empty, .crash = crash};
    struct spoor_error error;
    enum spoor_status status;
    uint64_t place;
    struct child *child = child_start(&empty, NULL, "trace", &error);
    assert_non_null(child);
    assert_true(child_is_empty(child));
    uint8_t byte;
    assert_int_equal(child_read(child, &byte, 1), 0);
    assert_int_equal(child_how(child, &status, &place, &error), CHILD_ENDED);
    assert_int_equal(status, SPOOR_EUSAGE);
    assert_string_equal(error.text, "7 entries");
    child_free(child);
}

/* A host that lets the system wait for its children. */
static void test_ignored_children(void **state)
{
    (void)state;
    enum ends ends = BY_RETURN;
    struct spoor_error error;
    enum spoor_status status;
    uint64_t place;
    signal(SIGCHLD, SIG_IGN);
    struct child *child = child_start(&work, &ends, "trace", &error);
    assert_non_null(child);
    assert_int_equal(read_all(child), PUT);
    assert_int_equal(child_how(child, &status, &place, &error), CHILD_ENDED);
    child_free(child);
    child = child_start(&work, &ends, "trace", &error);
    assert_non_null(child);
    child_free(child);
    signal(SIGCHLD, SIG_DFL);
}

static void *read_in_thread(void *context)
{
    enum ends ends = BY_CRASH;
    struct spoor_error error;
    for (int i = 0; i < 5; i++) {
        struct child *child = child_start(&work, &ends, "trace", &error);
        if (!child || read_all(child) != PUT + 1) return context;
        child_free(child);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_in_thread, state), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static void test_no_process(void **state)
{
    (void)state;
    struct rlimit before, none;
    struct spoor_error error = {.text = ""};
    enum ends ends = BY_RETURN;
    if (geteuid() == 0) skip(); /* whom the limit does not hold */
    getrlimit(RLIMIT_NPROC, &before);
    none = (struct rlimit){0, before.rlim_max};
    setrlimit(RLIMIT_NPROC, &none);
    struct child *child = child_start(&work, &ends, "trace", &error);
    setrlimit(RLIMIT_NPROC, &before);
    assert_null(child);
    assert_string_equal(error.text, "trace: no process can be started to decode it: Resource "
                                    "temporarily unavailable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),    cmocka_unit_test(test_closed_early),
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_ignored_children),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_no_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
