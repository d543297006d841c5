/* SPDX-License-Identifier: MIT */
/*
 * serve.c: any request to the explorer on a small trace of two processors.  The first line is the
 * target: as it is if it begins with '/', else what comes after the token; the second is the Host
 * header ("": localhost); the rest is the body, and makes the method POST.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "serve/site.h"

static const char trace[] =
    "0 clk cpu0 R SP 0000000000001000\n"
    "0 clk cpu0 IT (0) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp, #-16]!\n"
    "0 clk cpu0 MW8 00000ff0 00000000_00000000\n"
    "1 clk cpu1 IT (0) 00500000 d2800020 O EL0t : mov x0, #1\n"
    "1 clk cpu1 R X0 0000000000000001\n"
    "1 clk cpu0 IT (1) 00400004 97ffffff O EL0t : bl 0x400000\n"
    "1 clk cpu0 R X30 0000000000400008\n"
    "2 clk cpu0 IT (2) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp, #-16]!\n"
    "2 clk cpu0 E 00400000 00000004 CoreEvent_CURRENT_SPx_SYNC\n"
    "no \xC3\xA4 line \xFF of it\tat all\n"
    "3 clk cpu0 IT (3) 00400004 d65f03c0 O EL0t : ret\n"
    "3 clk cpu0 IT (4) 00400008 d503201f O EL0t : nop\n"
    "3 clk cpu1 MR8 00000001 01234567_89abcdef\n";

static struct site_options options = {.token = "t", .no_index = true};

static struct site *site_of_trace(void)
{
    static char path[] = "/tmp/spoor-fuzz-serve-XXXXXX";
    static struct site *site;
    struct spoor_error error = {0};
    if (site) return site;
    const int file = mkstemp(path);
    DEMAND(file >= 0 && write(file, trace, sizeof trace - 1) == sizeof trace - 1, "%s", path);
    close(file);
    const struct spoor_index_options building = {.struct_size = sizeof building,
                                                 .threads = 1,
                                                 .no_index = true,
                                                 .needs = SPOOR_INDEX_CALLS,
                                                 .segment_bytes = 256};
    for (size_t i = 0; i < 2; i++) {
        options.paths[i] = path;
        DEMAND(spoor_index_open(&options.indexes[i], path, &building, &error) == SPOOR_OK, "%s",
               error.text);
    }
    options.count = 2;
    options.reading.threads = 1;
    DEMAND(site_open(&site, &options, &error) == SPOOR_OK, "%s", error.text);
    return site;
}

/* The first line, without its end; advances. */
static char *cut_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    *at = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1), *at = text;
    struct reply reply;
    struct text target = {0};
    if (!text) abort();
    memcpy(text, bytes, size);
    text[size] = '\0';
    const char *line = cut_line(&at), *host = cut_line(&at);
    text_printf(&target, "%s%s", line[0] == '/' ? "" : "/t/", line);
    text_put(&target, "", 1);
    const struct request request = {.method = *at ? "POST" : "GET",
                                    .target = target.bytes,
                                    .host = *host ? host : "localhost",
                                    .body = at,
                                    .body_size = strlen(at)};
    if (!strcasestr(at, "recursive")) { /* which need not end */
        site_answer(site_of_trace(), &request, &reply);
        DEMAND(reply.status >= 200 && reply.status < 600 && reply.type, "%u", reply.status);
        DEMAND(reply.status != 200 || host_is_allowed(request.host, NULL), "%s", request.host);
        DEMAND(reply.status != 200 || strncmp(target.bytes, "/t/", 3) == 0, "%s", target.bytes);
        const bool is_json = strcmp(reply.type, "application/json") == 0;
        DEMAND(!is_json || (reply.text.size > 2 && reply.text.bytes[0] == '{' &&
                            reply.text.bytes[reply.text.size - 2] == '}'),
               "%.*s", (int)reply.text.size, reply.text.bytes);
        text_free(&reply.text);
    }
    text_free(&target);
    free(text);
    return 0;
}
