/* SPDX-License-Identifier: MIT */
/* sweep.c: the verb `sweep`: studies of many designs on many traces. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cli/study.h"

enum { PLAN_ROWS = 20, SAMPLE_RECORDS = 200000 };

struct sweep_settings {
    struct settings common;
    bool plan, estimate, status, collect, retry_failed;
    const char *run_words, *results, *task, *of, *html, *database;
    struct list grid;
    int engine;
    uint64_t tasks, throttle;
    const char *slurm_account, *partition, *limit, *hosts;
};

#define AT(field) offsetof(struct sweep_settings, field)
static const struct option options[] = {
    OPT_FLAG(0, "plan", AT(plan), "print the cells and run nothing"),
    OPT_FLAG(0, "estimate", AT(estimate),
             "with --plan: run each kind of cell on the first 200,000 records of each trace, and "
             "print the time and memory that all take"),
    OPT_FLAG(0, "status", AT(status), "print how many cells are done, failed and missing"),
    OPT_FLAG(0, "collect", AT(collect), "print the results of all cells as one table"),
    OPT(0, "rows", TEXT, "TABLE", AT(of),
        "with --collect: the rows of this table of each result (default: of cache caches, of tlb "
        "tlbs, of branch "
        "predictors, else its single values)"),
    OPT(0, "html", OUTPUT, "FILE", AT(html),
        "with --collect: plots and tables, instead (-: to standard output)"),
    OPT(0, "database", OUTPUT, "FILE", AT(database),
        "with --collect: write an SQLite database to FILE instead, for `spoor sql` and sqlite3"),
    OPT_FLAG(0, "retry-failed", AT(retry_failed), "also run the cells that failed"),
    OPT(0, "task", TEXT, "K/N", AT(task),
        "run only every N-th cell, from the K-th on (the engines use it)"),
    OPT_CHOICE(0, "engine", "NAME", AT(engine),
               "run the cells here (local), or by GNU parallel, a Slurm array, or a Snakefile",
               ENGINE_CHOICES),
    OPT(0, "tasks", NUMBER, "N", AT(tasks),
        "tasks of another engine (default: one for each cell, at most 1,000)"),
    OPT(0, "throttle", NUMBER, "N", AT(throttle), "Slurm: at most N tasks at a time"),
    OPT(0, "account", TEXT, "NAME", AT(slurm_account), "Slurm: charge this account"),
    OPT(0, "partition", TEXT, "NAME", AT(partition), "Slurm: use this partition"),
    OPT(0, "time-limit", TEXT, "TIME", AT(limit),
        "Slurm: time limit of a task, as sbatch reads it"),
    OPT(0, "hosts", TEXT, "LIST", AT(hosts),
        "parallel: run on these hosts (--sshlogin), which see the same folders"),
    OPT(0, "run", TEXT, "WORDS", AT(run_words),
        "without a study's file: the verb and its options, separated by spaces; operands are "
        "traces"),
    OPT(0, "grid", LIST, "KEY=VALUES", AT(grid),
        "with --run: the values of {KEY}: 8K,16K or 8K..1M (doubled) or 1..9+1 (repeatable)"),
    OPT(0, "results", TEXT, "FOLDER", AT(results),
        "store results in FOLDER (default: the study's name with .results)"),
    OPTION_END,
};

/* ---- the study ---- */

static bool sweep_study(struct study *study, const struct sweep_settings *settings)
{
    const char *file = settings->common.operand_count == 1 ? settings->common.operands[0] : NULL;
    if (settings->run_words && !settings->results)
        return complain("sweep --run: expected --results FOLDER");
    if (settings->results) {
        study->results = strdup(settings->results);
        if (!study->results) return study_out_of_memory(study);
    }
    if (settings->run_words) {
        struct word_list words = {0};
        char *copy = strdup(settings->run_words), *save = NULL;
        bool good = copy != NULL;
        for (char *word = good ? strtok_r(copy, " ", &save) : NULL; word && good;
             word = strtok_r(NULL, " ", &save))
            good = word_list_add(&words, word);
        if (good && words.count == 0) {
            complain("sweep --run: found no verb");
            good = false;
        }
        struct study_run *run = good ? study_add_run(study, NULL, words.items[0]) : NULL;
        good = run != NULL;
        for (size_t i = 1; i < words.count && good; i++)
            good = word_list_add(&run->options, words.items[i]);
        for (size_t i = 0; i < settings->grid.count && good; i++)
            good = word_list_add(&run->grid_words, settings->grid.items[i]);
        for (int i = 0; i < settings->common.operand_count && good; i++)
            good = study_add_trace(study, settings->common.operands[i],
                                   &(struct trace_words){.weight = 1});
        free(copy);
        word_list_free(&words);
        return good && study_finish(study, &settings->common);
    }
    if (!file)
        return complain("sweep: found %d operands, expected one study, or --run and traces",
                        settings->common.operand_count);
    study->path = strdup(file);
    if (!settings->results) {
        /* "STUDY.json" without its suffix, and ".results". */
        struct text text = {0};
        const size_t size = strlen(file);
        const bool json = size > 5 && strcmp(file + size - 5, ".json") == 0;
        text_put(&text, file, json ? size - 5 : size);
        text_puts(&text, ".results");
        text_put(&text, "", 1);
        study->results = text.failed ? NULL : text.bytes;
    }
    if (!study->path || !study->results) return study_out_of_memory(study);
    study->confined = !settings->results;
    char *chosen = settings->results ? strdup(settings->results) : NULL;
    const bool good = study_read(study, file, &settings->common);
    if (chosen) { /* the option outranks the file */
        free(study->results);
        study->results = chosen;
    }
    return good;
}

/* ---- the plan ---- */

/* The number of records of a trace, from samples; 0: unknown. */
static uint64_t sweep_estimate_records(const struct study_trace *trace)
{
    struct spoor_reader_options how = {.struct_size = sizeof how, .threads = 1, .samples = 64};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    uint64_t records = 0, bytes = 0, done, size = 0;
    if (spoor_reader_open(&reader, trace->path, &how, NULL) != SPOOR_OK) return 0;
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK) {
        records += batch->count;
        bytes += batch->text_size;
    }
    spoor_reader_progress(reader, &done, &size);
    spoor_reader_close(reader);
    const bool sampled = bytes && size > bytes;
    return sampled ? (uint64_t)((double)records * ((double)size / (double)bytes)) : records;
}

static void sweep_put_cell(const struct study *study, const struct study_cell *cell,
                           struct spoor_result *rows)
{
    static const char *const states[] = {"missing", "done", "failed", "unread"};
    struct spoor_result *row = spoor_result_object(rows, NULL);
    struct word_list words = {0};
    struct text command = {0};
    char name[20];
    snprintf(name, sizeof name, "%016" PRIx64, cell->hash);
    spoor_result_text(row, "cell", name);
    const enum cell_state state = cell_state(study, cell);
    spoor_result_text(row, "state", states[state]);
    if (state == CELL_UNREAD || !cell_words(study, cell, &words)) spoor_result_fail(rows);
    for (size_t i = 0; i < words.count; i++)
        text_printf(&command, "%s%s", i ? " " : "", words.items[i]);
    if (command.failed)
        spoor_result_fail(rows);
    else
        spoor_result_bytes(row, "command", command.bytes, command.size);
    text_free(&command);
    word_list_free(&words);
}

/* ---- running ---- */

static int sweep_run_here(const struct sweep_settings *settings, const struct study *study,
                          const struct cells *cells)
{
    struct run_options how = {.settings = &settings->common,
                              .jobs = thread_count(&settings->common),
                              .retry_failed = settings->retry_failed,
                              .quiet = settings->common.quiet};
    struct run_counts counts = {0};
    if (settings->task) {
        struct scan scan = {settings->task, settings->task + strlen(settings->task)};
        if (!scan_number(&scan, &how.task) || !scan_char(&scan, '/') ||
            !scan_number(&scan, &how.tasks) || !scan_done(&scan) || how.task < 1 ||
            how.task > how.tasks)
            return complain_for(EXIT_USAGE, "sweep --task: found '%s', expected K/N, such as 1/100",
                                settings->task);
        how.task--;
    }
    const int code = study_run(study, cells, &how, &counts);
    if (!settings->common.quiet)
        complain("sweep: %" PRIu64 " cells done, %" PRIu64 " were there, %" PRIu64
                 " failed, %" PRIu64 " run elsewhere",
                 counts.done, counts.there, counts.failed, counts.elsewhere);
    if (!settings->common.quiet && counts.failed_before)
        complain("sweep: %" PRIu64 " of them failed in an earlier run, and were not run again: see "
                 "--retry-failed",
                 counts.failed_before);
    return code;
}

static int sweep_show(const struct sweep_settings *settings, const struct study *study,
                      const struct cells *cells)
{
    struct spoor_result *result = spoor_result_new_object();
    int code = EXIT_CLEAN;
    spoor_result_text(result, "results", study->results);
    if (study->notes) spoor_result_text(result, "notes", study->notes);
    study_count(study, cells, result);
    if (settings->plan) {
        const bool all = prints_data(&settings->common) || cells->count <= PLAN_ROWS;
        struct spoor_result *rows;
        if (settings->estimate) {
            /* that of the first cell of each run and trace, times their number */
            struct cell_cost cost = {0};
            double seconds = 0;
            uint64_t memory = 0, records = 0;
            bool known = false;
            for (size_t i = 0; study->traces && i < cells->count; i++) {
                const struct study_cell *cell = &cells->items[i], *before = i ? cell - 1 : NULL;
                if (!before || before->trace != cell->trace || before->run != cell->run) {
                    records = sweep_estimate_records(&study->traces[cell->trace]);
                    /* on a sample of the trace, for the cost of the whole */
                    struct word_list words = {0};
                    const bool sampled =
                        records > SAMPLE_RECORDS && !study->traces[cell->trace].simpoints;
                    bool good = cell_words(study, cell, &words);
                    if (good && sampled) { /* before "--" and the trace */
                        free(words.items[words.count - 2]);
                        words.items[words.count - 2] = strdup("--records=:199999");
                        good = words.items[words.count - 2] != NULL;
                    }
                    good = good && cell_measure(&words, &cost);
                    word_list_free(&words);
                    if (good && sampled) cost.seconds *= (double)records / SAMPLE_RECORDS;
                    known = good;
                }
                if (!known) continue;
                seconds += cost.seconds;
                if (cost.memory > memory) memory = cost.memory;
            }
            spoor_result_real(result, "estimated_cpu_seconds", seconds, 1);
            spoor_result_size(result, "estimated_memory_of_a_cell", memory);
        }
        rows = spoor_result_array(result, "plan");
        for (size_t i = 0; i < cells->count && (all || i < PLAN_ROWS); i++)
            sweep_put_cell(study, &cells->items[i], rows);
    }
    if (settings->collect && !study_collect(study, cells, settings->of, result))
        code = EXIT_UNREADABLE;
    if (code == EXIT_CLEAN && settings->collect && settings->html)
        code = study_write_page(study, result, settings->html, &settings->common);
    else if (code == EXIT_CLEAN)
        code = show_result(result, result_form_of(&settings->common));
    spoor_result_free(result);
    return code;
}

static int sweep_run(void *chosen)
{
    struct sweep_settings *settings = chosen;
    struct study study = {0};
    if (settings->common.csv && !settings->common.table)
        settings->common.table = settings->collect ? "rows" : settings->plan ? "plan" : "runs";
    int code = sweep_study(&study, settings) ? EXIT_UNREADABLE : EXIT_USAGE;
    if (code != EXIT_USAGE) {
        struct cells cells = {0};
        if (cells_make(&cells, &study)) {
            /* Asked before: a cell that ends meanwhile may be in the table, or not. */
            const bool whole = !settings->collect || study_is_complete(&study, &cells);
            if (settings->collect && settings->database)
                code = study_write_database(&study, &cells, settings->database, &settings->common);
            else if (settings->plan || settings->status || settings->collect)
                code = sweep_show(settings, &study, &cells);
            else if (settings->engine != ENGINE_LOCAL) {
                const struct engine_options how = {.tasks = settings->tasks      ? settings->tasks
                                                            : cells.count < 1000 ? cells.count
                                                                                 : 1000,
                                                   .jobs = thread_count(&settings->common),
                                                   .throttle = settings->throttle,
                                                   .slurm_account = settings->slurm_account,
                                                   .partition = settings->partition,
                                                   .limit = settings->limit,
                                                   .hosts = settings->hosts,
                                                   .retry_failed = settings->retry_failed};
                code = engine_run((enum study_engine)settings->engine, &study, &how);
            } else
                code = sweep_run_here(settings, &study, &cells);
            if (!whole) code = worse(code, EXIT_UNREADABLE);
        }
        free(cells.items);
    }
    if (study.unread) code = EXIT_UNREADABLE;
    study_free(&study);
    return code;
}

const struct verb verb_sweep = {
    .name = "sweep",
    .brief = "run designs on traces, here or on a cluster, and collect the results",
    .operands = "STUDY.json",
    .about =
        "Runs a study: designs and traces.  A cell is one design on one trace, a process whose "
        "result is a file.  Running it again runs only what is missing.  The cells run on "
        "this machine, or as tasks of an engine: GNU parallel, Slurm or Snakemake; --collect "
        "makes one table of all results.",
    .options = options,
    .settings_size = sizeof(struct sweep_settings),
    .results = true,
    .writes = true,
    .run = sweep_run,
};
