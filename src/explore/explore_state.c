/* SPDX-License-Identifier: MIT */
/* explore_state.c: the functions of spoor/explore.h about the registers and calls of a moment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "explore/internal.h"
#include "model/options.h"

struct spoor_state {
    const struct machine *machine;
    struct registers registers;
    struct calls *calls;
};

enum spoor_status spoor_explorer_state(struct spoor_explorer *shown, uint64_t moment,
                                       struct spoor_state **made, struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct spoor_error *own = explorer_error(shown, error);
    struct spoor_state *state = calloc(1, sizeof *state);
    *made = NULL;
    if (!state) return memory_status(false, error);
    state->machine = &explorer->machine;
    enum spoor_status status = explorer_registers(explorer, moment, &state->registers, own);
    if (status == SPOOR_OK) status = explorer_calls(explorer, moment, &state->calls, own);
    if (status == SPOOR_OK)
        *made = state;
    else
        spoor_state_free(state);
    return status;
}

void spoor_state_free(struct spoor_state *state)
{
    if (!state) return;
    registers_free(&state->registers);
    calls_free(state->calls);
    free(state);
}

bool spoor_state_last(const struct spoor_state *state, unsigned cpu,
                      struct spoor_last_instruction *place)
{
    const struct call_place *last = calls_place(state->calls, cpu);
    const struct spoor_last_instruction made = {
        .record = last->record, .time = last->time, .pc = last->pc};
    struct_fill(place, &made, sizeof made);
    return last->known;
}

size_t spoor_state_depth(const struct spoor_state *state, unsigned cpu)
{
    return calls_stack(state->calls, cpu)->count;
}

bool spoor_state_frame(const struct spoor_state *state, unsigned cpu, size_t depth,
                       struct spoor_frame *frame)
{
    const struct call_stack *stack = calls_stack(state->calls, cpu);
    if (depth >= stack->count) return false;
    const struct call_frame *own = &stack->frames[depth];
    const struct spoor_frame made = {
        .record = own->record,
        .time = own->time,
        .from = own->from,
        .function = own->function,
        .back = own->back,
        .sp = own->sp,
        .kind = own->kind == CALL_EXCEPTION ? SPOOR_CALL_EXCEPTION : SPOOR_CALL_PLAIN,
        .has_back = own->has & CALL_HAS_BACK,
        .has_sp = own->has & CALL_HAS_SP,
        .nowhere = own->has & CALL_FROM_UNKNOWN,
        .known = call_frame_knows_function(own),
    };
    struct_fill(frame, &made, sizeof made);
    return true;
}

bool spoor_state_stack_pointer(const struct spoor_state *state, unsigned cpu, uint64_t *sp)
{
    return calls_stack_pointer(state->calls, cpu, sp);
}

enum spoor_status spoor_explorer_gap(struct spoor_explorer *shown, unsigned cpu, uint64_t moment,
                                     struct spoor_gap *gap, struct spoor_error *error)
{
    struct call_gap found;
    const enum spoor_status status =
        explorer_gap_before(explorer_of(shown), cpu, moment, &found, explorer_error(shown, error));
    if (status != SPOOR_OK) return status;
    const struct spoor_gap made = {.record = found.record, .instructions = found.instructions};
    struct_fill(gap, &made, sizeof made);
    return found.record == UINT64_MAX ? SPOOR_END : SPOOR_OK;
}

/* ---- registers ---- */

bool spoor_state_value(const struct spoor_state *state, const struct spoor_subject *subject,
                       struct spoor_register_value *value)
{
    const struct cell *cell =
        subject->name ? registers_find(&state->registers, subject->cpu, subject->name) : NULL;
    if (!cell) return false;
    const unsigned low = subject->low;
    const unsigned bits = subject->bits ? subject->bits : cell->bits;
    struct spoor_register_value made = {
        .writer = cell->writer, .bits = (uint16_t)bits, .written = cell->written};
    for (unsigned i = 0; i < bits && low + i < 8 * REGISTER_BYTES; i++) {
        const unsigned from = low + i;
        made.bytes[i / 8] |= (uint8_t)((cell->bytes[from / 8] >> from % 8 & 1) << i % 8);
        made.known[i / 8] |= (uint8_t)((cell->known[from / 8] >> from % 8 & 1) << i % 8);
    }
    struct_fill(value, &made, sizeof made);
    return true;
}

/* A register in the order in which people list them. */
struct listed_register {
    char name[MACHINE_NAME_SIZE];
    const struct cell *cell;
    size_t name_at, value_at, before_at; /* where its texts are; 0: there is none */
};

/* Orders numbered registers before others, and wide ones last; within those, x2 before x10. */
static int register_list_order(const void *a, const void *b)
{
    const struct listed_register *const pair[] = {a, b};
    const char *one = pair[0]->name, *other = pair[1]->name;
    int rank = 0;
    for (int i = 0; i < 2; i++) {
        const char *name = pair[i]->name;
        const bool is_numbered = name[0] && name[1] >= '0' && name[1] <= '9';
        const bool is_wide = pair[i]->cell && pair[i]->cell->bits > 64;
        const int own = is_wide ? 3 : is_numbered ? 0 : strchr(name, '_') ? 2 : 1;
        rank += i ? -own : own;
    }
    const size_t word = strcspn(one, "0123456789"), length = strcspn(other, "0123456789");
    if (rank) return rank;
    if (word == length && strncmp(one, other, word) == 0 && one[word] && other[length]) {
        struct scan left = {one + word, one + strlen(one)},
                    right = {other + length, other + strlen(other)};
        uint64_t number = 0, last = 0;
        scan_decimal(&left, &number);
        scan_decimal(&right, &last);
        if (number != last) return number < last ? -1 : 1;
    }
    return strcmp(one, other);
}

/* Appends the text of a value; returns its offset, or 0, where "" is, if there is none. */
static size_t register_put_value(struct text *texts, const struct cell *cell)
{
    const size_t at = texts->size;
    if (!cell) return 0;
    cell_text(cell, 0, 0, texts);
    text_put(texts, "", 1);
    return at;
}

/* The registers of a processor that are known or were written: numbered ones first, x2 before x10,
 * system registers after them, wide ones last.  With `before`, only those that differ from it.  The
 * texts are after them in one block. */
enum spoor_status spoor_state_registers(const struct spoor_state *state,
                                        const struct spoor_state *before, unsigned cpu,
                                        struct spoor_register **list, size_t *count,
                                        struct spoor_error *error)
{
    const struct machine *machine = state->machine;
    const size_t names = spoor_names_count(machine->registers);
    struct listed_register *listed = calloc(names + 1, sizeof *listed);
    struct text texts = {0};
    size_t found = 0;
    text_put(&texts, "", 1);
    for (size_t i = 1; listed && i < names; i++) {
        const spoor_name name = (spoor_name)i;
        const struct cell *cell = registers_find(&state->registers, cpu, name);
        const struct cell *old = before ? registers_find(&before->registers, cpu, name) : NULL;
        const bool same = cell && old
                              ? cell->bits == old->bits &&
                                    memcmp(cell->known, old->known, sizeof cell->known) == 0 &&
                                    memcmp(cell->bytes, old->bytes, sizeof cell->bytes) == 0
                              : cell == old;
        if (before ? same : !cell || !cell->bits) continue;
        struct listed_register *reg = &listed[found++];
        char capacity[MACHINE_NAME_SIZE];
        reg->cell = cell;
        reg->value_at = register_put_value(&texts, cell);
        reg->before_at = register_put_value(&texts, old);
        reg->name_at = texts.size;
        snprintf(reg->name, sizeof reg->name, "%s", machine_register_name(machine, name, capacity));
        text_put(&texts, reg->name, strlen(reg->name) + 1);
    }
    *list = listed && !texts.failed ? malloc((found + 1) * sizeof **list + texts.size) : NULL;
    *count = *list ? found : 0;
    if (*list) {
        char *bytes = (char *)(*list + found + 1);
        memcpy(bytes, texts.bytes, texts.size);
        qsort(listed, found, sizeof *listed, register_list_order);
        for (size_t i = 0; i < found; i++) {
            const struct cell *cell = listed[i].cell;
            (*list)[i] = (struct spoor_register){
                .name = bytes + listed[i].name_at,
                .value = listed[i].value_at ? bytes + listed[i].value_at : NULL,
                .before = listed[i].before_at ? bytes + listed[i].before_at : NULL,
                .writer = cell ? cell->writer : 0,
                .bits = cell ? cell->bits : 0,
                .written = cell && cell->written,
            };
        }
    }
    text_free(&texts);
    free(listed);
    return memory_status(*list != NULL, error);
}
