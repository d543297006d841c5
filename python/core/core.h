/* SPDX-License-Identifier: MIT */
/*
 * core.h: what the files of spoor._core share: the objects that Python holds, errors, locks.
 *
 * The module uses only the public library and Python's stable ABI.  Calls that read a trace release
 * the GIL; each reader has a lock, because only one thread at a time may use an object of the
 * library.
 */
#ifndef SPOOR_PYTHON_CORE_H
#define SPOOR_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <spoor/spoor.h>

/* The state of the module; its types keep it alive. */
struct core {
    PyObject *error, *usage_error, *input_error; /* exceptions */
    PyTypeObject *reader, *block, *batch, *history;
};

/* An open trace. */
struct reader_object {
    PyObject ob_base;
    struct core *core;
    PyObject *path; /* a str */
    struct spoor_reader *reader;
    struct spoor_select *select; /* NULL: all records */
    struct spoor_images *images; /* NULL: none */
    struct spoor_locator locator;
    struct spoor_references references; /* of records that `select` chose */
    struct spoor_branches branches;
    bool branches_ended;
    struct spoor_instructions *instructions;
    bool instructions_ended;
    PyThread_type_lock lock;
};

/* Items of one size, which Python sees through the buffer protocol. */
struct block_object {
    PyObject ob_base;
    struct core *core;
    struct reader_object *reader; /* whose names the items use; NULL: none */
    struct spoor_batch memory;    /* that holds the items, */
    void *owned;                  /* or this does */
    const void *items;
    const char *format; /* of an item, as PEP 3118 spells it */
    Py_ssize_t count, item_size;
    uint32_t *origins; /* of a batch: where each record lies in `memory`; NULL: in order */
};

/* ---- errors ---- */

/* Raises what the error says of a file (NULL: of none); NULL. */
PyObject *raise_error(const struct core *core, const char *path, const struct spoor_error *error);
PyObject *raise_of_reader(const struct reader_object *reader, const struct spoor_error *error);

/* ---- reader.c ---- */

extern PyType_Spec reader_spec;
/* The GIL is held, but not while waiting. */
void reader_lock(struct reader_object *reader);
void reader_unlock(struct reader_object *reader);
/* False: it was closed, and the exception is set. */
bool reader_is_open(const struct reader_object *reader);

/* ---- block.c ---- */

extern PyType_Spec block_spec;
/* A block without items, of `type`; NULL with an exception. */
struct block_object *block_new(PyTypeObject *type, struct core *core, struct reader_object *reader);
void block_forget(PyObject *self);

/* ---- batch.c ---- */

extern PyType_Spec batch_spec;
/* Items of struct spoor_record. */
extern const char record_format[];

/* ---- views.c: methods of readers that give references, branches and instructions ---- */

PyObject *reader_next_references(PyObject *self, PyObject *words, PyObject *named);
PyObject *reader_next_branches(PyObject *self, PyObject *unused);
PyObject *reader_gather(PyObject *self, PyObject *words, PyObject *named);
PyObject *reader_next_instructions(PyObject *self, PyObject *unused);
extern const char reference_format[], branch_format[];

/* ---- columns.c ---- */

/* columns(kind, fields): the rest of the trace as columns; closes the reader. */
PyObject *reader_columns(PyObject *self, PyObject *words, PyObject *named);
/* arrow(kind, fields, rows): a capsule "arrow_array_stream", which owns the trace. */
PyObject *reader_arrow(PyObject *self, PyObject *words, PyObject *named);

/* ---- filter.c: the records of a batch that an expression accepts ---- */

struct filter {
    struct spoor_batch batch; /* shares text and arena with the one that it was made of */
    struct spoor_record *records;
    struct spoor_spill *spills;
    struct spoor_fault *faults;
    size_t capacity, spill_capacity, fault_capacity;
};
/* Makes filter->batch; SPOOR_ENOMEM, or the expression had no answer.  No Python. */
enum spoor_status filter_batch(struct filter *filter, const struct spoor_select *select,
                               const struct spoor_batch *batch, struct spoor_error *error);
void filter_free(struct filter *filter);

/* ---- tools.c ---- */

/* run(tool, options): the report of a tool of the library on the rest of the trace, as JSON. */
PyObject *reader_run(PyObject *self, PyObject *words);
/* diff(other, options): the same of two traces. */
PyObject *reader_diff(PyObject *self, PyObject *words);
/* write(path, format, options): writes the rest of the trace; the number of records left out. */
PyObject *reader_write(PyObject *self, PyObject *words, PyObject *named);

/* ---- history.c ---- */

extern PyType_Spec history_spec;

/* ---- arguments ---- */

/* The words of a list or tuple of str as pointers into bytes objects that *held owns; NULL with an
 * exception.  Free it with PyMem_Free(), and *held with Py_DECREF. */
const char **words_of(PyObject *list, size_t *count, PyObject **held);
/* The format of that name (None: NULL); false with an exception. */
bool format_named(const struct core *core, const char *name, const struct spoor_format **format);
/* A result as JSON, which it frees; NULL with an exception. */
PyObject *json_of(struct spoor_result *result);

#endif
