#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh PASS: peak memory stays below 52 MiB for any size of trace: each format from a file, from a
# pipe and through gzip, and text without any newline.  SPOOR_MEMORY_MB sets the size of the traces
# (default 100), SPOOR_MEMORY_THREADS the number of reading threads (default 4).  Of empty lines, each of
# which is a record, a fifth is read: more records than any of the other traces has.
set -eu
pass=$1
megabytes=${SPOOR_MEMORY_MB:-100}
threads=${SPOOR_MEMORY_THREADS:-4}
most=53248
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# check_peak NAME: compare the peak that pass reported with the limit
check_peak() {
    peak=$(sed -n 's/ KiB,.*//p' "$dir/says")
    if [ -z "$peak" ] || [ "$peak" -gt $most ]; then
        echo "$1: more than $most KiB: $(cat "$dir/says")"
        failed=1
    else
        echo "$1: $(cat "$dir/says")"
    fi
}

# flood FILE: repeat its bytes up to about the requested size
flood() {
    for _ in $(seq $((megabytes * 1048576 / block_size))); do cat "$1" || break; done 2>/dev/null
}

# try FORMAT: read the trace that repeats the file seed, plain and as many gzip members
try() {
    for _ in $(seq $((1048576 / $(wc -c <"$dir/seed") + 1))); do cat "$dir/seed"; done >"$dir/block"
    gzip -c "$dir/block" >"$dir/block.gz"
    block_size=$(wc -c <"$dir/block")
    flood "$dir/block" | "$pass" "$1" "$threads" - 2>"$dir/says" || failed=1
    check_peak "$1, pipe"
    flood "$dir/block.gz" | "$pass" "$1" "$threads" - /dev/null 2>"$dir/says" || failed=1
    check_peak "$1, gzip, written again"
}

# binary records: the same 12,000 bytes are whole records of 6 and of 12
for _ in $(seq 2000); do printf '\000\000\020\000\000\003'; done >"$dir/seed"
try byu6
try byu12
for _ in $(seq 100); do printf '1 00000000004007f0  -1   5   3  -   -  L      48  7fff5a0c 00000004007f4 0 MOV LOAD\n'; done >"$dir/seed"
try uop
for _ in $(seq 100); do printf '100 clk IT (12) 00000100 e59f0040 A svc_s : LDR r0,[pc,#64]\n100 clk R r0 00000001\n'; done \
    >"$dir/seed"
try tarmac
for _ in $(seq 1000); do printf '0 1000\n2 4\n'; done >"$dir/seed"
try din
all=$megabytes
megabytes=$((all / 5 + 1))
yes '' | head -c 100000 >"$dir/seed"
try din
megabytes=$all
tr '\0' x </dev/zero | head -c 1000000 >"$dir/seed"
try din
exit $failed
