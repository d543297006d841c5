/* SPDX-License-Identifier: MIT */
/* tools.c: runs a tool of the library on a trace, compares two, and writes one. */
#include "tools.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* The option as a new reference, removed from the dict; NULL where there is none, or it is None. */
static PyObject *take(struct job *job, const char *name)
{
    PyObject *value = PyDict_GetItemString(job->options, name);
    if (!value) return NULL;
    Py_INCREF(value);
    PyDict_DelItemString(job->options, name);
    if (value != Py_None) return value;
    Py_DECREF(value);
    return NULL;
}

bool option_number(struct job *job, const char *name, uint64_t *value)
{
    PyObject *given = take(job, name);
    if (!given) return true;
    *value = PyLong_AsUnsignedLongLong(given);
    Py_DECREF(given);
    return !PyErr_Occurred();
}

bool option_real(struct job *job, const char *name, double *value)
{
    PyObject *given = take(job, name);
    if (!given) return true;
    *value = PyFloat_AsDouble(given);
    Py_DECREF(given);
    return !PyErr_Occurred();
}

bool option_flag(struct job *job, const char *name, bool *value)
{
    PyObject *given = take(job, name);
    if (!given) return true;
    const int truth = PyObject_IsTrue(given);
    Py_DECREF(given);
    *value = truth > 0;
    return truth >= 0;
}

bool option_text(struct job *job, const char *name, const char **value)
{
    Py_ssize_t size;
    PyObject *given = take(job, name);
    *value = NULL;
    if (!given) return true;
    if (job->held_count == sizeof job->held / sizeof *job->held) {
        Py_DECREF(given);
        PyErr_SetString(PyExc_TypeError, "too many options");
        return false;
    }
    job->held[job->held_count++] = given;
    *value = PyUnicode_AsUTF8AndSize(given, &size);
    return *value != NULL;
}

bool option_word(struct job *job, const char *name, const char *const *words, uint64_t *value)
{
    const char *given;
    if (!option_text(job, name, &given)) return false;
    if (!given) return true;
    for (uint64_t i = 0; words[i]; i++)
        if (strcmp(words[i], given) == 0) {
            *value = i;
            return true;
        }
    spoor_error_set(&job->error, SPOOR_EUSAGE, "%s: found '%s', expected %s or another", name,
                    given, words[0]);
    return false;
}

bool option_list(struct job *job, const char *name, const char *const **words, size_t *count)
{
    PyObject *given = take(job, name);
    *words = NULL;
    *count = 0;
    if (!given) return true;
    if (job->held_count == sizeof job->held / sizeof *job->held) {
        Py_DECREF(given);
        PyErr_SetString(PyExc_TypeError, "too many options");
        return false;
    }
    const size_t at = job->held_count;
    if (PyUnicode_Check(given)) { /* one word */
        PyObject *list = Py_BuildValue("[N]", given);
        given = list;
        if (!given) return false;
    }
    job->lists[at] = words_of(given, count, &job->held[at]);
    Py_DECREF(given);
    job->held_count += job->lists[at] != NULL;
    *words = job->lists[at];
    return *words != NULL;
}

/* Every option must have been one of the tool's. */
static bool check_rest(struct job *job, const char *tool)
{
    Py_ssize_t at = 0;
    PyObject *name, *value;
    if (!PyDict_Next(job->options, &at, &name, &value)) return true;
    PyErr_Format(PyExc_TypeError, "%s has no option '%S'", tool, name);
    return false;
}

/* ---- feeding ---- */

static enum spoor_status feed_batches(struct job *job, const struct tool *tool)
{
    struct reader_object *self = job->self;
    struct filter filter = {0};
    const bool chooses = self->select && !tool->selects;
    const struct spoor_batch *batch;
    enum spoor_status status;
    while ((status = spoor_reader_next(self->reader, &batch, &job->error)) == SPOOR_OK) {
        if (chooses) status = filter_batch(&filter, self->select, batch, &job->error);
        if (status == SPOOR_OK) status = tool->feed(job, chooses ? &filter.batch : batch, 1);
        if (status != SPOOR_OK) break;
    }
    filter_free(&filter);
    return status;
}

static enum spoor_status feed_references(struct job *job, const struct tool *tool)
{
    struct reader_object *self = job->self;
    const struct spoor_reference_options options = {.struct_size = sizeof options,
                                                    .bus =
                                                        (enum spoor_bus_selection)job->numbers[3],
                                                    .tarmac_bus = job->flags[3],
                                                    .pc_by_order = true};
    struct spoor_references chosen = {0};
    struct filter filter = {0};
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK) {
        struct spoor_reference_block block = {0};
        if (!self->select) {
            status = spoor_reader_next_references(self->reader, &options, &block, &job->error);
        } else {
            const struct spoor_batch *batch;
            chosen.count = 0;
            status = spoor_reader_next(self->reader, &batch, &job->error);
            if (status == SPOOR_OK)
                status = filter_batch(&filter, self->select, batch, &job->error);
            if (status == SPOOR_OK)
                status = spoor_references_add(&chosen, &filter.batch, &options, &job->error);
            block = (struct spoor_reference_block){.items = chosen.items, .count = chosen.count};
        }
        if (status == SPOOR_OK) status = tool->feed(job, block.items, block.count);
    }
    filter_free(&filter);
    spoor_references_free(&chosen);
    return status;
}

/* Ends the tool, too: what the last block points at ends here. */
static enum spoor_status feed_branches(struct job *job, const struct tool *tool)
{
    struct reader_object *self = job->self;
    struct spoor_branches chosen = {0};
    struct filter filter = {0};
    bool ended = false;
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK) {
        struct spoor_branch_block block = {0};
        if (!self->select) {
            status = spoor_reader_next_branches(self->reader, &block, &job->error);
        } else {
            const struct spoor_batch *batch;
            chosen.count = 0;
            status = ended ? SPOOR_END : spoor_reader_next(self->reader, &batch, &job->error);
            if (status == SPOOR_END && !ended) {
                ended = true;
                status = spoor_branches_end(&chosen, &job->error);
            } else if (status == SPOOR_OK) {
                status = filter_batch(&filter, self->select, batch, &job->error);
                if (status == SPOOR_OK)
                    status = spoor_branches_add(&chosen, &filter.batch, &job->error);
            }
            block = (struct spoor_branch_block){
                .items = chosen.items, .count = chosen.count, .instructions = chosen.instructions};
            block.cpu_instructions = spoor_branches_instructions(&chosen, &block.cpu_capacity);
        }
        if (status != SPOOR_OK) break;
        job->last = block;
        status = tool->feed(job, block.items, block.count);
    }
    if (status == SPOOR_END) status = tool->end(job, job->last.instructions);
    filter_free(&filter);
    spoor_branches_free(&chosen);
    return status;
}

/* No Python. */
static enum spoor_status work(struct job *job, const struct tool *tool)
{
    enum spoor_status status = SPOOR_OK;
    if (tool->diet == EATS_BRANCHES) {
        status = feed_branches(job, tool);
    } else {
        status = tool->diet == EATS_BATCHES ? feed_batches(job, tool) : feed_references(job, tool);
        if (status == SPOOR_END) status = tool->end(job, 0);
    }
    if (status != SPOOR_OK) return status;
    tool->report(job);
    return SPOOR_OK;
}

/* ---- running ---- */

static const struct tool *tool_named(const char *name)
{
    const struct tool *const tables[] = {summaries, program_tools, simulators};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tool *tool = tables[i]; tool->name; tool++)
            if (strcmp(tool->name, name) == 0) return tool;
    return NULL;
}

static void release_job(struct job *job)
{
    for (size_t i = 0; i < job->held_count; i++) {
        PyMem_Free((void *)(uintptr_t)job->lists[i]);
        Py_XDECREF(job->held[i]);
    }
    Py_XDECREF(job->options);
    spoor_references_free(&job->kept);
    free(job->text);
}

/* Draws the result into job->text where an option asks for that; false with job->error. */
static bool draw(struct job *job)
{
    const struct spoor_plot_options options = {
        .struct_size = sizeof options, .verb = job->plot, .table = job->table};
    return !job->plot || spoor_plot_svg(job->result, &options, &job->text, &job->text_size,
                                        &job->error) == SPOOR_OK;
}

/* Locked. */
static PyObject *run_job(struct job *job, const struct tool *tool)
{
    struct reader_object *self = job->self;
    enum spoor_status status = SPOOR_OK;
    if (!reader_is_open(self)) return NULL;
    job->result = spoor_result_new_object();
    if (!job->result) return PyErr_NoMemory();
    spoor_result_text(job->result, "trace", spoor_reader_stream(self->reader)->path);
    spoor_result_text(job->result, "format",
                      spoor_format_name(spoor_reader_stream(self->reader)->format));
    bool good = option_text(job, "plot", &job->plot) && option_text(job, "table", &job->table) &&
                tool->prepare(job);
    if (good) good = check_rest(job, tool->name);
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        status = work(job, tool);
        Py_END_ALLOW_THREADS;
        good = status == SPOOR_OK && draw(job);
    }
    tool->release(job);
    if (!good) {
        spoor_result_free(job->result);
        return PyErr_Occurred() ? NULL : raise_of_reader(self, &job->error);
    }
    if (!job->text) return json_of(job->result);
    spoor_result_free(job->result);
    return PyUnicode_DecodeUTF8(job->text, (Py_ssize_t)job->text_size, "surrogateescape");
}

PyObject *reader_run(PyObject *object, PyObject *words)
{
    struct job job = {.self = (struct reader_object *)object};
    const char *name;
    PyObject *options;
    if (!PyArg_ParseTuple(words, "sO", &name, &options)) return NULL;
    const struct tool *tool = tool_named(name);
    if (!tool) return PyErr_Format(PyExc_ValueError, "there is no tool '%s'", name);
    job.options = PyDict_Copy(options);
    if (!job.options) return NULL;
    reader_lock(job.self);
    PyObject *report = run_job(&job, tool);
    reader_unlock(job.self);
    release_job(&job);
    return report;
}

/* ---- comparing ---- */

static enum spoor_status next_of_side(void *context, const struct spoor_batch **batch,
                                      struct spoor_error *error)
{
    struct reader_object *side = context;
    return spoor_reader_next(side->reader, batch, error);
}

static bool prepare_diff(struct job *job)
{
    struct spoor_diff_options options = {.struct_size = sizeof options};
    const char *const *rules;
    size_t count;
    struct spoor_diff *diff = NULL;
    if (!option_number(job, "window", &options.window) ||
        !option_number(job, "lookahead", &options.lookahead) ||
        !option_number(job, "skip", &options.skip) ||
        !option_number(job, "retained", &options.retained) ||
        !option_flag(job, "by_record", &options.by_record) ||
        !option_flag(job, "first_only", &options.first_only) ||
        !option_flag(job, "compare_time", &options.compare_time) ||
        !option_list(job, "rules", &rules, &count) || !check_rest(job, "diff"))
        return false;
    if (spoor_diff_new(&diff, &options, &job->error) != SPOOR_OK) return false;
    job->tool = diff;
    for (size_t i = 0; i < count; i++)
        if (spoor_diff_rule(diff, rules[i], &job->error) != SPOOR_OK) return false;
    return true;
}

/* Both are locked. */
static PyObject *compare(struct job *job, struct reader_object *other)
{
    struct reader_object *sides[2] = {job->self, other};
    enum spoor_status status = SPOOR_OK;
    if (!reader_is_open(sides[0]) || !reader_is_open(sides[1])) return NULL;
    const struct spoor_diff_input inputs[2] = {
        {next_of_side, sides[0], spoor_reader_stream(sides[0]->reader)},
        {next_of_side, sides[1], spoor_reader_stream(sides[1]->reader)}};
    job->result = spoor_result_new_object();
    bool good = job->result && prepare_diff(job);
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        status = spoor_diff_run(job->tool, inputs, &job->error);
        if (status == SPOOR_OK) status = spoor_diff_report(job->tool, job->result);
        Py_END_ALLOW_THREADS;
        good = status == SPOOR_OK;
    }
    spoor_diff_free(job->tool);
    if (good) return json_of(job->result);
    spoor_result_free(job->result);
    if (PyErr_Occurred()) return NULL;
    return job->error.status ? raise_of_reader(sides[0], &job->error) : PyErr_NoMemory();
}

PyObject *reader_diff(PyObject *object, PyObject *words)
{
    struct job job = {.self = (struct reader_object *)object};
    PyObject *other, *options;
    if (!PyArg_ParseTuple(words, "OO", &other, &options)) return NULL;
    if (Py_TYPE(other) != Py_TYPE(object) || other == object) {
        PyErr_SetString(PyExc_TypeError, "expected another Reader");
        return NULL;
    }
    job.options = PyDict_Copy(options);
    if (!job.options) return NULL;
    /* by address, so that two threads do not wait for each other */
    struct reader_object *sides[2] = {job.self, (struct reader_object *)other};
    const int first = sides[0] > sides[1];
    reader_lock(sides[first]);
    reader_lock(sides[!first]);
    PyObject *report = compare(&job, sides[1]);
    reader_unlock(sides[!first]);
    reader_unlock(sides[first]);
    release_job(&job);
    return report;
}

/* ---- writing ---- */

/* No Python. */
static enum spoor_status write_all(struct reader_object *self, struct spoor_output *output,
                                   const struct spoor_format *format, int level, uint64_t *skipped,
                                   struct spoor_error *error)
{
    const struct spoor_writer_options options = {
        .struct_size = sizeof options,
        .content = spoor_reader_stream(self->reader)->format,
        .level = (enum spoor_level)level,
        .description = spoor_reader_description(self->reader)};
    struct spoor_writer *writer;
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_writer_open(&writer, format, &options, output, error);
    if (status != SPOOR_OK) return status;
    while ((status = spoor_reader_next(self->reader, &batch, error)) == SPOOR_OK) {
        if (self->select) { /* runs of records: a writer copies their lines */
            for (size_t from = 0, to; from < batch->count && status == SPOOR_OK; from = to) {
                const bool wanted = spoor_select_match(self->select, batch, from);
                for (to = from + 1; to < batch->count; to++)
                    if (spoor_select_match(self->select, batch, to) != wanted) break;
                if (wanted) status = spoor_writer_put(writer, batch, from, to, error);
            }
            if (status == SPOOR_OK) status = spoor_select_status(self->select, error);
        } else {
            status = spoor_writer_put(writer, batch, 0, batch->count, error);
        }
        if (status != SPOOR_OK) break;
    }
    if (status == SPOOR_END && spoor_writer_end(writer, error) != SPOOR_OK) status = error->status;
    *skipped = spoor_writer_skipped(writer);
    const enum spoor_status closed = spoor_writer_close(writer, status == SPOOR_END ? error : NULL);
    return status == SPOOR_END ? closed : status;
}

static enum spoor_status write_file(struct reader_object *self, const char *path,
                                    const struct spoor_format *format, int level, uint64_t *skipped,
                                    struct spoor_error *error)
{
    struct spoor_output *output;
    if (spoor_output_is_input(path, spoor_reader_stream(self->reader)->path))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found the trace itself, expected another file to write");
    enum spoor_status status = spoor_output_open(&output, path, error);
    if (status != SPOOR_OK) return status;
    status = write_all(self, output, format, level, skipped, error);
    if (status == SPOOR_OK) return spoor_output_close(output, error);
    spoor_output_discard(output);
    return status;
}

PyObject *reader_write(PyObject *object, PyObject *words, PyObject *named)
{
    static char *names[] = {"path", "format", "level", NULL};
    struct reader_object *self = (struct reader_object *)object;
    struct spoor_error error = {0};
    const struct spoor_format *format = NULL;
    const char *name = NULL;
    PyObject *path = NULL;
    int level = 0;
    uint64_t skipped = 0;
    enum spoor_status status = SPOOR_EUSAGE;
    if (!PyArg_ParseTupleAndKeywords(words, named, "O&|zi", names, PyUnicode_FSConverter, &path,
                                     &name, &level))
        return NULL;
    bool good = format_named(self->core, name, &format);
    if (good) {
        reader_lock(self);
        good = reader_is_open(self);
        if (good && !format) format = spoor_reader_stream(self->reader)->format;
        if (good) {
            const char *file = PyBytes_AsString(path);
            Py_BEGIN_ALLOW_THREADS;
            status = write_file(self, file, format, level, &skipped, &error);
            Py_END_ALLOW_THREADS;
        }
        reader_unlock(self);
    }
    if (good && status != SPOOR_OK) raise_error(self->core, PyBytes_AsString(path), &error);
    Py_DECREF(path);
    if (!good || status != SPOOR_OK) return NULL;
    return PyLong_FromUnsignedLongLong(skipped);
}
