/* SPDX-License-Identifier: MIT */
/* target.c: tables of registers by architecture, and their descriptions in XML. */
#include "debug/target.h"

#include <stdio.h>
#include <string.h>

/* ---- the registers of an architecture ---- */

static struct target_register *add(struct target *target, const char *name, unsigned bits,
                                   const char *type)
{
    struct target_register *added = &target->registers[target->count++];
    *added = (struct target_register){.bits = (uint16_t)bits, .type = type};
    snprintf(added->name, sizeof added->name, "%.11s", name);
    return added;
}

/* Adds registers prefix0, prefix1 ... */
static void add_numbered(struct target *target, const char *prefix, unsigned count, unsigned bits,
                         const char *type)
{
    char name[16];
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%.4s%u", prefix, i);
        add(target, name, bits, type);
    }
}

static void add_named(struct target *target, const char *const *names, size_t count, unsigned bits,
                      const char *type)
{
    for (size_t i = 0; i < count; i++) add(target, names[i], bits, type);
}

static void add_pc(struct target *target, const char *name, unsigned bits)
{
    add(target, name, bits, "code_ptr")->is_pc = true;
}

/* The register of this number begins a feature. */
static void begin_feature(struct target *target, unsigned number, const char *feature)
{
    target->registers[number].feature = feature;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void describe_aarch64(struct target *target)
{
    target->stops_before_access = true;
    add_numbered(target, "x", 31, 64, NULL);
    add(target, "sp", 64, "data_ptr");
    add_pc(target, "pc", 64);
    add(target, "cpsr", 32, NULL);
    begin_feature(target, 0, "org.gnu.gdb.aarch64.core");
    const unsigned vectors = target->count;
    add_numbered(target, "v", 32, 128, "vector");
    add(target, "fpsr", 32, NULL);
    add(target, "fpcr", 32, NULL);
    begin_feature(target, vectors, "org.gnu.gdb.aarch64.fpu");
}

static void describe_arm(struct target *target, bool is_m)
{
    target->stops_before_access = true;
    add_numbered(target, "r", 13, 32, NULL);
    add(target, "sp", 32, "data_ptr");
    add(target, "lr", 32, NULL);
    add_pc(target, "pc", 32);
    add(target, is_m ? "xpsr" : "cpsr", 32, NULL);
    begin_feature(target, 0, is_m ? "org.gnu.gdb.arm.m-profile" : "org.gnu.gdb.arm.core");
    const unsigned vectors = target->count;
    add_numbered(target, "d", is_m ? 16 : 32, 64, "ieee_double");
    add(target, "fpscr", 32, NULL);
    begin_feature(target, vectors, "org.gnu.gdb.arm.vfp");
}

static void describe_riscv(struct target *target, unsigned bits)
{
    static const char *const integers[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                           "fp",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                           "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                           "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    static const char *const floats[] = {
        "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
        "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
        "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
    add_named(target, integers, COUNT(integers), bits, NULL);
    add_pc(target, "pc", bits);
    begin_feature(target, 0, "org.gnu.gdb.riscv.cpu");
    const unsigned first = target->count;
    add_named(target, floats, COUNT(floats), 64, "ieee_double");
    begin_feature(target, first, "org.gnu.gdb.riscv.fpu");
}

static void describe_x86_64(struct target *target)
{
    static const char *const integers[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                           "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const segments[] = {"cs", "ss", "ds", "es", "fs", "gs"};
    static const char *const control[] = {"fctrl", "fstat", "ftag",  "fiseg",
                                          "fioff", "foseg", "fooff", "fop"};
    add_named(target, integers, COUNT(integers), 64, NULL);
    add_pc(target, "rip", 64);
    add(target, "eflags", 32, NULL);
    add_named(target, segments, COUNT(segments), 32, NULL);
    add_numbered(target, "st", 8, 80, "i387_ext");
    add_named(target, control, COUNT(control), 32, NULL);
    begin_feature(target, 0, "org.gnu.gdb.i386.core");
    const unsigned vectors = target->count;
    add_numbered(target, "xmm", 16, 128, "vector");
    add(target, "mxcsr", 32, NULL);
    begin_feature(target, vectors, "org.gnu.gdb.i386.sse");
}

/* Finds the register that a name denotes; false: the trace has none. */
static bool find_register(struct spoor_explorer *explorer, const char *name, unsigned cpu,
                          struct spoor_subject *subject)
{
    return spoor_explorer_subject(explorer, name, cpu, 0, subject, NULL) == SPOOR_OK &&
           subject->name;
}

/* True for Cortex-M: the trace names its stack pointers or its program status register. */
static bool is_m_profile(struct spoor_explorer *explorer)
{
    static const char *const names[] = {"msp",    "psp",      "msp_s",      "psp_s",   "msp_ns",
                                        "psp_ns", "r13_main", "r13_main_s", "primask", "basepri"};
    struct spoor_subject subject, flags;
    for (size_t i = 0; i < COUNT(names); i++)
        if (find_register(explorer, names[i], 0, &subject)) return true;
    /* xpsr also denotes the flags of another profile */
    return find_register(explorer, "xpsr", 0, &subject) &&
           !(find_register(explorer, "cpsr", 0, &flags) && flags.name == subject.name);
}

bool target_of(struct target *target, struct spoor_explorer *explorer, bool is_micro_ops, bool wide)
{
    *target = (struct target){.address_bytes = 8};
    if (is_micro_ops) {
        target->architecture = TARGET_X86_64;
        describe_x86_64(target);
        return true;
    }
    switch (spoor_explorer_isa(explorer)) {
    case SPOOR_ISA_AARCH64:
        target->architecture = TARGET_AARCH64;
        describe_aarch64(target);
        return true;
    case SPOOR_ISA_AARCH32:
        target->architecture = is_m_profile(explorer) ? TARGET_ARM_M : TARGET_ARM;
        target->address_bytes = 4;
        describe_arm(target, target->architecture == TARGET_ARM_M);
        return true;
    case SPOOR_ISA_RISCV:
        target->architecture = TARGET_RISCV;
        target->address_bytes = wide ? 8 : 4;
        describe_riscv(target, wide ? 64 : 32);
        return true;
    case SPOOR_ISA_UNKNOWN: break;
    }
    return false;
}

/* ---- the description ---- */

static const char *architecture_name(const struct target *target)
{
    switch (target->architecture) {
    case TARGET_AARCH64: return "aarch64";
    case TARGET_ARM:
    case TARGET_ARM_M: return "arm";
    case TARGET_RISCV: return target->address_bytes == 8 ? "riscv:rv64" : "riscv:rv32";
    case TARGET_X86_64: break;
    }
    return "i386:x86-64";
}

/* Describes the views of 128-bit vectors. */
static void put_vector_type(struct text *out)
{
    static const struct {
        const char *field, *type;
        unsigned count;
    } views[] = {{"b", "uint8", 16}, {"h", "uint16", 8},      {"s", "uint32", 4},
                 {"d", "uint64", 2}, {"f", "ieee_single", 4}, {"g", "ieee_double", 2}};
    for (size_t i = 0; i < COUNT(views); i++)
        text_printf(out, "<vector id=\"v%s\" type=\"%s\" count=\"%u\"/>\n", views[i].field,
                    views[i].type, views[i].count);
    text_puts(out, "<union id=\"vector\">\n");
    for (size_t i = 0; i < COUNT(views); i++)
        text_printf(out, "<field name=\"%s\" type=\"v%s\"/>\n", views[i].field, views[i].field);
    text_puts(out, "<field name=\"q\" type=\"uint128\"/>\n</union>\n");
}

static bool has_vectors(const struct target *target, unsigned from)
{
    for (unsigned i = from; i < target->count; i++) {
        if (i > from && target->registers[i].feature) break;
        if (target->registers[i].type && strcmp(target->registers[i].type, "vector") == 0)
            return true;
    }
    return false;
}

void target_describe(const struct target *target, struct text *out)
{
    text_printf(out,
                "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                "<target version=\"1.0\">\n<architecture>%s</architecture>\n",
                architecture_name(target));
    for (unsigned i = 0; i < target->count; i++) {
        const struct target_register *reg = &target->registers[i];
        if (reg->feature) {
            text_printf(out, "%s<feature name=\"%s\">\n", i ? "</feature>\n" : "", reg->feature);
            if (has_vectors(target, i)) put_vector_type(out);
        }
        text_printf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\"", reg->name, reg->bits, i);
        text_printf(out, " type=\"%s\"/>\n", reg->type ? reg->type : "int");
    }
    text_puts(out, "</feature>\n</target>\n");
}

/* ---- the trace's registers ---- */

/* Other names that a trace may have for GDB's register, and its banked copies. */
static const char *const *other_names(const struct target *target, const char *name)
{
    static const struct {
        enum target_architecture architecture;
        const char *name;
        const char *others[12];
    } table[] = {
        {TARGET_AARCH64, "sp", {"sp", "sp_el0", "sp_el1", "sp_el2", "sp_el3", NULL}},
        {TARGET_AARCH64, "cpsr", {"cpsr", "nzcv", "pstate", NULL}},
        {TARGET_ARM,
         "sp",
         {"r13", "r13_usr", "r13_svc", "r13_irq", "r13_fiq", "r13_abt", "r13_und", "r13_mon",
          "r13_hyp", NULL}},
        {TARGET_ARM,
         "lr",
         {"r14", "r14_usr", "r14_svc", "r14_irq", "r14_fiq", "r14_abt", "r14_und", "r14_mon",
          NULL}},
        {TARGET_ARM_M,
         "sp",
         {"r13", "msp", "psp", "msp_s", "psp_s", "msp_ns", "psp_ns", "r13_main", "r13_process",
          "r13_main_s", "r13_process_s", NULL}},
        {TARGET_ARM_M, "lr", {"r14", NULL}},
        {TARGET_ARM_M, "xpsr", {"xpsr", "cpsr", "psr", NULL}},
        {TARGET_RISCV, "fp", {"s0", NULL}},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        if (table[i].architecture == target->architecture && strcmp(table[i].name, name) == 0)
            return table[i].others;
    return NULL;
}

bool target_value(const struct target *target, unsigned number, struct spoor_explorer *explorer,
                  const struct spoor_state *state, unsigned cpu, struct spoor_register_value *value)
{
    const char *const own[] = {target->registers[number].name, NULL};
    const char *const *names = other_names(target, own[0]);
    bool found = false;
    if (target->architecture == TARGET_X86_64) return false; /* micro-ops state no values */
    for (names = names ? names : own; *names; names++) {
        struct spoor_subject subject;
        struct spoor_register_value newer;
        if (!find_register(explorer, *names, cpu, &subject) ||
            !spoor_state_value(state, &subject, &newer) || (found && value->writer >= newer.writer))
            continue;
        found = true;
        *value = newer;
    }
    return found;
}
