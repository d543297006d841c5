/* SPDX-License-Identifier: MIT */
/* prompt.c: the command line and the questions of commands: editing, history, completion. */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scan.h"
#include "browse/internal.h"
#include "spoor/field.h"

/* ---- running commands by name ---- */

bool command_line(struct browser *browser, const char *line)
{
    while (*line == ' ' || *line == ':') line++;
    if (!*line) return true;
    struct scan scan = {line, line + strlen(line)};
    struct command_call call = {.counted = true};
    if (scan_number(&scan, &call.count)) { /* "120" is a line, "50%" a percentage */
        const bool percent = scan_char(&scan, '%');
        if (scan_done(&scan)) {
            (percent ? go_percent : go_line)(browser, &call);
            return !browser->is_error;
        }
    }
    const size_t size = strcspn(line, " ");
    const struct command *command = NULL; /* whose name begins with the word, if it alone does */
    for (const struct command *at = commands; at->name; at++) {
        if (strncmp(at->name, line, size) != 0) continue;
        const bool is_whole = at->name[size] == '\0';
        const bool is_other = command && strcmp(command->name, at->name) != 0;
        command = is_other && !is_whole ? NULL : at;
        if (is_whole || is_other) break;
    }
    const char *argument = line + size + strspn(line + size, " ");
    if (!command)
        return say_error(browser, "%.*s is no command: ? lists the commands", (int)size, line);
    if (!*argument && command->argument && !(command->flags & COMMAND_OPTIONAL))
        return say_error(browser, ":%s needs %s", command->name, command->argument);
    call = (struct command_call){.argument = command->argument && *argument ? argument : NULL,
                                 .command = command};
    command->run(browser, &call);
    return !browser->is_error;
}

/* ---- editing ---- */

void prompt_open(struct browser *browser, const struct command *command, bool line)
{
    struct prompt *prompt = &browser->prompt;
    prompt->command = command;
    prompt->line = line;
    prompt->size = 0;
    prompt->words[0] = '\0';
    prompt->count = browser->count;
    prompt->counted = browser->counted;
    prompt->recalled = 0;
}

void open_line(struct browser *browser, const struct command_call *call)
{
    (void)call;
    prompt_open(browser, NULL, true);
}

static void prompt_close(struct prompt *prompt)
{
    prompt->command = NULL;
    prompt->line = false;
}

static void prompt_set_words(struct prompt *prompt, const char *words)
{
    const size_t size = strlen(words) < PROMPT - 1 ? strlen(words) : PROMPT - 1;
    memmove(prompt->words, words, size);
    prompt->words[size] = '\0';
    prompt->size = size;
}

static void prompt_add_character(struct prompt *prompt, int key)
{
    struct text text = {0};
    utf8_put(&text, (uint32_t)key);
    if (!text.failed && prompt->size + text.size < PROMPT) {
        memcpy(prompt->words + prompt->size, text.bytes, text.size);
        prompt->size += text.size;
        prompt->words[prompt->size] = '\0';
    }
    text_free(&text);
}

/* ---- completion ---- */

struct completion {
    const char *word; /* the beginning that is there */
    size_t size;
    char common[PROMPT]; /* what all that begin with it have in common */
    size_t count;
    struct text list;
};

static void completion_offer(struct completion *completion, const char *name)
{
    size_t same = 0;
    if (strncmp(name, completion->word, completion->size) != 0 || strlen(name) >= PROMPT) return;
    if (completion->count++ == 0) {
        strcpy(completion->common, name);
    } else {
        while (completion->common[same] && completion->common[same] == name[same]) same++;
        completion->common[same] = '\0';
    }
    if (completion->count < 64) text_printf(&completion->list, " %s", name);
}

static void prompt_complete(struct browser *browser)
{
    struct prompt *prompt = &browser->prompt;
    struct completion completion = {0};
    size_t at = prompt->size;
    while (at > 0 && !strchr(" (+-*<>=!&|~,{", prompt->words[at - 1])) at--;
    completion.word = prompt->words + at;
    completion.size = prompt->size - at;
    if (prompt->line && at == 0) {
        const char *last = "";
        for (const struct command *command = commands; command->name; command++) {
            if (strcmp(command->name, last) != 0) completion_offer(&completion, command->name);
            last = command->name;
        }
    } else {
        for (int i = 0; strchr(prompt->words, '=') && i < SPOOR_FIELDS_ALL; i++)
            completion_offer(&completion, spoor_field_name((enum spoor_field)i));
        struct view *view = view_of(browser);
        char name[64];
        for (unsigned i = 1;
             view->explorer && spoor_explorer_register(view->explorer, i, name, sizeof name); i++)
            completion_offer(&completion, name);
        struct spoor_images *images = completion.size ? browser->options.images : NULL;
        struct spoor_place place = {.struct_size = sizeof place};
        for (size_t i = 0; images && spoor_images_nth_function(images, i, &place); i++)
            if (place.symbol) completion_offer(&completion, place.symbol);
    }
    if (completion.count) {
        const size_t size = strlen(completion.common);
        if (at + size + 1 < PROMPT) {
            memcpy(prompt->words + at, completion.common, size + 1);
            prompt->size = at + size;
            if (completion.count == 1 && prompt->line && at == 0) prompt_add_character(prompt, ' ');
        }
    }
    if (completion.count > 1)
        say(browser, "%.*s", (int)completion.list.size, completion.list.bytes);
    text_free(&completion.list);
}

/* ---- keys ---- */

void prompt_press(struct browser *browser, int key)
{
    struct prompt *prompt = &browser->prompt;
    if (key == PRESS_RETURN || key == '\n') { /* keeps the words, and runs the command */
        char words[PROMPT];
        const struct command *command = prompt->command;
        size_t *kept = &prompt->kept_count;
        strcpy(words, prompt->words);
        if (prompt->size && !(*kept && strcmp(prompt->kept[*kept - 1], words) == 0)) {
            if (*kept == PROMPTS_KEPT)
                memmove(prompt->kept[0], prompt->kept[1], --*kept * sizeof prompt->kept[0]);
            strcpy(prompt->kept[(*kept)++], words);
        }
        prompt_close(prompt);
        const struct command_call call = {.argument = words,
                                          .count = prompt->count,
                                          .counted = prompt->counted,
                                          .command = command};
        if (command)
            command->run(browser, &call);
        else
            command_line(browser, words);
        return;
    }
    switch (key) {
    case PRESS_ESCAPE:
    case PRESS_CTRL('G'): prompt_close(prompt); break;
    case PRESS_BACKSPACE:
    case PRESS_CTRL('H'):
        if (!prompt->size) prompt_close(prompt);
        while (prompt->size > 0) /* whole characters */
            if ((prompt->words[--prompt->size] & 0xC0) != 0x80) break;
        prompt->words[prompt->size] = '\0';
        break;
    case PRESS_CTRL('W'):
        while (prompt->size && prompt->words[prompt->size - 1] == ' ') prompt->size--;
        while (prompt->size && prompt->words[prompt->size - 1] != ' ') prompt->size--;
        prompt->words[prompt->size] = '\0';
        break;
    case PRESS_CTRL('U'): prompt_set_words(prompt, ""); break;
    case PRESS_UP:
    case PRESS_DOWN: {
        const bool up = key == PRESS_UP;
        size_t *recalled = &prompt->recalled;
        if (up ? *recalled >= prompt->kept_count : *recalled == 0) break;
        *recalled = up ? *recalled + 1 : *recalled - 1;
        prompt_set_words(prompt, *recalled ? prompt->kept[prompt->kept_count - *recalled] : "");
        break;
    }
    case PRESS_TAB: prompt_complete(browser); break;
    default:
        if (key >= ' ' && key < PRESS_FIRST_NAMED) prompt_add_character(prompt, key);
    }
}
