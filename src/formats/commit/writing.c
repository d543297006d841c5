/* SPDX-License-Identifier: MIT */
/* writing.c: writes lines of an instruction with its effects, unchanged or from records of other
 * formats. */
#include <stdlib.h>

#include "formats/commit/commit.h"
#include "isa/privilege.h"
#include "isa/register.h"

/* ---- parts of a line ---- */

void commit_put_name(struct text *out, const struct spoor_batch *batch, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    text_put(out, text, size);
}

/* A copy that a mode has of a register by its one name, any other by its own. */
void commit_put_register(struct text *out, const struct spoor_batch *batch, size_t index)
{
    struct register_name copy;
    size_t size;
    const spoor_name name = batch->records[index].reg.name;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    if (register_is_copy(text, size, &copy))
        text_puts(out, copy.text);
    else
        text_put(out, text, size);
}

/* Writes `digits` hexadecimal digits of a little-endian number. */
static void put_digits(struct text *out, const uint8_t *bytes, size_t size, size_t digits)
{
    char *at = text_reserve(out, digits);
    if (!at) return;
    for (size_t digit = digits; digit-- > 0;) {
        const unsigned byte = digit / 2 < size ? bytes[digit / 2] : 0;
        at = put_char(at, "0123456789abcdef"[digit % 2 ? byte >> 4 : byte & 15]);
    }
    text_commit(out, at);
}

void commit_put_value(struct text *out, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_reg *reg = &batch->records[index].reg;
    const bool wide = reg->wide.size;
    put_digits(
        out, wide ? (const uint8_t *)spoor_batch_bytes(batch, reg->wide) : (const void *)reg->value,
        wide ? reg->wide.size : sizeof reg->value, reg->bits ? (reg->bits + 3u) / 4 : 16);
}

void commit_put_data(struct text *out, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_mem *mem = &batch->records[index].mem;
    const bool wide = mem->wide.size;
    put_digits(
        out, wide ? (const uint8_t *)spoor_batch_bytes(batch, mem->wide) : (const void *)mem->data,
        wide ? mem->wide.size : sizeof mem->data, mem->size ? 2u * mem->size : 16);
}

unsigned commit_cpu_number(const struct spoor_batch *batch, const struct spoor_record *record)
{
    size_t size, begin;
    unsigned number = 0;
    if (!(record->has & SPOOR_HAS_CPU)) return 0;
    const char *text = spoor_names_text(batch->stream->names, record->cpu, &size);
    for (begin = size; begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9';) begin--;
    for (; begin < size && number < 10000; begin++)
        number = 10 * number + (unsigned)(text[begin] - '0');
    return number;
}

uint64_t commit_next_tag(struct commit_line *line, unsigned hart)
{
    return ++line->tags[hart % COMMIT_HARTS];
}

char commit_privilege(const struct spoor_batch *batch, const struct spoor_record *record)
{
    size_t size;
    if (!(record->has & SPOOR_HAS_EXTRA)) return '3';
    const char *name = spoor_names_text(batch->stream->names, record->insn.mode, &size);
    const char digit = privilege_of_mode(name, size);
    return digit ? digit : '3';
}

char commit_privilege_letter(const struct spoor_batch *batch, const struct spoor_record *record)
{
    const char digit = commit_privilege(batch, record);
    return digit < '4' ? "USHM"[digit - '0'] : 'M';
}

/* ---- lines from records of other formats ---- */

static struct commit_line *line_of(struct encoder *encoder)
{
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct commit_line));
    return encoder->tables;
}

static void finish(struct commit_line *line, struct text *out, const struct commit_style *style)
{
    if (!line || !line->open) return;
    style->finish(line, out);
    out->failed |= line->head.failed || line->registers.failed || line->csrs.failed ||
                   line->accesses.failed || line->tail.failed;
    line->head.size = line->registers.size = line->csrs.size = 0;
    line->accesses.size = line->tail.size = 0;
    line->open = line->stores = false;
}

/* Puts a record into the line; false where it has no place in one, and of an instruction whose
 * condition failed: its line does not say so. */
static bool compose(struct commit_line *line, const struct spoor_batch *batch, size_t index,
                    struct text *out, const struct commit_style *style)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_INSN && record->op == SPOOR_INSN_AGAIN && line->open) return true;
    if (record->kind == SPOOR_INSN) {
        finish(line, out, style);
        if (!(record->has & SPOOR_HAS_VA) || record->op == SPOOR_INSN_SQUASHED) return false;
        line->open = true;
        style->insn(line, batch, index);
        return record->op != SPOOR_INSN_SKIPPED;
    }
    return line->open && style->effect(line, batch, index);
}

/* ---- unchanged lines ---- */

size_t commit_line_end(const struct spoor_batch *batch, size_t index)
{
    do index++;
    while (index < batch->count && (batch->records[index].has & SPOOR_CONTINUES));
    return index;
}

bool commit_put_own(const struct spoor_batch *batch, size_t index, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    size_t size;
    if (put_verbatim(batch, index, out)) return true;
    const char *template = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    if (size <= SPELLING_UNIT_SIZE) return false;
    const size_t before = out->size;
    const struct spoor_slice inner = {template + SPELLING_UNIT_SIZE, size - SPELLING_UNIT_SIZE};
    if (!commit_render(batch, index, batch->stream->names, inner, out)) {
        out->size = before;
        return false;
    }
    char *at = text_reserve(out, 2);
    if (at) text_commit(out, put_eol(at, record));
    return true;
}

static void put_title(struct encoder *encoder, struct text *out, const struct commit_style *style,
                      bool own)
{
    if (encoder->word[0]++ == 0 && !own && style->title) {
        text_puts(out, style->title);
        text_put(out, "\n", 1);
    }
}

/* True if nothing of the batch can be written: counts its records as skipped. */
static bool skip_foreign(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to)
{
    enum { SUITS = 3 };
    if (encoder->word[SUITS] == FORMAT_SUITS_UNKNOWN)
        encoder->word[SUITS] = format_suits(encoder->format, batch);
    if (encoder->word[SUITS] != FORMAT_SUITS_NOT) return false;
    encoder->skipped += to - from;
    return true;
}

void commit_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    const struct commit_style *style = encoder->format->variant;
    const bool own = encoder_writes_own(encoder, batch);
    struct commit_line *line = line_of(encoder);
    if (!line) out->failed = true;
    if (!own && skip_foreign(encoder, batch, from, to)) return;
    for (size_t i = from; line && i < to;) {
        const size_t end =
            own && !(batch->records[i].has & SPOOR_CONTINUES) ? commit_line_end(batch, i) : i + 1;
        put_title(encoder, out, style, own);
        if (own && end <= to && end > i + !!(batch->records[i].has & SPOOR_CONTINUES)) {
            finish(line, out, style);
            if (commit_put_own(batch, i, out)) {
                encoder->written += end - i;
                i = end;
                continue;
            }
        }
        const bool done = compose(line, batch, i, out, style);
        encoder->written += done;
        encoder->skipped += !done;
        i++;
    }
}

void commit_write_records(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                          size_t to, struct text *out)
{
    const struct commit_style *style = encoder->format->variant;
    const bool own = encoder_writes_own(encoder, batch);
    if (!own && skip_foreign(encoder, batch, from, to)) return;
    for (size_t i = from; i < to; i++) {
        const bool done =
            own ? (batch->records[i].has & SPOOR_CONTINUES) || commit_put_own(batch, i, out)
                : style && style->record(encoder, batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}

void commit_end(struct encoder *encoder, struct text *out)
{
    struct commit_line *line = encoder->tables;
    finish(line, out, encoder->format->variant);
    if (line) {
        text_free(&line->head);
        text_free(&line->registers);
        text_free(&line->csrs);
        text_free(&line->accesses);
        text_free(&line->tail);
    }
    free(line);
    encoder->tables = NULL;
}
