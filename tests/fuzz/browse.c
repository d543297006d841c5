/* SPDX-License-Identifier: MIT */
/*
 * browse.c: any keys, on screens of any size, in the browser of a small trace of two processors.
 * The first byte chooses whether there is an index, how many traces, whether their format is to be
 * detected, which takes longer than to read them, and whether they are compared by another thread;
 * the second and third the size of the screen, which may be higher than the trace and the help.
 */
#include <string.h>
#include <unistd.h>

#include "browse/browser.h"
#include "browse/press.h"
#include "fuzz/fuzz.h"

static const char trace[] =
    "0 clk cpu0 R SP 0000000000001000\n"
    "0 clk cpu0 IT (0) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp, #-16]!\n"
    "0 clk cpu0 MW8 00000ff0 00000000_00000000\n"
    "0 clk cpu0 R SP 0000000000000ff0\n"
    "1 clk cpu1 IT (0) 00500000 d2800020 O EL0t : mov x0, #1\n"
    "1 clk cpu1 R X0 0000000000000001\n"
    "1 clk cpu0 IT (1) 00400004 97ffffff O EL0t : bl 0x400000\n"
    "1 clk cpu0 R X30 0000000000400008\n"
    "2 clk cpu0 IT (2) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp, #-16]!\n"
    "2 clk cpu0 E 00400000 00000004 CoreEvent_CURRENT_SPx_SYNC\n"
    "2 clk cpu0 MW8 00000fe0 00000000_00400008\n"
    "no \xC3\xA4 line \xFF of it\tat all\n"
    "3 clk cpu0 IT (3) 00400004 d65f03c0 O EL0t : ret\n"
    "3 clk cpu0 IT (4) 00400008 d503201f O EL0t : nop\n"
    "3 clk cpu1 IT (1) 00500004 f9400001 O EL0t : ldr x1, [x0]\n"
    "3 clk cpu1 MR8 00000001 01234567_89abcdef\n"
    "3 clk cpu1 R X1 0123456789abcdef\n";

static const char *trace_path(void)
{
    static char path[] = "/tmp/spoor-fuzz-browse-XXXXXX";
    static bool made;
    if (made) return path;
    const int file = mkstemp(path);
    DEMAND(file >= 0 && write(file, trace, sizeof trace - 1) == sizeof trace - 1, "%s", path);
    close(file);
    return made = true, path;
}

/* Ends a search some time after it began. */
static bool goes_on(void *context)
{
    unsigned *left = context;
    return *left && --*left;
}

static int key_of(uint8_t byte)
{
    return byte < 0x80 ? byte : PRESS_FIRST_NAMED + byte % (PRESS_WHEEL_DOWN - PRESS_UP + 1);
}

/* A screen of up to 255 columns and 127 lines. */
static void resize(struct browser *browser, uint8_t width, uint8_t height)
{
    browser_resize(browser, width, height % 128);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct browser *browser = NULL;
    struct spoor_error error = {0};
    unsigned left = 1000;
    if (size < 3) return 0;
    const struct spoor_format *format = bytes[0] & 4 ? NULL : spoor_format_find("tarmac");
    const struct browser_options options = {
        .paths = {trace_path(), trace_path()},
        .path_count = bytes[0] & 2 ? 2 : 1,
        .reading = {.format = format, .threads = bytes[0] & 8 ? 0 : 1},
        .indexing = {.struct_size = sizeof(struct spoor_index_options),
                     .format = format,
                     .threads = 1,
                     .no_index = true,
                     .needs = SPOOR_INDEX_SEGMENTS,
                     .segment_bytes = 1},
        .no_index = bytes[0] & 1,
        .goes_on = goes_on,
        .context = &left};
    DEMAND(browser_open(&browser, &options, &error) == SPOOR_OK, "%s", error.text);
    resize(browser, bytes[1], bytes[2]);
    if (!(bytes[0] & 1)) browser_wait(browser);
    for (size_t i = 3; i < size && !browser_is_over(browser); i++) {
        browser_click(browser, bytes[i], bytes[i - 1]);
        browser_press(browser, key_of(bytes[i]));
        if (i % 8 == 0) resize(browser, bytes[i], bytes[i - 1]);
        if (i % 8 == 0) browser_draw(browser);
        browser_tick(browser);
    }
    struct text text = {0};
    grid_dump(browser_draw(browser), true, true, &text);
    text_free(&text);
    browser_close(browser);
    return 0;
}
