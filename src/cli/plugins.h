/* SPDX-License-Identifier: MIT */
/* plugins.h: --plugin, the designs of shared objects. */
#ifndef SPOOR_CLI_PLUGINS_H
#define SPOOR_CLI_PLUGINS_H

#include "cli/option.h"

#define PLUGIN_OPTION OPT(0, "plugin", LIST, "FILE.so", COMMON(plugins), NULL)

/* Loads the plug-ins of the settings.  Returns the exit code, after a message unless it is
 * EXIT_CLEAN.  From now on, a signal that ends the program because of a fault first prints which
 * plug-in is at fault, or which are loaded. */
int plugins_load(const struct settings *settings);

#endif
