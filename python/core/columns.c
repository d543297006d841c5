/* SPDX-License-Identifier: MIT */
/*
 * columns.c: the records of a trace as columns: an Arrow stream in a capsule, and arrays that
 * Python reads without Arrow.
 *
 * A column of texts becomes the number of a distinct text for each row, and the list of these
 * texts, as pandas' categories are.
 */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the stream of a reader ---- */

struct request {
    const char *kind;
    const char **fields; /* NULL: all */
    size_t field_count;
    PyObject *held;
    Py_ssize_t rows;
};

static bool read_request(PyObject *words, PyObject *named, struct request *request)
{
    static char *names[] = {"kind", "fields", "rows", NULL};
    PyObject *fields = Py_None;
    *request = (struct request){0};
    if (!PyArg_ParseTupleAndKeywords(words, named, "|zOn", names, &request->kind, &fields,
                                     &request->rows))
        return false;
    if (fields == Py_None) return true;
    request->fields = words_of(fields, &request->field_count, &request->held);
    return request->fields != NULL;
}

static void free_request(struct request *request)
{
    PyMem_Free((void *)(uintptr_t)request->fields);
    Py_XDECREF(request->held);
}

/* The reader is handed over to the stream; false with an exception.  Locked. */
static bool export_reader(struct reader_object *self, const struct request *request,
                          struct ArrowArrayStream *stream)
{
    struct spoor_error error = {0};
    const struct spoor_arrow_options options = {.struct_size = sizeof options,
                                                .kind = request->kind,
                                                .rows = (size_t)request->rows,
                                                .where = self->select,
                                                .fields = request->fields,
                                                .field_count = request->field_count};
    if (!reader_is_open(self)) return false;
    if (spoor_arrow_export(self->reader, &options, stream, &error) != SPOOR_OK) {
        raise_of_reader(self, &error);
        return false;
    }
    self->reader = NULL;
    return true;
}

/* ---- a capsule ---- */

/* A stream that also keeps the reader object, whose expression and images it uses. */
struct exported {
    struct ArrowArrayStream inner;
    PyObject *reader;
};

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    struct exported *exported = stream->private_data;
    return exported->inner.get_schema(&exported->inner, schema);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    struct exported *exported = stream->private_data;
    return exported->inner.get_next(&exported->inner, array);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    struct exported *exported = stream->private_data;
    return exported->inner.get_last_error(&exported->inner);
}

/* Consumers release streams on any thread. */
static void release(struct ArrowArrayStream *stream)
{
    struct exported *exported = stream->private_data;
    exported->inner.release(&exported->inner);
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(exported->reader);
    PyGILState_Release(state);
    free(exported);
    stream->release = NULL;
}

static void free_capsule(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream && stream->release) stream->release(stream);
    free(stream);
}

PyObject *reader_arrow(PyObject *object, PyObject *words, PyObject *named)
{
    struct reader_object *self = (struct reader_object *)object;
    struct request request;
    if (!read_request(words, named, &request)) return NULL;
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    struct exported *exported = calloc(1, sizeof *exported);
    PyObject *capsule = NULL;
    bool good = stream && exported;
    if (!good) PyErr_NoMemory();
    if (good) {
        reader_lock(self);
        good = export_reader(self, &request, &exported->inner);
        reader_unlock(self);
    }
    free_request(&request);
    if (good) {
        exported->reader = Py_NewRef(object);
        *stream =
            (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, exported};
        capsule = PyCapsule_New(stream, "arrow_array_stream", free_capsule);
        if (!capsule) release(stream);
    } else {
        free(exported);
    }
    if (!capsule) free(stream);
    return capsule;
}

/* ---- growing columns ---- */

/* Distinct texts, numbered in the order of their first use. */
struct words {
    char *bytes;
    size_t size, capacity;
    size_t *ends;
    uint32_t *slots; /* number + 1 */
    size_t count, end_capacity, slot_count;
};
struct column {
    char name[48];
    char type;       /* 'L' unsigned, 'l' signed, 'b' bool, 'u' text */
    char *values;    /* 8 bytes a row; bool: 1; text: a uint32_t */
    uint8_t *nulls;  /* 1 where there is no value */
    size_t capacity; /* rows */
    bool any_null;
    struct words words;
};
struct columns {
    struct column *items;
    size_t count, rows;
};

static bool grow(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity) return true;
    const size_t more = count + count / 2 + 1024;
    void *grown = realloc(*items, more * size);
    if (!grown) return false;
    *items = grown;
    *capacity = more;
    return true;
}

static size_t width_of(char type)
{
    return type == 'b' ? 1 : type == 'u' ? sizeof(uint32_t) : sizeof(uint64_t);
}

static bool grow_column(struct column *column, size_t rows)
{
    void *values = column->values, *nulls = column->nulls;
    size_t capacity = column->capacity;
    bool good = grow(&values, &capacity, rows, width_of(column->type));
    column->values = values;
    good = good && grow(&nulls, &column->capacity, rows, 1);
    column->nulls = nulls;
    return good;
}

/* ---- texts ---- */

static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3;
    return hash ^ hash >> 29;
}

static size_t slot_of(const struct words *words, const char *bytes, size_t size)
{
    const size_t mask = words->slot_count - 1;
    for (size_t at = (size_t)hash_of(bytes, size) & mask;; at = (at + 1) & mask) {
        const uint32_t number = words->slots[at];
        if (!number) return at;
        const size_t from = number > 1 ? words->ends[number - 2] : 0;
        if (words->ends[number - 1] - from == size && memcmp(words->bytes + from, bytes, size) == 0)
            return at;
    }
}

static bool grow_slots(struct words *words)
{
    const size_t count = words->slot_count ? 2 * words->slot_count : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    free(words->slots);
    words->slots = slots;
    words->slot_count = count;
    for (size_t i = 0, from = 0; i < words->count; from = words->ends[i++])
        slots[slot_of(words, words->bytes + from, words->ends[i] - from)] = (uint32_t)i + 1;
    return true;
}

static bool word_of(struct words *words, const char *bytes, size_t size, uint32_t *number)
{
    if (2 * words->count >= words->slot_count && !grow_slots(words)) return false;
    const size_t slot = slot_of(words, bytes, size);
    if (!words->slots[slot]) {
        void *all = words->bytes, *ends = words->ends;
        const bool good = words->count < UINT32_MAX - 1 &&
                          grow(&all, &words->capacity, words->size + size, 1) &&
                          grow(&ends, &words->end_capacity, words->count + 1, sizeof *words->ends);
        words->bytes = all;
        words->ends = ends;
        if (!good) return false;
        memcpy(words->bytes + words->size, bytes, size);
        words->size += size;
        words->ends[words->count++] = words->size;
        words->slots[slot] = (uint32_t)words->count;
    }
    *number = words->slots[slot] - 1;
    return true;
}

/* ---- from Arrow ---- */

static bool bit_of(const void *bits, int64_t index)
{
    return ((const uint8_t *)bits)[index / 8] >> index % 8 & 1;
}

static bool add_texts(struct column *column, const struct ArrowArray *array, size_t from)
{
    const int32_t *offsets = array->buffers[1];
    const char *bytes = array->buffers[2];
    uint32_t *values = (uint32_t *)(void *)column->values + from;
    for (int64_t i = 0; i < array->length; i++) {
        values[i] = 0;
        if (column->nulls[from + (size_t)i]) continue;
        if (!word_of(&column->words, bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i]),
                     &values[i]))
            return false;
    }
    return true;
}

static bool add_array(struct column *column, const struct ArrowArray *array, size_t from)
{
    const size_t count = (size_t)array->length;
    if (!grow_column(column, from + count)) return false;
    memset(column->nulls + from, 0, count);
    for (size_t i = 0; array->buffers[0] && i < count; i++)
        column->nulls[from + i] = !bit_of(array->buffers[0], (int64_t)i);
    column->any_null |= array->null_count > 0;
    if (column->type == 'u') return add_texts(column, array, from);
    if (column->type == 'b')
        for (size_t i = 0; i < count; i++)
            column->values[from + i] = bit_of(array->buffers[1], (int64_t)i);
    else
        memcpy(column->values + 8 * from, array->buffers[1], 8 * count);
    return true;
}

static int begin_columns(struct columns *columns, struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema;
    const int code = stream->get_schema(stream, &schema);
    if (code) return code;
    columns->items = calloc((size_t)schema.n_children, sizeof *columns->items);
    columns->count = columns->items ? (size_t)schema.n_children : 0;
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        strncpy(column->name, schema.children[i]->name, sizeof column->name - 1);
        column->type = schema.children[i]->format[0];
    }
    schema.release(&schema);
    return columns->items ? 0 : ENOMEM;
}

static int read_stream(struct columns *columns, struct ArrowArrayStream *stream)
{
    int code = begin_columns(columns, stream);
    while (!code) {
        struct ArrowArray array;
        bool good = true;
        code = stream->get_next(stream, &array);
        if (code || !array.release) break;
        for (size_t i = 0; i < columns->count && good; i++)
            good = add_array(&columns->items[i], array.children[i], columns->rows);
        columns->rows += (size_t)array.length;
        array.release(&array);
        if (!good) code = ENOMEM;
    }
    return code;
}

static void free_columns(struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->items[i];
        free(column->values);
        free(column->nulls);
        free(column->words.bytes);
        free(column->words.ends);
        free(column->words.slots);
    }
    free(columns->items);
}

/* ---- to Python ---- */

static PyObject *list_words(const struct words *words)
{
    PyObject *list = PyList_New((Py_ssize_t)words->count);
    for (size_t i = 0, from = 0; list && i < words->count; from = words->ends[i++]) {
        PyObject *text = PyUnicode_DecodeUTF8(
            words->bytes + from, (Py_ssize_t)(words->ends[i] - from), "surrogateescape");
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) != 0) Py_CLEAR(list);
    }
    return list;
}

/* Gives memory to a block. */
static PyObject *block_of(struct reader_object *self, void **memory, size_t count, size_t size,
                          const char *format)
{
    struct block_object *block = block_new(self->core->block, self->core, NULL);
    if (!block) return NULL;
    block->owned = *memory;
    block->items = *memory;
    block->count = (Py_ssize_t)count;
    block->item_size = (Py_ssize_t)size;
    block->format = format;
    *memory = NULL;
    return (PyObject *)block;
}

/* (values, nulls or None, texts or None) */
static PyObject *tuple_of(struct reader_object *self, struct column *column, size_t rows)
{
    const char *format = column->type == 'L'   ? "Q"
                         : column->type == 'l' ? "q"
                         : column->type == 'b' ? "?"
                                               : "I";
    void *values = column->values, *nulls = column->nulls;
    PyObject *block = block_of(self, &values, rows, width_of(column->type), format);
    column->values = values;
    PyObject *mask = !block             ? NULL
                     : column->any_null ? block_of(self, &nulls, rows, 1, "?")
                                        : Py_NewRef(Py_None);
    column->nulls = nulls;
    PyObject *texts = !mask                 ? NULL
                      : column->type == 'u' ? list_words(&column->words)
                                            : Py_NewRef(Py_None);
    if (texts) return Py_BuildValue("(NNN)", block, mask, texts);
    Py_XDECREF(block);
    Py_XDECREF(mask);
    return NULL;
}

static PyObject *dict_of(struct reader_object *self, struct columns *columns)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < columns->count; i++) {
        PyObject *tuple = tuple_of(self, &columns->items[i], columns->rows);
        if (!tuple || PyDict_SetItemString(dict, columns->items[i].name, tuple) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(tuple);
    }
    return dict;
}

static PyObject *raise_of_stream(struct reader_object *self, struct ArrowArrayStream *stream,
                                 int code)
{
    struct spoor_error error = {0};
    const char *sentence = stream->get_last_error(stream);
    if (code == ENOMEM) return PyErr_NoMemory();
    spoor_error_set(&error, SPOOR_EINPUT, "%s", sentence ? sentence : "the trace cannot be read");
    return raise_of_reader(self, &error);
}

PyObject *reader_columns(PyObject *object, PyObject *words, PyObject *named)
{
    struct reader_object *self = (struct reader_object *)object;
    struct ArrowArrayStream stream;
    struct columns columns = {0};
    struct request request;
    PyObject *dict = NULL;
    int code = 0;
    if (!read_request(words, named, &request)) return NULL;
    reader_lock(self);
    const bool good = export_reader(self, &request, &stream);
    free_request(&request);
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        code = read_stream(&columns, &stream);
        Py_END_ALLOW_THREADS;
        dict = code ? raise_of_stream(self, &stream, code) : dict_of(self, &columns);
        free_columns(&columns);
        stream.release(&stream);
    }
    reader_unlock(self);
    return dict;
}
