/* SPDX-License-Identifier: MIT */
/* exec_line.c: takes a line of gem5's Exec text apart. */
#include <string.h>

#include "formats/gem5/exec.h"

#include "base/ascii.h"
#include "base/portable.h"
#include "base/scan.h"

static struct spoor_slice exec_slice(const char *begin, const char *end)
{
    return (struct spoor_slice){begin, (size_t)(end - begin)};
}

static bool exec_begins(const char *at, const char *end, const char *text)
{
    const size_t size = strlen(text);
    return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

static bool exec_is(struct spoor_slice part, const char *text)
{
    return part.size == strlen(text) && memcmp(part.bytes, text, part.size) == 0;
}

static bool exec_ends(struct spoor_slice word, const char *text)
{
    const size_t size = strlen(text);
    return word.size >= size && memcmp(word.bytes + word.size - size, text, size) == 0;
}

static const char *exec_skip_digits(const char *at, const char *end)
{
    while (at < end && ascii_is_digit(*at)) at++;
    return at;
}

static const char *exec_skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ') at++;
    return at;
}

/* ---- the head ---- */

/* The cpu, after the name of a flag perhaps.  NULL: this is no Exec line; *named if it begins with
 * a name and a colon. */
static const char *exec_split_cpu(const char *at, const char *end, struct exec_line *line,
                                  bool *named)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *after = at; /* the end of the name of an object or a flag */
        while (after < end && *after != ':' && *after != ' ' && *after != '\t') after++;
        if (after == at || after == end) return NULL;
        const bool colon = *after == ':';
        if (colon && !exec_begins(after, end, ": ")) return NULL;
        const char *next = after + 1 + colon;
        *named |= colon;
        /* what follows the cpu: "A0 ", "T0 : ", 0x and a digit, or "@" */
        bool follows = false;
        if (end - next >= 3 && (*next == 'A' || *next == 'T') && ascii_is_digit(next[1]))
            follows = exec_begins(exec_skip_digits(next + 1, end), end, *next == 'A' ? " " : " : ");
        else if (end - next >= 3)
            follows = *next == '@' ||
                      (next[0] == '0' && next[1] == 'x' && hex_value[(unsigned char)next[2]] < 16);
        if (follows) {
            line->cpu = exec_slice(at, after);
            return next;
        }
        if (!colon) return NULL;
        at = next;
    }
    return NULL;
}

/* The number of the micro-operation at the end of the place, which `blanks` follow: one of two
 * columns is followed by one, one of 2014 by two. */
static const char *exec_split_micro(const char *begin, const char *end, size_t blanks,
                                    struct exec_line *line)
{
    const char *at = end;
    while (at > begin && ascii_is_digit(at[-1])) at--;
    const char *digits = at;
    if (at == end || blanks > 2) return end;
    if (at > begin && at[-1] == ' ') at--;
    if (at == begin || at[-1] != '.') return end;
    const bool two = end - at >= 2;
    if ((blanks == 1) != two) return end;
    line->micro = exec_slice(digits, end);
    return at - 1;
}

/* The pc, the symbol and the micro-operation, up to the " : " before the text; NULL: wrong. */
static const char *exec_split_place(const char *at, const char *end, struct exec_line *line,
                                    const char **wrong)
{
    *wrong = at;
    const char *colon = memmem(at, (size_t)(end - at), " : ", 3);
    if (!colon && end - at > 2 && memcmp(end - 2, " :", 2) == 0) colon = end - 2;
    if (!colon) return NULL;
    const char *place_end = colon;
    while (place_end > at && place_end[-1] == ' ') place_end--;
    place_end = exec_split_micro(at, place_end, (size_t)(colon - place_end) + 1, line);
    if (exec_begins(at, end, "0x")) {
        const char *digits = at += 2;
        while (at < place_end && hex_value[(unsigned char)*at] < 16) at++;
        if (at == digits || at - digits > 16) return NULL;
        line->pc = exec_slice(digits, at);
        *wrong = at;
        if (at < place_end && *at == ' ') at++;
    }
    while (place_end > at && place_end[-1] == ' ') place_end--;
    if (at < place_end) {
        if (*at != '@') return NULL;
        line->symbol = exec_slice(at + 1, place_end);
    }
    return line->pc.size || line->symbol.size ? colon + (end - colon < 3 ? 2 : 3) : NULL;
}

/* ---- the tail ---- */

static const struct {
    const char *text;
    unsigned properties;
} flag_words[] = {
    {"IsLoad", EXEC_LOAD},
    {"IsStore", EXEC_STORE},
    {"IsAtomic", EXEC_ATOMIC},
    {"IsControl", EXEC_CONTROL},
    {"IsCondControl", EXEC_CONDITIONAL},
    {"IsIndirectControl", EXEC_INDIRECT},
    {"IsCall", EXEC_CALL},
    {"IsReturn", EXEC_RETURN},
};

/* "KEY" and digits: the digits. */
static const char *exec_split_value(const char *at, const char *end, const char *key, bool hex,
                                    struct spoor_slice *value)
{
    if (!exec_begins(at, end, key)) return at;
    const char *digits = at + strlen(key), *after = digits;
    while (after < end && (hex ? hex_value[(unsigned char)*after] < 16 : ascii_is_digit(*after)))
        after++;
    if (after == digits) return at;
    *value = exec_slice(digits, after);
    return after;
}

/* Splits what follows the class; false: it is something else. */
static bool exec_split_tail(const char *at, const char *end, struct exec_line *line)
{
    if (exec_begins(at, end, "Predicated False")) {
        line->predicated = true;
        at += strlen("Predicated False");
    }
    at = exec_split_value(at, end, " D=0x", true, &line->value);
    if (exec_begins(at, end, " D=[")) { /* "[00000001_00000002]", a vector, stays text */
        const char *close = memchr(at, ']', (size_t)(end - at));
        if (close) at = close + 1;
    }
    at = exec_split_value(at, end, " A=0x", true, &line->address);
    at = exec_split_value(at, end, "  FetchSeq=", false, &line->fetched);
    at = exec_split_value(at, end, "  CPSeq=", false, &line->committed);
    if (exec_begins(at, end, "  flags=(") && end[-1] == ')') {
        line->flags = exec_slice(at + strlen("  flags=("), end - 1);
        at = end;
    }
    return exec_skip_blanks(at, end) == end;
}

/* The last " : " before `end`, after `begin`; NULL: none. */
static const char *exec_last_colon(const char *begin, const char *end)
{
    for (const char *at = end; at - begin >= 3;) {
        const char *colon = bytes_last(begin + 1, ':', (size_t)(at - begin - 2));
        if (!colon) return NULL;
        if (colon[-1] == ' ' && colon[1] == ' ') return colon - 1;
        at = colon + 1;
    }
    return NULL;
}

/* The text, its macro-operation, and what the tail says. */
static void exec_split_text(const char *begin, const char *end, struct exec_line *line)
{
    const char *text_end = end, *tail = exec_last_colon(begin, end);
    if (tail && exec_split_tail(tail + 3, end, line)) {
        line->has_tail = true;
        text_end = tail;
        const char *before = exec_last_colon(begin, tail);
        if (before) { /* a capitalised word is the class */
            const char *word = before + 3, *at = word;
            while (at < tail && *at != ' ' && *at != ',' && *at != '\t') at++;
            if (at == tail && word < tail && *word >= 'A' && *word <= 'Z') {
                line->class = exec_slice(word, tail);
                text_end = before;
            }
        }
    }
    begin = exec_skip_blanks(begin, text_end);
    while (text_end > begin && text_end[-1] == ' ') text_end--;
    line->text = exec_slice(begin, text_end);
    const char *colon = line->micro.size ? memmem(begin, line->text.size, " : ", 3) : NULL;
    line->macro = exec_slice(begin, colon ? colon : begin);
    if (colon) line->text = exec_slice(exec_skip_blanks(colon + 3, text_end), text_end);
}

enum exec_found exec_split(const char *begin, const char *end, struct exec_line *line,
                           const char **at)
{
    bool named = false;
    *line = (struct exec_line){.has_tail = false};
    const char *tick = exec_skip_blanks(begin, end), *tick_end = exec_skip_digits(tick, end);
    *at = begin;
    if (tick_end > tick && exec_begins(tick_end, end, ": ")) {
        line->tick = exec_slice(tick, tick_end);
        *at = tick_end + 2;
    }
    const char *next = exec_split_cpu(*at, end, line, &named);
    if (!next) return named && line->tick.size ? EXEC_OTHER : EXEC_NEITHER;
    if (*next == 'A') next = exec_skip_digits(next + 1, end) + 1; /* the address space */
    if (next < end && *next == 'T' && next + 1 < end && ascii_is_digit(next[1])) {
        const char *after = exec_skip_digits(next + 1, end);
        if (exec_begins(after, end, " : ")) {
            line->thread = exec_slice(next + 1, after);
            next = after + 3;
        }
    }
    next = exec_split_place(next, end, line, at);
    if (!next) return EXEC_NEITHER;
    exec_split_text(next, end, line);
    const char *flag = line->flags.bytes,
               *flags_end = line->flags.size ? flag + line->flags.size : flag;
    while (flag < flags_end) {
        const char *bar = memchr(flag, '|', (size_t)(flags_end - flag));
        const struct spoor_slice word = exec_slice(flag, bar ? bar : flags_end);
        for (size_t i = 0; i < sizeof flag_words / sizeof *flag_words; i++)
            if (word.size > 3 && word.bytes[2] == flag_words[i].text[2] &&
                exec_is(word, flag_words[i].text))
                line->properties |= flag_words[i].properties;
        flag = bar ? bar + 1 : flags_end;
    }
    if (line->flags.size) return EXEC_LINE;
    if (exec_ends(line->class, "MemRead"))
        line->properties = EXEC_LOAD;
    else if (exec_ends(line->class, "MemWrite"))
        line->properties = EXEC_STORE;
    return EXEC_LINE;
}

/* ---- what the text says ---- */

/* The next word; a register ends at a comma or a parenthesis, too. */
static struct spoor_slice exec_next_word(const char **at, const char *end, bool is_operand)
{
    while (*at < end && (**at == ' ' || **at == '\t')) ++*at;
    const char *begin = *at;
    while (*at < end && **at != ' ' && **at != '\t' &&
           !(is_operand && (**at == ',' || **at == '(' || **at == '[')))
        ++*at;
    return exec_slice(begin, *at);
}

/* A register: letters, then letters and digits. */
static bool exec_is_register(struct spoor_slice word)
{
    if (word.size == 0 || word.size > 12 || *word.bytes < 'a' || *word.bytes > 'z') return false;
    for (size_t i = 1; i < word.size; i++) {
        const char c = word.bytes[i];
        if (!ascii_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '_') return false;
    }
    return true;
}

static bool exec_is_one_of(struct spoor_slice word, const char *const *names)
{
    for (; *names; names++)
        if (exec_is(word, *names)) return true;
    return false;
}

/* Registers by the names of RISC-V's ABI, which no other instruction set of gem5 has. */
static bool exec_is_riscv(struct spoor_slice word)
{
    static const char *const names[] = {"ra", "gp", "tp", "zero", NULL};
    if (exec_is_one_of(word, names)) return true;
    if (word.size < 2 || word.size > 4) return false;
    const size_t letters = *word.bytes == 'f' ? 2 : 1;
    return strchr("ast", word.bytes[letters - 1]) && word.size > letters &&
           exec_skip_digits(word.bytes + letters, word.bytes + word.size) == word.bytes + word.size;
}

/* Bytes of an access of RISC-V, from its mnemonic without "c_" and "sp". */
static uint8_t exec_riscv_access(struct spoor_slice name)
{
    static const struct {
        const char *text;
        uint8_t bytes;
    } names[] = {{"lb", 1}, {"lbu", 1}, {"sb", 1},  {"lh", 2},  {"lhu", 2}, {"sh", 2},
                 {"lw", 4}, {"lwu", 4}, {"sw", 4},  {"flw", 4}, {"fsw", 4}, {"ld", 8},
                 {"sd", 8}, {"fld", 8}, {"fsd", 8}, {"flh", 2}, {"fsh", 2}};
    if (name.size > 2 && memcmp(name.bytes, "c_", 2) == 0)
        name = exec_slice(name.bytes + 2, name.bytes + name.size);
    if (name.size > 3 && exec_ends(name, "sp")) name.size -= 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.size && *name.bytes == *names[i].text && exec_is(name, names[i].text))
            return names[i].bytes;
    if (name.size > 3 && (memcmp(name.bytes, "amo", 3) == 0 || memcmp(name.bytes, "lr_", 3) == 0 ||
                          memcmp(name.bytes, "sc_", 3) == 0))
        return memmem(name.bytes, name.size, "_w", 2)   ? 4
               : memmem(name.bytes, name.size, "_d", 2) ? 8
                                                        : 0;
    return 0;
}

/* x86: the value is that of the last destination, which is the flags unless the micro-operation
 * writes none. */
static bool exec_writes_no_flags(const struct exec_line *line, struct spoor_slice name)
{
    static const char *const names[] = {"ld", "limm", "mov", "lea", "ldst", "rdip", "movi", NULL};
    const char *at = line->macro.bytes, *end = at + line->macro.size;
    const bool stack = exec_begins(at, end, "PUSH") || exec_begins(at, end, "POP") ||
                       exec_begins(at, end, "CALL") || exec_begins(at, end, "RET");
    return exec_is_one_of(name, names) ||
           (stack && (exec_is(name, "addi") || exec_is(name, "subi")));
}

/* The kinds of branches, by mnemonics of RISC-V and A64.  A name that ends with '.' has a condition
 * after it. */
static const struct {
    const char *name;
    unsigned properties;
} branch_names[] = {
    {"jal", EXEC_CONTROL},
    {"jalr", EXEC_CONTROL | EXEC_INDIRECT},
    {"c_j", EXEC_CONTROL},
    {"c_jal", EXEC_CONTROL | EXEC_CALL},
    {"c_jr", EXEC_CONTROL | EXEC_INDIRECT},
    {"c_jalr", EXEC_CONTROL | EXEC_INDIRECT | EXEC_CALL},
    {"beq", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"bne", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"blt", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"bge", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"bltu", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"bgeu", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"c_beqz", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"c_bnez", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"b", EXEC_CONTROL},
    {"b.", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"bl", EXEC_CONTROL | EXEC_CALL},
    {"br", EXEC_CONTROL | EXEC_INDIRECT},
    {"blr", EXEC_CONTROL | EXEC_INDIRECT | EXEC_CALL},
    {"ret", EXEC_CONTROL | EXEC_INDIRECT | EXEC_RETURN},
    {"cbz", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"cbnz", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"tbz", EXEC_CONTROL | EXEC_CONDITIONAL},
    {"tbnz", EXEC_CONTROL | EXEC_CONDITIONAL},
};

/* What a branch is, where the line has no flags. */
static unsigned exec_branch_properties(const struct exec_line *line, struct spoor_slice name,
                                       struct spoor_slice first)
{
    if (line->macro.size) {
        /* x86: the micro-operation that writes the instruction pointer, by the name of its macro */
        const char *at = line->macro.bytes, *end = at + line->macro.size;
        if (!exec_is(name, "wrip")) return 0;
        if (exec_begins(at, end, "CALL")) return EXEC_CONTROL | EXEC_CALL;
        if (exec_begins(at, end, "RET")) return EXEC_CONTROL | EXEC_RETURN | EXEC_INDIRECT;
        if (exec_begins(at, end, "JMP")) return EXEC_CONTROL;
        return exec_begins(at, end, "J") ? EXEC_CONTROL | EXEC_CONDITIONAL : 0U;
    }
    for (size_t i = 0; i < sizeof branch_names / sizeof *branch_names; i++) {
        const char *text = branch_names[i].name;
        const size_t size = strlen(text);
        if (text[size - 1] == '.' ? !exec_begins(name.bytes, name.bytes + name.size, text)
                                  : !exec_is(name, text))
            continue;
        const bool links = *text == 'j' && exec_is(first, "ra"), leaves = exec_is(name, "c_jr");
        return branch_names[i].properties | (links ? (unsigned)EXEC_CALL : 0U) |
               (leaves && exec_is(first, "ra") ? (unsigned)EXEC_RETURN : 0U);
    }
    return 0;
}

struct exec_insn exec_insn_of(const struct exec_line *line)
{
    struct exec_insn insn = {.size = 0};
    const char *at = line->text.bytes, *end = at + line->text.size;
    const struct spoor_slice name = exec_next_word(&at, end, false);
    const struct spoor_slice first = exec_next_word(&at, end, true);
    insn.properties = line->properties;
    if (!line->flags.size && line->has_tail)
        insn.properties |= exec_branch_properties(line, name, first);
    if (line->macro.size && exec_is(name, "br")) /* within the microcode */
        insn.properties &= ~(unsigned)EXEC_CONTROL;
    if (line->address.size && !(insn.properties & (EXEC_LOAD | EXEC_STORE | EXEC_ATOMIC))) {
        const char *word = name.bytes, *word_end = word + name.size;
        const bool atomic = exec_begins(word, word_end, "amo");
        if (exec_begins(word, word_end, "c_")) word += 2;
        if (exec_begins(word, word_end, "f")) word++;
        insn.properties |= atomic                             ? EXEC_ATOMIC
                           : exec_begins(word, word_end, "s") ? EXEC_STORE
                                                              : EXEC_LOAD;
    }
    const bool compressed = name.size > 2 && memcmp(name.bytes, "c_", 2) == 0;
    const bool riscv =
        !line->macro.size && (compressed || exec_is_riscv(first) || exec_is(first, "sp"));
    /* x0 to x30 and w0 to w30, in a text that RISC-V would write otherwise */
    const bool a64 =
        !riscv && !line->macro.size && first.size >= 2 && first.size <= 3 &&
        (*first.bytes == 'x' || *first.bytes == 'w') &&
        exec_skip_digits(first.bytes + 1, first.bytes + first.size) == first.bytes + first.size;
    if (riscv || a64 || exec_is(name, "ecall") || exec_is(name, "lui") || exec_is(name, "auipc"))
        insn.size = compressed ? 2 : 4;
    if (riscv) insn.access = exec_riscv_access(name);
    if (a64) {
        /* bytes of a load or store, from its mnemonic and its first register */
        if (name.size < 3 ||
            (memcmp(name.bytes, "ld", 2) != 0 && memcmp(name.bytes, "st", 2) != 0) ||
            name.bytes[2] == 'p')
            insn.access = 0;
        else if (exec_ends(name, "rb") || exec_ends(name, "sb"))
            insn.access = 1;
        else if (exec_ends(name, "rh") || exec_ends(name, "sh"))
            insn.access = 2;
        else if (exec_ends(name, "sw"))
            insn.access = 4;
        else
            insn.access = *first.bytes == 'w' ? 4 : 8;
    }
    /* a comparison of A64 writes the flags, and its first register is one that it reads */
    static const char *const comparisons[] = {"cmp",  "cmn",   "tst",   "ccmp", "ccmn",
                                              "fcmp", "fcmpe", "fccmp", NULL};
    static const char link[] = "ra";
    const bool sets = riscv ||
                      (a64 && !exec_ends(name, "s") && !exec_is_one_of(name, comparisons)) ||
                      exec_writes_no_flags(line, name);
    if (exec_is(name, "c_jalr") || exec_is(name, "c_jal"))
        insn.target = exec_slice(link, link + 2);
    else if (sets && exec_is_register(first))
        insn.target = first;
    insn.stores = (insn.properties & EXEC_STORE) && !(insn.properties & EXEC_ATOMIC) &&
                  !exec_begins(name.bytes, name.bytes + name.size, "sc_");
    return insn;
}
