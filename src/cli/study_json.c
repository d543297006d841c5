/* SPDX-License-Identifier: MIT */
/* study_json.c: the file of a study, and results that were printed as JSON, through libjansson. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"

/* Where memory runs out, libjansson calls a text wrong, or leaves a member out: its allocations are
 * watched. */
static bool study_json_lacked_memory;

static void *study_json_allocate(size_t size)
{
    void *memory = malloc(size);
    study_json_lacked_memory |= !memory;
    return memory;
}

/* The value in a file or, where `path` is NULL, in bytes; NULL: errno is ENOMEM if memory ran out.
 */
static json_t *study_json_load(const char *path, const char *bytes, size_t size,
                               json_error_t *error)
{
    json_set_alloc_funcs(study_json_allocate, free);
    study_json_lacked_memory = false;
    errno = 0;
    json_t *root = path ? json_load_file(path, JSON_REJECT_DUPLICATES, error)
                        : json_loadb(bytes, size, 0, error);
    if (!study_json_lacked_memory) return root;
    json_decref(root);
    errno = ENOMEM;
    return NULL;
}

/* ---- the study ---- */

struct study_source {
    struct study *study;
    const char *path;
};

static bool study_json_refuse(const struct study_source *source, const char *where,
                              const char *expected)
{
    return complain("sweep: %s: %s: expected %s", source->path, where, expected);
}

/* Refuses members that a study does not have: a misspelt one would be left out in silence. */
static bool study_json_has_only(const struct study_source *source, json_t *object,
                                const char *where, const char *const *names)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const char *const *name = names;
        while (*name && strcmp(*name, key) != 0) name++;
        if (*name) continue;
        return complain("sweep: %s: %s has a member '%s', which no study has", source->path, where,
                        key);
    }
    return true;
}

/* A string, a number or a list of them as words. */
static bool study_json_add_words(const struct study_source *source, json_t *value,
                                 const char *where, struct word_list *words)
{
    size_t index;
    json_t *item;
    if (!value) return true;
    if (!json_is_array(value)) return study_json_refuse(source, where, "a list of words");
    json_array_foreach(value, index, item)
    {
        char *number = json_is_number(item) ? json_dumps(item, JSON_ENCODE_ANY) : NULL;
        const char *word = number ? number : json_string_value(item);
        if (!number && json_is_number(item)) return study_out_of_memory(source->study);
        const bool good =
            word ? word_list_add(words, word) : study_json_refuse(source, where, "words");
        source->study->unread |= word && !good;
        free(number);
        if (!good) return false;
    }
    return true;
}

static bool study_json_read_trace(const struct study_source *source, json_t *value)
{
    static const char *const names[] = {"trace", "weight", "options", "simpoints", "warmup", NULL};
    struct word_list options = {0};
    if (json_is_string(value))
        return study_add_trace(source->study, json_string_value(value),
                               &(struct trace_words){.weight = 1});
    json_t *weight = json_object_get(value, "weight");
    const char *path = json_string_value(json_object_get(value, "trace"));
    if (!path)
        return study_json_refuse(source, "traces", "paths, or objects with a member 'trace'");
    if (weight && !(json_number_value(weight) >= 0 && json_is_number(weight)))
        return study_json_refuse(source, "weight", "a number of at least 0");
    const json_int_t warmup = json_integer_value(json_object_get(value, "warmup"));
    const struct trace_words words = {.weight = weight ? json_number_value(weight) : 1,
                                      .options = &options,
                                      .simpoints =
                                          json_string_value(json_object_get(value, "simpoints")),
                                      .warmup = warmup > 0 ? (uint64_t)warmup : 0};
    const bool good =
        study_json_has_only(source, value, "a trace", names) &&
        study_json_add_words(source, json_object_get(value, "options"), "options", &options) &&
        study_add_trace(source->study, path, &words);
    word_list_free(&options);
    return good;
}

static bool study_json_read_run(const struct study_source *source, json_t *value)
{
    static const char *const names[] = {"name", "verb", "options", "grid", NULL};
    const char *verb = json_string_value(json_object_get(value, "verb")), *key;
    json_t *grid = json_object_get(value, "grid"), *axis;
    if (!verb) return study_json_refuse(source, "runs", "objects with a member 'verb'");
    if (!study_json_has_only(source, value, "a run", names)) return false;
    struct study_run *run =
        study_add_run(source->study, json_string_value(json_object_get(value, "name")), verb);
    if (!run ||
        !study_json_add_words(source, json_object_get(value, "options"), "options", &run->options))
        return false;
    if (grid && !json_is_object(grid)) return study_json_refuse(source, "grid", "an object");
    json_object_foreach(grid, key, axis)
    {
        /* "KEY=VALUES" of one member of the grid */
        const bool described = strcmp(key, "predictor") == 0 || strcmp(key, "level") == 0;
        struct word_list values = {0};
        struct text text = {0};
        bool good = true;
        text_printf(&text, "%s=", key);
        if (json_is_string(axis))
            text_puts(&text, json_string_value(axis));
        else
            good = study_json_add_words(source, axis, key, &values);
        for (size_t i = 0; i < values.count; i++)
            text_printf(&text, "%s%s", i ? described ? ";" : "," : "", values.items[i]);
        text_put(&text, "", 1);
        const bool added = good && !text.failed && word_list_add(&run->grid_words, text.bytes);
        if (good && text.failed) complain("out of memory");
        source->study->unread |= good && !added;
        text_free(&text);
        word_list_free(&values);
        if (!added) return false;
    }
    return true;
}

static bool study_json_read_list(const struct study_source *source, json_t *list, const char *name,
                                 bool (*read)(const struct study_source *source, json_t *value))
{
    size_t index;
    json_t *value;
    if (!json_is_array(list)) return study_json_refuse(source, name, "a list");
    json_array_foreach(list, index, value)
    {
        if (!read(source, value)) return false;
    }
    return true;
}

static bool study_json_copy_string(const struct study_source *source, json_t *root,
                                   const char *name, char **to)
{
    json_t *value = json_object_get(root, name);
    if (!value) return true;
    if (!json_is_string(value)) return study_json_refuse(source, name, "a string");
    free(*to);
    *to = strdup(json_string_value(value));
    return *to || study_out_of_memory(source->study);
}

bool study_read(struct study *study, const char *path, const struct settings *settings)
{
    static const char *const names[] = {"traces", "runs", "results", "notes", NULL};
    const struct study_source source = {study, path};
    json_error_t error;
    json_t *root = study_json_load(path, NULL, 0, &error);
    if (!root) {
        study->unread = error.line < 0 || errno == ENOMEM;
        if (study->unread)
            complain("sweep: %s: cannot be read: %s", path, strerror(errno));
        else
            complain("sweep: %s:%d: %s", path, error.line, error.text);
        return false;
    }
    bool good = json_is_object(root) || study_json_refuse(&source, "the study", "an object");
    char *name = NULL;
    good = good && study_json_has_only(&source, root, "the study", names) &&
           study_json_copy_string(&source, root, "results", &name);
    if (name && good)
        good = study_set_results(study, name) || study->unread ||
               study_json_refuse(&source, "results",
                                 "a path below the folder of the study, without '..' "
                                 "(the option --results takes any)");
    free(name);
    good =
        good && study_json_copy_string(&source, root, "notes", &study->notes) &&
        study_json_read_list(&source, json_object_get(root, "traces"), "traces",
                             study_json_read_trace) &&
        study_json_read_list(&source, json_object_get(root, "runs"), "runs", study_json_read_run) &&
        study_finish(study, settings);
    json_delete(root);
    return good && !study->unread;
}

/* ---- results ---- */

static void study_json_add_value(struct spoor_result *in, const char *key, json_t *value)
{
    const char *name;
    json_t *member;
    size_t index;
    struct spoor_result *node;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        node = spoor_result_object(in, key);
        json_object_foreach(value, name, member)
        {
            study_json_add_value(node, name, member);
        }
        break;
    case JSON_ARRAY:
        node = spoor_result_array(in, key);
        json_array_foreach(value, index, member)
        {
            study_json_add_value(node, NULL, member);
        }
        break;
    case JSON_STRING:
        spoor_result_bytes(in, key, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        if (json_integer_value(value) < 0)
            spoor_result_signed(in, key, json_integer_value(value));
        else
            spoor_result_unsigned(in, key, (uint64_t)json_integer_value(value));
        break;
    case JSON_REAL: spoor_result_real(in, key, json_real_value(value), 6); break;
    case JSON_TRUE:
    case JSON_FALSE: spoor_result_bool(in, key, json_is_true(value)); break;
    case JSON_NULL: spoor_result_null(in, key); break;
    }
}

struct spoor_result *result_of_json(const char *bytes, size_t size)
{
    const char *name;
    json_t *root = study_json_load(NULL, bytes, size, NULL), *member;
    const int why = errno == ENOMEM ? errno : 0;
    struct spoor_result *result = json_is_object(root) ? spoor_result_new_object() : NULL;
    if (result) json_object_foreach(root, name, member)
        {
            study_json_add_value(result, name, member);
        }
    const bool is_object = json_is_object(root);
    json_delete(root);
    if (result && !spoor_result_complete(result)) {
        spoor_result_free(result);
        result = NULL;
    }
    errno = is_object ? ENOMEM : why;
    return result;
}
