/* SPDX-License-Identifier: MIT */
/* why.c: the verb `why`: the last fault of a trace, and what led to it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/asking.h"
#include "spoor/fault.h"

struct why_settings {
    struct settings common;
    const char *at, *cpu;
    uint64_t depth;
    bool no_index;
    struct byte_order order;
};

enum { LABEL = 15, COLUMNS = 80 };
static const char NOT_STATED[] = "not stated in this trace";

static const struct option options[] = {
    OPT(0, "at", TEXT, "MOMENT", offsetof(struct why_settings, at),
        "the last fault before a time, record:N, line:N or pc:ADDR[#VISIT]; end (the default)"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct why_settings, cpu), "of one cpu"),
    OPT(0, "depth", NUMBER, "N", offsetof(struct why_settings, depth),
        "follow the pointer N steps back (default: 10; 0: all)"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS(struct why_settings, order),
    NO_INDEX_OPTION(offsetof(struct why_settings, no_index)),
    OPTION_END,
};

/* ---- text ---- */

/* Appends words; a line that would be too long goes on below, indented. */
static void put_wrapped(struct text *text, const char *words, size_t indent)
{
    size_t line = text->size;
    while (line && text->bytes[line - 1] != '\n') line--;
    while (*words) {
        const size_t size = strcspn(words, " ");
        const bool begins = text->size == line || text->bytes[text->size - 1] == ' ';
        if (!begins && text->size - line + 1 + size > COLUMNS) {
            text_printf(text, "\n%*s", (int)indent, "");
            line = text->size - indent;
        } else if (!begins) {
            text_puts(text, " ");
        }
        text_put(text, words, size);
        words += size;
        words += *words == ' ';
    }
}

static void put_line(struct text *text, const char *label, const struct text *words)
{
    text_printf(text, "  %-*s", LABEL - 2, label);
    if (words->bytes) put_wrapped(text, words->bytes, LABEL);
    text_puts(text, "\n");
}

static void put_upper(struct text *text, const char *name)
{
    for (; *name; name++) text_printf(text, "%c", toupper((unsigned char)*name));
}

static const char *const accesses[] = {[SPOOR_FAULT_READ] = "aborted read of",
                                       [SPOOR_FAULT_WRITE] = "aborted write to",
                                       [SPOOR_FAULT_FETCH] = "instruction fetch at"};

static void put_access(const struct spoor_processor_fault *fault, struct text *text)
{
    text_printf(text, "%s 0x%" PRIx64, accesses[fault->access], fault->address);
}

/* The steps as one sentence: "MEMMANAGE (execute never), escalated to HARDFAULT, then lockup". */
static void put_steps(const struct spoor_processor_fault *fault, struct text *text)
{
    const struct spoor_fault_step *raised = NULL;
    const size_t before = text->size;
    for (uint32_t i = 0; i < fault->step_count; i++) {
        const struct spoor_fault_step *step = &fault->steps[i];
        const char *comma = text->size > before ? ", " : "";
        switch ((enum spoor_fault_step_kind)step->kind) {
        case SPOOR_FAULT_RAISED:
            text_printf(text, "%s%s", comma, step->name);
            if (step->words[0]) text_printf(text, " (%s)", step->words);
            raised = step;
            break;
        case SPOOR_FAULT_ESCALATED:
            text_printf(text, "%sescalated to %s", comma, step->name);
            raised = step;
            break;
        case SPOOR_FAULT_TAKEN: /* what was raised or escalated is said already */
            if (raised && strcasecmp(raised->name, step->name) == 0) break;
            text_printf(text, "%s%s", comma, step->name);
            if (step->numbered) text_printf(text, " %" PRIu64, step->number);
            break;
        case SPOOR_FAULT_LOCKUP: text_printf(text, "%slockup", *comma ? ", then " : ""); break;
        case SPOOR_FAULT_RESET: text_printf(text, "%sreset", *comma ? ", then " : ""); break;
        }
    }
}

static void put_headline(const struct asking *asking, const struct spoor_processor_fault *fault,
                         struct text *text)
{
    struct text words = {0};
    text_printf(&words, "%s: ", asking->path);
    if (fault->access) put_access(fault, &words);
    if (fault->access && fault->step_count) text_puts(&words, ": ");
    put_steps(fault, &words);
    if (!fault->access && fault->register_count && fault->registers[0].words[0])
        text_printf(&words, "%s%s", fault->step_count ? ": " : "", fault->registers[0].words);
    else if (!fault->access && !fault->step_count)
        text_puts(&words, "a fault whose cause is not stated");
    text_put(&words, "", 1);
    if (!words.failed) put_wrapped(text, words.bytes, 4);
    text->failed |= words.failed;
    text_puts(text, "\n");
    text_free(&words);
}

static void put_instruction(struct asking *asking, const struct spoor_processor_fault *fault,
                            const char *words, struct text *text)
{
    text_printf(text, "  %-*s", LABEL - 2, "instruction");
    if (!fault->has_instruction) {
        text_printf(text, "%s\n", NOT_STATED);
        return;
    }
    text_printf(text, "0x%08" PRIx64 "  %s, record %" PRIu64, fault->pc, words, fault->instruction);
    text_puts(text, "\n");
    struct text source = {0};
    put_located(asking, fault->pc, &source);
    text_put(&source, "", 1);
    if (source.size > 3 && !source.failed)
        text_printf(text, "  %-*s%s\n", LABEL - 2, "source", source.bytes + 2);
    text_free(&source);
}

static void put_chain(const struct spoor_processor_fault *fault, struct text *text)
{
    static const char *const kinds[] = {[SPOOR_FAULT_RAISED] = "raised",
                                        [SPOOR_FAULT_ESCALATED] = "escalated to",
                                        [SPOOR_FAULT_TAKEN] = "taken",
                                        [SPOOR_FAULT_LOCKUP] = "lockup",
                                        [SPOOR_FAULT_RESET] = "reset"};
    for (uint32_t i = 0; i < fault->step_count; i++) {
        const struct spoor_fault_step *step = &fault->steps[i];
        struct text words = {0};
        text_printf(&words, "record %" PRIu64 ": ", step->record);
        if (step->kind == SPOOR_FAULT_ESCALATED)
            text_printf(&words, "escalated to %s", step->name);
        else if (step->kind >= SPOOR_FAULT_LOCKUP)
            text_puts(&words, kinds[step->kind]);
        else
            text_printf(&words, "%s %s", step->name, kinds[step->kind]);
        if (step->addressed) text_printf(&words, " at 0x%" PRIx64, step->address);
        if (step->words[0]) text_printf(&words, ": %s", step->words);
        text_put(&words, "", 1);
        put_line(text, i ? "" : "chain", &words);
        text->failed |= words.failed;
        text_free(&words);
    }
    if (fault->more_steps)
        text_printf(text, "%*s%" PRIu64 " more of the same moment\n", LABEL, "", fault->more_steps);
}

static void put_registers(const struct spoor_processor_fault *fault, struct text *text)
{
    if (!fault->register_count) text_printf(text, "  %-*s%s\n", LABEL - 2, "registers", NOT_STATED);
    for (uint32_t i = 0; i < fault->register_count; i++) {
        const struct spoor_fault_register *reg = &fault->registers[i];
        struct text words = {0};
        put_upper(&words, reg->name);
        text_printf(&words, " 0x%" PRIx64, reg->value);
        if (reg->words[0]) text_printf(&words, ": %s", reg->words);
        if (reg->read) text_printf(&words, " (read at record %" PRIu64 ")", reg->record);
        text_put(&words, "", 1);
        put_line(text, i ? "" : "registers", &words);
        text->failed |= words.failed;
        text_free(&words);
    }
}

/* ---- results ---- */

static void give_fault(const struct asking *asking, const struct spoor_processor_fault *fault,
                       const char *words, struct spoor_result *result)
{
    static const char *const names[] = {
        [SPOOR_FAULT_READ] = "read", [SPOOR_FAULT_WRITE] = "write", [SPOOR_FAULT_FETCH] = "fetch"};
    static const char *const kinds[] = {[SPOOR_FAULT_RAISED] = "raised",
                                        [SPOOR_FAULT_ESCALATED] = "escalated",
                                        [SPOOR_FAULT_TAKEN] = "taken",
                                        [SPOOR_FAULT_LOCKUP] = "lockup",
                                        [SPOOR_FAULT_RESET] = "reset"};
    give_cpu(result, asking, fault->cpu);
    spoor_result_unsigned(result, "record", fault->record);
    give_time(result, asking, fault->record, fault->time);
    spoor_result_hex_if(result, "pc", fault->has_instruction, fault->pc);
    spoor_result_text(result, "instruction", fault->has_instruction ? words : NULL);
    spoor_result_text(result, "access", fault->access ? names[fault->access] : NULL);
    spoor_result_hex_if(result, "address", fault->access, fault->address);
    spoor_result_unsigned_if(result, "size", fault->access && fault->size, fault->size);
    spoor_result_hex_if(result, "handler", fault->handled, fault->handler);
    struct spoor_result *chain = spoor_result_array(result, "chain");
    for (uint32_t i = 0; i < fault->step_count; i++) {
        const struct spoor_fault_step *step = &fault->steps[i];
        struct spoor_result *entry = spoor_result_object(chain, NULL);
        spoor_result_unsigned(entry, "record", step->record);
        spoor_result_text(entry, "what", kinds[step->kind]);
        spoor_result_text(entry, "name", step->name);
        spoor_result_unsigned_if(entry, "number", step->numbered, step->number);
        spoor_result_hex_if(entry, "address", step->addressed, step->address);
        spoor_result_text(entry, "words", step->words);
    }
    spoor_result_unsigned(result, "more", fault->more_steps);
    struct spoor_result *registers = spoor_result_array(result, "registers");
    for (uint32_t i = 0; i < fault->register_count; i++) {
        const struct spoor_fault_register *reg = &fault->registers[i];
        struct spoor_result *entry = spoor_result_object(registers, NULL);
        spoor_result_text(entry, "name", reg->name);
        spoor_result_hex(entry, "value", reg->value);
        spoor_result_unsigned(entry, "record", reg->record);
        spoor_result_bool(entry, "read", reg->read);
        spoor_result_text(entry, "words", reg->words);
    }
}

/* ---- answering ---- */

static enum spoor_status put_stack(struct asking *asking, const struct spoor_processor_fault *fault,
                                   struct text *text, struct spoor_result *result,
                                   struct spoor_error *error)
{
    struct spoor_state *state = NULL;
    struct spoor_result *frames = spoor_result_array(result, "frames");
    const enum spoor_status status =
        spoor_explorer_state(asking->explorer, fault->record, &state, error);
    if (status != SPOOR_OK) return status;
    const size_t depth = spoor_state_depth(state, fault->cpu);
    if (depth)
        text_puts(text, "  stack\n");
    else
        text_printf(text, "  %-*s%s\n", LABEL - 2, "stack", "no call is open");
    stack_put_frames(asking, state, fault->cpu, "", text, frames);
    spoor_state_free(state);
    return SPOOR_OK;
}

/* The fault before this one, if its handler still runs. */
static enum spoor_status put_outer(struct asking *asking, const struct spoor_processor_fault *fault,
                                   struct text *text, struct spoor_result *result,
                                   struct spoor_error *error)
{
    struct spoor_processor_fault *outer = NULL;
    struct spoor_state *state = NULL;
    struct spoor_frame frame;
    bool open = false;
    enum spoor_status status = SPOOR_OK;
    if (fault->has_instruction)
        status =
            spoor_explorer_fault(asking->explorer, fault->record, (int)fault->cpu, &outer, error);
    if (status == SPOOR_END) status = SPOOR_OK;
    if (outer && outer->handled)
        status = spoor_explorer_state(asking->explorer, fault->record, &state, error);
    for (size_t i = 0; state && spoor_state_frame(state, fault->cpu, i, &frame); i++)
        open |= frame.kind == SPOOR_CALL_EXCEPTION && frame.function == outer->handler &&
                frame.record == outer->instruction;
    if (open) {
        struct text words = {0};
        text_puts(&words, "in the handler of another fault, which --at record:");
        text_printf(&words, "%" PRIu64 " explains: ", outer->end - 1);
        if (outer->access) put_access(outer, &words);
        if (outer->access && outer->step_count) text_puts(&words, ": ");
        put_steps(outer, &words);
        text_put(&words, "", 1);
        put_line(text, "earlier", &words);
        text->failed |= words.failed;
        text_free(&words);
        spoor_result_unsigned(result, "earlier", outer->end - 1);
    } else {
        spoor_result_null(result, "earlier");
    }
    spoor_state_free(state);
    spoor_processor_fault_free(outer);
    return status;
}

static enum spoor_status put_pointer(struct asking *asking, const struct why_settings *settings,
                                     const struct spoor_processor_fault *fault, struct text *text,
                                     struct spoor_result *result, struct spoor_error *error)
{
    const struct spoor_dataflow_options chosen = {.struct_size = sizeof chosen,
                                                  .depth = (uint32_t)settings->depth};
    struct spoor_dataflow *slice = NULL;
    spoor_result_text(result, "pointer", fault->has_pointer ? fault->pointer_name : NULL);
    if (!fault->has_pointer) {
        text_printf(text, "  %-*s%s\n", LABEL - 2, "pointer", NOT_STATED);
        spoor_result_array(result, "nodes");
        return SPOOR_OK;
    }
    const enum spoor_status status = spoor_explorer_dataflow(
        asking->explorer, &fault->pointer, fault->instruction, &chosen, &slice, error);
    if (status != SPOOR_OK) return status;
    text_printf(text, "  %-*s%s came from\n", LABEL - 2, "pointer", fault->pointer_name);
    const bool done = slice_put_flow(asking, slice, false, text, result);
    spoor_dataflow_free(slice);
    if (done) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
}

static bool answer(struct asking *asking, const void *context, struct text *text,
                   struct spoor_result *result)
{
    const struct why_settings *settings = context;
    char words[INSTRUCTION_TEXT] = "";
    struct spoor_processor_fault *fault = NULL;
    struct spoor_error error = {0};
    uint64_t moment;
    unsigned cpu = 0;
    if (settings->cpu && !asking_cpu(asking, settings->cpu, &cpu)) return false;
    if (!asking_moment(asking, settings->at, &moment)) return false;
    enum spoor_status status = spoor_explorer_fault(asking->explorer, moment,
                                                    settings->cpu ? (int)cpu : -1, &fault, &error);
    if (status == SPOOR_OK) {
        if (fault->has_instruction) asking_instruction(asking, fault->instruction, words);
        put_headline(asking, fault, text);
        put_instruction(asking, fault, words, text);
        text_printf(text, "  %-*s", LABEL - 2, "access");
        if (fault->access)
            put_access(fault, text);
        else
            text_puts(text, NOT_STATED);
        text_puts(text, "\n");
        put_chain(fault, text);
        put_registers(fault, text);
        text_printf(text, "  %-*s", LABEL - 2, "handler");
        if (fault->handled) {
            text_printf(text, "0x%08" PRIx64, fault->handler);
            put_located(asking, fault->handler, text);
        } else {
            text_puts(text, "not in the trace");
        }
        text_puts(text, "\n");
        give_fault(asking, fault, words, result);
        status = put_stack(asking, fault, text, result, &error);
        if (status == SPOOR_OK) status = put_outer(asking, fault, text, result, &error);
    }
    if (status == SPOOR_OK) status = put_pointer(asking, settings, fault, text, result, &error);
    if (status == SPOOR_OK) located_name(&asking->located, result, NULL);
    spoor_processor_fault_free(fault);
    if (status == SPOOR_OK) return true;
    if (status == SPOOR_END) { /* with the name of the trace */
        const struct spoor_error found = error;
        spoor_error_set(&error, SPOOR_END, "%s: %s", asking->path, found.text);
    }
    asking_fail(asking, status, &error);
    return false;
}

static int why_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct why_settings *settings = context;
    const struct question question = {&settings->common, path, &settings->order,
                                      settings->no_index};
    return asking_trace(&question, answer, settings, shown, all);
}

static int run(void *chosen)
{
    const struct why_settings *settings = chosen;
    return run_each_trace(&settings->common, why_trace, settings);
}

const struct verb verb_why = {
    .name = "why",
    .brief = "why the processor faulted: the access, the exceptions, the stack, the pointer",
    .operands = "TRACE...",
    .about = "Explains the last fault of a trace: the instruction, the aborted access, the chain "
             "of exceptions up to a lockup, the registers of the fault in words, the open calls, "
             "and where the bad pointer came from.  What the trace does not state is said to be "
             "unknown.",
    .options = options,
    .settings_size = sizeof(struct why_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = run,
};
