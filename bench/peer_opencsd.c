/* SPDX-License-Identifier: MIT */
/*
 * peer_opencsd.c: the limit of CoreSight: libopencsd alone, which decodes a snapshot of ETMv4 by
 * its C API and calls a function that does nothing.
 *
 *     peer-opencsd SNAPSHOT
 *
 * Files of memory are mapped, as a program would that decodes no other snapshot.
 */
#include <fcntl.h>
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "silicon/snapshot.h"

static ocsd_datapath_resp_t peer_ignore(const void *context, const ocsd_trc_index_t index,
                                        const uint8_t id, const ocsd_generic_trace_elem *element)
{
    (void)context, (void)index, (void)id, (void)element;
    return OCSD_RESP_CONT;
}

static uint32_t peer_register(const struct snapshot_device *device, const char *name)
{
    uint32_t value = 0;
    snapshot_register(device, name, &value);
    return value;
}

static void *peer_map(const char *path, size_t *size)
{
    struct stat status = {0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = file < 0 || fstat(file, &status) != 0
                      ? MAP_FAILED
                      : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    close(file);
    *size = (size_t)status.st_size;
    return bytes;
}

static void peer_add_source(dcd_tree_handle_t tree, const struct snapshot *snapshot,
                            const struct snapshot_device *source)
{
    unsigned char id;
    const ocsd_etmv4_cfg config = {
        .reg_idr0 = peer_register(source, "TRCIDR0"),
        .reg_idr1 = peer_register(source, "TRCIDR1"),
        .reg_idr2 = peer_register(source, "TRCIDR2"),
        .reg_idr8 = peer_register(source, "TRCIDR8"),
        .reg_configr = peer_register(source, "TRCCONFIGR"),
        .reg_traceidr = peer_register(source, "TRCTRACEIDR"),
        .arch_ver = ARCH_V8,
        .core_prof = profile_CortexA,
    };
    if (strncmp(source->type, "ETM4", 4) != 0 || source->core == NO_DEVICE ||
        ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &config,
                               &id) != OCSD_OK) {
        fprintf(stderr, "peer-opencsd: %s is no source of ETMv4\n", source->name);
        exit(EXIT_FAILURE);
    }
    const struct snapshot_device *core = &snapshot->devices[source->core];
    for (size_t i = 0; i < core->dump_count; i++) { /* again those of another core: refused */
        const struct snapshot_dump *dump = &core->dumps[i];
        size_t size;
        const uint8_t *bytes = peer_map(dump->path, &size);
        ocsd_dt_add_buffer_mem_acc(tree, dump->address, (ocsd_mem_space_acc_t)dump->spaces,
                                   bytes + dump->offset, (uint32_t)dump->size);
    }
}

int main(int argc, char **argv)
{
    struct spoor_error error;
    struct snapshot *snapshot = argc == 2 ? snapshot_open(argv[1], &error) : NULL;
    if (!snapshot) {
        fprintf(stderr, "peer-opencsd: %s\n", argc == 2 ? error.text : "expected a snapshot");
        return EXIT_FAILURE;
    }
    ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
    for (size_t i = 0; i < snapshot->buffer_count; i++) {
        const struct snapshot_buffer *buffer = &snapshot->buffers[i];
        size_t size, done = 0;
        const uint8_t *bytes = peer_map(buffer->path, &size);
        dcd_tree_handle_t tree =
            ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
        for (size_t k = 0; k < buffer->source_count; k++)
            peer_add_source(tree, snapshot, &snapshot->devices[buffer->sources[k]]);
        ocsd_dt_set_gen_elem_outfn(tree, peer_ignore, NULL);
        ocsd_datapath_resp_t response = OCSD_RESP_CONT;
        while (done < size && response < OCSD_RESP_FATAL_NOT_INIT) {
            uint32_t used = 0;
            response = ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)done,
                                            (uint32_t)(size - done), bytes + done, &used);
            done += used;
        }
        ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
        ocsd_destroy_dcd_tree(tree);
        printf("%zu of %zu bytes, response %d\n", done, size, (int)response);
    }
    snapshot_close(snapshot);
    return EXIT_SUCCESS;
}
