/* SPDX-License-Identifier: MIT */
/*
 * site.h: the explorer's answers to requests, without a network.
 *
 * A server has the traces and their indexes open.  A request is a method, the target of an HTTP
 * request ("/TOKEN/api/rows?at=12"), its Host header and its body; the reply is JSON or a file of
 * the embedded page.  Nothing else can be asked for: no name in a request becomes the name of a
 * file.  site_answer() may be called by several threads.
 */
#ifndef SPOOR_SERVE_SITE_H
#define SPOOR_SERVE_SITE_H

#include "html/page.h"
#include "spoor/annotate.h"
#include "spoor/image.h"
#include "spoor/index.h"

enum { SITE_TRACES = 8, SITE_LARGEST_BODY = 1 << 16, SITE_LONGEST_TARGET = 1 << 12 };

struct site_options {
    const char *paths[SITE_TRACES];
    struct spoor_index *indexes[SITE_TRACES]; /* outlive the server; with calls */
    size_t count;
    struct spoor_reader_options reading;
    struct spoor_images *images;    /* NULL: none */
    spoor_disassemble *disassemble; /* for instructions whose text a trace lacks; NULL: none */
    void *disassembler;             /* its context; one question uses it at a time */
    bool big_endian; /* data of accesses has its highest byte at the lowest address */
    bool no_index;   /* statements in SQL neither use nor store an index */
    const char *token;
    const char *host;              /* a further name that a Host header may have; NULL: none */
    const struct page_file *files; /* ends with a file whose name is NULL */
};

struct site;

/* The options and all that they point at must outlive the server. */
enum spoor_status site_open(struct site **site, const struct site_options *options,
                            struct spoor_error *error);
void site_close(struct site *site);

struct request {
    const char *method; /* "GET", "HEAD" or "POST" */
    const char *target; /* path and query, as sent */
    const char *host;   /* the Host header; NULL: none */
    const char *body;
    size_t body_size;
};
struct reply {
    unsigned status;    /* of HTTP */
    const char *type;   /* for Content-Type */
    struct text text;   /* the body, unless */
    const void *bytes;  /* a file is sent: its bytes */
    size_t size;        /* of these */
    bool may_be_stored; /* by the browser, because it never changes */
    char reason[512];   /* why the request was refused; "": it was not */
};
/* Answers a request; the caller frees reply->text. */
void site_answer(struct site *site, const struct request *request, struct reply *reply);

/* True if both words are equal, in a time that does not depend on where they differ. */
bool same_token(const char *one, size_t one_size, const char *other, size_t other_size);
/* True if a Host header names this machine's loopback, or `name`; a port may follow. */
bool host_is_allowed(const char *host, const char *name);

#endif
