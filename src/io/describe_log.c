/* SPDX-License-Identifier: MIT */
/* describe_log.c: proposes a description of a log by its beginning, and tries one on all of it. */
#include "base/text.h"
#include "formats/describe/registry.h"
#include "formats/format.h"
#include "io/chunk.h"
#include "io/signal_history.h"
#include "model/error.h"
#include "spoor/describe.h"
#include "spoor/reader.h"

/* The description of these lines, which are freed. */
static enum spoor_status describe_log_hand_out(struct text *lines, bool is_waveform, double share,
                                               const char *path, char **description,
                                               struct spoor_error *error)
{
    struct text text = {0};
    const char *name = path_name(path);
    if (is_waveform)
        text_printf(&text, "# proposed for %s\ntitle the core of %s\n", name, name);
    else
        text_printf(&text,
                    "# proposed: takes %.1f %% of the first lines of %s\ntitle log like %s\n",
                    100 * share, name, name);
    text_put(&text, lines->bytes, lines->size);
    text.failed |= lines->failed;
    text_free(lines);
    *description = text_hand_out(&text, NULL);
    return *description ? SPOOR_OK : error_no_memory_while(error, path, "reading");
}

enum spoor_status spoor_describe_log(const char *path, char **description, double *share,
                                     struct spoor_error *error)
{
    const struct spoor_reader_options options = {.threads = 1};
    struct cutter cutter = {0};
    struct spoor_head head = {0};
    struct text text = {0};
    bool is_waveform;
    *description = NULL;
    *share = 0;
    enum spoor_status status = signals_propose(path, &text, share, &is_waveform, error);
    if (is_waveform && text.size) { /* though it may be damaged in places */
        const enum spoor_status made =
            describe_log_hand_out(&text, true, *share, path, description, error);
        return made == SPOOR_OK ? status : made;
    }
    if (status < SPOOR_OK) {
        text_free(&text);
        return status;
    }
    status = cutter_open(&cutter, path, &options, error);
    if (status == SPOOR_OK) {
        status = cutter_head(&cutter, &head, error);
        const struct spoor_slice sample = {(const char *)head.bytes, head.size};
        struct spoor_error why = {0};
        if (status >= SPOOR_OK) status = describe_propose("log", sample, &text, share, &why);
        if (status == SPOOR_EINPUT && why.text[0])
            spoor_error_set(error, SPOOR_EINPUT, "%s: %s", path, why.text);
        else if (status == SPOOR_ENOMEM)
            error_no_memory_while(error, path, "reading");
        /* what is damaged in these bytes is said after them */
        struct spoor_stream stream = {.path = path};
        struct spoor_batch batch = {.stream = &stream};
        enum spoor_status after = SPOOR_OK;
        while (status >= SPOOR_OK && after == SPOOR_OK && head.size < CHUNK_HEAD) {
            after = cutter_next(&cutter, &batch, error);
            spoor_batch_clear(&batch);
        }
        if (after < SPOOR_OK) status = after;
        spoor_batch_free(&batch);
        cutter_close(&cutter);
    }
    if (status < SPOOR_OK) {
        text_free(&text);
        return status;
    }
    return describe_log_hand_out(&text, false, *share, path, description, error);
}

enum spoor_status spoor_describe_try(const struct spoor_format *format, const char *path,
                                     struct spoor_describe_trial **trial, struct spoor_error *error)
{
    const struct spoor_reader_options options = {
        .struct_size = sizeof options, .format = format, .threads = 1};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    size_t size;
    *trial = NULL;
    format_description(format, &size);
    if (size == 0 || !format->text)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "no description of a text defines the format %s",
                               spoor_format_name(format));
    struct describe_trial *of = describe_trial_new(format);
    if (!of) return error_no_memory_while(error, path, "reading");
    enum spoor_status status = spoor_reader_open(&reader, path, &options, error);
    if (status == SPOOR_OK) {
        while ((status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK) {
            if (batch->stream->container)
                status = spoor_error_set(error, SPOOR_EUSAGE,
                                         "%s: found a .spoor file, expected "
                                         "the log that it was made of",
                                         path);
            else if (!describe_trial_feed(of, batch))
                status = error_no_memory_while(error, path, "reading");
            if (status != SPOOR_OK) break;
        }
        spoor_reader_close(reader);
    }
    *trial = describe_trial_end(of);
    if (status == SPOOR_END)
        status = *trial ? SPOOR_OK : error_no_memory_while(error, path, "reading");
    if (status == SPOOR_EINPUT && *trial && (*trial)->lines) return status; /* the rest was read */
    if (status == SPOOR_OK) return SPOOR_OK;
    spoor_describe_trial_free(*trial);
    *trial = NULL;
    return status;
}
