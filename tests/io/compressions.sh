#!/bin/sh
# SPDX-License-Identifier: MIT
# compressions.sh PASS ENTER: spoor reads the output of the system's compressors, and they read the
# output of spoor.  Missing tools or compressions are skipped with a message.
set -eu
unset MALLOC_PERTURB_ # meson sets it, and the tools allocate much
pass=$1
enter=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
lines=60000 entries=40
[ -z "${SPOOR_SANITIZED:-}" ] || lines=20000 entries=10 # five blocks of 100000 bytes
awk -v lines=$lines 'BEGIN { for (i = 0; i < lines; i++) print "line", i, i * i % 9973, "word" i % 17 }' >"$dir/trace"
cat "$dir/trace" "$dir/trace" >"$dir/twice"

# try SUFFIX TOOL OPTION...: single, twice, both ways, cut at the end
try() {
    suffix=$1 tool=$2
    shift 2
    command -v "$tool" >/dev/null || { echo "$tool is not installed: skipped"; return; }
    "$tool" "$@" -c <"$dir/trace" >"$dir/one"
    if ! "$pass" raw 1 "$dir/one" "$dir/back" 2>"$dir/says"; then
        grep -q 'was built without' "$dir/says" && { cat "$dir/says"; return; }
        cat "$dir/says"
        exit 1
    fi
    cmp "$dir/trace" "$dir/back"
    cat "$dir/one" "$dir/one" >"$dir/two"
    "$pass" raw 3 "$dir/two" "$dir/back" 2>"$dir/says" || { cat "$dir/says"; exit 1; }
    cmp "$dir/twice" "$dir/back"
    "$pass" raw 1 - "$dir/back" <"$dir/two" 2>"$dir/says" || { cat "$dir/says"; exit 1; }
    cmp "$dir/twice" "$dir/back"
    "$pass" raw 1 "$dir/trace" "$dir/out$suffix" 2>"$dir/says"
    "$tool" -dc <"$dir/out$suffix" | cmp "$dir/trace" -
    "$enter" "$dir/trace" "$dir/one" 60000 $entries >"$dir/says" 2>&1 || { cat "$dir/says"; exit 1; }
    echo "$tool $*: read, entered and written"
}
try .gz gzip -1
try .gz igzip -0
try .gz gzip -9
try .gz igzip -3
try .gz pigz -b 128
try .gz bgzip -l 6
try .zst zstd -q -3
try .zst zstd -q --long=27
try .xz xz -6
try .xz xz -0 --block-size=100000 --check=sha256
try .xz xz -0 -T2 --block-size=50000
try .bz2 bzip2 -9
try .lz4 lz4 -q -1
try .lz4 lz4 -q -BD -9

# Output in blocks: it is the same for any number of threads, the tools read it, their index lists three
# blocks, and each of them can be entered.
head -c 50000 "$dir/trace" >"$dir/part"
for _ in $(seq 180); do cat "$dir/part"; done >"$dir/eight"
writes_blocks() {
    suffix=$1
    shift
    command -v "$1" >/dev/null || { echo "$1 is not installed: skipped"; return; }
    if ! "$pass" raw 1 "$dir/eight" "$dir/1$suffix" 2>"$dir/says"; then
        grep -q 'was built without' "$dir/says" && return
        cat "$dir/says"
        exit 1
    fi
    "$pass" raw 3 "$dir/eight" "$dir/3$suffix" 2>/dev/null
    cmp "$dir/1$suffix" "$dir/3$suffix"
    "$1" -dc <"$dir/1$suffix" | cmp "$dir/eight" -
    "$enter" "$dir/eight" "$dir/1$suffix" 1000000 10 >"$dir/says" || { cat "$dir/says"; exit 1; }
    grep -q "^$2 checkpoints" "$dir/says" || { cat "$dir/says"; exit 1; }
    echo "$suffix: in $2 blocks, the same for any number of threads"
}
blocks=$((($(wc -c <"$dir/eight") + 4194303) / 4194304))
writes_blocks .zst zstd $blocks
writes_blocks .xz xz $blocks

# Blocks that several threads inflate, whole, damaged and cut: any number of threads gives the same
# bytes and messages.
same_for_threads() {
    for threads in 1 2 4; do
        "$pass" raw $threads "$dir/blocks" "$dir/back$threads" 2>"$dir/says$threads" || true
        grep 'compressed offset' "$dir/says$threads" >"$dir/damage$threads" || true
    done
    for threads in 2 4; do
        cmp "$dir/back1" "$dir/back$threads"
        cmp "$dir/damage1" "$dir/damage$threads"
    done
}
reads_xz() {
    command -v xz >/dev/null || return 1
    xz -0 -T2 --block-size=100000 -c <"$dir/twice" >"$dir/whole"
    "$pass" raw 1 "$dir/whole" "$dir/back" 2>"$dir/says" || ! grep -q 'was built without' "$dir/says"
}
if reads_xz; then
    cp "$dir/whole" "$dir/blocks"
    same_for_threads
    cmp "$dir/twice" "$dir/back1"
    size=$(wc -c <"$dir/whole")
    for part in 1 3 5 7; do
        at=$((size * part / 8))
        cp "$dir/whole" "$dir/blocks"
        printf 'damage' | dd of="$dir/blocks" bs=1 seek=$at conv=notrunc 2>"$dir/dd"
        same_for_threads
        test -s "$dir/damage1" || { echo "xz: damage at byte $at was not found"; exit 1; }
        head -c "$at" "$dir/whole" >"$dir/blocks"
        same_for_threads
        test -s "$dir/damage1" || { echo "xz: the cut at byte $at was not found"; exit 1; }
    done
    echo "xz -T2: the same for any number of threads"
fi
