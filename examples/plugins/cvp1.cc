// SPDX-License-Identifier: MIT
// cvp1.cc: a predictor of the first championship of value prediction, unchanged, as the plug-in
// `cvp1`:
//
//     c++ -O2 -shared -fPIC -I KIT -o cvp1.so cvp1.cc KIT/mypredictor.cc
//
// where KIT is the folder of its simulator, with cvp.h; the kit has the winner, EVES (Seznec,
// 2018).  Then `spoor values --plugin ./cvp1.so -p cvp1 TRACE`.  Each value is predicted, updated
// and committed before the next: none is in flight.  A load takes 4 cycles, as one that hits the
// simulator's first level, anything else 1; registers and kinds of arithmetic are not known, and
// a branch is known by the instruction after it.  The predictor has global variables: a second
// instance is refused, as in cbp2016.cc.
#include <cstdint> // cvp.h uses it

#include "cvp.h"

#include <spoor/plugin.h>

namespace
{

constexpr uint64_t unknown = 0xdeadbeef; // in the championship's interface
enum : uint8_t { WRONG, RIGHT, NOT_USED };

struct State {
    uint64_t number; // of micro-operations
    uint64_t guess;
    bool used;
    bool writes; // the instruction writes a value
};
bool made;

const char *size(struct spoor_plugin_setup *setup)
{
    setup->state_bytes = sizeof(State);
    setup->storage_bits = SPOOR_PLUGIN_UNSTATED;
    return nullptr;
}

const char *create(void *, struct spoor_plugin_setup *)
{
    if (__atomic_exchange_n(&made, true, __ATOMIC_RELAXED))
        return "the predictor has global variables: expected one trace, one cpu and one predictor "
               "of this name";
    beginPredictor(0, nullptr);
    return nullptr;
}

void destroy(void *)
{
    endPredictor();
}

PredictionResult ask(const State *self, uint64_t pc, uint8_t piece, bool candidate)
{
    PredictionRequest request;
    request.seq_no = self->number;
    request.pc = pc;
    request.piece = piece;
    request.is_candidate = candidate;
    return getPrediction(request);
}

bool predict(void *state, const struct spoor_plugin_value *value, uint64_t *guess)
{
    State *self = static_cast<State *>(state);
    const PredictionResult result = ask(self, value->pc, static_cast<uint8_t>(value->part), true);
    self->writes = true;
    self->used = result.speculate;
    *guess = self->guess = result.predicted_value;
    return self->used;
}

void train(void *state, const struct spoor_plugin_value *value)
{
    State *self = static_cast<State *>(state);
    const uint8_t result = !self->used ? NOT_USED : self->guess == value->value ? RIGHT : WRONG;
    speculativeUpdate(self->number, true, result, value->pc, value->pc + 4,
                      value->load ? loadInstClass : aluInstClass, static_cast<uint8_t>(value->part),
                      unknown, unknown, unknown, 0);
    updatePredictor(self->number++, unknown, value->value, value->load ? 4 : 1);
}

// An instruction that writes nothing, and one that writes a value and branches.
void track(void *state, uint64_t pc, uint64_t next)
{
    State *self = static_cast<State *>(state);
    const bool branches = next != pc + 4, wrote = self->writes;
    self->writes = false;
    if (wrote && !branches) return;
    ask(self, pc, 0, false);
    speculativeUpdate(self->number, false, NOT_USED, pc, next,
                      !branches ? aluInstClass
                      : wrote   ? uncondDirectBranchInstClass
                                : condBranchInstClass,
                      0, unknown, unknown, unknown, unknown);
    updatePredictor(self->number++, unknown, unknown, 1);
}

const struct spoor_plugin_value_predictor cvp1 = {
    {"cvp1", "a predictor of the first championship of value prediction", nullptr, nullptr, size,
     create, destroy},
    predict,
    train,
    track,
};
const struct spoor_plugin_value_predictor *const predictors[] = {&cvp1, nullptr};

} // namespace

const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, nullptr,    nullptr,
                                                nullptr,           predictors, nullptr};
