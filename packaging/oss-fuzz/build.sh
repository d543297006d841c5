#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# build.sh: what OSS-Fuzz runs in the tree: builds the fuzz targets with its compiler and engine (CC,
# CFLAGS, LIB_FUZZING_ENGINE) below WORK, and copies them, their seeds and limits to OUT.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${SPOOR_FUZZ_BUILD:-$WORK/build} # one that is there: only what is missing is built
if [ ! -f "$build/build.ninja" ]; then
    # Optional libraries without an archive stay out; those that are loaded at first use are not there.
    meson setup "$build" -Dfuzz=true -Dfuzz_engine="$LIB_FUZZING_ENGINE" -Dprefer_static=true \
        -Dbuildtype=plain -Db_lundef=false -Dhardening=false -Disal=disabled -Delfutils=disabled \
        -Dcurses=disabled -Dlibedit=disabled -Dpage=disabled -Dpython=disabled
fi
ninja -C "$build" fuzz-targets
for program in "$build"/tests/fuzz/fuzz-*; do
    [[ -f $program && -x $program ]] || continue
    name=${program##*/fuzz-}
    cp "$program" "$OUT/"
    folders=()
    for folder in tests/fuzz/seeds/"$name" tests/fuzz/regressions/"$name"; do
        [ ! -d "$folder" ] || folders+=("$folder")
    done
    [ ${#folders[@]} -eq 0 ] || zip -q -r -j "$OUT/fuzz-${name}_seed_corpus.zip" "${folders[@]}"
    printf '[libfuzzer]\nmax_len = %d\n' "$(scripts/fuzz --longest "$name")" >"$OUT/fuzz-$name.options"
done
