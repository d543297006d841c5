/* SPDX-License-Identifier: MIT */
/* record/vector_place.c: a program that fills the vector registers, run to find them. */
#include "record/vector_place.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/stream.h"
#include "record/system.h"

enum { CODE_AT = 0x10000, CODE_WORDS = VECTORS + 3 };

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

/* Fills `file`, an ELF image whose code follows its headers. */
static bool write_program(int file, const struct machine *machine)
{
    const unsigned char ident[EI_NIDENT] = {
        ELFMAG0,     ELFMAG1,   ELFMAG2, ELFMAG3, machine->wide ? ELFCLASS64 : ELFCLASS32,
        ELFDATA2LSB, EV_CURRENT};
    uint32_t code[CODE_WORDS];
    const size_t size =
        sizeof *code * (machine->id == MACHINE_ARM64 ? put_code_arm64 : put_code_arm)(code);
    unsigned char image[sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + sizeof code] = {0};
    const size_t headers = machine->wide ? sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)
                                         : sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
    if (machine->wide) {
        Elf64_Ehdr head = {.e_type = ET_EXEC,
                           .e_machine = machine->elf,
                           .e_version = EV_CURRENT,
                           .e_entry = CODE_AT + headers,
                           .e_phoff = sizeof head,
                           .e_ehsize = sizeof head,
                           .e_phentsize = sizeof(Elf64_Phdr),
                           .e_phnum = 1};
        const Elf64_Phdr load = {.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_X,
                                 .p_vaddr = CODE_AT,
                                 .p_paddr = CODE_AT,
                                 .p_filesz = headers + size,
                                 .p_memsz = headers + size,
                                 .p_align = 0x10000};
        memcpy(head.e_ident, ident, sizeof ident);
        memcpy(image, &head, sizeof head);
        memcpy(image + sizeof head, &load, sizeof load);
    } else {
        enum { EABI_5 = 0x5000000 };
        Elf32_Ehdr head = {.e_type = ET_EXEC,
                           .e_machine = machine->elf,
                           .e_version = EV_CURRENT,
                           .e_entry = (Elf32_Addr)(CODE_AT + headers),
                           .e_phoff = sizeof head,
                           .e_flags = EABI_5,
                           .e_ehsize = sizeof head,
                           .e_phentsize = sizeof(Elf32_Phdr),
                           .e_phnum = 1};
        const Elf32_Phdr load = {.p_type = PT_LOAD,
                                 .p_flags = PF_R | PF_X,
                                 .p_vaddr = CODE_AT,
                                 .p_paddr = CODE_AT,
                                 .p_filesz = (Elf32_Word)(headers + size),
                                 .p_memsz = (Elf32_Word)(headers + size),
                                 .p_align = 0x10000};
        memcpy(head.e_ident, ident, sizeof ident);
        memcpy(image, &head, sizeof head);
        memcpy(image + sizeof head, &load, sizeof load);
    }
    memcpy(image + headers, code, size);
    return write(file, image, headers + size) == (ssize_t)(headers + size);
}

/* Runs the program that lies in `guest->path`. */
static struct vector_place run_program(const struct guest *guest,
                                       const struct guest_options *options, const sigset_t *mask)
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
    const bool written = write_program(file, guest->machine) && fchmod(file, S_IRWXU) == 0;
    close(file);
    filling.sysroot[0] = '\0';
    quietly.quiet = true;
    if (written) found = run_program(&filling, &quietly, mask);
    unlink(filling.path);
    return found;
}
