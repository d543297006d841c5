/* SPDX-License-Identifier: MIT */
/*
 * profile_callgrind.c: a profile as a file of Callgrind, which KCachegrind and callgrind_annotate
 * read (valgrind, "Callgrind Format Specification").
 *
 * A row is a position with its exclusive amount, and an edge is a call from a position to a
 * function with the inclusive amount of the callee.  So the amounts of all positions are the total.
 * By line a function has a position for each line, by address for each instruction; by function it
 * has one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "profile/profile.h"

/* The file and the line of a row: "file:line". */
struct callgrind_place {
    const char *file;
    size_t size;
    uint64_t line;
};

static struct callgrind_place callgrind_place_of(const struct spoor_profile_row *row)
{
    static const struct callgrind_place unknown = {"???", 3, 0};
    const char *colon = row->source ? strrchr(row->source, ':') : NULL;
    if (!colon) return unknown;
    return (struct callgrind_place){row->source, (size_t)(colon - row->source),
                                    strtoull(colon + 1, NULL, 10)};
}

/* The event that is counted, a word: "Ir", as Callgrind calls instructions. */
static void callgrind_put_event(const struct spoor_profile *profile, struct text *text)
{
    const char *unit = spoor_profile_totals(profile).unit;
    if (profile->options.unit == SPOOR_PROFILE_INSTRUCTIONS) {
        text_puts(text, "Ir");
        return;
    }
    for (; *unit; unit++) {
        const int lower = ascii_lower(*unit);
        if (lower >= 'a' && lower <= 'z') text_put(text, unit, 1);
    }
}

static void callgrind_put_function(const struct spoor_profile_row *row, struct text *text)
{
    if (row->name)
        text_puts(text, row->name);
    else if (row->located)
        text_printf(text, "0x%" PRIx64, row->address);
    else
        text_puts(text, "(unknown)");
    if (row->exception) text_puts(text, " (exception)");
}

static void callgrind_put_position(const struct spoor_profile *profile,
                                   const struct spoor_profile_row *row, struct text *text)
{
    if (profile->options.by == SPOOR_PROFILE_ADDRESSES)
        text_printf(text, "0x%" PRIx64 " ", row->address);
    text_printf(text, "%" PRIu64, callgrind_place_of(row).line);
}

/* The edges of a row. */
struct callgrind_edges {
    uint32_t *first, *next; /* by row, by edge: number + 1 of an edge; 0: none */
};

static void callgrind_put_row(const struct spoor_profile *profile, size_t index,
                              const struct callgrind_edges *edges, struct text *text)
{
    const struct spoor_profile_row *row = &profile->rows[index];
    const struct callgrind_place place = callgrind_place_of(row);
    text_puts(text, "\nfl=");
    text_put(text, place.file, place.size);
    text_puts(text, "\nfn=");
    callgrind_put_function(row, text);
    text_puts(text, "\n");
    callgrind_put_position(profile, row, text);
    text_printf(text, " %" PRIu64 "\n", row->exclusive);
    for (uint32_t i = edges->first[index]; i; i = edges->next[i - 1]) {
        const struct profile_edge *edge = &profile->edges[i - 1];
        const struct spoor_profile_row *callee = &profile->rows[edge->callee];
        const struct callgrind_place called = callgrind_place_of(callee);
        text_puts(text, "cfi=");
        text_put(text, called.file, called.size);
        text_puts(text, "\ncfn=");
        callgrind_put_function(callee, text);
        text_printf(text, "\ncalls=%" PRIu64 " ", edge->calls);
        callgrind_put_position(profile, callee, text);
        text_puts(text, "\n");
        callgrind_put_position(profile, row, text);
        text_printf(text, " %" PRIu64 "\n", edge->inclusive);
    }
}

char *spoor_profile_to_callgrind(const struct spoor_profile *profile, const char *title,
                                 size_t *size)
{
    const struct spoor_profile_totals totals = spoor_profile_totals(profile);
    struct callgrind_edges edges = {calloc(profile->row_count + 1, sizeof *edges.first),
                                    calloc(profile->edge_count + 1, sizeof *edges.next)};
    struct text text = {.failed = !edges.first || !edges.next};
    for (size_t i = profile->edge_count; !text.failed && i-- > 0;) {
        const struct profile_edge *edge = &profile->edges[i];
        if (edge->callee >= profile->row_count || edge->caller >= profile->row_count) continue;
        edges.next[i] = edges.first[edge->caller];
        edges.first[edge->caller] = (uint32_t)i + 1;
    }
    text_puts(&text, "# callgrind format\nversion: 1\ncreator: spoor\ncmd: ");
    for (const char *at = title; *at; at++) text_put(&text, *at == '\n' ? " " : at, 1);
    text_puts(&text, profile->options.by == SPOOR_PROFILE_ADDRESSES ? "\npositions: instr line\n"
                                                                    : "\npositions: line\n");
    text_puts(&text, "events: ");
    callgrind_put_event(profile, &text);
    text_printf(&text, "\nsummary: %" PRIu64 "\n", totals.amount);
    for (size_t i = 0; !text.failed && i < profile->row_count; i++)
        callgrind_put_row(profile, i, &edges, &text);
    text_printf(&text, "\ntotals: %" PRIu64 "\n", totals.amount);
    free(edges.first);
    free(edges.next);
    return text_hand_out(&text, size);
}
