/* SPDX-License-Identifier: MIT */
/*
 * test_browser.c: what keys find in a trace of two processors, against the lines of the trace,
 * which this test makes: searches, changes of values, bytes that differ, processors beside each
 * other; and that what takes long shows its progress and can be stopped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "browse/internal.h"

/* ---- a trace ---- */

enum { INSTRUCTIONS = 32000, ROWS = 3 * INSTRUCTIONS, WORDS_OF_MEMORY = 64, REGISTERS = 20 };
enum { MEMORY = 0x8000, POINTS = 10 };

/* An instruction writes a register and a word of memory; values repeat. */
static struct value_pair {
    unsigned cpu, reg, word, value;
} all[INSTRUCTIONS];
static struct {
    char path[64];
    char *lines[ROWS];
    uint64_t offsets[ROWS + 1];
} trace = {.path = "/tmp/spoor-test-browser-XXXXXX"};
static uint32_t seed = 1;

static unsigned draw_number(unsigned limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

static void put_line(FILE *out, size_t row, const char *line)
{
    trace.lines[row] = strdup(line);
    trace.offsets[row + 1] = trace.offsets[row] + strlen(line) + 1;
    assert_non_null(trace.lines[row]);
    fprintf(out, "%s\n", line);
}

static int make_trace(void **state)
{
    char line[120];
    (void)state;
    const int file = mkstemp(trace.path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out) return 1;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        struct value_pair *w = &all[i];
        /* the second processor rests for long */
        w->cpu = i % (INSTRUCTIONS / 2) < INSTRUCTIONS / 8 && draw_number(3) == 0;
        w->reg = draw_number(REGISTERS);
        w->word = draw_number(WORDS_OF_MEMORY);
        w->value = i / 4000 * 16 + draw_number(4) / 3;
        snprintf(line, sizeof line, "%u clk cpu%u IT (%u) %08x d2800020 O EL1h_n : MOV      x0,#%u",
                 i, w->cpu, i, 0x1000 + 0x1000 * w->cpu + 4 * (i % 50), i % 97);
        put_line(out, 3 * i, line);
        snprintf(line, sizeof line, "%u clk cpu%u R X%u %016x", i, w->cpu, w->reg, w->value);
        put_line(out, 3 * i + 1, line);
        snprintf(line, sizeof line, "%u clk cpu%u MW8 %08x 00000000_%08x", i, w->cpu,
                 MEMORY + 8 * w->word, w->value);
        put_line(out, 3 * i + 2, line);
    }
    return fclose(out);
}

static int remove_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) free(trace.lines[i]);
    return unlink(trace.path);
}

/* ---- a browser ---- */

/* Each look at the clock takes so long that progress is shown: no operation of the test is long. */
static uint64_t slow_clock(void)
{
    static uint64_t now;
    return now += 1000;
}

static struct browser *open_browser(bool (*goes_on)(void *context), void *context)
{
    struct browser *browser = NULL;
    struct spoor_error error = {0};
    const struct browser_options options = {
        .paths = {trace.path},
        .path_count = 1,
        .indexing = {.struct_size = sizeof(struct spoor_index_options),
                     .threads = 1,
                     .no_index = true,
                     .needs = SPOOR_INDEX_SEGMENTS,
                     .segment_bytes = 256 << 10},
        .goes_on = goes_on,
        .context = context,
        .clock = goes_on ? slow_clock : NULL};
    if (browser_open(&browser, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    browser_resize(browser, 100, 24);
    browser_wait(browser);
    browser_draw(browser);
    return browser;
}

static void press(struct browser *browser, const char *keys)
{
    int key;
    while ((key = press_parse(&keys)) != 0) {
        browser_press(browser, key);
        browser_draw(browser);
    }
}

static void go(struct browser *browser, size_t row)
{
    char keys[40];
    snprintf(keys, sizeof keys, ":%zu<CR>", row + 1);
    press(browser, keys);
    assert_int_equal(view_of(browser)->cursor, trace.offsets[row]);
}

/* The row of the cursor; ROWS: it stayed. */
static size_t went_from(struct browser *browser, size_t row)
{
    const uint64_t cursor = view_of(browser)->cursor;
    if (cursor == trace.offsets[row]) return ROWS;
    for (size_t i = 0; i < ROWS; i++)
        if (trace.offsets[i] == cursor) return i;
    fail_msg("the cursor is at %llu, where no row begins", (unsigned long long)cursor);
    return 0;
}

/* The next row after `row`, or the last before it, that a function accepts; ROWS: none. */
static size_t expected_from(size_t row, bool forwards,
                            bool (*accepts)(size_t row, const void *what), const void *what)
{
    for (size_t i = row; forwards ? ++i < ROWS : i-- > 0;)
        if (accepts(i, what)) return i;
    return ROWS;
}

/* ---- searches ---- */

static bool has_text(size_t row, const void *what)
{
    return strstr(trace.lines[row], what) != NULL;
}

static bool is_x7_of_cpu1(size_t row, const void *what)
{
    (void)what;
    return strstr(trace.lines[row], "cpu1 R X7 ") != NULL;
}

static bool ends_in_31_or_21(size_t row, const void *what)
{
    const char *line = trace.lines[row], *end = line + strlen(line) - 2;
    (void)what;
    return strstr(line, "MW8") && (strcmp(end, "31") == 0 || strcmp(end, "21") == 0);
}

static void searches_find_the_next_row_both_ways(void **state)
{
    static const struct {
        const char *words;
        bool (*accepts)(size_t row, const void *what);
        const char *what;
    } searches[] = {
        {"cpu1 R X7 ", is_x7_of_cpu1, NULL},
        {"~cpu1 R +X7 ", is_x7_of_cpu1, NULL},
        {"~^[0-9]+ clk cpu1 R X(7) ", is_x7_of_cpu1, NULL},
        {"=kind==reg and cpu==\"cpu1\" and reg==\"X7\"", is_x7_of_cpu1, NULL},
        {"~MW8 .*_[0-9]{6}(21|31)$", ends_in_31_or_21, NULL},
        {"~MW8 .*[23]1$", ends_in_31_or_21, NULL},
        {"x0,#96", has_text, "x0,#96"},
        {"~x0,\\#9[6]", has_text, "x0,#96"},
        {"~x0,\\x2396", has_text, "x0,#96"},
        {"~(?i)CPU1 r x7 ", is_x7_of_cpu1, NULL},
        {"~\\d+ clk \\w+1 R X7\\b", is_x7_of_cpu1, NULL},
        {"~cpu1 R X7\\s(?=\\w)|none", is_x7_of_cpu1, NULL},
        {"~(a|b)zz", has_text, "azz"},
    };
    struct browser *browser = open_browser(NULL, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        for (unsigned point = 0; point < POINTS; point++) {
            char keys[120];
            const size_t from = draw_number(ROWS);
            const bool forwards = point % 2;
            go(browser, from);
            snprintf(keys, sizeof keys, "%s%s<CR>", forwards ? "/" : "\\", searches[i].words);
            press(browser, keys);
            const size_t wanted =
                expected_from(from, forwards, searches[i].accepts, searches[i].what);
            if (went_from(browser, from) != wanted)
                fail_msg("%s from row %zu: expected row %zu, found row %zu: %s", keys, from, wanted,
                         went_from(browser, from), browser_message(browser));
        }
    browser_close(browser);
}

/* ---- changes of values ---- */

/* True if the row writes another value than there was. */
static bool changes_value(size_t row, const void *what)
{
    const struct value_pair *of = what, *w = &all[row / 3];
    const bool memory = of->reg == REGISTERS;
    if (row % 3 != (memory ? 2 : 1)) return false;
    if (memory ? w->word != of->word : (w->reg != of->reg || w->cpu != of->cpu)) return false;
    for (size_t i = row / 3; i-- > 0;)
        if (memory ? all[i].word == w->word : (all[i].reg == w->reg && all[i].cpu == w->cpu))
            return all[i].value != w->value;
    return true;
}

static void values_change_where_another_is_written(void **state)
{
    struct browser *browser = open_browser(NULL, NULL);
    (void)state;
    for (unsigned point = 0; point < 4 * POINTS; point++) {
        const size_t from = 3 * draw_number(INSTRUCTIONS) + 1 + point % 2;
        const bool forwards = point / 2 % 2;
        struct value_pair of = all[from / 3];
        if (from % 3 == 2) of.reg = REGISTERS;
        go(browser, from);
        press(browser, forwards ? "]v" : "[v");
        const size_t wanted = expected_from(from, forwards, changes_value, &of);
        if (went_from(browser, from) != wanted)
            fail_msg("from row %zu, %s: expected row %zu, found row %zu: %s", from,
                     forwards ? "]v" : "[v", wanted, went_from(browser, from),
                     browser_message(browser));
    }
    browser_close(browser);
}

/* ---- bytes that differ ---- */

static bool value_of_word(unsigned word, size_t instructions, unsigned *value)
{
    for (size_t i = instructions; i-- > 0;)
        if (all[i].word == word) {
            *value = all[i].value;
            return true;
        }
    return false;
}

static void bytes_that_differ_are_found_both_ways(void **state)
{
    struct browser *browser = open_browser(NULL, NULL);
    char words[40];
    unsigned addresses[8 * WORDS_OF_MEMORY], count = 0;
    (void)state;
    const size_t here = INSTRUCTIONS / 3, other = INSTRUCTIONS / 2;
    for (unsigned i = 0; i < 8 * WORDS_OF_MEMORY; i++) {
        unsigned one = 0, two = 0;
        assert_true(value_of_word(i / 8, here + 1, &one) && value_of_word(i / 8, other + 1, &two));
        if (i % 8 < 4 && (one >> 8 * (i % 8) & 0xFF) != (two >> 8 * (i % 8) & 0xFF))
            addresses[count++] = MEMORY + i;
    }
    assert_true(count > WORDS_OF_MEMORY / 2);
    go(browser, 3 * here + 2);
    snprintf(words, sizeof words, "X8000<CR><Tab>Drecord:%zu<CR>", 3 * other + 2);
    press(browser, words);
    for (unsigned i = addresses[0] == MEMORY; i < count; i++) {
        press(browser, "]d");
        snprintf(words, sizeof words, "%x was", addresses[i]);
        assert_memory_equal(browser_message(browser), words, strlen(words));
    }
    press(browser, "]d");
    assert_non_null(strstr(browser_message(browser), "no later byte differs"));
    for (unsigned i = count - 1; i-- > 0;) {
        press(browser, "[d");
        snprintf(words, sizeof words, "%x was", addresses[i]);
        assert_memory_equal(browser_message(browser), words, strlen(words));
    }
    browser_close(browser);
}

/* ---- processors beside each other ---- */

static void other_processors_follow_the_cursor(void **state)
{
    struct browser *browser = open_browser(NULL, NULL);
    (void)state;
    press(browser, "|");
    assert_int_equal(browser->split, 2);
    for (unsigned point = 0; point < 2 * POINTS; point++) {
        const size_t from = draw_number(ROWS);
        const unsigned cpu = all[from / 3].cpu;
        go(browser, from);
        assert_int_equal(browser->view, cpu); /* the part of that processor has the cursor */
        size_t wanted = from;
        while (wanted > 0 && all[wanted / 3].cpu == cpu) wanted--;
        if (all[wanted / 3].cpu == cpu)
            for (wanted = from; all[wanted / 3].cpu == cpu;) wanted++;
        assert_int_equal(browser->views[!cpu].cursor, trace.offsets[wanted]);
        press(browser, "w");
        assert_int_equal(view_of(browser)->cursor, trace.offsets[wanted]);
    }
    press(browser, "|");
    assert_int_equal(browser->split, 0);
    browser_close(browser);
}

/* ---- progress ---- */

struct patience {
    struct browser *browser;
    bool shown; /* progress was shown: stop */
};

static bool stop_when_shown(void *context)
{
    struct patience *patience = context;
    struct text screen = {0};
    if (!patience->browser) return true;
    grid_dump(browser_grid(patience->browser), false, false, &screen);
    text_put(&screen, "", 1);
    patience->shown = !screen.failed && strstr(screen.bytes, ", ^C stops") != NULL;
    text_free(&screen);
    return !patience->shown;
}

static void a_search_that_takes_too_many_steps_says_so(void **state)
{
    static const char *const keys[] = {"/~(\\S*\\s*)*[!?]$<CR>", "\\~(\\S*\\s*)*[!?]$<CR>",
                                       "&~(\\S*\\s*)*[!?]$<CR>",
                                       "/=disasm=~\"(\\S?){200}[!?]\"<CR>"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct browser *browser = open_browser(NULL, NULL);
        go(browser, ROWS / 2);
        press(browser, keys[i]);
        if (!strstr(browser_message(browser), "expected a regular expression that takes at most"))
            fail_msg("%s: %s", keys[i], browser_message(browser));
        browser_close(browser);
    }
}

static void long_operations_show_progress_and_stop(void **state)
{
    static const struct {
        const char *keys, *message;
    } operations[] = {
        {"/=disasm==\"none\"<CR>", "stopped: searching"},
        {"\\~(a|b)zz<CR>", "stopped: searching"},
        {"p1002<CR>", "stopped: searching"},
        {"&~(a|b)zz<CR>", "stopped: searching"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        struct patience patience = {0};
        struct browser *browser = open_browser(stop_when_shown, &patience);
        go(browser, operations[i].keys[0] == '\\' ? ROWS - 1 : 0);
        patience.browser = browser;
        const char *keys = operations[i].keys;
        for (int key; (key = press_parse(&keys)) != 0;) browser_press(browser, key);
        if (!patience.shown)
            fail_msg("%s: no progress: %s", operations[i].keys, browser_message(browser));
        assert_string_equal(browser_message(browser), operations[i].message);
        patience.browser = NULL;
        press(browser, "<CR>j"); /* it goes on afterwards */
        browser_close(browser);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_find_the_next_row_both_ways),
        cmocka_unit_test(values_change_where_another_is_written),
        cmocka_unit_test(bytes_that_differ_are_found_both_ways),
        cmocka_unit_test(other_processors_follow_the_cursor),
        cmocka_unit_test(long_operations_show_progress_and_stop),
        cmocka_unit_test(a_search_that_takes_too_many_steps_says_so),
    };
    return cmocka_run_group_tests_name("browser", tests, make_trace, remove_trace);
}
