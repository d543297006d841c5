/* SPDX-License-Identifier: MIT */
/*
 * reader.c: open a trace, detect its format, return batches in order.
 *
 * Everything that depends on the order of records is done here, in the caller's thread: ordinals,
 * line numbers, and values that the format resolves from batch to batch.
 */
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/portable.h"
#include "base/read_at.h"
#include "formats/format.h"
#include "formats/text/text.h"
#include "io/thread_directory.h"
#include "io/waveform.h"
#include "isa/register.h"
#include "model/batch_own.h"
#include "model/error.h"
#include "model/names.h"
#include "model/options.h"
#include "silicon/perf_data.h"
#include "silicon/snapshot.h"
#include "views/effect_order.h"
#include "views/expand.h"
#include "views/stats.h"

enum { CONTAINER_PROBE = 64 /* bytes */ };

/* The first bytes of the file, although reading may begin elsewhere. */
static enum spoor_status reader_file_head(struct spoor_reader *reader, char *bytes,
                                          struct spoor_head *head, struct spoor_error *error)
{
    struct cutter *cutter = &reader->cutter;
    if (cutter->offset == 0) return cutter_head(cutter, head, error);
    const bool readable = !cutter->bytes.compression && !cutter->bytes.source.waits;
    const size_t size = readable ? source_read_at(&cutter->bytes.source, 0, bytes, CHUNK_HEAD) : 0;
    *head = (struct spoor_head){(const uint8_t *)bytes, size, false};
    return SPOOR_OK;
}

const struct spoor_format *reader_container_in(int file)
{
    uint8_t bytes[CONTAINER_PROBE];
    const struct spoor_head head = {bytes, read_at(file, 0, bytes, sizeof bytes), false};
    return errno ? NULL : format_container_of(&head);
}

bool spoor_reader_is_directory(const char *path)
{
    return thread_directory_is(&bytes_calls, path) || snapshot_is_folder(path) ||
           perf_data_is_folder(path);
}

enum spoor_status spoor_reader_container(const char *path, const struct spoor_format **container,
                                         struct spoor_error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    *container = file >= 0 ? reader_container_in(file) : NULL;
    const int why = *container ? 0 : errno;
    if (file >= 0) close(file);
    errno = why;
    return why ? spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path) : SPOOR_OK;
}

int reader_plain_file(const struct spoor_reader *reader)
{
    const struct bytes *bytes = &reader->cutter.bytes;
    const bool plain = !bytes->compression && !bytes->source.waits && !bytes->source.follow.on;
    return plain ? bytes->source.file : -1;
}

/* The file is a container: learn the format of its content, and make what its decoders share.
 * `named`: the format that the caller named, which stands for one that is damaged; may be NULL. */
static enum spoor_status reader_open_container(struct spoor_reader *reader,
                                               const struct spoor_format *named,
                                               struct spoor_error *error)
{
    const struct spoor_format *file = reader->stream.format, *content = NULL;
    enum container_content found = CONTENT_KNOWN;
    char why[CONTAINER_WHY], *bytes = malloc(CHUNK_HEAD);
    struct spoor_head head = {0};
    if (!bytes) return error_no_memory_while(error, reader->path, "reading");
    enum spoor_status status = reader_file_head(reader, bytes, &head, error);
    if (status == SPOOR_OK) found = file->container->content(&head, &content, why);
    if (found == CONTENT_DAMAGED && named && !named->container)
        content = named;
    else if (found != CONTENT_KNOWN)
        status = spoor_error_set(error, SPOOR_EINPUT, "%s: %s", reader->path, why);
    void *state =
        status == SPOOR_OK ? file->container->open(&head, reader_plain_file(reader)) : NULL;
    free(bytes);
    if (status != SPOOR_OK) return status;
    if (!state) return error_no_memory_while(error, reader->path, "reading");
    if (content) spoor_stream_set_format(&reader->stream, content);
    reader->stream.record_size = 0; /* records of the content have no offsets */
    reader->stream.length = NULL;
    reader->stream.container = file;
    reader->stream.container_state = state;
    return SPOOR_OK;
}

void reader_set_cutter(struct spoor_reader *reader)
{
    const struct spoor_format *format = stream_file_format(&reader->stream);
    reader->cutter.stream = &reader->stream;
    reader->cutter.record_size = format->record_size;
    reader->cutter.header_size = format->header_size;
    reader->cutter.length = format->length;
    reader->cutter.last_known = format->last_known;
    reader->cutter.block = format->block;
    reader->cutter.container = format->container;
}

static enum spoor_status reader_find_format(struct spoor_reader *reader,
                                            const struct spoor_reader_options *options,
                                            struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (options->format) {
        spoor_stream_set_format(&reader->stream, options->format);
    } else { /* by content; for a followed trace, when there are enough bytes */
        struct spoor_head head;
        do {
            status = cutter_head(&reader->cutter, &head, error);
            if (status != SPOOR_OK) return status;
            status = format_detect(&head, reader->path, &reader->ranking, error);
        } while (status != SPOOR_OK && !cutter_head_is_full(&reader->cutter));
        if (status != SPOOR_OK) return status;
        spoor_stream_set_format(&reader->stream, reader->ranking.best.format);
    }
    const bool waits = options->follow || reader->cutter.bytes.source.waits;
    if (options->format && !options->format->container && !waits) {
        /* The caller named a format: a container is read, too, unless its content is known to be of
         * another format. */
        char why[CONTAINER_WHY], *bytes = malloc(CHUNK_HEAD);
        struct spoor_head head = {0};
        if (!bytes) return error_no_memory_while(error, reader->path, "reading");
        /* A trace without a readable byte is no container; reading it reports why. */
        const enum spoor_status read = reader_file_head(reader, bytes, &head, error);
        for (size_t i = 0; read == SPOOR_OK && i < spoor_format_count(); i++) {
            const struct spoor_format *other = spoor_format_at(i), *content;
            if (!other->container || spoor_format_probe(other, &head) == 0) continue;
            if (other->container->content(&head, &content, why) != CONTENT_KNOWN ||
                content == reader->stream.format)
                spoor_stream_set_format(&reader->stream, other);
        }
        free(bytes);
        if (read == SPOOR_ENOMEM) return read;
    }
    if (status == SPOOR_OK && reader->stream.format->container)
        status = reader_open_container(reader, options->format, error);
    if (status != SPOOR_OK) return status;
    reader_set_cutter(reader);
    cutter_enter(&reader->cutter);
    const struct spoor_format *format = reader->stream.format;
    if (reader->stream.isa == SPOOR_ISA_UNKNOWN) reader->stream.isa = format->isa;
    if (reader->samples && (format->length || reader->stream.container))
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "%s: records of %s have various lengths, and nothing marks where one "
            "begins: read all of it",
            reader->path, format->name);
    if (!spoor_format_reads(format))
        return spoor_error_set(error, SPOOR_EUSAGE, "%s: the format %s can be written but not read",
                               reader->path, format->name);
    /* The selected dialect must be one of the format's. */
    const char *wanted = reader->options.dialect, *name;
    char names[200] = "";
    size_t used = 0;
    if (!wanted || (format->takes_dialect && format->takes_dialect(wanted))) return SPOOR_OK;
    for (size_t i = 0; (name = format_dialect(format, i)) && used < sizeof names; i++) {
        if (strcmp(name, wanted) == 0) return SPOOR_OK;
        const int more = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", name);
        if (more > 0) used += (size_t)more;
    }
    return spoor_error_set(error, SPOOR_EUSAGE, "%s: %s has no dialect '%s': found %s",
                           reader->path, format->name, wanted, used ? names : "none");
}

/* ---- the order of effects ---- */

/* Decodes the whole lines of the trace's first bytes to an empty batch.  Reading the trace finds
 * the same names. */
static bool reader_decode_head(struct spoor_reader *reader, const struct spoor_head *head,
                               struct spoor_batch *batch)
{
    const struct decoder decoder = {.names = reader->stream.names,
                                    .spellings = reader->stream.spellings,
                                    .options = &reader->options};
    const uint8_t *end = bytes_last(head->bytes, '\n', head->size);
    batch->text_size = end ? (size_t)(end + 1 - head->bytes) : head->size;
    batch->text = calloc(1, batch->text_size + CHUNK_PADDING);
    if (!batch->text) return false;
    memcpy(batch->text, head->bytes, batch->text_size);
    text_decode(reader->stream.format->text, &decoder, batch, NULL);
    return !batch->out_of_memory;
}

/* True if a .spoor file has this line in its description of itself. */
static bool reader_describes(const struct spoor_reader *reader, const char *line)
{
    const char *at = spoor_reader_description(reader);
    const size_t size = strlen(line);
    for (; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, line, size) == 0 && (at[size] == '\n' || at[size] == '\0')) return true;
    return false;
}

/* Most traces show in the first bytes whether effects come before their instruction: by their
 * opcodes, which `votes` counts, or by their usual producer. */
static enum spoor_status reader_find_order(struct spoor_reader *reader, struct spoor_error *error)
{
    enum { FIRST_BYTES = 8 << 10, MORE = 4, ENOUGH = 4 };
    enum { SURE = 4 /* times as many instructions as the others */ };
    const enum spoor_effects effects = reader->options.effects;
    const bool detects = effects == SPOOR_EFFECTS_DETECT || effects == SPOOR_EFFECTS_AS_WRITTEN;
    enum spoor_status status = SPOOR_OK;
    bool first = effects == SPOOR_EFFECTS_FIRST;
    if (detects && reader->stream.container)
        first = reader_describes(reader, SPOOR_EFFECTS_FIRST_LINE);
    if (detects && !reader->stream.container && reader->stream.format->effects_first) {
        const struct text *pending = &reader->cutter.pending; /* where the format was detected */
        struct spoor_head head = {(const uint8_t *)pending->bytes, pending->size, false};
        char *bytes = pending->size ? NULL : malloc(CHUNK_HEAD);
        if (!pending->size && !bytes) return error_no_memory_while(error, reader->path, "reading");
        if (bytes) status = reader_file_head(reader, bytes, &head, error);
        struct spoor_head some = head;
        bool good = true, done = status != SPOOR_OK;
        for (size_t size = FIRST_BYTES; good && !done; size *= MORE) {
            struct effect_votes votes = {0};
            struct spoor_batch batch = {.stream = &reader->stream};
            some.size = size < head.size ? size : head.size;
            good = reader_decode_head(reader, &some, &batch) && effect_order_count(&batch, &votes);
            /* Whether most of the records are of a producer that prints effects first. */
            size_t usual = 0, all = 0;
            for (size_t i = 0; good && i < batch.count; i++) {
                size_t length;
                const spoor_name name = batch.records[i].spelling;
                const char *spelling = spoor_names_text(reader->stream.spellings, name, &length);
                usual += reader->stream.format->effects_first(spelling, length);
                all += spelling_dialect(&reader->stream, name) != NULL;
            }
            first = good && (votes.before > SURE * votes.after ||
                             (votes.after <= SURE * votes.before && usual * 2 > all));
            spoor_batch_free(&batch);
            done = some.size == head.size || votes.before + votes.after >= ENOUGH;
        }
        free(bytes);
        if (!good) return error_no_memory_while(error, reader->path, "reading");
    }
    if (status > SPOOR_OK) return status;
    /* After an error reading the trace reports why. */
    reader->stream.effects_first = first;
    if (!first || effects == SPOOR_EFFECTS_AS_WRITTEN) return SPOOR_OK;
    reader->order = effect_order_new();
    return reader->order ? SPOOR_OK : error_no_memory_while(error, reader->path, "reading");
}

/* ---- security states ---- */

/* The first bytes of a trace show whether it states security: what one record means must not depend
 * on how far the trace was read. */
static enum spoor_status reader_find_security(struct spoor_reader *reader,
                                              struct spoor_error *error)
{
    enum { FIRST_BYTES = 8 << 10, MORE = 8 };
    static const enum spoor_field fields[] = {SPOOR_FIELD_SECURITY, SPOOR_FIELD_TARGET_SECURITY,
                                              SPOOR_FIELD_REGIME_SECURITY};
    struct spoor_stream *stream = &reader->stream;
    if (stream->container) stream->states_security = reader_describes(reader, SECURITY_LINE);
    if (stream->container || !stream->format->secure_is_unmarked) return SPOOR_OK;
    struct spoor_head head = {0};
    char *bytes = malloc(CHUNK_HEAD);
    if (!bytes) return error_no_memory_while(error, reader->path, "reading");
    enum spoor_status status = reader_file_head(reader, bytes, &head, error);
    struct spoor_head some = head;
    bool good = true, done = status != SPOOR_OK;
    for (size_t size = FIRST_BYTES; good && !done; size *= MORE) {
        struct spoor_batch batch = {.stream = stream};
        some.size = size < head.size ? size : head.size;
        good = reader_decode_head(reader, &some, &batch);
        /* A record names the security of an address, or is in a mode that is Secure. */
        for (size_t i = 0; good && i < batch.count && !stream->states_security; i++) {
            const struct spoor_value mode = spoor_field_get(&batch, i, SPOOR_FIELD_MODE);
            stream->states_security = mode.type == SPOOR_VALUE_TEXT && mode.text.size > 2 &&
                                      memcmp(mode.text.bytes + mode.text.size - 2, "_s", 2) == 0;
            for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
                if (spoor_field_get(&batch, i, fields[k]).type != SPOOR_VALUE_ABSENT)
                    stream->states_security = true;
        }
        done = stream->states_security || some.size == head.size;
        spoor_batch_free(&batch);
    }
    free(bytes);
    if (!good) return error_no_memory_while(error, reader->path, "reading");
    return status < SPOOR_OK ? SPOOR_OK : status; /* reading the trace reports why */
}

static enum spoor_status reader_start(struct spoor_reader *reader,
                                      const struct spoor_reader_options *options,
                                      struct spoor_error *error)
{
    reader->stream.path = reader->path;
    reader->stream.locator = options->locator;
    reader->stream.names = spoor_names_new();
    reader->stream.spellings = spoor_names_new();
    reader->batch.stream = &reader->stream;
    reader->line = 1;
    reader->options = options->decode;
    reader->stream.isa = options->decode.isa;
    if (!reader->stream.names || !reader->stream.spellings)
        return error_no_memory_while(error, reader->path, "reading");
    reader->threads = options->threads;
    reader->samples = options->samples > 0;
    enum spoor_status status = reader_find_format(reader, options, error);
    const struct spoor_format *format = reader->stream.format;
    if (status == SPOOR_OK && format->share && !reader->stream.container) {
        /* Opens what the format must know of the first bytes before it decodes others, as the order
         * of the columns of a table. */
        struct spoor_head head = {0};
        struct cutter other = {0};
        char *bytes = malloc(CHUNK_HEAD);
        if (!bytes) return error_no_memory_while(error, reader->path, "reading");
        status = reader_file_head(reader, bytes, &head, error);
        const bool entered = status == SPOOR_OK && reader->cutter.offset && !head.size;
        if (entered) { /* compressed: its beginning is read apart */
            status = cutter_open(&other, reader->path, options, error);
            if (status == SPOOR_OK) status = cutter_head(&other, &head, error);
        }
        if (status >= SPOOR_OK) reader->stream.container_state = format->share(format, &head);
        if (entered) cutter_close(&other);
        free(bytes);
        if (status > SPOOR_OK) status = SPOOR_OK;
    }
    if (status == SPOOR_OK) status = reader_find_order(reader, error);
    if (status == SPOOR_OK) status = reader_find_security(reader, error);
    if (status != SPOOR_OK || !options->program) return status;
    /* Records will be filled in from the code of a program; but not a trace of accesses that state
     * their instructions, as of pinatrace, and of nothing else. */
    struct spoor_stream *stream = &reader->stream;
    const uint32_t stating = 1U << SPOOR_FLOW | 1U << SPOOR_INSN | 1U << SPOOR_UOP;
    const spoor_field_set of_access = stream->format->fields[SPOOR_MEM];
    if (!(stream->kinds & stating) && (of_access & SPOOR_FIELD_BIT(PC)))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: %s states the accesses to memory and no branches: the way from "
                               "one access to the next is not known where a conditional branch "
                               "lies between them, so no instructions are taken from an image",
                               reader->path, stream->format->name);
    reader->expander =
        expander_new(options->program, stream->format->block_limit, stream->format->packets);
    if (!reader->expander) return error_no_memory_while(error, reader->path, "reading");
    if (stream->isa == SPOOR_ISA_UNKNOWN) stream->isa = options->program->isa;
    if (stream->kinds & (1U << SPOOR_FLOW | 1U << SPOOR_MEM)) stream->kinds |= 1U << SPOOR_INSN;
    if (stream->format->packets) stream->kinds |= 1U << SPOOR_INSN | 1U << SPOOR_FLOW;
    return SPOOR_OK;
}

static void reader_release(struct spoor_reader *reader)
{
    spoor_references_free(&reader->references);
    spoor_branches_free(&reader->branches);
    if (reader->carry.tables) reader->stream.format->forget(&reader->carry);
    if (reader->stream.container && reader->stream.container_state)
        reader->stream.container->container->close(reader->stream.container_state);
    else
        free(reader->stream.container_state);
    free(reader->state);
    effect_order_free(reader->order);
    expander_free(reader->expander);
    spoor_batch_free(&reader->batch);
    gzip_trailers_free(&reader->trailers);
    spoor_names_free(reader->stream.names);
    spoor_names_free(reader->stream.spellings);
    free(reader->path);
    free(reader);
}

/* `entry` NULL: at the beginning. */
static enum spoor_status reader_open(struct spoor_reader **reader, const char *path,
                                     const struct spoor_reader_options *options,
                                     const struct reader_entry *entry, struct spoor_error *error)
{
    struct spoor_reader *opened = calloc(1, sizeof *opened);
    if (!opened) return error_no_memory_while(error, path, "reading");
    opened->path = strdup(path);
    opened->memory = options->memory;
    enum spoor_status status;
    if (!opened->path)
        status = error_no_memory_while(error, path, "reading");
    else if (entry)
        status = cutter_open_at(&opened->cutter, opened->path, options, entry->checkpoint,
                                entry->offset, error);
    else
        status = cutter_open(&opened->cutter, opened->path, options, error);
    if (status != SPOOR_OK) {
        reader_release(opened);
        return status;
    }
    status = reader_start(opened, options, error);
    if (status == SPOOR_OK)
        *reader = opened;
    else
        spoor_reader_close(opened);
    return status;
}

enum spoor_status spoor_reader_open(struct spoor_reader **reader, const char *path,
                                    const struct spoor_reader_options *options,
                                    struct spoor_error *error)
{
    struct spoor_reader_options own;
    struct spoor_error unused = {0};
    if (!error) error = &unused;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    return status == SPOOR_OK ? reader_open(reader, path, &own, NULL, error) : status;
}

enum spoor_status reader_open_at(struct spoor_reader **reader, const char *path,
                                 const struct spoor_reader_options *options,
                                 const struct reader_entry *entry, struct spoor_error *error)
{
    if (!options->format || options->samples || options->follow)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: a trace is entered with its format named, and neither sampled "
                               "nor followed",
                               path);
    const enum spoor_status status = reader_open(reader, path, options, entry, error);
    if (status != SPOOR_OK) return status;
    (*reader)->records = entry->record;
    (*reader)->line = entry->line;
    (*reader)->gap = entry->line == 0;
    return SPOOR_OK;
}

void reader_collect(struct spoor_reader *reader, struct checkpoints *list)
{
    bytes_collect(&reader->cutter.bytes, list);
}

bool reader_digest(struct spoor_reader *reader,
                   void (*digest)(struct spoor_batch *batch, const struct spoor_names *names))
{
    const struct spoor_format *format = stream_file_format(&reader->stream);
    if ((format->resolve && !format->resolves_little) || reader->order) return false;
    reader->projection = (struct projection){.kind = PROJECT_DIGEST, .digest = digest};
    return reader->projects = true;
}

/* The segments of a container have more records than the chunks of a text, and each is decoded
 * fast: more threads than these need memory and gain nothing. */
enum { CONTAINER_THREADS = 4 };

/* The next batch as the trace has it.  The first call starts the threads, because the caller has
 * determined what they decode. */
static enum spoor_status reader_next_resolved(struct spoor_reader *reader,
                                              struct spoor_batch **batch, struct spoor_error *error)
{
    const struct projection *projection = reader->projects ? &reader->projection : NULL;
    enum spoor_status status;
    if (!reader->begun) {
        const unsigned limit = reader->stream.container ? CONTAINER_THREADS : UINT_MAX;
        const unsigned threads = reader->threads < limit ? reader->threads : limit;
        reader->begun = true;
        if (threads > 1)
            reader->ring = decode_ring_start(&reader->cutter, &reader->stream, &reader->options,
                                             projection, threads);
    }
    if (reader->ring) {
        status = decode_ring_next(reader->ring, batch, error);
    } else {
        bool again;
        *batch = &reader->batch;
        spoor_batch_clear(*batch);
        status = cutter_next(&reader->cutter, *batch, error);
        if (cutter_trailers(&reader->cutter, &reader->trailers, error) != SPOOR_OK)
            return SPOOR_ENOMEM;
        status = cutter_check(&reader->cutter, status, &reader->trailers, *batch, &again, error);
        if (status != SPOOR_OK) return status;
        const struct decoder decoder = {.names = reader->stream.names,
                                        .spellings = reader->stream.spellings,
                                        .options = &reader->options,
                                        .state = &reader->state};
        format_decode(stream_file_format(&reader->stream), &decoder, projection, *batch);
    }
    if (status != SPOOR_OK || (*batch)->out_of_memory) return status;
    /* Resolves the values that depend on all earlier batches. */
    struct spoor_batch *next = *batch;
    struct spoor_stream *stream = &reader->stream;
    reader->records += next->first; /* a container left them out */
    reader->line += next->line;
    next->first = reader->records;
    if (next->gap) {
        reader->carry = (struct carry){.tables = reader->carry.tables};
        reader->gap = true;
    }
    next->line = stream->format->record_size || reader->gap ? 0 : reader->line;
    reader->offset = next->offset + next->text_size;
    reader->unfinished = next->unfinished;
    reader->records += next->count;
    const bool numbers = stream->format->multi_record && !next->projected;
    const size_t lines = numbers ? batch_number(next) : next->count;
    reader->line += lines - (next->unfinished && lines ? 1 : 0);
    if (next->projected) return SPOOR_OK;
    const struct spoor_format *format = stream_file_format(stream);
    if (format->resolve) format->resolve(&reader->carry, next);
    next->out_of_memory |= names_out_of_memory(stream->names);
    /* The first batch with instructions decides of which set they are, for all that follows: a
     * selection, a segment or a batch of another size would show something else.  A batch of a few
     * records, as of a trace that grows, decides nothing that it does not show. */
    enum { ENOUGH = 256 };
    if (stream->isa_decided || !(stream->kinds >> SPOOR_INSN & 1)) return SPOOR_OK;
    stream->isa = (enum spoor_isa)isa_of(next);
    stream->isa_decided = stream->isa != SPOOR_ISA_UNKNOWN;
    for (size_t i = 0; i < next->count && next->count >= ENOUGH && !stream->isa_decided; i++)
        stream->isa_decided = next->records[i].kind == SPOOR_INSN;
    return SPOOR_OK;
}

void reader_decide_isa(struct spoor_reader *reader)
{
    struct spoor_batch *batch;
    if (reader->stream.isa != SPOOR_ISA_UNKNOWN || !(reader->stream.kinds >> SPOOR_INSN & 1))
        return;
    reader->begun = true; /* this thread decodes it */
    (void)reader_next_resolved(reader, &batch, &(struct spoor_error){0});
}

enum spoor_status reader_next(struct spoor_reader *reader, struct spoor_batch **batch)
{
    if (reader->over != SPOOR_OK) return reader->over;
    reader->last = NULL;
    struct spoor_batch *part =
        reader->expander && reader->begun ? expander_next(reader->expander) : NULL;
    if (part) {
        *batch = part;
    } else {
        enum spoor_status status = reader->ended;
        while (status == SPOOR_OK) {
            status = reader_next_resolved(reader, batch, &reader->error);
            if (status != SPOOR_OK || (*batch)->out_of_memory || !reader->order) break;
            effect_order_feed(reader->order, *batch); /* puts effects after their instructions */
            if ((*batch)->count || (*batch)->last) break;
        }
        if (status != SPOOR_OK && reader->order) {
            reader->ended = status;
            spoor_batch_clear(&reader->batch);
            reader->batch.first = reader->records;
            reader->batch.line = reader->gap ? 0 : reader->line;
            if (effect_order_end(reader->order, &reader->batch)) {
                *batch = &reader->batch;
                status = SPOOR_OK;
            }
        }
        reader->over = status;
        if (reader->expander && reader->over == SPOOR_OK && !(*batch)->out_of_memory) {
            expander_feed(reader->expander, *batch); /* it gives the batch in parts */
            *batch = expander_next(reader->expander);
        }
    }
    if (reader->over == SPOOR_OK && (*batch)->out_of_memory)
        reader->over = error_no_memory_while(&reader->error, reader->path, "reading");
    if (reader->over == SPOOR_OK) reader->last = *batch;
    if (reader->over < SPOOR_OK && !reader->stream.format->record_size && !reader->gap)
        reader->error.line = reader->line; /* the first that was not returned */
    return reader->over;
}

enum spoor_status reader_ask(struct spoor_reader *reader, enum reader_hands_out what,
                             struct spoor_error *error)
{
    static const char *const names[] = {"nothing", "batches", "references", "branches",
                                        "batches to be counted"};
    if (reader->hands_out == HANDS_OUT_NOTHING) reader->hands_out = what;
    if (reader->hands_out == what) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "%s: found a request for %s, expected %s as before",
                           reader->path, names[what], names[reader->hands_out]);
}

enum spoor_status spoor_reader_next(struct spoor_reader *reader, const struct spoor_batch **batch,
                                    struct spoor_error *error)
{
    struct spoor_batch *decoded;
    enum spoor_status status = reader_ask(reader, HANDS_OUT_BATCHES, error);
    if (status != SPOOR_OK) return status;
    status = reader_next(reader, &decoded);
    if (status == SPOOR_OK) *batch = decoded;
    if (status < SPOOR_OK && error) *error = reader->error;
    return status;
}

const struct spoor_stream *spoor_reader_stream(const struct spoor_reader *reader)
{
    return &reader->stream;
}

const struct spoor_ranking *spoor_reader_ranking(const struct spoor_reader *reader)
{
    return reader->ranking.best.score ? &reader->ranking : NULL;
}

const char *spoor_reader_compression(const struct spoor_reader *reader)
{
    const struct bytes *bytes = &reader->cutter.bytes;
    const bool none = !bytes->compression || bytes->coresight ||
                      (bytes->perf && !bytes->inflater) || waveform_is_form(bytes->compression);
    return none ? "none" : bytes->compression->name;
}

const char *spoor_reader_waveform(const struct spoor_reader *reader)
{
    const struct waveform *waveform = reader->cutter.bytes.waveform;
    return waveform ? waveform_kind(waveform) : NULL;
}

uint64_t spoor_reader_waveform_step(const struct spoor_reader *reader)
{
    const struct waveform *waveform = reader->cutter.bytes.waveform;
    return waveform ? waveform_step(waveform) : 0;
}

const char *spoor_reader_mapping(const struct spoor_reader *reader)
{
    const struct waveform *waveform = reader->cutter.bytes.waveform;
    return waveform ? waveform_mapping(waveform) : NULL;
}

const char *spoor_reader_description(const struct spoor_reader *reader)
{
    const struct spoor_stream *stream = &reader->stream;
    return stream->container ? stream->container->container->description(stream->container_state)
                             : NULL;
}

void spoor_reader_expanded(const struct spoor_reader *reader, struct spoor_expansion *expanded)
{
    const struct spoor_expansion none = {.ranges = 0};
    struct_fill(expanded, reader->expander ? expander_counts(reader->expander) : &none,
                sizeof none);
}

void spoor_reader_progress(const struct spoor_reader *reader, uint64_t *done, uint64_t *size)
{
    const struct source *source = &reader->cutter.bytes.source;
    *done = atomic_load_explicit(&source->taken, memory_order_relaxed);
    *size = source->size;
}

void spoor_reader_close(struct spoor_reader *reader)
{
    if (!reader) return;
    decode_ring_stop(reader->ring);
    cutter_close(&reader->cutter);
    reader_release(reader);
}
