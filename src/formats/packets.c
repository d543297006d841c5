/* SPDX-License-Identifier: MIT */
/* packets.c: records of the packets of a trace encoder, and of what they become. */
#include "formats/packets.h"

#include "model/batch_own.h"

/* A record that a packet became with the code of the program. */
static void packets_print_made(const struct spoor_batch *batch, const struct spoor_record *record,
                               struct text *out)
{
    const struct spoor_names *names = batch->stream->names;
    struct spoor_ref ref = {0};
    if (record->has & SPOOR_HAS_CPU)
        text_printf(out, "%s ", spoor_names_text(names, record->cpu, NULL));
    if (record->kind == SPOOR_INSN) {
        text_printf(out, "insn 0x%llx %0*llx ", (unsigned long long)record->insn.va,
                    2 * record->insn.opcode_size, (unsigned long long)record->insn.opcode);
        ref = record->insn.disasm;
    } else if (record->kind == SPOOR_FLOW) {
        text_printf(out, "flow %staken", record->op & SPOOR_FLOW_NOT_TAKEN ? "not " : "");
        if (record->has & SPOOR_HAS_DATA)
            text_printf(out, " -> 0x%llx", (unsigned long long)record->flow.target);
    } else if (record->kind == SPOOR_EVENT) {
        if (record->op == SPOOR_EVENT_EXCEPTION) text_puts(out, "exception ");
        text_puts(out, spoor_names_text(names, record->event.name, NULL));
        if (record->has & SPOOR_HAS_VA)
            text_printf(out, " value=0x%llx", (unsigned long long)record->event.value);
        if (record->has & SPOOR_HAS_EXTRA)
            text_printf(out, " value1=0x%llx", (unsigned long long)record->event.value1);
        ref = record->event.text;
        if (ref.size) text_puts(out, ": ");
    } else {
        text_puts(out, spoor_kind_name((enum spoor_kind)record->kind));
    }
    text_put_visible(out, spoor_batch_bytes(batch, ref), ref.size);
    text_puts(out, "\n");
}

void packets_print(const struct spoor_batch *batch, size_t index, const char *blank,
                   const char *name, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const bool note = record->kind == SPOOR_NOTE;
    const bool packet = record->kind == SPOOR_EVENT && (record->has & SPOOR_HAS_INDEX);
    const struct spoor_ref ref = note     ? record->note.text
                                 : packet ? record->event.text
                                          : (struct spoor_ref){0};
    const uint8_t *bytes = (const uint8_t *)spoor_batch_bytes(batch, ref);
    if (note && record->op == SPOOR_NOTE_BLANK) {
        text_printf(out, "# %u %s bytes\n", (unsigned)ref.size, blank);
    } else if (note && record->op == SPOOR_NOTE_COMMENT) {
        text_put_visible(out, (const char *)bytes, ref.size);
        text_puts(out, "\n");
    } else if (note) {
        text_puts(out, "#");
        for (size_t k = 0; k < ref.size; k++) text_printf(out, " %02x", bytes[k]);
        text_puts(out, "\n");
    } else if (!packet) {
        packets_print_made(batch, record, out);
    } else {
        text_printf(out, "%s ", name ? name : "?");
        text_put_visible(out, (const char *)bytes, ref.size);
        text_puts(out, "\n");
    }
}

void packets_push_note(struct spoor_batch *batch, enum spoor_note_op op, const char *at,
                       size_t size, const char *rule, const char *expected)
{
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_NOTE;
    record->op = (uint8_t)op;
    record->note.text = spoor_batch_refer(batch, at, size);
    if (rule) batch_fault(batch, rule, 0, expected, record->note.text);
}

struct spoor_record *packets_push(const struct decoder *decoder, struct spoor_batch *batch,
                                  unsigned number, const char *name, const struct text *fields)
{
    const spoor_name id = spoor_names_intern(decoder->names, name, strlen(name));
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_EVENT;
    record->op = SPOOR_EVENT_STATE;
    record->has = SPOOR_HAS_INDEX;
    record->event.number = number;
    record->event.name = id == SPOOR_NAMES_FULL ? SPOOR_NO_NAME : id;
    record->event.text = spoor_batch_keep(batch, fields->bytes, fields->size);
    batch->out_of_memory |= fields->failed;
    return record;
}

void packets_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                   struct text *out, const struct packet_writing *writing)
{
    const bool own = encoder_writes_own(encoder, batch);
    bool encodes = encoder->word[0] != 0; /* packets became instructions */
    if (encoder->seam && writing->seam) writing->seam(encoder, out);
    for (size_t i = from; i < to; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool note = record->kind == SPOOR_NOTE && record->op != SPOOR_NOTE_LEFT_OUT;
        const bool packet = record->kind == SPOOR_EVENT && (record->has & SPOOR_HAS_INDEX);
        const struct spoor_ref ref = note     ? record->note.text
                                     : packet ? record->event.text
                                              : (struct spoor_ref){0};
        const char *bytes = spoor_batch_bytes(batch, ref);
        bool written = true;
        if (own && packet)
            written = writing->put(record->event.number, bytes, ref.size, out);
        else if (!own || !note)
            encodes |= written = writing->add && writing->add(encoder, batch, i, out);
        else if (!encodes && record->op != SPOOR_NOTE_COMMENT)
            text_put(out, bytes, ref.size);
        encoder->word[0] |= encodes;
        encoder->written += written;
        encoder->skipped += !written;
    }
}

void packets_put_event(const struct packet_sink *sink, enum spoor_event_op op, const char *name,
                       const uint64_t *value, const char *text)
{
    struct spoor_record record = {.kind = SPOOR_EVENT, .op = (uint8_t)op};
    if (value) {
        record.event.value = *value;
        record.has |= SPOOR_HAS_VA;
    }
    sink->event(sink->context, &record, name, text);
}
