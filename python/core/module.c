/* SPDX-License-Identifier: MIT */
/* module.c: the module spoor._core: its types and exceptions, and what the library knows of itself.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

/* Sets an attribute, and gives the value up. */
static bool put_attribute(PyObject *object, const char *name, PyObject *value)
{
    const bool good = value && PyObject_SetAttrString(object, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

static PyObject *number_or_none(uint64_t number)
{
    return number ? PyLong_FromUnsignedLongLong(number) : Py_NewRef(Py_None);
}

/* The sentence of an error without the path that it begins with. */
static const char *sentence_of(const char *path, const struct spoor_error *error)
{
    const size_t size = path ? strlen(path) : 0;
    const bool named =
        size && strncmp(error->text, path, size) == 0 && strncmp(error->text + size, ": ", 2) == 0;
    return named ? error->text + size + 2 : error->text;
}

/* A sentence quotes a file, and the bytes of a file need not be UTF-8. */
static PyObject *text_of(const char *sentence)
{
    return PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "backslashreplace");
}

static PyObject *message_of(const char *path, PyObject *sentence, uint64_t line)
{
    if (!path || !sentence) return Py_XNewRef(sentence);
    PyObject *name = PyUnicode_DecodeFSDefault(path);
    PyObject *message =
        !name   ? NULL
        : !line ? PyUnicode_FromFormat("%U: %U", name, sentence)
                : PyUnicode_FromFormat("%U:%llu: %U", name, (unsigned long long)line, sentence);
    Py_XDECREF(name);
    return message;
}

PyObject *raise_error(const struct core *core, const char *path, const struct spoor_error *error)
{
    if (error->status == SPOOR_ENOMEM) return PyErr_NoMemory();
    PyObject *type = error->status == SPOOR_EUSAGE ? core->usage_error : core->input_error;
    PyObject *sentence = text_of(sentence_of(path, error));
    PyObject *message = message_of(path, sentence, error->line);
    PyObject *exception = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
    Py_XDECREF(message);
    if (!exception) {
        Py_XDECREF(sentence);
        return NULL;
    }
    if (put_attribute(exception, "file",
                      path ? PyUnicode_DecodeFSDefault(path) : Py_NewRef(Py_None)) &&
        put_attribute(exception, "line", number_or_none(error->line)) &&
        put_attribute(exception, "offset", number_or_none(error->offset)) &&
        put_attribute(exception, "errno", number_or_none((uint64_t)error->system_error)) &&
        put_attribute(exception, "sentence", Py_NewRef(sentence)))
        PyErr_SetObject(type, exception);
    Py_DECREF(sentence);
    Py_DECREF(exception);
    return NULL;
}

PyObject *raise_of_reader(const struct reader_object *reader, const struct spoor_error *error)
{
    PyObject *path = PyUnicode_EncodeFSDefault(reader->path);
    if (!path) return NULL;
    raise_error(reader->core, PyBytes_AsString(path), error);
    Py_DECREF(path);
    return NULL;
}

/* ---- arguments ---- */

const char **words_of(PyObject *list, size_t *count, PyObject **held)
{
    PyObject *sequence = PySequence_List(list);
    const Py_ssize_t size = sequence ? PyList_Size(sequence) : -1;
    const char **words = size < 0 ? NULL : PyMem_Calloc((size_t)size + 1, sizeof *words);
    bool good = words != NULL;
    if (!words && !PyErr_Occurred()) PyErr_NoMemory();
    for (Py_ssize_t i = 0; good && i < size; i++) {
        PyObject *bytes = NULL;
        good = PyUnicode_FSConverter(PyList_GetItem(sequence, i), &bytes) &&
               PyList_SetItem(sequence, i, bytes) == 0;
        if (good) words[i] = PyBytes_AsString(bytes);
    }
    *count = (size_t)(size > 0 ? size : 0);
    *held = sequence;
    if (good) return words;
    PyMem_Free(words);
    Py_XDECREF(sequence);
    *held = NULL;
    return NULL;
}

bool format_named(const struct core *core, const char *name, const struct spoor_format **format)
{
    struct spoor_error error = {0};
    *format = name ? spoor_format_find(name) : NULL;
    if (!name || *format) return true;
    spoor_error_set(&error, SPOOR_EUSAGE, "found format '%s', expected one of spoor.formats()",
                    name);
    raise_error(core, NULL, &error);
    return false;
}

PyObject *json_of(struct spoor_result *result)
{
    size_t size = 0;
    char *json =
        result && spoor_result_complete(result) ? spoor_result_to_json(result, &size) : NULL;
    PyObject *text = json ? PyUnicode_FromStringAndSize(json, (Py_ssize_t)size) : PyErr_NoMemory();
    spoor_result_free(result);
    free(json);
    return text;
}

/* ---- functions ---- */

static PyObject *list_kinds(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < SPOOR_KINDS; i++) {
        PyObject *name = PyUnicode_FromString(spoor_kind_name((enum spoor_kind)i));
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *describe_field(enum spoor_field field)
{
    static const char *const types[] = {"", "int", "int", "int", "bool", "str", "int"};
    return Py_BuildValue("(sss)", spoor_field_name(field), types[spoor_field_type(field)],
                         spoor_field_what(field));
}

/* The fields of a kind, or all: (name, type, what it is). */
static PyObject *list_fields(PyObject *module, PyObject *words)
{
    int kind = -1;
    (void)module;
    if (!PyArg_ParseTuple(words, "|i", &kind)) return NULL;
    const spoor_field_set set = kind >= 0 && kind < SPOOR_KINDS
                                    ? spoor_kind_fields((enum spoor_kind)kind)
                                    : ~(spoor_field_set)0;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < SPOOR_FIELDS_ALL; i++) {
        if (i < SPOOR_FIELDS && !(set >> i & 1)) continue;
        PyObject *row = describe_field((enum spoor_field)i);
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *list_formats(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < spoor_format_count(); i++) {
        const struct spoor_format *format = spoor_format_at(i);
        PyObject *row =
            Py_BuildValue("{s:s,s:s,s:s,s:O,s:O}", "name", spoor_format_name(format), "title",
                          spoor_format_title(format), "suffixes", spoor_format_suffixes(format),
                          "reads", spoor_format_reads(format) ? Py_True : Py_False, "writes",
                          spoor_format_writes(format) ? Py_True : Py_False);
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"kinds", list_kinds, METH_NOARGS, "kinds() -> list[str]: the kinds of records, by number."},
    {"fields", list_fields, METH_VARARGS,
     "fields(kind=-1) -> list[tuple[str, str, str]]: name, type and meaning of each field."},
    {"formats", list_formats, METH_NOARGS, "formats() -> list[dict]: the formats of traces."},
    {0},
};

/* ---- the module ---- */

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, (PyObject *)base);
    if (type && PyModule_AddType(module, (PyTypeObject *)type) == 0) return (PyTypeObject *)type;
    Py_XDECREF(type);
    return NULL;
}

static PyObject *add_exception(PyObject *module, const char *name, const char *about,
                               PyObject *bases)
{
    PyObject *exception = PyErr_NewExceptionWithDoc(name, about, bases, NULL);
    if (exception && PyModule_AddObjectRef(module, strrchr(name, '.') + 1, exception) == 0)
        return exception;
    Py_XDECREF(exception);
    return NULL;
}

static bool add_exceptions(PyObject *module, struct core *core)
{
    core->error = add_exception(
        module, "spoor.Error",
        "What the library reports: file, line (of a text), offset, sentence, errno; None where "
        "unknown.",
        NULL);
    PyObject *bases = core->error ? PyTuple_Pack(2, core->error, PyExc_ValueError) : NULL;
    core->usage_error =
        bases ? add_exception(module, "spoor.UsageError",
                              "An argument is not valid, or contradicts another.", bases)
              : NULL;
    Py_XDECREF(bases);
    core->input_error =
        core->error ? add_exception(module, "spoor.InputError",
                                    "A trace cannot be read, or not beyond some point; or a file "
                                    "cannot be written.",
                                    core->error)
                    : NULL;
    return core->usage_error && core->input_error;
}

static int fill_module(PyObject *module)
{
    struct core *core = PyModule_GetState(module);
    if (!add_exceptions(module, core)) return -1;
    core->reader = add_type(module, &reader_spec, NULL);
    core->block = add_type(module, &block_spec, NULL);
    core->batch = core->block ? add_type(module, &batch_spec, core->block) : NULL;
    core->history = add_type(module, &history_spec, NULL);
    if (!core->reader || !core->batch || !core->history) return -1;
    if (PyModule_AddStringConstant(module, "version", spoor_version()) != 0) return -1;
    return PyModule_AddStringConstant(module, "features", spoor_features());
}

static int visit_state(PyObject *module, visitproc visit, void *arg)
{
    struct core *core = PyModule_GetState(module);
    Py_VISIT(core->error);
    Py_VISIT(core->usage_error);
    Py_VISIT(core->input_error);
    Py_VISIT(core->reader);
    Py_VISIT(core->block);
    Py_VISIT(core->batch);
    Py_VISIT(core->history);
    return 0;
}

static int clear_state(PyObject *module)
{
    struct core *core = PyModule_GetState(module);
    Py_CLEAR(core->error);
    Py_CLEAR(core->usage_error);
    Py_CLEAR(core->input_error);
    Py_CLEAR(core->reader);
    Py_CLEAR(core->block);
    Py_CLEAR(core->batch);
    Py_CLEAR(core->history);
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "spoor._core",
    .m_doc = "The library libspoor.  Use the module spoor.",
    .m_size = sizeof(struct core),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = visit_state,
    .m_clear = clear_state,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
