/* SPDX-License-Identifier: MIT */
/*
 * sidecar.c: finds the stored index of a trace, and verifies that it fits the trace.
 *
 * An index is written as every output is (spoor/writer.h), so a reader finds either a complete
 * index or none.  Of two concurrent writers the last one wins.  A file of another kind stays as it
 * is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/read_at.h"
#include "index/internal.h"
#include "io/output.h"
#include "io/reader.h"
#include "model/error.h"

#define SUFFIX ".spoor-index"
enum {
    PATH_SIZE = PATH_MAX + 64,
    FAR = 32 << 20,                /* bytes that take longer to inflate than a user likes to wait */
    UNPACKED_IN_MEMORY = 32 << 20, /* bytes of an index that lies in its trace */
    REASON = 1024,                 /* bytes of a sentence */
    CACHE_MAXIMUM = 1 << 30,       /* bytes of the cache folder */
};

/* ---- places of indexes ---- */

/* Writes the folder of the user's own indexes; false: there is none. */
static bool sidecar_cache_folder(char folder[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int size = 0;
    if (cache && *cache == '/')
        size = snprintf(folder, PATH_MAX, "%s/spoor", cache);
    else if (home && *home)
        size = snprintf(folder, PATH_MAX, "%s/.cache/spoor", home);
    return size > 0 && size < PATH_MAX;
}

/* Writes the path in the cache folder, by the content of the trace and the options of reading: a
 * trace that was moved keeps its index, and questions with other options keep theirs.  False: there
 * is no such folder. */
static bool sidecar_put_cached(char path[PATH_SIZE], const struct fingerprint *trace,
                               const struct spoor_decode_options *decode, bool make)
{
    char folder[PATH_MAX];
    if (!sidecar_cache_folder(folder)) return false;
    if (make) {
        char *last = strrchr(folder, '/');
        *last = '\0';
        mkdir(folder, 0700);
        *last = '/';
        mkdir(folder, 0700);
    }
    const char *dialect = decode->dialect ? decode->dialect : "";
    uint64_t name = hash_mix(hash_mix(trace->samples, trace->seconds), trace->nanoseconds);
    name = hash_mix(hash_mix(name, (uint64_t)decode->isa), decode->implicit_thumb);
    name = hash_mix(hash_mix(name, (uint64_t)decode->effects),
                    hash_of_bytes(dialect, strlen(dialect)));
    const int size =
        snprintf(path, PATH_SIZE, "%s/%016llx" SUFFIX, folder, (unsigned long long)name);
    return size > 0 && size < PATH_SIZE;
}

/* Removes the indexes of the cache folder that were not used for the longest time, until all
 * together take at most CACHE_MAXIMUM; that of `kept` stays. */
static void sidecar_bound_cache(const char *kept)
{
    char folder[PATH_MAX];
    uint64_t all;
    do {
        char oldest[NAME_MAX + 1] = "";
        struct timespec when = {0};
        DIR *directory = sidecar_cache_folder(folder) ? opendir(folder) : NULL;
        all = 0;
        for (const struct dirent *entry; directory && (entry = readdir(directory));) {
            struct stat status;
            const size_t size = strlen(entry->d_name), suffix = sizeof SUFFIX - 1;
            if (size != 16 + suffix || strcmp(entry->d_name + 16, SUFFIX) != 0 ||
                fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
                !S_ISREG(status.st_mode))
                continue;
            all += (uint64_t)status.st_size;
            const struct timespec used = status.st_mtim;
            const bool older = !*oldest || used.tv_sec < when.tv_sec ||
                               (used.tv_sec == when.tv_sec && used.tv_nsec < when.tv_nsec);
            if (strcmp(entry->d_name, strrchr(kept, '/') + 1) == 0 || !older) continue;
            when = used;
            strcpy(oldest, entry->d_name);
        }
        if (all > CACHE_MAXIMUM && *oldest && unlinkat(dirfd(directory), oldest, 0) != 0) all = 0;
        if (directory) closedir(directory);
        if (!*oldest) return;
    } while (all > CACHE_MAXIMUM);
}

/* ---- reading ---- */

/* True if the file is an index of this or another version, perhaps damaged.  An empty file counts
 * as one. */
static bool sidecar_is_index(int file)
{
    static const char ours[] = INDEX_MAGIC_ANY;
    char begin[sizeof ours - 1];
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    if (status.st_size == 0) return true;
    return read_at(file, 0, begin, sizeof begin) == sizeof begin &&
           memcmp(begin, ours, sizeof begin) == 0;
}

/* True if there is no file, or an index. */
static bool sidecar_is_replaceable(const char *path)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return errno == ENOENT;
    const bool replaceable = sidecar_is_index(file);
    close(file);
    errno = EEXIST; /* if it is not */
    return replaceable;
}

/* Maps the file; NULL if it is no index, or, with errno, if a call failed.  An empty file is
 * damaged. */
static uint8_t *sidecar_map_file(const char *path, size_t *size)
{
    static const uint8_t nothing;
    struct stat status;
    errno = 0;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    void *content = NULL;
    if (file < 0 && errno == ENOENT) errno = 0;
    if (file < 0) return NULL;
    if (sidecar_is_index(file) && fstat(file, &status) == 0) {
        *size = (size_t)status.st_size;
        content = *size ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0)
                        : (void *)(uintptr_t)&nothing;
        if (content == MAP_FAILED) content = NULL;
    }
    close(file);
    return content;
}

static void sidecar_tell(const struct index_use *use, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void sidecar_tell(const struct index_use *use, const char *format, ...)
{
    char sentence[REASON];
    va_list arguments;
    if (!use->options.tell) return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    use->options.tell(use->options.context, sentence);
}

/* The reason why an index does not fit the trace and the options; NULL if it fits. */
static const char *sidecar_why_stale(const struct index *index, const struct index_use *use,
                                     const struct fingerprint *trace, const char *path)
{
    const struct index_options *options = &use->options;
    const char *dialect = options->decode.dialect;
    if (index->trace.size != trace->size) return "the trace has another size";
    if (!fingerprint_fits(&index->trace, trace, path)) return "the trace was changed";
    if (options->format && options->format != index->format) return "it is of another format";
    /* Which order the records of a trace need is found in the same way each time. */
    const enum spoor_effects effects = options->decode.effects;
    const bool has_order = effects == SPOOR_EFFECTS_AFTER ? !index->effects_first
                           : effects == SPOOR_EFFECTS_FIRST
                               ? index->effects_first
                               : index->effects == SPOOR_EFFECTS_DETECT;
    if (index->implicit_thumb != options->decode.implicit_thumb ||
        index->isa != options->decode.isa || !has_order ||
        (dialect ? !index->dialect || strcmp(dialect, index->dialect) != 0
                 : index->dialect != NULL))
        return "it was made with other options";
    return NULL;
}

/* The bytes of an index that lies in its trace, while they are unpacked: in memory, or, once they
 * are many, in a file without a name, so that the system need not keep them in memory. */
struct sidecar_bytes {
    struct text bytes;
    FILE *file; /* NULL: none was needed, or could be made */
    size_t size;
    bool mapped; /* at the end: they were in a file */
};

static bool sidecar_put_unpacked(void *context, const struct text *part)
{
    struct sidecar_bytes *unpacked = context;
    struct text *bytes = &unpacked->bytes;
    text_append(bytes, part);
    unpacked->size += part->size;
    if (!unpacked->file && bytes->size > UNPACKED_IN_MEMORY) unpacked->file = tmpfile();
    if (!unpacked->file) return !bytes->failed;
    const bool written = fwrite(bytes->bytes, 1, bytes->size, unpacked->file) == bytes->size;
    bytes->size = 0;
    return written && !bytes->failed;
}

/* Loads the index in the trace, if it has one that fits the options; else NULL.  Its checksums show
 * that it is whole; it was made with the trace. */
static struct index *sidecar_load_embedded(const char *path, const struct index_use *use,
                                           const struct fingerprint *trace)
{
    struct sidecar_bytes unpacked = {.file = NULL};
    uint64_t end = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const struct spoor_format *format = file >= 0 ? reader_container_in(file) : NULL;
    bool whole = format && format->container->history(file, &end, sidecar_put_unpacked, &unpacked);
    if (file >= 0) close(file);
    void *content = unpacked.bytes.bytes;
    unpacked.mapped = unpacked.file != NULL;
    if (unpacked.mapped) {
        whole = whole && fflush(unpacked.file) == 0;
        content = whole
                      ? mmap(NULL, unpacked.size, PROT_READ, MAP_PRIVATE, fileno(unpacked.file), 0)
                      : MAP_FAILED;
        whole = content != MAP_FAILED;
        fclose(unpacked.file);
    }
    if (unpacked.mapped || !whole) text_free(&unpacked.bytes);
    if (!whole) content = NULL;
    struct index *index = content ? index_new() : NULL;
    if (!index) {
        if (content && unpacked.mapped)
            munmap(content, unpacked.size);
        else
            free(content);
        return NULL;
    }
    const bool parsed = index_parse(index, content, unpacked.size, unpacked.mapped, NULL);
    index->trace = *trace;
    index->embedded = true;
    index->memory = use->options.memory;
    index->path = strdup(path);
    if (parsed && index->bytes == end && index->path && !sidecar_why_stale(index, use, trace, path))
        return index;
    index_free(index);
    return NULL;
}

/* Loads the index at `path` if it fits the trace; else returns NULL, with the reason in `words` if
 * there is one: of one that nobody asked for (`cached`) that another version made, there is nothing
 * to say.  *failed: errno where a call failed. */
static struct index *sidecar_load(const char *path, bool cached, const char *trace_path,
                                  const struct index_use *use, const struct fingerprint *trace,
                                  char words[REASON], int *failed)
{
    size_t size = 0;
    struct spoor_error error = {0};
    uint8_t *content = sidecar_map_file(path, &size);
    struct index *index = content ? index_new() : NULL;
    if (!index) {
        if (content && size) munmap(content, size);
        if (content || errno) *failed = errno;
        return NULL;
    }
    const char *why = NULL;
    const bool foreign = size >= INDEX_MAGIC_SIZE &&
                         memcmp(content, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0 &&
                         memcmp(content, INDEX_MAGIC_ANY, sizeof INDEX_MAGIC_ANY - 1) == 0;
    errno = 0;
    if (!index_parse(index, content, size, size > 0, &error)) {
        if (errno == ENOMEM) *failed = errno;
        why = errno == ENOMEM ? "out of memory" : error.text;
    }
    if (!size) index->content = NULL;
    if (!why) why = sidecar_why_stale(index, use, trace, trace_path);
    if (!why) {
        index->path = strdup(path);
        index->memory = use->options.memory;
        return index;
    }
    if (!cached || !foreign)
        snprintf(words, REASON, "%s: %s: %s", path, use->beside ? "is rebuilt" : "is not used",
                 why);
    index_free(index);
    return NULL;
}

/* ---- writing ---- */

/* Stores the index, unless memory, the folder or another file forbids it; false: errno. */
static bool sidecar_store(const struct index *index, const char *path)
{
    struct spoor_error error = {0};
    sigset_t all, before;
    if (!sidecar_is_replaceable(path)) return false;
    sigfillset(&all); /* a signal that ends the program would leave what lies beside the path */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const enum spoor_status status = output_store(path, index->content, index->size, &error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = status == SPOOR_ENOMEM ? ENOMEM : error.system_error;
    return status == SPOOR_OK;
}

/* An index that the user did not ask for is nowhere but in the cache folder. */
static void sidecar_store_somewhere(struct index *index, const char *trace,
                                    const struct index_use *use)
{
    char path[PATH_SIZE];
    snprintf(path, PATH_SIZE, "%s" SUFFIX, trace);
    const bool foreign = use->beside && !sidecar_is_replaceable(path);
    bool stored = use->beside && sidecar_store(index, path);
    const bool elsewhere = use->beside && !stored;
    int why = errno;
    if (!stored && sidecar_put_cached(path, &index->trace, &use->options.decode, true)) {
        stored = sidecar_store(index, path);
        if (stored) sidecar_bound_cache(path);
        if (!use->beside) why = errno;
    } else if (!stored && !use->beside) {
        why = 0;
    }
    if (stored) index->path = strdup(path);
    if (foreign)
        sidecar_tell(use,
                     "%s" SUFFIX
                     ": found a file that is no index, which stays as it is: the index is %s%s",
                     trace, stored ? "stored as " : "not stored", stored ? path : "");
    else if (stored && elsewhere)
        sidecar_tell(use, "%s" SUFFIX ": cannot be written: %s: the index is stored as %s", trace,
                     strerror(why), path);
    else if (!stored && use->beside)
        sidecar_tell(use,
                     "%s" SUFFIX ": cannot be written, and so cannot one in the cache folder: %s",
                     trace, strerror(why));
    else if (!stored && why)
        sidecar_tell(use, "%s: the index is not stored: %s: %s", trace, path, strerror(why));
}

/* ---- interface ---- */

/* The index that is there: in the trace, beside it, or in the cache folder; NULL: none that fits.
 * One that lacks a section gives way to the next: the run that missed the section left it there.
 * *failed: errno where a call failed, so there may be one. */
static struct index *sidecar_find(const char *path, const struct index_use *use,
                                  const struct fingerprint *trace, int *failed)
{
    struct index *embedded = sidecar_load_embedded(path, use, trace);
    if (embedded && folds_present(use->options.folds, embedded)) return embedded;
    char place[PATH_SIZE], words[2][REASON] = {"", ""};
    snprintf(place, PATH_SIZE, "%s" SUFFIX, path);
    struct index *found = sidecar_load(place, false, path, use, trace, words[0], failed), *other;
    if ((!found || !folds_present(use->options.folds, found)) &&
        sidecar_put_cached(place, trace, &use->options.decode, false) &&
        (other = sidecar_load(place, true, path, use, trace, words[1], failed))) {
        /* sidecar_bound_cache() asks when it was used */
        (void)!utimensat(AT_FDCWD, place, NULL, 0);
        index_free(found);
        found = other;
    }
    for (unsigned i = 0; i < 2 && !found; i++)
        if (words[i][0]) sidecar_tell(use, "%s", words[i]);
    if (!found) return embedded;
    index_free(embedded);
    return found;
}

struct index *index_find(const char *path, const struct index_use *use)
{
    struct fingerprint trace = {0};
    struct spoor_error error = {0};
    int failed;
    if (fingerprint_of(&trace, path, &error) != SPOOR_OK) return NULL;
    return sidecar_find(path, use, &trace, &failed);
}

enum spoor_status index_open(struct index **index, const char *path, const struct index_use *use,
                             enum index_origin *origin, struct spoor_error *error)
{
    struct fingerprint trace = {0};
    enum spoor_status status = fingerprint_of(&trace, path, error);
    if (status != SPOOR_OK) return status;
    int failed;
    struct index *found =
        use->nowhere || use->anew ? NULL : sidecar_find(path, use, &trace, &failed);
    *origin = INDEX_FOUND;
    *index = found;
    if (found && folds_present(use->options.folds, found)) return SPOOR_OK;
    *origin = INDEX_MADE;
    *index = NULL;
    struct index_options options = use->options;
    options.before = found; /* lacks a section */
    options.is_kept = !use->nowhere;
    status = index_build(index, path, &options, error);
    index_free(found);
    if (status != SPOOR_OK) return status;
    const uint64_t cost = index_entry_cost(*index);
    if (cost > FAR)
        sidecar_tell(
            use,
            "%s: cannot be entered everywhere: a question inflates up to %llu MiB first; in the "
            "blocks that spoor writes it inflates at most 4 MiB: spoor convert -o %s.zst %s",
            path, (unsigned long long)(cost >> 20), path, path);
    if (use->nowhere) return SPOOR_OK;
    if ((*index)->format->follows_code) {
        if (use->beside)
            sidecar_tell(use,
                         "%s: the index is not stored: what is decoded along code of other files "
                         "changes with them; spoor convert -t spoor keeps the records",
                         path);
        return SPOOR_OK;
    }
    struct fingerprint after = {0};
    struct spoor_error why = {0};
    if (fingerprint_of(&after, path, &why) != SPOOR_OK)
        sidecar_tell(use, "%s: the index is not stored", why.text);
    else if (!fingerprint_same(&after, &(*index)->trace))
        sidecar_tell(use, "%s: changed while it was indexed: the index is not stored", path);
    else
        sidecar_store_somewhere(*index, path, use);
    return SPOOR_OK;
}

/* An index in its trace was made while the trace was written: it says the same as one that was made
 * by reading, in other bytes. */
static bool sidecar_says_same(const struct index *made, const struct index *found)
{
    if (!made) return false;
    if (!found->embedded)
        return made->content && found->content && made->size == found->size &&
               memcmp(made->content, found->content, made->size) == 0;
    bool same = made->records == found->records && made->count == found->count;
    for (size_t i = 0; same && i < made->count; i++) {
        const struct segment *one = &made->segments[i], *other = &found->segments[i];
        same = one->place.record == other->place.record &&
               one->place.offset == other->place.offset && one->records == other->records &&
               one->kinds == other->kinds && one->cpus == other->cpus &&
               one->sets.hash == other->sets.hash && one->state.hash == other->state.hash;
    }
    for (size_t i = 0; same && i < found->extra_count && i < made->extra_count; i++)
        same = made->extras[i].section.hash == found->extras[i].section.hash;
    return same;
}

enum spoor_status index_verify(const char *path, const struct index_use *use,
                               struct spoor_error *error)
{
    struct fingerprint trace = {0};
    struct index *made = NULL;
    struct index_options options = use->options;
    enum spoor_status status = fingerprint_of(&trace, path, error);
    if (status != SPOOR_OK) return status;
    int failed = 0;
    struct index *found = sidecar_find(path, use, &trace, &failed);
    errno = failed;
    if (!found && failed)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: its index cannot be read", path);
    if (!found) return spoor_error_set(error, SPOOR_END, "%s: has no index of its own", path);
    /* Only the sections that the index has are made again. */
    const struct index_fold *const *known = use->options.folds;
    size_t count = 0, size;
    while (known && known[count]) count++;
    const struct index_fold **folds = calloc(count + 1, sizeof *folds);
    size_t wanted = 0;
    for (size_t i = 0; folds && i < count; i++)
        if (index_section(found, known[i]->id, known[i]->version, &size))
            folds[wanted++] = known[i];
    options.folds = folds;
    options.before = found;
    options.is_kept = true;
    options.trace = &found->trace;
    if (found->trace.whole && folds && !found->embedded) {
        const bool read = fingerprint_add_whole(&trace, path);
        if (!read)
            status = spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
        else if (trace.whole != found->trace.whole)
            status =
                spoor_error_set(error, SPOOR_END, "%s: was changed after its index was made", path);
        if (status != SPOOR_OK) {
            index_free(found);
            free(folds);
            return status;
        }
    }
    status = folds ? index_build(&made, path, &options, error)
                   : error_no_memory_while(error, path, NULL);
    if (status == SPOOR_OK && !sidecar_says_same(made, found))
        status = spoor_error_set(error, SPOOR_END,
                                 "%s: found something else than the index of %s, which is whole",
                                 found->path, path);
    free(folds);
    index_free(made);
    index_free(found);
    return status;
}
