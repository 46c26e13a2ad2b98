"""Bars on what a user builds: compile time and size of the hello example."""

import json
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile
import time

from .bars import Limit, group
from .settings import Unavailable, tool


def compile_command(settings, source):
    """The command that compiles `source` in this build, without ccache, and its folder."""
    try:
        entries = json.loads((settings.build / "compile_commands.json").read_text())
    except OSError as problem:
        raise Unavailable(f"no compile commands: {problem}") from problem
    for entry in entries:
        if entry["file"].endswith(source):
            command = shlex.split(entry["command"])
            if pathlib.Path(command[0]).name == "ccache":
                command = command[1:]
            return command, pathlib.Path(entry["directory"])
    raise Unavailable(f"{source} is not in the compile commands of {settings.build}")


def with_output(command, target):
    """The same command with another object file and without a dependency file."""
    result = []
    words = iter(command)
    for word in words:
        if word in ("-MF", "-MQ", "-MT"):
            next(words)
        elif word in ("-MD", "-MMD"):
            continue
        elif word == "-o":
            next(words)
            result += ["-o", str(target)]
        else:
            result.append(word)
    return result


@group(hello__compile_seconds=Limit(3, strict=True))
def compile_time(settings, record):
    """Wall time of compiling the hello example, without ccache; the median of three."""
    command, folder = compile_command(settings, "examples/hello.cpp")
    with tempfile.TemporaryDirectory(prefix="rill-bench-compile-") as scratch:
        command = with_output(command, pathlib.Path(scratch) / "hello.o")
        seconds = []
        for _ in range(3):
            begin = time.monotonic()
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            seconds.append(time.monotonic() - begin)
    text = ", ".join(f"{s:.2f}" for s in seconds)
    record.value("hello.compile_seconds", statistics.median(seconds), f"{text} s")


@group(hello__stripped_bytes=Limit(1_000_000, strict=True))
def size(settings, record):
    """Size of the stripped hello example that has rill linked into it."""
    program = settings.program("examples/hello")
    needed = subprocess.run(
        [tool("readelf"), "-d", program], capture_output=True, text=True, check=True
    ).stdout
    if re.search(r"NEEDED.*\[librill", needed):
        raise Unavailable("hello uses a shared librill: configure with -Ddefault_library=static")
    with tempfile.TemporaryDirectory(prefix="rill-bench-strip-") as folder:
        target = pathlib.Path(folder) / "hello"
        subprocess.run([tool("strip"), "-o", target, program], check=True, capture_output=True)
        record.value("hello.stripped_bytes", target.stat().st_size)
