/* SPDX-License-Identifier: MIT */
/* describe_log.c: the beginning of a log, for descriptions. */
#include "base/text.h"
#include "formats/describe/registry.h"
#include "io/chunk.h"
#include "model/error.h"
#include "spoor/describe.h"

/* What is asked of the beginning of a log. */
struct describe_request {
    const struct spoor_format *format; /* to try; NULL: a description is proposed */
    struct spoor_describe_trial *trial;
    struct text text;
    double share;
};

/* Answers it by the first 64 KiB of its text. */
static enum spoor_status describe_answer(struct describe_request *request, const char *path,
                                         struct spoor_error *error)
{
    const struct spoor_reader_options options = {.threads = 1};
    struct cutter cutter = {0};
    struct spoor_head head = {0};
    enum spoor_status status = cutter_open(&cutter, path, &options, error);
    if (status != SPOOR_OK) return status;
    status = cutter_head(&cutter, &head, error);
    const struct spoor_slice sample = {(const char *)head.bytes, head.size};
    struct spoor_error why = {0};
    if (status >= SPOOR_OK && request->format) {
        request->trial = describe_try(request->format, sample);
        status = request->trial ? SPOOR_OK : SPOOR_ENOMEM;
    } else if (status >= SPOOR_OK) {
        status = describe_propose("log", sample, &request->text, &request->share, &why);
    }
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
    return status;
}

enum spoor_status spoor_describe_log(const char *path, char **description, double *share,
                                     struct spoor_error *error)
{
    struct describe_request request = {0};
    *description = NULL;
    const enum spoor_status status = describe_answer(&request, path, error);
    *share = request.share;
    if (status < SPOOR_OK) {
        text_free(&request.text);
        return status;
    }
    *description = text_hand_out(&request.text, NULL);
    return *description ? SPOOR_OK : error_no_memory_while(error, path, "reading");
}

enum spoor_status spoor_describe_try(const struct spoor_format *format, const char *path,
                                     struct spoor_describe_trial **trial, struct spoor_error *error)
{
    struct describe_request request = {.format = format};
    size_t size;
    *trial = NULL;
    spoor_format_description(format, &size);
    if (size == 0 || !format->text)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "no description of a text defines the format %s",
                               spoor_format_name(format));
    const enum spoor_status status = describe_answer(&request, path, error);
    if (status < SPOOR_OK) {
        spoor_describe_trial_free(request.trial);
        return status;
    }
    *trial = request.trial;
    return SPOOR_OK;
}
