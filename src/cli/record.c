/* SPDX-License-Identifier: MIT */
/* record.c: the verb `record`: run a program and record its trace. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/trace_index.h"
#include "cli/transfer.h"
#include "cli/write_result.h"
#include "record/session.h"

struct record_settings {
    struct settings common;
    const struct spoor_format *to;
    const char *output, *start, *stop, *sysroot, *qemu;
    uint64_t skip, limit;
    struct range cpu;
};

#define AT(member) offsetof(struct record_settings, member)
static const struct option options[] = {
    OPT('t', "to", FORMAT, "FORMAT", AT(to), "(default: by the suffix of -o, else uop)"),
    OPT('o', "output", OUTPUT, "FILE", AT(output), "(default: PROGRAM.spoor)"),
    OPT(0, "start", TEXT, "WHERE", AT(start),
        "begin at the first execution of WHERE, a symbol or an address 0x..."),
    OPT(0, "stop", TEXT, "WHERE", AT(stop), "end at the next execution of WHERE after that"),
    OPT(0, "skip", NUMBER, "N", AT(skip), "then skip the first N instructions"),
    OPT('n', "limit", NUMBER, "N", AT(limit), "instructions"),
    OPT(0, "thread", RANGE, "N", AT(cpu),
        "record thread N only, from 0 (default: all if the format has cpus, else 0)"),
    OPT('L', "sysroot", TEXT, "DIR", AT(sysroot),
        "directory of the program's shared libraries (default: Debian's cross libraries)"),
    OPT(0, "qemu", TEXT, "PROGRAM", AT(qemu),
        "run the program with this qemu (default: by its processor)"),
    OPT_FLAG(0, "without-index", COMMON(no_index), NULL),
    OPTION_END,
};
#undef AT

/* Returns the description of the recording for a .spoor file; NULL if memory runs out. */
static char *record_describe(const struct record_settings *record)
{
    struct text lines = {0};
    struct utsname machine;
    char date[32];
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts))
        text_printf(&lines, "date=%s\n", date);
    if (uname(&machine) == 0)
        text_printf(&lines, "machine=%s %s %s\n", machine.sysname, machine.release,
                    machine.machine);
    const char *program = record->common.operands[0];
    char digits[SPOOR_BUILD_ID_DIGITS + 1];
    if (spoor_image_build_id(program, digits)) text_printf(&lines, "build-id=%s\n", digits);
    for (int i = -1; i < record->common.operand_count; i++) {
        text_puts(&lines, i < 0 ? "program=" : i == 0 ? "\ncommand=" : " ");
        for (const char *at = record->common.operands[i < 0 ? 0 : i]; *at; at++)
            text_put(&lines, *at == '\n' ? " " : at, 1); /* a line of the description has no more */
    }
    text_put(&lines, "\n", 2);
    if (!lines.failed) return lines.bytes;
    text_free(&lines);
    return NULL;
}

/* PROGRAM.spoor, in the current directory.  False, with a message: a file that is no .spoor file
 * has that name, which the user did not choose. */
static bool record_name_output(struct record_settings *record, char *name, size_t size)
{
    const char *program = record->common.operands[0], *slash = strrchr(program, '/');
    struct stat status;
    snprintf(name, size, "%s.spoor", slash ? slash + 1 : program);
    record->output = name;
    if (stat(name, &status) != 0 || status.st_size == 0) return true;
    const struct spoor_format *container = NULL;
    if (S_ISREG(status.st_mode)) (void)spoor_reader_container(name, &container, NULL);
    if (container) return true;
    return complain(
        "record: found %s, which is no .spoor file: give -o FILE to write to another name, or "
        "to replace it",
        name);
}

static void record_print_summary(const struct record_settings *record,
                                 const struct session_summary *summary, bool complete)
{
    if (record->common.quiet) return;
    if (summary->never_started && complete)
        complain("%s was never executed: the trace is empty", record->start);
    if (summary->other_threads)
        complain("the program has more threads, and this format has no cpu: only thread "
                 "%" PRIu64 " of up to %" PRIu64 " at a time is in the trace (--thread N: another)",
                 record->cpu.first, summary->other_threads + 1);
    complain("%s: %" PRIu64 " instructions, %" PRIu64 " %s", record->output,
             summary->instructions - summary->left_out, summary->records, summary->what);
    if (summary->without_vectors)
        complain("vector and floating-point registers are not in the trace: this QEMU, or the "
                 "processor that it models, has none where spoor can find them");
    else if (summary->without_status)
        complain("FPSR and FPCR are not in the trace: spoor does not find them in this QEMU");
    if (summary->left_out)
        complain("%" PRIu64 " instructions were left out: a signal or the end of the program came "
                 "before they were complete",
                 summary->left_out);
}

static int record_run(void *settings)
{
    struct record_settings *record = settings;
    char name[NAME_MAX + 16];
    if (record->common.operand_count == 0)
        return complain_for(
            EXIT_USAGE,
            "record: found no program: spoor record [-o FILE] -- PROGRAM [ARGUMENT]...");
    if (record->cpu.given && record->cpu.first != record->cpu.last)
        return complain_for(EXIT_USAGE,
                            "record --thread: found a range, expected the number of one thread");
    if (record->output && strcmp(record->output, "-") == 0 && isatty(STDOUT_FILENO))
        return complain_for(EXIT_USAGE, "record -o -: standard output is a terminal: give -o FILE, "
                                        "or a pipe");
    if (!record->output && !record_name_output(record, name, sizeof name)) return EXIT_USAGE;
    if (!write_result_apart(&record->common, record->output)) return EXIT_USAGE;
    const struct spoor_format *uop = spoor_format_find("uop"), *container = NULL;
    const struct spoor_format *named = format_for_output(record->output, uop);
    const struct spoor_format *format = record->to ? record->to : named;
    if (!format) return EXIT_USAGE;
    if (named && spoor_format_is_container(named)) container = named;
    if (spoor_format_is_container(format)) {
        container = format;
        format = uop;
    }
    char *description = container ? record_describe(record) : NULL;
    const size_t count = (size_t)record->common.operand_count;
    char **words = calloc(count + 1, sizeof *words);
    if (!words || (container && !description)) {
        complain("out of memory");
        free(words);
        free(description);
        return EXIT_UNREADABLE;
    }
    memcpy(words, record->common.operands, count * sizeof *words);
    struct session_options chosen = {
        .format = format,
        .container = container,
        .description = description,
        .output = record->output,
        .threads = thread_count(&record->common),
        .partial = record->common.partial,
        .start = record->start,
        .stop = record->stop,
        .selection = {.has_start = record->start != NULL,
                      .has_stop = record->stop != NULL,
                      .has_limit = record->limit != 0,
                      .has_cpu = record->cpu.given,
                      .skip = record->skip,
                      .limit = record->limit,
                      .cpu = (uint32_t)record->cpu.first},
        .guest = {.qemu = record->qemu, .sysroot = record->sysroot},
    };
    struct session_summary summary;
    struct spoor_error error = {0};
    if (container && !record->common.no_index)
        trace_index_while_writing(&chosen.indexing, &record->common, NULL);
    const enum spoor_status status = session_run(&chosen, words, &summary, &error);
    spoor_index_writer_close(chosen.indexing, NULL);
    free(words);
    free(description);
    int code = summary.exit_code;
    if (status != SPOOR_OK) {
        const int failed = fail(&error);
        if (!summary.started || code == EXIT_CLEAN) code = failed;
    }
    if (summary.started) record_print_summary(record, &summary, status == SPOOR_OK);
    if (record->common.json && summary.started && status == SPOOR_OK) {
        struct spoor_result *result =
            write_result_new(record->output, container ? container : format, summary.records);
        spoor_result_unsigned(result, "instructions", summary.instructions - summary.left_out);
        spoor_result_unsigned(result, "instructions_left_out", summary.left_out);
        spoor_result_unsigned(result, "threads_left_out", summary.other_threads);
        spoor_result_unsigned(result, "exit_code", (uint64_t)summary.exit_code);
        code = worse(code, write_result_show(result, record->output));
    }
    return code;
}

const struct verb verb_record = {
    .name = "record",
    .brief = "run a program and record its trace",
    .operands = "[-o FILE] -- PROGRAM [ARGUMENT]...",
    .about = "Runs an x86-64, AArch64, Arm or RISC-V program under qemu-user and records its "
             "trace: micro-ops (uop, x86-64), memory references (lackey, din, xdin), or "
             "instructions, registers and memory with their values (tarmac, matcher; AArch64 and "
             "Arm).  The program keeps its environment, its standard input and output, and its "
             "exit code.  ^C ends the trace; the recorded part is kept.",
    .options = options,
    .settings_size = sizeof(struct record_settings),
    .json = true,
    .runs_operands = true,
    .run = record_run,
};
