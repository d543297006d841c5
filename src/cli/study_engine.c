/* SPDX-License-Identifier: MIT */
/* study_engine.c: GNU parallel, Slurm and Snakemake. */
#include "cli/study.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scan.h"
#include "cli/output.h"
#include "record/system.h"

enum { USUAL_MAXIMUM = 1001 /* Slurm's MaxArraySize where nothing is configured */ };

/* "spoor sweep STUDY" with absolute paths, because tasks begin in other folders; the caller appends
 * more options, such as --task K/N.  GNU parallel, Slurm, Snakemake and the login shell of a host
 * each give a meaning to some bytes: the command has no quote, brace, percent sign or line end of a
 * path.  /bin/sh decodes it. */
static bool engine_put_command(struct text *out, const struct study *study, bool collect)
{
    char program[PATH_MAX], path[PATH_MAX], folder[PATH_MAX];
    struct text plain = {0}, file = {0};
    if (!system_own_path(program) || !realpath(study->path, path) || !getcwd(folder, sizeof folder))
        return complain("sweep: %s: %s", study->path, strerror(errno));
    text_puts(&plain, "cd ");
    put_shell_word(&plain, folder);
    text_puts(&plain, " && ");
    put_shell_word(&plain, program);
    text_puts(&plain, " sweep -q --results ");
    put_shell_word(&plain, study->results);
    if (collect) {
        text_printf(&file, "%s/collected.json", study->results);
        text_put(&file, "", 1);
        text_puts(&plain, " --collect --json -o ");
        if (!file.failed) put_shell_word(&plain, file.bytes);
    }
    text_puts(&plain, " \"$@\" -- ");
    put_shell_word(&plain, path);
    text_puts(out, "sh -c 'eval \"$(printf %b \"");
    /* as the argument of "printf %b": what is no letter, digit or space is octal */
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._- ";
    for (size_t i = 0; i < plain.size; i++) {
        if (memchr(letters, plain.bytes[i], sizeof letters - 1))
            text_put(out, &plain.bytes[i], 1);
        else
            text_printf(out, "\\0%03o", (unsigned char)plain.bytes[i]);
    }
    out->failed |= plain.failed;
    text_puts(out, "\")\"' sh");
    out->failed |= file.failed;
    text_free(&plain);
    text_free(&file);
    return true;
}

/* Runs a program, found in PATH, and returns what it prints, NUL-terminated in `out`; false: it
 * failed.  `words` ends with NULL. */
static bool engine_run_program(const char *const *words, struct text *out)
{
    int ends[2], status = -1;
    ssize_t got = 1;
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t process = fork();
    if (process == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0) execvp(words[0], (char **)(uintptr_t)words);
        _exit(127);
    }
    close(ends[1]);
    while (process > 0 && (got > 0 || (got < 0 && errno == EINTR)) && !out->failed) {
        char *at = text_reserve(out, 4096);
        got = at ? read(ends[0], at, 4096) : 0;
        if (at && got > 0) text_commit(out, at + got);
    }
    close(ends[0]);
    text_put(out, "", 1);
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return process > 0 && status == 0 && !out->failed;
}

static bool engine_has_program(const char *name)
{
    char path[PATH_MAX];
    if (system_find_program(name, path)) return true;
    return complain("sweep: the program %s is not installed", name);
}

/* ---- GNU parallel ---- */

static int engine_run_parallel(const struct study *study, const struct engine_options *options)
{
    static const char script[] = "count=$1; shift; seq 1 \"$count\" | parallel \"$@\"";
    struct text task = {0}, printed = {0};
    char tasks[24], jobs[24];
    snprintf(tasks, sizeof tasks, "%" PRIu64, options->tasks);
    snprintf(jobs, sizeof jobs, "%" PRIu64, options->jobs);
    if (!engine_has_program("parallel")) return EXIT_UNREADABLE;
    bool good = engine_put_command(&task, study, false);
    text_printf(&task, " -j1 --task {}/%" PRIu64 "%s", options->tasks,
                options->retry_failed ? " --retry-failed" : "");
    text_put(&task, "", 1);
    const char *words[] = {"/bin/sh", "-c", script, "sh",       tasks, "--will-cite", "--halt",
                           "never",   "-j", jobs,   task.bytes, NULL,  NULL,          NULL};
    if (options->hosts) {
        words[10] = "--sshlogin";
        words[11] = options->hosts;
        words[12] = task.bytes;
    }
    good = good && !task.failed && engine_run_program(words, &printed);
    text_free(&task);
    text_free(&printed);
    return good ? EXIT_CLEAN : EXIT_UNREADABLE;
}

/* ---- Slurm ---- */

/* A word of a command, of two texts. */
static bool engine_add_joined(struct word_list *words, const char *name, const char *value)
{
    struct text text = {0};
    text_printf(&text, "%s%s", name, value);
    text_put(&text, "", 1);
    const bool good = !text.failed && word_list_add(words, text.bytes);
    text_free(&text);
    return good;
}

/* Submits a shell command; the job's number is in `job`.  sbatch expands percent signs and
 * backslashes in the names of outputs, so these are relative to the folder of results. */
static bool engine_submit(const struct study *study, const struct engine_options *options,
                          const struct word_list *more, const struct text *task, char job[32])
{
    const char *const names[] = {"--account=", "--partition=", "--time="};
    const char *const values[] = {options->slurm_account, options->partition, options->limit};
    char folder[PATH_MAX];
    struct word_list words = {0};
    struct text answer = {0};
    bool good = realpath(study->results, folder) && !task->failed &&
                word_list_add(&words, "sbatch") && word_list_add(&words, "--parsable") &&
                engine_add_joined(&words, "--chdir=", folder) &&
                word_list_add(&words, "--output=slurm-%A_%a.log");
    for (size_t i = 0; i < sizeof names / sizeof *names && good; i++)
        if (values[i]) good = engine_add_joined(&words, names[i], values[i]);
    for (size_t i = 0; i < more->count && good; i++) good = word_list_add(&words, more->items[i]);
    good = good && engine_add_joined(&words, "--wrap=", task->bytes);
    const char **argv = good ? calloc(words.count + 1, sizeof *argv) : NULL;
    for (size_t i = 0; i < words.count && argv; i++) argv[i] = words.items[i];
    good = argv && engine_run_program(argv, &answer);
    if (good) snprintf(job, 32, "%.*s", (int)strcspn(answer.bytes, ";\n"), answer.bytes);
    if (!good)
        complain("sweep: sbatch failed, with the script: %s", task->bytes ? task->bytes : "");
    free(argv);
    text_free(&answer);
    word_list_free(&words);
    return good;
}

static int engine_run_slurm(const struct study *study, const struct engine_options *options)
{
    /* the maximum of a task's number, plus one, that the cluster allows */
    static const char *const words[] = {"/bin/sh", "-c", "scontrol show config 2>/dev/null", NULL};
    struct text config = {0};
    uint64_t allowed = USUAL_MAXIMUM;
    if (engine_run_program(words, &config)) {
        const char *found = strstr(config.bytes, "MaxArraySize");
        const char *equals = found ? strchr(found, '=') : NULL;
        if (equals) allowed = strtoull(equals + 1, NULL, 10);
    }
    text_free(&config);
    const uint64_t maximum = (allowed > 1 ? allowed : USUAL_MAXIMUM) - 1;
    struct text after = {0};
    char job[32];
    bool good = engine_has_program("sbatch");
    for (uint64_t from = 0; from < options->tasks && good; from += maximum) {
        const uint64_t left = options->tasks - from, count = left < maximum ? left : maximum;
        struct word_list more = {0};
        struct text task = {0};
        char numbers[64], processors[32];
        const int size = snprintf(numbers, sizeof numbers, "1-%" PRIu64, count);
        if (options->throttle)
            snprintf(numbers + size, sizeof numbers - (size_t)size, "%%%" PRIu64,
                     options->throttle);
        snprintf(processors, sizeof processors, "%" PRIu64, options->jobs);
        good = engine_put_command(&task, study, false);
        text_printf(
            &task, " -j %" PRIu64 " --task $((SLURM_ARRAY_TASK_ID+%" PRIu64 "))/%" PRIu64 "%s",
            options->jobs, from, options->tasks, options->retry_failed ? " --retry-failed" : "");
        text_put(&task, "", 1);
        good = good && engine_add_joined(&more, "--cpus-per-task=", processors) &&
               engine_add_joined(&more, "--array=", numbers) &&
               engine_submit(study, options, &more, &task, job);
        text_free(&task);
        word_list_free(&more);
        if (good) text_printf(&after, ":%s", job);
        if (good)
            complain("sweep: array %s has tasks %" PRIu64 " to %" PRIu64, job, from + 1,
                     from + count);
    }
    text_put(&after, "", 1);
    /* the job that collects, after all arrays */
    struct word_list more = {0};
    struct text task = {0};
    good = good && !after.failed && engine_put_command(&task, study, true);
    text_put(&task, "", 1);
    good = good && engine_add_joined(&more, "--dependency=afterany", after.bytes) &&
           engine_submit(study, options, &more, &task, job);
    text_free(&task);
    word_list_free(&more);
    if (good) complain("sweep: job %s writes %s/collected.json after them", job, study->results);
    text_free(&after);
    return good ? EXIT_CLEAN : EXIT_UNREADABLE;
}

/* ---- Snakemake ---- */

/* Snakemake gives braces in the names of files a meaning, and the commands are raw strings of
 * Python: the rules name files in the Snakefile's own folder, and no path is in it but encoded. */
static int engine_write_snakefile(const struct study *study, const struct engine_options *options)
{
    struct text out = {0}, path = {0};
    int code = EXIT_UNREADABLE;
    text_printf(&out,
                "# Written by spoor sweep --engine snakemake.\nTASKS = %" PRIu64 "\n"
                "COLLECT = r\"\"\"",
                options->tasks);
    bool good = engine_put_command(&out, study, true);
    text_puts(&out, "\"\"\"\nTASK = r\"\"\"");
    good = good && engine_put_command(&out, study, false);
    text_printf(&out,
                "\"\"\"\n\n"
                "rule collected:\n"
                "    input: expand(\"tasks/{k}\", k=range(1, TASKS + 1))\n"
                "    output: \"collected.json\"\n"
                "    shell: COLLECT\n\n"
                "rule task:\n"
                "    output: touch(\"tasks/{k}\")\n"
                "    threads: %" PRIu64 "\n"
                "    shell: TASK + \" -j {threads} --task {wildcards.k}/\" + str(TASKS)\n\n"
                "workdir: workflow.basedir\n",
                options->jobs);
    text_printf(&path, "%s/Snakefile", study->results);
    text_put(&path, "", 1);
    if (good && !out.failed && !path.failed) {
        const struct settings settings = {.quiet = true};
        code = output_write(path.bytes, out.bytes, out.size, true, &settings);
        if (code == EXIT_CLEAN) complain("sweep: wrote %s", path.bytes);
    }
    text_free(&out);
    text_free(&path);
    return code;
}

int engine_run(enum study_engine engine, const struct study *study,
               const struct engine_options *options)
{
    if (!study->path)
        return complain_for(EXIT_USAGE,
                            "sweep --engine: tasks read the study from a file, expected one");
    if (!study_make_folder(study)) return EXIT_UNREADABLE;
    if (engine == ENGINE_PARALLEL) return engine_run_parallel(study, options);
    return engine == ENGINE_SLURM ? engine_run_slurm(study, options)
                                  : engine_write_snakefile(study, options);
}
