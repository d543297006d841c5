/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h: ^C as a file descriptor to wait for.
 *
 * Following a trace has no natural end: it ends at ^C or when the reader of the output exits, and
 * the records read until then are printed.
 */
#ifndef SPOOR_CLI_INTERRUPT_H
#define SPOOR_CLI_INTERRUPT_H

struct interrupt {
    int file;    /* becomes readable when following should end; -1: the system refused */
    int signals; /* the descriptor of the signals, part of `file` */
};

/* From now on SIGINT and SIGTERM, unless ignored, do not end the program but make the file
 * readable.  So does a standard output that is a pipe without readers.  If the system refuses, the
 * signals end the program as usual.  Call it before threads are created. */
struct interrupt interrupt_open(void);
void interrupt_close(struct interrupt *interrupt);

#endif
