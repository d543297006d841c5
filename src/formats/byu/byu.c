/* SPDX-License-Identifier: MIT */
/*
 * byu.c: the BYU address traces of 12, 16 and 24 bytes a record: request types, absolute time,
 * writing, printing as b2a does, and distinguishing the three.
 */
#include "formats/byu/byu.h"

#include <string.h>

#include "base/quick_put.h"
#include "formats/reference.h"
#include "model/bus.h"

const uint8_t byu_type_op[256] = {
    [0x00] = SPOOR_BUS_FETCH,
    [0x01] = SPOOR_BUS_READ,
    [0x02] = SPOOR_BUS_READ_INVALIDATE,
    [0x03] = SPOOR_BUS_WRITE,
    [0x10] = SPOOR_BUS_IO_READ,
    [0x11] = SPOOR_BUS_IO_WRITE,
    [0x20] = SPOOR_BUS_DEFER_REPLY,
    [0x21] = SPOOR_BUS_INT_ACK,
    [0x22] = SPOOR_BUS_AGENT,
    [0x23] = SPOOR_BUS_BRANCH_TRACE,
    [0x31] = SPOOR_BUS_SHUTDOWN,
    [0x32] = SPOOR_BUS_FLUSH,
    [0x33] = SPOOR_BUS_HALT,
    [0x34] = SPOOR_BUS_SYNC,
    [0x35] = SPOOR_BUS_FLUSH_ACK,
    [0x36] = SPOOR_BUS_STOPCLK_ACK,
    [0x37] = SPOOR_BUS_SMI_ACK,
};

/* The request type of an operation, and how b2a prints it: the name with the tabs that follow.  No
 * label: the 12-byte format has no such type.  STOPCLKAK is b2a's own spelling. */
enum { LABEL_BYTES = 16 }; /* bytes stored at a time; the label is shorter */
#define LABEL(text) text, sizeof(text) - 1
static const struct {
    uint8_t type;
    char label[LABEL_BYTES];
    uint8_t label_size;
} requests[SPOOR_BUS_OPS] = {
    [SPOOR_BUS_FETCH] = {0x00, LABEL("FETCH\t\t")},
    [SPOOR_BUS_READ] = {0x01, LABEL("MEMREAD\t")},
    [SPOOR_BUS_READ_INVALIDATE] = {0x02, LABEL("MEMREADINV\t")},
    [SPOOR_BUS_WRITE] = {0x03, LABEL("MEMWRITE\t")},
    [SPOOR_BUS_WRITEBACK] = {0x03, LABEL("MEMWRITE\t")},
    [SPOOR_BUS_IO_READ] = {0x10, LABEL("IOREAD\t\t")},
    [SPOOR_BUS_IO_WRITE] = {0x11, LABEL("IOWRITE\t")},
    [SPOOR_BUS_DEFER_REPLY] = {0x20, LABEL("DEFERREPLY\t")},
    [SPOOR_BUS_INT_ACK] = {0x21, LABEL("INTA\t\t")},
    [SPOOR_BUS_AGENT] = {0x22, LABEL("CNTRLAGNTRES\t")},
    [SPOOR_BUS_BRANCH_TRACE] = {0x23, LABEL("BRTRACEREC\t")},
    [SPOOR_BUS_SHUTDOWN] = {0x31, LABEL("SHUTDOWN\t")},
    [SPOOR_BUS_FLUSH] = {0x32, LABEL("FLUSH\t\t")},
    [SPOOR_BUS_HALT] = {0x33, LABEL("HALT\t\t")},
    [SPOOR_BUS_SYNC] = {0x34, LABEL("SYNC\t\t")},
    [SPOOR_BUS_FLUSH_ACK] = {0x35, LABEL("FLUSHACK\t")},
    [SPOOR_BUS_STOPCLK_ACK] = {0x36, LABEL("STOPCLKAK\t")},
    [SPOOR_BUS_SMI_ACK] = {0x37, LABEL("SMIACK\t\t")},
};

enum {
    LONGEST_LINE = 96,
    CACHEABLE = 3,    /* attribute: write back */
    WORST_SHARE = 20, /* a probe tolerates one bad record in 20 */
};

void byu_keep_padding(struct spoor_batch *batch, const char *padding, unsigned size)
{
    if (byu_little(padding, size) != 0)
        spoor_batch_spill(batch, SPOOR_SPILL_FIELD, spoor_batch_refer(batch, padding, size));
}

void byu_resolve(struct carry *carry, struct spoor_batch *batch)
{
    uint64_t time = carry->time;
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record *record = &batch->records[i];
        if (record->has & SPOOR_HAS_TIME) time += record->bus.delta;
        record->time = time;
    }
    carry->time = time;
}

/* ---- records of any kind to requests ---- */

/* One record to be written, numbers not yet truncated to a shape. */
struct request {
    uint64_t address, delta;
    uint32_t size, padding;
    uint8_t type, attribute, agent;
};

static uint64_t byu_maximum(unsigned bytes)
{
    return UINT64_MAX >> (64 - 8 * bytes);
}

static inline struct request byu_request_as_is(const struct spoor_bus *bus)
{
    return (struct request){.address = bus->address,
                            .delta = bus->delta,
                            .size = bus->size,
                            .type = bus->code,
                            .attribute = (uint8_t)bus->attr,
                            .agent = bus->agent};
}

/* The requests for record `index`: none if the shape cannot represent one of them. */
static size_t byu_requests_of(struct encoder *encoder, const struct spoor_batch *batch,
                              size_t index, const struct byu_shape *shape, struct request *made)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_bus *bus = &record->bus;
    size_t count = 1;
    if (record->kind != SPOOR_BUS) {
        struct reference references[MAX_REFERENCES];
        const size_t all = references_of(batch, index, references);
        count = 0;
        for (size_t i = 0; i < all; i++) {
            struct request request = {.address = reference_physical(&references[i]),
                                      .size = references[i].size};
            enum spoor_bus_op op = SPOOR_BUS_READ;
            if (references[i].op == SPOOR_MEM_FETCH) op = SPOOR_BUS_FETCH;
            if (references[i].op == SPOOR_MEM_WRITE) op = SPOOR_BUS_WRITE;
            request.type = requests[op].type;
            made[count++] = request;
            if (references[i].op != SPOOR_MEM_MODIFY) continue;
            request.type = requests[SPOOR_BUS_WRITE].type;
            made[count++] = request;
        }
    } else {
        *made = (struct request){
            .address = bus_first_byte(bus),
            .size = bus->size,
            .agent = (bus->given & SPOOR_BUS_GIVEN_AGENT) ? bus->agent : 0,
        };
        if (bus->given & SPOOR_BUS_GIVEN_ATTRIBUTE)
            made->attribute = (uint8_t)bus->attr;
        else if ((bus->given & SPOOR_BUS_GIVEN_CONTROL) && !(bus->attr & SPOOR_BUS_NONCACHEABLE) &&
                 (record->op == SPOOR_BUS_FETCH || record->op == SPOOR_BUS_READ))
            made->attribute = CACHEABLE;
        made->type = bus->given & SPOOR_BUS_GIVEN_TYPE ? bus->code : requests[record->op].type;
        if (!(bus->given & SPOOR_BUS_GIVEN_TYPE)) count = requests[record->op].label_size > 0;
    }
    for (size_t i = 0; i < count; i++)
        if (made[i].address > byu_maximum(shape->address) || made[i].size > UINT8_MAX) return 0;
    if (count == 0) return 0;
    /* the delta from which a reader computes the record's time */
    const uint64_t maximum = byu_maximum(shape->time);
    const bool given = record->kind == SPOOR_BUS && (bus->given & SPOOR_BUS_GIVEN_DELTA);
    const bool timed = (record->has & SPOOR_HAS_TIME) && record->time >= encoder->time;
    made[0].delta = given ? bus->delta : timed ? record->time - encoder->time : maximum;
    if (made[0].delta > maximum || (!given && byu_no_delta(made[0].delta))) made[0].delta = maximum;
    for (size_t i = 1; i < count; i++)
        made[i].delta = byu_no_delta(made[0].delta) ? made[0].delta : 0;
    if (record->has & SPOOR_HAS_TIME) encoder->time = record->time;
    struct spoor_ref padding;
    if (shape->padding && batch->stream->format->record_size == shape->record &&
        (record->has & SPOOR_IS_SPILLED) &&
        spoor_batch_find_spill(batch, index, SPOOR_SPILL_FIELD, &padding))
        made[0].padding = (uint32_t)byu_little(spoor_batch_bytes(batch, padding), shape->padding);
    return count;
}

/* ---- writing ---- */

/* Stores eight bytes, of which `size` are used. */
static inline char *byu_put_little(char *at, uint64_t value, unsigned size)
{
    store8(at, value);
    return at + size;
}

static inline char *byu_put_request(char *at, const struct request *request,
                                    const struct byu_shape *shape)
{
    at = byu_put_little(at, request->address, shape->address);
    at = put_char(at, (char)request->type);
    at = put_char(at, (char)(uint8_t)request->size);
    at = put_char(at, (char)request->attribute);
    at = put_char(at, (char)request->agent);
    at = byu_put_little(at, request->padding, shape->padding);
    return byu_put_little(at, request->delta, shape->time);
}

enum { MAX_REQUESTS = 2 * MAX_REFERENCES };

/* The number of records at the beginning of [from, to) that are already requests, as every record
 * from a file of the shape is. */
static size_t byu_run_of_requests(const struct spoor_batch *batch, size_t from, size_t to,
                                  const struct byu_shape *shape)
{
    size_t end = from;
    for (; end < to; end++) {
        const struct spoor_record *record = &batch->records[end];
        const struct spoor_bus *bus = &record->bus;
        if (record->kind != SPOOR_BUS || (record->has & SPOOR_IS_SPILLED) ||
            (bus->given & (BYU_GIVEN | SPOOR_BUS_GIVEN_ENABLES)) != BYU_GIVEN ||
            bus->size > UINT8_MAX || bus->address > byu_maximum(shape->address) ||
            bus->delta > byu_maximum(shape->time))
            break;
    }
    return end - from;
}

/* Updates the writer's state after a run of requests, or a record of `count` ones, was written. */
static void byu_count_written(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                              size_t run, size_t count)
{
    encoder->written += run + (count != 0);
    encoder->skipped += !run && count == 0;
    for (size_t i = from + run; i-- > from;)
        if (batch->records[i].has & SPOOR_HAS_TIME) {
            encoder->time = batch->records[i].time;
            return;
        }
}

void byu_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    const struct byu_shape *shape = encoder->format->variant;
    while (from < to) {
        if (byu_hold_trailing(encoder, batch, from, shape->record)) {
            from++;
            continue;
        }
        const size_t run = byu_run_of_requests(batch, from, to, shape);
        struct request made[MAX_REQUESTS];
        const size_t count = run ? 0 : byu_requests_of(encoder, batch, from, shape, made);
        char *at = text_reserve(out, (run ? run : MAX_REQUESTS) * shape->record + PUT_SLACK);
        if (!at) return;
        for (size_t i = 0; i < count; i++) at = byu_put_request(at, &made[i], shape);
        for (size_t i = from; i < from + run; i++) {
            const struct request request = byu_request_as_is(&batch->records[i].bus);
            at = byu_put_request(at, &request, shape);
        }
        text_commit(out, at);
        byu_count_written(encoder, batch, from, run, count);
        from += run ? run : 1;
    }
}

bool byu_hold_trailing(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                       unsigned record_size)
{
    const struct spoor_record *record = &batch->records[index];
    if (encoder->word[0]) { /* a record follows: the held bytes are not at the end */
        encoder->word[0] = 0;
        encoder->skipped++;
    }
    if (record->kind != SPOOR_NOTE) return false;
    const struct spoor_ref text = record->note.text;
    if (record->op == SPOOR_NOTE_TRAILING && text.size < record_size &&
        batch->stream->format->record_size == record_size) {
        encoder->word[0] = text.size;
        memcpy(&encoder->word[1], spoor_batch_bytes(batch, text), text.size);
    } else {
        encoder->skipped++;
    }
    return true;
}

void byu_end(struct encoder *encoder, struct text *out)
{
    text_put(out, &encoder->word[1], (size_t)encoder->word[0]);
    encoder->word[0] = 0;
}

/* ---- printing: "%08lx NAME\t\t%2d\t%02x\t%1d\t%ld\n" ---- */

static inline char *byu_print_request(char *at, const struct request *request,
                                      const struct byu_shape *shape, bool time_hex)
{
    at = put_char(quick_put_hex_zeros(at, request->address, 8), ' ');
    const uint8_t op = byu_type_op[request->type];
    if (op != SPOOR_BUS_UNDEFINED) { /* an undefined type has no name, nor the tabs after it */
        memcpy(at, requests[op].label, LABEL_BYTES);
        at += requests[op].label_size;
    }
    at = put_char(quick_put_signed(at, (int64_t)request->size, 2), '\t');
    at = put_char(quick_put_hex_zeros(at, request->attribute, 2), '\t');
    at = put_char(quick_put_signed(at, request->agent, 0), '\t');
    if (time_hex)
        at = quick_put_hex_zeros(at, request->delta, 8);
    else
        at = quick_put_signed(
            at, shape->time == 4 ? (int32_t)(uint32_t)request->delta : (int64_t)request->delta, 0);
    return put_char(at, '\n');
}

void byu_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    const struct byu_shape *shape = encoder->format->variant;
    const bool time_hex = encoder->options.time_hex;
    while (from < to) {
        if (batch->records[from].kind == SPOOR_NOTE) { /* b2a ignores a partial record */
            from++;
            continue;
        }
        const size_t run = byu_run_of_requests(batch, from, to, shape);
        struct request made[MAX_REQUESTS];
        const size_t count = run ? 0 : byu_requests_of(encoder, batch, from, shape, made);
        char *at = text_reserve(out, (run ? run : MAX_REQUESTS) * LONGEST_LINE + PUT_SLACK);
        if (!at) return;
        for (size_t i = 0; i < count; i++) at = byu_print_request(at, &made[i], shape, time_hex);
        for (size_t i = from; i < from + run; i++) {
            const struct request request = byu_request_as_is(&batch->records[i].bus);
            at = byu_print_request(at, &request, shape, time_hex);
        }
        text_commit(out, at);
        byu_count_written(encoder, batch, from, run, count);
        from += run ? run : 1;
    }
}

/* ---- distinguishing the shapes ---- */

int byu_score(size_t good, size_t count, int first)
{
    if (count == 0 || (count - good) * WORST_SHARE > count) return 0;
    if (good < count) return 85;
    return count < 8 ? first + (95 - first) * ((int)count - 1) / 7 : 95;
}

int byu_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    const struct byu_shape *shape = self->variant;
    const char *bytes = (const char *)head->bytes;
    const size_t count = head->size / shape->record;
    size_t good = 0, usual = 0;
    for (size_t i = 0; i < count; i++) {
        const char *record = bytes + i * shape->record;
        const char *rest = record + shape->address;
        const uint8_t op = byu_type_op[(uint8_t)rest[0]], size = (uint8_t)rest[1];
        const uint64_t delta = byu_little(rest + 4 + shape->padding, shape->time);
        const uint64_t address = byu_little(record, shape->address);
        const bool moves_data = op >= SPOOR_BUS_FETCH && op <= SPOOR_BUS_IO_WRITE;
        const bool is_blank = moves_data && size == 0 && address == 0; /* of a file of zeros */
        good += op != SPOOR_BUS_UNDEFINED && (size <= 8 || size == 16 || size == 32) && !is_blank &&
                byu_little(rest + 4, shape->padding) == 0 &&
                (delta >> 24 == 0 || byu_no_delta(delta)) &&
                (address >> 47 == 0 || address >> 47 == UINT64_MAX >> 47);
        usual += (uint8_t)rest[2] < 16 && (uint8_t)rest[3] < 16; /* attribute and agent */
        if ((i + 1 - good) * WORST_SHARE > count) return 0;      /* whatever the others are */
    }
    const int score = byu_score(good, count, usual == count ? 60 : 30);
    const bool stray = head->whole && head->size % shape->record != 0;
    return score && stray ? score - 5 : score;
}

/* ---- projections ---- */

struct byu_type_references byu_type_references(const struct projection *projection)
{
    struct byu_type_references types;
    for (int type = 0; type < 256; type++) types.ops[type] = projection->bus.ops[byu_type_op[type]];
    return types;
}

size_t byu_project_end(struct spoor_batch *batch, size_t count)
{
    const size_t faults = batch->fault_count, record = batch->stream->format->record_size;
    trailing_bytes(batch, (uint32_t)record);
    const size_t notes = batch->count;
    projection_move_faults(batch, faults, count);
    batch->count = count + notes;
    return notes ? batch->text_size % record : 0;
}

struct stats *byu_stats_begin(struct spoor_batch *batch, size_t count)
{
    struct stats *stats = stats_reserve(batch);
    if (!stats || count == 0) return stats;
    stats->kinds = 1u << SPOOR_BUS;
    stats->names = 1;
    stats->spelled[SPOOR_NO_NAME] = count;
    stats->time.relative = true;
    return stats;
}

void byu_stats_end(struct stats *stats, struct spoor_batch *batch, size_t count)
{
    stats->trailing_bytes = byu_project_end(batch, count);
    stats->timed[0] = stats->time.any;
    if (stats->trailing_bytes == 0) return;
    stats->kinds |= 1u << SPOOR_NOTE;
    stats->names = 1;
    stats->ops[SPOOR_NOTE][SPOOR_NOTE_TRAILING]++;
    stats->spelled[SPOOR_NO_NAME]++;
}
