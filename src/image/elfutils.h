/* SPDX-License-Identifier: MIT */
/*
 * elfutils.h: the functions of libdw and libelf that spoor calls.
 *
 * A program that asks for no line does not pay for them at its start (base/shared_library.h), and
 * one that was built with them runs without.
 */
#ifndef SPOOR_IMAGE_ELFUTILS_H
#define SPOOR_IMAGE_ELFUTILS_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>

/* X(library, function) */
#define ELFUTILS_FUNCTIONS(X)          \
    X(libelf, elf_version)             \
    X(libelf, elf_memory)              \
    X(libelf, elf_end)                 \
    X(libdw, dwarf_begin_elf)          \
    X(libdw, dwarf_end)                \
    X(libdw, dwarf_nextcu)             \
    X(libdw, dwarf_offdie)             \
    X(libdw, dwarf_cu_info)            \
    X(libdw, dwarf_tag)                \
    X(libdw, dwarf_child)              \
    X(libdw, dwarf_siblingof)          \
    X(libdw, dwarf_dieoffset)          \
    X(libdw, dwarf_ranges)             \
    X(libdw, dwarf_attr)               \
    X(libdw, dwarf_attr_integrate)     \
    X(libdw, dwarf_formstring)         \
    X(libdw, dwarf_formudata)          \
    X(libdw, dwarf_getsrclines)        \
    X(libdw, dwarf_onesrcline)         \
    X(libdw, dwarf_lineaddr)           \
    X(libdw, dwarf_lineno)             \
    X(libdw, dwarf_linecol)            \
    X(libdw, dwarf_linesrc)            \
    X(libdw, dwarf_linebeginstatement) \
    X(libdw, dwarf_lineendsequence)    \
    X(libdw, dwarf_getsrcfiles)        \
    X(libdw, dwarf_filesrc)

#define ELFUTILS_POINTER(library, function) __typeof__(function) *function;
struct elfutils {
    ELFUTILS_FUNCTIONS(ELFUTILS_POINTER)
};
#undef ELFUTILS_POINTER

/* False where this machine does not have them. */
bool elfutils_load(struct elfutils *elfutils);

#endif
