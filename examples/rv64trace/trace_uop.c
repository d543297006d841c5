/* SPDX-License-Identifier: MIT */
/*
 * trace_uop.c: the CIS501 micro-op trace (14 columns) of a RISC-V run.
 *
 * One instruction is one macro-op.  The format was designed for x86, so two constructs are
 * translated:
 * - RISC-V has no flags: a conditional branch becomes a comparison that writes the flags and the
 *   temporary 44 (as CMP does there) and a jump that reads them;
 * - a jump that keeps its return address becomes SAVE_PC and the jump, as in x86's CALL.  Where
 *   jalr overwrites the register that it jumps to, the target is first copied to temporary 45.
 * Registers are x1 to x31 by number, -1 for x0 and for none.  An immediate is the instruction's
 * own: for branches and jumps the distance from the instruction, not from the one after it.
 */
#include <ctype.h>
#include <inttypes.h>

#include "tracer.h"

enum { NONE = -1, COMPARED = 44, TEMPORARY = 45 };
enum { REGISTER_A0 = 10, REGISTER_A7 = 17 };

struct uop {
    int src1, src2, dest;
    char flags, branch, memory;
    int64_t immediate;
    const char *name;
};

static int number_of(uint8_t number)
{
    return number ? number : NONE;
}

static void print_macro(FILE *file, const char *name)
{
    char upper[16];
    size_t size = 0;
    for (; name[size] && size + 1 < sizeof upper; size++)
        upper[size] = (char)toupper((unsigned char)name[size]);
    upper[size] = 0;
    fprintf(file, "%-8s ", upper);
}

static void print(FILE *file, const struct step *step, int count, const struct uop *uop)
{
    fprintf(file,
            "%d %" PRIx64 " %2d %2d %2d %c %c %c %9" PRId64 " %12" PRIx64 " %12" PRIx64
            " %12" PRIx64 " ",
            count, step->pc, uop->src1, uop->src2, uop->dest, uop->flags, uop->branch, uop->memory,
            uop->immediate, uop->memory != '-' ? step->address : 0, step->pc + 4,
            uop->branch != '-' ? step->target : 0);
    print_macro(file, step->instruction.operation->name);
    fprintf(file, "%s\n", uop->name);
}

/* The operands where the format has them for this class: an operation on registers, a load (src2 is
 * the base) and a store (src1 is the data, src2 the base). */
static struct uop plain_uop(const struct instruction *of)
{
    struct uop uop = {number_of(of->rs1), number_of(of->rs2),  number_of(of->rd), '-', '-', '-',
                      of->immediate,      of->operation->micro};
    if (of->operation->class == CLASS_LOAD)
        uop.src1 = NONE, uop.src2 = number_of(of->rs1), uop.memory = 'L';
    if (of->operation->class == CLASS_STORE)
        uop.src1 = number_of(of->rs2), uop.src2 = number_of(of->rs1), uop.memory = 'S';
    return uop;
}

static void trace_branch(FILE *file, const struct step *step)
{
    const struct instruction *of = &step->instruction;
    struct uop compare = {number_of(of->rs1),  number_of(of->rs2), COMPARED, 'W', '-', '-', 0,
                          of->operation->micro};
    struct uop jump = {NONE, NONE,          NONE,     'R', step->taken ? 'T' : 'N',
                       '-',  of->immediate, "JMP_IMM"};
    print(file, step, 1, &compare);
    print(file, step, 2, &jump);
}

static void trace_jump(FILE *file, const struct step *step)
{
    const struct instruction *of = &step->instruction;
    struct uop copy = {of->rs1, NONE, TEMPORARY, '-', '-', '-', 0, "ADD"};
    struct uop link = {NONE, NONE, of->rd, '-', '-', '-', 0, "SAVE_PC"};
    struct uop jump = {number_of(of->rs1),  NONE, NONE, '-', 'T', '-', of->immediate,
                       of->operation->micro};
    int count = 0;
    if (of->rd && of->rd == of->rs1) {
        print(file, step, ++count, &copy);
        jump.src1 = TEMPORARY;
    }
    if (of->rd) print(file, step, ++count, &link);
    print(file, step, ++count, &jump);
}

static void trace_system(FILE *file, const struct step *step)
{
    struct uop call = {REGISTER_A0, REGISTER_A7, number_of(step->written),          '-', '-',
                       '-',         0,           step->instruction.operation->micro};
    print(file, step, 1, &call);
}

void trace_uop(struct trace *trace, const struct step *step)
{
    struct uop uop = plain_uop(&step->instruction);
    switch (step->instruction.operation->class) {
    case CLASS_BRANCH: trace_branch(trace->file, step); break;
    case CLASS_JUMP:
    case CLASS_JUMP_REGISTER: trace_jump(trace->file, step); break;
    case CLASS_SYSTEM: trace_system(trace->file, step); break;
    default: print(trace->file, step, 1, &uop); break;
    }
}
