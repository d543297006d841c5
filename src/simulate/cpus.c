/* SPDX-License-Identifier: MIT */
/* cpus.c: numbers and names of the machines of cpus. */
#include "simulate/cpus.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

size_t cpus_number(struct cpus *cpus, spoor_name cpu)
{
    if (!array_reserve_zeroed(&cpus->numbers, &cpus->number_capacity, cpu + (size_t)1))
        return SIZE_MAX;
    if (cpus->numbers[cpu]) return cpus->numbers[cpu] - 1;
    if (!array_reserve(&cpus->names, &cpus->capacity, cpus->count + 1)) return SIZE_MAX;
    cpus->names[cpus->count++] = cpu;
    cpus->numbers[cpu] = (uint32_t)cpus->count;
    return cpus->count - 1;
}

void cpus_put_name(const struct cpus *cpus, size_t number, struct spoor_result *row)
{
    char text[24];
    size_t size;
    const spoor_name name = cpus->names[number];
    if (name == SPOOR_NO_NAME) {
        spoor_result_text(row, "cpu", "-");
    } else if (cpus->texts) {
        const char *words = spoor_names_text(cpus->texts, name, &size);
        spoor_result_bytes(row, "cpu", words, size);
    } else {
        snprintf(text, sizeof text, "%zu", number);
        spoor_result_text(row, "cpu", text);
    }
}

void cpus_see(struct cpus_seen *seen, const struct spoor_reference *references, size_t count)
{
    if (count && !seen->any) seen->cpu = cpu_of_reference(references);
    seen->any |= count > 0;
    for (size_t i = 0; i < count; i++) {
        seen->several |= cpu_of_reference(&references[i]) != seen->cpu;
        seen->instructions += reference_is_instruction(&references[i]);
    }
}

void cpus_put_seen(const struct cpus_seen *seen, bool shared, const char *missing,
                   struct spoor_result *result)
{
    if (seen->several && !shared)
        spoor_result_text(spoor_result_array(result, "missing"), NULL, missing);
    if (seen->instructions) spoor_result_unsigned(result, "instructions", seen->instructions);
}

void cpus_free(struct cpus *cpus)
{
    free(cpus->names);
    free(cpus->numbers);
    *cpus = (struct cpus){0};
}
