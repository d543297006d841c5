/* SPDX-License-Identifier: MIT */
/* without_jansson.c: stands for study_json.c and mcp_server.c where the program is built without
 * libjansson. */
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

static int mcp_run(void *chosen)
{
    (void)chosen;
    return complain_for(EXIT_USAGE, "mcp: this spoor was built without libjansson, which reads "
                                    "JSON");
}

const struct verb verb_mcp = {
    .name = "mcp",
    .brief = "let an assistant ask questions about traces (MCP)",
    .operands = "[TRACE|FOLDER]...",
    .about = "Not in this spoor, which was built without libjansson.",
    .settings_size = sizeof(struct settings),
    .run = mcp_run,
};
