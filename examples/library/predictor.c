/* SPDX-License-Identifier: MIT */
/* predictor TRACE: a branch predictor of one's own (two-bit counters, selected by the pc and the
 * last four outcomes), and gshare of the library, on the conditional branches of a trace. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

enum { ENTRIES = 1 << 12 };

struct own {
    uint8_t counters[ENTRIES]; /* 0 and 1 predict not taken, 2 and 3 taken */
    uint64_t history;
};

/* Predicts a branch, then learns its outcome; true if the prediction was wrong. */
static bool own_step(struct own *own, const struct spoor_branch *branch)
{
    const bool taken = branch->has & SPOOR_BRANCH_TAKEN;
    uint8_t *counter = &own->counters[(branch->pc >> 2 ^ (own->history & 15) << 8) % ENTRIES];
    const bool wrong = (*counter >= 2) != taken;
    if (taken && *counter < 3) ++*counter;
    if (!taken && *counter > 0) --*counter;
    own->history = own->history << 1 | taken;
    return wrong;
}

struct counts {
    uint64_t branches, own, gshare;
};

static enum spoor_status predict(struct spoor_reader *reader, struct spoor_predictor *gshare,
                                 struct counts *counts, struct spoor_error *error)
{
    static struct own own;
    struct spoor_branch_block block = {.struct_size = sizeof block};
    enum spoor_status status;
    while ((status = spoor_reader_next_branches(reader, &block, error)) == SPOOR_OK) {
        counts->gshare += spoor_predictor_run(gshare, block.items, block.count, NULL);
        for (size_t i = 0; i < block.count; i++) {
            if (!(block.items[i].type & SPOOR_BRANCH_CONDITIONAL)) continue;
            counts->branches++;
            counts->own += own_step(&own, &block.items[i]);
        }
    }
    return status == SPOOR_END ? SPOOR_OK : status;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    struct counts counts = {0};
    if (count != 2) {
        fprintf(stderr, "usage: predictor TRACE\n");
        return 2;
    }
    struct spoor_predictor *gshare;
    enum spoor_status status = spoor_predictor_new(&gshare, "gshare:bits=12,history=8", &error);
    if (status == SPOOR_OK) status = spoor_reader_open(&reader, words[1], NULL, &error);
    if (status == SPOOR_OK) status = predict(reader, gshare, &counts, &error);
    if (reader) spoor_reader_close(reader);
    const uint64_t bits = status == SPOOR_OK ? spoor_predictor_storage(gshare) : 0;
    spoor_predictor_free(gshare);
    if (status != SPOOR_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 3;
    }
    printf("conditional branches %" PRIu64 "\nown     %" PRIu64 " wrong, %d bits\ngshare  %" PRIu64
           " wrong, %" PRIu64 " bits\n",
           counts.branches, counts.own, 2 * ENTRIES + 4, counts.gshare, bits);
    return 0;
}
