#!/usr/bin/env bash
# Builds and runs the consumers of this folder against the tree, with CC and CXX of the environment.
# usage: run.sh FOLDER. Prints one line for each promise and `N passed, N failed` at the end.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
rm -rf "${work:?}"/*
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=true
: "${CXX:=g++}"
passed=0 failed=0

# promise TEXT COMMAND...: runs it, output to a log that is shown on failure.
promise() {
    local text=$1 log
    log=$work/$((passed + failed + 1)).log
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $text"
    else
        failed=$((failed + 1))
        echo "FAILED  $text"
        tail -n 40 "$log" | sed 's/^/        /'
    fi
}

runs() { python3 "$here/ask.py" "$1"; }

# ---------------------------------------------------------------- as a Meson subproject
# The tree is copied, as a download would lay it down: nothing that was built comes along.
copy_tree() {
    mkdir -p "$work/subproject/subprojects/rill" &&
        cp -R "$here/main.cpp" "$here/other_library.hpp" "$work/" &&
        cp -R "$here/subproject/." "$work/subproject/" &&
        tar -C "$tree" --exclude=./build --exclude=./.git --exclude=./.cache -cf - . |
        tar -C "$work/subproject/subprojects/rill" -xf -
}
# An older rill stands in the system: the consumer asks for a newer one and gets the subproject.
old_copy() {
    mkdir -p "$work/old" &&
        printf 'Name: rill\nDescription: an old copy\nVersion: 0.0.1\nLibs: -lrill_old\n' >"$work/old/rill.pc"
}
as_subproject() {
    PKG_CONFIG_PATH=$work/old meson setup "$work/subproject/build-$1" "$work/subproject" \
        -Ddefault_library="$1" -Doptimization=2 && meson compile -C "$work/subproject/build-$1"
}
builds_only_the_library() {
    meson introspect --targets "$work/subproject/build-shared" | python3 -c '
import json, sys
extra = [t["name"] for t in json.load(sys.stdin)
         if any(part in t["defined_in"] for part in ("rill/tests", "rill/examples", "rill/benchmarks"))]
sys.exit(f"a subproject builds {extra}" if extra else 0)'
}
leaks_no_flags() {
    python3 - "$work/subproject/build-shared/compile_commands.json" <<'END'
import json, re, sys
commands = {entry["file"]: entry["command"] for entry in json.load(open(sys.argv[1]))}
ours = re.compile(r"-W(shadow|conversion|sign-conversion|old-style-cast|cast-align|double-promotion)\b")
foreign = re.compile(r"-I\S*rill/lib\b|\S*(fmt|liburing|openssl|llhttp)\S*|-D\S*(RILL|LLHTTP)\S*|-fvisibility\S*")
for file, command in commands.items():
    if ours.search(command):
        sys.exit(f"{file} is compiled with {ours.search(command).group(0)}")
    if file.endswith("main.cpp") and foreign.search(command):
        sys.exit(f"the consumer is compiled with {foreign.search(command).group(0)}")
END
}

# ---------------------------------------------------------------- after an installation
install_both() {
    # The same flags and depth as build/release: a compiler cache answers.
    rm -rf "$work-rill" &&
        meson setup "$work-rill" "$tree" --prefix "$work/shared" --libdir lib -Ddefault_library=both \
            -Doptimization=2 -Ddebug=true -Dtests=disabled -Dexamples=disabled -Dbenchmarks=disabled &&
        meson install -C "$work-rill" &&
        cp -R "$work/shared" "$work/static" &&
        rm "$work"/static/lib/librill.so* &&
        sed -i "s|^prefix=.*|prefix=$work/static|" "$work/static/lib/pkgconfig/rill.pc"
}
by_pkg_config() {
    local static=()
    [ "$1" = shared ] || static=(--static)
    PKG_CONFIG_PATH=$work/$1/lib/pkgconfig sh "$here/pkgconfig/build.sh" "$work/pkgconfig-$1" "${static[@]}" \
        "$here/main.cpp"
}
by_cmake() {
    local link=OFF launcher=() compiler=$CXX
    [ "$1" = shared ] || link=ON
    case $CXX in "ccache "*) compiler=${CXX#ccache } launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache) ;; esac
    PKG_CONFIG_PATH=$work/$1/lib/pkgconfig CXX=$compiler cmake -S "$here/cmake" -B "$work/cmake-$1" -G Ninja \
        -DSTATIC=$link -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" && cmake --build "$work/cmake-$1"
}
json_by_pkg_config() {
    # shellcheck disable=SC2046
    $CXX -std=c++20 -O1 -Wall -Wextra -Werror -fno-rtti "$tree/docs/snippets/json.cpp" -o "$work/json" \
        $(PKG_CONFIG_PATH=$work/shared/lib/pkgconfig pkg-config --cflags --libs rill-json)
}
json_can_be_left_out() {
    meson setup "$work/nojson" "$tree" -Djson=disabled -Dtests=disabled -Dexamples=disabled -Dbenchmarks=disabled &&
        meson introspect "$work/nojson" --dependencies --installed | python3 -c '
import json, sys
text = sys.stdin.read()
said = json.loads(text)
names = [d["name"] for d in said["dependencies"]]
files = [f for f in said["installed"].values() if f.endswith(".pc")]
sys.exit(0 if "nlohmann_json" not in names and len(files) == 1 and files[0].endswith("/rill.pc") else f"{names} {files}")'
}
needs_no_shared_rill() { ! ldd "$1" | grep librill; }
# Every public header in two files of one program, after another library's macros.
all_headers() {
    {
        echo '#include "other_library.hpp"'
        (cd "$work/shared/include" && find rill -name '*.hpp' ! -name json.hpp | sort | sed 's/.*/#include <&>/')
    } >"$work/headers_a.cpp"
    cp "$work/headers_a.cpp" "$work/headers_b.cpp"
    echo 'int main() {}' >>"$work/headers_a.cpp"
    PKG_CONFIG_PATH=$work/shared/lib/pkgconfig sh "$here/pkgconfig/build.sh" "$work/headers" \
        -I"$here" "$work/headers_a.cpp" "$work/headers_b.cpp"
}
reaches_no_third_party() {
    # shellcheck disable=SC2046,SC2086
    $CXX -std=c++20 -M -I"$here" $(PKG_CONFIG_PATH=$work/shared/lib/pkgconfig pkg-config --cflags rill) \
        "$work/headers_a.cpp" >"$work/headers.d" || return 1
    ! grep -oE '\S*/(fmt|openssl|nlohmann|nghttp2|liburing|doctest)/\S*|\S*/(liburing|llhttp|zlib)\.h' "$work/headers.d"
}
exports_only_rill() {
    # Strong symbols: templates of the standard library are weak and belong to everybody.
    ! nm -D --defined-only -C "$work/shared/lib/librill.so" |
        awk '$2 ~ /^[TDBR]$/' | grep -vE ' [TDBR] ((non-virtual |virtual )?thunk to |[a-zA-Z ]+ for )?rill::'
}
# A program may link an llhttp of its own beside librill.a.
keeps_its_parser_to_itself() {
    nm -g --defined-only "$work/static/lib/librill.a" >"$work/static.names" &&
        grep -q 'llhttp' "$work/static.names" && ! grep -E ' [A-Z] llhttp' "$work/static.names"
}
has_a_soname() { readelf -d "$work/shared/lib/librill.so" | grep -q 'SONAME.*librill\.so\.[0-9]'; }

echo "consume: $CXX, in $work"
promise "the tree is laid under subprojects/" copy_tree
promise "an older copy stands in the system" old_copy
for kind in shared static; do
    promise "subproject, $kind: builds with -Wall -Wextra -Werror -fno-rtti" as_subproject $kind
    promise "subproject, $kind: the program answers" runs "$work/subproject/build-$kind/consumer"
done
promise "a subproject builds no test, example or benchmark" builds_only_the_library
promise "a subproject hands on no warning, private include or third-party flag" leaks_no_flags
promise "rill is installed, shared and static" install_both
for kind in shared static; do
    export LD_LIBRARY_PATH=$work/$kind/lib
    promise "pkg-config, $kind: builds" by_pkg_config $kind
    promise "pkg-config, $kind: the program answers" runs "$work/pkgconfig-$kind"
    promise "CMake, $kind: builds" by_cmake $kind
    promise "CMake, $kind: the program answers" runs "$work/cmake-$kind/consumer"
done
if pkg-config --exists 'nlohmann_json >= 3.11'; then
    promise "pkg-config, rill-json: a program with JSON builds" json_by_pkg_config
fi
promise "-Djson=disabled: nothing of JSON is looked for or handed on" json_can_be_left_out
for program in subproject/build-static/consumer pkgconfig-static cmake-static/consumer; do
    promise "linked statically: $program needs no librill.so" needs_no_shared_rill "$work/$program"
done
promise "all headers compile in two files of a program, after foreign macros" all_headers
promise "public headers reach no third party's" reaches_no_third_party
promise "the shared library exports names of rill only" exports_only_rill
promise "the static library defines no name of llhttp's" keeps_its_parser_to_itself
promise "the shared library has a soname" has_a_soname

begin=$(date +%s%N)
PKG_CONFIG_PATH=$work/static/lib/pkgconfig CXX=${CXX#ccache } sh "$here/pkgconfig/build.sh" "$work/hello" --static \
    "$here/main.cpp" && strip "$work/hello" &&
    echo "figure  the program compiles in $((($(date +%s%N) - begin) / 1000000)) ms and is $(stat -c %s "$work/hello") bytes, stripped, rill static"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
