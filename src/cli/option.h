/* SPDX-License-Identifier: MIT */
/*
 * option.h: one table of options generates the parser, --help, the man page and shell completion.
 *
 * An option stores its value at an offset in the verb's settings, a struct that begins with struct
 * settings.  Published options of the implemented systems (-fds, -w) are declared with their whole
 * spelling in `name` and OPTION_SINGLE_DASH, and are matched before a word is split into flag
 * letters.
 */
#ifndef SPOOR_CLI_OPTION_H
#define SPOOR_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/nearest.h"
#include "spoor/spoor.h"

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_INPUT,    /* const char *, a file that is read */
    OPTION_OUTPUT,   /* const char *, a file that is written, by output_open(): it is refused where
                      * it is an operand or another input */
    OPTION_NUMBER,   /* uint64_t; K M G suffixes; 0x */
    OPTION_COUNT,    /* the same, but not 0, which means that the option was not given */
    OPTION_FORMAT,   /* const struct spoor_format *; a name from `spoor formats` */
    OPTION_RANGE,    /* struct range; "A:B", either may be omitted, both ends included */
    OPTION_HEXRANGE, /* struct range of addresses, hexadecimal with or without 0x */
    OPTION_CHOICE,   /* int: index into `choices`, "a|b|c" */
    OPTION_LIST,     /* struct list: repeatable */
};

enum option_style { OPTION_DOUBLE_DASH, OPTION_SINGLE_DASH };

struct inquiry;
struct spoor_result;
struct text;
struct verb;

struct range {
    bool given;
    uint64_t first, last; /* both included */
};

enum { MAX_LIST = 64 };
struct list {
    size_t count;
    const char *items[MAX_LIST + 1]; /* NULL after the last */
};

struct option {
    char letter;       /* 0: none */
    const char *name;  /* "from" */
    const char *value; /* "FORMAT", or NULL for flags */
    enum option_type type;
    size_t at;           /* offset in the settings */
    const char *help;    /* one line; of a name in meanings.def: details, or NULL */
    const char *choices; /* OPTION_CHOICE; OPTION_NUMBER: the value if no number follows */
    enum option_style style;
};
/* Rows of an option table: a flag; an option with a value of OPTION_<type>, or one of the choices
 * "a|b|c"; one whose value is `absent` if none follows.  `at` is an offset in the settings:
 * COMMON() of a member that every verb's settings have. */
#define COMMON(member) offsetof(struct settings, member)
#define OPT_FLAG(letter, name, at, help)                                    \
    {                                                                       \
        letter, name, NULL, OPTION_FLAG, at, help, NULL, OPTION_DOUBLE_DASH \
    }
#define OPT(letter, name, type, value, at, help)                               \
    {                                                                          \
        letter, name, value, OPTION_##type, at, help, NULL, OPTION_DOUBLE_DASH \
    }
#define OPT_CHOICE(letter, name, value, at, help, choices)                        \
    {                                                                             \
        letter, name, value, OPTION_CHOICE, at, help, choices, OPTION_DOUBLE_DASH \
    }
#define OPT_OR(letter, name, type, value, at, help, absent)                      \
    {                                                                            \
        letter, name, value, OPTION_##type, at, help, absent, OPTION_DOUBLE_DASH \
    }
/* An option table ends with an entry whose name is NULL. */
#define OPTION_END   \
    {                \
        .name = NULL \
    }

/* The beginning of every verb's settings. */
struct settings {
    const struct verb *verb;
    const struct spoor_format *from;
    struct list format_files; /* read before the options: see descriptions.h */
    const char *dialect;      /* NULL: all dialects of the format */
    bool implicit_thumb;
    int isa;     /* enum spoor_isa */
    int effects; /* enum spoor_effects */
    uint64_t threads;
    uint64_t memory; /* bytes; 0: see memory_limit() */
    bool quiet, json, help;
    bool csv, parquet, wide; /* of verbs with results; likewise the next two.  parquet: what would
                              * be printed as CSV is written as Parquet; then csv is set, too */
    const char *table, *output;
    const char *plot; /* of verbs with a plot: see plotted.h */
    const char *plot_words;
    bool plot_alone; /* the picture is drawn instead of printing the result */
    bool beside;     /* by the verb: on a screen, results of several traces are columns */
    bool partial;    /* of verbs with an OPTION_OUTPUT: keep what was written after an error */
    int color;       /* 0 auto, 1 always, 2 never */
    int list;        /* enum list_kind */
    const char *simpoints, *whole; /* of verbs with SIMPOINT_OPTIONS: see simpoints.h */
    uint64_t interval;             /* of verbs with SIMPOINT_OPTIONS: instructions of an interval */
    struct list plugins;           /* of verbs with a PLUGIN_OPTION: see plugins.h */
    struct list cores;             /* of verbs with a CORE_OPTION: see cores.h */
    uint64_t warmup;             /* of verbs with a WARMUP_OPTION: instructions; see selection.h */
    struct list images, sources; /* of verbs with IMAGE_OPTIONS: see image_set.h */
    bool code;                   /* of verbs with a CODE_OPTION: likewise */
    bool no_index;               /* of verbs with this option, as NO_INDEX_OPTION */
    bool big_endian, little_endian; /* of verbs with BYTE_ORDER_OPTIONS: see inquiry.h */
    struct record_selection {
        struct range records, time;
        const char *cpu, *where;
    } selection; /* of verbs with SELECTION_OPTIONS: see selection.h */
    int operand_count;
    char **operands; /* arguments that are not options, in order */
};
/* The options that every verb has, and those of every verb that has an OPTION_OUTPUT. */
extern const struct option common_options[], output_options[], result_options[];
bool verb_has_output(const struct verb *verb);
/* The index-th option of a verb: its own first, then those of results, of outputs, of every verb;
 * NULL past the end. */
const struct option *verb_option(const struct verb *verb, size_t index);
/* True if an option of those tables is one of the verb: it has no such option of its own. */
bool verb_inherits(const struct verb *verb, const struct option *option);

/* A verb's function for one trace: it fills an object of `all`, or, if that is NULL, prints its
 * result itself, after show_apart(shown).  `context` belongs to the verb, which runs the function
 * by run_each_trace(), or is its settings; returns an exit code. */
typedef int trace_runner(const void *context, const char *path, bool *shown,
                         struct spoor_result *all);
/* Fills the text and the result of a verb for one trace; false: an error has been printed, and
 * inquiry->code is set. */
typedef bool inquiry_answer(struct inquiry *inquiry, const void *settings,
                            struct spoor_result *result);
struct verb {
    const char *name, *brief; /* "print"; one line for `spoor help` */
    const char *operands;     /* "TRACE..." */
    const char *about;        /* a paragraph for --help */
    const struct option *options;
    size_t settings_size;
    int (*run)(void *settings); /* returns the exit code */
    trace_runner *each;         /* without `run`: for each operand, by run_each_trace() */
    inquiry_answer *answer;     /* for each operand, where `each` is inquiry_trace() */
    bool results;               /* it prints a result: has result_options */
    bool writes;                /* it writes files that no OPTION_OUTPUT names */
    bool json;                  /* without a result: --json prints something */
    bool many;          /* its operands are traces alone: folders and patterns stand for theirs */
    bool selects;       /* records are what it is about: its help describes these options */
    bool runs_operands; /* they are a program and its arguments, not traces */
    enum spoor_effects effects; /* without --effects-first */
    bool seeks;                 /* it goes back in a trace: see seekable.h */
    bool numbers; /* a part of a trace keeps the numbers of its records: see selection.h */
    bool machine; /* memory is that of all processors: --cpu chooses whose registers and calls */
    bool follows; /* it takes the order of the instructions in a trace for that of execution */
};
extern const struct verb *const verbs[]; /* NULL-terminated; see verbs.def */
/* The list of `spoor help`: a group, or a verb of the group before; both NULL at its end. */
extern const struct verb_entry {
    const char *group;
    const struct verb *verb;
} verb_entries[];
const struct verb *verb_find(const char *name);

/* What an option means, and details that the verb adds: one line, which `words` holds; "" if memory
 * runs out. */
const char *option_words(struct text *words, const struct option *option);
/* The meaning of an option that several verbs have (meanings.def) and its value there; NULL: its
 * help alone says what it means. */
const char *option_meaning(const struct option *option, const char **value);

/* The option of a verb that a word names and that has this type: "--plot", "--plot=FILE", "-qo" or
 * "-oFILE"; NULL: none. */
const struct option *option_of_word(const struct verb *verb, const char *word,
                                    enum option_type type);

/* Fills `settings` from the arguments of the verb.  False: a message with a hint ("did you mean")
 * has been printed on stderr and the exit code is EXIT_USAGE. */
bool options_parse(const struct verb *verb, int count, char **words, void *settings);
/* Prints the verb's help on stdout; returns the exit code. */
int options_help(const struct verb *verb);

/* The format of that name; NULL: an error with the nearest name has been printed. */
const struct spoor_format *format_named(const char *word);

enum exit_code {
    EXIT_CLEAN = 0,
    EXIT_NO = 1, /* findings, differences */
    EXIT_USAGE = 2,
    EXIT_UNREADABLE = 3, /* part of the input could not be read; the rest was processed */
    EXIT_LOST = 4,       /* diff lost synchronisation */
    EXIT_NOTHING = 5,    /* nothing was compared or matched */
};

#endif
