/* SPDX-License-Identifier: MIT */
/* writing.c: writes lines of an instruction with its effects, unchanged or from records of other
 * formats. */
#include <stdlib.h>

#include "formats/commit/commit.h"
#include "isa/privilege.h"
#include "isa/register.h"

/* ---- parts of a line ---- */

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

void commit_put_value(struct text *out, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const bool is_reg = record->kind == SPOOR_REG;
    const struct spoor_ref wide = is_reg ? record->reg.wide : record->mem.wide;
    const size_t digits = is_reg ? (record->reg.bits + 3u) / 4 : 2u * record->mem.size;
    const void *number = is_reg ? record->reg.value : record->mem.data;
    if (wide.size) number = spoor_batch_bytes(batch, wide);
    commit_put_wide(out, number, wide.size ? wide.size : sizeof record->reg.value,
                    digits ? digits : 16, false);
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

static void commit_finish_line(struct commit_line *line, struct text *out,
                               const struct commit_style *style)
{
    struct text *const columns[] = {&line->head, &line->registers, &line->csrs, &line->accesses,
                                    &line->tail};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    static const char letters[] = "HRCAT";
    if (!line->open) return;
    if (style->finish) style->finish(line, out);
    for (const char *at = style->columns ? style->columns : "HRCAT\n"; !style->finish && *at;
         at++) {
        const char *letter = strchr(letters, *at);
        const struct text *column = letter ? columns[letter - letters] : NULL;
        if (column == &line->tail && !column->size && style->no_tail)
            text_puts(out, style->no_tail);
        else if (column)
            text_append(out, column);
        else
            text_put(out, at, 1);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        out->failed |= columns[i]->failed;
        columns[i]->size = 0;
    }
    line->open = line->stores = false;
}

/* ---- unchanged lines ---- */

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

/* True if nothing of the batch can be written: counts its records as skipped. */
static bool commit_skip_foreign(struct encoder *encoder, const struct spoor_batch *batch,
                                size_t from, size_t to)
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
    if (!encoder->tables) encoder->tables = calloc(1, sizeof(struct commit_line));
    struct commit_line *line = encoder->tables;
    if (!line) out->failed = true;
    if (!own && commit_skip_foreign(encoder, batch, from, to)) return;
    for (size_t i = from; line && i < to;) {
        if (encoder->word[0]++ == 0 && !own && style->title) {
            text_puts(out, style->title);
            text_put(out, "\n", 1);
        }
        const bool begins = own && !(batch->records[i].has & SPOOR_CONTINUES);
        const size_t end = begins ? commit_line_end(batch, i) : i + 1;
        if (begins && end <= to) {
            commit_finish_line(line, out, style);
            if (commit_put_own(batch, i, out)) {
                encoder->written += end - i;
                i = end;
                continue;
            }
        }
        const struct spoor_record *record = &batch->records[i];
        bool done = line->open;
        if (record->kind == SPOOR_INSN && !(done && record->op == SPOOR_INSN_AGAIN)) {
            /* of one whose condition failed, the line does not say so */
            commit_finish_line(line, out, style);
            line->open = (record->has & SPOOR_HAS_VA) && record->op != SPOOR_INSN_SQUASHED;
            if (line->open) style->put(line, batch, i);
            done = line->open && record->op != SPOOR_INSN_SKIPPED;
        } else if (record->kind != SPOOR_INSN) {
            done = done && style->put(line, batch, i);
        }
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
    if (!own && commit_skip_foreign(encoder, batch, from, to)) return;
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
    if (!line) return;
    commit_finish_line(line, out, encoder->format->variant);
    text_free(&line->head);
    text_free(&line->registers);
    text_free(&line->csrs);
    text_free(&line->accesses);
    text_free(&line->tail);
    free(line);
    encoder->tables = NULL;
}
