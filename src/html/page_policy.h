/* SPDX-License-Identifier: MIT */
/* page_policy.h: what a page may do; see page_policy.c. */
#ifndef SPOOR_HTML_PAGE_POLICY_H
#define SPOOR_HTML_PAGE_POLICY_H

#include "base/text.h"

/* Appends the element that lets the page run these scripts alone; the list ends with NULL. */
void page_put_policy(struct text *out, const char *const *scripts);

/* The SHA-256 of bytes. */
enum { PAGE_DIGEST = 32 };

#endif
