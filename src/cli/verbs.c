/* SPDX-License-Identifier: MIT */
/* verbs.c: the list of verbs. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/lists.h"

#define GROUP(title)
#define VERB(name) extern const struct verb verb_##name;
#include "cli/verbs.def"
#undef VERB

const struct verb *const verbs[] = {
#define VERB(name) &verb_##name,
#include "cli/verbs.def"
#undef VERB
    NULL,
};
#undef GROUP

const struct verb_entry verb_entries[] = {
#define GROUP(title) {title, NULL},
#define VERB(name) {NULL, &verb_##name},
#include "cli/verbs.def"
#undef VERB
#undef GROUP
    {NULL, NULL},
};

enum { VERBS = sizeof verbs / sizeof *verbs - 1 };

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    return NULL;
}

/* Verbs that are an option of another now; one version still understands them. */
static const struct {
    const char *name, *verb, *option;
} old_verbs[] = {
    {"flame", "profile", "--flame"},
    {"gdbserver", "gdb", "--serve"},
    {"schema", "help", "--schema"},
};

const struct verb *verb_of_old_name(const char *word, const char **option)
{
    for (size_t i = 0; i < sizeof old_verbs / sizeof *old_verbs; i++)
        if (strcmp(old_verbs[i].name, word) == 0) {
            *option = old_verbs[i].option;
            return verb_find(old_verbs[i].verb);
        }
    return NULL;
}

/* What users of samtools, git, ripgrep, tshark, perf and coreutils try, and what does it here. */
static const struct {
    const char *words; /* with blanks around each */
    const char *verb;
} elsewhere[] = {
    {" view dump cat script show ", "print"},
    {" log ", "print"},
    {" head ", "print -n 10"},
    {" tail ", "print --records"},
    {" grep rg filter search find select ", "print --where"},
    {" stat flagstat idxstats summary file capinfos wc status probe ffprobe ", "info"},
    {" count ", "print --count"},
    {" depth bedcov cover ", "coverage"},
    {" sort ", "merge"},
    {" cmp compare difference ", "diff"},
    {" validate verify lint quickcheck ", "check"},
    {" split trim editcap ", "cut"},
    {" mergecap concat ", "merge"},
    {" conv transcode export ", "convert"},
    {" top hot hotspots ", "profile"},
    {" bt backtrace callstack ", "stack"},
    {" blame ", "who"},
    {" crash explain ", "why"},
    {" tui less more ", "browse"},
    {" gui web explore ", "serve"},
    {" query ", "sql"},
};

int verb_refuse(const char *word)
{
    char padded[32];
    /* tshark -r FILE, ffmpeg -i IN OUT */
    const bool reads = strcmp(word, "-r") == 0, converts = strcmp(word, "-i") == 0;
    if (reads || converts) {
        complain("found the option '%s' before a verb: `%s` does that; see `spoor help`", word,
                 reads ? "spoor print FILE" : "spoor convert IN OUT");
        return EXIT_USAGE;
    }
    if (word[0] == '-' && word[1]) {
        complain("found the option '%s' before a verb, expected spoor VERB [OPTION]... [TRACE]...; "
                 "see `spoor help`",
                 word);
        return EXIT_USAGE;
    }
    const char *near = list_nearest(LIST_VERBS, word);
    if (!near && access(word, F_OK) == 0) {
        complain("found the file '%s' in the place of a verb: `spoor info %s` summarises a trace; "
                 "see `spoor help`",
                 word, word);
        return EXIT_USAGE;
    }
    snprintf(padded, sizeof padded, " %s ", word);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strstr(elsewhere[i].words, padded)) {
            complain("no verb is called '%s': `spoor %s` does that; see `spoor help`", word,
                     elsewhere[i].verb);
            return EXIT_USAGE;
        }
    complain("no verb is called '%s'%s%s%s; see `spoor help`", word, near ? ": did you mean '" : "",
             near ? near : "", near ? "'?" : "");
    return EXIT_USAGE;
}
