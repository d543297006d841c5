/* SPDX-License-Identifier: MIT */
/* record/vector_place.c: a program that fills the vector registers, run to find them. */
#include "record/vector_place.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/stream.h"
#include "record/system.h"

enum { CODE_AT = 0x10000, CODE_WORDS = VECTORS + 3, HEADERS = 64 + 56 };

struct image {
    uint8_t bytes[HEADERS + 4 * CODE_WORDS];
    size_t size;
};

/* MOVI V0.16B to V31.16B; exit(0). */
static size_t put_code_arm64(uint32_t code[CODE_WORDS])
{
    size_t count = 0;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const uint32_t byte = VECTOR_PATTERN + i;
        code[count++] = UINT32_C(0x4F00E400) | byte >> 5 << 16 | (byte & 31) << 5 | i;
    }
    code[count++] = 0xD2800BA8; /* MOV x8,#93 */
    code[count++] = 0xD2800000; /* MOV x0,#0 */
    code[count++] = 0xD4000001; /* SVC #0 */
    return count;
}

/* VMOV.I8 Q0 to Q15; exit(0). */
static size_t put_code_arm(uint32_t code[CODE_WORDS])
{
    size_t count = 0;
    for (uint32_t i = 0; i < VECTORS / 2; i++) {
        const uint32_t byte = VECTOR_PATTERN + i, low = 2 * i; /* D register */
        code[count++] = UINT32_C(0xF2800E50) | byte >> 7 << 24 | (byte >> 4 & 7) << 16 |
                        (byte & 15) | low >> 4 << 22 | (low & 15) << 12;
    }
    code[count++] = 0xE3A07001; /* MOV r7,#1 */
    code[count++] = 0xE3A00000; /* MOV r0,#0 */
    code[count++] = 0xEF000000; /* SVC #0 */
    return count;
}

/* Appends a number of `size` bytes, the lowest first. */
static void put_elf_number(struct image *image, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) image->bytes[image->size++] = (uint8_t)(number >> 8 * i);
}

/* An ELF image whose code follows its headers, by the System V ABI.
 */
static void make_program(struct image *image, const struct machine *machine)
{
    enum { IDENT = 16, EXECUTABLE = 2, LOAD = 1, READ = 4, EXECUTE = 1, EABI_5 = 0x5000000 };
    const size_t word = machine->wide ? 8 : 4;
    const size_t head = machine->wide ? 64 : 52, segment = machine->wide ? 56 : 32;
    uint32_t code[CODE_WORDS];
    const size_t count = (machine->id == MACHINE_ARM64 ? put_code_arm64 : put_code_arm)(code);
    const uint64_t size = head + segment + count * sizeof *code;
    memcpy(image->bytes, "\177ELF", 4);
    image->size = 4;
    put_elf_number(image, machine->wide ? 2 : 1, 1); /* ELFCLASS64 or 32 */
    put_elf_number(image, 1, 1);                     /* lowest byte first */
    put_elf_number(image, 1, 1);                     /* EV_CURRENT */
    put_elf_number(image, 0, IDENT - image->size);
    put_elf_number(image, EXECUTABLE, 2);
    put_elf_number(image, machine->elf, 2);
    put_elf_number(image, 1, 4);
    put_elf_number(image, CODE_AT + head + segment, word); /* e_entry */
    put_elf_number(image, head, word);                     /* e_phoff */
    put_elf_number(image, 0, word);                        /* e_shoff */
    put_elf_number(image, machine->wide ? 0 : EABI_5, 4);
    put_elf_number(image, head, 2);
    put_elf_number(image, segment, 2);
    put_elf_number(image, 1, 2); /* e_phnum */
    put_elf_number(image, 0, 6); /* there are no sections */
    put_elf_number(image, LOAD, 4);
    if (machine->wide) put_elf_number(image, READ | EXECUTE, 4);
    put_elf_number(image, 0, word);       /* p_offset */
    put_elf_number(image, CODE_AT, word); /* p_vaddr, p_paddr */
    put_elf_number(image, CODE_AT, word);
    put_elf_number(image, size, word); /* p_filesz, p_memsz */
    put_elf_number(image, size, word);
    if (!machine->wide) put_elf_number(image, READ | EXECUTE, 4);
    put_elf_number(image, CODE_AT, word); /* p_align */
    for (size_t i = 0; i < count; i++) put_elf_number(image, code[i], sizeof *code);
}

/* Runs the program that lies in `guest->path`. */
static struct vector_place vector_place_run(const struct guest *guest,
                                            const struct guest_options *options,
                                            const sigset_t *mask)
{
    struct vector_place found = {0};
    struct stream stream;
    struct spoor_error ignored = {0};
    char name[] = "vectors", *words[] = {name, NULL};
    if (stream_open(&stream, &ignored) == SPOOR_OK) {
        stream.events->wishes = WISH_REGISTERS | WISH_PLACE;
        const pid_t child = guest_start(guest, options, words, stream.descriptor, mask, &ignored);
        if (child > 0) waitpid(child, NULL, 0);
        found = stream.events->found;
    }
    stream_close(&stream);
    return found;
}

struct vector_place vector_place_find(const struct guest *guest,
                                      const struct guest_options *options, const sigset_t *mask)
{
    struct guest filling = *guest;
    struct guest_options quietly = *options;
    struct vector_place found = {0};
    const int file = system_temporary_file("spoor-vectors", filling.path);
    if (file < 0) return found;
    struct image image;
    make_program(&image, guest->machine);
    const bool written =
        write(file, image.bytes, image.size) == (ssize_t)image.size && fchmod(file, S_IRWXU) == 0;
    close(file);
    filling.sysroot[0] = '\0';
    quietly.quiet = true;
    if (written) found = vector_place_run(&filling, &quietly, mask);
    unlink(filling.path);
    return found;
}
