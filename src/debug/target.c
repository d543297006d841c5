/* SPDX-License-Identifier: MIT */
/* target.c: tables of registers by architecture, and their descriptions in XML. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "debug/internal.h"

/* ---- the registers of an architecture ---- */

static struct target_register *target_add(struct target *target, const char *name, unsigned bits,
                                          const char *type)
{
    struct target_register *added = &target->registers[target->count++];
    *added = (struct target_register){.bits = (uint16_t)bits, .type = type};
    snprintf(added->name, sizeof added->name, "%.11s", name);
    return added;
}

/* Adds registers prefix0, prefix1 ... */
static void target_add_numbered(struct target *target, const char *prefix, unsigned count,
                                unsigned bits, const char *type)
{
    char name[16];
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%.4s%u", prefix, i);
        target_add(target, name, bits, type);
    }
}

static void target_add_named(struct target *target, const char *const *names, size_t count,
                             unsigned bits, const char *type)
{
    for (size_t i = 0; i < count; i++) target_add(target, names[i], bits, type);
}

static void target_add_pc(struct target *target, const char *name, unsigned bits)
{
    target_add(target, name, bits, "code_ptr")->is_pc = true;
}

/* The register of this number begins a feature. */
static void target_begin_feature(struct target *target, unsigned number, const char *feature)
{
    target->registers[number].feature = feature;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void target_describe_aarch64(struct target *target)
{
    target->stops_before_access = true;
    target_add_numbered(target, "x", 31, 64, NULL);
    target_add(target, "sp", 64, "data_ptr");
    target_add_pc(target, "pc", 64);
    target_add(target, "cpsr", 32, NULL);
    target_begin_feature(target, 0, "org.gnu.gdb.aarch64.core");
    const unsigned vectors = target->count;
    target_add_numbered(target, "v", 32, 128, "vector");
    target_add(target, "fpsr", 32, NULL);
    target_add(target, "fpcr", 32, NULL);
    target_begin_feature(target, vectors, "org.gnu.gdb.aarch64.fpu");
}

static void target_describe_arm(struct target *target, bool is_m)
{
    target->stops_before_access = true;
    target_add_numbered(target, "r", 13, 32, NULL);
    target_add(target, "sp", 32, "data_ptr");
    target_add(target, "lr", 32, NULL);
    target_add_pc(target, "pc", 32);
    target->status = target->count;
    target_add(target, is_m ? "xpsr" : "cpsr", 32, NULL);
    target_begin_feature(target, 0, is_m ? "org.gnu.gdb.arm.m-profile" : "org.gnu.gdb.arm.core");
    const unsigned vectors = target->count;
    target_add_numbered(target, "d", is_m ? 16 : 32, 64, "ieee_double");
    target_add(target, "fpscr", 32, NULL);
    target_begin_feature(target, vectors, "org.gnu.gdb.arm.vfp");
}

static void target_describe_riscv(struct target *target, unsigned bits)
{
    static const char *const integers[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                           "fp",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                           "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                           "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    static const char *const floats[] = {
        "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
        "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
        "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
    target_add_named(target, integers, COUNT(integers), bits, NULL);
    target_add_pc(target, "pc", bits);
    target_begin_feature(target, 0, "org.gnu.gdb.riscv.cpu");
    const unsigned first = target->count;
    target_add_named(target, floats, COUNT(floats), 64, "ieee_double");
    target_begin_feature(target, first, "org.gnu.gdb.riscv.fpu");
}

static void target_describe_x86_64(struct target *target)
{
    static const char *const integers[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                           "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const segments[] = {"cs", "ss", "ds", "es", "fs", "gs"};
    static const char *const control[] = {"fctrl", "fstat", "ftag",  "fiseg",
                                          "fioff", "foseg", "fooff", "fop"};
    target_add_named(target, integers, COUNT(integers), 64, NULL);
    target_add_pc(target, "rip", 64);
    target_add(target, "eflags", 32, NULL);
    target_add_named(target, segments, COUNT(segments), 32, NULL);
    target_add_numbered(target, "st", 8, 80, "i387_ext");
    target_add_named(target, control, COUNT(control), 32, NULL);
    target_begin_feature(target, 0, "org.gnu.gdb.i386.core");
    const unsigned vectors = target->count;
    target_add_numbered(target, "xmm", 16, 128, "vector");
    target_add(target, "mxcsr", 32, NULL);
    target_begin_feature(target, vectors, "org.gnu.gdb.i386.sse");
}

static bool target_is_one_of(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(text, names[i]) == 0) return true;
    return false;
}

static bool target_note_mode(void *context, const struct spoor_visited *visited)
{
    static const char *const modes[] = {"thread",    "handler",    "thrd",    "hndl",
                                        "thread_s",  "handler_s",  "thrd_s",  "hndl_s",
                                        "thread_ns", "handler_ns", "thrd_ns", "hndl_ns"};
    bool *is_m = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind != SPOOR_INSN) return true;
    if (record->has & SPOOR_HAS_EXTRA)
        *is_m = target_is_one_of(
            spoor_names_text(visited->batch->stream->names, record->insn.mode, NULL), modes,
            COUNT(modes));
    return false;
}

static bool target_names_one_of(struct spoor_explorer *explorer, const char *const *names,
                                size_t count)
{
    char name[48];
    for (unsigned i = 1; spoor_explorer_register(explorer, i, name, sizeof name); i++)
        if (target_is_one_of(name, names, count)) return true;
    return false;
}

bool target_choose(struct target *target, struct spoor_explorer *explorer, bool is_micro_ops,
                   bool wide)
{
    *target = (struct target){.address_bytes = 8, .status = TARGET_REGISTERS};
    if (is_micro_ops) {
        target->architecture = TARGET_X86_64;
        target_describe_x86_64(target);
        return true;
    }
    switch (spoor_explorer_isa(explorer)) {
    case SPOOR_ISA_AARCH64:
        target->architecture = TARGET_AARCH64;
        target_describe_aarch64(target);
        return true;
    case SPOOR_ISA_AARCH32: {
        /* Cortex-M: the trace has a register or a mode that only it has, or the status register
         * that RTL of it prints and no register of another profile. */
        static const char *const only_m[] = {"msp",     "psp",    "msp_s",    "psp_s",
                                             "msp_ns",  "psp_ns", "r13_main", "r13_main_s",
                                             "primask", "basepri"};
        static const char *const status[] = {"psr", "xpsr"};
        static const char *const others[] = {"cpsr", "r13_svc", "r14_svc", "r13_usr", "spsr_svc"};
        struct spoor_error error = {0};
        bool is_m = target_names_one_of(explorer, only_m, COUNT(only_m));
        if (!is_m) spoor_explorer_visit(explorer, 0, UINT64_MAX, target_note_mode, &is_m, &error);
        is_m = is_m || (target_names_one_of(explorer, status, COUNT(status)) &&
                        !target_names_one_of(explorer, others, COUNT(others)));
        target->architecture = is_m ? TARGET_ARM_M : TARGET_ARM;
        target->address_bytes = 4;
        target_describe_arm(target, is_m);
        return true;
    }
    case SPOOR_ISA_RISCV:
        target->architecture = TARGET_RISCV;
        target->address_bytes = wide ? 8 : 4;
        target_describe_riscv(target, wide ? 64 : 32);
        return true;
    case SPOOR_ISA_UNKNOWN: break;
    }
    return false;
}

/* ---- the description ---- */

void target_describe(const struct target *target, struct text *out)
{
    static const char *const names[] = {[TARGET_AARCH64] = "aarch64",
                                        [TARGET_ARM] = "arm",
                                        [TARGET_ARM_M] = "arm",
                                        [TARGET_RISCV] = "riscv:rv64",
                                        [TARGET_X86_64] = "i386:x86-64"};
    const bool is_rv32 = target->architecture == TARGET_RISCV && target->address_bytes != 8;
    text_printf(out,
                "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                "<target version=\"1.0\">\n<architecture>%s</architecture>\n",
                is_rv32 ? "riscv:rv32" : names[target->architecture]);
    for (unsigned i = 0; i < target->count; i++) {
        const struct target_register *reg = &target->registers[i];
        if (reg->feature) {
            text_printf(out, "%s<feature name=\"%s\">\n", i ? "</feature>\n" : "", reg->feature);
            bool has_vectors = false;
            for (unsigned j = i; j < target->count && (j == i || !target->registers[j].feature);
                 j++) {
                const char *type = target->registers[j].type;
                has_vectors |= type && strcmp(type, "vector") == 0;
            }
            if (has_vectors) {
                static const struct {
                    const char *field, *type;
                    unsigned count;
                } views[] = {{"b", "uint8", 16}, {"h", "uint16", 8},      {"s", "uint32", 4},
                             {"d", "uint64", 2}, {"f", "ieee_single", 4}, {"g", "ieee_double", 2}};
                for (size_t j = 0; j < COUNT(views); j++)
                    text_printf(out, "<vector id=\"v%s\" type=\"%s\" count=\"%u\"/>\n",
                                views[j].field, views[j].type, views[j].count);
                text_puts(out, "<union id=\"vector\">\n");
                for (size_t j = 0; j < COUNT(views); j++)
                    text_printf(out, "<field name=\"%s\" type=\"v%s\"/>\n", views[j].field,
                                views[j].field);
                text_puts(out, "<field name=\"q\" type=\"uint128\"/>\n</union>\n");
            }
        }
        text_printf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\"", reg->name, reg->bits, i);
        text_printf(out, " type=\"%s\"/>\n", reg->type ? reg->type : "int");
    }
    text_puts(out, "</feature>\n</target>\n");
}

/* ---- the trace's registers ---- */

bool target_value(const struct target *target, unsigned number, struct spoor_explorer *explorer,
                  const struct spoor_state *state, uint64_t moment, unsigned cpu,
                  struct spoor_register_value *value)
{
    struct spoor_subject subject;
    struct spoor_error error = {0};
    const char *name = target->registers[number].name;
    if (target->architecture == TARGET_X86_64) return false; /* micro-ops state no values */
    /* a question has roles, for which the mode of the moment decides, where GDB has registers */
    if (target->architecture == TARGET_RISCV)
        name = strcmp(name, "fp") == 0 ? "s0" : name;
    else if (strcmp(name, "cpsr") == 0 || strcmp(name, "xpsr") == 0)
        name = "flags";
    return spoor_explorer_subject(explorer, name, cpu, moment, &subject, &error) == SPOOR_OK &&
           subject.name && spoor_state_value(state, &subject, value);
}
