/* SPDX-License-Identifier: MIT */
/*
 * trace_tarmac.c: instructions, memory accesses and register writes as Tarmac text, in the layout
 * of Arm's Fast Models and in that of MicroTESK (ISP RAS Trace Matcher).
 *
 * Both formats were designed for Arm and have no instruction set letter for RISC-V: MicroTESK
 * prints A (32-bit opcodes) for it.  The program runs as usr, the machine has no secure state: ns.
 * Time is the instruction's index: Fast Models count from 1, MicroTESK from 0.  Without address
 * translation the physical address is the virtual one.
 */
#include <inttypes.h>

#include "disassemble.h"
#include "tracer.h"

static unsigned digits_of(const struct step *step)
{
    return 2u * step->instruction.operation->size;
}

static char direction_of(const struct step *step)
{
    return step->instruction.operation->class == CLASS_LOAD ? 'R' : 'W';
}

/* An address with its physical part, as Fast Models print them. */
static void print_address(FILE *file, uint64_t address)
{
    fprintf(file, "%08" PRIx64 ":%012" PRIx64 "_NS ", address, address);
}

/* Eight bytes are printed as two groups. */
static void print_data(FILE *file, const struct step *step)
{
    if (step->instruction.operation->size == 8)
        fprintf(file, "%08" PRIx64 "_%08" PRIx64 "\n", step->data >> 32, step->data & UINT32_MAX);
    else
        fprintf(file, "%0*" PRIx64 "\n", (int)digits_of(step), step->data);
}

void trace_tarmac(struct trace *trace, const struct step *step)
{
    char text[DISASSEMBLY_SIZE];
    uint64_t time = step->index + 1;
    disassemble(&step->instruction, step->pc, text);
    fprintf(trace->file, "%" PRIu64 " clk cpu0 IT (%" PRIu64 ") ", time, time);
    print_address(trace->file, step->pc);
    fprintf(trace->file, "%08" PRIx32 " A usr_ns : %s\n", step->opcode, text);
    if (step->instruction.operation->size) {
        fprintf(trace->file, "%" PRIu64 " clk cpu0 M%c%u ", time, direction_of(step),
                step->instruction.operation->size);
        print_address(trace->file, step->address);
        print_data(trace->file, step);
    }
    if (step->written)
        fprintf(trace->file, "%" PRIu64 " clk cpu0 R x%u %016" PRIX64 "\n", time, step->written,
                step->value);
}

void trace_matcher(struct trace *trace, const struct step *step)
{
    char text[DISASSEMBLY_SIZE];
    disassemble(&step->instruction, step->pc, text);
    fprintf(trace->file,
            "%" PRIu64 " clk 0 IT (%" PRIu64 ") %016" PRIx64 " %08" PRIx32 " A usr_ns : %s\n",
            step->index, step->index, step->pc, step->opcode, text);
    if (step->instruction.operation->size)
        fprintf(trace->file, "%" PRIu64 " clk M%c%u %016" PRIx64 " %0*" PRIX64 "\n", step->index,
                direction_of(step), step->instruction.operation->size, step->address,
                (int)digits_of(step), step->data);
    if (step->written)
        fprintf(trace->file, "%" PRIu64 " clk R x%u %016" PRIx64 "\n", step->index, step->written,
                step->value);
}
