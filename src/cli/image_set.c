/* SPDX-License-Identifier: MIT */
/* image_set.c: opening the images of a trace, and putting places into words. */
#include "cli/image_set.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/trace_index.h"

enum spoor_status description_in(char **description, const char *trace, struct spoor_error *error)
{
    *description = NULL;
    if (!trace || !can_be_read_twice(trace)) return SPOOR_OK;
    const struct spoor_format *container;
    enum spoor_status status = spoor_reader_container(trace, &container, error);
    if (!container) return status;
    struct spoor_reader *reader;
    const struct spoor_reader_options options = {.format = container, .threads = 1};
    status = spoor_reader_open(&reader, trace, &options, error);
    if (status != SPOOR_OK) return spoor_error_is_of_system(error) ? status : SPOOR_OK;
    const char *found = spoor_reader_description(reader);
    *description = found ? strdup(found) : NULL;
    spoor_reader_close(reader);
    if (!found || *description) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory while reading", trace);
}

/* The load map beside the trace, or in it, where there is one; returns the exit code. */
static int image_set_add_map(struct spoor_images *images, const struct settings *settings,
                             const char *trace)
{
    char name[PATH_MAX], *description = NULL;
    struct spoor_error error = {0};
    size_t missing = 0;
    const bool beside = spoor_images_map_name(trace, name, sizeof name) && access(name, R_OK) == 0;
    enum spoor_status status;
    if (beside) {
        status = spoor_images_add_map(images, name, &missing, &error);
    } else {
        status = description_in(&description, trace, &error);
        if (status == SPOOR_OK && description)
            status = spoor_images_add_description(images, description, trace, &missing, &error);
        else if (status == SPOOR_OK && trace && strcmp(trace, "-") != 0)
            status =
                spoor_images_add_recording(images, trace, settings->images.items, &missing, &error);
        free(description);
    }
    if (status != SPOOR_OK) return fail(&error);
    if (missing && !settings->quiet)
        complain("%s: %zu file%s of the recorded program not used: %s", beside ? name : trace,
                 missing, missing == 1 ? "" : "s", error.text);
    return EXIT_CLEAN;
}

/* True if the trace, a file, is in a format whose records name functions. */
static bool image_set_is_named(const struct settings *settings, const char *trace)
{
    struct trace_index trace_index;
    struct spoor_index *index;
    struct spoor_reader *reader;
    const struct spoor_reader_options options = {.format = settings->from, .threads = 1};
    if (settings->from && !spoor_format_names_functions(settings->from)) return false;
    trace_index_start(&trace_index, settings);
    trace_index.options.tell = NULL; /* whoever uses the index tells */
    if (!settings->no_index &&
        spoor_index_find(&index, trace, &trace_index.options, NULL) == SPOOR_OK) {
        const bool named = spoor_format_names_functions(spoor_index_format(index));
        spoor_index_close(index);
        return named;
    }
    if (spoor_reader_open(&reader, trace, &options, NULL) != SPOOR_OK) return false;
    const bool named = spoor_format_names_functions(spoor_reader_stream(reader)->format);
    spoor_reader_close(reader);
    return named;
}

/* Adds the functions that the trace names itself.  False: an error has been printed. */
static bool image_set_add_names(struct image_set *located, const struct settings *settings,
                                const char *trace, enum own_names names)
{
    struct spoor_error error = {0};
    struct trace_index trace_index;
    struct spoor_index *index = NULL;
    enum spoor_status status = SPOOR_OK;
    trace_index_start(&trace_index, settings);
    trace_index.file = located->file;
    if (names == OWN_NAMES_INDEXED && !settings->no_index) {
        if (!trace_index_find(&trace_index, trace, &index, &located->code)) return false;
    } else if (!settings->no_index &&
               spoor_index_find(&index, trace, &trace_index.options, &error) < SPOOR_OK) {
        index = NULL;
    }
    if (index) {
        status = spoor_images_add_index(located->images, trace, index, &error);
        spoor_index_close(index);
    } else {
        const struct spoor_reader_options options = {.format = settings->from,
                                                     .decode = decode_options(settings),
                                                     .threads = thread_count(settings),
                                                     .memory = settings->memory};
        status = spoor_images_add_trace(located->images, trace, &options, &error);
    }
    if (status != SPOOR_OK) located->code = fail(&error);
    return status == SPOOR_OK;
}

bool image_set_open(struct image_set *located, const struct settings *settings, const char *trace,
                    enum own_names names)
{
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    *located = (struct image_set){.images = NULL, .file = same_file_of(trace ? trace : "-")};
    if (spoor_images_new(&located->images, NULL) != SPOOR_OK) {
        complain("out of memory");
        located->code = EXIT_UNREADABLE;
        return false;
    }
    for (size_t i = 0; i < settings->images.count && status == SPOOR_OK; i++)
        status = spoor_images_add(located->images, settings->images.items[i], &error);
    for (size_t i = 0; i < settings->sources.count && status == SPOOR_OK; i++)
        status = spoor_images_add_source(located->images, settings->sources.items[i], &error);
    located->code = status == SPOOR_OK ? image_set_add_map(located->images, settings, trace)
                                       : fail_option("--image", &error);
    if (located->code != EXIT_CLEAN) {
        image_set_close(located);
        return false;
    }
    if (names != OWN_NAMES_NONE && trace && spoor_images_count(located->images) == 0 &&
        can_be_read_twice(trace)) {
        located->named = trace;
        if (names == OWN_NAMES_ASKED) {
            located->later = names;
        } else if (image_set_is_named(settings, trace)) {
            if (names == OWN_NAMES_LATER && !settings->no_index) {
                located->later = names;
            } else if (!image_set_add_names(located, settings, trace, names)) {
                image_set_close(located);
                return false;
            } else {
                located->trace = trace;
            }
        }
    }
    located->locator = spoor_images_locator(located->images);
    located->program = spoor_images_program(located->images);
    located->fills = settings->code;
    if (located->fills && (!located->program.find || settings->simpoints)) {
        complain("%s --code: %s", settings->verb->name,
                 !located->program.find
                     ? "no image has code: give --image FILE"
                     : "cannot be used with --simpoints, which number the records of the trace: "
                       "expand it first, with `spoor convert --code`");
        image_set_close(located);
        located->code = EXIT_USAGE;
        return false;
    }
    if (spoor_images_count(located->images) == 0 && !located->later) {
        spoor_images_close(located->images);
        located->images = NULL;
    }
    return true;
}

bool image_set_read_names(struct image_set *located, const struct settings *settings)
{
    if (!located->later) return true;
    located->later = OWN_NAMES_NONE;
    if (image_set_is_named(settings, located->named)) {
        located->trace = located->named;
        return image_set_add_names(located, settings, located->named, OWN_NAMES_READ);
    }
    spoor_images_close(located->images);
    located->images = NULL;
    return true;
}

bool image_set_is_whole(const struct image_set *located)
{
    if (!located->images || !spoor_images_out_of_memory(located->images)) return true;
    complain("out of memory for the names and lines of the image");
    return false;
}

bool image_set_is_same(struct image_set *located)
{
    if (located->trace && !same_file_still(&located->file, located->trace)) located->changed = true;
    located->trace = NULL;
    return !located->changed;
}

int image_set_close(struct image_set *located)
{
    const bool good = image_set_is_same(located) && image_set_is_whole(located);
    const int code = good ? EXIT_CLEAN : EXIT_UNREADABLE;
    spoor_images_close(located->images);
    located->images = NULL;
    return code;
}

const struct spoor_locator *image_set_locator(const struct image_set *located)
{
    return located->images && located->later != OWN_NAMES_ASKED ? &located->locator : NULL;
}

struct spoor_reader_options image_set_reading(const struct image_set *located)
{
    return (struct spoor_reader_options){.locator = image_set_locator(located),
                                         .program = located->fills ? &located->program : NULL};
}

bool image_set_put(const struct image_set *located, uint64_t pc, struct text *out)
{
    struct spoor_place place = {.struct_size = sizeof place};
    if (!located->images || !spoor_images_resolve(located->images, pc, &place)) return false;
    if (place.function) text_printf(out, "%s+0x%" PRIx64, place.function, place.offset);
    if (place.source) text_printf(out, "%s%s", place.function ? " " : "", place.source);
    return place.function || place.source;
}

void image_set_name(const struct image_set *located, struct spoor_result *result,
                    const char *within)
{
    if (located->images) spoor_images_name_result(located->images, result, within);
}
