/* SPDX-License-Identifier: MIT */
/* study_engine.c: GNU parallel, Slurm and Snakemake. */
#include "cli/study_engine.h"

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
#include "cli/study_run.h"
#include "record/system.h"

enum { USUAL_MAXIMUM = 1001 /* Slurm's MaxArraySize where nothing is configured */ };

/* A word in single quotes, for a shell. */
static void put_quoted(struct text *out, const char *word)
{
    text_put(out, "'", 1);
    for (; *word; word++)
        if (*word == '\'')
            text_puts(out, "'\\''");
        else
            text_put(out, word, 1);
    text_put(out, "'", 1);
}

/* "spoor sweep STUDY" with absolute paths: tasks begin in other folders. */
static bool put_command(struct text *out, const struct study *study)
{
    char program[PATH_MAX], path[PATH_MAX], folder[PATH_MAX];
    if (!system_own_path(program) || !realpath(study->path, path) ||
        !getcwd(folder, sizeof folder)) {
        complain("sweep: %s: %s", study->path, strerror(errno));
        return false;
    }
    text_puts(out, "cd ");
    put_quoted(out, folder);
    text_puts(out, " && ");
    put_quoted(out, program);
    text_puts(out, " sweep -q ");
    put_quoted(out, path);
    text_puts(out, " --results ");
    put_quoted(out, study->results);
    return true;
}

/* Runs a shell command and returns what it prints, NUL-terminated in `out`; false: it failed. */
static bool run_shell(const char *command, struct text *out)
{
    int ends[2], status = -1;
    ssize_t got = 1;
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t process = fork();
    if (process == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0) execl("/bin/sh", "sh", "-c", command, (char *)NULL);
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

static bool has_program(const char *name)
{
    char path[PATH_MAX];
    if (system_find_program(name, path)) return true;
    complain("sweep: the program %s is not installed", name);
    return false;
}

/* ---- GNU parallel ---- */

static int run_parallel(const struct study *study, const struct engine_options *options)
{
    struct text command = {0}, printed = {0};
    if (!has_program("parallel")) return EXIT_UNREADABLE;
    text_printf(&command, "seq 1 %" PRIu64 " | parallel --will-cite --halt never -j %" PRIu64 " ",
                options->tasks, options->jobs);
    if (options->hosts) {
        text_puts(&command, "--sshlogin ");
        put_quoted(&command, options->hosts);
    }
    struct text task = {0};
    bool good = put_command(&task, study);
    text_printf(&task, " -j1 --task {}/%" PRIu64 "%s", options->tasks,
                options->retry_failed ? " --retry-failed" : "");
    text_put(&task, "", 1);
    text_puts(&command, " ");
    if (good && !task.failed) put_quoted(&command, task.bytes);
    text_put(&command, "", 1);
    good = good && !task.failed && !command.failed;
    good = good && run_shell(command.bytes, &printed);
    text_free(&task);
    text_free(&command);
    text_free(&printed);
    return good ? EXIT_CLEAN : EXIT_UNREADABLE;
}

/* ---- Slurm ---- */

/* The maximum of a task's number, plus one, that the cluster allows. */
static uint64_t maximum_array(void)
{
    struct text text = {0};
    uint64_t size = USUAL_MAXIMUM;
    if (run_shell("scontrol show config 2>/dev/null", &text)) {
        const char *found = strstr(text.bytes, "MaxArraySize");
        const char *equals = found ? strchr(found, '=') : NULL;
        if (equals) size = strtoull(equals + 1, NULL, 10);
    }
    text_free(&text);
    return size > 1 ? size : USUAL_MAXIMUM;
}

/* The options of every job. */
static void put_sbatch(struct text *out, const struct study *study,
                       const struct engine_options *options)
{
    text_puts(out, "sbatch --parsable");
    const char *const names[] = {"--account=", "--partition=", "--time="};
    const char *const values[] = {options->slurm_account, options->partition, options->limit};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!values[i]) continue;
        text_printf(out, " %s", names[i]);
        put_quoted(out, values[i]);
    }
    text_puts(out, " --output=");
    struct text log = {0};
    text_printf(&log, "%s/slurm-%%A_%%a.log", study->results);
    text_put(&log, "", 1);
    if (!log.failed) put_quoted(out, log.bytes);
    text_free(&log);
}

/* Submits; the job's number is in `job`. */
static bool submit(struct text *command, char job[32])
{
    struct text answer = {0};
    text_put(command, "", 1);
    const bool good = !command->failed && run_shell(command->bytes, &answer);
    if (good) snprintf(job, 32, "%.*s", (int)strcspn(answer.bytes, ";\n"), answer.bytes);
    if (!good) complain("sweep: sbatch failed, with the command: %s", command->bytes);
    text_free(&answer);
    text_free(command);
    return good;
}

/* The array of tasks `from` + 1 to `from` + `count`. */
static bool submit_array(const struct study *study, const struct engine_options *options,
                         uint64_t from, uint64_t count, char job[32])
{
    struct text command = {0}, task = {0};
    put_sbatch(&command, study, options);
    text_printf(&command, " --cpus-per-task=%" PRIu64 " --array=1-%" PRIu64, options->jobs, count);
    if (options->throttle) text_printf(&command, "%%%" PRIu64, options->throttle);
    if (!put_command(&task, study)) return false;
    text_printf(&task, " -j %" PRIu64 " --task $((SLURM_ARRAY_TASK_ID+%" PRIu64 "))/%" PRIu64 "%s",
                options->jobs, from, options->tasks,
                options->retry_failed ? " --retry-failed" : "");
    text_put(&task, "", 1);
    text_puts(&command, " --wrap=");
    if (!task.failed) put_quoted(&command, task.bytes);
    text_free(&task);
    return submit(&command, job);
}

/* The job that collects, after all arrays. */
static bool submit_collect(const struct study *study, const struct engine_options *options,
                           const char *after, char job[32])
{
    struct text command = {0}, task = {0};
    const struct engine_options alone = *options;
    put_sbatch(&command, study, &alone);
    text_printf(&command, " --dependency=afterany%s", after);
    if (!put_command(&task, study)) return false;
    text_puts(&task, " --collect --json -o ");
    struct text file = {0};
    text_printf(&file, "%s/collected.json", study->results);
    text_put(&file, "", 1);
    if (!file.failed) put_quoted(&task, file.bytes);
    text_put(&task, "", 1);
    text_puts(&command, " --wrap=");
    if (!task.failed) put_quoted(&command, task.bytes);
    text_free(&file);
    text_free(&task);
    return submit(&command, job);
}

static int run_slurm(const struct study *study, const struct engine_options *options)
{
    const uint64_t maximum = maximum_array() - 1;
    struct text after = {0};
    char job[32];
    bool good = has_program("sbatch");
    for (uint64_t from = 0; from < options->tasks && good; from += maximum) {
        const uint64_t left = options->tasks - from, count = left < maximum ? left : maximum;
        good = submit_array(study, options, from, count, job);
        if (good) text_printf(&after, ":%s", job);
        if (good)
            complain("sweep: array %s has tasks %" PRIu64 " to %" PRIu64, job, from + 1,
                     from + count);
    }
    text_put(&after, "", 1);
    good = good && !after.failed && submit_collect(study, options, after.bytes, job);
    if (good) complain("sweep: job %s writes %s/collected.json after them", job, study->results);
    text_free(&after);
    return good ? EXIT_CLEAN : EXIT_UNREADABLE;
}

/* ---- Snakemake ---- */

static int write_snakefile(const struct study *study, const struct engine_options *options)
{
    struct text out = {0}, command = {0}, path = {0};
    int code = EXIT_UNREADABLE;
    if (put_command(&command, study)) {
        text_put(&command, "", 1);
        text_printf(&out,
                    "# Written by spoor sweep --engine snakemake.\nTASKS = %" PRIu64 "\n"
                    "RESULTS = r\"%s\"\nSPOOR = r\"\"\"%s\"\"\"\n\n"
                    "rule collected:\n"
                    "    input: expand(RESULTS + \"/tasks/{k}\", k=range(1, TASKS + 1))\n"
                    "    output: RESULTS + \"/collected.json\"\n"
                    "    shell: SPOOR + \" --collect --json -o '{output}'\"\n\n"
                    "rule task:\n"
                    "    output: touch(RESULTS + \"/tasks/{k}\")\n"
                    "    threads: %" PRIu64 "\n"
                    "    shell: SPOOR + \" -j {threads} --task {wildcards.k}/\" + str(TASKS)\n",
                    options->tasks, study->results, command.bytes, options->jobs);
        text_printf(&path, "%s/Snakefile", study->results);
        text_put(&path, "", 1);
        if (!out.failed && !path.failed && study_make_folder(study)) {
            const struct settings settings = {.quiet = true};
            code = output_write(path.bytes, out.bytes, out.size, true, &settings);
            if (code == EXIT_CLEAN) complain("sweep: wrote %s", path.bytes);
        }
    }
    text_free(&out);
    text_free(&command);
    text_free(&path);
    return code;
}

int engine_run(enum study_engine engine, const struct study *study,
               const struct engine_options *options)
{
    if (!study->path) {
        complain("sweep --engine: tasks read the study from a file, expected one");
        return EXIT_USAGE;
    }
    if (!study_make_folder(study)) return EXIT_UNREADABLE;
    if (engine == ENGINE_PARALLEL) return run_parallel(study, options);
    return engine == ENGINE_SLURM ? run_slurm(study, options) : write_snakefile(study, options);
}
