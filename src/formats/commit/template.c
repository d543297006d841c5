/* SPDX-License-Identifier: MIT */
/* template.c: fills in a line's template with the fields of its records. */
#include "formats/commit/commit.h"

void commit_put_wide(struct text *out, const void *number, size_t size, size_t digits, bool upper)
{
    const uint8_t *bytes = number;
    static const char letters[2][17] = {"0123456789abcdef", "0123456789ABCDEF"};
    char *at = text_reserve(out, digits);
    if (!at) return;
    for (size_t digit = digits; digit-- > 0;) {
        const unsigned byte = digit / 2 < size ? bytes[digit / 2] : 0;
        at = put_char(at, letters[upper][digit % 2 ? byte >> 4 : byte & 15]);
    }
    text_commit(out, at);
}

struct template_line {
    const struct spoor_batch *batch;
    const struct spoor_names *names;
    size_t first, index; /* of its records */
    struct text *out;
    unsigned digits; /* of the next number */
    bool upper;      /* case of its letters */
};

static void template_put_number(struct template_line *line, uint64_t value)
{
    enum { MAX_DIGITS = 16 };
    const unsigned digits = line->digits < MAX_DIGITS ? line->digits : MAX_DIGITS;
    char *at = text_reserve(line->out, MAX_DIGITS);
    if (at) text_commit(line->out, (line->upper ? put_hex_upper : put_hex)(at, value, digits));
}

/* A number of any width. */
static void template_put_wide(struct template_line *line, const uint64_t value[2],
                              struct spoor_ref wide)
{
    if (wide.size)
        commit_put_wide(line->out, spoor_batch_bytes(line->batch, wide), wide.size, line->digits,
                        line->upper);
    else if (value[1] || line->digits > 16)
        commit_put_wide(line->out, value, 2 * sizeof *value, line->digits, line->upper);
    else
        template_put_number(line, value[0]);
}

/* The data of an access in the order of memory. */
static void template_put_bytes(struct template_line *line, const struct spoor_mem *mem)
{
    static const char letters[2][17] = {"0123456789abcdef", "0123456789ABCDEF"};
    const uint8_t *bytes = (const uint8_t *)mem->data;
    if (mem->wide.size) bytes = (const uint8_t *)spoor_batch_bytes(line->batch, mem->wide);
    const size_t held = mem->wide.size ? mem->wide.size : sizeof mem->data;
    char *at = text_reserve(line->out, 2 * (size_t)mem->size);
    if (!at || mem->size > held) return;
    for (size_t i = 0; i < mem->size; i++) {
        at = put_char(at, letters[line->upper][bytes[i] >> 4]);
        at = put_char(at, letters[line->upper][bytes[i] & 15]);
    }
    text_commit(line->out, at);
}

static void template_put_decimal(struct template_line *line, uint64_t value)
{
    enum { DIGITS = 20 };
    char *at = text_reserve(line->out, DIGITS);
    if (at) text_commit(line->out, put_decimal(at, value));
}

static void template_put_name(struct template_line *line, spoor_name name, bool spaced)
{
    size_t size;
    const char *text = spoor_names_text(line->names, name, &size);
    const size_t letter = spaced && size > 0;
    text_put(line->out, text, letter);
    if (spaced && size == 2) text_put(line->out, " ", 1);
    text_put(line->out, text + letter, size - letter);
}

static void template_put_ref(struct template_line *line, struct spoor_ref ref)
{
    text_put(line->out, spoor_batch_bytes(line->batch, ref), ref.size);
}

static void template_put_spill(struct template_line *line, enum spoor_spill_what what)
{
    struct spoor_ref ref;
    if (spoor_batch_find_spill(line->batch, line->index, what, &ref)) template_put_ref(line, ref);
}

static bool template_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void commit_put_operands(struct text *out, struct spoor_slice disassembly, enum commit_code code)
{
    static const char *const abi[] = {
        "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
    };
    const char *at = disassembly.bytes, *end = at + disassembly.size;
    bool in_word = false;
    while (at < end && *at != ' ' && *at != '\t') at++;
    while (at < end) {
        unsigned number = 0;
        size_t length = 0; /* of "x0" to "x31" */
        if (code == COMMIT_OPERANDS_ABI && !in_word && *at == 'x') {
            for (length = 1; end - at > (ptrdiff_t)length && length < 4 && at[length] >= '0' &&
                             at[length] <= '9';
                 length++)
                number = 10 * number + (unsigned)(at[length] - '0');
            if (length == 1 || number > 31 || (at[1] == '0' && length > 2) ||
                (end - at > (ptrdiff_t)length && template_is_word(at[length])))
                length = 0;
        }
        if (length) text_puts(out, abi[number]);
        if (!length && *at != ' ' && *at != '\t') text_put(out, at, 1);
        in_word = length || template_is_word(*at);
        at += length ? length : 1;
    }
}

/* The kind of record that each code refers to; NOTE: to any, or to none. */
static const uint8_t kinds[COMMIT_FIRST_PLAIN] = {
    [COMMIT_MODE] = SPOOR_INSN,         [COMMIT_BYTES] = SPOOR_MEM,
    [COMMIT_OPCODE] = SPOOR_INSN,       [COMMIT_DISASM] = SPOOR_INSN,
    [COMMIT_MNEMONIC] = SPOOR_INSN,     [COMMIT_OPERANDS] = SPOOR_INSN,
    [COMMIT_REGISTER] = SPOOR_REG,      [COMMIT_REGISTER_SPACED] = SPOOR_REG,
    [COMMIT_VALUE] = SPOOR_REG,         [COMMIT_VIRTUAL] = SPOOR_MEM,
    [COMMIT_PHYSICAL] = SPOOR_MEM,      [COMMIT_DATA] = SPOOR_MEM,
    [COMMIT_MEMTYPE] = SPOOR_MEM,       [COMMIT_EVENT] = SPOOR_EVENT,
    [COMMIT_EVENT_VALUE] = SPOOR_EVENT, [COMMIT_REST] = SPOOR_INSN,
    [COMMIT_OPERANDS_ABI] = SPOOR_INSN, [COMMIT_FROM] = SPOOR_FLOW,
    [COMMIT_TARGET] = SPOOR_FLOW,       [COMMIT_TEXT] = SPOOR_EVENT,
    [COMMIT_PERIOD] = SPOOR_EVENT,      [COMMIT_INDEX] = SPOOR_INSN,
    [COMMIT_ORIGIN] = SPOOR_MEM,
};

/* The codes that have a number of digits and the case of letters after them. */
static const bool is_number[COMMIT_FIRST_PLAIN] = {
    [COMMIT_PC] = true,          [COMMIT_OPCODE] = true,   [COMMIT_VALUE] = true,
    [COMMIT_VIRTUAL] = true,     [COMMIT_PHYSICAL] = true, [COMMIT_DATA] = true,
    [COMMIT_EVENT_VALUE] = true, [COMMIT_TIME] = true,     [COMMIT_FROM] = true,
    [COMMIT_TARGET] = true,      [COMMIT_ORIGIN] = true,   [COMMIT_BYTES] = true,
};

/* Writes what a code stands for; false: the record has no such field. */
static bool template_put_code(struct template_line *line, enum commit_code code)
{
    enum { SHORT = 6, LONG = 9 /* digits of a second */ };
    const struct spoor_batch *batch = line->batch;
    const struct spoor_record *record = &batch->records[line->index];
    struct spoor_origin origin = {0};
    struct spoor_ref ref;
    if (kinds[code] && kinds[code] != record->kind) return false;
    switch (code) {
    case COMMIT_NEXT:
        line->index++;
        return line->index < batch->count && (batch->records[line->index].has & SPOOR_CONTINUES);
    case COMMIT_HEAD: line->index = line->first; break;
    case COMMIT_CPU: template_put_name(line, record->cpu, false); break;
    case COMMIT_TICK: template_put_decimal(line, record->time); break;
    case COMMIT_TIME: { /* seconds, and digits after the point */
        static const uint64_t second = 1000000000, microsecond = 1000;
        const unsigned digits = line->digits == SHORT ? SHORT : LONG;
        uint64_t fraction = record->time % second / (digits == SHORT ? microsecond : 1);
        template_put_decimal(line, record->time / second);
        char *at = text_reserve(line->out, 1 + LONG);
        if (!at) break;
        at = put_char(at, '.');
        for (unsigned i = digits; i-- > 0; fraction /= 10) at[i] = (char)('0' + fraction % 10);
        text_commit(line->out, at + digits);
        break;
    }
    case COMMIT_SYMBOL: template_put_spill(line, SPOOR_SPILL_SYMBOL); break;
    case COMMIT_TARGET_SYMBOL: template_put_spill(line, SPOOR_SPILL_TARGET_SYMBOL); break;
    case COMMIT_MODE: template_put_name(line, record->insn.mode, false); break;
    case COMMIT_PC:
        if (record->kind != SPOOR_INSN)
            record = &batch->records[commit_line_end(batch, line->first) - 1];
        if (record->kind != SPOOR_INSN) return false;
        template_put_number(line, record->insn.va);
        break;
    case COMMIT_OPCODE: template_put_number(line, record->insn.opcode); break;
    case COMMIT_REST: template_put_spill(line, SPOOR_SPILL_FIELD); break;
    case COMMIT_INDEX: template_put_decimal(line, record->insn.index); break;
    case COMMIT_DISASM: template_put_ref(line, record->insn.disasm); break;
    case COMMIT_MNEMONIC:
    case COMMIT_OPERANDS:
    case COMMIT_OPERANDS_ABI: {
        const struct spoor_slice text = {spoor_batch_bytes(batch, record->insn.disasm),
                                         record->insn.disasm.size};
        size_t word = 0;
        while (word < text.size && text.bytes[word] != ' ' && text.bytes[word] != '\t') word++;
        if (code == COMMIT_MNEMONIC)
            text_put(line->out, text.bytes, word);
        else
            commit_put_operands(line->out, text, code);
        break;
    }
    case COMMIT_REGISTER: template_put_name(line, record->reg.name, false); break;
    case COMMIT_REGISTER_SPACED: template_put_name(line, record->reg.name, true); break;
    case COMMIT_VALUE: template_put_wide(line, record->reg.value, record->reg.wide); break;
    case COMMIT_VIRTUAL: template_put_number(line, record->mem.va); break;
    case COMMIT_PHYSICAL: template_put_number(line, record->mem.pa); break;
    case COMMIT_BYTES: template_put_bytes(line, &record->mem); break;
    case COMMIT_DATA: template_put_wide(line, record->mem.data, record->mem.wide); break;
    case COMMIT_ORIGIN:
        if (spoor_batch_find_spill(batch, line->index, SPOOR_SPILL_ORIGIN, &ref))
            memcpy(&origin, spoor_batch_bytes(batch, ref), sizeof origin);
        template_put_number(line, origin.pc);
        break;
    case COMMIT_MEMTYPE: template_put_spill(line, SPOOR_SPILL_MEMTYPE); break;
    case COMMIT_EVENT: template_put_name(line, record->event.name, false); break;
    case COMMIT_EVENT_VALUE: template_put_number(line, record->event.value); break;
    case COMMIT_TEXT: template_put_ref(line, record->event.text); break;
    case COMMIT_PERIOD: template_put_decimal(line, record->event.value1); break;
    case COMMIT_FROM: template_put_number(line, record->flow.va); break;
    case COMMIT_TARGET: template_put_number(line, record->flow.target); break;
    default: return false;
    }
    return true;
}

bool commit_render(const struct spoor_batch *batch, size_t index, const struct spoor_names *names,
                   struct spoor_slice template, struct text *out)
{
    struct template_line line = {
        .batch = batch, .names = names, .first = index, .index = index, .out = out};
    const char *at = template.bytes, *end = at + template.size;
    while (at < end) {
        const char *plain = at;
        while (at < end && ((unsigned char)*at >= COMMIT_FIRST_PLAIN || *at == '\t')) at++;
        if (at > plain) text_put(out, plain, (size_t)(at - plain));
        if (at == end) break;
        const enum commit_code code = (enum commit_code)(unsigned char)*at++;
        if (is_number[code]) {
            if (end - at < 2) return false;
            line.digits = (unsigned char)*at++;
            line.upper = *at++ == 2;
        }
        if (!template_put_code(&line, code)) return false;
    }
    return true;
}
