/* SPDX-License-Identifier: MIT */
/*
 * propose.c: proposes a mapping of a waveform by what its signals do.
 *
 * All signals of at most 64 bits are sampled at the first edges of a clock, into a table with a row
 * for each edge.  A candidate is a pc, an opcode and a control (or two) that says when both are
 * those of an instruction that retires; its steps are counted.  The best is completed by the port
 * of the register file, and printed with names below the scope that all its signals are in.
 */
#include "wave/propose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/hash_map.h"
#include "isa/opcode.h"
#include "wave/reader.h"

enum {
    ROWS = 8192,
    CELLS = 48 << 20, /* of the table: fewer rows where there are many signals */
    COLUMNS = 20000,
    PCS = 16,             /* columns that step as a pc does */
    OPCODES = 6,          /* for each of them */
    TWICE = 2,            /* of these, for which two controls are tried, */
    MOST_CONTROLS = 1000, /* if there are not more than these, with their contraries */
    ALTERNATIVES = 32,    /* streams of each pc and opcode that are completed */
    FEWEST = 8,           /* steps, or writes, that tell something */
    WRONG_STEP = 16,      /* right ones that a wrong one outweighs */
    NARROWEST_VALUE = 16, /* bits */
    WINDOW = 64,          /* rows before an instruction in which its write is looked for */
};

struct column {
    size_t variable; /* that it is named by */
    size_t signal;
    uint32_t width;
    uint64_t *known; /* bit n: in row n it has no unknown bit */
    uint64_t *ones;  /* of one bit: its values */
    uint64_t *values;
};

/* A column of one bit, or its contrary; column < 0: always. */
struct control {
    int column;
    bool contrary;
};

struct stream {
    int pc, opcode;
    struct control controls[2]; /* the second may be always */
    uint64_t right, wrong;      /* steps */
    uint64_t rows;              /* a hash of the numbers of those in which it retires something */
    struct {
        int number, value; /* columns; number < 0: no writes of registers were found */
        struct control when;
        uint64_t right, wrong;
    } writes;
};

struct proposer {
    struct wave_reader *reader;
    struct column *columns;
    size_t column_count, column_capacity;
    size_t clock; /* a variable */
    size_t rows, capacity;
    uint64_t edges;    /* so far */
    size_t *signal_of; /* of each variable; SIZE_MAX: none */
    struct step {
        uint64_t next, target;
        uint8_t flow, type, size;
    } * steps; /* of each row, for the pc and opcode that are tried */
    struct control *controls;
    size_t control_count;
    struct stream streams[PCS * OPCODES * ALTERNATIVES]; /* the best of each pc and opcode */
    size_t stream_count;
    bool failed;
};

static const struct control always = {.column = -1};

/* ---- the table ---- */

static void propose_copy_row(struct proposer *proposer, size_t from, size_t to)
{
    for (size_t i = 0; i < proposer->column_count; i++) {
        struct column *column = &proposer->columns[i];
        column->known[to / 64] |= (column->known[from / 64] >> from % 64 & 1) << to % 64;
        if (column->ones)
            column->ones[to / 64] |= (column->ones[from / 64] >> from % 64 & 1) << to % 64;
        else
            column->values[to] = column->values[from];
    }
}

/* Adds a row; edges at which nothing had changed are rows like the one before. */
static void propose_sample(void *context, uint64_t edge)
{
    struct proposer *proposer = context;
    const struct wave_sampler *sampler = &proposer->reader->sampler;
    while (proposer->rows && proposer->rows < proposer->capacity && proposer->edges + 1 < edge) {
        propose_copy_row(proposer, proposer->rows - 1, proposer->rows);
        proposer->rows++;
        proposer->edges++;
    }
    proposer->edges = edge;
    if (proposer->rows == proposer->capacity) return;
    const size_t row = proposer->rows++;
    for (size_t i = 0; i < proposer->column_count; i++) {
        struct column *column = &proposer->columns[i];
        const uint64_t *words = sampler->values + sampler->signals[column->signal].at;
        if (words[1]) continue;
        column->known[row / 64] |= UINT64_C(1) << row % 64;
        if (column->ones)
            column->ones[row / 64] |= (words[0] & 1) << row % 64;
        else
            column->values[row] = words[0];
    }
}

/* Of two names of a signal, the one that people use is nearer to the top, and not one that a tool
 * made. */
static bool propose_is_nicer(const struct wave_variables *variables,
                             const struct wave_variable *variable, const struct wave_variable *old)
{
    const int scopes[2] = {variable->scope, old->scope};
    unsigned depths[2];
    for (int i = 0; i < 2; i++)
        depths[i] = scopes[i] == WAVE_NO_SCOPE ? 0 : variables->scopes[scopes[i]].depth + 1;
    if (depths[0] != depths[1]) return depths[0] < depths[1];
    return variables->text.bytes[old->name] == '_' && variables->text.bytes[variable->name] != '_';
}

/* Makes a column of each signal of at most 64 bits; false if memory runs out. */
static bool propose_add_columns(struct proposer *proposer)
{
    const struct wave_variables *variables = &proposer->reader->variables;
    const struct wave_sampler *sampler = &proposer->reader->sampler;
    for (size_t i = 0; i < sampler->signal_count; i++) {
        const struct wave_signal *signal = &sampler->signals[i];
        if (!array_reserve(&proposer->columns, &proposer->column_capacity,
                           proposer->column_count + 1))
            return false;
        proposer->columns[proposer->column_count++] =
            (struct column){.signal = i, .width = signal->width};
    }
    for (size_t i = 0; i < proposer->column_count; i++)
        proposer->columns[i].variable = variables->count;
    for (size_t i = 0; i < variables->count; i++) {
        const size_t number = proposer->signal_of[i];
        if (number == SIZE_MAX) continue;
        size_t *named = &proposer->columns[number].variable;
        if (*named == variables->count ||
            propose_is_nicer(variables, &variables->items[i], &variables->items[*named]))
            *named = i;
    }
    const size_t columns = proposer->column_count + 1, words = ROWS / 64;
    proposer->capacity = columns * ROWS > CELLS ? CELLS / columns / 64 * 64 : ROWS;
    bool good = true;
    for (size_t i = 0; good && i < proposer->column_count; i++) {
        struct column *column = &proposer->columns[i];
        column->known = calloc(words, sizeof *column->known);
        if (column->width == 1)
            column->ones = calloc(words, sizeof *column->ones);
        else
            column->values = calloc(proposer->capacity, sizeof *column->values);
        good = column->known && (column->ones || column->values);
    }
    proposer->steps = calloc(proposer->capacity + 1, sizeof *proposer->steps);
    return good && proposer->steps && proposer->capacity > 0;
}

static bool column_knows(const struct column *column, size_t row)
{
    return column->known[row / 64] >> row % 64 & 1;
}

static bool column_is_value(const struct column *column, uint32_t least)
{
    return column->values && column->width >= least;
}

/* The rows, of word `word`, in which a control is 1. */
static uint64_t propose_when(const struct proposer *proposer, struct control control, size_t word)
{
    if (control.column < 0) return UINT64_MAX;
    const struct column *column = &proposer->columns[control.column];
    return (control.contrary ? ~column->ones[word] : column->ones[word]) & column->known[word];
}

/* How much the names of two columns have in common at their beginnings, as `lastStagePc` and
 * `lastStageInstruction`: of candidates that do the same, the one that is named like the pc is the
 * one that people mean. */
static unsigned propose_kinship(const struct proposer *proposer, int one, int other)
{
    if (one < 0 || other < 0) return 0;
    const struct wave_variables *variables = &proposer->reader->variables;
    const struct wave_variable *a = &variables->items[proposer->columns[one].variable];
    const struct wave_variable *b = &variables->items[proposer->columns[other].variable];
    const char *texts = variables->text.bytes;
    unsigned same = 0;
    while (a->scope == b->scope && same < a->name_size && same < b->name_size &&
           texts[a->name + same] == texts[b->name + same])
        same++;
    return same + (a->scope == b->scope && texts[a->name] != '_');
}

/* ---- instructions ---- */

static uint64_t propose_mask(uint32_t width)
{
    return UINT64_MAX >> (64 - width);
}

/* What each row's opcode would do at the row's pc. */
static void propose_decode(struct proposer *proposer, const struct column *pc,
                           const struct column *opcode)
{
    const uint64_t mask = propose_mask(pc->width);
    for (size_t row = 0; row < proposer->rows; row++) {
        struct step *step = &proposer->steps[row];
        *step = (struct step){.size = 0};
        if (!column_knows(pc, row) || !column_knows(opcode, row)) continue;
        const uint32_t bits = (uint32_t)opcode->values[row];
        const unsigned size = (bits & 3) == 3 ? 4 : 2;
        const struct opcode does =
            opcode_riscv(pc->values[row], size == 2 ? bits & 0xFFFF : bits, size);
        *step = (struct step){.next = (pc->values[row] + size) & mask,
                              .target = does.target & mask,
                              .flow = (pc->values[row] & 1) || !bits ? OPCODE_UNKNOWN : does.flow,
                              .type = does.type,
                              .size = (uint8_t)size};
        /* ecall, mret and others of SYSTEM may lead anywhere */
        if (size == 4 && (bits & 0x707F) == 0x73)
            *step = (struct step){.flow = OPCODE_BRANCH, .type = SPOOR_BRANCH_INDIRECT, .size = 4};
    }
}

/* Counts the steps between the rows that are selected. */
static void propose_count_steps(const struct proposer *proposer, struct stream *stream)
{
    const struct column *pc = &proposer->columns[stream->pc];
    const struct step *last = NULL;
    const size_t words = (proposer->rows + 63) / 64;
    stream->right = stream->wrong = stream->rows = 0;
    for (size_t word = 0; word < words; word++) {
        uint64_t rows = propose_when(proposer, stream->controls[0], word) &
                        propose_when(proposer, stream->controls[1], word);
        for (; rows; rows &= rows - 1) {
            const size_t row = 64 * word + (size_t)__builtin_ctzll(rows);
            if (row >= proposer->rows) return;
            const struct step *step = &proposer->steps[row];
            if (!step->size) continue;
            stream->rows = (stream->rows + row + 1) * UINT64_C(0x9E3779B97F4A7C15);
            const uint64_t at = pc->values[row];
            if (last && last->flow == OPCODE_UNKNOWN) {
                stream->wrong++;
            } else if (last && last->flow == OPCODE_NEXT) {
                stream->right += at == last->next;
                stream->wrong += at != last->next;
            } else if (last && !(last->type & SPOOR_BRANCH_INDIRECT)) {
                const bool good = at == last->target ||
                                  ((last->type & SPOOR_BRANCH_CONDITIONAL) && at == last->next);
                stream->right += good;
                stream->wrong += !good;
            }
            last = step;
        }
        if (stream->wrong > FEWEST + stream->right / 8) return;
    }
}

/* A second control has to earn its place. */
static int64_t stream_score(const struct stream *stream)
{
    const int64_t score = (int64_t)stream->right - WRONG_STEP * (int64_t)stream->wrong;
    return stream->controls[1].column < 0 ? score : score - score / 32 - 1;
}

/* True if a control is 1 at some edges and 0 at others. */
static bool propose_varies(const struct proposer *proposer, const struct column *column)
{
    const size_t words = (proposer->rows + 63) / 64;
    bool ones = false, zeros = false;
    for (size_t word = 0; column->ones && word < words; word++) {
        ones |= (column->known[word] & column->ones[word]) != 0;
        zeros |= (column->known[word] & ~column->ones[word]) != 0;
    }
    return ones && zeros;
}

/* Makes a list of the controls that vary, and their contraries. */
static bool propose_list_controls(struct proposer *proposer)
{
    size_t capacity = 0;
    for (size_t i = 0; i < proposer->column_count; i++) {
        if (!propose_varies(proposer, &proposer->columns[i])) continue;
        if (!array_reserve(&proposer->controls, &capacity, proposer->control_count + 2))
            return false;
        proposer->controls[proposer->control_count++] = (struct control){(int)i, false};
        proposer->controls[proposer->control_count++] = (struct control){(int)i, true};
    }
    return true;
}

/* Keeps a stream if it is one of the best of its pc and opcode, which begin at `first`; of those
 * that retire in the same rows, the one that is named more like the pc, or has one control. */
static void propose_keep(struct proposer *proposer, size_t first, const struct stream *stream)
{
    if (stream->right < FEWEST || stream->wrong * 20 > stream->right) return;
    const int64_t score = stream_score(stream);
    size_t end = proposer->stream_count, place;
    for (size_t i = first; i < end; i++) {
        struct stream *old = &proposer->streams[i];
        if (old->rows != stream->rows) continue;
        const int64_t gained = score - stream_score(old);
        if (gained < 0 ||
            (gained == 0 && propose_kinship(proposer, stream->pc, stream->controls[0].column) <=
                                propose_kinship(proposer, old->pc, old->controls[0].column)))
            return;
        memmove(old, old + 1, (end - i - 1) * sizeof *old);
        end--;
        break;
    }
    for (place = end; place > first && stream_score(&proposer->streams[place - 1]) < score;)
        place--;
    if (place == first + ALTERNATIVES) return;
    if (end < first + ALTERNATIVES) end++;
    memmove(proposer->streams + place + 1, proposer->streams + place,
            (end - 1 - place) * sizeof *proposer->streams);
    proposer->streams[place] = *stream;
    proposer->stream_count = end;
}

/* Tries every control, or every two of them. */
static void propose_try_controls(struct proposer *proposer, struct stream stream, bool two)
{
    const size_t count = proposer->control_count, first = proposer->stream_count;
    propose_count_steps(proposer, &stream);
    propose_keep(proposer, first, &stream);
    for (size_t i = 0; i < count; i++) {
        stream.controls[0] = proposer->controls[i];
        stream.controls[1] = always;
        propose_count_steps(proposer, &stream);
        propose_keep(proposer, first, &stream);
        for (size_t k = i + 1; two && k < count; k++) {
            stream.controls[1] = proposer->controls[k];
            if (stream.controls[0].column == stream.controls[1].column) continue;
            propose_count_steps(proposer, &stream);
            propose_keep(proposer, first, &stream);
        }
    }
}

/* ---- pcs and opcodes ---- */

/* How often a column goes on by 2 or 4; 0: it is no pc. */
static uint64_t propose_count_small_steps(const struct proposer *proposer,
                                          const struct column *column)
{
    uint64_t changes = 0, small = 0, odd = 0, last = 0;
    bool any = false;
    for (size_t row = 0; row < proposer->rows; row++) {
        if (!column_knows(column, row)) continue;
        const uint64_t value = column->values[row];
        if (any && value == last) continue;
        odd += value & 1;
        changes += any;
        small += any && (value - last == 2 || value - last == 4);
        last = value;
        any = true;
    }
    return changes >= FEWEST && odd * 50 < changes && small * 4 >= changes ? small : 0;
}

/* Numbers the values of a column, from 0, in `ids`; returns how many there are; 0: memory ran out.
 */
static uint32_t propose_number(const struct proposer *proposer, const struct column *column,
                               uint32_t *ids)
{
    struct slot {
        uint64_t key;
        uint32_t id;
    };
    struct hash_map map = {0};
    uint32_t count = 0;
    for (size_t row = 0; row < proposer->rows; row++) {
        bool added;
        struct slot *slot = hash_map_add(&map, column->values[row], sizeof *slot, &added);
        if (!slot) {
            count = 0;
            break;
        }
        if (added) slot->id = count++;
        ids[row] = slot->id;
    }
    hash_map_free(&map);
    return count;
}

/* How often a value comes again with a pc that it came with, less how often another one does; of
 * rows in which one of the two is new. */
static int64_t propose_agreement(const struct proposer *proposer, const struct column *pc,
                                 const struct column *opcode, const uint32_t *ids, uint32_t count,
                                 uint64_t *first)
{
    int64_t agreed = 0, others = 0, distinct = 0;
    size_t last = SIZE_MAX;
    memset(first, 0xFF, count * sizeof *first);
    for (size_t row = 0; row < proposer->rows; row++) {
        if (!column_knows(pc, row) || !column_knows(opcode, row)) continue;
        if (last != SIZE_MAX && ids[row] == ids[last] &&
            opcode->values[row] == opcode->values[last])
            continue;
        const uint64_t value = opcode->values[row];
        if (first[ids[row]] == UINT64_MAX) {
            distinct += last == SIZE_MAX || value != opcode->values[last];
            first[ids[row]] = value;
        } else {
            agreed += first[ids[row]] == value;
            others += first[ids[row]] != value;
        }
        last = row;
    }
    if (distinct < FEWEST || distinct * 8 < (int64_t)count) return 0;
    return 4 * agreed - others + distinct;
}

/* Tries the columns that may be the opcode of a pc. */
static void propose_try_pc(struct proposer *proposer, size_t number, bool two, uint32_t *ids,
                           uint64_t *first)
{
    const struct column *pc = &proposer->columns[number];
    const uint32_t count = propose_number(proposer, pc, ids);
    struct {
        int column;
        int64_t agreement;
    } best[OPCODES];
    size_t kept = 0;
    proposer->failed |= !count && proposer->rows;
    for (size_t i = 0; count && i < proposer->column_count; i++) {
        const struct column *column = &proposer->columns[i];
        if (i == number || !column_is_value(column, NARROWEST_VALUE)) continue;
        const int64_t agreement = propose_agreement(proposer, pc, column, ids, count, first);
        if (agreement <= 0) continue;
        size_t place = kept;
        while (place > 0 && best[place - 1].agreement < agreement) place--;
        if (place == OPCODES) continue;
        if (kept < OPCODES) kept++;
        memmove(best + place + 1, best + place, (kept - 1 - place) * sizeof *best);
        best[place].column = (int)i;
        best[place].agreement = agreement;
    }
    for (size_t i = 0; i < kept; i++) {
        struct stream stream = {.pc = (int)number,
                                .opcode = best[i].column,
                                .controls = {always, always},
                                .writes = {.number = -1}};
        propose_decode(proposer, pc, &proposer->columns[stream.opcode]);
        propose_try_controls(proposer, stream, two && i < TWICE);
    }
}

/* Finds candidates with one control each, or with two. */
static void propose_find_streams(struct proposer *proposer, bool two)
{
    proposer->stream_count = 0;
    struct {
        size_t column;
        uint64_t steps;
    } best[PCS];
    size_t kept = 0;
    for (size_t i = 0; i < proposer->column_count; i++) {
        const struct column *column = &proposer->columns[i];
        if (!column_is_value(column, NARROWEST_VALUE)) continue;
        const uint64_t steps = propose_count_small_steps(proposer, column);
        size_t place = kept;
        if (!steps) continue;
        while (place > 0 && best[place - 1].steps < steps) place--;
        if (place == PCS) continue;
        if (kept < PCS) kept++;
        memmove(best + place + 1, best + place, (kept - 1 - place) * sizeof *best);
        best[place].column = i;
        best[place].steps = steps;
    }
    uint32_t *ids = calloc(proposer->rows + 1, sizeof *ids);
    uint64_t *first = calloc(proposer->rows + 1, sizeof *first);
    proposer->failed |= !ids || !first;
    for (size_t i = 0; !proposer->failed && i < kept; i++)
        propose_try_pc(proposer, best[i].column, two, ids, first);
    free(ids);
    free(first);
}

/* ---- writes of registers ---- */

/* What an instruction writes. */
struct expected_write {
    bool is_known;  /* whether it writes an integer register is, */
    bool has_value; /* and `value` */
    unsigned number;
    uint64_t value;
};
/* What was written to the integer registers. */
struct register_file {
    uint64_t values[32];
    uint32_t known; /* bit n: of register n */
};

static struct expected_write propose_expect_narrow(uint32_t bits, const struct register_file *file)
{
    enum { C_ADDI = 1, C_LI = 9, C_MV = 18 }; /* the low two bits, and the high three above them */
    const unsigned number = bits >> 7 & 31, from = bits >> 2 & 31;
    struct expected_write write = {.is_known = true, .has_value = number != 0, .number = number};
    switch ((bits & 3) | (bits >> 13 & 7) << 2) {
    case C_ADDI:
    case C_LI: {
        const uint64_t low = sign_extended((bits >> 7 & 32) | from, 6);
        const bool adds = ((bits >> 13) & 7) == 0;
        write.value = low + (adds ? file->values[number] : 0);
        write.has_value &= !adds || (file->known >> number & 1);
        return write;
    }
    case C_MV:
        if (!from) break; /* c.jr, c.jalr, c.ebreak */
        write.has_value &= file->known >> from & 1;
        write.value = file->values[from];
        if (!(bits & 0x1000)) return write;
        write.has_value &= file->known >> number & 1; /* c.add */
        write.value += file->values[number];
        return write;
    default: break;
    }
    return (struct expected_write){.is_known = false};
}

static struct expected_write propose_expect(uint64_t pc, uint32_t bits, uint32_t width,
                                            const struct register_file *file)
{
    enum {
        LOAD = 0x03,
        OP_IMM = 0x13,
        AUIPC = 0x17,
        STORE = 0x23,
        OP = 0x33,
        LUI = 0x37,
        BRANCH = 0x63,
        JALR = 0x67,
        JAL = 0x6F
    };
    enum { ADD, XOR = 4, OR = 6, AND = 7 };
    const unsigned number = bits >> 7 & 31, one = bits >> 15 & 31, other = bits >> 20 & 31;
    struct expected_write write = {.is_known = true, .has_value = number != 0, .number = number};
    const uint64_t upper = sign_extended(bits >> 12, 20) << 12;
    const unsigned does = bits >> 12 & 7;
    uint64_t value = sign_extended(bits >> 20, 12);
    bool known = true;
    if ((bits & 3) != 3) return propose_expect_narrow(bits, file);
    switch (bits & 0x7F) {
    case LUI: write.value = upper; break;
    case AUIPC: write.value = pc + upper; break;
    case JAL:
    case JALR: write.value = pc + 4; break;
    case OP:
        known = file->known >> other & 1;
        value = file->values[other];
        if (bits >> 25 == 32 && does == ADD) value = -value; /* sub */
        known &= bits >> 25 == 0 || (bits >> 25 == 32 && does == ADD);
        __attribute__((fallthrough));
    case OP_IMM:
        known &= file->known >> one & 1;
        if (does == ADD)
            write.value = file->values[one] + value;
        else if (does == XOR)
            write.value = file->values[one] ^ value;
        else if (does == OR)
            write.value = file->values[one] | value;
        else if (does == AND)
            write.value = file->values[one] & value;
        else
            known = false;
        break;
    case LOAD: known = false; break;
    case STORE:
    case BRANCH:
        known = false;
        write.number = 0;
        break;
    default: return (struct expected_write){.is_known = false};
    }
    write.has_value &= known;
    write.value &= propose_mask(width);
    return write;
}

/* The instructions of a stream: their rows and what they write. */
struct retired {
    size_t row, from; /* rows `from` to `row` are its window */
    uint64_t pc;
    uint32_t bits;
};

static size_t propose_list(const struct proposer *proposer, const struct stream *stream,
                           struct retired *list)
{
    const struct column *pc = &proposer->columns[stream->pc];
    const struct column *opcode = &proposer->columns[stream->opcode];
    size_t count = 0;
    for (size_t row = 0; row < proposer->rows; row++) {
        const uint64_t when = propose_when(proposer, stream->controls[0], row / 64) &
                              propose_when(proposer, stream->controls[1], row / 64);
        if (!(when >> row % 64 & 1) || !column_knows(pc, row) || !column_knows(opcode, row))
            continue;
        size_t from = count ? list[count - 1].row + 1 : 0;
        if (row - from > WINDOW) from = row - WINDOW;
        list[count++] = (struct retired){row, from, pc->values[row], (uint32_t)opcode->values[row]};
    }
    return count;
}

/* Finds the rows in which a column has the value that an instruction is known to write, and
 * `number` its register; number NULL: any.  Returns how many instructions have one, of *expected.
 */
static size_t propose_find_values(const struct retired *list, size_t count,
                                  const struct column *value, const struct column *number,
                                  size_t *rows, size_t *expected)
{
    const struct register_file none = {.known = 1}; /* x0 */
    size_t found = 0;
    *expected = 0;
    for (size_t i = 0; i < count; i++) {
        const struct expected_write write =
            propose_expect(list[i].pc, list[i].bits, value->width, &none);
        if (!write.has_value) continue;
        ++*expected;
        for (size_t row = list[i].row + 1; row-- > list[i].from;) {
            if (!column_knows(value, row) || value->values[row] != write.value) continue;
            if (number && !(column_knows(number, row) && number->values[row] == write.number))
                continue;
            rows[found++] = row;
            break;
        }
    }
    return found;
}

/* True if a control is 1 in most of the rows. */
static bool propose_holds(const struct proposer *proposer, struct control control,
                          const size_t *rows, size_t count)
{
    size_t held = 0;
    for (size_t i = 0; i < count; i++)
        held += propose_when(proposer, control, rows[i] / 64) >> rows[i] % 64 & 1;
    return held * 4 >= count * 3;
}

/* How many instructions write as a control says that they do. */
static void propose_count_writes(const struct proposer *proposer, const struct retired *list,
                                 size_t count, struct stream *stream)
{
    const struct column *number = &proposer->columns[stream->writes.number];
    const struct column *value = &proposer->columns[stream->writes.value];
    struct register_file file = {.known = 1};
    stream->writes.right = stream->writes.wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const struct expected_write write =
            propose_expect(list[i].pc, list[i].bits, value->width, &file);
        unsigned own = 0, others = 0;
        for (size_t row = list[i].from; row <= list[i].row; row++) {
            if (!(propose_when(proposer, stream->writes.when, row / 64) >> row % 64 & 1)) continue;
            if (!column_knows(number, row)) continue;
            const unsigned named = number->values[row] & 31;
            if (named == 0) continue;
            const bool knows = column_knows(value, row);
            const bool good = write.number && named == write.number &&
                              (!write.has_value || (knows && value->values[row] == write.value));
            own += good;
            others += !good;
            file.values[named] = value->values[row];
            file.known =
                knows ? file.known | UINT32_C(1) << named : file.known & ~(UINT32_C(1) << named);
        }
        if (!write.is_known) continue;
        const bool good = others == 0 && own == (write.number != 0);
        stream->writes.right += good;
        stream->writes.wrong += !good;
    }
}

static int64_t stream_write_score(const struct stream *stream)
{
    if (stream->writes.number < 0) return 0;
    return (int64_t)stream->writes.right - 4 * (int64_t)stream->writes.wrong;
}

static unsigned propose_write_kinship(const struct proposer *proposer, const struct stream *stream)
{
    return propose_kinship(proposer, stream->pc, stream->writes.number) +
           propose_kinship(proposer, stream->pc, stream->writes.value) +
           propose_kinship(proposer, stream->pc, stream->writes.when.column);
}

/* Tries each control as what says that the columns of `port` write a register. */
static void propose_try_writes(const struct proposer *proposer, const struct retired *list,
                               size_t count, struct stream port, const size_t *rows, size_t found,
                               struct stream *best)
{
    for (size_t w = 0; w <= proposer->control_count; w++) {
        port.writes.when = w < proposer->control_count ? proposer->controls[w] : always;
        if (!propose_holds(proposer, port.writes.when, rows, found)) continue;
        propose_count_writes(proposer, list, count, &port);
        if (port.writes.right < FEWEST || port.writes.wrong * 20 > port.writes.right) continue;
        const int64_t gained = stream_write_score(&port) - stream_write_score(best);
        if (gained > 0 || (gained == 0 && propose_write_kinship(proposer, &port) >
                                              propose_write_kinship(proposer, best)))
            *best = port;
    }
}

static void propose_find_writes(struct proposer *proposer, struct stream *stream)
{
    enum { NARROWEST = 4, WIDEST = 6 /* bits of a number */, FEWEST_KNOWN = 4 };
    struct retired *list = calloc(proposer->rows + 1, sizeof *list);
    size_t *rows = calloc(proposer->rows + 1, sizeof *rows);
    const bool good = list && rows;
    const size_t count = good ? propose_list(proposer, stream, list) : 0;
    struct stream best = *stream;
    proposer->failed |= !good;
    for (size_t v = 0; good && v < proposer->column_count; v++) {
        const struct column *value = &proposer->columns[v];
        size_t expected, found;
        if (!column_is_value(value, 32)) continue;
        found = propose_find_values(list, count, value, NULL, rows, &expected);
        if (expected < FEWEST_KNOWN || found * 4 < expected * 3) continue;
        for (size_t n = 0; n < proposer->column_count; n++) {
            const struct column *number = &proposer->columns[n];
            if (!number->values || number->width < NARROWEST || number->width > WIDEST) continue;
            found = propose_find_values(list, count, value, number, rows, &expected);
            if (found * 4 < expected * 3) continue;
            struct stream port = *stream;
            port.writes.number = (int)n;
            port.writes.value = (int)v;
            propose_try_writes(proposer, list, count, port, rows, found, &best);
        }
    }
    *stream = best;
    free(list);
    free(rows);
}

/* ---- names ---- */

/* The variable by which a column is named beside the pc: one of the same scope, if there is one. */
static const struct wave_variable *propose_variable(const struct proposer *proposer, int number,
                                                    int scope)
{
    const struct wave_variables *variables = &proposer->reader->variables;
    const struct wave_variable *own = &variables->items[proposer->columns[number].variable];
    const struct wave_variable *beside = NULL;
    for (size_t i = 0; i < variables->count && own->scope != scope; i++) {
        const struct wave_variable *other = &variables->items[i];
        if (other->handle == own->handle && other->width == own->width && other->scope == scope &&
            (!beside || propose_is_nicer(variables, other, beside)))
            beside = other;
    }
    return beside ? beside : own;
}

/* The innermost scope that has both. */
static int propose_common_scope(const struct wave_variables *variables, int a, int b)
{
    while (a != b) {
        const unsigned deep_a = a == WAVE_NO_SCOPE ? 0 : variables->scopes[a].depth + 1;
        const unsigned deep_b = b == WAVE_NO_SCOPE ? 0 : variables->scopes[b].depth + 1;
        if (deep_a >= deep_b) a = variables->scopes[a].parent;
        if (deep_b >= deep_a) b = variables->scopes[b].parent;
    }
    return a;
}

/* Appends the name of a variable below a scope, "uut.valid". */
static void propose_put_name(const struct wave_variables *variables,
                             const struct wave_variable *variable, int scope, struct text *out)
{
    struct text path = {0};
    size_t skipped = 0;
    if (scope != WAVE_NO_SCOPE) {
        wave_variables_put_scope(variables, scope, &path);
        skipped = path.size + 1; /* and the point */
        path.size = 0;
    }
    if (variable->scope != WAVE_NO_SCOPE) {
        wave_variables_put_scope(variables, variable->scope, &path);
        text_puts(&path, ".");
    }
    text_put(&path, variables->text.bytes + variable->name, variable->name_size);
    if (!path.failed) text_put(out, path.bytes + skipped, path.size - skipped);
    out->failed |= path.failed;
    text_free(&path);
}

/* Appends the line of a scope: the end of its path, as far as that has no index. */
static void propose_put_scope(const struct wave_variables *variables, int scope, struct text *out)
{
    struct text path = {0};
    if (scope != WAVE_NO_SCOPE) wave_variables_put_scope(variables, scope, &path);
    size_t from = path.size;
    while (from > 0 && wave_is_mapping_letter(path.bytes[from - 1])) from--;
    if (from > 0 && from < path.size && path.bytes[from] == '.') from++;
    if (from < path.size && !path.failed) {
        text_puts(out, "\nscope = ");
        text_put(out, path.bytes + from, path.size - from);
    }
    out->failed |= path.failed;
    text_free(&path);
}

static void propose_put(const struct proposer *proposer, const struct stream *stream,
                        struct text *out)
{
    enum { PC, OPCODE, FIRST, SECOND, NUMBER, VALUE, WRITES, USES };
    const struct wave_variables *variables = &proposer->reader->variables;
    const bool writes = stream->writes.number >= 0;
    const int columns[USES] = {[PC] = stream->pc,
                               [OPCODE] = stream->opcode,
                               [FIRST] = stream->controls[0].column,
                               [SECOND] = stream->controls[1].column,
                               [NUMBER] = stream->writes.number,
                               [VALUE] = writes ? stream->writes.value : -1,
                               [WRITES] = writes ? stream->writes.when.column : -1};
    const struct control controls[2] = {stream->controls[0], stream->controls[1]};
    const struct wave_variable *named[USES] = {NULL}, *clock = &variables->items[proposer->clock];
    const int beside = variables->items[proposer->columns[stream->pc].variable].scope;
    int scope = beside;
    for (unsigned i = 0; i < USES; i++) {
        if (columns[i] < 0) continue;
        named[i] = propose_variable(proposer, columns[i], beside);
        scope = propose_common_scope(variables, scope, named[i]->scope);
    }
    /* the clock is looked up in the scopes around, too */
    const int outer = propose_common_scope(variables, scope, clock->scope);
    if (outer != clock->scope) scope = outer;
    if (proposer->reader->sampler.signal_count == COLUMNS)
        text_printf(out, "# only the first %d signals of at most 64 bits were looked at\n",
                    COLUMNS);
    text_printf(out,
                "# %" PRIu64 " of %" PRIu64 " steps lead from one instruction to the next, in %zu "
                "cycles\n",
                stream->right, stream->right + stream->wrong, proposer->rows);
    if (writes)
        text_printf(out,
                    "# %" PRIu64 " of %" PRIu64 " instructions write the register that they "
                    "name, or none\n",
                    stream->writes.right, stream->writes.right + stream->writes.wrong);
    else
        text_puts(out, "# no port of the register file was found\n");
    text_puts(out, "isa riscv\nclock = ");
    propose_put_name(variables, clock, outer == clock->scope ? clock->scope : scope, out);
    propose_put_scope(variables, scope, out);
    text_puts(out, "\nwhen = ");
    bool any = false;
    for (unsigned i = 0; i < 2; i++) {
        if (controls[i].column < 0) continue;
        text_printf(out, "%s%s", any ? " and " : "", controls[i].contrary ? "not " : "");
        propose_put_name(variables, named[FIRST + i], scope, out);
        any = true;
    }
    if (!any) text_puts(out, "1 == 1");
    text_puts(out, "\npc = ");
    propose_put_name(variables, named[PC], scope, out);
    text_puts(out, "\ninsn = ");
    propose_put_name(variables, named[OPCODE], scope, out);
    if (writes && named[WRITES]) {
        text_printf(out, "\nrd.when = %s", stream->writes.when.contrary ? "not " : "");
        propose_put_name(variables, named[WRITES], scope, out);
    }
    if (writes) {
        text_puts(out, "\nrd = ");
        propose_put_name(variables, named[NUMBER], scope, out);
        text_puts(out, "\nrd.value = ");
        propose_put_name(variables, named[VALUE], scope, out);
    }
    text_puts(out, "\n");
}

/* ---- the whole ---- */

static bool propose_is_clock_name(const struct wave_variables *variables,
                                  const struct wave_variable *variable)
{
    const char *name = variables->text.bytes + variable->name;
    for (size_t i = 0; i < variable->name_size; i++)
        if (ascii_some_begins(name + i, variable->name_size - i, "clk") ||
            ascii_some_begins(name + i, variable->name_size - i, "clock"))
            return true;
    return false;
}

/* The clock of most modules: the signal of one bit that has the name of one in most scopes. */
static bool propose_find_clock(struct proposer *proposer)
{
    const struct wave_variables *variables = &proposer->reader->variables;
    struct slot {
        uint64_t key; /* handle */
        size_t first, count;
    };
    struct hash_map map = {0};
    size_t most = 0;
    for (size_t i = 0; i < variables->count; i++) {
        const struct wave_variable *variable = &variables->items[i];
        bool added;
        if (variable->width != 1 || !propose_is_clock_name(variables, variable)) continue;
        struct slot *slot = hash_map_add(&map, variable->handle, sizeof *slot, &added);
        proposer->failed |= !slot;
        if (!slot) break;
        if (added) slot->first = i;
        if (++slot->count <= most) continue;
        most = slot->count;
        proposer->clock = slot->first;
    }
    hash_map_free(&map);
    return most > 0;
}

/* The stream that the steps and the writes of registers speak for; NULL: none does. */
static struct stream *propose_best(struct proposer *proposer, bool two)
{
    struct stream *best = NULL;
    int64_t most = 0;
    if (!proposer->failed) propose_find_streams(proposer, two);
    for (size_t i = 0; i < proposer->stream_count; i++)
        if (stream_score(&proposer->streams[i]) > most) most = stream_score(&proposer->streams[i]);
    for (size_t i = 0; !proposer->failed && i < proposer->stream_count; i++) {
        struct stream *stream = &proposer->streams[i];
        if (stream_score(stream) < most - most / 8) continue;
        propose_find_writes(proposer, stream);
        const int64_t gained = !best ? 1
                                     : stream_score(stream) + stream_write_score(stream) -
                                           stream_score(best) - stream_write_score(best);
        if (gained > 0 || (gained == 0 && propose_kinship(proposer, stream->pc, stream->opcode) >
                                              propose_kinship(proposer, best->pc, best->opcode)))
            best = stream;
    }
    return best;
}

static enum spoor_status propose_search(struct proposer *proposer, struct text *out, double *share,
                                        struct spoor_error *error)
{
    const struct wave_variables *variables = &proposer->reader->variables;
    const char *path = proposer->reader->input.path;
    proposer->failed |= !propose_list_controls(proposer);
    struct stream *best = propose_best(proposer, false);
    const bool is_whole = best && !best->wrong && best->writes.number >= 0 && !best->writes.wrong;
    if (!is_whole && proposer->control_count <= MOST_CONTROLS) best = propose_best(proposer, true);
    if (proposer->failed) return error_no_memory_while(error, path, "reading");
    if (!best) {
        struct text name = {0};
        propose_put_name(variables, &variables->items[proposer->clock], WAVE_NO_SCOPE, &name);
        spoor_error_set(error, SPOOR_EINPUT,
                        "%s: found no pc and opcode of RISC-V that lead from one instruction to "
                        "the next, among %zu signals at %zu edges of %.*s",
                        path, proposer->column_count, proposer->rows, (int)name.size,
                        name.bytes ? name.bytes : "");
        text_free(&name);
        return SPOOR_EINPUT;
    }
    *share = (double)best->right / (double)(best->right + best->wrong);
    propose_put(proposer, best, out);
    if (out->failed) return error_no_memory_while(error, path, "reading");
    struct spoor_error why = {0};
    struct wave_mapping *mapping = wave_mapping_parse(
        "proposed", "proposed", (struct spoor_slice){out->bytes, out->size}, true, &why);
    if (!mapping)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found the signals of a core, but a name of theirs is none that "
                               "a mapping can have: %s",
                               path, why.text);
    wave_mapping_free(mapping);
    return SPOOR_OK;
}

static void propose_free(struct proposer *proposer)
{
    for (size_t i = 0; i < proposer->column_count; i++) {
        free(proposer->columns[i].known);
        free(proposer->columns[i].ones);
        free(proposer->columns[i].values);
    }
    free(proposer->columns);
    free(proposer->steps);
    free(proposer->controls);
    free(proposer->signal_of);
    free(proposer);
}

enum spoor_status wave_propose(enum wave_kind kind, const struct wave_input *input,
                               struct text *out, double *share, struct spoor_error *error)
{
    const struct wave_reader_kind *reads = wave_kind_of(kind);
    struct wave_reader *reader = reads->open(input, error);
    if (!reader) return error->status;
    struct proposer *proposer = calloc(1, sizeof *proposer);
    if (!proposer) {
        wave_reader_close(reads, reader);
        return error_no_memory_while(error, input->path, "reading");
    }
    const bool finished = wave_variables_finish(&reader->variables);
    proposer->reader = reader;
    if (finished)
        proposer->signal_of = calloc(reader->variables.count + 1, sizeof *proposer->signal_of);
    const bool has_clock = finished && proposer->signal_of && propose_find_clock(proposer);
    enum spoor_status status = SPOOR_OK;
    if (finished && proposer->signal_of && !has_clock && !proposer->failed)
        status = spoor_error_set(error, SPOOR_EINPUT,
                                 "%s: found no signal of one bit that has the name of a clock "
                                 "(clk, clock)",
                                 input->path);
    else if (!has_clock ||
             !wave_sampler_tap(&reader->sampler, &reader->variables, proposer->clock, COLUMNS,
                               propose_sample, proposer, proposer->signal_of) ||
             !propose_add_columns(proposer))
        status = error_no_memory_while(error, input->path, "reading");
    if (status == SPOOR_OK) status = reads->begin(reader, error);
    char damage[200] = "";
    while (status == SPOOR_OK && proposer->rows < proposer->capacity) {
        struct text *lines = &reader->sampler.out; /* they are about damage only: "! ..." */
        status = reads->step(reader, error);
        if (lines->size > 2 && !*damage)
            snprintf(damage, sizeof damage, "%.*s", (int)strcspn(lines->bytes + 2, "\n"),
                     lines->bytes + 2);
        lines->size = 0;
    }
    if (status == SPOOR_END) status = SPOOR_OK;
    if (status == SPOOR_OK) status = propose_search(proposer, out, share, error);
    if (status == SPOOR_OK && *damage)
        status = spoor_error_set(error, SPOOR_EINPUT, "%s: %s", input->path, damage);
    propose_free(proposer);
    wave_reader_close(reads, reader);
    return status;
}
