/* SPDX-License-Identifier: MIT */
/*
 * test_text.c: in every text format, lines of learned layouts give the same records as the plain
 * rules: lines as traces have them, with other digits, with bytes changed, inserted and removed,
 * and cut short.
 *
 * SPOOR_TEST_LINES sets the number of lines of each format; ten millions for a run by hand.  With
 * fewer than 1000 (in an emulator) only every fifth cut and digit is tried, and nothing is timed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/scan.h"
#include "base/text.h"
#include "formats/support.h"
#include "formats/text_samples.h"
#include "spoor/describe.h"
#include "support/text_pair.h"

enum { LINES = 1000, LINES_AT_ONCE = 250, CUTS = 25 };

static size_t lines_wanted(void)
{
    const char *words = getenv("SPOOR_TEST_LINES");
    return words ? strtoul(words, NULL, 10) : LINES;
}

/* Of cuts and of digits, every how many-th is tried. */
static size_t stride(void)
{
    return lines_wanted() < LINES ? 5 : 1;
}

/* A described format with a disassembly in the middle of its lines, and with other rules that are
 * tried before and after that. */
static const char middle_description[] =
    "isa riscv\n"
    "event exception: {time:8d} {pc:08x} trap {event}\n"
    "insn: {time:8d} {pc:08x} ({opcode:08x}) \"{disasm:t}\"{* {effect}}{? ; {tail}}\n"
    "insn: {time:8d} {pc:08x} ({opcode:08x}) {disasm:T}, {mode}{* {effect}}\n"
    "note comment: # {:T}\n"
    "    effect mem read: ld {addr:x}\n"
    "    effect reg write: {reg}=0x{value:x}\n"
    "    tail: {extra:x}\n";
static const char *const middle_lines[] = {
    "      12 80000000 (00428293) \"addi x5, x5, 4\" x5=0x00000004",
    "      13 80000004 (0002a303) \"lw x6, 0(x5)\" x6=0x00000001 ld 80001000 ; 12f",
    "      14 80000008 (00008067) \"ret\"",
    "      15 8000000c (00428293) \" addi x5 \" x5=0x00000004",
    "      16 80000010 (00428293) addi x5, x5, M x5=0x00000004",
    "      17 80000014 trap ecall",
    "# a comment",
    NULL};

/* A rule that is tried first looks into the text; another has a word where the text would be. */
static const char looking_description[] =
    "isa riscv\n"
    "event exception event=halt: {pc:08x} {opcode:08x} \"halt\"{? {effect}}\n"
    "insn: {pc:08x} {opcode:08x} \"{disasm:t}\"{? {effect}}\n"
    "event exception: {value:08x} {value1:08x} in \"{event:w}\"\n"
    "event state event=said: {value:08x} {value1:08x} as \"{:w}\"\n"
    "reg write: {reg} {value:08x}\n"
    "    effect reg write: {reg}=0x{value:x}\n";
static const char *const looking_lines[] = {"80000000 00428293 \"addi x5\" x5=0x4",
                                            "80000000 00428293 \"halt\" x5=0x4",
                                            "80000000 00000001 in \"ecall\"",
                                            "80000000 00000001 as \"word\"",
                                            "x5 00000004",
                                            "x6 80000000",
                                            "x17 00000001",
                                            NULL};

/* The text of another rule ends at a part of what the first one's ends at. */
static const char closing_description[] =
    "isa riscv\n"
    "insn: {pc:08x} \"{disasm:t}\"=x\n"
    "event state event=said: {value:08x} says \"{text:t}\"{:s}\n"
    "reg write: {reg} {value:08x}\n";
static const char *const closing_lines[] = {"80000000 \"addi x5\"=x",
                                            "80000000 says \"abc\"=x",
                                            "80000000 says \"a\"c\"=x",
                                            "x5 00000004",
                                            "x6 80000000",
                                            "x17 00000001",
                                            NULL};

/* A column is made of the text. */
static const char derived_description[] = "isa riscv\n"
                                          "insn: {pc:08x} \"{disasm:t}\" {:mnemonic}\n"
                                          "reg write: {reg} {value:08x}\n";
static const char *const derived_lines[] = {"80000000 \"addi x5\" addi",
                                            "80000004 \"ret\" ret",
                                            "80000008 \"sub x1\" add",
                                            "x5 00000004",
                                            "x6 80000000",
                                            "x17 00000001",
                                            NULL};

/* The text ends where the group can begin, or at the end of the line; what opcodes say of accesses
 * and registers is set later.  Other rules look into the text, and a number has the digits of a
 * text. */
static const char group_description[] = "isa riscv\n"
                                        "derive access\n"
                                        "event exception: {value1:d} {value:08x} trap {event}\n"
                                        "insn: {time:8d} {pc:08x} {opcode:x} {disasm}{* {effect}}\n"
                                        "    effect mem: VA {addr:08x}\n"
                                        "    effect reg operand: {reg:w}{ }=0x{value:x}\n"
                                        "    effect reg operand: {reg:w} 80{value:=8x}\n";
static const char *const group_lines[] = {
    "      12 80000000 00428293 addi x5, x5, 4  x5 =0x00000004 x5=0x00000000",
    "      13 80000004 0002a303 lw x6, 0(x5)  x6=0x1 x5 =0x00000004 VA 80001000",
    "      14 80000008 0062a023 sw x6, 0(x5) x5=0x00000004 VA 80001000",
    "      15 8000000c 00008067 ret",
    "      16 80000010 00000073 ecall  a0 8012345678",
    "      17 80000014 c398 c.sw a4, 0(a5) VA 00001000",
    "      18 80000016 00428293 addi 80 x5 8000000004",
    "      19 8000001a trap ecall",
    NULL};

static const struct {
    const char *name, *description;
    const char *const *lines;
} described[] = {{"middle", middle_description, middle_lines},
                 {"looking", looking_description, looking_lines},
                 {"closing", closing_description, closing_lines},
                 {"group", group_description, group_lines},
                 {"derived", derived_description, derived_lines}};
enum { DESCRIBED = sizeof described / sizeof *described };

static int describe_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < DESCRIBED; i++) {
        char path[64];
        const struct spoor_format *format;
        struct spoor_error error = {0};
        snprintf(path, sizeof path, "%s.spoor-format", described[i].name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(described[i].description, file);
        assert_int_equal(fclose(file), 0);
        if (spoor_describe_file(path, &format, &error) != SPOOR_OK) fail_msg("%s", error.text);
        remove(path);
    }
    return 0;
}

static const char *const *samples_of(const struct spoor_format *format)
{
    for (size_t i = 0; i < DESCRIBED; i++)
        if (strcmp(spoor_format_name(format), described[i].name) == 0) return described[i].lines;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i].format, spoor_format_name(format)) == 0) return samples[i].lines;
    fail_msg("there are no sample lines of %s", spoor_format_name(format));
    return NULL;
}

static bool is_digit(char c, bool hex)
{
    return (c >= '0' && c <= '9') || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

/* Replaces some digits. */
static void change_digits(char *line, size_t size, struct numbers *numbers)
{
    static const char digits[] = "0123456789abcdef0000ABCDEF";
    const bool hex = numbers_below(numbers, 2);
    const uint64_t of = numbers_below(numbers, 4) ? 16 : 26, share = 1 + numbers_below(numbers, 6);
    for (size_t i = 0; i < size; i++)
        if (is_digit(line[i], hex) && numbers_below(numbers, share) == 0)
            line[i] = digits[numbers_below(numbers, hex ? of : 10)];
}

/* Replaces some bytes by others that are meaningful, inserts or removes some. */
static size_t change_bytes(char *line, size_t size, struct numbers *numbers)
{
    static const char bytes[] = "0123456789abcdefxX-_:(),. \n\r\t\x15\"ISMLRWTE<>k;";
    for (uint64_t changes = numbers_below(numbers, 3) + 1; changes > 0; changes--) {
        const size_t at = numbers_below(numbers, size);
        const char byte = bytes[numbers_below(numbers, sizeof bytes - 1)];
        switch (numbers_below(numbers, 3)) {
        case 0: line[at] = byte; break;
        case 1:
            if (size > 1) memmove(line + at, line + at + 1, --size - at);
            break;
        default:
            memmove(line + at + 1, line + at, size - at);
            line[at] = byte;
            size++;
        }
    }
    return size;
}

static void put_line(struct text *text, const char *const *lines, struct numbers *numbers)
{
    enum { LONGEST = 400, CHANGES = 8 };
    char line[LONGEST + CHANGES];
    size_t count = 0;
    while (lines[count]) count++;
    const char *sample = lines[numbers_below(numbers, count)];
    size_t size = strlen(sample);
    assert_true(size > 0 && size <= LONGEST);
    memcpy(line, sample, size);
    if (numbers_below(numbers, 8)) change_digits(line, size, numbers);
    if (numbers_below(numbers, 6) == 0) size = change_bytes(line, size, numbers);
    text_put(text, line, size);
    if (numbers_below(numbers, 20) == 0) text_put(text, "\r", 1);
    text_put(text, "\n", 1);
}

static void demand(const struct spoor_format *format, const struct text *text, size_t size)
{
    const char *difference = text_difference(format, text->bytes, size);
    if (difference)
        fail_msg("%s: %s differs; the text is:\n%.*s", spoor_format_name(format), difference,
                 (int)size, text->bytes);
}

static void changed_lines_are_the_same(void **state)
{
    (void)state;
    const struct spoor_format *format;
    for (size_t i = 0; (format = text_format(i)); i++) {
        const char *const *lines = samples_of(format);
        struct numbers numbers = {14 + i};
        struct text text = {0};
        for (size_t done = 0; done < lines_wanted(); done += LINES_AT_ONCE) {
            text.size = 0;
            for (size_t n = 0; n < LINES_AT_ONCE && done + n < lines_wanted(); n++)
                put_line(&text, lines, &numbers);
            demand(format, &text, text.size - numbers_below(&numbers, 2));
        }
        text_free(&text);
    }
}

/* A control character whose low bits are those of a digit is none, also in a line whose layout is
 * guessed from the lines before. */
static void control_characters_are_no_digits(void **state)
{
    (void)state;
    enum { BEFORE = 6, DIGIT_BIT = 0x20 };
    const struct spoor_format *format;
    for (size_t i = 0; (format = text_format(i)); i++)
        for (const char *const *line = samples_of(format); *line; line++) {
            struct text text = {0};
            size_t digits = 0;
            for (const char *digit = *line; *digit; digit++) {
                if (!is_digit(*digit, false) || digits++ % stride() != 0) continue;
                for (int n = 0; n < BEFORE; n++) text_printf(&text, "%s\n", *line);
                text_put(&text, *line, (size_t)(digit - *line));
                text_printf(&text, "%c%s\n", *digit - DIGIT_BIT, digit + 1);
            }
            if (text.size) demand(format, &text, text.size);
            text_free(&text);
        }
}

/* The decoder reads nothing beyond the text. */
static void cut_lines_are_the_same(void **state)
{
    (void)state;
    const struct spoor_format *format;
    for (size_t i = 0; (format = text_format(i)); i++) {
        struct text text = {0};
        size_t size = 0;
        for (int turn = 0; turn < 2; turn++) {
            size = text.size;
            for (const char *const *line = samples_of(format); *line; line++) {
                text_puts(&text, *line);
                text_put(&text, "\n", 1);
            }
        }
        for (size_t cut = size; cut < text.size; cut += stride() * (1 + size / CUTS))
            demand(format, &text, cut);
        text_free(&text);
    }
}

/* Nearly all lines that differ only in digits are decoded without the rules. */
static void known_lines_are_fast(void **state)
{
    (void)state;
    const struct spoor_format *format;
    for (size_t i = 0; (format = text_format(i)); i++) {
        struct text text = {0};
        size_t lines = 0, learnable = 0;
        for (const char *const *line = samples_of(format); *line; line++) {
            text.size = 0;
            for (lines = 0; lines < 50; lines++) {
                text_puts(&text, *line);
                text_put(&text, "\n", 1);
            }
            learnable += text_fast_lines(format->text, text.bytes, text.size) > 2 * lines - 3;
        }
        if (learnable < 3)
            fail_msg("of %s, only %zu lines are learnt", spoor_format_name(format), learnable);
        text_free(&text);
    }
}

/* The value beside a register is no part of a layout, however short the register's name is. */
static void values_are_not_learnt(void **state)
{
    (void)state;
    static const struct {
        const char *format, *line; /* with %s for the register, %x for its value */
    } lines[] = {
        {"waveform", "15 ns #1 pc 00000014 op 73000193 w %s=%08x"},
        {"waveform", "15 ns #1 pc 0000000c op 23802083 load 00000238 4 33a144ea w %s=%08x"},
        {"spike", "core   0: 3 0x80000014 (0x73000193) %s  0x%08x"},
    };
    static const char *const registers[] = {"x3", "x15"};
    enum { COUNT = 200 };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct spoor_format *format = spoor_format_find(lines[i].format);
        struct numbers numbers = {52};
        struct text text = {0};
        assert_non_null(format);
        for (unsigned n = 0; n < COUNT; n++) {
            text_printf(&text, lines[i].line, registers[n % 2],
                        (unsigned)numbers_below(&numbers, UINT64_C(1) << 32));
            text_put(&text, "\n", 1);
        }
        demand(format, &text, text.size);
        const size_t fast = text_fast_lines(format->text, text.bytes, text.size);
        if (fast < 2 * COUNT - 10)
            fail_msg("of %s, only %zu of %d lines are fast", lines[i].line, fast, 2 * COUNT);
        text_free(&text);
    }
}

/* A disassembly in the middle of a line is part of no layout: lines with others, and with other
 * opcodes, are decoded without the rules, and differ from these in nothing. */
static void texts_in_the_middle_are_not_learnt(void **state)
{
    (void)state;
    static const struct {
        const char *format, *line; /* with %s for the register, %x for the opcode, %s for a text */
    } lines[] = {
        {"execlog", "0, 0x400580, 0x%x, \"sub sp, %s\", x3 -> 0x00000001"},
        {"riscv-dv", "80000000,addi,x1:00000001,,%08x,,\"addi x1,%s\",\"x1,%s\","},
        {"ibex", "  20\t  10\t00100080\t%08x\tlw x1,%s\t x1=0x00000001 PA:0x00000010"},
        {"cva6", "  40ns  12 M 0000000080000000 0 %08x ld x1,%s x1  :0000000000000005"},
        {"middle", "      12 80000000 (%08x) \"ld x1,%s\" x1=0x00000004"},
    };
    enum { COUNT = 200 };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct spoor_format *format = spoor_format_find(lines[i].format);
        struct numbers numbers = {52};
        struct text text = {0};
        assert_non_null(format);
        for (unsigned n = 0; n < COUNT; n++) {
            const unsigned opcode = 0x00003083 | (unsigned)numbers_below(&numbers, 1 << 17) << 15;
            char other[32];
            snprintf(other, sizeof other, "%.*s", (int)(2 + n % 19), "a1,a2,[sp,#8]!x5:zq=(t0)-,");
            if (strcmp(lines[i].format, "riscv-dv") == 0)
                text_printf(&text, lines[i].line, opcode, other, other);
            else
                text_printf(&text, lines[i].line, opcode, other);
            text_put(&text, "\n", 1);
        }
        demand(format, &text, text.size);
        const size_t fast = text_fast_lines(format->text, text.bytes, text.size);
        if (fast < 2 * COUNT - 40)
            fail_msg("of %s, only %zu of %d lines are fast", lines[i].format, fast, 2 * COUNT);
        text_free(&text);
    }
}

/* What differs in no more than a text in its middle from a line whose layout is known, but is
 * another line for the rules. */
static void texts_that_decide_are_seen(void **state)
{
    (void)state;
    static const struct {
        const char *format, *lines[2];
    } pairs[] = {
        {"riscv-dv", /* no operands */
         {"80000000,c.nop,x1:00000001,,00000013,,\"c.nop 0\",\"0\",",
          "80000000,c.nop,x1:00000001,,00000013,,\"c.nop\",\"\","}},
        {"riscv-dv",
         {"80000000,c.nop,x1:00000001,,00000013,,\"c.nop 0\",\"0\",",
          "80000000,c.nop,x1:00000001,,00000013,,\"c.nop \",\"\","}},
        {"riscv-dv", /* another mnemonic */
         {"80000000,addiw,x1:00000001,,00000013,,\"addiw x1,2\",\"x1,2\",",
          "80000000,addiw,x1:00000001,,00000013,,\"addi x1,2\",\"x1,2\","}},
        {"riscv-dv", /* another column */
         {"80000000,add,x1:00000001,,00000013,,\"add x1 x2\",x1x2,",
          "80000000,add,x1:00000001,,00000013,,\"add x1,x2\",x1,x2,"}},
        {"riscv-dv", /* other operands */
         {"80000000,add,x1:00000001,,00000013,,\"add x1,x2\",\"x1,x2\",",
          "80000000,add,x1:00000001,,00000013,,\"add x1,x2\",\"x1,x3\","}},
        {"ibex", /* NEORV32's */
         {"  20\t  10\t00100080\t00003083\tx", "  20\t  10\t00100080\t00003083\tM"}},
        {"ibex", /* an instruction that traps */
         {"  20\t  10\t00100080\t00003083\tlw x1\t x1=0x00000001",
          "  20\t  10\t00100080\t00003083\t-->lw x1\t x1=0x00000001"}},
        {"ibex", /* contents in the text */
         {"  20\t  10\t00100080\t00003083\tlw x1\t x1=0x00000001",
          "  20\t  10\t00100080\t00003083\tlw x2=0x2\t x1=0x00000001"}},
        {"cva6",
         {"  40ns  12 M 0000000080000000 0 00003083 ld x1 x1  :0000000000000005",
          "  40ns  12 M 0000000080000000 0 00003083 ld x1 :2 x1  :0000000000000005"}},
        {"execlog",
         {"0, 0x400580, 0x12, \"ret\", x3 -> 0x00000001",
          "0, 0x400580, 0x12, \"ret\", x4 -> 0x2, \"\", x3 -> 0x00000001"}},
        {"looking", {"80000000 00428293 \"addi x5\" x5=0x4", "80000000 00428293 \"halt\" x5=0x4"}},
        {"looking", {"80000000 00000001 in \"ecall\"", "80000000 00000001 in \"break\""}},
        {"looking", {"80000000 00000001 as \"one\"", "80000000 00000001 as \"two\""}},
        {"closing", {"80000000 says \"abc\"=x", "80000000 says \"a\"c\"=x"}},
        {"derived", {"80000000 \"addi x5\" addi", "80000000 \"add x5\" addi"}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct spoor_format *format = spoor_format_find(pairs[i].format);
        struct text text = {0};
        assert_non_null(format);
        for (unsigned n = 0; n < 16; n++) text_printf(&text, "%s\n", pairs[i].lines[n / 4 % 2]);
        for (unsigned n = 0; n < 16; n++)
            text_printf(&text, "%s\n", pairs[i].lines[(n / 4 + 1) % 2]);
        demand(format, &text, text.size);
        text_free(&text);
    }
}

/* The size of an instruction depends on digits of its opcode: lines with others differ from one
 * whose layout is known. */
static void sizes_of_opcodes_are_fixed(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"spike", "core   0: 3 0x80000000 (0x%08x) x1  0x00000001"},
        {"riscv-dv", "80000000,nop,x1:00000001,,%08x,,\"nop\",\"\","},
        {"ibex", "  20\t  10\t00100080\t%08x\tlw\t x1=0x00000001"},
        {"cva6", "  40ns  12 M 0000000080000000 0 %08x nop x1  :0000000000000005"},
        {"sail", "[1] [M]: 0x80000000 (0x%08x) c.nop"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct spoor_format *format = spoor_format_find(lines[i][0]);
        struct text text = {0};
        assert_non_null(format);
        static const unsigned opcodes[] = {1, 1, 0x12340001, 0x13, 0xffff0001, 0x10001, 0x8000};
        for (size_t n = 0; n < sizeof opcodes / sizeof *opcodes; n++) {
            text_printf(&text, lines[i][1], opcodes[n]);
            text_put(&text, "\n", 1);
        }
        demand(format, &text, text.size);
        text_free(&text);
    }
}

/* ---- a new format that has only its plain rules ---- */

/* "load ADDRESS after COUNT": both numbers in hexadecimal. */
static bool read_toy(struct text_reader *reading, const struct line *line)
{
    struct spoor_record *record = spoor_batch_push(reading->batch);
    struct scan scan = {line->begin, line->end};
    unsigned digits, letters;
    record->kind = SPOOR_MEM;
    record->has = SPOOR_HAS_VA | SPOOR_HAS_DATA | line->eol;
    if (!SCAN_LITERAL(&scan, "load ") || !scan_hex(&scan, &record->mem.va, &digits, &letters))
        return false;
    text_number_at(reading->learning, scan.at - digits, digits, TEXT_HEX, reading->batch,
                   &record->mem.va);
    if (!SCAN_LITERAL(&scan, " after ") ||
        !scan_hex(&scan, &record->mem.data[0], &digits, &letters))
        return false;
    text_number_at(reading->learning, scan.at - digits, digits, TEXT_HEX, reading->batch,
                   &record->mem.data[0]);
    return scan_done(&scan);
}

static const char *read_toy_line(struct text_reader *reading, void *state, const char *at)
{
    const size_t count = reading->batch->count;
    struct line line;
    (void)state;
    if (!line_next(reading->batch, &at, &line)) return at;
    if (!line_is_piece(reading->batch, &line) && read_toy(reading, &line)) return at;
    reading->batch->count = count;
    line_fault(reading->batch, &line, "toy", NULL, "load ADDRESS after COUNT");
    return at;
}

static const struct text_rules toy_rules = {.line = read_toy_line};

static const struct spoor_format format_toy = {.name = "toy", .time_unit = "", .text = &toy_rules};

static void a_new_format_is_fast(void **state)
{
    (void)state;
    enum { TOY_LINES = 2000 };
    struct numbers numbers = {90};
    struct text text = {0};
    for (int i = 0; i < TOY_LINES; i++)
        text_printf(&text, "load %08x after %x\n", (unsigned)numbers_next(&numbers),
                    (unsigned)numbers_below(&numbers, 5000));
    demand(&format_toy, &text, text.size);
    const size_t fast = text_fast_lines(&toy_rules, text.bytes, text.size);
    assert_true(fast > 2 * TOY_LINES - 20);
    text_free(&text);
}

/* "PC: load ADDRESS": lines repeat, but for the address. */
static bool read_repeating(struct text_reader *reading, const struct line *line)
{
    struct spoor_record *record = spoor_batch_push(reading->batch);
    struct scan scan = {line->begin, line->end};
    unsigned digits, letters;
    record->kind = SPOOR_MEM;
    record->has = SPOOR_HAS_VA | SPOOR_HAS_DATA | line->eol;
    if (!scan_hex(&scan, &record->mem.data[0], &digits, &letters) ||
        !SCAN_LITERAL(&scan, ": load ") || !scan_hex(&scan, &record->mem.va, &digits, &letters))
        return false;
    text_number_at(reading->learning, scan.at - digits, digits, TEXT_HEX, reading->batch,
                   &record->mem.va);
    return scan_done(&scan);
}

static const char *read_repeating_line(struct text_reader *reading, void *state, const char *at)
{
    const size_t count = reading->batch->count;
    struct line line;
    (void)state;
    if (!line_next(reading->batch, &at, &line)) return at;
    if (!line_is_piece(reading->batch, &line) && read_repeating(reading, &line)) return at;
    reading->batch->count = count;
    line_fault(reading->batch, &line, "toy", NULL, "PC: load ADDRESS");
    return at;
}

static const struct text_rules repeating_rules = {.line = read_repeating_line};

static const struct spoor_format format_repeating = {
    .name = "repeating", .time_unit = "", .text = &repeating_rules};

/* More instructions than are stored, of one slot and of many; then few. */
static void repeated_lines_are_fast(void **state)
{
    (void)state;
    enum { FIRST = 40000, REPEATED = 4000, INSTRUCTIONS = 300 };
    struct numbers numbers = {92};
    struct text text = {0};
    for (unsigned i = 0; i < FIRST; i++)
        text_printf(&text, "%08x%s: load %08x\n", 4 * i, i % 50 ? "" : ": load 0000000000000000",
                    (unsigned)numbers_next(&numbers));
    demand(&format_repeating, &text, text.size);
    text.size = 0;
    for (unsigned i = 0; i < REPEATED; i++)
        text_printf(&text, "%016x: load %08x\n", (unsigned)numbers_below(&numbers, INSTRUCTIONS),
                    (unsigned)numbers_next(&numbers));
    demand(&format_repeating, &text, text.size);
    text.size = 0;
    for (unsigned i = 0; i < REPEATED; i++)
        text_printf(&text, "%x: load %08x\n", (unsigned)numbers_below(&numbers, INSTRUCTIONS),
                    (unsigned)numbers_next(&numbers));
    demand(&format_repeating, &text, text.size);
    const size_t fast = text_fast_lines(&repeating_rules, text.bytes, text.size);
    assert_true(fast > 2 * (REPEATED - INSTRUCTIONS) - 20);
    text_free(&text);
}

/* Only printed: a busy machine says nothing about a program. */
static void the_speed_of_a_new_format(void **state)
{
    (void)state;
    enum { LINES_TIMED = 50000 };
    if (lines_wanted() < LINES) skip();
    struct numbers numbers = {91};
    struct text toy = {0}, lackey = {0};
    for (int i = 0; i < LINES_TIMED; i++) {
        const unsigned address = 0x10000000u | (unsigned)numbers_below(&numbers, 0x10000000);
        text_printf(&toy, "load %08x after %03x\n", address, address & 0xFFF);
        text_printf(&lackey, " L %08x,%u\n", address, 1u << (address >> 20) % 4);
    }
    const double speed = text_speed(&toy_rules, toy.bytes, toy.size);
    const double other = text_speed(spoor_format_find("lackey")->text, lackey.bytes, lackey.size);
    printf("# a new format: %.0f MB/s, lackey: %.0f MB/s\n", speed, other);
    text_free(&toy);
    text_free(&lackey);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_lines_are_fast),
        cmocka_unit_test(values_are_not_learnt),
        cmocka_unit_test(texts_in_the_middle_are_not_learnt),
        cmocka_unit_test(texts_that_decide_are_seen),
        cmocka_unit_test(sizes_of_opcodes_are_fixed),
        cmocka_unit_test(changed_lines_are_the_same),
        cmocka_unit_test(cut_lines_are_the_same),
        cmocka_unit_test(a_new_format_is_fast),
        cmocka_unit_test(repeated_lines_are_fast),
        cmocka_unit_test(the_speed_of_a_new_format),
        cmocka_unit_test(control_characters_are_no_digits),
    };
    return cmocka_run_group_tests(tests, describe_all, NULL);
}
