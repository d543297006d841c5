/* SPDX-License-Identifier: MIT */
/* reference_line_write.c: writes memory references, one in each line. */
#include <stddef.h>

#include "base/quick_put.h"
#include "formats/din/reference_line.h"
#include "formats/reference.h"

enum { LONGEST_LINE = LONGEST_BLANKS + 64 };

static inline char *put_number(char *at, uint64_t value, const struct number_spelling *spelling)
{
    if (spelling->prefix) at = put_char(put_char(at, '0'), (char)spelling->prefix);
    if (spelling->upper) return put_hex_upper(at, value, spelling->digits);
    return quick_put_hex_zeros(at, value, spelling->digits);
}

/* Writes a gap; nearly all gaps are one blank or empty. */
static inline char *put_gap(char *at, const char *blanks, size_t size)
{
    if (size) *at = *blanks;
    return size > 1 ? put_bytes(at, blanks, size) : at + size;
}

static inline char *put_line(char *at, const struct reference_syntax *syntax,
                             const struct reference_spelling *spelling, char label,
                             uint64_t address, uint16_t size)
{
    const char *blanks = spelling->blanks;
    if (spelling->capital) label = (char)(label - 'a' + 'A');
    at = put_char(put_gap(at, blanks, spelling->gaps[0]), label);
    blanks += spelling->gaps[0];
    at = put_number(put_gap(at, blanks, spelling->gaps[1]), address, &spelling->address);
    blanks += spelling->gaps[1];
    if (syntax->size != SIZE_NONE) {
        at = put_gap(at, blanks, spelling->gaps[2]);
        blanks += spelling->gaps[2];
        if (syntax->separator != ' ') at = put_char(at, syntax->separator);
        at = syntax->size == SIZE_HEX ? put_number(at, size, &spelling->size)
                                      : put_decimal(at, size);
    }
    return put_gap(at, blanks, spelling->gaps[3]);
}

struct writing {
    const struct reference_syntax *syntax;
    const struct spoor_batch *batch;
    bool own;
    struct reference_spelling canonical[SPOOR_MEM_OPS]; /* indexed by operation */
};

/* Returns the record's spelling; one that is not canonical is assembled in `spelled`. */
static const struct reference_spelling *spelling_of(const struct writing *writing,
                                                    const struct spoor_record *record,
                                                    struct reference_spelling *spelled)
{
    if (!writing->own || record->spelling == SPOOR_NO_NAME) return &writing->canonical[record->op];
    size_t size;
    const char *bytes =
        spoor_names_text(writing->batch->stream->spellings, record->spelling, &size);
    *spelled = (struct reference_spelling){.unit = ""};
    memcpy(spelled, bytes, size < sizeof *spelled ? size : sizeof *spelled);
    return spelled;
}

/* Writes the record in one line if its operation has a label. */
static char *put_mem(char *at, const struct writing *writing, const struct spoor_record *record)
{
    struct reference_spelling spelled;
    const uint64_t address = (record->has & SPOOR_HAS_VA) ? record->mem.va : record->mem.pa;
    at = put_line(at, writing->syntax, spelling_of(writing, record, &spelled),
                  writing->syntax->labels[record->op], address, record->mem.size);
    return writing->own ? put_eol(at, record) : put_char(at, '\n');
}

static char *put_reference(char *at, const struct writing *writing,
                           const struct reference *reference, enum spoor_mem_op op)
{
    at = put_line(at, writing->syntax, &writing->canonical[op], writing->syntax->labels[op],
                  reference_virtual(reference), reference->size);
    return put_char(at, '\n');
}

static char *put_references(char *at, const struct writing *writing, size_t index)
{
    struct reference references[MAX_REFERENCES];
    const size_t count = references_of(writing->batch, index, references);
    for (size_t i = 0; i < count; i++) {
        const enum spoor_mem_op op = (enum spoor_mem_op)references[i].op;
        if (writing->syntax->labels[op]) {
            at = put_reference(at, writing, &references[i], op);
        } else { /* the format has no label for `modify` */
            at = put_reference(at, writing, &references[i], SPOOR_MEM_READ);
            at = put_reference(at, writing, &references[i], SPOOR_MEM_WRITE);
        }
    }
    return at;
}

/* True if the record is a line of this format.  Without sizes, a copy back is of all blocks. */
static bool has_own_line(const struct spoor_record *record, const struct reference_syntax *syntax)
{
    const bool is_flush = record->op == SPOOR_MEM_COPY_BACK && syntax->size == SIZE_NONE;
    if (is_flush && record->mem.size) return false;
    return record->kind == SPOOR_MEM && (record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA)) &&
           !(record->mem.attr & SPOOR_MEM_ABORTED) && syntax->labels[record->op];
}

void reference_lines_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                           size_t to, struct text *out)
{
    const struct reference_syntax *syntax = encoder->format->text->variant;
    const bool own = encoder_writes_own(encoder, batch);
    struct writing writing = {.syntax = syntax, .batch = batch, .own = own};
    for (int op = 0; op < SPOOR_MEM_OPS; op++)
        writing.canonical[op] = reference_canonical(syntax, (enum spoor_mem_op)op);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (own && put_verbatim(batch, i, out)) {
            encoder->written++;
            continue;
        }
        char *begin = text_reserve(out, LONGEST_LINE * 2 * MAX_REFERENCES + PUT_SLACK);
        if (!begin) return;
        char *at = has_own_line(record, syntax) ? put_mem(begin, &writing, record)
                                                : put_references(begin, &writing, i);
        text_commit(out, at);
        encoder->written += at != begin;
        encoder->skipped += at == begin;
    }
}
