/* SPDX-License-Identifier: MIT */
/*
 * gdb.c: any lines as packets of GDB's remote protocol to a small trace of two processors; and the
 * same bytes as they would arrive, in frames or not.
 */
#include <string.h>
#include <unistd.h>

#include "debug/packet.h"
#include "debug/server.h"
#include "fuzz/fuzz.h"

static const char trace[] =
    "0 clk cpu0 R SP 0000000000001000\n"
    "0 clk cpu0 IT (0) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp, #-16]!\n"
    "0 clk cpu0 MW8 00000ff0 00000000_00000000\n"
    "0 clk cpu0 R SP 0000000000000ff0\n"
    "1 clk cpu1 IT (0) 00500000 d2800020 O EL0t : mov x0, #1\n"
    "1 clk cpu1 R X0 0000000000000001\n"
    "1 clk cpu0 IT (1) 00400004 97ffffff O EL0t : bl 0x400000\n"
    "1 clk cpu0 R X30 0000000000400008\n"
    "2 clk cpu0 IT (2) 00400000 a9bd7bfd O EL0t : stp x29, x30, [sp, #-16]!\n"
    "2 clk cpu0 MW8 00000fe0 00000000_00400008\n"
    "3 clk cpu1 IT (1) 00500004 f9400001 O EL0t : ldr x1, [x0]\n"
    "3 clk cpu1 MR8 00000001 01234567_89abcdef\n"
    "3 clk cpu1 R X1 0123456789abcdef\n";

static struct spoor_explorer *open_trace(void)
{
    static struct spoor_explorer *explorer;
    struct spoor_index *index = NULL;
    struct spoor_error error = {0};
    const struct spoor_index_options options = {.struct_size = sizeof options,
                                                .threads = 1,
                                                .no_index = true,
                                                .needs = SPOOR_INDEX_SEGMENTS,
                                                .segment_bytes = 1};
    char path[] = "/tmp/spoor-fuzz-gdb-XXXXXX";
    if (explorer) return explorer;
    const int file = mkstemp(path);
    DEMAND(file >= 0 && write(file, trace, sizeof trace - 1) == sizeof trace - 1, "%s", path);
    close(file);
    DEMAND(spoor_index_open(&index, path, &options, &error) == SPOOR_OK, "%s", error.text);
    DEMAND(spoor_explorer_open(&explorer, path, index, NULL, &error) == SPOOR_OK, "%s", error.text);
    return explorer;
}

static bool answer(struct server *server, const char *packet, size_t size)
{
    struct text reply = {0};
    char *copy = malloc(size + 1);
    if (!copy) abort();
    memcpy(copy, packet, size);
    copy[size] = '\0';
    const enum server_answer kind = server_answer(server, copy, size, &reply);
    DEMAND(reply.size < 4 * PACKET_CAPACITY, "%zu bytes", reply.size);
    text_free(&reply);
    free(copy);
    return kind != SERVER_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct server *server = NULL;
    struct spoor_error error = {0};
    static struct packet_parser parser;
    const struct server_options options = {.explorer = open_trace()};
    DEMAND(server_new(&server, &options, &error) == SPOOR_OK, "%s", error.text);
    size_t begin = 0;
    bool open = true;
    for (size_t at = 0; at <= size && open; at++)
        if (at == size || bytes[at] == '\n') {
            open = answer(server, (const char *)bytes + begin, at - begin);
            begin = at + 1;
        }
    parser = (struct packet_parser){0};
    for (size_t at = 0; at < size; at++)
        if (packet_feed(&parser, bytes[at]) == PACKET_WHOLE)
            answer(server, (const char *)parser.payload, parser.size);
    server_free(server);
    return 0;
}
