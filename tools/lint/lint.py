#!/usr/bin/env python3
"""./dev lint: checks the tree against tools/lint/table.py and prints path:line: rule: message.

An exception in place is `lint: allow(rule) reason` in a comment on the line or the one above.
"""

import argparse
import fnmatch
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import compile as compilation
import coroutines
import links
import named_tests
import source
import structure
import table

_TEXT = (".py", ".sh", ".build", ".cmake")


def is_text(path):
    return path.endswith(source.CPP + _TEXT) or path in ("dev", ".ci/run")


def check_file(root, path):
    """All findings of one file that need no compiler."""
    if path.endswith(".md"):
        yield from links.check_links(root, path)
        yield from named_tests.check_named_tests(root, path)
        return
    if not is_text(path):
        return
    read = source.Source(root, path)
    rules = list(structure.TEXT_RULES)
    if path.startswith("tools/lint/"):
        rules.remove(structure.check_marks)  # it holds the marks that it looks for
    if read.is_cpp:
        rules += structure.CPP_RULES + [coroutines.check_coroutines]
    for rule in rules:
        for line, name, message in rule(read):
            exempt = any(name == e[0] and fnmatch.fnmatch(path, e[1]) for e in table.EXEMPT)
            if not exempt and not read.allows(name, line):
                yield line, name, message


def check_tree(root, with_compiler=True, jobs=2, report=lambda text: None):
    """All findings of the tree, as (path, line, rule, message)."""
    files = [f for f in source.list_files(root) if not f.startswith("tests/fuzz/corpus/")]
    findings = []
    report(f"{len(files)} files: layers, names, lengths, coroutine forms, links")
    for path in files:
        findings += [(path, *finding) for finding in check_file(root, path)]
    if with_compiler:
        cpp = [f for f in files if f.endswith(source.CPP)]
        report(f"{len(cpp)} files: layout")
        findings += compilation.check_format(root, cpp)
        headers = [f for f in cpp if f.endswith(".hpp") and f.startswith(("include/", "lib/", "tests/support/"))]
        report(f"{len(headers)} headers: each compiles alone with {' and '.join(compilation.compilers())}")
        findings += compilation.check_headers(root, headers, jobs)
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    parser.add_argument("--quick", action="store_true", help="leave out what needs a compiler or clang-format")
    parser.add_argument("--list-cpp", action="store_true", help="print the C++ files and stop")
    options = parser.parse_args()
    root = os.path.abspath(options.root)
    if options.list_cpp:
        print("\n".join(f for f in source.list_files(root) if f.endswith(source.CPP)))
        return 0
    jobs = int(os.environ.get("RILL_JOBS", os.cpu_count() or 1))
    findings = check_tree(root, not options.quick, jobs, lambda text: print(f"lint: {text}", flush=True))
    for path, line, rule, message in sorted(findings):
        print(f"{path}:{line}: {rule}: {message}")
    print(f"lint: {len(findings)} findings" if findings else "lint: clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
