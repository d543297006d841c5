/* SPDX-License-Identifier: MIT */
/* site.c: opens the traces, and passes requests on to the functions that answer them. */
#include "serve/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "html/page.h"
#include "serve/internal.h"

enum { QUESTION_MILLISECONDS = 5000 };

/* ---- opening ---- */

/* True while the question that has the site's lock has time. */
static bool site_has_time(void *context, size_t segment)
{
    const struct site *site = context;
    (void)segment;
    return clock_milliseconds() < site->deadline;
}

enum spoor_status site_open(struct site **made, const struct site_options *options,
                            struct spoor_error *error)
{
    struct site *site = calloc(1, sizeof *site);
    *made = NULL;
    if (!site) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    site->options = options;
    site->count = options->count;
    site->deadline = UINT64_MAX;
    pthread_mutex_init(&site->lock, NULL);
    pthread_mutex_init(&site->databases_lock, NULL);
    pthread_cond_init(&site->database_idle, NULL);
    const struct spoor_explorer_options exploring = {.struct_size = sizeof exploring,
                                                     .images = options->images,
                                                     .big_endian = options->big_endian,
                                                     .goes_on = site_has_time,
                                                     .context = site,
                                                     .disassemble = options->disassemble,
                                                     .disassembler = options->disassembler};
    const struct spoor_listing_options listing = {.struct_size = sizeof listing,
                                                  .reading = &options->reading};
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < options->count && status == SPOOR_OK; i++) {
        struct serve_trace *trace = &site->traces[i];
        trace->path = options->paths[i];
        trace->name = path_name(trace->path);
        trace->index = options->indexes[i];
        status =
            spoor_explorer_open(&trace->explorer, trace->path, trace->index, &exploring, error);
        if (status == SPOOR_OK)
            status = spoor_listing_open(&trace->listing, trace->path, &listing, error);
        if (status != SPOOR_OK) break;
        spoor_listing_use_explorer(trace->listing, trace->explorer);
    }
    if (status == SPOOR_OK)
        *made = site;
    else
        site_close(site);
    return status;
}

void site_close(struct site *site)
{
    if (!site) return;
    alignment_end(site->alignment);
    for (size_t i = 0; i < SITE_DATABASES; i++) spoor_sql_close(site->databases[i].sql);
    for (size_t i = 0; i < site->count; i++) {
        struct serve_trace *trace = &site->traces[i];
        kept_events_free(&trace->events);
        kept_signals_free(trace->signals);
        misses_end(trace->misses);
        survey_end(trace->survey);
        timeline_free(&trace->timeline);
        spoor_listing_close(trace->listing);
        spoor_explorer_close(trace->explorer);
    }
    pthread_mutex_destroy(&site->lock);
    pthread_cond_destroy(&site->database_idle);
    pthread_mutex_destroy(&site->databases_lock);
    free(site);
}

/* ---- answering ---- */

enum route_flag {
    ROUTE_UNLOCKED = 1 << 0, /* it does not use the traces, or locks by itself */
    ROUTE_POST = 1 << 1,
    ROUTE_EARLY = 1 << 2, /* it needs no timeline */
};
static const struct route {
    const char *name;
    endpoint *answer;
    unsigned flags;
} routes[] = {
    {"traces", ask_traces, ROUTE_EARLY},
    {"rows", ask_rows, ROUTE_EARLY}, /* but for those of a depth */
    {"state", ask_state, ROUTE_EARLY},
    {"memory", ask_memory, ROUTE_EARLY},
    {"stack", ask_stack, 0},
    {"source", ask_source, 0},
    {"writer", ask_writer, 0},
    {"call", ask_call, 0},
    {"place", ask_place, 0},
    {"timeline", ask_timeline, 0},
    {"accesses", ask_accesses, 0},
    {"times", ask_times, ROUTE_EARLY},
    {"misses", ask_misses, 0},
    {"event", ask_event, 0},
    {"touch", ask_touch, 0},
    {"address", ask_address, 0},
    {"functions", ask_functions, 0},
    {"overview", ask_overview, ROUTE_EARLY},
    {"survey", ask_survey, ROUTE_EARLY},
    {"why", ask_why, ROUTE_EARLY},
    {"loop", ask_loop, ROUTE_EARLY},
    {"values", ask_values, ROUTE_EARLY},
    {"area", ask_area, 0},
    {"pipeline", ask_pipeline, ROUTE_EARLY},
    {"align", ask_align, 0},
    {"differences", ask_differences, 0},
    {"differing", ask_differing, 0},
    {"sql", ask_sql, ROUTE_UNLOCKED | ROUTE_POST},
    {"stop", ask_stop, ROUTE_UNLOCKED | ROUTE_POST},
};

static void site_answer_api(struct question *question, const char *name)
{
    const struct route *route = NULL;
    uint64_t trace = 0;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(routes[i].name, name) == 0) route = &routes[i];
    if (!route) {
        refuse(question, 404, "there is no such question");
        return;
    }
    if (((route->flags & ROUTE_POST) != 0) != (strcmp(question->request->method, "POST") == 0)) {
        refuse(question, 405, "expected %s", route->flags & ROUTE_POST ? "POST" : "GET");
        return;
    }
    if (!parameter_number(question, "trace", question->site->count - 1, &trace)) return;
    question->side = (unsigned)trace;
    question->trace = &question->site->traces[trace];
    json_begin(question->out, NULL, '{');
    if (route->flags & ROUTE_UNLOCKED) {
        route->answer(question);
        return;
    }
    pthread_mutex_lock(&question->site->lock);
    question->site->deadline =
        question->site->patient ? UINT64_MAX : clock_milliseconds() + QUESTION_MILLISECONDS;
    if (route->flags & ROUTE_EARLY || question_has_timeline(question)) route->answer(question);
    question->site->deadline = UINT64_MAX;
    pthread_mutex_unlock(&question->site->lock);
}

static void site_refuse(struct reply *reply, unsigned status, const char *words)
{
    reply->status = status;
    text_puts(&reply->text, words);
}

void site_answer(struct site *site, const struct request *request, struct reply *reply)
{
    const struct site_options *options = site->options;
    const bool posts = strcmp(request->method, "POST") == 0;
    struct target target = {.path = ""};
    *reply = (struct reply){.status = 200, .type = "text/plain; charset=utf-8"};
    if (!host_is_allowed(request->host, options->host))
        site_refuse(reply, 403, "The Host header does not name this server.\n");
    else if (!posts && strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        site_refuse(reply, 405, "Expected GET or POST.\n");
    else if (!target_parse(request->target, &target))
        site_refuse(reply, 400, "The address is not well-formed, or too long.\n");
    else if (!same_token(target.token, target.token_size, options->token, strlen(options->token)))
        site_refuse(reply, 403, "The address lacks the token that spoor serve printed.\n");
    else if (request->body_size > SITE_LARGEST_BODY)
        site_refuse(reply, 413, "The request is too large.\n");
    if (reply->status != 200) return;
    if (strncmp(target.path, "api/", 4) != 0) {
        const struct page_file *file = target.bare ? NULL : options->files;
        while (file && file->name && strcmp(file->name, target.path) != 0) file++;
        if (file && file->name) {
            reply->type = file->type;
            reply->bytes = file->bytes;
            reply->size = file->size;
        } else if (!target.bare && strcmp(target.path, "colors.css") == 0) {
            reply->type = "text/css; charset=utf-8";
            text_puts(&reply->text, page_colors);
            text_puts(&reply->text, spoor_plot_style());
        } else {
            site_refuse(reply, 404, "There is no such page.\n");
        }
        return;
    }
    struct question question = {.site = site,
                                .request = request,
                                .parameter_count = target.count,
                                .out = &reply->text,
                                .reply = reply};
    memcpy(question.parameters, target.parameters, sizeof question.parameters);
    reply->type = "application/json";
    site_answer_api(&question, target.path + 4);
    if (reply->text.failed) {
        reply->text.failed = false;
        refuse(&question, 500, "out of memory");
    }
    text_puts(&reply->text, "}\n");
}
