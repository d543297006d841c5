/* SPDX-License-Identifier: MIT */
/*
 * gtkw.c: a save file of GTKWave: the name of the dump; a line of the zoom, the primary marker and
 * the named ones, A to Z, in the dump's unit of time (-1: none); and a name for each.
 */
#include "cli/gtkw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

bool gtkw_suits(const char *verb, const char *path)
{
    if (path && strcmp(path, "-") != 0) return true;
    return complain("%s --gtkw: expected one comparison or trace, of a file that GTKWave can open",
                    verb);
}

bool gtkw_begin(struct gtkw *gtkw, const char *verb, const char *path, uint64_t step)
{
    *gtkw = (struct gtkw){.dump = path, .step = step};
    return step > 0 || complain("%s --gtkw: %s is no waveform (VCD, FST, GHW): it has no place in "
                                "GTKWave",
                                verb, path);
}

void gtkw_mark(struct gtkw *gtkw, uint64_t time, const char *name)
{
    if (gtkw->count == GTKW_MARKS) return;
    gtkw->times[gtkw->count] = time / gtkw->step;
    text_printf(&gtkw->names, "[markername] %c", 'A' + gtkw->count++);
    text_puts_visible(&gtkw->names, name);
    text_puts(&gtkw->names, "\n");
}

int gtkw_write(const struct gtkw *gtkw, const char *path, uint64_t places, bool whole,
               const struct settings *settings)
{
    struct text text = {0};
    char *absolute = realpath(gtkw->dump, NULL);
    text_puts(&text, "[*] spoor " SPOOR_VERSION "\n[dumpfile] \"");
    text_puts(&text, absolute ? absolute : gtkw->dump);
    /* a zoom of 0: a unit of time has a pixel; the first mark is the primary one, too */
    text_puts(&text, "\"\n*0.000000");
    for (unsigned i = 0; i <= GTKW_MARKS; i++) {
        const unsigned mark = i ? i - 1 : 0;
        if (mark < gtkw->count)
            text_printf(&text, " %" PRIu64, gtkw->times[mark]);
        else
            text_puts(&text, " -1");
    }
    text_puts(&text, "\n");
    text_append(&text, &gtkw->names);
    free(absolute);
    int code = text.failed ? complain_for(EXIT_UNREADABLE, "out of memory while writing a report")
                           : output_write(path, text.bytes, text.size, whole, settings);
    if (places > gtkw->count && !settings->quiet)
        complain("%s: has marks of %u of %" PRIu64
                 " places: GTKWave has %d, and those that are not "
                 "listed or have no time have none",
                 path, gtkw->count, places, GTKW_MARKS);
    text_free(&text);
    return code;
}

void gtkw_free(struct gtkw *gtkw)
{
    text_free(&gtkw->names);
}
