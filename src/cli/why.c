/* SPDX-License-Identifier: MIT */
/* why.c: the verb `why`: the last fault of a trace, and what led to it. */
#include <inttypes.h>
#include <string.h>

#include "cli/inquiry.h"
#include "cli/selection.h"
#include "spoor/fault.h"

struct why_settings {
    struct settings common;
    const char *at;
    uint64_t depth;
};

static const struct option options[] = {
    OPT(0, "at", TEXT, "MOMENT", offsetof(struct why_settings, at),
        "(the last fault before it; default: end)"),
    OPT(0, "depth", NUMBER, "N", offsetof(struct why_settings, depth),
        "back along the pointer (default: 10)"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS,
    SELECTION_OPTIONS,
    OPTION_END,
};

/* Adds the steps as one sentence: "MEMMANAGE (execute never), escalated to HARDFAULT, then lockup",
 * and what text has besides the result. */
static void why_report_words(const struct spoor_processor_fault *fault, struct spoor_result *result)
{
    const struct spoor_fault_step *raised = NULL;
    const char *cause = !fault->access && fault->register_count ? fault->registers[0].words : "";
    struct text text = {0};
    for (uint32_t i = 0; i < fault->step_count; i++) {
        const struct spoor_fault_step *step = &fault->steps[i];
        const char *comma = text.size ? ", " : "";
        switch ((enum spoor_fault_step_kind)step->kind) {
        case SPOOR_FAULT_RAISED:
            text_printf(&text, "%s%s", comma, step->name);
            if (step->words[0]) text_printf(&text, " (%s)", step->words);
            raised = step;
            break;
        case SPOOR_FAULT_ESCALATED:
            text_printf(&text, "%sescalated to %s", comma, step->name);
            raised = step;
            break;
        case SPOOR_FAULT_TAKEN: /* what was raised or escalated is said already */
            if (raised && strcasecmp(raised->name, step->name) == 0) break;
            text_printf(&text, "%s%s", comma, step->name);
            if (step->numbered) text_printf(&text, " %" PRIu64, step->number);
            break;
        case SPOOR_FAULT_LOCKUP: text_printf(&text, "%slockup", *comma ? ", then " : ""); break;
        case SPOOR_FAULT_RESET: text_printf(&text, "%sreset", *comma ? ", then " : ""); break;
        }
    }
    text_put(&text, "", 1);
    spoor_result_text(result, "sequence", text.size > 1 ? text.bytes : NULL);
    if (text.failed) spoor_result_fail(result);
    text_free(&text);
    spoor_result_text(result, "cause", cause[0] ? cause : NULL);
    spoor_result_unsigned(result, "executed_record", fault->instruction);
}

/* ---- the parts of the answer ---- */

static void why_report_access(const struct spoor_processor_fault *fault,
                              struct spoor_result *result)
{
    static const char *const names[] = {
        [SPOOR_FAULT_READ] = "read", [SPOOR_FAULT_WRITE] = "write", [SPOOR_FAULT_FETCH] = "fetch"};
    spoor_result_text(result, "access", fault->access ? names[fault->access] : NULL);
    spoor_result_hex_if(result, "address", fault->access, fault->address);
}

static void why_report_fault(struct inquiry *inquiry, const struct spoor_processor_fault *fault,
                             struct spoor_result *result)
{
    static const char *const kinds[] = {[SPOOR_FAULT_RAISED] = "raised",
                                        [SPOOR_FAULT_ESCALATED] = "escalated",
                                        [SPOOR_FAULT_TAKEN] = "taken",
                                        [SPOOR_FAULT_LOCKUP] = "lockup",
                                        [SPOOR_FAULT_RESET] = "reset"};
    char words[INSTRUCTION_TEXT];
    if (fault->has_instruction) inquiry_instruction(inquiry, fault->instruction, words);
    inquiry_give_cpu(result, inquiry, fault->cpu);
    spoor_result_unsigned(result, "record", fault->record);
    inquiry_give_time(result, inquiry, fault->record, fault->time);
    spoor_result_hex_if(result, "pc", fault->has_instruction, fault->pc);
    spoor_result_text(result, "instruction", fault->has_instruction ? words : NULL);
    why_report_access(fault, result);
    spoor_result_unsigned_if(result, "size", fault->access && fault->size, fault->size);
    spoor_result_hex_if(result, "handler", fault->handled, fault->handler);
    if (!prints_data(inquiry->settings)) why_report_words(fault, result);
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

/* The open calls, and the fault before this one, if its handler is one of them. */
static enum spoor_status why_report_stack(struct inquiry *inquiry,
                                          const struct spoor_processor_fault *fault,
                                          struct spoor_result *result, struct spoor_error *error)
{
    struct spoor_processor_fault *outer = NULL;
    struct spoor_state *state = NULL;
    struct spoor_frame frame = {.struct_size = sizeof frame};
    struct spoor_result *frames = spoor_result_array(result, "frames");
    bool open = false;
    enum spoor_status status =
        spoor_explorer_state(inquiry->explorer, fault->record, &state, error);
    if (status != SPOOR_OK) return status;
    stack_give_frames(inquiry, state, fault->cpu, frames);
    if (fault->has_instruction)
        status =
            spoor_explorer_fault(inquiry->explorer, fault->record, (int)fault->cpu, &outer, error);
    if (status == SPOOR_END) status = SPOOR_OK;
    for (size_t i = 0; outer && outer->handled && spoor_state_frame(state, fault->cpu, i, &frame);
         i++)
        open |= frame.kind == SPOOR_CALL_EXCEPTION && frame.function == outer->handler &&
                frame.record == outer->instruction;
    spoor_result_unsigned_if(result, "earlier", open, open ? outer->end - 1 : 0);
    if (open && !prints_data(inquiry->settings)) {
        struct spoor_result *fault_before = spoor_result_object(result, "outer");
        why_report_access(outer, fault_before);
        why_report_words(outer, fault_before);
    }
    spoor_state_free(state);
    spoor_processor_fault_free(outer);
    return status;
}

static bool why_answer(struct inquiry *inquiry, const void *context, struct spoor_result *result)
{
    const struct why_settings *settings = context;
    const struct spoor_dataflow_options chosen = {.struct_size = sizeof chosen,
                                                  .depth = (uint32_t)settings->depth};
    struct spoor_processor_fault *fault = NULL;
    struct spoor_dataflow *flow = NULL;
    struct spoor_error error = {0};
    uint64_t moment;
    unsigned cpu, end;
    if (!inquiry_cpus(inquiry, &cpu, &end) || !inquiry_moment(inquiry, settings->at, &moment))
        return false;
    enum spoor_status status = spoor_explorer_fault(inquiry->explorer, moment,
                                                    inquiry->whose ? (int)cpu : -1, &fault, &error);
    if (status == SPOOR_OK) {
        why_report_fault(inquiry, fault, result);
        status = why_report_stack(inquiry, fault, result, &error);
    }
    if (status == SPOOR_OK) {
        spoor_result_text(result, "pointer", fault->has_pointer ? fault->pointer_name : NULL);
        if (!fault->has_pointer)
            spoor_result_array(result, "nodes");
        else
            status = spoor_explorer_dataflow(inquiry->explorer, &fault->pointer, fault->instruction,
                                             &chosen, &flow, &error);
        if (flow && status == SPOOR_OK) slice_give_flow(inquiry, flow, result);
        spoor_dataflow_free(flow);
    }
    if (status == SPOOR_OK) image_set_name(&inquiry->located, result, NULL);
    spoor_processor_fault_free(fault);
    if (status == SPOOR_OK) return true;
    if (status == SPOOR_END) { /* with the name of the trace */
        const struct spoor_error found = error;
        spoor_error_set(&error, SPOOR_END, "%s: %s%s", inquiry->path, found.text,
                        inquiry->is_part ? " in the selected records" : "");
    }
    inquiry_fail(inquiry, status, &error);
    return false;
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
    .machine = true,
    .seeks = true,
    .each = inquiry_trace,
    .answer = why_answer,
};
