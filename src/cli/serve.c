/* SPDX-License-Identifier: MIT */
/* serve.c: the verb `serve`, which shows traces in a browser. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/asking.h"
#include "cli/interrupt.h"
#include "serve/http.h"

enum { TOKEN_BYTES = 16 };

extern const struct site_file page_files[]; /* made from web/ */

struct serve_settings {
    struct settings common;
    uint64_t port;
    const char *bind, *token, *host, *get;
    bool no_index;
    struct byte_order order;
};

static const struct option options[] = {
    OPT(0, "port", NUMBER, "N", offsetof(struct serve_settings, port),
        "listen at this port; without it, at any that is free"),
    OPT(0, "bind", TEXT, "ADDRESS", offsetof(struct serve_settings, bind),
        "listen at this numeric address instead of 127.0.0.1, which only this machine reaches"),
    OPT(0, "host", TEXT, "NAME", offsetof(struct serve_settings, host),
        "also answer requests whose Host header has this name"),
    OPT(0, "token", TEXT, "WORD", offsetof(struct serve_settings, token),
        "the token in the address, instead of a random one: letters, digits, - and _"),
    OPT(0, "get", TEXT, "PATH", offsetof(struct serve_settings, get),
        "print the answer to one request, such as api/rows?at=100, and end"),
    IMAGE_OPTIONS,
    BYTE_ORDER_OPTIONS(struct serve_settings, order),
    OPT_FLAG(0, "no-index", offsetof(struct serve_settings, no_index),
             "neither use nor store an index: read the traces first"),
    OPTION_END,
};

struct serving {
    const struct serve_settings *settings;
    struct located located;
    struct same_file files[SITE_TRACES];
    struct site_options options;
    struct site *site;
    char token[2 * TOKEN_BYTES + 1];
    int code;
};

/* ---- opening ---- */

static bool make_token(struct serving *serving)
{
    unsigned char bytes[TOKEN_BYTES];
    const char *given = serving->settings->token;
    serving->options.token = given ? given : serving->token;
    if (given && *given &&
        strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
            strlen(given))
        return true;
    if (given) {
        complain("--token: found '%s', expected letters, digits, - and _", given);
        serving->code = EXIT_USAGE;
        return false;
    }
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        complain("the system has no random numbers for a token: %s", strerror(errno));
        serving->code = EXIT_UNREADABLE;
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(serving->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool open_index(struct serving *serving, const char *path)
{
    struct indexing indexing;
    const size_t number = serving->options.count;
    indexing_start(&indexing, &serving->settings->common, serving->settings->no_index);
    indexing.options.needs = SPOOR_INDEX_CALLS;
    if (!indexing_open(&indexing, path, &serving->options.indexes[number], &serving->code))
        return false;
    serving->files[number] = indexing.file;
    serving->options.paths[number] = path;
    serving->options.reading =
        (struct spoor_reader_options){.format = serving->settings->common.from,
                                      .decode = indexing.options.decode,
                                      .threads = indexing.options.threads,
                                      .memory = serving->settings->common.memory,
                                      .locator = located_locator(&serving->located)};
    serving->options.count++;
    return true;
}

static bool open_site(struct serving *serving)
{
    const struct settings *common = &serving->settings->common;
    struct spoor_error error = {0};
    if (!byte_order_of(common, &serving->settings->order, &serving->options.big_endian)) {
        serving->code = EXIT_USAGE;
        return false;
    }
    for (int i = 0; i < common->operand_count; i++)
        if (!open_index(serving, operand(common, (size_t)i))) return false;
    serving->options.images = serving->located.images;
    serving->options.host = serving->settings->host;
    serving->options.no_index = serving->settings->no_index;
    serving->options.files = page_files;
    if (site_open(&serving->site, &serving->options, &error) == SPOOR_OK) return true;
    serving->code = fail(&error);
    return false;
}

static int close_site(struct serving *serving)
{
    for (size_t i = 0; serving->site && i < serving->options.count; i++)
        if (!same_file_still(&serving->files[i], serving->options.paths[i]))
            serving->code = worse(serving->code, EXIT_UNREADABLE);
    site_close(serving->site);
    for (size_t i = 0; i < serving->options.count; i++)
        spoor_index_close(serving->options.indexes[i]);
    return worse(serving->code, located_close(&serving->located));
}

/* ---- one request ---- */

static int code_of(unsigned status)
{
    switch (status) {
    case 200: return EXIT_CLEAN;
    case 404: return EXIT_NOTHING;
    case 500:
    case 503: return EXIT_UNREADABLE;
    default: return EXIT_USAGE;
    }
}

static int answer_one(struct serving *serving)
{
    struct text target = {0};
    struct reply reply;
    text_printf(&target, "/%s/%s", serving->options.token, serving->settings->get);
    text_put(&target, "", 1);
    if (target.failed) return complain_for(EXIT_UNREADABLE, "out of memory");
    const struct request request = {.method = "GET", .target = target.bytes, .host = "localhost"};
    site_answer(serving->site, &request, &reply);
    int code = reply.bytes ? show_bytes(reply.bytes, reply.size) : show_text(&reply.text);
    text_free(&reply.text);
    text_free(&target);
    if (code_of(reply.status) == EXIT_UNREADABLE) complain("--get: %s", reply.reason);
    return worse(code, code_of(reply.status));
}

/* ---- the network ---- */

/* True if the address is one that only this machine reaches. */
static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

static int show_address(const struct serving *serving, const char *address, unsigned port)
{
    struct text text = {0};
    char machine[256] = "HOST";
    const bool is_six = strchr(address, ':') != NULL;
    gethostname(machine, sizeof machine - 1);
    text_printf(&text, "http://%s%s%s:%u/%s/\n", is_six ? "[" : "", address, is_six ? "]" : "",
                port, serving->options.token);
    if (is_loopback(address))
        text_printf(&text, "from another machine: ssh -L %u:%s:%u %s, then the same address\n",
                    port, address, port, machine);
    const int code = show_text(&text);
    text_free(&text);
    fflush(stdout);
    return code;
}

static int serve(struct serving *serving)
{
    const struct serve_settings *settings = serving->settings;
    const char *address = settings->bind ? settings->bind : "127.0.0.1";
    struct spoor_error error = {0};
    struct http *http;
    unsigned port = (unsigned)settings->port;
    struct interrupt interrupt = interrupt_open();
    if (http_start(&http, serving->site, address, &port, &error) != SPOOR_OK) {
        interrupt_close(&interrupt);
        return fail(&error);
    }
    int code = show_address(serving, address, port);
    struct pollfd ends = {.fd = interrupt.file, .events = POLLIN};
    while (code == EXIT_CLEAN && poll(&ends, 1, -1) < 0 && errno == EINTR) continue;
    http_stop(http);
    interrupt_close(&interrupt);
    return code;
}

static int run(void *chosen)
{
    const struct serve_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct serving serving = {.settings = settings};
    struct spoor_error error = {0};
    struct http *none;
    if (common->operand_count < 1 || common->operand_count > SITE_TRACES)
        return complain_for(EXIT_USAGE, "serve: found %d traces, expected 1 to %d: serve TRACE...",
                            common->operand_count, SITE_TRACES);
    if (settings->port > 65535)
        return complain_for(EXIT_USAGE, "--port: found %llu, expected at most 65535",
                            (unsigned long long)settings->port);
    for (int i = 0; i < common->operand_count; i++)
        if (strcmp(operand(common, (size_t)i), "-") == 0)
            return complain_for(EXIT_USAGE,
                                "serve: found standard input, expected a trace in a file");
    if (!settings->get && !http_is_built) {
        unsigned port = 0;
        http_start(&none, NULL, "", &port, &error);
        return fail(&error);
    }
    if (!located_open(&serving.located, common, operand(common, 0))) return serving.located.code;
    if (make_token(&serving) && open_site(&serving)) {
        const int code = settings->get ? answer_one(&serving) : serve(&serving);
        serving.code = worse(serving.code, code);
    }
    return close_site(&serving);
}

const struct verb verb_serve = {
    .name = "serve",
    .brief = "explore traces in a web browser",
    .operands = "TRACE...",
    .about = "Serves a page to this machine alone, at an address with a random token: the trace "
             "with calls folded, registers, memory, open calls and source at each row, links to "
             "last writers, a timeline, searches and SQL; two traces are aligned as diff does.  "
             "It reads or makes an index first.  ^C ends it.",
    .options = options,
    .settings_size = sizeof(struct serve_settings),
    .many = true,
    .run = run,
};
