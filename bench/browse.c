/* SPDX-License-Identifier: MIT */
/*
 * browse TRACE: how long `spoor browse` makes one wait, in milliseconds: the first screen, the
 * longest of 100 pages, the longest of 50 jumps to random times; without an index, with one, with
 * panes, and while the index is being built; then the peak memory in MiB.
 *
 * Times are those of the wall clock, as a person sees them; in parentheses the processor time of
 * the thread, which counts on a busy machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "browse/browser.h"
#include "browse/press.h"
#include "seconds.h"

enum { PAGES = 100, JUMPS = 50 };

struct worst {
    double wall, processor;
};

static double wall_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print(const char *what, struct worst worst)
{
    printf("%-44s %8.1f ms (%.1f ms)\n", what, 1e3 * worst.wall, 1e3 * worst.processor);
}

/* Opens a trace and draws its first screen. */
static struct browser *open_browser(const char *path, bool no_index, bool anew, struct worst *first)
{
    struct browser *browser = NULL;
    struct spoor_error error = {0};
    const struct browser_options options = {
        .paths = {path},
        .path_count = 1,
        .indexing = {.struct_size = sizeof(struct spoor_index_options),
                     .threads = 2,
                     .no_index = anew,
                     .needs = SPOOR_INDEX_SEGMENTS,
                     .anew = anew},
        .no_index = no_index};
    const double wall = wall_seconds(), processor = thread_seconds();
    if (browser_open(&browser, &options, &error) != SPOOR_OK) {
        fprintf(stderr, "browse: %s\n", error.text);
        exit(1);
    }
    browser_resize(browser, 200, 50);
    browser_draw(browser);
    *first = (struct worst){wall_seconds() - wall, thread_seconds() - processor};
    return browser;
}

/* Presses keys and draws the screen; the longest time of all calls remains. */
static void press(struct browser *browser, const char *keys, struct worst *worst)
{
    const double wall = wall_seconds(), processor = thread_seconds();
    for (int key; (key = press_parse(&keys)) != 0;) browser_press(browser, key);
    browser_tick(browser);
    browser_draw(browser);
    const double took = wall_seconds() - wall, took_processor = thread_seconds() - processor;
    if (took > worst->wall) worst->wall = took;
    if (took_processor > worst->processor) worst->processor = took_processor;
}

static void scroll(struct browser *browser, const char *what, const char *key)
{
    struct worst worst = {0};
    for (unsigned i = 0; i < PAGES; i++) press(browser, key, &worst);
    print(what, worst);
}

static void jump(struct browser *browser, uint64_t last)
{
    struct worst worst = {0};
    uint32_t seed = 1;
    char keys[60];
    for (unsigned i = 0; i < JUMPS; i++) {
        seed = seed * 1664525 + 1013904223;
        snprintf(keys, sizeof keys, "t%llu<CR>",
                 (unsigned long long)((double)last * (double)(seed >> 8) / (1 << 24)));
        press(browser, keys, &worst);
    }
    print("jump to a time, with an index", worst);
}

/* The time of the last row, from the message of the key '='. */
static uint64_t last_time(struct browser *browser)
{
    struct worst unused = {0};
    press(browser, "G", &unused);
    browser_press(browser, '=');
    const char *time = strstr(browser_message(browser), ", time ");
    return time ? strtoull(time + strlen(", time "), NULL, 10) : 0;
}

/* The peak memory of this process in MiB, as the kernel notes it since the program started.
 * getrusage() would count the peak of the program that started this one as well.  Exits where the
 * kernel does not say: a bar is not met by a missing figure. */
static double peak_memory(void)
{
    unsigned long kibibytes = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6)) kibibytes = strtoul(line + 6, NULL, 10);
    if (status) fclose(status);
    if (kibibytes) return (double)kibibytes / 1024;
    fputs("browse: /proc/self/status: found no VmHWM, expected the peak memory\n", stderr);
    exit(1);
}

int main(int argc, char **argv)
{
    struct worst first, unused = {0};
    if (argc != 2) {
        fputs("usage: browse TRACE\n", stderr);
        return 2;
    }
    struct browser *browser = open_browser(argv[1], true, false, &first);
    print("first screen, no index", first);
    press(browser, "50%", &unused);
    scroll(browser, "a page of 100, no index", "<PgDn>");
    scroll(browser, "a page of 100 up, no index", "<PgUp>");
    browser_close(browser);

    browser = open_browser(argv[1], false, true, &first);
    print("first screen, an index is being built", first);
    press(browser, "50%", &unused);
    scroll(browser, "a page of 100, an index is being built", "<PgDn>");
    browser_close(browser);

    browser = open_browser(argv[1], false, false, &first);
    browser_wait(browser);
    jump(browser, last_time(browser));
    press(browser, "50%", &unused);
    scroll(browser, "a page of 100, with an index", "<PgDn>");
    scroll(browser, "a page of 100 up, with an index", "<PgUp>");
    press(browser, "rsa", &unused);
    scroll(browser, "a page of 100, registers, calls and code", "<PgDn>");
    browser_close(browser);
    printf("%-44s %8.1f MiB\n", "peak memory", peak_memory());
    return 0;
}
