/* SPDX-License-Identifier: MIT */
/* column_chunk.c: encodes and compresses the pages of a column. */
#include "columns/column_chunk.h"

#include <math.h>
#include <stdlib.h>

#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>
#endif

#include "columns/number_loops.h"
#include "columns/thrift.h"

enum {
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
    SAMPLE_VALUES = 4096, /* of a column, to choose its encoding by */
    CHOICE_USES = 16,     /* row groups, until an encoding is chosen again */
    RAW_BYTES = 64,       /* that cost as much as one compressed byte */
    LEVEL_QUICK = -1,     /* of zstd: a quarter faster than 1, without codes for literals */
    QUICK_BYTES = 20,     /* of which one more is worth that */
    LEVEL_BYTES = 4,      /* of definition levels, of which it takes one more */
    FEW_VALUES = 4096,    /* of a chunk that are one page */
    NUMBER_WORDS = 8192,  /* maximum dictionary of numbers */
    SLOT_BITS_MIN = 9,    /* of their hash table: 2^9, */
    SLOT_BITS_MAX = 15,   /* to 2^15 */
    WORD_BYTES = 1 << 20, /* maximum dictionary of texts */
    RANKED_WORDS = 4096,  /* texts are put in order for limits up to this many */
};

struct number_slot {
    uint64_t value;
    uint32_t number; /* + 1; 0: empty */
};

bool chunk_writer_start(struct chunk_writer *writer, int level)
{
    *writer = (struct chunk_writer){.level = level};
    writer->numbers = malloc(GROUP_ROWS * sizeof *writer->numbers);
    writer->slots = malloc(sizeof *writer->slots << SLOT_BITS_MAX);
    writer->ranking.ranks = malloc(RANKED_WORDS * sizeof *writer->ranking.ranks);
    writer->ranking.words = malloc(RANKED_WORDS * sizeof *writer->ranking.words);
    writer->ranking.used = malloc(RANKED_WORDS * sizeof *writer->ranking.used);
#ifdef SPOOR_WITH_ZSTD
    writer->context = ZSTD_createCCtx();
    if (!writer->context) return false;
#endif
    return writer->numbers && writer->slots && writer->ranking.ranks && writer->ranking.words &&
           writer->ranking.used;
}

void chunk_writer_end(struct chunk_writer *writer)
{
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeCCtx(writer->context);
#endif
    free(writer->numbers);
    free(writer->slots);
    free(writer->ranking.ranks);
    free(writer->ranking.words);
    free(writer->ranking.used);
    for (size_t i = 0; i < GROUP_PAGES; i++) text_free(&writer->levels[i].bytes);
    text_free(&writer->raw);
    text_free(&writer->packed);
    text_free(&writer->sample);
}

int chunk_codec(void)
{
#ifdef SPOOR_WITH_ZSTD
    return 6;
#else
    return 0;
#endif
}

/* Replaces `packed` by the compressed bytes. */
static void compress(struct chunk_writer *writer, int level, const struct text *raw,
                     struct text *packed)
{
    packed->size = 0;
#ifdef SPOOR_WITH_ZSTD
    const size_t bound = ZSTD_compressBound(raw->size);
    char *at = text_reserve(packed, bound);
    if (!at) return;
    const size_t size = ZSTD_compressCCtx(writer->context, at, bound, raw->bytes, raw->size, level);
    packed->failed |= ZSTD_isError(size) != 0;
    if (!packed->failed) text_commit(packed, at + size);
#else
    (void)writer, (void)level;
    text_put(packed, raw->bytes, raw->size);
#endif
}

/* ---- pages ---- */

/* A page: its header, and `raw` compressed. */
static void put_page(struct chunk_writer *writer, int type, enum encoding encoding, size_t values,
                     struct text *out, struct column_chunk *chunk)
{
    const size_t before = out->size;
    const int level = chunk->choice.is_quick ? LEVEL_QUICK : writer->level;
    compress(writer, level, &writer->raw, &writer->packed);
    struct thrift header = {.out = out};
    thrift_integer(&header, 1, THRIFT_I32, type);
    thrift_integer(&header, 2, THRIFT_I32, (int64_t)writer->raw.size);
    thrift_integer(&header, 3, THRIFT_I32, (int64_t)writer->packed.size);
    thrift_struct(&header, type == PAGE_DATA ? 5 : 7);
    thrift_integer(&header, 1, THRIFT_I32, (int64_t)values);
    thrift_integer(&header, 2, THRIFT_I32, encoding);
    if (type == PAGE_DATA) {
        thrift_integer(&header, 3, THRIFT_I32, ENCODING_RLE);
        thrift_integer(&header, 4, THRIFT_I32, ENCODING_RLE);
    }
    thrift_end(&header);
    chunk->raw_size += out->size - before + 1 + writer->raw.size;
    thrift_end(&header);
    text_append(out, &writer->packed);
    out->failed |= writer->raw.failed;
    chunk->size += out->size - before;
}

/* ---- limits ---- */

static void limit_numbers(const struct column *column, const uint64_t *values, size_t count,
                          struct limits *limits)
{
    if (count == 0) return;
    const struct number_range range =
        numbers_range(values, count, column->type == COLUMN_SIGNED ? UINT64_C(1) << 63 : 0);
    limits->stated = true;
    limits->low_size = limits->high_size = column->type == COLUMN_BOOL ? 1 : sizeof range.low;
    memcpy(limits->low, &range.low, sizeof range.low);
    memcpy(limits->high, &range.high, sizeof range.high);
}

/* Zeros of both signs are equal, and numbers that are none have no order. */
static void limit_reals(const uint64_t *values, size_t count, struct limits *limits)
{
    double low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, &values[i], sizeof value);
        if (isnan(value)) return;
        if (i == 0 || value < low) low = value;
        if (i == 0 || value > high) high = value;
    }
    if (low == 0) low = -0.0;
    if (high == 0) high = 0.0;
    limits->stated = count > 0;
    limits->low_size = limits->high_size = sizeof low;
    memcpy(limits->low, &low, sizeof low);
    memcpy(limits->high, &high, sizeof high);
}

/* The low limit may be a beginning of the text; the high one must not. */
static void limit_texts(const struct words *words, const struct ranking *ranking,
                        const uint64_t *values, size_t count, struct limits *limits)
{
    uint32_t low = UINT32_MAX, high = 0;
    if (count == 0) return;
    memset(ranking->used, 0, words->count);
    for (size_t i = 0; i < count; i++) ranking->used[values[i]] = true;
    for (size_t word = 0; word < words->count; word++) {
        const uint32_t rank = ranking->ranks[word];
        if (!ranking->used[word]) continue;
        low = rank < low ? rank : low;
        high = rank > high ? rank : high;
    }
    const struct spoor_slice first = words_text(words, ranking->words[low]);
    const struct spoor_slice last = words_text(words, ranking->words[high]);
    limits->stated = last.size <= LIMIT_SIZE;
    limits->low_size = first.size < LIMIT_SIZE ? first.size : LIMIT_SIZE;
    limits->high_size = last.size <= LIMIT_SIZE ? last.size : 0;
    memcpy(limits->low, first.bytes, limits->low_size);
    memcpy(limits->high, last.bytes, limits->high_size);
}

struct ranked {
    struct spoor_slice text;
    uint32_t number;
};

static int by_text(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    const size_t size = a->text.size < b->text.size ? a->text.size : b->text.size;
    const int order = memcmp(a->text.bytes, b->text.bytes, size);
    if (order) return order;
    return (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

/* Fills writer->ranking; false where there are too many words. */
static bool rank_words(struct chunk_writer *writer, const struct words *words)
{
    if (words->count > RANKED_WORDS) return false;
    struct ranked *items = malloc((words->count + 1) * sizeof *items);
    writer->failed |= !items;
    if (!items) return false;
    for (size_t i = 0; i < words->count; i++)
        items[i] = (struct ranked){words_text(words, i), (uint32_t)i};
    qsort(items, words->count, sizeof *items, by_text);
    for (size_t i = 0; i < words->count; i++) {
        writer->ranking.words[i] = items[i].number;
        writer->ranking.ranks[items[i].number] = (uint32_t)i;
    }
    free(items);
    return true;
}

/* ---- the choice of an encoding ---- */

static struct number_slot *slot_of(struct number_slot *slots, unsigned bits, uint64_t value)
{
    const size_t mask = ((size_t)1 << bits) - 1;
    size_t at = (size_t)(value * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
    while (slots[at].value != value && slots[at].number) at = (at + 1) & mask;
    return &slots[at];
}

/* Doubles the table twice; the values are at `entries`. */
static unsigned widen(struct number_slot *slots, unsigned bits, const uint64_t *entries,
                      size_t count)
{
    memset(slots, 0, sizeof *slots << (bits + 2));
    for (size_t i = 0; i < count; i++)
        *slot_of(slots, bits + 2, entries[i]) = (struct number_slot){entries[i], (uint32_t)i + 1};
    return bits + 2;
}

/* Numbers the distinct values in the order of their first use, into writer->numbers; `out`, which
 * is empty, receives them.  Returns how many there are; NUMBER_WORDS + 1: more than that. */
static size_t number_values(struct chunk_writer *writer, const uint64_t *values, size_t count,
                            struct text *out)
{
    uint64_t *entries = (uint64_t *)text_reserve(out, (NUMBER_WORDS + 1) * sizeof *entries);
    struct number_slot *slots = writer->slots;
    unsigned bits = SLOT_BITS_MIN;
    size_t distinct = 0;
    if (!entries) return NUMBER_WORDS + 1;
    if (count > 0 && numbers_are_equal(values, count)) { /* as those of many columns */
        memset(writer->numbers, 0, count * sizeof *writer->numbers);
        entries[0] = values[0];
        text_commit(out, (const char *)(entries + 1));
        return 1;
    }
    memset(slots, 0, sizeof *slots << bits);
    for (size_t i = 0; i < count; i++) {
        struct number_slot *slot = slot_of(slots, bits, values[i]);
        writer->numbers[i] = slot->number - 1;
        if (slot->number) continue;
        if (distinct == NUMBER_WORDS) return NUMBER_WORDS + 1;
        writer->numbers[i] = distinct;
        entries[distinct++] = values[i];
        *slot = (struct number_slot){values[i], (uint32_t)distinct};
        if (distinct == (size_t)1 << (bits - 1) && bits < SLOT_BITS_MAX)
            bits = widen(slots, bits, entries, distinct);
    }
    text_commit(out, (const char *)(entries + distinct));
    return distinct;
}

static void encode(enum encoding encoding, struct text *out, const uint64_t *values, size_t count)
{
    if (encoding == ENCODING_DELTA)
        encode_delta(out, values, count);
    else if (encoding == ENCODING_SPLIT)
        encode_split(out, values, count);
    else
        encode_plain(out, values, count);
}

/* Encodes these values into writer->sample; false if the encoding does not suit them. */
static bool encode_sample(struct chunk_writer *writer, enum encoding encoding,
                          const uint64_t *values, size_t count)
{
    writer->sample.size = 0;
    if (encoding == ENCODING_DICTIONARY) {
        const size_t entries = number_values(writer, values, count, &writer->sample);
        if (entries > count / 4) return false;
        encode_numbers(&writer->sample, writer->numbers, count, entries);
    } else {
        encode(encoding, &writer->sample, values, count);
    }
    return true;
}

/* The cost of the sample: its size compressed, and a little for what has to be compressed. */
static size_t cost_of_sample(struct chunk_writer *writer, int level)
{
    compress(writer, level, &writer->sample, &writer->packed);
    return writer->sample.failed || writer->packed.failed
               ? SIZE_MAX
               : writer->packed.size + writer->sample.size / RAW_BYTES;
}

/* True if zstd's quickest level is as good for the sample and the levels of its rows; `cost` is
 * what the sample costs at the usual level. */
static bool suits_quick(struct chunk_writer *writer, const struct column *column, size_t rows,
                        size_t count, size_t cost)
{
    const size_t levels = column->count < rows ? rows * count / column->count / 8 : 0;
    const size_t quick = cost_of_sample(writer, LEVEL_QUICK);
    return quick < SIZE_MAX && quick + levels / LEVEL_BYTES <= cost + cost / QUICK_BYTES;
}

static enum encoding choose(struct chunk_writer *writer, const struct column *column, size_t rows,
                            struct encoding_choice *choice)
{
    const enum encoding candidates[] = {column->type == COLUMN_REAL ? ENCODING_SPLIT
                                                                    : ENCODING_DELTA,
                                        ENCODING_DICTIONARY, ENCODING_PLAIN};
    if (column->type == COLUMN_BOOL || column->count == 0) return ENCODING_PLAIN;
    if (choice->uses > 0) {
        choice->uses--;
        return choice->encoding;
    }
    const size_t count = column->count < SAMPLE_VALUES ? column->count : SAMPLE_VALUES;
    const uint64_t *values = column->values + (column->count - count) / 2;
    size_t lowest = SIZE_MAX;
    enum encoding best = candidates[0];
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (!encode_sample(writer, candidates[i], values, count)) continue;
        const size_t cost = cost_of_sample(writer, writer->level);
        if (cost >= lowest) continue;
        lowest = cost;
        best = candidates[i];
    }
    *choice = (struct encoding_choice){best, CHOICE_USES, false};
    if (writer->level == LEVEL_FAST && encode_sample(writer, best, values, count))
        choice->is_quick = suits_quick(writer, column, rows, count, lowest);
    return best;
}

/* ---- chunks ---- */

static void put_dictionary(struct chunk_writer *writer, size_t entries, struct text *out,
                           struct column_chunk *chunk)
{
    chunk->has_dictionary = true;
    chunk->dictionary_offset = out->size;
    put_page(writer, PAGE_DICTIONARY, ENCODING_PLAIN, entries, out, chunk);
}

/* A text as PLAIN has it: its size and its bytes. */
static void put_text(struct text *out, struct spoor_slice text)
{
    const uint32_t size = (uint32_t)text.size;
    text_put(out, &size, sizeof size);
    text_put(out, text.bytes, text.size);
}

/* What the pages of a chunk have in common. */
struct plan {
    enum encoding encoding;
    const uint64_t *values; /* that the pages hold: numbers of entries, or the column's own */
    size_t entries;         /* of the dictionary */
    bool ranked;            /* TEXT: writer->ranking is filled */
};

static struct plan plan_texts(struct chunk_writer *writer, const struct column *column,
                              struct text *out, struct column_chunk *chunk)
{
    const struct words *words = &column->words;
    const size_t size = words->bytes.size + words->count * sizeof(uint32_t);
    struct plan plan = {ENCODING_PLAIN, column->values, words->count, rank_words(writer, words)};
    if (size > WORD_BYTES || words->count == 0) return plan;
    plan.encoding = ENCODING_DICTIONARY;
    writer->raw.size = 0;
    for (size_t i = 0; i < words->count; i++) put_text(&writer->raw, words_text(words, i));
    put_dictionary(writer, words->count, out, chunk);
    return plan;
}

static struct plan plan_numbers(struct chunk_writer *writer, const struct column *column,
                                struct text *out, struct column_chunk *chunk)
{
    struct plan plan = {choose(writer, column, chunk->rows, &chunk->choice), column->values, 0,
                        false};
    if (plan.encoding != ENCODING_DICTIONARY) return plan;
    writer->raw.size = 0;
    plan.entries = number_values(writer, column->values, column->count, &writer->raw);
    if (plan.entries > NUMBER_WORDS) {
        plan.encoding = column->type == COLUMN_REAL ? ENCODING_SPLIT : ENCODING_DELTA;
        chunk->choice.uses = 0;
        return plan;
    }
    plan.values = writer->numbers;
    put_dictionary(writer, plan.entries, out, chunk);
    return plan;
}

/* The rows from `row` on, of which `count` have a value, the first of them `first`. */
static void put_values(struct chunk_writer *writer, const struct column *column,
                       const struct plan *plan, size_t first, size_t count)
{
    const uint64_t *values = plan->values + first;
    struct text *raw = &writer->raw;
    if (plan->encoding == ENCODING_DICTIONARY)
        encode_numbers(raw, values, count, plan->entries);
    else if (column->type == COLUMN_BOOL)
        encode_bits(raw, values, count);
    else if (column->type == COLUMN_TEXT)
        for (size_t i = 0; i < count; i++)
            put_text(raw, words_text(&column->words, (size_t)values[i]));
    else
        encode(plan->encoding, raw, values, count);
}

static void limit_page(struct chunk_writer *writer, const struct column *column,
                       const struct plan *plan, size_t first, size_t count, struct limits *limits)
{
    const uint64_t *values = column->values + first;
    if (column->type == COLUMN_REAL)
        limit_reals(values, count, limits);
    else if (column->type != COLUMN_TEXT)
        limit_numbers(column, values, count, limits);
    else if (plan->ranked)
        limit_texts(&column->words, &writer->ranking, values, count, limits);
}

/* True if `left` comes before `right` in the order of the column. */
static bool is_before(const struct column *column, const char *left, size_t left_size,
                      const char *right, size_t right_size)
{
    uint64_t a, b;
    if (column->type == COLUMN_TEXT) {
        const size_t size = left_size < right_size ? left_size : right_size;
        const int order = memcmp(left, right, size);
        return order ? order < 0 : left_size < right_size;
    }
    if (column->type == COLUMN_REAL) {
        double one, other;
        memcpy(&one, left, sizeof one);
        memcpy(&other, right, sizeof other);
        return one < other;
    }
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return column->type == COLUMN_SIGNED ? (int64_t)a < (int64_t)b : a < b;
}

/* The limits of all pages together. */
static void limit_chunk(const struct column *column, const struct plan *plan,
                        struct column_chunk *chunk)
{
    struct limits *all = &chunk->limits;
    if (column->type == COLUMN_TEXT && !plan->ranked) return;
    for (size_t i = 0; i < chunk->page_count; i++) {
        const struct limits *page = &chunk->pages[i].limits;
        if (chunk->pages[i].all_null) continue;
        if (!page->stated) {
            all->stated = false;
            return;
        }
        if (!all->stated || is_before(column, page->low, page->low_size, all->low, all->low_size)) {
            all->low_size = page->low_size;
            memcpy(all->low, page->low, LIMIT_SIZE);
        }
        if (!all->stated ||
            is_before(column, all->high, all->high_size, page->high, page->high_size)) {
            all->high_size = page->high_size;
            memcpy(all->high, page->high, LIMIT_SIZE);
        }
        all->stated = true;
    }
}

/* The number of rows of a page that have a value. */
static size_t count_values(const struct column *column, size_t row, size_t rows, size_t all)
{
    if (rows == all) return column->count;
    if (column->count == all) return rows;
    return column->count ? columns_count_present(column->present + row, rows) : 0;
}

/* The definition levels of a page and how many are 1: of the column before, where they are the
 * same, as in columns of one kind of record. */
static const struct page_levels *levels_of(struct page_levels *levels, const struct column *column,
                                           size_t row, size_t rows, size_t all)
{
    const uint8_t *present = column->present + row;
    const bool mixed = column->count > 0 && column->count < all;
    const bool known = mixed && levels->present && levels->rows == rows;
    if (known && memcmp(levels->present, present, rows) == 0) return levels;
    levels->present = present;
    levels->rows = rows;
    levels->ones = count_values(column, row, rows, all);
    levels->bytes.size = 0;
    encode_levels(&levels->bytes, present, rows, levels->ones);
    return levels;
}

void chunk_writer_begin(struct chunk_writer *writer)
{
    for (size_t i = 0; i < GROUP_PAGES; i++) writer->levels[i].present = NULL;
}

/* The rows of a page: all, where parts of the chunk do not differ or have few values. */
static size_t rows_of_page(const struct column *column, size_t rows, const struct plan *plan)
{
    const bool constant = plan->encoding == ENCODING_DICTIONARY && plan->entries == 1;
    const bool whole = column->count <= FEW_VALUES || (constant && column->count == rows);
    return whole ? rows : PAGE_ROWS;
}

void chunk_put(struct chunk_writer *writer, const struct column *column, size_t rows,
               struct text *out, struct column_chunk *chunk)
{
    *chunk = (struct column_chunk){.choice = chunk->choice, .rows = rows};
    const struct plan plan = column->type == COLUMN_TEXT ? plan_texts(writer, column, out, chunk)
                                                         : plan_numbers(writer, column, out, chunk);
    const size_t page_rows = rows_of_page(column, rows, &plan);
    chunk->encoding = plan.encoding;
    chunk->data_offset = out->size;
    size_t first = 0;
    for (size_t row = 0; row < rows; row += page_rows) {
        const size_t left = rows - row, some = left < page_rows ? left : page_rows;
        const struct page_levels *levels =
            levels_of(&writer->levels[chunk->page_count], column, row, some, rows);
        struct page *page = &chunk->pages[chunk->page_count++];
        const size_t count = levels->ones;
        *page = (struct page){.offset = out->size,
                              .row = (uint32_t)row,
                              .nulls = (uint32_t)(some - count),
                              .all_null = count == 0};
        writer->raw.size = 0;
        if (column->field != SPOOR_FIELD_RECORD) /* every record has it */
            text_append(&writer->raw, &levels->bytes);
        put_values(writer, column, &plan, first, count);
        put_page(writer, PAGE_DATA, plan.encoding, some, out, chunk);
        limit_page(writer, column, &plan, first, count, &page->limits);
        page->size = (uint32_t)(out->size - page->offset);
        chunk->nulls += page->nulls;
        first += count;
    }
    limit_chunk(column, &plan, chunk);
    out->failed |= writer->failed || writer->sample.failed;
}

void column_chunk_move(struct column_chunk *chunk, uint64_t offset)
{
    chunk->data_offset += offset;
    if (chunk->has_dictionary) chunk->dictionary_offset += offset;
    for (size_t i = 0; i < chunk->page_count; i++) chunk->pages[i].offset += offset;
}
