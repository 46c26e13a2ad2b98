"""Coroutine forms that GCC 12.2 (or a later compiler) miscompiles, as far as a script sees them."""

import re

from source import line_of, match_bracket

_LAMBDA = re.compile(r"(?<![\w\])\]])\s*\[(?!\[)")


def lambdas(code, begin, end):
    """(introducer, closing bracket of it, body begin, body end) of the outermost lambdas."""
    at = begin
    while True:
        match = _LAMBDA.search(code, at, end)
        if not match:
            return
        intro = match.end() - 1
        close = match_bracket(code, intro)
        after = re.compile(r"\s*").match(code, close + 1).end()
        if after < end and code[after] == "(":
            after = match_bracket(code, after) + 1
        brace = re.compile(r"[^;{}()\]]*\{").match(code, after, end)
        if not brace:
            at = close + 1
            continue
        body = brace.end() - 1
        body_end = match_bracket(code, body)
        yield intro, close, body, body_end
        at = body_end + 1


def _blank_bodies(code, begin, end):
    """The text of an expression with the bodies of its lambdas blanked."""
    text = list(code[begin:end])
    for _, _, body, body_end in lambdas(code, begin, end):
        for offset in range(body - begin, min(body_end + 1 - begin, len(text))):
            text[offset] = " " if text[offset] != "\n" else "\n"
    return "".join(text)


def _expression_end(code, begin):
    """Where the full expression that contains `begin` ends: at its `;` or a closing bracket."""
    offset = begin
    while offset < len(code):
        if code[offset] in "([{":
            offset = match_bracket(code, offset)
        elif code[offset] in ")]};":
            return offset
        offset += 1
    return len(code)


_DECLARES = re.compile(r"^\s*(?:const\s+|constexpr\s+)?(?:auto|[\w:]+(?:<.*>)?)(?:\s+const|\s*&|\s*\*)*\s+\w+\s*(?:=(?!=)|\{|:)", re.S)


def _bare_condition(kind, inside):
    """True when the condition awaits without declaring a name for what it awaited."""
    parts = inside.split(";")
    if kind == "for":
        if len(parts) < 2:
            return False  # range-for declares its variable
        tested = parts[1]
    else:
        tested = parts[-1]
    return bool(re.search(r"\bco_await\b", tested)) and not _DECLARES.match(tested)


def bare_conditions(code):
    for match in re.finditer(r"\b(if|while|switch|for)\s*(?:constexpr\s*)?\(", code):
        open_ = match.end() - 1
        inside = _blank_bodies(code, open_ + 1, match_bracket(code, open_))
        if _bare_condition(match.group(1), inside):
            yield match.start(), f"co_await in a bare '{match.group(1)}' condition: bind it to a named local first"


def ternaries(code):
    for match in re.finditer(r"\?", code):
        end = _expression_end(code, match.start())
        if re.search(r"\bco_await\b", _blank_bodies(code, match.start(), end)):
            yield match.start(), "co_await inside ?: (double free on GCC 12.2): write if and else"


def catches(code):
    for match in re.finditer(r"\bcatch\s*\(", code):
        brace = code.find("{", match_bracket(code, match.end() - 1))
        if brace < 0:
            continue
        body = _blank_bodies(code, brace, match_bracket(code, brace))
        found = re.search(r"\bco_(return|await|yield)\b", body)
        if found:
            yield brace + found.start(), f"{found.group(0)} in a catch: leave the handler first, one exit after the try"


def _captures_by_value(intro):
    for item in re.split(r",(?![^(<{]*[)>}])", intro):
        item = item.strip()
        if item and item != "this" and not item.startswith("&"):
            return True
    return False


def awaited_temporaries(code):
    for match in re.finditer(r"\bco_await\b", code):
        end = _expression_end(code, match.end())
        for intro, close, _, _ in lambdas(code, match.end(), end):
            if _captures_by_value(code[intro + 1:close]):
                yield intro, "a lambda that captures by value inside a co_await expression (destroyed twice on GCC 12): name it first"
        text = _blank_bodies(code, match.end(), end)
        for braced in re.finditer(r"[(,]\s*\{\s*(?![.}\s])", text):
            yield match.end() + braced.start(), "a braced temporary inside a co_await expression: name the container first"


def structured_bindings(code):
    for match in re.finditer(r"\bauto\b[\s&]*(?:const\b)?[\s&]*\[[^\]]*\]\s*=", code):
        end = _expression_end(code, match.end())
        if re.search(r"\bco_await\b", _blank_bodies(code, match.end(), end)):
            yield match.start(), "auto [...] = co_await (wrong on GCC 15 and 16): bind one named value"


FORMS = [bare_conditions, ternaries, catches, awaited_temporaries, structured_bindings]


def check_coroutines(source):
    if "co_" not in source.body:
        return
    for form in FORMS:
        for offset, message in form(source.body):
            yield line_of(source.body, offset), "coroutine", message
