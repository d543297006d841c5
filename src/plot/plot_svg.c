/* SPDX-License-Identifier: MIT */
/*
 * plot_svg.c: the library's own interface to pictures, as SVG, and as PNG, which librsvg and cairo
 * draw where they are installed.
 *
 * They are loaded at the first use, so neither a build nor a run without --plot FILE.png needs
 * them.  The declarations are those of their manuals (librsvg 2.46, cairo 1.16).
 */
#include <stdlib.h>

#include "base/shared_library.h"
#include "model/error.h"
#include "model/options.h"
#include "plot/plot.h"

const char *spoor_plot_name(const char *verb, size_t index)
{
    for (const struct plot *plot = plots; plot->verb; plot++)
        if (strcmp(plot->verb, verb) == 0 && index-- == 0) return plot->name;
    return NULL;
}

enum spoor_status spoor_plot_svg(const struct spoor_result *results,
                                 const struct spoor_plot_options *given, char **svg, size_t *size,
                                 struct spoor_error *error)
{
    struct spoor_plot_options options;
    struct text picture = {0};
    const enum spoor_status status = options_read(&options, sizeof options, given, error);
    *svg = NULL;
    if (status != SPOOR_OK) return status;
    if (!options.verb || !spoor_plot_name(options.verb, 0))
        return spoor_error_set(error, SPOOR_EUSAGE, "found verb '%s', expected one with plots",
                               options.verb ? options.verb : "");
    const size_t drawn = plot_draw(results, &options, &picture);
    *size = picture.size;
    text_put(&picture, "", 1);
    if (picture.failed || !spoor_result_complete(results)) {
        text_free(&picture);
        return memory_status(false, error);
    }
    *svg = picture.bytes;
    if (drawn > 0) return SPOOR_OK;
    text_free(&picture);
    *svg = NULL;
    struct text names = {0};
    const char *name;
    for (size_t i = 0; (name = spoor_plot_name(options.verb, i)) != NULL; i++)
        text_printf(&names, "%s%s", i ? ", " : "", name);
    text_put(&names, "", 1);
    if (names.failed) {
        text_free(&names);
        return memory_status(false, error);
    }
    spoor_error_set(error, SPOOR_EUSAGE,
                    "found no table to draw%s%s, expected one of the plots of %s: %s",
                    options.table ? " of the name " : "", options.table ? options.table : "",
                    options.verb, names.bytes);
    text_free(&names);
    return SPOOR_EUSAGE;
}

/* ---- PNG ---- */

enum { SCALE = 2, FORMAT_ARGB32 = 0 };

struct rectangle {
    double x, y, width, height;
};
typedef int write_function(void *context, const unsigned char *bytes, unsigned size);

void *rsvg_handle_new_from_data(const uint8_t *svg, size_t size, void **error);
int rsvg_handle_get_intrinsic_size_in_pixels(void *handle, double *width, double *height);
int rsvg_handle_render_document(void *handle, void *cairo, const struct rectangle *viewport,
                                void **error);
void g_object_unref(void *object);
void *cairo_image_surface_create(int format, int width, int height);
void cairo_surface_destroy(void *surface);
int cairo_surface_write_to_png_stream(void *surface, write_function *write, void *context);
void *cairo_pdf_surface_create_for_stream(write_function *write, void *context, double width,
                                          double height);
int cairo_surface_status(void *surface);
void cairo_surface_finish(void *surface);
void *cairo_create(void *surface);
void cairo_destroy(void *cairo);

static struct {
    RSVG_FUNCTIONS(SHARED_POINTER)
} rsvg;

enum spoor_status spoor_plot_png_ready(struct spoor_error *error)
{
    char sentence[SHARED_SENTENCE];
    if (shared_library_load(&shared_libraries[SHARED_rsvg], &rsvg, sentence)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "PNG needs librsvg: %s, or write SVG", sentence);
}

static int png_append(void *context, const unsigned char *bytes, unsigned size)
{
    struct text *png = context;
    text_put(png, bytes, size);
    return png->failed;
}

/* Draws as PNG or, `as_pdf`, as PDF. */
static enum spoor_status plot_draw_image(const struct spoor_result *results,
                                         const struct spoor_plot_options *given, bool as_pdf,
                                         char **png, size_t *size, struct spoor_error *error)
{
    struct spoor_plot_options options;
    struct text image = {0};
    char *svg = NULL;
    size_t svg_size = 0;
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    *png = NULL;
    if (status != SPOOR_OK) return status;
    options.inlined = false;
    status = spoor_plot_svg(results, &options, &svg, &svg_size, error);
    if (status != SPOOR_OK) return status;
    status = spoor_plot_png_ready(error);
    if (status == SPOOR_OK) {
        void *handle = rsvg.rsvg_handle_new_from_data((const uint8_t *)svg, svg_size, NULL);
        /* Two pixels for each unit of the picture; of PDF, 3/4 point for each pixel of 96 an inch.
         */
        const double scale = as_pdf ? 0.75 : SCALE;
        double width = 0, height = 0;
        void *surface = NULL, *cairo = NULL;
        if (handle && rsvg.rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height) != 0)
            surface = as_pdf ? rsvg.cairo_pdf_surface_create_for_stream(
                                   png_append, &image, width * scale, height * scale)
                             : rsvg.cairo_image_surface_create(FORMAT_ARGB32, (int)(width * scale),
                                                               (int)(height * scale));
        if (surface) cairo = rsvg.cairo_create(surface);
        const struct rectangle viewport = {0, 0, width * scale, height * scale};
        bool good = cairo && rsvg.rsvg_handle_render_document(handle, cairo, &viewport, NULL) != 0;
        if (good && as_pdf) {
            rsvg.cairo_surface_finish(surface);
            good = rsvg.cairo_surface_status(surface) == 0;
        } else if (good) {
            good = rsvg.cairo_surface_write_to_png_stream(surface, png_append, &image) == 0;
        }
        if (cairo) rsvg.cairo_destroy(cairo);
        if (surface) rsvg.cairo_surface_destroy(surface);
        if (handle) rsvg.g_object_unref(handle);
        if (image.failed)
            status = error_no_memory(error);
        else if (!good)
            status = spoor_error_set(error, SPOOR_EOUTPUT, "librsvg could not draw the picture");
    }
    free(svg);
    if (status != SPOOR_OK) {
        text_free(&image);
        return status;
    }
    *png = image.bytes;
    *size = image.size;
    return SPOOR_OK;
}

enum spoor_status spoor_plot_png(const struct spoor_result *results,
                                 const struct spoor_plot_options *options, char **png, size_t *size,
                                 struct spoor_error *error)
{
    return plot_draw_image(results, options, false, png, size, error);
}

enum spoor_status spoor_plot_pdf(const struct spoor_result *results,
                                 const struct spoor_plot_options *options, char **pdf, size_t *size,
                                 struct spoor_error *error)
{
    return plot_draw_image(results, options, true, pdf, size, error);
}
