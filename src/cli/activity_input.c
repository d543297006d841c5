/* SPDX-License-Identifier: MIT */
/* activity_input.c: the calls of a trace, or counts, read from it or from its index. */
#include "cli/activity_input.h"

#include "cli/selection.h"

bool activity_open(struct activity_input *input, const struct settings *settings, const char *path)
{
    *input = (struct activity_input){
        .settings = settings, .path = path, .needs = SPOOR_INDEX_CALLS, .code = EXIT_CLEAN};
    const bool reads = settings->no_index || selection_is_part(settings);
    if (!image_set_open(&input->located, settings, path,
                        reads ? OWN_NAMES_READ : OWN_NAMES_INDEXED))
        input->code = input->located.code;
    return input->code == EXIT_CLEAN;
}

bool activity_start(struct activity_input *input, bool reads)
{
    reads |= input->settings->no_index || selection_is_part(input->settings) ||
             input->located.fills || !can_be_read_twice(input->path);
    if (!reads) {
        struct spoor_index *index;
        const bool calls = input->needs == SPOOR_INDEX_CALLS;
        trace_index_start(&input->trace_index, input->settings);
        input->trace_index.file = input->located.file;
        input->trace_index.options.needs = input->needs;
        if (calls) input->trace_index.options.images = input->located.images;
        if (!trace_index_find(&input->trace_index, input->path, &index, &input->code)) return false;
        /* damaged parts of a container lose records, of which an index says only that some are
         * wrong */
        const struct spoor_format *container = NULL;
        if (calls &&
            (!spoor_index_has_calls(index, input->located.images) ||
             (spoor_index_has_faults(index) &&
              (spoor_reader_container(input->path, &container, NULL) != SPOOR_OK || container)))) {
            spoor_index_close(index);
        } else {
            input->index = index;
            input->broken = spoor_index_damage(index);
            input->format = spoor_format_name(spoor_index_format(index));
            input->code = worse(input->code, index_state_damage(index, input->path));
        }
    }
    if (input->index) return true;
    if (!input_open_with(&input->input, input->path, input->settings,
                         image_set_reading(&input->located))) {
        input->code = worse(input->code, input->input.exit_code);
        return false;
    }
    input->stream = input->input.stream;
    input->format = spoor_format_name(input->stream->format);
    return true;
}

bool activity_next(struct activity_input *input, const struct spoor_batch **batch)
{
    return input->stream && input_next(&input->input, batch);
}

bool activity_end(struct activity_input *input, enum spoor_status status,
                  const struct spoor_error *error)
{
    if (status != SPOOR_OK) input->code = worse(input->code, fail(error));
    if (input->stream) {
        input->broken = input->input.broken;
        const bool refused = input->input.exit_code == EXIT_USAGE; /* --where has no answer */
        input->code = worse(input->code, input_close(&input->input));
        input->stream = NULL;
        /* It was read after its index, which has other calls. */
        if (input->trace_index.settings && !trace_index_is_same(&input->trace_index, input->path))
            input->code = worse(input->code, EXIT_UNREADABLE);
        if (refused) return false;
    }
    spoor_index_close(input->index);
    input->index = NULL;
    return status == SPOOR_OK;
}

bool activity_is_whole(struct activity_input *input)
{
    return !input->broken && image_set_is_whole(&input->located) &&
           image_set_is_same(&input->located);
}

int activity_close(struct activity_input *input)
{
    spoor_index_close(input->index);
    return worse(input->code, image_set_close(&input->located));
}
