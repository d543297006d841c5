/* SPDX-License-Identifier: MIT */
/*
 * stf_transactions.c: STF's traces of transactions, of which TileLink is the one protocol.
 *
 * A group ends with a transaction; comments and what it depends on come before it.  A message that
 * moves data, or asks for data, becomes a BUS record, an atomic one two (a read and a write), any
 * other one an EVENT.  The records of a group keep its bytes, and their spelling is the unit of
 * time and the clocks of the header, which a part of the trace needs.
 */
#include "base/quick_put.h"
#include "formats/stf/stf.h"

/* ---- layout ---- */

enum {
    TRANSACTION_DELTA = 1 + 8, /* bytes before the delta of either record */
    TRANSACTION_CLOCK = TRANSACTION_DELTA + 8,
    DEPENDENCY_SIZE = TRANSACTION_CLOCK + 1,
    MAX_GROUP = 4 << 20, /* bytes */
};

struct stf_transaction {
    uint64_t id, delta, source, address, sink;
    const uint8_t *data, *mask;
    uint16_t data_size, lanes; /* bytes; bits of the mask */
    uint8_t clock, channel, code, param, log_size;
};

/* The fields of a channel in their order: code, Param, Size, source, Data, address, Mask, sinK. */
static const char *const stf_channels[] = {"", "cpsSdam", "cpsSdam", "cpsSda", "cpsSdk", "k"};
enum { CHANNEL_A = 1, CHANNEL_B, CHANNEL_C, CHANNEL_D, CHANNEL_E };

/* Reads the transaction at `at`, with its type. */
static enum stf_fit stf_read_transaction(const uint8_t *at, const uint8_t *end,
                                         struct stf_transaction *made, size_t *size)
{
    enum { LARGEST_TYPE = 3, HEAD = TRANSACTION_CLOCK + 1 + 2 };
    const uint8_t *begin = at;
    if (end - at < HEAD + 1) return STF_TOO_SHORT;
    *made = (struct stf_transaction){.id = stf_number(at + 1, 8),
                                     .delta = stf_number(at + TRANSACTION_DELTA, 8),
                                     .clock = at[TRANSACTION_CLOCK]};
    unsigned elements = (unsigned)stf_number(at + TRANSACTION_CLOCK + 1, 2);
    for (at += HEAD; elements && at < end; elements--) {
        if (*at > LARGEST_TYPE) return STF_IMPOSSIBLE;
        if (end - at < 1 + (1 << *at)) return STF_TOO_SHORT;
        at += 1 + (1 << *at);
    }
    if (at == end) return STF_TOO_SHORT;
    made->channel = *at++;
    if (made->channel < CHANNEL_A || made->channel > CHANNEL_E) return STF_IMPOSSIBLE;
    for (const char *field = stf_channels[made->channel]; *field; field++) {
        const bool counted = *field == 'd' || *field == 'm';
        size_t bytes = counted ? 2 : *field == 'c' || *field == 'p' || *field == 's' ? 1 : 8;
        if (end - at < (ptrdiff_t)bytes) return STF_TOO_SHORT;
        const uint64_t number = stf_number(at, bytes);
        at += bytes;
        switch (*field) {
        case 'c': made->code = (uint8_t)number; break;
        case 'p': made->param = (uint8_t)number; break;
        case 's': made->log_size = (uint8_t)number; break;
        case 'S': made->source = number; break;
        case 'a': made->address = number; break;
        case 'k': made->sink = number; break;
        case 'd': made->data = at, made->data_size = (uint16_t)number; break;
        default: made->mask = at, made->lanes = (uint16_t)number; break;
        }
        bytes = *field == 'd' ? number : *field == 'm' ? (number + 7) / 8 : 0;
        if (end - at < (ptrdiff_t)bytes) return STF_TOO_SHORT;
        at += bytes;
    }
    *size = (size_t)(at - begin);
    return STF_FITS;
}

/* The size of the record at `at` of a group, which is no transaction. */
static enum stf_fit stf_size_before(const uint8_t *at, const uint8_t *end, size_t *size)
{
    *size = DEPENDENCY_SIZE;
    if (*at == STF_COMMENT) return stf_record_size(at, end, 0, size);
    if (*at != STF_DEPENDENCY) return STF_IMPOSSIBLE;
    return end - at < DEPENDENCY_SIZE ? STF_TOO_SHORT : STF_FITS;
}

/* The same of a record that is known to fit. */
static size_t stf_step(const uint8_t *at, const uint8_t *end)
{
    size_t size = 0;
    stf_size_before(at, end, &size);
    return size;
}

enum stf_fit stf_transactions_size(const uint8_t *at, const uint8_t *end, size_t *size)
{
    const uint8_t *begin = at;
    struct stf_transaction transaction;
    size_t passed;
    while (at < end && *at != STF_TRANSACTION) {
        const enum stf_fit fit = stf_size_before(at, end, &passed);
        if (fit != STF_FITS) return fit;
        at += passed;
        if (at - begin > MAX_GROUP) return STF_IMPOSSIBLE;
    }
    if (at == end) return STF_TOO_SHORT;
    const enum stf_fit fit = stf_read_transaction(at, end, &transaction, &passed);
    *size = (size_t)(at - begin) + passed;
    return fit;
}

/* ---- records ---- */

/* The messages of each channel by their code, by TileLink, and the operation of those that request
 * or move data: UNDEFINED, none. */
enum { CODES = 8, ACQUIRE_BLOCK = 6, ATOMIC = SPOOR_BUS_OPS, NONE = SPOOR_BUS_UNDEFINED };
/* clang-format off */
#define ACCESSES                                                                        \
    {"PutFullData", SPOOR_BUS_WRITE}, {"PutPartialData", SPOOR_BUS_WRITE},              \
    {"ArithmeticData", ATOMIC}, {"LogicalData", ATOMIC}, {"Get", SPOOR_BUS_READ}, {"Intent", NONE}
#define ANSWERS {"AccessAck", NONE}, {"AccessAckData", NONE}, {"HintAck", NONE}, {NULL, NONE}
static const struct stf_message {
    const char *name;
    uint8_t op;
} stf_messages[][CODES] = {
    [CHANNEL_A] = {ACCESSES, {"AcquireBlock", SPOOR_BUS_READ}, {"AcquirePerm", NONE}},
    [CHANNEL_B] = {ACCESSES, {"ProbeBlock", NONE}, {"ProbePerm", NONE}},
    [CHANNEL_C] = {ANSWERS, {"ProbeAck", NONE}, {"ProbeAckData", SPOOR_BUS_WRITEBACK},
                   {"Release", NONE}, {"ReleaseData", SPOOR_BUS_WRITEBACK}},
    [CHANNEL_D] = {ANSWERS, {"Grant", NONE}, {"GrantData", NONE}, {"ReleaseAck", NONE}},
    [CHANNEL_E] = {{"GrantAck", NONE}},
};
/* clang-format on */

static bool stf_is_enabled(const struct stf_transaction *from, size_t lane)
{
    return from->mask[lane / 8] >> lane % 8 & 1;
}

/* The operation of the message; UNDEFINED also where it requests no byte, or more than a size of 16
 * bits can say. */
static unsigned stf_bus_op(const struct stf_transaction *from, const struct stf_message *message)
{
    enum { LARGEST_LOG_SIZE = 15, NONE_TO_BRANCH = 0 /* param: a copy to read */ };
    size_t lane = 0;
    while (lane < from->lanes && !stf_is_enabled(from, lane)) lane++;
    if (from->log_size > LARGEST_LOG_SIZE || (from->lanes && lane == from->lanes)) return NONE;
    const bool acquires = from->channel == CHANNEL_A && from->code == ACQUIRE_BLOCK;
    return acquires && from->param != NONE_TO_BRANCH ? SPOOR_BUS_READ_INVALIDATE : message->op;
}

/* The bytes that the message requests or moves, and their data, where both are stated.  A mask has
 * a bit for each lane of an aligned part of the bus, which is as wide as the message or wider; one
 * that is narrower is that of a beat, and does not say which data this is. */
static void stf_put_bytes(struct spoor_batch *batch, const struct stf_transaction *from,
                          struct spoor_record *record, bool writes)
{
    enum { ENABLES = 8 /* of spoor_bus.enables */ };
    struct spoor_bus *bus = &record->bus;
    const size_t bytes = (size_t)1 << from->log_size, lanes = from->lanes;
    const bool aligned = lanes >= bytes && (lanes & (lanes - 1)) == 0;
    size_t low = 0, high = 0, count = 0;
    for (size_t i = 0; i < lanes; i++) {
        if (!stf_is_enabled(from, i)) continue;
        high = i;
        if (!count++) low = i;
    }
    bool run = high - low + 1 == count;
    const bool full =
        !lanes || (aligned && run && count == bytes && low == (from->address & (lanes - 1)));
    bus->size = (uint16_t)bytes;
    if (!full && aligned && lanes <= ENABLES) {
        const unsigned shift = from->address & (ENABLES - 1U) & ~(from->lanes - 1U);
        bus->enables = (uint8_t) ~((unsigned)from->mask[0] << shift);
        bus->given |= SPOOR_BUS_GIVEN_ENABLES;
        bus->size = (uint16_t)count;
    } else {
        run = full;
    }
    if (full && from->data_size == bytes)
        low = 0; /* the data of the message alone */
    else
        run &= lanes && from->data_size == lanes;
    if (!writes || !run) return;
    record->has |= SPOOR_HAS_DATA;
    if (bus->size <= sizeof bus->data)
        memcpy(bus->data, from->data + low, bus->size);
    else
        spoor_batch_spill(batch, SPOOR_SPILL_DATA,
                          spoor_batch_refer(batch, (const char *)from->data + low, bus->size));
}

static struct spoor_record *stf_push_continued(struct spoor_batch *batch, enum spoor_kind kind,
                                               unsigned op)
{
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = SPOOR_CONTINUES;
    return record;
}

static void stf_set_event(struct spoor_names *names, const struct stf_transaction *from,
                          const struct stf_message *message, struct spoor_record *record)
{
    struct spoor_event *event = &record->event;
    record->kind = SPOOR_EVENT;
    record->op = SPOOR_EVENT_STATE;
    if (message->name)
        event->name = spoor_names_intern(names, message->name, strlen(message->name));
    event->number = from->code;
    event->value = from->sink;
    event->value1 = from->source;
    event->value_pa = from->address;
    record->has |= (from->channel != CHANNEL_E ? SPOOR_HAS_EXTRA | SPOOR_HAS_INDEX : 0) |
                   (from->channel >= CHANNEL_D ? SPOOR_HAS_VA : SPOOR_HAS_PA);
}

static void stf_set_request(struct spoor_names *names, const struct stf_transaction *from,
                            struct spoor_record *record)
{
    char source[sizeof "0x" - 1 + 2 * sizeof from->source];
    const char *end = quick_put_hex(put_bytes(source, "0x", 2), from->source);
    record->kind = SPOOR_BUS;
    record->bus.address = from->address;
    record->bus.delta = from->delta;
    record->bus.given = SPOOR_BUS_GIVEN_DELTA;
    record->bus.master = spoor_names_intern(names, source, (size_t)(end - source));
}

void stf_push_transaction(const struct decoder *decoder, struct spoor_batch *batch,
                          spoor_name spelling, const uint8_t *begin, const uint8_t *end)
{
    const struct stf_header header = stf_header_of(batch->stream);
    struct stf_transaction from = {0};
    const uint8_t *at = begin;
    size_t size;
    while (*at != STF_TRANSACTION) at += stf_step(at, end);
    const uint8_t *transaction = at;
    stf_read_transaction(at, end, &from, &size);
    static const struct stf_message undefined = {NULL, NONE};
    const struct stf_message *message =
        from.code < CODES ? &stf_messages[from.channel][from.code] : &undefined;
    const unsigned op = stf_bus_op(&from, message);
    struct spoor_record *record = spoor_batch_push(batch);
    if (spelling != SPOOR_NAMES_FULL) record->spelling = spelling;
    record->op = (uint8_t)(op == ATOMIC ? SPOOR_BUS_READ : op);
    if (header.clocks == 1 && from.clock == header.clock) {
        record->has |= SPOOR_HAS_TIME;
        record->time = from.delta; /* stf_resolve() sums */
    }
    spoor_batch_spill(batch, SPOOR_SPILL_LINE,
                      spoor_batch_refer(batch, (const char *)begin, (size_t)(end - begin)));
    if (op == NONE) {
        stf_set_event(decoder->names, &from, message, record);
    } else {
        stf_set_request(decoder->names, &from, record);
        stf_put_bytes(batch, &from, record, op == SPOOR_BUS_WRITE || op == SPOOR_BUS_WRITEBACK);
    }
    if (op == ATOMIC) {
        const struct spoor_bus bus = record->bus;
        stf_push_continued(batch, SPOOR_BUS, SPOOR_BUS_WRITE)->bus = bus;
    }
    for (at = begin; at < transaction; at += stf_step(at, end)) {
        if (*at != STF_DEPENDENCY) continue;
        record = stf_push_continued(batch, SPOOR_EVENT, SPOOR_EVENT_DEPENDENCE);
        record->event.value = stf_number(at + 1, 8);
        record->event.value1 = from.id;
        record->has |= SPOOR_HAS_VA | SPOOR_HAS_EXTRA;
    }
}

/* ---- writing ---- */

size_t stf_put_transaction(struct stf_transactions *writer, const struct spoor_batch *batch,
                           size_t from, size_t to, const uint8_t *at, const uint8_t *end,
                           struct text *out)
{
    struct stf_transaction made = {0};
    size_t size = 0, left_out = 0;
    const struct spoor_record *record = &batch->records[from], *next = record + 1;
    const uint8_t *transaction = at;
    while (*transaction != STF_TRANSACTION) transaction += stf_step(transaction, end);
    stf_read_transaction(transaction, end, &made, &size);
    if (!writer->any) writer->first = made.id;
    if (next < &batch->records[to] && next->kind == SPOOR_BUS) next++;
    for (; at < transaction; at += stf_step(at, end)) {
        const uint64_t on = stf_number(at + 1, 8);
        if (*at == STF_DEPENDENCY) {
            /* of those in the file, a selection may have left out some */
            if (next == &batch->records[to] || next->event.value != on) continue;
            next++;
            left_out += writer->is_part && on < writer->first;
            if (writer->is_part && on < writer->first) continue;
        }
        text_put(out, at, stf_step(at, end));
    }
    /* the delta to the transaction before it in what is written */
    const bool timed = record->has & SPOOR_HAS_TIME;
    const uint64_t delta = timed && writer->any ? record->time - writer->time : made.delta;
    text_put(out, transaction, TRANSACTION_DELTA);
    text_put(out, &delta, sizeof delta);
    text_put(out, transaction + TRANSACTION_CLOCK, size - TRANSACTION_CLOCK);
    if (timed) writer->time = record->time;
    writer->any = true;
    return left_out;
}
