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
#include "sampling/steps.h"

enum {
    BLOCK = 1024,
    AHEAD = 4,             /* gaps that are followed together, */
    AHEAD_STEPS = 1 << 17, /* up to as many steps of each, */
    AHEAD_FROM = BLOCK,    /* and no fewer */
};

struct gap {
    bool whole;
    uint64_t instructions, uses;
    struct way way; /* of its branches */
    const uint8_t *lines;
    size_t line_size;
    size_t violations, violation_count; /* where they begin, and how many they are */
};

/* The reduced references of a kind: where they begin in the file. */
struct reduced {
    uint64_t uses;
    size_t at, size;
};

/* A gap whose branches are followed before they are read. */
struct ahead {
    size_t gap, steps;
    uint32_t *numbers; /* 1 + those of the steps */
    size_t capacity;
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
    struct steps steps;
    struct gap *gaps;
    size_t gap_count;
    struct spoor_memory_violation *violations;
    size_t violation_count, violation_capacity;
    /* what comes next of the gap that is read */
    size_t number;
    bool has_begun; /* then, of its branches: */
    struct way way;
    const struct ahead *ahead; /* its steps; NULL: they are followed block by block */
    size_t ahead_at;
    uint64_t uses_left;
    struct unpacker lines;
    unsigned line_bits;
    struct history_lines last;
    bool whole; /* then: */
    struct history_access access;
    struct ahead aheads[AHEAD];
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
    const size_t rank_size = count_of(from);
    const uint8_t *ranks = unpack_bytes(from, rank_size);
    if (replay->steps.of && branches) {
        from->failed |= first >= replay->steps.count;
        if (from->failed) return true;
        gap->way = (struct way){.step = replay->steps.of[first],
                                .ranks = ranks,
                                .bits = 8 * (uint64_t)rank_size,
                                .left = branches};
    }
    gap->uses = unpack(from);
    gap->line_size = count_of(from);
    gap->lines = unpack_bytes(from, gap->line_size);
    return read_violations(replay, from, gap);
}

/* False: memory ran out. */
static bool read_all(struct spoor_replay *replay, bool branches, struct unpacker *from)
{
    replay->has_branches = unpack(from) != 0;
    const size_t size = count_of(from);
    const uint8_t *steps = unpack_bytes(from, size);
    struct unpacker of_steps = {steps, steps + size, false};
    if (steps && branches && !steps_read(&replay->steps, &of_steps)) return false;
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
    steps_free(&replay->steps);
    for (size_t i = 0; i < AHEAD; i++) free(replay->aheads[i].numbers);
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
    static const struct gap none = {.lines = nothing};
    const struct gap *gap = number < replay->gap_count ? &replay->gaps[number] : &none;
    replay->number = number;
    replay->way = gap->way;
    replay->ahead = NULL;
    replay->has_begun = false;
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

/* The steps of a gap, if they have been followed; NULL: they have not. */
static const struct ahead *find_ahead(const struct spoor_replay *replay, size_t number)
{
    for (size_t i = 0; i < AHEAD; i++)
        if (replay->aheads[i].steps && replay->aheads[i].gap == number) return &replay->aheads[i];
    return NULL;
}

/* Follows the gap, and the next ones that have as many branches as are worth it. */
static void follow_ahead(struct spoor_replay *replay)
{
    struct whole_way ways[AHEAD];
    size_t count = 0;
    for (size_t i = 0; i < AHEAD; i++) replay->aheads[i].steps = 0;
    for (size_t i = replay->number; i < replay->gap_count && count < AHEAD; i++) {
        const struct way *way = &replay->gaps[i].way;
        struct ahead *ahead = &replay->aheads[count];
        if (way->left < AHEAD_FROM || way->left > AHEAD_STEPS) continue;
        if (!array_reserve(&ahead->numbers, &ahead->capacity, (size_t)way->left)) break;
        ahead->gap = i;
        ways[count++] = (struct whole_way){.way = *way, .numbers = ahead->numbers};
    }
    steps_follow_all(&replay->steps, ways, count);
    for (size_t i = 0; i < count; i++) replay->aheads[i].steps = ways[i].count;
}

/* Begins with the branches of the gap. */
static void begin_branches(struct spoor_replay *replay)
{
    const uint64_t branches = replay->way.left;
    replay->has_begun = true;
    replay->ahead_at = 0;
    if (branches < AHEAD_FROM || branches > AHEAD_STEPS) return;
    replay->ahead = find_ahead(replay, replay->number);
    if (replay->ahead) return;
    follow_ahead(replay);
    replay->ahead = find_ahead(replay, replay->number);
}

/* 1 + the numbers of the next steps of the gap, at most BLOCK; `own`: memory for them. */
static const uint32_t *next_steps(struct spoor_replay *replay, uint32_t *own, size_t *count)
{
    const struct ahead *ahead = replay->ahead;
    if (!ahead) {
        *count = steps_follow(&replay->steps, &replay->way, own, BLOCK);
        return own;
    }
    const uint32_t *numbers = ahead->numbers + replay->ahead_at;
    const size_t left = ahead->steps - replay->ahead_at;
    *count = left < BLOCK ? left : BLOCK;
    replay->ahead_at += *count;
    return numbers;
}

const struct spoor_branch *spoor_replay_branches(struct spoor_replay *replay, size_t *count)
{
    uint32_t own[BLOCK];
    if (!replay->has_begun) begin_branches(replay);
    const uint32_t *steps = next_steps(replay, own, count);
    for (size_t i = 0; i < *count; i++) replay->branches[i] = replay->steps.branches[steps[i]];
    return *count ? replay->branches : NULL;
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
