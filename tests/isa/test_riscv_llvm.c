/* SPDX-License-Identifier: MIT */
/*
 * test_riscv_llvm.c: RISC-V opcodes compared with what LLVM says about them: text, size, the
 * registers that are read and written, accesses, flags of floating point.
 *
 * riscv_llvm.txt has random opcodes of each instruction that LLVM 19 knows, but for those of
 * vendors; riscv_llvm.cpp made it, and says what its lines are.
 * SPOOR_RISCV_LLVM names another file of this form.
 *
 * What LLVM does not state follows from rules of the manual, which stand here once more, by the
 * names of instructions and not by their encodings.
 */
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/encoding.h"
#include "isa/operands.h"
#include "isa/riscv_csr.h"
#include "isa/riscv_text.h"
#include "isa/riscv_zc.h"
#include "isa/wrong_rows.h"

/* A set of registers by enum isa_register. */
struct registers {
    bool has[ISA_REGISTERS];
};

struct line {
    const char *name, *text, *writes, *reads, *does; /* LLVM's name, text, registers, and rest */
    uint32_t opcode;
    unsigned size;
    /* where they are */
    char kind[256], operands[256], whole[256], registers[2][256];
    const char *kind_field[6]; /* bits, name, mnemonic, writes, reads, does */
};

static bool quiet; /* rows are wrong: what differs is not printed */

#define PRINT_ERROR(...)                      \
    do {                                      \
        if (!quiet) print_error(__VA_ARGS__); \
    } while (0)

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool begins_one(const char *text, const char *const *with)
{
    for (; *with; with++)
        if (begins(text, *with)) return true;
    return false;
}

static bool has_word(const char *words, const char *word)
{
    const char *at = strstr(words, word);
    return at && (at == words || at[-1] == ' ') && (!at[strlen(word)] || at[strlen(word)] == ' ');
}

/* ---- the file ---- */

static FILE *open_lines(void)
{
    const char *path = getenv("SPOOR_RISCV_LLVM");
    FILE *file = fopen(path ? path : SOURCE_ROOT "/tests/isa/riscv_llvm.txt", "r");
    assert_non_null(file);
    return file;
}

/* Appends the register that a word of a kind is: its name, or that of an operand by its place. */
static void put_register(char *registers, const char *word, const char *operands)
{
    static const char *const between = " ,(){}";
    char *rest;
    const unsigned long place = strtoul(word, &rest, 10);
    if (*registers) strcat(registers, " ");
    if (place == 0) {
        strcat(registers, word);
        return;
    }
    const char *at = operands + strspn(operands, between);
    for (unsigned long i = 1; i < place; i++) {
        at += strcspn(at, between);
        at += strspn(at, between);
    }
    assert_true(*at);
    const size_t size = strlen(registers);
    strncat(registers, at, strcspn(at, between));
    registers[size] = (char)toupper((unsigned char)registers[size]);
    strcat(registers, rest);
}

static void put_registers(char *registers, const char *words, const char *operands)
{
    char copy[256], *rest = NULL;
    assert_true(strlen(words) < sizeof copy);
    strcpy(copy, words);
    *registers = '\0';
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        put_register(registers, word, operands);
}

/* Reads the next opcode, and the kind before it if it has one of its own. */
static bool next_line(FILE *file, struct line *line)
{
    char bytes[512];
    while (fgets(bytes, sizeof bytes, file)) {
        bytes[strcspn(bytes, "\n")] = '\0';
        char *tab = strchr(bytes, '\t');
        assert_true(tab && strlen(bytes) < sizeof line->kind);
        if (strchr(tab + 1, '\t')) {
            char *at = strcpy(line->kind, bytes);
            for (unsigned i = 0; i < 6; i++) {
                line->kind_field[i] = at;
                char *end = strchr(at, '\t');
                assert_true((end == NULL) == (i == 5));
                if (!end) break;
                *end = '\0';
                at = end + 1;
            }
            continue;
        }
        strcpy(line->operands, tab + 1);
        assert_true(snprintf(line->whole, sizeof line->whole, "%s%s%s", line->kind_field[2],
                             tab[1] ? " " : "", tab + 1) < (int)sizeof line->whole);
        put_registers(line->registers[0], line->kind_field[3], line->operands);
        put_registers(line->registers[1], line->kind_field[4], line->operands);
        line->name = line->kind_field[1];
        line->text = line->whole;
        line->writes = line->registers[0];
        line->reads = line->registers[1];
        line->does = line->kind_field[5];
        line->opcode = (uint32_t)strtoul(bytes, NULL, 16);
        line->size = (unsigned)(tab - bytes) / 2;
        return true;
    }
    return false;
}

/* A copy of a line, whose pointers lead into the copy. */
static void line_copy(struct line *to, const struct line *from)
{
    *to = *from;
    for (unsigned i = 0; i < 6; i++)
        to->kind_field[i] = to->kind + (from->kind_field[i] - from->kind);
    to->name = to->kind_field[1];
    to->text = to->whole;
    to->writes = to->registers[0];
    to->reads = to->registers[1];
    to->does = to->kind_field[5];
}

/* ---- what is expected ---- */

/* Instructions of RV32, or of cores without c.fsdsp, whose opcodes are others on RV64GC.  For those
 * of Zcmp and Zcmt see the test of them. */
static bool is_elsewhere(const char *name)
{
    static const char *const names[] = {"CM_",   "C_JAL",      "C_FLW",        "C_FSW",
                                        "UNIMP", "ZEXT_H_RV3", "AMOCAS_D_RV3", NULL};
    return begins_one(name, names) && strcmp(name, "C_JALR") != 0;
}

static bool is_hint(const char *name)
{
    return strstr(name, "_HINT") != NULL;
}

static bool moves_whole(const char *name)
{
    const bool numbered =
        name[0] == 'V' && (name[1] == 'L' || name[1] == 'S') && name[2] >= '1' && name[2] <= '8';
    return numbered || (begins(name, "VMV") && strchr("1248", name[3]));
}

static bool is_vector(const char *name)
{
    return name[0] == 'V' && !begins(name, "VSET");
}

/* How many registers the name of LLVM says that a vector operand is, if LMUL is at most 1. */
static unsigned registers_of(const char *name)
{
    const char *fields = strstr(name, "SEG");
    if (fields) return (unsigned)(fields[3] - '0');
    if (moves_whole(name)) return (unsigned)(name[begins(name, "VMV") ? 3 : 2] - '0');
    return 1;
}

/* Adds a register by LLVM's name: X5, F5_D, V5, V4M4, VL.  data: it is, or has,
 * as many registers as the instruction moves. */
static void add_word(struct registers *set, const char *word, const struct line *line, bool data)
{
    static const char *const implied[] = {"VL",   "VTYPE",  "VSTART", "VXSAT",
                                          "VXRM", "FFLAGS", "FRM"};
    const unsigned number = (unsigned)strtoul(word + 1, NULL, 10);
    for (unsigned i = 0; i < sizeof implied / sizeof *implied; i++)
        if (strcmp(word, implied[i]) == 0) {
            set->has[ISA_RISCV_CSR + i] = true;
            return;
        }
    switch (word[0]) {
    case 'X': {
        const bool pair = begins(line->name, "AMOCAS_Q") && data && number;
        set->has[number] = true;
        if (pair) set->has[number + 1] = true;
        break;
    }
    case 'F': set->has[ISA_VECTOR + number] = true; break;
    case 'V': {
        const unsigned count = data ? registers_of(line->name) : 1;
        for (unsigned i = 0; i < count && number + i < 32; i++)
            set->has[ISA_RISCV_VECTOR + number + i] = true;
        break;
    }
    default: fail_msg("%s: register %s", line->name, word);
    }
}

/* Of a store of vectors, the first register is data; of a move, all are. */
static void add_words(struct registers *set, const char *words, const struct line *line,
                      bool writes)
{
    char copy[256], *rest = NULL;
    unsigned index = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const bool stored = has_word(line->does, "store") && index == 0;
        const bool pair = begins(line->name, "AMOCAS_Q") && index != 1;
        add_word(set, word, line, writes || stored || pair || begins(line->name, "VMV"));
        index++;
    }
}

/* What instructions read and write beside LLVM's operands (The RISC-V Instruction Set Manual). */
static void add_implied(struct registers *reads, struct registers *writes, const struct line *line)
{
    static const char *const saturating[] = {"VSADD", "VSSUB", "VSMUL", "VNCLIP", NULL};
    static const char *const fixed_point[] = {"VAADD", "VASUB",  "VSMUL", "VSSRL",
                                              "VSSRA", "VNCLIP", NULL};
    const char *name = line->name, *text = line->text;
    const size_t size = strlen(text);
    if (is_vector(name)) {
        reads->has[ISA_VSTART] = writes->has[ISA_VSTART] = true;
        reads->has[ISA_VL] = reads->has[ISA_VTYPE] = !moves_whole(name);
        /* sources without a place in the opcode */
        if (size > 4 && strcmp(text + size - 4, ", v0") == 0) reads->has[ISA_RISCV_VECTOR] = true;
        if (begins(name, "VSLIDEUP")) add_words(reads, line->writes, line, true);
        /* fault-only-first loads */
        const char *first = strstr(name, "FF_V");
        if (first && begins(name, "VL")) writes->has[ISA_VL] = true;
    }
    if (begins(name, "VSET")) {
        writes->has[ISA_VSTART] = true;
        reads->has[ISA_VL] = begins(text, "vsetvl") && strstr(text, " x0, x0");
    }
    if (begins_one(name, saturating)) writes->has[ISA_VXSAT] = true;
    if (begins_one(name, fixed_point)) reads->has[ISA_VXRM] = true;
    if (has_word(line->does, "raises")) writes->has[ISA_FFLAGS] = true;
    if (strstr(text, ", dyn")) reads->has[ISA_FRM] = true;
}

/* ---- what is found ---- */

static void put_set(char text[400], const struct registers *set)
{
    text[0] = '\0';
    for (unsigned i = 1; i < ISA_REGISTERS; i++)
        if (set->has[i]) snprintf(text + strlen(text), 400 - strlen(text), " %u", i);
}

static unsigned compare_sets(const struct line *line, const char *what,
                             const struct registers *expected, const struct registers *found)
{
    char texts[2][400];
    put_set(texts[0], expected);
    put_set(texts[1], found);
    if (strcmp(texts[0], texts[1]) == 0) return 0;
    PRINT_ERROR("%08x %s %s: %s%s, expected%s\n", line->opcode, line->name, line->text, what,
                texts[1], texts[0]);
    return 1;
}

static unsigned compare_registers(const struct line *line)
{
    /* elements as wide as can be, in an eighth of a register: groups are single registers */
    static const struct isa_vtype vtype = {.known = true, .sew = 3, .lmul = -3};
    struct isa_operands operands;
    struct registers expected[2] = {{{false}}, {{false}}}, found[2] = {{{false}}, {{false}}};
    const char *name = line->name;
    unsigned failures = 0;
    assert_true(
        isa_vector_operands_of(&operands, &vtype, ISA_RISCV, false, line->opcode, line->size));
    add_words(&expected[0], line->reads, line, false);
    add_words(&expected[1], line->writes, line, true);
    add_implied(&expected[0], &expected[1], line);
    /* exact: it raises nothing (isa-executed), though LLVM says that it may */
    if (strcmp(name, "FCVT_D_W") == 0 || strcmp(name, "FCVT_D_WU") == 0 ||
        begins(name, "VFWCVT_F_X"))
        expected[1].has[ISA_FFLAGS] = false;
    /* LLVM reads what they keep of the vector, and of no other instruction */
    if (begins(name, "VMV_S_X") || begins(name, "VFMV_S_F"))
        for (unsigned reg = ISA_RISCV_VECTOR; reg < ISA_RISCV_CSR; reg++)
            expected[0].has[reg] = false;
    for (unsigned i = 0; i + operands.kept_count < operands.read_count; i++)
        found[0].has[operands.reads[i]] = true;
    for (unsigned i = 0; i < operands.write_count; i++) found[1].has[operands.writes[i]] = true;
    for (unsigned i = 0; begins(name, "CSR") && i < 2; i++) /* see the test of CSRs */
        for (unsigned reg = ISA_RISCV_CSR; reg < ISA_REGISTERS; reg++) found[i].has[reg] = false;
    failures += compare_sets(line, "reads", &expected[0], &found[0]);
    failures += compare_sets(line, "writes", &expected[1], &found[1]);
    /* elements that are not written are kept, but not by moves of whole registers */
    struct registers kept = {{false}}, written = {{false}};
    for (unsigned i = operands.read_count - operands.kept_count; i < operands.read_count; i++)
        kept.has[operands.reads[i]] = true;
    for (unsigned reg = ISA_RISCV_VECTOR; reg < ISA_RISCV_CSR && !moves_whole(name); reg++)
        written.has[reg] = expected[1].has[reg];
    failures += compare_sets(line, "keeps", &written, &kept);
    /* LLVM says of each of these that it loads and stores */
    const bool hint = begins(name, "CBO") || begins(name, "PREFETCH"),
               reserves = begins(name, "LR_"), stores = begins(name, "SC_");
    const bool load = !hint && !stores && (reserves || has_word(line->does, "load")),
               store = !hint && !reserves && (stores || has_word(line->does, "store"));
    if (operands.load != load || operands.store != store) {
        PRINT_ERROR("%08x %s: load %d, store %d, expected %d, %d\n", line->opcode, name,
                    operands.load, operands.store, load, store);
        failures++;
    }
    if (operands.branch != (has_word(line->does, "branch") || has_word(line->does, "call") ||
                            strstr(name, "RET") || begins(name, "C_UNIMP") ||
                            begins(name, "C_EBREAK") || begins(name, "ECALL") ||
                            begins(name, "EBREAK") || begins(name, "JAL") || begins(name, "C_J"))) {
        PRINT_ERROR("%08x %s: branch %d\n", line->opcode, name, operands.branch);
        failures++;
    }
    return failures;
}

/* Bytes of an access, by the letter of its name; 0: it is of vectors, or none. */
static unsigned access_size(const char *name)
{
    static const char *const letters = "BHWD";
    const char *at = name;
    if (begins(name, "AMO") || begins(name, "LR_") || begins(name, "SC_") || begins(name, "HLV") ||
        begins(name, "HSV")) {
        at = strchr(name, '_') + 1;
    } else {
        if (begins(at, "C_")) at += 2;
        if (*at == 'F' && (at[1] == 'L' || at[1] == 'S')) at++;
        if (*at != 'L' && *at != 'S') return 0;
        at++;
    }
    return *at && strchr(letters, *at) ? 1U << (strchr(letters, *at) - letters) : 0;
}

/* The address and the size of an access of one register: "8(x10)", "(x10)". */
static unsigned compare_access(const struct line *line)
{
    const char *name = line->name, *open = strchr(line->text, '(');
    const char *offset = open;
    struct isa_access access;
    const bool accesses = has_word(line->does, "load") || has_word(line->does, "store");
    if (!accesses || !open || is_vector(name) || begins(name, "CBO") || begins(name, "PREFETCH") ||
        begins(name, "CM_") || begins(name, "AMOCAS_Q"))
        return 0;
    while (offset[-1] != ' ') offset--;
    const int base = (int)strtol(open + 2, NULL, 10);
    const int64_t number = offset == open ? 0 : strtoll(offset, NULL, 10);
    const bool found = isa_access_of(&access, ISA_RISCV, line->opcode);
    if (found ? access.base == base && access.offset == number && access.size == access_size(name)
              : base == 0)
        return 0;
    PRINT_ERROR("%08x %s: %d %d(x%d), %u bytes\n", line->opcode, line->text, found,
                (int)access.offset, access.base, access.size);
    return 1;
}

/* ---- text ---- */

/* Cuts off the next word of operands; NULL: there is none. */
static char *next_word(char **rest)
{
    char *word;
    do {
        word = strtok_r(NULL, " ,(){}", rest);
    } while (word && strcmp(word, "dyn") == 0);
    return word;
}

static bool same_word(const char *ours, const char *theirs, const struct line *line)
{
    char *ends[2];
    const char *name = line->name;
    if (strcmp(ours, theirs) == 0) return true;
    const bool jumps = has_word(line->does, "branch") || has_word(line->does, "call") ||
                       begins(name, "C_J") || begins(name, "JAL");
    const bool offset = jumps && !begins(name, "JALR");
    const int64_t number =
        offset ? (int64_t)strtoull(ours, &ends[0], 16) : strtoll(ours, &ends[0], 0);
    int64_t other = strtoll(theirs, &ends[1], 0);
    if (begins(name, "CSR")) {
        const int csr = riscv_csr_number(theirs, strlen(theirs));
        if (csr >= 0) return number == csr && !*ends[0];
    }
    if (*ends[0] || *ends[1]) return false;
    return number == other || (begins(name, "C_LUI") && ((number ^ other) & 0xFFFFF) == 0);
}

static unsigned compare_text(const struct line *line)
{
    char text[80], ours[80], theirs[256], *rest[2] = {NULL, NULL};
    const size_t size = riscv_text(0, line->opcode, text, sizeof text);
    snprintf(ours, sizeof ours, "%s", text);
    snprintf(theirs, sizeof theirs, "%s", line->text);
    char *words[2] = {strtok_r(ours, " ,(){}", &rest[0]), strtok_r(theirs, " ,(){}", &rest[1])};
    /* LLVM names shifts by 0 "c.slli64", as hints */
    bool same = size == line->size && words[0] &&
                (strcmp(words[0], words[1]) == 0 || strstr(line->name, "64_HINT"));
    const char *first = NULL;
    while (same && !is_hint(line->name)) {
        words[0] = next_word(&rest[0]);
        words[1] = next_word(&rest[1]);
        /* a compressed instruction states a register once that it reads and writes */
        if (size == 2 && first && words[0] && strcmp(words[0], first) == 0 &&
            !(words[1] && strcmp(words[1], first) == 0))
            words[0] = next_word(&rest[0]);
        if (!first) first = words[0] ? words[0] : "";
        if (!words[0] || !words[1]) {
            same = words[0] == words[1];
            break;
        }
        same = same_word(words[0], words[1], line);
    }
    if (same) return 0;
    print_error("%08x %s: '%s' of %zu bytes, expected '%s'\n", line->opcode, line->name, text, size,
                line->text);
    return 1;
}

/* ---- all opcodes ---- */

static unsigned compare_parts(const struct line *line);

static void opcodes_are_those_of_llvm(void **state)
{
    (void)state;
    static bool covered[5][1024];
    static const struct encoding_table *const tables[] = {
        &encodings_riscv, &encodings_riscv_float, &encodings_riscv_vector, &encodings_riscv_access,
        &encodings_riscv_narrow};
    FILE *file = open_lines();
    struct line line;
    char last[64] = "";
    unsigned opcodes = 0, instructions = 0, elsewhere = 0, failures = 0;
    while (next_line(file, &line)) {
        const bool another = strcmp(last, line.name) != 0;
        snprintf(last, sizeof last, "%s", line.name);
        instructions += another;
        if (is_elsewhere(line.name)) {
            elsewhere += another;
            continue;
        }
        opcodes++;
        failures += compare_text(&line);
        failures += compare_registers(&line);
        failures += compare_access(&line);
        failures += compare_parts(&line);
        for (unsigned i = 0; i < 5; i++) {
            const struct encoding_table *table =
                encoding_table_of(ISA_RISCV, false, line.opcode, line.size);
            if (table == tables[i])
                covered[i][encoding_find(table, line.opcode) - table->rows] = true;
        }
    }
    fclose(file);
    print_message("%u opcodes of %u instructions compared, %u of others\n", opcodes,
                  instructions - elsewhere, elsewhere);
    assert_int_equal(failures, 0);
    assert_true(instructions > 1200);
    /* every row, but for those that LLVM does not have, or that test_encodings.c tells apart by
     * their registers */
    static const char *const others[] = {"op", "uret", "mnret", "jal", "c.jalr", NULL};
    for (unsigned i = 0; i < 5; i++)
        for (const struct encoding *row = tables[i]->rows; row->mask; row++)
            if (row->name && !covered[i][row - tables[i]->rows] && !begins_one(row->name, others)) {
                print_error("no opcode of %08x/%08x %s\n", row->mask, row->match, row->name);
                failures++;
            }
    assert_int_equal(failures, 0);
}

/* ---- Zcmp and Zcmt ---- */

/* The registers of a list, "x1, x8-x9, x18", and how many they are. */
static unsigned read_list(const char *at, struct registers *set)
{
    unsigned count = 0;
    for (char *end; *at == 'x'; at = end + strspn(end, ", ")) {
        unsigned long reg = strtoul(at + 1, &end, 10), last = reg;
        if (end[0] == '-') last = strtoul(end + 2, &end, 10);
        for (; reg <= last; reg++, count++) set->has[reg] = true;
    }
    return count;
}

/* By which registers an instruction is compared; `list`: those between its braces. */
static unsigned compare_zc(const struct line *line)
{
    struct isa_operands operands;
    struct registers expected[2] = {{{false}}, {{false}}}, found[2] = {{{false}}, {{false}}};
    const char *name = line->name, *open = strchr(line->text, '{');
    const bool push = begins(name, "CM_PUSH"), pop = begins(name, "CM_POP");
    char text[80], theirs[256];
    unsigned failures = 0;
    assert_true(riscv_zc_shares(line->opcode, line->size));
    /* alone the opcode states nothing; decided, it is c.fsdsp or this one */
    struct isa_access access;
    struct isa_parts parts;
    assert_false(isa_operands_of(&operands, ISA_RISCV, false, line->opcode, line->size));
    assert_false(isa_parts_of(&operands, &parts, NULL, ISA_RISCV, false, line->opcode, 2));
    assert_false(isa_access_of(&access, ISA_RISCV, line->opcode));
    assert_null(isa_opcode_name(ISA_RISCV, line->opcode));
    const uint64_t fsdsp = riscv_zc_decide(line->opcode, RISCV_ZC_FSDSP);
    assert_true(isa_operands_of(&operands, ISA_RISCV, false, fsdsp, line->size));
    assert_string_equal(operands.name, "c.fsdsp");
    assert_true(isa_access_of(&access, ISA_RISCV, fsdsp) && access.base == 2 && access.size == 8);
    assert_true(isa_operands_of(&operands, ISA_RISCV, false,
                                riscv_zc_decide(line->opcode, RISCV_ZC_OTHER), line->size));
    add_words(&expected[0], line->reads, line, false);
    add_words(&expected[1], line->writes, line, true);
    const unsigned count = open ? read_list(open + 1, &expected[push ? 0 : 1]) : 0;
    for (unsigned i = 0; i < operands.read_count; i++) found[0].has[operands.reads[i]] = true;
    for (unsigned i = 0; i < operands.write_count; i++) found[1].has[operands.writes[i]] = true;
    failures += compare_sets(line, "reads", &expected[0], &found[0]);
    failures += compare_sets(line, "writes", &expected[1], &found[1]);
    failures += operands.load != pop || operands.store != push;
    /* the text, but that it states the bytes beyond those of the registers */
    assert_int_equal(riscv_text(0, line->opcode | RISCV_ZC, text, sizeof text), 2);
    snprintf(theirs, sizeof theirs, "%s", line->text);
    if (open) {
        char *after = strrchr(theirs, ',');
        const int moved = abs(atoi(after + 1)), own = (int)(count * 8 + 15) / 16 * 16;
        snprintf(after, 16, ",+%d", moved - own);
    }
    char *to = theirs;
    for (const char *from = theirs; *from; from++)
        if (*from != ' ' || from[-1] != ',') *to++ = *from;
    *to = '\0';
    if (strcmp(text, theirs) != 0) failures++;
    const struct opcode flow = opcode_riscv_zc(0, line->opcode);
    const bool returns = begins(name, "CM_POPRET"), jumps = begins(name, "CM_J");
    const unsigned type = returns                   ? SPOOR_BRANCH_RETURN
                          : begins(name, "CM_JALT") ? SPOOR_BRANCH_CALL
                                                    : 0;
    failures += flow.flow != (returns || jumps ? OPCODE_BRANCH : OPCODE_NEXT);
    if (returns || jumps) failures += flow.type != (type | SPOOR_BRANCH_INDIRECT);
    /* the name, too, is one of both */
    const char *mnemonic = line->kind_field[2];
    char both[40];
    snprintf(both, sizeof both, "c.fsdsp|%s", mnemonic);
    failures += strcmp(riscv_zc_name(line->opcode, RISCV_ZC_UNKNOWN), both) != 0;
    failures += strcmp(riscv_zc_name(line->opcode, RISCV_ZC_FSDSP), "c.fsdsp") != 0;
    failures += strcmp(riscv_zc_name(line->opcode, RISCV_ZC_OTHER), mnemonic) != 0;
    if (failures) print_error("%08x '%s', expected '%s'\n", line->opcode, text, theirs);
    return failures;
}

static void code_size_instructions_are_those_of_llvm(void **state)
{
    (void)state;
    FILE *file = open_lines();
    struct line line;
    unsigned opcodes = 0, failures = 0;
    while (next_line(file, &line)) {
        if (!begins(line.name, "CM_")) continue;
        opcodes++;
        failures += compare_zc(&line);
    }
    fclose(file);
    assert_int_equal(failures, 0);
    assert_true(opcodes >= 28);
    /* lists of fewer than x1 are reserved, and so is c.fsdsp's own part */
    assert_false(riscv_zc_shares(0xB832, 2));
    assert_false(riscv_zc_shares(0xA402, 2));
    assert_false(riscv_zc_shares(0xE002, 2));
}

/* ---- groups of registers ---- */

static bool ends(const char *text, const char *with)
{
    const size_t size = strlen(text), length = strlen(with);
    return size >= length && strcmp(text + size - length, with) == 0;
}

/* The logarithm of how many registers the operand at a place in the text is, by the mnemonic;
 * ("Vector Register Grouping", "Vector Loads and Stores", and the sections of the instructions);
 * *fields: of a segment.  sew and lmul are logarithms. */
static int group_of(const char *name, unsigned place, int sew, int lmul, unsigned *fields)
{
    static const char *const compares[] = {"vmseq", "vmsne", "vmslt", "vmsle", "vmsgt",
                                           "vmfeq", "vmfne", "vmflt", "vmfle", "vmfgt",
                                           "vmfge", "vmadc", "vmsbc", NULL};
    static const char *const narrowing[] = {"vnsr", "vnclip", "vfncvt", NULL};
    static const char *const scalars[] = {"vmv.x.s", "vmv.s.x",  "vfmv.f.s", "vfmv.s.f",
                                          "vcpop.m", "vfirst.m", NULL};
    static const char *const masks[] = {"vmsbf", "vmsif", "vmsof", "vlm.v", "vsm.v", NULL};
    const bool memory = (begins(name, "vl") || begins(name, "vs")) && ends(name, ".v");
    const char *width = strpbrk(name, "0123456789");
    const char *segment = strstr(name, "seg");
    *fields = 1;
    if (begins_one(name, masks)) return 0;
    if (memory && segment) {
        *fields = (unsigned)(segment[3] - '0');
        width = strpbrk(segment + 4, "0123456789");
    }
    const bool access = memory && width && width[-1] == 'e';
    const bool indexed = memory && width && width[-1] == 'i' && width[-2] == 'e';
    if (access || indexed) {
        const int eew = atoi(width);
        const int log = eew == 8 ? 0 : eew == 16 ? 1 : eew == 32 ? 2 : 3;
        if (indexed && place == 0) return lmul; /* data; the indices come last */
        if (place) *fields = 1;
        return log - sew + lmul;
    }
    if (begins_one(name, scalars) || ends(name, ".mm")) return 0;
    if (begins(name, "vwred") || begins(name, "vfwred") || begins(name, "vred") ||
        begins(name, "vfred"))
        return place == 1 ? lmul : 0;
    if (begins_one(name, compares)) return place == 0 ? 0 : lmul;
    if (begins(name, "viota")) return place == 0 ? lmul : 0;
    if (begins(name, "vcompress")) return place == 2 ? 0 : lmul;
    if (begins(name, "vrgatherei16") && place == 2) return 1 - sew + lmul;
    if (begins_one(name, narrowing)) return place == 1 ? lmul + 1 : lmul;
    if (begins(name, "vzext") || begins(name, "vsext")) {
        const int log = ends(name, "8") ? 3 : ends(name, "4") ? 2 : 1;
        return place == 1 ? lmul - log : lmul;
    }
    /* the scalar group of elements of a cipher */
    if (ends(name, ".vs") && (begins(name, "vaes") || begins(name, "vsm4r")))
        return place == 1 ? 0 : lmul;
    if (begins(name, "vw") || begins(name, "vfw")) {
        const bool wide = strstr(name, ".w") != NULL && name[strlen(name) - 2] == 'w';
        return place == 0 || (place == 1 && wide) ? lmul + 1 : lmul;
    }
    return lmul;
}

/* Compares the vector registers that an opcode reads, keeps and writes, with a vtype.  Reserved: a
 * group that is too large, or goes beyond v31. */
static unsigned compare_groups(const struct line *line, int sew, int lmul)
{
    char copy[256], *rest = NULL;
    const struct isa_vtype vtype = {.known = true, .sew = (uint8_t)sew, .lmul = lmul};
    struct isa_operands operands;
    struct registers expected = {{false}}, found = {{false}};
    unsigned place = 0;
    snprintf(copy, sizeof copy, "%s", line->text);
    const char *name = strtok_r(copy, " ,()", &rest);
    for (char *word = strtok_r(NULL, " ,()", &rest); word; word = strtok_r(NULL, " ,()", &rest)) {
        unsigned fields;
        if (strcmp(word, "v0.t") == 0 ||
            (ends(name, "m") && strcmp(word, "v0") == 0 && !(rest && *rest))) {
            expected.has[ISA_RISCV_VECTOR] = true;
        } else if (word[0] == 'v') {
            const int log = group_of(name, place, sew, lmul, &fields);
            const unsigned number = (unsigned)atoi(word + 1);
            const unsigned count = fields << (log > 0 ? log : 0);
            if (log < -3 || log > 3 || count > 8 || number + count > 32) return 0;
            for (unsigned i = 0; i < count; i++) expected.has[ISA_RISCV_VECTOR + number + i] = true;
        }
        place++;
    }
    assert_true(
        isa_vector_operands_of(&operands, &vtype, ISA_RISCV, false, line->opcode, line->size));
    assert_true(operands.groups_known);
    for (unsigned i = 0; i < operands.read_count; i++) found.has[operands.reads[i]] = true;
    for (unsigned i = 0; i < operands.write_count; i++) found.has[operands.writes[i]] = true;
    for (unsigned reg = 0; reg < ISA_REGISTERS; reg++)
        if (reg < ISA_RISCV_VECTOR || reg >= ISA_RISCV_CSR) found.has[reg] = false;
    return compare_sets(line, "has", &expected, &found);
}

/* True if each element of the result comes from those at its place, all of one width. */
static bool is_by_element(const char *name)
{
    static const char *const others[] = {
        "vrgather", "vslide", "vfslide", "vadc",      "vsbc",    "vmerge", "vfmerge",
        "vw",       "vfw",    "vn",      "vfncvt",    "vzext",   "vsext",  "vred",
        "vfred",    "viota",  "vid",     "vcompress", "vms",     "vmf",    "vmadc",
        "vmv.s",    "vmv.x",  "vfmv",    "vmv.v.x",   "vmv.v.i", "vaes",   "vsm3",
        "vsm4",     "vsha",   "vg",      "vcpop.m",   "vfirst",  NULL};
    const bool access = (begins(name, "vl") || begins(name, "vs")) && ends(name, ".v");
    if (ends(name, ".mm") || access) return false;
    return begins(name, "vnmsub") || begins(name, "vnmsac") || !begins_one(name, others);
}

static bool is_float(const char *name)
{
    static const char *const others[] = {"FENCE", "FLH", "FLW", "FLD", "FSH", "FSW", "FSD", NULL};
    return begins(name, "VF") ? !begins(name, "VFIRST")
                              : begins(name, "VMF") || (*name == 'F' && !begins_one(name, others));
}

/* What slices know of lanes and of accesses, and simulators of classes. */
static unsigned compare_parts(const struct line *line)
{
    static const struct isa_vtype vtype = {.known = true, .sew = 2, .lmul = 0};
    char name[32];
    struct isa_operands operands;
    struct isa_parts parts;
    const char *does = line->does;
    assert_true(
        isa_parts_of(&operands, &parts, &vtype, ISA_RISCV, false, line->opcode, line->size));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line->text, " "), line->text);
    const bool vector = is_vector(line->name), whole = moves_whole(line->name);
    const bool access = vector && (has_word(does, "load") || has_word(does, "store"));
    const unsigned lane = !vector ? 0 : whole ? 1 : is_by_element(name) ? 4 : 0;
    const bool unit = access && !strstr(name, "seg") &&
                      (whole || begins(name, "vle") || begins(name, "vse") || begins(name, "vlm") ||
                       begins(name, "vsm"));
    if (parts.lane == lane && (!access || parts.unit == unit) &&
        (operands.class == ISA_FLOAT) == is_float(line->name))
        return 0;
    PRINT_ERROR("%08x %s: lane %u, expected %u; unit %d, expected %d; class %u\n", line->opcode,
                line->text, parts.lane, lane, parts.unit, unit, operands.class);
    return 1;
}

static void groups_are_those_of_the_manual(void **state)
{
    (void)state;
    FILE *file = open_lines();
    struct line line;
    unsigned failures = 0, opcodes = 0;
    while (next_line(file, &line)) {
        if (!is_vector(line.name) || moves_whole(line.name)) continue;
        opcodes++;
        for (int sew = 0; sew < 4; sew++)
            for (int lmul = -3; lmul < 4; lmul++) failures += compare_groups(&line, sew, lmul);
    }
    fclose(file);
    assert_true(opcodes > 2000);
    assert_int_equal(failures, 0);
}

/* Without vtype an operand is as many registers as its first number allows. */
static void groups_are_as_large_as_they_can_be(void **state)
{
    (void)state;
    static const struct {
        uint32_t opcode; /* vadd.vi vd, vs2, 1 */
        unsigned reads, writes;
    } rows[] = {{0x0220B457, 2, 8}, {0x0210B0D7, 1, 1}, {0x0280B657, 8, 4}, {0x03E0BFD7, 2, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa_operands operands;
        unsigned reads = 0, writes = 0;
        assert_true(isa_operands_of(&operands, ISA_RISCV, false, rows[i].opcode, 4));
        assert_true(operands.is_vector && !operands.groups_known);
        for (unsigned k = 0; k + operands.kept_count < operands.read_count; k++)
            reads += operands.reads[k] >= ISA_RISCV_VECTOR && operands.reads[k] < ISA_RISCV_CSR;
        for (unsigned k = 0; k < operands.write_count; k++)
            writes += operands.writes[k] >= ISA_RISCV_VECTOR && operands.writes[k] < ISA_RISCV_CSR;
        assert_int_equal(reads, rows[i].reads);
        assert_int_equal(writes, rows[i].writes);
    }
}

/* Instructions that name a control register read and write it, or its parts. */
static void control_registers_are_operands(void **state)
{
    (void)state;
    static const struct {
        uint32_t opcode;
        int csr;
        bool writes;
        unsigned reads[2], changes[2]; /* enum isa_register; 0: none */
    } rows[] = {
        {0xC2002473, 0xC20, false, {ISA_VL}, {0}},     /* csrr x8, vl */
        {0xC2102473, 0xC21, false, {ISA_VTYPE}, {0}},  /* csrr x8, vtype */
        {0x001024F3, 0x001, false, {ISA_FFLAGS}, {0}}, /* frflags x9 */
        {0x00329073, 0x003, true, {ISA_FFLAGS, ISA_FRM}, {ISA_FFLAGS, ISA_FRM}}, /* fscsr x5 */
        {0x00225073, 0x002, true, {ISA_FRM}, {ISA_FRM}},                         /* csrwi frm, 4 */
        {0x00846073, 0x008, true, {ISA_VSTART}, {ISA_VSTART}}, /* csrsi vstart, 8 */
        {0x009025F3, 0x009, false, {ISA_VXSAT}, {0}},          /* csrr x11, vxsat */
        {0x00A29073, 0x00A, true, {ISA_VXRM}, {ISA_VXRM}},     /* csrw vxrm, x5 */
        {0x00F29073, 0x00F, true, {ISA_VXSAT, ISA_VXRM}, {ISA_VXSAT, ISA_VXRM}}, /* csrw vcsr */
        {0x30029073, 0x300, true, {0}, {0}}, /* csrw mstatus, x5 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa_operands operands;
        struct registers expected[2] = {{{false}}, {{false}}}, found[2] = {{{false}}, {{false}}};
        const struct line line = {.name = "CSR", .text = ""};
        assert_true(isa_operands_of(&operands, ISA_RISCV, false, rows[i].opcode, 4));
        assert_int_equal(operands.csr, rows[i].csr);
        assert_int_equal(operands.writes_csr, rows[i].writes);
        for (unsigned k = 0; k < 2; k++) {
            expected[0].has[rows[i].reads[k]] = expected[1].has[rows[i].changes[k]] = true;
        }
        for (unsigned k = 0; k < operands.read_count; k++)
            if (operands.reads[k] >= ISA_RISCV_CSR) found[0].has[operands.reads[k]] = true;
        for (unsigned k = 0; k < operands.write_count; k++)
            if (operands.writes[k] >= ISA_RISCV_CSR) found[1].has[operands.writes[k]] = true;
        assert_int_equal(compare_sets(&line, "reads", &expected[0], &found[0]), 0);
        assert_int_equal(compare_sets(&line, "writes", &expected[1], &found[1]), 0);
    }
}

/* vsetvli and vsetvl keep the length if neither states one, vsetivli always states it. */
static void the_length_may_be_kept(void **state)
{
    static const struct {
        uint32_t opcode;
        bool keeps;
    } rows[] = {
        {0x01007057, true},  /* vsetvli x0, x0, e32, m1, tu, mu */
        {0x010072D7, false}, /* vsetvli x5, x0, e32, m1, tu, mu */
        {0x01037057, false}, /* vsetvli x0, x6, e32, m1, tu, mu */
        {0xC1007057, false}, /* vsetivli x0, 0, e32, m1, tu, mu */
        {0x80707057, true},  /* vsetvl x0, x0, x7 */
        {0x807072D7, false}, /* vsetvl x5, x0, x7 */
        {0x80737057, false}, /* vsetvl x0, x6, x7 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa_operands operands;
        bool reads = false;
        assert_true(isa_operands_of(&operands, ISA_RISCV, false, rows[i].opcode, 4));
        for (unsigned k = 0; k < operands.read_count; k++) reads |= operands.reads[k] == ISA_VL;
        assert_int_equal(reads, rows[i].keeps);
    }
}

/* ---- wrong rows ---- */

/* True if the opcodes of a row agree with LLVM; `first`: the first of them, -1: none. */
static bool row_agrees(const struct line *lines, const int *next, int first)
{
    for (int i = first; i >= 0; i = next[i])
        if (compare_registers(&lines[i]) + compare_access(&lines[i]) + compare_parts(&lines[i]))
            return false;
    return true;
}

/* Each row that has an opcode is made wrong in each way, and its opcodes notice it. */
static void a_wrong_row_is_noticed(void **state)
{
    (void)state;
    enum { MAX_LINES = 8192, MAX_ROWS = 1024 };
    static const struct encoding_table *const tables[] = {
        &encodings_riscv, &encodings_riscv_float, &encodings_riscv_vector, &encodings_riscv_access,
        &encodings_riscv_narrow};
    struct line *lines = calloc(MAX_LINES, sizeof *lines), line;
    int *next = calloc(MAX_LINES, sizeof *next);
    static int first[5][MAX_ROWS];
    unsigned made = 0, unnoticed = 0;
    int count = 0;
    FILE *file = open_lines();
    assert_true(lines && next);
    memset(first, 0xFF, sizeof first);
    while (next_line(file, &line)) {
        if (is_elsewhere(line.name)) continue;
        assert_true(count < MAX_LINES);
        line_copy(&lines[count], &line);
        const struct encoding_table *table =
            encoding_table_of(ISA_RISCV, false, line.opcode, line.size);
        for (unsigned i = 0; i < 5; i++) {
            if (table != tables[i]) continue;
            int *of = &first[i][encoding_find(table, line.opcode) - table->rows];
            next[count] = *of;
            *of = count;
        }
        count++;
    }
    fclose(file);
    quiet = true;
    for (unsigned i = 0; i < 5; i++)
        for (unsigned row = 0; tables[i]->rows[row].mask; row++) {
            const struct encoding right = tables[i]->rows[row];
            if (first[i][row] < 0) continue;
            for (unsigned wrong = 0; wrong < WRONGS; wrong++) {
                struct encoding with = right;
                if (!wrong_rows_make(&with, wrong)) continue;
                assert_true(wrong_rows_put(tables[i], row, &with));
                const bool noticed = !row_agrees(lines, next, first[i][row]);
                if (!noticed && wrong_rows_same(tables[i], row, &right, &with)) continue;
                made++;
                if (noticed) continue;
                unnoticed++;
                print_message("not noticed: %s: reads '%s', not '%s', writes '%s', not '%s', does "
                              "%" PRIx64 ", not %" PRIx64 "\n",
                              lines[first[i][row]].text, with.reads, right.reads, with.writes,
                              right.writes, with.does, right.does);
            }
            assert_true(wrong_rows_put(tables[i], row, &right));
        }
    quiet = false;
    free(lines);
    free(next);
    print_message("%u of %u wrong rows noticed\n", made - unnoticed, made);
    assert_int_equal(unnoticed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_are_those_of_llvm),
        cmocka_unit_test(code_size_instructions_are_those_of_llvm),
        cmocka_unit_test(groups_are_those_of_the_manual),
        cmocka_unit_test(groups_are_as_large_as_they_can_be),
        cmocka_unit_test(control_registers_are_operands),
        cmocka_unit_test(the_length_may_be_kept),
        cmocka_unit_test(a_wrong_row_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
