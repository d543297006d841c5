/* SPDX-License-Identifier: MIT */
/* batch.c: the type Batch: the records of a batch as items, and their fields as Python's objects.
 */
#include "core.h"

#include <string.h>

/* The head of a record, and the bytes of its body. */
const char record_format[] = "T{Q:time:B:kind:B:op:H:has:H:cpu:H:spelling:48s:body:}";

static size_t origin_of(const struct block_object *batch, Py_ssize_t index)
{
    return batch->origins ? batch->origins[index] : (size_t)index;
}

/* ---- values ---- */

static PyObject *text_of(struct spoor_slice text)
{
    return PyUnicode_DecodeUTF8(text.bytes, (Py_ssize_t)text.size, "surrogateescape");
}

/* Digits of which some are unknown, as the program prints them: "0x12-4". */
static PyObject *partly_known(const uint8_t *bytes, size_t size, uint32_t unknown)
{
    char text[2 * 64 + 3] = "0x";
    const size_t kept = size < 64 ? size : 64;
    char *at = text + 2;
    for (size_t digit = 2 * kept; digit-- > 0;) {
        const unsigned value = bytes[digit / 2] >> (digit & 1 ? 4 : 0) & 15;
        const bool is_unknown = digit < 32 && (unknown >> digit & 1);
        if (at == text + 2 && !is_unknown && value == 0 && digit) continue;
        *at++ = is_unknown ? '-' : "0123456789abcdef"[value];
    }
    return PyUnicode_FromStringAndSize(text, at - text);
}

static PyObject *wide_number(struct spoor_slice bytes)
{
    return PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "y#s", bytes.bytes,
                               (Py_ssize_t)bytes.size, "little");
}

static PyObject *object_of(const struct spoor_value *value)
{
    switch (value->type) {
    case SPOOR_VALUE_UNSIGNED: return PyLong_FromUnsignedLongLong(value->number);
    case SPOOR_VALUE_SIGNED: return PyLong_FromLongLong(value->signed_number);
    case SPOOR_VALUE_BOOL: return PyBool_FromLong(value->number != 0);
    case SPOOR_VALUE_TEXT: return text_of(value->text);
    case SPOOR_VALUE_BYTES:
        if (value->unknown)
            return partly_known((const uint8_t *)value->text.bytes, value->text.size,
                                value->unknown);
        return wide_number(value->text);
    case SPOOR_VALUE_HEX:
        if (value->unknown)
            return partly_known((const uint8_t *)&value->number, sizeof value->number,
                                value->unknown);
        return PyLong_FromUnsignedLongLong(value->number);
    case SPOOR_VALUE_ABSENT: break;
    }
    return Py_NewRef(Py_None);
}

/* ---- rows ---- */

static bool check_index(const struct block_object *batch, Py_ssize_t *index)
{
    if (*index < 0) *index += batch->count;
    if (*index >= 0 && *index < batch->count) return true;
    PyErr_SetString(PyExc_IndexError, "there is no such record in the batch");
    return false;
}

static PyObject *value_of(const struct block_object *batch, size_t index, enum spoor_field field)
{
    const struct spoor_value value = spoor_field_get(&batch->memory, index, field);
    return object_of(&value);
}

/* Puts a field if the record has it. */
static bool put_field(PyObject *row, const struct block_object *batch, size_t index,
                      enum spoor_field field)
{
    const struct spoor_value value = spoor_field_get(&batch->memory, index, field);
    if (value.type == SPOOR_VALUE_ABSENT) return true;
    PyObject *object = object_of(&value);
    const bool good = object && PyDict_SetItemString(row, spoor_field_name(field), object) == 0;
    Py_XDECREF(object);
    return good;
}

static bool put_all_fields(PyObject *row, const struct block_object *batch, size_t index)
{
    const struct spoor_record *record = &batch->memory.records[index];
    const spoor_field_set set = spoor_kind_fields((enum spoor_kind)record->kind);
    bool good = put_field(row, batch, index, SPOOR_FIELD_RECORD) &&
                put_field(row, batch, index, SPOOR_FIELD_LINE) &&
                put_field(row, batch, index, SPOOR_FIELD_KIND);
    for (int i = 0; good && i < SPOOR_FIELDS; i++)
        if (set >> i & 1) good = put_field(row, batch, index, (enum spoor_field)i);
    for (int i = SPOOR_FIRST_LOCATED; good && i < SPOOR_FIELDS_ALL; i++)
        good = put_field(row, batch, index, (enum spoor_field)i);
    return good;
}

static int field_of(const struct core *core, PyObject *name)
{
    struct spoor_error error = {0};
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    const int field = text ? spoor_field_find(text, (size_t)size) : -1;
    if (field >= 0 || !text) return field;
    spoor_error_set(&error, SPOOR_EUSAGE, "found field '%s', expected pc, addr or another", text);
    raise_error(core, NULL, &error);
    return -1;
}

static bool put_chosen_fields(PyObject *row, const struct block_object *batch, size_t index,
                              PyObject *fields)
{
    const Py_ssize_t count = PySequence_Size(fields);
    bool good = count >= 0;
    for (Py_ssize_t i = 0; good && i < count; i++) {
        PyObject *name = PySequence_GetItem(fields, i);
        const int field = name ? field_of(batch->core, name) : -1;
        good = field >= 0 && put_field(row, batch, index, (enum spoor_field)field);
        Py_XDECREF(name);
    }
    return good;
}

/* row(index, fields=None): the fields that the record has, of all or of those that are named. */
static PyObject *row_of(PyObject *object, PyObject *words)
{
    const struct block_object *batch = (const struct block_object *)object;
    Py_ssize_t index;
    PyObject *fields = Py_None;
    if (!PyArg_ParseTuple(words, "n|O", &index, &fields) || !check_index(batch, &index))
        return NULL;
    const size_t origin = origin_of(batch, index);
    PyObject *row = PyDict_New();
    if (!row) return NULL;
    reader_lock(batch->reader);
    bool good = reader_is_open(batch->reader);
    if (good)
        good = fields == Py_None ? put_all_fields(row, batch, origin)
                                 : put_chosen_fields(row, batch, origin, fields);
    reader_unlock(batch->reader);
    if (!good) Py_CLEAR(row);
    return row;
}

/* value(index, field): one field of a record; None if it does not have it. */
static PyObject *one_value(PyObject *object, PyObject *words)
{
    const struct block_object *batch = (const struct block_object *)object;
    Py_ssize_t index;
    PyObject *name, *value = NULL;
    if (!PyArg_ParseTuple(words, "nO", &index, &name) || !check_index(batch, &index)) return NULL;
    const int field = field_of(batch->core, name);
    if (field < 0) return NULL;
    reader_lock(batch->reader);
    if (reader_is_open(batch->reader))
        value = value_of(batch, origin_of(batch, index), (enum spoor_field)field);
    reader_unlock(batch->reader);
    return value;
}

/* ---- faults ---- */

static PyObject *fault_row(const struct spoor_batch *batch, const struct spoor_fault *fault)
{
    char found[SPOOR_FOUND_CAPACITY];
    const char *words = spoor_fault_found(batch, fault, found);
    return Py_BuildValue(
        "{s:K,s:K,s:I,s:s,s:s,s:N}", "record", (unsigned long long)(batch->first + fault->record),
        "line", (unsigned long long)spoor_batch_line(batch, fault->record), "column",
        (unsigned int)fault->column, "rule", fault->rule, "expected", fault->expected, "found",
        PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "replace"));
}

static PyObject *list_faults(PyObject *object, void *unused)
{
    const struct block_object *block = (const struct block_object *)object;
    const struct spoor_batch *batch = &block->memory;
    (void)unused;
    reader_lock(block->reader);
    PyObject *list = reader_is_open(block->reader) ? PyList_New(0) : NULL;
    for (size_t i = 0; list && i < batch->fault_count; i++) {
        PyObject *row = fault_row(batch, &batch->faults[i]);
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    reader_unlock(block->reader);
    return list;
}

/* ---- properties ---- */

static PyObject *get_first(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((struct block_object *)object)->memory.first);
}

static PyObject *get_line(PyObject *object, void *unused)
{
    const uint64_t line = ((struct block_object *)object)->memory.line;
    (void)unused;
    return line ? PyLong_FromUnsignedLongLong(line) : Py_NewRef(Py_None);
}

static PyObject *get_text(PyObject *object, void *unused)
{
    const struct spoor_batch *batch = &((struct block_object *)object)->memory;
    (void)unused;
    return PyBytes_FromStringAndSize(batch->text, (Py_ssize_t)batch->text_size);
}

/* The ordinals of the records in the trace, as a list. */
static PyObject *list_records(PyObject *object, void *unused)
{
    const struct block_object *batch = (const struct block_object *)object;
    PyObject *list = PyList_New(batch->count);
    (void)unused;
    for (Py_ssize_t i = 0; list && i < batch->count; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(batch->memory.first + origin_of(batch, i));
        if (!number || PyList_SetItem(list, i, number) != 0) Py_CLEAR(list);
    }
    return list;
}

static PyGetSetDef properties[] = {
    {"first", get_first, NULL, "Ordinal of the batch's first record in the trace, from 0.", NULL},
    {"line", get_line, NULL, "Line of that record; None in a binary trace.", NULL},
    {"text", get_text, NULL, "The bytes that the records were decoded from.", NULL},
    {"ordinals", list_records, NULL, "Where each record lies in the trace, from 0.", NULL},
    {"faults", list_faults, NULL, "Where the trace breaks its format.", NULL},
    {0},
};
static PyMethodDef methods[] = {
    {"row", row_of, METH_VARARGS, "row(index, fields=None) -> dict: a record's fields."},
    {"value", one_value, METH_VARARGS, "value(index, field): one field of a record, or None."},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "Consecutive records, or those of them that an expression accepts."},
    {Py_tp_dealloc, block_forget},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};
PyType_Spec batch_spec = {
    .name = "spoor._core.Batch",
    .basicsize = sizeof(struct block_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
