/* SPDX-License-Identifier: MIT */
/* history.c: the type History: registers at a moment, and what wrote a register or memory. */
#include "core.h"

#include <stdlib.h>

struct history_object {
    PyObject ob_base;
    struct core *core;
    PyObject *path; /* bytes */
    struct spoor_index *index;
    struct spoor_explorer *explorer;
    PyThread_type_lock lock;
};

static void lock(struct history_object *self)
{
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) return;
    Py_BEGIN_ALLOW_THREADS;
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS;
}

struct arguments {
    const char *format, *dialect;
    int threads, isa, implicit_thumb, effects, no_index;
    unsigned long long memory;
};

static bool open_history(struct history_object *self, const struct arguments *given)
{
    struct spoor_error error = {0};
    struct spoor_index_options options = {.struct_size = sizeof options,
                                          .decode = {.dialect = given->dialect,
                                                     .implicit_thumb = given->implicit_thumb != 0,
                                                     .isa = (enum spoor_isa)given->isa,
                                                     .effects = (enum spoor_effects)given->effects},
                                          .threads =
                                              given->threads > 0 ? (unsigned)given->threads : 0,
                                          .memory = given->memory,
                                          .no_index = given->no_index};
    const char *path = PyBytes_AsString(self->path);
    enum spoor_status status;
    if (!format_named(self->core, given->format, &options.format)) return false;
    Py_BEGIN_ALLOW_THREADS;
    status = spoor_index_open(&self->index, path, &options, &error);
    if (status == SPOOR_OK)
        status = spoor_explorer_open(&self->explorer, path, self->index, NULL, &error);
    Py_END_ALLOW_THREADS;
    if (status != SPOOR_OK) raise_error(self->core, path, &error);
    return status == SPOOR_OK;
}

static PyObject *make(PyTypeObject *type, PyObject *words, PyObject *named)
{
    static char *names[] = {"path",           "format",  "threads", "dialect",  "isa",
                            "implicit_thumb", "effects", "memory",  "no_index", NULL};
    PyObject *path = NULL;
    struct arguments given = {.threads = 1};
    if (!PyArg_ParseTupleAndKeywords(words, named, "O&|$zizipiKp", names, PyUnicode_FSConverter,
                                     &path, &given.format, &given.threads, &given.dialect,
                                     &given.isa, &given.implicit_thumb, &given.effects,
                                     &given.memory, &given.no_index))
        return NULL;
    struct history_object *self = PyObject_New(struct history_object, type);
    if (!self) {
        Py_DECREF(path);
        return NULL;
    }
    const PyObject base = self->ob_base;
    *self =
        (struct history_object){.ob_base = base, .core = PyType_GetModuleState(type), .path = path};
    self->lock = PyThread_allocate_lock();
    if (!self->lock) PyErr_NoMemory();
    if (!self->lock || !open_history(self, &given)) Py_CLEAR(self);
    return (PyObject *)self;
}

static void forget(PyObject *object)
{
    struct history_object *self = (struct history_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    spoor_explorer_close(self->explorer);
    spoor_index_close(self->index);
    if (self->lock) PyThread_free_lock(self->lock);
    Py_XDECREF(self->path);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* The answer as JSON; SPOOR_END is an answer that is not there: None. */
static PyObject *give(struct history_object *self, struct spoor_result *result,
                      enum spoor_status status, const struct spoor_error *error)
{
    if (status == SPOOR_OK) return json_of(result);
    spoor_result_free(result);
    if (!result) return PyErr_NoMemory();
    struct spoor_error usage = *error;
    if (status == SPOOR_END) usage.status = SPOOR_EUSAGE;
    return raise_error(self->core, PyBytes_AsString(self->path), &usage);
}

static PyObject *state(PyObject *object, PyObject *words)
{
    struct history_object *self = (struct history_object *)object;
    struct spoor_error error = {0};
    const char *at = NULL;
    enum spoor_status status = SPOOR_ENOMEM;
    if (!PyArg_ParseTuple(words, "|z", &at)) return NULL;
    struct spoor_result *result = spoor_result_new_object();
    lock(self);
    if (result) {
        Py_BEGIN_ALLOW_THREADS;
        status = spoor_explorer_report_state(self->explorer, at, result, &error);
        Py_END_ALLOW_THREADS;
    }
    PyThread_release_lock(self->lock);
    return give(self, result, status, &error);
}

static PyObject *touches(PyObject *object, PyObject *words)
{
    struct history_object *self = (struct history_object *)object;
    struct spoor_error error = {0};
    const char *what, *at = NULL;
    Py_ssize_t maximum = 0;
    enum spoor_status status = SPOOR_ENOMEM;
    if (!PyArg_ParseTuple(words, "s|zn", &what, &at, &maximum)) return NULL;
    struct spoor_result *result = spoor_result_new_object();
    lock(self);
    if (result) {
        Py_BEGIN_ALLOW_THREADS;
        status = spoor_explorer_report_touches(self->explorer, what, at,
                                               maximum > 0 ? (size_t)maximum : 0, result, &error);
        Py_END_ALLOW_THREADS;
    }
    PyThread_release_lock(self->lock);
    return give(self, result, status, &error);
}

static PyMethodDef methods[] = {
    {"state", state, METH_VARARGS, "state(at=None) -> JSON: the registers at a moment."},
    {"touches", touches, METH_VARARGS,
     "touches(what, at=None, maximum=0) -> JSON: what read or wrote a register or memory."},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "The past of a program, answered from the index of its trace."},
    {Py_tp_new, make},
    {Py_tp_dealloc, forget},
    {Py_tp_methods, methods},
    {0, NULL},
};
PyType_Spec history_spec = {
    .name = "spoor._core.History",
    .basicsize = sizeof(struct history_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
