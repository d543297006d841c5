/* SPDX-License-Identifier: MIT */
/* mcp_tools.c: the tools of the verb `mcp`, made from the options of verbs and the schemas of their
 * results. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/mcp.h"
#include "spoor/result.h"

/* What they answer is in the brief text of each verb. */
static const struct mcp_tool tools[] = {
    {"info", "Describe a trace", {"trace"}},
    {"print", "Search and print records", {"trace"}},
    {"state", "Registers and memory at a moment", {"trace"}},
    {"who", "Writers and readers of a register or memory", {"trace", "subject"}},
    {"slice", "Where a value comes from", {"trace", "subject"}},
    {"why", "Why the program failed", {"trace"}},
    {"stack", "Open calls at a moment", {"trace"}},
    {"calls", "Calls of functions", {"trace"}},
    {"profile", "Functions by instructions", {"trace"}},
    {"annotate", "Instructions and source lines of functions", {"trace", "function?"}},
    {"coverage", "What was executed", {"trace"}},
    {"mix", "Kinds of instructions", {"trace"}},
    {"exceptions", "Exceptions and interrupts", {"trace"}},
    {"strings", "Text that the program wrote in memory", {"trace"}},
    {"check", "Check a trace by the rules of its format", {"trace"}},
    {"diff", "Compare two traces", {"left", "right"}},
    {"cache", "Simulate caches", {"trace"}},
    {"tlb", "Simulate translation buffers", {"trace"}},
    {"branch", "Simulate branch predictors", {"trace"}},
    {"values", "Simulate value predictors", {"trace"}},
    {"pipe", "Simulate a pipeline", {"trace"}},
    {"sql", "Query a trace in SQL, read only", {"trace", "query"}},
};
enum { TOOLS = sizeof tools / sizeof *tools };

const struct mcp_tool *mcp_tool_find(const char *name)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (strcmp(tools[i].verb, name) == 0) return &tools[i];
    return NULL;
}

static bool mcp_is_path(const char *operand)
{
    return strcmp(operand, "trace") == 0 || strcmp(operand, "left") == 0 ||
           strcmp(operand, "right") == 0;
}

/* The name of an operand without its '?'. */
static size_t mcp_name_size(const char *operand)
{
    return strcspn(operand, "?");
}

/* ---- options ---- */

/* True if the value of an option is a path. */
static bool mcp_names_file(const struct option *option)
{
    return option->type == OPTION_INPUT ||
           (option->value &&
            (strncmp(option->value, "FILE", 4) == 0 || strncmp(option->value, "DIR", 3) == 0));
}

/* The index-th option that a call may give: of the verb itself, and the format; none that writes a
 * file, waits, or prints something else than the result. */
static const struct option *mcp_option(const struct mcp_tool *tool, size_t index)
{
    static const char others[] =
        " csv file flame follow html json jsonl list no-header no-index perfetto plot quiet "
        "core plugin raw read-only speedscope svg ";
    const struct verb *verb = verb_find(tool->verb);
    const struct option *option;
    for (size_t i = 0; (option = verb_option(verb, i)); i++) {
        char name[32];
        snprintf(name, sizeof name, " %s ", option->name);
        const bool is_common = verb_inherits(verb, option);
        if (option->type == OPTION_OUTPUT || option->style == OPTION_SINGLE_DASH ||
            (is_common && strcmp(option->name, "from") != 0) || strstr(others, name) ||
            (mcp_names_file(option) && option->type == OPTION_TEXT))
            continue;
        if (index-- == 0) return option;
    }
    return NULL;
}

static void mcp_put_word(struct text *out, const char *word)
{
    json_put_string(out, word, strlen(word));
}

static void mcp_put_option(struct text *out, const struct option *option)
{
    mcp_put_word(out, option->name);
    switch (option->type) {
    case OPTION_FLAG: text_puts(out, ":{\"type\":\"boolean\""); break;
    case OPTION_NUMBER:
    case OPTION_COUNT:
        text_puts(out, option->choices ? ":{\"type\":[\"integer\",\"string\",\"boolean\"]"
                                       : ":{\"type\":[\"integer\",\"string\"]");
        break;
    case OPTION_LIST: text_puts(out, ":{\"type\":\"array\",\"items\":{\"type\":\"string\"}"); break;
    default: text_puts(out, ":{\"type\":\"string\"");
    }
    if (option->type == OPTION_CHOICE) {
        const char *choice = option->choices;
        text_puts(out, ",\"enum\":[");
        for (size_t size; *choice; choice += size + (choice[size] == '|')) {
            size = strcspn(choice, "|");
            if (choice != option->choices) text_puts(out, ",");
            json_put_string(out, choice, size);
        }
        text_puts(out, "]");
    }
    struct text help = {0}, words = {0};
    if (option->value) text_printf(&help, "%s: ", option->value);
    text_puts(&help, option_words(&words, option));
    text_puts(out, ",\"description\":");
    json_put_string(out, help.bytes ? help.bytes : "", help.size);
    text_puts(out, "}");
    out->failed |= help.failed || words.failed;
    text_free(&words);
    text_free(&help);
}

/* ---- schemas ---- */

static void mcp_put_arguments(struct text *out, const struct mcp_tool *tool)
{
    const struct option *option;
    text_puts(out, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < MCP_OPERANDS && tool->operands[i]; i++) {
        const char *operand = tool->operands[i];
        json_put_string(out, operand, mcp_name_size(operand));
        text_puts(out, ":{\"type\":\"string\",\"description\":");
        mcp_put_word(out, mcp_is_path(operand) ? "path of a trace; `traces` lists them"
                          : strcmp(operand, "subject") == 0
                              ? "a register (x0, sp), or an address, or ADDRESS+BYTES"
                          : strcmp(operand, "query") == 0 ? "statements of SQL that only read"
                                                          : "name of a function");
        text_puts(out, "},");
    }
    for (size_t i = 0; (option = mcp_option(tool, i)); i++) {
        mcp_put_option(out, option);
        text_puts(out, ",");
    }
    text_puts(out,
              "\"max_bytes\":{\"type\":\"integer\",\"minimum\":256,\"maximum\":1048576,"
              "\"description\":\"cut the answer after this many bytes (default 40000)\"},"
              "\"cursor\":{\"type\":\"string\",\"description\":\"go on after a part that was cut: "
              "its `cursor`, with the same arguments\"}},\"required\":[");
    for (size_t i = 0; i < MCP_OPERANDS && tool->operands[i]; i++) {
        const size_t size = mcp_name_size(tool->operands[i]);
        if (tool->operands[i][size]) continue;
        if (i) text_puts(out, ",");
        json_put_string(out, tool->operands[i], size);
    }
    text_puts(out, "],\"additionalProperties\":false}");
}

/* The schema of a verb's result, as a part of another one: on one line, without `$schema`, and with
 * its references as they are from the root. */
static void mcp_put_result_schema(struct text *out, const char *verb)
{
    static const char reference[] = "\"#/$defs/", here[] = "\"#/properties/result/$defs/";
    char *schema = spoor_result_schema(verb, NULL);
    const char *at = schema ? strchr(schema, ',') : NULL; /* after $schema */
    text_puts(out, at ? "{" : "{}");
    for (at = at ? at + 1 : ""; *at; at++) {
        if (*at == '\n') continue;
        if (strncmp(at, reference, sizeof reference - 1) == 0) {
            text_puts(out, here);
            at += sizeof reference - 2;
        } else {
            text_put(out, at, 1);
        }
    }
    free(schema);
}

void mcp_put_tools(struct text *out)
{
    text_puts(out, "{\"tools\":[{\"name\":\"traces\",\"title\":\"List the traces\",\"description\":"
                   "\"Lists the files in the folders that this server may read.\",\"inputSchema\":"
                   "{\"type\":\"object\",\"additionalProperties\":false},\"annotations\":"
                   "{\"readOnlyHint\":true,\"openWorldHint\":false}}");
    for (size_t i = 0; i < TOOLS; i++) {
        const struct verb *verb = verb_find(tools[i].verb);
        text_puts(out, ",{\"name\":");
        mcp_put_word(out, verb->name);
        text_puts(out, ",\"title\":");
        mcp_put_word(out, tools[i].title);
        text_puts(out, ",\"description\":");
        mcp_put_word(out, verb->about);
        text_puts(out, ",\"inputSchema\":");
        mcp_put_arguments(out, &tools[i]);
        text_puts(out,
                  ",\"outputSchema\":{\"type\":\"object\",\"properties\":{\"exit_code\":"
                  "{\"type\":\"integer\",\"description\":\"0: nothing was found or all is well; "
                  "1: findings or differences; 3: part of the input could not be read; 4: the "
                  "comparison lost its place; 5: nothing matched; absent of an answer that was "
                  "cut\"},\"notes\":{\"type\":\"string\","
                  "\"description\":\"what the verb said beside its result\"},\"part\":{\"type\":"
                  "\"string\",\"description\":\"a part of the JSON text of an answer that was "
                  "cut\"},\"cursor\":{\"type\":\"string\",\"description\":\"where the next part "
                  "begins\"},\"result\":");
        mcp_put_result_schema(out, verb->name);
        text_puts(out, "}},\"annotations\":{\"readOnlyHint\":true,"
                       "\"openWorldHint\":false}}");
    }
    text_puts(out, "]}");
}

/* ---- paths ---- */

/* The path of a file within the folders, as the command may name it, in `found`: the path itself,
 * or the path in one of the folders. */
static bool mcp_find_path(char found[PATH_MAX], const char *path, const struct word_list *folders)
{
    char real[PATH_MAX];
    for (size_t i = 0; i <= folders->count; i++) {
        struct stat status;
        if (i && path[0] == '/') break;
        const int size = i ? snprintf(found, PATH_MAX, "%s/%s", folders->items[i - 1], path)
                           : snprintf(found, PATH_MAX, "%s", path);
        if (size >= PATH_MAX || !realpath(found, real) || stat(real, &status) != 0 ||
            !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
            continue;
        for (size_t k = 0; k < folders->count; k++) {
            const char *root = folders->items[k];
            const size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
            if (strncmp(real, root, length) == 0 && (real[length] == '/' || !real[length]))
                return true;
        }
    }
    return false;
}

/* Adds a path, with the "@ADDRESS" of an image, after what precedes it in its word. */
static bool mcp_add_path(struct word_list *words, const char *before, const char *path,
                         const struct word_list *folders, struct text *refusal)
{
    char name[PATH_MAX], found[PATH_MAX];
    const char *rest = *before ? strrchr(path, '@') : NULL;
    const size_t size = rest ? (size_t)(rest - path) : strlen(path);
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), path);
    if (size >= sizeof name || !*name || !mcp_find_path(found, name, folders)) {
        text_printf(refusal,
                    "found the path '%.200s', expected a file in the folders of this "
                    "server: `traces` lists them",
                    path);
        return false;
    }
    struct text word = {0};
    text_printf(&word, "%s%s%s", before, found, rest ? rest : "");
    text_put(&word, "", 1);
    const bool good = !word.failed && word_list_add(words, word.bytes);
    text_free(&word);
    return good;
}

bool mcp_put_traces(struct text *out, const struct word_list *folders)
{
    struct word_list files = {0};
    bool good = true;
    for (size_t i = 0; i < folders->count && good; i++)
        good = operand_is_folder(folders->items[i]) ? operands_add_folder(&files, folders->items[i])
                                                    : word_list_add(&files, folders->items[i]);
    text_puts(out, "[");
    for (size_t i = 0; i < files.count; i++) {
        if (i) text_puts(out, ",\n ");
        mcp_put_word(out, files.items[i]);
    }
    text_puts(out, "]\n");
    word_list_free(&files);
    return good;
}

/* ---- commands ---- */

static bool mcp_add_option(struct word_list *words, const struct option *option,
                           const json_t *value, const struct word_list *folders,
                           struct text *refusal)
{
    struct text word = {0};
    bool good = true;
    text_printf(&word, "--%s", option->name);
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        text_put(&word, "=", mcp_names_file(option) || option->type != OPTION_FLAG);
        if (option->type == OPTION_FORMAT && text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                                               "0123456789-_")]) {
            text_printf(refusal, "%s: found '%.200s', expected the name of a format", option->name,
                        text);
            good = false;
        } else if (option->type == OPTION_FLAG) {
            text_printf(refusal, "%s: found a string, expected true or false", option->name);
            good = false;
        } else if (mcp_names_file(option)) {
            text_put(&word, "", 1);
            good = !word.failed && mcp_add_path(words, word.bytes, text, folders, refusal);
            text_free(&word);
            return good;
        } else {
            text_puts(&word, text);
        }
    } else if (json_is_integer(value) &&
               (option->type == OPTION_NUMBER || option->type == OPTION_COUNT)) {
        text_printf(&word, "=%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_boolean(value) && (option->type == OPTION_FLAG ||
                                          (option->type == OPTION_NUMBER && option->choices))) {
        if (json_is_false(value)) {
            text_free(&word);
            return true;
        }
    } else {
        text_printf(refusal, "%s: found a value of another type than its schema has", option->name);
        good = false;
    }
    text_put(&word, "", 1);
    good = good && !word.failed && word_list_add(words, word.bytes);
    text_free(&word);
    return good;
}

static const char *mcp_option_name(const void *tool, size_t index)
{
    return mcp_option(tool, index)->name;
}

/* Adds the option of that name with each of its values. */
static bool mcp_add_options(struct word_list *words, const struct mcp_tool *tool, const char *name,
                            const json_t *value, const struct word_list *folders,
                            struct text *refusal)
{
    size_t count = 0;
    const struct option *option;
    while ((option = mcp_option(tool, count)) && strcmp(option->name, name) != 0) count++;
    if (!option) {
        const char *near = nearest(name, mcp_option_name, tool, count);
        text_printf(refusal, "%s has no argument '%.100s'%s%s%s", tool->verb, name,
                    near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    if (option->type != OPTION_LIST || !json_is_array(value))
        return mcp_add_option(words, option, value, folders, refusal);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!mcp_add_option(words, option, json_array_get(value, i), folders, refusal))
            return false;
    return true;
}

bool mcp_command(struct word_list *words, const struct mcp_tool *tool, const json_t *arguments,
                 const struct word_list *folders, struct text *refusal)
{
    const char *operands[MCP_OPERANDS] = {NULL}, *name;
    json_t *value;
    bool good = word_list_add(words, tool->verb) && word_list_add(words, "--json");
    if (good && strcmp(tool->verb, "sql") == 0) good = word_list_add(words, "--read-only");
    json_object_foreach((json_t *)(uintptr_t)arguments, name, value)
    {
        size_t i = 0;
        while (i < MCP_OPERANDS && tool->operands[i] &&
               (strlen(name) != mcp_name_size(tool->operands[i]) ||
                strncmp(name, tool->operands[i], strlen(name)) != 0))
            i++;
        if (i < MCP_OPERANDS && tool->operands[i]) {
            operands[i] = json_string_value(value);
            if (operands[i]) continue;
            text_printf(refusal, "%s: expected a string", name);
            return false;
        }
        if (strcmp(name, "cursor") == 0 || strcmp(name, "max_bytes") == 0) continue;
        if (!good || !mcp_add_options(words, tool, name, value, folders, refusal)) return false;
    }
    good = good && word_list_add(words, "--");
    for (size_t i = 0; i < MCP_OPERANDS && tool->operands[i] && good; i++) {
        const size_t size = mcp_name_size(tool->operands[i]);
        if (!operands[i] && tool->operands[i][size]) continue;
        if (!operands[i]) {
            text_printf(refusal, "%s: the argument '%s' is missing", tool->verb, tool->operands[i]);
            return false;
        }
        good = mcp_is_path(tool->operands[i])
                   ? mcp_add_path(words, "", operands[i], folders, refusal)
                   : word_list_add(words, operands[i]);
    }
    return good;
}

/* ---- prompts ---- */

static const struct mcp_prompt {
    const char *name, *title, *arguments[2], *text; /* %s: the arguments, in their order */
} prompts[] = {
    {"why_did_it_fault",
     "Why did the program fault?",
     {"trace"},
     "Find out why the program in the trace %s%s failed. Ask `why` first; then `exceptions` for "
     "the "
     "order of events, `stack` for the calls that were open at the fault, and `who` and `slice` "
     "for "
     "the origin of the value that was wrong. Name the instruction, its function and source line, "
     "the access, and the cause. Say what the trace does not state."},
    {"where_do_two_traces_part",
     "Where do two traces part?",
     {"left", "right"},
     "Find out where the traces %s and %s part. Ask `info` of both, then `diff`. For the first "
     "root "
     "difference, ask `state` of both sides at its record, and `slice` of what differs. Name the "
     "instruction, both values, and which side is likely to be wrong, with the reason."},
    {"what_is_slow",
     "What is slow?",
     {"trace"},
     "Find out what the program in the trace %s%s spends its time on. Ask `info`, then `profile`, "
     "then `annotate` of the first functions; where the trace has memory accesses or branches, "
     "`cache` and `branch`; where it suits, `pipe`. Name the functions and lines with their "
     "shares, the cause, and one change that would help."},
};
enum { PROMPTS = sizeof prompts / sizeof *prompts };

void mcp_put_prompts(struct text *out)
{
    text_puts(out, "{\"prompts\":[");
    for (size_t i = 0; i < PROMPTS; i++) {
        text_puts(out, i ? ",{\"name\":" : "{\"name\":");
        mcp_put_word(out, prompts[i].name);
        text_puts(out, ",\"title\":");
        mcp_put_word(out, prompts[i].title);
        text_puts(out, ",\"arguments\":[");
        for (size_t k = 0; k < 2 && prompts[i].arguments[k]; k++) {
            text_puts(out, k ? ",{\"name\":" : "{\"name\":");
            mcp_put_word(out, prompts[i].arguments[k]);
            text_puts(out, ",\"description\":\"path of a trace\",\"required\":true}");
        }
        text_puts(out, "]}");
    }
    text_puts(out, "]}");
}

bool mcp_put_prompt(struct text *out, const char *name, const json_t *arguments,
                    struct text *refusal)
{
    const struct mcp_prompt *prompt = prompts;
    while (prompt < prompts + PROMPTS && strcmp(prompt->name, name) != 0) prompt++;
    if (prompt == prompts + PROMPTS) {
        text_printf(refusal, "no prompt is called '%.100s'", name);
        return false;
    }
    const char *values[2] = {"", ""};
    for (size_t i = 0; i < 2 && prompt->arguments[i]; i++) {
        values[i] = json_string_value(json_object_get(arguments, prompt->arguments[i]));
        if (values[i]) continue;
        text_printf(refusal, "%s: the argument '%s' is missing", name, prompt->arguments[i]);
        return false;
    }
    struct text text = {0};
    const char *first = strstr(prompt->text, "%s"), *second = strstr(first + 2, "%s");
    text_put(&text, prompt->text, (size_t)(first - prompt->text));
    text_puts(&text, values[0]);
    text_put(&text, first + 2, (size_t)(second - first - 2));
    text_puts(&text, values[1]);
    text_puts(&text, second + 2);
    text_puts(out, "{\"description\":");
    mcp_put_word(out, prompt->title);
    text_puts(out, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    json_put_string(out, text.bytes ? text.bytes : "", text.size);
    text_puts(out, "}}]}");
    out->failed |= text.failed;
    text_free(&text);
    return true;
}
