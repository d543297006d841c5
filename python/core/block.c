/* SPDX-License-Identifier: MIT */
/*
 * block.c: the type Block: items that Python reads through the buffer protocol.
 *
 * A block owns its items, so an array made of it stays valid as long as it lives.
 */
#include "core.h"

#include <stdlib.h>

struct block_object *block_new(PyTypeObject *type, struct core *core, struct reader_object *reader)
{
    struct block_object *block = PyObject_New(struct block_object, type);
    if (!block) return NULL;
    const PyObject base = block->ob_base;
    *block = (struct block_object){.ob_base = base, .core = core, .format = "B", .item_size = 1};
    block->reader = (struct reader_object *)Py_XNewRef((PyObject *)reader);
    return block;
}

void block_forget(PyObject *self)
{
    struct block_object *block = (struct block_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    spoor_batch_free(&block->memory);
    free(block->owned);
    free(block->origins);
    Py_XDECREF((PyObject *)block->reader);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int give_buffer(PyObject *self, Py_buffer *view, int flags)
{
    static char nothing[1];
    struct block_object *block = (struct block_object *)self;
    view->obj = NULL;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "what a trace holds cannot be written");
        return -1;
    }
    *view = (Py_buffer){.obj = Py_NewRef(self),
                        .buf = block->items ? (void *)(uintptr_t)block->items : nothing,
                        .len = block->count * block->item_size,
                        .itemsize = block->item_size,
                        .readonly = 1,
                        .ndim = 1,
                        .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)block->format : NULL,
                        .shape = flags & PyBUF_ND ? &block->count : NULL};
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = &block->item_size;
    return 0;
}

static Py_ssize_t length(PyObject *self)
{
    return ((struct block_object *)self)->count;
}

static PyObject *get_format(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(((struct block_object *)self)->format);
}

static PyObject *get_address(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr((void *)(uintptr_t)((struct block_object *)self)->items);
}

static PyObject *get_item_size(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSsize_t(((struct block_object *)self)->item_size);
}

static PyObject *get_reader(PyObject *self, void *unused)
{
    const struct block_object *block = (struct block_object *)self;
    (void)unused;
    return Py_NewRef(block->reader ? (PyObject *)block->reader : Py_None);
}

static PyGetSetDef properties[] = {
    {"format", get_format, NULL, "An item's format, as the buffer protocol spells it.", NULL},
    {"itemsize", get_item_size, NULL, "Bytes of an item.", NULL},
    {"address", get_address, NULL, "Where the items lie in memory.", NULL},
    {"reader", get_reader, NULL, "The reader whose names the items use.", NULL},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "Items of one size; numpy.asarray(block) is an array of them without a copy."},
    {Py_tp_dealloc, block_forget},
    {Py_tp_getset, properties},
    {Py_sq_length, length},
    {Py_bf_getbuffer, give_buffer},
    {0, NULL},
};
PyType_Spec block_spec = {
    .name = "spoor._core.Block",
    .basicsize = sizeof(struct block_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
