/* SPDX-License-Identifier: MIT */
/* loss.c: the loss report of a conversion. */
#include "spoor/loss.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "formats/format.h"
#include "isa/register.h"
#include "model/options.h"
#include "query/field_source.h"

enum { BLOCK = 256 };

struct spoor_loss {
    const struct spoor_format *target;
    uint64_t records[SPOOR_KINDS];
    uint64_t fields[SPOOR_KINDS][SPOOR_FIELDS];
    /* For a target in which only instructions name their processor: that of the last one. */
    const struct spoor_stream *stream;
    spoor_name cpu;
    enum format_suits suits; /* the target, for the instructions of the traces so far */
    enum isa isa;            /* FORMAT_SUITS_NOT: theirs */
};

enum spoor_status spoor_loss_new(struct spoor_loss **loss, const struct spoor_loss_options *options,
                                 struct spoor_error *error)
{
    struct spoor_loss_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (!own.target)
        return spoor_error_set(error, SPOOR_EUSAGE, "the options name no target format");
    struct spoor_loss *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->target = own.target;
    *loss = made;
    return SPOOR_OK;
}

void spoor_loss_free(struct spoor_loss *loss)
{
    free(loss);
}

void spoor_loss_feed(struct spoor_loss *loss, const struct spoor_batch *batch, size_t from,
                     size_t to)
{
    if (from < to && spoor_batch_is_header(batch, from)) from++;
    if (loss->suits == FORMAT_SUITS_UNKNOWN) {
        loss->suits = batch->stream->format == loss->target ? FORMAT_SUITS
                                                            : format_suits(loss->target, batch);
        loss->isa = loss->suits == FORMAT_SUITS_NOT ? isa_of(batch) : ISA_UNKNOWN;
    }
    if (loss->target->cpu_is_of_insn) {
        /* The target names processors on instructions only: a record loses its own unless it
         * follows an instruction of the same one. */
        if (loss->stream != batch->stream) loss->cpu = SPOOR_NO_NAME;
        loss->stream = batch->stream;
        for (size_t i = from; i < to; i++) {
            const struct spoor_record *record = &batch->records[i];
            const spoor_name cpu = record->has & SPOOR_HAS_CPU ? record->cpu : SPOOR_NO_NAME;
            if (record->kind == SPOOR_INSN)
                loss->cpu = cpu;
            else if (cpu != SPOOR_NO_NAME && cpu != loss->cpu &&
                     spoor_format_fields(loss->target, (enum spoor_kind)record->kind))
                loss->fields[record->kind][SPOOR_FIELD_CPU]++;
        }
    }
    for (size_t end; from < to; from = end) {
        end = to - from > BLOCK ? from + BLOCK : to;
        /* At most BLOCK records, sorted by kind: few enough to stay in the cache while one field
         * after another is tested. */
        uint32_t indexes[SPOOR_KINDS][BLOCK];
        size_t counts[SPOOR_KINDS] = {0};
        for (size_t i = from; i < end; i++) {
            const unsigned kind = batch->records[i].kind;
            indexes[kind][counts[kind]++] = (uint32_t)i;
        }
        for (enum spoor_kind kind = 0; kind < SPOOR_KINDS; kind++) {
            if (!counts[kind]) continue;
            const bool is_foreign = loss->suits == FORMAT_SUITS_NOT && kind != SPOOR_NOTE;
            const spoor_field_set carried =
                is_foreign ? 0 : spoor_format_fields(loss->target, kind);
            spoor_field_set lost = carried ? spoor_kind_fields(kind) & ~carried : 0;
            if (loss->target->cpu_is_of_insn) lost &= ~SPOOR_FIELD_BIT(CPU); /* counted above */
            if (!carried) loss->records[kind] += counts[kind];
            for (; lost; lost &= lost - 1) {
                const enum spoor_field field = spoor_field_first(lost);
                loss->fields[kind][field] +=
                    field_count(batch, indexes[kind], counts[kind], kind, field);
            }
        }
    }
}

uint64_t spoor_loss_records(const struct spoor_loss *loss, enum spoor_kind kind)
{
    return loss->records[kind];
}

uint64_t spoor_loss_fields(const struct spoor_loss *loss, enum spoor_kind kind,
                           enum spoor_field field)
{
    return loss->fields[kind][field];
}

bool spoor_loss_any(const struct spoor_loss *loss)
{
    uint64_t lost = 0;
    for (unsigned kind = 0; kind < SPOOR_KINDS; kind++) {
        lost |= loss->records[kind];
        for (unsigned field = 0; field < SPOOR_FIELDS; field++) lost |= loss->fields[kind][field];
    }
    return lost != 0;
}

/* ---- text ---- */

/* Copies the text to the caller, truncated with "..." if it does not fit. */
static void loss_deliver(struct text *words, char *text, size_t capacity)
{
    const char *none = words->failed ? "what it is cannot be said: out of memory" : "nothing";
    const char *bytes = words->size && !words->failed ? words->bytes : none;
    size_t size = words->size && !words->failed ? words->size : strlen(bytes);
    if (size < capacity) {
        memcpy(text, bytes, size);
        text[size] = '\0';
    } else if (capacity > 3) {
        memcpy(text, bytes, capacity - 4);
        memcpy(text + capacity - 4, "...", 4);
    }
    text_free(words);
}

void spoor_loss_describe(const struct spoor_loss *loss, char *text, size_t capacity)
{
    struct text words = {0};
    const char *comma = "";
    for (enum spoor_kind kind = 0; kind < SPOOR_KINDS; kind++) {
        uint64_t count = loss->records[kind];
        if (!count) continue;
        text_printf(&words, "%s%" PRIu64 " %s record%s", comma, count, spoor_kind_name(kind),
                    count == 1 ? "" : "s");
        comma = "; ";
    }
    for (enum spoor_kind kind = 0; kind < SPOOR_KINDS; kind++) {
        /* "field exclusive of 3 mem records", or "of uop records: target (42), imm (17)". */
        const uint64_t *fields = loss->fields[kind];
        unsigned count = 0, last = 0;
        for (unsigned field = 0; field < SPOOR_FIELDS; field++)
            if (fields[field]) {
                count++;
                last = field;
            }
        if (count == 0) continue;
        if (words.size) text_puts(&words, "; ");
        if (count == 1) {
            text_printf(&words, "field %s of %" PRIu64 " %s record%s", spoor_field_name(last),
                        fields[last], spoor_kind_name(kind), fields[last] == 1 ? "" : "s");
            continue;
        }
        text_printf(&words, "of %s records:", spoor_kind_name(kind));
        for (unsigned field = 0; field <= last; field++)
            if (fields[field])
                text_printf(&words, " %s (%" PRIu64 ")%s", spoor_field_name(field), fields[field],
                            field == last ? "" : ",");
    }
    if (loss->target->own_only && words.size)
        text_puts(&words, " (only its own records are written)");
    else if (loss->suits == FORMAT_SUITS_NOT && words.size)
        text_printf(&words, " (it holds instructions of RISC-V, these are %s)",
                    isa_name(loss->isa));
    loss_deliver(&words, text, capacity);
}

bool spoor_loss_possible(const struct spoor_format *from, const struct spoor_format *to, char *text,
                         size_t capacity)
{
    struct text words = {0};
    for (enum spoor_kind kind = 0; kind < SPOOR_KINDS; kind++) {
        spoor_field_set has = spoor_format_fields(from, kind);
        const bool writes = !to->own_only || from == to;
        spoor_field_set carried = writes ? spoor_format_fields(to, kind) : 0;
        if (has && !carried)
            text_printf(&words, "%s%s records", words.size ? "; " : "", spoor_kind_name(kind));
        else if (has & ~carried) {
            /* "fields a, b of mem records" */
            spoor_field_set lost = has & ~carried;
            const char *before = words.size ? "; " : "";
            text_printf(&words, "%sfield%s ", before, lost & (lost - 1) ? "s" : "");
            for (bool first = true; lost; lost &= lost - 1, first = false)
                text_printf(&words, "%s%s", first ? "" : ", ",
                            spoor_field_name(spoor_field_first(lost)));
            text_printf(&words, " of %s records", spoor_kind_name(kind));
        }
    }
    bool lossy = words.size != 0 || words.failed;
    loss_deliver(&words, text, capacity);
    return lossy;
}
