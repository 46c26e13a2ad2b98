#!/usr/bin/env python3
"""./dev docs: builds the API reference and fails on every warning, undocumented public names first.

Names whose meaning the language fixes need no comment: copying and moving, and the words of the
coroutine protocol and of the standard library's generic code.
"""

import os
import re
import subprocess
import sys

_FIXED = re.compile(
    r"Member (?:"
    r"(?:value_type|promise_type|await_ready|await_suspend|await_resume)\b"  # protocol
    r"|(\w+)\(\1(?:<[^>]*>)? (?:const ?&|&&)"  # copying and moving: x(x const &other), x(x &&other)
    r"|operator=\((\w+)(?:<[^>]*>)? (?:const ?&|&&)"
    r"|~\w+\("
    r").* is not documented"
)


def unnamed_namespaces(root):
    """Public namespaces that docs/namespaces.dox leaves out: doxygen would not check what they hold."""
    with open(os.path.join(root, "docs", "namespaces.dox"), encoding="utf-8") as file:
        described = {name.rsplit("::", 1)[-1] for name in re.findall(r"\\namespace (\S+)", file.read())}
    for folder, _, names in os.walk(os.path.join(root, "include")):
        for path in (os.path.join(folder, name) for name in sorted(names) if name.endswith(".hpp")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for full in re.findall(r"^ *(?:inline )?namespace ([\w:]+) \{$", text, re.M):
                parts = full.split("::")
                if "detail" not in parts and parts[0] != "std" and not set(parts) <= described:
                    yield f"{path}:1: warning: namespace {full} has no line in docs/namespaces.dox"


def main():
    root = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    os.makedirs(os.path.join(root, "build", "docs"), exist_ok=True)
    log = os.path.join(root, "build", "docs", "warnings.txt")
    print("+ doxygen docs/Doxyfile", flush=True)
    done = subprocess.run(["doxygen", "docs/Doxyfile"], cwd=root, check=False)
    with open(log, encoding="utf-8") as file:
        warnings = [line.strip() for line in file if line.strip()]
    warnings += unnamed_namespaces(root)
    left = sorted({line.replace(root + os.sep, "") for line in warnings if not _FIXED.search(line)})
    print("\n".join(left) if left else "docs: every public name is documented")
    if left:
        print(f"docs: {len(left)} warnings")
    return 1 if left or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
