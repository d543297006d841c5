/* SPDX-License-Identifier: MIT */
/* serve.c: the verb `serve`, which shows traces in a browser. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/filled_copy.h"
#include "cli/inquiry.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "record/code.h"
#include "serve/export.h"
#include "serve/http.h"

enum { TOKEN_BYTES = 16 };

struct serve_settings {
    struct settings common;
    uint64_t port;
    const char *bind, *token, *host, *get, *export;
    struct range records;
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
    OPT(0, "export", OUTPUT, "FILE", offsetof(struct serve_settings, export),
        "write the page of a part of one trace, or of two, with its answers inside, and end"),
    OPT(0, "records", RANGE, "A:B", offsetof(struct serve_settings, records),
        "(with --export, at most 20,000)"),
    IMAGE_OPTIONS,
    CODE_OPTION,
    BYTE_ORDER_OPTIONS,
    OPT_FLAG(0, "no-index", COMMON(no_index), "(the traces are read first)"),
    OPTION_END,
};

struct service {
    const struct serve_settings *settings;
    struct image_set located;
    struct same_file files[SITE_TRACES];
    struct site_options options;
    struct code_reader *disassembler; /* NULL: there is none */
    struct site *site;
    char token[2 * TOKEN_BYTES + 1];
    int code;
};

/* ---- opening ---- */

static bool serve_make_token(struct service *service)
{
    unsigned char bytes[TOKEN_BYTES];
    const char *given = service->settings->token;
    service->options.token = given ? given : service->token;
    if (given && *given &&
        strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
            strlen(given))
        return true;
    if (given) {
        complain("--token: found '%s', expected letters, digits, - and _", given);
        service->code = EXIT_USAGE;
        return false;
    }
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        complain("the system has no random numbers for a token: %s", strerror(errno));
        service->code = EXIT_UNREADABLE;
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(service->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool serve_open(struct service *service)
{
    const struct settings *common = &service->settings->common;
    struct spoor_error error = {0};
    if (!byte_order_of(common, &service->options.big_endian)) {
        service->code = EXIT_USAGE;
        return false;
    }
    struct trace_index trace_index;
    for (size_t i = 0; i < (size_t)common->operand_count; i++) {
        const char *path = operand(common, i);
        trace_index_start(&trace_index, common);
        trace_index.options.needs = SPOOR_INDEX_ALL;
        if (!trace_index_open(&trace_index, path, &service->options.indexes[i], &service->code))
            return false;
        service->files[i] = trace_index.file;
        service->options.paths[i] = path;
        service->options.count++;
    }
    service->options.reading =
        (struct spoor_reader_options){.format = common->from,
                                      .decode = trace_index.options.decode,
                                      .threads = trace_index.options.threads,
                                      .memory = common->memory,
                                      .locator = image_set_locator(&service->located)};
    service->disassembler = code_reader_open();
    service->options.disassemble = service->disassembler ? code_reader_put : NULL;
    service->options.disassembler = service->disassembler;
    service->options.images = service->located.images;
    service->options.host = service->settings->host;
    service->options.no_index = service->settings->common.no_index;
    service->options.files = page_files;
    if (site_open(&service->site, &service->options, &error) == SPOOR_OK) return true;
    service->code = fail(&error);
    return false;
}

/* ---- one request ---- */

static int serve_answer(struct service *service)
{
    struct text target = {0};
    struct reply reply;
    text_printf(&target, "/%s/%s", service->options.token, service->settings->get);
    text_put(&target, "", 1);
    if (target.failed) return complain_for(EXIT_UNREADABLE, "out of memory");
    const struct request request = {.method = "GET", .target = target.bytes, .host = "localhost"};
    site_answer(service->site, &request, &reply);
    int code = reply.bytes ? show_bytes(reply.bytes, reply.size) : show_text(&reply.text);
    const unsigned status = reply.status;
    text_free(&reply.text);
    text_free(&target);
    if (status == 500 || status == 503) {
        complain("--get: %s", reply.reason);
        return worse(code, EXIT_UNREADABLE);
    }
    return worse(code, status == 200 ? EXIT_CLEAN : status == 404 ? EXIT_NOTHING : EXIT_USAGE);
}

/* ---- the page as a file ---- */

static int serve_export(struct service *service)
{
    const struct serve_settings *settings = service->settings;
    const struct range *range = &settings->records;
    const uint64_t records = spoor_index_records(service->options.indexes[0]);
    struct spoor_error error = {0};
    struct text page = {0};
    uint64_t from = 0, to = records;
    if (range->given && range->first < to) from = range->first;
    if (range->given && range->last < to) to = range->last + 1;
    if (!records || (range->given && range->first >= records))
        return complain_for(EXIT_NOTHING, "--export: no record is selected: %s has %llu",
                            service->options.paths[0], (unsigned long long)records);
    if (to - from > EXPORT_RECORDS)
        return complain_for(EXIT_USAGE,
                            "--export: found %llu records, expected at most %d: see --records",
                            (unsigned long long)(to - from), EXPORT_RECORDS);
    int code = EXIT_CLEAN;
    if (site_export(service->site, from, to, &page, &error) < SPOOR_OK)
        code = fail(&error);
    else
        code = output_write(settings->export, page.bytes, page.size, true, &settings->common);
    text_free(&page);
    return code;
}

/* ---- the network ---- */

static int serve_network(struct service *service)
{
    const struct serve_settings *settings = service->settings;
    const char *address = settings->bind ? settings->bind : "127.0.0.1";
    struct spoor_error error = {0};
    struct http *http;
    unsigned port = (unsigned)settings->port;
    struct interrupt interrupt = interrupt_open();
    if (http_start(&http, service->site, address, &port, &error) != SPOOR_OK) {
        interrupt_close(&interrupt);
        return fail(&error);
    }
    struct text text = {0};
    char machine[256] = "HOST";
    const bool is_six = strchr(address, ':') != NULL;
    gethostname(machine, sizeof machine - 1);
    text_printf(&text, "http://%s%s%s:%u/%s/\n", is_six ? "[" : "", address, is_six ? "]" : "",
                port, service->options.token);
    const bool loopback = strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
    if (loopback) /* which only this machine reaches */
        text_printf(&text, "from another machine: ssh -L %u:%s:%u %s, then the same address\n",
                    port, address, port, machine);
    const int code = show_text(&text);
    text_free(&text);
    fflush(stdout);
    struct pollfd ends = {.fd = interrupt.file, .events = POLLIN};
    while (code == EXIT_CLEAN && poll(&ends, 1, -1) < 0 && errno == EINTR) continue;
    http_stop(http);
    interrupt_close(&interrupt);
    return code;
}

static int serve_run(void *chosen)
{
    struct serve_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct service service = {.settings = settings};
    struct spoor_error error = {0};
    struct http *none;
    if (common->operand_count < 1 || common->operand_count > SITE_TRACES)
        return complain_for(EXIT_USAGE, "serve: found %d traces, expected 1 to %d: serve TRACE...",
                            common->operand_count, SITE_TRACES);
    if (settings->port > 65535)
        return complain_for(EXIT_USAGE, "--port: found %llu, expected at most 65535",
                            (unsigned long long)settings->port);
    if (settings->export && common->operand_count > 2)
        return complain_for(EXIT_USAGE, "--export: found %d traces, expected one or two",
                            common->operand_count);
    if (settings->records.given && !settings->export)
        return complain_for(EXIT_USAGE, "--records is of --export");
    if (!settings->get && !settings->export && !http_is_built) {
        unsigned port = 0;
        http_start(&none, NULL, "", &port, &error);
        return fail(&error);
    }
    if (!filled_copy_open(&settings->common, &service.code)) return service.code;
    if (!image_set_open(&service.located, common, operand(common, 0), OWN_NAMES_INDEXED))
        return worse(service.code, service.located.code);
    if (serve_make_token(&service) && serve_open(&service)) {
        const int code = settings->export ? serve_export(&service)
                         : settings->get  ? serve_answer(&service)
                                          : serve_network(&service);
        service.code = worse(service.code, code);
    }
    for (size_t i = 0; service.site && i < service.options.count; i++)
        if (!same_file_still(&service.files[i], service.options.paths[i]))
            service.code = worse(service.code, EXIT_UNREADABLE);
    site_close(service.site);
    code_reader_close(service.disassembler);
    for (size_t i = 0; i < service.options.count; i++)
        spoor_index_close(service.options.indexes[i]);
    return worse(service.code, image_set_close(&service.located));
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
    .seeks = true,
    .run = serve_run,
};
