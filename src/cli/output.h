/* SPDX-License-Identifier: MIT */
/*
 * output.h: how a verb opens a file to write.
 *
 * This is the only way: an option whose value names such a file has the type OPTION_OUTPUT, so that
 * the parser refuses a file that is also read; the file is whole or not there (spoor/writer.h); a
 * signal that ends the program removes what lies beside it; and --partial keeps what was written.
 */
#ifndef SPOOR_CLI_OUTPUT_H
#define SPOOR_CLI_OUTPUT_H

#include "cli/cli.h"

/* Opens `path`; NULL or "-" is standard output. */
enum spoor_status output_open(struct spoor_output **output, const char *path,
                              const struct settings *settings, struct spoor_error *error);
/* False, with an error: these bytes are not for the terminal that `path` (NULL or "-") would write
 * them to. */
bool output_suits(const char *path, const struct spoor_format *format,
                  const struct settings *settings);
/* Closes it.  `whole`: everything that belongs in it was put, which only the verb knows.  If not,
 * the file does not appear, unless --partial is given, and a sentence says so; SPOOR_OK. */
enum spoor_status output_close(struct spoor_output *output, bool whole, struct spoor_error *error);
/* Opens, puts and closes a file, of which the bytes are all if it is `whole`; returns the exit code
 * after printing any error. */
int output_write(const char *path, const char *bytes, size_t size, bool whole,
                 const struct settings *settings);

#endif
