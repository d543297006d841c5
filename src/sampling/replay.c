/* SPDX-License-Identifier: MIT */
/* replay.c: reads a packed history (history_file.h) as the branches and references of its gaps. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/byte_order.h"
#include "base/hash.h"
#include "base/pack.h"
#include "base/read_at.h"
#include "model/options.h"
#include "sampling/history_file.h"
#include "sampling/reduce.h"

enum { BLOCK = 1024 };

/* What the way from step to step needs, apart from the branches: it fits into a cache. */
struct step {
    uint32_t near[2]; /* its first two successors, which most steps have alone */
    uint32_t first;   /* where all of them begin */
    uint32_t bits;    /* of a number among them */
};
enum { MAX_RANK_BITS = 32, NO_SUCCESSOR = 64 }; /* the latter in `bits` */

struct gap {
    bool whole;
    uint64_t instructions, branches, uses;
    uint32_t first_step;
    const uint8_t *ranks, *lines;
    size_t rank_size, line_size;
    size_t violations, violation_count; /* where they begin, and how many they are */
};

/* The reduced references of a kind: where they begin in the file. */
struct reduced {
    uint64_t uses;
    size_t at, size;
};

struct spoor_replay {
    char *path;
    int file;
    struct text head;    /* the file without the reduced references, */
    struct text reduced; /* and those of a kind that is read */
    struct reduced of_kind[SPOOR_REDUCED_KINDS];
    struct spoor_access_totals totals;
    size_t begin; /* of what follows the sizes of the reduced references */
    bool has_branches;
    struct step *steps;
    struct spoor_branch *step_branches;
    uint32_t *step_successors; /* of each step, how many */
    uint32_t *successors;
    size_t step_count, successor_count;
    struct gap *gaps;
    size_t gap_count;
    struct spoor_memory_violation *violations;
    size_t violation_count, violation_capacity;
    /* what comes next of the gap that is read */
    uint64_t branches_left, uses_left;
    uint32_t step;
    const uint8_t *ranks;
    uint64_t bit, bits; /* the next one, and their number */
    struct unpacker lines;
    unsigned line_bits;
    struct history_lines last;
    bool whole; /* then: */
    struct history_access access;
    struct spoor_branch branches[BLOCK];
    struct spoor_reference references[BLOCK];
};

/* ---- opening ---- */

/* A count that the bytes can have: each item takes at least one. */
static size_t count_of(struct unpacker *from)
{
    const uint64_t count = unpack(from);
    if (count <= (uint64_t)(from->end - from->at)) return (size_t)count;
    from->failed = true;
    return 0;
}

static void read_step(struct spoor_replay *replay, struct unpacker *from, size_t number,
                      uint64_t *pc)
{
    struct step *step = &replay->steps[number];
    struct spoor_branch *branch = &replay->step_branches[number];
    *pc += (uint64_t)unpack_signed(from);
    branch->pc = *pc;
    branch->target = *pc + (uint64_t)unpack_signed(from);
    branch->fall = *pc + (uint64_t)unpack_signed(from);
    const uint64_t bits = unpack(from);
    branch->type = (uint8_t)(bits >> 8);
    branch->has = (uint8_t)bits;
    step->first = (uint32_t)replay->successor_count;
    const uint32_t successors = (uint32_t)count_of(from);
    replay->step_successors[number] = successors;
    step->bits = successors ? history_rank_bits(successors) : NO_SUCCESSOR;
    for (uint32_t i = 0; i < successors && !from->failed; i++) {
        const uint64_t next = number + (uint64_t)unpack_signed(from);
        from->failed |= next >= replay->step_count;
        if (i < 2) step->near[i] = (uint32_t)next;
        replay->successors[replay->successor_count++] = (uint32_t)next;
    }
}

/* False: memory ran out. */
static bool read_violations(struct spoor_replay *replay, struct unpacker *from, struct gap *gap)
{
    struct spoor_memory_violation violation = {0};
    gap->violations = replay->violation_count;
    gap->violation_count = count_of(from);
    if (!array_reserve(&replay->violations, &replay->violation_capacity,
                       replay->violation_count + gap->violation_count))
        return false;
    for (size_t i = 0; i < gap->violation_count && !from->failed; i++) {
        violation.load += (uint64_t)unpack_signed(from);
        violation.store += (uint64_t)unpack_signed(from);
        replay->violations[replay->violation_count++] = violation;
    }
    return true;
}

/* False: memory ran out. */
static bool read_gap(struct spoor_replay *replay, struct unpacker *from, struct gap *gap)
{
    gap->whole = unpack(from) != 0;
    gap->instructions = unpack(from);
    const uint64_t branches = unpack(from), first = branches ? unpack(from) : 0;
    if (replay->steps) {
        gap->branches = branches;
        from->failed |= branches && first >= replay->step_count;
        gap->first_step = (uint32_t)first;
    }
    gap->rank_size = count_of(from);
    gap->ranks = unpack_bytes(from, gap->rank_size);
    gap->uses = unpack(from);
    gap->line_size = count_of(from);
    gap->lines = unpack_bytes(from, gap->line_size);
    return read_violations(replay, from, gap);
}

/* False: memory ran out. */
static bool read_steps(struct spoor_replay *replay, struct unpacker *from)
{
    uint64_t pc = 0;
    replay->step_count = count_of(from);
    replay->steps = calloc(replay->step_count + 1, sizeof *replay->steps);
    replay->successors = calloc((size_t)(from->end - from->at) + 1, sizeof *replay->successors);
    replay->step_branches = calloc(replay->step_count + 1, sizeof *replay->step_branches);
    replay->step_successors = calloc(replay->step_count + 1, sizeof *replay->step_successors);
    if (!replay->steps || !replay->successors || !replay->step_branches || !replay->step_successors)
        return false;
    for (size_t i = 0; i < replay->step_count && !from->failed; i++)
        read_step(replay, from, i, &pc);
    from->failed |= from->at != from->end;
    return true;
}

/* False: memory ran out. */
static bool read_all(struct spoor_replay *replay, bool branches, struct unpacker *from)
{
    replay->has_branches = unpack(from) != 0;
    const size_t size = count_of(from);
    const uint8_t *steps = unpack_bytes(from, size);
    struct unpacker of_steps = {steps, steps + size, false};
    if (steps && branches && !read_steps(replay, &of_steps)) return false;
    from->failed |= of_steps.failed;
    replay->gap_count = count_of(from);
    replay->gaps = calloc(replay->gap_count + 1, sizeof *replay->gaps);
    if (!replay->gaps) return false;
    for (size_t i = 0; i < replay->gap_count && !from->failed; i++)
        if (!read_gap(replay, from, &replay->gaps[i])) return false;
    from->failed |= from->at != from->end;
    return true;
}

static bool has_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < HISTORY_HASH_SIZE; i++) hash |= (uint64_t)bytes[size + i] << 8 * i;
    return hash == hash_of_bytes(bytes, size);
}

/* Reads bytes from an offset of the file on; false: there are fewer, or they cannot be read. */
static bool read_bytes(struct spoor_replay *replay, size_t at, size_t size, struct text *bytes)
{
    bytes->size = 0;
    char *to = text_reserve(bytes, size);
    if (!to || read_at(replay->file, at, to, size) != size) return false;
    text_commit(bytes, to + size);
    return true;
}

static size_t size_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
}

/* Reads how many bytes the reduced references of each kind have, which end the file. */
static void read_reduced_sizes(struct spoor_replay *replay, struct unpacker *from, size_t *left)
{
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS; kind++) {
        struct reduced *reduced = &replay->of_kind[kind];
        reduced->uses = unpack(from);
        const uint64_t size = unpack(from);
        from->failed |= size > *left || *left - size < HISTORY_HASH_SIZE || reduced->uses > size;
        if (from->failed) return;
        reduced->size = (size_t)size;
        *left -= reduced->size + HISTORY_HASH_SIZE;
    }
    size_t at = *left;
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS; kind++) {
        replay->of_kind[kind].at = at;
        at += replay->of_kind[kind].size + HISTORY_HASH_SIZE;
    }
}

static void read_totals(struct spoor_access_totals *totals, struct unpacker *from)
{
    unpack_counts(from, totals->references, SPOOR_CACHE_KINDS);
    for (unsigned bits = HISTORY_TOTAL_BITS; bits < SPOOR_CACHE_BLOCK_BITS; bits++) {
        unpack_counts(from, totals->blocks[bits].more, SPOOR_CACHE_KINDS);
        unpack_counts(from, totals->blocks[bits].crossings, SPOOR_CACHE_KINDS);
    }
}

static enum spoor_status damaged(const char *path, struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT, "%s: the history is damaged", path);
}

/* Reads the layout, and the sizes of the reduced references: what is before them is *size bytes. */
static enum spoor_status read_layout(struct spoor_replay *replay, const char *path, size_t *size,
                                     struct spoor_error *error)
{
    enum { BEGIN = 128 }; /* bytes that have them */
    const size_t magic = sizeof HISTORY_MAGIC - 1;
    const size_t begin = *size < BEGIN ? *size : BEGIN;
    if (!read_bytes(replay, 0, begin, &replay->head) || begin < magic + HISTORY_HASH_SIZE ||
        memcmp(replay->head.bytes, HISTORY_MAGIC, magic) != 0)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found no history of a sample, expected a file that cut "
                               "--simpoints wrote",
                               path);
    const uint8_t *bytes = (const uint8_t *)replay->head.bytes;
    struct unpacker from = {bytes + magic, bytes + begin, false};
    const uint64_t layout = unpack(&from);
    if (layout != HISTORY_LAYOUT)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found a history of layout %llu, expected %d: make the sample "
                               "again with cut --simpoints",
                               path, (unsigned long long)layout, HISTORY_LAYOUT);
    read_reduced_sizes(replay, &from, size);
    replay->begin = (size_t)(from.at - bytes);
    return from.failed ? damaged(path, error) : SPOOR_OK;
}

/* Reads all but the reduced references. */
static enum spoor_status read_head(struct spoor_replay *replay, const char *path, bool branches,
                                   struct spoor_error *error)
{
    size_t size = size_of(replay->file);
    const enum spoor_status status = read_layout(replay, path, &size, error);
    if (status != SPOOR_OK) return status;
    if (!read_bytes(replay, 0, size, &replay->head))
        return replay->head.failed ? memory_status(false, error) : damaged(path, error);
    const uint8_t *bytes = (const uint8_t *)replay->head.bytes;
    if (size < replay->begin + HISTORY_HASH_SIZE || !has_hash(bytes, size - HISTORY_HASH_SIZE))
        return damaged(path, error);
    struct unpacker from = {bytes + replay->begin, bytes + size - HISTORY_HASH_SIZE, false};
    read_totals(&replay->totals, &from);
    if (!from.failed && !read_all(replay, branches, &from)) return memory_status(false, error);
    return from.failed ? damaged(path, error) : SPOOR_OK;
}

enum spoor_status spoor_replay_open(struct spoor_replay **replay, const char *path, bool branches,
                                    struct spoor_error *error)
{
    struct spoor_replay *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->path = strdup(path);
    made->file = open(path, O_RDONLY | O_CLOEXEC);
    enum spoor_status status;
    if (!made->path)
        status = memory_status(false, error);
    else if (made->file < 0)
        status =
            spoor_error_set(error, SPOOR_EINPUT, "%s: cannot be read: %s", path, strerror(errno));
    else
        status = read_head(made, path, branches, error);
    if (status == SPOOR_OK)
        *replay = made;
    else
        spoor_replay_close(made);
    return status;
}

void spoor_replay_close(struct spoor_replay *replay)
{
    if (!replay) return;
    if (replay->file >= 0) close(replay->file);
    free(replay->path);
    text_free(&replay->head);
    text_free(&replay->reduced);
    free(replay->steps);
    free(replay->step_branches);
    free(replay->step_successors);
    free(replay->successors);
    free(replay->gaps);
    free(replay->violations);
    free(replay);
}

/* ---- reading ---- */

size_t spoor_replay_gaps(const struct spoor_replay *replay)
{
    return replay->gap_count;
}

bool spoor_replay_has_branches(const struct spoor_replay *replay)
{
    return replay->has_branches;
}

void spoor_replay_begin(struct spoor_replay *replay, size_t number)
{
    static const uint8_t nothing[1];
    static const struct gap none = {.ranks = nothing, .lines = nothing};
    const struct gap *gap = number < replay->gap_count ? &replay->gaps[number] : &none;
    replay->branches_left = gap->branches;
    replay->step = gap->first_step;
    replay->ranks = gap->ranks;
    replay->bit = 0;
    replay->bits = 8 * (uint64_t)gap->rank_size;
    replay->uses_left = gap->uses;
    replay->lines = (struct unpacker){gap->lines, gap->lines + gap->line_size, false};
    replay->line_bits = HISTORY_LINE_BITS;
    replay->last = (struct history_lines){.last = {0}};
    replay->whole = gap->whole;
    replay->access = (struct history_access){.pc = 0};
}

enum spoor_status spoor_replay_begin_reduced(struct spoor_replay *replay, enum spoor_reduced kind,
                                             struct spoor_error *error)
{
    const struct reduced *reduced = &replay->of_kind[kind];
    spoor_replay_begin(replay, replay->gap_count);
    if (!read_bytes(replay, reduced->at, reduced->size + HISTORY_HASH_SIZE, &replay->reduced))
        return replay->reduced.failed ? memory_status(false, error) : damaged(replay->path, error);
    const uint8_t *bytes = (const uint8_t *)replay->reduced.bytes;
    if (!has_hash(bytes, reduced->size)) return damaged(replay->path, error);
    replay->line_bits = reduced_kinds[kind].line_bits;
    replay->uses_left = reduced->uses;
    replay->lines = (struct unpacker){bytes, bytes + reduced->size, false};
    return SPOOR_OK;
}

const struct spoor_access_totals *spoor_replay_totals(const struct spoor_replay *replay)
{
    return &replay->totals;
}

uint64_t spoor_replay_instructions(const struct spoor_replay *replay, size_t number)
{
    return number < replay->gap_count ? replay->gaps[number].instructions : 0;
}

/* The bits of the ranks from `bit` on, at least 32: the checksum lies after the last of them. */
static uint64_t bits_at(const uint8_t *ranks, uint64_t bit)
{
    uint64_t word;
    memcpy(&word, ranks + bit / 8, sizeof word);
    return little_endian64(word) >> bit % 8;
}

/* The next steps of the gap, at most `all`; fewer if the ranks are damaged.  The steps form one
 * chain of loads, so nothing but their successors is looked at. */
static size_t next_steps(struct spoor_replay *replay, uint32_t *steps, size_t all)
{
    uint64_t bit = replay->bit, word = 0, end = bit; /* the word serves up to `end` */
    uint32_t at = replay->step;
    for (size_t i = 0; i < all; i++) {
        const struct step *step = &replay->steps[at];
        const uint32_t bits = step->bits;
        steps[i] = at;
        if (i + 1 == all && !replay->branches_left) break;
        if (bit + bits > replay->bits) return i + 1;
        if (end <= bit) {
            word = bits_at(replay->ranks, bit);
            end = bit + 25; /* from here on, 32 of at least 57 bits are left */
        }
        if (bits <= 1) {
            const uint32_t second = 0U - ((uint32_t)word & bits);
            at = step->near[0] ^ ((step->near[0] ^ step->near[1]) & second);
        } else {
            const uint64_t rank = word & (((uint64_t)1 << bits % 64) - 1);
            if (bits > MAX_RANK_BITS || rank >= replay->step_successors[at]) return i + 1;
            at = replay->successors[step->first + rank];
        }
        word >>= bits;
        bit += bits;
    }
    replay->step = at;
    replay->bit = bit;
    return all;
}

const struct spoor_branch *spoor_replay_branches(struct spoor_replay *replay, size_t *count)
{
    uint32_t steps[BLOCK];
    const size_t all = replay->branches_left < BLOCK ? (size_t)replay->branches_left : BLOCK;
    replay->branches_left -= all;
    *count = all ? next_steps(replay, steps, all) : 0;
    if (*count < all) replay->branches_left = 0;
    for (size_t i = 0; i < *count; i++) replay->branches[i] = replay->step_branches[steps[i]];
    return all ? replay->branches : NULL;
}

const struct spoor_memory_violation *spoor_replay_violations(const struct spoor_replay *replay,
                                                             size_t number, size_t *count)
{
    *count = number < replay->gap_count ? replay->gaps[number].violation_count : 0;
    return *count ? &replay->violations[replay->gaps[number].violations] : NULL;
}

/* The next use of a line; false: it is damaged. */
static bool next_use(struct spoor_replay *replay, struct spoor_reference *to)
{
    const struct history_use use = history_unpack_use(&replay->last, unpack(&replay->lines));
    *to = (struct spoor_reference){
        .address = use.line << replay->line_bits, .size = 1, .op = (uint8_t)use.op};
    return use.op <= SPOOR_REFERENCE_WRITE;
}

/* The next reference of a gap that was kept whole; false: it is damaged. */
static bool next_access(struct spoor_replay *replay, struct spoor_reference *to)
{
    struct history_access *access = &replay->access;
    const uint64_t distance = (uint64_t)unpack_signed(&replay->lines);
    const uint64_t bits = unpack(&replay->lines);
    const uint8_t op = bits & 3;
    const bool fetch = op == SPOOR_REFERENCE_FETCH;
    const uint64_t address = access->last[fetch] += distance;
    uint64_t pc = fetch ? address : access->pc;
    if (bits & HISTORY_HAS_PC) pc += (uint64_t)unpack_signed(&replay->lines);
    access->pc = pc;
    *to = (struct spoor_reference){.address = address,
                                   .pc = pc,
                                   .size = bits >> HISTORY_SIZE_SHIFT & HISTORY_SIZE_MASK,
                                   .op = op,
                                   .has = SPOOR_REFERENCE_HAS_PC};
    return op <= SPOOR_REFERENCE_WRITE;
}

const struct spoor_reference *spoor_replay_references(struct spoor_replay *replay, size_t *count)
{
    size_t filled = 0;
    while (filled < BLOCK && replay->uses_left) {
        struct spoor_reference *to = &replay->references[filled];
        const bool good = replay->whole ? next_access(replay, to) : next_use(replay, to);
        replay->uses_left--;
        if (!good || replay->lines.failed) {
            replay->uses_left = 0;
            break;
        }
        filled++;
    }
    *count = filled;
    return filled ? replay->references : NULL;
}
