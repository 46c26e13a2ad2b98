"""Tests that the documentation names: `program: sentence` in a table whose last column is `test`."""

import glob
import os
import re

_TITLE = re.compile(r'(?:TEST_CASE|RILL_\w*TEST)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NAMED = re.compile(r"^([a-z0-9_]+): (.+)$")


def _titles(path):
    with open(path, encoding="utf-8") as file:
        return ["".join(_PART.findall(m)).replace('\\"', '"') for m in _TITLE.findall(file.read())]


def check_named_tests(root, path):
    """Yields (line, rule, message) for each test that is named and that there is not."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    in_table = False
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            in_table = False
        elif cells[-1] == "test":
            in_table = True
        elif in_table:
            for each in re.split(r"; (?=[a-z0-9_]+: )", cells[-1]):
                named = _NAMED.match(each)
                if named:
                    yield from _missing(root, number, *named.groups())


def _known(sentences, titles):
    """Whether it is one title, the beginning of one (`...`), or several with semicolons between."""
    if sentences.endswith("..."):
        return any(title.startswith(sentences[:-3].strip()) for title in titles)
    return any(
        sentences == title or (sentences.startswith(title + "; ") and _known(sentences[len(title) + 2 :], titles))
        for title in titles
    )


def _missing(root, number, program, sentences):
    files = glob.glob(os.path.join(root, "tests", "*", program + "_test.cpp"))
    titles = {title for each in files for title in _titles(each)}
    titles |= {re.sub(r" \([^()]*\)$", "", title) for title in titles}  # a case or a section behind it
    if not _known(sentences, titles):
        yield number, "test", f"tests/*/{program}_test.cpp has no test '{sentences}'"
