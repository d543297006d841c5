/* SPDX-License-Identifier: MIT */
/*
 * mcp.h: the verb `mcp`: the Model Context Protocol, through which an assistant asks other verbs.
 *
 * mcp_server.c reads requests and runs verbs; mcp_tools.c says which verbs, and how the arguments
 * of a call become the words of a command.
 */
#ifndef SPOOR_CLI_MCP_H
#define SPOOR_CLI_MCP_H

#include <jansson.h>

#include "base/text.h"
#include "cli/operands.h"

enum { MCP_OPERANDS = 3 };

/* A tool, which is a verb.  The operands in the order of the command line: "trace", "left" and
 * "right" are paths, any other is a text; one that ends with '?' may be left out. */
struct mcp_tool {
    const char *verb, *title;
    const char *operands[MCP_OPERANDS];
};

/* The tool of that name; NULL: there is none. */
const struct mcp_tool *mcp_tool_find(const char *name);
/* Appends the answer to tools/list: all tools with the schemas of their arguments and results. */
void mcp_put_tools(struct text *out);
/* Appends the answer to prompts/list. */
void mcp_put_prompts(struct text *out);
/* Appends the answer to prompts/get; false, with a sentence in `refusal`: its name or arguments are
 * wrong. */
bool mcp_put_prompt(struct text *out, const char *name, const json_t *arguments,
                    struct text *refusal);
/* Appends the words of the command that answers a call, from the verb on; false, with a sentence in
 * `refusal`: the arguments do not fit, or a path is not within the folders, real paths. */
bool mcp_command(struct word_list *words, const struct mcp_tool *tool, const json_t *arguments,
                 const struct word_list *folders, struct text *refusal);
/* Appends the traces in the folders as a JSON array of paths; false: memory ran out. */
bool mcp_put_traces(struct text *out, const struct word_list *folders);

#endif
