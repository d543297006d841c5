/* SPDX-License-Identifier: MIT */
/* study_run.c: processes for the cells of a study. */
#include "cli/study.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli/output.h"
#include "record/system.h"

enum { MESSAGE = 4096, MAX_JOBS = 1024, POLL_MS = 1000 };

/* A cell that runs. */
struct job {
    pid_t process; /* 0: the place is free */
    size_t cell;
    int message; /* its standard error */
    size_t size;
    char text[MESSAGE], temporary[PATH_MAX];
};

struct launcher {
    const struct study *study;
    const struct cells *cells;
    const struct run_options *options;
    struct run_counts *counts;
    char program[PATH_MAX];
    int locks;
    struct job *jobs;
    size_t running;
    struct progress progress;
};

/* ---- folders and locks ---- */

/* True if a path, without links, lies in the folder of the study's file, or another was chosen. */
static bool study_run_is_inside(const struct study *study, const char *path)
{
    char folder[PATH_MAX], real[PATH_MAX];
    if (!study->confined) return true;
    const char *slash = strrchr(study->path, '/');
    const int size = slash ? (int)(slash - study->path) + 1 : 1;
    snprintf(real, sizeof real, "%.*s", size, slash ? study->path : ".");
    if (!realpath(real, folder) || !realpath(path, real)) return false;
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(real, folder, length) == 0 && (real[length] == '/' || !real[length]);
}

/* Makes a folder of the results, in one that is there. */
static bool study_run_make_folder(const struct study *study, const char *path)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    if (study_run_is_inside(study, parent) && (mkdir(path, 0777) == 0 || errno == EEXIST) &&
        study_run_is_inside(study, path))
        return true;
    complain("sweep: %s: the folder cannot be made: %s", path,
             study->confined && access(parent, F_OK) == 0 && !study_run_is_inside(study, path)
                 ? "it is not below that of the study; --results takes any"
                 : strerror(errno));
    return false;
}

bool study_make_folder(const struct study *study)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cells", study->results);
    return study_run_make_folder(study, study->results) && study_run_make_folder(study, path);
}

/* Locks or unlocks the byte of a cell, by its hash; false: another launcher has it. */
static bool study_run_lock_hash(const struct launcher *launcher, uint64_t hash, bool on)
{
    struct flock range = {.l_type = on ? F_WRLCK : F_UNLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(hash >> 2),
                          .l_len = 1};
    return fcntl(launcher->locks, F_SETLK, &range) == 0;
}

static bool study_run_lock(const struct launcher *launcher, size_t cell, bool on)
{
    return study_run_lock_hash(launcher, launcher->cells->items[cell].hash, on);
}

/* ---- processes ---- */

/* Starts the program with these words; 0: the process could not be made. */
static pid_t study_run_start(const char *program, const struct word_list *words, int output,
                             int *message)
{
    int ends[2];
    char **argv = calloc(words->count + 2, sizeof *argv);
    if (!argv || !words->count || pipe2(ends, O_CLOEXEC) != 0) {
        free(argv);
        return 0;
    }
    argv[0] = (char *)(uintptr_t)program;
    for (size_t i = 0; i < words->count; i++) argv[i + 1] = words->items[i];
    const pid_t process = fork();
    if (process == 0) {
        const int input = open("/dev/null", O_RDONLY);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a launcher that dies leaves no process that writes */
#endif
        if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
            dup2(ends[1], STDERR_FILENO) < 0)
            _exit(EXIT_UNREADABLE);
        signal(SIGPIPE, SIG_DFL);
        execv(program, argv);
        _exit(127);
    }
    close(ends[1]);
    free(argv);
    if (process > 0) {
        *message = ends[0];
        return process;
    }
    close(ends[0]);
    return 0;
}

static bool study_run_start_job(struct launcher *launcher, struct job *job, size_t index)
{
    const struct study_cell *cell = &launcher->cells->items[index];
    struct word_list words = {0};
    snprintf(job->temporary, sizeof job->temporary, "%s/cells/%016" PRIx64 ".%ld.tmp",
             launcher->study->results, cell->hash, (long)getpid());
    const int how = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int output = open(job->temporary, how, 0666);
    /* The cell is locked: whoever left the file, such as a launcher of a container whose processes
     * have the same numbers, is gone. */
    if (output < 0 && errno == EEXIST && unlink(job->temporary) == 0)
        output = open(job->temporary, how, 0666);
    if (output < 0)
        return complain("sweep: %s: cannot be made: %s", job->temporary, strerror(errno));
    job->cell = index;
    job->size = 0;
    if (cell_words(launcher->study, cell, &words))
        job->process = study_run_start(launcher->program, &words, output, &job->message);
    close(output);
    word_list_free(&words);
    if (job->process) {
        launcher->running++;
        return true;
    }
    unlink(job->temporary);
    return complain("sweep: a process cannot be made: %s", strerror(errno));
}

/* ---- results ---- */

/* The bytes of the result are on the disk before its name is. */
static bool study_run_give_name(const char *temporary, const char *path)
{
    const int file = open(temporary, O_RDONLY | O_CLOEXEC);
    const bool synced = file >= 0 && fdatasync(file) == 0;
    const int why = errno;
    if (file >= 0) close(file);
    errno = why;
    return synced && rename(temporary, path) == 0;
}

/* Reads what a process says; false at the end of it. */
static bool study_run_read_message(struct job *job)
{
    char lost[512];
    const size_t left = MESSAGE - 1 - job->size;
    char *to = left ? job->text + job->size : lost;
    const ssize_t got = read(job->message, to, left ? left : sizeof lost);
    if (got > 0 && left) job->size += (size_t)got;
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Waits until a process says something or ends. */
static void study_run_attend(struct launcher *launcher)
{
    struct pollfd files[MAX_JOBS];
    struct job *jobs[MAX_JOBS];
    nfds_t count = 0;
    for (uint64_t i = 0; i < launcher->options->jobs; i++) {
        if (!launcher->jobs[i].process) continue;
        jobs[count] = &launcher->jobs[i];
        files[count++] = (struct pollfd){launcher->jobs[i].message, POLLIN, 0};
    }
    if (poll(files, count, POLL_MS) < 0) return;
    for (nfds_t i = 0; i < count; i++) {
        int status = 0;
        if (!files[i].revents || study_run_read_message(jobs[i])) continue;
        while (waitpid(jobs[i]->process, &status, 0) < 0 && errno == EINTR) continue;
        /* the process of a cell has ended: its result gets its name, or its failure is written */
        struct job *job = jobs[i];
        const struct study_cell *cell = &launcher->cells->items[job->cell];
        struct text path = {0}, failed = {0};
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_UNREADABLE;
        const bool good = code == EXIT_CLEAN || code == EXIT_NO || code == EXIT_NOTHING;
        job->text[job->size < MESSAGE ? job->size : MESSAGE - 1] = '\0';
        progress_clear(&launcher->progress);
        cell_path(launcher->study, cell, CELL_RESULT, &path);
        cell_path(launcher->study, cell, CELL_FAILED, &failed);
        if (good && study_run_give_name(job->temporary, path.bytes)) {
            launcher->counts->done++;
            unlink(failed.bytes);
        } else {
            launcher->counts->failed++;
            if (good)
                complain("sweep: %s: the result cannot be stored: %s", path.bytes, strerror(errno));
            else {
                const size_t line = job->size ? strcspn(job->text, "\n") : 0;
                if (WIFSIGNALED(status))
                    complain("sweep: cell %zu (%s, %s) was ended by signal %d", job->cell,
                             launcher->study->runs[cell->run].name,
                             launcher->study->traces[cell->trace].path, WTERMSIG(status));
                else
                    complain("sweep: cell %zu (%s, %s) failed with exit code %d: %.*s", job->cell,
                             launcher->study->runs[cell->run].name,
                             launcher->study->traces[cell->trace].path, WEXITSTATUS(status),
                             (int)line, job->text);
            }
            unlink(job->temporary);
            struct text words = {0};
            text_printf(&words, WIFSIGNALED(status) ? "signal %d\n" : "exit code %d\n",
                        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            text_put(&words, job->text, job->size);
            if (!words.failed)
                output_write(failed.bytes, words.bytes, words.size, true,
                             launcher->options->settings);
            text_free(&words);
        }
        text_free(&path);
        text_free(&failed);
        study_run_lock(launcher, job->cell, false);
        close(job->message);
        job->process = 0;
        launcher->running--;
    }
}

/* ---- cells ---- */

/* True if a cell of this launcher is to be run: then it is locked. */
static bool study_run_claim(struct launcher *launcher, size_t index)
{
    const struct run_options *options = launcher->options;
    const struct study_cell *cell = &launcher->cells->items[index];
    if (options->tasks && index % options->tasks != options->task) return false;
    if (cell_state(launcher->study, cell) == CELL_DONE) {
        launcher->counts->there++;
        return false;
    }
    if (!study_run_lock(launcher, index, true)) {
        launcher->counts->elsewhere++;
        return false;
    }
    const enum cell_state state = cell_state(launcher->study, cell); /* now nobody changes it */
    if (state == CELL_MISSING || (state == CELL_HAS_FAILED && options->retry_failed)) return true;
    *(state == CELL_DONE ? &launcher->counts->there : &launcher->counts->failed) += 1;
    launcher->counts->failed_before += state == CELL_HAS_FAILED; /* or it is unread */
    study_run_lock(launcher, index, false);
    return false;
}

int study_run(const struct study *study, const struct cells *cells,
              const struct run_options *options, struct run_counts *counts)
{
    struct launcher launcher = {.study = study,
                                .cells = cells,
                                .options = options,
                                .counts = counts,
                                .progress = progress_start(options->quiet)};
    struct run_options own = *options;
    if (own.jobs > MAX_JOBS) own.jobs = MAX_JOBS;
    launcher.options = &own;
    if (!system_own_path(launcher.program))
        return complain_for(EXIT_UNREADABLE, "sweep: the program's own path is not known");
    if (!study_make_folder(study)) return EXIT_UNREADABLE;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/LOCKS", study->results);
    launcher.locks = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (launcher.locks < 0)
        return complain_for(EXIT_UNREADABLE, "sweep: %s: cannot be opened: %s", path,
                            strerror(errno));
    /* What launchers that were killed began to write goes: a cell that can be locked is written by
     * nobody.  This one writes none yet: its own locks would let it in. */
    snprintf(path, sizeof path, "%s/cells", study->results);
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        uint64_t hash;
        long process;
        int end = 0;
        const char *name = entry->d_name;
        if (sscanf(name, "%16" SCNx64 ".%ld.tmp%n", &hash, &process, &end) != 2 || !end ||
            name[end] || !study_run_lock_hash(&launcher, hash, true))
            continue;
        unlinkat(dirfd(folder), name, 0);
        study_run_lock_hash(&launcher, hash, false);
    }
    if (folder) closedir(folder);
    launcher.jobs = calloc(own.jobs, sizeof *launcher.jobs);
    bool good = launcher.jobs;
    if (!good) complain("out of memory");
    for (size_t i = 0; i < cells->count && good; i++) {
        if (!study_run_claim(&launcher, i)) continue;
        while (launcher.running == own.jobs) study_run_attend(&launcher);
        struct job *job = launcher.jobs;
        while (job->process) job++;
        good = study_run_start_job(&launcher, job, i);
        if (!good) study_run_lock(&launcher, i, false);
        progress_update(&launcher.progress, study->path, i, cells->count);
    }
    while (launcher.running) study_run_attend(&launcher);
    progress_clear(&launcher.progress);
    free(launcher.jobs);
    close(launcher.locks);
    return good && !counts->failed ? EXIT_CLEAN : EXIT_UNREADABLE;
}

/* ---- costs ---- */

bool cell_measure(const struct word_list *words, struct cell_cost *cost)
{
    char program[PATH_MAX];
    struct rusage usage;
    int status, message = -1;
    struct job job = {0};
    const int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (output < 0 || !system_own_path(program)) return false;
    const pid_t process = study_run_start(program, words, output, &message);
    close(output);
    if (!process) return false;
    job.message = message;
    while (study_run_read_message(&job)) continue;
    close(message);
    if (wait4(process, &status, 0, &usage) < 0) return false;
    cost->seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    cost->memory = (uint64_t)usage.ru_maxrss << 10;
    return WIFEXITED(status) && WEXITSTATUS(status) != EXIT_USAGE;
}
