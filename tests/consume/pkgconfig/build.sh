#!/bin/sh
# A project that finds rill by pkg-config alone. usage: build.sh OUTPUT [--static] SOURCE...
set -eu
output=$1
shift
kind=
if [ "$1" = --static ]; then
    kind=--static
    shift
fi
# shellcheck disable=SC2046,SC2086  # flags are words, CXX may name ccache as well
${CXX:-g++} -std=c++20 -O2 -Wall -Wextra -Werror -fno-rtti "$@" -o "$output" $(pkg-config $kind --cflags --libs rill)
