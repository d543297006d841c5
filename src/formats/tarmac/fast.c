/* SPDX-License-Identifier: MIT */
/*
 * fast.c: decodes instructions, register writes and accesses of the common forms.
 *
 *   <time><head>IT {(<index>)} <address> <opcode> <set> <mode> : <disassembly>
 *   <time><head>R <register> <digits>
 *   <time><head>MR<size> <address> <digits>        and MW
 *
 * with single spaces.  <head> is one of the last few heads.  Nothing is changed before a line is
 * known to have one of these forms.  After a batch's text there are zeros, which belong to no
 * field, so the parts of a line need no bounds.
 */
#include "base/cpu.h"
#include "base/hex_run.h"
#include "formats/tarmac/fast_line.h"
#include "formats/tarmac/insn.h"

enum { MAX_DATA = 32 /* digits */, MAX_GAP = 7 /* blanks before a disassembly */ };

/* A line, and the part of it read so far. */
struct fast_line {
    struct spoor_record *record;
    const char *at;
    uint64_t key; /* everything that its spelling depends on */
    uint64_t name[2];
    bool known;         /* its register is known */
    const char *layout; /* beginning of its layout */
};

static inline void add_key(struct fast_line *line, uint64_t part, unsigned place)
{
    line->key += part * (UINT64_C(1) << place);
}

static inline bool decode_char(struct fast_line *line, char c)
{
    if (*line->at != c) return false;
    line->at++;
    return true;
}

static inline uint64_t load8(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return le64toh(word);
}

/* Returns the number whose digits are eight bytes; the first is the highest. */
static inline uint64_t join_decimal(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    digits = (digits & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (UINT64_C(100) << 16)) >> 16;
    return (digits & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
}

/* Appends at most eight decimal digits at `at` to `sum`; returns their number. */
static inline unsigned add_decimal(const char *at, uint64_t *sum)
{
    static const uint32_t powers[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    uint64_t values = load8(at) ^ HEX_BYTES('0');
    const uint64_t others = ((values + HEX_BYTES(0x80 - 10)) | values) & HEX_BYTES(0x80);
    unsigned digits = 8;
    if (others) {
        digits = (unsigned)__builtin_ctzll(others) / 8;
        if (digits == 0) return 0;
        values <<= 64 - 8 * digits;
    }
    *sum = *sum * powers[digits] + join_decimal(values);
    return digits;
}

/* A decimal number without zeros in front. */
static inline bool decode_decimal(struct fast_line *line, uint64_t *value)
{
    uint64_t sum = 0;
    unsigned digits = add_decimal(line->at, &sum);
    if (digits == 8) digits += add_decimal(line->at + 8, &sum);
    if (digits == 0 || digits >= WHOLE_DIGITS || (*line->at == '0' && digits > 1)) return false;
    line->at += digits;
    *value = sum;
    return true;
}

/* A hexadecimal number of one case, number `slot` of the spelling. */
static inline bool decode_hex(struct fast_line *line, unsigned slot, uint64_t *value)
{
    struct hex_run run = hex_run_at(line->at);
    unsigned digits = run.digits, letters = run.letters;
    uint64_t sum = run.value;
    if (digits == 8) {
        run = hex_run_at(line->at + 8);
        if (run.digits == 8 && hex_value[(unsigned char)line->at[16]] <= 15) return false;
        sum = sum << 4 * run.digits | run.value;
        digits += run.digits;
        letters |= run.letters;
    }
    if (digits == 0 || letters == 3) return false;
    line->at += digits;
    *value = sum;
    add_key(line, digits, KEY_WIDTH + KEY_WIDTHS * slot);
    add_key(line, letters & 1, KEY_UPPER + slot);
    return true;
}

/* {_NS}, {_S}: others are rare. */
static inline uint8_t decode_security(struct fast_line *line)
{
    const char *at = line->at;
    if (at[0] != '_') return SPOOR_SEC_NONE;
    if (at[1] == 'N' && at[2] == 'S') {
        line->at += 3;
        return SPOOR_SEC_NS;
    }
    if (at[1] == 'S') {
        line->at += 2;
        return SPOOR_SEC_S;
    }
    return SPOOR_SEC_NONE;
}

static inline bool decode_address(const struct dialect *dialect, struct fast_line *line,
                                  uint64_t *va, uint64_t *pa, uint8_t *security)
{
    if (!decode_hex(line, 0, va)) return false;
    line->record->has |= SPOOR_HAS_VA;
    if (!dialect->physical || !decode_char(line, ':')) return true;
    if (!decode_hex(line, 1, pa)) return false;
    line->record->has |= SPOOR_HAS_PA;
    *security = decode_security(line);
    return true;
}

/* Digits, perhaps in groups: how many, 0 where they are none or too many. */
static inline unsigned decode_group(struct fast_line *line, uint64_t value[2], unsigned *letters)
{
    unsigned digits = 0;
    struct hex_run run;
    do {
        run = hex_run_at(line->at);
        if (run.digits == 0) break;
        const unsigned bits = 4 * run.digits;
        value[1] = value[1] << bits | value[0] >> (64 - bits);
        value[0] = value[0] << bits | run.value;
        *letters |= run.letters;
        digits += run.digits;
        line->at += run.digits;
    } while (run.digits == 8 && digits <= MAX_DATA);
    return digits;
}

static inline unsigned decode_data(struct fast_line *line, uint64_t value[2])
{
    unsigned letters = 0, separators = 0, group = 0;
    unsigned digits = decode_group(line, value, &letters);
    const char separator = *line->at;
    while (digits && digits <= MAX_DATA && (separator == '_' || separator == ':') &&
           decode_char(line, separator)) {
        const unsigned more = decode_group(line, value, &letters);
        if (more == 0 || (separators && more != group)) return 0;
        group = more;
        separators++;
        digits += more;
    }
    if (digits == 0 || digits > MAX_DATA || letters == 3) return 0;
    add_key(line, digits, KEY_DIGITS);
    add_key(line, group, KEY_GROUP);
    add_key(line, separators, KEY_SEPARATORS);
    add_key(line, separators && separator == ':', KEY_COLON);
    add_key(line, letters & 1, KEY_UPPER_DATA);
    line->record->has |= SPOOR_HAS_DATA;
    return digits;
}

static inline bool decode_end(struct fast_line *line)
{
    if (decode_char(line, '\n')) return true;
    line->record->has |= SPOOR_EOL_CRLF;
    return decode_char(line, '\r') && decode_char(line, '\n');
}

/* ---- the three forms, after the leading word ---- */

static inline bool decode_access(const struct dialect *dialect, struct fast_line *line)
{
    struct spoor_mem *mem = &line->record->mem;
    uint64_t size;
    line->record->kind = SPOOR_MEM;
    line->record->op = line->at[1] == 'R' ? SPOOR_MEM_READ : SPOOR_MEM_WRITE;
    line->layout = line->at += 2;
    if (!decode_decimal(line, &size) || size > UINT16_MAX || !decode_char(line, ' ') ||
        !decode_address(dialect, line, &mem->va, &mem->pa, &mem->security) ||
        !decode_char(line, ' '))
        return false;
    const unsigned digits = decode_data(line, mem->data);
    mem->size = (uint16_t)size;
    mem->data_digits = (uint16_t)digits;
    add_key(line, FORM_MEM, KEY_FORM);
    return digits && decode_end(line);
}

/* The name's bytes: at most 16 letters, digits and underscores. */
static inline bool decode_name(struct fast_line *line)
{
    char name[FAST_NAME] = {0};
    size_t size = 0;
    for (char c; (c = line->at[size]) > ' ' && c != '<'; size++) {
        if (size == FAST_NAME) return false;
        name[size] = c;
    }
    if (size == 0) return false;
    memcpy(line->name, name, sizeof name);
    line->at += size;
    return decode_char(line, ' ');
}

static inline bool decode_register(const struct fast *fast, struct fast_line *line)
{
    struct spoor_reg *reg = &line->record->reg;
    line->record->kind = SPOOR_REG;
    line->record->op = SPOOR_REG_WRITE;
    line->at += 2;
    if (!decode_name(line)) return false;
    line->layout = line->at;
    const unsigned digits = decode_data(line, reg->value);
    const struct seen_register *seen = find_register(fast, line->name);
    line->known = seen != NULL;
    reg->name = seen ? seen->name : SPOOR_NO_NAME;
    reg->bits = (uint16_t)(4 * digits);
    add_key(line, FORM_REG, KEY_FORM);
    return digits && decode_end(line);
}

/* Returns the first zero byte of a word, as its top bit; higher bits are undefined. */
static inline uint64_t zero_bytes(uint64_t word)
{
    return (word - HEX_BYTES(1)) & ~word & HEX_BYTES(0x80);
}

/* Returns the newline that ends the disassembly; NULL if there is none before `stop`, or if a word
 * before it ends like the unit: two lines may have been glued together. */
static inline const char *find_newline(const char *at, const char *stop, char unit_end)
{
    const uint64_t last = HEX_BYTES((unsigned char)unit_end);
    for (; at < stop; at += 8) {
        const uint64_t word = load8(at), next = load8(at + 1);
        const uint64_t newline = zero_bytes(word ^ HEX_BYTES('\n'));
        const uint64_t glue = zero_bytes(word ^ last) & zero_bytes(next ^ HEX_BYTES(' '));
        if (glue && (!newline || __builtin_ctzll(glue) < __builtin_ctzll(newline))) return NULL;
        if (newline) return at + __builtin_ctzll(newline) / 8;
    }
    return NULL;
}

/* <gap><disassembly> and the end of the line. */
static inline bool decode_disassembly(const struct reading *reading, struct fast_line *line,
                                      const struct recent_head *head)
{
    const struct spoor_batch *batch = reading->batch;
    unsigned gap = 0;
    while (gap <= MAX_GAP && line->at[gap] == ' ') gap++;
    const char *begin = line->at + gap;
    const char *end = find_newline(begin, batch->text + batch->text_size, head->unit_end);
    if (gap == 0 || gap > MAX_GAP || !end) return false;
    line->at = end + 1;
    if (end > begin && end[-1] == '\r') {
        line->record->has |= SPOOR_EOL_CRLF;
        end--;
    }
    add_key(line, gap, KEY_GAP);
    line->record->insn.disasm = spoor_batch_refer(batch, begin, (size_t)(end - begin));
    return end > begin && end[-1] != ' ';
}

static inline bool decode_mode(struct fast_line *line, const struct recent_name *mode)
{
    uint64_t differ = load8(line->at) ^ load8(mode->bytes);
    if (mode->size > 8) {
        if (differ) return false;
        differ = load8(line->at + 8) ^ load8(mode->bytes + 8);
    }
    line->at += mode->size;
    return mode->size && differ << (64 - 8 * ((mode->size - 1) % 8 + 1)) == 0;
}

/* <set> <mode> : with the mode that was last. */
static inline bool decode_state(const struct reading *reading, struct fast_line *line)
{
    const struct recent_name *mode = &reading->mode;
    const char set = line->at[0];
    if ((set != 'A' && set != 'T' && set != 'X' && set != 'O') || line->at[1] != ' ') return false;
    line->at += 2;
    if (!decode_mode(line, mode)) return false;
    line->record->insn.iset = (uint8_t)set;
    line->record->insn.mode = mode->name;
    line->record->has |= SPOOR_HAS_EXTRA;
    return decode_char(line, ' ') && decode_char(line, ':');
}

static inline bool decode_instruction(const struct reading *reading, struct fast_line *line,
                                      const struct recent_head *head)
{
    struct spoor_insn *insn = &line->record->insn;
    line->record->kind = SPOOR_INSN;
    line->record->op = SPOOR_INSN_TAKEN;
    line->at += 3;
    if (decode_char(line, '(')) {
        if (!decode_decimal(line, &insn->index) || !decode_char(line, ')') ||
            !decode_char(line, ' '))
            return false;
        line->record->has |= SPOOR_HAS_INDEX;
        add_key(line, 1, KEY_INDEX);
    }
    line->layout = line->at;
    if (!decode_address(reading->dialect, line, &insn->va, &insn->pa, &insn->security) ||
        !decode_char(line, ' '))
        return false;
    const char *opcode = line->at;
    if (!decode_hex(line, INSN_OPCODE, &insn->opcode)) return false;
    insn->opcode_size = (uint8_t)((line->at - opcode + 1) / 2);
    line->record->has |= SPOOR_HAS_DATA;
    add_key(line, FORM_INSN, KEY_FORM);
    return decode_char(line, ' ') && decode_state(reading, line) &&
           decode_disassembly(reading, line, head);
}

/* ---- a line ---- */

static inline bool is_head(const struct recent_head *head, const char *at)
{
    uint64_t differ = 0;
    for (int i = 0; i < HEAD_BYTES / 8; i++)
        differ |= (load8(at + 8 * i) ^ load8(head->bytes + 8 * i)) & head->mask[i];
    return differ == 0 && head->size;
}

/* The longest head that stands here. */
static inline const struct recent_head *decode_head(const struct fast *fast, struct fast_line *line)
{
    const struct recent_head *head = fast->heads;
    while (!is_head(head, line->at))
        if (++head == fast->heads + FAST_HEADS) return NULL;
    line->at += head->size;
    line->record->has = (uint16_t)(SPOOR_HAS_TIME | (head->has_cpu ? SPOOR_HAS_CPU : 0));
    line->record->cpu = head->cpu;
    add_key(line, head->serial, 0);
    return head;
}

static inline bool decode_record(const struct reading *reading, struct fast_line *line,
                                 const struct recent_head *head)
{
    const struct fast *fast = &reading->fast;
    const bool numbered = head->has_cpu && reading->dialect->numbers_cpus;
    const char *at = line->at;
    if (at[0] == 'I' && at[1] == 'T' && at[2] == ' ' && fast->instructions)
        return decode_instruction(reading, line, head);
    if (numbered) return false;
    if (at[0] == 'R' && at[1] == ' ' && fast->registers) return decode_register(fast, line);
    if (at[0] == 'M' && (at[1] == 'R' || at[1] == 'W') && fast->accesses)
        return decode_access(reading->dialect, line);
    return false;
}

/* Reads the line into its record, but for the spelling, if it is one that is known. */
static inline bool decode_line(struct reading *reading, struct fast_line *line)
{
    struct fast *fast = &reading->fast;
    if (!decode_decimal(line, &line->record->time)) return false;
    const struct recent_head *head = decode_head(fast, line);
    if (!head || !decode_record(reading, line, head)) return false;
    const struct seen_spelling *seen = find_spelling(fast, line->key);
    line->record->spelling = seen ? seen->spelling : SPOOR_NO_NAME;
    if (line->known && seen) return true;
    fast->key = line->key;
    memcpy(fast->name, line->name, sizeof fast->name);
    return false;
}

static void learn_layout(struct reading *reading, const struct fast_line *line)
{
    const struct spoor_record *record = line->record;
    const struct spoor_batch *batch = reading->batch;
    const char *stop = line->at - (record->has & SPOOR_EOL_CRLF ? 2 : 1);
    if (record->kind == SPOOR_INSN) stop = spoor_batch_bytes(batch, record->insn.disasm);
    layouts_learn(&reading->fast.layouts, &(struct layout_line){line->layout, stop, line->key},
                  record);
}

static const char *decode_one(struct reading *reading, const char *at)
{
    struct spoor_batch *batch = reading->batch;
    const size_t count = batch->count;
    struct fast_line line = {.record = spoor_batch_push(batch), .at = at, .known = true};
    reading->fast.key = 0;
    if (decode_line(reading, &line)) {
        if (reading->fast.known) learn_layout(reading, &line);
        return line.at;
    }
    batch->count = count;
    return NULL;
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

const char *fast_lines(struct reading *reading, const char *at)
{
    if (!is_digit(*at)) return NULL;
    const char *next = at;
    if (reading->fast.layouts.any) next = reading->fast.known(reading, at);
    if (next == at) next = decode_one(reading, at);
    if (next) reading->chain = CHAIN_NONE;
    return next;
}

static void learn_spelling(struct fast *fast, spoor_name spelling)
{
    struct seen_spelling *set = fast->spellings[spelling_set(fast->key)];
    set[1] = set[0];
    set[0] = (struct seen_spelling){fast->key, spelling};
}

static void learn_register(struct fast *fast, spoor_name name)
{
    struct seen_register *set = fast->registers_seen[register_set(fast->name)];
    set[1] = set[0];
    set[0] = (struct seen_register){{fast->name[0], fast->name[1]}, name};
}

void fast_learn(struct reading *reading)
{
    struct fast *fast = &reading->fast;
    const struct spoor_record *record = reading->record;
    if (fast->key == 0 || (record->has & (SPOOR_IS_VERBATIM | SPOOR_IS_SPILLED))) return;
    if (!find_spelling(fast, fast->key)) learn_spelling(fast, record->spelling);
    if (fast->name[0] == 0 || record->reg.name == SPOOR_NO_NAME) return;
    if (!find_register(fast, fast->name)) learn_register(fast, record->reg.name);
}

/* Returns the serial number of a stored head; 0: it is not stored. */
static uint8_t find_serial(const struct fast *fast, const struct recent_head *head)
{
    for (int i = 0; i < FAST_HEADS; i++)
        if (fast->heads[i].size == head->size &&
            memcmp(fast->heads[i].bytes, head->bytes, head->size) == 0)
            return fast->heads[i].serial;
    return 0;
}

/* Stores a head.  Long heads come first, because a short one may match where a long one begins; the
 * oldest is replaced. */
static void keep_head(struct fast *fast, const struct recent_head *head)
{
    int place = 0;
    for (int i = 0; i < FAST_HEADS; i++)
        if (fast->heads[i].serial < fast->heads[place].serial) place = i;
    for (; place > 0 && fast->heads[place - 1].size < head->size; place--)
        fast->heads[place] = fast->heads[place - 1];
    for (; place < FAST_HEADS - 1 && fast->heads[place + 1].size > head->size; place++)
        fast->heads[place] = fast->heads[place + 1];
    fast->heads[place] = *head;
}

void fast_learn_head(struct fast *fast, struct recent_head *head)
{
    const uint8_t serial = find_serial(fast, head);
    if (serial) {
        head->serial = serial;
        return;
    }
    if (++fast->serial == 0) {
        memset(fast->spellings, 0, sizeof fast->spellings);
        memset(fast->heads, 0, sizeof fast->heads);
        memset(&fast->layouts, 0, sizeof fast->layouts);
        fast->serial = 1;
    }
    head->serial = fast->serial;
    head->unit_end = head->unit[0] ? head->unit[strlen(head->unit) - 1] : '\n';
    char mask[HEAD_BYTES] = {0};
    memset(mask, 0xff, head->size);
    for (int i = 0; i < HEAD_BYTES / 8; i++) head->mask[i] = load8(mask + 8 * i);
    keep_head(fast, head);
}

static bool is_rule(const struct reading *reading, const char *word, rule_read *read,
                    enum spoor_kind kind, uint8_t op)
{
    const struct rule *rule = reading_find_rule(reading, (struct spoor_slice){word, strlen(word)});
    return rule && rule->read == read && rule->kind == kind && rule->op == op;
}

void fast_begin(struct reading *reading, fast_way *known)
{
    struct fast *fast = &reading->fast;
    if (reading->producer != PRODUCER_ANY) return;
    fast->instructions = is_rule(reading, "IT", insn_line_read, SPOOR_INSN, SPOOR_INSN_TAKEN);
    fast->registers = is_rule(reading, "R", reg_line_read, SPOOR_REG, SPOOR_REG_WRITE);
    fast->accesses = is_rule(reading, "MR4", mem_line_read, SPOOR_MEM, SPOOR_MEM_READ) &&
                     is_rule(reading, "MW4", mem_line_read, SPOOR_MEM, SPOOR_MEM_WRITE);
    fast->known = known;
}

fast_way *fast_best_way(void)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return fast_lines_avx2;
#endif
    return NULL;
}
