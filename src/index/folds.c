/* SPDX-License-Identifier: MIT */
/* folds.c: feeding the folds that keep a section in the index, and their sections. */
#include <stdlib.h>

#include "base/hash.h"
#include "index/internal.h"

/* ---- feeding ---- */

static void index_folds_enter(void *context, unsigned cpu, const struct call_frame *frame,
                              size_t depth, const struct call_moment *at)
{
    const struct folds *folds = context;
    for (size_t i = 0; i < folds->count; i++) {
        const struct index_fold *fold = folds->list[i];
        if (fold->calls.enter) fold->calls.enter(folds->states[i], cpu, frame, depth, at);
    }
}

static void index_folds_leave(void *context, unsigned cpu, const struct call_frame *frame,
                              size_t depth, const struct call_moment *at, enum call_end end)
{
    const struct folds *folds = context;
    for (size_t i = 0; i < folds->count; i++) {
        const struct index_fold *fold = folds->list[i];
        if (fold->calls.leave) fold->calls.leave(folds->states[i], cpu, frame, depth, at, end);
    }
}

static void index_folds_switched(void *context, unsigned cpu, const struct call_stack *now,
                                 const struct call_moment *at)
{
    const struct folds *folds = context;
    for (size_t i = 0; i < folds->count; i++) {
        const struct index_fold *fold = folds->list[i];
        if (fold->calls.switched) fold->calls.switched(folds->states[i], cpu, now, at);
    }
}

static void index_folds_sampled(void *context, unsigned cpu, const struct call_moment *at)
{
    const struct folds *folds = context;
    for (size_t i = 0; i < folds->count; i++) {
        const struct index_fold *fold = folds->list[i];
        if (fold->calls.sampled) fold->calls.sampled(folds->states[i], cpu, at);
    }
}

static void index_folds_lost(void *context, unsigned cpu, const struct call_stack *after,
                             const struct call_moment *at, const struct call_gap *gap)
{
    const struct folds *folds = context;
    for (size_t i = 0; i < folds->count; i++) {
        const struct index_fold *fold = folds->list[i];
        if (fold->calls.lost) fold->calls.lost(folds->states[i], cpu, after, at, gap);
    }
}

bool folds_begin(struct folds *folds, const struct index_fold *const *list)
{
    *folds =
        (struct folds){.listener = {folds, index_folds_enter, index_folds_leave,
                                    index_folds_switched, index_folds_sampled, index_folds_lost}};
    size_t count = 0;
    while (list && list[count]) count++;
    folds->list = calloc(count + 1, sizeof *folds->list);
    folds->states = calloc(count + 1, sizeof *folds->states);
    if (!folds->list || !folds->states) return false;
    for (; folds->count < count; folds->count++) {
        const struct index_fold *fold = list[folds->count];
        folds->states[folds->count] = fold->begin(fold->context);
        folds->list[folds->count] = fold;
        if (!folds->states[folds->count]) return false;
    }
    return true;
}

bool folds_add(struct folds *folds, struct machine *machine, const struct spoor_batch *batch,
               const struct digest *digest)
{
    for (size_t i = 0; i < folds->count; i++)
        if (folds->list[i]->add && !folds->list[i]->add(folds->states[i], machine, batch, digest))
            return false;
    return true;
}

const struct index_fold *folds_limit(struct folds *folds, size_t maximum)
{
    for (size_t i = 0; i < folds->count; i++) {
        const struct index_fold *fold = folds->list[i];
        if (!fold->size || fold->size(folds->states[i]) <= maximum) continue;
        fold->free(folds->states[i]);
        folds->count--;
        for (; i < folds->count; i++) {
            folds->list[i] = folds->list[i + 1];
            folds->states[i] = folds->states[i + 1];
        }
        return fold;
    }
    return NULL;
}

void folds_free(struct folds *folds)
{
    for (size_t i = 0; i < folds->count; i++) folds->list[i]->free(folds->states[i]);
    free(folds->list);
    free(folds->states);
    *folds = (struct folds){0};
}

/* ---- sections ---- */

/* The least id after `id` among the folds and the sections that are kept; 0: there is none. */
static uint32_t index_folds_next_id(const struct folds *folds, const struct index *before,
                                    uint32_t id)
{
    uint32_t next = 0;
    for (size_t i = 0; i < folds->count; i++)
        if (folds->list[i]->id > id && (!next || folds->list[i]->id < next))
            next = folds->list[i]->id;
    for (size_t i = 0; before && i < before->extra_count; i++)
        if (before->extras[i].id > id && (!next || before->extras[i].id < next))
            next = before->extras[i].id;
    return next;
}

bool folds_end(const struct folds *folds, const struct calls *calls, struct index *index,
               const struct index *before, struct text *content)
{
    const size_t kept = before ? before->extra_count : 0;
    index->extras = calloc(folds->count + kept + 1, sizeof *index->extras);
    if (!index->extras) return false;
    for (uint32_t id = index_folds_next_id(folds, before, 0); id;
         id = index_folds_next_id(folds, before, id)) {
        struct extra *extra = &index->extras[index->extra_count++];
        const size_t from = content->size;
        extra->id = id;
        /* The bytes of the fold, or, where it is not among those that are fed, of the section that
         * is kept. */
        bool fed = false, good = true;
        for (size_t i = 0; i < folds->count && !fed; i++) {
            fed = folds->list[i]->id == id;
            if (!fed) continue;
            extra->version = folds->list[i]->version;
            good = folds->list[i]->end(folds->states[i], calls, content);
        }
        for (size_t i = 0; i < kept && !fed; i++) {
            if (before->extras[i].id != id) continue;
            const struct section *section = &before->extras[i].section;
            extra->version = before->extras[i].version;
            text_put(content, before->content + section->offset, (size_t)section->size);
        }
        if (!good || content->failed) return false;
        extra->section =
            (struct section){index->passed + from, content->size - from,
                             hash_of_bytes(content->bytes + from, content->size - from)};
    }
    return true;
}

bool folds_present(const struct index_fold *const *list, const struct index *index)
{
    size_t size;
    for (; list && *list; list++)
        if (!index_section(index, (*list)->id, (*list)->version, &size)) return false;
    return true;
}
