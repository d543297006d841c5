/* SPDX-License-Identifier: MIT */
/*
 * test_lines.c: lines of the Tarmac family, checked field by field.
 *
 * The lines are those of the documents, of published traces and of their grammars; the expected
 * values were read from the documents by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/lines.h"

struct example {
    const char *line, *says;
};

/* Arm's document: its syntax examples, and one line of each kind of its output example. */
static const struct example document[] = {
    {"1939 clk cpu0 IT (1915) 0001129c:00001521129c d51bd061 O EL3h_s : MSR TPIDRRO_EL0,x1",
     "insn time=1939 cpu=cpu0 op=taken pc=1129c pc_pa=1521129c index=1915 opcode=d51bd061 "
     "opcode_size=4 iset=O mode=EL3h_s disasm=MSR TPIDRRO_EL0,x1"},
    {"clk cpu0 IT (8439) 000282c0:0000152282c0_NS 053fc01f O EL1h_n : SEL      z31.B,p0,z0.B,z31.B",
     "insn cpu=cpu0 op=taken pc=282c0 pc_pa=152282c0 security=ns index=8439 opcode=53fc01f "
     "opcode_size=4 iset=O mode=EL1h_n disasm=SEL      z31.B,p0,z0.B,z31.B"},
    {"clk cpu0 IT (9732) 01000074:000011000074_NS 2518e3e0 O EL1t_n : PTRUE    p0.B,ALL",
     "insn cpu=cpu0 op=taken pc=1000074 pc_pa=11000074 security=ns index=9732 opcode=2518e3e0 "
     "opcode_size=4 iset=O mode=EL1t_n disasm=PTRUE    p0.B,ALL"},
    {"1939 clk cpu0 R TPIDRRO_EL0 00000000:00000000",
     "reg time=1939 cpu=cpu0 op=write reg=TPIDRRO_EL0 value=0 bits=64"},
    {"1940 clk cpu0 R X0 0000000003833000",
     "reg time=1940 cpu=cpu0 op=write reg=X0 value=3833000 bits=64"},
    {"1947 clk cpu0 CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000152112c0",
     "cache time=1947 cpu=cpu0 op=alloc pa=152112c0 unit=cpu.cpu0.l1icache line_id=96"},
    {"1948 clk cpu0 MR8 00011540:000015211540 00000000_13000000",
     "mem time=1948 cpu=cpu0 op=read addr=11540 pa=15211540 size=8 data=13000000"},
    {"1951 clk cpu0 TTW ITLB LPAE 1:3 000016390010 00000000152204c3 : BLOCK ATTRIDX=0 NS=0 AP=3 "
     "SH=0 AF=1 nG=0 16E=0 PXN=0 XN=0 ADDR=0x0000000015220000",
     "walk time=1951 cpu=cpu0 op=read pa=16390010 data=152204c3 side=ITLB format=LPAE stage=1 "
     "level=3 result=block attributes=ATTRIDX=0 NS=0 AP=3 SH=0 AF=1 nG=0 16E=0 PXN=0 XN=0 "
     "ADDR=0x0000000015220000"},
    {"1951 clk cpu0 TLB FILL cpu.cpu0.ITLB 64K 0x00020000, nG asid=0:0x0015220000 Normal "
     "NonShareable Inner=WriteBackWriteAllocate Outer=WriteBackWriteAllocate xn=0 pxn=0 "
     "ContiguousHint =0",
     "tlb time=1951 cpu=cpu0 op=fill addr=20000 pa=15220000 region=64K memtype=Normal NonShareable "
     "Inner=WriteBackWriteAllocate Outer=WriteBackWriteAllocate unit=cpu.cpu0.ITLB attributes=xn=0 "
     "pxn=0 ContiguousHint =0 asid=0"},
    {"1953 clk cpu0 TTW DTLB LPAE 1:3 000016393100 0000000016000463 : BLOCK ATTRIDX=0 NS=1 AP=1 "
     "SH=0 AF=1 nG=0 16E=0 PXN=0 XN=0 ADDR=0x0000000016000000",
     "walk time=1953 cpu=cpu0 op=read pa=16393100 data=16000463 side=DTLB format=LPAE stage=1 "
     "level=3 result=block attributes=ATTRIDX=0 NS=1 AP=1 SH=0 AF=1 nG=0 16E=0 PXN=0 XN=0 "
     "ADDR=0x0000000016000000"},
    {"1953 clk cpu0 MW8 0620e000:00001600e000_NS 00000000_13000000",
     "mem time=1953 cpu=cpu0 op=write security=ns addr=620e000 pa=1600e000 size=8 data=13000000"},
    {"1953 clk cpu0 TLB FILL cpu.cpu0.DTLB 64K 0x06200000, nG asid=0:0x0016000000_NS Normal "
     "NonShareable Inner=WriteBackWriteAllocate Outer=WriteBackWriteAllocate xn=0 pxn=0 "
     "ContiguousHint =0",
     "tlb time=1953 cpu=cpu0 op=fill security=ns addr=6200000 pa=16000000 region=64K "
     "memtype=Normal NonShareable Inner=WriteBackWriteAllocate Outer=WriteBackWriteAllocate "
     "unit=cpu.cpu0.DTLB attributes=xn=0 pxn=0 ContiguousHint =0 asid=0"},
};

/* The forms of the grammar. */
static const struct example forms[] = {
    {"8463 clk cpu0 R z31 00000000_00000000_00000000_00000000",
     "reg time=8463 cpu=cpu0 op=write reg=z31 value=00000000000000000000000000000000 bits=128"},
    {"9756 clk cpu0 R p0 ffff", "reg time=9756 cpu=cpu0 op=write reg=p0 value=ffff bits=16"},
    {"9757 clk cpu0 FD (9733) 01000074:000011000074_NS 01000100:000011000100_NS O",
     "flow time=9757 cpu=cpu0 op=direct pc=1000074 pc_pa=11000074 security=ns index=9733 iset=O "
     "target=1000100 target_pa=11000100 target_security=ns"},
    {"9758 clk cpu0 FI (9734) 01000104 01000200 O",
     "flow time=9758 cpu=cpu0 op=indirect pc=1000104 index=9734 iset=O target=1000200"},
    {"9759 clk cpu0 CACHE MAINTENANCE D CLEAN+INVALIDATE MVA_POC 00011540:000015211540 4K Normal",
     "cacheop time=9759 cpu=cpu0 addr=11540 pa=15211540 side=D operation=CLEAN+INVALIDATE "
     "scope=MVA_POC region=4K memtype=Normal"},
    {"9760 clk cpu0 WALKCACHE FILL cpu.cpu0.WC 64K 0x00020000 EL1_n vmid=1, nG asid=0:0x0015220000",
     "tlb time=9760 cpu=cpu0 op=walkcache-fill addr=20000 pa=15220000 region=64K unit=cpu.cpu0.WC "
     "regime=EL1_n vmid=1 asid=0"},
    {"9761 clk cpu0 TLB EVICT cpu.cpu0.DTLB 64K 0x06200000_NS EL1_n vmid=0, nG asid=0",
     "tlb time=9761 cpu=cpu0 op=evict addr=6200000 region=64K unit=cpu.cpu0.DTLB "
     "regime=EL1_n vmid=0 asid=0 regime_security=ns"},
    {"9762 clk cpu0 E 00011540:000015211540 00000007 CoreEvent_IRQ",
     "event time=9762 cpu=cpu0 op=event pa=15211540 value=11540 number=7 event=CoreEvent_IRQ"},
    {"9763 clk cpu0 E 00011540 EL3h 00000019 CoreEvent_ModeChange",
     "event time=9763 cpu=cpu0 op=event mode=EL3h value=11540 number=19 "
     "event=CoreEvent_ModeChange"},
    {"9764 clk cpu0 MR4X 00011540:000015211540 13000000",
     "mem time=9764 cpu=cpu0 op=read addr=11540 pa=15211540 size=4 data=13000000 exclusive"},
    {"9765 clk cpu0 MR4T 00011540:000015211540 13000000",
     "mem time=9765 cpu=cpu0 op=read addr=11540 pa=15211540 size=4 data=13000000 translated"},
    {"9766 clk cpu0 MU8_ADD 00011540 00000000_00000001",
     "mem time=9766 cpu=cpu0 op=add pa=11540 size=8 data=1"},
    {"9767 clk cpu0 MU16_CAS 00011540 00000000_00000001_00000000_00000002",
     "mem time=9767 cpu=cpu0 op=cas pa=11540 size=16 data=00000000000000010000000000000002"},
    {"9768 clk cpu0 MW16 00011540:000015211540 00000000_00000001_00000000_00000002",
     "mem time=9768 cpu=cpu0 op=write addr=11540 pa=15211540 size=16 "
     "data=00000000000000010000000000000002"},
    {"9768 clk cpu0 MW16 00011540:000015211540 00000000000000010000000000000002",
     "mem time=9768 cpu=cpu0 op=write addr=11540 pa=15211540 size=16 "
     "data=00000000000000010000000000000002"},
    {"9769 clk cpu0 BR8D__PS I_RCBS O_RCBS 3 000015211540 0000000000000001",
     "bus time=9769 cpu=cpu0 op=read security=s pa=15211540 size=8 data=100000000000000 privileged "
     "cached=I_RCBS O_RCBS master=3 side=D"},
    {"9770 clk cluster0.cpu1 IT (1) 00011540:000015211540 d503201f O EL3h_s : NOP",
     "insn time=9770 cpu=cluster0.cpu1 op=taken pc=11540 pc_pa=15211540 index=1 opcode=d503201f "
     "opcode_size=4 iset=O mode=EL3h_s disasm=NOP"},
    {"9771 clk cpu0.1 IT (1) 00011540:000015211540_NS d503201f O EL1h_ns : NOP",
     "insn time=9771 cpu=cpu0.1 op=taken pc=11540 pc_pa=15211540 security=ns index=1 "
     "opcode=d503201f opcode_size=4 iset=O mode=EL1h_ns disasm=NOP"},
    {"9771 clk cpu0 IT (1) 00011540:000015211540_RL d503201f O EL1h_rl : NOP",
     "insn time=9771 cpu=cpu0 op=taken pc=11540 pc_pa=15211540 security=realm index=1 "
     "opcode=d503201f opcode_size=4 iset=O mode=EL1h_rl disasm=NOP"},
    {"9772 clk cpu0 TTU ITLB LPAE 1:3 000016390010 00000000152204c3 : FAULT",
     "walk time=9772 cpu=cpu0 op=update pa=16390010 data=152204c3 side=ITLB format=LPAE stage=1 "
     "level=3 result=fault"},
    {"9773 clk cpu0 MR8 0000000000011540:000015211540_RT 00000000_00000000",
     "mem time=9773 cpu=cpu0 op=read security=root addr=11540 pa=15211540 size=8 data=0"},
};

/* The rest of the grammar, and extensions of Fast Models and others. */
static const struct example variants[] = {
    {"5 clk cpu0 IS (12) 0000802c 1afb T svc_s : SUBNE    r3,r7,r3",
     "insn time=5 cpu=cpu0 op=skipped pc=802c index=12 opcode=1afb opcode_size=2 iset=T mode=svc_s "
     "disasm=SUBNE    r3,r7,r3"},
    {"3 clk IT (3) 0000800a:00000000800a,00000000800c e8900c00 T svc_s : LDM      r0,{r10,r11}",
     "insn time=3 op=taken pc=800a pc_pa=800a index=3 opcode=e8900c00 opcode_size=4 iset=T "
     "mode=svc_s disasm=LDM      r0,{r10,r11} extra=000000000000800c"},
    {"23 clk IT (23) 0000815c:00000000815c_S,00000000815e_S f7ffef76 T hyp_n : BLX      {pc}-0x110 "
     "; 0x804c",
     "insn time=23 op=taken pc=815c pc_pa=815c security=s index=23 opcode=f7ffef76 opcode_size=4 "
     "iset=T mode=hyp_n disasm=BLX      {pc}-0x110 ; 0x804c extra=000000000000815e"},
    {"7 clk IT (7) 00000010 -------- A svc_s : ?",
     "insn time=7 op=taken pc=10 index=7 opcode_size=4 iset=A mode=svc_s disasm=?"},
    {"7 clk IT 00000010 e1a0d000 : mov",
     "insn time=7 op=taken pc=10 opcode=e1a0d000 opcode_size=4 disasm=mov"},
    {"7 clk FR (8) 00008000 00008004", "flow time=7 op=return pc=8000 index=8 target=8004"},
    {"0 ps CACHE MAINTENANCE Instruction and Data cache Invalidate All to PoU 00000000",
     "cacheop time=0 data=0 side=Instruction and Data cache operation=Invalidate scope=All to PoU"},
    {"1 clk cpu0 CACHE MAINTENANCE Data cache Clean by MVA to PoC 00011540:000015211540_NS 64K "
     "Normal NonShareable Inner=WriteBack Outer=WriteBack",
     "cacheop time=1 cpu=cpu0 security=ns addr=11540 pa=15211540 side=Data cache operation=Clean "
     "scope=by MVA to PoC region=64K memtype=Normal NonShareable Inner=WriteBack Outer=WriteBack"},
    {"2 clk cpu0 CACHE L2 LINE 00aa EVICT 0x000015211540_NS",
     "cache time=2 cpu=cpu0 op=evict security=ns pa=15211540 unit=L2 line_id=aa"},
    {"1 clk cpu0 TTW ITLB LPAE 2:0 000016390010 : ABORTED",
     "walk time=1 cpu=cpu0 op=read pa=16390010 side=ITLB format=LPAE stage=2 level=0 "
     "result=aborted"},
    {"1 clk cpu0 TTW DTLB VMSA 1:1 000016390010_NS 00000c02 : SECTION AP=3",
     "walk time=1 cpu=cpu0 op=read security=ns pa=16390010 data=c02 side=DTLB format=VMSA stage=1 "
     "level=1 result=section attributes=AP=3"},
    {"4 clk cpu0 TLB FILL cpu.cpu0.DTLB 4K 0x1c090000_NS EL1_n vmid=3:0x001c090000_NS "
     "Device-nGnRnE (StronglyOrdered) xn=1 pxn=1",
     "tlb time=4 cpu=cpu0 op=fill security=ns addr=1c090000 pa=1c090000 region=4K "
     "memtype=Device-nGnRnE (StronglyOrdered) unit=cpu.cpu0.DTLB attributes=xn=1 pxn=1 "
     "regime=EL1_n vmid=3 regime_security=ns"},
    {"4 clk cpu0 TLB FILL cpu.cpu0.DTLB 1G 0x0000ffff00000000 EL3_s:00040000000 Normal Shareable "
     "Inner=NonCacheable Outer=NonCacheable",
     "tlb time=4 cpu=cpu0 op=fill addr=ffff00000000 pa=40000000 region=1G memtype=Normal Shareable "
     "Inner=NonCacheable Outer=NonCacheable unit=cpu.cpu0.DTLB regime=EL3_s"},
    {"0 clk E 00000000:000000000000 00000000 CoreEvent_Reset",
     "event time=0 op=event pa=0 value=0 number=0 event=CoreEvent_Reset"},
    {"3 clk cpu0 E 00000010 svc 0000dead 00000003 CoreEvent_SWI",
     "event time=3 cpu=cpu0 op=event mode=svc value=10 number=3 event=CoreEvent_SWI value1=dead"},
    {"3 clk cpu0 E 00000010 0000BEEF 0000000E CoreEvent_ImpDataAbort",
     "event time=3 cpu=cpu0 op=event value=10 number=e event=CoreEvent_ImpDataAbort value1=beef"},
    {"0 clk cpu0 E DebugEvent_HaltingDebugState 00000000",
     "event time=0 cpu=cpu0 op=debug value=0 event=DebugEvent_HaltingDebugState"},
    {"0 clk E Run", "event time=0 op=debug event=Run"},
    {"0 clk SIGNAL: SIGNAL=Abort STATE=N", "event time=0 op=signal text=SIGNAL=Abort STATE=N"},
    {"2043 clk CADI E simulation_stopped", "event time=2043 op=cadi text=E simulation_stopped"},
    {"1 clk MW4L 00000100 12345678", "mem time=1 op=write addr=100 size=4 data=12345678 locked"},
    {"1 clk MR4XT 00000100 12345678",
     "mem time=1 op=read addr=100 size=4 data=12345678 exclusive translated"},
    {"28491 clk MR4 dfdfdfcf (ABORTED)",
     "mem time=28491 op=read addr=dfdfdfcf size=4 result=aborted"},
    {"72415 clk MR16 400171e0 400f731b40000000 3ff87cc460000000",
     "mem time=72415 op=read addr=400171e0 size=16 data=400f731b400000003ff87cc460000000"},
    {"1 clk MU4_SMAX 000015211540_NS 00000001",
     "mem time=1 op=smax security=ns pa=15211540 size=4 data=1"},
    {"1 clk MU16_SWP 00011540:000015211540 00000000_00000001_00000000_00000002",
     "mem time=1 op=swp addr=11540 pa=15211540 size=16 data=00000000000000010000000000000002"},
    {"5 clk BW2ILPN IWRCBS O_____ core0 0000fffe 0102",
     "bus time=5 op=write security=ns pa=fffe size=2 data=201 locked privileged cached=IWRCBS "
     "O_____ master=core0 side=I"},
    {"5 clk BW32DX_N I_____ O_____ 1 000080000000 "
     "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "bus time=5 op=write security=ns pa=80000000 size=32 "
     "data=1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100 exclusive "
     "cached=I_____ O_____ master=1 side=D"},
    {"9 clk R q0 93c467e37db0c7a4_d1be3f810152cb56",
     "reg time=9 op=write reg=q0 value=93c467e37db0c7a4d1be3f810152cb56 bits=128"},
    {"9 clk R r13_mon 0000ab34", "reg time=9 op=write reg=r13_mon value=ab34 bits=32"},
    {"8 clk R FPCR 01230123:23452345",
     "reg time=8 op=write reg=FPCR value=123012323452345 bits=64"},
    {"27679000000 ps R P1 01010101_01010101",
     "reg time=27679000000 op=write reg=P1 value=101010101010101 bits=64"},
    {"7 clk R z2 00000003_00000002_00000001_00000000_00000007_00000006_00000005_00000004",
     "reg time=7 op=write reg=z2 "
     "value=0000000300000002000000010000000000000007000000060000000500000004 bits=256"},
    {"40 clk R DC CISW 00000000:00000000", "reg time=40 op=system reg=DC CISW value=0 bits=64"},
    {"271ns R r13 20001fff (MSP)",
     "reg time=271 op=write reg=r13 value=20001fff bits=32 bank=(MSP)"},
    {"R R1 (USR) 00000800", "reg op=write reg=R1 value=800 bits=32 bank=(USR)"},
    {"          R V0<127:64> ffeeddccbbaa9988",
     "reg op=write reg=V0 value=ffeeddccbbaa9988 bits=64"},
    {"R X0 01234567 89abcdef", "reg op=write reg=X0 value=123456789abcdef bits=64"},
    {"R X1 --------", "reg op=write reg=X1 bits=32"},
    {"8677000000 ps R cpsr 1220023cd",
     "reg time=8677000000 op=write reg=cpsr value=1220023cd bits=36"},
    {"10.356000us R PSR f1000003", "reg time=10356000 op=write reg=PSR value=f1000003 bits=32"},
    {"  17000 ns IT (1) 00000000 e1a00000 A svc_s : NOP",
     "insn time=17000 op=taken pc=0 index=1 opcode=e1a00000 opcode_size=4 iset=A mode=svc_s "
     "disasm=NOP"},
};

/* The document of Trace Matcher, and the lines of MicroTESK. */
static const struct example matcher[] = {
    {"1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1",
     "insn time=1 cpu=0 op=taken pc=4 index=1 opcode=3c080001 opcode_size=4 iset=A mode=svc "
     "disasm=lui t0,0x1"},
    {"10 clk MR8 00103fc4 0010400000000000",
     "mem time=10 op=read addr=103fc4 size=8 data=10400000000000"},
    {"14 clk R r8 00000000", "reg time=14 op=write reg=r8 value=0 bits=32"},
    {"0 clk 1 IS (0) ffffffffa0002000 24020001 A svc_ns : addiu v0, zero, 0x1",
     "insn time=0 cpu=1 op=skipped pc=ffffffffa0002000 index=0 opcode=24020001 opcode_size=4 "
     "iset=A mode=svc_ns disasm=addiu v0, zero, 0x1"},
    {"0 clk MW4X 0000000000103fc4 DEADBEEF",
     "mem time=0 op=write addr=103fc4 size=4 data=deadbeef privileged"},
    {"3 clk MR1T 00001000 0A", "mem time=3 op=read addr=1000 size=1 data=a translated"},
    {"4 clk R c0_status<31..16> 0040", "reg time=4 op=write reg=c0_status value=40 bits=16"},
    {"5 clk IT (5) 00000008 8fa80004 A svc : lw t0, 4(sp)",
     "insn time=5 op=taken pc=8 index=5 opcode=8fa80004 opcode_size=4 iset=A mode=svc disasm=lw "
     "t0, 4(sp)"},
};

/* Lines of traces that others published. */
static const struct example wild[] = {
    {"4000000 ps E 00000014 00dfdfdf00000003 CoreEvent_SWI",
     "event time=4000000 op=event value=14 number=3 event=CoreEvent_SWI value1=dfdfdf"},
    {"4000000 ps E 00000014 svc DFDFDF00000003 CoreEvent_SWI",
     "event time=4000000 op=event mode=svc value=14 number=3 event=CoreEvent_SWI value1=dfdfdf"},
    {"4000000 ps INFO_EXCEPTION_REASON: PHASE=RAISE REASONS=UNSPECIFIED PC=0xfffffffe",
     "event time=4000000 op=reason text=PHASE=RAISE REASONS=UNSPECIFIED PC=0xfffffffe"},
    {"23676384300 ps BNR4___I 00000000 00800320",
     "bus time=23676384300 op=fetch pa=0 size=4 data=20038000"},
    {"5 ns BSW2___D 20000010 3412", "bus time=5 op=write pa=20000010 size=2 data=1234"},
    {"5 ns BNR4____ 20000010 00001234", "bus time=5 op=read pa=20000010 size=4 data=1234"},
    {"27 clk IT(27) 000080ac 2016 T thread : MOVS     r0,#0x16",
     "insn time=27 op=taken pc=80ac index=27 opcode=2016 opcode_size=2 iset=T mode=thread "
     "disasm=MOVS     r0,#0x16"},
    {"3 cyc IT(00022a7c:00000006) 00022a7c 48f6 T16 LDR r0,[pc,#984]",
     "insn time=3 op=taken pc=22a7c index=6 opcode=48f6 opcode_size=2 iset=T disasm=LDR "
     "r0,[pc,#984]"},
};

/* Each line has the expected fields, is not verbatim, and is written unchanged. */
static void check_examples(const struct spoor_format *format, const struct example *examples,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct trace trace;
        struct text says = {0};
        trace_decode(&trace, format, examples[i].line, strlen(examples[i].line));
        assert_int_equal(trace.batch.count, 1);
        describe(&trace.batch, 0, &says);
        assert_string_equal(says.bytes, examples[i].says);
        assert_int_equal(trace_verbatim(&trace), 0);
        assert_true(comes_back(format, examples[i].line, strlen(examples[i].line)));
        text_free(&says);
        trace_free(&trace);
    }
}
#define CHECK(format, examples) \
    check_examples(&(format), examples, sizeof(examples) / sizeof *(examples))

static void document_lines_are_typed(void **state)
{
    (void)state;
    CHECK(format_tarmac, document);
}

static void forms_are_typed(void **state)
{
    (void)state;
    CHECK(format_tarmac, forms);
}

static void variants_are_typed(void **state)
{
    (void)state;
    CHECK(format_tarmac, variants);
}

static void wild_lines_are_typed(void **state)
{
    (void)state;
    CHECK(format_tarmac, wild);
}

static void matcher_lines_are_typed(void **state)
{
    (void)state;
    CHECK(format_matcher, matcher);
}

static void decode_line(struct trace *trace, const char *line)
{
    trace_decode(trace, &format_tarmac, line, strlen(line));
    assert_int_equal(trace->batch.count, 1);
}

/* The two SVE examples of the document state a unit and no time. */
static void time_may_be_absent(void **state)
{
    (void)state;
    struct trace trace;
    decode_line(&trace, document[1].line);
    assert_false(trace.batch.records[0].has & SPOOR_HAS_TIME);
    assert_string_equal(spoor_record_unit(&trace.batch, &trace.batch.records[0]), "clk");
    trace_free(&trace);
}

static void time_is_that_of_the_line_before(void **state)
{
    (void)state;
    struct trace trace;
    static const char lines[] = "R r0 0\n5 clk R r0 1\nR r0 2\n\n7 clk R r0 3\n";
    static const uint64_t times[] = {0, 5, 5, 5, 7};
    trace_decode(&trace, &format_tarmac, lines, strlen(lines));
    assert_int_equal(trace.batch.count, 5);
    for (size_t i = 0; i < 5; i++) assert_int_equal(trace.batch.records[i].time, times[i]);
    trace_free(&trace);
}

static void fractions_count_in_a_finer_unit(void **state)
{
    (void)state;
    static const struct {
        const char *line, *unit;
        uint64_t time;
    } cases[] = {
        {"10.356000us R PSR f1000003", "ps", 10356000},
        {"  1166.5 ns R PSR f1000003", "ps", 1166500},
        {"0.25 s R PSR f1000003", "ms", 250},
        {"271ns R r13 20001fff", "ns", 271},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        decode_line(&trace, cases[i].line);
        const struct spoor_record *record = &trace.batch.records[0];
        assert_int_equal(record->time, cases[i].time);
        assert_string_equal(spoor_record_unit(&trace.batch, record), cases[i].unit);
        assert_true(comes_back(&format_tarmac, cases[i].line, strlen(cases[i].line)));
        trace_free(&trace);
    }
}

/* Parts of a record that no field shows. */
static void details_are_kept(void **state)
{
    (void)state;
    struct trace trace;
    decode_line(&trace, "1 clk R V0<127:64> ffeeddccbbaa9988");
    assert_int_equal(trace.batch.records[0].reg.high, 127);
    assert_int_equal(trace.batch.records[0].reg.low, 64);
    trace_free(&trace);
    decode_line(&trace, "1 clk cpu0 TLB EVICT u 64K 0x06200000_NS EL1_n vmid=0, nG asid=0");
    assert_int_equal(trace.batch.records[0].tlb.va_security, SPOOR_SEC_NS);
    assert_int_equal(trace.batch.records[0].tlb.non_global, 1);
    trace_free(&trace);
    decode_line(&trace, "1 clk FD (1) 0:0_S 4:4_NS O");
    assert_int_equal(trace.batch.records[0].flow.security, SPOOR_SEC_S);
    assert_int_equal(trace.batch.records[0].flow.target_security, SPOOR_SEC_NS);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_lines_are_typed),
        cmocka_unit_test(forms_are_typed),
        cmocka_unit_test(variants_are_typed),
        cmocka_unit_test(wild_lines_are_typed),
        cmocka_unit_test(matcher_lines_are_typed),
        cmocka_unit_test(time_may_be_absent),
        cmocka_unit_test(time_is_that_of_the_line_before),
        cmocka_unit_test(fractions_count_in_a_finer_unit),
        cmocka_unit_test(details_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
