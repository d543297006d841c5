/* SPDX-License-Identifier: MIT */
/* reader.c: the type Reader: an open trace, which gives batches, views, columns or a report. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* ---- locks ---- */

void reader_lock(struct reader_object *reader)
{
    if (PyThread_acquire_lock(reader->lock, NOWAIT_LOCK)) return;
    Py_BEGIN_ALLOW_THREADS;
    PyThread_acquire_lock(reader->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS;
}

void reader_unlock(struct reader_object *reader)
{
    PyThread_release_lock(reader->lock);
}

bool reader_is_open(const struct reader_object *reader)
{
    if (reader->reader) return true;
    PyErr_SetString(PyExc_ValueError, "the trace is closed, or was handed over");
    return false;
}

/* ---- opening and closing ---- */

struct arguments {
    PyObject *path, *images, *path_bytes;
    const char *format, *dialect, *where;
    int threads, isa, implicit_thumb, effects, samples;
    unsigned long long memory;
};

static bool add_images(struct reader_object *reader, PyObject *images, struct spoor_error *error)
{
    size_t count;
    PyObject *held;
    const char **words = words_of(images, &count, &held);
    enum spoor_status status = SPOOR_OK;
    if (!words) return false;
    if (count) status = spoor_images_new(&reader->images, error);
    for (size_t i = 0; i < count && status == SPOOR_OK; i++)
        status = spoor_images_add(reader->images, words[i], error);
    if (status == SPOOR_OK && reader->images)
        reader->locator = spoor_images_locator(reader->images);
    PyMem_Free(words);
    Py_DECREF(held);
    if (status != SPOOR_OK) raise_error(reader->core, NULL, error);
    return status == SPOOR_OK;
}

/* Opens the trace; false with an exception. */
static bool open_trace(struct reader_object *self, const struct arguments *arguments)
{
    struct spoor_error error = {0};
    struct spoor_reader_options options = {
        .struct_size = sizeof options,
        .threads = arguments->threads > 0 ? (unsigned)arguments->threads : 0,
        .memory = arguments->memory,
        .decode = {.dialect = arguments->dialect,
                   .implicit_thumb = arguments->implicit_thumb != 0,
                   .isa = (enum spoor_isa)arguments->isa,
                   .effects = (enum spoor_effects)arguments->effects},
        .samples = arguments->samples > 0 ? (unsigned)arguments->samples : 0,
    };
    const char *path = PyBytes_AsString(arguments->path_bytes);
    enum spoor_status status = SPOOR_OK;
    if (!format_named(self->core, arguments->format, &options.format)) return false;
    if (arguments->where) status = spoor_select_compile(&self->select, arguments->where, &error);
    if (status != SPOOR_OK) {
        raise_error(self->core, NULL, &error);
        return false;
    }
    if (arguments->images && !add_images(self, arguments->images, &error)) return false;
    if (self->images) options.locator = &self->locator;
    Py_BEGIN_ALLOW_THREADS;
    status = spoor_reader_open(&self->reader, path, &options, &error);
    Py_END_ALLOW_THREADS;
    if (status != SPOOR_OK) raise_error(self->core, path, &error);
    return status == SPOOR_OK;
}

static PyObject *make(PyTypeObject *type, PyObject *words, PyObject *named)
{
    static char *names[] = {"path",    "format", "threads", "dialect", "isa",    "implicit_thumb",
                            "effects", "memory", "samples", "where",   "images", NULL};
    struct arguments given = {.threads = 1};
    if (!PyArg_ParseTupleAndKeywords(words, named, "O|$zizipiKizO", names, &given.path,
                                     &given.format, &given.threads, &given.dialect, &given.isa,
                                     &given.implicit_thumb, &given.effects, &given.memory,
                                     &given.samples, &given.where, &given.images) ||
        !PyUnicode_FSConverter(given.path, &given.path_bytes))
        return NULL;
    struct reader_object *self = PyObject_New(struct reader_object, type);
    if (self) {
        const PyObject base = self->ob_base;
        *self = (struct reader_object){.ob_base = base, .core = PyType_GetModuleState(type)};
        self->path = PyUnicode_DecodeFSDefault(PyBytes_AsString(given.path_bytes));
        self->lock = PyThread_allocate_lock();
    }
    const bool made = self && self->path && self->lock;
    if (self && !self->lock) PyErr_NoMemory();
    if (!made || !open_trace(self, &given)) Py_CLEAR(self);
    Py_DECREF(given.path_bytes);
    return (PyObject *)self;
}

static void close_trace(struct reader_object *self)
{
    spoor_instructions_free(self->instructions);
    self->instructions = NULL;
    spoor_references_free(&self->references);
    spoor_branches_free(&self->branches);
    spoor_reader_close(self->reader);
    self->reader = NULL;
}

static void forget(PyObject *object)
{
    struct reader_object *self = (struct reader_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    close_trace(self);
    spoor_select_free(self->select);
    spoor_images_close(self->images);
    if (self->lock) PyThread_free_lock(self->lock);
    Py_XDECREF(self->path);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* ---- batches ---- */

/* The records that the expression accepts, side by side, and where they came from. */
static enum spoor_status choose(struct block_object *batch, const struct spoor_select *select,
                                struct spoor_error *error)
{
    const struct spoor_batch *memory = &batch->memory;
    struct spoor_record *records = malloc((memory->count + 1) * sizeof *records);
    uint32_t *origins = malloc((memory->count + 1) * sizeof *origins);
    size_t count = 0;
    batch->owned = records;
    batch->origins = origins;
    if (!records || !origins) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    for (size_t i = 0; i < memory->count; i++) {
        if (!spoor_select_match(select, memory, i)) continue;
        records[count] = memory->records[i];
        origins[count++] = (uint32_t)i;
    }
    batch->items = records;
    batch->count = (Py_ssize_t)count;
    return spoor_select_status(select, error);
}

static enum spoor_status read_batch(struct reader_object *self, struct block_object *batch,
                                    struct spoor_error *error)
{
    const struct spoor_batch *next;
    enum spoor_status status = spoor_reader_next(self->reader, &next, error);
    if (status == SPOOR_OK) status = spoor_reader_keep(self->reader, &batch->memory, error);
    if (status != SPOOR_OK) return status;
    batch->items = batch->memory.records;
    batch->count = (Py_ssize_t)batch->memory.count;
    batch->item_size = sizeof(struct spoor_record);
    batch->format = record_format;
    return self->select ? choose(batch, self->select, error) : SPOOR_OK;
}

static PyObject *next_batch(PyObject *object, PyObject *unused)
{
    struct reader_object *self = (struct reader_object *)object;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_END;
    (void)unused;
    struct block_object *batch = block_new(self->core->batch, self->core, self);
    if (!batch) return NULL;
    reader_lock(self);
    const bool open = reader_is_open(self);
    if (open) {
        Py_BEGIN_ALLOW_THREADS;
        status = read_batch(self, batch, &error);
        Py_END_ALLOW_THREADS;
    }
    reader_unlock(self);
    if (open && status == SPOOR_OK) return (PyObject *)batch;
    Py_DECREF(batch);
    if (!open) return NULL;
    return status == SPOOR_END ? Py_NewRef(Py_None) : raise_of_reader(self, &error);
}

static PyObject *close_now(PyObject *object, PyObject *unused)
{
    struct reader_object *self = (struct reader_object *)object;
    (void)unused;
    reader_lock(self);
    close_trace(self);
    reader_unlock(self);
    return Py_NewRef(Py_None);
}

/* ---- names ---- */

/* name(id): a name of the trace. */
static PyObject *name_of(PyObject *object, PyObject *number)
{
    struct reader_object *self = (struct reader_object *)object;
    const unsigned long id = PyLong_AsUnsignedLong(number);
    size_t size;
    PyObject *text = NULL;
    if (PyErr_Occurred()) return NULL;
    reader_lock(self);
    if (reader_is_open(self)) {
        const struct spoor_names *names = spoor_reader_stream(self->reader)->names;
        const char *bytes =
            spoor_names_text(names, id > UINT16_MAX ? SPOOR_NO_NAME : (spoor_name)id, &size);
        text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, "surrogateescape");
    }
    reader_unlock(self);
    return text;
}

static PyObject *list_names(PyObject *object, void *unused)
{
    struct reader_object *self = (struct reader_object *)object;
    (void)unused;
    reader_lock(self);
    PyObject *list = reader_is_open(self) ? PyList_New(0) : NULL;
    const struct spoor_names *names = list ? spoor_reader_stream(self->reader)->names : NULL;
    for (size_t i = 0; list && i < spoor_names_count(names); i++) {
        size_t size;
        const char *bytes = spoor_names_text(names, (spoor_name)i, &size);
        PyObject *text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, "surrogateescape");
        if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    reader_unlock(self);
    return list;
}

/* ---- properties ---- */

enum property { FORMAT, TITLE, CONTAINER, COMPRESSION, DESCRIPTION, KINDS, PROGRESS };
static char property_ids[PROGRESS + 1]; /* their addresses stand for the numbers */

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape")
                : Py_NewRef(Py_None);
}

static PyObject *property_of(const struct spoor_reader *reader, enum property property)
{
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    uint64_t done, size;
    switch (property) {
    case FORMAT: return text_or_none(spoor_format_name(stream->format));
    case TITLE: return text_or_none(spoor_format_title(stream->format));
    case CONTAINER:
        return text_or_none(stream->container ? spoor_format_name(stream->container) : NULL);
    case COMPRESSION: return text_or_none(spoor_reader_compression(reader));
    case DESCRIPTION: return text_or_none(spoor_reader_description(reader));
    case KINDS: return PyLong_FromUnsignedLong(stream->kinds);
    case PROGRESS: break;
    }
    spoor_reader_progress(reader, &done, &size);
    return Py_BuildValue("(KK)", (unsigned long long)done, (unsigned long long)size);
}

static PyObject *get_property(PyObject *object, void *id)
{
    struct reader_object *self = (struct reader_object *)object;
    PyObject *value = NULL;
    reader_lock(self);
    if (reader_is_open(self))
        value = property_of(self->reader, (enum property)((char *)id - property_ids));
    reader_unlock(self);
    return value;
}

static PyObject *get_path(PyObject *object, void *unused)
{
    (void)unused;
    return Py_NewRef(((struct reader_object *)object)->path);
}

static PyGetSetDef properties[] = {
    {"path", get_path, NULL, "The path of the trace.", NULL},
    {"format", get_property, NULL, "The format's name.", &property_ids[FORMAT]},
    {"title", get_property, NULL, "What the format is.", &property_ids[TITLE]},
    {"container", get_property, NULL, "The file's format, if it holds records of another.",
     &property_ids[CONTAINER]},
    {"compression", get_property, NULL, "none, gzip, zstd ...", &property_ids[COMPRESSION]},
    {"description", get_property, NULL, "Lines of a .spoor file.", &property_ids[DESCRIPTION]},
    {"kinds", get_property, NULL, "Bit k: the format has records of kind k.", &property_ids[KINDS]},
    {"progress", get_property, NULL, "Bytes read, and bytes of the file.", &property_ids[PROGRESS]},
    {"names", list_names, NULL, "All names of the trace until now, by number.", NULL},
    {0},
};

/* METH_KEYWORDS has a function of three arguments in the place of one of two. */
#define WITH_NAMES(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
    {"next_batch", next_batch, METH_NOARGS, "The next Batch, or None at the end."},
    {"next_references", WITH_NAMES(reader_next_references), METH_VARARGS | METH_KEYWORDS,
     "The next Block of memory references, or None at the end."},
    {"next_branches", reader_next_branches, METH_NOARGS,
     "The next Block of branches, or None at the end."},
    {"next_instructions", reader_next_instructions, METH_NOARGS,
     "The next (Block, Block) of instructions and of their effects, or None at the end."},
    {"gather", WITH_NAMES(reader_gather), METH_VARARGS | METH_KEYWORDS,
     "gather(field, view, bus, ...): one member of all references or branches, as a Block."},
    {"columns", WITH_NAMES(reader_columns), METH_VARARGS | METH_KEYWORDS,
     "The rest of the trace as columns."},
    {"arrow", WITH_NAMES(reader_arrow), METH_VARARGS | METH_KEYWORDS,
     "The rest of the trace as a capsule arrow_array_stream."},
    {"run", reader_run, METH_VARARGS, "The report of a tool, as JSON."},
    {"diff", reader_diff, METH_VARARGS, "The comparison with another trace, as JSON."},
    {"write", WITH_NAMES(reader_write), METH_VARARGS | METH_KEYWORDS,
     "Writes the rest of the trace to a file."},
    {"name", name_of, METH_O, "The name with this number."},
    {"close", close_now, METH_NOARGS, "Closes the trace."},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "An open trace, read once from its beginning to its end."},
    {Py_tp_new, make},
    {Py_tp_dealloc, forget},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};
PyType_Spec reader_spec = {
    .name = "spoor._core.Reader",
    .basicsize = sizeof(struct reader_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
