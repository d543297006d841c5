/* SPDX-License-Identifier: MIT */
/* fold.c: feeds a trace to the fold of a plug-in, and makes a result tree of what it reports. */
#include "spoor/fold.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/error.h"
#include "model/options.h"
#include "result/result_node.h"
#include "simulate/cpus.h"
#include "simulate/fold.h"
#include "spoor/view.h"

enum { FOLD_ACCESSES = 512 }; /* that it is given at once: 28 KB */

struct spoor_fold {
    struct component_setup setup;
    char *spec;
    void *state;
    struct spoor_references references;
    struct spoor_branches branches;
    struct spoor_instructions *instructions; /* NULL: the fold takes none */
    struct cpus cpus;                        /* of accesses */
    struct spoor_plugin_access accesses[FOLD_ACCESSES];
    uint64_t access_count, branch_count, instruction_count;
    struct spoor_result *reported; /* by the plug-in: `results` and `rows` */
};

static const struct fold_component *fold_kind(const struct spoor_fold *fold)
{
    return (const struct fold_component *)fold->setup.component;
}

/* SPOOR_OK, or SPOOR_EUSAGE with a sentence that the plug-in returned. */
static enum spoor_status fold_status(const struct spoor_fold *fold, const char *sentence,
                                     struct spoor_error *error)
{
    const struct fold_component *kind = fold_kind(fold);
    if (!sentence) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "%s: fold '%s': %s", kind->file,
                           kind->component.about.name, sentence);
}

/* ---- construction ---- */

enum spoor_status spoor_fold_new(struct spoor_fold **made, const struct spoor_fold_options *given,
                                 struct spoor_error *error)
{
    struct spoor_fold_options options;
    struct spoor_error own = {0};
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    if (status != SPOOR_OK) return status;
    if (!options.spec) return spoor_error_set(error, SPOOR_EUSAGE, "the options name no fold");
    struct spoor_fold *fold = calloc(1, sizeof *fold);
    if (!fold) return error_no_memory(error);
    status = component_parse(&fold->setup, SPOOR_FOLD, options.spec, "", error);
    if (status == SPOOR_OK) {
        fold->spec = strdup(options.spec);
        fold->state = component_make(&fold->setup, &own);
        if (!fold->state)
            status = spoor_error_set(error, own.status, "%s: %s", fold_kind(fold)->file, own.text);
        else if (!fold->spec)
            status = error_no_memory(error);
    }
    if (status == SPOOR_OK && fold_kind(fold)->given->instruction) {
        const struct spoor_instructions_options view = {.struct_size = sizeof view,
                                                        .stream = options.stream};
        status = spoor_instructions_new(&fold->instructions, &view, error);
    }
    if (status == SPOOR_OK)
        *made = fold;
    else
        spoor_fold_free(fold);
    return status;
}

void spoor_fold_free(struct spoor_fold *fold)
{
    if (!fold) return;
    component_free(fold->setup.component, fold->state);
    spoor_references_free(&fold->references);
    spoor_branches_free(&fold->branches);
    spoor_instructions_free(fold->instructions);
    cpus_free(&fold->cpus);
    spoor_result_free(fold->reported);
    free(fold->spec);
    free(fold);
}

/* ---- feeding ---- */

static enum spoor_status fold_give_accesses(struct spoor_fold *fold, size_t count,
                                            struct spoor_error *error)
{
    fold->access_count += count;
    return count ? fold_status(fold,
                               fold_kind(fold)->given->accesses(fold->state, fold->accesses, count),
                               error)
                 : SPOOR_OK;
}

static enum spoor_status fold_take_references(struct spoor_fold *fold, struct spoor_error *error)
{
    size_t count = 0;
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < fold->references.count && status == SPOOR_OK; i++) {
        const struct spoor_reference *reference = &fold->references.items[i];
        if (reference->op > SPOOR_REFERENCE_MISC) continue; /* a request, no access */
        const size_t cpu = cpus_number(&fold->cpus, cpu_of_reference(reference));
        if (cpu == SIZE_MAX) return error_no_memory(error);
        fold->accesses[count++] = (struct spoor_plugin_access){
            .address = reference->address,
            .pc = reference->pc,
            .size = reference->size,
            .cpu = (uint32_t)cpu,
            .op = reference->op,
            .has_pc = (reference->has & SPOOR_REFERENCE_HAS_PC) != 0,
        };
        if (count < FOLD_ACCESSES) continue;
        status = fold_give_accesses(fold, count, error);
        count = 0;
    }
    return status == SPOOR_OK ? fold_give_accesses(fold, count, error) : status;
}

static enum spoor_status fold_take_branches(struct spoor_fold *fold, struct spoor_error *error)
{
    const struct spoor_branches *branches = &fold->branches;
    fold->branch_count += branches->count;
    return branches->count ? fold_status(fold,
                                         fold_kind(fold)->given->branches(
                                             fold->state, branches->items, branches->count),
                                         error)
                           : SPOOR_OK;
}

static enum spoor_status fold_take_instructions(struct spoor_fold *fold, struct spoor_error *error)
{
    struct spoor_instruction instruction = {.struct_size = sizeof instruction};
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK && spoor_instructions_next(fold->instructions, &instruction)) {
        fold->instruction_count += instruction.kind == SPOOR_INSTRUCTION_PLAIN;
        status = fold_status(fold, fold_kind(fold)->given->instruction(fold->state, &instruction),
                             error);
    }
    return status;
}

enum spoor_status spoor_fold_feed(struct spoor_fold *fold, const struct spoor_batch *batch,
                                  struct spoor_error *error)
{
    static const struct spoor_reference_options references = {.struct_size = sizeof references,
                                                              .pc_by_order = true};
    const struct spoor_plugin_fold *given = fold_kind(fold)->given;
    enum spoor_status status = SPOOR_OK;
    fold->references.count = fold->branches.count = 0;
    if (given->accesses) {
        status = spoor_references_add(&fold->references, batch, &references, error);
        if (status == SPOOR_OK) status = fold_take_references(fold, error);
    }
    if (status == SPOOR_OK && given->branches) {
        status = spoor_branches_add(&fold->branches, batch, error);
        if (status == SPOOR_OK) status = fold_take_branches(fold, error);
    }
    if (status == SPOOR_OK && given->instruction) {
        status = spoor_instructions_feed(fold->instructions, batch, error);
        if (status == SPOOR_OK) status = fold_take_instructions(fold, error);
    }
    return status;
}

/* ---- what the plug-in reports ---- */

struct fold_report {
    struct spoor_plugin_report report;
    struct spoor_result *results, *rows, *row;
    char problem[COMPONENT_SENTENCE]; /* the first one; "": none */
};

/* Where a value goes; NULL: its key is wrong. */
static struct spoor_result *fold_place(struct spoor_plugin_report *report, const char *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    struct fold_report *own = (struct fold_report *)report;
    struct spoor_result *in = own->row ? own->row : own->results;
    const char *wrong = NULL;
    if (!key || *key < 'a' || *key > 'z' || key[strspn(key, letters)])
        wrong = "expected lower-case letters, digits and '_'";
    else if (spoor_result_member(in, key))
        wrong = own->row ? "the row has it twice" : "it is there twice";
    if (!wrong) return in;
    if (!*own->problem)
        snprintf(own->problem, sizeof own->problem, "it reports the key '%s': %s", key ? key : "",
                 wrong);
    return NULL;
}

static void fold_put_count(struct spoor_plugin_report *report, const char *key, uint64_t value)
{
    spoor_result_unsigned(fold_place(report, key), key, value);
}

static void fold_put_integer(struct spoor_plugin_report *report, const char *key, int64_t value)
{
    spoor_result_signed(fold_place(report, key), key, value);
}

static void fold_put_real(struct spoor_plugin_report *report, const char *key, double value)
{
    enum { DECIMALS = 4 };
    static const char ratio[] = "_ratio";
    struct fold_report *own = (struct fold_report *)report;
    struct spoor_result *in = fold_place(report, key);
    const size_t size = in ? strlen(key) : 0, suffix = sizeof ratio - 1;
    const bool share = size > suffix && strcmp(key + size - suffix, ratio) == 0;
    if (share && (value < 0 || value > 1) && !*own->problem)
        snprintf(own->problem, sizeof own->problem,
                 "it reports the key '%s': found %g, expected a share from 0 to 1", key, value);
    spoor_result_real_if(in, key, isfinite(value), value, DECIMALS);
}

static void fold_put_address(struct spoor_plugin_report *report, const char *key, uint64_t value)
{
    spoor_result_hex(fold_place(report, key), key, value);
}

static void fold_put_text(struct spoor_plugin_report *report, const char *key, const char *value)
{
    spoor_result_text(fold_place(report, key), key, value);
}

static void fold_begin_row(struct spoor_plugin_report *report)
{
    struct fold_report *own = (struct fold_report *)report;
    own->row = spoor_result_object(own->rows, NULL);
}

static enum spoor_status fold_ask(struct spoor_fold *fold, struct spoor_error *error)
{
    fold->reported = spoor_result_new_object();
    struct fold_report own = {
        .report = {.size = sizeof own.report,
                   .count = fold_put_count,
                   .integer = fold_put_integer,
                   .real = fold_put_real,
                   .address = fold_put_address,
                   .text = fold_put_text,
                   .row = fold_begin_row},
        .results = spoor_result_object(fold->reported, "results"),
        .rows = spoor_result_array(fold->reported, "rows"),
    };
    if (!own.rows) return error_no_memory(error);
    const char *sentence = fold_kind(fold)->given->report(fold->state, &own.report);
    if (!sentence && *own.problem) sentence = own.problem;
    const enum spoor_status status = fold_status(fold, sentence, error);
    return status == SPOOR_OK && !spoor_result_complete(fold->reported) ? error_no_memory(error)
                                                                        : status;
}

enum spoor_status spoor_fold_end(struct spoor_fold *fold, struct spoor_error *error)
{
    const struct spoor_plugin_fold *given = fold_kind(fold)->given;
    enum spoor_status status = SPOOR_OK;
    fold->branches.count = 0;
    if (given->branches) {
        status = spoor_branches_end(&fold->branches, error);
        if (status == SPOOR_OK) status = fold_take_branches(fold, error);
    }
    if (status == SPOOR_OK && given->instruction) {
        status = spoor_instructions_end(fold->instructions, error);
        if (status == SPOOR_OK) status = fold_take_instructions(fold, error);
    }
    return status == SPOOR_OK ? fold_ask(fold, error) : status;
}

/* ---- report ---- */

uint64_t spoor_fold_count(const struct spoor_fold *fold)
{
    return fold->access_count + fold->branch_count + fold->instruction_count;
}

static void fold_copy_members(const struct spoor_fold *fold, const char *key,
                              struct spoor_result *to)
{
    const struct spoor_result *from = spoor_result_member(fold->reported, key);
    result_hide_empty(to);
    for (const struct spoor_result *member = spoor_result_first(from); member;
         member = spoor_result_next(member))
        spoor_result_copy(to, spoor_result_key(member), member);
}

enum spoor_status spoor_fold_report(const struct spoor_fold *fold, struct spoor_result *result)
{
    const struct spoor_plugin_fold *given = fold_kind(fold)->given;
    spoor_result_text(result, "fold", fold->spec);
    if (given->accesses) spoor_result_unsigned(result, "references", fold->access_count);
    if (given->branches) spoor_result_unsigned(result, "branches", fold->branch_count);
    if (given->instruction) spoor_result_unsigned(result, "instructions", fold->instruction_count);
    fold_copy_members(fold, "results", spoor_result_object(result, "results"));
    fold_copy_members(fold, "rows", spoor_result_array(result, "rows"));
    return result_status(result);
}
