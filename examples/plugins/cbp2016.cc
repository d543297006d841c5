// SPDX-License-Identifier: MIT
// cbp2016.cc: a predictor class of the championship of 2016, unchanged, as the plug-in `cbp2016`:
//
//     c++ -O2 -shared -fPIC -I FOLDER -I cbp2016 -o cbp2016.so cbp2016.cc [FOLDER/predictor.cc]
//
// where FOLDER has the class's predictor.h.  These classes keep their tables in global variables,
// so that a second instance would go on with what the first has learnt: it is refused, and one run
// predicts one trace of one cpu.  -DINSTANCES: the class has none, and there may be many instances.
#include "utils.h"

#include "predictor.h"

#include <spoor/plugin.h>

namespace
{

struct State {
    PREDICTOR *predictor;
    bool guess; // the last prediction, which training gets
};

#ifndef INSTANCES
bool made;
#endif

const char *size(struct spoor_plugin_setup *setup)
{
    setup->state_bytes = sizeof(State);
    setup->storage_bits = SPOOR_PLUGIN_UNSTATED;
    return nullptr;
}

const char *create(void *state, struct spoor_plugin_setup *)
{
#ifndef INSTANCES
    if (__atomic_exchange_n(&made, true, __ATOMIC_RELAXED))
        return "the class has global variables: expected one trace, one cpu and one predictor of "
               "this name";
#endif
    static_cast<State *>(state)->predictor = new PREDICTOR;
    return nullptr;
}

void destroy(void *state)
{
    delete static_cast<State *>(state)->predictor;
}

OpType type_of(const struct spoor_branch *branch)
{
    const bool conditional = spoor_branch_is_conditional(branch);
    const bool indirect = branch->type & SPOOR_BRANCH_INDIRECT;
    if (branch->type & SPOOR_BRANCH_RETURN)
        return conditional ? OPTYPE_RET_COND : OPTYPE_RET_UNCOND;
    if (branch->type & SPOOR_BRANCH_CALL)
        return indirect      ? conditional ? OPTYPE_CALL_INDIRECT_COND : OPTYPE_CALL_INDIRECT_UNCOND
               : conditional ? OPTYPE_CALL_DIRECT_COND
                             : OPTYPE_CALL_DIRECT_UNCOND;
    return indirect      ? conditional ? OPTYPE_JMP_INDIRECT_COND : OPTYPE_JMP_INDIRECT_UNCOND
           : conditional ? OPTYPE_JMP_DIRECT_COND
                         : OPTYPE_JMP_DIRECT_UNCOND;
}

bool predict(void *state, const struct spoor_branch *branch)
{
    State *self = static_cast<State *>(state);
    return self->guess = self->predictor->GetPrediction(branch->pc);
}

void train(void *state, const struct spoor_branch *branch)
{
    State *self = static_cast<State *>(state);
    self->predictor->UpdatePredictor(branch->pc, type_of(branch), spoor_branch_is_taken(branch),
                                     self->guess, branch->target);
}

// The class has seen conditional branches already.
void track(void *state, const struct spoor_branch *branch)
{
    if (spoor_branch_is_conditional(branch)) return;
    static_cast<State *>(state)->predictor->TrackOtherInst(
        branch->pc, type_of(branch), spoor_branch_is_taken(branch), branch->target);
}

SPOOR_PREDICTOR_LOOP(run, predict, train, track)

const struct spoor_plugin_predictor cbp2016 = {
    {"cbp2016", "a class of the championship of 2016", nullptr, nullptr, size, create, destroy},
    nullptr,
    predict,
    train,
    track,
    run,
};
const struct spoor_plugin_predictor *const predictors[] = {&cbp2016, nullptr};

} // namespace

const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, predictors, nullptr,
                                                nullptr,           nullptr,    nullptr};
