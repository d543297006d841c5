/* SPDX-License-Identifier: MIT */
/*
 * record/vector_place.c: where this QEMU keeps the guest's vector registers, FPSR and FPCR.
 *
 * The vectors lie in the structure whose beginning has the general registers (plugin.c), but how
 * far from it depends on the version of QEMU.  So a program of some 300 instructions that fills
 * them with a pattern runs first, and the plugin searches for the pattern.  The plugin API can read
 * registers from QEMU 9.0 on alone.
 *
 * FPSR and FPCR are in several parts of that structure: the flags of an operation are where QEMU's
 * own arithmetic has them.  The program goes on to set one bit after another (enum float_step), and
 * the plugin takes the places that change as they do.  At FLOAT_CHECK and FLOAT_HALF the program
 * reads FPSR, which must be what these places say.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/stream.h"
#include "record/system.h"

enum { CODE_AT = 0x10000, CODE_WORDS = VECTORS + 16 * FLOAT_STEPS, HEADERS = 64 + 56 };

struct image {
    uint8_t bytes[HEADERS + 4 * CODE_WORDS];
    size_t size;
};

struct code {
    uint32_t words[CODE_WORDS];
    size_t count;
};

/* The instructions that differ between the sets. */
struct dialect {
    uint32_t set_status, set_control, get_status; /* FPSR, FPCR from and to it */
    uint32_t call[3];                             /* getpid() */
    uint32_t exit[3];                             /* exit(0) */
    uint32_t tiny[4];                             /* the product of the first register and 0.5 */
    uint32_t standard[3];                         /* a product of vectors; 0: there is none */
    uint32_t check[7]; /* 1 / 0, 1 / 3, a sum of vectors that saturates */
    uint32_t half[3];  /* 1 / 0 */
    uint32_t half_standard[2];
    bool is_arm;
};

static void vectors_put_code(struct code *code, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i]) code->words[code->count++] = words[i];
}

/* MOVZ X0, MOVK X0; MOVW r0, MOVT r0. */
static void vectors_load(struct code *code, const struct dialect *dialect, uint32_t number)
{
    const uint32_t low = number & 0xFFFF, high = number >> 16;
    const bool is_arm64 = !dialect->is_arm;
    code->words[code->count++] =
        is_arm64 ? 0xD2800000 | low << 5 : 0xE3000000 | low >> 12 << 16 | (low & 0xFFF);
    code->words[code->count++] =
        is_arm64 ? 0xF2A00000 | high << 5 : 0xE3400000 | high >> 12 << 16 | (high & 0xFFF);
}

static const struct dialect arm64 = {
    .set_status = 0xD51B4420,         /* MSR FPSR,X0 */
    .set_control = 0xD51B4400,        /* MSR FPCR,X0 */
    .get_status = 0xD53B4420,         /* MRS X0,FPSR */
    .call = {0xD2801588, 0xD4000001}, /* MOV X8,#172; SVC #0 */
    .exit = {0xD2800BA8, 0xD2800000, 0xD4000001},
    .tiny = {0x1E270003, 0x1E2C1004, 0x1E240860}, /* FMOV S3,W0; FMOV S4,#0.5; FMUL S0,S3,S4 */
    .check =
        {
            0x1E2E1001, 0x2F00E402, 0x1E221820, /* FMOV S1,#1.0; MOVI D2,#0; FDIV S0,S1,S2 */
            0x1E211006, 0x1E261820,             /* FMOV S6,#3.0; FDIV S0,S1,S6 */
            0x4F03E7E5, 0x4E250CA0,             /* MOVI V5.16B,#127; SQADD V0.16B,V5.16B,V5.16B */
        },
    .half = {0x1EEE1001, 0x1EE21820}, /* FMOV H1,#1.0; FDIV H0,H1,H2 */
};

/* FPSCR is both: what is set last counts. */
static const struct dialect arm = {
    .set_status = 0xEEE10A10, /* VMSR FPSCR,r0 */
    .set_control = 0xEEE10A10,
    .get_status = 0xEEF10A10,                     /* VMRS r0,FPSCR */
    .call = {0xE3A07014, 0xEF000000},             /* MOV r7,#20; SVC #0 */
    .exit = {0xE3A07001, 0xE3A00000, 0xEF000000}, /* MOV r7,#1; MOV r0,#0; SVC #0 */
    /* VMOV S13,r0; VMOV.F32 S14,#0.5; VMUL.F32 S8,S13,S14 */
    .tiny = {0xEE060A90, 0xEEB67A00, 0xEE264A87},
    .standard = {0xF2C70E5F, 0xF3402DF0}, /* VMOV.I8 Q8,#127; VMUL.F32 Q9,Q8,Q8 */
    .check =
        {
            0xEEB70A00, 0xF2801010, 0xEE804A01, /* VMOV.F32 S0,#1; VMOV.I32 D1,#0; VDIV S8,S0,S2 */
            0xEEB06A08, 0xEE804A06,             /* VMOV.F32 S12,#3; VDIV.F32 S8,S0,S12 */
            0xF2C70E5F, 0xF24020F0,             /* VMOV.I8 Q8,#127; VQADD.S8 Q9,Q8,Q8 */
        },
    .half = {0xEEB70900, 0xEE804901},          /* VMOV.F16 S0,#1; VDIV.F16 S8,S0,S2 */
    .half_standard = {0xF2C70E5B, 0xF3502DF0}, /* VMOV.I8 Q8,#123; VMUL.F16 Q9,Q8,Q8 */
    .is_arm = true,
};

/* Sets FPCR and FPSR; of Arm the one that is not 0. */
static void vectors_put_state(struct code *code, const struct dialect *dialect, uint32_t control,
                              uint32_t status)
{
    const bool separate = dialect->set_status != dialect->set_control;
    if (separate || control) {
        vectors_load(code, dialect, control);
        code->words[code->count++] = dialect->set_control;
    }
    if (separate || !control) {
        vectors_load(code, dialect, status);
        code->words[code->count++] = dialect->set_status;
    }
}

/* Ends a step: with 0 in the first register, or with FPSR. */
static void vectors_put_call(struct code *code, const struct dialect *dialect, bool with_status)
{
    if (with_status)
        code->words[code->count++] = dialect->get_status;
    else
        vectors_load(code, dialect, 0);
    vectors_put_code(code, dialect->call, sizeof dialect->call / 4);
}

/* The steps of enum float_step. */
static void vectors_put_steps(struct code *code, const struct dialect *dialect)
{
    static const uint8_t flags[FLOAT_FLAGS] = {0, 1, 2, 3, 4, 7};
    enum { SMALLEST_NORMAL = 0x00800000 };
    const uint32_t controls[] = {FLOAT_ROUNDS_VALUE, FLOAT_FLUSHES_VALUE,
                                 dialect->is_arm ? FLOAT_LENGTH_VALUE : 0};
    for (uint32_t i = 0; !dialect->is_arm && i < VECTORS; i++) { /* MOVI V0.16B to V31.16B */
        const uint32_t byte = VECTOR_PATTERN + i;
        code->words[code->count++] = UINT32_C(0x4F00E400) | byte >> 5 << 16 | (byte & 31) << 5 | i;
    }
    for (uint32_t i = 0; dialect->is_arm && i < VECTORS / 2; i++) { /* VMOV.I8 Q0 to Q15 */
        const uint32_t byte = VECTOR_PATTERN + i, low = 2 * i;      /* D register */
        code->words[code->count++] = UINT32_C(0xF2800E50) | byte >> 7 << 24 |
                                     (byte >> 4 & 7) << 16 | (byte & 15) | low >> 4 << 22 |
                                     (low & 15) << 12;
    }
    vectors_put_call(code, dialect, false);
    vectors_put_state(code, dialect, 0, 0);
    vectors_put_call(code, dialect, false);
    for (unsigned i = 0; i < FLOAT_FLAGS; i++) {
        vectors_put_state(code, dialect, 0, UINT32_C(1) << flags[i]);
        vectors_put_call(code, dialect, false);
    }
    vectors_put_state(code, dialect, 0, FLOAT_QC_VALUE);
    vectors_put_call(code, dialect, false);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        vectors_put_state(code, dialect, controls[i], 0);
        vectors_put_call(code, dialect, false);
    }
    vectors_put_state(code, dialect, FLOAT_FLUSHES_VALUE, 0);
    vectors_load(code, dialect, SMALLEST_NORMAL);
    vectors_put_code(code, dialect->tiny, sizeof dialect->tiny / 4);
    vectors_put_call(code, dialect, false);
    const struct {
        const uint32_t *words;
        size_t size;
        bool with_status;
    } operations[] = {{dialect->standard, sizeof dialect->standard, false},
                      {dialect->check, sizeof dialect->check, true},
                      {dialect->half, sizeof dialect->half, true},
                      {dialect->half_standard, sizeof dialect->half_standard, false},
                      {NULL, 0, false}};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        vectors_put_state(code, dialect, 0, 0);
        vectors_put_code(code, operations[i].words, operations[i].size / 4);
        vectors_put_call(code, dialect, operations[i].with_status);
    }
    vectors_put_code(code, dialect->exit, sizeof dialect->exit / 4);
}

/* Appends a number of `size` bytes, the lowest first. */
static void vectors_put_number(struct image *image, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) image->bytes[image->size++] = (uint8_t)(number >> 8 * i);
}

/* An ELF image whose code follows its headers, by the System V ABI.
 */
static void vectors_make_program(struct image *image, const struct machine *machine)
{
    enum { IDENT = 16, EXECUTABLE = 2, LOAD = 1, READ = 4, EXECUTE = 1, EABI_5 = 0x5000000 };
    const size_t word = machine->wide ? 8 : 4;
    const size_t head = machine->wide ? 64 : 52, segment = machine->wide ? 56 : 32;
    struct code code = {.count = 0};
    vectors_put_steps(&code, machine->id == MACHINE_ARM64 ? &arm64 : &arm);
    const uint64_t size = head + segment + code.count * sizeof *code.words;
    memcpy(image->bytes, "\177ELF", 4);
    image->size = 4;
    vectors_put_number(image, machine->wide ? 2 : 1, 1); /* ELFCLASS64 or 32 */
    vectors_put_number(image, 1, 1);                     /* lowest byte first */
    vectors_put_number(image, 1, 1);                     /* EV_CURRENT */
    vectors_put_number(image, 0, IDENT - image->size);
    vectors_put_number(image, EXECUTABLE, 2);
    vectors_put_number(image, machine->elf, 2);
    vectors_put_number(image, 1, 4);
    vectors_put_number(image, CODE_AT + head + segment, word); /* e_entry */
    vectors_put_number(image, head, word);                     /* e_phoff */
    vectors_put_number(image, 0, word);                        /* e_shoff */
    vectors_put_number(image, machine->wide ? 0 : EABI_5, 4);
    vectors_put_number(image, head, 2);
    vectors_put_number(image, segment, 2);
    vectors_put_number(image, 1, 2); /* e_phnum */
    vectors_put_number(image, 0, 6); /* there are no sections */
    vectors_put_number(image, LOAD, 4);
    if (machine->wide) vectors_put_number(image, READ | EXECUTE, 4);
    vectors_put_number(image, 0, word);       /* p_offset */
    vectors_put_number(image, CODE_AT, word); /* p_vaddr, p_paddr */
    vectors_put_number(image, CODE_AT, word);
    vectors_put_number(image, size, word); /* p_filesz, p_memsz */
    vectors_put_number(image, size, word);
    if (!machine->wide) vectors_put_number(image, READ | EXECUTE, 4);
    vectors_put_number(image, CODE_AT, word); /* p_align */
    for (size_t i = 0; i < code.count; i++)
        vectors_put_number(image, code.words[i], sizeof *code.words);
}

void vector_place_find(struct events *events, const struct guest *guest,
                       const struct guest_options *options, const sigset_t *mask)
{
    struct guest filling = *guest;
    struct guest_options quietly = *options;
    const int file = system_temporary_file("spoor-vectors", filling.path);
    if (file < 0) return;
    struct image image;
    vectors_make_program(&image, guest->machine);
    const bool written =
        write(file, image.bytes, image.size) == (ssize_t)image.size && fchmod(file, S_IRWXU) == 0;
    close(file);
    filling.sysroot[0] = '\0';
    quietly.quiet = true;
    struct stream stream = {.descriptor = -1};
    struct spoor_error ignored = {0};
    char name[] = "vectors", *words[] = {name, NULL};
    if (written && stream_open(&stream, &ignored) == SPOOR_OK) {
        stream.events->wishes = WISH_REGISTERS | WISH_PLACE;
        const pid_t child =
            guest_start(&filling, &quietly, words, stream.descriptor, mask, &ignored);
        if (child > 0) waitpid(child, NULL, 0);
        events->place = stream.events->found;
        events->float_place = stream.events->found_float;
    }
    stream_close(&stream);
    unlink(filling.path);
}
