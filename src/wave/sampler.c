/* SPDX-License-Identifier: MIT */
/* sampler.c: values of signals, expressions of them, and lines. */
#include "wave/sampler.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/byte_order.h"
#include "base/hash_map.h"
#include "base/scan.h"
#include "isa/riscv_csr.h"
#include "wave/late.h"
#include "wave/line.h"
#include "wave/stages.h"
#include "wave/view.h"

/* ---- values ---- */

#define EACH UINT64_C(0x0101010101010101)

void wave_set_digits(const struct wave_signal *signal, uint64_t *words, const char *digits,
                     size_t count)
{
    uint64_t *value = words + signal->at, *unknown = value + signal->words;
    const size_t width = signal->width;
    if (count > width) digits += count - width, count = width;
    const char first = count ? *digits : 'x';
    const char *end = digits + count;
    for (size_t word = 0, bit = 0; word < signal->words; word++) {
        uint64_t bits = 0, no = 0;
        unsigned at = 0;
        for (; at < 64 && (size_t)(end - digits) >= 8; at += 8) {
            uint64_t eight;
            memcpy(&eight, end - 8, sizeof eight);
            eight = little_endian64(eight);
            if ((eight & ~EACH) != '0' * EACH) break;
            /* the multiplication gathers the lowest bit of each byte, of the first the highest */
            bits |= ((eight & EACH) * UINT64_C(0x8040201008040201) >> 56) << at;
            end -= 8;
        }
        for (; at < 64 && end > digits; at++) {
            const char digit = *--end;
            bits |= (uint64_t)(digit == '1' || digit == 'h' || digit == 'H') << at;
            no |= (uint64_t)(digit != '0' && digit != '1' && digit != 'h' && digit != 'H' &&
                             digit != 'l' && digit != 'L')
                  << at;
        }
        bit = word * 64 + at;
        if (at < 64 && first != '0' && first != '1') { /* extended by x or z */
            const size_t missing = width - bit < 64 - at ? width - bit : 64 - at;
            if (missing) no |= UINT64_MAX >> (64 - missing) << at;
        }
        value[word] = bits;
        unknown[word] = no;
    }
}

void wave_set_packed(const struct wave_signal *signal, uint64_t *words, const uint8_t *bytes)
{
    uint64_t *value = words + signal->at;
    memset(value, 0, 2 * signal->words * sizeof *value);
    for (uint32_t i = 0; i < signal->width; i++) {
        const uint32_t place = signal->width - 1 - i; /* from the left */
        value[i / 64] |= (uint64_t)(bytes[place / 8] >> (7 - place % 8) & 1) << i % 64;
    }
}

/* ---- binding ---- */

static int sampler_add_new_signal(struct wave_sampler *sampler,
                                  const struct wave_variable *variable)
{
    if (!array_reserve(&sampler->signals, &sampler->signal_capacity, sampler->signal_count + 1)) {
        sampler->failed = true;
        return -1;
    }
    const uint32_t words = (variable->width + 63) / 64;
    sampler->signals[sampler->signal_count] = (struct wave_signal){.handle = variable->handle,
                                                                   .width = variable->width,
                                                                   .words = words,
                                                                   .at = sampler->value_words};
    sampler->value_words += 2 * (size_t)words;
    return (int)sampler->signal_count++;
}

static int sampler_add_signal(struct wave_sampler *sampler, const struct wave_variable *variable)
{
    for (size_t i = 0; i < sampler->signal_count; i++)
        if (sampler->signals[i].handle == variable->handle &&
            sampler->signals[i].width == variable->width)
            return (int)i;
    return sampler_add_new_signal(sampler, variable);
}

/* A port of an array of signals: its indices. */
struct wave_indices {
    unsigned of[WAVE_INDICES];
};

/* A path with numbers for the indices, at most `capacity` bytes; its size, 0: it is longer. */
static size_t sampler_put_path(const struct wave_reference *reference,
                               const struct wave_indices *indices, char *to, size_t capacity)
{
    const char *at = reference->path.bytes, *end = at + reference->path.size;
    size_t size = 0;
    unsigned n = 0;
    while (at < end && size < capacity) {
        const char opening = *at == '[' || *at == '{' ? *at : '\0';
        if (opening != '{') to[size++] = *at;
        at++;
        if (!opening || at == end || ascii_is_digit(*at)) continue;
        const int wrote = snprintf(to + size, capacity - size, "%u",
                                   indices->of[reference->indices[n++ % WAVE_INDICES]]);
        size += (size_t)wrote;
        while (at < end && *at != ']' && *at != '}') at++;
        if (at < end && opening == '{') at++;
    }
    return at == end && size < capacity ? size : 0;
}

/* The variable that a name is in a scope or, for a clock or with a scope that the mapping names,
 * in one around it. */
static bool sampler_find(const struct wave_variables *variables, int scope, bool outwards,
                         const struct wave_reference *reference, const struct wave_indices *indices,
                         long *found, bool *sliced)
{
    char element[256], indexed[256];
    struct spoor_slice path = reference->path;
    if (reference->index_count)
        path = (struct spoor_slice){indexed,
                                    sampler_put_path(reference, indices, indexed, sizeof indexed)};
    for (int at = scope;; at = variables->scopes[at].parent) {
        *sliced = reference->sliced;
        *found = -1;
        if (reference->sliced && reference->high == reference->low) { /* of an array */
            const int size = snprintf(element, sizeof element, "%.*s[%u]", (int)path.size,
                                      path.bytes, (unsigned)reference->low);
            if (size > 0 && (size_t)size < sizeof element)
                *found =
                    wave_variables_find(variables, at, (struct spoor_slice){element, (size_t)size});
            *sliced = *found < 0;
        }
        if (*found < 0) *found = wave_variables_find(variables, at, path);
        if (*found >= 0 && variables->items[*found].width) return true;
        if (!outwards || at == WAVE_NO_SCOPE) return false;
    }
}

/* Which part of the signals, of how many, a port has, and its indices in arrays of signals. */
struct wave_lane {
    unsigned number, count;
    struct wave_indices indices;
};
static const struct wave_lane whole = {0, 1, {{0}}};

/* The bits of a reference; false: the waveform has no such signal, or, *unfit, not these bits. */
static bool sampler_bind_reference(struct wave_sampler *sampler,
                                   const struct wave_variables *variables, int scope, bool outwards,
                                   const struct wave_reference *reference,
                                   const struct wave_lane *part, struct wave_bound *bound,
                                   bool *unfit)
{
    *unfit = false;
    for (;; reference++) {
        long found;
        bool sliced;
        if (sampler_find(variables, scope, outwards, reference, &part->indices, &found, &sliced)) {
            const struct wave_variable *variable = &variables->items[found];
            uint32_t lane = variable->width / part->count, low = 0, bits = lane;
            bool good = lane > 0 && variable->width % part->count == 0;
            if (sliced) {
                /* the numbers of bits are those of the declaration; in a lane, from 0 */
                const bool down = variable->high >= variable->low;
                const int64_t base = part->count > 1 ? 0 : variable->low;
                int64_t from = down ? (int64_t)reference->low - base : base - reference->low;
                int64_t to = down ? (int64_t)reference->high - base : base - reference->high;
                good = good && from >= 0 && to >= from && to < lane;
                low = (uint32_t)from;
                bits = (uint32_t)(to - from) + 1;
            }
            if (good && (bits <= 64 || reference->wide)) {
                const int signal = sampler_add_signal(sampler, variable);
                *bound = (struct wave_bound){signal, low + part->number * lane, bits};
                return signal >= 0;
            }
            *unfit = true;
        }
        if (!reference->more) break;
    }
    *bound = (struct wave_bound){-1, 0, 0};
    return false;
}

static bool sampler_is_deciding(enum wave_field field)
{
    return field == WAVE_WHEN || field == WAVE_RD_WHEN || field == WAVE_FRD_WHEN ||
           field == WAVE_LATE_WHEN;
}

/* Marks the references of an expression. */
static void sampler_mark(const struct wave_mapping *mapping, int node, uint8_t *marks, uint8_t mark)
{
    const struct wave_node *one = &mapping->nodes[node];
    if (one->op == WAVE_SIGNAL) marks[one->reference] |= mark;
    if (one->op < WAVE_NOT) return;
    sampler_mark(mapping, one->left, marks, mark);
    if (one->op != WAVE_NOT) sampler_mark(mapping, one->right, marks, mark);
}

static bool sampler_add_to_list(int **list, size_t *count, int signal)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == signal) return true;
    int *more = realloc(*list, (*count + 1) * sizeof **list);
    if (!more) return false;
    *list = more;
    more[(*count)++] = signal;
    return true;
}

static void sampler_free_instance(struct wave_instance *instance)
{
    free(instance->bound);
    free(instance->direct);
    free(instance->deciding);
    free(instance->others);
    free(instance->flights < instance->before ? instance->flights : instance->before);
}

enum { MARK_DECIDES = 1, MARK_TELLS = 2, MOST_LANES = 64, WIDEST_REGISTER = 65536 /* bits */ };

/* The ports of a mapping that names an array of signals: their indices, up to 63; their number. */
static unsigned sampler_find_lanes(const struct wave_variables *variables, int scope, bool outwards,
                                   const struct wave_mapping *mapping,
                                   struct wave_lane lanes[MOST_LANES])
{
    const unsigned inner = mapping->index_count > 1 ? MOST_LANES : 1;
    unsigned count = 0;
    for (unsigned i = 0; i < MOST_LANES * inner; i++) {
        const struct wave_lane lane = {0, 1, {{i / inner, i % inner}}};
        long found;
        bool sliced;
        if (!sampler_find(variables, scope, outwards, &mapping->references[mapping->packed],
                          &lane.indices, &found, &sliced))
            continue;
        if (count == MOST_LANES) return 0;
        lanes[count++] = lane;
    }
    return count;
}

/* Leaves out masks of registers whose values are not of one size for each bit. */
static void sampler_check_masks(struct wave_sampler *sampler, const struct wave_instance *instance,
                                unsigned port)
{
    const struct wave_mapping *mapping = sampler->mapping;
    const int *fields = mapping->ports[mapping->packed != WAVE_ABSENT ? 0 : port].fields;
    struct wave_bound *bound = instance->bound + port * mapping->reference_count;
    for (unsigned k = WAVE_X_WRITE_MASK; k < WAVE_CSR_WRITE_VALUES; k += 2) {
        if (fields[k] == WAVE_ABSENT) continue;
        const struct wave_reference *reference =
            &mapping->references[mapping->nodes[fields[k + 1]].reference];
        struct wave_bound *mask = &bound[mapping->nodes[fields[k]].reference],
                          *values = &bound[mapping->nodes[fields[k + 1]].reference];
        if (mask->signal < 0 || values->signal < 0 || !mask->bits) continue;
        if (values->bits % mask->bits == 0 && values->bits / mask->bits <= WIDEST_REGISTER)
            continue;
        wave_line_damage(sampler,
                         "%.*s of line %u of the mapping is left out: %u bits are not those of "
                         "%u registers",
                         (int)reference->path.size, reference->path.bytes, reference->line,
                         values->bits, mask->bits);
        mask->signal = -1;
    }
}

/* Where the bits of each field are. */
static bool sampler_find_bits(const struct wave_sampler *sampler, struct wave_instance *instance)
{
    const struct wave_mapping *mapping = sampler->mapping;
    instance->direct =
        calloc((size_t)instance->port_count * WAVE_FIELDS + 1, sizeof *instance->direct);
    for (unsigned i = 0; instance->direct && i < instance->port_count * WAVE_FIELDS; i++) {
        const unsigned port = i / WAVE_FIELDS;
        const int node =
            mapping->ports[mapping->packed != WAVE_ABSENT ? 0 : port].fields[i % WAVE_FIELDS];
        if (node == WAVE_ABSENT) continue;
        const struct wave_node *one = &mapping->nodes[node];
        const struct wave_bound *bound =
            &instance->bound[port * mapping->reference_count + one->reference];
        struct wave_direct *to = &instance->direct[i];
        to->kind = WAVE_DIRECT_NOT;
        if (one->op != WAVE_SIGNAL) continue;
        to->kind = bound->signal < 0 ? WAVE_DIRECT_ABSENT : WAVE_DIRECT_NOT;
        if (bound->signal < 0 || bound->bits == 0 || bound->low % 64 + bound->bits > 64) continue;
        const struct wave_signal *signal = &sampler->signals[bound->signal];
        *to = (struct wave_direct){.mask = UINT64_MAX >> (64 - bound->bits),
                                   .at = signal->at + bound->low / 64,
                                   .words = signal->words,
                                   .shift = bound->low % 64,
                                   .size = bound->bits,
                                   .kind = WAVE_DIRECT_BITS};
    }
    return instance->direct != NULL;
}

/* Binds all references of the mapping in a scope. */
static bool sampler_bind_instance(struct wave_sampler *sampler,
                                  const struct wave_variables *variables, int scope,
                                  const uint8_t *marks, const struct wave_reference **missing)
{
    const struct wave_mapping *mapping = sampler->mapping;
    struct wave_instance instance = {.scope = scope, .port_count = (unsigned)mapping->port_count};
    const bool outwards = mapping->scope.size > 0;
    const struct wave_reference *references = mapping->references;
    const bool indexed = mapping->packed != WAVE_ABSENT && mapping->index_count > 0;
    struct wave_lane lanes[MOST_LANES];
    struct wave_bound packed;
    bool unfit;
    *missing = &references[mapping->clock];
    if (!sampler_bind_reference(sampler, variables, scope, true, *missing, &whole, &instance.clock,
                                &unfit) ||
        sampler->signals[instance.clock.signal].width != 1)
        return false;
    if (mapping->packed != WAVE_ABSENT) {
        *missing = &references[mapping->packed];
        if (indexed)
            instance.port_count = sampler_find_lanes(variables, scope, outwards, mapping, lanes);
        else if (sampler_bind_reference(sampler, variables, scope, outwards, *missing, &whole,
                                        &packed, &unfit))
            instance.port_count = packed.bits;
        else
            return false;
        if (!instance.port_count || instance.port_count > MOST_LANES) return false;
    }
    for (unsigned port = 0; port < instance.port_count && !indexed; port++)
        lanes[port] = mapping->packed == WAVE_ABSENT
                          ? whole
                          : (struct wave_lane){port, instance.port_count, {{0}}};
    const size_t stride = mapping->reference_count;
    instance.bound = calloc(instance.port_count * stride + 1, sizeof *instance.bound);
    bool good = instance.bound != NULL;
    if (!good) sampler->failed = true;
    for (unsigned port = 0; good && port < instance.port_count; port++)
        for (size_t i = 0; good && i < stride; i++) {
            struct wave_bound *bound = &instance.bound[port * stride + i];
            *bound = (struct wave_bound){-1, 0, 0};
            if (references[i].index) bound->low = lanes[port].indices.of[references[i].index - 1];
            if (!marks[i]) continue; /* the clock, an index, another name for the one before */
            const bool found = sampler_bind_reference(sampler, variables, scope, outwards,
                                                      &references[i], &lanes[port], bound, &unfit);
            if (!found && (!references[i].optional || sampler->failed)) {
                *missing = &references[i];
                good = false;
                break;
            }
            if (!found && unfit && port == 0)
                wave_line_damage(sampler,
                                 "%.*s of line %u of the mapping is left out: its bits are not "
                                 "at most 64 for each port, or are not those of the signal",
                                 (int)references[i].path.size, references[i].path.bytes,
                                 references[i].line);
            if (!found) continue;
            const bool decides = marks[i] & MARK_DECIDES;
            if (!sampler_add_to_list(decides ? &instance.deciding : &instance.others,
                                     decides ? &instance.deciding_count : &instance.other_count,
                                     bound->signal)) {
                sampler->failed = true;
                good = false;
            }
        }
    for (unsigned port = 0; good && port < instance.port_count; port++)
        sampler_check_masks(sampler, &instance, port);
    if (good && !sampler_find_bits(sampler, &instance)) {
        sampler->failed = true;
        good = false;
    }
    for (size_t i = 0; i < mapping->port_count; i++)
        for (unsigned k = 0; k < WAVE_FIELDS; k++)
            instance.late |= k != WAVE_WHEN && sampler_is_deciding((enum wave_field)k) &&
                             mapping->ports[i].fields[k] != WAVE_ABSENT;
    if (good && mapping->stage_count) {
        instance.flights = calloc(2 * mapping->stage_count, sizeof *instance.flights);
        instance.before = instance.flights ? instance.flights + mapping->stage_count : NULL;
        good = instance.flights != NULL;
        sampler->failed |= !good;
    }
    if (good && !array_reserve(&sampler->instances, &sampler->instance_capacity,
                               sampler->instance_count + 1)) {
        sampler->failed = true;
        good = false;
    }
    if (!good) {
        sampler_free_instance(&instance);
        return false;
    }
    sampler->instances[sampler->instance_count++] = instance;
    return true;
}

/* True if another instance has the same signals: a module and its ports outside. */
static bool sampler_is_known(const struct wave_sampler *sampler,
                             const struct wave_instance *instance, unsigned pc)
{
    for (const struct wave_instance *one = sampler->instances; one < instance; one++)
        if (one->bound[pc].signal == instance->bound[pc].signal &&
            one->bound[pc].low == instance->bound[pc].low)
            return true;
    return false;
}

/* True if the scope's path ends with the given one. */
static bool sampler_scope_fits(const struct wave_variables *variables, int scope,
                               struct spoor_slice path)
{
    struct text text = {0};
    wave_variables_put_scope(variables, scope, &text);
    const size_t size = text.size;
    const bool fits = !text.failed && size >= path.size &&
                      memcmp(text.bytes + size - path.size, path.bytes, path.size) == 0 &&
                      (size == path.size || text.bytes[size - path.size - 1] == '.');
    text_free(&text);
    return fits;
}

/* The variable of a scope that has one of the names; -1: none. */
static long sampler_find_any(const struct wave_variables *variables, int scope,
                             const struct wave_reference *reference)
{
    for (;; reference++) {
        long found;
        bool sliced;
        if (sampler_find(variables, scope, false, reference, &whole.indices, &found, &sliced))
            return found;
        if (!reference->more) return -1;
    }
}

/* True if one scope is the other, or inside it. */
static bool sampler_is_inside(const struct wave_variables *variables, int scope, int other)
{
    while (scope != WAVE_NO_SCOPE && scope != other) scope = variables->scopes[scope].parent;
    return scope == other;
}

/* A scope of a core of which signals are missing, unless it is a part of one that is complete, has
 * it as a part, or has its pc: reports it. */
static void sampler_report_incomplete(struct wave_sampler *sampler,
                                      const struct wave_variables *variables, int scope, long pc,
                                      unsigned anchor, const struct wave_reference *missing)
{
    struct text name = {0};
    for (size_t i = 0; i < sampler->instance_count; i++) {
        const int other = sampler->instances[i].scope,
                  signal = sampler->instances[i].bound[anchor].signal;
        if (signal >= 0 && sampler->signals[signal].handle == variables->items[pc].handle) return;
        if (sampler_is_inside(variables, scope, other) ||
            sampler_is_inside(variables, other, scope))
            return;
    }
    wave_variables_put_scope(variables, scope, &name);
    wave_line_damage(sampler,
                     "%.*s is not read: it has the pc of a core, and no signal '%.*s', which "
                     "line %u of the mapping names",
                     (int)name.size, name.size ? name.bytes : "", (int)missing->path.size,
                     missing->path.bytes, missing->line);
    text_free(&name);
}

/* The scopes in which the anchor, the first signal of the first port's pc, may be: each from which
 * its path leads to a variable.  Those that bind are the instances, but for scopes inside another
 * one: its parts have its signals, too, under other codes in some simulators. */
static bool sampler_bind_all(struct wave_sampler *sampler, const struct wave_variables *variables,
                             const uint8_t *marks, unsigned anchor,
                             const struct wave_reference **missing)
{
    enum { MOST_TRIED = 4096, MOST_INSTANCES = 256 };
    const struct wave_mapping *mapping = sampler->mapping;
    const struct wave_reference *first = &mapping->references[anchor];
    struct incomplete {
        int scope;
        long pc;
        const struct wave_reference *missing;
    } incomplete[MOST_INSTANCES];
    *missing = first;
    unsigned tried = 0, incomplete_count = 0;
    bool deeper = true, room = true;
    for (unsigned depth = 0; deeper && room; depth++) {
        deeper = false;
        for (size_t i = 0; room && i < variables->scope_count; i++) {
            const int scope = (int)i;
            deeper |= variables->scopes[i].depth > depth;
            if (variables->scopes[i].depth != depth) continue;
            const long pc = sampler_find_any(variables, scope, first);
            if (mapping->scope.size ? !sampler_scope_fits(variables, scope, mapping->scope)
                                    : pc < 0)
                continue;
            bool is_part = false;
            for (size_t k = 0; !is_part && k < sampler->instance_count; k++)
                is_part = sampler_is_inside(variables, scope, sampler->instances[k].scope);
            if (is_part) continue;
            room = tried++ < MOST_TRIED && sampler->instance_count < MOST_INSTANCES;
            const size_t reported = sampler->out.size;
            if (room && sampler_bind_instance(sampler, variables, scope, marks, missing)) {
                struct wave_instance *last = &sampler->instances[sampler->instance_count - 1];
                if (!sampler_is_known(sampler, last, anchor)) continue;
                sampler_free_instance(last);
                sampler->instance_count--;
            } else if (room && pc >= 0 &&
                       incomplete_count < sizeof incomplete / sizeof *incomplete) {
                incomplete[incomplete_count++] = (struct incomplete){scope, pc, *missing};
            }
            sampler->out.size = reported;
            if (sampler->failed) return false;
        }
    }
    if (sampler->instance_count && !room)
        wave_line_damage(
            sampler,
            "too many scopes have the signals: those after the first %zu instances are not "
            "read",
            sampler->instance_count);
    for (unsigned i = 0; sampler->instance_count && i < incomplete_count; i++)
        sampler_report_incomplete(sampler, variables, incomplete[i].scope, incomplete[i].pc, anchor,
                                  incomplete[i].missing);
    return sampler->instance_count > 0;
}

bool wave_sampler_bind(struct wave_sampler *sampler, const struct wave_mapping *mapping,
                       const struct wave_variables *variables,
                       const struct wave_reference **missing)
{
    *sampler = (struct wave_sampler){.mapping = mapping, .factor = 1, .unit = "_"};
    uint8_t *marks = calloc(mapping->reference_count + 1, 1);
    sampler->failed = !marks;
    int anchor = WAVE_ABSENT;
    for (size_t i = 0; marks && i < mapping->port_count; i++)
        for (unsigned k = 0; k < WAVE_FIELDS; k++) {
            const int node = mapping->ports[i].fields[k];
            if (node == WAVE_ABSENT) continue;
            sampler_mark(mapping, node, marks,
                         sampler_is_deciding((enum wave_field)k) ? MARK_DECIDES : MARK_TELLS);
            if (k == WAVE_PC && anchor == WAVE_ABSENT && mapping->nodes[node].op == WAVE_SIGNAL)
                anchor = (int)mapping->nodes[node].reference;
        }
    for (size_t i = 0; marks && i < mapping->stage_count; i++) {
        sampler_mark(mapping, mapping->stages[i].when, marks, MARK_DECIDES);
        sampler_mark(mapping, mapping->stages[i].id, marks, MARK_DECIDES);
    }
    for (size_t i = 0; marks && i < mapping->stall_count; i++)
        sampler_mark(mapping, mapping->stalls[i].when, marks, MARK_DECIDES);
    *missing = mapping->references;
    bool good = marks && anchor != WAVE_ABSENT &&
                sampler_bind_all(sampler, variables, marks, (unsigned)anchor, missing);
    free(marks);
    if (good) {
        sampler->values = malloc((sampler->value_words + 1) * sizeof *sampler->values);
        good = sampler->values != NULL;
        sampler->failed |= !good;
    }
    for (size_t i = 0; good && i < sampler->signal_count; i++)
        wave_set_digits(&sampler->signals[i], sampler->values, "x", 1);
    for (size_t i = 0; good && i < sampler->instance_count; i++) {
        wave_variables_put_scope(variables, sampler->instances[i].scope, &sampler->cpu_names);
        text_put(&sampler->cpu_names, "", 1);
        sampler->failed |= sampler->cpu_names.failed;
    }
    good = good && !sampler->failed;
    if (!good) {
        const bool failed = sampler->failed;
        wave_sampler_free(sampler);
        sampler->failed = failed;
    }
    return good;
}

/* "NAME[HIGH:LOW]", or a bit; false: it has neither. */
static bool sampler_split_slice(struct wave_reference *reference)
{
    const struct spoor_slice path = reference->path;
    const char *open =
        path.size && path.bytes[path.size - 1] == ']' ? memrchr(path.bytes, '[', path.size) : NULL;
    if (!open) return false;
    struct scan scan = {open + 1, path.bytes + path.size - 1};
    uint64_t high, low;
    if (!scan_decimal(&scan, &high) || high > INT32_MAX) return false;
    low = high;
    if (!scan_done(&scan) && (*scan.at++ != ':' || !scan_decimal(&scan, &low) || low > INT32_MAX))
        return false;
    reference->path.size = (size_t)(open - path.bytes);
    reference->sliced = scan_done(&scan);
    reference->high = (uint32_t)high;
    reference->low = (uint32_t)low;
    return reference->sliced;
}

bool wave_sampler_watch(struct wave_sampler *sampler, const struct wave_variables *variables,
                        const char *path, struct wave_history *history, struct text *problem)
{
    struct wave_reference reference = {.path = {path, strlen(path)}};
    *sampler = (struct wave_sampler){.factor = 1, .unit = "_", .history = history};
    struct wave_bound first = {-1, 0, 0};
    int first_scope = WAVE_NO_SCOPE;
    bool unfit = false;
    (void)sampler_split_slice(&reference);
    /* the whole path; else the ends of paths, which are to be one signal */
    const long scopes = (long)variables->scope_count;
    for (long scope = WAVE_NO_SCOPE; scope < scopes; scope++) {
        struct wave_bound bound;
        bool this_unfit;
        if (!sampler_bind_reference(sampler, variables, (int)scope, false, &reference, &whole,
                                    &bound, &this_unfit)) {
            unfit |= this_unfit;
            if (sampler->failed) return false;
            continue;
        }
        if (first.signal < 0) {
            first = bound;
            first_scope = (int)scope;
            if (scope == WAVE_NO_SCOPE) break;
        } else if (bound.signal != first.signal || bound.low != first.low) {
            text_printf(problem, "found several signals '%s', in ", path);
            wave_variables_put_scope(variables, first_scope, problem);
            text_puts(problem, " and ");
            wave_variables_put_scope(variables, (int)scope, problem);
            text_puts(problem, ": expected more of its path");
            return false;
        }
    }
    if (first.signal < 0) {
        text_printf(problem,
                    unfit ? "found no bits of that number, at most 64, in the signal '%s'"
                          : "found no signal '%s'",
                    path);
        return false;
    }
    sampler->watched = first;
    history->bits = first.bits;
    sampler->values = malloc((sampler->value_words + 1) * sizeof *sampler->values);
    sampler->failed = !sampler->values;
    for (size_t i = 0; !sampler->failed && i < sampler->signal_count; i++)
        wave_set_digits(&sampler->signals[i], sampler->values, "x", 1);
    return !sampler->failed;
}

bool wave_sampler_tap(struct wave_sampler *sampler, const struct wave_variables *variables,
                      size_t clock, size_t most, void (*tap)(void *context, uint64_t edge),
                      void *context, size_t *signal_of)
{
    static const struct wave_mapping rising = {.name = ""};
    struct slot {
        uint64_t key; /* handle */
        int signal;
    };
    struct hash_map map = {0};
    *sampler = (struct wave_sampler){
        .mapping = &rising, .factor = 1, .unit = "_", .tap = tap, .tap_context = context};
    const int number = sampler_add_signal(sampler, &variables->items[clock]);
    for (size_t i = 0; i < variables->count; i++) {
        const struct wave_variable *variable = &variables->items[i];
        bool added;
        signal_of[i] = SIZE_MAX;
        if (variable->width < 1 || variable->width > 64 || sampler->failed) continue;
        struct slot *slot = hash_map_add(&map, variable->handle, sizeof *slot, &added);
        sampler->failed |= !slot;
        if (!slot) break;
        if (added && sampler->signal_count < most)
            slot->signal = variable->handle == variables->items[clock].handle
                               ? sampler_add_signal(sampler, variable)
                               : sampler_add_new_signal(sampler, variable);
        else if (added)
            slot->signal = -1;
        /* a code of VCD may have several widths */
        const int signal = slot->signal;
        if (signal >= 0 && sampler->signals[signal].width == variable->width)
            signal_of[i] = (size_t)signal;
    }
    hash_map_free(&map);
    struct wave_instance instance = {.scope = WAVE_NO_SCOPE, .clock = {number, 0, 1}};
    instance.deciding = calloc(sampler->signal_count + 1, sizeof *instance.deciding);
    sampler->values = malloc((sampler->value_words + 1) * sizeof *sampler->values);
    if (!instance.deciding || !sampler->values || sampler->failed ||
        !array_reserve(&sampler->instances, &sampler->instance_capacity, 1)) {
        free(instance.deciding);
        return false;
    }
    for (size_t i = 0; i < sampler->signal_count; i++) {
        wave_set_digits(&sampler->signals[i], sampler->values, "x", 1);
        instance.deciding[instance.deciding_count++] = (int)i;
    }
    sampler->instances[sampler->instance_count++] = instance;
    return true;
}

void wave_sampler_free(struct wave_sampler *sampler)
{
    for (size_t i = 0; i < sampler->instance_count; i++)
        sampler_free_instance(&sampler->instances[i]);
    free(sampler->instances);
    free(sampler->signals);
    free(sampler->values);
    text_free(&sampler->cpu_names);
    text_free(&sampler->out);
    *sampler = (struct wave_sampler){0};
}

bool wave_sampler_set_unit(struct wave_sampler *sampler, int exponent)
{
    static const char units[][4] = {"s", "ms", "us", "ns", "ps", "fs"};
    enum { SMALLEST = -15, LARGEST = 2 };
    if (exponent < SMALLEST || exponent > LARGEST) return false;
    while (exponent > 0 || exponent % 3) exponent--, sampler->factor *= 10;
    memcpy(sampler->unit, units[-exponent / 3], sizeof sampler->unit);
    return true;
}

void wave_sampler_put_title(struct wave_sampler *sampler, const struct wave_variables *variables)
{
    struct text *out = &sampler->out;
    struct text found = *out; /* what was damaged when the mapping was bound */
    *out = (struct text){0};
    text_printf(out, "# waveform by %s:", sampler->mapping->name);
    for (size_t i = 0; i < sampler->instance_count; i++) {
        text_puts(out, i ? ", " : " ");
        struct text scope = {0};
        wave_variables_put_scope(variables, sampler->instances[i].scope, &scope);
        text_put_visible(out, scope.bytes, scope.size);
        text_free(&scope);
        if (sampler->instances[i].port_count > 1)
            text_printf(out, " (%u ports)", sampler->instances[i].port_count);
    }
    text_put(out, "\n", 1);
    text_put(out, found.bytes, found.size);
    text_free(&found);
}

void wave_sampler_forget(struct wave_sampler *sampler)
{
    for (size_t i = 0; i < sampler->instance_count; i++) {
        sampler->instances[i].write_count = 0;
        wave_stages_forget(sampler, &sampler->instances[i]);
    }
    wave_late_limit(sampler, 0);
}

void wave_sampler_skip(struct wave_sampler *sampler, uint64_t from, uint64_t to)
{
    bool any = false;
    if (sampler->history) {
        wave_history_add_absence(sampler->history, from, to);
        return;
    }
    for (size_t i = 0; i < sampler->instance_count; i++) any |= sampler->instances[i].edges > 0;
    wave_sampler_forget(sampler);
    if (any)
        wave_line_damage(sampler,
                         "time %llu to %llu: the simulator did not record ($dumpoff): "
                         "instructions may be missing",
                         (unsigned long long)(from * sampler->factor),
                         (unsigned long long)(to * sampler->factor));
}

/* ---- expressions ---- */

void wave_sampler_record(struct wave_sampler *sampler, uint64_t time)
{
    const struct wave_value value = wave_value_of(sampler, &sampler->watched);
    wave_history_add(sampler->history, time, value.bits, value.unknown);
}

bool wave_sampler_decide(struct wave_sampler *sampler, struct wave_instance *instance,
                         uint64_t time)
{
    bool happens = false, any_fires = false;
    uint64_t unknown = 0;
    if (sampler->tap) {
        sampler->tap(sampler->tap_context, ++instance->edges);
        return false;
    }
    for (unsigned port = 0; port < instance->port_count; port++) {
        const struct wave_view view = sampler_view(sampler, instance, port);
        const struct wave_value when = view_get(&view, WAVE_WHEN);
        const bool fires = (when.bits & ~when.unknown) != 0;
        instance->instructions += fires;
        happens |= fires;
        if (!fires && when.unknown) unknown |= UINT64_C(1) << port;
        any_fires |= fires;
        if (instance->late && !happens)
            happens = view_is_true(&view, WAVE_RD_WHEN) || view_is_true(&view, WAVE_FRD_WHEN) ||
                      view_is_true(&view, WAVE_LATE_WHEN) || wave_late_may_write(instance, &view);
    }
    if (instance->flights) wave_stages_track(sampler, instance, any_fires, unknown != 0, time);
    instance->edges++;
    instance->undecided_now = (unknown & instance->known) != 0;
    if (instance->undecided_now && instance->undecided++ == 0) instance->undecided_time = time;
    instance->known |= ~unknown;
    return happens;
}

/* ---- lines ---- */

enum {
    NUMBER = 24,
    ROOM = 4096,           /* bytes of an instruction's line but for its early and wide writes */
    ROOM_OF_REGISTER = 64, /* of these, but for the digits */
};

static char *sampler_put_register(char *at, const char *word, char bank, uint64_t number,
                                  const struct wave_value *value)
{
    at = put_bytes(at, word, 3);
    at = put_char(at, bank);
    at = put_decimal(at, number);
    if (!value->size) return at;
    at = put_char(at, value->unknown ? '~' : '=');
    return wave_put_bits(at, value->bits, value->unknown, value->size);
}

/* The bytes that a load reads, of those that the mask says to be valid: RVFI lets a core state more
 * of them, and PicoRV32 states whole words.  The opcode says how many, and with the value of its
 * register, which. */
static uint64_t sampler_narrow(const struct wave_view *view, uint64_t mask, uint64_t address,
                               uint32_t size)
{
    enum { LOAD = 0x03, OPCODE = 0x7F };
    uint64_t opcode, base = 0, stated = 0;
    if (!view->sampler->mapping->riscv || !view_number(view, WAVE_INSN, &opcode) ||
        view_get(view, WAVE_INSN).size < 32 || (opcode & OPCODE) != LOAD)
        return mask;
    const unsigned source = opcode >> 15 & 31, bytes = 1U << (opcode >> 12 & 3);
    if (source && (!view_number(view, WAVE_RS1, &stated) || stated != source ||
                   !view_number(view, WAVE_RS1_VALUE, &base)))
        return mask;
    const int64_t offset = (int32_t)(uint32_t)opcode >> 20;
    const uint64_t first = (base + (uint64_t)offset - address) & UINT64_MAX >> (64 - size);
    if (first >= 64 || first + bytes > 64) return mask;
    const uint64_t read = ((UINT64_C(1) << bytes) - 1) << first;
    return (mask & read) == read ? read : mask;
}

/* The accesses of a mask: one for each run of bytes. */
static char *sampler_put_access(char *at, const char *word, const struct wave_view *view,
                                enum wave_field mask_field, enum wave_field data_field)
{
    struct wave_value mask = view_get(view, mask_field);
    uint64_t address;
    const struct wave_value where = view_get(view, WAVE_MEM_ADDR);
    if (!mask.size || (!mask.bits && !mask.unknown) || !view_number(view, WAVE_MEM_ADDR, &address))
        return at;
    if (mask.unknown) { /* which bytes is not known */
        at = put_bytes(at, word, 6);
        return wave_put_bits(at, address, 0, where.size);
    }
    const struct wave_value data = view_get(view, data_field);
    if (mask_field == WAVE_MEM_READ_MASK)
        mask.bits = sampler_narrow(view, mask.bits, address, where.size);
    for (unsigned low = 0; low < 64 && mask.bits >> low;) {
        if (!(mask.bits >> low & 1)) {
            low++;
            continue;
        }
        unsigned size = 1;
        while (low + size < 64 && mask.bits >> (low + size) & 1) size++;
        at = put_bytes(at, word, 6);
        at = wave_put_bits(at, (address + low) & UINT64_MAX >> (64 - where.size), 0, where.size);
        at = put_char(at, ' ');
        at = put_decimal(at, size);
        if (data.size >= 8 * (low + size)) {
            const uint64_t bits = size < 8 ? UINT64_MAX >> (64 - 8 * size) : UINT64_MAX;
            at = put_char(at, ' ');
            if (data.unknown >> 8 * low & bits) at = put_char(at, '~');
            at = wave_put_bits(at, data.bits >> 8 * low & bits, data.unknown >> 8 * low & bits,
                               8 * size);
        }
        low += size;
    }
    return at;
}

/* The register that is written at this edge; false: none is. */
static bool sampler_find_write(const struct wave_view *view, bool is_float,
                               struct wave_write *write)
{
    const enum wave_field number = is_float ? WAVE_FRD : WAVE_RD;
    const enum wave_field value = is_float ? WAVE_FRD_VALUE : WAVE_RD_VALUE;
    const enum wave_field when = is_float ? WAVE_FRD_WHEN : WAVE_RD_WHEN;
    uint64_t which;
    if (view->port->fields[number] == WAVE_ABSENT) return false;
    if (view->port->fields[when] != WAVE_ABSENT && !view_is_true(view, when)) return false;
    if (!view_number(view, number, &which) || (which == 0 && !is_float) || which > UINT16_MAX)
        return false;
    struct wave_value got = view_get(view, value);
    if (!got.size) return false;
    const struct wave_value waits = view_get(view, WAVE_RD_WAITS);
    if (!is_float && waits.size && (waits.bits | waits.unknown)) got.unknown = UINT64_MAX;
    *write = (struct wave_write){.bank = is_float ? 'f' : 'x',
                                 .bits = (uint8_t)got.size,
                                 .number = (unsigned)which,
                                 .value = got.bits,
                                 .unknown = got.unknown};
    return true;
}

static char *sampler_put_write(char *at, const struct wave_write *write)
{
    const struct wave_value value = {write->value, write->unknown, write->bits};
    return sampler_put_register(at, " w ", write->bank, write->number, &value);
}

/* The registers that a mask says are written; one of which that is unknown may be, with any value.
 */
static void sampler_put_written(struct text *out, const struct wave_view *view,
                                enum wave_field mask_field, char bank)
{
    const struct wave_sampler *sampler = view->sampler;
    const int nodes[] = {view->port->fields[mask_field], view->port->fields[mask_field + 1]};
    const struct wave_bound *mask = &view->bound[sampler->mapping->nodes[nodes[0]].reference],
                            *values = &view->bound[sampler->mapping->nodes[nodes[1]].reference];
    if (mask->signal < 0 || values->signal < 0) return;
    const uint32_t bits = values->bits / mask->bits;
    char name[MAX_RISCV_CSR_NAME];
    for (uint32_t n = bank == 'x'; n < mask->bits; n++) {
        const unsigned is_written =
            wave_bit(&sampler->signals[mask->signal], sampler->values, mask->low + n);
        if (!is_written) continue;
        char *at = text_reserve(out, ROOM_OF_REGISTER + bits / 4);
        if (!at) return;
        at = put_bytes(at, " w ", 3);
        if (bank == 'c') {
            at = put_bytes(at, name, riscv_csr_name(n, name));
        } else {
            at = put_char(at, bank);
            at = put_decimal(at, n);
        }
        struct wave_value parts[WIDEST_REGISTER / 64];
        bool unknown = is_written == 2;
        const uint32_t count = (bits + 63) / 64;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t low = 64 * i, size = bits - low < 64 ? bits - low : 64;
            parts[i] = wave_value_of(
                sampler, &(struct wave_bound){values->signal, values->low + n * bits + low, size});
            if (is_written == 2) parts[i].unknown = UINT64_MAX;
            unknown |= parts[i].unknown != 0;
        }
        at = put_char(at, unknown ? '~' : '=');
        for (uint32_t i = count; i-- > 0;)
            at = wave_put_bits(at, parts[i].bits, parts[i].unknown, parts[i].size);
        text_commit(out, at);
    }
}

static void sampler_put_insn(struct wave_sampler *sampler, struct wave_instance *instance,
                             const struct wave_view *view, uint64_t time)
{
    static const char modes[] = "USHM";
    struct text *out = &sampler->out;
    uint64_t number;
    /* first, since it may append lines before this one */
    const bool staged =
        instance->flights && wave_stages_retire(sampler, instance, view, time, &number);
    const uint64_t staged_number = staged ? number : 0;
    char *at =
        wave_line_begin(sampler, instance, view, time,
                        ROOM + sizeof instance->writes / sizeof *instance->writes * 2 * NUMBER);
    struct wave_value value;
    struct wave_write write;
    if (!at) return;
    if (staged) {
        at = put_bytes(at, " #", 2);
        at = put_decimal(at, staged_number);
        at = put_bytes(at, " retire", 7);
    } else if (!instance->flights && view_number(view, WAVE_ORDER, &number)) {
        at = put_bytes(at, " #", 2);
        at = put_decimal(at, number);
    }
    value = view_get(view, WAVE_PC);
    if (value.size && !value.unknown) {
        at = put_bytes(at, " pc ", 4);
        at = wave_put_bits(at, value.bits, 0, value.size);
    }
    value = view_get(view, WAVE_INSN);
    if (value.size && !value.unknown) {
        /* a compressed instruction lies in the lower half */
        const bool compressed = sampler->mapping->riscv && (value.bits & 3) != 3 && value.size > 16;
        at = put_bytes(at, " op ", 4);
        at = wave_put_bits(at, compressed ? value.bits & UINT16_MAX : value.bits, 0,
                           compressed ? 16 : value.size);
    }
    if (view_number(view, WAVE_MODE, &number)) {
        at = put_bytes(at, " mode ", 6);
        at = number < 4 ? put_char(at, modes[number]) : put_decimal(at, number);
    }
    if (view_is_true(view, WAVE_INTR)) at = put_bytes(at, " handler", 8);
    for (unsigned i = 0; i < 2; i++) {
        if (!view_number(view, i ? WAVE_RS2 : WAVE_RS1, &number) || number == 0) continue;
        value = view_get(view, i ? WAVE_RS2_VALUE : WAVE_RS1_VALUE);
        at = sampler_put_register(at, " r ", 'x', number, &value);
    }
    at = sampler_put_access(at, " load ", view, WAVE_MEM_READ_MASK, WAVE_MEM_READ_DATA);
    at = sampler_put_access(at, " save ", view, WAVE_MEM_WRITE_MASK, WAVE_MEM_WRITE_DATA);
    for (unsigned i = 0; i < instance->write_count; i++)
        at = sampler_put_write(at, &instance->writes[i]);
    instance->write_count = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (!sampler_find_write(view, i, &write)) continue;
        value = view_get(view, WAVE_LATE_RD_VALUE);
        if (i == 0 && value.size && view_is_true(view, WAVE_RD_WAITS))
            at = wave_late_wait(sampler, instance, at, write.number, value.size);
        else
            at = sampler_put_write(at, &write);
    }
    text_commit(out, at);
    for (unsigned i = 0; i < 4; i++) {
        const enum wave_field mask = (enum wave_field)(WAVE_X_WRITE_MASK + 2 * i);
        if (view->port->fields[mask] != WAVE_ABSENT)
            sampler_put_written(out, view, mask, "xfvc"[i]);
    }
    text_puts(out, view_is_true(view, WAVE_TRAP) ? " trap\n" : "\n");
}

void wave_sampler_put(struct wave_sampler *sampler, struct wave_instance *instance, uint64_t time)
{
    struct fired {
        struct wave_view view;
        uint64_t order;
    } fired[MOST_LANES];
    unsigned count = 0;
    for (unsigned port = 0; port < instance->port_count && instance->late; port++) {
        const struct wave_view view = sampler_view(sampler, instance, port);
        wave_late_write(sampler, instance, &view, time);
    }
    for (unsigned port = 0; port < instance->port_count; port++) {
        const struct wave_view view = sampler_view(sampler, instance, port);
        if (!view_is_true(&view, WAVE_WHEN)) {
            /* without its instruction, a write is one of the instruction that retires next */
            struct wave_write write;
            for (unsigned i = 0; instance->late && i < 2; i++) {
                if (view.port->fields[i ? WAVE_FRD_WHEN : WAVE_RD_WHEN] == WAVE_ABSENT ||
                    !sampler_find_write(&view, i, &write))
                    continue;
                if (instance->write_count < sizeof instance->writes / sizeof *instance->writes)
                    instance->writes[instance->write_count++] = write;
                else if (instance->lost++ == 0)
                    wave_line_damage(sampler,
                                     "time %llu: more than 32 register writes without an "
                                     "instruction: the rest is left out",
                                     (unsigned long long)(time * sampler->factor));
            }
            continue;
        }
        uint64_t order;
        if (!view_number(&view, WAVE_ORDER, &order)) order = count ? fired[count - 1].order : 0;
        unsigned place = count++;
        for (; place > 0 && fired[place - 1].order > order; place--)
            fired[place] = fired[place - 1];
        fired[place] = (struct fired){view, order};
    }
    for (unsigned i = 0; i < count; i++) sampler_put_insn(sampler, instance, &fired[i].view, time);
    if (instance->late) wave_late_limit(sampler, WAVE_LATE_BYTES);
    sampler->failed |= sampler->out.failed;
}

void wave_sampler_end(struct wave_sampler *sampler)
{
    wave_late_limit(sampler, 0);
    for (size_t i = 0; i < sampler->instance_count; i++) {
        const struct wave_instance *one = &sampler->instances[i];
        const char *cpu = wave_line_cpu(sampler, one);
        wave_stages_end(sampler, &sampler->instances[i]);
        if (one->unclaimed)
            wave_line_damage(sampler,
                             "%llu late writes of registers for which no instruction waits, at "
                             "time %llu first: they are left out",
                             (unsigned long long)one->unclaimed,
                             (unsigned long long)(one->unclaimed_time * sampler->factor));
        if (one->doubtful)
            wave_line_damage(sampler,
                             "whether a register is written late is unknown, at time %llu first: "
                             "the values of %llu that were waited for are unknown",
                             (unsigned long long)(one->doubtful_time * sampler->factor),
                             (unsigned long long)one->doubtful);
        const unsigned long long edges = one->edges, undecided = one->undecided;
        const uint64_t never_known = ~one->known & UINT64_MAX >> (64 - one->port_count);
        if (edges == 0)
            wave_line_damage(sampler, "no instruction: the clock of %s has no edge", cpu);
        else if (never_known)
            wave_line_damage(sampler,
                             "'when' is never known: %llu edges of the clock, port %d of %s", edges,
                             __builtin_ctzll(never_known), cpu);
        else if (one->instructions == 0)
            wave_line_damage(sampler,
                             "no instruction: 'when' is never true: %llu edges of the clock of "
                             "%s, at %llu of which it is unknown",
                             edges, cpu, undecided);
        if (one->instructions && undecided)
            wave_line_damage(sampler,
                             "'when' is unknown at %llu edges of the clock, at time %llu first: "
                             "instructions of %s may be missing",
                             undecided, (unsigned long long)(one->undecided_time * sampler->factor),
                             cpu);
    }
}
