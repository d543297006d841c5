/* SPDX-License-Identifier: MIT */
/*
 * test_uop_lines.c: micro-op lines decoded by layouts give the same records, names, spills and
 * faults as the line scanner: on the published sample, on generated lines with blanks of every
 * kind, and on lines with bytes changed, inserted and removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/support.h"
#include "formats/uop/uop.h"
#include "support/text_pair.h"

extern const struct spoor_format format_uop;

static const char sample[] = "traces/uop/gcc-1K.trace";

static void demand(const char *bytes, size_t size)
{
    const char *difference = text_difference(&format_uop, bytes, size);
    if (difference) fail_msg("%s differs; the text is:\n%.*s", difference, (int)size, bytes);
}

/* ---- generated lines ---- */

static const char *const opcodes[] = {"A",
                                      "MOV",
                                      "JMP_IMM",
                                      "CMPXCHG",
                                      "MOVZXBWL",
                                      "LOAD",
                                      "CMPXCHG8B",
                                      "SAVE_PC",
                                      "0",
                                      "-",
                                      "\303\244",
                                      "ZEXT_BYTE_TO_DWORD",
                                      "SEXT_DWORD_TO_QWORD",
                                      "AN_OPCODE_THAT_GOES_ON_AND_ON"};

/* Draws a number: mostly small, as in traces, but of every width. */
static uint64_t number(struct numbers *numbers, unsigned maximum)
{
    const uint64_t width =
        numbers_below(numbers, 5) ? numbers_below(numbers, maximum) : numbers_below(numbers, 64);
    return width ? numbers_next(numbers) >> (64 - width) : 0;
}

static int small(struct numbers *numbers)
{
    if (numbers_below(numbers, 60) == 0) return (int)number(numbers, 31);
    return (int)numbers_below(numbers, 50) - 1;
}

enum blanking { PADDED, SINGLE, NARROW, TABS, BLANKINGS };

static const char *const blankings[BLANKINGS] = {
    "%d %llx %2d %2d %2d %c %c %c %9lld %12llx %12llx %12llx %-8s %s%s",
    "%d %llx %d %d %d %c %c %c %lld %llx %llx %llx %s %s%s",
    "%d  %llx %3d %d %4d %c  %c %c  %5lld  %4llx %llx %16llx %-3s  %s %s",
    "%d\t%llx\t%d\t%d %2d\t%c\t%c\t%c\t%lld\t%llx\t%llx\t%llx\t%s\t%s%s",
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_line(struct text *out, struct numbers *numbers, enum blanking blanking)
{
    char line[400];
    const uint64_t pc = number(numbers, 48);
    const uint64_t fall =
        numbers_below(numbers, 9) ? pc + numbers_below(numbers, 9) : number(numbers, 64);
    const int64_t immediate = (int64_t)number(numbers, 33) * (numbers_below(numbers, 3) ? 1 : -1);
    const size_t count = sizeof opcodes / sizeof *opcodes;
    snprintf(line, sizeof line, blankings[blanking], (int)numbers_below(numbers, 12),
             (unsigned long long)pc, small(numbers), small(numbers), small(numbers),
             "RW-"[numbers_below(numbers, 3)], "TN-"[numbers_below(numbers, 3)],
             "LS-"[numbers_below(numbers, 3)], (long long)immediate,
             (unsigned long long)number(numbers, 47), (unsigned long long)fall,
             (unsigned long long)number(numbers, 47), opcodes[numbers_below(numbers, count)],
             opcodes[numbers_below(numbers, count)], numbers_below(numbers, 20) ? "\n" : "\r\n");
    text_puts(out, line);
}
#pragma GCC diagnostic pop

static void put_lines(struct text *out, struct numbers *numbers, enum blanking blanking, int lines)
{
    while (lines-- > 0) put_line(out, numbers, blanking);
}

/* Changes, inserts or removes one byte. */
static void damage(struct text *text, struct numbers *numbers)
{
    static const char bytes[] = "   \t\r\n\n-+0123456789abcdefABCDEFgGxXRWTNLS_/:`\0\177\200\377";
    const size_t at = numbers_below(numbers, text->size);
    const char byte = bytes[numbers_below(numbers, sizeof bytes - 1)];
    switch (numbers_below(numbers, 3)) {
    case 0: text->bytes[at] = byte; break;
    case 1:
        text_put(text, "", 1);
        memmove(text->bytes + at + 1, text->bytes + at, text->size - at - 1);
        text->bytes[at] = byte;
        break;
    default: memmove(text->bytes + at, text->bytes + at + 1, text->size - at - 1); text->size--;
    }
}

static void published_sample(void **state)
{
    (void)state;
    size_t size;
    char *bytes = shared_file(sample, NULL, &size);
    if (!bytes) skip();
    demand(bytes, size);
    size_t used = 0;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ' ' || bytes[i - 1] != ' ') bytes[used++] = bytes[i];
    demand(bytes, used);
    free(bytes);
}

static void generated_lines(void **state)
{
    (void)state;
    struct numbers numbers = {41};
    for (int round = 0; round < 200; round++) {
        struct text lines = {0};
        for (int run = 0; run < 4; run++)
            put_lines(&lines, &numbers, (enum blanking)numbers_below(&numbers, BLANKINGS), 25);
        demand(lines.bytes, lines.size);
        text_free(&lines);
    }
}

/* The text ends at every position of a line. */
static void cut_lines(void **state)
{
    (void)state;
    struct numbers numbers = {43};
    for (enum blanking blanking = PADDED; blanking < BLANKINGS; blanking++) {
        struct text lines = {0};
        put_lines(&lines, &numbers, blanking, 4);
        for (size_t size = 0; size <= lines.size; size++) demand(lines.bytes, size);
        text_free(&lines);
    }
}

static void damaged_lines(void **state)
{
    (void)state;
    struct numbers numbers = {47};
    for (int round = 0; round < 1000; round++) {
        struct text lines = {0};
        put_lines(&lines, &numbers, round % 3 ? (enum blanking)(round % 2) : NARROW, 36);
        for (uint64_t count = 6 + numbers_below(&numbers, 18); count > 0; count--)
            damage(&lines, &numbers);
        demand(lines.bytes, lines.size);
        text_free(&lines);
    }
}

/* Each byte of a valid line of either layout, replaced by every other byte, after the valid line.
 */
static void every_byte_everywhere(void **state)
{
    static const char *const good[] = {
        "1 48d1e2 -1  5 45 - - L      -264  7fffe7ff048       48d1e9            0 CMP      LOAD\n",
        "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n",
    };
    (void)state;
    struct numbers numbers = {53};
    for (enum blanking blanking = PADDED; blanking <= SINGLE; blanking++)
        for (size_t at = 0; good[blanking][at] != '\0'; at++) {
            struct text lines = {0};
            put_lines(&lines, &numbers, blanking, 1);
            for (int byte = 0; byte < 256; byte++) {
                text_printf(&lines, "%s%s", good[blanking], good[blanking]);
                lines.bytes[lines.size - strlen(good[blanking]) + at] = (char)(unsigned char)byte;
            }
            demand(lines.bytes, lines.size);
            text_free(&lines);
        }
}

/* Lines that look like common lines and are not, or only just are. */
static void nearly_common_lines(void **state)
{
    static const char *const lines[] = {
        /* single blanks where printf would put them too: this is printf's spelling */
        "1 48d1e2 -1 15 45 - - L 123456789 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 LOAD\n",
        "1 48d1e2 -1 15 45 - - L -12345678 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMPXCHG8B A\n",
        "1 48d1e2 -1 15 45 - - L -12345678 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMPXCHG A\n",
        "1 7fffe7ff0478 -1 15 45 - - L 123456789 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 "
        "A\n",
        "1 7fffe7ff0478 -1 15 45 - - L 123456789 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMP LOAD\n",
        "1 7fffe7ff0478 -1 15 45 - - L 123456789 7fffe7ff048 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 "
        "A\n",
        "1 7fffe7ff0478 -1 15 45 - - L 123456789 7f 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 A\n"
        "1 7fffe7ff0478 -1 15 45 - - L 123456789 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 "
        "A\n",
        /* a digit too many */
        "1 11111111111111111 -1 5 4 - - L 0 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 11111111111111111 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 0 11111111111111111 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 1000000000048d1e9 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 11111111111111111 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 1111111111111111 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L -999999999999999 ffffffffffffffff 48d1e2 ffffffffffffffff A B\n",
        /* line ends */
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP LOAD\r\r\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP LOAD \n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP LO\rAD\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP \n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49  CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP  LOAD\n",
        "1  -1 5 4 - - L 0 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP LOAD ADD\n",
        /* signs */
        "1 48d1e2 - 5 4 - - L 0 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L - 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L -0 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 1-0 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L --1 7f 48 49 CMP LOAD\n",
        "1 48d1e2 -1 5 4 - - L 1 -7f 48 49 CMP LOAD\n",
    };
    static const char common[] = "1 48d1e2 -1 5 4 - - L 0 7f 48 49 CMP LOAD\n";
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct text text = {0};
        text_printf(&text, "%s%s%s%s%s%s", common, common, lines[i], common, common, common);
        demand(text.bytes, text.size);
        text_free(&text);
    }
}

/* Lines that differ from an earlier one only in the address are distinguished from lines that
 * differ in any other byte, that are cut, or that an address turns into the course's printf layout.
 */
static void lines_like_one_before(void **state)
{
    static const char *const fronts[] = {
        "1 48d1e2 -1 5 4 - - L 0 ",
        "1 48d1e2 -1  5  4 - - L         0 ",
        "1 7fffe7ff0478 -1 15 45 - - L 123456789 ",
        "1 7fffe7ff0478 44 15 45 - - S 1234567 ",
    };
    static const char *const backs[] = {
        " 48d1e9 0 CMP LOAD\n",
        "       48d1e9            0 CMP      LOAD\r\n",
        " 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 LOAD\n",
        " 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 LOAD \n",
    };
    static const char *const addresses[] = {
        "0",
        "7f",
        "007f",
        "  7f",
        "7fffe7ff0480",
        "           0",
        "  7fffe7ff04",
        " 7fffe7ff048",
        "",
        " ",
        "7F",
        "7g",
        "7ffffffe7ff0",
        "7fffe7ff04801",
        "fffffffffffffff0",
        "0x7f",
        "-1",
        "7f 1",
        "1fffffffffffffff0",
        "            ",
        "7    1",
        "00000000007f",
        "      7f    ",
    };
    (void)state;
    struct numbers numbers = {59};
    for (int round = 0; round < 300; round++) {
        struct text text = {0};
        const char *front = fronts[numbers_below(&numbers, 4)];
        const char *back = backs[numbers_below(&numbers, 4)];
        for (int line = 0; line < 40; line++) {
            if (numbers_below(&numbers, 8) == 0) front = fronts[numbers_below(&numbers, 4)];
            if (numbers_below(&numbers, 8) == 0) back = backs[numbers_below(&numbers, 4)];
            const size_t count = sizeof addresses / sizeof *addresses;
            const size_t which = numbers_below(&numbers, numbers_below(&numbers, 2) ? 8 : count);
            text_printf(&text, "%s%s%s", front, addresses[which], back);
        }
        demand(text.bytes, text.size);
        text_free(&text);
    }
}

/* More new lines than are stored, and known ones after them. */
static void lines_never_met(void **state)
{
    (void)state;
    struct text lines = {0};
    for (unsigned i = 0; i < 40000; i++)
        text_printf(&lines, "1 %x -1 5 4 - - L %d 7fffe7ff%x %x 0 CMP LOAD\n", 4 * i, i % 9, i,
                    4 * i + 4);
    for (unsigned i = 0; i < 4000; i++)
        text_printf(&lines, "1 %x -1 5 4 - - L 0 7fffe7ff%x 44 0 CMP LOAD\n", i % 64, i);
    demand(lines.bytes, lines.size);
    text_free(&lines);
}

/* When the tables are full, both decoders store the lines verbatim. */
static void full_tables(void **state)
{
    (void)state;
    struct text lines = {0};
    for (unsigned i = 0; i < 66000; i++)
        text_printf(&lines, "1 0 0 0 0 - - - 0 0 0 0 M%u A%u\n", i % 40000, i % 30011);
    assert_null(text_record_difference(&format_uop, lines.bytes, lines.size));
    text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_sample),
        cmocka_unit_test(generated_lines),
        cmocka_unit_test(cut_lines),
        cmocka_unit_test(damaged_lines),
        cmocka_unit_test(full_tables),
        cmocka_unit_test(lines_like_one_before),
        cmocka_unit_test(lines_never_met),
        cmocka_unit_test(nearly_common_lines),
        cmocka_unit_test(every_byte_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
