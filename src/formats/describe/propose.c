/* SPDX-License-Identifier: MIT */
/*
 * propose.c: proposes a description of a log of which nothing is known but its lines.
 *
 * A line begins with columns (its head), up to the name of an instruction, of a register, or a word
 * like "mem"; then comes a disassembly, then effects.  Lines whose heads have the same kinds of
 * tokens are a group, and a group becomes a rule: its columns are told by what they do from line to
 * line.  Effects of one form become a part.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/scan.h"
#include "formats/describe/describe.h"
#include "formats/describe/registry.h"
#include "model/error.h"

enum {
    LINES = 4000,
    TOKENS = 40, /* of a head */
    GROUPS = 200,
    PARTS = 60,
    TEMPLATE = 400, /* bytes */
};

/* ---- tokens ---- */

/* 'B' blanks, 'X' a number with 0x, 'N' digits, 'H' hexadecimal digits, 'W' a word, 'P' another
 * byte. */
struct token {
    char kind;
    struct spoor_slice text;
};

static bool propose_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool propose_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool propose_is_hex(char c)
{
    return hex_value[(unsigned char)c] < 16;
}

static bool propose_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next token of a line; false at its end. */
static bool propose_token(const char *at, const char *end, struct token *token)
{
    const char *stop = at;
    if (at == end) return false;
    if (propose_is_blank(*at)) {
        while (stop < end && propose_is_blank(*stop)) stop++;
        token->kind = 'B';
    } else if (end - at > 2 && at[0] == '0' && at[1] == 'x' && propose_is_hex(at[2])) {
        for (stop += 2; stop < end && propose_is_hex(*stop); stop++) continue;
        token->kind = 'X';
    } else {
        const char *digits = at + (*at == '-');
        const bool number = digits < end && propose_is_digit(*digits);
        for (stop = number ? digits : at; stop < end && propose_is_hex(*stop); stop++) continue;
        const bool ends = stop == end || (!propose_is_letter(*stop) && !propose_is_digit(*stop));
        token->kind = 'N';
        if (!ends || (!number && stop - at < 4)) {
            stop = at;
            token->kind = propose_is_letter(*at) ? 'W' : 'P';
            if (token->kind == 'P') stop++;
            while (token->kind == 'W' && stop < end &&
                   (propose_is_letter(*stop) || propose_is_digit(*stop)))
                stop++;
            if (token->kind == 'P' && propose_is_digit(*at)) { /* "0abcg": a word of digits */
                token->kind = 'W';
                while (stop < end && (propose_is_letter(*stop) || propose_is_digit(*stop))) stop++;
            }
        }
    }
    token->text = (struct spoor_slice){at, (size_t)(stop - at)};
    return true;
}

static bool propose_among(const char *words, struct spoor_slice word)
{
    for (const char *at = words; *at;) {
        const char *end = strchrnul(at, ' ');
        if ((size_t)(end - at) == word.size && strncasecmp(at, word.bytes, word.size) == 0)
            return true;
        at = *end ? end + 1 : end;
    }
    return false;
}

static bool propose_is_mnemonic(struct spoor_slice word)
{
    static const char known[] =
        "lui auipc jal jalr beq bne blt bge bltu bgeu lb lh lw lbu lhu sb sh sw addi slti sltiu "
        "xori ori andi slli srli srai add sub sll slt sltu xor srl sra or and fence ecall ebreak "
        "lwu ld sd addiw addw subw mul mulh mulhu mulhsu div divu rem remu mulw divw li mv not neg "
        "nop ret j jr beqz bnez blez bgez bltz bgtz csrr csrw csrs csrc csrrw csrrs csrrc csrwi "
        "csrsi csrci csrrwi csrrsi csrrci mret sret uret wfi sext zext la call tail mov movs ldr "
        "str ldrb strb ldrh strh ldp stp push pop cmp b bl bx cbz cbnz tbz tbnz bgt blt adds subs "
        "lsl lsr asr adrp adr movz movk orr eor test lea je jne jmp sfence fence.i seqz snez sltz "
        "sgtz fld fsd flw fsw unimp";
    if (word.size > 2 && word.bytes[0] == 'c' && word.bytes[1] == '_') return true;
    if (propose_among(known, word)) return true;
    return word.size > 1 && word.bytes[word.size - 1] == 's' &&
           propose_among(known, (struct spoor_slice){word.bytes, word.size - 1});
}

static bool propose_is_register(struct spoor_slice word)
{
    static const char letters[] = "x f v r s t a w ft fs fa";
    static const char names[] =
        "zero ra sp gp tp fp lr mstatus sstatus mepc sepc mcause scause mtval stval mtvec stvec "
        "mscratch sscratch mie mip sie sip fcsr fflags frm satp medeleg mideleg";
    size_t name = 0;
    while (name < word.size && !propose_is_digit(word.bytes[name])) name++;
    const size_t digits = word.size - name;
    bool numbered = digits >= 1 && digits <= 2;
    for (size_t i = name; i < word.size; i++)
        numbered = numbered && propose_is_digit(word.bytes[i]);
    if (numbered && propose_among(letters, (struct spoor_slice){word.bytes, name})) return true;
    if (word.size > 3 && word.bytes[0] == 'c' && propose_is_digit(word.bytes[1]) &&
        memchr(word.bytes, '_', word.size))
        return true; /* c768_mstatus */
    return propose_among(names, word);
}

static bool propose_is_access(struct spoor_slice word)
{
    return slice_is(word, "mem") || slice_is(word, "load") || slice_is(word, "store") ||
           slice_is(word, "PA") || slice_is(word, "VA");
}

/* ---- lines ---- */

struct sample_line {
    struct token head[TOKENS];
    unsigned count;
    struct spoor_slice disasm, tail;
    bool quoted;
    int group;
};

/* True if an effect may begin at these blanks: "  x5=0x..." or " VA: ". */
static bool propose_begins_effect(const char *at, const char *end)
{
    while (at < end && propose_is_blank(*at)) at++;
    if (end - at > 4 && (memcmp(at, "VA: ", 4) == 0 || memcmp(at, "PA:0", 4) == 0)) return true;
    const char *word = at;
    while (at < end && ((*at >= 'a' && *at <= 'z') || (at > word && propose_is_digit(*at)))) at++;
    if (at == word) return false;
    while (at < end && *at == ' ') at++;
    if (at == end || (*at != '=' && *at != ':')) return false;
    at++;
    if (at < end && *at == ' ') at++;
    if (end - at > 2 && at[0] == '0' && at[1] == 'x') at += 2;
    const char *digits = at;
    while (at < end && propose_is_hex(*at)) at++;
    return at - digits >= 4;
}

/* Splits a line into its columns, its disassembly and its effects. */
static void propose_split(struct sample_line *line, const char *at, const char *end)
{
    struct token token;
    bool numbered = false;
    line->count = 0;
    line->group = -1;
    line->disasm = (struct spoor_slice){"", 0};
    line->quoted = false;
    while (line->count < TOKENS && propose_token(at, end, &token)) {
        const struct token *before = line->count ? &line->head[line->count - 1] : NULL;
        const bool begins = (!before || before->kind == 'B' || before->kind == 'P') &&
                            !(before && *before->text.bytes == '[');
        if (token.kind == 'W' && begins) {
            const bool dotted = slice_is(token.text, "c") && end - at > 2 && at[1] == '.';
            if (numbered &&
                (dotted || propose_is_mnemonic(token.text) || propose_is_access(token.text)))
                break;
            if (propose_is_register(token.text)) break;
        }
        numbered |= token.kind == 'X' || token.kind == 'N';
        line->head[line->count++] = token;
        at += token.text.size;
    }
    if (propose_token(at, end, &token) && token.kind == 'W' &&
        (propose_is_mnemonic(token.text) || slice_is(token.text, "c"))) {
        line->quoted = line->count && *line->head[line->count - 1].text.bytes == '"';
        const char *cut = line->quoted ? memchr(at, '"', (size_t)(end - at)) : NULL;
        line->quoted = cut != NULL;
        for (const char *place = at; place < end && !line->quoted && !cut; place++)
            if (propose_is_blank(*place) && !propose_is_blank(place[-1]) &&
                propose_begins_effect(place, end))
                cut = place;
        if (!cut) cut = end;
        line->disasm = (struct spoor_slice){at, (size_t)(cut - at)};
        at = cut + (line->quoted && cut < end);
    }
    line->tail = (struct spoor_slice){at, (size_t)(end - at)};
    while (line->count && line->head[line->count - 1].kind == 'B' && !line->disasm.size)
        line->count--;
}

/* True if the columns of one line begin those of the other. */
static bool propose_begins(const struct sample_line *shorter, const struct sample_line *line)
{
    if (shorter->count > line->count) return false;
    for (unsigned i = 0; i < shorter->count; i++) {
        const struct token *a = &shorter->head[i], *b = &line->head[i];
        if (a->kind != b->kind || (a->kind == 'P' && *a->text.bytes != *b->text.bytes))
            return false;
    }
    return true;
}

/* ---- groups ---- */

struct group {
    const struct sample_line *like; /* its first line */
    size_t count, disassembled;
};
struct proposal {
    struct sample_line *lines;
    size_t count;
    struct group groups[GROUPS];
    size_t group_count;
    struct proposed_part {
        char text[TEMPLATE]; /* "reg write: {reg}={value:x}" */
        size_t count;
        bool is_access;
    } parts[PARTS];
    size_t part_count;
    char words[200];
    bool riscv;
};

static void propose_group(struct proposal *proposal)
{
    for (size_t i = 0; i < proposal->count; i++) {
        struct sample_line *line = &proposal->lines[i];
        for (size_t k = 0; k < proposal->group_count && line->group < 0; k++) {
            const struct sample_line *like = proposal->groups[k].like;
            if (like->count == line->count && propose_begins(like, line)) line->group = (int)k;
        }
        if (line->group < 0 && proposal->group_count < GROUPS) {
            line->group = (int)proposal->group_count++;
            proposal->groups[line->group] = (struct group){.like = line};
        }
        if (line->group < 0) continue;
        proposal->groups[line->group].count++;
        proposal->groups[line->group].disassembled += line->disasm.size > 0;
    }
    /* instructions whose names the list has not: their heads begin like those of a large group */
    for (size_t k = 0; k < proposal->group_count; k++) {
        struct group *group = &proposal->groups[k];
        int top = -1;
        if (group->count > proposal->count / 20 && group->disassembled > group->count / 2) continue;
        for (size_t t = 0; t < proposal->group_count; t++) {
            const struct group *other = &proposal->groups[t];
            if (t != k && other->count > proposal->count / 20 &&
                other->disassembled > other->count / 2 &&
                propose_begins(other->like, group->like) &&
                (top < 0 || other->like->count > proposal->groups[top].like->count))
                top = (int)t;
        }
        if (top < 0) continue;
        for (size_t i = 0; i < proposal->count; i++) {
            struct sample_line *line = &proposal->lines[i];
            if (line->group != (int)k) continue;
            const unsigned count = proposal->groups[top].like->count;
            const char *from = count < line->count ? line->head[count].text.bytes
                               : line->disasm.size ? line->disasm.bytes
                                                   : line->tail.bytes;
            line->disasm =
                (struct spoor_slice){from, (size_t)(line->tail.bytes + line->tail.size - from)};
            line->tail.bytes += line->tail.size;
            line->tail.size = 0;
            line->count = count;
            line->group = top;
        }
        proposal->groups[top].count += group->count;
        proposal->groups[top].disassembled += group->count;
        group->count = 0;
    }
}

/* ---- columns ---- */

/* What the texts of one column of a group are. */
struct column {
    char kind;                          /* as of a token; 'H' hexadecimal digits */
    size_t shortest, longest, distinct; /* texts: at most 64 are told apart */
    struct spoor_slice words[64];
    uint64_t least, most;
    double steps, ones; /* shares of lines after which it grew by 1 to 8, and by 1 */
    bool rising;
    double opcodes;    /* share of values that decode as RISC-V's */
    const char *field; /* its name, NULL: none */
};

static bool propose_decodes(uint64_t value)
{
    static const uint64_t major =
        UINT64_C(1) << 0 | UINT64_C(1) << 1 | UINT64_C(1) << 2 | UINT64_C(1) << 3 |
        UINT64_C(1) << 4 | UINT64_C(1) << 5 | UINT64_C(1) << 6 | UINT64_C(1) << 8 |
        UINT64_C(1) << 9 | UINT64_C(1) << 10 | UINT64_C(1) << 11 | UINT64_C(1) << 12 |
        UINT64_C(1) << 13 | UINT64_C(1) << 14 | UINT64_C(1) << 16 | UINT64_C(1) << 17 |
        UINT64_C(1) << 18 | UINT64_C(1) << 19 | UINT64_C(1) << 20 | UINT64_C(1) << 21 |
        UINT64_C(1) << 22 | UINT64_C(1) << 24 | UINT64_C(1) << 25 | UINT64_C(1) << 27 |
        UINT64_C(1) << 28;
    if ((value & 3) != 3) return value && value <= UINT16_MAX;
    return value <= UINT32_MAX && (major >> (value >> 2 & 31) & 1);
}

static void propose_measure(const struct proposal *proposal, size_t group, unsigned number,
                            struct column *column)
{
    bool letters = false, padded = false, same_size = true;
    size_t count = 0, grew = 0, by_one = 0, good = 0;
    uint64_t before = 0;
    *column = (struct column){.shortest = SIZE_MAX, .least = UINT64_MAX, .rising = true};
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < proposal->count; i++) {
            const struct sample_line *line = &proposal->lines[i];
            if (line->group != (int)group || number >= line->count) continue;
            const struct token *token = &line->head[number];
            const struct spoor_slice text = token->text;
            if (pass == 0) {
                column->kind = token->kind;
                for (size_t k = 0; k < text.size; k++) letters |= propose_is_letter(text.bytes[k]);
                padded |= *text.bytes == '0' && text.size > 1;
                if (text.size < column->shortest) column->shortest = text.size;
                if (text.size > column->longest) column->longest = text.size;
                bool known = column->distinct == 64;
                for (size_t k = 0; k < column->distinct && !known; k++)
                    known = column->words[k].size == text.size &&
                            memcmp(column->words[k].bytes, text.bytes, text.size) == 0;
                if (!known) column->words[column->distinct++] = text;
                continue;
            }
            uint64_t value = 0;
            const char *at = token->text.bytes, *end = at + token->text.size;
            if (token->kind == 'X') at += 2;
            if (at < end && *at == '-') at++;
            const unsigned base = column->kind == 'N' ? 10 : 16;
            for (; at < end; at++) value = value * base + hex_value[(unsigned char)*at] % 16;
            good += propose_decodes(value);
            if (value < column->least) column->least = value;
            if (value > column->most) column->most = value;
            if (count) {
                grew += value > before && value - before <= 8;
                by_one += value - before == 1;
                column->rising &= value >= before;
            }
            before = value;
            count++;
        }
        same_size = column->shortest == column->longest;
        if (pass == 0 && column->kind == 'N' &&
            (letters || (same_size && column->longest >= 4) || (column->longest >= 6 && padded)))
            column->kind = 'H';
    }
    const double pairs = count > 1 ? (double)(count - 1) : 1;
    column->steps = (double)grew / pairs;
    column->ones = (double)by_one / pairs;
    column->rising &= column->most > column->least;
    column->opcodes = count ? (double)good / (double)count : 0;
}

static bool propose_all_among(const struct column *column, const char *words)
{
    for (size_t i = 0; i < column->distinct; i++)
        if (!propose_among(words, column->words[i])) return false;
    return column->distinct && column->distinct < 64;
}

static bool propose_has(const struct column *columns, unsigned count, const char *field)
{
    for (unsigned i = 0; i < count; i++)
        if (columns[i].field && strcmp(columns[i].field, field) == 0) return true;
    return false;
}

/* The address and the opcode of an instruction: columns of digits, of which one grows by the size
 * of an instruction and the other decodes. */
static bool propose_find_insn(const struct group *group, struct column *columns, unsigned count)
{
    int pc = -1, labelled = -1;
    bool opcodes = false;
    for (unsigned i = 0; i < count; i++) {
        struct column *column = &columns[i];
        const bool wide = (column->kind == 'X' || column->kind == 'H') && column->longest >= 4;
        const size_t digits = column->longest - (column->kind == 'X' ? 2 : 0);
        /* The word before a column: "pc" of "pc=80000000" and of "pc 80000000". */
        unsigned found = i;
        const struct token *head = group->like->head;
        while (found > 0 && head[found - 1].kind != 'W' && head[found - 1].kind != 'X' &&
               head[found - 1].kind != 'N' && strchr(" \t=:[(", *head[found - 1].text.bytes))
            found--;
        const struct spoor_slice label = found > 0 && head[found - 1].kind == 'W'
                                             ? head[found - 1].text
                                             : (struct spoor_slice){"", 0};
        const bool named = propose_among("op opcode inst insn instr", label);
        const bool opcode = wide && column->opcodes > 0.9 && digits <= 8 &&
                            ((column->distinct > 1 && column->most > 0x1000) || named);
        opcodes |= opcode;
        if (!opcode) column->opcodes = 0;
        if (wide && labelled < 0 && propose_among("pc", label)) labelled = (int)i;
        if (!wide || column->most == column->least) continue;
        if ((column->steps >= 0.35 && (pc < 0 || column->steps > columns[pc].steps + 0.1)) ||
            (group->count < 4 && pc < 0))
            pc = (int)i;
    }
    if (labelled >= 0) pc = labelled;
    if (pc < 0 || (!opcodes && !group->disassembled)) return false;
    columns[pc].field = "pc";
    columns[pc].opcodes = 0;
    for (unsigned i = (unsigned)pc + 1; i < count; i++)
        if (columns[i].opcodes > 0) {
            columns[i].field = "opcode";
            break;
        }
    return true;
}

/* Names the small columns: time, order, processor, mode, size. */
static void propose_name_small(const struct group *group, struct column *columns, unsigned count,
                               bool insn)
{
    unsigned pc = 0;
    while (insn && strcmp(columns[pc].field ? columns[pc].field : "", "pc") != 0) pc++;
    const char *word = "";
    size_t word_size = 0;
    for (unsigned i = 0; i < count; i++) {
        struct column *column = &columns[i];
        const struct token *own = &group->like->head[i];
        if (column->kind == 'W' && column->distinct == 1) {
            word = own->text.bytes;
            word_size = own->text.size;
        }
        const struct spoor_slice hint = {word, word_size};
        if (column->kind == 'W' && insn && propose_all_among(column, "M S U D H V") &&
            !propose_has(columns, count, "mode"))
            column->field = "mode";
        if (column->kind != 'N' || column->field) continue;
        const bool bracketed = i && strchr("(#[", *group->like->head[i - 1].text.bytes);
        const bool is_cpu =
            !propose_has(columns, count, "cpu") && propose_among("core hart cpu c", hint);
        if (column->rising && group->count > 3) {
            const bool order = (column->ones > 0.9 && propose_has(columns, count, "time")) ||
                               (bracketed && column->ones > 0.5);
            const char *field = order ? "index" : "time";
            if (!propose_has(columns, count, field)) column->field = field;
        } else if (!is_cpu && insn && i < pc && column->most > 0 &&
                   propose_all_among(column, "0 1 3") && !propose_has(columns, count, "mode")) {
            column->field = "mode";
        } else if (is_cpu || (insn && i == 0 && column->most < 64)) {
            column->field = "cpu";
        } else if (!insn && i > 0 &&
                   propose_all_among(column, "1 2 3 4 5 6 7 8 9 10 11 16 32 64")) {
            column->field = "size";
        }
    }
}

/* Appends a spelling, unless it is there. */
static void propose_add_label(char *words, size_t size, struct spoor_slice word, unsigned bytes,
                              bool reads)
{
    char label[64];
    const size_t used = strlen(words);
    if (bytes)
        snprintf(label, sizeof label, "%.*s%u=%s", (int)word.size, word.bytes, bytes,
                 reads ? "read" : "write");
    else
        snprintf(label, sizeof label, "%.*s=%s", (int)word.size, word.bytes,
                 reads ? "read" : "write");
    if (word.size > 16 || used + strlen(label) + 2 > size || strstr(words, label)) return;
    snprintf(words + used, size - used, "%s%s", used ? " " : "", label);
}

/* True if all words say that something is read or written, as "MR8" and "MW8" do: their spellings
 * go to `words`.  A number at their end is a size, of which the sample has some. */
static bool propose_find_labels(const struct column *column, char *words, size_t size)
{
    if (column->distinct < 2 || column->distinct > 16) return false;
    for (size_t i = 0; i < column->distinct; i++) {
        struct spoor_slice word = column->words[i];
        const char *at = word.bytes + (word.size > 2 && (*word.bytes | 0x20) == 'm');
        const bool reads = strncasecmp(at, "r", 1) == 0 || strncasecmp(at, "l", 1) == 0;
        const bool writes = strncasecmp(at, "w", 1) == 0 || strncasecmp(at, "s", 1) == 0;
        if (reads == writes) {
            words[0] = '\0';
            return false;
        }
        const bool sized = propose_is_digit(word.bytes[word.size - 1]);
        while (word.size && propose_is_digit(word.bytes[word.size - 1])) word.size--;
        for (unsigned bytes = 1; sized && bytes <= 16; bytes *= 2)
            propose_add_label(words, size, word, bytes, reads);
        if (!sized) propose_add_label(words, size, word, 0, reads);
    }
    return true;
}

/* Names the columns of an access: its label, address, size and data.  False: there is no address.
 */
static bool propose_name_access(struct proposal *proposal, struct column *columns, unsigned count)
{
    static const struct {
        const char *labels, *words;
    } known[] = {{"r w i m c v", "r=read w=write i=fetch m=misc c=copy-back v=invalidate"},
                 {"0 1 2", "0=read 1=write 2=fetch"},
                 {"L S M I", "L=read S=write M=modify I=fetch"},
                 {"R W", "R=read W=write"},
                 {"LD ST", "LD=read ST=write"},
                 {"load store", "load=read store=write"}};
    int address = -1;
    for (unsigned i = 0; i < count && i < 2; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known && !columns[i].field; k++)
            if ((columns[i].kind == 'W' || columns[i].kind == 'N') &&
                propose_all_among(&columns[i], known[k].labels) && !proposal->words[0]) {
                columns[i].field = "op:label";
                snprintf(proposal->words, sizeof proposal->words, "%s", known[k].words);
            }
    for (unsigned i = 0; i < count; i++) {
        const struct column *column = &columns[i];
        const bool digits = column->kind == 'X' || column->kind == 'H' || column->kind == 'N';
        if (!digits || column->most == column->least) continue;
        if (column->field && strcmp(column->field, "size") != 0) continue;
        if (column->field && column->distinct <= 16) continue;
        if (address < 0 || column->distinct > columns[address].distinct) address = (int)i;
    }
    if (address < 0) return false;
    columns[address].field = "addr";
    for (unsigned i = 0; i < count && !proposal->words[0]; i++)
        if (columns[i].kind == 'W' && !columns[i].field &&
            propose_find_labels(&columns[i], proposal->words, sizeof proposal->words))
            columns[i].field = "op:label";
    if (!propose_has(columns, count, "op:label")) return false; /* any numbers may be no access */
    for (unsigned i = 0; i < count; i++) {
        struct column *column = &columns[i];
        if (column->field || (column->kind != 'H' && column->kind != 'X')) continue;
        if (column->distinct <= 16 && column->most <= 64 && !propose_has(columns, count, "size"))
            column->field = "size";
        else if (i > (unsigned)address && !propose_has(columns, count, "data"))
            column->field = "data";
    }
    return true;
}

/* ---- templates ---- */

static void propose_put_literal(struct text *out, struct spoor_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (memchr("\\{}", text.bytes[i], 3)) text_put(out, "\\", 1); /* a NUL is none of them */
        text_put(out, &text.bytes[i], 1);
    }
}

static void propose_put_column(struct text *out, const struct column *column,
                               const struct token *like)
{
    const char *field = column->field ? column->field : "";
    const bool typed = strchr(field, ':') != NULL;
    switch (column->kind) {
    case 'B': text_put(out, " ", 1); break;
    case 'P': propose_put_literal(out, like->text); break;
    case 'X': text_printf(out, "0x{%s:x}", field); break;
    case 'H': text_printf(out, typed ? "{%s}" : "{%s:x}", field); break;
    case 'N':
        if (typed || strcmp(field, "mode") == 0 || strcmp(field, "cpu") == 0)
            text_printf(out, "{%s}", field);
        else
            text_printf(out, "{%s:%s}", field, strcmp(field, "addr") == 0 ? "x" : "d");
        break;
    default:
        if (*field)
            text_printf(out, "{%s}", field);
        else if (column->distinct == 1)
            propose_put_literal(out, like->text);
        else
            text_puts(out, "{:w}");
        break;
    }
}

/* ---- effects ---- */

/* Adds a part for the effect in these tokens, "x5=0x..." or "mem 0x... 0x...". */
static void propose_add_part(struct proposal *proposal, const struct token *tokens, size_t count)
{
    struct text lead = {0}, out = {0};
    size_t first = 0, values = 0, numbers = 0;
    while (first < count &&
           (tokens[first].kind == 'B' || strchr(",;\"", *tokens[first].text.bytes))) {
        if (tokens[first].kind == 'P') propose_put_literal(&lead, tokens[first].text);
        first++;
    }
    while (count > first && tokens[count - 1].kind == 'B') count--;
    const struct spoor_slice word =
        first < count ? tokens[first].text : (struct spoor_slice){"", 0};
    const bool is_word = first < count && tokens[first].kind == 'W';
    const bool access = propose_is_access(word);
    const bool is_data = slice_is(word, "store") || slice_is(word, "load");
    bool colon = false;
    for (size_t i = first; i < count; i++) {
        numbers += tokens[i].kind == 'X' || tokens[i].kind == 'N';
        colon |= tokens[i].kind == 'P' && *tokens[i].text.bytes == ':';
    }
    if (access)
        propose_put_literal(&out, word);
    else
        text_puts(&out, "{reg}");
    bool after_field = true;
    for (size_t i = first + 1; i < count; i++) {
        const struct token *token = &tokens[i];
        const bool number = token->kind == 'X' || token->kind == 'N';
        if (token->kind == 'B') {
            text_puts(&out, after_field && !access ? "{ }" : " ");
        } else if (number) {
            const char *name = !access                ? values + 1 == numbers ? "value" : ""
                               : is_data && colon     ? values ? "extra" : "data"
                               : slice_is(word, "PA") ? values ? "data" : "pa"
                               : values == 0          ? "addr"
                               : values == 1          ? "data"
                                                      : "extra";
            text_printf(&out, "%s{%s:x}", token->kind == 'X' ? "0x" : "", name);
            values++;
        } else if (token->kind == 'W' && !propose_is_access(token->text)) {
            text_puts(&out, "{:w}");
        } else {
            propose_put_literal(&out, token->text);
        }
        after_field = number || token->kind == 'W';
    }
    text_put(&out, "", 1);
    text_put(&lead, "", 1);
    if (is_word && values && !out.failed && !lead.failed && out.size < TEMPLATE / 2) {
        const char *op = access  ? slice_is(word, "store") || (slice_is(word, "mem") && values > 1)
                                       ? "write"
                                       : "read"
                         : colon ? "read"
                                 : "write";
        char made[TEMPLATE];
        snprintf(made, sizeof made, "%s %s: %s%s%s", access ? "mem" : "reg", op, lead.bytes,
                 lead.size > 1 ? "{ }" : "", out.bytes);
        size_t i = 0;
        while (i < proposal->part_count && strcmp(proposal->parts[i].text, made) != 0) i++;
        if (i == proposal->part_count && i < PARTS) {
            memcpy(proposal->parts[i].text, made, sizeof made);
            proposal->parts[i].is_access = access;
            proposal->part_count++;
        }
        if (i < PARTS) proposal->parts[i].count++;
    }
    text_free(&out);
    text_free(&lead);
}

/* Splits the rest of a line into effects, which begin at registers and words like "mem". */
static size_t propose_add_effects(struct proposal *proposal, struct spoor_slice tail)
{
    struct token tokens[2 * TOKENS];
    size_t count = 0, effects = 0;
    bool worded = false;
    const char *at = tail.bytes, *end = at + tail.size;
    struct token token;
    for (;;) {
        const bool more = propose_token(at, end, &token);
        const bool begins = more && token.kind == 'W' &&
                            (propose_is_register(token.text) || propose_is_access(token.text)) &&
                            !(count && (slice_is(tokens[count - 1].text, "load") ||
                                        slice_is(tokens[count - 1].text, "store")));
        if ((begins && worded) || !more || count == sizeof tokens / sizeof *tokens) {
            size_t lead = count; /* what stands between belongs to the next one */
            while (more && lead > 0 &&
                   (tokens[lead - 1].kind == 'B' || strchr(",;", *tokens[lead - 1].text.bytes)))
                lead--;
            if (worded) {
                propose_add_part(proposal, tokens, lead);
                effects++;
            }
            memmove(tokens, tokens + lead, (count - lead) * sizeof *tokens);
            count -= lead;
            worded = false;
            if (count == sizeof tokens / sizeof *tokens) count = 0;
        }
        if (!more) return effects;
        worded |= token.kind == 'W';
        tokens[count++] = token;
        at += token.text.size;
    }
}

/* True for an effect that is no chance of a few lines. */
static bool propose_is_usual(const struct proposal *proposal, const struct proposed_part *part)
{
    return part->count > proposal->count / 2000;
}

/* ---- rules ---- */

/* Appends the rule of a group; false: nothing is known of its lines. */
static bool propose_rule(struct proposal *proposal, size_t number, struct text *out)
{
    const struct group *group = &proposal->groups[number];
    const unsigned count = group->like->count;
    struct column *columns = calloc(count + 1, sizeof *columns);
    if (!columns) return false;
    for (unsigned i = 0; i < count; i++) propose_measure(proposal, number, i, &columns[i]);
    const bool insn = propose_find_insn(group, columns, count);
    propose_name_small(group, columns, count, insn);
    size_t effects = 0, tails = 0;
    const size_t parts = proposal->part_count;
    size_t before[PARTS];
    for (size_t i = 0; i < PARTS; i++) before[i] = proposal->parts[i].count;
    for (size_t i = 0; i < proposal->count; i++) {
        const struct sample_line *line = &proposal->lines[i];
        if (line->group != (int)number || !line->tail.size) continue;
        bool text = false;
        for (size_t k = 0; k < line->tail.size; k++) text |= !propose_is_blank(line->tail.bytes[k]);
        tails += text;
        effects += propose_add_effects(proposal, line->tail);
    }
    bool access = false;
    if (!insn) access = propose_name_access(proposal, columns, count);
    size_t best = 0; /* the commonest effect of these lines */
    for (size_t i = 1; i < proposal->part_count; i++)
        if (proposal->parts[i].count - before[i] > proposal->parts[best].count - before[best])
            best = i;
    const bool reg = !insn && !access && effects && proposal->part_count &&
                     proposal->parts[best].count > before[best];
    struct text line = {0};
    for (unsigned i = 0; i < count; i++)
        propose_put_column(&line, &columns[i], &group->like->head[i]);
    proposal->riscv |= propose_has(columns, count, "opcode");
    double steps = 1; /* of addresses: how many are to what follows */
    for (unsigned i = 0; i < count; i++)
        if (columns[i].field && strcmp(columns[i].field, "pc") == 0) steps = columns[i].steps;
    free(columns);
    if (!insn && !access && !reg) {
        text_free(&line);
        return false;
    }
    size_t from = 0;
    while (from < line.size && line.bytes[from] == ' ') from++;
    while (line.size > from && line.bytes[line.size - 1] == ' ' && !reg) line.size--;
    if (steps < 0.6)
        text_printf(out,
                    "# is {pc} the address?  Of %zu lines, %.0f %% are to the next instruction.\n",
                    group->count, 100 * steps);
    text_printf(out, "%s: %.*s",
                insn     ? "insn"
                : access ? "mem"
                         : "reg",
                (int)(line.size - from), line.bytes ? line.bytes + from : "");
    if (reg) { /* the line is an effect of its own */
        const bool apart = line.size > from && line.bytes[line.size - 1] != ' ';
        text_printf(out, "%s%s\n", apart ? " " : "", strchr(proposal->parts[best].text, ':') + 2);
        text_free(&line);
        for (size_t i = 0; i < PARTS; i++) proposal->parts[i].count = i < parts ? before[i] : 0;
        proposal->part_count = parts;
        return true;
    }
    text_free(&line);
    const bool glued = group->like->count && group->like->head[group->like->count - 1].kind != 'B';
    if (group->disassembled)
        text_puts(out, group->disassembled < group->count ? "{?{ }{disasm}}"
                       : glued                            ? "{disasm}"
                                                          : " {disasm}");
    if (group->like->quoted) text_put(out, "\"", 1);
    bool kept = false; /* an effect that the description will have */
    for (size_t i = 0; i < proposal->part_count; i++)
        kept |= propose_is_usual(proposal, &proposal->parts[i]);
    if (effects && insn && kept)
        text_puts(out, "{*{ }{effect}}");
    else if (insn && !group->disassembled && tails)
        text_puts(out, "{? {disasm}}");
    else if (access && tails)
        text_puts(out, "{? {:t}}");
    text_put(out, "\n", 1);
    return true;
}

/* A table: the fields of columns by their names.  False: no column has a known name. */
static bool propose_table(struct spoor_slice title, struct text *out)
{
    static const struct {
        const char *word, *field;
    } known[] = {
        {"pc", "{pc:x}"},         {"address", "{pc:x}"},        {"binary", "{opcode:x}"},
        {"opcode", "{opcode:x}"}, {"insn", "{opcode:x}"},       {"inst", "{opcode:x}"},
        {"mode", "{mode}"},       {"priv", "{mode}"},           {"instr_str", "{disasm:T}"},
        {"disass", "{disasm:T}"}, {"cycle", "{time}"},          {"time", "{time}"},
        {"hart", "{cpu}"},        {"gpr", "{*{?;}{register}}"}, {"csr", "{*{?;}{register}}"}};
    uint32_t used = 0;
    bool registers = false;
    size_t columns = 1;
    for (size_t i = 0; i < title.size; i++) {
        const char c = title.bytes[i];
        columns += c == ',';
        if (c != ',' && c != ' ' && !propose_is_letter(c)) return false;
    }
    const size_t before = out->size;
    if (columns < 4) return false;
    text_puts(out, "isa riscv\ncsv ,\ninsn:\n");
    const char *at = title.bytes, *end = at + title.size;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        while (at < stop && *at == ' ') at++;
        const struct spoor_slice name = {at, (size_t)(stop - at)};
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            const size_t size = strlen(known[k].word);
            const bool part = size > 3 && memmem(name.bytes, name.size, known[k].word, size) &&
                              strcmp(known[k].word, "inst") != 0;
            if ((used >> k & 1) || !(part || propose_among(known[k].word, name))) continue;
            for (size_t other = 0; other < sizeof known / sizeof *known; other++)
                if (k < 13 && strcmp(known[other].field, known[k].field) == 0)
                    used |= UINT32_C(1) << other;
            registers |= k >= 13;
            text_printf(out, "column %.*s: %s\n", (int)name.size, name.bytes, known[k].field);
            break;
        }
        at = comma ? comma + 1 : end;
    }
    if (registers) text_puts(out, "    register reg: {reg:w}:{value:x}\n");
    if (used || registers) return true;
    out->size = before;
    return false;
}

/* ---- the whole ---- */

static int propose_compare(const void *a, const void *b)
{
    const struct proposed_part *one = a, *other = b;
    if (one->is_access != other->is_access) return one->is_access ? -1 : 1;
    const size_t size = strlen(one->text), other_size = strlen(other->text);
    if (size != other_size) return size > other_size ? -1 : 1;
    return strcmp(one->text, other->text);
}

/* Splits the sample, of which "x 5 " becomes "x5  ", into lines. */
static bool propose_read(struct proposal *proposal, char *text, size_t size)
{
    char *at = text, *const end = text + size;
    proposal->lines = calloc(LINES, sizeof *proposal->lines);
    if (!proposal->lines) return false;
    while (at < end && proposal->count < LINES) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *stop = newline ? newline : end, *next = newline ? newline + 1 : end;
        if (!newline && proposal->count) break; /* the sample ends within the line */
        if (stop > at && stop[-1] == '\r') stop--;
        for (char *place = at; place + 4 <= stop; place++)
            if ((place[0] == 'x' || place[0] == 'f') && place[1] == ' ' &&
                propose_is_digit(place[2]) && place[3] == ' ' &&
                (place == at || (!propose_is_letter(place[-1]) && !propose_is_digit(place[-1])))) {
                place[1] = place[2];
                place[2] = ' ';
            }
        bool blank = true;
        for (const char *place = at; place < stop; place++) blank &= propose_is_blank(*place);
        if (!blank) propose_split(&proposal->lines[proposal->count++], at, stop);
        at = next;
    }
    return true;
}

static void propose_write(struct proposal *proposal, struct text *out)
{
    struct text rules = {0};
    size_t others = 0;
    bool done[GROUPS] = {false};
    const size_t least = proposal->count / 500 > 2 ? proposal->count / 500 : 2;
    for (size_t n = 0; n < proposal->group_count; n++) {
        size_t best = GROUPS; /* the largest that is left */
        for (size_t k = 0; k < proposal->group_count; k++)
            if (!done[k] &&
                (best == GROUPS || proposal->groups[k].count > proposal->groups[best].count))
                best = k;
        done[best] = true;
        if (!proposal->groups[best].count) continue;
        struct text rule = {0};
        const bool known =
            proposal->groups[best].count >= least && propose_rule(proposal, best, &rule);
        const bool twice = known && rules.size && rule.bytes &&
                           memmem(rules.bytes, rules.size, rule.bytes, rule.size);
        if (known && !twice) text_append(&rules, &rule);
        if (!known) others += proposal->groups[best].count;
        text_free(&rule);
    }
    if (proposal->riscv) text_puts(out, "isa riscv\n");
    text_append(out, &rules);
    text_free(&rules);
    qsort(proposal->parts, proposal->part_count, sizeof *proposal->parts, propose_compare);
    for (size_t i = 0; i < proposal->part_count; i++)
        if (propose_is_usual(proposal, &proposal->parts[i]))
            text_printf(out, "    effect %s\n", proposal->parts[i].text);
    if (proposal->words[0]) text_printf(out, "words label %s\n", proposal->words);
    if (others) text_puts(out, "others comment\n");
}

/* The share of the lines that the description takes, as records. */
static double propose_share(const struct description *description, struct spoor_slice title,
                            const char *at, size_t size)
{
    const char *end = at + size;
    struct describe_order *order =
        description->separator
            ? describe_read_title(description, title.bytes, title.bytes + title.size)
            : NULL;
    struct describe_match match = {.description = description, .order = order};
    size_t taken = 0, all = 0;
    while (at < end && all < LINES) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (!newline && all) break;
        if (stop > at && stop[-1] == '\r') stop--;
        const struct describe_rule *rule = describe_match_line(&match, at, stop);
        taken += stop > at && rule && rule->kind != SPOOR_NOTE;
        all += stop > at;
        at = newline ? newline + 1 : end;
    }
    describe_match_free(&match);
    free(order);
    return all ? (double)taken / (double)all : 0;
}

enum spoor_status describe_propose(const char *name, struct spoor_slice sample, struct text *out,
                                   double *share, struct spoor_error *error)
{
    static const double LEAST = 0.25; /* of the lines: less is chance */
    const size_t mark = sample.size ? line_mark(sample.bytes, sample.size) : 0;
    sample = (struct spoor_slice){sample.bytes + mark, sample.size - mark};
    struct proposal *proposal = calloc(1, sizeof *proposal);
    char *copy = malloc(sample.size + 1);
    const char *newline = sample.size ? memchr(sample.bytes, '\n', sample.size) : NULL;
    struct spoor_slice title = {sample.bytes, newline ? (size_t)(newline - sample.bytes) : 0};
    bool good = proposal && copy;
    *share = 0;
    if (title.size && title.bytes[title.size - 1] == '\r') title.size--;
    if (good && sample.size) memcpy(copy, sample.bytes, sample.size);
    if (good && !propose_table(title, out)) {
        good = propose_read(proposal, copy, sample.size);
        if (good) {
            propose_group(proposal);
            propose_write(proposal, out);
        }
    }
    if (proposal) free(proposal->lines);
    free(proposal);
    free(copy);
    if (!good || out->failed) return error_no_memory(error);
    struct spoor_error mistake = {0};
    struct description *description = describe_parse(
        name, name, (struct spoor_slice){out->bytes ? out->bytes : "", out->size}, &mistake);
    if (!description) {
        const bool none = strstr(mistake.text, "expected a rule") != NULL;
        spoor_error_set(error, SPOOR_EINPUT, "%s",
                        none ? "found no lines of instructions or accesses" : mistake.text);
        return SPOOR_EINPUT;
    }
    *share = propose_share(description, title, sample.bytes, sample.size);
    describe_free(description);
    if (*share >= LEAST) return SPOOR_OK;
    spoor_error_set(error, SPOOR_EINPUT,
                    "found no lines of instructions or accesses, but in %.0f %% of the lines",
                    100 * *share);
    return SPOOR_EINPUT;
}
