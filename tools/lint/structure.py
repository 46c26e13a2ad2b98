"""Rules about where things are: layers, third parties, system calls, lengths, marks."""

import re

from source import line_of
import table


def _starts(path, prefixes):
    return any(path.startswith(prefix) for prefix in prefixes)


def layer_of(path):
    """The layer of a file below include/rill or lib; '' for a public header of no known layer."""
    match = re.match(r"(?:include/rill|lib)/([a-z0-9_]+)(/|\.hpp$)", path)
    if not match:
        return None
    return match.group(1) if match.group(1) in table.LAYERS else ""


def _included_layer(name):
    """The layer that an #include "..." reaches, or None for a system or foreign header."""
    match = re.match(r"(?:rill/)?([a-z0-9_]+)(?:/|\.hpp$)", name)
    if match and match.group(1) in table.LAYERS:
        return match.group(1)
    return None


def check_layers(source):
    layer = layer_of(source.path)
    if layer is None:
        return
    if layer == "":
        yield 1, "layer", "belongs to no layer of tools/lint/table.py: add a row or move the file"
        return
    allowed = [layer] + table.LAYERS[layer]
    public = source.path.startswith("include/")
    for line, name, quoted in source.includes:
        if not quoted and not name.startswith("rill/"):
            continue
        reached = _included_layer(name)
        if reached is not None and reached not in allowed:
            yield line, "layer", f"'{layer}' must not include '{reached}' ({name}); it may include: {' '.join(allowed)}"
        if public and not name.startswith("rill/"):
            yield line, "layer", f"a public header includes public headers only, as \"rill/...\"; not {name}"


def check_third_party(source):
    for line, name, _ in source.includes:
        for prefix, homes in table.THIRD_PARTY.items():
            if not name.startswith(prefix) or _starts(source.path, homes):
                continue
            if not _starts(source.path, table.THIRD_PARTY_FREE):
                yield line, "third-party", f"{name} belongs to {', '.join(homes)} only"
        known = any(name.startswith(prefix) for prefix in table.THIRD_PARTY)
        foreign = "." in name and not name.startswith(("rill/", "linux/", "sys/")) and not known
        if source.path.startswith("include/") and foreign and name not in table.SYSTEM_HEADERS:
            yield line, "third-party", f"a public header includes rill and the standard library only; not {name}"


_CALL = re.compile(r"(?<![\w>:])::(%s)\s*\(" % "|".join(table.SYSTEM_CALLS))


def check_system(source):
    if not _starts(source.path, table.SYSTEM_SCOPE) or _starts(source.path, table.SYSTEM_HOMES):
        return
    for line, name, _ in source.includes:
        if name in table.SYSTEM_HEADERS or name.startswith(("linux/", "asm/")):
            yield line, "system", f"<{name}> belongs behind the driver seam, in lib/rt"
    for match in _CALL.finditer(source.code):
        yield line_of(source.code, match.start()), "system", f"::{match.group(1)}() is a system call: it belongs in lib/rt"
    for match in re.finditer(r"\bthread_local\b", source.code):
        yield line_of(source.code, match.start()), "system", "thread_local belongs in lib/rt: the scheduler holds what is per core"


def check_banned(source):
    for pattern, instead, scope, homes in table.BANNED:
        if not _starts(source.path, scope) or _starts(source.path, homes):
            continue
        for match in re.finditer(pattern, source.code):
            yield line_of(source.code, match.start()), "banned", f"'{match.group(0).strip()}': use {instead}"


def check_head(source):
    """The first line says what the file is for; a header is guarded; its macros are ours."""
    if _starts(source.path, ["tests/fuzz/corpus/"]):
        return
    if not source.text.startswith("//"):
        yield 1, "head", "the first line is a // comment that says what the file is for"
    if source.path.endswith(".hpp") and not re.search(r"^#pragma once$", source.text, re.M):
        yield 1, "head", "a header has #pragma once"
    if source.path.startswith("include/"):
        for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", source.code, re.M):
            if not match.group(1).startswith("RILL_"):
                line = line_of(source.code, match.start())
                yield line, "head", f"macro {match.group(1)} leaks to users: name it RILL_..."


def check_file_length(source):
    if len(source.lines) - 1 > table.FILE_LINES:
        yield 1, "length", f"{len(source.lines) - 1} lines; {table.FILE_LINES} is the end: split by idea"


_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def _kind(head):
    """What a brace opens: 'scope' (namespace, class), 'data' (initialiser, concept) or 'function'."""
    if not head.strip():
        return "function"  # the body after a member initialiser in braces
    bare, before = head, None
    while bare != before:
        before = bare
        bare = re.sub(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]", " ", bare)
    if bare.rstrip().endswith("=") or re.search(r"\bconcept\b", bare):
        return "data"
    if _SCOPE.search(bare):
        return "scope"
    return "function" if "(" in head else "data"


def functions(body):
    """(start line, end line) of what stands at namespace or class scope and has a body."""
    stack = []  # True for a namespace or class, False for anything inside a function
    begin = 0  # where the current declaration starts
    opened = None
    paren = 0
    for offset, char in enumerate(body):
        if char in "([":
            paren += 1
        elif char in ")]":
            paren = max(0, paren - 1)
        elif paren:
            continue
        elif char == "{":
            head = body[begin:offset]
            if all(stack):
                kind = _kind(head)
                if kind == "function":
                    opened = begin + len(head) - len(head.lstrip())
                stack.append(kind == "scope")
            else:
                stack.append(False)
            begin = offset + 1
        elif char == "}":
            if stack:
                stack.pop()
            if all(stack) and opened is not None:
                yield line_of(body, opened), line_of(body, offset)
                opened = None
            begin = offset + 1
        elif char == ";":
            begin = offset + 1


def check_function_length(source):
    for first, last in functions(source.body):
        count = last - first + 1
        if count > table.FUNCTION_LINES:
            yield first, "length", f"a function of {count} lines; {table.FUNCTION_LINES} fit a screen"


def check_marks(source):
    for number, line in enumerate(source.lines, 1):
        if re.search(r"\bTODO\b(?!\([\w.-]+\): \S)", line):
            yield number, "mark", "write TODO(topic): and the condition that would remove it"
        found = re.search(r"\b(FIXME|XXX|HACK)\b", line)
        if found:
            yield number, "mark", f"{found.group(1)}: mend it, or TODO(topic): with the condition that removes it"


CPP_RULES = [
    check_layers, check_third_party, check_system, check_banned, check_head, check_function_length,
]
TEXT_RULES = [check_file_length, check_marks]
