/* SPDX-License-Identifier: MIT */
/* without_jansson.c: stands for study_json.c where the program is built without libjansson. */
#include "cli/study.h"

bool study_read(struct study *study, const char *path, const struct settings *settings)
{
    (void)study;
    (void)settings;
    return complain("sweep: %s: this spoor was built without libjansson, which reads JSON", path);
}

struct spoor_result *result_of_json(const char *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return NULL;
}
