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
#include "model/names.h"

enum { SAMPLE_BYTES = 32768 };

/* Counts in the first lines of a trace, for detection. */
struct dialect_sample {
    size_t lines;        /* lines that are not blank, comment or header */
    size_t typed;        /* recognised ones */
    size_t instructions; /* IT and IS */
    size_t plain_cpus;   /* instructions whose cpu is a bare number */
    size_t named_cpus;   /* records whose cpu is a name */
    size_t plain_modes;  /* instructions whose mode has no security */
    size_t a64;          /* instructions in the A64 set */
    size_t dotted;       /* registers with a range <high..low> */
    size_t letter_x;     /* accesses with the attribute that the dialects disagree on */
    size_t m_profile;    /* instructions in a mode of Arm's M profile, which Trace Matcher does not
                          * have */
    bool failed;         /* memory ran out */
};

/* Counts the first lines as the dialect decodes them; false: it recognises none. */
static bool dialect_sample(const struct dialect *dialect, const struct spoor_head *head,
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
        sample->failed = batch.out_of_memory || names_out_of_memory(stream.names) ||
                         names_out_of_memory(stream.spellings);
    }
    spoor_batch_free(&batch);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
    return sample->typed > 0;
}

/* Nearly all lines of Trace Matcher are lines of Tarmac, too.  Lines that only one of them can read
 * decide; then lines that only one of them writes; then lines that one usually writes: a processor
 * that is a number, a mode without a security and a range <high..low> identify Trace Matcher.
 * Without any of them Tarmac is more likely, and reads the same, unless an access has the letter X,
 * whose meaning differs. */
int dialect_probe(const struct spoor_format *self, const struct spoor_head *head)
{
    enum { MATCHERS = 80, TARMACS = 50, EITHER = 75 };
    const struct dialect *dialect = self->variant;
    const bool is_tarmac = dialect->tag == TAG_TARMAC;
    struct dialect_sample sample, other;
    const bool typed = dialect_sample(dialect, head, &sample);
    if (sample.failed) return PROBE_FAILED;
    if (!typed) return 0;
    dialect_sample(dialect->other, head, &other);
    if (other.failed) return PROBE_FAILED;
    const struct dialect_sample *tarmac = is_tarmac ? &sample : &other;
    const size_t matched = is_tarmac ? other.typed : sample.typed;
    const bool tarmacs =
        tarmac->typed > matched || tarmac->a64 || tarmac->named_cpus || tarmac->m_profile;
    const bool matchers = !tarmacs && (tarmac->plain_cpus || tarmac->plain_modes || tarmac->dotted);
    const size_t percent = sample.lines ? 100 * sample.typed / sample.lines : 0;
    const int score = percent >= 98         ? 97
                      : percent >= 90       ? 90
                      : percent >= 30       ? 60
                      : sample.instructions ? 55
                                            : (int)percent / 2;
    int limit = score;
    if (is_tarmac && matchers)
        limit = MATCHERS;
    else if (!is_tarmac && tarmacs)
        limit = TARMACS;
    else if (!is_tarmac && !matchers && !sample.letter_x)
        limit = EITHER;
    return score < limit ? score : limit;
}
