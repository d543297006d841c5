/* SPDX-License-Identifier: MIT */
/* template.c: fills in a line's template with the fields of its records. */
#include "formats/commit/commit.h"

/* The state of filling in a template. */
struct filling {
    const struct spoor_batch *batch;
    const struct spoor_names *names;
    size_t first, index;
    struct text *out;
    unsigned digits; /* digits of the next number */
    bool upper;
};

static void put_number(struct filling *filling, uint64_t value)
{
    enum { MAX_DIGITS = 16 };
    const unsigned digits = filling->digits < MAX_DIGITS ? filling->digits : MAX_DIGITS;
    char *at = text_reserve(filling->out, MAX_DIGITS);
    if (!at) return;
    text_commit(filling->out, (filling->upper ? put_hex_upper : put_hex)(at, value, digits));
}

static bool is_high(const uint64_t value[2], struct spoor_ref wide)
{
    return wide.size || value[1];
}

/* Writes the lowest `digits` digits of a number of any width, the highest first. */
static void put_wide(struct filling *filling, const uint64_t value[2], struct spoor_ref wide)
{
    static const char letters[2][17] = {"0123456789abcdef", "0123456789ABCDEF"};
    if (!is_high(value, wide) && filling->digits <= 16) {
        put_number(filling, value[0]);
        return;
    }
    const uint8_t *bytes =
        wide.size ? (const uint8_t *)spoor_batch_bytes(filling->batch, wide) : (const void *)value;
    const size_t size = wide.size ? wide.size : 2 * sizeof *value;
    char *at = text_reserve(filling->out, filling->digits);
    if (!at) return;
    for (unsigned digit = filling->digits; digit-- > 0;) {
        const unsigned byte = digit / 2 < size ? bytes[digit / 2] : 0;
        at = put_char(at, letters[filling->upper][digit % 2 ? byte >> 4 : byte & 15]);
    }
    text_commit(filling->out, at);
}

static void put_name(struct filling *filling, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(filling->names, name, &size);
    text_put(filling->out, text, size);
}

/* Writes "x5" as "x 5". */
static void put_spaced(struct filling *filling, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(filling->names, name, &size);
    if (size == 0) return;
    text_put(filling->out, text, 1);
    if (size == 2) text_put(filling->out, " ", 1);
    text_put(filling->out, text + 1, size - 1);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The length of "x0" to "x31" at the beginning of these bytes, and the number; 0: it is none. */
static size_t find_register(const char *text, size_t size, unsigned *number)
{
    size_t length = 1;
    *number = 0;
    if (size < 2 || *text != 'x') return 0;
    for (; length < size && length < 4 && text[length] >= '0' && text[length] <= '9'; length++)
        *number = 10 * *number + (unsigned)(text[length] - '0');
    if (length == 1 || *number > 31 || (length < size && is_word(text[length]))) return 0;
    return text[1] == '0' && length > 2 ? 0 : length;
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
        unsigned number;
        const bool named = code == COMMIT_OPERANDS_ABI && !in_word;
        const size_t length = named ? find_register(at, (size_t)(end - at), &number) : 0;
        if (length) text_puts(out, abi[number]);
        if (!length && *at != ' ' && *at != '\t') text_put(out, at, 1);
        in_word = length || is_word(*at);
        at += length ? length : 1;
    }
}

static void put_disassembly(struct filling *filling, enum commit_code code)
{
    const struct spoor_ref ref = filling->batch->records[filling->index].insn.disasm;
    const char *text = spoor_batch_bytes(filling->batch, ref);
    size_t word = 0;
    while (word < ref.size && text[word] != ' ' && text[word] != '\t') word++;
    if (code == COMMIT_DISASM) text_put(filling->out, text, ref.size);
    if (code == COMMIT_MNEMONIC) text_put(filling->out, text, word);
    if (code == COMMIT_OPERANDS || code == COMMIT_OPERANDS_ABI)
        commit_put_operands(filling->out, (struct spoor_slice){text, ref.size}, code);
}

static void put_ref(struct filling *filling, struct spoor_ref ref)
{
    text_put(filling->out, spoor_batch_bytes(filling->batch, ref), ref.size);
}

static void put_spill(struct filling *filling, enum spoor_spill_what what)
{
    struct spoor_ref ref;
    if (spoor_batch_find_spill(filling->batch, filling->index, what, &ref))
        text_put(filling->out, spoor_batch_bytes(filling->batch, ref), ref.size);
}

static void put_origin(struct filling *filling)
{
    struct spoor_origin origin = {0};
    struct spoor_ref ref;
    if (spoor_batch_find_spill(filling->batch, filling->index, SPOOR_SPILL_ORIGIN, &ref))
        memcpy(&origin, spoor_batch_bytes(filling->batch, ref), sizeof origin);
    put_number(filling, origin.pc);
}

static void put_seconds(struct filling *filling, uint64_t time)
{
    static const uint64_t second = 1000000000, microsecond = 1000;
    enum { ENOUGH = 32, SHORT = 6, LONG = 9 /* digits after the point */ };
    const unsigned digits = filling->digits == SHORT ? SHORT : LONG;
    uint64_t fraction = digits == SHORT ? time % second / microsecond : time % second;
    char *at = text_reserve(filling->out, ENOUGH);
    if (!at) return;
    at = put_char(put_decimal(at, time / second), '.');
    for (unsigned i = digits; i-- > 0; fraction /= 10) at[i] = (char)('0' + fraction % 10);
    text_commit(filling->out, at + digits);
}

static void put_decimal_text(struct filling *filling, uint64_t value)
{
    enum { DIGITS = 20 };
    char *at = text_reserve(filling->out, DIGITS);
    if (at) text_commit(filling->out, put_decimal(at, value));
}

static void put_insn(struct filling *filling, enum commit_code code)
{
    const struct spoor_insn *insn = &filling->batch->records[filling->index].insn;
    switch (code) {
    case COMMIT_MODE: put_name(filling, insn->mode); break;
    case COMMIT_PC: put_number(filling, insn->va); break;
    case COMMIT_OPCODE: put_number(filling, insn->opcode); break;
    case COMMIT_REST: put_spill(filling, SPOOR_SPILL_FIELD); break;
    case COMMIT_INDEX: put_decimal_text(filling, insn->index); break;
    default: put_disassembly(filling, code); break;
    }
}

static void put_effect(struct filling *filling, enum commit_code code)
{
    const struct spoor_record *record = &filling->batch->records[filling->index];
    switch (code) {
    case COMMIT_REGISTER: put_name(filling, record->reg.name); break;
    case COMMIT_REGISTER_SPACED: put_spaced(filling, record->reg.name); break;
    case COMMIT_VALUE: put_wide(filling, record->reg.value, record->reg.wide); break;
    case COMMIT_VIRTUAL: put_number(filling, record->mem.va); break;
    case COMMIT_PHYSICAL: put_number(filling, record->mem.pa); break;
    case COMMIT_DATA: put_wide(filling, record->mem.data, record->mem.wide); break;
    case COMMIT_ORIGIN: put_origin(filling); break;
    case COMMIT_MEMTYPE: put_spill(filling, SPOOR_SPILL_MEMTYPE); break;
    case COMMIT_EVENT: put_name(filling, record->event.name); break;
    case COMMIT_TEXT: put_ref(filling, record->event.text); break;
    case COMMIT_PERIOD: put_decimal_text(filling, record->event.value1); break;
    case COMMIT_FROM: put_number(filling, record->flow.va); break;
    case COMMIT_TARGET: put_number(filling, record->flow.target); break;
    default: put_number(filling, record->event.value); break;
    }
}

/* The kind of record that each code refers to; NOTE: any. */
static const uint8_t kinds[COMMIT_FIRST_PLAIN] = {
    [COMMIT_MODE] = SPOOR_INSN,         [COMMIT_PC] = SPOOR_INSN,
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

static bool decode_digits(unsigned char code)
{
    return code == COMMIT_PC || code == COMMIT_OPCODE || code == COMMIT_VALUE ||
           code == COMMIT_VIRTUAL || code == COMMIT_PHYSICAL || code == COMMIT_DATA ||
           code == COMMIT_EVENT_VALUE || code == COMMIT_TIME || code == COMMIT_FROM ||
           code == COMMIT_TARGET || code == COMMIT_ORIGIN;
}

static bool next_record(struct filling *filling)
{
    const struct spoor_batch *batch = filling->batch;
    filling->index++;
    return filling->index < batch->count && (batch->records[filling->index].has & SPOOR_CONTINUES);
}

/* Writes the field of one code, whose digits have been read. */
static bool fill(struct filling *filling, unsigned char code)
{
    const struct spoor_record *record = &filling->batch->records[filling->index];
    if (code == COMMIT_NEXT) return next_record(filling);
    if (code == COMMIT_HEAD) {
        filling->index = filling->first;
        return true;
    }
    if (code == COMMIT_CPU) {
        put_name(filling, record->cpu);
        return true;
    }
    if (code == COMMIT_TICK) {
        put_decimal_text(filling, record->time);
        return true;
    }
    if (code == COMMIT_TIME) {
        put_seconds(filling, record->time);
        return true;
    }
    if (code == COMMIT_SYMBOL || code == COMMIT_TARGET_SYMBOL) {
        put_spill(filling, code == COMMIT_SYMBOL ? SPOOR_SPILL_SYMBOL : SPOOR_SPILL_TARGET_SYMBOL);
        return true;
    }
    if (!kinds[code] || kinds[code] != record->kind) return false;
    (record->kind == SPOOR_INSN ? put_insn : put_effect)(filling, (enum commit_code)code);
    return true;
}

bool commit_render(const struct spoor_batch *batch, size_t index, const struct spoor_names *names,
                   struct spoor_slice template, struct text *out)
{
    struct filling filling = {
        .batch = batch, .names = names, .first = index, .index = index, .out = out};
    const char *at = template.bytes, *end = at + template.size;
    while (at < end) {
        const char *plain = at;
        while (at < end && ((unsigned char)*at >= COMMIT_FIRST_PLAIN || *at == '\t')) at++;
        if (at > plain) text_put(out, plain, (size_t)(at - plain));
        if (at == end) break;
        const unsigned char code = (unsigned char)*at++;
        if (decode_digits(code)) {
            if (end - at < 2) return false;
            filling.digits = (unsigned char)*at++;
            filling.upper = *at++ == 2;
        }
        if (!fill(&filling, code)) return false;
    }
    return true;
}
