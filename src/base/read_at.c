/* SPDX-License-Identifier: MIT */
/* read_at.c: reading from a position of a file. */
#include "base/read_at.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

size_t read_at(int file, uint64_t offset, void *bytes, size_t size)
{
    size_t done = 0;
    errno = 0;
    while (done < size) {
        const ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got > 0)
            done += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
        errno = 0;
    }
    return done;
}
