/* SPDX-License-Identifier: MIT */
/* match.c: rows that contain a text or satisfy an expression, and the search for them. */
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"

bool matcher_parse(struct matcher *matcher, const char *words, struct spoor_error *error)
{
    struct matcher parsed = {0};
    if (strlen(words) >= sizeof parsed.words) {
        spoor_error_set(error, SPOOR_EUSAGE, "found %zu bytes, expected at most %d", strlen(words),
                        WORDS - 1);
        return false;
    }
    strcpy(parsed.words, words);
    if (words[0] == '=' && spoor_select_compile(&parsed.select, words + 1, error) != SPOOR_OK)
        return false;
    matcher_free(matcher);
    *matcher = parsed;
    if (!matcher->select) /* "\=" begins a text with '=' */
        matcher->text = matcher->words + (words[0] == '\\' && words[1] == '=');
    return true;
}

void matcher_free(struct matcher *matcher)
{
    spoor_select_free(matcher->select);
    *matcher = (struct matcher){0};
}

bool matcher_is_given(const struct matcher *matcher)
{
    return matcher->words[0] != '\0';
}

bool matcher_matches(struct view *view, const struct matcher *matcher, const struct row *row)
{
    if (matcher->select) {
        for (size_t i = 0; i < row->count; i++)
            if (spoor_select_match(matcher->select, row->batch, row->index + i)) return true;
        return false;
    }
    if (!matcher->text) return false;
    const size_t size = strlen(matcher->text);
    if (row->text) return memmem(row->text, row->size, matcher->text, size) != NULL;
    struct text text = {0};
    listing_text(view->listing, row, &text);
    const bool found =
        text.size && text.bytes && memmem(text.bytes, text.size, matcher->text, size) != NULL;
    text_free(&text);
    return found;
}

/* The last place of the text in these bytes; NULL: none. */
static const char *find_last(const char *bytes, size_t size, const char *text)
{
    const char *last = NULL, *end = bytes + size;
    const size_t length = strlen(text);
    for (const char *at = bytes; at < end;) {
        const char *found = memmem(at, (size_t)(end - at), text, length);
        if (!found) break;
        last = found;
        at = found + 1;
    }
    return last;
}

/* Searches the bytes of the row's batch, from the row on or before it.  SPOOR_END: not in this
 * batch; *offset is then where the next search begins. */
static enum spoor_status seek_bytes(struct view *view, const char *text, bool forwards,
                                    const struct row *from, uint64_t *offset, struct row *row)
{
    const struct spoor_batch *batch = from->batch;
    const uint64_t end = batch->offset + batch->text_size;
    const size_t before = (size_t)(from->text - batch->text);
    struct spoor_error error = {0};
    const char *found =
        forwards ? memmem(from->text, batch->text_size - before, text, strlen(text))
                 : find_last(batch->text,
                             before + (size_t)(from->end - from->offset) <= batch->text_size
                                 ? before + (size_t)(from->end - from->offset)
                                 : batch->text_size,
                             text);
    *offset = forwards ? end : batch->offset;
    if (!found) return SPOOR_END;
    return listing_at(view->listing, batch->offset + (uint64_t)(found - batch->text), row, &error);
}

/* True if the index excludes the whole part. */
static bool is_excluded(const struct view *view, const struct matcher *matcher,
                        const struct listing_part *part)
{
    const struct index_selection selection = {.where = matcher->select};
    if (!matcher->select || part->segment == SIZE_MAX || !view->index) return false;
    return index_is_skippable(view->index) &&
           !index_selects(view->index, part->segment, &selection);
}

/* Leaves parts that cannot match; *offset moves.  SPOOR_END: no further part. */
static enum spoor_status skip_parts(struct view *view, const struct matcher *matcher, bool forwards,
                                    uint64_t *offset)
{
    struct spoor_error error = {0};
    struct listing_part part;
    for (;;) {
        const enum spoor_status status =
            forwards ? listing_part_at(view->listing, *offset, &part, &error)
                     : listing_part_before(view->listing, *offset, &part, &error);
        if (status != SPOOR_OK || !is_excluded(view, matcher, &part)) return status;
        *offset = forwards ? part.end : part.offset;
    }
}

enum spoor_status matcher_seek(struct view *view, const struct matcher *matcher, uint64_t offset,
                               bool forwards, struct row *row)
{
    struct spoor_error error = {0};
    const bool by_bytes =
        matcher->text && !spoor_format_record_size(listing_stream(view->listing)->format);
    for (unsigned long i = 0;; i++) {
        enum spoor_status status = SPOOR_OK;
        if (matcher->select && i % 64 == 0) {
            status = skip_parts(view, matcher, forwards, &offset);
            if (status != SPOOR_OK) return status;
        }
        status = forwards ? listing_at(view->listing, offset, row, &error)
                          : listing_before(view->listing, offset, row, &error);
        if (status != SPOOR_OK) return status;
        const struct row from = *row;
        if (by_bytes) {
            uint64_t next;
            if (seek_bytes(view, matcher->text, forwards, &from, &next, row) == SPOOR_OK &&
                (forwards || row->offset < offset))
                return SPOOR_OK;
            offset = forwards && next <= offset ? from.end : next;
        } else {
            if (matcher_matches(view, matcher, &from)) return SPOOR_OK;
            offset = forwards ? from.end : from.offset;
        }
        if ((by_bytes || i % 1024 == 1023) &&
            !work_goes_on(view->browser, offset, listing_size(view->listing)))
            return SPOOR_END;
    }
}
