/* SPDX-License-Identifier: MIT */
/* exec_line.c: takes a line of gem5's Exec text apart. */
#include <string.h>

#include "formats/gem5/exec.h"

#include "base/ascii.h"
#include "base/portable.h"
#include "base/scan.h"

static struct spoor_slice slice(const char *begin, const char *end)
{
    return (struct spoor_slice){begin, (size_t)(end - begin)};
}

static bool begins(const char *at, const char *end, const char *text)
{
    const size_t size = strlen(text);
    return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

static bool is(struct spoor_slice part, const char *text)
{
    return part.size == strlen(text) && memcmp(part.bytes, text, part.size) == 0;
}

static bool ends(struct spoor_slice word, const char *text)
{
    const size_t size = strlen(text);
    return word.size >= size && memcmp(word.bytes + word.size - size, text, size) == 0;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && ascii_is_digit(*at)) at++;
    return at;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ') at++;
    return at;
}

/* ---- the head ---- */

static const char *split_tick(const char *begin, const char *end, struct exec_line *line)
{
    const char *at = skip_blanks(begin, end);
    const char *digits_end = skip_digits(at, end);
    if (digits_end == at || !begins(digits_end, end, ": ")) return begin;
    line->tick = slice(at, digits_end);
    return digits_end + 2;
}

/* "A0 ", "T0 : ", 0x and a digit, or "@": what follows the cpu in an Exec line. */
static bool begins_place(const char *at, const char *end)
{
    if (end - at < 3) return false;
    if ((*at == 'A' || *at == 'T') && ascii_is_digit(at[1])) {
        const char *after = skip_digits(at + 1, end);
        return begins(after, end, *at == 'A' ? " " : " : ");
    }
    return *at == '@' || (at[0] == '0' && at[1] == 'x' && hex_value[(unsigned char)at[2]] < 16);
}

/* The end of the name of an object or a flag; NULL: there is none here. */
static const char *skip_name(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at != ':' && *at != ' ' && *at != '\t') at++;
    return at > begin && at < end ? at : NULL;
}

/* The cpu, after the name of a flag perhaps.  NULL: this is no Exec line; *named if it begins with
 * a name and a colon. */
static const char *split_cpu(const char *at, const char *end, struct exec_line *line, bool *named)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *after = skip_name(at, end);
        if (!after) return NULL;
        const bool colon = *after == ':';
        if (colon && !begins(after, end, ": ")) return NULL;
        const char *next = after + 1 + colon;
        *named |= colon;
        if (begins_place(next, end)) {
            line->cpu = slice(at, after);
            return next;
        }
        if (!colon) return NULL;
        at = next;
    }
    return NULL;
}

/* The address space and the thread. */
static const char *split_thread(const char *at, const char *end, struct exec_line *line)
{
    if (*at == 'A') at = skip_digits(at + 1, end) + 1;
    if (at < end && *at == 'T' && at + 1 < end && ascii_is_digit(at[1])) {
        const char *after = skip_digits(at + 1, end);
        if (!begins(after, end, " : ")) return at;
        line->thread = slice(at + 1, after);
        at = after + 3;
    }
    return at;
}

/* The number of the micro-operation at the end of the place, which `blanks` follow: one of two
 * columns is followed by one, one of 2014 by two. */
static const char *split_micro(const char *begin, const char *end, size_t blanks,
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
    line->micro = slice(digits, end);
    return at - 1;
}

/* The pc, the symbol and the micro-operation, up to the " : " before the text; NULL: wrong. */
static const char *split_place(const char *at, const char *end, struct exec_line *line,
                               const char **wrong)
{
    *wrong = at;
    const char *colon = memmem(at, (size_t)(end - at), " : ", 3);
    if (!colon && end - at > 2 && memcmp(end - 2, " :", 2) == 0) colon = end - 2;
    if (!colon) return NULL;
    const char *place_end = colon;
    while (place_end > at && place_end[-1] == ' ') place_end--;
    place_end = split_micro(at, place_end, (size_t)(colon - place_end) + 1, line);
    if (begins(at, end, "0x")) {
        const char *digits = at += 2;
        while (at < place_end && hex_value[(unsigned char)*at] < 16) at++;
        if (at == digits || at - digits > 16) return NULL;
        line->pc = slice(digits, at);
        *wrong = at;
        if (at < place_end && *at == ' ') at++;
    }
    while (place_end > at && place_end[-1] == ' ') place_end--;
    if (at < place_end) {
        if (*at != '@') return NULL;
        line->symbol = slice(at + 1, place_end);
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

static unsigned properties_of_flags(struct spoor_slice flags)
{
    unsigned properties = 0;
    const char *at = flags.bytes, *end = at + flags.size;
    while (at < end) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        const struct spoor_slice word = slice(at, bar ? bar : end);
        for (size_t i = 0; i < sizeof flag_words / sizeof *flag_words; i++)
            if (word.size > 3 && word.bytes[2] == flag_words[i].text[2] &&
                is(word, flag_words[i].text))
                properties |= flag_words[i].properties;
        at = bar ? bar + 1 : end;
    }
    return properties;
}

static unsigned properties_of_class(struct spoor_slice class)
{
    return ends(class, "MemRead") ? EXEC_LOAD : ends(class, "MemWrite") ? EXEC_STORE : 0U;
}

/* "KEY" and digits: the digits. */
static const char *split_value(const char *at, const char *end, const char *key, bool hex,
                               struct spoor_slice *value)
{
    if (!begins(at, end, key)) return at;
    const char *digits = at + strlen(key), *after = digits;
    while (after < end && (hex ? hex_value[(unsigned char)*after] < 16 : ascii_is_digit(*after)))
        after++;
    if (after == digits) return at;
    *value = slice(digits, after);
    return after;
}

/* " D=[00000001_00000002]": a vector, which stays text. */
static const char *skip_vector(const char *at, const char *end)
{
    if (!begins(at, end, " D=[")) return at;
    const char *close = memchr(at, ']', (size_t)(end - at));
    return close ? close + 1 : at;
}

/* Splits what follows the class; false: it is something else. */
static bool split_tail(const char *at, const char *end, struct exec_line *line)
{
    if (begins(at, end, "Predicated False")) {
        line->predicated = true;
        at += strlen("Predicated False");
    }
    at = skip_vector(split_value(at, end, " D=0x", true, &line->value), end);
    at = split_value(at, end, " A=0x", true, &line->address);
    at = split_value(at, end, "  FetchSeq=", false, &line->fetched);
    at = split_value(at, end, "  CPSeq=", false, &line->committed);
    if (begins(at, end, "  flags=(") && end[-1] == ')') {
        line->flags = slice(at + strlen("  flags=("), end - 1);
        at = end;
    }
    return skip_blanks(at, end) == end;
}

/* The last " : " before `end`, after `begin`; NULL: none. */
static const char *last_colon(const char *begin, const char *end)
{
    for (const char *at = end; at - begin >= 3;) {
        const char *colon = bytes_last(begin + 1, ':', (size_t)(at - begin - 2));
        if (!colon) return NULL;
        if (colon[-1] == ' ' && colon[1] == ' ') return colon - 1;
        at = colon + 1;
    }
    return NULL;
}

static bool is_class(struct spoor_slice word)
{
    for (size_t i = 0; i < word.size; i++)
        if (word.bytes[i] == ' ' || word.bytes[i] == ',' || word.bytes[i] == '\t') return false;
    return word.size > 0 && word.bytes[0] >= 'A' && word.bytes[0] <= 'Z';
}

/* Finds where the text ends, and what the tail says. */
static const char *find_text_end(const char *begin, const char *end, struct exec_line *line)
{
    const char *colon = last_colon(begin, end);
    if (!colon || !split_tail(colon + 3, end, line)) return end;
    line->has_tail = true;
    const char *before = last_colon(begin, colon);
    if (!before || !is_class(slice(before + 3, colon))) return colon;
    line->class = slice(before + 3, colon);
    return before;
}

static void split_text(const char *begin, const char *end, struct exec_line *line)
{
    const char *text_end = find_text_end(begin, end, line);
    begin = skip_blanks(begin, text_end);
    while (text_end > begin && text_end[-1] == ' ') text_end--;
    line->text = line->macro = slice(begin, text_end);
    const char *colon = line->micro.size ? memmem(begin, line->text.size, " : ", 3) : NULL;
    line->macro = slice(begin, colon ? colon : begin);
    if (colon) line->text = slice(skip_blanks(colon + 3, text_end), text_end);
}

enum exec_found exec_split(const char *begin, const char *end, struct exec_line *line,
                           const char **at)
{
    bool named = false;
    *line = (struct exec_line){.has_tail = false};
    const char *head = split_tick(begin, end, line);
    const char *next = split_cpu(head, end, line, &named);
    *at = head;
    if (!next) return named && line->tick.size ? EXEC_OTHER : EXEC_NEITHER;
    next = split_place(split_thread(next, end, line), end, line, at);
    if (!next) return EXEC_NEITHER;
    split_text(next, end, line);
    line->properties = properties_of_class(line->class);
    if (line->flags.size) line->properties = properties_of_flags(line->flags);
    return EXEC_LINE;
}

/* ---- what the text says ---- */

/* The next word; a register ends at a comma or a parenthesis, too. */
static struct spoor_slice next_word(const char **at, const char *end, bool is_operand)
{
    while (*at < end && (**at == ' ' || **at == '\t')) ++*at;
    const char *begin = *at;
    while (*at < end && **at != ' ' && **at != '\t' &&
           !(is_operand && (**at == ',' || **at == '(' || **at == '[')))
        ++*at;
    return slice(begin, *at);
}

/* A register: letters, then letters and digits. */
static bool is_register(struct spoor_slice word)
{
    if (word.size == 0 || word.size > 12 || *word.bytes < 'a' || *word.bytes > 'z') return false;
    for (size_t i = 1; i < word.size; i++) {
        const char c = word.bytes[i];
        if (!ascii_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '_') return false;
    }
    return true;
}

/* Registers by the names of RISC-V's ABI, which no other instruction set of gem5 has. */
static bool is_riscv(struct spoor_slice word)
{
    static const char *const names[] = {"ra", "gp", "tp", "zero"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(word, names[i])) return true;
    if (word.size < 2 || word.size > 4) return false;
    const size_t letters = *word.bytes == 'f' ? 2 : 1;
    return strchr("ast", word.bytes[letters - 1]) && word.size > letters &&
           skip_digits(word.bytes + letters, word.bytes + word.size) == word.bytes + word.size;
}

/* x0 to x30 and w0 to w30, in a text that RISC-V would write otherwise. */
static bool is_a64(struct spoor_slice word)
{
    return word.size >= 2 && word.size <= 3 && (*word.bytes == 'x' || *word.bytes == 'w') &&
           skip_digits(word.bytes + 1, word.bytes + word.size) == word.bytes + word.size;
}

/* Bytes of an access of RISC-V, from its mnemonic without "c_" and "sp". */
static uint8_t riscv_access(struct spoor_slice name)
{
    static const struct {
        const char *text;
        uint8_t bytes;
    } names[] = {{"lb", 1}, {"lbu", 1}, {"sb", 1},  {"lh", 2},  {"lhu", 2}, {"sh", 2},
                 {"lw", 4}, {"lwu", 4}, {"sw", 4},  {"flw", 4}, {"fsw", 4}, {"ld", 8},
                 {"sd", 8}, {"fld", 8}, {"fsd", 8}, {"flh", 2}, {"fsh", 2}};
    if (name.size > 2 && memcmp(name.bytes, "c_", 2) == 0)
        name = slice(name.bytes + 2, name.bytes + name.size);
    if (name.size > 3 && ends(name, "sp")) name.size -= 2;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.size && *name.bytes == *names[i].text && is(name, names[i].text))
            return names[i].bytes;
    if (name.size > 3 && (memcmp(name.bytes, "amo", 3) == 0 || memcmp(name.bytes, "lr_", 3) == 0 ||
                          memcmp(name.bytes, "sc_", 3) == 0))
        return memmem(name.bytes, name.size, "_w", 2)   ? 4
               : memmem(name.bytes, name.size, "_d", 2) ? 8
                                                        : 0;
    return 0;
}

/* Bytes of a load or store of A64, from its mnemonic and its first register. */
static uint8_t a64_access(struct spoor_slice name, struct spoor_slice first)
{
    if (name.size < 3 || (memcmp(name.bytes, "ld", 2) != 0 && memcmp(name.bytes, "st", 2) != 0) ||
        name.bytes[2] == 'p')
        return 0;
    if (ends(name, "rb") || ends(name, "sb")) return 1;
    if (ends(name, "rh") || ends(name, "sh")) return 2;
    if (ends(name, "sw")) return 4;
    return *first.bytes == 'w' ? 4 : 8;
}

/* A64: a comparison writes the flags, and its first register is one that it reads. */
static bool compares(struct spoor_slice name)
{
    static const char *const names[] = {"cmp",  "cmn",  "tst",   "ccmp",
                                        "ccmn", "fcmp", "fcmpe", "fccmp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(name, names[i])) return true;
    return false;
}

/* x86: the value is that of the last destination, which is the flags unless the micro-operation
 * writes none. */
static bool writes_no_flags(const struct exec_line *line, struct spoor_slice name)
{
    static const char *const names[] = {"ld", "limm", "mov", "lea", "ldst", "rdip", "movi"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(name, names[i])) return true;
    const bool stack = begins(line->macro.bytes, line->macro.bytes + line->macro.size, "PUSH") ||
                       begins(line->macro.bytes, line->macro.bytes + line->macro.size, "POP") ||
                       begins(line->macro.bytes, line->macro.bytes + line->macro.size, "CALL") ||
                       begins(line->macro.bytes, line->macro.bytes + line->macro.size, "RET");
    return stack && (is(name, "addi") || is(name, "subi"));
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

/* x86: the micro-operation that writes the instruction pointer, by the name of its macro. */
static unsigned branch_of_macro(struct spoor_slice macro)
{
    const char *at = macro.bytes, *end = at + macro.size;
    if (begins(at, end, "CALL")) return EXEC_CONTROL | EXEC_CALL;
    if (begins(at, end, "RET")) return EXEC_CONTROL | EXEC_RETURN | EXEC_INDIRECT;
    if (begins(at, end, "JMP")) return EXEC_CONTROL;
    return begins(at, end, "J") ? EXEC_CONTROL | EXEC_CONDITIONAL : 0U;
}

/* What a branch is, where the line has no flags. */
static unsigned branch_of(const struct exec_line *line, struct spoor_slice name,
                          struct spoor_slice first)
{
    if (line->macro.size) return is(name, "wrip") ? branch_of_macro(line->macro) : 0U;
    for (size_t i = 0; i < sizeof branch_names / sizeof *branch_names; i++) {
        const char *text = branch_names[i].name;
        const size_t size = strlen(text);
        if (text[size - 1] == '.' ? !begins(name.bytes, name.bytes + name.size, text)
                                  : !is(name, text))
            continue;
        const bool links = *text == 'j' && is(first, "ra"), leaves = is(name, "c_jr");
        return branch_names[i].properties | (links ? (unsigned)EXEC_CALL : 0U) |
               (leaves && is(first, "ra") ? (unsigned)EXEC_RETURN : 0U);
    }
    return 0;
}

static unsigned properties_of(const struct exec_line *line, struct spoor_slice name,
                              struct spoor_slice first)
{
    unsigned properties = line->properties;
    if (!line->flags.size && line->has_tail) properties |= branch_of(line, name, first);
    if (line->macro.size && is(name, "br")) /* within the microcode */
        properties &= ~(unsigned)EXEC_CONTROL;
    if (!line->address.size || (properties & (EXEC_LOAD | EXEC_STORE | EXEC_ATOMIC)))
        return properties;
    const char *at = name.bytes, *end = at + name.size;
    if (begins(at, end, "amo")) return properties | EXEC_ATOMIC;
    if (begins(at, end, "c_")) at += 2;
    if (begins(at, end, "f")) at++;
    return properties | (begins(at, end, "s") ? EXEC_STORE : EXEC_LOAD);
}

struct exec_insn exec_insn_of(const struct exec_line *line)
{
    struct exec_insn insn = {.size = 0};
    const char *at = line->text.bytes, *end = at + line->text.size;
    const struct spoor_slice name = next_word(&at, end, false);
    const struct spoor_slice first = next_word(&at, end, true);
    insn.properties = properties_of(line, name, first);
    const bool compressed = name.size > 2 && memcmp(name.bytes, "c_", 2) == 0;
    const bool riscv = !line->macro.size && (compressed || is_riscv(first) || is(first, "sp"));
    const bool a64 = !riscv && !line->macro.size && is_a64(first);
    if (riscv || a64 || is(name, "ecall") || is(name, "lui") || is(name, "auipc"))
        insn.size = compressed ? 2 : 4;
    if (riscv) insn.access = riscv_access(name);
    if (a64) insn.access = a64_access(name, first);
    const bool sets =
        riscv || (a64 && !ends(name, "s") && !compares(name)) || writes_no_flags(line, name);
    static const char link[] = "ra";
    if (is(name, "c_jalr") || is(name, "c_jal"))
        insn.target = slice(link, link + 2);
    else if (sets && is_register(first))
        insn.target = first;
    insn.stores = (insn.properties & EXEC_STORE) && !(insn.properties & EXEC_ATOMIC) &&
                  !begins(name.bytes, name.bytes + name.size, "sc_");
    return insn;
}
