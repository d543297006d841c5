/* SPDX-License-Identifier: MIT */
/* writing.c: writes the gaps, words and numbers of a line. */
#include "formats/tarmac/writing.h"

#include <string.h>

void writing_gap_slow(struct writing *writing, unsigned spaces)
{
    memset(writing->at, ' ', spaces);
    writing->at += spaces;
}

static void writing_ref(struct writing *writing, struct spoor_ref ref)
{
    if (ref.size) writing_bytes(writing, spoor_batch_bytes(writing->batch, ref), ref.size);
}

void writing_name(struct writing *writing, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(writing->batch->stream->names, name, &size);
    writing_bytes(writing, text, size);
}

void writing_decimal(struct writing *writing, uint64_t value)
{
    writing->at = put_decimal(writing->at, value);
}

void writing_hex(struct writing *writing, unsigned slot, uint64_t value, unsigned canonical)
{
    unsigned width = writing->spelling.width[slot];
    bool upper = writing->spelling.upper >> slot & 1;
    writing->at = (upper ? put_hex_upper : put_hex)(writing->at, value, width ? width : canonical);
}

void writing_index(struct writing *writing, uint64_t index)
{
    if (!(writing->record->has & SPOOR_HAS_INDEX)) return;
    writing_gap(writing);
    writing_char(writing, '(');
    writing_decimal(writing, index);
    writing_char(writing, ')');
}

void writing_word(struct writing *writing, const char *word)
{
    writing_gap(writing);
    writing_text(writing, word);
}

void writing_word_name(struct writing *writing, spoor_name name)
{
    writing_gap(writing);
    writing_name(writing, name);
}

void writing_word_ref(struct writing *writing, struct spoor_ref ref)
{
    if (ref.size == 0) return;
    writing_gap(writing);
    writing_ref(writing, ref);
}
