/* SPDX-License-Identifier: MIT */
/*
 * elfutils.h: the functions of libdw and libelf that spoor calls.
 *
 * They are loaded when the first line is requested, so other commands do not pay for them at their
 * start (base/shared_library.h), and spoor runs on machines without them.
 */
#ifndef SPOOR_IMAGE_ELFUTILS_H
#define SPOOR_IMAGE_ELFUTILS_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>

#define LIBELF_FUNCTIONS(X) \
    X(elf_version)          \
    X(elf_memory)           \
    X(elf_end)
#define LIBDW_FUNCTIONS(X)      \
    X(dwarf_begin_elf)          \
    X(dwarf_end)                \
    X(dwarf_nextcu)             \
    X(dwarf_offdie)             \
    X(dwarf_cu_info)            \
    X(dwarf_tag)                \
    X(dwarf_child)              \
    X(dwarf_siblingof)          \
    X(dwarf_dieoffset)          \
    X(dwarf_ranges)             \
    X(dwarf_attr)               \
    X(dwarf_attr_integrate)     \
    X(dwarf_formstring)         \
    X(dwarf_formudata)          \
    X(dwarf_getsrclines)        \
    X(dwarf_onesrcline)         \
    X(dwarf_lineaddr)           \
    X(dwarf_lineno)             \
    X(dwarf_linecol)            \
    X(dwarf_linesrc)            \
    X(dwarf_linebeginstatement) \
    X(dwarf_lineendsequence)    \
    X(dwarf_getsrcfiles)        \
    X(dwarf_filesrc)

#define ELFUTILS_POINTER(function) __typeof__(function) *function;
struct elfutils {
    LIBELF_FUNCTIONS(ELFUTILS_POINTER)
    LIBDW_FUNCTIONS(ELFUTILS_POINTER)
};
#undef ELFUTILS_POINTER

/* Loads the libraries; false if this machine does not have them. */
bool elfutils_load(struct elfutils *elfutils);

#endif
