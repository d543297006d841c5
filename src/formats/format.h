/* SPDX-License-Identifier: MIT */
/*
 * formats/format.h: the interface of a format.
 *
 * A format is one constant struct in one file, plus its name in formats.def.  It decodes
 * decompressed bytes, split at whole records by src/io, to records, and it formats records as
 * bytes.  Decoding a chunk needs no state from earlier chunks, so chunks decode in parallel; values
 * that do (absolute time, a time inherited from the previous line) are resolved afterwards, in
 * order.
 */
#ifndef SPOOR_FORMATS_FORMAT_H
#define SPOOR_FORMATS_FORMAT_H

#include "base/text.h"
#include "formats/probe.h"
#include "spoor/batch.h"
#include "spoor/format.h"
#include "spoor/reader.h"
#include "spoor/writer.h"
#include "views/packets.h"
#include "views/projection.h"

/* The tables that a decoder interns into.  Private to one thread. */
struct decoder {
    struct spoor_names *names;
    struct spoor_names *spellings;
    const struct spoor_decode_options *options; /* NULL: all zero */
    void **state; /* state of the format that lives as long as these tables: *kept is NULL at first,
                   * then a block that free() releases.  NULL: no state is kept */
    const struct spoor_format *format; /* that is decoded; format_decode() sets it */
};

/* State of the ordered stage from batch to batch; zero at the start of a trace. */
struct carry {
    uint64_t time;
    bool has_time;
    spoor_name cpu;
    uint64_t word[4]; /* the format's own */
    void *tables;     /* private to the format: released by its `forget`; kept across gaps */
};

/* A record without a time has that of the one before. */
static inline void carry_time(struct carry *carry, struct spoor_record *record)
{
    if (record->has & SPOOR_HAS_TIME)
        carry->time = record->time;
    else
        record->time = carry->time;
}

enum { ENCODER_NOTES = 6 };
/* The state of writing. */
struct encoder {
    const struct spoor_format *format;      /* that is written */
    const struct spoor_stream *last_stream; /* set by the format, for its caches of names and
                                             * spellings */
    struct spoor_writer_options options;
    uint64_t written;                              /* records written */
    uint64_t skipped;                              /* records that the format cannot represent */
    struct spoor_writer_note notes[ENCODER_NOTES]; /* that `end` adds */
    size_t note_count;
    uint64_t time;    /* absolute time of the last record written */
    uint64_t word[4]; /* the format's own */
    void *tables;     /* private to the format: released by its `front` */
    bool seam;  /* for `write`: its first record does not directly follow the last one written:
                 * another trace begins, or records between them were left out */
    bool whole; /* for `front`: all records of one trace were written, and no others */
    struct text late;    /* a container: lines "key=value" that became known while writing, */
    struct text history; /* and the next bytes of the index of the trace.  The
                          * writer's */
};

/* Adds a note of so many records; 0: none. */
static inline void encoder_note(struct encoder *encoder, const struct spoor_writer_note *note)
{
    if (note->records) encoder->notes[encoder->note_count++] = *note;
}

/* True if the records come from a trace of the format that is written. */
static inline bool encoder_writes_own(const struct encoder *encoder,
                                      const struct spoor_batch *batch)
{
    return batch->stream->format == encoder->format;
}

struct text_rules;

/* The executed instructions that a format omits by its nature. */
enum format_omits {
    FORMAT_OMITS_NOTHING,
    FORMAT_OMITS_SILENT, /* those that write no register */
    FORMAT_OMITS_ANY,    /* it holds samples, or branches */
};

/* A part of a container's file that can be decoded on its own, after what lies before all of them.
 */
struct container_segment {
    uint64_t offset, size; /* in the decompressed file: the first begins at 0 */
    uint64_t record, line; /* ordinal of its first record, and the number of its line, from 1 */
    uint64_t records;
};

/* A format whose files hold the records of another format, the content, in blocks. */
enum { CONTAINER_WHY = 192 };
enum container_content {
    CONTENT_KNOWN,
    CONTENT_DAMAGED,    /* what names its format; the rest may be whole */
    CONTENT_UNREADABLE, /* of another version, or of a format that this one does not know */
};
struct store; /* of .spoor files: formats/spoor/store.h */
struct container {
    /* The size of the next chunk of these bytes, which begin where the last one ended: it ends
     * before the block that begins the next one.  0: *needed bytes are needed to know.  `ended`: no
     * further bytes come. */
    size_t (*chunk)(const char *at, size_t size, bool ended, size_t *needed);
    /* The format of the content, by the first bytes of the file; NULL where there is no content, or
     * it is not known: `why` then says what was found and what was expected. */
    enum container_content (*content)(const struct spoor_head *head,
                                      const struct spoor_format **format, char why[CONTAINER_WHY]);
    /* The state that the decoders of one reader share: stream->container_state.  NULL if memory
     * runs out.  `file`: an uncompressed file, of which the end may be read, too; -1: none. */
    struct store *(*open)(const struct spoor_head *head, int file);
    /* Each chunk in the order of the file, before it is decoded. */
    void (*pass)(struct store *store, const char *bytes, size_t size, uint64_t offset);
    /* The next chunk begins at `offset` of an uncompressed file. */
    void (*enter)(struct store *store, int file, uint64_t offset);
    /* Only the records of this range, both ends included, are needed.  `decode` may leave out those
     * before and after: batch->first is then the number of those that it left out before the
     * batch's first record, batch->line that of their lines. */
    void (*limit)(struct store *store, uint64_t first, uint64_t last);
    /* Lines "key=value" about the trace. */
    const char *(*description)(const struct store *store);
    void (*close)(struct store *store);
    /* The last segment of an uncompressed file that begins at the record or before it, by the table
     * in the file; false if there is no such table. */
    bool (*locate)(int file, uint64_t record, struct container_segment *segment);
    /* Passes on the index of the trace that an uncompressed file has, part by part; false if one is
     * damaged or `put` returns false.  *end: offset of the end of the segments. */
    bool (*history)(int file, uint64_t *end, bool (*put)(void *context, const struct text *part),
                    void *context);
    /* Segment `number` of those that were written so far; false: there are not as many. */
    bool (*written)(const struct encoder *encoder, size_t number,
                    struct container_segment *segment);
    /* Appends the next bytes of the index of the trace, encoder->history, to the last segment that
     * was written, which grows, and empties them. */
    void (*keep_history)(struct encoder *encoder, struct text *out);
    /* No record follows: appends the last segment.  `end` comes afterwards. */
    void (*end_segments)(struct encoder *encoder, struct text *out);
};

/* The line of a container's description of itself: its records state security. */
#define SECURITY_LINE "security=stated"

/* What a probe returns if memory runs out. */
enum { PROBE_FAILED = -1 };

struct spoor_format {
    const char *name;      /* "byu12": the name for -f and -t */
    const char *title;     /* "BYU address trace v1.0/v1.1, 12-byte records" */
    const char *suffixes;  /* "tr;byu": a hint, never proof */
    const char *document;  /* the document that defines it */
    const char *time_unit; /* default unit of time, "" if the format has none */
    uint32_t record_size;  /* bytes of a record; 0: text, a record is a line */
    uint32_t header_size;  /* binary: bytes before the first record */
    /* Binary records of various lengths (record_size is 1): returns the size of the record at `at`,
     * or of the invalid bytes before the next record; 0: the record ends after the given bytes. */
    size_t (*length)(const struct spoor_stream *stream, const char *at, size_t size);
    /* Binary records of various lengths: returns the offset of the last record that is known
     * without the length of each, in bytes that begin with a record.  NULL: none is known. */
    size_t (*last_known)(const char *at, size_t size);
    /* An INSN record is the first instruction of a block of which the trace states no other:
     * returns how many the block of record `index` has at most; 0: it is not stated whether it has
     * more than one.  NULL: an INSN record is one instruction. */
    unsigned (*block_limit)(const struct spoor_batch *batch, size_t index);
    /* Its records are packets that, with the code of the program, lead along its instructions: then
     * these are read.  NULL: records are what happened. */
    const struct packet_decoder *packets;
    enum format_omits omits;
    bool console; /* see spoor_format_has_console() */
    /* Registers that are read, after an instruction, are a dump of those it begins with: what
     * differs from the dump before, the instruction before wrote. */
    bool dumps_registers;
    /* The value of an exception is what the trap says of itself (mtval), which may be the address
     * of its access, an opcode or 0; else it is the address of the interrupted instruction. */
    bool exceptions_have_tval;
    /* Each exception and interrupt is stated: where execution goes on elsewhere without one,
     * instructions are not in the trace. */
    bool exceptions_are_stated;
    /* Text: lines from one that begins with these bytes up to the next one belong together, so a
     * chunk ends before such a line where one is near.  NULL: a line stands for itself. */
    const char *block;
    const struct container *container; /* NULL: the file's records are the format's own */
    bool follows_code; /* its records depend on the code of programs in other files: no index of a
                        * trace is kept */
    bool table;        /* records as a table of their fields, which another program reads: nothing
                        * is lost but the spelling; in a folder, a file for each kind */
    bool unordered; /* records are not in the order of execution: see spoor_format_is_ordered() */
    bool multi_record; /* multi-record: a line, or binary record, may produce several records:
                        * SPOOR_CONTINUES */
    bool is_riscv;     /* its registers are RISC-V's, by number: of instructions of Arm, nothing is
                          written */
    bool own_only;     /* it requires what records do not have: only its own are written */
    bool one_access;   /* it states one access of an instruction, */
    bool one_result;   /* and at most one register: of further ones it is silent */
    bool no_flags;     /* it is written without the flags of Arm: it does not define their value */
    bool effects_need_insn; /* effects belong to an instruction: registers before the first one are
                             * stated in a dump, if at all */
    spoor_field_set fields[SPOOR_KINDS]; /* the fields of each kind, for reading and writing */
    const struct spoor_special_registers *special; /* NULL: registers have their usual names */
    uint32_t produces; /* reading produces these kinds (bit k: kind k) and NOTE; 0: all kinds with
                        * fields */

    /* What the functions of a family of formats need to know of this one: a shape, a syntax, a
     * dialect, a style.  They find it through `self`, the decoder or the encoder. */
    const void *variant;

    enum spoor_isa isa; /* of its opcodes, as it states; UNKNOWN: letters and opcodes decide */

    /* The score of these bytes for this format: 0 (no) to 100, or PROBE_FAILED.  95 and more: a
     * signature matches every record seen; 60: plausible.  NULL: the score of its lines. */
    int (*probe)(const struct spoor_format *self, const struct spoor_head *head);
    /* Text: how well a line matches; for probe_lines(). */
    enum line_fit (*fit)(const struct spoor_format *self, const char *line, size_t size);
    /* For bytes that no probe accepts: a description of what they resemble.  NULL: none. */
    bool (*resembles)(const struct spoor_head *head, char *text, size_t size);

    /* Turns batch->text into records: all of it, one record per line or per record_size bytes.
     * Text: see batch->continues and batch->unfinished for split lines.  Binary: if batch->last,
     * the text may end in a partial record, which becomes NOTE TRAILING with a fault.  At
     * batch->offset 0 the header comes first and becomes a NOTE HEADER.  NULL: `text` decodes. */
    void (*decode)(const struct decoder *decoder, struct spoor_batch *batch);

    /* The plain rules, in a format that uses formats/text/. */
    const struct text_rules *text;
    /* The state that the decoders of one reader share, stream->container_state, by the first bytes
     * of the trace; free() releases it.  NULL: none is needed. */
    void *(*share)(const struct spoor_format *self, const struct spoor_head *head);

    /* Decode batch->text to the projection, in batch->view, without records, but with their count
     * and their faults.  `projects` has a bit for each enum projection_kind that the format
     * supports.  If a batch cannot be decoded without the previous one, the function may decode
     * records as usual instead, and clear batch->projected. */
    uint32_t projects;
    void (*project)(const struct decoder *decoder, const struct projection *projection,
                    struct spoor_batch *batch);

    /* The dialect that a record with this spelling is written in; NULL: no particular one.  NULL if
     * the format has no dialects; else `dialects` are their names, NULL-terminated. */
    const char *(*dialect)(const void *spelling, size_t size);
    const char *const *dialects;
    /* True of a further dialect, which has parameters.  NULL: there are none. */
    bool (*takes_dialect)(const char *dialect);

    /* True if the producer of a record with this spelling prints effects before their instruction;
     * a trace of which opcodes do not show it is taken to be like most of its records.  Of formats
     * with `text`.  NULL: the effects of all traces come after their instruction. */
    bool (*effects_first)(const void *spelling, size_t size);

    /* With nothing appended, a physical address is Secure, in a trace that states security: see
     * spoor_stream.states_security. */
    bool secure_is_unmarked;

    /* Only instructions name their processor; what follows one belongs to it, too. */
    bool cpu_is_of_insn;

    /* In order, once per batch of records: resolve the values that depend on earlier records.  May
     * be NULL. */
    void (*resolve)(struct carry *carry, struct spoor_batch *batch);
    /* Of what is stored in an index, `resolve` changes only times, names of processors, operations
     * of accesses that are not an enum spoor_mem_op, and SPOOR_INSN_TAKEN to SPOOR_INSN_AGAIN: the
     * decoding threads may make the digests of an index. */
    bool resolves_little;
    /* Releases carry->tables.  NULL if there are none. */
    void (*forget)(struct carry *carry);
    /* Appends what has come into carry->tables since the last call; the second makes the tables
     * anew of the bytes of all calls up to a batch, so that a reader can begin there.  False,
     * SPOOR_ENOMEM: memory ran out; SPOOR_EINPUT: the bytes are others.  NULL: a trace with tables
     * is read from its beginning. */
    bool (*pack_tables)(struct carry *carry, struct text *bytes);
    enum spoor_status (*unpack_tables)(struct carry *carry, const void *bytes, size_t size);

    /* Before `begin`: reads what the caller asks of an encoder, encoder->options.encoder.  Not
     * SPOOR_OK: it cannot be done, and `end` is called next.  NULL: nothing can be asked. */
    enum spoor_status (*configure)(struct encoder *encoder, struct spoor_error *error);
    /* Appends records from .. to - 1 in the format itself, counting records that cannot be
     * represented in encoder->skipped.  begin and end may be NULL.  NULL write: the format is read
     * only. */
    void (*begin)(struct encoder *encoder, struct text *out);
    void (*write)(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out);
    void (*end)(struct encoder *encoder, struct text *out);
    /* Verbatim copy: for the format's own records, of one line each, `write` produces exactly the
     * lines that they were decoded from, and stores no state.  So the lines may be copied
     * instead. */
    bool verbatim_copy;
    /* The part of the file before all records whose content is known only after the last one
     * (counts, tables).  The writer keeps the records in an unnamed file until then.  Always
     * called, once; NULL: the format has no such part. */
    void (*front)(struct encoder *encoder, struct text *out);
    /* Appends records from .. to - 1 in the form that the reference tool prints.  NULL: as write.
     */
    void (*print)(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out);
};

/* The fields of a format that holds every field of every kind. */
#define FORMAT_ALL_FIELDS (((spoor_field_set)1 << (SPOOR_FIELDS - 1) << 1) - 1)
#define FORMAT_EVERY_FIELD                                                    \
    {                                                                         \
        [SPOOR_NOTE] = FORMAT_ALL_FIELDS, [SPOOR_UOP] = FORMAT_ALL_FIELDS,    \
        [SPOOR_INSN] = FORMAT_ALL_FIELDS, [SPOOR_FLOW] = FORMAT_ALL_FIELDS,   \
        [SPOOR_REG] = FORMAT_ALL_FIELDS, [SPOOR_MEM] = FORMAT_ALL_FIELDS,     \
        [SPOOR_BUS] = FORMAT_ALL_FIELDS, [SPOOR_CACHEOP] = FORMAT_ALL_FIELDS, \
        [SPOOR_CACHE] = FORMAT_ALL_FIELDS, [SPOOR_WALK] = FORMAT_ALL_FIELDS,  \
        [SPOOR_TLB] = FORMAT_ALL_FIELDS, [SPOOR_EVENT] = FORMAT_ALL_FIELDS    \
    }

/* The format that the bytes of a stream's file are in. */
static inline const struct spoor_format *stream_file_format(const struct spoor_stream *stream)
{
    return stream->container ? stream->container : stream->format;
}

/* The container that a file with these first bytes, at least 16, is; NULL: it is none. */
const struct spoor_format *format_container_of(const struct spoor_head *head);

/* What an index and a .spoor file name the format by: its name, and of a format that a description
 * defines also a hash of that, so that an edit leaves no stale answer.  (formats/describe) */
const char *format_identity(const struct spoor_format *format);
/* True if a description defines it. */
bool format_is_described(const struct spoor_format *format);
/* The text of the description that defines it; *size is 0 and the text empty for a format that none
 * defines. */
const char *format_description(const struct spoor_format *format, size_t *size);
/* The built-in format of this name; NULL: there is none. */
const struct spoor_format *format_builtin(const char *name);

/* The format of these bytes: the best of the ranking if it wins clearly.  Else the call fails with
 * a message that names the candidates and the option that chooses one (-f). */
enum spoor_status format_detect(const struct spoor_head *head, const char *path,
                                struct spoor_ranking *ranking, struct spoor_error *error);
/* Name of dialect `index` of the format, counted from 0; NULL past the end, and for a format
 * without dialects. */
const char *format_dialect(const struct spoor_format *format, size_t index);
/* The dialect that a record with this spelling is written in: one of those names, or NULL where all
 * dialects spell the record the same. */
const char *spelling_dialect(const struct spoor_stream *stream, spoor_name spelling);

/* Whether the records, of another format, are of instructions that the format does not hold:
 * decided once for a trace. */
enum format_suits { FORMAT_SUITS_UNKNOWN, FORMAT_SUITS, FORMAT_SUITS_NOT };
enum format_suits format_suits(const struct spoor_format *format, const struct spoor_batch *batch);

/* ---- decoding (formats/project.c) ---- */

/* True if the format supports such a projection. */
bool format_projects(const struct spoor_format *format, enum projection_kind kind);

/* Decodes the batch's text to records, or, with a projection that is not NULL, to that. */
void format_decode(const struct spoor_format *format, const struct decoder *decoder,
                   const struct projection *projection, struct spoor_batch *batch);

/* ---- some records at a time (formats/project.c) ---- */

/* A consumer of records that do not stay in the batch: it is called for every few records, consumes
 * all that are in the batch, and leaves none. */
struct record_sink {
    void (*consume)(struct record_sink *sink, struct spoor_batch *batch);
    size_t records, faults; /* of the batch, until now */
    struct stats *stats;    /* not NULL: only statistics are requested.  The decoder may count valid
                             * lines here and in `records`, and make no records of them */
};
/* For `consume`: the batch's records have been consumed; only their faults stay. */
void record_sink_empty(struct record_sink *sink, struct spoor_batch *batch);
/* After the last record: leave the batch its count. */
void record_sink_end(const struct record_sink *sink, struct spoor_batch *batch);
enum { CONSUMED_AT_ONCE = 256 /* records: 16 KiB */ };

/* A sink that counts the batch. */
struct stats_sink {
    struct record_sink sink;
    const struct decoder *decoder;
};
/* False if memory runs out. */
bool stats_sink_begin(struct stats_sink *sink, const struct decoder *decoder,
                      struct spoor_batch *batch);
void stats_sink_consume(struct record_sink *sink, struct spoor_batch *batch);

/* ---- shared by the text formats (formats/lines.c) ---- */

/* One line of a batch's text, without its line end. */
struct line {
    const char *begin, *end;
    uint16_t eol; /* 0 for LF, SPOOR_EOL_CRLF or SPOOR_EOL_NONE */
};
/* Advances to the next line: false at the end of the text.  Start with *at = batch->text. */
bool line_next(const struct spoor_batch *batch, const char **at, struct line *line);

/* The size of the byte order mark of UTF-8 that a text begins with, which some editors and shells
 * write; 0: none. */
size_t line_mark(const char *text, size_t size);
/* True if the line is a part of an over-long one (no rule applies to it). */
bool line_is_piece(const struct spoor_batch *batch, const struct line *line);
/* Pushes a NOTE for the line. */
struct spoor_record *line_note(struct spoor_batch *batch, const struct line *line,
                               enum spoor_note_op op);
/* Pushes a NOTE UNKNOWN with a fault: `column` points into the line (NULL: the whole). */
void line_fault(struct spoor_batch *batch, const struct line *line, const char *rule,
                const char *column, const char *expected);
/* Pushes a NOTE for a part of an over-long line: UNKNOWN with a fault for the first, then REST. */
void line_piece(struct spoor_batch *batch, const struct line *line);
/* Appends the line end that the record had. */
char *put_eol(char *at, const struct spoor_record *record);
/* If the record is verbatim (NOTE, or SPOOR_IS_VERBATIM), append its text with the line end and
 * return true. */
bool put_verbatim(const struct spoor_batch *batch, size_t index, struct text *out);

/* ---- shared by the binary formats ---- */

/* Pushes the NOTE TRAILING with its fault for the bytes after the last whole record, if any. */
void trailing_bytes(struct spoor_batch *batch, uint32_t record_size);

/* The position of the batch's first record in its text; at the start of a trace, pushes the NOTE
 * HEADER before it.  If the trace ends within the header, all of it is TRAILING with a fault. */
size_t header_bytes(struct spoor_batch *batch, uint32_t header_size);

/* Every spelling begins with the unit of time of its line, NUL-padded. */
#define SPELLING_UNIT_SIZE 8

#endif
