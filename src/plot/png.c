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

static void *(*handle_new)(const uint8_t *svg, size_t size, void **error);
static int (*handle_size)(void *handle, double *width, double *height);
static int (*handle_render)(void *handle, void *cairo, const struct rectangle *viewport,
                            void **error);
static void (*object_unref)(void *object);
static void *(*surface_create)(int format, int width, int height);
static void (*surface_destroy)(void *surface);
static int (*surface_write)(void *surface, write_function *write, void *context);
static void *(*cairo_new)(void *surface);
static void (*cairo_free)(void *cairo);

enum spoor_status png_begin(struct spoor_error *error)
{
    const struct shared_function rsvg[] = {
        {"rsvg_handle_new_from_data", &handle_new},
        {"rsvg_handle_get_intrinsic_size_in_pixels", &handle_size},
        {"rsvg_handle_render_document", &handle_render},
    };
    const struct shared_function cairo[] = {
        {"cairo_image_surface_create", &surface_create},
        {"cairo_surface_destroy", &surface_destroy},
        {"cairo_surface_write_to_png_stream", &surface_write},
        {"cairo_create", &cairo_new},
        {"cairo_destroy", &cairo_free},
    };
    const struct shared_function object[] = {{"g_object_unref", &object_unref}};
    const char *reason = "";
    if (shared_library_load("librsvg-2.so.2", rsvg, 3, &reason) &&
        shared_library_load("libcairo.so.2", cairo, 5, &reason) &&
        shared_library_load("libgobject-2.0.so.0", object, 1, &reason))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "PNG needs librsvg: %s; install librsvg2-2, or write SVG", reason);
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
    bool good = handle_size(handle, &width, &height) != 0;
    if (good) surface = surface_create(FORMAT_ARGB32, (int)(width * SCALE), (int)(height * SCALE));
    if (surface) cairo = cairo_new(surface);
    const struct rectangle viewport = {0, 0, width * SCALE, height * SCALE};
    good = cairo && handle_render(handle, cairo, &viewport, NULL) != 0 &&
           surface_write(surface, append, png) == 0;
    if (cairo) cairo_free(cairo);
    if (surface) surface_destroy(surface);
    return good;
}

enum spoor_status png_of_svg(const char *svg, size_t size, struct text *png,
                             struct spoor_error *error)
{
    if (png_begin(error) != SPOOR_OK) return error->status;
    void *handle = handle_new((const uint8_t *)svg, size, NULL);
    const bool good = handle && draw(handle, png);
    if (handle) object_unref(handle);
    if (good && !png->failed) return SPOOR_OK;
    return png->failed
               ? spoor_error_set(error, SPOOR_ENOMEM, "out of memory")
               : spoor_error_set(error, SPOOR_EOUTPUT, "librsvg could not draw the picture");
}
