/* SPDX-License-Identifier: MIT */
/* record/guest.c: find the program, its QEMU, the plugin and its libraries, and start it. */
#include "record/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/scan.h"
#include "record/system.h"
#ifdef SPOOR_HAVE_PARENT_DEATH_SIGNAL
#include <sys/prctl.h>

#endif

/* Processors in the registry of machines of the System V ABI. */
enum { ELF_386 = 3, ELF_ARM = 40, ELF_X86_64 = 62, ELF_AARCH64 = 183, ELF_RISCV = 243 };

/* QEMU's default model for AArch64 has SVE, whose accesses its plugins do not see; the Neoverse N1
 * is a server processor without SVE.  QEMU_CPU in the environment selects another, as without
 * spoor. */
static const struct machine machines[] = {
    {MACHINE_X86_64, ELF_X86_64, true, "x86-64", "qemu-x86_64", NULL, NULL, "libc6"},
    {MACHINE_I386, ELF_386, false, "x86 (32-bit)", "qemu-i386", NULL, NULL, "libc6-i386"},
    {MACHINE_ARM64, ELF_AARCH64, true, "AArch64", "qemu-aarch64", "neoverse-n1",
     "/usr/aarch64-linux-gnu", "libc6-arm64-cross"},
    {MACHINE_ARM, ELF_ARM, false, "Arm", "qemu-arm", NULL, "/usr/arm-linux-gnueabihf",
     "libc6-armhf-cross"},
    {MACHINE_RISCV, ELF_RISCV, true, "RISC-V (64-bit)", "qemu-riscv64", NULL,
     "/usr/riscv64-linux-gnu", "libc6-riscv64-cross"},
    {MACHINE_RISCV, ELF_RISCV, false, "RISC-V (32-bit)", "qemu-riscv32", NULL, NULL, "libc6"},
};

static enum spoor_status guest_find_program(struct guest *guest, const char *program,
                                            struct spoor_error *error)
{
    if (!system_find_program(program, guest->path)) {
        if (strchr(program, '/'))
            return spoor_error_system(error, SPOOR_EINPUT, "%s cannot be run", program);
        return spoor_error_set(error, SPOOR_EINPUT, "%s: no such program in $PATH", program);
    }
    const enum spoor_status status = spoor_program_file_read(&guest->program, guest->path, error);
    if (status != SPOOR_OK) {
        char begin[2];
        const int file = open(guest->path, O_RDONLY | O_CLOEXEC);
        const bool is_script = file >= 0 &&
                               read(file, begin, sizeof begin) == (ssize_t)sizeof begin &&
                               begin[0] == '#' && begin[1] == '!';
        if (file >= 0) close(file);
        if (is_script)
            return spoor_error_set(error, SPOOR_EINPUT,
                                   "%s is a script: name its interpreter as the program to record",
                                   guest->path);
        return status;
    }
    if (guest->program.big_endian)
        return spoor_error_set(error, SPOOR_EINPUT, "%s is not a little-endian ELF program",
                               guest->path);
    for (size_t i = 0; i < sizeof machines / sizeof *machines && !guest->machine; i++)
        if (machines[i].elf == guest->program.machine && machines[i].wide == guest->program.wide)
            guest->machine = &machines[i];
    if (guest->machine) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s is for ELF machine %u: spoor records x86-64, x86, AArch64, Arm and "
                           "RISC-V programs",
                           guest->path, guest->program.machine);
}

static enum spoor_status guest_find_qemu(struct guest *guest, const struct guest_options *options,
                                         struct spoor_error *error)
{
    const char *name = options->qemu ? options->qemu : guest->machine->qemu;
    if (!system_find_program(name, guest->qemu))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s, which runs %s programs, is not installed: apt-get install "
                               "qemu-user",
                               name, guest->machine->name);
    static const size_t help_size = 32 << 10;
    char *help = calloc(1, help_size);
    if (!help) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    int ends[2];
    if (pipe(ends) == 0) { /* the output of `qemu -help`, truncated */
        for (unsigned i = 0; i < 2; i++) (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDOUT_FILENO);
            execl(guest->qemu, guest->qemu, "-help", (char *)NULL);
            _exit(127);
        }
        close(ends[1]);
        size_t used = 0;
        ssize_t got = 0;
        do {
            used += (size_t)got;
            got = read(ends[0], help + used, help_size - 1 - used);
        } while (got > 0 || (got < 0 && errno == EINTR && (got = 0, true)));
        help[used] = '\0';
        close(ends[0]);
        while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    }
    const bool plugins = strstr(help, "-plugin") != NULL;
    guest->single = strstr(help, "-one-insn-per-tb") ? "-one-insn-per-tb" : "-singlestep";
    free(help);
    if (plugins) return SPOOR_OK;
    return spoor_error_set(
        error, SPOOR_EINPUT,
        "%s does not load plugins: that of Debian 12's qemu-user does (apt-get install "
        "qemu-user), statically linked ones do not",
        guest->qemu);
}

enum spoor_status guest_find(struct guest *guest, const char *program,
                             const struct guest_options *options, struct spoor_error *error)
{
    *guest = (struct guest){0};
    enum spoor_status status = guest_find_program(guest, program, error);
    if (status == SPOOR_OK) status = guest_find_qemu(guest, options, error);
    if (status != SPOOR_OK) return status;
    /* The plugin of the build tree that this program runs from, else the one installed with it, by
     * a path relative to the program. */
    static const char *const places[] = {"../record", "../" PLUGIN_LIBDIR};
    char self[PATH_MAX];
    bool found = false;
    if (!system_own_path(self)) self[0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++)
        found = snprintf(guest->plugin, sizeof guest->plugin, "%s/%s/%s", self, places[i],
                         PLUGIN_NAME) < (int)sizeof guest->plugin &&
                access(guest->plugin, R_OK) == 0;
    if (!found)
        snprintf(guest->plugin, sizeof guest->plugin, "%s/%s", PLUGIN_DIRECTORY, PLUGIN_NAME);
    if (!found && access(guest->plugin, R_OK) != 0)
        return spoor_error_set(error, SPOOR_EINPUT, "spoor's plugin for QEMU is missing: %s",
                               guest->plugin);
    /* A dynamic program needs its dynamic linker below the sysroot. */
    const char *sysroot = options->sysroot ? options->sysroot : guest->machine->sysroot;
    const char *linker = guest->program.interpreter;
    char path[2 * PATH_MAX];
    if (options->sysroot) snprintf(guest->sysroot, sizeof guest->sysroot, "%s", options->sysroot);
    if (!linker[0]) return SPOOR_OK;
    snprintf(path, sizeof path, "%s%s", sysroot ? sysroot : "", linker);
    if (access(path, R_OK) == 0) {
        snprintf(guest->sysroot, sizeof guest->sysroot, "%s", sysroot ? sysroot : "");
        return SPOOR_OK;
    }
    if (!options->sysroot && access(linker, R_OK) == 0) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s is linked dynamically and %s is missing: apt-get install %s, give "
                           "the sysroot with -L, or link it with -static",
                           guest->path, path, guest->machine->library);
}

pid_t guest_start(const struct guest *guest, const struct guest_options *options, char **words,
                  int descriptor, const sigset_t *mask, struct spoor_error *error)
{
    size_t count = 0;
    while (words[count]) count++;
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        spoor_error_system(error, SPOOR_EINPUT, "a process for %s", guest->qemu);
        return -1;
    }
    if (child) return child;
#ifdef SPOOR_HAVE_PARENT_DEATH_SIGNAL
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would return blocks to QEMU */
#endif
    if (getppid() != parent) _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (options->quiet &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        _exit(127);
    enum { QEMU_WORDS = 14 };
    char plugin[2 * PATH_MAX + 32], *at = plugin, base[24];
    char **all = calloc(QEMU_WORDS + count + 1, sizeof *all);
    if (!all) _exit(127);
    for (const char *from = guest->plugin; *from; from++) { /* QEMU wants its commas doubled */
        if (*from == ',') *at++ = ',';
        *at++ = *from;
    }
    sprintf(at, ",memory=%d", descriptor);
    snprintf(base, sizeof base, "0x%llx", (unsigned long long)options->base);
    const char *own[QEMU_WORDS] = {guest->qemu, "-plugin", plugin, "-0", words[0]};
    size_t used = 5;
    if (guest->sysroot[0]) own[used++] = "-L", own[used++] = guest->sysroot;
    const char *cpu = guest->machine->cpu;
    if (cpu && !getenv("QEMU_CPU")) own[used++] = "-cpu", own[used++] = cpu;
    if (options->want_single) own[used++] = guest->single;
    if (options->has_base) own[used++] = "-B", own[used++] = base;
    memcpy(all, own, used * sizeof *all);
    union {
        const char *given;
        char *word;
    } path = {guest->path};
    all[used++] = path.word;
    for (size_t i = 1; i < count; i++) all[used++] = words[i];
    fcntl(descriptor, F_SETFD, 0);
    execv(guest->qemu, all);
    _exit(127);
}

enum spoor_status guest_address(const struct guest *guest, const char *word, uint64_t code_start,
                                uint64_t *address, struct spoor_error *error)
{
    if (word[0] == '0' && (word[1] | 0x20) == 'x') {
        if (scan_all_address(word, address)) return SPOOR_OK;
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "'%s' is not an address: expected 0x and up to 16 hexadecimal digits", word);
    }
    if (!spoor_program_file_symbol(guest->path, word, address))
        return spoor_error_set(
            error, SPOOR_EUSAGE,
            "%s has no symbol '%s' (it may be stripped, or the symbol may lie in "
            "a library): give an address, 0x...",
            guest->path, word);
    if (guest->program.moves && code_start) *address += code_start - guest->program.code_start;
    return SPOOR_OK;
}
