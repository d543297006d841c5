/* SPDX-License-Identifier: MIT */
/* known_format.c: detects a format once. */
#include "cli/known_format.h"

void know_format(struct settings *settings, const char *path)
{
    const struct spoor_reader_options options = {
        .threads = 1,
        .memory = settings->memory,
        .decode = {settings->dialect, settings->implicit_thumb, (enum spoor_isa)settings->isa}};
    struct spoor_reader *reader;
    if (settings->from || !can_be_read_twice(path)) return;
    if (spoor_reader_open(&reader, path, &options, NULL) != SPOOR_OK) return;
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    if (!stream->container) settings->from = stream->format;
    spoor_reader_close(reader);
}
