/* SPDX-License-Identifier: MIT */
/*
 * probe.c: scores the first lines of a trace for a dialect.
 *
 * The most reliable probe is the decoder itself: it decodes the head of the trace, and the results
 * are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "formats/tarmac/dialect.h"
#include "formats/tarmac/spelling.h"

enum { SAMPLE_BYTES = 32768 };

bool dialect_sample(const struct dialect *dialect, const struct spoor_head *head,
                    struct dialect_sample *sample)
{
    static const char *const m_modes[] = {"thread", "handler", "lockup"};
    struct spoor_stream stream = {.names = spoor_names_new(), .spellings = spoor_names_new()};
    struct spoor_batch batch = {.stream = &stream, .last = head->whole};
    size_t size = head->size < SAMPLE_BYTES ? head->size : SAMPLE_BYTES; /* of whole lines */
    if (size < head->size || !head->whole)
        while (size > 0 && head->bytes[size - 1] != '\n') size--;
    batch.text = calloc(1, size + 64);
    batch.text_size = size;
    *sample = (struct dialect_sample){.failed = true};
    if (stream.names && stream.spellings && batch.text) {
        memcpy(batch.text, head->bytes, size);
        const struct decoder decoder = {.names = stream.names, .spellings = stream.spellings};
        text_decode(dialect->text, &decoder, &batch, NULL);
        for (size_t i = 0; i < batch.count; i++) {
            const struct spoor_record *record = &batch.records[i];
            if (record->kind == SPOOR_NOTE) {
                sample->lines += record->op == SPOOR_NOTE_UNKNOWN;
                continue;
            }
            sample->lines++;
            if (record->kind == SPOOR_REG) {
                /* no register's name begins with a digit: dinero's "R 1000 4" is a read */
                if (ascii_is_digit(*spoor_names_text(stream.names, record->reg.name, NULL)))
                    continue;
                struct spelling spelling;
                spelling_find(stream.spellings, record->spelling, dialect->tag, &spelling);
                sample->dotted += (spelling.shape & SHAPE_DOTS) != 0;
            }
            sample->typed++;
            size_t length;
            const char *cpu = spoor_names_text(stream.names, record->cpu, &length);
            const bool plain_cpu = length > 0 && strspn(cpu, "0123456789") == length;
            if (record->has & SPOOR_HAS_CPU) sample->named_cpus += !plain_cpu;
            if (record->kind == SPOOR_INSN) {
                const char *mode = spoor_names_text(stream.names, record->insn.mode, NULL);
                sample->instructions++;
                if (record->has & SPOOR_HAS_CPU) sample->plain_cpus += plain_cpu;
                sample->plain_modes += *mode && !strchr(mode, '_');
                for (size_t m = 0; m < sizeof m_modes / sizeof *m_modes; m++)
                    sample->m_profile += strcmp(mode, m_modes[m]) == 0;
                sample->a64 += record->insn.iset == 'O';
            }
            if (record->kind == SPOOR_MEM)
                sample->letter_x +=
                    (record->mem.attr & (SPOOR_MEM_EXCLUSIVE | SPOOR_MEM_PRIVILEGED)) != 0;
        }
        sample->failed = batch.out_of_memory || spoor_names_out_of_memory(stream.names) ||
                         spoor_names_out_of_memory(stream.spellings);
    }
    spoor_batch_free(&batch);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
    return sample->typed > 0;
}

/* Lines that only one of them can read decide; then lines that only one of them writes; then lines
 * that one usually writes. */
enum dialect_sign dialect_sign(const struct dialect_sample *tarmac,
                               const struct dialect_sample *matcher)
{
    if (tarmac->typed > matcher->typed) return SIGN_TARMAC;
    if (tarmac->a64 || tarmac->named_cpus || tarmac->m_profile) return SIGN_TARMAC;
    return tarmac->plain_cpus || tarmac->plain_modes || tarmac->dotted ? SIGN_MATCHER : SIGN_NONE;
}

int dialect_score(const struct dialect_sample *sample)
{
    size_t percent = sample->lines ? 100 * sample->typed / sample->lines : 0;
    if (percent >= 98) return 97;
    if (percent >= 90) return 90;
    if (percent >= 30) return 60;
    return sample->instructions ? 55 : (int)percent / 2;
}
