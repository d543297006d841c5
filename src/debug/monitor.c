/* SPDX-License-Identifier: MIT */
/* monitor.c: the commands of GDB's `monitor` that go to a moment and query the trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"

static void monitor_put_pc(const struct server *server, uint64_t pc, struct text *out)
{
    struct spoor_place place = {.struct_size = sizeof place};
    text_printf(out, "0x%" PRIx64, pc);
    if (!server->options.images || !spoor_images_resolve(server->options.images, pc, &place))
        return;
    if (place.function) text_printf(out, " %s+0x%" PRIx64, place.function, place.offset);
    if (place.file) text_printf(out, " %s:%u", place.file, (unsigned)place.line);
}

/* ---- where ---- */

static void monitor_put_where(struct server *server, struct text *out)
{
    struct spoor_error error = {0};
    char words[128];
    const uint64_t records = spoor_index_records(server->index);
    if (server->moment >= records) {
        text_printf(out, "at the end, after %" PRIu64 " records\n", records);
        return;
    }
    server_heed(server,
                spoor_explorer_text(server->explorer, server->moment, words, sizeof words, &error),
                &error);
    text_printf(out, "before record %" PRIu64 " of %" PRIu64 ", pc ", server->moment, records);
    monitor_put_pc(server, server_snapshot(server) ? server->pcs.items[server->cpu].pc : 0, out);
    text_printf(out, "%s%s\n", words[0] ? "  " : "", words);
}

/* ---- goto ---- */

static void monitor_goto(struct server *server, const char *words, struct text *out)
{
    struct spoor_moment query;
    struct spoor_error error = {0};
    uint64_t moment = 0;
    if (strcmp(words, "start") != 0) {
        if (!spoor_moment_parse(words, &query)) {
            text_printf(out,
                        "found '%s', expected a time, record:N, line:N, pc:ADDR[#K], start or "
                        "end\n",
                        words);
            return;
        }
        const enum spoor_status status =
            spoor_explorer_moment(server->explorer, words, &moment, &error);
        if (server_heed(server, status, &error) != SPOOR_OK) {
            text_printf(out, "%s\n", error.text);
            return;
        }
        /* GDB shows the next instruction, so go to the moment before the requested one. */
        struct begin begin;
        if (query.kind != SPOOR_MOMENT_END && query.kind != SPOOR_MOMENT_TIME && moment > 0 &&
            server_seek_begin(server, moment, false, ANY_CPU, 0, &begin, &error) == SPOOR_OK)
            moment = begin.record;
    }
    if (!server_goto(server, moment)) {
        text_printf(out, "no instruction follows %s\n", words);
        return;
    }
    monitor_put_where(server, out);
}

/* ---- frames ---- */

/* Lists, for the unwinder of `spoor gdb`, the address of each frame from the innermost one on: the
 * next instruction, and where the calls that are open return to. */
static void monitor_put_frames(struct server *server, struct text *out)
{
    struct spoor_error error = {0};
    struct spoor_state *state = NULL;
    struct spoor_frame frame = {.struct_size = sizeof frame};
    const unsigned cpu = server->asked;
    if (!server_snapshot(server) || cpu >= server->pcs.count || !server->pcs.items[cpu].known)
        return;
    text_printf(out, "%" PRIx64 "\n", server->pcs.items[cpu].pc);
    /* the next instruction says whether the one before it called or returned */
    const enum spoor_status status =
        spoor_explorer_state(server->explorer, server->moment + 1, &state, &error);
    if (server_heed(server, status, &error) != SPOOR_OK) return;
    for (size_t i = spoor_state_depth(state, cpu);
         i-- > 0 && spoor_state_frame(state, cpu, i, &frame);)
        text_printf(out, "%" PRIx64 "\n", frame.has_back ? frame.back : frame.from);
    spoor_state_free(state);
}

/* ---- who, slice ---- */

/* A record that wrote a value. */
struct write {
    uint64_t record, time, pc;
    const char *value; /* NULL: it is not known */
    bool has_pc;
};

static void monitor_put_write(const struct server *server, const struct write *write,
                              struct text *out)
{
    text_printf(out, "record %" PRIu64 ", time %" PRIu64 ", value %s", write->record, write->time,
                write->value ? write->value : "?");
    if (write->has_pc) {
        text_puts(out, ", by ");
        monitor_put_pc(server, write->pc, out);
    }
    text_puts(out, "\n");
}

/* ---- all ---- */

static const char help[] =
    "goto MOMENT         a time, record:N, line:N, pc:ADDR[#K], start or end; after it, GDB reads\n"
    "                    its registers again with: maintenance flush register-cache\n"
    "where               the next record and its instruction\n"
    "who REG|ADDR[+LEN]  the last write before here\n"
    "slice REG|ADDR      where its value comes from, 8 steps deep\n";

void server_monitor(struct server *server, const char *command, struct text *out)
{
    struct spoor_error error = {0};
    struct spoor_subject subject;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    const size_t size = strcspn(command, " ");
    const char *words = command + size + strspn(command + size, " ");
    const bool is_who = size == 3 && strncmp(command, "who", size) == 0;
    if (size == 5 && strncmp(command, "where", size) == 0) {
        monitor_put_where(server, out);
    } else if (size == 6 && strncmp(command, "frames", size) == 0) {
        monitor_put_frames(server, out);
    } else if (size == 4 && strncmp(command, "goto", size) == 0) {
        monitor_goto(server, words, out);
    } else if (is_who || (size == 5 && strncmp(command, "slice", size) == 0)) {
        /* "x0", "8000", "8000+4": a register of the current processor, or memory */
        if (spoor_explorer_subject(server->explorer, words[0] == '$' ? words + 1 : words,
                                   server->asked, server->moment, &subject, &error) != SPOOR_OK) {
            text_printf(out, "%s\n", error.text);
            return;
        }
        enum spoor_status status;
        if (!is_who) {
            const struct spoor_dataflow_options options = {.struct_size = sizeof options,
                                                           .depth = 8};
            struct spoor_dataflow *slice = NULL;
            struct spoor_dataflow_node node = {.struct_size = sizeof node};
            status = spoor_explorer_dataflow(server->explorer, &subject, server->moment, &options,
                                             &slice, &error);
            if (server_heed(server, status, &error) != SPOOR_OK) {
                text_printf(out, "%s\n", error.text);
                return;
            }
            for (size_t i = 0; spoor_dataflow_node(slice, i, &node); i++) {
                const bool is_memory = strchr(node.what, '+') != NULL && !strchr(node.what, ':');
                const struct write write = {node.record, node.time, node.pc, node.value,
                                            node.has_instruction};
                text_printf(out, "%*s%s%s: ", (int)(2 * node.depth), "", is_memory ? "0x" : "",
                            node.what);
                if (node.written)
                    monitor_put_write(server, &write, out);
                else
                    text_printf(out, "%s\n", node.stop ? node.stop : "?");
            }
            spoor_dataflow_free(slice);
            return;
        }
        status = server_heed(
            server,
            spoor_explorer_last_write(server->explorer, &subject, server->moment, &touch, &error),
            &error);
        if (status == SPOOR_OK)
            monitor_put_write(server,
                              &(struct write){touch.record, touch.time, touch.pc, touch.value,
                                              touch.has_instruction},
                              out);
        else
            text_puts(out, status == SPOOR_END ? "nothing writes it before\n" : error.text);
    } else {
        text_puts(out, help);
    }
}
