/* SPDX-License-Identifier: MIT */
/* parameters.c: the parameters of a machine by name.  One table is used to parse, check, list and
 * print them. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scan.h"
#include "simulate/pipeline/pipeline.h"
#include "simulate/words.h"
#include "spoor/pipeline.h"

struct parameter {
    struct spoor_pipeline_parameter public;
    size_t at; /* offset in the configuration */
};

#define YES_NO "no|yes"
#define NUMBER(name, member, minimum, maximum, standard, meaning) \
    {                                                             \
        {name, meaning, NULL, minimum, maximum, standard},        \
            offsetof(struct spoor_pipeline_config, member)        \
    }
#define WORD(name, member, choices, standard, meaning)                                           \
    {                                                                                            \
        {name, meaning, choices, 0, 0, standard}, offsetof(struct spoor_pipeline_config, member) \
    }
#define LATENCY(name, class, standard, meaning) \
    NUMBER(name "_latency", latency[class], 1, 1000, standard, meaning)
#define UNITS(name, class, meaning) NUMBER(name "_units", units[class], 0, 64, 0, meaning)

static const struct parameter parameters[] = {
    WORD("model", model, "out-of-order|in-order|five-stage", SPOOR_OUT_OF_ORDER, "kind of machine"),
    NUMBER("width", width, 1, 64, 4, "micro-ops fetched, issued and committed in a cycle"),
    NUMBER("fetch_width", fetch_width, 0, 64, 0, "fetched in a cycle; 0: width"),
    NUMBER("issue_width", issue_width, 0, 64, 0, "issued in a cycle; 0: width"),
    NUMBER("commit_width", commit_width, 0, 64, 0, "committed in a cycle; 0: width"),
    NUMBER("rob", rob, 1, 16384, 128, "micro-ops in the reorder buffer"),
    NUMBER("issue_queue", issue_queue, 0, 16384, 0, "micro-ops not yet issued; 0: as the ROB"),
    NUMBER("load_queue", load_queue, 0, 16384, 0, "loads in flight; 0: as the ROB"),
    NUMBER("store_queue", store_queue, 0, 16384, 0, "stores in flight; 0: as the ROB"),
    NUMBER("registers", registers, 52, 65000, 2048, "physical registers"),
    WORD("memory", memory, "conservative|perfect|naive|store-sets", SPOOR_MEMORY_CONSERVATIVE,
         "older stores that a load waits for"),
    WORD("store_check", store_check, "all|in-flight|first", SPOOR_CHECK_ALL,
         "stores checked for loads that issued too early; in-flight: except one that commits as it "
         "completes; first: as in-flight, one store in a cycle, whatever supplied the load"),
    NUMBER("store_set_entries", store_set_entries, 0, 1 << 20, 0,
           "entries of the store-set table, rounded to a power of two; 0: unlimited"),
    LATENCY("alu", SPOOR_CLASS_ALU, 1, "cycles from issue to result"),
    LATENCY("multiply", SPOOR_CLASS_MULTIPLY, 1, "cycles"),
    LATENCY("divide", SPOOR_CLASS_DIVIDE, 1, "cycles"),
    LATENCY("float", SPOOR_CLASS_FLOAT, 1, "cycles"),
    LATENCY("load", SPOOR_CLASS_LOAD, 1, "cycles of a load that hits"),
    LATENCY("store", SPOOR_CLASS_STORE, 1, "cycles"),
    LATENCY("branch", SPOOR_CLASS_BRANCH, 1, "cycles"),
    UNITS("alu", SPOOR_CLASS_ALU, "issued in a cycle; 0: unlimited"),
    UNITS("multiply", SPOOR_CLASS_MULTIPLY, "issued in a cycle; 0: unlimited"),
    UNITS("divide", SPOOR_CLASS_DIVIDE, "issued in a cycle; 0: unlimited"),
    UNITS("float", SPOOR_CLASS_FLOAT, "issued in a cycle; 0: unlimited"),
    UNITS("load", SPOOR_CLASS_LOAD, "issued in a cycle; 0: unlimited"),
    UNITS("store", SPOOR_CLASS_STORE, "issued in a cycle; 0: unlimited"),
    UNITS("branch", SPOOR_CLASS_BRANCH, "issued in a cycle; 0: unlimited"),
    WORD("divide_pipelined", divide_pipelined, YES_NO, 1, "no: a divide keeps its unit busy"),
    NUMBER("issue_delay", issue_delay, 1, 100, 1, "cycles from fetch to the earliest issue"),
    NUMBER("mispredict_penalty", mispredict_penalty, 0, 1000, 0,
           "cycles from a mispredicted branch's result to the next fetch"),
    WORD("taken_ends_group", taken_ends_group, YES_NO, 0,
         "fetch nothing after a taken branch in the same cycle"),
    WORD("instructions", whole, "cracked|whole", 0,
         "cracked into loads, a computation and stores; whole: an instruction executes at once"),
    WORD(
        "targets", targets, "all|own", 0,
        "predictors of targets that judge a branch; own: of a return the return stack alone, of an "
        "indirect branch ittage"),
    NUMBER("miss_latency_1", miss_latency[0], 0, 10000, 10,
           "cycles added if the first level misses"),
    NUMBER("miss_latency_2", miss_latency[1], 0, 10000, 30,
           "cycles added if the second misses, too"),
    NUMBER("miss_latency_3", miss_latency[2], 0, 10000, 150,
           "cycles added if the third misses, too"),
    NUMBER("miss_latency_4", miss_latency[3], 0, 10000, 150,
           "cycles added if the fourth misses, too"),
    WORD("dram", dram, "none|ddr4-3200|ddr5-4800|lpddr5-6400|hbm2-2000|ddr4-champsim", 0,
         "device behind the last level; none: its latency is fixed"),
    WORD("dram_channels", dram_channels, "1|2|4|8|16", 0, "channels"),
    WORD("dram_ranks", dram_ranks, "1|2|4|8", 0, "ranks of a channel"),
    WORD("dram_page", dram_page, "open|closed", 0, "closed: a row is closed after each access"),
    NUMBER("dram_queue", dram_queue, 0, 1024, 64, "writes that wait in a channel"),
    NUMBER("megahertz", megahertz, 1, 100000, 4000, "clock of the processor"),
    WORD("pages", pages, "virtual|random", 0, "random: pages lie at random places of the memory"),
    WORD("page_tables", page_tables, "shared|apart", 0,
         "tables of pages; apart: each page has one of its own, as in ChampSim"),
    NUMBER("fetch_queue", fetch_queue, 0, 192, 0,
           "micro-ops ahead of rename whose instructions are fetched; 0: none"),
    NUMBER(
        "misfetch_penalty", misfetch_penalty, 0, 1000, 0,
        "cycles from a direct branch whose target alone is mispredicted to the next fetch; 0: as "
        "another misprediction"),
    NUMBER("fault_latency", fault_latency, 0, 100000, 0,
           "cycles that the first walk to a page takes more, and for each new table on its way"),
    NUMBER("tlb_latency", tlb_latency, 0, 1000, 8, "cycles of a TLB level below the first"),
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static const struct {
    const char *name, *about, *parameters;
} presets[] = {
#define PRESET(name, about, parameters) {name, about, parameters},
#include "presets.def"
#undef PRESET
};
enum { PRESETS = sizeof presets / sizeof *presets };

static uint32_t *parameter_member(struct spoor_pipeline_config *config,
                                  const struct parameter *parameter)
{
    return (uint32_t *)(void *)((char *)config + parameter->at);
}

size_t spoor_pipeline_parameters(void)
{
    return PARAMETERS;
}

const struct spoor_pipeline_parameter *spoor_pipeline_parameter(size_t index)
{
    return index < PARAMETERS ? &parameters[index].public : NULL;
}

/* ---- values ---- */

static enum spoor_status parameter_set_spec(char *to, const char *name, const char *value,
                                            struct spoor_error *error)
{
    if (strlen(value) >= SPOOR_PIPELINE_SPEC)
        return spoor_error_set(error, SPOOR_EUSAGE, "%s: '%.40s...' is longer than %d characters",
                               name, value, SPOOR_PIPELINE_SPEC - 1);
    memcpy(to, value, strlen(value) + 1);
    return SPOOR_OK;
}

static const char *parameter_name(const void *unused, size_t index)
{
    (void)unused;
    return parameters[index].public.name;
}

enum spoor_status spoor_pipeline_set(struct spoor_pipeline_config *config, const char *name,
                                     const char *value, struct spoor_error *error)
{
    if (strcmp(name, "predictor") == 0)
        return parameter_set_spec(config->predictor, name, value, error);
    const bool tlb = strcmp(name, "tlb") == 0;
    if (tlb || strcmp(name, "level") == 0) {
        uint32_t *count = tlb ? &config->tlbs : &config->levels;
        if (strcmp(value, "none") == 0) {
            *count = 0;
            return SPOOR_OK;
        }
        if (*count == SPOOR_PIPELINE_LEVELS)
            return spoor_error_set(error, SPOOR_EUSAGE, "%s: more than %d %s", name,
                                   SPOOR_PIPELINE_LEVELS, tlb ? "TLBs" : "caches");
        const enum spoor_status status = parameter_set_spec(
            tlb ? config->tlb[*count] : config->level[*count], name, value, error);
        *count += status == SPOOR_OK;
        return status;
    }
    for (size_t i = 0; i < PARAMETERS; i++) {
        const struct spoor_pipeline_parameter *parameter = &parameters[i].public;
        if (strcmp(parameter->name, name) != 0) continue;
        uint64_t number;
        if (parameter->choices) {
            const int choice = word_choice((struct word){value, strlen(value)}, parameter->choices);
            if (choice < 0)
                return spoor_error_set(error, SPOOR_EUSAGE, "%s: found '%s', expected one of %s",
                                       name, value, parameter->choices);
            number = (uint64_t)choice;
        } else if (!scan_all_number(value, &number) || number < parameter->minimum ||
                   number > parameter->maximum) {
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s: found '%s', expected a number from %u to %u", name, value,
                                   parameter->minimum, parameter->maximum);
        }
        *parameter_member(config, &parameters[i]) = (uint32_t)number;
        return SPOOR_OK;
    }
    const char *near = nearest(name, parameter_name, NULL, PARAMETERS);
    return spoor_error_set(error, SPOOR_EUSAGE, "no parameter is called '%s'%s%s%s", name,
                           near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

const char *pipeline_value(const struct spoor_pipeline_config *config, size_t index,
                           char words[SPOOR_PIPELINE_WORDS])
{
    const struct parameter *parameter = &parameters[index];
    uint32_t value;
    memcpy(&value, (const char *)config + parameter->at, sizeof value);
    const char *at = parameter->public.choices;
    if (!at) {
        snprintf(words, SPOOR_PIPELINE_WORDS, "%u", value);
        return words;
    }
    for (; value && *at; value--) at += strcspn(at, "|") + 1;
    snprintf(words, SPOOR_PIPELINE_WORDS, "%.*s", (int)strcspn(at, "|"), at);
    return words;
}

/* ---- presets ---- */

const char *spoor_pipeline_preset_name(size_t index, const char **about)
{
    if (index >= PRESETS) return NULL;
    if (about) *about = presets[index].about;
    return presets[index].name;
}

static void parameters_set_defaults(struct spoor_pipeline_config *config)
{
    *config = (struct spoor_pipeline_config){.predictor = "perfect"};
    for (size_t i = 0; i < PARAMETERS; i++)
        *parameter_member(config, &parameters[i]) = parameters[i].public.standard;
}

const char *spoor_pipeline_default(size_t index, char words[SPOOR_PIPELINE_WORDS])
{
    struct spoor_pipeline_config config;
    parameters_set_defaults(&config);
    return pipeline_value(&config, index, words);
}

bool spoor_pipeline_preset(const char *name, struct spoor_pipeline_config *config)
{
    size_t preset = 0;
    while (preset < PRESETS && strcmp(presets[preset].name, name) != 0) preset++;
    if (preset == PRESETS) return false;
    parameters_set_defaults(config);
    const char *at = presets[preset].parameters;
    struct word pair, key, value;
    while (word_next(&at, " ", &pair)) {
        char words[2][SPOOR_PIPELINE_SPEC];
        if (!word_split(pair, &key, &value) || !word_copy(key, words[0], sizeof words[0]) ||
            !word_copy(value, words[1], sizeof words[1]) ||
            spoor_pipeline_set(config, words[0], words[1], NULL) != SPOOR_OK)
            return false;
    }
    return true;
}
