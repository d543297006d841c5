/* SPDX-License-Identifier: MIT */
/*
 * plot/png.c: a picture as PNG, drawn by librsvg and cairo where they are installed.
 *
 * They are loaded at the first use, so neither a build nor a run without --plot FILE.png needs
 * them. The declarations are those of their manuals (librsvg 2.46, cairo 1.16).
 */
#include "plot/png.h"

#include "base/shared_library.h"

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
void *cairo_create(void *surface);
void cairo_destroy(void *cairo);

static struct {
    RSVG_FUNCTIONS(SHARED_POINTER)
} rsvg;

enum spoor_status png_begin(struct spoor_error *error)
{
    char sentence[SHARED_SENTENCE];
    if (shared_library_load(&shared_libraries[SHARED_rsvg], &rsvg, sentence)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "PNG needs librsvg: %s, or write SVG", sentence);
}

static int append(void *context, const unsigned char *bytes, unsigned size)
{
    struct text *png = context;
    text_put(png, bytes, size);
    return png->failed;
}

static bool draw(void *handle, struct text *png)
{
    double width = 0, height = 0;
    void *surface = NULL, *cairo = NULL;
    bool good = rsvg.rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height) != 0;
    if (good)
        surface = rsvg.cairo_image_surface_create(FORMAT_ARGB32, (int)(width * SCALE),
                                                  (int)(height * SCALE));
    if (surface) cairo = rsvg.cairo_create(surface);
    const struct rectangle viewport = {0, 0, width * SCALE, height * SCALE};
    good = cairo && rsvg.rsvg_handle_render_document(handle, cairo, &viewport, NULL) != 0 &&
           rsvg.cairo_surface_write_to_png_stream(surface, append, png) == 0;
    if (cairo) rsvg.cairo_destroy(cairo);
    if (surface) rsvg.cairo_surface_destroy(surface);
    return good;
}

enum spoor_status png_of_svg(const char *svg, size_t size, struct text *png,
                             struct spoor_error *error)
{
    if (png_begin(error) != SPOOR_OK) return error->status;
    void *handle = rsvg.rsvg_handle_new_from_data((const uint8_t *)svg, size, NULL);
    const bool good = handle && draw(handle, png);
    if (handle) rsvg.g_object_unref(handle);
    if (good && !png->failed) return SPOOR_OK;
    return png->failed
               ? spoor_error_set(error, SPOOR_ENOMEM, "out of memory")
               : spoor_error_set(error, SPOOR_EOUTPUT, "librsvg could not draw the picture");
}
