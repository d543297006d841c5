/* SPDX-License-Identifier: MIT */
/*
 * etrace.c: the format of RISC-V E-Trace 2.0: each packet is an event with its fields.
 *
 * With the program (--code --image), its packets become the instructions that they lead along:
 * way.c.
 */
#include <stdlib.h>

#include "formats/etrace/etrace.h"
#include "formats/packets.h"

enum { LENGTH = 31, TYPE_AND_MORE = 0xE0, INSTRUCTIONS = 2 << 5, MOST_PADDING = 4096 };

/* The size of the packet or padding at these bytes; 0: it ends after them.  *packet: it is one of
 * instructions; else it is padding, or *invalid. */
static size_t etrace_part(const uint8_t *bytes, size_t size, bool *packet, bool *invalid)
{
    *packet = *invalid = false;
    if (!size) return 0;
    if (!bytes[0]) {
        size_t at = 0;
        while (at < size && at < MOST_PADDING && !bytes[at]) at++;
        return at == size && at < MOST_PADDING ? 0 : at;
    }
    const size_t length = 1 + (size_t)(bytes[0] & LENGTH);
    *packet = (bytes[0] & TYPE_AND_MORE) == INSTRUCTIONS && length > 1;
    *invalid = !*packet;
    return length > size ? 0 : length;
}

static size_t etrace_length(const struct spoor_stream *stream, const char *at, size_t size)
{
    bool packet, invalid;
    (void)stream;
    return etrace_part((const uint8_t *)at, size, &packet, &invalid);
}

/* Whether all packets of the first bytes are of these sizes, and some a trace. */
enum etrace_fit { FITS_NOT, FITS_FEW, FITS };
static enum etrace_fit etrace_fits(const struct spoor_head *head, const struct etrace_sizes *sizes)
{
    enum { ENOUGH = 6 };
    const uint8_t *at = (const uint8_t *)head->bytes, *end = at + head->size;
    unsigned packets = 0, starts = 0;
    bool good = true, ordered = false;
    while (at < end && good) {
        bool packet, invalid;
        struct etrace_packet read;
        const size_t size = etrace_part(at, (size_t)(end - at), &packet, &invalid);
        if (!size) break;
        good = !invalid && (!packet || etrace_read(&read, at + 1, size - 1, sizes));
        if (packet && good) {
            if (!packets++) /* a trace begins so */
                ordered = read.kind >= ETRACE_START && read.kind != ETRACE_INDEX;
            starts += read.kind == ETRACE_START;
        }
        at += size;
    }
    if (!good) return FITS_NOT;
    return ordered && starts && packets >= ENOUGH ? FITS : FITS_FEW;
}

enum { WIDTHS = 4, WIDTHS_LSB = 2 };
/* By preference: 32 and 64 bits, with their lowest bit left out and with it. */
static struct etrace_sizes etrace_guess(size_t number)
{
    struct etrace_sizes sizes = etrace_default_sizes;
    sizes.of[ETRACE_P_iaddress_width] = number % 2 ? 64 : 32;
    sizes.of[ETRACE_P_iaddress_lsb] = number < WIDTHS_LSB;
    return sizes;
}

static int etrace_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { LIKELY = 75 };
    (void)self;
    for (size_t i = 0; i < WIDTHS; i++) {
        const struct etrace_sizes sizes = etrace_guess(i);
        if (etrace_fits(head, &sizes) == FITS) return LIKELY;
    }
    return 0;
}

/* Without a dialect: of 32 and 64 bits the first one that the packets fit. */
static void *etrace_share(const struct spoor_format *self, const struct spoor_head *head)
{
    struct etrace_sizes *sizes = malloc(sizeof *sizes);
    (void)self;
    if (!sizes) return NULL;
    *sizes = etrace_guess(0);
    for (size_t i = WIDTHS_LSB; i-- > 0;) {
        const struct etrace_sizes guess = etrace_guess(i);
        if (etrace_fits(head, &guess) != FITS_NOT) *sizes = guess;
    }
    return sizes;
}

/* ---- records ---- */

static const char etrace_expected[] = "a packet of E-Trace, of the sizes of its dialect";

static void etrace_push(const struct decoder *decoder, struct spoor_batch *batch,
                        const struct etrace_packet *packet, const struct etrace_sizes *sizes,
                        struct text *fields)
{
    fields->size = 0;
    etrace_put_fields(packet, sizes, fields);
    struct spoor_record *record =
        packets_push(decoder, batch, packet->kind, etrace_name(packet->kind), fields);
    if (packet->kind == ETRACE_START || packet->kind == ETRACE_TRAP) {
        record->event.value = packet->value[ETRACE_F_address];
        record->has |= SPOOR_HAS_VA;
    }
    if (packet->has >> ETRACE_F_time & 1) {
        record->time = packet->value[ETRACE_F_time];
        record->has |= SPOOR_HAS_TIME;
    }
}

static void etrace_resolve(struct carry *carry, struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) carry_time(carry, &batch->records[i]);
}

static bool etrace_takes_dialect(const char *dialect)
{
    struct etrace_sizes sizes;
    return etrace_read_dialect(&sizes, dialect);
}

static void etrace_decode(const struct decoder *decoder, struct spoor_batch *batch)
{
    const struct etrace_sizes *seen = batch->stream->container_state;
    const char *asked = decoder->options ? decoder->options->dialect : NULL;
    struct etrace_sizes sizes = seen ? *seen : etrace_default_sizes;
    if (asked) etrace_read_dialect(&sizes, asked);
    const char *at = batch->text, *end = at + batch->text_size;
    struct text fields = {0};
    while (at < end && spoor_batch_reserve(batch, 1)) {
        bool is_packet, invalid;
        struct etrace_packet packet;
        size_t size = etrace_part((const uint8_t *)at, (size_t)(end - at), &is_packet, &invalid);
        const bool ends = !size;
        if (ends) size = (size_t)(end - at);
        if (!*at)
            packets_push_note(batch, SPOOR_NOTE_BLANK, at, size, NULL, NULL);
        else if (ends)
            packets_push_note(batch, SPOOR_NOTE_TRAILING, at, size, "trailing-bytes",
                              etrace_expected);
        else if (is_packet && etrace_read(&packet, (const uint8_t *)at + 1, size - 1, &sizes))
            etrace_push(decoder, batch, &packet, &sizes, &fields);
        else
            packets_push_note(batch, SPOOR_NOTE_UNKNOWN, at, size, "e-trace", etrace_expected);
        at += size;
    }
    text_free(&fields);
}

/* ---- writing ---- */

static bool etrace_write_packet(unsigned number, const char *fields, size_t size, struct text *out)
{
    struct etrace_packet packet = {.kind = (uint8_t)number};
    struct etrace_sizes sizes;
    if (!etrace_name(number) || !etrace_read_fields(&packet, &sizes, fields, size)) return false;
    etrace_put(&packet, &sizes, out);
    return true;
}

static const struct packet_writing etrace_writing = {
    .put = etrace_write_packet,
    .add = etrace_encoder_add,
    .seam = etrace_encoder_break,
};

static void etrace_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to, struct text *out)
{
    packets_write(encoder, batch, from, to, out, &etrace_writing);
}

static void etrace_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                         size_t to, struct text *out)
{
    (void)encoder;
    for (size_t i = from; i < to; i++)
        packets_print(batch, i, "padding", etrace_name(batch->records[i].event.number), out);
}

const struct spoor_format format_e_trace = {
    .name = "e-trace",
    .title = "RISC-V E-Trace: packets of a trace encoder; instructions with --code",
    .suffixes = "te_inst_raw",
    .document = "Efficient Trace for RISC-V 2.0",
    .time_unit = "",
    .record_size = 1,
    .length = etrace_length,
    .share = etrace_share,
    .is_riscv = true,
    .exceptions_are_stated = true,
    .fields = PACKETS_FIELDS,
    .produces = 1U << SPOOR_EVENT,
    .dialects = etrace_dialects,
    .takes_dialect = etrace_takes_dialect,
    .packets = &etrace_packets,
    .probe = etrace_probe,
    .decode = etrace_decode,
    .resolve = etrace_resolve,
    .configure = etrace_encoder_open,
    .write = etrace_write,
    .end = etrace_encoder_close,
    .print = etrace_print,
};
