/* SPDX-License-Identifier: MIT */
/* riscv_csr.c: a table of names, and the registers that are numbered within a range. */
#include "isa/riscv_csr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

struct csr {
    unsigned short number;
    const char name[MAX_RISCV_CSR_NAME - sizeof(short)];
};

/* By number. */
static const struct csr csrs[] = {
    {0x001, "fflags"},        {0x002, "frm"},           {0x003, "fcsr"},
    {0x008, "vstart"},        {0x009, "vxsat"},         {0x00A, "vxrm"},
    {0x00F, "vcsr"},          {0x011, "ssp"},           {0x015, "seed"},
    {0x017, "jvt"},           {0x100, "sstatus"},       {0x104, "sie"},
    {0x105, "stvec"},         {0x106, "scounteren"},    {0x10A, "senvcfg"},
    {0x120, "scountinhibit"}, {0x140, "sscratch"},      {0x141, "sepc"},
    {0x142, "scause"},        {0x143, "stval"},         {0x144, "sip"},
    {0x14D, "stimecmp"},      {0x150, "siselect"},      {0x151, "sireg"},
    {0x15C, "stopei"},        {0x15D, "stimecmph"},     {0x180, "satp"},
    {0x200, "vsstatus"},      {0x204, "vsie"},          {0x205, "vstvec"},
    {0x240, "vsscratch"},     {0x241, "vsepc"},         {0x242, "vscause"},
    {0x243, "vstval"},        {0x244, "vsip"},          {0x24D, "vstimecmp"},
    {0x250, "vsiselect"},     {0x251, "vsireg"},        {0x25C, "vstopei"},
    {0x25D, "vstimecmph"},    {0x280, "vsatp"},         {0x300, "mstatus"},
    {0x301, "misa"},          {0x302, "medeleg"},       {0x303, "mideleg"},
    {0x304, "mie"},           {0x305, "mtvec"},         {0x306, "mcounteren"},
    {0x30A, "menvcfg"},       {0x310, "mstatush"},      {0x312, "medelegh"},
    {0x31A, "menvcfgh"},      {0x320, "mcountinhibit"}, {0x340, "mscratch"},
    {0x341, "mepc"},          {0x342, "mcause"},        {0x343, "mtval"},
    {0x344, "mip"},           {0x34A, "mtinst"},        {0x34B, "mtval2"},
    {0x350, "miselect"},      {0x351, "mireg"},         {0x35C, "mtopei"},
    {0x5A8, "scontext"},      {0x600, "hstatus"},       {0x602, "hedeleg"},
    {0x603, "hideleg"},       {0x604, "hie"},           {0x605, "htimedelta"},
    {0x606, "hcounteren"},    {0x607, "hgeie"},         {0x60A, "henvcfg"},
    {0x615, "htimedeltah"},   {0x61A, "henvcfgh"},      {0x643, "htval"},
    {0x644, "hip"},           {0x645, "hvip"},          {0x64A, "htinst"},
    {0x680, "hgatp"},         {0x6A8, "hcontext"},      {0x740, "mnscratch"},
    {0x741, "mnepc"},         {0x742, "mncause"},       {0x744, "mnstatus"},
    {0x747, "mseccfg"},       {0x757, "mseccfgh"},      {0x7A0, "tselect"},
    {0x7A1, "tdata1"},        {0x7A2, "tdata2"},        {0x7A3, "tdata3"},
    {0x7A4, "tinfo"},         {0x7A5, "tcontrol"},      {0x7A8, "mcontext"},
    {0x7B0, "dcsr"},          {0x7B1, "dpc"},           {0x7B2, "dscratch0"},
    {0x7B3, "dscratch1"},     {0xB00, "mcycle"},        {0xB02, "minstret"},
    {0xB80, "mcycleh"},       {0xB82, "minstreth"},     {0xC00, "cycle"},
    {0xC01, "time"},          {0xC02, "instret"},       {0xC20, "vl"},
    {0xC21, "vtype"},         {0xC22, "vlenb"},         {0xC80, "cycleh"},
    {0xC81, "timeh"},         {0xC82, "instreth"},      {0xDA0, "scountovf"},
    {0xDB0, "stopi"},         {0xE12, "hgeip"},         {0xEB0, "vstopi"},
    {0xF11, "mvendorid"},     {0xF12, "marchid"},       {0xF13, "mimpid"},
    {0xF14, "mhartid"},       {0xF15, "mconfigptr"},    {0xFB0, "mtopi"},
};

/* Registers "NAME<n><suffix>", whose numbers follow each other. */
static const struct {
    unsigned short first, last;
    unsigned char begin; /* n of the first */
    const char *name, *suffix;
} ranges[] = {
    {0x10C, 0x10F, 0, "sstateen", ""},     {0x30C, 0x30F, 0, "mstateen", ""},
    {0x31C, 0x31F, 0, "mstateen", "h"},    {0x323, 0x33F, 3, "mhpmevent", ""},
    {0x3A0, 0x3AF, 0, "pmpcfg", ""},       {0x3B0, 0x3EF, 0, "pmpaddr", ""},
    {0x60C, 0x60F, 0, "hstateen", ""},     {0x61C, 0x61F, 0, "hstateen", "h"},
    {0x723, 0x73F, 3, "mhpmevent", "h"},   {0xB03, 0xB1F, 3, "mhpmcounter", ""},
    {0xB83, 0xB9F, 3, "mhpmcounter", "h"}, {0xC03, 0xC1F, 3, "hpmcounter", ""},
    {0xC83, 0xC9F, 3, "hpmcounter", "h"},
};

static int riscv_csr_compare(const void *number, const void *csr)
{
    return (int)*(const unsigned *)number - ((const struct csr *)csr)->number;
}

size_t riscv_csr_name(unsigned number, char name[MAX_RISCV_CSR_NAME])
{
    const struct csr *csr =
        bsearch(&number, csrs, sizeof csrs / sizeof *csrs, sizeof *csrs, riscv_csr_compare);
    if (csr) return (size_t)snprintf(name, MAX_RISCV_CSR_NAME, "%s", csr->name);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return (size_t)snprintf(name, MAX_RISCV_CSR_NAME, "%s%u%s", ranges[i].name,
                                    (number - ranges[i].first + ranges[i].begin) & 63U,
                                    ranges[i].suffix);
    return (size_t)snprintf(name, MAX_RISCV_CSR_NAME, "csr_0x%03x", number & 0xFFFU);
}

int riscv_csr_number(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++)
        if (strlen(csrs[i].name) == size && memcmp(csrs[i].name, name, size) == 0)
            return csrs[i].number;
    /* The number of "NAME<n><suffix>"; -1: it is none of them. */
    char found[MAX_RISCV_CSR_NAME];
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const size_t stem = strlen(ranges[i].name);
        if (size <= stem || memcmp(name, ranges[i].name, stem) != 0) continue;
        for (unsigned number = ranges[i].first; number <= ranges[i].last; number++)
            if (riscv_csr_name(number, found) == size && memcmp(found, name, size) == 0)
                return (int)number;
    }
    /* one that the manual does not name */
    enum { STEM = sizeof "csr_0x" - 1, CSRS = 4096 };
    struct scan scan = {name + (size < STEM ? size : STEM), name + size};
    uint64_t value;
    if (scan_hex(&scan, &value, NULL, NULL) && scan_done(&scan) && value < CSRS &&
        riscv_csr_name((unsigned)value, found) == size && memcmp(found, name, size) == 0)
        return (int)value;
    return -1;
}
