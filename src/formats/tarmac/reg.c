/* SPDX-License-Identifier: MIT */
/*
 * reg.c: R <register>{<high:low>} {(<note>)} <value> {(<note>)}
 *
 * The angle brackets of <high:low> are part of the line; Trace Matcher writes <high..low>, and
 * Freescale's itrace2tarmac a word [32:63], in which bit 0 is the highest of 64, as Power has it. A
 * system operation has two words before its value: "R TLBI ALLE3 00000000:00000000".  The cs
 * dialect prints the condition flags after the value: "R cpsr 20000000 __C_".
 */
#include "formats/tarmac/writing.h"
#include "isa/register.h"

/* Reads {<high:low>} at the end of the name; any other text there is part of the name. */
static struct spoor_slice read_range(struct reading *reading, struct spoor_slice name)
{
    struct spoor_reg *reg = &reading->record->reg;
    const char *bracket = memchr(name.bytes, '<', name.size);
    if (!bracket || bracket == name.bytes) return name;
    struct scan scan = {bracket + 1, name.bytes + name.size};
    uint64_t high, low;
    const char *digits = scan.at;
    if (!scan_decimal(&scan, &high) || (*digits == '0' && high) || high > UINT16_MAX) return name;
    bool dots = SCAN_LITERAL(&scan, "..");
    if (!dots && !scan_char(&scan, ':')) return name;
    digits = scan.at;
    if (!scan_decimal(&scan, &low) || (*digits == '0' && scan.at > digits + 1) || low > high ||
        high == 0 || !scan_char(&scan, '>') || !scan_done(&scan))
        return name;
    reg->high = (uint16_t)high;
    reg->low = (uint16_t)low;
    if (dots) reading->spelling.shape |= SHAPE_DOTS;
    return (struct spoor_slice){name.bytes, (size_t)(bracket - name.bytes)};
}

/* Reads {[<first>:<last>]}, a word of its own; no other word begins so. */
static bool read_power_range(struct reading *reading)
{
    static const char expected[] = "a range of bits such as [32:63] or [0:31]";
    enum { HIGHEST = 63 };
    struct spoor_reg *reg = &reading->record->reg;
    struct spoor_slice token = reading_peek(reading);
    uint64_t first, last;
    if (token.size == 0 || *token.bytes != '[') return true;
    if (!reading_gap(reading) || !reading_char(reading, '[', expected) ||
        !reading_decimal(reading, HIGHEST - 1, &first, expected) ||
        !reading_char(reading, ':', expected) ||
        !reading_decimal(reading, HIGHEST, &last, expected) ||
        !reading_char(reading, ']', expected))
        return false;
    if (last < first) return reading_fail(reading, expected);
    reg->high = (uint16_t)(HIGHEST - first);
    reg->low = (uint16_t)(HIGHEST - last);
    reading->spelling.shape |= SHAPE_POWER;
    return true;
}

static bool is_system(struct spoor_slice name)
{
    return slice_is(name, "TLBI") || slice_is(name, "DC") || slice_is(name, "IC") ||
           slice_is(name, "AT");
}

/* True for a word that cannot be a value: the operation of TLBI, DC, IC, AT. */
static bool is_word(struct spoor_slice token)
{
    for (size_t i = 0; i < token.size; i++) {
        char c = token.bytes[i];
        if (hex_value[(unsigned char)c] > 15 && c != '_' && c != ':' && c != '-' && c != '(')
            return c != ')';
    }
    return false;
}

static bool read_register(struct reading *reading)
{
    struct spoor_record *record = reading->record;
    struct spoor_slice name;
    if (!reading_token(reading, &name, "the name of a register")) return false;
    if (is_system(name) && is_word(reading_peek(reading))) {
        struct spoor_slice word = reading_peek(reading);
        name.size = (size_t)(word.bytes + word.size - name.bytes);
        reading->scan.at = word.bytes + word.size;
        record->op = SPOOR_REG_SYSTEM;
        return reading_intern(reading, name, &record->reg.name);
    }
    return reading_intern(reading, read_range(reading, name), &record->reg.name) &&
           (record->reg.high || read_power_range(reading));
}

/* True for condition flags as letters or underscores: "__C_". */
static bool is_flags(struct spoor_slice token)
{
    for (size_t i = 0; i < token.size; i++)
        if (!memchr("NZCVQ_", token.bytes[i], 6)) return false;
    return token.size == 4 || token.size == 5;
}

/* Reads {(<note>)}, after the value also {<flags>}. */
static bool read_note(struct reading *reading)
{
    if (scan_done(&reading->scan)) return true;
    if (reading->record->reg.note || !reading->dialect->annotations) return true;
    struct spoor_slice token = reading_peek(reading);
    bool bracketed = token.size >= 3 && token.bytes[0] == '(' && token.bytes[token.size - 1] == ')';
    if (!bracketed && !(reading->record->reg.bits && is_flags(token))) return true;
    return reading_name(reading, &reading->record->reg.note, "a note");
}

/* Morello's registers have a capability: its metadata are the upper half. */
static bool reg_read_value(struct reading *reading, bool *capability)
{
    struct spoor_reg *reg = &reading->record->reg;
    struct data data;
    const struct spoor_slice token = reading_peek(reading);
    if (token.size > 2 && memchr(token.bytes, '|', token.size)) {
        if (!reading_gap(reading) || !reading_capability(reading, &reg->value[1], &reg->value[0]))
            return false;
        *capability = true;
        reg->bits = 128;
        reading->record->has |= SPOOR_HAS_DATA;
        return true;
    }
    if (!reading_gap(reading) || !reading_data(reading, &data, "a value in hexadecimal"))
        return false;
    memcpy(reg->value, data.value, sizeof reg->value);
    reg->wide = data.wide;
    reg->unknown = data.unknown;
    reg->bits = (uint16_t)(4 * data.digits);
    if (data.known) reading->record->has |= SPOOR_HAS_DATA;
    return true;
}

bool reg_line_read(struct reading *reading)
{
    if (!read_register(reading) || !read_note(reading)) return false;
    if (reading->record->reg.note) reading->spelling.shape |= SHAPE_NOTE_FIRST;
    bool capability = false;
    if (!reg_read_value(reading, &capability) || !read_note(reading)) return false;
    if (capability) return true;
    reading->numbers_known = true;
    reading_learn_data(reading, reading->record->reg.value);
    return true;
}

/* A copy that a mode has of an AArch32 register, from another dialect, as this one names it: SP_SVC
 * where ES does, else r13_svc; MSP in all.  Any other name as it is. */
static void write_register(struct writing *writing)
{
    struct register_name copy;
    size_t size;
    const spoor_name id = writing->record->reg.name;
    const char *text = spoor_names_text(writing->batch->stream->names, id, &size);
    if (!writing->foreign || !register_is_copy(text, size, &copy)) {
        writing_word_name(writing, id);
        return;
    }
    const bool banked = copy.text[0] == 'r', named = banked && writing->dialect->names_sp_lr;
    const char *rest = copy.text;
    writing_gap(writing);
    if (named && strncmp(rest, "r13_", 4) == 0) writing_text(writing, "SP");
    if (named && strncmp(rest, "r14_", 4) == 0) writing_text(writing, "LR");
    if (named && (strncmp(rest, "r13_", 4) == 0 || strncmp(rest, "r14_", 4) == 0)) rest += 3;
    for (; *rest; rest++) {
        const bool upper = (named || !banked) && *rest >= 'a' && *rest <= 'z';
        writing_char(writing, (char)(upper ? *rest - 'a' + 'A' : *rest));
    }
}

static void write_range(struct writing *writing)
{
    const struct spoor_reg *reg = &writing->record->reg;
    if (reg->high == 0) return;
    if (!writing->foreign && writing->spelling.shape & SHAPE_POWER) {
        writing_gap(writing);
        writing_char(writing, '[');
        writing_decimal(writing, 63u - reg->high);
        writing_char(writing, ':');
        writing_decimal(writing, 63u - reg->low);
        writing_char(writing, ']');
        return;
    }
    bool dots = writing->spelling.shape & SHAPE_DOTS;
    if (writing->foreign) dots = writing->dialect->numbers_cpus;
    writing_char(writing, '<');
    writing_decimal(writing, reg->high);
    writing_text(writing, dots ? ".." : ":");
    writing_decimal(writing, reg->low);
    writing_char(writing, '>');
}

static void write_note(struct writing *writing, bool first)
{
    const struct spoor_reg *reg = &writing->record->reg;
    bool note_first = writing->spelling.shape & SHAPE_NOTE_FIRST;
    if (reg->note && note_first == first && writing->dialect->annotations)
        writing_word_name(writing, reg->note);
}

bool reg_line_write(struct writing *writing)
{
    const struct spoor_reg *reg = &writing->record->reg;
    struct data data = {.value = {reg->value[0], reg->value[1]},
                        .wide = reg->wide,
                        .unknown = reg->unknown,
                        .digits = reg->bits ? (reg->bits + 3u) / 4 : 16,
                        .known = writing->record->has & SPOOR_HAS_DATA};
    if (writing->record->op == SPOOR_REG_READ) return false;
    writing_char(writing, 'R');
    write_register(writing);
    write_range(writing);
    write_note(writing, true);
    writing_gap(writing);
    /* Fast Models groups registers that are wider than its widest scalar register */
    writing_data(writing, &data, reg->bits > 128 ? writing->dialect->data_group : 0, false);
    write_note(writing, false);
    return true;
}
