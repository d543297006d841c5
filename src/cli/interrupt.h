/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h: ^C as something that can be waited for.
 *
 * Following a trace has no end of its own: it ends when the user says so or when whoever reads the
 * output has gone, and what was read until then is to be printed.
 */
#ifndef SPOOR_CLI_INTERRUPT_H
#define SPOOR_CLI_INTERRUPT_H

struct interrupt {
    int file;    /* becomes readable when it is time to end; -1: the system refused */
    int signals; /* what it is made of */
};

/* From now on SIGINT and SIGTERM, unless they are ignored, do not end the program but make the file
 * readable; so does a standard output that is a pipe which nobody reads any more.  Where the system
 * refuses, they end the program as ever.  Call before threads are made. */
struct interrupt interrupt_open(void);
void interrupt_close(struct interrupt *interrupt);

#endif
