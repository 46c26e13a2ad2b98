"""What needs a compiler or clang-format: headers that compile alone, and the layout."""

import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess

# GNU's dialect, as CMake chooses it: it predefines macros such as unix and linux.
_FLAGS = [
    "-std=gnu++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude", "-Ilib", "-Itests",
    "-DLLHTTP_STRICT_MODE=1", "-isystem", "/usr/share/include/llhttp",
]
_PACKAGES = ["fmt", "liburing", "openssl", "libnghttp2", "zlib"]


def _package_flags():
    flags = []
    for package in _PACKAGES:
        found = subprocess.run(["pkg-config", "--cflags", package], capture_output=True, text=True)
        if found.returncode == 0:
            flags += found.stdout.split()
    return flags


def compilers():
    """The compilers that are here: g++ and the newest supported clang."""
    names = ["g++"] + [f"clang++-{version}" for version in (19, 22, 21, 20, 18, 17)]
    present = [name for name in names if shutil.which(name)]
    clang = [name for name in present if name != "g++"][:1]
    return [name for name in present if name == "g++"] + clang


def _closure(root, path, seen):
    """All files of the tree that a header reaches, itself included."""
    if path in seen:
        return
    seen.add(path)
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', text, re.M):
        for folder in ("include", "lib", "tests", os.path.dirname(path)):
            candidate = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(os.path.join(root, candidate)):
                _closure(root, candidate, seen)
                break


def _key(root, compiler, flags, header):
    digest = hashlib.sha256()
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    digest.update(" ".join([version, *flags, header]).encode())
    files = set()
    _closure(root, header, files)
    for name in sorted(files):
        with open(os.path.join(root, name), "rb") as file:
            digest.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def check_headers(root, headers, jobs):
    """Yields (path, line, rule, message) for each header that does not compile alone.

    A header is compiled again only when it, what it includes or the compiler changed.
    """
    flags = _FLAGS + _package_flags()
    cache = os.path.join(root, "build", "lint")
    os.makedirs(cache, exist_ok=True)

    def compile_one(compiler, header):
        stamp = os.path.join(cache, _key(root, compiler, flags, header))
        if os.path.exists(stamp):
            return None
        # Twice: an include guard that is missing shows here as well.
        text = f'#include "{header}"\n#include "{header}"\n'
        done = subprocess.run(
            [compiler, *flags, "-I.", "-x", "c++", "-"], input=text, cwd=root, capture_output=True, text=True,
        )
        if done.returncode == 0:
            open(stamp, "w").close()
            return None
        first = next((line for line in done.stderr.split("\n") if "error" in line), done.stderr.strip()[:200])
        return header, 1, "header", f"does not compile alone with {compiler}: {first}"

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pairs = [(compiler, header) for header in headers for compiler in compilers()]
        for found in pool.map(lambda pair: compile_one(*pair), pairs):
            if found:
                yield found


def check_format(root, files):
    """Yields a finding for each file that clang-format would change."""
    if not shutil.which("clang-format-19"):
        yield "dev", 1, "format", "clang-format-19 is missing: ./dev setup installs it"
        return
    done = subprocess.run(
        ["clang-format-19", "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True,
    )
    seen = set()
    for match in re.finditer(r"^([^:\n]+):(\d+):\d+: error: ", done.stderr, re.M):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            yield match.group(1), int(match.group(2)), "format", "not laid out as .clang-format says: ./dev fmt"
    if done.returncode != 0 and not seen:
        yield ".clang-format", 1, "format", done.stderr.strip()[:300]
