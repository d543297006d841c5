/* SPDX-License-Identifier: MIT */
/* register_number.c: the number of a register that has its one name, as operands are numbered. */
#include <string.h>

#include "base/ascii.h"
#include "base/scan.h"
#include "isa/operands.h"

/* A letter and a number of one or two digits, and after '_' the mode that has the copy; -1:
 * something else. */
static int numbered(const char *text, char letter)
{
    enum { REGISTERS = 32 };
    struct scan scan = {text, text + strlen(text)};
    uint64_t number;
    if (!scan_char(&scan, letter) || !scan_decimal(&scan, &number) || number >= REGISTERS)
        return -1;
    return scan_done(&scan) || *scan.at == '_' ? (int)number : -1;
}

int isa_register_number(enum isa isa, const struct register_name *name)
{
    const char *text = name->text;
    const char vector = isa == ISA_RISCV ? 'f' : isa == ISA_AARCH32 ? 'd' : 'v';
    const int integer = numbered(text, isa == ISA_AARCH32 ? 'r' : 'x');
    const int wide = numbered(text, vector);
    if (isa == ISA_UNKNOWN || name->zero) return -1;
    if (integer >= 0) return integer;
    if (isa == ISA_RISCV && numbered(text, 'v') >= 0) return ISA_RISCV_VECTOR + numbered(text, 'v');
    if (wide >= 0) return ISA_VECTOR + wide;
    if (isa == ISA_AARCH64 && ascii_begins(text, "sp") && (!text[2] || text[2] == '_'))
        return ISA_STACK_POINTER_A64;
    if (isa == ISA_AARCH32 && (ascii_begins(text, "msp") || ascii_begins(text, "psp")) &&
        (!text[3] || text[3] == '_'))
        return 13;
    const bool flags = strcmp(text, "cpsr") == 0 || strcmp(text, "nzcv") == 0 ||
                       strcmp(text, "apsr") == 0 || strcmp(text, "xpsr") == 0 ||
                       strcmp(text, "psr") == 0;
    return flags && isa != ISA_RISCV ? (int)ISA_FLAGS : -1;
}
