/* SPDX-License-Identifier: MIT */
/* gdb.c: the verb `gdb`, which starts GDB on a trace. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/descriptions.h"
#include "cli/filled_copy.h"
#include "cli/gdb_serve.h"
#include "cli/image_set.h"
#include "cli/trace_index.h"
#include "record/system.h"

struct gdb_settings {
    struct settings common;
    const char *at, *program;
    bool serve;
};

static const struct option options[] = {
    OPT_FLAG(0, "serve", offsetof(struct gdb_settings, serve),
             "speak GDB's remote protocol on standard input and output, for a GDB or an IDE that "
             "starts spoor: (gdb) target remote | spoor gdb --serve TRACE"),
    OPT(0, "at", TEXT, "MOMENT", offsetof(struct gdb_settings, at), "(default: the beginning)"),
    OPT(0, "gdb", TEXT, "PROGRAM", offsetof(struct gdb_settings, program),
        "start this GDB (default: gdb-multiarch, or gdb)"),
    IMAGE_OPTIONS,
    CODE_OPTION,
    NO_INDEX_OPTION,
    OPTION_END,
};

/* ---- the commands for GDB ---- */

static void gdb_put_option(struct text *out, const char *name, const char *value)
{
    text_printf(out, " --%s ", name);
    put_shell_word(out, value);
}

/*
 * An unwinder for GDB's Python, by the calls that spoor knows (spoor-stack(1)).  GDB's own need the
 * stack pointer and memory, and fail a step where these are not known; they are left to work where
 * the stack pointer is known and there is debug information down to the code that starts the
 * program.  Names of frames are made of
 * their depth, so that a frame keeps its name while it is open.  The outermost frame is there
 * twice: GDB ends the stack at a frame with the name of the one before.
 */
static const char unwinder[] =
    "python\n"
    "import gdb\n"
    "from gdb.unwinder import Unwinder\n"
    "class SpoorFrameId:\n"
    "  def __init__(self, sp, pc):\n"
    "    self.sp, self.pc = sp, pc\n"
    "class SpoorUnwinder(Unwinder):\n"
    "  def __init__(self):\n"
    "    super().__init__('spoor')\n"
    "    self.frames, self.ours = [], False\n"
    "  def look(self, frame):\n"
    "    text = gdb.execute('monitor frames', to_string=True)\n"
    "    self.frames = [int(line, 16) for line in text.split()]\n"
    "    known = [bool(gdb.find_pc_line(pc).symtab) for pc in self.frames]\n"
    "    while len(known) > 1 and not known[-1]:\n"
    "      known.pop()\n"
    "    self.ours = not all(known)\n"
    "    self.frames.append(self.frames[-1])\n"
    "    try:\n"
    "      int(frame.read_register('sp'))\n"
    "    except (gdb.error, ValueError):\n"
    "      self.ours = True\n"
    "  def __call__(self, frame):\n"
    "    level = frame.level()\n"
    "    if level == 0:\n"
    "      self.look(frame)\n"
    "    if not self.ours or level >= len(self.frames):\n"
    "      return None\n"
    "    pc = frame.read_register('pc')\n"
    "    kind = gdb.lookup_type('unsigned long')\n"
    "    depth = max(len(self.frames) - level, 2)\n"
    "    place = gdb.Value(0x7fffffff - 16 * depth).cast(kind)\n"
    "    info = frame.create_unwind_info(SpoorFrameId(place, gdb.Value(0).cast(kind)))\n"
    "    if level + 1 < len(self.frames):\n"
    "      info.add_saved_register('pc', gdb.Value(self.frames[level + 1]).cast(pc.type))\n"
    "    return info\n"
    "gdb.unwinder.register_unwinder(None, SpoorUnwinder(), replace=True)\n"
    "end\n";

/* Writes the commands in GDB's own language. */
static bool gdb_write_script(struct text *out, const struct gdb_settings *settings,
                             const struct image_set *located)
{
    /* only the image has code that never ran */
    text_puts(out, "set trust-readonly-sections on\nset confirm off\n");
    text_puts(out,
              "define goto\n"
              "  monitor goto $arg0\n"
              "  maintenance flush register-cache\n"
              "  frame\n"
              "end\n"
              "document goto\n"
              "Go to a moment of the trace: a time, record:N, line:N, pc:ADDR[#K], start, end.\n"
              "end\n"
              "define who\n"
              "  monitor who $arg0\n"
              "end\n"
              "document who\n"
              "Print the last write of a register or of memory (ADDR[+BYTES], hexadecimal).\n"
              "end\n");
    if (located->images) {
        /* GDB's symbol files; the first is the program */
        const char *path;
        int64_t offset = 0;
        for (size_t i = 0; (path = spoor_images_path(located->images, i, &offset)); i++) {
            if (strcmp(path, settings->common.operands[0]) == 0) continue; /* its own names */
            if (i == 0 && offset == 0)
                text_printf(out, "file %s\n", path);
            else
                text_printf(out, "%s %s -o 0x%llx\n", i == 0 ? "symbol-file" : "add-symbol-file",
                            path, (unsigned long long)offset);
        }
    }
    /* the command line of the server, with the options that decide how the trace is read */
    static const char *const isas[] = {NULL, "riscv", "aarch64", "aarch32", "mips", "loongarch"};
    static const char *const effects[] = {NULL, "no", "yes"};
    const struct settings *common = &settings->common;
    char self[PATH_MAX];
    if (!system_own_path(self))
        return complain("cannot find the path of spoor: %s", strerror(errno));
    text_puts(out, "target remote | ");
    put_shell_word(out, self);
    text_puts(out, " gdb --serve");
    for (size_t i = 0; description_path(i); i++)
        gdb_put_option(out, "format-file", description_path(i));
    if (common->from) gdb_put_option(out, "from", spoor_format_name(common->from));
    if (common->dialect) gdb_put_option(out, "dialect", common->dialect);
    if (common->implicit_thumb) text_puts(out, " --implicit-thumb");
    if (common->isa) gdb_put_option(out, "isa", isas[common->isa]);
    if (common->effects) gdb_put_option(out, "effects-first", effects[common->effects]);
    if (common->quiet) text_puts(out, " --quiet");
    if (common->code) text_puts(out, " --code");
    if (settings->common.no_index) text_puts(out, " --no-index");
    if (settings->at) gdb_put_option(out, "at", settings->at);
    for (size_t i = 0; i < common->images.count; i++)
        gdb_put_option(out, "image", common->images.items[i]);
    text_puts(out, " -- ");
    put_shell_word(out, operand(common, 0));
    text_puts(out, "\n");
    text_puts(out, unwinder); /* the last: a GDB without Python goes no further */
    return true;
}

/* Stores the script in a file, which the started program inherits, and writes its path; false: it
 * cannot be stored.  If the file has a name, its first command removes it. */
static bool gdb_store_script(const struct text *script, char path[PATH_MAX])
{
    struct text removal = {0};
#ifdef SPOOR_HAVE_PROC_SELF
    const int file = system_unnamed_file("spoor-gdb", 0, false);
    const bool open = file >= 0 && fcntl(file, F_SETFD, 0) == 0;
    snprintf(path, PATH_MAX, "/proc/self/fd/%d", file);
#else
    const int file = system_temporary_file("spoor-gdb", path);
    const bool open = file >= 0;
    text_puts(&removal, "shell rm -f ");
    put_shell_word(&removal, path);
    text_puts(&removal, "\n");
#endif
    const bool stored = open && write(file, removal.bytes, removal.size) == (ssize_t)removal.size &&
                        write(file, script->bytes, script->size) == (ssize_t)script->size;
    text_free(&removal);
    if (!stored) complain("cannot store the commands for GDB: %s", strerror(errno));
    return stored;
}

/* ---- starting it ---- */

/* Returns only if it cannot be started. */
static int gdb_execute(const struct gdb_settings *settings, char *script)
{
    static const char *const programs[] = {"gdb-multiarch", "gdb"};
    const struct settings *common = &settings->common;
    const size_t given = (size_t)common->operand_count - 1;
    char **words = calloc(given + 5, sizeof *words);
    char quiet[] = "-q", execute[] = "-x";
    if (!words) return complain_for(EXIT_UNREADABLE, "out of memory");
    words[1] = quiet;
    words[2] = execute;
    words[3] = script;
    memcpy(words + 4, common->operands + 1, given * sizeof *words);
    for (size_t i = settings->program ? 1 : 0; i < sizeof programs / sizeof *programs; i++) {
        const char *program = settings->program ? settings->program : programs[i];
        char *name = strdup(program);
        if (!name) {
            complain("out of memory");
            free(words);
            return EXIT_UNREADABLE;
        }
        words[0] = name;
        execvp(name, words);
        free(name);
    }
    if (settings->program)
        complain("%s: %s", settings->program, strerror(errno));
    else
        complain("neither gdb-multiarch nor gdb can be started: install gdb-multiarch, or name one "
                 "with --gdb");
    free(words);
    return EXIT_USAGE;
}

static int gdb_run(void *chosen)
{
    struct gdb_settings *settings = chosen;
    if (settings->serve) {
        int code = EXIT_CLEAN;
        if (!filled_copy_open(&settings->common, &code)) return code;
        return worse(code, gdb_serve(&settings->common, settings->at));
    }
    struct image_set located;
    struct text script = {0};
    char path[PATH_MAX];
    int code = EXIT_USAGE;
    bool written;
    if (settings->common.operand_count < 1 || strcmp(settings->common.operands[0], "-") == 0)
        return complain_for(
            EXIT_USAGE,
            "expected a trace in a file: spoor gdb TRACE [--image ELF] [-- GDB-OPTION...]");
    if (access(settings->common.operands[0], R_OK) != 0)
        return complain_for(EXIT_UNREADABLE, "%s: %s", settings->common.operands[0],
                            strerror(errno));
    if (!image_set_open(&located, &settings->common, settings->common.operands[0],
                        OWN_NAMES_INDEXED))
        return located.code;
    written = gdb_write_script(&script, settings, &located);
    if (written && !script.failed)
        code = gdb_store_script(&script, path) ? gdb_execute(settings, path) : EXIT_UNREADABLE;
    if (script.failed) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    }
    text_free(&script);
    image_set_close(&located);
    return code;
}

const struct verb verb_gdb = {
    .name = "gdb",
    .brief = "debug a trace with GDB, forwards and backwards",
    .operands = "TRACE [-- GDB-OPTION...]",
    .about =
        "Starts GDB on the trace: step, next, continue and finish, and the same in reverse; "
        "breakpoints and watchpoints; registers, memory and the stack as the trace states "
        "them.  `goto MOMENT` goes to any moment; `who REG` finds the last write.  With --image "
        "(or the load map of `record`) GDB knows functions, variables and lines.",
    .options = options,
    .settings_size = sizeof(struct gdb_settings),
    .run = gdb_run,
};
