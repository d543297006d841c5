/* SPDX-License-Identifier: MIT */
/*
 * commands.c: the table of keys, and that of the kinds of panes.
 *
 * The parser of keys, the `:` line and its completion, the help page, the manual page, the table of
 * docs/browse.md and the list that the tests go through are all made from it.  `keys` are the
 * alternatives, separated by blanks; `peer` is the key that Arm's tarmac-browser has for the same.
 */
#include "browse/internal.h"

#define MOVING "Moving"
#define PLACES "Places"
#define STEPS "Next and previous"
#define SEARCHING "Searching"
#define SHOWING "What is shown"
#define PANES_GROUP "Panes"
#define OTHER "Other"

const struct command commands[] = {
    {MOVING, "j <Down> <C-n> <C-e>", "down", NULL, move_rows, 1, 0, "N rows down", "Down"},
    {MOVING, "k <Up> <C-p> <C-y>", "up", NULL, move_rows, -1, 0, "N rows up", "Up"},
    {MOVING, "<Space> f <PgDn> <C-f>", "page-down", NULL, move_pages, 1, 0, "N screens down",
     "PgDn"},
    {MOVING, "b <PgUp> <C-b>", "page-up", NULL, move_pages, -1, 0, "N screens up", "PgUp"},
    {MOVING, "d <C-d>", "half-down", NULL, move_pages, 2, 0, "half a screen down", NULL},
    {MOVING, "u <C-u>", "half-up", NULL, move_pages, -2, 0, "half a screen up", NULL},
    {MOVING, "g <lt> <Home>", "begin", NULL, move_edge, -1, 0,
     "the beginning of the trace; with N: line N", "Home"},
    {MOVING, "G > <End>", "end", NULL, move_edge, 1, 0, "the end of the trace; with N: line N",
     "End"},
    {MOVING, "h <Left>", "left", NULL, move_columns, -1, 0, "N columns to the left (8)", NULL},
    {MOVING, "l <Right>", "right", NULL, move_columns, 1, 0, "N columns to the right (8)", NULL},
    {MOVING, "H", "screen-top", NULL, move_on_screen, 0, 0, "the first row of the screen", NULL},
    {MOVING, "M", "screen-middle", NULL, move_on_screen, 1, 0, "the middle row of the screen",
     NULL},
    {MOVING, "L", "screen-bottom", NULL, move_on_screen, 2, 0, "the last row of the screen", NULL},
    {MOVING, "zt", "row-top", NULL, place_row, 0, 0, "scroll so that the row is at the top", "^L"},
    {MOVING, "zz z.", "row-middle", NULL, place_row, 1, 0, "the same, in the middle", "^L"},
    {MOVING, "zb", "row-bottom", NULL, place_row, 2, 0, "the same, at the bottom", "^L"},

    {PLACES, "t", "time", "time", go_time, 0, 0, "go to a time", "t"},
    {PLACES, "#", "line", "line", go_line, 0, COMMAND_OPTIONAL, "go to a line", "l"},
    {PLACES, "R", "record", "record", go_record, 0, COMMAND_OPTIONAL, "go to a record", NULL},
    {PLACES, "%", "percent", "percent", go_percent, 0, COMMAND_OPTIONAL,
     "go to N percent of the trace", NULL},
    {PLACES, "@", "goto", "time, line:N, record:N, pc:ADDR[#VISIT], N% or end", go_moment, 0, 0,
     "go to a place", NULL},
    {PLACES, "<C-o> o", "back", NULL, go_history, -1, 0, "back to the place before the last jump",
     NULL},
    {PLACES, "i", "forward", NULL, go_history, 1, 0, "forward again", NULL},
    {PLACES, "m", "mark", "mark", use_mark, 'm', COMMAND_KEY, "name this place by a letter", NULL},
    {PLACES, "'", "go-mark", "to mark", use_mark, 0, COMMAND_KEY,
     "go to the place of a letter; '' goes back", NULL},
    {PLACES, "= <C-g>", "where", NULL, show_place, 0, 0, "print all that is known of this place",
     NULL},

    {STEPS, "]c", "next-call", NULL, seek_call, 1, 0, "the next call", NULL},
    {STEPS, "[c", "previous-call", NULL, seek_call, -1, 0, "the previous call", NULL},
    {STEPS, "]r", "next-return", NULL, seek_call, 2, 0, "the next return", NULL},
    {STEPS, "[r", "previous-return", NULL, seek_call, -2, 0, "the previous return", NULL},
    {STEPS, "]e e", "next-exception", NULL, seek_call, 3, 0, "the next exception", "e"},
    {STEPS, "[e E", "previous-exception", NULL, seek_call, -3, 0, "the previous exception", "E"},
    {STEPS, "]p", "next-same-pc", NULL, seek_pc, 1, 0, "the next execution of this pc", "n"},
    {STEPS, "[p", "previous-same-pc", NULL, seek_pc, -1, 0, "the previous execution of this pc",
     "N"},
    {STEPS, "p", "next-pc", "next execution of pc", seek_pc, 1, 0,
     "the next execution of an address, or of a function", "p"},
    {STEPS, "P", "previous-pc", "previous execution of pc", seek_pc, -1, 0, "the previous one",
     "P"},
    {STEPS, "]f", "next-same-function", NULL, seek_function, 1, 0, "the next call of this function",
     NULL},
    {STEPS, "[f", "previous-same-function", NULL, seek_function, -1, 0,
     "the previous call of this function", NULL},
    {STEPS, "<Return>", "who", NULL, enter_row, 0, 0,
     "go to the last write of what is under the cursor; in calls: to the call", "Return, 1"},
    {STEPS, "]w", "next-write", NULL, seek_touch, 1, 0,
     "the next write of the register or memory under the cursor", NULL},
    {STEPS, "[w", "previous-write", NULL, seek_touch, -1, 0, "the previous write of it", "Return"},
    {STEPS, "]a", "next-access", NULL, seek_touch, 2, 0, "the next read or write of it", NULL},
    {STEPS, "[a", "previous-access", NULL, seek_touch, -2, 0, "the previous read or write of it",
     NULL},
    {STEPS, "]v", "next-change", NULL, seek_change, 1, 0, "the next change of its value", NULL},
    {STEPS, "[v", "previous-change", NULL, seek_change, -1, 0, "the previous change of its value",
     "Return"},

    {STEPS, "]d", "next-difference", NULL, seek_difference, 1, 0,
     "two traces: the next difference; in memory: the next byte that differs", "]"},
    {STEPS, "[d", "previous-difference", NULL, seek_difference, -1, 0, "the previous one", "["},
    {STEPS, "]R", "next-root", NULL, seek_difference, 2, 0,
     "two traces: the next difference that no earlier one explains", NULL},
    {STEPS, "[R", "previous-root", NULL, seek_difference, -2, 0, "the previous one", NULL},

    {SEARCHING, "/", "search", "search (=EXPRESSION over fields)", search_for, 1, 0,
     "search for a text, or for an expression over fields", NULL},
    {SEARCHING, "\\", "search-back", "search back (=EXPRESSION over fields)", search_for, -1, 0,
     "the same, backwards", NULL},
    {SEARCHING, "n", "again", NULL, search_again, 1, 0, "search again", NULL},
    {SEARCHING, "N", "again-back", NULL, search_again, -1, 0, "search again, the other way", NULL},

    {SHOWING, "&", "filter", "only rows with (=EXPRESSION over fields)", filter_rows, 0,
     COMMAND_OPTIONAL,
     "show only rows with a text, or that satisfy an expression; with nothing: all rows", NULL},
    {SHOWING, "zx", "context", "rows of context", set_context, 0, COMMAND_OPTIONAL,
     "also show N rows around those", NULL},
    {SHOWING, "c", "cpu", "cpu", choose_cpu, 0, COMMAND_OPTIONAL,
     "show the rows of one cpu, of the next one, of all", NULL},
    {SHOWING, "|", "split", NULL, split_cpus, 0, 0,
     "the cpus beside each other, or all together again", NULL},
    {SHOWING, "w", "other-trace", NULL, other_trace, 0, 0,
     "the cursor to the other trace, or to the next cpu beside it", NULL},
    {SHOWING, "v", "columns", NULL, toggle, 'v', 0, "lines of the format, or named fields", NULL},
    {SHOWING, "y <F7>", "functions", NULL, toggle, 'y', 0,
     "names of functions after instructions, and of the targets of branches", "F7"},
    {SHOWING, "I", "indent", NULL, toggle, 'I', 0, "rows indented by the depth of their call",
     NULL},
    {SHOWING, "C <F6>", "syntax", NULL, toggle, 'C', 0, "colours by kind of record", "F6"},
    {SHOWING, "F", "follow", NULL, toggle, 'F', 0, "follow a growing trace", NULL},

    {SHOWING, "zc -", "fold", NULL, fold_call, 0, 0, "fold the call that the cursor is in", "-"},
    {SHOWING, "zo +", "unfold", NULL, unfold, 0, 0, "unfold the call under the cursor", "+ ="},
    {SHOWING, "zr", "unfold-level", NULL, unfold_level, 0, 0,
     "unfold it by a level, so that the calls that it makes are folded; elsewhere: all folds",
     "+ ="},
    {SHOWING, "zM [[", "fold-inside", NULL, fold_inside, 0, 0,
     "fold all calls that this function makes", "[, {"},
    {SHOWING, "zR ]]", "unfold-all", NULL, unfold, 1, 0, "unfold all", "], }"},

    {PANES_GROUP, "r", "registers", NULL, toggle_pane, PANE_REGISTERS, 0, "registers", "r"},
    {PANES_GROUP, "V", "vectors", NULL, pane_option, 'V', 0, "registers: wide ones, too",
     "S D V M"},
    {PANES_GROUP, "A", "symbols", NULL, pane_option, 'a', 0, "registers: values as symbols", "a"},
    {PANES_GROUP, "X", "memory", "memory at (address, register, symbol)", open_memory, 0, 0,
     "memory at an expression; a register makes it move along", "m"},
    {PANES_GROUP, "s", "calls", NULL, toggle_pane, PANE_STACK, 0, "calls that are open", NULL},
    {PANES_GROUP, "a", "code", NULL, toggle_pane, PANE_CODE, 0, "code around the pc", NULL},
    {PANES_GROUP, "S", "source", NULL, toggle_pane, PANE_SOURCE, 0, "source lines", NULL},
    {PANES_GROUP, "<Tab>", "next-pane", NULL, next_pane, 1, 0, "the cursor to the next pane",
     "Tab"},
    {PANES_GROUP, "<S-Tab>", "previous-pane", NULL, next_pane, -1, 0, "to the previous one", NULL},
    {PANES_GROUP, "x", "close-pane", NULL, close_pane, 0, 0, "close the pane", "x"},
    {PANES_GROUP, "}", "larger", NULL, set_group, 1, 0, "memory: larger units", ">"},
    {PANES_GROUP, "{", "smaller", NULL, set_group, -1, 0, "memory: smaller units", "<"},
    {PANES_GROUP, "T", "hold", NULL, hold_address, 0, 0,
     "memory: keep the address, or let it follow its expression again", "F"},
    {PANES_GROUP, "K", "lock", "moment (nothing: this one)", lock_pane, 'l', COMMAND_OPTIONAL,
     "keep the pane at a moment, or let it follow the cursor again", "t l ^L"},
    {PANES_GROUP, "D", "against", "compare with moment (nothing: this one)", lock_pane, 'd',
     COMMAND_OPTIONAL,
     "mark what differs from another moment (two traces: they differ from each other)", "d"},

    {OTHER, ":", "command", NULL, open_line, 0, 0,
     "a command by its name, with completion by Tab; :N is a line, :N% a percentage", NULL},
    {OTHER, "? <F1>", "help", NULL, toggle, '?', 0, "this page", "F1"},
    {OTHER, "<C-l>", "redraw", NULL, redraw, 0, 0, "draw the screen again", NULL},
    {OTHER, "<Click>", "click", NULL, on_mouse, 0, 0, "put the cursor there", NULL},
    {OTHER, "<WheelDown>", "wheel-down", NULL, on_mouse, 1, 0, "3 rows down", NULL},
    {OTHER, "<WheelUp>", "wheel-up", NULL, on_mouse, -1, 0, "3 rows up", NULL},
    {OTHER, "q Q ZZ <F10>", "quit", NULL, quit, 0, 0, "close this page, or end", "q, F10"},
    {.name = NULL},
};

const struct pane_type pane_types[] = {
    [PANE_REGISTERS] = {"registers", registers_draw, registers_subject, NULL},
    [PANE_STACK] = {"calls", stack_draw, NULL, stack_enter},
    [PANE_CODE] = {"code", code_draw, NULL, code_enter},
    [PANE_SOURCE] = {"source", source_draw, NULL, NULL},
    [PANE_MEMORY] = {"memory", memory_draw, memory_subject, NULL},
};

bool browser_key_row(size_t n, struct browser_key_row *row)
{
    struct text *keys = row->keys;
    for (size_t i = 0; i < n; i++)
        if (!commands[i].name) return false;
    const struct command *command = &commands[n];
    if (!command->name) return false;
    *row = (struct browser_key_row){.group = command->group,
                                    .name = command->name,
                                    .argument = command->argument,
                                    .help = command->help,
                                    .peer = command->peer,
                                    .keys = keys};
    for (const char *at = command->keys; *at;) {
        if (*at == ' ') {
            text_puts(keys, "  ");
            at++;
            continue;
        }
        press_name(press_parse(&at), keys);
    }
    return true;
}
