/* SPDX-License-Identifier: MIT */
/* branch_debug.c: the lines that two courses print for each branch. */
#include "cli/branch_debug.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { FLUSH_AT = 64 << 10 };

/* ---- buffered lines of output ---- */

struct lines {
    struct spoor_output *output;
    struct text text;
    int exit_code;
};

static bool branch_debug_open(struct lines *lines)
{
    struct spoor_error error = {0};
    *lines = (struct lines){0};
    if (spoor_output_open(&lines->output, NULL, &error) == SPOOR_OK) return true;
    lines->exit_code = fail(&error);
    return false;
}

/* False: the output has failed. */
static bool branch_debug_flush(struct lines *lines, size_t minimum)
{
    struct spoor_error error = {0};
    if (lines->text.failed) {
        complain("out of memory");
        lines->exit_code = worse(lines->exit_code, EXIT_UNREADABLE);
        return false;
    }
    if (lines->text.size < minimum) return true;
    enum spoor_status status =
        spoor_output_put(lines->output, lines->text.bytes, lines->text.size, &error);
    lines->text.size = 0;
    if (status != SPOOR_OK) lines->exit_code = worse(lines->exit_code, fail(&error));
    return status == SPOOR_OK;
}

static int branch_debug_close(struct lines *lines)
{
    struct spoor_error error = {0};
    bool good = branch_debug_flush(lines, 1);
    enum spoor_status status = spoor_output_close(lines->output, good ? &error : NULL);
    if (good && status != SPOOR_OK) lines->exit_code = worse(lines->exit_code, fail(&error));
    text_free(&lines->text);
    return lines->exit_code;
}

static bool branch_debug_is_taken(const struct spoor_branch *branch)
{
    return branch->has & SPOOR_BRANCH_TAKEN;
}

/* ---- penn ---- */

struct penn {
    struct spoor_predictor *predictor;
    uint64_t wrong;
};

static int debug_print_penn(struct trace_input *trace_input, struct penn *penn)
{
    struct lines lines;
    struct spoor_branch_block block;
    bool good = true;
    if (!branch_debug_open(&lines)) return lines.exit_code;
    while (good && input_next_branches(trace_input, &block))
        for (size_t i = 0; good && i < block.count; i++) {
            const struct spoor_branch *branch = &block.items[i];
            if (spoor_predictor_asks(penn->predictor, branch)) {
                char *state = spoor_predictor_state(penn->predictor);
                const bool guess = spoor_predictor_predict(penn->predictor, branch);
                const bool right = guess == branch_debug_is_taken(branch);
                penn->wrong += !right;
                text_printf(&lines.text, "%s | %" PRIx64 "  %c | %c  %-9s  %" PRIu64 "\n",
                            state ? state : "", branch->pc,
                            branch_debug_is_taken(branch) ? 'T' : 'N', guess ? 'T' : 'N',
                            right ? "correct" : "incorrect", penn->wrong);
                lines.text.failed |= !state;
                free(state);
                spoor_predictor_train(penn->predictor, branch);
            }
            spoor_predictor_track(penn->predictor, branch);
            good = branch_debug_flush(&lines, FLUSH_AT);
        }
    return branch_debug_close(&lines);
}

int debug_penn(struct trace_input *trace_input, const char *const *specs, size_t count)
{
    struct spoor_error error = {0};
    struct penn penn = {0};
    int code = EXIT_USAGE;
    char *state = NULL;
    if (count == 1) {
        if (spoor_predictor_new_with(&penn.predictor, specs[0], spoor_predictor_preset("penn"),
                                     &error) != SPOOR_OK)
            return fail(&error);
        state = spoor_predictor_state(penn.predictor);
    }
    if (state)
        code = debug_print_penn(trace_input, &penn);
    else
        complain("--debug: expected one predictor, bimodal, gshare or tournament");
    free(state);
    spoor_predictor_free(penn.predictor);
    return code;
}

/* ---- sfsu ---- */

struct sfsu {
    struct spoor_predictor *direction, *buffer; /* buffer: a btb, or NULL */
    uint64_t branches, backward, forward_taken, backward_taken, wrong, buffer_asked, buffer_missed;
};

/* "0.5" as Java prints a double of [0, 1]: the shortest digits that read back as the same. */
static void branch_debug_put_ratio(struct text *text, uint64_t part, uint64_t whole)
{
    const double ratio = (double)part / (double)whole;
    char digits[40];
    if (whole == 0) {
        text_puts(text, "NaN\n");
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, ratio);
        if (strtod(digits, NULL) == ratio) break;
    }
    text_printf(text, "%s%s\n", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static int debug_print_sfsu(struct trace_input *trace_input, struct sfsu *sfsu)
{
    struct lines lines;
    struct spoor_branch_block block;
    bool good = true;
    if (!branch_debug_open(&lines)) return lines.exit_code;
    if (sfsu->buffer) text_puts(&lines.text, "Verbose Mode On\n");
    while (good && input_next_branches(trace_input, &block))
        for (size_t i = 0; good && i < block.count; i++) {
            const struct spoor_branch *branch = &block.items[i];
            const bool back = branch->target < branch->pc, taken = branch_debug_is_taken(branch);
            const bool guess = spoor_predictor_predict(sfsu->direction, branch);
            if (sfsu->buffer && guess) {
                sfsu->buffer_asked++;
                sfsu->buffer_missed += !spoor_predictor_predict(sfsu->buffer, branch);
            }
            if (sfsu->buffer) {
                /* A line of the buffered predictor: order, index, counter before and after, index
                 * and tag in the buffer, its lookups and its misses. */
                const unsigned bits = (unsigned)spoor_predictor_value(sfsu->direction, "bits");
                const unsigned sets = (unsigned)spoor_predictor_value(sfsu->buffer, "bits");
                const uint64_t index = branch->pc & ((UINT64_C(1) << bits) - 1);
                const char *letters = "NntT";
                char *before = spoor_predictor_state(sfsu->direction);
                spoor_predictor_train(sfsu->direction, branch);
                char *after = spoor_predictor_state(sfsu->direction);
                lines.text.failed |= !before || !after;
                if (before && after)
                    text_printf(&lines.text,
                                "%" PRIu64 " %" PRIu64 " %d %d %" PRIu64 " %" PRIx64 " %" PRIu64
                                " %" PRIu64 "\n",
                                sfsu->branches, index,
                                (int)(strchr(letters, before[index]) - letters),
                                (int)(strchr(letters, after[index]) - letters),
                                branch->pc & ((UINT64_C(1) << sets) - 1), branch->pc >> sets,
                                sfsu->buffer_asked, sfsu->buffer_missed);
                free(before);
                free(after);
                if (taken) spoor_predictor_train(sfsu->buffer, branch);
            } else {
                spoor_predictor_train(sfsu->direction, branch);
            }
            spoor_predictor_track(sfsu->direction, branch);
            sfsu->branches++;
            sfsu->backward += back;
            sfsu->forward_taken += taken && !back;
            sfsu->backward_taken += taken && back;
            sfsu->wrong += guess != taken;
            good = branch_debug_flush(&lines, FLUSH_AT);
        }
    text_printf(&lines.text,
                "Number of branches = %" PRIu64 "\nNumber of forward branches = %" PRIu64
                "\nNumber of forward taken branches = %" PRIu64
                "\nNumber of backward branches = %" PRIu64
                "\nNumber of backward taken branches = %" PRIu64
                "\nNumber of misprediction = %" PRIu64 "\nMisprediction rate = ",
                sfsu->branches, sfsu->branches - sfsu->backward, sfsu->forward_taken,
                sfsu->backward, sfsu->backward_taken, sfsu->wrong);
    branch_debug_put_ratio(&lines.text, sfsu->wrong, sfsu->branches);
    if (sfsu->buffer) {
        text_printf(&lines.text, "Number of BTB miss = %" PRIu64 " ", sfsu->buffer_missed);
        branch_debug_put_ratio(&lines.text, sfsu->buffer_missed, sfsu->buffer_asked);
    }
    return branch_debug_close(&lines);
}

static bool debug_is_kind(const struct spoor_predictor *predictor, const char *name)
{
    return strcmp(spoor_predictor_component(predictor)->name, name) == 0;
}

int debug_sfsu(struct trace_input *trace_input, const char *const *specs, size_t count)
{
    struct spoor_error error = {0};
    const char *defaults = spoor_predictor_preset("sfsu");
    struct sfsu sfsu = {0};
    int code = EXIT_USAGE;
    enum spoor_status status =
        spoor_predictor_new_with(&sfsu.direction, specs[0], defaults, &error);
    if (status == SPOOR_OK && count > 1)
        status = spoor_predictor_new_with(&sfsu.buffer, specs[1], defaults, &error);
    if (status != SPOOR_OK)
        code = fail(&error);
    else if (spoor_predictor_aim(sfsu.direction) != SPOOR_PREDICTS_DIRECTION || count > 2 ||
             (count == 2 &&
              !(debug_is_kind(sfsu.direction, "bimodal") && debug_is_kind(sfsu.buffer, "btb"))))
        complain("--debug: expected one direction predictor, or bimodal and btb");
    else
        code = debug_print_sfsu(trace_input, &sfsu);
    spoor_predictor_free(sfsu.direction);
    spoor_predictor_free(sfsu.buffer);
    return code;
}
