# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A script sources this before it reads its words: `--help` then prints the comment at the script's
# top, which states its usage, and ends it.

# refuse SENTENCE: end the script, whose words are not what its usage says
refuse() {
    echo "${0##*/}: $1; --help prints the usage" >&2
    exit 2
}

# is_built DIRECTORY: end the script unless DIRECTORY is set up by scripts/build
is_built() {
    [ -f "${1:-}/build.ninja" ] || refuse "'${1:-}' is no build directory"
}

case ${1:-} in
-h | --help)
    sed -n '/^#!/d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$0"
    exit
    ;;
esac
