/* SPDX-License-Identifier: MIT */
/* reference_line_write.c: writing memory references one to a line. */
#include <stddef.h>

#include "formats/reference.h"
#include "formats/reference_line.h"

enum { LONGEST_LINE = LONGEST_BLANKS + 64 };

static char *put_number(char *at, uint64_t value, const struct number_spelling *spelling)
{
    if (spelling->prefix) at = put_char(put_char(at, '0'), (char)spelling->prefix);
    return spelling->upper ? put_hex_upper(at, value, spelling->digits)
                           : put_hex(at, value, spelling->digits);
}

static char *put_line(char *at, const struct reference_syntax *syntax,
                      const struct reference_spelling *spelling, char label, uint64_t address,
                      uint16_t size)
{
    const char *blanks = spelling->blanks;
    at = put_char(put_bytes(at, blanks, spelling->gaps[0]), label);
    blanks += spelling->gaps[0];
    at = put_number(put_bytes(at, blanks, spelling->gaps[1]), address, &spelling->address);
    blanks += spelling->gaps[1];
    if (syntax->size != SIZE_NONE) {
        at = put_bytes(at, blanks, spelling->gaps[2]);
        blanks += spelling->gaps[2];
        if (syntax->separator != ' ') at = put_char(at, syntax->separator);
        at = syntax->size == SIZE_HEX ? put_number(at, size, &spelling->size)
                                      : put_decimal(at, size);
    }
    return put_bytes(at, blanks, spelling->gaps[3]);
}

static struct reference_spelling spelling_of(const struct spoor_batch *batch,
                                             const struct spoor_record *record,
                                             const struct reference_syntax *syntax, bool own)
{
    if (!own || record->spelling == SPOOR_NO_NAME)
        return reference_canonical(syntax, (enum spoor_mem_op)record->op);
    struct reference_spelling spelling = {.unit = ""};
    size_t size;
    const char *bytes = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    memcpy(&spelling, bytes, size < sizeof spelling ? size : sizeof spelling);
    return spelling;
}

/* The record's own operation has a label: one line says it all. */
static char *put_mem(char *at, const struct spoor_batch *batch, const struct spoor_record *record,
                     const struct reference_syntax *syntax, bool own)
{
    const struct reference_spelling spelling = spelling_of(batch, record, syntax, own);
    const uint64_t address = (record->has & SPOOR_HAS_VA) ? record->mem.va : record->mem.pa;
    return put_line(at, syntax, &spelling, syntax->labels[record->op], address, record->mem.size);
}

static char *put_reference(char *at, const struct reference *reference, enum spoor_mem_op op,
                           const struct reference_syntax *syntax)
{
    const struct reference_spelling spelling = reference_canonical(syntax, op);
    at = put_line(at, syntax, &spelling, syntax->labels[op], reference_virtual(reference),
                  reference->size);
    return put_char(at, '\n');
}

static char *put_references(char *at, const struct spoor_batch *batch, size_t index,
                            const struct reference_syntax *syntax)
{
    struct reference references[REFERENCES_MOST];
    const size_t count = references_of(batch, index, references);
    for (size_t i = 0; i < count; i++) {
        const enum spoor_mem_op op = (enum spoor_mem_op)references[i].op;
        if (syntax->labels[op]) {
            at = put_reference(at, &references[i], op, syntax);
        } else { /* a format without `modify` */
            at = put_reference(at, &references[i], SPOOR_MEM_READ, syntax);
            at = put_reference(at, &references[i], SPOOR_MEM_WRITE, syntax);
        }
    }
    return at;
}

/* Whether the record is this format's own kind of line. */
static bool has_own_line(const struct spoor_record *record, const struct reference_syntax *syntax)
{
    return record->kind == SPOOR_MEM && (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) &&
           !(record->mem.attr & SPOOR_MEM_ABORTED) && syntax->labels[record->op];
}

void reference_lines_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                           size_t to, struct text *out, const struct reference_syntax *syntax,
                           bool own)
{
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (own && put_verbatim(batch, i, out)) {
            encoder->written++;
            continue;
        }
        char *at = text_reserve(out, LONGEST_LINE * 2 * REFERENCES_MOST), *begin = at;
        if (!at) return;
        if (has_own_line(record, syntax)) {
            at = put_mem(at, batch, record, syntax, own);
            at = own ? put_eol(at, record) : put_char(at, '\n');
        } else {
            at = put_references(at, batch, i, syntax);
        }
        text_commit(out, at);
        encoder->written += at != begin;
        encoder->skipped += at == begin;
    }
}
