/* SPDX-License-Identifier: MIT */
/*
 * kinds.cpp TRACE: how often each kind of record occurs in a trace, by operation, in C++.
 */
#include <spoor/spoor.h>

#include <cstdio>
#include <map>
#include <string>

int main(int count, char **words)
{
    spoor_error error{};
    spoor_reader *reader = nullptr;
    const spoor_batch *batch = nullptr;
    std::map<std::string, size_t> kinds;
    if (count != 2 || spoor_reader_open(&reader, words[1], nullptr, &error) != SPOOR_OK) {
        std::fprintf(stderr, "%s\n", error.text);
        return 3;
    }
    enum spoor_status status;
    while ((status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
        for (size_t i = 0; i < batch->count; i++) {
            const spoor_record &record = batch->records[i];
            const std::string op = spoor_op_name(&record);
            const std::string kind = spoor_kind_name(static_cast<spoor_kind>(record.kind));
            kinds[op.empty() ? kind : kind + " " + op]++;
        }
    spoor_reader_close(reader);
    for (const auto &kind : kinds) std::printf("%s %zu\n", kind.first.c_str(), kind.second);
    return status == SPOOR_END ? 0 : 3;
}
