/* SPDX-License-Identifier: MIT */
/* predictor.c: the public interface of the predictors. */
#include "spoor/predictor.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/branch/predictor.h"

const char *spoor_predictor_preset(const char *name)
{
    static const struct {
        const char *name, *defaults;
    } presets[] = {
        {"textbook", ""}, {"penn", "shift=0,start=0,truncate=1"}, {"sfsu", "shift=0,start=1"}};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0) return presets[i].defaults;
    return NULL;
}

size_t predictor_memory(const char *spec, const char *defaults, struct spoor_error *error)
{
    struct component_setup setup = {0};
    return component_parse(&setup, SPOOR_PREDICTOR, spec, defaults, error) == SPOOR_OK
               ? component_memory(&setup)
               : 0;
}

enum spoor_status spoor_predictor_new_with(struct spoor_predictor **made, const char *spec,
                                           const char *defaults, struct spoor_error *error)
{
    struct component_setup setup = {0};
    *made = NULL;
    const enum spoor_status status =
        component_parse(&setup, SPOOR_PREDICTOR, spec, defaults, error);
    if (status != SPOOR_OK) return status;
    struct spoor_error own = {.status = SPOOR_ENOMEM};
    struct spoor_predictor *predictor = malloc(sizeof *predictor);
    if (predictor) {
        *predictor = (struct spoor_predictor){.kind = (const struct predictor *)setup.component,
                                              .setup = setup,
                                              .state = component_make(&setup, &own)};
        *made = predictor->state ? predictor : NULL;
    }
    if (*made) return SPOOR_OK;
    free(predictor);
    if (own.status == SPOOR_EUSAGE) return spoor_error_set(error, SPOOR_EUSAGE, "%s", own.text);
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory making the predictor '%s'", spec);
}

enum spoor_status spoor_predictor_new(struct spoor_predictor **predictor, const char *spec,
                                      struct spoor_error *error)
{
    return spoor_predictor_new_with(predictor, spec, "", error);
}

void spoor_predictor_free(struct spoor_predictor *predictor)
{
    if (!predictor) return;
    component_free(predictor->setup.component, predictor->state);
    free(predictor);
}

bool spoor_predictor_asks(const struct spoor_predictor *predictor,
                          const struct spoor_branch *branch)
{
    return predictor->kind->asks ? predictor->kind->asks(branch) : branch_is_conditional(branch);
}

bool spoor_predictor_predict(struct spoor_predictor *predictor, const struct spoor_branch *branch)
{
    return predictor->kind->predict(predictor->state, branch);
}

uint64_t spoor_predictor_target(const struct spoor_predictor *predictor)
{
    return predictor->kind->asks ? *(const uint64_t *)predictor->state : 0;
}

void spoor_predictor_train(struct spoor_predictor *predictor, const struct spoor_branch *branch)
{
    predictor->kind->train(predictor->state, branch);
}

void spoor_predictor_track(struct spoor_predictor *predictor, const struct spoor_branch *branch)
{
    predictor->kind->track(predictor->state, branch);
}

/* The loop of a plug-in that has none. */
static uint64_t predictor_run_each(struct spoor_predictor *predictor,
                                   const struct spoor_branch *branches, size_t count,
                                   uint8_t *wrong)
{
    const struct predictor *kind = predictor->kind;
    void *state = predictor->state;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_branch *branch = &branches[i];
        bool missed = false;
        if (spoor_predictor_asks(predictor, branch)) {
            const bool guess = kind->predict(state, branch);
            missed = kind->asks ? !guess || *(const uint64_t *)state != branch->target
                                : guess != branch_is_taken(branch);
            kind->train(state, branch);
        }
        kind->track(state, branch);
        sum += missed;
        if (wrong) wrong[i] = missed;
    }
    return sum;
}

uint64_t spoor_predictor_run(struct spoor_predictor *predictor, const struct spoor_branch *branches,
                             size_t count, uint8_t *wrong)
{
    const struct predictor *kind = predictor->kind;
    if (kind->run) return kind->run(predictor->state, branches, count, wrong);
    return predictor_run_each(predictor, branches, count, wrong);
}

const struct spoor_component *spoor_predictor_component(const struct spoor_predictor *predictor)
{
    return &predictor->kind->component.about;
}

enum spoor_predictor_aim spoor_predictor_aim(const struct spoor_predictor *predictor)
{
    return predictor->kind->asks ? SPOOR_PREDICTS_TARGET : SPOOR_PREDICTS_DIRECTION;
}

uint64_t spoor_predictor_value(const struct spoor_predictor *predictor, const char *key)
{
    const struct spoor_component_key *keys = predictor->kind->component.about.keys;
    for (size_t i = 0; keys && keys[i].name; i++)
        if (strcmp(keys[i].name, key) == 0) return predictor->setup.values[i];
    return 0;
}

uint64_t spoor_predictor_storage(const struct spoor_predictor *predictor)
{
    const struct component *component = &predictor->kind->component;
    struct component_size size = {0};
    if (component->size) component->size(&predictor->setup, &size);
    return size.bits;
}

char *spoor_predictor_state(const struct spoor_predictor *predictor)
{
    struct text text = {0};
    if (!predictor->kind->show) return NULL;
    predictor->kind->show(predictor->state, &text);
    return text_hand_out(&text, NULL);
}
