/* SPDX-License-Identifier: MIT */
/* column_chunk.c: encodes and compresses the pages of a column. */
#include "columns/column_chunk.h"

#include <math.h>
#include <stdlib.h>

#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>
#endif

#include "columns/number_store.h"
#include "columns/thrift.h"
#include "query/value.h"

enum {
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
    SAMPLE_VALUES = 8192, /* of a column, to choose its encoding by */
    CHOICE_USES = 16,     /* row groups, until an encoding is chosen again */
    FEW_ENTRIES = 256,    /* of a dictionary that suits any column */
    RAW_BYTES = 64,       /* that cost as much as one compressed byte */
    LEVEL_QUICK = -1,     /* of zstd: a quarter faster than 1, without codes for literals */
    QUICK_BYTES = 20,     /* of which one more is worth that */
    LONG_MATCH = 7,       /* bytes of a match: fewer sequences, and pages no larger, */
    LONG_BYTES = 1 << 14, /* if they have so many, or are one of several */
    LEVEL_BYTES = 4,      /* of definition levels, of which it takes one more */
    FEW_VALUES = 4096,    /* of a chunk that are one page */
    ENTRY_USES = 4,       /* values that an entry of a dictionary of numbers stands for at least */
    WORD_BYTES = 1 << 20, /* maximum dictionary of texts */
};

bool chunk_writer_start(struct chunk_writer *writer, int level)
{
    *writer = (struct chunk_writer){.level = level};
    const bool has_dictionary = number_dictionary_start(&writer->dictionary, GROUP_ROWS);
#ifdef SPOOR_WITH_ZSTD
    writer->context = ZSTD_createCCtx();
    if (!writer->context) return false;
#endif
    return has_dictionary;
}

void chunk_writer_end(struct chunk_writer *writer)
{
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeCCtx(writer->context);
#endif
    number_dictionary_end(&writer->dictionary);
    for (size_t i = 0; i <= GROUP_PAGES; i++) text_free(&writer->levels[i].bytes);
    text_free(&writer->raw);
    text_free(&writer->packed);
    text_free(&writer->sample);
}

/* Replaces `packed` by the compressed bytes; `seeks_long`: level 1 passes over short matches. */
static void column_chunk_compress(struct chunk_writer *writer, int level, bool seeks_long,
                                  const struct text *raw, struct text *packed)
{
    packed->size = 0;
#ifdef SPOOR_WITH_ZSTD
    const size_t bound = ZSTD_compressBound(raw->size);
    char *at = text_reserve(packed, bound);
    if (!at) return;
    ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(writer->context, ZSTD_c_minMatch,
                           level == LEVEL_FAST && seeks_long ? LONG_MATCH : 0);
    const size_t size = ZSTD_compress2(writer->context, at, bound, raw->bytes, raw->size);
    packed->failed |= ZSTD_isError(size) != 0;
    if (!packed->failed) text_commit(packed, at + size);
#else
    (void)writer, (void)level, (void)seeks_long;
    text_put(packed, raw->bytes, raw->size);
#endif
}

/* ---- pages ---- */

/* A page: its header, and `raw` compressed. */
static void column_chunk_put_page(struct chunk_writer *writer, int type, enum encoding encoding,
                                  size_t values, struct text *out, struct column_chunk *chunk)
{
    const size_t before = out->size;
    const int level = chunk->choice.is_quick ? LEVEL_QUICK : writer->level;
    const bool is_long = values == PAGE_ROWS || writer->raw.size >= LONG_BYTES;
    column_chunk_compress(writer, level, is_long, &writer->raw, &writer->packed);
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

static void column_chunk_limit_numbers(const struct column *column,
                                       const struct number_range *range, struct limits *limits)
{
    limits->stated = true;
    limits->low_size = limits->high_size = column->type == COLUMN_BOOL ? 1 : sizeof range->low;
    memcpy(limits->low, &range->low, sizeof range->low);
    memcpy(limits->high, &range->high, sizeof range->high);
}

static void column_chunk_limit_page(const struct column *column, size_t first, size_t count,
                                    struct limits *limits)
{
    if (count == 0) return;
    if (column->type == COLUMN_TEXT) {
        /* All words of the group are on the page.  The low limit may be a beginning of the text;
         * the high one must not. */
        if (column->words.count == 0) return;
        struct spoor_slice least = words_text(&column->words, 0), greatest = least;
        for (size_t i = 1; i < column->words.count; i++) {
            const struct spoor_slice text = words_text(&column->words, i);
            if (value_compare_texts(text, least) < 0) least = text;
            if (value_compare_texts(text, greatest) > 0) greatest = text;
        }
        limits->stated = greatest.size <= LIMIT_SIZE;
        limits->low_size = least.size < LIMIT_SIZE ? least.size : LIMIT_SIZE;
        limits->high_size = greatest.size <= LIMIT_SIZE ? greatest.size : 0;
        memcpy(limits->low, least.bytes, limits->low_size);
        memcpy(limits->high, greatest.bytes, limits->high_size);
        return;
    }
    if (column->type == COLUMN_REAL) {
        /* Zeros of both signs are equal, and numbers that are none have no order. */
        double low = 0, high = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            double value;
            memcpy(&value, number_store_get(&column->store, first + i, 1, &bits), sizeof value);
            if (isnan(value)) return;
            if (i == 0 || value < low) low = value;
            if (i == 0 || value > high) high = value;
        }
        if (low == 0) low = -0.0;
        if (high == 0) high = 0.0;
        limits->stated = true;
        limits->low_size = limits->high_size = sizeof low;
        memcpy(limits->low, &low, sizeof low);
        memcpy(limits->high, &high, sizeof high);
        return;
    }
    const uint64_t inverted = column_inverted_bits(column);
    struct number_range range = column->range;
    uint64_t buffer[STORE_BLOCK];
    for (size_t i = 0, some; count < column->count && i < count; i += some) {
        const uint64_t *values =
            number_store_block(&column->store, first + i, count - i, buffer, &some);
        const struct number_range more = numbers_range(values, some, inverted);
        if (i == 0 || (more.low ^ inverted) < (range.low ^ inverted)) range.low = more.low;
        if (i == 0 || (more.high ^ inverted) > (range.high ^ inverted)) range.high = more.high;
    }
    column_chunk_limit_numbers(column, &range, limits);
}

/* ---- the choice of an encoding ---- */

static void column_chunk_encode(enum encoding encoding, struct text *out,
                                const struct number_store *store, size_t first, size_t count)
{
    if (encoding == ENCODING_DELTA)
        encode_delta(out, store, first, count);
    else if (encoding == ENCODING_SPLIT)
        encode_split(out, store, first, count);
    else
        encode_stored(out, store, first, count);
}

/* What the pages of a chunk have in common. */
struct plan {
    enum encoding encoding;
    size_t entries;     /* of the dictionary, */
    struct codes codes; /* and of its column */
};

/* The cost of `sample`: its size compressed, and a little for what has to be compressed. */
static size_t column_chunk_cost_of_sample(struct chunk_writer *writer, int level)
{
    column_chunk_compress(writer, level, writer->sample.size >= LONG_BYTES, &writer->sample,
                          &writer->packed);
    return writer->sample.failed || writer->packed.failed
               ? SIZE_MAX
               : writer->packed.size + writer->sample.size / RAW_BYTES;
}

/* The cost of `count` values from the middle of the column. */
static size_t column_chunk_cost_of_encoding(struct chunk_writer *writer,
                                            const struct column *column, size_t count,
                                            enum encoding encoding, int level)
{
    if (encoding == ENCODING_DICTIONARY) {
        /* The share of `count` values in the cost of a column with its dictionary.  Codes
         * repeat themselves at greater distances than in a sample. */
        const struct number_dictionary *dictionary = &writer->dictionary;
        writer->sample.size = 0;
        encode_plain(&writer->sample, dictionary->entries, dictionary->count);
        const size_t entries = column_chunk_cost_of_sample(writer, level);
        writer->sample.size = 0;
        encode_codes(&writer->sample, &dictionary->codes, column->count, dictionary->count);
        const size_t codes = column_chunk_cost_of_sample(writer, level);
        return entries < SIZE_MAX && codes < SIZE_MAX ? (entries + codes) * count / column->count
                                                      : SIZE_MAX;
    }
    writer->sample.size = 0;
    column_chunk_encode(encoding, &writer->sample, &column->store, (column->count - count) / 2,
                        count);
    return column_chunk_cost_of_sample(writer, level);
}

/* Chooses the encoding of numbers; `has_dictionary`: writer->dictionary is theirs. */
static struct encoding_choice column_chunk_choose(struct chunk_writer *writer,
                                                  const struct column *column, size_t rows,
                                                  bool has_dictionary)
{
    const enum encoding candidates[] = {column->type == COLUMN_REAL ? ENCODING_SPLIT
                                                                    : ENCODING_DELTA,
                                        ENCODING_PLAIN, ENCODING_DICTIONARY};
    const size_t some = column->count < SAMPLE_VALUES ? column->count : SAMPLE_VALUES;
    struct encoding_choice choice = {candidates[0], CHOICE_USES, false};
    size_t lowest = SIZE_MAX;
    for (size_t i = 0; i < 2 + (size_t)has_dictionary; i++) {
        const size_t cost =
            column_chunk_cost_of_encoding(writer, column, some, candidates[i], writer->level);
        if (cost >= lowest) continue;
        lowest = cost;
        choice.encoding = candidates[i];
    }
    if (writer->level != LEVEL_FAST) return choice;
    const size_t levels = column->count < rows ? rows * some / column->count / 8 : 0;
    const size_t quick =
        column_chunk_cost_of_encoding(writer, column, some, choice.encoding, LEVEL_QUICK);
    choice.is_quick =
        quick < SIZE_MAX && quick + levels / LEVEL_BYTES <= lowest + lowest / QUICK_BYTES;
    return choice;
}

/* ---- chunks ---- */

static void column_chunk_put_dictionary(struct chunk_writer *writer, size_t entries,
                                        struct text *out, struct column_chunk *chunk)
{
    chunk->has_dictionary = true;
    chunk->dictionary_offset = out->size;
    column_chunk_put_page(writer, PAGE_DICTIONARY, ENCODING_PLAIN, entries, out, chunk);
}

/* A text as PLAIN has it: its size and its bytes. */
static void column_chunk_put_text(struct text *out, struct spoor_slice text)
{
    const uint32_t size = (uint32_t)text.size;
    text_put(out, &size, sizeof size);
    text_put(out, text.bytes, text.size);
}

static struct plan column_chunk_plan_texts(struct chunk_writer *writer, const struct column *column,
                                           struct text *out, struct column_chunk *chunk)
{
    const struct words *words = &column->words;
    const struct number_store *store = &column->store; /* its base is 0: words begin there */
    const size_t size = words->bytes.size + words->count * sizeof(uint32_t);
    struct plan plan = {.encoding = ENCODING_PLAIN, .entries = words->count};
    if (size > WORD_BYTES || words->count == 0 || words->count > DICTIONARY_ENTRIES) return plan;
    plan.encoding = ENCODING_DICTIONARY;
    plan.codes = (struct codes){store->bytes, store->width};
    if (store->width > sizeof(uint16_t)) { /* the words are few enough for two bytes */
        writer->numbers = NULL;
        plan.codes = (struct codes){writer->dictionary.memory, sizeof(uint16_t)};
        numbers_to_codes(store->bytes, column->count, store->width, 0, writer->dictionary.memory,
                         sizeof(uint16_t));
    }
    writer->raw.size = 0;
    for (size_t i = 0; i < words->count; i++)
        column_chunk_put_text(&writer->raw, words_text(words, i));
    column_chunk_put_dictionary(writer, words->count, out, chunk);
    return plan;
}

static struct plan column_chunk_plan_numbers(struct chunk_writer *writer,
                                             const struct column *column, struct text *out,
                                             struct column_chunk *chunk)
{
    struct encoding_choice *choice = &chunk->choice;
    const struct number_dictionary *dictionary = &writer->dictionary;
    struct plan plan = {.encoding = ENCODING_PLAIN};
    if (column->type == COLUMN_BOOL || column->count == 0) return plan;
    writer->numbers = NULL;
    /* True if the column is to have a dictionary, which is filled: it was chosen, or nothing was.
     */
    const size_t share = column->count / ENTRY_USES + 1;
    const size_t maximum = share < DICTIONARY_ENTRIES ? share : DICTIONARY_ENTRIES;
    const bool filled = (choice->uses == 0 || choice->encoding == ENCODING_DICTIONARY) &&
                        number_dictionary_fill(&writer->dictionary, &column->store, column->count,
                                               &column->range, maximum);
    if (choice->encoding == ENCODING_DICTIONARY && !filled) choice->uses = 0;
    if (choice->uses > 0)
        choice->uses--;
    else if (filled && dictionary->count <= FEW_ENTRIES)
        *choice = (struct encoding_choice){.encoding = ENCODING_DICTIONARY};
    else
        *choice = column_chunk_choose(writer, column, chunk->rows, filled);
    plan.encoding = choice->encoding;
    if (plan.encoding != ENCODING_DICTIONARY) return plan;
    plan.entries = dictionary->count;
    plan.codes = dictionary->codes;
    writer->numbers = column;
    writer->raw.size = 0;
    encode_plain(&writer->raw, dictionary->entries, dictionary->count);
    column_chunk_put_dictionary(writer, plan.entries, out, chunk);
    return plan;
}

/* `count` values from `first` on. */
static void column_chunk_put_values(struct chunk_writer *writer, const struct column *column,
                                    const struct plan *plan, size_t first, size_t count)
{
    const struct codes codes = codes_from(&plan->codes, first);
    if (plan->encoding == ENCODING_DICTIONARY)
        encode_codes(&writer->raw, &codes, count, plan->entries);
    else if (column->type == COLUMN_BOOL)
        encode_bits(&writer->raw, &column->store, first, count);
    else if (column->type == COLUMN_TEXT) {
        uint64_t buffer[STORE_BLOCK];
        for (size_t i = 0, some; i < count; i += some) {
            const uint64_t *words =
                number_store_block(&column->store, first + i, count - i, buffer, &some);
            for (size_t k = 0; k < some; k++)
                column_chunk_put_text(&writer->raw, words_text(&column->words, words[k]));
        }
    } else
        column_chunk_encode(plan->encoding, &writer->raw, &column->store, first, count);
}

/* The definition levels of a page and how many are 1: of the column before, where they are the
 * same, as in columns of one kind of record. */
static const struct page_levels *column_chunk_levels(struct page_levels *levels,
                                                     const struct column *column, size_t row,
                                                     size_t rows, size_t all)
{
    const bool mixed = column->count > 0 && column->count < all;
    const uint8_t *present = mixed ? column_presence(column) + row : NULL;
    const bool known = mixed && levels->present && levels->rows == rows;
    if (known && (levels->present == present || memcmp(levels->present, present, rows) == 0))
        return levels;
    levels->present = present;
    levels->rows = rows;
    /* The number of rows of a page that have a value. */
    if (rows == all)
        levels->ones = column->count;
    else if (column->count == all)
        levels->ones = rows;
    else
        levels->ones =
            column->count ? columns_count_present(column_presence(column) + row, rows) : 0;
    levels->bytes.size = 0;
    encode_levels(&levels->bytes, present, rows, levels->ones);
    return levels;
}

void chunk_put(struct chunk_writer *writer, const struct column *column, size_t rows,
               struct text *out, struct column_chunk *chunk)
{
    *chunk = (struct column_chunk){.choice = chunk->choice, .rows = rows};
    const struct plan plan = column->type == COLUMN_TEXT
                                 ? column_chunk_plan_texts(writer, column, out, chunk)
                                 : column_chunk_plan_numbers(writer, column, out, chunk);
    /* The rows of a page: few in columns that ascend with the rows, so that their limits say where
     * to read; all in others, whose limits would hardly differ, and where zstd finds repetitions.
     */
    const bool ascends = column->field == SPOOR_FIELD_RECORD || column->field == SPOOR_FIELD_LINE ||
                         column->field == SPOOR_FIELD_TIME;
    const size_t page_rows = ascends && column->count > FEW_VALUES ? PAGE_ROWS : rows;
    chunk->encoding = plan.encoding;
    chunk->data_offset = out->size;
    size_t first = 0;
    for (size_t row = 0; row < rows; row += page_rows) {
        const size_t left = rows - row, some = left < page_rows ? left : page_rows;
        const struct page_levels *levels =
            column_chunk_levels(&writer->levels[some == rows ? GROUP_PAGES : chunk->page_count],
                                column, row, some, rows);
        struct page *page = &chunk->pages[chunk->page_count++];
        const uint64_t raw_before = chunk->raw_size;
        const size_t count = levels->ones;
        *page = (struct page){.offset = out->size,
                              .row = (uint32_t)row,
                              .nulls = (uint32_t)(some - count),
                              .all_null = count == 0};
        writer->raw.size = 0;
        if (column->field != SPOOR_FIELD_RECORD) /* every record has it */
            text_append(&writer->raw, &levels->bytes);
        column_chunk_put_values(writer, column, &plan, first, count);
        column_chunk_put_page(writer, PAGE_DATA, plan.encoding, some, out, chunk);
        column_chunk_limit_page(column, first, count, &page->limits);
        page->size = (uint32_t)(out->size - page->offset);
        page->raw_size = (uint32_t)(chunk->raw_size - raw_before);
        chunk->nulls += page->nulls;
        first += count;
    }
    if (chunk->page_count > 1)
        column_chunk_limit_numbers(column, &column->range, &chunk->limits);
    else if (chunk->page_count == 1)
        chunk->limits = chunk->pages[0].limits;
    out->failed |= writer->sample.failed;
}

void chunk_put_after(struct chunk_writer *writer, const struct column *leader,
                     const struct column_chunk *leader_chunk, const struct text *leader_bytes,
                     const struct column *column, size_t rows, struct text *out,
                     struct column_chunk *chunk)
{
    struct limits limits = {0};
    const size_t entries = writer->dictionary.count, size = entries * sizeof(uint64_t);
    bool follows = leader_chunk->page_count == 1 && writer->numbers == leader &&
                   column->count == leader->count;
    if (follows && column->count < rows) {
        const uint8_t *present = column_presence(column), *of_leader = column_presence(leader);
        follows = present == of_leader || memcmp(present, of_leader, rows) == 0;
    }
    if (follows) {
        /* The entries that the column has for its leader's codes. */
        writer->raw.size = 0;
        void *values = text_reserve(&writer->raw, size);
        follows = values && number_dictionary_follow(&writer->dictionary, &column->store,
                                                     column->count, values);
        if (follows) text_commit(&writer->raw, (char *)values + size);
    }
    if (!follows) {
        chunk_put(writer, column, rows, out, chunk);
        return;
    }
    if (column->count > 0) column_chunk_limit_numbers(column, &column->range, &limits);
    *chunk = (struct column_chunk){.choice = chunk->choice,
                                   .rows = rows,
                                   .encoding = ENCODING_DICTIONARY,
                                   .nulls = leader_chunk->nulls,
                                   .limits = limits,
                                   .page_count = 1};
    column_chunk_put_dictionary(writer, entries, out, chunk);
    struct page *page = &chunk->pages[0];
    *page = leader_chunk->pages[0];
    page->limits = limits;
    page->offset = chunk->data_offset = out->size;
    text_put(out, leader_bytes->bytes + leader_chunk->data_offset, page->size);
    chunk->size += page->size;
    chunk->raw_size += page->raw_size;
}
