/* SPDX-License-Identifier: MIT */
/* report.c: the description of results, the JSON Schema that is made from it, and its check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/result_node.h"
#include "result/result_printer.h"
#include "result/result_table.h"
#include "spoor/result.h"

enum report_type {
    TYPE_COUNT,
    TYPE_INDEX,
    TYPE_INTEGER,
    TYPE_SIZE,
    TYPE_TIME,
    TYPE_REAL,
    TYPE_RATIO,
    TYPE_FLAG,
    TYPE_ADDRESS,
    TYPE_TEXT,
    TYPE_ANY,
    TYPES
};

static const struct {
    const char *name;
    const char *schema; /* what JSON Schema says of it, but for "type" */
    const char *type;
    enum report_merge merge; /* of words of which keys.def says no more */
} types[TYPES] = {
    [TYPE_COUNT] = {"COUNT", ", \"minimum\": 0", "integer", MERGE_SUM},
    [TYPE_INDEX] = {"INDEX", ", \"minimum\": 0", "integer", MERGE_SUM},
    [TYPE_INTEGER] = {"INTEGER", "", "integer", MERGE_SUM},
    [TYPE_SIZE] = {"SIZE", ", \"minimum\": 0", "integer", MERGE_SUM},
    [TYPE_TIME] = {"TIME", "", "integer", MERGE_SUM},
    [TYPE_REAL] = {"REAL", "", "number", MERGE_WHOLE},
    [TYPE_RATIO] = {"RATIO", ", \"minimum\": 0, \"maximum\": 1", "number", MERGE_WHOLE},
    [TYPE_FLAG] = {"FLAG", "", "boolean", MERGE_WHOLE},
    [TYPE_ADDRESS] = {"ADDRESS", ", \"pattern\": \"^0x[0-9a-f]+$\"", "string", MERGE_WHOLE},
    [TYPE_TEXT] = {"TEXT", "", "string", MERGE_WHOLE},
    [TYPE_ANY] = {"ANY", "", NULL, MERGE_WHOLE},
};

static const struct report_key {
    const char *word;
    enum report_type type;
    const char *meaning;
    struct report_merge_rule merging;
} keys[] = {
#define KEY(word, type, meaning) {#word, TYPE_##type, meaning, {MERGE_WHOLE, ""}},
#define MERGED(word, type, how, per, meaning) {#word, TYPE_##type, meaning, {MERGE_##how, per}},
#include "result/keys.def"
#undef MERGED
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

/* The words that reports.def uses of how a member merges. */
static const char *const merges[MERGES] = {
    [MERGE_WHOLE] = "WHOLE",   [MERGE_SUM] = "SUM",         [MERGE_RATIO] = "RATIO",
    [MERGE_MEAN] = "MEAN",     [MERGE_MAXIMUM] = "MAXIMUM", [MERGE_DESIGN] = "DESIGN",
    [MERGE_COMMON] = "COMMON", [MERGE_NONE] = "NONE",
};

/* An object of a verb's result, or the rows of an array. */
static const struct report_table {
    const char *verb, *path, *members;
    bool rows;
} tables[] = {
#define OBJECT(verb, path, members) {#verb, path, members, false},
#define ROWS(verb, path, members) {#verb, path, members, true},
#define COMMAND(name, command)
#include "result/reports.def"
#undef COMMAND
#undef OBJECT
#undef ROWS
};
enum { TABLES = sizeof tables / sizeof *tables };

/* The commands that print results which are not called after their verb. */
static const struct {
    const char *name, *command;
} commands[] = {
#define COMMAND(name, command) {#name, command},
#define OBJECT(verb, path, members)
#define ROWS(verb, path, members)
#include "result/reports.def"
#undef COMMAND
#undef OBJECT
#undef ROWS
};

/* A member of an object, as a word of reports.def states it. */
struct report_member {
    const char *key;
    size_t size;
    enum report_type type;
    const char *meaning; /* NULL: the word is not in keys.def */
    struct report_merge_rule merging;
    bool list, map; /* its values are a list, or the members of an object with keys of the trace */
    bool optional;  /* left out where the trace does not state it */
    bool minor;     /* left out of a narrow text */
};

static bool report_is_word(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Reads the member at `*at` and goes on to the next one; false: there is none. */
static bool report_next_member(const char **at, struct report_member *member)
{
    const char *word = *at + strspn(*at, " ");
    const size_t size = strcspn(word, " ");
    *member = (struct report_member){.key = word, .type = TYPE_ANY, .merging.per = ""};
    *at = word + size;
    if (!size) return false;
    member->size = strcspn(word, " :=[{?-");
    for (size_t i = 0; i < KEYS; i++)
        if (report_is_word(word, member->size, keys[i].word)) {
            member->type = keys[i].type;
            member->meaning = keys[i].meaning;
            member->merging = keys[i].merging;
            if (member->merging.how == MERGE_WHOLE) member->merging.how = types[keys[i].type].merge;
        }
    for (const char *mark = word + member->size; mark < word + size; mark++) {
        const size_t mark_size = strcspn(mark + 1, " =[{?-");
        for (int i = 0; *mark == ':' && i < TYPES; i++)
            if (report_is_word(mark + 1, mark_size, types[i].name))
                member->type = (enum report_type)i;
        for (int i = 0; *mark == '=' && i < MERGES; i++)
            if (report_is_word(mark + 1, mark_size, merges[i]))
                member->merging = (struct report_merge_rule){(enum report_merge)i, ""};
        member->list |= *mark == '[';
        member->map |= *mark == '{';
        member->optional |= *mark == '?';
        member->minor |= *mark == '-';
    }
    return true;
}

void report_path_add(char path[REPORT_PATH_SIZE], const char *key, size_t size)
{
    size_t length = strlen(path);
    if (length && length + 1 < REPORT_PATH_SIZE) path[length++] = '.';
    if (length + size < REPORT_PATH_SIZE) {
        memcpy(path + length, key, size);
        length += size;
    }
    path[length] = '\0';
}

/* The place of an object in a result: the keys that lead to it. */
struct report_path {
    const char *verb;
    char keys[REPORT_PATH_SIZE]; /* joined by dots */
    bool weighted;               /* counts may be means, which have decimals */
};

/* Path of a member; "*" stands for every key of a map. */
static struct report_path report_path_of(const struct report_path *path, const char *key,
                                         size_t size)
{
    struct report_path inner = *path;
    report_path_add(inner.keys, key, size);
    return inner;
}

/* The description of an object; "**.KEY" describes rows that hold such rows again, at any depth. */
static const struct report_table *report_find(const struct report_path *path)
{
    const char *last = strrchr(path->keys, '.');
    const struct report_table *found = NULL;
    for (size_t i = 0; i < TABLES && !found; i++)
        if (strcmp(tables[i].verb, path->verb) == 0 && strcmp(tables[i].path, path->keys) == 0)
            found = &tables[i];
    for (size_t i = 0; i < TABLES && !found; i++)
        if (strcmp(tables[i].verb, path->verb) == 0 && strncmp(tables[i].path, "**.", 3) == 0 &&
            strcmp(tables[i].path + 3, last ? last + 1 : path->keys) == 0)
            found = &tables[i];
    return found;
}

const char *spoor_result_described(size_t number)
{
    for (size_t i = 0; i < TABLES; i++)
        if (!*tables[i].path && number-- == 0) return tables[i].verb;
    return NULL;
}

/* Results of simulators are weighted means where --simpoints selects intervals. */
static struct report_path report_root(const char *verb)
{
    struct report_path root = {.verb = verb};
    const struct report_table *table = report_find(&root);
    root.weighted = table && strstr(table->members, "simpoints?");
    return root;
}

/* ---- the schema ---- */

static void report_put_object(const struct report_table *table, const struct report_path *path,
                              struct text *text, int depth);

/* What the schema says of a value that is a number, a text or a boolean. */
static void report_put_type(struct text *text, const struct report_member *member, bool weighted)
{
    const bool mean = weighted && (member->type == TYPE_COUNT || member->type == TYPE_SIZE);
    if (!types[member->type].type) {
        text_puts(text, "{}");
        return;
    }
    text_printf(text, "{\"type\": \"%s\"%s", mean ? "number" : types[member->type].type,
                types[member->type].schema);
    if (member->meaning) text_printf(text, ", \"description\": \"%s\"", member->meaning);
    text_puts(text, "}");
}

/* The schema of rows, or of an object: a reference where rows hold rows of the same key. */
static void report_put_table(const struct report_table *table, const struct report_path *path,
                             struct text *text, int depth)
{
    if (strncmp(table->path, "**.", 3) == 0) {
        text_printf(text, "{\"$ref\": \"#/$defs/%s\"}", table->path + 3);
        return;
    }
    text_puts(text, "{");
    report_put_object(table, path, text, depth);
    text_puts(text, "}");
}

static void report_put_member(const struct report_member *member, const struct report_path *path,
                              struct text *text, int depth)
{
    const struct report_path own = report_path_of(path, member->key, member->size);
    const struct report_path each = report_path_of(&own, "*", 1);
    const struct report_table *table = report_find(&own), *of_each = report_find(&each);
    text_printf(text, "\"%.*s\": ", (int)member->size, member->key);
    if (table && table->rows) {
        text_puts(text, "{\"type\": \"array\", \"items\": ");
        report_put_table(table, &own, text, depth);
        text_puts(text, "}");
    } else if (table) {
        report_put_table(table, &own, text, depth);
    } else if (member->map) {
        text_puts(text, "{\"type\": \"object\", \"additionalProperties\": ");
        if (of_each)
            report_put_table(of_each, &each, text, depth);
        else
            report_put_type(text, member, path->weighted);
        text_puts(text, "}");
    } else if (member->list) {
        text_puts(text, "{\"type\": \"array\", \"items\": ");
        report_put_type(text, member, path->weighted);
        text_puts(text, "}");
    } else {
        report_put_type(text, member, path->weighted);
    }
}

/* The schema of an object, without its braces: a member a line, then those that are always there.
 */
static void report_put_object(const struct report_table *table, const struct report_path *path,
                              struct text *text, int depth)
{
    struct report_member member;
    const char *at = table->members, *between = "";
    if (strcmp(table->members, "*") == 0) {
        text_puts(text, "\"type\": \"object\"");
        return;
    }
    text_puts(text, "\"type\": \"object\", \"properties\": {");
    while (report_next_member(&at, &member)) {
        if (report_is_word(member.key, member.size, "*")) continue;
        text_printf(text, "%s\n%*s", between, depth + 1, "");
        report_put_member(&member, path, text, depth + 1);
        between = ",";
    }
    text_puts(text, "}, \"required\": [");
    at = table->members;
    between = "";
    while (report_next_member(&at, &member)) {
        if (member.optional || report_is_word(member.key, member.size, "*")) continue;
        text_printf(text, "%s\"%.*s\"", between, (int)member.size, member.key);
        between = ", ";
    }
    text_puts(text, "]");
}

char *spoor_result_schema(const char *name, size_t *size)
{
    const struct report_path root = report_root(name);
    const struct report_table *table = report_find(&root);
    const char *between = ",\n \"$defs\": {", *command = name;
    struct text text = {0};
    bool has_definitions = false;
    if (!table) return NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0) command = commands[i].command;
    text_printf(&text,
                "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                " \"title\": \"%s of spoor %s --json\",\n ",
                table->rows ? "the rows" : "one result", command);
    if (table->rows) text_puts(&text, "\"type\": \"array\", \"items\": {");
    report_put_object(table, &root, &text, 1 + table->rows);
    if (table->rows) text_puts(&text, "}");
    for (size_t i = 0; i < TABLES; i++) {
        if (strcmp(tables[i].verb, name) != 0 || strncmp(tables[i].path, "**.", 3) != 0) continue;
        text_printf(&text, "%s\n  \"%s\": {", between, tables[i].path + 3);
        report_put_object(&tables[i], &root, &text, 2);
        text_puts(&text, "}");
        between = ",";
        has_definitions = true;
    }
    text_puts(&text, has_definitions ? "}}\n" : "}\n");
    return text_hand_out(&text, size);
}

/* ---- columns ---- */

/* The columns of an object, `*number` of them skipped; false: there are fewer. */
static bool report_find_column(const struct report_path *path, const char *prefix, size_t *number,
                               struct report_column *column)
{
    const struct report_table *table = report_find(path);
    struct report_member member;
    for (const char *at = table ? table->members : ""; report_next_member(&at, &member);) {
        const struct report_path own = report_path_of(path, member.key, member.size);
        const struct report_table *inner = report_find(&own);
        char name[sizeof column->name];
        snprintf(name, sizeof name, "%s%s%.*s", prefix, *prefix ? "." : "", (int)member.size,
                 member.key);
        if (inner && !inner->rows && report_find_column(&own, name, number, column)) return true;
        if (inner || member.map || *member.key == '*' || (*number)-- > 0) continue;
        memcpy(column->name, name, sizeof name);
        column->is_address = member.type == TYPE_ADDRESS && !member.list;
        return true;
    }
    return false;
}

bool report_column(const char *report, const char *path, size_t number,
                   struct report_column *column)
{
    struct report_path rows = {.verb = report};
    rows = report_path_of(&rows, path, strlen(path));
    return report_find_column(&rows, "", &number, column);
}

/* ---- merging ---- */

/* What reports.def says of a member of the objects at a path; false: nothing. */
static bool report_find_member(const struct report_path *path, const char *key,
                               struct report_member *member)
{
    const struct report_table *table = report_find(path);
    for (const char *at = table ? table->members : ""; report_next_member(&at, member);)
        if (report_is_word(member->key, member->size, key)) return true;
    return false;
}

/* The members of a map, whose keys the trace states, merge as the map does. */
struct report_merge_rule report_merge_rule_of(const char *report, const char *path, const char *key)
{
    struct report_path at = {.verb = report};
    struct report_member member;
    at = report_path_of(&at, path, strlen(path));
    if (!report_find(&at)) {
        char *last = strrchr(at.keys, '.');
        key = last ? path + (last + 1 - at.keys) : path;
        *(last ? last : at.keys) = '\0';
    }
    if (report_find_member(&at, key, &member)) return member.merging;
    return (struct report_merge_rule){MERGE_WHOLE, ""};
}

bool report_is_minor(const char *report, const char *path, const char *key)
{
    struct report_path at = {.verb = report};
    struct report_member member;
    if (!report) return false;
    at = report_path_of(&at, path, strlen(path));
    return report_find_member(&at, key, &member) && member.minor;
}

/* ---- the check ---- */

static void report_check_object(const struct report_table *table, const struct report_path *path,
                                const struct spoor_result *object, struct text *text);

static void report_put_problem(struct text *text, const struct report_path *path, const char *key,
                               const char *words)
{
    text_printf(text, "%s %s%s%s: %s\n", path->verb, path->keys, *path->keys && *key ? "." : "",
                key, words);
}

/* True if a value is what the type says. */
static bool report_fits(enum report_type type, const struct spoor_result *value, bool weighted)
{
    const enum spoor_result_type found = spoor_result_type_of(value);
    const bool whole = found == SPOOR_RESULT_UNSIGNED || found == SPOOR_RESULT_SIZE;
    const double number = spoor_result_number(value);
    const char *string = spoor_result_string(value, NULL);
    switch (type) {
    case TYPE_COUNT:
    case TYPE_INDEX:
    case TYPE_SIZE: return whole || (weighted && found == SPOOR_RESULT_REAL);
    case TYPE_INTEGER:
    case TYPE_TIME: return whole || found == SPOOR_RESULT_SIGNED;
    case TYPE_REAL: return whole || found == SPOOR_RESULT_REAL || found == SPOOR_RESULT_SIGNED;
    case TYPE_RATIO: return (whole || found == SPOOR_RESULT_REAL) && number >= 0 && number <= 1;
    case TYPE_FLAG: return found == SPOOR_RESULT_BOOL;
    case TYPE_ADDRESS:
        return found == SPOOR_RESULT_HEX || (string && strncmp(string, "0x", 2) == 0);
    case TYPE_TEXT: return found == SPOOR_RESULT_STRING || found == SPOOR_RESULT_HEX;
    default: return true;
    }
}

static void report_check_rows(const struct report_table *table, const struct report_path *path,
                              const struct spoor_result *rows, struct text *text)
{
    if (spoor_result_type_of(rows) != SPOOR_RESULT_ARRAY)
        report_put_problem(text, path, "", "no array of objects");
    for (const struct spoor_result *row = spoor_result_first(rows); row;
         row = spoor_result_next(row))
        report_check_object(table, path, row, text);
}

static void report_check_member(const struct report_member *member, const struct report_path *path,
                                const struct spoor_result *value, struct text *text)
{
    const char *key = spoor_result_key(value);
    const struct report_path own = report_path_of(path, member->key, member->size);
    const struct report_path each = report_path_of(&own, "*", 1);
    const struct report_table *table = report_find(&own), *of_each = report_find(&each);
    const enum spoor_result_type found = spoor_result_type_of(value);
    if (found == SPOOR_RESULT_NULL) {
        if (!member->optional) report_put_problem(text, path, key, "null");
        return;
    }
    if (table && table->rows) {
        report_check_rows(table, &own, value, text);
    } else if (table) {
        report_check_object(table, &own, value, text);
    } else if (member->map || member->list) {
        if (found != (member->map ? SPOOR_RESULT_OBJECT : SPOOR_RESULT_ARRAY))
            report_put_problem(text, path, key, member->map ? "no object" : "no list");
        for (const struct spoor_result *item = spoor_result_first(value); item;
             item = spoor_result_next(item))
            if (of_each)
                report_check_object(of_each, &each, item, text);
            else if (!report_fits(member->type, item, path->weighted))
                report_put_problem(text, path, key, "a value of another type in it");
    } else if (!report_fits(member->type, value, path->weighted)) {
        report_put_problem(text, path, key, "of another type, or out of its range");
    }
}

/* Each member is described, and each that is always there is there. */
static void report_check_object(const struct report_table *table, const struct report_path *path,
                                const struct spoor_result *object, struct text *text)
{
    struct report_member member;
    if (spoor_result_type_of(object) != SPOOR_RESULT_OBJECT) {
        report_put_problem(text, path, "", "no object");
        return;
    }
    for (const struct spoor_result *value = spoor_result_first(object); value;
         value = spoor_result_next(value)) {
        const char *at = table->members, *key = spoor_result_key(value);
        bool found = false, others = !*key; /* a bar, which text alone has, has no key */
        while (!found && report_next_member(&at, &member)) {
            found = report_is_word(member.key, member.size, key);
            others |= report_is_word(member.key, member.size, "*");
        }
        if (found)
            report_check_member(&member, path, value, text);
        else if (!others)
            report_put_problem(text, path, key, "not described");
    }
    for (const char *at = table->members; report_next_member(&at, &member);) {
        bool found = member.optional || report_is_word(member.key, member.size, "*");
        for (const struct spoor_result *value = spoor_result_first(object); value && !found;
             value = spoor_result_next(value))
            found = report_is_word(member.key, member.size, spoor_result_key(value));
        if (found) continue;
        const struct report_path own = report_path_of(path, member.key, member.size);
        text_printf(text, "%s %s: missing\n", own.verb, own.keys);
    }
}

char *spoor_result_problems(const char *name, const struct spoor_result *result, size_t *size)
{
    const struct report_path root = report_root(name);
    const struct report_table *table = report_find(&root);
    struct text text = {0};
    text_reserve(&text, 1);
    if (!table)
        text_printf(&text, "%s: not described\n", name);
    else if (spoor_result_type_of(result) == SPOOR_RESULT_ARRAY)
        report_check_rows(table, &root, result, &text);
    else
        report_check_object(table, &root, result, &text);
    return text_hand_out(&text, size);
}
