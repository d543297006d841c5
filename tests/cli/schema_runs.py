# SPDX-License-Identifier: MIT
"""The runs of each verb whose JSON its schema describes; {e}: the folder examples/, {fold}: the words that
load an example fold."""
RUNS = {
    "formats": ["", "uop", "uop tarmac"],
    "describe": ["misfit.log", "-f core misfit.log"],
    "info": ["{e}/sort.uop.xz", "{e}/sort-aarch64.tarmac.xz", "{e}/sort.byu12.xz", "{e}/sort.din.xz",
             "{e}/list.matcher.xz", "--quick -f uop one.uop", "t.spoor", "two.tarmac", "-f uop damaged.uop", "gap.tarmac"],
    "check": ["{e}/sort.uop.xz", "-f uop damaged.uop", "-f byu12 damaged.byu12", "missing.uop"],
    "mix": ["{e}/sort.uop.xz", "{e}/sort-aarch64.tarmac.xz", "{e}/sort.byu12.xz", "two.tarmac",
            "--like basic_counts two.tarmac", "--map {e}/sort.uop.xz"],
    "cache": ["-l l1d:1K,2,64,prefetch=miss -l l2:4K,2,64 cpus.spike", "-l c:1K,2,64 --sweep ways=1,2 cpus.spike", "--curve cpus.spike", "{e}/sort.uop.xz", "{e}/sort.lackey.xz --by-pc --by-region --by-set",
              "{e}/sort.uop.xz --sweep size=1K..4K", "{e}/sort.uop.xz --curve",
              "-l c:1K,2,32,prefetch=miss,cpus=2 {e}/sort.uop.xz",
              "-l c:1K,2,32 --sweep policy=lru,fifo {e}/sort.uop.xz", "--warmup 10 {e}/sort.uop.xz",
              "-l c:1K,2,32 --sweep ways=16,64 {e}/sort.uop.xz",
              "--like drcachesim {e}/sort.lackey.xz", "--like drcachesim --cores cpu {e}/sort.lackey.xz"],
    "tlb": ["-l d:4,full,4K cpus.spike", "-l d:4,full,4K,prefetch=miss --sweep entries=2,4 cpus.spike", "{e}/sort.uop.xz", "--sweep entries=4,8 {e}/sort.uop.xz", "--warmup 10 {e}/sort.uop.xz"],
    "page": ["{e}/sort.uop.xz", "--frames 4 {e}/sort.byu12.xz", "--sweep frames=2,4 {e}/sort.uop.xz"],
    "branch": ["-p gshare -p btb --hardest --compare --over-time cpus.spike", "{e}/sort.uop.xz", "-p gshare -p btb --hardest --over-time {e}/sort.uop.xz",
               "-p gshare -p bimodal --compare {e}/sort-aarch64.tarmac.xz"],
    "pipe": ["--limits cpus.spike", "--sweep rob=32,64 cpus.spike", "{e}/sort.uop.xz", "--preset penn-hw5 --limits --critical {e}/sort.uop.xz",
             "--sweep rob=16,32 {e}/sort.uop.xz", "--preset five-stage {e}/sort-aarch64.tarmac.xz",
             "{e}/sort.din.xz"],
    "state": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index -m 404000+8 {e}/sort-aarch64.tarmac.xz",
              "--no-index gap.tarmac"],
    "who": ["--no-index {e}/sort-aarch64.tarmac.xz x0", "--no-index --all {e}/sort-aarch64.tarmac.xz x9",
            "--no-index gap.tarmac x0", "--no-index gap.tarmac 8000+2"],
    "stack": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index --at line:9000 {e}/sort-aarch64.tarmac.xz",
              "--no-index gap.tarmac"],
    "why": ["--no-index fault.tarmac", "--no-index two.tarmac"],
    "slice": ["--no-index {e}/sort-aarch64.tarmac.xz x0", "--no-index --forward --at line:90 {e}/sort-aarch64.tarmac.xz x0"],
    "profile": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index --callers --by opcode {e}/sort-aarch64.tarmac.xz"],
    "exceptions": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index taken.tarmac", "--no-index gap.tarmac"],
    "annotate": ["--no-index {e}/sort-aarch64.tarmac.xz 401060"],
    "diff": ["{e}/sort.tarmac.xz {e}/sort.matcher.xz", "--records :99 {e}/sort.tarmac.xz {e}/sort.tarmac.xz", "-f uop one.uop other.uop"],
    "index": ["--show two.tarmac"],
    "calls": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index gap.tarmac", "--no-index --of 401060 {e}/sort-aarch64.tarmac.xz",
              "--no-index --of 401060 --callers {e}/sort-aarch64.tarmac.xz", "--no-index two.tarmac"],
    "coverage": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index --by address two.tarmac",
                 "--no-index --by branch two.tarmac", "--no-index --by cpu two.tarmac",
                 "--no-index --by function --image prog.symbols two.tarmac"],
    "stats": ["bus {e}/sort.byu12.xz", "cache cache.tarmac", "--level l1d:1K,2,64 cache cache.tarmac",
              "tlb cache.tarmac", "walk cache.tarmac", "--of 1000 cache cache.tarmac"],
    "values": ["{e}/sort-aarch64.tarmac.xz", "-p stride --loads {e}/sort-aarch64.tarmac.xz", "{e}/sort.uop.xz", "cpus.spike"],
    "fold": ["{fold} {e}/sort-aarch64.tarmac.xz", "{fold} -p strides:top=1 cpus.spike", "{fold} gap.tarmac"],
    "strings": ["{e}/sort-aarch64.tarmac.xz", "--min-length 2 --top 3 {e}/sort-aarch64.tarmac.xz", "{e}/sort.uop.xz"],
    "sql": ["{e}/sort.uop.xz 'select record, pc, macro from uop limit 2'",
            "{e}/sort.uop.xz 'select avg(record), null, count(*) from uop'"],
    "print": ["-n 40 {e}/sort.uop.xz", "-n 40 {e}/sort-aarch64.tarmac.xz", "-n 40 {e}/sort.byu12.xz", "two.tarmac"],
    "phases": ["--interval 2000 {e}/sort.uop.xz", "{e}/sort-aarch64.tarmac.xz"],
    "convert": ["--lossy -t din -o c.din {e}/sort.byu12.xz", "-t parquet -o tables/ {e}/sort.uop.xz"],
    "cut": ["--records 5:10 -o c.uop.zst {e}/sort.uop.xz"],
    "merge": ["-o m.tarmac two.tarmac gap.tarmac"],
    "record": ["-t spoor -o r.spoor -- true"],
    "vcd": ["-o dump.vcd two.tarmac"],
}
# Verbs whose --json is wrong usage, as they have no result, and those that print JSON of another kind.
WITHOUT_JSON = {"browse": "is looked at", "gdb": "runs or serves a debugger", "mcp": "speaks JSON-RPC",
                "new": "writes a plug-in",
                "report": "writes a page",
                "serve": "serves pages"}
OTHER_JSON = {"sweep": "tables whose columns are those of other verbs", "help": "lists of topics"}
# Results without a trace of their own, or that name it elsewhere.
WITHOUT_TRACE = {"formats", "diff", "coverage", "sql", "print"}

FILES = {
    "core.spoor-format": "insn: [{:d}] core 0: pc={pc:x} op={opcode:x} {reg}={value:x}\n",
    "misfit.log": "".join(f"[{100 + i}] core 0: pc={4 * i:08x} op=00428293 x5={4 * i:08x}\n"
                          for i in range(1, 30)) + "zz\n",
    "two.tarmac": """\
10 clk cpu0 IT (1) 00001000 94000004 O EL1h_n : BL       0x1010
10 clk cpu0 R X30 0000000000001004
11 clk cpu0 E 00001010 00000004 CoreEvent_CURRENT_SPx_SYNC
11 clk cpu0 IT (2) 00001010 d65f03c0 O EL1h_n : RET
12 clk cpu1 IT (2) 00002004 d2800040 O EL1h_n : MOV      x0,#2
12 clk cpu1 MW4 00008000 00000001
13 clk cpu0 E 00001004 00000005 CoreEvent_CURRENT_SPx_IRQ
13 clk cpu0 IT (3) 00001004 d503201f O EL1h_n : NOP
no line of a trace
""",
    "gap.tarmac": """\
1 clk IT (1) 00001000 d2800020 O EL1h_n : MOV x0,#1
1 clk R X0 0000000000000001
2 clk IT (2) 00001004 b9000020 O EL1h_n : STR w0,[x1]
2 clk MW4 00008000 00000001
9 clk IT (90) 00002000 d503201f O EL1h_n : NOP
""",
    "cpus.spike": """\
core   0: 3 0x80000000 (0x00052583) x11 0x00000000 mem 0x00001000
core   0: 3 0x80000004 (0xfe051ee3)
core   1: 3 0x80000000 (0x00052583) x11 0x00000000 mem 0x00002000
core   1: 3 0x80000004 (0xfe051ee3)
core   0: 3 0x80000000 (0x00052583) x11 0x00000000 mem 0x00001000
core   1: 3 0x80000000 (0x00052583) x11 0x00000000 mem 0x00002000
""",
    "cache.tarmac": """\
10 clk cpu0 CACHE cpu.cpu0.l1d LINE 0000 ALLOC 0x000000001000
10 clk cpu0 TTW DTLB LPAE 1:1 000016390000 0000000016391003 : TABLE ADDR=0x16391000
14 clk cpu0 TTW DTLB LPAE 1:3 000016392100 0000000016000463 : BLOCK ADDR=0x16000000
20 clk cpu0 TLB FILL cpu.cpu0.DTLB 64K 0x06200000 EL1_n vmid=0, nG asid=7:0x0016000000 Normal NonShareable
30 clk cpu0 TLB EVICT cpu.cpu0.DTLB 64K 0x06200000 EL1_n vmid=0, nG asid=7
40 clk cpu0 CACHE cpu.cpu0.l1d LINE 0000 INVAL 0x000000001000
45 clk cpu0 CACHE cpu.cpu0.l1d LINE 0000 ALLOC 0x000000002000
50 clk cpu0 MR4 00001000:000000001000_NS 00000001
""",
    "fault.tarmac": """\
1 clk IT (1) 00001000 f000f880 T thread : BL 0x1104
1 clk R r14 00001005
2 clk IT (2) 00001104 4801 T thread : LDR r0,[pc,#4]
2 clk MR4 0000110c dfdfdfcf
2 clk R r0 dfdfdfcf
3 clk IT (3) 00001106 6801 T thread : LDR r1,[r0,#0]
3 clk MR4 dfdfdfcf (ABORTED)
3 clk INFO_EXCEPTION_REASON: PHASE=RAISE REASONS=UNSPECIFIED PC=0x00001106 VECTOR=BUSFAULT FaultCause=PRECISERR
3 clk INFO_EXCEPTION_REASON: PHASE=ESCALATED REASONS=FAULT_NOT_ENABLED PC=0x00001106 VECTOR=HARDFAULT FaultCause=NO_FSR_BIT
3 clk E 00001106 00000003 CoreEvent_HARDFAULT
3 clk R CFSR 00008200
3 clk R r14 fffffff9
4 clk IT (4) 00002000 6801 T handler : LDR r1,[r0,#0]
4 clk MR4 e000ed2c 40000000
4 clk R r1 40000000
""",
    "taken.tarmac": """\
1 clk IT (1) 00001000 d503201f O EL1h_n : NOP
1 clk R SP_EL1 0000000000008000
1 clk R X0 0000000000000005
1 clk R X1 0000000000000006
2 clk IT (2) 00001004 94000bff O EL1h_n : BL 0x4000
2 clk R X30 0000000000001008
3 clk IT (3) 00004000 8b010000 O EL1h_n : ADD x0,x0,x1
3 clk R X0 000000000000000b
4 clk IT (4) 00004004 d65f03c0 O EL1h_n : RET
5 clk IT (5) 00001008 d4000061 O EL1h_n : SVC #3
9 clk IT (6) 00009200 d5385202 O EL1h_n : MRS x2,ESR_EL1
9 clk R X2 0000000056000003
12 clk IT (7) 00009204 d69f03e0 O EL1h_n : ERET
13 clk IT (8) 0000100c d503201f O EL1h_n : NOP
13 clk E 00001010 00000007 CoreEvent_IRQ
15 clk IT (9) 00009280 d538cc03 O EL1h_n : MRS x3,ICC_IAR1_EL1
15 clk R X3 0000000000000021
16 clk IT (10) 00009284 d69f03e0 O EL1h_n : ERET
17 clk IT (11) 00001010 d503201f O EL1h_n : NOP
""",
    "prog.symbols": "1000 8 T main\n1010 4 T leaf\n2004 4 T other\n",
    "damaged.uop": "1 400 -1 -1 3 - - - 0 0 405 0 SET ADD\nno micro-op\n",
    "one.uop": "1 400 -1 -1 3 - - - 0 0 405 0 SET ADD\n",
    "other.uop": "1 400 -1 -1 3 - - - 0 0 405 0 SET SUB\n",
    "damaged.byu12": "\0" * 25,
}
