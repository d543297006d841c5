/* SPDX-License-Identifier: MIT */
/* mcp_server.c: the verb `mcp`: answers requests of the Model Context Protocol, a line of JSON
 * each, on standard input and output.  (Model Context Protocol, revision 2025-06-18: "Transports",
 * "Tools", "Prompts"; JSON-RPC 2.0.)
 *
 * A call of a tool runs the verb in a process of its own, which gives the same answer as the
 * command line, can be killed when the call is cancelled, and cannot end the server. */
#include "cli/mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/json.h"
#include "cli/cli.h"
#include "record/system.h"

enum {
    LINE_BYTES = 1 << 20, /* of a request */
    CALLS = 64,           /* that run or wait */
    RUNNING = 4,          /* at once */
    NOTES_BYTES = 4096,   /* that are kept of standard error */
    ANSWER_BYTES = 40000, /* of an answer, unless the call says more or less */
    ANSWER_LEAST = 256,
    ANSWER_MOST = 1 << 20,
    /* JSON-RPC 2.0, section 5.1 */
    NOT_JSON = -32700,
    NOT_A_REQUEST = -32600,
    NO_METHOD = -32601,
    WRONG_PARAMS = -32602,
    FAILED = -32603,
};

struct mcp_call {
    struct text id, token; /* JSON; token: of progress, empty: none is wanted */
    struct word_list words;
    const char *verb;
    bool taken;                 /* this element is a call */
    pid_t process;              /* 0: it waits */
    int output, errors;         /* pipes, -1: closed */
    size_t seen, skip, maximum; /* bytes of output: so far, before the part, of the part */
    struct text answer, notes;
    double began, told; /* seconds: when it began, and when progress was told last */
};

struct mcp_server {
    struct word_list folders; /* real paths */
    struct mcp_call calls[CALLS];
    struct text line;
    bool too_long; /* the line: its rest is passed over */
    bool ended;    /* standard input */
    bool failed;   /* nobody reads standard output, or memory ran out */
    char self[PATH_MAX];
};

static double mcp_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- replies ---- */

/* Prints a message, a line, and frees it. */
static void mcp_send(struct mcp_server *server, struct text *message)
{
    text_puts(message, "\n");
    server->failed |= message->failed;
    if (!server->failed && show_bytes(message->bytes, message->size) != EXIT_CLEAN)
        server->failed = true;
    if (!server->failed && fflush(stdout) != 0) server->failed = true;
    text_free(message);
}

static void mcp_begin_reply(struct text *reply, const struct text *id)
{
    text_puts(reply, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (id->size)
        text_append(reply, id);
    else
        text_puts(reply, "null");
}

static void mcp_refuse(struct mcp_server *server, const struct text *id, int code,
                       const char *sentence)
{
    struct text reply = {0};
    mcp_begin_reply(&reply, id);
    text_printf(&reply, ",\"error\":{\"code\":%d,\"message\":", code);
    json_put_string(&reply, sentence, strlen(sentence));
    text_puts(&reply, "}}");
    mcp_send(server, &reply);
}

/* Refuses with the text, and frees it. */
static void mcp_refuse_text(struct mcp_server *server, const struct text *id, struct text *sentence)
{
    const bool failed = sentence->failed || !sentence->size;
    text_put(sentence, "", 1);
    if (failed)
        mcp_refuse(server, id, FAILED, "out of memory");
    else
        mcp_refuse(server, id, WRONG_PARAMS, sentence->bytes);
    text_free(sentence);
}

static void mcp_put_content(struct text *out, const char *bytes, size_t size)
{
    text_puts(out, "{\"type\":\"text\",\"text\":");
    json_put_string(out, bytes, size);
    text_puts(out, "}");
}

/* True if the bytes are one value of JSON. */
static bool mcp_is_json(const struct text *bytes)
{
    json_t *value = json_loadb(bytes->bytes, bytes->size, JSON_DECODE_INT_AS_REAL, NULL);
    json_decref(value);
    return value != NULL;
}

/* The size of the part that is given of an answer of more bytes: up to the last end of a line in
 * its second half, or of a character. */
static size_t mcp_part_size(const struct mcp_call *call)
{
    size_t size = call->maximum;
    const char *end = memrchr(call->answer.bytes, '\n', size);
    if (end && (size_t)(end - call->answer.bytes) >= size / 2)
        return (size_t)(end - call->answer.bytes) + 1;
    while (size > 1 && ((unsigned char)call->answer.bytes[size] & 0xc0) == 0x80) size--;
    return size;
}

/* Answers a call whose process has ended with the exit code, or by a signal, which is negative. */
static void mcp_reply(struct mcp_server *server, struct mcp_call *call, int code)
{
    struct text reply = {0};
    const bool cut = call->answer.size > call->maximum;
    const size_t size = cut ? mcp_part_size(call) : call->answer.size;
    const bool part = cut || call->skip;
    const bool crashed = code < 0 && !cut;
    const bool whole = !part && !crashed && size && mcp_is_json(&call->answer);
    const bool wrong = crashed || code == EXIT_USAGE || (!part && !whole && size) ||
                       (!part && !size && code == EXIT_UNREADABLE);
    if (crashed) text_printf(&call->notes, "%s was ended by signal %d\n", call->verb, -code);
    if (wrong && !call->notes.size) text_printf(&call->notes, "%s has no answer\n", call->verb);
    mcp_begin_reply(&reply, &call->id);
    text_puts(&reply, ",\"result\":{\"content\":[");
    if (size) mcp_put_content(&reply, call->answer.bytes, size);
    if (call->notes.size) {
        if (size) text_puts(&reply, ",");
        mcp_put_content(&reply, call->notes.bytes, call->notes.size);
    }
    char next[96] = "";
    if (cut) {
        snprintf(next, sizeof next, "cut here: ask again with the cursor \"%zu\"",
                 call->skip + size);
        text_puts(&reply, ",");
        mcp_put_content(&reply, next, strlen(next));
    }
    text_puts(&reply, "]");
    if (!wrong) {
        text_puts(&reply, ",\"structuredContent\":{");
        if (cut) /* the verb was ended: its exit code is not known */
            text_printf(&reply, "\"cursor\":\"%zu\"", call->skip + size);
        else
            text_printf(&reply, "\"exit_code\":%d", code);
        if (call->notes.size) {
            text_puts(&reply, ",\"notes\":");
            json_put_string(&reply, call->notes.bytes, call->notes.size);
        }
        if (part) {
            text_puts(&reply, ",\"part\":");
            json_put_string(&reply, size ? call->answer.bytes : "", size);
        }
        if (whole) {
            text_puts(&reply, ",\"result\":");
            /* strings of JSON have no ends of lines */
            for (size_t i = 0; i < size; i++)
                if (call->answer.bytes[i] == '\n') call->answer.bytes[i] = ' ';
            text_put(&reply, call->answer.bytes, size);
        }
        text_puts(&reply, "}");
    }
    text_printf(&reply, ",\"isError\":%s}}", wrong ? "true" : "false");
    reply.failed |= call->answer.failed || call->notes.failed;
    mcp_send(server, &reply);
}

/* ---- processes ---- */

static void mcp_free_call(struct mcp_call *call)
{
    if (call->output >= 0) close(call->output);
    if (call->errors >= 0) close(call->errors);
    text_free(&call->id);
    text_free(&call->token);
    text_free(&call->answer);
    text_free(&call->notes);
    word_list_free(&call->words);
    *call = (struct mcp_call){.output = -1, .errors = -1};
}

/* Waits for the process of a call; its exit code, or the signal that ended it, negative. */
static int mcp_wait(const struct mcp_call *call)
{
    int status = 0;
    while (waitpid(call->process, &status, 0) < 0)
        if (errno != EINTR) return EXIT_UNREADABLE;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void mcp_kill(struct mcp_call *call)
{
    if (call->process > 0) {
        kill(call->process, SIGKILL);
        mcp_wait(call);
    }
    mcp_free_call(call);
}

/* Starts the process of a call that waits; false: the system refuses, errno. */
static bool mcp_start(struct mcp_server *server, struct mcp_call *call)
{
    int output[2], errors[2];
    const pid_t parent = getpid();
    if (pipe2(output, O_CLOEXEC) != 0) return false;
    if (pipe2(errors, O_CLOEXEC) != 0) {
        close(output[0]);
        close(output[1]);
        return false;
    }
    call->process = fork();
    if (call->process == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(EXIT_UNREADABLE);
#else
        (void)parent;
#endif
        const int none = open("/dev/null", O_RDONLY);
        if (none >= 0 && dup2(none, STDIN_FILENO) >= 0 && dup2(output[1], STDOUT_FILENO) >= 0 &&
            dup2(errors[1], STDERR_FILENO) >= 0)
            execv(server->self, call->words.items);
        _exit(EXIT_UNREADABLE);
    }
    const int reason = errno;
    close(output[1]);
    close(errors[1]);
    call->output = output[0];
    call->errors = errors[0];
    call->began = call->told = mcp_now();
    if (call->process > 0) return true;
    call->process = 0;
    errno = reason;
    return false;
}

/* Reads what a process printed; the end closes the pipe. */
static void mcp_read_output(struct mcp_call *call)
{
    char bytes[1 << 16];
    const ssize_t got = read(call->output, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close(call->output);
        call->output = -1;
        return;
    }
    /* of the part, and one byte, which says that there is more */
    const size_t size = (size_t)got;
    const size_t from = call->skip > call->seen ? call->skip - call->seen : 0;
    const size_t room = call->maximum + 1 - call->answer.size;
    if (from < size) text_put(&call->answer, bytes + from, size - from < room ? size - from : room);
    call->seen += size;
    if (call->answer.size > call->maximum) kill(call->process, SIGKILL);
}

static void mcp_read_errors(struct mcp_call *call)
{
    char bytes[4096];
    const ssize_t got = read(call->errors, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close(call->errors);
        call->errors = -1;
        return;
    }
    const size_t room = NOTES_BYTES - call->notes.size;
    text_put(&call->notes, bytes, (size_t)got < room ? (size_t)got : room);
}

static void mcp_tell_progress(struct mcp_server *server, struct mcp_call *call)
{
    const double now = mcp_now();
    if (!call->token.size || !call->process || now - call->told < 1) return;
    struct text message = {0};
    call->told = now;
    text_puts(&message, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                        "\"progressToken\":");
    text_append(&message, &call->token);
    text_puts(&message, ",\"progress\":");
    text_put_fixed(&message, now - call->began, 1);
    text_printf(&message, ",\"message\":\"spoor %s runs\"}}", call->verb);
    mcp_send(server, &message);
}

/* ---- requests ---- */

/* Appends a value of JSON, on one line. */
static void mcp_put_json(struct text *out, const json_t *value)
{
    char *bytes = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    if (bytes) text_puts(out, bytes);
    out->failed |= !bytes;
    free(bytes);
}

/* True for ids that are the same JSON. */
static bool mcp_is_same(const struct text *one, const struct text *other)
{
    return one->bytes && other->bytes && one->size == other->size &&
           memcmp(one->bytes, other->bytes, one->size) == 0;
}

/* The part of an answer that a call asks for; false, with a sentence. */
static bool mcp_read_part(struct mcp_call *call, const json_t *arguments, struct text *refusal)
{
    const json_t *maximum = json_object_get(arguments, "max_bytes");
    const json_t *cursor = json_object_get(arguments, "cursor");
    call->maximum = ANSWER_BYTES;
    if (maximum) {
        const json_int_t bytes = json_integer_value(maximum);
        if (bytes < ANSWER_LEAST || bytes > ANSWER_MOST) {
            text_printf(refusal, "max_bytes: expected a number from %d to %d", ANSWER_LEAST,
                        ANSWER_MOST);
            return false;
        }
        call->maximum = (size_t)bytes;
    }
    if (cursor) {
        const char *word = json_string_value(cursor);
        char *end = NULL;
        errno = 0;
        const unsigned long long skip =
            word && *word >= '0' && *word <= '9' ? strtoull(word, &end, 10) : 0;
        if (!end || *end || errno || skip > SIZE_MAX / 2) {
            text_puts(refusal, "cursor: expected one that an answer gave");
            return false;
        }
        call->skip = (size_t)skip;
    }
    return true;
}

/* tools/call `traces`: the answer is made here. */
static void mcp_list_traces(struct mcp_server *server, const struct text *id)
{
    struct text traces = {0}, reply = {0};
    const bool good = mcp_put_traces(&traces, &server->folders);
    mcp_begin_reply(&reply, id);
    text_puts(&reply, ",\"result\":{\"content\":[");
    mcp_put_content(&reply, traces.bytes ? traces.bytes : "", traces.size);
    text_printf(&reply, "],\"isError\":%s}}", good ? "false" : "true");
    reply.failed |= traces.failed;
    text_free(&traces);
    mcp_send(server, &reply);
}

static void mcp_call_tool(struct mcp_server *server, struct text *id, const json_t *params)
{
    struct text refusal = {0};
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *arguments = json_object_get(params, "arguments");
    const json_t *token = json_object_get(json_object_get(params, "_meta"), "progressToken");
    if (!name || (arguments && !json_is_object(arguments))) {
        mcp_refuse(server, id, WRONG_PARAMS,
                   "expected the name of a tool and an object of "
                   "arguments");
        return;
    }
    if (strcmp(name, "traces") == 0) {
        mcp_list_traces(server, id);
        return;
    }
    const struct mcp_tool *tool = mcp_tool_find(name);
    if (!tool) {
        text_printf(&refusal, "no tool is called '%.100s'", name);
        mcp_refuse_text(server, id, &refusal);
        return;
    }
    struct mcp_call *call = NULL;
    for (size_t i = 0; i < CALLS; i++) {
        struct mcp_call *other = &server->calls[i];
        if (!other->taken) {
            if (!call) call = other;
        } else if (mcp_is_same(&other->id, id)) {
            mcp_refuse(server, id, NOT_A_REQUEST, "a request with this id is not answered yet");
            return;
        }
    }
    if (!call) {
        mcp_refuse(server, id, FAILED, "too many calls wait for an answer");
        return;
    }
    *call = (struct mcp_call){.output = -1, .errors = -1, .verb = tool->verb};
    if (!word_list_add(&call->words, server->self) ||
        !mcp_command(&call->words, tool, arguments, &server->folders, &refusal) ||
        !mcp_read_part(call, arguments, &refusal)) {
        mcp_refuse_text(server, id, &refusal);
        mcp_free_call(call);
        return;
    }
    /* execv() wants a NULL at the end */
    char **items = realloc(call->words.items, (call->words.count + 1) * sizeof *items);
    if (items) {
        call->words.items = items;
        items[call->words.count] = NULL;
    }
    call->id = *id;
    *id = (struct text){0};
    if (token) mcp_put_json(&call->token, token);
    call->taken = true;
    if (items) return;
    mcp_refuse(server, &call->id, FAILED, "out of memory");
    mcp_free_call(call);
}

/* notifications/cancelled: the call is not answered. */
static void mcp_cancel(struct mcp_server *server, const json_t *params)
{
    const json_t *request = json_object_get(params, "requestId");
    struct text id = {0};
    if (request) mcp_put_json(&id, request);
    for (size_t i = 0; i < CALLS && id.size; i++) {
        struct mcp_call *call = &server->calls[i];
        if (call->taken && mcp_is_same(&call->id, &id)) mcp_kill(call);
    }
    text_free(&id);
}

/* The revision that is spoken: the one that the client asks for, where it is known. */
static const char *mcp_revision(const json_t *params)
{
    static const char *const known[] = {"2025-06-18", "2025-11-25", "2024-11-05"};
    const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
    for (size_t i = 0; asked && i < sizeof known / sizeof *known; i++)
        if (strcmp(asked, known[i]) == 0) return known[i];
    return known[0];
}

static void mcp_answer(struct mcp_server *server, struct text *id, const char *method,
                       const json_t *params)
{
    struct text result = {0}, refusal = {0};
    if (strcmp(method, "tools/call") == 0) {
        mcp_call_tool(server, id, params);
        return;
    }
    if (strcmp(method, "initialize") == 0) {
        text_printf(&result,
                    "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{},\"prompts\":{}},"
                    "\"serverInfo\":{\"name\":\"spoor\",\"title\":\"spoor: processor traces\","
                    "\"version\":\"%s\"},\"instructions\":\"Each tool answers one question about "
                    "a trace of a processor, a file that `traces` lists. Begin with `info`. What "
                    "a trace does not state is absent from an answer. A long answer is cut: ask "
                    "again with its cursor, or select fewer records.\"}",
                    mcp_revision(params), spoor_version());
    } else if (strcmp(method, "ping") == 0) {
        text_puts(&result, "{}");
    } else if (strcmp(method, "tools/list") == 0) {
        mcp_put_tools(&result);
    } else if (strcmp(method, "prompts/list") == 0) {
        mcp_put_prompts(&result);
    } else if (strcmp(method, "prompts/get") == 0) {
        const char *name = json_string_value(json_object_get(params, "name"));
        if (!mcp_put_prompt(&result, name ? name : "", json_object_get(params, "arguments"),
                            &refusal)) {
            text_free(&result);
            mcp_refuse_text(server, id, &refusal);
            return;
        }
    } else {
        text_printf(&refusal, "no method is called '%.100s'", method);
        text_put(&refusal, "", 1);
        mcp_refuse(server, id, NO_METHOD, refusal.failed ? "out of memory" : refusal.bytes);
        text_free(&refusal);
        return;
    }
    struct text reply = {0};
    mcp_begin_reply(&reply, id);
    text_puts(&reply, ",\"result\":");
    text_append(&reply, &result);
    text_puts(&reply, "}");
    text_free(&result);
    mcp_send(server, &reply);
}

/* A line of standard input, without its end. */
static void mcp_take_line(struct mcp_server *server, const char *bytes, size_t size)
{
    struct text id = {0};
    json_error_t error;
    if (size == strspn(bytes, " \t\r")) return; /* the line ends with a NUL */
    json_t *request = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    const char *method = json_string_value(json_object_get(request, "method"));
    const json_t *number = json_object_get(request, "id"), *params;
    params = json_object_get(request, "params");
    if (!request) {
        struct text sentence = {0};
        text_printf(&sentence, "column %d: %s", error.column, error.text);
        text_put(&sentence, "", 1);
        mcp_refuse(server, &id, NOT_JSON, sentence.failed ? "out of memory" : sentence.bytes);
        text_free(&sentence);
    } else if (json_is_object(request) && !method && number &&
               (json_object_get(request, "result") || json_object_get(request, "error"))) {
        /* an answer; nothing was asked */
    } else if (!method || (number && !json_is_string(number) && !json_is_integer(number)) ||
               (params && !json_is_object(params))) {
        mcp_refuse(server, &id, NOT_A_REQUEST,
                   "expected an object with a method, an id that is a string or an integer, and "
                   "an object of parameters");
    } else if (number) {
        mcp_put_json(&id, number);
        mcp_answer(server, &id, method, params);
    } else if (strcmp(method, "notifications/cancelled") == 0) {
        mcp_cancel(server, params);
    }
    server->failed |= id.failed;
    text_free(&id);
    json_decref(request);
}

/* Answers the request of server->line, which is whole. */
static void mcp_end_line(struct mcp_server *server)
{
    struct text *line = &server->line;
    text_put(line, "", 1);
    if (line->failed || server->too_long || line->size > LINE_BYTES) {
        const struct text none = {0};
        mcp_refuse(server, &none, NOT_A_REQUEST, "the request is longer than 1 MiB");
    } else {
        mcp_take_line(server, line->bytes, line->size - 1);
    }
    if (line->failed) text_free(line);
    line->size = 0;
    server->too_long = false;
}

/* Reads standard input and takes its whole lines. */
static void mcp_read_requests(struct mcp_server *server)
{
    char bytes[1 << 16];
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return;
    server->ended = got <= 0;
    size_t from = 0;
    for (size_t i = 0; got > 0 && i < (size_t)got; i++) {
        if (bytes[i] != '\n') continue;
        text_put(&server->line, bytes + from, i - from);
        mcp_end_line(server);
        from = i + 1;
    }
    if (got > 0) text_put(&server->line, bytes + from, (size_t)got - from);
    if (server->line.size > LINE_BYTES) {
        server->too_long = true;
        server->line.size = 0;
    }
    if (server->ended && (server->line.size || server->too_long)) mcp_end_line(server);
}

/* ---- the server ---- */

/* Starts calls that wait, while few run; returns how many are not answered. */
static size_t mcp_start_calls(struct mcp_server *server)
{
    size_t running = 0, count = 0;
    for (size_t i = 0; i < CALLS; i++) running += server->calls[i].process > 0;
    for (size_t i = 0; i < CALLS; i++) {
        struct mcp_call *call = &server->calls[i];
        if (!call->taken) continue;
        count++;
        if (call->process || running >= RUNNING) continue;
        if (mcp_start(server, call)) {
            running++;
        } else {
            mcp_refuse(server, &call->id, FAILED, strerror(errno));
            mcp_free_call(call);
            count--;
        }
    }
    return count;
}

/* Waits for requests and output, and answers what has ended. */
static void mcp_step(struct mcp_server *server)
{
    struct pollfd files[1 + 2 * CALLS];
    files[0] = (struct pollfd){.fd = server->ended ? -1 : STDIN_FILENO, .events = POLLIN};
    bool tells = false;
    for (size_t i = 0; i < CALLS; i++) {
        const struct mcp_call *call = &server->calls[i];
        const bool runs = call->process > 0;
        tells |= runs && call->token.size;
        files[1 + 2 * i] = (struct pollfd){.fd = runs ? call->output : -1, .events = POLLIN};
        files[2 + 2 * i] = (struct pollfd){.fd = runs ? call->errors : -1, .events = POLLIN};
    }
    if (poll(files, 1 + 2 * CALLS, tells ? 250 : -1) < 0) {
        if (errno != EINTR) server->failed = true;
        return;
    }
    for (size_t i = 0; i < CALLS; i++) {
        struct mcp_call *call = &server->calls[i];
        if (files[1 + 2 * i].revents) mcp_read_output(call);
        if (files[2 + 2 * i].revents) mcp_read_errors(call);
        if (call->process > 0 && call->output < 0 && call->errors < 0) {
            const int code = mcp_wait(call);
            mcp_reply(server, call, code);
            mcp_free_call(call);
        } else {
            mcp_tell_progress(server, call);
        }
    }
    if (files[0].revents) mcp_read_requests(server);
}

static int mcp_run(void *chosen)
{
    const struct settings *settings = chosen;
    static struct mcp_server server;
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < CALLS; i++) server.calls[i].output = server.calls[i].errors = -1;
    if (!system_own_path(server.self))
        return complain_for(EXIT_UNREADABLE, "mcp: the path of this program is not known: %s",
                            strerror(errno));
    for (int i = 0; i < (settings->operand_count ? settings->operand_count : 1); i++) {
        char real[PATH_MAX];
        const char *folder = settings->operand_count ? settings->operands[i] : ".";
        if (!realpath(folder, real))
            code = complain_for(EXIT_USAGE, "mcp: %s: %s", folder, strerror(errno));
        else if (!word_list_add(&server.folders, real))
            code = EXIT_UNREADABLE;
    }
    while (code == EXIT_CLEAN && !server.failed) {
        const size_t count = mcp_start_calls(&server);
        if (server.ended && !count) break;
        mcp_step(&server);
    }
    for (size_t i = 0; i < CALLS; i++) mcp_kill(&server.calls[i]);
    text_free(&server.line);
    word_list_free(&server.folders);
    return code;
}

const struct verb verb_mcp = {
    .name = "mcp",
    .brief = "let an assistant ask questions about traces (MCP)",
    .operands = "[TRACE|FOLDER]...",
    .about = "Speaks the Model Context Protocol over standard input and output: an assistant that "
             "knows it can list the traces in the folders, and ask the verbs that answer "
             "questions.  Its answers are those of --json; long ones are cut.  No other files are "
             "read, and none are written but indexes in the cache folder.  Without a folder, the "
             "current one.",
    .settings_size = sizeof(struct settings),
    .run = mcp_run,
};
