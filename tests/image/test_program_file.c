/* SPDX-License-Identifier: MIT */
/*
 * test_program_file.c: what the library states of this program's own file is what the system's
 * <elf.h> and this process show; lines of mappings; instructions by their bytes.
 */
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/annotate.h"
#include "spoor/image.h"

static const char *own_path;

int known_function(int number);
int other_function(int number);
int known_function(int number)
{
    return number + 1;
}
int other_function(int number)
{
    return number * 3 + 2;
}

/* ---- the header and the segments ---- */

/* The file as <elf.h> describes it. */
struct expected_file {
    ElfW(Ehdr) header;
    char interpreter[SPOOR_INTERPRETER_SIZE];
    uint64_t code_start;
};

static void read_at(FILE *file, uint64_t offset, void *bytes, size_t size)
{
    assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, size, file), size);
}

static struct expected_file expect_own(void)
{
    struct expected_file expected = {.code_start = UINT64_MAX};
    FILE *file = fopen(own_path, "rb");
    assert_non_null(file);
    read_at(file, 0, &expected.header, sizeof expected.header);
    for (unsigned i = 0; i < expected.header.e_phnum; i++) {
        ElfW(Phdr) segment;
        read_at(file, expected.header.e_phoff + i * sizeof segment, &segment, sizeof segment);
        if (segment.p_type == PT_INTERP)
            read_at(file, segment.p_offset, expected.interpreter, segment.p_filesz);
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
            segment.p_vaddr < expected.code_start)
            expected.code_start = segment.p_vaddr;
    }
    fclose(file);
    return expected;
}

static void a_program_is_as_its_headers_state(void **state)
{
    (void)state;
    const struct expected_file expected = expect_own();
    struct spoor_program_file program = {.struct_size = sizeof program};
    struct spoor_error error = {0};
    assert_int_equal(spoor_program_file_read(&program, own_path, &error), SPOOR_OK);
    assert_int_equal(program.machine, expected.header.e_machine);
    assert_int_equal(program.wide, sizeof(void *) == 8);
    assert_int_equal(program.big_endian, expected.header.e_ident[EI_DATA] == ELFDATA2MSB);
    assert_int_equal(program.moves, expected.header.e_type == ET_DYN);
    assert_int_equal(program.code_start, expected.code_start);
    assert_string_equal(program.interpreter, expected.interpreter);
}

static void symbols_are_as_far_apart_as_in_memory(void **state)
{
    (void)state;
    uint64_t known, other, none;
    assert_int_equal(known_function(1) + other_function(1), 7);
    assert_true(spoor_program_file_symbol(own_path, "known_function", &known));
    assert_true(spoor_program_file_symbol(own_path, "other_function", &other));
    assert_int_equal(other - known,
                     (uint64_t)((uintptr_t)&other_function - (uintptr_t)&known_function));
    assert_false(spoor_program_file_symbol(own_path, "known_functio", &none));
    assert_false(spoor_program_file_symbol("/dev/null", "known_function", &none));
}

/* Every beginning of the file is refused, or has the same machine. */
static void what_is_no_program_is_refused(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 4, 16, 40, 63, 64, 65, 120, 400};
    char bytes[400], path[] = "/tmp/spoor-program-XXXXXX";
    struct spoor_program_file program = {.struct_size = sizeof program};
    struct spoor_error error;
    FILE *own = fopen(own_path, "rb");
    assert_non_null(own);
    read_at(own, 0, bytes, sizeof bytes);
    fclose(own);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        error = (struct spoor_error){0};
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, bytes, sizes[i], 0), sizes[i]);
        const enum spoor_status status = spoor_program_file_read(&program, path, &error);
        if (sizes[i] < sizeof(ElfW(Ehdr))) assert_int_equal(status, SPOOR_EINPUT);
        if (status != SPOOR_OK) assert_non_null(strstr(error.text, path));
    }
    close(file);
    unlink(path);
    assert_int_equal(spoor_program_file_read(&program, "/nonexistent/program", &error),
                     SPOOR_EINPUT);
    assert_int_equal(spoor_program_file_read(&program, "/", &error), SPOOR_EINPUT);
}

/* ---- mappings ---- */

static void a_mapping_is_one_line(void **state)
{
    (void)state;
    struct spoor_mapping mapping = {.start = 0x1000,
                                    .end = 0x2fff,
                                    .file_offset = 0x400,
                                    .build_id = "00ff",
                                    .path = "/bin/some program"};
    static const char expected[] = "map=1000-2fff 400 00ff /bin/some program\n";
    char line[sizeof expected];
    assert_true(spoor_images_mapping_line(&mapping, line, sizeof line));
    assert_string_equal(line, expected);
    assert_false(spoor_images_mapping_line(&mapping, line, sizeof line - 1));
    mapping.path = "/bin/two\nlines";
    assert_false(spoor_images_mapping_line(&mapping, line, sizeof line));
}

/* ---- instructions ---- */

/* Encodings: Arm Architecture Reference Manual (RET, NOP), RISC-V unprivileged specification (addi,
 * c.ret), Intel SDM volume 2 (RET, a jump of 5 bytes). */
static void instructions_have_their_sizes(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[5];
        size_t count;
        enum spoor_code code;
        unsigned size;    /* 0: none */
        const char *text; /* begins with; NULL: any */
    } cases[] = {
        {{0xc0, 0x03, 0x5f, 0xd6}, 4, SPOOR_CODE_A64, 4, NULL},
        {{0x1f, 0x20, 0x03, 0xd5}, 4, SPOOR_CODE_A64, 4, NULL},
        {{0x13, 0x05, 0x15, 0x00}, 4, SPOOR_CODE_RISCV, 4, "addi"},
        {{0x82, 0x80}, 2, SPOOR_CODE_RISCV, 2, NULL},
        {{0xc3}, 1, SPOOR_CODE_X86_64, 1, NULL},
        {{0xe9, 0x01, 0x00, 0x00, 0x00}, 5, SPOOR_CODE_X86_64, 5, NULL},
        {{0xe9, 0x01}, 2, SPOOR_CODE_X86_64, 0, NULL}, /* its end is missing */
        {{0xc3}, 1, SPOOR_CODE_DATA, 0, NULL},
        {{0xc3}, 1, SPOOR_CODE_UNKNOWN, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_program_insn insn;
        const struct spoor_code_bytes bytes = {
            .pc = 0x1000, .bytes = cases[i].bytes, .size = cases[i].count, .code = cases[i].code};
        const bool decoded = spoor_code_decode(&bytes, &insn);
        assert_int_equal(decoded, cases[i].size != 0);
        if (!decoded) continue;
        assert_int_equal(insn.size, cases[i].size);
        if (cases[i].text)
            assert_int_equal(strncmp(insn.text, cases[i].text, strlen(cases[i].text)), 0);
    }
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_as_its_headers_state),
        cmocka_unit_test(symbols_are_as_far_apart_as_in_memory),
        cmocka_unit_test(what_is_no_program_is_refused),
        cmocka_unit_test(a_mapping_is_one_line),
        cmocka_unit_test(instructions_have_their_sizes),
    };
    (void)count;
    own_path = words[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
