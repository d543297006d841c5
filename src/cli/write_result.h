/* SPDX-License-Identifier: MIT */
/*
 * write_result.h: what --json states of a trace that was written.
 */
#ifndef SPOOR_CLI_WRITE_RESULT_H
#define SPOOR_CLI_WRITE_RESULT_H

#include "cli/cli.h"

/* False, with a message: --json was given, and the trace itself goes to standard output. */
bool write_result_apart(const struct settings *settings, const char *output);
/* A new result, which the caller gives to write_result_show(): the file, its format and records.
 * NULL if memory ran out, which the other functions accept. */
struct spoor_result *write_result_new(const char *path, const struct spoor_format *format,
                                      uint64_t records);
/* A row of the array `inputs`. */
void write_result_put_input(struct spoor_result *inputs, const char *path,
                            const struct spoor_format *format, uint64_t records);
/* The array `lost`: what the report states, if it is there; records that the format had no place
 * for, beyond that; stray bytes after the last whole record of an input, each a note; and what the
 * writer (NULL: none) notes.  The array `assumed`, where it notes any. */
void write_result_put_losses(struct spoor_result *result, const struct spoor_loss *loss,
                             uint64_t unplaced, uint64_t stray, const struct spoor_writer *writer);
/* The size of a file that is regular. */
void write_result_put_size(struct spoor_result *result, const char *path);
/* Adds the size of the file, prints and frees the result; returns the exit code. */
int write_result_show(struct spoor_result *result, const char *path);

#endif
