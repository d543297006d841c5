/* SPDX-License-Identifier: MIT */
/* warmup TRACE ADDRESS: mispredictions of gshare from the first branch to ADDRESS on; the branches
 * before it only train the predictor. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>
#include <stdlib.h>

/* The first branch of a block that goes to the address; the number of branches: there is none. */
static size_t find_arrival(const struct spoor_branch_block *block, uint64_t address)
{
    size_t i = 0;
    while (i < block->count &&
           !((block->items[i].has & SPOOR_BRANCH_TAKEN) && block->items[i].target == address))
        i++;
    return i;
}

/* Feeds the branches of a trace; the warm-up ends before the first one to the address. */
static enum spoor_status feed(struct spoor_prediction *prediction, struct spoor_reader *reader,
                              uint64_t address, struct spoor_error *error)
{
    struct spoor_branch_block block = {.struct_size = sizeof block};
    enum spoor_status status = SPOOR_OK;
    bool warm = false;
    spoor_prediction_begin_warmup(prediction);
    while (status == SPOOR_OK &&
           (status = spoor_reader_next_branches(reader, &block, error)) == SPOOR_OK) {
        const size_t passed = warm ? 0 : find_arrival(&block, address);
        status = spoor_prediction_feed(prediction, block.items, passed, error);
        if (status != SPOOR_OK || passed == block.count) continue;
        if (!warm) spoor_prediction_end_warmup(prediction);
        warm = true;
        status =
            spoor_prediction_feed(prediction, block.items + passed, block.count - passed, error);
    }
    return status == SPOOR_END ? spoor_prediction_end(prediction, 0, error) : status;
}

static void print(const struct spoor_prediction *prediction)
{
    struct spoor_result *result = spoor_result_new_object();
    spoor_prediction_report(prediction, result);
    const struct spoor_result *row = spoor_result_first(spoor_result_member(result, "predictors"));
    printf("branches counted %" PRIu64 "\nmispredicted     %" PRIu64 "\n",
           spoor_result_whole(spoor_result_member(row, "predictions")),
           spoor_result_whole(spoor_result_member(row, "mispredictions")));
    spoor_result_free(result);
}

int main(int count, char **words)
{
    static const char *const specs[] = {"gshare:bits=12,history=8"};
    const struct spoor_prediction_options options = {
        .struct_size = sizeof options, .specs = specs, .count = 1};
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    struct spoor_prediction *prediction = NULL;
    if (count != 3) {
        fprintf(stderr, "usage: warmup TRACE ADDRESS\n");
        return 2;
    }
    enum spoor_status status = spoor_prediction_new(&prediction, &options, &error);
    if (status == SPOOR_OK) status = spoor_reader_open(&reader, words[1], NULL, &error);
    if (status == SPOOR_OK) status = feed(prediction, reader, strtoull(words[2], NULL, 16), &error);
    if (status == SPOOR_OK) print(prediction);
    spoor_reader_close(reader);
    spoor_prediction_free(prediction);
    if (status == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
