/* SPDX-License-Identifier: MIT */
/*
 * reg.c: R <register>{<high:low>} {(<note>)} <value> {(<note>)}
 *
 * The angle brackets of <high:low> are part of the line; Trace Matcher writes <high..low>, and
 * Freescale's itrace2tarmac a word [32:63], in which bit 0 is the highest of 64, as Power has it. A
 * system operation has two words before its value: "R TLBI ALLE3 00000000:00000000".  The cs
 * dialect prints the condition flags after the value: "R cpsr 20000000 __C_".
 */
#include "formats/tarmac/writer.h"
#include "isa/register.h"

/* Reads {<high:low>} at the end of the name; any other text there is part of the name. */
static struct spoor_slice reg_read_range(struct tarmac_reader *reader, struct spoor_slice name)
{
    struct spoor_reg *reg = &reader->record->reg;
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
    if (dots) reader->spelling.shape |= SHAPE_DOTS;
    return (struct spoor_slice){name.bytes, (size_t)(bracket - name.bytes)};
}

/* Reads {(<note>)}, after the value also condition flags as letters or underscores: "__C_". */
static bool reg_read_note(struct tarmac_reader *reader)
{
    const struct spoor_reg *reg = &reader->record->reg;
    if (scan_done(&reader->scan) || reg->note || !reader->dialect->annotations) return true;
    const struct spoor_slice token = tarmac_peek(reader);
    const bool bracketed =
        token.size >= 3 && token.bytes[0] == '(' && token.bytes[token.size - 1] == ')';
    bool flags = reg->bits && (token.size == 4 || token.size == 5);
    for (size_t i = 0; flags && i < token.size; i++) flags = memchr("NZCVQ_", token.bytes[i], 6);
    return (!bracketed && !flags) || tarmac_read_name(reader, &reader->record->reg.note, "a note");
}

bool reg_line_read(struct tarmac_reader *reader)
{
    struct spoor_record *record = reader->record;
    static const char expected[] = "a range of bits such as [32:63] or [0:31]";
    enum { HIGHEST = 63 };
    struct spoor_reg *reg = &record->reg;
    struct spoor_slice name;
    if (!tarmac_read_token(reader, &name, "the name of a register")) return false;
    const struct spoor_slice word = tarmac_peek(reader);
    const bool system = slice_is(name, "TLBI") || slice_is(name, "DC") || slice_is(name, "IC") ||
                        slice_is(name, "AT");
    bool operation = false; /* a word that cannot be a value: that of TLBI, DC, IC, AT */
    for (size_t i = 0; system && !operation && i < word.size; i++) {
        const char c = word.bytes[i];
        if (c == ')') break;
        operation =
            hex_value[(unsigned char)c] > 15 && c != '_' && c != ':' && c != '-' && c != '(';
    }
    if (operation) {
        name.size = (size_t)(word.bytes + word.size - name.bytes);
        reader->scan.at = word.bytes + word.size;
        record->op = SPOOR_REG_SYSTEM;
        if (!tarmac_intern(reader, name, &reg->name)) return false;
    } else if (!tarmac_intern(reader, reg_read_range(reader, name), &reg->name)) {
        return false;
    }
    const struct spoor_slice range = tarmac_peek(reader);
    if (!operation && !reg->high && range.size && *range.bytes == '[') {
        /* [<first>:<last>], a word of its own; no other word begins so */
        uint64_t first, last;
        if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, '[', expected) ||
            !tarmac_read_decimal(reader, HIGHEST - 1, &first, expected) ||
            !tarmac_read_char(reader, ':', expected) ||
            !tarmac_read_decimal(reader, HIGHEST, &last, expected) ||
            !tarmac_read_char(reader, ']', expected))
            return false;
        if (last < first) return tarmac_fail(reader, expected);
        reg->high = (uint16_t)(HIGHEST - first);
        reg->low = (uint16_t)(HIGHEST - last);
        reader->spelling.shape |= SHAPE_POWER;
    }
    if (!reg_read_note(reader)) return false;
    if (reg->note) reader->spelling.shape |= SHAPE_NOTE_FIRST;
    const struct spoor_slice token = tarmac_peek(reader);
    if (!tarmac_read_gap(reader)) return false;
    if (token.size > 2 && memchr(token.bytes, '|', token.size)) {
        /* a capability of Morello: its metadata are the upper half */
        if (!tarmac_read_capability(reader, &reg->value[1], &reg->value[0])) return false;
        reg->bits = 128;
        record->has |= SPOOR_HAS_DATA;
        return reg_read_note(reader);
    }
    struct data data;
    if (!tarmac_read_data(reader, &data, "a value in hexadecimal")) return false;
    memcpy(reg->value, data.value, sizeof reg->value);
    reg->wide = data.wide;
    reg->unknown = data.unknown;
    reg->bits = (uint16_t)(4 * data.digits);
    if (data.known) record->has |= SPOOR_HAS_DATA;
    if (!reg_read_note(reader)) return false;
    reader->numbers_known = true;
    tarmac_learn_data(reader, reg->value);
    return true;
}

bool reg_line_write(struct tarmac_writer *writer)
{
    const struct spoor_reg *reg = &writer->record->reg;
    const unsigned shape = writer->spelling.shape;
    const struct data data = {.value = {reg->value[0], reg->value[1]},
                              .wide = reg->wide,
                              .unknown = reg->unknown,
                              .digits = reg->bits ? (reg->bits + 3u) / 4 : 16,
                              .known = writer->record->has & SPOOR_HAS_DATA};
    if (writer->record->op == SPOOR_REG_READ) return false;
    tarmac_write_char(writer, 'R');
    struct register_name copy;
    size_t size;
    const char *name = spoor_names_text(writer->batch->stream->names, reg->name, &size);
    if (writer->foreign && register_is_copy(name, size, &copy)) {
        /* a copy that a mode has of an AArch32 register, from another dialect, as this one names
         * it: SP_SVC where ES does, else r13_svc; MSP in all */
        const bool banked = copy.text[0] == 'r', named = banked && writer->dialect->names_sp_lr;
        const char *rest = copy.text;
        tarmac_write_gap(writer);
        if (named && strncmp(rest, "r13_", 4) == 0) tarmac_write_text(writer, "SP");
        if (named && strncmp(rest, "r14_", 4) == 0) tarmac_write_text(writer, "LR");
        if (named && (strncmp(rest, "r13_", 4) == 0 || strncmp(rest, "r14_", 4) == 0)) rest += 3;
        for (; *rest; rest++) {
            const bool upper = (named || !banked) && *rest >= 'a' && *rest <= 'z';
            tarmac_write_char(writer, (char)(upper ? *rest - 'a' + 'A' : *rest));
        }
    } else {
        tarmac_write_word_name(writer, reg->name);
    }
    if (reg->high) {
        const bool power = !writer->foreign && shape & SHAPE_POWER;
        const bool dots = writer->foreign ? writer->dialect->numbers_cpus : shape & SHAPE_DOTS;
        if (power) tarmac_write_gap(writer);
        tarmac_write_char(writer, power ? '[' : '<');
        tarmac_write_decimal(writer, power ? 63u - reg->high : reg->high);
        tarmac_write_text(writer, dots && !power ? ".." : ":");
        tarmac_write_decimal(writer, power ? 63u - reg->low : reg->low);
        tarmac_write_char(writer, power ? ']' : '>');
    }
    const bool note = reg->note && writer->dialect->annotations;
    if (note && shape & SHAPE_NOTE_FIRST) tarmac_write_word_name(writer, reg->note);
    tarmac_write_gap(writer);
    /* Fast Models groups registers that are wider than its widest scalar register */
    tarmac_write_data(writer, &data, reg->bits > 128 ? writer->dialect->data_group : 0, false);
    if (note && !(shape & SHAPE_NOTE_FIRST)) tarmac_write_word_name(writer, reg->note);
    return true;
}
