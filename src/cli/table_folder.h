/* SPDX-License-Identifier: MIT */
/*
 * table_folder.h: write the records of traces as tables in a folder, a file for each kind.
 *
 * The files are FOLDER/mem.parquet, FOLDER/insn.parquet ...  Partitioned, they are
 * FOLDER/kind=mem/cpu=cpu0/part=0/records.parquet, as Hive, DuckDB, Spark and ClickHouse read them:
 * part N has those of the trace's records from N * 2^20 on.
 */
#ifndef SPOOR_CLI_TABLE_FOLDER_H
#define SPOOR_CLI_TABLE_FOLDER_H

#include "cli/cli.h"

/* True if the output names a folder: it ends in '/', or is one. */
bool names_folder(const char *output);
/* Writes all operands; returns the exit code. */
int write_table_folder(const struct settings *settings, const char *folder, int level,
                       bool partitioned);

#endif
