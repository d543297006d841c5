/* SPDX-License-Identifier: MIT */
/* branch.c: the verb `branch`: simulate branch predictors on a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/chart.h"
#include "cli/cli.h"
#include "cli/cores.h"
#include "cli/image_set.h"
#include "cli/plugins.h"
#include "cli/preset.h"
#include "cli/selection.h"
#include "cli/simpoints.h"
#include "cli/sweep_axes.h"
#include "spoor/prediction.h"

/* ---- branch debug ---- */

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

/* ---- penn ---- */

/* CIS501 at Penn: the state before each conditional branch, the branch, the prediction.  Needs one
 * predictor with such a state: bimodal, gshare or tournament. */
static int branch_debug_penn(struct trace_input *trace_input, const char *const *specs,
                             size_t count)
{
    struct spoor_error error = {0};
    struct spoor_predictor *predictor = NULL;
    int code = EXIT_USAGE;
    bool has_state = false;
    if (count == 1) {
        if (spoor_predictor_new_with(&predictor, specs[0], spoor_predictor_preset("penn"),
                                     &error) != SPOOR_OK)
            return fail(&error);
        char *state = spoor_predictor_state(predictor);
        has_state = state != NULL;
        free(state);
    }
    if (has_state) {
        uint64_t wrong = 0;
        struct lines lines;
        struct spoor_branch_block block = {.struct_size = sizeof block};
        bool good = true;
        good = branch_debug_open(&lines);
        while (good && input_next_branches(trace_input, &block))
            for (size_t i = 0; good && i < block.count; i++) {
                const struct spoor_branch *branch = &block.items[i];
                if (spoor_predictor_asks(predictor, branch)) {
                    char *state = spoor_predictor_state(predictor);
                    const bool guess = spoor_predictor_predict(predictor, branch);
                    const bool taken = branch->has & SPOOR_BRANCH_TAKEN, right = guess == taken;
                    wrong += !right;
                    text_printf(&lines.text, "%s | %" PRIx64 "  %c | %c  %-9s  %" PRIu64 "\n",
                                state ? state : "", branch->pc, taken ? 'T' : 'N',
                                guess ? 'T' : 'N', right ? "correct" : "incorrect", wrong);
                    lines.text.failed |= !state;
                    free(state);
                    spoor_predictor_train(predictor, branch);
                }
                spoor_predictor_track(predictor, branch);
                good = branch_debug_flush(&lines, FLUSH_AT);
            }
        code = lines.output ? branch_debug_close(&lines) : lines.exit_code;
    } else
        complain("--debug: expected one predictor, bimodal, gshare or tournament");
    spoor_predictor_free(predictor);
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

static int branch_debug_print_sfsu(struct trace_input *trace_input, struct sfsu *sfsu)
{
    struct lines lines;
    struct spoor_branch_block block = {.struct_size = sizeof block};
    bool good = true;
    if (!branch_debug_open(&lines)) return lines.exit_code;
    if (sfsu->buffer) text_puts(&lines.text, "Verbose Mode On\n");
    while (good && input_next_branches(trace_input, &block))
        for (size_t i = 0; good && i < block.count; i++) {
            const struct spoor_branch *branch = &block.items[i];
            const bool back = branch->target < branch->pc, taken = branch->has & SPOOR_BRANCH_TAKEN;
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

/* The course at SFSU: counts, and before them, for bimodal and btb together, a line for each
 * branch.
 */
static int branch_debug_sfsu(struct trace_input *trace_input, const char *const *specs,
                             size_t count)
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
              (strcmp(spoor_predictor_component(sfsu.direction)->name, "bimodal") != 0 ||
               strcmp(spoor_predictor_component(sfsu.buffer)->name, "btb") != 0)))
        complain("--debug: expected one direction predictor, or bimodal and btb");
    else
        code = branch_debug_print_sfsu(trace_input, &sfsu);
    spoor_predictor_free(sfsu.direction);
    spoor_predictor_free(sfsu.buffer);
    return code;
}

enum { TOP_BY_DEFAULT = 10 };

struct branch_settings {
    struct settings common;
    struct list predictors, sweep;
    const char **specs; /* the predictors, those of the sweep too */
    size_t spec_count;
    int preset; /* enum preset */
    struct range branches;
    uint64_t top;
    bool hardest, compare, over_time, debug, shared;
};

#define AT(field) offsetof(struct branch_settings, field)
static const struct option options[] = {
    OPT('p', "predictor", LIST, "SPEC", AT(predictors), "(repeatable)"),
    PLUGIN_OPTION,
    CORE_OPTION,
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep),
        "any key of the predictors; predictor=A;B instead of -p"),
    OPT_CHOICE(0, "preset", "NAME", AT(preset),
               "textbook (default), penn, sfsu: bits of the pc, initial counters, counted branches",
               PRESET_CHOICES),
    OPT_FLAG(0, "hardest", AT(hardest),
             "list the branches with the most mispredictions of the first predictor"),
    OPT(0, "top", COUNT, "N", AT(top), "branches (default: 10)"),
    OPT_FLAG(0, "compare", AT(compare), "two predictors, branch by branch"),
    OPT_FLAG(0, "over-time", AT(over_time),
             "mispredictions per 1000 instructions over the course of the trace"),
    OPT(0, "branches", RANGE, "A:B", AT(branches),
        "use only branches A to B, both included, from 0"),
    OPT_FLAG(0, "debug", AT(debug), "each branch, as the course of --preset penn or sfsu does"),
    SHARED_OPTION(AT(shared)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    SELECTION_OPTIONS,
    WARMUP_OPTION,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* By enum preset: the preset that supplies the defaults; the others published none. */
static const char *const preset_names[] = {"textbook", "penn",     "sfsu",    "textbook",
                                           "textbook", "textbook", "textbook"};
static const char *const usual_predictors[] = {"bimodal", "gshare", "tage-sc-l"};

/* ---- predicting ---- */

/* The instructions of a trace up to some branch: all, and of each cpu by its name. */
struct instruction_counts {
    uint64_t all, *of;
    size_t count, capacity;
};

/* False: memory ran out. */
static bool branch_note_instructions(struct instruction_counts *counts,
                                     const struct trace_input *input)
{
    if (!array_reserve_zeroed(&counts->of, &counts->capacity, input->cpu_capacity)) return false;
    if (input->cpu_capacity)
        memcpy(counts->of, input->cpu_instructions, input->cpu_capacity * sizeof *counts->of);
    counts->count = input->cpu_capacity;
    counts->all = input->instructions;
    return true;
}

static void branch_free(void *prediction)
{
    spoor_prediction_free(prediction);
}

static int branch_make(const void *context, void *before, void **simulator)
{
    const struct branch_settings *settings = context;
    const struct spoor_prediction_options chosen = {
        .specs = settings->specs,
        .count = settings->spec_count,
        .defaults = spoor_predictor_preset(preset_names[settings->preset]),
        .part = settings->branches.given,
        .first = settings->branches.first,
        .last = settings->branches.last,
        .unconditional = settings->preset == PRESET_SFSU,
        .by_branch = settings->hardest || settings->compare,
        .shared = settings->shared,
        .memory = settings->common.memory,
    };
    struct spoor_prediction *prediction = NULL;
    struct spoor_error error = {0};
    enum spoor_status status = spoor_prediction_new(&prediction, &chosen, &error);
    if (status == SPOOR_OK && before)
        status = spoor_prediction_continue(prediction, before, &error);
    spoor_prediction_free(before);
    *simulator = prediction;
    if (status == SPOOR_OK) return EXIT_CLEAN;
    spoor_prediction_free(prediction);
    return fail(&error);
}

/* Predicts the branches of the next interval of the input. */
static int branch_interval(const void *context, struct trace_input *trace_input, void *simulator,
                           struct spoor_result *result)
{
    const struct branch_settings *settings = context;
    struct spoor_prediction *prediction = simulator;
    uint64_t branches = 0;
    struct instruction_counts before = {0}, after = {0};
    struct spoor_branch_block block = {0};
    struct spoor_error error = {0};
    bool training = !input_counts(trace_input);
    if (training) spoor_prediction_begin_warmup(prediction);
    bool good = branch_note_instructions(&before, trace_input);
    enum spoor_status status = SPOOR_OK;
    while (good && status == SPOOR_OK && input_next_branches(trace_input, &block)) {
        if (training && input_counts(trace_input)) {
            spoor_prediction_end_warmup(prediction);
            training = false;
        }
        branches += training ? 0 : block.count;
        status = spoor_prediction_feed(prediction, block.items, block.count, &error);
        if (training) good = branch_note_instructions(&before, trace_input);
    }
    good = good && branch_note_instructions(&after, trace_input);
    for (size_t i = 0; i < after.count; i++)
        after.of[i] = training ? 0 : after.of[i] - (i < before.count ? before.of[i] : 0);
    spoor_prediction_end(prediction, training ? 0 : after.all - before.all, NULL);
    spoor_prediction_name_cpus(prediction, trace_input->stream, after.of, after.count);
    free(before.of);
    free(after.of);
    if (!good) return complain_for(EXIT_UNREADABLE, "out of memory");
    if (status != SPOOR_OK) return fail(&error);
    const size_t top = settings->top ? settings->top : TOP_BY_DEFAULT;
    const bool data = settings->common.json || settings->common.csv || settings->common.table;
    put_trace(result, trace_input);
    spoor_prediction_report(prediction, result);
    const bool sparks = settings->over_time && !data && spoor_prediction_cpu_count(prediction) == 1;
    if (sparks) {
        /* a line of bars for each predictor, then its minimum and maximum */
        const struct chart chart = chart_start(wants_color(&settings->common));
        const size_t count = spoor_prediction_window_count(prediction);
        struct spoor_result *lines = spoor_result_object(result, "mpki_over_time");
        for (size_t p = 0; p < settings->spec_count; p++) {
            double values[SPOOR_PREDICTION_WINDOWS], minimum = 0, maximum = 0;
            if (!spoor_prediction_known(prediction, p)) continue;
            for (size_t i = 0; i < count; i++) {
                values[i] = spoor_prediction_window_mpki(prediction, i, p);
                if (i == 0 || values[i] < minimum) minimum = values[i];
                if (i == 0 || values[i] > maximum) maximum = values[i];
            }
            struct text text = {0};
            chart_spark(&chart, &text, values, count);
            text_printf(&text, "  %.3f to %.3f", minimum, maximum);
            if (text.failed)
                spoor_result_fail(lines);
            else
                spoor_result_bytes(lines, settings->specs[p], text.bytes, text.size);
            text_free(&text);
        }
    }
    if (settings->hardest)
        good &= spoor_prediction_report_hardest(prediction, top, result) == SPOOR_OK;
    if (settings->compare)
        good &= spoor_prediction_report_comparison(prediction, top, result) == SPOOR_OK;
    if (settings->over_time && !sparks) spoor_prediction_report_windows(prediction, result);
    if (!good || !spoor_result_complete(result))
        return complain_for(EXIT_UNREADABLE, "out of memory");
    /* one interval of several may have none, and input_close() says that a warm-up took all */
    const bool all_warmed = settings->common.warmup && !input_counts(trace_input);
    if (branches || settings->common.simpoints || trace_input->exit_code != EXIT_CLEAN ||
        all_warmed)
        return EXIT_CLEAN;
    return complain_for(EXIT_NOTHING, "%s: found no branch%s", trace_input->stream->path,
                        selection_words(&settings->common));
}

static int branch_path(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct branch_settings *settings = context;
    struct trace_input trace_input;
    struct image_set located;
    int code;
    const bool names = settings->hardest || settings->compare || settings->common.selection.where;
    if (!image_set_open(&located, &settings->common, path, names ? OWN_NAMES_READ : OWN_NAMES_NONE))
        return located.code;
    if (!input_open_cores(&trace_input, path, &settings->common, image_set_reading(&located))) {
        image_set_close(&located);
        return trace_input.exit_code;
    }
    if (settings->debug) {
        code = settings->preset == PRESET_SFSU
                   ? branch_debug_sfsu(&trace_input, settings->specs, settings->spec_count)
                   : branch_debug_penn(&trace_input, settings->specs, settings->spec_count);
        code = worse(code, image_set_close(&located));
        return worse(code, input_close(&trace_input));
    }
    struct spoor_result *result = result_of(all);
    void *prediction;
    code = branch_make(settings, NULL, &prediction);
    if (code == EXIT_CLEAN) {
        code = branch_interval(settings, &trace_input, prediction, result);
        branch_free(prediction);
    }
    image_set_name(&located, result, NULL);
    code = worse(code, image_set_close(&located));
    code = worse(code, input_close(&trace_input));
    const bool shows = code != EXIT_USAGE && (code != EXIT_NOTHING || settings->common.json);
    return worse(code, show_one(&settings->common, result, shows ? shown : NULL, all));
}

/* ---- sweeps ---- */

static bool branch_axis_is_predictor(const struct sweep *sweep, size_t axis)
{
    return strcmp(sweep->axes[axis].name, "predictor") == 0;
}

static int branch_run(void *chosen)
{
    struct branch_settings *settings = chosen;
    settings->common.beside = !settings->preset && !settings->sweep.count && !settings->hardest &&
                              !settings->compare && !settings->over_time && !settings->debug;
    if (settings->common.csv && !settings->common.table)
        settings->common.table = settings->over_time ? "over_time"
                                 : settings->hardest ? "hardest"
                                                     : "predictors";
    enum { MAX_BRANCH_SWEEP = 256 };
    static const struct interval_simulator simulator = {
        .make = branch_make, .run = branch_interval, .free = branch_free, .has_addresses = true};
    struct sweep sweep;
    int code = EXIT_USAGE;
    if (settings->common.cores.count && settings->shared) {
        complain(
            "branch --core: cannot be combined with --shared: a core has predictors of its own");
        return EXIT_USAGE;
    }
    if (sweep_parse(&sweep, &settings->common, &settings->sweep, MAX_BRANCH_SWEEP)) {
        const bool usual = settings->predictors.count == 0;
        const char *const *bases = usual ? usual_predictors : settings->predictors.items;
        size_t count =
            usual ? sizeof usual_predictors / sizeof *usual_predictors : settings->predictors.count;
        if (usual && settings->sweep.count) count = 1; /* of the usual ones, only the first */
        for (size_t axis = 0; axis < sweep.axis_count; axis++)
            if (branch_axis_is_predictor(&sweep, axis)) count = 1;
        const size_t all = count * sweep_count(&sweep);
        settings->specs = calloc(all, sizeof *settings->specs);
        bool good = settings->specs != NULL;
        for (size_t i = 0; good && i < all; i++) {
            /* the description of a predictor with the values of a combination */
            const size_t combination = i % sweep_count(&sweep);
            const char *base = bases[i / sweep_count(&sweep)];
            struct text text = {0};
            for (size_t axis = 0; axis < sweep.axis_count; axis++)
                if (branch_axis_is_predictor(&sweep, axis))
                    base = sweep_value(&sweep, combination, axis);
            bool keys = strchr(base, ':') != NULL;
            text_puts(&text, base);
            for (size_t axis = 0; axis < sweep.axis_count; axis++) {
                if (branch_axis_is_predictor(&sweep, axis)) continue;
                text_printf(&text, "%c%s=%s", keys ? ',' : ':', sweep.axes[axis].name,
                            sweep_value(&sweep, combination, axis));
                keys = true;
            }
            settings->specs[i] = text_hand_out(&text, NULL);
            good = settings->specs[i] != NULL;
            settings->spec_count += good;
        }
        if (!good) complain("out of memory");
        code = good ? EXIT_CLEAN : EXIT_UNREADABLE;
    }
    if (code == EXIT_CLEAN && settings->debug && settings->preset != PRESET_PENN &&
        settings->preset != PRESET_SFSU)
        code = complain_for(EXIT_USAGE,
                            "--debug: found no course: add --preset penn or --preset sfsu");
    else if (code == EXIT_CLEAN && settings->compare && settings->spec_count != 2)
        code = complain_for(EXIT_USAGE, "--compare: found %zu predictors, expected two",
                            settings->spec_count);
    if (code == EXIT_CLEAN)
        code = simpoints_run(&settings->common, branch_path, &simulator, settings);
    for (size_t i = 0; settings->specs && i < settings->spec_count; i++)
        free((void *)(uintptr_t)settings->specs[i]);
    free((void *)(uintptr_t)settings->specs);
    sweep_free(&sweep);
    return code;
}

const struct verb verb_branch = {
    .name = "branch",
    .brief = "simulate branch predictors on the branches of a trace",
    .operands = "[TRACE...]",
    .about =
        "Predicts the branches of each trace with one or more predictors, independently, in one "
        "pass, and counts mispredictions.  A predictor is NAME[:KEY=VALUE,...]; --list prints the "
        "names "
        "and keys.  Some predict whether conditional branches are taken, others the targets of "
        "branches.  Without -p: bimodal, gshare and tage-sc-l.",
    .options = options,
    .settings_size = sizeof(struct branch_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = branch_run,
};
