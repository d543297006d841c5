/* SPDX-License-Identifier: MIT */
/* internal.h: shared by the files of browse. */
#ifndef SPOOR_BROWSE_INTERNAL_H
#define SPOOR_BROWSE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "browse/alignment.h"
#include "browse/browser.h"
#include "browse/kept_events.h"
#include "browse/press.h"
#include "spoor/listing.h"
#include "spoor/select.h"
#include "spoor/view.h"

/* ---- background.c: finds or builds the index of a trace on a thread of its own, unless the trace
 * is to be read with one thread ---- */

enum background_state { BACKGROUND_NONE, BACKGROUND_RUNS, BACKGROUND_DONE, BACKGROUND_FAILED };

/* Initialise it with zeros; it must not move while the thread runs. */
struct background {
    _Atomic int state; /* enum background_state */
    _Atomic uint64_t done, size;
    _Atomic bool stop;
    const char *path;
    struct spoor_index_options options;
    struct spoor_index *index; /* with DONE: the caller's, who sets it to NULL */
    struct spoor_error error;
    char notice[480]; /* what was said of the index last; "": nothing */
    pthread_t thread;
    bool has_thread;
};

/* With one thread (options->threads is 1) the index is there when this returns. */
void background_start(struct background *background, const char *path,
                      const struct spoor_index_options *options);
/* Asks the thread to end, and waits until it has. */
void background_end(struct background *background);

/* ---- what rows are searched for, and which are shown ---- */

enum { WORDS = 256 };
/* "text", "~regular expression" or "=expression over fields"; a backslash before the first sign
 * makes it a text. */
struct matcher {
    char words[WORDS]; /* as typed; "": none */
    char text[WORDS];  /* bytes that a row contains; of a regular expression, a part of each match;
                        * "": none */
    struct regex *regex;         /* NULL: none */
    struct spoor_select *select; /* NULL: none */
};

/* Rows that are hidden: those of one call. */
struct fold {
    uint64_t call;     /* offset of the row that stays */
    uint64_t from, to; /* offsets: from the first hidden row up to the first one after it */
    char cpu[24];      /* only rows of this processor; "": all */
    unsigned number;   /* of that processor */
    size_t depth;      /* open calls inside it */
    uint64_t arrival;  /* the first hidden record */
    bool opening;      /* while calls are unfolded by a level */
    uint64_t records;
};

/* A step between visible rows that was found before. */
struct known_step {
    uint64_t from, to; /* offsets of rows, plus 1; 0: empty; to UINT64_MAX: no further row */
};
enum { KNOWN_STEPS = 2048, HISTORY = 128, MARKS = 128 };

/* The instruction and the processor at a row. */
struct here {
    uint64_t offset;       /* of the row, plus 1; 0: not computed */
    bool known;            /* by an index */
    uint64_t record, last; /* first and last record of the row */
    unsigned cpu;
    struct {
        bool known;
        uint64_t record, pc;
    } place; /* the instruction */
};

/* A trace in the browser. */
struct view {
    struct browser *browser;
    const char *path, *name; /* name: what the status line shows */
    bool shared;             /* listing and index are those of the first view */
    struct spoor_listing *listing;
    struct background background;
    struct spoor_index *index;
    struct spoor_explorer *explorer;
    uint64_t cursor, top; /* offsets of rows */
    int shown_rows;       /* of the last screen */
    int cursor_y;         /* the row of the cursor on it */
    struct area area;     /* its place */
    uint64_t followed;    /* where the cursor of the other views was last, plus 1 */
    int column;           /* first column that is shown */
    struct matcher filter;
    unsigned context;
    char cpu[24]; /* only rows of this processor; "": all */
    struct fold *folds;
    size_t fold_count, fold_capacity;
    struct known_step forth[KNOWN_STEPS], back[KNOWN_STEPS];
    uint64_t marks[MARKS]; /* offset plus 1, by letter */
    uint64_t history[HISTORY];
    size_t history_count, history_at;
    struct here here;
    struct spoor_state *state; /* at the cursor; NULL: not computed */
    uint64_t state_moment;
    struct kept_events events;
};

/* ---- panes ---- */

enum pane_kind { PANE_REGISTERS, PANE_STACK, PANE_CODE, PANE_SOURCE, PANE_MEMORY };
enum { PANES = 8 };
struct pane {
    enum pane_kind kind;
    bool shown;
    struct area area;  /* of the last screen, without its title */
    int cursor;        /* the selected item, */
    int top;           /* and the first one shown */
    int items;         /* on the last screen */
    char words[WORDS]; /* memory: the expression that gives its address */
    bool follows;      /* it is computed anew at each place, */
    bool held;         /* unless it is held */
    bool has_address;
    uint64_t address;
    unsigned group;   /* memory: bytes of a unit, */
    int per_line;     /* and of a line of the last screen */
    bool wide;        /* registers: those wider than 64 bits, too */
    bool symbolic;    /* registers: values as symbols */
    uint64_t locked;  /* moment plus 1 at which it stays; 0: the cursor's */
    uint64_t against; /* moment plus 1 that it is compared with; 0: none */
};

struct pane_type {
    const char *name;
    void (*draw)(struct browser *browser, struct pane *pane);
    /* What is under its cursor; false: nothing that is written. */
    bool (*subject)(struct browser *browser, struct pane *pane, struct spoor_subject *subject);
    /* Acts on Return; NULL: goes to the last write of the subject. */
    void (*enter)(struct browser *browser, struct pane *pane);
};
extern const struct pane_type pane_types[];
void registers_draw(struct browser *browser, struct pane *pane);
bool registers_subject(struct browser *browser, struct pane *pane, struct spoor_subject *subject);
/* Finds the address of a memory pane from its expression. */
bool memory_find_address(struct browser *browser, struct pane *pane, struct spoor_error *error);
void memory_draw(struct browser *browser, struct pane *pane);
bool memory_subject(struct browser *browser, struct pane *pane, struct spoor_subject *subject);
/* Puts the cursor of the pane on the next or previous byte that differs. */
void memory_seek_difference(struct browser *browser, struct pane *pane, bool forwards);
void stack_draw(struct browser *browser, struct pane *pane);
void stack_enter(struct browser *browser, struct pane *pane);
void code_draw(struct browser *browser, struct pane *pane);
void code_enter(struct browser *browser, struct pane *pane);
void source_draw(struct browser *browser, struct pane *pane);
/* The style of an item of a pane, and scrolling to that under its cursor. */
enum style pane_row_style(const struct browser *browser, const struct pane *pane, int item);
void pane_follow_cursor(struct pane *pane);
/* The trace and the moment that a pane is compared with: the one that was chosen, or the place of
 * the other trace; false: none. */
bool pane_compares(struct browser *browser, const struct pane *pane, struct view **view,
                   uint64_t *moment);
/* The moment that a pane shows; false: no index yet. */
bool pane_moment(struct browser *browser, const struct pane *pane, uint64_t *moment);

/* ---- commands ---- */

struct command;
struct command_call {
    uint64_t count;
    bool counted;
    const char *argument; /* NULL: none */
    const struct command *command;
};
enum command_flag {
    COMMAND_KEY = 1 << 0,      /* the argument is one further key */
    COMMAND_OPTIONAL = 1 << 1, /* `:name` needs no argument */
};
struct command {
    const char *group, *keys, *name;
    const char *argument; /* what its prompt asks for; NULL: nothing */
    void (*run)(struct browser *browser, const struct command_call *call);
    int value;
    unsigned flags;
    const char *help, *peer;
};
/* The table, which ends with a row without a name. */
extern const struct command commands[];

enum prompt_limits { PROMPT = 256, PROMPTS_KEPT = 16, PENDING = 4 };
struct prompt {
    const struct command *command; /* NULL: there is no prompt */
    bool line;                     /* the `:` line */
    char words[PROMPT];
    size_t size;
    uint64_t count;
    bool counted;
    size_t recalled; /* how far back the history was recalled */
    char kept[PROMPTS_KEPT][PROMPT];
    size_t kept_count;
};

enum { VIEWS = 8 };
struct browser {
    struct browser_options options;
    struct view views[VIEWS];
    size_t view_count; /* traces */
    size_t split;      /* parts, if the processors of one trace are beside each other; else 0 */
    size_t view;       /* the one with the cursor */
    struct grid grid;
    struct pane panes[PANES];
    int focus; /* a pane; -1: the trace */
    bool over;
    bool redraws; /* all of the screen is drawn again */
    bool columns; /* decoded columns instead of lines */
    bool names;   /* names of functions after instructions */
    bool indent;  /* rows are indented by the depth of their call */
    bool plain;   /* lines without colours of syntax */
    bool follow;
    bool arriving; /* a pipe is still being copied */
    bool help;     /* the help page is shown, from */
    int help_top;  /* this row on */
    char message[512];
    bool is_error; /* the message is one */
    struct prompt prompt;
    const struct command *waiting; /* a command that waits for its key */
    int pending[PENDING];
    size_t pending_count;
    uint64_t count;
    bool counted;
    struct matcher search;
    bool backwards; /* the last search */
    int click_x, click_y;
    bool stopped;        /* the current operation was stopped */
    uint64_t began;      /* milliseconds, of the current operation */
    uint64_t shown;      /* when progress was shown last */
    uint64_t done, size; /* the progress; both 0: unknown */
    const char *doing;
    struct spoor_error failure;  /* the first; status SPOOR_OK: none */
    struct alignment *alignment; /* of two traces; NULL: there is one */
    bool aligned;                /* it is complete */
};

/* ---- work.c, indexing.c ---- */

struct view *view_of(struct browser *browser);
void say(struct browser *browser, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns false. */
bool say_error(struct browser *browser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Begins an operation that may take long; progress shows the words. */
void work_begin(struct browser *browser, const char *doing);
/* Shows progress from time to time; false: the user has stopped it. */
bool work_goes_on(struct browser *browser, uint64_t done, uint64_t size);
/* Heeds what a pipe has brought; true: the screen has changed. */
bool adopt_arrivals(struct browser *browser);
/* Waits until the index of a view is there; false: stopped, or there is none. */
bool wait_for_index(struct view *view);
/* True if the index is there; waits for it, and says why it is not. */
bool need_index(struct browser *browser);

void pause_briefly(void);
/* Returns the status; browser_failure() states the first error. */
enum spoor_status heed(struct browser *browser, enum spoor_status status,
                       const struct spoor_error *error);
/* The same for memory that ran out. */
void heed_memory(struct browser *browser, bool ran_out);

/* ---- pair.c: two traces ---- */

bool pair_is_aligned(struct browser *browser);
/* Uses the comparison once it is complete; true if the screen has changed. */
bool pair_adopt(struct browser *browser);
void pair_wait(struct browser *browser);
/* Goes to the next or previous difference (1, -1) or root (2, -2), as the command's value says. */
void pair_seek_difference(struct browser *browser, const struct command_call *call);
/* Puts the cursor of the other trace on the instruction that corresponds. */
void pair_follow(struct browser *browser);
/* STYLE_ROOT or STYLE_DIFFERENT, or STYLE_PLAIN. */
enum style pair_style(struct view *view, const struct spoor_listing_row *row);

/* ---- split.c: processors beside each other ---- */

void split_end(struct browser *browser);
/* Filters all parts as the one with the cursor. */
void split_copy_filter(struct browser *browser);
void draw_split(struct browser *browser, const struct area *area);

/* ---- view.c ---- */

enum spoor_status view_open(struct view *view, struct browser *browser, size_t number,
                            struct spoor_error *error);
void view_close(struct view *view);
/* Uses an index that is complete; true if it has just become so. */
bool view_adopt(struct view *view);
/* The row at the cursor. */
bool view_row(struct view *view, struct spoor_listing_row *row);
/* The visible row after or before one; SPOOR_END: none. */
enum spoor_status view_step(struct view *view, uint64_t offset, bool forwards,
                            struct spoor_listing_row *row);
/* Puts the cursor on a row, or on the nearest visible one; `jump`: history remembers the former. */
void view_go(struct view *view, uint64_t offset, bool jump);
bool view_go_record(struct view *view, uint64_t record, bool jump);
/* Scrolls so that the cursor is visible on `rows` rows. */
void view_scroll(struct view *view, int rows);
/* Places the cursor's row: 0 at the top, 1 in the middle, 2 at the bottom. */
void view_place(struct view *view, int where);
/* The offset of the row that lies so many visible rows before one, or of the first one. */
uint64_t view_back_by(struct view *view, uint64_t offset, int count);
/* True if the row is of a processor, or of none; "": any. */
bool row_is_of(const struct spoor_listing_row *row, const char *cpu);
/* Forgets known steps: other rows are visible now. */
void view_forget(struct view *view);
const struct fold *view_fold_at(const struct view *view, uint64_t offset);
/* The index's answers about the cursor's row. */
const struct here *view_here(struct view *view);
/* The moment after the cursor's row; false: no index. */
bool view_moment(struct view *view, uint64_t *moment);
/* Registers and open calls at a moment, kept until another one is asked for; NULL, with a message:
 * they cannot be had. */
const struct spoor_state *view_state(struct view *view, uint64_t moment);
/* Calls, returns and exceptions of a segment, kept until others are asked for; NULL, with a
 * message: they cannot be had. */
const struct spoor_call_events *view_events(struct view *view, size_t segment);
/* The same of all that was kept: another explorer will answer. */
void view_forget_state(struct view *view);
/* The records of a segment; all 0 where there is none. */
struct spoor_segment view_segment(const struct view *view, size_t number);
/* The time of a row; false: unknown. */
bool row_time(const struct spoor_listing_row *row, uint64_t *time, const char **unit);
/* The address of the row's instruction; false: it has none. */
bool row_pc(const struct spoor_listing_row *row, uint64_t *pc);

/* ---- pane_code.c ---- */

/* The target of a direct branch in memory; false: it is none. */
bool code_target(const struct spoor_code_bytes *code, uint64_t *target);
/* The same of a record of an instruction, as the trace states it. */
bool record_target(const struct view *view, const struct spoor_record *record, unsigned size,
                   uint64_t *target);
/* The target of the row's direct branch; false: it has none. */
bool row_target(const struct view *view, const struct spoor_listing_row *row, uint64_t *target);

/* ---- match.c ---- */

/* Parses what was typed; false: `error` says why. */
bool matcher_parse(struct matcher *matcher, const char *words, struct spoor_error *error);
void matcher_free(struct matcher *matcher);
bool matcher_is_given(const struct matcher *matcher);
/* True if a match could not be decided (base/regex.h); `error` says why. */
bool matcher_failed(const struct matcher *matcher, struct spoor_error *error);
/* True if the row matches, or if that could not be decided: then the browser has a message. */
bool matcher_matches(struct view *view, const struct matcher *matcher,
                     const struct spoor_listing_row *row);
/* Finds the first match in bytes from `from` on, to highlight it; false: none. */
bool matcher_find(const struct matcher *matcher, const char *bytes, size_t size, size_t from,
                  size_t *begin, size_t *end);
/* Finds the next row that matches, from the row at `offset` on, or the last one before it. */
enum spoor_status matcher_seek(struct view *view, const struct matcher *matcher, uint64_t offset,
                               bool forwards, struct spoor_listing_row *row);

/* ---- expression.c ---- */

/* Evaluates numbers, registers at the cursor (reg::x0), symbols (sym::main), + - * << >> and
 * parentheses, modulo 2^64.  Digits that begin with a letter are a name first.  False, with a
 * message: invalid, or a register is unknown.  `*uses_registers`: it depends on the place. */
bool expression_value(struct browser *browser, const char *words, bool hexadecimal, uint64_t *value,
                      bool *uses_registers, struct spoor_error *error);

/* The value of a register as a number; false: it has more than 64 bits, or not all are known. */
bool value_number(const struct spoor_register_value *value, uint64_t *number);
/* The register of that name, of the cursor's processor; false: the trace has none. */
bool trace_register(struct view *view, const char *name, struct spoor_subject *subject);

/* ---- subject.c ---- */

/* The register or memory under the cursor; false, with a message: none. */
bool subject_here(struct browser *browser, struct spoor_subject *subject);
void subject_name(struct browser *browser, const struct spoor_subject *subject, struct text *name);

/* ---- draw_trace.c, draw.c, prompt.c ---- */

void draw_trace(struct browser *browser, struct view *view, const struct area *area);
/* The same, under a title. */
void draw_titled(struct browser *browser, struct view *view, const char *title,
                 const struct area *area);
/* The n-th of `count` cells, `across` beside each other; draws the line on its right. */
void draw_cell(struct browser *browser, const struct area *all, int across, int count, int n,
               struct area *cell);
void draw_help(struct browser *browser);
int help_rows(const struct browser *browser);
/* Appends "main+0x12" of an address, where an image names it. */
bool put_function(struct browser *browser, uint64_t pc, struct text *text);

/* Runs a command by a line "name argument". */
bool command_line(struct browser *browser, const char *line);
void prompt_press(struct browser *browser, int key);
void prompt_open(struct browser *browser, const struct command *command, bool line);

/* ---- commands: functions of the table, by file ---- */

#define COMMAND_FUNCTION(name) void name(struct browser *browser, const struct command_call *call)
COMMAND_FUNCTION(move_rows);
COMMAND_FUNCTION(move_pages);
COMMAND_FUNCTION(move_edge);
COMMAND_FUNCTION(move_columns);
COMMAND_FUNCTION(move_on_screen);
COMMAND_FUNCTION(place_row);
COMMAND_FUNCTION(go_line);
COMMAND_FUNCTION(go_record);
COMMAND_FUNCTION(go_time);
COMMAND_FUNCTION(go_percent);
COMMAND_FUNCTION(go_moment);
COMMAND_FUNCTION(go_history);
COMMAND_FUNCTION(use_mark);
COMMAND_FUNCTION(search_for);
COMMAND_FUNCTION(search_again);
COMMAND_FUNCTION(filter_rows);
COMMAND_FUNCTION(set_context);
COMMAND_FUNCTION(choose_cpu);
COMMAND_FUNCTION(seek_call);
COMMAND_FUNCTION(seek_pc);
COMMAND_FUNCTION(seek_function);
COMMAND_FUNCTION(seek_touch);
COMMAND_FUNCTION(seek_change);
COMMAND_FUNCTION(seek_difference);
COMMAND_FUNCTION(fold_call);
COMMAND_FUNCTION(fold_inside);
COMMAND_FUNCTION(unfold);
COMMAND_FUNCTION(unfold_level);
COMMAND_FUNCTION(toggle_pane);
COMMAND_FUNCTION(open_memory);
COMMAND_FUNCTION(next_pane);
COMMAND_FUNCTION(close_pane);
COMMAND_FUNCTION(enter_row);
COMMAND_FUNCTION(set_group);
COMMAND_FUNCTION(pane_option);
COMMAND_FUNCTION(lock_pane);
COMMAND_FUNCTION(hold_address);
COMMAND_FUNCTION(toggle);
COMMAND_FUNCTION(show_place);
COMMAND_FUNCTION(redraw);
COMMAND_FUNCTION(quit);
COMMAND_FUNCTION(other_trace);
COMMAND_FUNCTION(split_cpus);
COMMAND_FUNCTION(open_line);
COMMAND_FUNCTION(on_mouse);

#endif
