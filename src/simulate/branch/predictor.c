/* SPDX-License-Identifier: MIT */
/* predictor.c: the public interface of the predictors. */
#include "spoor/predictor.h"

#include <stdlib.h>

#include "simulate/branch/kind.h"
#include "simulate/branch/spec.h"

enum { LINE = 64, MAX_CAPACITY = 1 << 30 };

struct spoor_predictor {
    const struct predictor_kind *kind;
    uint64_t values[MAX_KEYS];
    void *state;
};

const char *spoor_predictor_preset(const char *name)
{
    static const struct {
        const char *name, *defaults;
    } presets[] = {{"textbook", ""}, {"penn", "shift=0,start=0"}, {"sfsu", "shift=0,start=1"}};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0) return presets[i].defaults;
    return NULL;
}

/* Allocates the state, aligned to a cache line; false if memory runs out. */
static bool make_state(struct spoor_predictor *predictor)
{
    size_t capacity =
        (predictor->kind->capacity(predictor->values) + LINE - 1) & ~(size_t)(LINE - 1);
    predictor->state = aligned_alloc(LINE, capacity);
    if (!predictor->state) return false;
    memset(predictor->state, 0, capacity);
    predictor->kind->start(predictor->state, predictor->values);
    return true;
}

/* Choose the kind and the values of the keys; false: `error` has a message. */
static bool parse(struct spoor_predictor *predictor, const char *spec, const char *defaults,
                  struct spoor_error *error)
{
    int kind = spec_kind(spec, error);
    if (kind < 0) return false;
    predictor->kind = predictor_kinds[kind];
    if (spec_values(spec, defaults, &predictor->kind->about, predictor->values, error) != SPOOR_OK)
        return false;
    const char *why = predictor->kind->refuse ? predictor->kind->refuse(predictor->values) : NULL;
    if (!why && predictor->kind->capacity(predictor->values) > MAX_CAPACITY)
        why = "its tables are over 1 GiB";
    if (why) spoor_error_set(error, SPOOR_EUSAGE, "predictor '%s': %s", spec, why);
    return !why;
}

size_t predictor_memory(const char *spec, const char *defaults, struct spoor_error *error)
{
    struct spoor_predictor parsed = {0};
    return parse(&parsed, spec, defaults, error) ? parsed.kind->capacity(parsed.values) : 0;
}

bool predictor_same(const struct spoor_predictor *one, const struct spoor_predictor *other)
{
    return one->kind == other->kind && memcmp(one->values, other->values, sizeof one->values) == 0;
}

enum spoor_status spoor_predictor_new_with(struct spoor_predictor **made, const char *spec,
                                           const char *defaults, struct spoor_error *error)
{
    struct spoor_predictor parsed = {0};
    *made = NULL;
    if (!parse(&parsed, spec, defaults, error)) return SPOOR_EUSAGE;
    struct spoor_predictor *predictor = malloc(sizeof *predictor);
    if (predictor) *predictor = parsed;
    if (predictor && make_state(predictor)) {
        *made = predictor;
        return SPOOR_OK;
    }
    free(predictor);
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
    free(predictor->state);
    free(predictor);
}

bool spoor_predictor_asks(const struct spoor_predictor *predictor,
                          const struct spoor_branch *branch)
{
    return predictor->kind->asks ? predictor->kind->asks(branch) : is_conditional(branch);
}

bool spoor_predictor_predict(struct spoor_predictor *predictor, const struct spoor_branch *branch)
{
    return predictor->kind->predict(predictor->state, branch);
}

uint64_t spoor_predictor_target(const struct spoor_predictor *predictor)
{
    return predictor->kind->target ? predictor->kind->target(predictor->state) : 0;
}

void spoor_predictor_train(struct spoor_predictor *predictor, const struct spoor_branch *branch)
{
    predictor->kind->train(predictor->state, branch);
}

void spoor_predictor_track(struct spoor_predictor *predictor, const struct spoor_branch *branch)
{
    predictor->kind->track(predictor->state, branch);
}

uint64_t spoor_predictor_run(struct spoor_predictor *predictor, const struct spoor_branch *branches,
                             size_t count, uint8_t *wrong)
{
    return predictor->kind->run(predictor->state, branches, count, wrong);
}

const struct spoor_predictor_kind *spoor_predictor_kind_of(const struct spoor_predictor *predictor)
{
    return &predictor->kind->about;
}

uint64_t spoor_predictor_value(const struct spoor_predictor *predictor, const char *key)
{
    const struct spoor_predictor_key *keys = predictor->kind->about.keys;
    for (size_t i = 0; keys[i].name; i++)
        if (strcmp(keys[i].name, key) == 0) return predictor->values[i];
    return 0;
}

uint64_t spoor_predictor_storage(const struct spoor_predictor *predictor)
{
    return predictor->kind->storage(predictor->values);
}

char *spoor_predictor_state(const struct spoor_predictor *predictor)
{
    struct text text = {0};
    if (!predictor->kind->show) return NULL;
    predictor->kind->show(predictor->state, &text);
    text_put(&text, "", 1);
    if (!text.failed) return text.bytes;
    text_free(&text);
    return NULL;
}
