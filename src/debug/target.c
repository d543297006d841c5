/* SPDX-License-Identifier: MIT */
/* target.c: tables of registers by architecture, and their descriptions in XML. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "debug/internal.h"

/* ---- the registers of an architecture ---- */

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Consecutive registers of one kind. */
struct register_run {
    const char *names; /* words; of a numbered run what comes before the number */
    unsigned count;    /* 0: not numbered */
    uint16_t bits;     /* 0: those of an address */
    const char *type;
    const char *feature; /* that begins with the first one */
    bool is_pc, is_status;
};

static const struct register_run aarch64_runs[] = {
    {.names = "x", .count = 31, .bits = 64, .feature = "org.gnu.gdb.aarch64.core"},
    {.names = "sp", .bits = 64, .type = "data_ptr"},
    {.names = "pc", .bits = 64, .type = "code_ptr", .is_pc = true},
    {.names = "cpsr", .bits = 32},
    {.names = "v",
     .count = 32,
     .bits = 128,
     .type = "vector",
     .feature = "org.gnu.gdb.aarch64.fpu"},
    {.names = "fpsr fpcr", .bits = 32},
    {.names = NULL},
};
static const struct register_run arm_runs[] = {
    {.names = "r", .count = 13, .bits = 32, .feature = "org.gnu.gdb.arm.core"},
    {.names = "sp", .bits = 32, .type = "data_ptr"},
    {.names = "lr", .bits = 32},
    {.names = "pc", .bits = 32, .type = "code_ptr", .is_pc = true},
    {.names = "cpsr", .bits = 32, .is_status = true},
    {.names = "d",
     .count = 32,
     .bits = 64,
     .type = "ieee_double",
     .feature = "org.gnu.gdb.arm.vfp"},
    {.names = "fpscr", .bits = 32},
    {.names = NULL},
};
static const struct register_run arm_m_runs[] = {
    {.names = "r", .count = 13, .bits = 32, .feature = "org.gnu.gdb.arm.m-profile"},
    {.names = "sp", .bits = 32, .type = "data_ptr"},
    {.names = "lr", .bits = 32},
    {.names = "pc", .bits = 32, .type = "code_ptr", .is_pc = true},
    {.names = "xpsr", .bits = 32, .is_status = true},
    {.names = "d",
     .count = 16,
     .bits = 64,
     .type = "ieee_double",
     .feature = "org.gnu.gdb.arm.vfp"},
    {.names = "fpscr", .bits = 32},
    {.names = NULL},
};
static const struct register_run riscv_runs[] = {
    {.names = "zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 "
              "s11 t3 t4 t5 t6",
     .feature = "org.gnu.gdb.riscv.cpu"},
    {.names = "pc", .type = "code_ptr", .is_pc = true},
    {.names = "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 "
              "fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11",
     .bits = 64,
     .type = "ieee_double",
     .feature = "org.gnu.gdb.riscv.fpu"},
    {.names = NULL},
};
static const struct register_run x86_64_runs[] = {
    {.names = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15",
     .bits = 64,
     .feature = "org.gnu.gdb.i386.core"},
    {.names = "rip", .bits = 64, .type = "code_ptr", .is_pc = true},
    {.names = "eflags cs ss ds es fs gs", .bits = 32},
    {.names = "st", .count = 8, .bits = 80, .type = "i387_ext"},
    {.names = "fctrl fstat ftag fiseg fioff foseg fooff fop", .bits = 32},
    {.names = "xmm", .count = 16, .bits = 128, .type = "vector", .feature = "org.gnu.gdb.i386.sse"},
    {.names = "mxcsr", .bits = 32},
    {.names = NULL},
};

static void target_add_runs(struct target *target, const struct register_run *run)
{
    for (; run->names; run++) {
        const char *name = run->names;
        if (run->is_status) target->status = target->count;
        for (unsigned i = 0; run->count ? i < run->count : *name != '\0'; i++) {
            struct target_register *added = &target->registers[target->count++];
            const size_t size = strcspn(name, " ");
            *added = (struct target_register){
                .bits = run->bits ? run->bits : (uint16_t)(8 * target->address_bytes),
                .type = run->type,
                .is_pc = run->is_pc,
                .feature = i == 0 ? run->feature : NULL};
            if (run->count) {
                snprintf(added->name, sizeof added->name, "%.4s%u", name, i);
            } else {
                snprintf(added->name, sizeof added->name, "%.*s", (int)size, name);
                name += size + (name[size] == ' ');
            }
        }
    }
}

static bool target_is_one_of(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(text, names[i]) == 0) return true;
    return false;
}

static bool target_note_mode(void *context, const struct spoor_record_visit *visited)
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
        target_add_runs(target, x86_64_runs);
        return true;
    }
    switch (spoor_explorer_isa(explorer)) {
    case SPOOR_ISA_AARCH64:
        target->architecture = TARGET_AARCH64;
        target->stops_before_access = true;
        target_add_runs(target, aarch64_runs);
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
        target->stops_before_access = true;
        target_add_runs(target, is_m ? arm_m_runs : arm_runs);
        return true;
    }
    case SPOOR_ISA_RISCV:
        target->architecture = TARGET_RISCV;
        target->address_bytes = wide ? 8 : 4;
        target_add_runs(target, riscv_runs);
        return true;
    case SPOOR_ISA_MIPS:
    case SPOOR_ISA_LOONGARCH:
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
