/* SPDX-License-Identifier: MIT */
/*
 * vcd_variables.c: the variables of a value change dump: declared once, set often, and written once
 * a moment, where their value changed.
 */
#include <stdlib.h>

#include "base/array.h"
#include "explore/vcd.h"

/* ---- values as text ---- */

void vcd_put_escaped(struct text *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '\\' || c == '\'' || c == '"')
            text_printf(out, "\\%c", c);
        else if (c > ' ' && c <= '~')
            text_put(out, &text[i], 1);
        else
            text_printf(out, "\\%03o", c);
    }
}

void vcd_put_bits(struct text *out, const uint8_t *bytes, const uint8_t *known, unsigned width,
                  bool trimmed)
{
    unsigned bit = width;
    char *at = text_reserve(out, width + 1);
    if (!at) return;
    while (trimmed && bit > 1 && (known[(bit - 1) / 8] >> ((bit - 1) % 8) & 1) &&
           !(bytes[(bit - 1) / 8] >> ((bit - 1) % 8) & 1))
        bit--;
    /* a leading x would fill the digits left out: 0 must stand before it */
    if (bit < width && !(known[(bit - 1) / 8] >> ((bit - 1) % 8) & 1)) bit++;
    while (bit-- > 0) {
        const unsigned shift = bit % 8;
        const bool is_known = known[bit / 8] >> shift & 1;
        *at++ = (char)(!is_known ? 'x' : '0' + (bytes[bit / 8] >> shift & 1));
    }
    text_commit(out, at);
}

void vcd_put_disassembly(struct text *out, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_ref disasm = batch->records[index].insn.disasm;
    const char *text = spoor_batch_bytes(batch, disasm);
    size_t size = disasm.size;
    const char *comment = memchr(text, ';', size);
    if (comment) size = (size_t)(comment - text);
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
    for (size_t i = 0; i < size; i++) {
        const bool blank = text[i] == ' ' || text[i] == '\t';
        const bool more = i && (text[i - 1] == ' ' || text[i - 1] == '\t');
        if (!blank || !more) text_put(out, &text[i], 1);
    }
}

/* ---- declaring ---- */

void vcd_put_name(struct text *out, const char *name)
{
    for (; *name; name++) {
        const bool plain = *name > ' ' && *name <= '~' && !strchr("[].#$", *name);
        text_put(out, plain ? name : "_", 1);
    }
}

uint32_t vcd_declare(struct vcd_variables *variables, struct text *out, const char *type,
                     unsigned width, const char *name)
{
    size_t capacity = variables->capacity;
    if (!array_reserve(&variables->items, &capacity, variables->count + (size_t)1) ||
        !array_reserve(&variables->dirty, &variables->capacity, variables->count + (size_t)1)) {
        variables->failed = true;
        return VCD_NONE;
    }
    struct vcd_variable *variable = &variables->items[variables->count];
    *variable = (struct vcd_variable){.width = (uint16_t)width};
    /* the n-th identifier: digits from ! to ~, the lowest first */
    uint32_t number = variables->count;
    enum { DIGITS = '~' - '!' + 1 };
    char *at = variable->id;
    do {
        *at++ = (char)('!' + number % DIGITS);
        number /= DIGITS;
    } while (number && at < variable->id + VCD_ID_SIZE - 1);
    *at = '\0';
    struct text plain = {0};
    vcd_put_name(&plain, name);
    text_put(&plain, "", 1);
    if (plain.failed)
        variables->failed = true;
    else if (variables->fst)
        fst_writer_declare(variables->fst, width, plain.bytes);
    else
        text_printf(out, "$var %s %u %s %s $end\n", type, width ? width : 1, variable->id,
                    plain.bytes);
    text_free(&plain);
    return variables->count++;
}

/* ---- setting ---- */

static struct vcd_variable *vcd_to_set(struct vcd_variables *variables, uint32_t number)
{
    if (number == VCD_NONE) return NULL;
    struct vcd_variable *variable = &variables->items[number];
    if (!variable->dirty) variables->dirty[variables->dirty_count++] = number;
    variable->dirty = true;
    variable->none = false;
    return variable;
}

void vcd_set(struct vcd_variables *variables, uint32_t number, uint64_t value, uint64_t unknown)
{
    struct vcd_variable *variable = vcd_to_set(variables, number);
    if (!variable) return;
    if (variable->width > 64) {
        uint8_t bytes[REGISTER_BYTES] = {0}, known[REGISTER_BYTES];
        memset(known, 0xFF, sizeof known);
        for (unsigned i = 0; i < 8; i++) {
            bytes[i] = (uint8_t)(value >> (8 * i));
            known[i] = (uint8_t) ~(unknown >> (8 * i));
        }
        vcd_set_bytes(variables, number, bytes, known);
        return;
    }
    const uint64_t mask = variable->width == 64 ? UINT64_MAX : (UINT64_C(1) << variable->width) - 1;
    variable->now = value & ~unknown & mask;
    variable->unknown = unknown & mask;
}

void vcd_set_text(struct vcd_variables *variables, uint32_t number, const char *text, size_t size)
{
    struct vcd_variable *variable = vcd_to_set(variables, number);
    if (!variable) return;
    variable->wide.size = 0;
    if (size) text_put(&variable->wide, text, size);
}

void vcd_set_bytes(struct vcd_variables *variables, uint32_t number, const uint8_t *bytes,
                   const uint8_t *known)
{
    struct vcd_variable *variable = vcd_to_set(variables, number);
    if (!variable) return;
    if (variable->width <= 64) {
        uint64_t value = 0, mask = 0;
        for (unsigned i = 0; i < (variable->width + 7U) / 8; i++) {
            value |= (uint64_t)bytes[i] << (8 * i);
            mask |= (uint64_t)(uint8_t)~known[i] << (8 * i);
        }
        vcd_set(variables, number, value, mask);
        return;
    }
    variable->wide.size = 0;
    vcd_put_bits(&variable->wide, bytes, known, variable->width, true);
}

void vcd_set_none(struct vcd_variables *variables, uint32_t number)
{
    struct vcd_variable *variable = vcd_to_set(variables, number);
    if (variable) variable->none = true;
}

/* ---- drawing ---- */

void vcd_draw(struct vcd_variables *variables, struct text *out)
{
    for (uint32_t i = 0; i < variables->dirty_count; i++) {
        struct vcd_variable *variable = &variables->items[variables->dirty[i]];
        const bool bit = variable->width == 1, is_text = variable->width == 0;
        const bool narrow = !is_text && variable->width <= 64;
        variable->dirty = false;
        variables->failed |= variable->wide.failed;
        const bool same = variable->none ||
                          (narrow ? variable->now == variable->drawn &&
                                        variable->unknown == variable->drawn_unknown
                                  : variable->wide.size == variable->drawn_wide.size &&
                                        (variable->wide.size == 0 ||
                                         memcmp(variable->wide.bytes, variable->drawn_wide.bytes,
                                                variable->wide.size) == 0));
        if (variable->drawn_any && variable->none == variable->drawn_none && same) continue;
        struct text *value = &variables->value;
        value->size = 0;
        if (variable->none) {
            text_puts(value, is_text ? "" : "z");
        } else if (narrow) {
            uint8_t bytes[8], known[8];
            for (unsigned byte = 0; byte < 8; byte++) {
                bytes[byte] = (uint8_t)(variable->now >> (8 * byte));
                known[byte] = (uint8_t) ~(variable->unknown >> (8 * byte));
            }
            vcd_put_bits(value, bytes, known, variable->width, true);
        } else if (variable->wide.size) {
            text_put(value, variable->wide.bytes, variable->wide.size);
        }
        variables->failed |= value->failed;
        if (variables->fst && is_text) {
            fst_writer_put_text(variables->fst, variables->dirty[i], value->bytes, value->size);
        } else if (variables->fst) {
            fst_writer_put_bits(variables->fst, variables->dirty[i], value->bytes, value->size);
        } else {
            text_puts(out, is_text ? "s" : bit ? "" : "b");
            if (is_text)
                vcd_put_escaped(out, value->bytes, value->size);
            else
                text_append(out, value);
            text_puts(out, bit ? "" : " ");
            text_puts(out, variable->id);
            text_puts(out, "\n");
        }
        variable->drawn_any = true;
        variable->drawn_none = variable->none;
        variable->drawn = variable->now;
        variable->drawn_unknown = variable->unknown;
        if (narrow || variable->none) continue;
        const struct text drawn = variable->drawn_wide;
        variable->drawn_wide = variable->wide;
        variable->wide = drawn;
        variable->wide.size = 0;
    }
    variables->dirty_count = 0;
}

void vcd_variables_free(struct vcd_variables *variables)
{
    for (uint32_t i = 0; i < variables->count; i++) {
        text_free(&variables->items[i].wide);
        text_free(&variables->items[i].drawn_wide);
    }
    free(variables->items);
    free(variables->dirty);
    text_free(&variables->value);
    fst_writer_free(variables->fst);
    *variables = (struct vcd_variables){0};
}
