/* SPDX-License-Identifier: MIT */
/*
 * uop_write.c: writes micro-op lines.
 *
 * Printing pads as the course's printf does: "%d %x %2d %2d %2d %c %c %c %9d %12x %12x %12x %-8s
 * %s\n", with numbers of full range.  Writing reproduces the blanks of each line.
 */
#include "base/quick_put.h"
#include "formats/uop/uop.h"
#include "model/flag_letters.h"

enum {
    LONGEST_NUMBERS = 256, /* bytes of a padded line without its opcodes */
    OPCODE_BYTES = 16,     /* of an opcode that is copied in one step, with the blanks after it */
    OPCODES = 64,          /* number of cached opcodes */
    LONGEST_LINE = LONGEST_NUMBERS + LONGEST_SPELLING + 2 * OPCODE_BYTES + PUT_SLACK,
};

/* State of writing from line to line. */
struct writing {
    const struct spoor_batch *batch;
    struct text *out;
    const char *gaps;    /* of the spelling below: fifteen strings, each ended by a zero byte */
    spoor_name spelling; /* of the previous line */
    bool single;         /* its gaps are one blank each, and there is none at the ends */
    struct opcode {
        spoor_name name; /* all zeros: no name; its text is empty */
        uint8_t size;
        char text[OPCODE_BYTES]; /* blanks after */
    } opcodes[OPCODES];
};

/* A micro-op with everything that its line needs. */
struct uop_text {
    struct spoor_uop_full number;
    spoor_name macro, micro;
    uint8_t op;
};

static inline struct uop_text text_of(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    return (struct uop_text){.macro = record->uop.macro,
                             .micro = record->uop.micro,
                             .op = record->op,
                             .number = spoor_uop_of(batch, index)};
}

/* ---- parts of a line ---- */

/* Writes an opcode that is too long for the cache, after which the rest of a line gets a new
 * reservation. */
static char *put_long_opcode(struct writing *writing, char *at, const char *text, size_t size)
{
    text_commit(writing->out, at);
    at = text_reserve(writing->out, size + LONGEST_LINE);
    return at ? put_bytes(at, text, size) : NULL;
}

/* Writes an opcode and blanks up to `width` bytes; NULL if memory runs out. */
static inline char *put_opcode(struct writing *writing, char *at, spoor_name name, size_t width)
{
    struct opcode *opcode = &writing->opcodes[name % OPCODES];
    if (opcode->name != name) {
        size_t size;
        const char *text = spoor_names_text(writing->batch->stream->names, name, &size);
        if (size > OPCODE_BYTES) return put_long_opcode(writing, at, text, size);
        opcode->name = name;
        opcode->size = (uint8_t)size;
        memset(opcode->text, ' ', OPCODE_BYTES);
        memcpy(opcode->text, text, size);
    }
    memcpy(at, opcode->text, OPCODE_BYTES);
    return at + (opcode->size < width ? width : opcode->size);
}

/* Register numbers and steps: -9 to 99, two bytes each. */
enum { MIN_SMALL = -9, MAX_SMALL = 99 };
static const char small_numbers[] = "-9-8-7-6-5-4-3-2-1"
                                    " 0 1 2 3 4 5 6 7 8 9"
                                    "10111213141516171819"
                                    "20212223242526272829"
                                    "30313233343536373839"
                                    "40414243444546474849"
                                    "50515253545556575859"
                                    "60616263646566676869"
                                    "70717273747576777879"
                                    "80818283848586878889"
                                    "90919293949596979899";

/* Writes a number, right-aligned in two bytes if padded, and a blank. */
static inline char *put_small(char *at, int32_t value, bool padded)
{
    if (value < MIN_SMALL || value > MAX_SMALL)
        return put_char(quick_put_signed(at, value, padded ? 2 : 0), ' ');
    const char *digits = small_numbers + 2 * (value - MIN_SMALL);
    const int blank = !padded && digits[0] == ' ';
    at[0] = digits[blank];
    at[1] = digits[1];
    at[2 - blank] = ' ';
    return at + 3 - blank;
}

static inline char flags_letter(uint8_t op)
{
    return *pick_letter(UOP_FLAGS_LETTERS, UOP_FLAGS_BITS, op);
}
static inline char branch_letter(uint8_t op)
{
    return *pick_letter(UOP_BRANCH_LETTERS, UOP_BRANCH_BITS, op);
}
static inline char ldst_letter(uint8_t op)
{
    return *pick_letter(UOP_LDST_LETTERS, UOP_LDST_BITS, op);
}

/* Writes the letters with blanks between and after. */
static inline char *put_letters(char *at, uint8_t op)
{
    memcpy(at, "- - - ", 6);
    at[0] = flags_letter(op);
    at[2] = branch_letter(op);
    at[4] = ldst_letter(op);
    return at + 6;
}

/* ---- lines ---- */

/* Writes all fields, with one blank between them or with the padding of the course's printf; NULL
 * if memory runs out.  Inline, so that each variant has constant widths (which equal uop_widths).
 */
static inline __attribute__((always_inline)) char *
put_fields(struct writing *writing, char *at, const struct uop_text *text, bool padded)
{
    const struct spoor_uop_full *number = &text->number;
    const unsigned decimal_width = padded ? 9 : 0, hex_width = padded ? 12 : 0;
    at = put_small(at, number->step, false);
    at = put_char(quick_put_hex(at, number->pc), ' ');
    at = put_small(at, number->src1, padded);
    at = put_small(at, number->src2, padded);
    at = put_small(at, number->dest, padded);
    at = put_letters(at, text->op);
    at = put_char(quick_put_signed(at, number->immediate, decimal_width), ' ');
    at = put_char(quick_put_hex_padded(at, number->address, hex_width), ' ');
    at = put_char(quick_put_hex_padded(at, number->fall, hex_width), ' ');
    at = put_char(quick_put_hex_padded(at, number->target, hex_width), ' ');
    at = put_opcode(writing, at, text->macro, padded ? 8 : 0);
    return at ? put_opcode(writing, put_char(at, ' '), text->micro, 0) : NULL;
}

static char *put_padded(struct writing *writing, char *at, const struct uop_text *text)
{
    return put_fields(writing, at, text, true);
}

static char *put_single(struct writing *writing, char *at, const struct uop_text *text)
{
    return put_fields(writing, at, text, false);
}

static char *put_field(struct writing *writing, char *at, const struct uop_text *text,
                       enum uop_field field)
{
    const struct spoor_uop_full *number = &text->number;
    switch (field) {
    case UOP_STEP: return put_signed(at, number->step);
    case UOP_PC: return put_hex(at, number->pc, 1);
    case UOP_SRC1: return put_signed(at, number->src1);
    case UOP_SRC2: return put_signed(at, number->src2);
    case UOP_DEST: return put_signed(at, number->dest);
    case UOP_FLAGS: return put_char(at, flags_letter(text->op));
    case UOP_BRANCH: return put_char(at, branch_letter(text->op));
    case UOP_LDST: return put_char(at, ldst_letter(text->op));
    case UOP_IMMEDIATE: return put_signed(at, number->immediate);
    case UOP_ADDRESS: return put_hex(at, number->address, 1);
    case UOP_FALL: return put_hex(at, number->fall, 1);
    case UOP_TARGET: return put_hex(at, number->target, 1);
    case UOP_MACRO: return put_opcode(writing, at, text->macro, 0);
    case UOP_MICRO: return put_opcode(writing, at, text->micro, 0);
    default: return at;
    }
}

/* Writes all fields, with the gaps of the spelling; NULL if memory runs out. */
static char *put_spelled(struct writing *writing, char *at, const struct uop_text *text)
{
    const char *gaps = writing->gaps;
    for (enum uop_field field = UOP_STEP; at && field < UOP_FIELDS; field++) {
        while (*gaps) at = put_char(at, *gaps++);
        gaps++;
        at = put_field(writing, at, text, field);
    }
    while (at && *gaps) at = put_char(at, *gaps++);
    return at;
}

/* Selects another spelling. */
static void spell(struct writing *writing, spoor_name spelling)
{
    static const char single[2 * UOP_GAPS - 2] = "\0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0";
    size_t size;
    const char *bytes = spoor_names_text(writing->batch->stream->spellings, spelling, &size);
    writing->spelling = spelling;
    writing->gaps = bytes + SPELLING_UNIT_SIZE;
    writing->single = size == SPELLING_UNIT_SIZE + sizeof single &&
                      memcmp(writing->gaps, single, sizeof single) == 0;
}

static void put_uop(struct writing *writing, size_t index, bool spelled)
{
    const struct spoor_record *record = &writing->batch->records[index];
    const struct uop_text text = text_of(writing->batch, index);
    char *at = text_reserve(writing->out, LONGEST_LINE);
    if (!at) return;
    const spoor_name spelling = spelled ? record->spelling : SPOOR_NO_NAME;
    if (spelling != SPOOR_NO_NAME && spelling != writing->spelling) spell(writing, spelling);
    if (spelling == SPOOR_NO_NAME)
        at = put_padded(writing, at, &text);
    else if (writing->single)
        at = put_single(writing, at, &text);
    else
        at = put_spelled(writing, at, &text);
    if (at) text_commit(writing->out, put_eol(at, record));
}

static inline bool is_verbatim(const struct spoor_record *record)
{
    return record->kind == SPOOR_NOTE || (record->has & SPOOR_IS_VERBATIM);
}

void uop_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    struct writing writing = {.batch = batch, .out = out};
    const bool own = encoder_writes_own(encoder, batch);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool taken = own && is_verbatim(record) && put_verbatim(batch, i, out);
        const bool writable = taken || record->kind == SPOOR_UOP;
        if (writable && !taken) put_uop(&writing, i, own);
        encoder->written += writable;
        encoder->skipped += !writable;
    }
}

/* A verbatim line is printed from its fields as well, unless the table was full when its opcodes
 * were interned. */
static bool printable(const struct spoor_record *record)
{
    return record->kind == SPOOR_UOP &&
           !((record->has & SPOOR_IS_VERBATIM) && record->uop.macro == SPOOR_NO_NAME);
}

void uop_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    struct writing writing = {.batch = batch, .out = out};
    for (size_t i = from; i < to; i++) {
        const bool fields = printable(&batch->records[i]);
        if (fields) put_uop(&writing, i, false);
        const bool done = fields || put_verbatim(batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}
