/* SPDX-License-Identifier: MIT */
/* packets.c: prints the packets of a trace encoder, and what they become. */
#include "formats/packets.h"

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
    } else {
        if (record->op == SPOOR_EVENT_EXCEPTION) text_puts(out, "exception ");
        text_puts(out, spoor_names_text(names, record->event.name, NULL));
        if (record->has & SPOOR_HAS_VA)
            text_printf(out, " value=0x%llx", (unsigned long long)record->event.value);
        if (record->has & SPOOR_HAS_EXTRA)
            text_printf(out, " value1=0x%llx", (unsigned long long)record->event.value1);
        ref = record->event.text;
        if (ref.size) text_puts(out, ": ");
    }
    text_put_visible(out, spoor_batch_bytes(batch, ref), ref.size);
    text_puts(out, "\n");
}

void packets_print(const struct spoor_batch *batch, size_t index, const char *blank,
                   const char *name, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const bool note = record->kind == SPOOR_NOTE;
    const struct spoor_ref ref = note ? record->note.text : record->event.text;
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
    } else if (record->kind != SPOOR_EVENT || !(record->has & SPOOR_HAS_INDEX)) {
        packets_print_made(batch, record, out);
    } else {
        text_printf(out, "%s ", name ? name : "?");
        text_put_visible(out, (const char *)bytes, ref.size);
        text_puts(out, "\n");
    }
}
