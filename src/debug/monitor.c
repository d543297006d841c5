/* SPDX-License-Identifier: MIT */
/* monitor.c: the commands of GDB's `monitor` that go to a moment and query the trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "debug/internal.h"
#include "explore/slice.h"

static void put_pc(const struct server *server, uint64_t pc, struct text *out)
{
    struct spoor_place place;
    text_printf(out, "0x%" PRIx64, pc);
    if (!server->options.images || !spoor_images_resolve(server->options.images, pc, &place))
        return;
    if (place.function) text_printf(out, " %s+0x%" PRIx64, place.function, place.offset);
    if (place.file) text_printf(out, " %s:%u", place.file, (unsigned)place.line);
}

/* ---- where ---- */

static void put_where(struct server *server, struct text *out)
{
    struct spoor_error error = {0};
    struct instruction instruction = {.text = ""};
    const uint64_t records = explorer_index(server->explorer)->records;
    if (server->moment >= records) {
        text_printf(out, "at the end, after %" PRIu64 " records\n", records);
        return;
    }
    server_heed(server,
                explorer_instruction(server->explorer, server->moment, &instruction, &error),
                &error);
    text_printf(out, "before record %" PRIu64 " of %" PRIu64 ", pc ", server->moment, records);
    put_pc(server, server_snapshot(server) ? server->pcs.pc[server->cpu] : 0, out);
    text_printf(out, "%s%s\n", instruction.text[0] ? "  " : "", instruction.text);
}

/* ---- goto ---- */

static void go(struct server *server, const char *words, struct text *out)
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
        const enum spoor_status status = explorer_moment(server->explorer, &query, &moment, &error);
        if (server_heed(server, status, &error) != SPOOR_OK) {
            text_printf(out, "%s\n", error.text);
            return;
        }
        /* GDB shows the next instruction, so go to the moment before the requested one. */
        struct begin begin;
        if (query.kind != SPOOR_MOMENT_END && query.kind != SPOOR_MOMENT_TIME && moment > 0 &&
            begin_before(server, moment, 0, true, 0, &begin, &error) == SPOOR_OK)
            moment = begin.record;
    }
    if (!server_goto(server, moment)) {
        text_printf(out, "no instruction follows %s\n", words);
        return;
    }
    put_where(server, out);
}

/* ---- who, slice ---- */

/* Parses "x0", "8000", "8000+4": a register of the current processor, or memory. */
static bool subject_of(struct server *server, const char *words, struct subject *subject)
{
    const struct machine *machine = explorer_machine(server->explorer);
    struct scan scan = {words, words + strlen(words)};
    uint64_t address, size;
    *subject = (struct subject){.cpu = server->asked};
    subject->part = machine_find_register(machine, words[0] == '$' ? words + 1 : words);
    if (subject->part.name) return true;
    if (!scan_span(&scan, &address, &size) || !scan_done(&scan)) return false;
    subject->is_memory = true;
    subject->place = explorer_place(server->explorer, address, size, false, 0, server->moment);
    return true;
}

static void put_write(const struct server *server, const struct touch *touch, struct text *out)
{
    text_printf(out, "record %" PRIu64 ", time %" PRIu64 ", value %s", touch->record, touch->time,
                touch->valued ? touch->value : "?");
    if (touch->place.known) {
        text_puts(out, ", by ");
        put_pc(server, touch->place.pc, out);
    }
    text_puts(out, "\n");
}

static void put_writer(struct server *server, const struct subject *subject, struct text *out)
{
    struct spoor_error error = {0};
    struct touch touch;
    const enum spoor_status status = server_heed(
        server, explorer_last_write(server->explorer, subject, server->moment, &touch, &error),
        &error);
    if (status == SPOOR_OK)
        put_write(server, &touch, out);
    else
        text_puts(out, status == SPOOR_END ? "nothing writes it before\n" : error.text);
}

static void put_slice(struct server *server, const struct subject *subject, struct text *out)
{
    struct spoor_error error = {0};
    struct slice slice = {0};
    const struct slice_options options = {.depth = 8};
    const enum spoor_status status =
        explorer_slice(server->explorer, subject, server->moment, &options, &slice, &error);
    if (server_heed(server, status, &error) != SPOOR_OK) {
        text_printf(out, "%s\n", error.text);
        return;
    }
    for (size_t i = 0; i < slice.count; i++) {
        const struct slice_node *node = &slice.nodes[i];
        char name[MACHINE_NAME_SIZE];
        text_printf(out, "%*s", (int)(2 * node->depth), "");
        if (node->is_memory)
            text_printf(out, "0x%" PRIx64 "+%" PRIu64 ": ", node->address, node->size);
        else
            text_printf(
                out, "%s: ",
                machine_register_name(explorer_machine(server->explorer), node->name, name));
        if (node->touch.record == UINT64_MAX)
            text_printf(out, "%s\n", slice_stop_text((enum slice_stop)node->stop));
        else
            put_write(server, &node->touch, out);
    }
    slice_free(&slice);
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
    struct subject subject;
    const size_t size = strcspn(command, " ");
    const char *words = command + size + strspn(command + size, " ");
    const bool is_who = size == 3 && strncmp(command, "who", size) == 0;
    if (size == 5 && strncmp(command, "where", size) == 0) {
        put_where(server, out);
    } else if (size == 4 && strncmp(command, "goto", size) == 0) {
        go(server, words, out);
    } else if (is_who || (size == 5 && strncmp(command, "slice", size) == 0)) {
        if (!subject_of(server, words, &subject))
            text_printf(out, "found '%s', expected a register of the trace or an address\n", words);
        else if (is_who)
            put_writer(server, &subject, out);
        else
            put_slice(server, &subject, out);
    } else {
        text_puts(out, help);
    }
}
