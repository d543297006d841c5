/* SPDX-License-Identifier: MIT */
/*
 * toy.h: shared by the tests of src/io: two small formats, files made of bytes, and the complete
 * output of a reader.
 */
#ifndef TESTS_INPUT_TOY_H
#define TESTS_INPUT_TOY_H

#include "base/inline.h"
#include "base/text.h"
#include "spoor/spoor.h"

/* Of many variants of an input, every how many-th is tried: each one, but fewer in sanitized code,
 * which is up to ten times as slow.  It is odd, because variants come in pairs. */
#ifdef __has_feature
#define IS_THREAD_SANITIZED __has_feature(thread_sanitizer)
#elif defined __SANITIZE_THREAD__
#define IS_THREAD_SANITIZED 1
#else
#define IS_THREAD_SANITIZED 0
#endif
#if IS_THREAD_SANITIZED
enum { TOY_STRIDE = 7 };
#elif defined IS_SANITIZED
enum { TOY_STRIDE = 3 };
#else
enum { TOY_STRIDE = 1 };
#endif
/* Of several numbers of threads, every how many-th is tried: the first alone by the thread
 * sanitizer. */
enum { TOY_THREADS_STRIDE = (TOY_STRIDE + 1) / 2 };

/* Lines of words: register name, annotation, spelling, cpu; the rest is ignored.  Lines of one word
 * are notes, parts of over-long lines are faults. */
extern const struct spoor_format toy_lines;
/* Records of six bytes, with the address in the first four. */
extern const struct spoor_format toy_records;

/* The output of a reader. */
struct reader_output {
    enum spoor_status opened, ended;
    struct spoor_error error;
    char compression[16];
    struct text bytes;   /* text of all batches */
    struct text batches; /* first, line, offset, count, flags of each batch, as words */
    struct text records; /* of all batches */
    struct text names;   /* of the stream, then its spellings, each after its size */
    uint64_t count, batch_count, fault_count, continues_count, unfinished_count, last_count;
    uint64_t last_line; /* line of the last batch */
    size_t longest;     /* bytes of the longest batch */
};
void toy_read(struct reader_output *reading, const char *path, const struct spoor_format *format,
              unsigned threads);
void toy_read_with(struct reader_output *reading, const char *path,
                   const struct spoor_reader_options *options);
void toy_free(struct reader_output *reading);
/* Fails the test unless both readings are equal in every byte. */
void toy_assert_same(const struct reader_output *a, const struct reader_output *b);
/* Fails the test unless the reading gave exactly these bytes. */
void toy_assert_bytes(const struct reader_output *reading, const void *bytes, size_t size);

/* Writes a file into a directory of this test; the path is valid until the next call. */
const char *toy_file(const char *name, const void *bytes, size_t size);
/* Reads the bytes of a file. */
void toy_load(const char *path, struct text *bytes);
/* Writes the bytes through spoor_output into a file; its suffix selects the compression. */
const char *toy_compressed(const char *name, const void *bytes, size_t size);
/* Removes the directory. */
void toy_clean(void);

/* Writes `lines` lines of the toy format with `names` different names. */
void toy_text(struct text *text, size_t lines, size_t names);

#endif
