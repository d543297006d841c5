/* SPDX-License-Identifier: MIT */
/*
 * ntrace.c: the format of RISC-V N-Trace 1.0: each message is an event with its fields.
 *
 * With the program (--code --image), its messages become the instructions that they lead along:
 * way.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/ntrace/ntrace.h"
#include "formats/packets.h"

enum {
    MOST_BYTES = 64,  /* of a message: N-Trace's own have up to 38 */
    MOST_IDLE = 4096, /* bytes in a record of idle ones */
    SOURCES = 1 << NTRACE_MOST_SOURCES,
};

static const char *const ntrace_dialects[] = {"src1",  "src2",  "src3", "src4", "src5",
                                              "src6",  "src7",  "src8", "src9", "src10",
                                              "src11", "src12", NULL};

/* The bits of SRC, as the dialect says. */
static unsigned ntrace_source_bits(const struct spoor_decode_options *options)
{
    const char *dialect = options ? options->dialect : NULL;
    for (unsigned i = 0; dialect && ntrace_dialects[i]; i++)
        if (strcmp(ntrace_dialects[i], dialect) == 0) return i + 1;
    return 0;
}

enum ntrace_part {
    PART_MORE, /* it ends after the bytes */
    PART_MESSAGE,
    PART_IDLE,
    PART_INVALID, /* bytes up to one that ends a message */
};

static enum ntrace_part ntrace_part_of(const uint8_t *bytes, size_t size, size_t *length)
{
    size_t at = 0;
    *length = 0;
    if (!size) return PART_MORE;
    if (bytes[0] == NTRACE_IDLE) {
        while (at < size && at < MOST_IDLE && bytes[at] == NTRACE_IDLE) at++;
        *length = at;
        return at == size && at < MOST_IDLE ? PART_MORE : PART_IDLE;
    }
    enum ntrace_part part = bytes[0] & 3 ? PART_INVALID : PART_MESSAGE;
    for (; at < size && at < MOST_BYTES; at++) {
        if ((bytes[at] & 3) == 2) part = PART_INVALID;
        if ((bytes[at] & 3) != 3) continue;
        *length = at + 1;
        return part;
    }
    *length = at;
    return at == MOST_BYTES ? PART_INVALID : PART_MORE;
}

static size_t ntrace_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    size_t length;
    (void)stream;
    return ntrace_part_of((const uint8_t *)at, size, &length) == PART_MORE ? 0 : length;
}

static int ntrace_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { ENOUGH = 8, LIKELY = 80, POSSIBLE = 60 };
    const uint8_t *at = (const uint8_t *)head->bytes, *end = at + head->size;
    unsigned messages = 0, synchronising = 0;
    (void)self;
    while (at < end) {
        size_t length;
        struct ntrace_message message;
        const enum ntrace_part part = ntrace_part_of(at, (size_t)(end - at), &length);
        if (part == PART_MORE) break;
        if (part == PART_INVALID) return 0;
        if (part == PART_MESSAGE) {
            if (ntrace_read(&message, at, length, 0)) return 0; /* a dialect is asked for */
            messages++;
            synchronising += ntrace_has(&message, NTRACE_FADDR);
        }
        at += length;
    }
    if (!synchronising) return 0;
    return messages >= ENOUGH ? LIKELY : at == end ? POSSIBLE : 0;
}

/* ---- records ---- */

static void ntrace_push(const struct decoder *decoder, struct spoor_batch *batch,
                        const struct ntrace_message *message, struct text *fields)
{
    char source[8];
    spoor_name cpu = SPOOR_NO_NAME;
    fields->size = 0;
    ntrace_put_fields(message, fields);
    if (ntrace_has(message, NTRACE_SRC)) {
        const int size =
            snprintf(source, sizeof source, "%u", (unsigned)message->value[NTRACE_SRC]);
        cpu = spoor_names_intern(decoder->names, source, (size_t)size);
        if (cpu == SPOOR_NAMES_FULL) cpu = SPOOR_NO_NAME;
    }
    struct spoor_record *record =
        packets_push(decoder, batch, message->tcode, ntrace_name(message->tcode), fields);
    struct spoor_event *event = &record->event;
    if (message->tcode == NTRACE_ERROR) record->op = SPOOR_EVENT_LOST;
    record->cpu = cpu;
    if (cpu != SPOOR_NO_NAME) record->has |= SPOOR_HAS_CPU;
    if (ntrace_has(message, NTRACE_FADDR)) {
        event->value = message->value[NTRACE_FADDR] << 1;
        record->has |= SPOOR_HAS_VA;
    }
    if (ntrace_has(message, NTRACE_ICNT)) {
        event->value1 = message->value[NTRACE_ICNT];
        record->has |= SPOOR_HAS_EXTRA;
    }
    if (ntrace_has(message, NTRACE_TSTAMP)) { /* of other messages, since the one before */
        record->time = message->value[NTRACE_TSTAMP];
        record->has |= SPOOR_HAS_TIME;
    }
}

static void ntrace_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    const unsigned source_bits = ntrace_source_bits(decoder->options);
    const char *at = batch->text, *end = at + batch->text_size;
    struct text fields = {0};
    while (at < end && spoor_batch_reserve(batch, 1)) {
        size_t length;
        struct ntrace_message message;
        const enum ntrace_part part =
            ntrace_part_of((const uint8_t *)at, (size_t)(end - at), &length);
        const char *expected = "a message of N-Trace";
        if (part == PART_MESSAGE)
            expected = ntrace_read(&message, (const uint8_t *)at, length, source_bits);
        if (*(const uint8_t *)at == NTRACE_IDLE)
            packets_push_note(batch, SPOOR_NOTE_BLANK, at, length, NULL, NULL);
        else if (part == PART_MORE)
            packets_push_note(batch, SPOOR_NOTE_TRAILING, at, length, "trailing-bytes", expected);
        else if (expected)
            packets_push_note(batch, SPOOR_NOTE_UNKNOWN, at, length, "n-trace", expected);
        else
            ntrace_push(decoder, batch, &message, &fields);
        at += length;
    }
    text_free(&fields);
}

/* The time of the last message of a source; NULL: memory ran out. */
static uint64_t *ntrace_clock(struct carry *carry, const struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_CPU)) return &carry->time;
    if (!carry->tables) carry->tables = calloc(SOURCES, sizeof(uint64_t));
    uint64_t *clocks = carry->tables;
    return clocks ? &clocks[record->cpu % SOURCES] : NULL;
}

/* A timestamp is absolute in a message that synchronises, else relative to the one before. */
static void ntrace_resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        const bool stated = record->has & SPOOR_HAS_TIME;
        if (!stated && (record->has & SPOOR_HAS_CPU) && !carry->tables) continue;
        uint64_t *clock = ntrace_clock(carry, record);
        if (!clock) {
            batch->out_of_memory = true;
            return;
        }
        if (!stated)
            record->time = *clock;
        else
            *clock = record->time += record->has & SPOOR_HAS_VA ? 0 : *clock;
    }
}

static void ntrace_forget(struct carry *carry)
{
    free(carry->tables);
    carry->tables = NULL;
}

/* ---- writing ---- */

static bool ntrace_write_message(unsigned number, const char *fields, size_t size, struct text *out)
{
    struct ntrace_message message = {.tcode = (uint8_t)number};
    if (!ntrace_name(number) || !ntrace_read_fields(&message, fields, size)) return false;
    ntrace_put(&message, out);
    return true;
}

static const struct packet_writing ntrace_writing = {
    .put = ntrace_write_message,
    .add = ntrace_encoder_add,
    .seam = ntrace_encoder_break,
};

static void ntrace_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to, struct text *out)
{
    packets_write(encoder, batch, from, to, out, &ntrace_writing);
}

static void ntrace_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to, struct text *out)
{
    (void)encoder;
    for (size_t i = from; i < to; i++)
        packets_print(batch, i, "idle", ntrace_name(batch->records[i].event.number), out);
}

const struct spoor_format format_n_trace = {
    .name = "n-trace",
    .title = "RISC-V N-Trace (Nexus): messages of a trace encoder; instructions with --code",
    .suffixes = "nex",
    .document = "RISC-V N-Trace 1.0",
    .time_unit = "",
    .record_size = 1,
    .length = ntrace_length,
    .is_riscv = true,
    .exceptions_are_stated = true,
    .fields = PACKETS_FIELDS,
    .produces = 1U << SPOOR_EVENT,
    .dialects = ntrace_dialects,
    .packets = &ntrace_packets,
    .probe = ntrace_probe,
    .decode = ntrace_decode,
    .resolve = ntrace_resolve,
    .forget = ntrace_forget,
    .configure = ntrace_encoder_open,
    .write = ntrace_write,
    .end = ntrace_encoder_close,
    .print = ntrace_print,
};
