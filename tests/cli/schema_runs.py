# SPDX-License-Identifier: MIT
"""The runs of each verb whose JSON its schema describes; {e}: the folder examples/."""
RUNS = {
    "formats": ["", "uop", "uop tarmac"],
    "info": ["{e}/sort.uop.xz", "{e}/sort-aarch64.tarmac.xz", "{e}/sort.byu12.xz", "{e}/sort.din.xz",
             "{e}/list.matcher.xz", "--quick -f uop one.uop", "t.spoor", "two.tarmac", "-f uop damaged.uop"],
    "check": ["{e}/sort.uop.xz", "-f uop damaged.uop", "-f byu12 damaged.byu12"],
    "mix": ["{e}/sort.uop.xz", "{e}/sort-aarch64.tarmac.xz", "{e}/sort.byu12.xz", "two.tarmac"],
    "cache": ["{e}/sort.uop.xz", "{e}/sort.lackey.xz --by-pc --by-region --by-set",
              "{e}/sort.uop.xz --sweep size=1K..4K", "{e}/sort.uop.xz --curve",
              "-l c:1K,2,32,prefetch=miss,cpus=2 {e}/sort.uop.xz",
              "-l c:1K,2,32 --sweep policy=lru,fifo {e}/sort.uop.xz", "--warmup 10 {e}/sort.uop.xz",
              "-l c:1K,2,32 --sweep ways=16,64 {e}/sort.uop.xz"],
    "tlb": ["{e}/sort.uop.xz", "--sweep entries=4,8 {e}/sort.uop.xz", "--warmup 10 {e}/sort.uop.xz"],
    "page": ["{e}/sort.uop.xz", "--frames 4 {e}/sort.byu12.xz", "--sweep frames=2,4 {e}/sort.uop.xz"],
    "branch": ["{e}/sort.uop.xz", "-p gshare -p btb --hardest --over-time {e}/sort.uop.xz",
               "-p gshare -p bimodal --compare {e}/sort-aarch64.tarmac.xz"],
    "pipe": ["{e}/sort.uop.xz", "--preset penn-hw5 --limits --critical {e}/sort.uop.xz",
             "--sweep rob=16,32 {e}/sort.uop.xz", "--preset five-stage {e}/sort-aarch64.tarmac.xz",
             "{e}/sort.din.xz"],
    "state": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index -m 404000+8 {e}/sort-aarch64.tarmac.xz"],
    "who": ["--no-index {e}/sort-aarch64.tarmac.xz x0", "--no-index --all {e}/sort-aarch64.tarmac.xz x9"],
    "stack": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index --at line:9000 {e}/sort-aarch64.tarmac.xz"],
    "slice": ["--no-index {e}/sort-aarch64.tarmac.xz x0", "--no-index --forward --at line:90 {e}/sort-aarch64.tarmac.xz x0"],
    "profile": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index --callers --by opcode {e}/sort-aarch64.tarmac.xz"],
    "exceptions": ["--no-index {e}/sort-aarch64.tarmac.xz", "--no-index two.tarmac"],
    "annotate": ["--no-index {e}/sort-aarch64.tarmac.xz 401060"],
    "diff": ["{e}/sort.tarmac.xz {e}/sort.matcher.xz", "-f uop one.uop other.uop"],
    "index": ["--show two.tarmac"],
}
# Results without a trace of their own, or that name it elsewhere.
WITHOUT_TRACE = {"formats", "diff", "calls", "coverage", "sql"}
# Verbs whose JSON is not described: rows that the question determines, streams of another tool.
WITHOUT_SCHEMA = {"calls", "coverage", "sql", "stats"}

FILES = {
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
    "damaged.uop": "1 400 -1 -1 3 - - - 0 0 405 0 SET ADD\nno micro-op\n",
    "one.uop": "1 400 -1 -1 3 - - - 0 0 405 0 SET ADD\n",
    "other.uop": "1 400 -1 -1 3 - - - 0 0 405 0 SET SUB\n",
    "damaged.byu12": "\0" * 25,
}
