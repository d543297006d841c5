/* SPDX-License-Identifier: MIT */
/* terminal.c: the terminal through ncursesw: keys, the mouse, resizes, signals. */
#include "browse/terminal.h"

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clock.h"
#include "browse/press.h"

const bool terminal_is_built = true;

enum { IDLE = 100 /* ms between looks at the index */, RESTORE = 256 };

static struct {
    SCREEN *screen;
    int input;  /* the keyboard: standard input, or the controlling terminal */
    FILE *keys; /* of the latter */
    struct browser *browser;
    struct termios before;
    char restore[RESTORE]; /* what a terminal gets if the program crashes */
    size_t restore_size;
    bool colors, prepared;
} terminal;
static volatile sig_atomic_t interrupted, ended_by;

/* ---- signals ---- */

static void terminal_on_signal(int signal)
{
    if (signal == SIGINT)
        interrupted = 1;
    else
        ended_by = signal;
}

/* Only calls that signal handlers may make. */
static void terminal_on_crash(int number)
{
    if (terminal.prepared) {
        const ssize_t written = write(STDOUT_FILENO, terminal.restore, terminal.restore_size);
        (void)written;
        tcsetattr(terminal.input, TCSANOW, &terminal.before);
    }
    raise(number); /* the handler was reset */
}

static void terminal_handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static void terminal_add_restoring(const char *name)
{
    const char *sequence = tigetstr(name);
    if (!sequence || sequence == (const char *)-1) return; /* NOLINT: what tigetstr() returns */
    const size_t size = strlen(sequence);
    if (terminal.restore_size + size > RESTORE) return;
    memcpy(terminal.restore + terminal.restore_size, sequence, size);
    terminal.restore_size += size;
}

/* ---- opening ---- */

enum spoor_status terminal_open(bool colors, struct spoor_error *error)
{
    struct termios mode;
    /* The keyboard is the controlling terminal where standard input is none: a trace may come from
     * it. */
    const bool has_screen = isatty(STDOUT_FILENO), has_keys = isatty(STDIN_FILENO);
    terminal.input = STDIN_FILENO;
    if (has_screen && !has_keys) terminal.keys = fopen("/dev/tty", "r+e");
    if (terminal.keys) terminal.input = fileno(terminal.keys);
    if (!has_screen || (!has_keys && !terminal.keys))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "expected a terminal on standard output: --dump prints a screen "
                               "elsewhere");
    tcgetattr(terminal.input, &terminal.before);
    terminal.screen = newterm(NULL, stdout, terminal.keys ? terminal.keys : stdin);
    if (!terminal.screen) {
        if (terminal.keys) fclose(terminal.keys);
        terminal.keys = NULL;
        const char *kind = getenv("TERM");
        return spoor_error_set(error, SPOOR_EUSAGE, "the terminal '%s' is not known: set TERM",
                               kind ? kind : "");
    }
    set_term(terminal.screen);
    cbreak();
    noecho();
    nonl();
    if (tcgetattr(terminal.input, &mode) == 0) { /* ^S, ^V and ^O are keys like others */
        mode.c_iflag &= ~(tcflag_t)IXON;
        mode.c_lflag &= ~(tcflag_t)IEXTEN;
        tcsetattr(terminal.input, TCSANOW, &mode);
        def_prog_mode();
    }
    keypad(stdscr, TRUE);
    set_escdelay(25);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
    terminal.colors = colors && has_colors();
    if (terminal.colors) {
        start_color();
        use_default_colors();
        for (short color = 0; color < 8; color++) init_pair((short)(color + 1), color, -1);
    }
    terminal_add_restoring("rmkx");
    terminal_add_restoring("sgr0");
    terminal_add_restoring("cnorm");
    memcpy(terminal.restore + terminal.restore_size, "\033[?1000l\033[?1006l", 16);
    terminal.restore_size += 16;
    terminal_add_restoring("rmcup");
    terminal.prepared = true;
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGXCPU};
    terminal_handle(SIGINT, terminal_on_signal, 0);
    terminal_handle(SIGTERM, terminal_on_signal, 0);
    terminal_handle(SIGHUP, terminal_on_signal, 0);
    terminal_handle(SIGQUIT, terminal_on_signal, 0);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        terminal_handle(crashes[i], terminal_on_crash, (int)(SA_RESETHAND | SA_NODEFER));
    return SPOOR_OK;
}

void terminal_close(void)
{
    if (!terminal.screen) return;
    endwin();
    terminal.prepared = false;
    delscreen(terminal.screen);
    terminal.screen = NULL;
    if (terminal.keys) fclose(terminal.keys);
    terminal.keys = NULL;
    if (!ended_by) return;
    signal(ended_by, SIG_DFL);
    raise(ended_by);
}

void terminal_show(struct browser *browser)
{
    terminal.browser = browser;
}

/* ---- the screen ---- */

static void terminal_draw(const struct grid *grid)
{
    cchar_t *row = calloc((size_t)grid->width + 1, sizeof *row);
    if (!row) return;
    for (int y = 0; y < grid->height; y++) {
        int count = 0;
        for (int x = 0; x < grid->width; x++) {
            const struct glyph *glyph = &grid->glyphs[(size_t)y * (size_t)grid->width + (size_t)x];
            const struct style_look look = style_look((enum style)glyph->style, terminal.colors);
            const wchar_t text[2] = {(wchar_t)glyph->character, 0};
            if (!glyph->character) continue; /* the second half of a wide one */
            const attr_t attributes = (look.bold ? A_BOLD : 0) | (look.dim ? A_DIM : 0) |
                                      (look.underlined ? A_UNDERLINE : 0) |
                                      (look.reversed ? A_REVERSE : 0);
            setcchar(&row[count++], text, attributes, (short)(look.color + 1), NULL);
        }
        mvadd_wchnstr(y, 0, row, count);
    }
    free(row);
    curs_set(grid->cursor_x >= 0);
    if (grid->cursor_x >= 0)
        move(grid->cursor_y, grid->cursor_x);
    else
        move(grid->height - 1, 0);
    refresh();
}

bool terminal_goes_on(void *context)
{
    (void)context;
    if (terminal.screen && terminal.browser) terminal_draw(browser_grid(terminal.browser));
    const bool stop = interrupted || ended_by;
    interrupted = 0;
    return !stop;
}

/* ---- keys ---- */

/* Passes the next key; false: there is none within the time. */
static bool terminal_pass_key(struct browser *browser, int milliseconds)
{
    wint_t key;
    timeout(milliseconds);
    const int kind = get_wch(&key);
    if (kind == ERR) return false;
    if (kind == KEY_CODE_YES && key == KEY_RESIZE) {
        browser_resize(browser, COLS, LINES);
        return true;
    }
    int press = (int)key;
    MEVENT event;
    if (kind == KEY_CODE_YES && key != KEY_MOUSE) {
        static const struct {
            wint_t theirs;
            int ours;
        } keys[] = {
            {KEY_UP, PRESS_UP},
            {KEY_DOWN, PRESS_DOWN},
            {KEY_LEFT, PRESS_LEFT},
            {KEY_RIGHT, PRESS_RIGHT},
            {KEY_PPAGE, PRESS_PAGE_UP},
            {KEY_NPAGE, PRESS_PAGE_DOWN},
            {KEY_HOME, PRESS_HOME},
            {KEY_END, PRESS_END},
            {KEY_BTAB, PRESS_BACK_TAB},
            {KEY_DC, PRESS_DELETE},
            {KEY_BACKSPACE, PRESS_BACKSPACE},
            {KEY_ENTER, PRESS_RETURN},
            {KEY_F(1), PRESS_F1},
            {KEY_F(6), PRESS_F6},
            {KEY_F(7), PRESS_F7},
            {KEY_F(10), PRESS_F10},
        };
        press = 0;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (keys[i].theirs == key) press = keys[i].ours;
    } else if (kind == KEY_CODE_YES) {
        press = 0;
        if (getmouse(&event) == OK) {
            browser_click(browser, event.x, event.y);
            press = event.bstate & BUTTON4_PRESSED   ? PRESS_WHEEL_UP
                    : event.bstate & BUTTON5_PRESSED ? PRESS_WHEEL_DOWN
                    : event.bstate & BUTTON1_PRESSED ? PRESS_CLICK
                                                     : 0;
        }
    }
    if (press == '\n') press = PRESS_RETURN;
    if (press == PRESS_CTRL('H')) press = PRESS_BACKSPACE;
    if (press) browser_press(browser, press);
    return true;
}

void terminal_run(struct browser *browser)
{
    enum { FRAME = 30 /* ms: keys that wait are passed before the next screen, for so long */ };
    terminal_show(browser);
    browser_set_ascii(browser, strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
    browser_resize(browser, COLS, LINES);
    terminal_draw(browser_draw(browser));
    while (!browser_is_over(browser) && !ended_by) {
        bool changed = terminal_pass_key(browser, IDLE);
        const uint64_t began = clock_milliseconds();
        while (changed && !browser_is_over(browser) && !ended_by &&
               clock_milliseconds() - began < FRAME && terminal_pass_key(browser, 0))
            continue;
        if (interrupted) {
            interrupted = 0;
            browser_press(browser, PRESS_ESCAPE);
            changed = true;
        }
        /* A terminal that is gone: reading fails at once and for ever. */
        struct pollfd poller = {terminal.input, POLLIN, 0};
        if (!changed && poll(&poller, 1, 0) > 0 && poller.revents & (POLLHUP | POLLERR | POLLNVAL))
            break;
        changed |= browser_tick(browser);
        if (browser_redraws(browser)) clearok(curscr, TRUE);
        if (changed && !browser_is_over(browser)) terminal_draw(browser_draw(browser));
    }
    terminal_show(NULL);
}
