/* SPDX-License-Identifier: MIT */
/* differences.c: hands out the retained differences one by one. */
#include <string.h>

#include "compare/describe.h"
#include "isa/riscv_csr.h"

size_t spoor_diff_count(const struct spoor_diff *diff)
{
    return diff->out_of_memory ? 0 : diff->retained_count;
}

bool spoor_diff_difference(const struct spoor_diff *diff, size_t index,
                           struct spoor_difference *difference)
{
    if (index >= spoor_diff_count(diff)) return false;
    const struct retained_difference *retained = &diff->retained[index];
    *difference = (struct spoor_difference){
        .kind = (enum spoor_diff_class)retained->class,
        .gap = retained->gap,
        .consequence = retained->cause == CAUSE_CONSEQUENCE,
        .fields = retained->comparison.count,
    };
    if (diff->cpu_pair_count > 1)
        difference->cpu = spoor_names_text(diff->names, retained->cpu, NULL);
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_copy *copy = &retained->units[side];
        difference->record[side] = retained->record[side];
        difference->line[side] = retained->line[side];
        difference->skipped[side] = retained->skipped[side];
        difference->ended[side] = !copy->there;
        difference->has_pc[side] = copy->there && (copy->unit.has & UNIT_HAS_PC);
        if (difference->has_pc[side]) difference->pc[side] = copy->unit.pc;
    }
    return true;
}

bool spoor_diff_field(const struct spoor_diff *diff, size_t index, unsigned number,
                      struct spoor_difference_field *field)
{
    struct words words = {""};
    if (index >= spoor_diff_count(diff)) return false;
    const struct retained_difference *retained = &diff->retained[index];
    if (number >= retained->comparison.count || number >= MAX_DIFFERENCES) return false;
    field->kind = (enum spoor_diff_class)retained->comparison.items[number].class;
    describe_field(diff, retained, number, &words);
    memcpy(field->name, words.text, sizeof field->name);
    field->control = riscv_csr_number(field->name, strlen(field->name)) >= 0;
    describe_difference(diff, retained, number, &words);
    memcpy(field->words, words.text, sizeof field->words);
    return true;
}

const char *spoor_diff_instruction(const struct spoor_diff *diff, size_t index, unsigned side,
                                   char words[SPOOR_DIFF_WORDS])
{
    struct words described = {""};
    if (index < spoor_diff_count(diff) && side < 2)
        describe_unit(&diff->retained[index].units[side], &described);
    memcpy(words, described.text, sizeof described.text);
    return words;
}
