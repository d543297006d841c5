/* SPDX-License-Identifier: MIT */
/*
 * gem5.c: the text that gem5 prints under --debug-flags=Exec: an instruction, or a
 * micro-operation, with its result and its address.
 *
 * A line becomes an INSN record; the value (D=) a REG, the address (A=) a MEM, the sequence number
 * of committed instructions an EVENT, and a branch a FLOW without its target.  The line of a
 * macro-operation is the instruction, and those of its micro-operations are the same one AGAIN,
 * with its effects; without such lines, micro-operation 0 is the instruction.  Lines of other debug
 * flags are notes.
 *
 *     [TICK: ] [FLAG: ] CPU[:] [A<asid> ] [T<thread> : ] 0xPC [@SYMBOL[+N]] [.UPC] : TEXT
 *         [ : [CLASS : ] [Predicated False] [ D=0xVALUE] [ A=0xADDRESS] [  FetchSeq=N]
 *         [  CPSeq=N] [  flags=(A|B)]]
 *
 * Which parts there are depends on the Exec flags of the run.  In the dialect of 2014 no colon
 * follows the cpu, and @SYMBOL stands in place of the pc.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/portable.h"
#include "formats/commit/parts.h"
#include "formats/probe.h"

/* What a line says of its instruction, from its flags or its class. */
enum exec_property {
    EXEC_LOAD = 1 << 0,
    EXEC_STORE = 1 << 1,
    EXEC_ATOMIC = 1 << 2,
    EXEC_CONTROL = 1 << 3,
    EXEC_CONDITIONAL = 1 << 4,
    EXEC_INDIRECT = 1 << 5,
    EXEC_CALL = 1 << 6,
    EXEC_RETURN = 1 << 7,
};

/* The parts, in the order of the line; an absent one has size 0. */
struct exec_line {
    struct spoor_slice tick, cpu, thread, pc, symbol, micro;
    struct spoor_slice macro, text; /* the macro-operation before the text of a micro-operation */
    struct spoor_slice class, value, address, fetched, committed, flags;
    bool has_tail;       /* the instruction ran: a class, values or flags may follow its text */
    bool predicated;     /* not executed because of its condition */
    unsigned properties; /* by the flags, or the class: enum exec_property */
};

enum exec_found {
    EXEC_LINE,
    EXEC_OTHER,  /* a line of another debug flag: "TICK: OBJECT: text" */
    EXEC_NEITHER /* *at is where the line differs from both */
};
/* What the text of an instruction says. */
struct exec_insn {
    struct spoor_slice target; /* the register that the value belongs to; size 0: unknown */
    uint8_t size;              /* of the instruction in bytes; 0: unknown */
    uint8_t access;            /* bytes of its access; 0: unknown */
    bool stores;               /* the value is what it stores */
    unsigned properties;       /* enum exec_property */
};

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
    /* the number of the micro-operation: one of two columns is followed by one blank, one of 2014
     * by two */
    const char *micro = place_end, *point;
    while (micro > at && ascii_is_digit(micro[-1])) micro--;
    point = micro > at && micro[-1] == ' ' ? micro - 1 : micro;
    const ptrdiff_t blanks = colon - place_end + 1;
    if (micro < place_end && blanks <= 2 && point > at && point[-1] == '.' &&
        (blanks == 1) == (place_end - point >= 2)) {
        line->micro = exec_slice(micro, place_end);
        place_end = point - 1;
    }
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
    if (tail) { /* what follows the class, unless it is something else */
        const char *at = tail + 3;
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
        line->has_tail = exec_skip_blanks(at, end) == end;
    }
    if (line->has_tail) {
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

static enum exec_found exec_split(const char *begin, const char *end, struct exec_line *line,
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

static struct exec_insn exec_insn_of(const struct exec_line *line)
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
    /* x86: the value is that of the last destination, which is the flags unless the micro-operation
     * writes none */
    static const char *const flagless[] = {"ld",   "limm", "mov",  "lea",
                                           "ldst", "rdip", "movi", NULL};
    const char *macro = line->macro.bytes, *macro_end = macro + line->macro.size;
    const bool stack =
        exec_begins(macro, macro_end, "PUSH") || exec_begins(macro, macro_end, "POP") ||
        exec_begins(macro, macro_end, "CALL") || exec_begins(macro, macro_end, "RET");
    const bool sets = riscv ||
                      (a64 && !exec_ends(name, "s") && !exec_is_one_of(name, comparisons)) ||
                      exec_is_one_of(name, flagless) ||
                      (stack && (exec_is(name, "addi") || exec_is(name, "subi")));
    if (exec_is(name, "c_jalr") || exec_is(name, "c_jal"))
        insn.target = exec_slice(link, link + 2);
    else if (sets && exec_is_register(first))
        insn.target = first;
    insn.stores = (insn.properties & EXEC_STORE) && !(insn.properties & EXEC_ATOMIC) &&
                  !exec_begins(name.bytes, name.bytes + name.size, "sc_");
    return insn;
}

/* ---- the records of a line ---- */

static void gem5_read_insn(struct commit_reader *reading, const struct exec_line *line,
                           const struct exec_insn *insn)
{
    struct spoor_record *record = commit_push(reading, SPOOR_INSN);
    record->op = line->predicated   ? SPOOR_INSN_SKIPPED
                 : line->micro.size ? SPOOR_INSN_AGAIN
                                    : SPOOR_INSN_TAKEN;
    record->insn.opcode_size = insn->size;
    if (line->tick.size) {
        commit_copy(reading, line->tick.bytes);
        record->has |= commit_count(reading, COMMIT_TICK, &record->time) ? SPOOR_HAS_TIME : 0;
    }
    char name[256]; /* a thread other than 0 is a processor of its own, "CPU:T1" */
    const struct spoor_slice *cpu = &line->cpu, *thread = &line->thread;
    const bool other = thread->size && !(thread->size == 1 && *thread->bytes == '0');
    commit_copy(reading, cpu->bytes);
    if (other && cpu->size + thread->size + 2 <= sizeof name) {
        char *at = put_bytes(name, cpu->bytes, cpu->size);
        at = put_bytes(put_bytes(at, ":T", 2), thread->bytes, thread->size);
        record->cpu = commit_intern(reading, name, (size_t)(at - name));
        reading->verbatim = true;
    } else {
        record->cpu = commit_intern(reading, cpu->bytes, cpu->size);
        commit_code(reading, COMMIT_CPU);
        reading->scan.at = cpu->bytes + cpu->size;
    }
    record->has |= SPOOR_HAS_CPU;
    if (line->pc.size) {
        record->has |= SPOOR_HAS_VA;
        commit_copy(reading, line->pc.bytes);
        commit_hex(reading, COMMIT_PC, &record->insn.va);
    }
    if (line->symbol.size) {
        commit_copy(reading, line->symbol.bytes);
        commit_symbol(reading, COMMIT_SYMBOL, line->symbol.size);
    }
    if (line->micro.size) { /* its number is the record's mode */
        commit_copy(reading, line->micro.bytes);
        record->insn.mode = commit_intern(reading, line->micro.bytes, line->micro.size);
        record->has |= SPOOR_HAS_EXTRA;
        commit_code(reading, COMMIT_MODE);
        reading->scan.at = line->micro.bytes + line->micro.size;
    }
    const char *begin = line->macro.size ? line->macro.bytes : line->text.bytes;
    const char *end = line->text.bytes + line->text.size;
    commit_copy(reading, begin);
    record->insn.disasm = spoor_batch_refer(reading->batch, begin, (size_t)(end - begin));
    commit_code(reading, COMMIT_DISASM);
    reading->scan.at = end;
    if (line->fetched.size) record->has |= SPOOR_HAS_INDEX;
}

static bool gem5_read_line(struct commit_reader *reading)
{
    static const struct spoor_slice result = {"result", 6};
    struct scan *scan = &reading->scan;
    struct spoor_record *record;
    struct exec_line line;
    const char *at;
    size_t value = 0;                     /* index of the record that has the value of the line */
    memcpy(reading->template, "tick", 5); /* a spelling begins with the unit of time */
    switch (exec_split(scan->at, scan->end, &line, &at)) {
    case EXEC_LINE: break;
    case EXEC_OTHER:
        record = commit_push(reading, SPOOR_NOTE);
        record->op = SPOOR_NOTE_COMMENT;
        record->note.text =
            spoor_batch_refer(reading->batch, scan->at, (size_t)(scan->end - scan->at));
        scan->at = scan->end;
        return true;
    default: scan->at = at; return commit_fail(reading, "a tick, a cpu and an address");
    }
    const struct exec_insn insn = exec_insn_of(&line);
    gem5_read_insn(reading, &line, &insn);
    if (line.value.size) { /* of a register; of a store, that which it stores */
        record = commit_push_further(reading, SPOOR_REG);
        record->op = insn.stores ? SPOOR_REG_READ : SPOOR_REG_WRITE;
        const struct spoor_slice name = insn.target.size ? insn.target : result;
        record->reg.name = commit_intern(reading, name.bytes, name.size);
        commit_copy(reading, line.value.bytes);
        commit_value(reading);
        value = reading->batch->count - 1;
    }
    if (line.address.size) {
        record = commit_push_further(reading, SPOOR_MEM);
        record->op = insn.properties & EXEC_ATOMIC  ? SPOOR_MEM_MODIFY
                     : insn.properties & EXEC_STORE ? SPOOR_MEM_WRITE
                                                    : SPOOR_MEM_READ;
        record->has |= SPOOR_HAS_VA;
        record->mem.size = insn.access;
        if (insn.access && line.value.size && record->op != SPOOR_MEM_MODIFY &&
            insn.stores == (record->op == SPOOR_MEM_WRITE)) {
            const uint64_t *from = &reading->batch->records[value].reg.value[0];
            const uint64_t mask =
                insn.access < 8 ? (UINT64_C(1) << 8 * insn.access) - 1 : UINT64_MAX;
            record->has |= SPOOR_HAS_DATA;
            record->mem.data[0] = *from & mask;
            text_copy_word(reading->learning, reading->batch, &record->mem.data[0], from, mask);
        }
        commit_copy(reading, line.address.bytes);
        commit_hex(reading, COMMIT_VIRTUAL, &record->mem.va);
    }
    if (line.fetched.size) {
        commit_copy(reading, line.fetched.bytes);
        commit_code(reading, COMMIT_HEAD);
        commit_count(reading, COMMIT_INDEX, &reading->batch->records[reading->first].insn.index);
    }
    if (line.committed.size) {
        if (line.fetched.size) commit_resume(reading);
        record = commit_push_further(reading, SPOOR_EVENT);
        record->op = SPOOR_EVENT_STATE;
        record->event.name = commit_intern(reading, "CPSeq", strlen("CPSeq"));
        record->has |= SPOOR_HAS_EXTRA;
        commit_copy(reading, line.committed.bytes);
        commit_count(reading, COMMIT_PERIOD, &record->event.value1);
    }
    if ((insn.properties & EXEC_CONTROL) && line.pc.size) {
        const unsigned says = insn.properties;
        record = commit_push_further(reading, SPOOR_FLOW);
        const uint64_t *pc = &reading->batch->records[reading->first].insn.va;
        text_copy_word(reading->learning, reading->batch, &record->flow.va, pc, UINT64_MAX);
        record->op = (uint8_t)(SPOOR_FLOW_TYPED |
                               (says & EXEC_CONDITIONAL ? SPOOR_FLOW_IS_CONDITIONAL : 0U) |
                               (says & EXEC_INDIRECT ? SPOOR_FLOW_IS_INDIRECT : 0U) |
                               (says & EXEC_CALL ? SPOOR_FLOW_IS_CALL : 0U) |
                               (says & EXEC_RETURN ? SPOOR_FLOW_IS_RETURN : 0U));
        record->flow.va = *pc;
        record->has |= SPOOR_HAS_VA;
        /* whether it was taken is not stated */
        if (says & EXEC_CONDITIONAL) record->has |= SPOOR_HAS_EXTRA;
    }
    commit_copy(reading, scan->end);
    return true;
}

static const struct commit_lines lines = {"gem5", gem5_read_line, NULL, NULL, NULL};
static const struct text_rules rules = {COMMIT_RULES(&lines, struct commit_reader)};

/* ---- micro-operations ---- */

/* The last instruction of each processor, by its name. */
enum { PROCESSORS = 64 };
struct last_macro {
    uint64_t pc;
    spoor_name cpu;
    bool is_macro;
};

/* Micro-operation 0 is the instruction, unless the line before was its macro-operation. */
static void gem5_resolve(struct carry *carry, struct spoor_batch *batch)
{
    if (!carry->tables) carry->tables = calloc(PROCESSORS, sizeof(struct last_macro));
    struct last_macro *lasts = carry->tables;
    batch->out_of_memory |= !lasts;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        carry_time(carry, record);
        if (record->kind != SPOOR_INSN || !lasts) continue;
        struct last_macro *last = &lasts[record->cpu % PROCESSORS];
        const bool is_micro = record->has & SPOOR_HAS_EXTRA;
        const bool follows =
            last->is_macro && last->cpu == record->cpu && last->pc == record->insn.va;
        size_t size;
        if (is_micro && !follows && record->op == SPOOR_INSN_AGAIN &&
            strcmp(spoor_names_text(batch->stream->names, record->insn.mode, &size), "0") == 0)
            record->op = SPOOR_INSN_TAKEN;
        *last = (struct last_macro){record->insn.va, record->cpu, !is_micro};
    }
}

static void gem5_forget(struct carry *carry)
{
    free(carry->tables);
    carry->tables = NULL;
}

/* ---- detection ---- */

static enum line_fit gem5_fit(const struct spoor_format *self, const char *begin, size_t size)
{
    (void)self;
    struct exec_line line;
    const char *at;
    if (size == 0) return LINE_NEUTRAL;
    switch (exec_split(begin, begin + size, &line, &at)) {
    case EXEC_LINE: return line.tick.size || line.symbol.size ? LINE_FITS : LINE_NEUTRAL;
    case EXEC_OTHER: return LINE_NEUTRAL;
    default: return LINE_MISFITS;
    }
}

/* ---- writing from other records ---- */

static bool gem5_put(struct commit_line *line, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN) {
        const struct spoor_insn *insn = &record->insn;
        text_printf(&line->head,
                    "%7llu: system.cpu%u: T0 : 0x%llx    : ", (unsigned long long)record->time,
                    commit_cpu_number(batch, record), (unsigned long long)insn->va);
        const size_t text = line->head.size;
        if (insn->disasm.size)
            text_put(&line->head, spoor_batch_bytes(batch, insn->disasm), insn->disasm.size);
        else if (record->has & SPOOR_HAS_DATA)
            text_printf(&line->head, ".inst 0x%llx", (unsigned long long)insn->opcode);
        else
            text_puts(&line->head, "unknown");
        while (line->head.size < text + 26 && !line->head.failed) text_put(&line->head, " ", 1);
        return true;
    }
    if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE &&
        (record->has & SPOOR_HAS_DATA) && !record->reg.wide.size && !record->reg.value[1]) {
        if (line->registers.size || line->stores) return false; /* a line has one value */
        text_printf(&line->registers, " D=0x%016llx", (unsigned long long)record->reg.value[0]);
        return true;
    }
    if (record->kind != SPOOR_MEM || !(record->has & SPOOR_HAS_VA) || line->accesses.size ||
        (record->op != SPOOR_MEM_READ && record->op != SPOOR_MEM_WRITE))
        return false;
    line->stores = record->op == SPOOR_MEM_WRITE;
    if (line->stores) { /* the value of a store is its data, not a register */
        line->registers.size = 0;
        if ((record->has & SPOOR_HAS_DATA) && !record->mem.wide.size && record->mem.size <= 8)
            text_printf(&line->registers, " D=0x%016llx", (unsigned long long)record->mem.data[0]);
    }
    text_puts(&line->tail, record->op == SPOOR_MEM_READ ? "MemRead" : "MemWrite");
    text_printf(&line->accesses, " A=0x%llx", (unsigned long long)record->mem.va);
    return true;
}

static const struct commit_style style = {
    .put = gem5_put, .columns = "H : T : RA\n", .no_tail = "IntAlu"};

#define BIT SPOOR_FIELD_BIT
const struct spoor_format format_gem5 = {
    .name = "gem5",
    .title = "gem5's Exec text: --debug-flags=Exec",
    .suffixes = "exec;gem5",
    .document = "gem5: src/cpu/exetrace.cc",
    .time_unit = "tick",
    .multi_record = true,
    .effects_need_insn = true,
    .one_access = true,
    .one_result = true,
    .fields =
        {
            [SPOOR_INSN] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(PC) | BIT(OPCODE_SIZE) | BIT(MODE) |
                           BIT(INDEX) | BIT(DISASM) | BIT(TEXT),
            [SPOOR_REG] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(REG) | BIT(VALUE) | BIT(BITS),
            [SPOOR_MEM] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(ADDRESS) | BIT(SIZE) | BIT(DATA),
            [SPOOR_FLOW] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(BRANCH) | BIT(PC),
            [SPOOR_EVENT] = BIT(TIME) | BIT(CPU) | BIT(OP) | BIT(EVENT) | BIT(VALUE1),
        },
    .fit = gem5_fit,
    .text = &rules,
    .resolve = gem5_resolve,
    .resolves_little = true,
    .forget = gem5_forget,
    .write = commit_write,
    .end = commit_end,
    .variant = &style,
};
