/* SPDX-License-Identifier: MIT */
/*
 * history.c: the fuzz target of packed histories (docs/formats/history.md).
 *
 * For any bytes, and for the same with a hash that fits, so that all of them are parsed: a file is
 * refused with a sentence, or each gap has no more branches and references than blocks have room
 * for; both readings of a file have the same gaps and references, and a second reading gives what
 * the first gave.
 */
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "sampling/history_file.h"
#include "spoor/sampling.h"

enum { AT_ONCE = 1024, MAX_BLOCKS = 64 };

/* A hash of what some blocks of a gap have. */
static uint64_t read_gap(struct spoor_replay *replay, size_t gap, bool branches)
{
    uint64_t sum = spoor_replay_instructions(replay, gap);
    size_t count;
    spoor_replay_begin(replay, gap);
    for (int i = 0; i < MAX_BLOCKS; i++) {
        const struct spoor_reference *references = spoor_replay_references(replay, &count);
        if (!references) break;
        DEMAND(count > 0 && count <= AT_ONCE, "%zu references", count);
        for (size_t k = 0; k < count; k++) {
            DEMAND(references[k].op <= SPOOR_REFERENCE_WRITE, "operation %d", references[k].op);
            sum = sum * 31 + references[k].address + references[k].op;
        }
    }
    for (int i = 0; branches && i < MAX_BLOCKS; i++) {
        const struct spoor_branch *found = spoor_replay_branches(replay, &count);
        if (!found) break;
        DEMAND(count > 0 && count <= AT_ONCE, "%zu branches", count);
        for (size_t k = 0; k < count; k++) sum = sum * 31 + found[k].pc + found[k].target;
    }
    const struct spoor_memory_violation *violations = spoor_replay_violations(replay, gap, &count);
    for (size_t k = 0; k < count; k++) sum = sum * 31 + violations[k].load + violations[k].store;
    return sum;
}

/* A hash of what the reduced references of a kind begin with; 0: they are damaged. */
static uint64_t read_reduced(struct spoor_replay *replay, enum spoor_reduced kind)
{
    struct spoor_error error = {0};
    uint64_t sum = 1;
    size_t count;
    if (spoor_replay_begin_reduced(replay, kind, &error) != SPOOR_OK) {
        DEMAND(error.text[0], "no sentence");
        return 0;
    }
    for (int i = 0; i < MAX_BLOCKS; i++) {
        const struct spoor_reference *references = spoor_replay_references(replay, &count);
        if (!references) break;
        DEMAND(count > 0 && count <= AT_ONCE, "%zu references", count);
        for (size_t k = 0; k < count; k++) sum = sum * 31 + references[k].address;
    }
    return sum;
}

static void read_all(const char *path)
{
    struct spoor_replay *replays[2] = {NULL, NULL};
    for (int branches = 0; branches < 2; branches++) {
        struct spoor_error error = {0};
        const enum spoor_status status =
            spoor_replay_open(&replays[branches], path, branches != 0, &error);
        DEMAND(status == SPOOR_OK || error.text[0], "no sentence");
        DEMAND(status == SPOOR_OK || !replays[branches], "a replay that was refused");
    }
    DEMAND(replays[0] || !replays[1], "the branches make a file whole");
    for (unsigned i = SPOOR_REDUCED_NONE + 1; replays[0] && i < SPOOR_REDUCED_KINDS; i++) {
        const enum spoor_reduced kind = (enum spoor_reduced)i;
        const uint64_t found = read_reduced(replays[0], kind);
        DEMAND(read_reduced(replays[0], kind) == found, "reduction %u is another", i);
    }
    for (size_t i = 0; replays[0] && i < spoor_replay_gaps(replays[0]) && i < MAX_BLOCKS; i++) {
        const uint64_t references = read_gap(replays[0], i, false);
        DEMAND(read_gap(replays[0], i, false) == references, "gap %zu is another", i);
        if (!replays[1]) continue;
        DEMAND(read_gap(replays[1], i, false) == references, "gap %zu has others", i);
        const uint64_t all = read_gap(replays[1], i, true);
        DEMAND(read_gap(replays[1], i, true) == all, "gap %zu has other branches", i);
    }
    for (int branches = 0; branches < 2; branches++) spoor_replay_close(replays[branches]);
}

/* Appends the hash of some bytes. */
static void put_hash(struct text *file, const void *bytes, size_t size)
{
    const uint64_t hash = hash_of_bytes(bytes, size);
    for (unsigned i = 0; i < HISTORY_HASH_SIZE; i++)
        text_put(file, &(char){(char)(hash >> 8 * i)}, 1);
}

/* The bytes that the seeds begin with, whose reduced references are none, get the hashes that
 * follow. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct text file = {0};
    text_put(&file, bytes, size);
    for (int fits = 0; fits < 2; fits++) {
        char path[] = "/tmp/spoor-fuzz-XXXXXX";
        if (fits) put_hash(&file, bytes, size);
        for (unsigned kind = SPOOR_REDUCED_NONE + 1; fits && kind < SPOOR_REDUCED_KINDS; kind++)
            put_hash(&file, "", 0);
        const int handle = mkstemp(path);
        if (handle < 0 || file.failed || write(handle, file.bytes, file.size) < 0) abort();
        close(handle);
        read_all(path);
        unlink(path);
    }
    text_free(&file);
    return 0;
}
