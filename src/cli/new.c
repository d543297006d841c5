/* SPDX-License-Identifier: MIT */
/* new.c: the verb `new`: writes the skeleton of a plug-in, which compiles and passes its test. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/embedded.h"
#include "cli/output.h"
#include "spoor/component.h"

enum { NEW_FILES = 3, MAX_NAME = 40 };
static const char placeholder[] = "@NAME@";

static const struct new_design {
    const char *word, *test; /* texts of skeleton/ */
    enum spoor_component_type type;
} new_designs[] = {{"predictor", "predictor-test", SPOOR_PREDICTOR},
                   {"policy", "policy-test", SPOOR_CACHE_POLICY},
                   {"prefetcher", "prefetcher-test", SPOOR_PREFETCHER},
                   {"value-predictor", "value-predictor-test", SPOOR_VALUE_PREDICTOR},
                   {"fold", "fold-test", SPOOR_FOLD}};
enum { NEW_DESIGNS = sizeof new_designs / sizeof *new_designs };

static bool new_name_is_free(const struct new_design *design, const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const struct spoor_component *component;
    if (name[0] == '-' || !*name || strlen(name) > MAX_NAME || name[strspn(name, letters)])
        return complain("new: found the name '%s', expected letters, digits, '-' and '_', at most "
                        "%d",
                        name, MAX_NAME);
    for (size_t i = 0; (component = spoor_component_at(design->type, i)); i++)
        if (strcmp(component->name, name) == 0)
            return complain("new: a built-in %s is called '%s': expected another name",
                            design->word, name);
    return true;
}

/* Writes a file of the folder from its text, with the name in place of the placeholder. */
static bool new_write(const struct settings *settings, const char *path, const char *text,
                      const char *name)
{
    struct text whole = {0};
    for (const char *at; (at = strstr(text, placeholder)); text = at + strlen(placeholder)) {
        text_put(&whole, text, (size_t)(at - text));
        text_puts(&whole, name);
    }
    text_puts(&whole, text);
    if (whole.failed) return complain("out of memory");
    const int code = output_write(path, whole.bytes, whole.size, true, settings);
    text_free(&whole);
    return code == EXIT_CLEAN;
}

static int new_run(void *chosen)
{
    const struct settings *settings = chosen;
    size_t kind = settings->operand_count == 2 ? 0 : NEW_DESIGNS;
    while (kind < NEW_DESIGNS && strcmp(settings->operands[0], new_designs[kind].word) != 0) kind++;
    if (kind == NEW_DESIGNS)
        return complain_for(EXIT_USAGE,
                            "new: expected predictor|policy|prefetcher|value-predictor|fold NAME");
    const struct new_design *design = &new_designs[kind];
    const char *name = settings->operands[1];
    if (!new_name_is_free(design, name)) return EXIT_USAGE;
    char source[MAX_NAME + 3], path[2 * MAX_NAME + 8];
    snprintf(source, sizeof source, "%s.c", name);
    const struct {
        const char *name, *of;
    } files[NEW_FILES] = {{source, design->word}, {"Makefile", "makefile"}, {"test", design->test}};
    if (mkdir(name, 0777) != 0)
        return complain_for(errno == EEXIST ? EXIT_USAGE : EXIT_UNREADABLE, "new: %s: %s", name,
                            strerror(errno));
    struct text said = {0};
    bool good = true;
    for (size_t i = 0; i < NEW_FILES && good; i++) {
        const struct embedded_text *text = new_texts;
        while (strcmp(text->name, files[i].of) != 0) text++;
        snprintf(path, sizeof path, "%s/%s", name, files[i].name);
        good = new_write(settings, path, text->text, name);
        if (good) text_printf(&said, "%s\n", path);
    }
    if (!good) { /* all of it, or nothing */
        for (size_t i = 0; i < NEW_FILES; i++) {
            snprintf(path, sizeof path, "%s/%s", name, files[i].name);
            unlink(path);
        }
        rmdir(name);
        text_free(&said);
        return EXIT_UNREADABLE;
    }
    if (!settings->quiet) complain("make -C %s test compiles and tests it", name);
    const int code = said.failed ? complain_for(EXIT_UNREADABLE, "out of memory")
                                 : show_bytes(said.bytes, said.size);
    text_free(&said);
    return code;
}

const struct verb verb_new = {
    .name = "new",
    .brief = "begin a predictor, replacement policy, prefetcher or fold of your own",
    .operands = "KIND NAME",
    .about =
        "Writes the folder NAME with a plug-in that compiles and passes its test: NAME.c, a "
        "Makefile and a test.  KIND is predictor, policy, prefetcher, value-predictor or fold.  "
        "docs/plugins.md says what a plug-in has.",
    .settings_size = sizeof(struct settings),
    .writes = true,
    .run = new_run,
};
