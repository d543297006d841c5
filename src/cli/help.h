/* SPDX-License-Identifier: MIT */
/*
 * help.h: output generated from the option tables: help on the terminal, the OPTIONS section of a
 * manual page, shell completion.
 */
#ifndef SPOOR_CLI_HELP_H
#define SPOOR_CLI_HELP_H

#include "base/text.h"
#include "cli/option.h"

/* Appends the options of `verb` as the scdoc source of a manual page's OPTIONS section. */
void put_manual_options(struct text *out, const struct verb *verb);
/* Appends a completion script. */
void put_bash_completion(struct text *out);
void put_zsh_completion(struct text *out);
void put_fish_completion(struct text *out);

#endif
