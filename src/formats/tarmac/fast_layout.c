/* SPDX-License-Identifier: MIT */
/* fast_layout.c: records the layout of a line that was decoded word by word, from its spelling's
 * key. */
#include "formats/tarmac/fast_layout.h"

#include <string.h>

#include "base/scan.h"
#include "formats/tarmac/fast_line.h"

_Static_assert(LAYOUT_SETS == 64, "the top six bits of a product");

/* The positions of the digits of its fields; of a register's data, the first two. */
struct fields {
    unsigned at[LAYOUT_FIELDS], digits[LAYOUT_FIELDS];
};

static unsigned part(uint64_t key, unsigned place, unsigned bits)
{
    return (unsigned)(key >> place) & ((1u << bits) - 1);
}

static unsigned security_size(uint8_t security)
{
    return security == SPOOR_SEC_NONE ? 0 : security == SPOOR_SEC_NS ? 3 : 2;
}

/* Adds an address that begins at `at`; returns the beginning of the text after it. */
static unsigned put_address(struct fields *fields, uint64_t key, unsigned at, uint8_t security)
{
    fields->at[0] = at;
    fields->digits[0] = part(key, KEY_WIDTH, KEY_WIDTHS);
    fields->digits[1] = part(key, KEY_WIDTH + KEY_WIDTHS, KEY_WIDTHS);
    at += fields->digits[0];
    fields->at[1] = at + 1;
    if (fields->digits[1]) at += 1 + fields->digits[1] + security_size(security);
    return at + 1;
}

/* Adds data that ends at `end`, from field `low` on; false if it has more than two parts. */
static bool put_data(struct fields *fields, uint64_t key, unsigned end, unsigned low)
{
    const unsigned digits = part(key, KEY_DIGITS, 6), separators = part(key, KEY_SEPARATORS, 5);
    unsigned last = digits < LAYOUT_DIGITS ? digits : LAYOUT_DIGITS;
    if (separators) last = part(key, KEY_GROUP, 6);
    const unsigned first = digits - last;
    fields->digits[low] = last;
    fields->at[low] = end - last;
    fields->digits[low + 1] = first;
    fields->at[low + 1] = end - last - separators - first;
    return separators <= 1 && last <= LAYOUT_DIGITS && first <= LAYOUT_DIGITS;
}

static bool find_fields(struct fields *fields, const struct layout_line *line, unsigned size,
                        const struct spoor_record *record)
{
    const uint64_t key = line->key;
    unsigned at = 0;
    switch ((enum form)part(key, KEY_FORM, 2)) {
    case FORM_REG: return put_data(fields, key, size, 0);
    case FORM_MEM:
        while (line->at[at] != ' ') at++;
        put_address(fields, key, at + 1, record->mem.security);
        return put_data(fields, key, size, 2);
    default:
        fields->at[2] = put_address(fields, key, 0, record->insn.security);
        fields->digits[2] = part(key, KEY_WIDTH + 2 * KEY_WIDTHS, KEY_WIDTHS);
        return true;
    }
}

static uint64_t digits_at(const char *at)
{
    uint64_t digits = 0;
    for (unsigned i = 0; i < LAYOUT_BYTES; i++)
        digits |= (uint64_t)(hex_value[(unsigned char)at[i]] < 16) << i;
    return digits;
}

/* Marks the bytes outside of fields, which are the same in every line. */
static void put_same(struct line_layout *layout, const struct fields *fields, const char *at)
{
    memset(layout->same_mask, 0xFF, layout->size);
    for (unsigned i = 0; i < LAYOUT_FIELDS; i++)
        memset(layout->same_mask + fields->at[i], 0, fields->digits[i]);
    for (unsigned i = 0; i < layout->size; i++)
        layout->same[i] = (uint8_t)at[i] & layout->same_mask[i];
}

static void put_moves(struct line_layout *layout, const struct fields *fields)
{
    memset(layout->moves, 0xFF, sizeof layout->moves);
    for (unsigned i = 0; i < LAYOUT_FIELDS; i++) {
        uint8_t *end = layout->moves[i] + LAYOUT_DIGITS - fields->digits[i];
        for (unsigned digit = 0; digit < fields->digits[i]; digit++) end[digit] = (uint8_t)digit;
        layout->at[i] = (uint8_t)(fields->digits[i] ? fields->at[i] : 0);
    }
}

/* Returns the bits of the low part, after which the high part must be moved. */
static uint8_t low_bits(const struct fields *fields, enum form form)
{
    const unsigned low = form == FORM_REG ? 0 : 2;
    const bool moved = form != FORM_INSN && fields->digits[low + 1];
    return (uint8_t)(moved && fields->digits[low] < LAYOUT_DIGITS ? 4 * fields->digits[low] : 0);
}

/* Returns its place in its set, where its own old entry may be. */
static struct line_layout *place(struct line_layout *set, const struct line_layout *layout)
{
    for (unsigned way = 0; way < LAYOUT_WAYS; way++)
        if (set[way].tag == layout->tag && set[way].size == layout->size &&
            set[way].digits == layout->digits &&
            memcmp(set[way].same, layout->same, layout->size) == 0)
            return &set[way];
    memmove(&set[1], &set[0], (LAYOUT_WAYS - 1) * sizeof *set);
    set[0] = *layout;
    return &set[0];
}

static unsigned case_of(uint64_t key, enum form form)
{
    const unsigned place = form == FORM_INSN ? KEY_UPPER + 2 : KEY_UPPER_DATA;
    return part(key, KEY_UPPER, 2) | part(key, place, 1) << 2;
}

void layouts_learn(struct layouts *layouts, const struct layout_line *line,
                   const struct spoor_record *record)
{
    const enum form form = (enum form)part(line->key, KEY_FORM, 2);
    const size_t size = (size_t)(line->stop - line->at);
    const uint64_t digits = digits_at(line->at), others = ~digits;
    struct line_layout layout = {
        .tag = part(line->key, KEY_HEAD, 8) << TAG_HEAD | (uint32_t)form << TAG_FORM |
               part(line->key, KEY_INDEX, 1) << TAG_INDEX |
               (uint32_t)(record->has & SPOOR_EOL_CRLF ? 1 : 0) << TAG_CRLF,
        .size = (uint32_t)size,
        .like = *record};
    struct fields fields = {{0}, {0}};
    if (size == 0 || size > LAYOUT_BYTES) return;
    if (!find_fields(&fields, line, layout.size, record)) return;
    layout.region = UINT64_MAX >> (LAYOUT_BYTES - size);
    layout.digits = digits & layout.region;
    layout.low_bits = low_bits(&fields, form);
    put_same(&layout, &fields, line->at);
    put_moves(&layout, &fields);
    const uint64_t second = others & (others - 1);
    const uint64_t front = form == FORM_INSN ? digits & (second - 1) & ~second : layout.digits;
    struct line_layout *set = layouts->sets[layout_set(front, layout.tag)];
    layouts->any = true;
    place(set, &layout)->spellings[case_of(line->key, form)] = record->spelling;
}
