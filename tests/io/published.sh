#!/bin/sh
# SPDX-License-Identifier: MIT
# published.sh PASS ROOT: every published trace of a known format, read with one thread and with several
# and written again, has the same bytes.  The traces are beside the checkout or in $SPOOR_SHARED;
# without them the test is skipped.  Of each trace the first 3.8 MB are read: 15 chunks, more than four
# threads hold.  A sanitizer reads the first 1.3 MB, five chunks: what threads share does not depend
# on the bytes; and with several threads only, which run the code of one as well; and of the threads
# of one recorded program (drmemtrace.threadsig.*), one.  The thread sanitizer reads one trace of a folder.
# SPOOR_SOAK=1 reads 20 MB of each.
set -eu
pass=$1
shared=${SPOOR_SHARED:-$2/../shared}
[ -d "$shared/traces" ] || { echo "no $shared/traces: skipped"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
compared=0
# The sizes are whole records of 64 bytes.
bytes=3840000 first=1 many=4 once='^$'
[ "${SPOOR_TIMES:-1}" -eq 1 ] || many='2 4'
[ -z "${SPOOR_SANITIZED:-}" ] || bytes=1280000 first=4 many='' once='/drmemtrace[.]threadsig[.]'
[ "${SPOOR_SANITIZED:-}" != thread ] || once='/'
[ -z "${SPOOR_SOAK:-}" ] || bytes=20000000 first=1 many='2 4' once='^$'

unpacked() {
    case $1 in
    *.xz) xz -dc "$1" ;;
    *.zst) zstd -qdc "$1" ;;
    *.zstf) tail -c +21 "$1" | zstd -qdc 2>/dev/null ;; # frames between a header and an index
    *.zip) python3 -c 'import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for name in archive.namelist(): sys.stdout.buffer.write(archive.read(name))' "$1" ;;
    *.gz) gzip -dc "$1" ;;
    *) cat "$1" ;;
    esac | head -c "$bytes"
}

# The traces; of those in a folder whose paths match $once, the first that is a trace.
seen=
for trace in $(find "$shared/traces" -type f | sort); do
    folder=$(dirname "$trace")
    if printf '%s\n' "$trace" | grep -q "$once"; then
        case "$seen" in *" $folder "*) continue ;; esac
    fi
    unpacked "$trace" >"$dir/plain" || continue
    "$pass" auto $first "$dir/plain" "$dir/one" 2>"$dir/says" ||
        { echo "$trace: $(head -c 200 "$dir/says")"; continue; }
    for threads in $many; do
        "$pass" auto "$threads" "$dir/plain" "$dir/many" 2>"$dir/says"
        cmp "$dir/one" "$dir/many"
    done
    case $trace in
    *.vcd | *.vcd.* | *.fst | *.fst.*) ;; # what is read of a waveform is the text of its instructions
    *) cmp "$dir/plain" "$dir/one" ;;
    esac
    compared=$((compared + 1))
    seen="$seen $folder "
done
echo "$compared traces compared"
[ $compared -gt 0 ]
