/* SPDX-License-Identifier: MIT */
/* fold TRACE: a tool of one's own.  Over the instructions of a trace it counts the bytes that they
 * read and wrote, and finds the longest run of instructions without an access to memory. */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>

struct fold {
    uint64_t instructions, read, written;
    uint64_t run, longest; /* instructions without an access */
};

static void fold_add(struct fold *fold, const struct spoor_instruction *instruction)
{
    bool accesses = false;
    if (instruction->kind != SPOOR_INSTRUCTION_PLAIN) return;
    for (size_t i = 0; i < instruction->effect_count; i++) {
        const struct spoor_effect *effect = &instruction->effects[i];
        if (effect->kind == SPOOR_EFFECT_READ) fold->read += effect->size;
        if (effect->kind == SPOOR_EFFECT_WRITE) fold->written += effect->size;
        accesses |= effect->kind == SPOOR_EFFECT_READ || effect->kind == SPOOR_EFFECT_WRITE;
    }
    fold->instructions++;
    fold->run = accesses ? 0 : fold->run + 1;
    if (fold->run > fold->longest) fold->longest = fold->run;
}

static void fold_whole(struct fold *fold, struct spoor_instructions *view)
{
    struct spoor_instruction instruction = {.struct_size = sizeof instruction};
    while (spoor_instructions_next(view, &instruction)) fold_add(fold, &instruction);
}

/* Feeds the trace to a view of instructions, and the instructions to the fold. */
static enum spoor_status fold_trace(struct fold *fold, struct spoor_reader *reader,
                                    struct spoor_error *error)
{
    const struct spoor_instructions_options options = {.struct_size = sizeof options,
                                                       .stream = spoor_reader_stream(reader)};
    struct spoor_instructions *view;
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_instructions_new(&view, &options, error);
    if (status != SPOOR_OK) return status;
    while ((status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK &&
           (status = spoor_instructions_feed(view, batch, error)) == SPOOR_OK)
        fold_whole(fold, view);
    if (status == SPOOR_END) status = spoor_instructions_end(view, error);
    if (status == SPOOR_OK) fold_whole(fold, view);
    spoor_instructions_free(view);
    return status;
}

int main(int count, char **words)
{
    struct fold fold = {0};
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    if (count != 2) {
        fprintf(stderr, "usage: fold TRACE\n");
        return 2;
    }
    enum spoor_status status = spoor_reader_open(&reader, words[1], NULL, &error);
    if (status == SPOOR_OK) {
        status = fold_trace(&fold, reader, &error);
        spoor_reader_close(reader);
    }
    if (status != SPOOR_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 3;
    }
    printf("instructions %" PRIu64 "\nread         %" PRIu64 " bytes\nwritten      %" PRIu64
           " bytes\nlongest run  %" PRIu64 " instructions without an access\n",
           fold.instructions, fold.read, fold.written, fold.longest);
    return 0;
}
