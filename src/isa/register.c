/* SPDX-License-Identifier: MIT */
/* register.c: maps the names that traces use for a register to one canonical name. */
#include "isa/register.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/scan.h"
#include "isa/operands.h"

const char *isa_name(enum isa isa)
{
    static const char *const names[] = {"unknown", "riscv", "aarch64",
                                        "aarch32", "mips",  "loongarch"};
    return names[isa];
}

/* Returns the number if `text` is a number of one or two digits; else -1. */
static int register_number_in(const char *text)
{
    if (text[0] < '0' || text[0] > '9') return -1;
    if (!text[1]) return text[0] - '0';
    if (text[1] < '0' || text[1] > '9' || text[2]) return -1;
    return 10 * (text[0] - '0') + text[1] - '0';
}

static void register_put_numbered(struct register_name *name, char letter, int number)
{
    snprintf(name->text, sizeof name->text, "%c%d", letter, number);
}

struct family {
    const char *prefix; /* followed by a number from 0 to `last` */
    int last;
    char letter; /* of the canonical name */
    int split;   /* numbers below `split` begin at `low`, the others at `high` */
    int low, high;
    uint16_t widened;
};

static const struct family riscv_families[] = {
    {"a", 7, 'x', 8, 10, 0, 0},  {"t", 6, 'x', 3, 5, 28, 0},   {"s", 11, 'x', 2, 8, 18, 0},
    {"fa", 7, 'f', 8, 10, 0, 0}, {"ft", 11, 'f', 8, 0, 28, 0}, {"fs", 11, 'f', 2, 8, 18, 0},
    {NULL, 0, 0, 0, 0, 0, 0},
};
static const struct family aarch64_families[] = {
    {"x", 30, 'x', 31, 0, 0, 64},  {"w", 30, 'x', 31, 0, 0, 64},  {"b", 31, 'v', 32, 0, 0, 128},
    {"h", 31, 'v', 32, 0, 0, 128}, {"s", 31, 'v', 32, 0, 0, 128}, {"d", 31, 'v', 32, 0, 0, 128},
    {"q", 31, 'v', 32, 0, 0, 128}, {NULL, 0, 0, 0, 0, 0, 0},
};
static const struct family mips_families[] = {
    /* of o32 */
    {"$", 31, 'r', 32, 0, 0, 0}, {"v", 1, 'r', 2, 2, 0, 0},  {"a", 3, 'r', 4, 4, 0, 0},
    {"t", 9, 'r', 8, 8, 24, 0},  {"s", 7, 'r', 8, 16, 0, 0}, {"k", 1, 'r', 2, 26, 0, 0},
    {NULL, 0, 0, 0, 0, 0, 0},
};
static const struct family loongarch_families[] = {
    {"$r", 31, 'r', 32, 0, 0, 0}, {"a", 7, 'r', 8, 4, 0, 0},  {"t", 8, 'r', 9, 12, 0, 0},
    {"s", 8, 'r', 9, 23, 0, 0},   {"fa", 7, 'f', 8, 0, 0, 0}, {"ft", 15, 'f', 16, 8, 0, 0},
    {"fs", 7, 'f', 8, 24, 0, 0},  {NULL, 0, 0, 0, 0, 0, 0},
};
static const struct family no_families[] = {{NULL, 0, 0, 0, 0, 0, 0}};

struct alias {
    const char *from, *to;
};
static const struct alias riscv_aliases[] = {
    {"zero", "x0"}, {"ra", "x1"}, {"sp", "x2"}, {"gp", "x3"},
    {"tp", "x4"},   {"fp", "x8"}, {NULL, NULL},
};
static const struct alias aarch64_aliases[] = {
    {"lr", "x30"}, {"fp", "x29"}, {"wsp", "sp"}, {"wzr", "xzr"}, {NULL, NULL},
};
static const struct alias aarch32_aliases[] = {
#define BASE(alias, name) {alias, name},
#include "isa/banked.def"
    {NULL, NULL},
};
static const char *const banked_modes[] = {
#define MODE(name) name,
#include "isa/banked.def"
    NULL,
};
static const struct alias banked_stacks[] = {
#define STACK(word, name) {word, name},
#include "isa/banked.def"
    {NULL, NULL},
};
static const struct alias mips_aliases[] = {
    {"zero", "r0"}, {"at", "r1"},  {"gp", "r28"}, {"sp", "r29"},
    {"fp", "r30"},  {"s8", "r30"}, {"ra", "r31"}, {NULL, NULL},
};
static const struct alias loongarch_aliases[] = {
    {"zero", "r0"}, {"ra", "r1"},  {"tp", "r2"}, {"sp", "r3"},
    {"fp", "r22"},  {"s9", "r22"}, {NULL, NULL},
};
static const struct alias no_aliases[] = {{NULL, NULL}};

static const struct {
    const struct family *families;
    const struct alias *aliases;
    const char *zero;
} isas[] = {
    [ISA_UNKNOWN] = {no_families, no_aliases, ""},
    [ISA_RISCV] = {riscv_families, riscv_aliases, "x0"},
    [ISA_AARCH64] = {aarch64_families, aarch64_aliases, "xzr"},
    [ISA_AARCH32] = {no_families, aarch32_aliases, ""},
    [ISA_MIPS] = {mips_families, mips_aliases, "r0"},
    [ISA_LOONGARCH] = {loongarch_families, loongarch_aliases, "r0"},
};

static bool register_find_family(struct register_name *name, const struct family *families)
{
    for (const struct family *family = families; family->prefix; family++) {
        size_t size = strlen(family->prefix);
        if (strncmp(name->text, family->prefix, size) != 0) continue;
        int number = register_number_in(name->text + size);
        if (number < 0 || number > family->last) continue;
        name->widened = family->widened;
        register_put_numbered(name, family->letter,
                              number < family->split
                                  ? family->low + number
                                  : family->high + number - (family->high ? family->split : 0));
        return true;
    }
    return false;
}

static void register_find_alias(struct register_name *name, const struct alias *aliases)
{
    for (const struct alias *alias = aliases; alias->from; alias++)
        if (strcmp(name->text, alias->from) == 0) {
            snprintf(name->text, sizeof name->text, "%s", alias->to);
            return;
        }
}

/* Maps stack pointers of the M profile: "r13_main" and "sp_main" are msp, "r13_process_ns" is
 * psp_ns. The text after the word is retained. */
static bool register_find_stack(struct register_name *name, const char *copy)
{
    for (const struct alias *stack = banked_stacks; stack->from; stack++) {
        const size_t size = strlen(stack->from);
        char rest[MAX_REGISTER_NAME];
        if (strncmp(copy, stack->from, size) != 0 || (copy[size] && copy[size] != '_')) continue;
        snprintf(rest, sizeof rest, "%s", copy + size);
        snprintf(name->text, sizeof name->text, "%s%.8s", stack->to, rest);
        return true;
    }
    return false;
}

/* Maps a banked register: "lr_svc" is r14_svc, "sp_main" is msp. */
static bool register_find_banked(struct register_name *name)
{
    const char *copy = strchr(name->text, '_');
    struct register_name base = {0};
    if (!copy) return false;
    copy++;
    memcpy(base.text, name->text, (size_t)(copy - 1 - name->text));
    register_find_alias(&base, aarch32_aliases);
    if (strcmp(base.text, "r13") == 0 && register_find_stack(name, copy)) return true;
    for (const char *const *mode = banked_modes; *mode; mode++) {
        if (strcmp(copy, *mode) != 0) continue;
        snprintf(name->text, sizeof name->text, "%.8s_%s", base.text, *mode);
        return true;
    }
    return false;
}

/* Removes parts of a name: "c768_mstatus" (Spike) is mstatus; "x 5" is x5. */
static void register_strip(struct register_name *name)
{
    char *text = name->text;
    char *space = strchr(text, ' ');
    if (space && register_number_in(space + strspn(space, " ")) >= 0)
        memmove(space, space + strspn(space, " "), strlen(space + strspn(space, " ")) + 1);
    if (text[0] != 'c') return;
    size_t digits = strspn(text + 1, "0123456789");
    if (digits && text[1 + digits] == '_' && text[2 + digits])
        memmove(text, text + 2 + digits, strlen(text + 2 + digits) + 1);
}

static void register_copy_lower(struct register_name *name, const char *text, size_t size)
{
    *name = (struct register_name){0};
    if (size >= MAX_REGISTER_NAME) size = MAX_REGISTER_NAME - 1;
    for (size_t i = 0; i < size; i++)
        name->text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
}

bool register_is_copy(const char *text, size_t size, struct register_name *name)
{
    register_copy_lower(name, text, size);
    const bool stack = strncmp(name->text, "msp", 3) == 0 || strncmp(name->text, "psp", 3) == 0;
    if (stack && (!name->text[3] || name->text[3] == '_')) return true;
    return register_find_banked(name);
}

void register_canonical(const char *text, size_t size, enum isa isa, struct register_name *name)
{
    register_copy_lower(name, text, size);
    register_strip(name);
    if (!register_find_family(name, isas[isa].families))
        register_find_alias(name, isas[isa].aliases);
    if (isa == ISA_AARCH32) register_find_banked(name);
    name->zero = isas[isa].zero[0] && strcmp(name->text, isas[isa].zero) == 0;
}

/* ---- numbers of operands ---- */

/* A letter and a number of one or two digits, and after '_' the mode that has the copy; -1:
 * something else. */
static int register_numbered(const char *text, char letter)
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
    const bool arm64 = isa == ISA_AARCH64, riscv = isa == ISA_RISCV;
    const char vector = arm64 ? 'v' : isa == ISA_AARCH32 ? 'd' : 'f';
    const int integer = register_numbered(text, arm64 || riscv ? 'x' : 'r');
    const int wide = register_numbered(text, vector);
    if (isa == ISA_UNKNOWN || name->zero) return -1;
    if (integer >= 0) return integer;
    if (riscv && register_numbered(text, 'v') >= 0)
        return ISA_RISCV_VECTOR + register_numbered(text, 'v');
    if (wide >= 0) return ISA_VECTOR + wide;
    if (arm64 && ascii_begins(text, "sp") && (!text[2] || text[2] == '_'))
        return ISA_STACK_POINTER_A64;
    if (isa == ISA_AARCH32 && (ascii_begins(text, "msp") || ascii_begins(text, "psp")) &&
        (!text[3] || text[3] == '_'))
        return 13;
    const bool flags = strcmp(text, "cpsr") == 0 || strcmp(text, "nzcv") == 0 ||
                       strcmp(text, "apsr") == 0 || strcmp(text, "xpsr") == 0 ||
                       strcmp(text, "psr") == 0;
    return flags && (arm64 || isa == ISA_AARCH32) ? (int)ISA_FLAGS : -1;
}
