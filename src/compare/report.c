/* SPDX-License-Identifier: MIT */
/* report.c: fills the result tree of a comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/describe.h"
#include "model/options.h"
#include "spoor/format.h"

static const char *const cause_names[] = {"root", "consequence", "volatile", "waived"};

static void report_unit(const struct spoor_diff *diff, struct spoor_result *in, const char *key,
                        const struct unit_copy *copy)
{
    if (!copy->there) {
        spoor_result_null(in, key);
        return;
    }
    struct spoor_result *to = spoor_result_object(in, key);
    const struct unit *unit = &copy->unit;
    spoor_result_unsigned(to, "record", unit->record);
    if (unit->line) spoor_result_unsigned(to, "line", unit->line);
    if (unit->has & UNIT_HAS_PC) spoor_result_hex(to, "pc", unit->pc);
    if ((unit->has & UNIT_HAS_OPCODE) && unit->opcode_size)
        spoor_result_hex(to, "opcode", unit->opcode);
    if (unit->text_size) spoor_result_text(to, "disasm", copy->text);
    struct spoor_result *effects = spoor_result_array(to, "effects");
    for (unsigned i = 0; i < unit->effect_count; i++) {
        struct words words;
        if (copy->effects[i].kind == EFFECT_STATE) continue;
        describe_effect(diff, copy, i, &words);
        spoor_result_text(effects, NULL, words.text);
    }
}

static void report_difference(const struct spoor_diff *diff, struct spoor_result *to,
                              const struct retained_difference *retained)
{
    spoor_result_unsigned(to, "left", retained->record[0]);
    spoor_result_unsigned(to, "right", retained->record[1]);
    if (diff->cpu_pair_count > 1)
        spoor_result_text(to, "cpu", spoor_names_text(diff->names, retained->cpu, NULL));
    struct spoor_result *fields = spoor_result_array(to, "fields");
    for (unsigned i = 0; i < retained->comparison.count && i < MAX_DIFFERENCES; i++) {
        struct words words;
        describe_field(diff, retained, i, &words);
        spoor_result_text(fields, NULL, words.text);
    }
    spoor_result_text(to, "class", spoor_diff_class_name((enum spoor_diff_class)retained->class));
    spoor_result_text(to, "cause", cause_names[retained->cause]);
    if (retained->cause == CAUSE_ROOT)
        spoor_result_unsigned(to, "consequences", retained->consequences);
    spoor_result_unsigned_if(to, "root", retained->root != 0, retained->root - 1);
    spoor_result_bool(to, "gap", retained->gap);
    if (retained->gap) {
        spoor_result_unsigned(to, "skipped_left", retained->skipped[0]);
        spoor_result_unsigned(to, "skipped_right", retained->skipped[1]);
    }
    report_unit(diff, to, "left_unit", &retained->units[0]);
    report_unit(diff, to, "right_unit", &retained->units[1]);
    static const char *const sides[] = {"left", "right"};
    struct spoor_result *writers = spoor_result_array(to, "last_writers");
    for (unsigned i = 0; i < retained->writers.count; i++) {
        const struct last_writer *writer = &retained->writers.items[i];
        struct spoor_result *row = spoor_result_object(writers, NULL);
        spoor_result_text(row, "register", spoor_names_text(diff->names, writer->name, NULL));
        for (unsigned side = 0; side < 2; side++)
            spoor_result_unsigned_if(row, sides[side], writer->known >> side & 1,
                                     writer->record[side]);
        spoor_result_unsigned(row, "instructions_back", writer->back);
    }
}

/* Orders mnemonics by the number of roots, largest first. */
static int report_by_roots(const void *a, const void *b)
{
    const struct mnemonic_count *first = a, *second = b;
    if (first->roots != second->roots) return first->roots < second->roots ? 1 : -1;
    if (first->consequences != second->consequences)
        return first->consequences < second->consequences ? 1 : -1;
    return strcmp(first->mnemonic, second->mnemonic);
}

static const char *const part_names[UNIT_PARTS] = {
    [UNIT_PART_PC] = "addresses of instructions",
    [UNIT_PART_OPCODE] = "opcodes",
    [UNIT_PART_FAILED] = "conditions that failed",
    [UNIT_PART_ISET] = "instruction sets",
    [UNIT_PART_MODE] = "modes",
    [UNIT_PART_PHYSICAL] = "physical addresses",
    [UNIT_PART_REGISTERS] = "registers",
    [UNIT_PART_NAMES] = "names of registers",
    [UNIT_PART_CSRS] = "CSRs",
    [UNIT_PART_VECTORS] = "vectors",
    [UNIT_PART_FLAGS] = "flags",
    [UNIT_PART_READS] = "reads",
    [UNIT_PART_WRITES] = "writes",
    [UNIT_PART_DATA] = "data of accesses",
    [UNIT_PART_SIZES] = "sizes of accesses",
    [UNIT_PART_PHYSICAL_ACCESSES] = "physical addresses of accesses",
    [UNIT_PART_EVENTS] = "events",
    [UNIT_PART_TIME] = "times",
    [UNIT_PART_EFFECT_TIMES] = "times of effects",
};

/* Adds a count of what was not compared, in the words around "the left trace". */
static void report_put_uncompared(struct spoor_result *rows, uint64_t count, const char *one,
                                  const char *many, const char *before, unsigned side,
                                  const char *after)
{
    char words[128];
    if (!count) return;
    snprintf(words, sizeof words, "%llu %s%s the %s trace%s", (unsigned long long)count,
             count == 1 ? one : many, before, side ? "right" : "left", after);
    spoor_result_text(rows, NULL, words);
}

/* Lists what was not compared. */
static void report_scope(const struct spoor_diff *diff, struct spoor_result *in)
{
    struct spoor_result *rows = spoor_result_array(in, "not_compared");
    /* Lists the parts that were not compared, and why. */
    static const enum unit_part always[] = {
        UNIT_PART_OPCODE, UNIT_PART_REGISTERS, UNIT_PART_READS,    UNIT_PART_WRITES, UNIT_PART_DATA,
        UNIT_PART_SIZES,  UNIT_PART_MODE,      UNIT_PART_PHYSICAL, UNIT_PART_EVENTS, UNIT_PART_TIME,
    };
    const uint32_t late[2] = {spoor_diff_stated(diff, 0), spoor_diff_stated(diff, 1)};
    uint32_t told = 0;
    for (unsigned side = 0; side < 2; side++)
        for (int part = 0; part < UNIT_PARTS; part++) {
            char words[96];
            const bool never = diff_never_states(diff, side, (enum unit_part)part);
            const uint32_t bit = unit_part_bit((enum unit_part)part);
            if (!never && !(late[side] & bit)) continue;
            told |= bit;
            snprintf(words, sizeof words, "%s, which the %s trace %s", part_names[part],
                     side ? "right" : "left", never ? "never states" : "states later only");
            spoor_result_text(rows, NULL, words);
        }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (!diff_compares(diff, always[i]) && !(told & unit_part_bit(always[i])))
            spoor_result_text(rows, NULL, part_names[always[i]]);
    for (unsigned side = 0; side < 2; side++)
        report_put_uncompared(rows, diff->counts.unnamed_results[side], "register", "registers",
                              " of results, which", side, " does not name");
    for (unsigned side = 0; side < 2; side++)
        report_put_uncompared(rows, diff->counts.unstated_further[side], "further access",
                              "further accesses", " or registers of an instruction, which", side,
                              " does not state");
    for (unsigned side = 0; side < 2; side++)
        report_put_uncompared(rows, diff->counts.unstated_first[side], "register", "registers",
                              " before the first instruction, which", side, " does not state");
    for (unsigned side = 0; side < 2; side++)
        report_put_uncompared(rows, diff->unnamed_units[side], "instruction", "instructions",
                              " of other processors of", side, "");
    for (unsigned side = 0; side < 2; side++)
        report_put_uncompared(rows, diff->builders[side].fetches, "fetch", "fetches", ", which",
                              1 - side, " does not state");
    for (unsigned side = 0; side < 2; side++)
        for (int kind = 0; kind < SPOOR_KINDS; kind++) {
            const char *name = spoor_kind_name((enum spoor_kind)kind);
            report_put_uncompared(rows, diff->builders[side].left_out[kind], name, name,
                                  " records of", side, "");
        }
}

/* Orders places by the number of units, largest first, then by address. */
static int report_by_count(const void *a, const void *b)
{
    const struct omitted_place *first = a, *second = b;
    if (first->count != second->count) return first->count < second->count ? 1 : -1;
    return first->pc < second->pc ? -1 : first->pc > second->pc;
}

/* States which side omits instructions, and how many: by what they do, and by address, the most
 * frequent first. */
static bool report_omissions(const struct spoor_diff *diff, struct spoor_result *result)
{
    enum { SHOWN = 20 };
    static const char *const keys[] = {"left", "right"};
    static const char *const kinds[OMITTED_KINDS] = {"stores", "loads", "register-writes",
                                                     "without-effect"};
    const struct diff_counts *counts = &diff->counts;
    struct spoor_result *rows = spoor_result_object(result, "omitted");
    for (unsigned side = 0; side < 2; side++) {
        struct spoor_result *to = spoor_result_object(rows, keys[side]);
        spoor_result_unsigned(to, "instructions", counts->omitted[side]);
        spoor_result_unsigned(to, "places", counts->omitted_places[side]);
        spoor_result_unsigned(to, "before_first", counts->omitted_first[side]);
        struct spoor_result *by_kind = spoor_result_object(to, "by_kind");
        for (unsigned kind = 0; kind < OMITTED_KINDS; kind++)
            if (diff->omitted_kinds[side][kind])
                spoor_result_unsigned(by_kind, kinds[kind], diff->omitted_kinds[side][kind]);
        const struct hash_map *map = &diff->omitted[side];
        struct omitted_place *places = malloc((map->count + 1) * sizeof *places);
        if (!places) return false;
        size_t count = 0;
        for (const struct omitted_place *at = NULL; (at = hash_map_next(map, at, sizeof *at));)
            places[count++] = *at;
        qsort(places, count, sizeof *places, report_by_count);
        struct spoor_result *by_pc = spoor_result_array(to, "by_pc");
        for (size_t i = 0; i < count && i < SHOWN; i++) {
            struct spoor_result *row = spoor_result_object(by_pc, NULL);
            spoor_result_hex(row, "pc", places[i].pc);
            spoor_result_unsigned(row, "instructions", places[i].count);
            spoor_result_text(row, "kind", kinds[places[i].kind]);
        }
        spoor_result_unsigned(to, "addresses", count);
        free(places);
    }
    return true;
}

static void report_sides(const struct spoor_diff *diff, struct spoor_result *result)
{
    static const char *const keys[] = {"left", "right"};
    for (unsigned side = 0; side < 2; side++) {
        struct spoor_result *to = spoor_result_object(result, keys[side]);
        spoor_result_text(to, "trace", diff->paths[side]);
        spoor_result_text(to, "format",
                          diff->formats[side] ? spoor_format_name(diff->formats[side]) : NULL);
        spoor_result_unsigned(to, "skipped", diff->counts.skipped[side]);
        spoor_result_unsigned(to, "before_start", diff->counts.not_compared[side]);
        /* Lists what a side never states, though the other side does. */
        struct spoor_result *rows = spoor_result_array(to, "unstated");
        const bool accesses = diff_never_states(diff, side, UNIT_PART_READS) &&
                              diff_never_states(diff, side, UNIT_PART_WRITES);
        if (accesses) spoor_result_text(rows, NULL, "accesses");
        for (int i = 0; i < UNIT_PARTS; i++) {
            const enum unit_part part = (enum unit_part)i;
            const bool access = part == UNIT_PART_READS || part == UNIT_PART_WRITES;
            if (diff_never_states(diff, side, part) && !(access && accesses))
                spoor_result_text(rows, NULL, part_names[part]);
        }
        if (diff->counts.unnamed_results[side])
            spoor_result_text(rows, NULL, "the registers of some results");
        if (diff->counts.unnamed_results[side])
            spoor_result_unsigned(to, "unnamed_results", diff->counts.unnamed_results[side]);
    }
    spoor_result_text(result, "isa", isa_name(diff->isa));
    /* Why the traces, or parts of them, have no pair in common. */
    static const char *const matters[] = {
        [MATTER_INSTRUCTIONS] = "instructions or what they do",
        [MATTER_BRANCHES] = "branches",
        [MATTER_ACCESSES] = "accesses without the instructions between them",
        [MATTER_BUS] = "transfers of a bus",
    };
    const enum diff_obstacle obstacle = diff_obstacle(diff);
    char words[160];
    if (obstacle == OBSTACLE_NONE || spoor_diff_verdict(diff) == SPOOR_VERDICT_EQUAL) return;
    if (obstacle == OBSTACLE_ISA)
        snprintf(words, sizeof words, "the instructions of the left trace are %s, of the right %s",
                 isa_name(diff->isas[0]), isa_name(diff->isas[1]));
    else
        snprintf(words, sizeof words, "the left trace states %s, the right %s",
                 matters[diff->matters[0]], matters[diff->matters[1]]);
    spoor_result_text(result, "incomparable", words);
}

enum spoor_status spoor_diff_report(const struct spoor_diff *diff, struct spoor_result *result)
{
    const struct diff_counts *counts = &diff->counts;
    if (diff->out_of_memory) return SPOOR_ENOMEM; /* differences are incomplete */
    spoor_result_text(result, "verdict", spoor_verdict_name(spoor_diff_verdict(diff)));
    report_sides(diff, result);
    report_scope(diff, result);
    spoor_result_unsigned(result, "compared", counts->compared);
    spoor_result_unsigned(result, "mismatches", counts->mismatches);
    spoor_result_unsigned(result, "roots", counts->causes[CAUSE_ROOT]);
    spoor_result_unsigned(result, "consequences", counts->causes[CAUSE_CONSEQUENCE]);
    spoor_result_unsigned(result, "volatile", counts->causes[CAUSE_VOLATILE]);
    spoor_result_unsigned(result, "waived", counts->causes[CAUSE_WAIVED]);
    spoor_result_unsigned(result, "reordered", counts->reordered);
    static const char *const sides[] = {NULL, "left", "right", "both"};
    struct spoor_result *to = spoor_result_object(result, "moved");
    spoor_result_unsigned(to, "order", counts->moves[0]);
    spoor_result_unsigned(to, "interrupts", counts->moves[1]);
    spoor_result_unsigned(to, "least", counts->least_moved[1]);
    spoor_result_unsigned(to, "most", counts->most_moved[1]);
    spoor_result_text(to, "later", sides[counts->moved_sides & 3]);
    spoor_result_unsigned(to, "order_most", counts->most_moved[0]);
    spoor_result_unsigned(result, "gap_count", counts->gaps);
    if (!report_omissions(diff, result)) return SPOOR_ENOMEM;
    struct spoor_result *gaps = spoor_result_array(result, "gaps");
    for (size_t i = 0; i < diff->gap_count; i++) {
        const struct retained_gap *gap = &diff->gaps[i];
        struct spoor_result *row = spoor_result_object(gaps, NULL);
        spoor_result_unsigned(row, "left", gap->record[0]);
        spoor_result_unsigned(row, "right", gap->record[1]);
        spoor_result_unsigned(row, "skipped_left", gap->skipped[0]);
        spoor_result_unsigned(row, "skipped_right", gap->skipped[1]);
        spoor_result_text(row, "class", spoor_diff_class_name((enum spoor_diff_class)gap->class));
        spoor_result_bool(row, "consequence", gap->consequence);
    }
    if (diff->retained_count)
        report_difference(diff, spoor_result_object(result, "first"), &diff->retained[0]);
    else
        spoor_result_null(result, "first");
    struct spoor_result *list = spoor_result_array(result, "differences");
    for (size_t i = 0; i < diff->retained_count; i++)
        report_difference(diff, spoor_result_object(list, NULL), &diff->retained[i]);
    struct spoor_result *classes = spoor_result_object(result, "by_class");
    for (int i = 0; i < SPOOR_DIFF_CLASSES; i++)
        if (diff->counts.by_class[i])
            spoor_result_unsigned(classes, spoor_diff_class_name((enum spoor_diff_class)i),
                                  diff->counts.by_class[i]);
    struct spoor_result *rows = spoor_result_object(result, "by_opcode");
    if (diff->mnemonic_count)
        qsort(diff->mnemonics, diff->mnemonic_count, sizeof *diff->mnemonics, report_by_roots);
    for (size_t i = 0; i < diff->mnemonic_count; i++) {
        struct spoor_result *row = spoor_result_object(rows, diff->mnemonics[i].mnemonic);
        spoor_result_unsigned(row, "roots", diff->mnemonics[i].roots);
        spoor_result_unsigned(row, "consequences", diff->mnemonics[i].consequences);
    }
    rows = spoor_result_array(result, "tolerances");
    for (int i = 0; i < SPOOR_TOLERANCES; i++) {
        if (!tolerates(diff, (enum spoor_tolerance)i)) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "name", spoor_tolerance_name((enum spoor_tolerance)i));
        spoor_result_unsigned(row, "uses", diff->counts.tolerated[i]);
    }
    rows = spoor_result_array(result, "rules");
    for (size_t i = 0; i < diff->rule_count; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "rule", diff->rules[i].text);
        spoor_result_unsigned(row, "uses", diff->rules[i].uses);
    }
    return result_status(result);
}
