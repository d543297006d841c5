/* SPDX-License-Identifier: MIT */
/*
 * register_role.c: the register that has a role (sp, lr, fp, flags) at a moment: that of the mode
 * of the last instruction, or, where the mode does not tell, the one that was written last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "explore/internal.h"
#include "explore/operand.h"
#include "isa/mode_role.h"

static bool role_ends(const char *text, const char *with)
{
    const size_t size = strlen(text), length = strlen(with);
    return size >= length && strcmp(text + size - length, with) == 0;
}

/* How well a register fits the mode: 0 not at all, 1 if the mode does not tell, 2 if it does. */
static int role_fit(const char *name, const char *mode)
{
    if (!mode[0]) return 1;
    const enum machine_m_mode m = machine_m_mode(mode);
    char bank[8];
    if (ascii_begins(mode, "EL") && ascii_begins(name, "sp_el"))
        return name[5] == (mode[3] == 't' ? '0' : mode[2]) ? 2 : 0;
    if (m != MACHINE_NOT_M) {
        const bool process = ascii_begins(name, "psp") || ascii_begins(name, "r13_process");
        if (m == MACHINE_HANDLER && process) return 0;
        if (role_ends(mode, "_s") && role_ends(name, "_ns")) return 0;
        if (!role_ends(mode, "_s") && role_ends(name, "_s")) return 0;
        return 1;
    }
    snprintf(bank, sizeof bank, "_%.3s", mode);
    if (ascii_begins(name, "r13_") || ascii_begins(name, "r14_") || ascii_begins(name, "r11_"))
        return role_ends(name, bank) ? 2 : 0;
    return 1;
}

struct mode {
    unsigned cpu;
    char text[16];
    enum isa isa;
    bool thumb;
    struct machine *machine;
};

static bool role_note_mode(void *context, const struct explorer_visit *visited)
{
    struct mode *mode = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind != SPOOR_INSN) return false;
    mode->isa = isa_of_instruction(mode->isa, record->insn.iset);
    mode->thumb = operand_is_thumb(mode->machine, record->insn.iset, record->insn.opcode_size);
    if (!(record->has & SPOOR_HAS_EXTRA)) return false;
    snprintf(mode->text, sizeof mode->text, "%s",
             spoor_names_text(visited->batch->stream->names, record->insn.mode, NULL));
    return false;
}

/* The record after which thread mode of the M profile certainly uses this stack pointer, + 1: an
 * instruction moved it, or CONTROL selected it.  MSR may write the one that is not in use. */
static uint64_t role_used_after(struct explorer *explorer, const struct subject *subject,
                                const char *name, uint64_t moment)
{
    enum { SEARCHED = 64, SPSEL = 2 };
    struct spoor_error error = {0};
    struct touch touch;
    uint64_t used = 0, before = moment;
    const bool process = name[0] == 'p';
    for (unsigned i = 0; i < SEARCHED; i++) {
        if (explorer_last_write(explorer, subject, before, &touch, &error) != SPOOR_OK) break;
        before = touch.record;
        if (touch.place.known && touch.place.has_bits &&
            (touch.place.bits & 0xFFF0FF00) == 0xF3808800)
            continue;
        used = touch.record + 1;
        break;
    }
    const struct machine_part control =
        machine_find_register(&explorer->machine, role_ends(name, "_s") ? "control_s" : "control");
    const struct subject selector = {.cpu = subject->cpu, .part = {.name = control.name}};
    if (!control.name ||
        explorer_last_write(explorer, &selector, moment, &touch, &error) != SPOOR_OK ||
        !touch.valued || touch.record < used)
        return used;
    const bool selected = (strtoul(touch.value, NULL, 16) & SPSEL) != 0;
    return selected == process ? touch.record + 1 : used;
}

spoor_name explorer_role(struct explorer *explorer, const char *text, unsigned cpu, uint64_t moment,
                         uint64_t mode_moment)
{
    static const struct {
        const char *text;
        enum mode_role role;
    } words[] = {{"sp", ROLE_SP},     {"r13", ROLE_SP},    {"lr", ROLE_LR},
                 {"r14", ROLE_LR},    {"fp", ROLE_FP},     {"flags", ROLE_FLAG},
                 {"nzcv", ROLE_FLAG}, {"cpsr", ROLE_FLAG}, {"xpsr", ROLE_FLAG},
                 {"psr", ROLE_FLAG},  {"apsr", ROLE_FLAG}};
    const struct spoor_names *names = explorer->machine.registers;
    enum mode_role role = NO_ROLE;
    for (size_t i = 0; i < sizeof words / sizeof *words && role == NO_ROLE; i++)
        if (ascii_compare(text, words[i].text) == 0) role = words[i].role;
    struct mode mode = {.cpu = cpu, .isa = explorer->machine.isa, .machine = &explorer->machine};
    spoor_name best = SPOOR_NO_NAME;
    uint64_t latest = 0;
    int best_fit = 0;
    if (role == NO_ROLE) return SPOOR_NO_NAME;
    struct spoor_error unread = {0};
    struct calls *calls = NULL;
    if (explorer_calls(explorer, mode_moment, &calls, &unread) == SPOOR_OK) {
        const struct call_place *last = calls_place(calls, cpu);
        if (last->known)
            explorer_visit(explorer, last->record, last->record + 1, role_note_mode, &mode,
                           &unread);
        calls_free(calls);
    }
    for (size_t i = 1; i < spoor_names_count(names); i++) {
        const char *name = spoor_names_text(names, (spoor_name)i, NULL);
        if (!mode_role_fits(name, role, mode.isa, mode.thumb)) continue;
        const struct subject subject = {.cpu = cpu, .part = {.name = (spoor_name)i}};
        const int how = role_fit(name, mode.text);
        struct spoor_error error = {0};
        struct touch touch;
        if (how == 0 || explorer_last_write(explorer, &subject, UINT64_MAX, &touch, &error))
            continue;
        const bool written =
            explorer_last_write(explorer, &subject, moment, &touch, &error) == SPOOR_OK;
        const bool banked = ascii_begins(name, "msp") || ascii_begins(name, "psp");
        const uint64_t record = !written ? 0
                                : banked ? role_used_after(explorer, &subject, name, moment)
                                         : touch.record + 1;
        if (best && (how < best_fit || (how == best_fit && record <= latest))) continue;
        best = (spoor_name)i;
        best_fit = how;
        latest = record;
    }
    return best;
}
