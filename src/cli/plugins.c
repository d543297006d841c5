/* SPDX-License-Identifier: MIT */
/*
 * plugins.c: loads plug-ins, and names the one that crashes.
 *
 * A plug-in is at fault if the instruction that caused the signal is its own.  Where it is not, as
 * in a function that the plug-in called, or abort(), all that are loaded are named.
 */
#include "cli/plugins.h"

#include <dlfcn.h>
#include <errno.h>
#ifdef __ELF__
#include <link.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"

enum { SIGNAL_STACK = 64 * 1024 };

/* What the handler reads: complete before a function of the plug-in is called. */
static struct loaded {
    const char *path;
    uintptr_t first, last; /* of its segments in memory, both included */
} loaded[MAX_LIST];
static volatile sig_atomic_t loaded_count;
static const char *volatile loading; /* the plug-in that is being loaded */
static void (*truncated)(int);       /* what SIGBUS did before */

/* ---- signals ---- */

/* snprintf() may not be called in a handler. */
struct sentence {
    size_t size;
    char bytes[1024];
};

static void sentence_add(struct sentence *sentence, const char *text)
{
    while (*text && sentence->size < sizeof sentence->bytes - 1)
        sentence->bytes[sentence->size++] = *text++;
}

static uintptr_t plugins_fault_address(const void *context)
{
    const ucontext_t *machine = context;
#if defined __x86_64__ && defined __linux__
    return (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__ && defined __linux__
    return (uintptr_t)machine->uc_mcontext.pc;
#else
    (void)machine;
    return 0;
#endif
}

static void plugins_say_crash(int number, siginfo_t *info, void *context)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"},
                 {SIGBUS, "SIGBUS"},
                 {SIGFPE, "SIGFPE"},
                 {SIGILL, "SIGILL"},
                 {SIGABRT, "SIGABRT"}};
    struct sentence sentence = {0};
    const uintptr_t at = plugins_fault_address(context);
    const char *name = "a signal", *culprit = loading;
    (void)info;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number) name = names[i].name;
    for (int i = 0; i < loaded_count; i++)
        if (at >= loaded[i].first && at <= loaded[i].last) culprit = loaded[i].path;
    if (number == SIGBUS && !culprit && truncated) truncated(number);
    sentence_add(&sentence, "spoor: ");
    if (culprit) {
        sentence_add(&sentence, "the plug-in ");
        sentence_add(&sentence, culprit);
        sentence_add(&sentence, loading ? " crashed while it was loaded: " : " crashed: ");
        sentence_add(&sentence, name);
    } else {
        sentence_add(&sentence, name);
        sentence_add(&sentence, " in what a plug-in called, or in spoor; loaded:");
        for (int i = 0; i < loaded_count; i++) {
            sentence_add(&sentence, " ");
            sentence_add(&sentence, loaded[i].path);
        }
    }
    sentence.bytes[sentence.size++] = '\n';
    (void)!write(STDERR_FILENO, sentence.bytes, sentence.size);
    signal(number, SIG_DFL);
    raise(number);
}

static void plugins_watch(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[SIGNAL_STACK]; /* the own one may have overflowed */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = plugins_say_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], &action, &before);
        if (numbers[i] == SIGBUS && !(before.sa_flags & SA_SIGINFO) &&
            before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
            truncated = before.sa_handler;
    }
}

/* ---- loading ---- */

#ifdef __ELF__
struct extent {
    const void *inside;
    struct loaded *of;
};

/* Sets the extent of the object that has an address in it. */
static int plugins_note_extent(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct extent *extent = context;
    const uintptr_t wanted = (uintptr_t)extent->inside;
    uintptr_t first = UINTPTR_MAX, last = 0;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || info->dlpi_phdr[i].p_memsz == 0) continue;
        if (begin < first) first = begin;
        if (begin + info->dlpi_phdr[i].p_memsz - 1 > last)
            last = begin + info->dlpi_phdr[i].p_memsz - 1;
    }
    if (wanted < first || wanted > last) return 0;
    extent->of->first = first;
    extent->of->last = last;
    return 1;
}
#endif

/* Returns the exit code. */
static int plugins_load_one(const struct settings *settings, const char *path)
{
    const char *verb = settings->verb->name;
    struct text file = {0};
    if (access(path, R_OK) != 0)
        return complain_for(EXIT_USAGE, "%s --plugin %s: %s", verb, path, strerror(errno));
    if (!strchr(path, '/')) text_puts(&file, "./"); /* else it is sought among the system's */
    text_puts(&file, path);
    text_put(&file, "", 1);
    if (file.failed) return complain_for(EXIT_UNREADABLE, "out of memory");
    loading = path;
    void *object = dlopen(file.bytes, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const char *why = object ? NULL : dlerror();
    loading = NULL;
    const size_t named = strlen(file.bytes);
    if (why && strncmp(why, file.bytes, named) == 0 && why[named] == ':')
        why += named + 1 + (why[named + 1] == ' ');
    if (!object)
        complain("%s --plugin %s: expected a shared object for this machine, found: %s", verb, path,
                 why ? why : "no reason");
    text_free(&file);
    if (!object) return EXIT_USAGE;
    const struct spoor_plugin *plugin = dlsym(object, "spoor_plugin_table");
    if (!plugin)
        return complain_for(EXIT_USAGE,
                            "%s --plugin %s: found no symbol 'spoor_plugin_table', expected a "
                            "shared object that defines it: see spoor/plugin.h",
                            verb, path);
    struct loaded *of = &loaded[loaded_count];
    *of = (struct loaded){.path = path};
#ifdef __ELF__
    dl_iterate_phdr(plugins_note_extent, &(struct extent){plugin, of});
#endif
    loaded_count++;
    struct spoor_error error = {0};
    const enum spoor_status status = spoor_plugin_add(plugin, path, &error);
    if (status == SPOOR_OK) return EXIT_CLEAN;
    if (status == SPOOR_ENOMEM) return fail(&error);
    return complain_for(EXIT_USAGE, "%s --plugin %s", verb, error.text);
}

int plugins_load(const struct settings *settings)
{
    if (settings->plugins.count > 0) plugins_watch();
    int code = EXIT_CLEAN;
    for (size_t i = 0; code == EXIT_CLEAN && i < settings->plugins.count; i++)
        code = plugins_load_one(settings, settings->plugins.items[i]);
    return code;
}
