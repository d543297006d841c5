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
struct uop_writer {
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

/* ---- parts of a line ---- */

/* Writes an opcode and blanks up to `width` bytes; NULL if memory runs out. */
static inline char *uop_put_opcode(struct uop_writer *writer, char *at, spoor_name name,
                                   size_t width)
{
    struct opcode *opcode = &writer->opcodes[name % OPCODES];
    if (opcode->name != name) {
        size_t size;
        const char *text = spoor_names_text(writer->batch->stream->names, name, &size);
        if (size > OPCODE_BYTES) { /* the rest of the line gets a new reservation */
            text_commit(writer->out, at);
            at = text_reserve(writer->out, size + LONGEST_LINE);
            return at ? put_bytes(at, text, size) : NULL;
        }
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
static inline char *uop_put_small(char *at, int32_t value, bool padded)
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

static inline char uop_flags_letter(uint8_t op)
{
    return *pick_letter(UOP_FLAGS_LETTERS, UOP_FLAGS_BITS, op);
}
static inline char uop_branch_letter(uint8_t op)
{
    return *pick_letter(UOP_BRANCH_LETTERS, UOP_BRANCH_BITS, op);
}
static inline char uop_ldst_letter(uint8_t op)
{
    return *pick_letter(UOP_LDST_LETTERS, UOP_LDST_BITS, op);
}

/* ---- lines ---- */

/* Writes all fields, with one blank between them or with the padding of the course's printf; NULL
 * if memory runs out.  Inline, so that each variant has constant widths (which equal uop_widths).
 */
static inline __attribute__((always_inline)) char *
uop_put_fields(struct uop_writer *writer, char *at, const struct uop_text *text, bool padded)
{
    const struct spoor_uop_full *number = &text->number;
    const unsigned decimal_width = padded ? 9 : 0, hex_width = padded ? 12 : 0;
    at = uop_put_small(at, number->step, false);
    at = put_char(quick_put_hex(at, number->pc), ' ');
    at = uop_put_small(at, number->src1, padded);
    at = uop_put_small(at, number->src2, padded);
    at = uop_put_small(at, number->dest, padded);
    memcpy(at, "- - - ", 6);
    at[0] = uop_flags_letter(text->op);
    at[2] = uop_branch_letter(text->op);
    at[4] = uop_ldst_letter(text->op);
    at += 6;
    at = put_char(quick_put_signed(at, number->immediate, decimal_width), ' ');
    at = put_char(quick_put_hex_padded(at, number->address, hex_width), ' ');
    at = put_char(quick_put_hex_padded(at, number->fall, hex_width), ' ');
    at = put_char(quick_put_hex_padded(at, number->target, hex_width), ' ');
    at = uop_put_opcode(writer, at, text->macro, padded ? 8 : 0);
    return at ? uop_put_opcode(writer, put_char(at, ' '), text->micro, 0) : NULL;
}

static void uop_put_uop(struct uop_writer *writer, size_t index, bool spelled)
{
    const struct spoor_record *record = &writer->batch->records[index];
    const struct uop_text text = {.macro = record->uop.macro,
                                  .micro = record->uop.micro,
                                  .op = record->op,
                                  .number = spoor_uop_of(writer->batch, index)};
    char *at = text_reserve(writer->out, LONGEST_LINE);
    if (!at) return;
    const spoor_name spelling = spelled ? record->spelling : SPOOR_NO_NAME;
    if (spelling != SPOOR_NO_NAME && spelling != writer->spelling) {
        static const char single[2 * UOP_GAPS - 2] = "\0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0 \0";
        size_t size;
        const char *bytes = spoor_names_text(writer->batch->stream->spellings, spelling, &size);
        writer->spelling = spelling;
        writer->gaps = bytes + SPELLING_UNIT_SIZE;
        writer->single = size == SPELLING_UNIT_SIZE + sizeof single &&
                         memcmp(writer->gaps, single, sizeof single) == 0;
    }
    if (spelling == SPOOR_NO_NAME || writer->single) {
        at = spelling == SPOOR_NO_NAME ? uop_put_fields(writer, at, &text, true)
                                       : uop_put_fields(writer, at, &text, false);
    } else { /* with the gaps of the spelling */
        const struct spoor_uop_full *number = &text.number;
        const char *gaps = writer->gaps;
        for (enum uop_field field = UOP_STEP; at && field < UOP_FIELDS; field++) {
            while (*gaps) at = put_char(at, *gaps++);
            gaps++;
            switch (field) {
            case UOP_STEP: at = put_signed(at, number->step); break;
            case UOP_PC: at = put_hex(at, number->pc, 1); break;
            case UOP_SRC1: at = put_signed(at, number->src1); break;
            case UOP_SRC2: at = put_signed(at, number->src2); break;
            case UOP_DEST: at = put_signed(at, number->dest); break;
            case UOP_FLAGS: at = put_char(at, uop_flags_letter(text.op)); break;
            case UOP_BRANCH: at = put_char(at, uop_branch_letter(text.op)); break;
            case UOP_LDST: at = put_char(at, uop_ldst_letter(text.op)); break;
            case UOP_IMMEDIATE: at = put_signed(at, number->immediate); break;
            case UOP_ADDRESS: at = put_hex(at, number->address, 1); break;
            case UOP_FALL: at = put_hex(at, number->fall, 1); break;
            case UOP_TARGET: at = put_hex(at, number->target, 1); break;
            case UOP_MACRO: at = uop_put_opcode(writer, at, text.macro, 0); break;
            case UOP_MICRO: at = uop_put_opcode(writer, at, text.micro, 0); break;
            default: break;
            }
        }
        while (at && *gaps) at = put_char(at, *gaps++);
    }
    if (at) text_commit(writer->out, put_eol(at, record));
}

void uop_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    struct uop_writer writer = {.batch = batch, .out = out};
    const bool own = encoder_writes_own(encoder, batch);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool verbatim = record->kind == SPOOR_NOTE || (record->has & SPOOR_IS_VERBATIM);
        const bool taken = own && verbatim && put_verbatim(batch, i, out);
        const bool writable = taken || record->kind == SPOOR_UOP;
        if (writable && !taken) uop_put_uop(&writer, i, own);
        encoder->written += writable;
        encoder->skipped += !writable;
    }
}

/* A verbatim line is printed from its fields as well, unless the table was full when its opcodes
 * were interned. */
void uop_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    struct uop_writer writer = {.batch = batch, .out = out};
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool fields = record->kind == SPOOR_UOP && !((record->has & SPOOR_IS_VERBATIM) &&
                                                           record->uop.macro == SPOOR_NO_NAME);
        if (fields) uop_put_uop(&writer, i, false);
        const bool done = fields || put_verbatim(batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}
