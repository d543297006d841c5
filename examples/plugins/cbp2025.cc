// SPDX-License-Identifier: MIT
// cbp2025.cc: a predictor of the championship of 2025, unchanged, as the plug-in `cbp2025`:
//
//     c++ -std=c++17 -O2 -shared -fPIC -I KIT -o cbp2025.so cbp2025.cc
//         KIT/cond_branch_predictor_interface.cc
//
// where KIT is the folder of its simulator, with lib/sim_common_structs.h.  The predictor sees the
// branches alone, each fetched, predicted, decoded, executed and committed before the next: of
// other instructions, of registers and of cycles it hears nothing.  It has global variables: a
// second instance is refused, as in cbp2016.cc.
#include "lib/sim_common_structs.h"

#include <spoor/plugin.h>

// The functions of the championship's interface.
void beginCondDirPredictor();
void notify_instr_fetch(uint64_t number, uint8_t piece, uint64_t pc, const uint64_t cycle);
bool get_cond_dir_prediction(uint64_t number, uint8_t piece, uint64_t pc, const uint64_t cycle);
void spec_update(uint64_t number, uint8_t piece, uint64_t pc, InstClass kind, const bool taken,
                 const bool guess, const uint64_t next_pc);
void notify_instr_decode(uint64_t number, uint8_t piece, uint64_t pc, const DecodeInfo &decoded,
                         const uint64_t cycle);
void notify_instr_execute_resolve(uint64_t number, uint8_t piece, uint64_t pc, const bool guess,
                                  const ExecuteInfo &executed, const uint64_t cycle);
void notify_instr_commit(uint64_t number, uint8_t piece, uint64_t pc, const bool guess,
                         const ExecuteInfo &executed, const uint64_t cycle);
void endCondDirPredictor();

namespace
{

struct State {
    uint64_t number; // of branches
    bool guess;
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
    beginCondDirPredictor();
    return nullptr;
}

void destroy(void *)
{
    endCondDirPredictor();
}

InstClass class_of(const struct spoor_branch *branch)
{
    const bool indirect = branch->type & SPOOR_BRANCH_INDIRECT;
    if (spoor_branch_is_conditional(branch)) return InstClass::condBranchInstClass;
    if (branch->type & SPOOR_BRANCH_RETURN) return InstClass::ReturnInstClass;
    if (branch->type & SPOOR_BRANCH_CALL)
        return indirect ? InstClass::callIndirectInstClass : InstClass::callDirectInstClass;
    return indirect ? InstClass::uncondIndirectBranchInstClass
                    : InstClass::uncondDirectBranchInstClass;
}

bool predict(void *state, const struct spoor_branch *branch)
{
    State *self = static_cast<State *>(state);
    notify_instr_fetch(self->number, 0, branch->pc, self->number);
    return self->guess = get_cond_dir_prediction(self->number, 0, branch->pc, self->number);
}

// What follows the prediction of a conditional branch, or the fetch of another one.
void finish(State *self, const struct spoor_branch *branch, bool guess)
{
    const uint64_t number = self->number++, pc = branch->pc;
    const uint64_t after = branch->has & SPOOR_BRANCH_HAS_FALL ? branch->fall : pc + 4;
    const bool taken = spoor_branch_is_taken(branch);
    ExecuteInfo executed;
    executed.dec_info.insn_class = class_of(branch);
    executed.taken = taken;
    executed.next_pc = taken ? branch->target : after;
    executed.taken_target = branch->target;
    spec_update(number, 0, pc, class_of(branch), taken, guess, executed.next_pc);
    notify_instr_decode(number, 0, pc, executed.dec_info, number);
    notify_instr_execute_resolve(number, 0, pc, guess, executed, number);
    notify_instr_commit(number, 0, pc, guess, executed, number);
}

void train(void *state, const struct spoor_branch *branch)
{
    State *self = static_cast<State *>(state);
    finish(self, branch, self->guess);
}

void track(void *state, const struct spoor_branch *branch)
{
    State *self = static_cast<State *>(state);
    if (spoor_branch_is_conditional(branch)) return;
    notify_instr_fetch(self->number, 0, branch->pc, self->number);
    finish(self, branch, true);
}

SPOOR_PREDICTOR_LOOP(run, predict, train, track)

const struct spoor_plugin_predictor cbp2025 = {
    {"cbp2025", "a predictor of the championship of 2025", nullptr, nullptr, size, create, destroy},
    nullptr,
    predict,
    train,
    track,
    run,
};
const struct spoor_plugin_predictor *const predictors[] = {&cbp2025, nullptr};

} // namespace

const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, predictors, nullptr,
                                                nullptr,           nullptr,    nullptr};
