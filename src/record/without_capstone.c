/* SPDX-License-Identifier: MIT */
/* record/without_capstone.c: a build without a disassembler: cracking is an error, and there is no
 * disassembly. */
#include "record/code.h"

#include <stdlib.h>

#include "record/disassembler.h"
#include "record/recorder.h"

static enum spoor_status refuse(struct recorder *recorder, struct spoor_error *error)
{
    (void)recorder;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "this spoor was built without capstone, which micro-ops need: apt-get "
                           "install libcapstone-dev and build it again");
}

const struct recorder_kind recorder_micro_ops = {.what = "micro-ops", .open = refuse};

struct disassembler *disassembler_open(enum machine_id machine)
{
    (void)machine;
    return NULL;
}

void disassembler_close(struct disassembler *disassembler)
{
    (void)disassembler;
}

void disassemble(struct disassembler *disassembler, const struct instruction *instruction,
                 bool thumb, char text[DISASSEMBLY_SIZE])
{
    (void)disassembler, (void)instruction, (void)thumb;
    text[0] = '\0';
}

/* Only RISC-V. */
struct code_reader {
    char unused;
};
struct code_reader *code_reader_open(void)
{
    return calloc(1, sizeof(struct code_reader));
}

void code_reader_close(struct code_reader *reader)
{
    free(reader);
}

size_t code_reader_put(void *context, const struct spoor_code_bytes *code, char *text,
                       size_t capacity)
{
    if (!context || code->code != SPOOR_CODE_RISCV) return 0;
    return code_put_riscv(code, text, capacity);
}
