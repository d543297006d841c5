/* SPDX-License-Identifier: MIT */
/*
 * kanata_convert.c: a Kanata log from the instructions of another log of stages.
 *
 * Time only goes forward in the file, but blocks of O3PipeView come in another order.  The last
 * WINDOW instructions are kept, and half of what they tell is written when they are more.  An
 * instruction that comes later than that is counted as skipped.
 *
 * A cycle is found from the ticks between stages in the first window.  The first instruction says
 * how many ticks it has, and an instruction those of its ticks that are no whole cycles, as
 * details: so the ticks can be restored.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/stages/stages.h"
#include "formats/stages/write.h"
#include "spoor/format.h"

enum { WINDOW = 1 << 14, ENDED = STAGES_OF_GEM5 };

/* ---- cycles ---- */

/* The length of a cycle, from the ticks between one stage and the next. */
static uint64_t kanata_find_ticks(const struct stage_converter *converter, struct text *out)
{
    uint64_t *differences =
        malloc((converter->finished_count * STAGES_OF_GEM5 + 1) * sizeof *differences);
    if (!differences) {
        out->failed = true;
        return spoor_stages_cycle(NULL, 0);
    }
    size_t count = 0;
    for (size_t i = 0; i < converter->finished_count; i++) {
        const struct stage_flight *flight = &converter->finished[i];
        uint64_t before = 0;
        for (unsigned stage = 0; stage < STAGE_STORE; stage++) {
            if (!(flight->has >> stage & 1)) continue;
            const uint64_t time = flight->time[stage];
            if (before && time > before) differences[count++] = time - before;
            before = time;
        }
    }
    const uint64_t ticks = spoor_stages_cycle(differences, count);
    free(differences);
    return ticks;
}

/* The cycle in which it happens; of its end, after its last stage. */
static uint64_t kanata_cycle(const struct stage_converter *converter,
                             const struct stage_flight *flight, unsigned stage)
{
    uint64_t last = 0;
    if (stage < STAGES_OF_GEM5) return flight->time[stage] / converter->ticks;
    for (unsigned i = 0; i < STAGE_STORE; i++)
        if ((flight->has >> i & 1) && flight->time[i] > last) last = flight->time[i];
    /* a log without the stage of retirement may say when an instruction left the last one */
    if (!(flight->has >> STAGE_RETIRE & 1) && flight->end > last)
        return flight->end / converter->ticks;
    return last / converter->ticks + !flight->squashed;
}

static uint64_t kanata_first_cycle(const struct stage_converter *converter,
                                   const struct stage_flight *flight)
{
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < STAGE_STORE; i++)
        if ((flight->has >> i & 1) && flight->time[i] / converter->ticks < first)
            first = flight->time[i] / converter->ticks;
    return first == UINT64_MAX ? 0 : first;
}

/* ---- the order of the file ---- */

struct kanata_step {
    uint64_t cycle, order;
    unsigned stage; /* that the instruction enters, or ENDED */
    struct stage_flight *flight;
};

static int kanata_compare_steps(const void *a, const void *b)
{
    const struct kanata_step *left = a, *right = b;
    if (left->cycle != right->cycle) return left->cycle < right->cycle ? -1 : 1;
    if (left->order != right->order) return left->order < right->order ? -1 : 1;
    return (int)left->stage - (int)right->stage;
}

static void kanata_put_step(struct stage_converter *converter, const struct kanata_step *step,
                            struct text *out)
{
    struct stage_flight *flight = step->flight;
    if (!converter->begun) text_printf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", step->cycle);
    if (converter->begun && step->cycle > converter->cycle)
        text_printf(out, "C\t%" PRIu64 "\n", step->cycle - converter->cycle);
    converter->cycle = step->cycle;
    if (!(flight->written & 1U << ENDED)) {
        flight->number = converter->next++;
        text_printf(out, "I\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\n", flight->number, flight->id,
                    flight->thread);
        text_printf(out, "L\t%" PRIu64 "\t0\t%08" PRIx64, flight->number, flight->pc);
        if (flight->micro) text_printf(out, ".%" PRIu32, flight->micro);
        text_puts(out, ": ");
        text_put(out, flight->text ? flight->text : "", flight->size);
        text_puts(out, "\n");
        if (!converter->begun)
            text_printf(out, "L\t%" PRIu64 "\t1\t" LABEL_TICKS "%" PRIu64 "\\n\n", flight->number,
                        converter->ticks);
        converter->begun = true;
        for (unsigned i = 0; i < STAGES_OF_GEM5; i++)
            if ((flight->has >> i & 1) && (i == STAGE_STORE || flight->time[i] % converter->ticks))
                text_printf(out, "L\t%" PRIu64 "\t1\t%s" LABEL_TICK "%" PRIu64 "\\n\n",
                            flight->number, stage_words[i].gem5, flight->time[i]);
    }
    flight->written |= 1U << ENDED;
    if (step->stage < STAGES_OF_GEM5) {
        flight->written |= 1U << step->stage;
        text_printf(out, "S\t%" PRIu64 "\t0\t%s\n", flight->number,
                    stage_words[step->stage].konata);
        return;
    }
    text_printf(out, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", flight->number,
                flight->squashed ? 0 : converter->retired, flight->squashed);
    converter->retired += !flight->squashed;
}

/* Writes what happens before cycle `until` and was not written. */
static void kanata_write_until(struct stage_converter *converter, uint64_t until, struct text *out)
{
    struct kanata_step *steps =
        malloc((converter->finished_count * (ENDED + 1) + 1) * sizeof *steps);
    if (!steps) { /* what was not written is lost */
        for (size_t i = 0; i < converter->finished_count; i++) free(converter->finished[i].text);
        converter->finished_count = 0;
        out->failed = true;
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < converter->finished_count; i++) {
        struct stage_flight *flight = &converter->finished[i];
        for (unsigned stage = 0; stage <= ENDED; stage++) {
            if (stage == STAGE_STORE) continue;
            const bool has = stage == ENDED || (flight->has & ~flight->written) >> stage & 1;
            const uint64_t cycle = has ? kanata_cycle(converter, flight, stage) : 0;
            if (has && cycle < until)
                steps[count++] = (struct kanata_step){cycle, flight->id, stage, flight};
        }
    }
    qsort(steps, count, sizeof *steps, kanata_compare_steps);
    for (size_t i = 0; i < count; i++) kanata_put_step(converter, &steps[i], out);
    free(steps);
    size_t left = 0;
    for (size_t i = 0; i < converter->finished_count; i++) {
        struct stage_flight *flight = &converter->finished[i];
        if (until == UINT64_MAX || kanata_cycle(converter, flight, ENDED) < until)
            free(flight->text);
        else
            converter->finished[left++] = *flight;
    }
    converter->finished_count = left;
    converter->written_until = until;
    converter->flush_at = left + WINDOW / 2 > WINDOW ? left + WINDOW / 2 : WINDOW;
}

void kanata_put_flight(struct encoder *encoder, struct stage_converter *converter,
                       struct stage_flight *flight, struct text *out)
{
    flight->written = 0;
    if (!converter->flush_at) converter->flush_at = WINDOW;
    if (converter->ticks && kanata_first_cycle(converter, flight) < converter->written_until) {
        encoder->skipped++; /* it comes too late */
        free(flight->text);
        return;
    }
    if (!array_reserve(&converter->finished, &converter->finished_capacity,
                       converter->finished_count + 1)) {
        out->failed = true;
        free(flight->text);
        return;
    }
    converter->finished[converter->finished_count++] = *flight;
    if (converter->finished_count < converter->flush_at) return;
    if (!converter->ticks) converter->ticks = kanata_find_ticks(converter, out);
    /* the cycle in which the middle instruction of the window begins */
    const size_t count = converter->finished_count;
    uint64_t *firsts = malloc(count * sizeof *firsts), until = 0;
    out->failed |= !firsts;
    for (size_t i = 0; firsts && i < count; i++)
        firsts[i] = kanata_first_cycle(converter, &converter->finished[i]);
    if (firsts) {
        qsort(firsts, count, sizeof *firsts, stages_by_number);
        until = firsts[count / 2];
        free(firsts);
    }
    if (until > converter->written_until)
        kanata_write_until(converter, until, out);
    else
        converter->flush_at += WINDOW / 2;
}

void kanata_put_end(struct encoder *encoder, struct stage_converter *converter, struct text *out)
{
    (void)encoder;
    if (!converter->ticks) converter->ticks = kanata_find_ticks(converter, out);
    kanata_write_until(converter, UINT64_MAX, out); /* all */
    if (!converter->begun) text_puts(out, "Kanata\t0004\n");
}
