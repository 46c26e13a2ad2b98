"""Reading C++ the way lint needs it: which files there are, and code without comments and text."""

import os
import re
import subprocess

CPP = (".hpp", ".cpp", ".h", ".c")
SKIPPED = {".git", "build", "subprojects", ".cache", "node_modules", "__pycache__"}


def list_files(root):
    """All files of the tree that are not ignored, as sorted paths relative to root."""
    try:
        out = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"],
            cwd=root, check=True, capture_output=True, text=True,
        ).stdout
        names = [name for name in out.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in SKIPPED]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted({n for n in names if os.path.isfile(os.path.join(root, n))})


_TOKEN = re.compile(
    r"//[^\n]*(?:\\\n[^\n]*)*"                  # line comment
    r"|/\*.*?\*/"                                # block comment
    r'|R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'                      # string
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",     # character, not a digit separator
    re.S,
)


def _blank(match):
    text = match.group(0)
    blanked = re.sub(r"[^\n]", " ", text)
    if text.startswith(("//", "/*")):
        return blanked
    # A literal keeps its quotes, so that `f("")` still has an argument.
    return '"' + blanked[1:-1] + '"' if len(text) >= 2 else text


def strip(text):
    """The text with comments and the insides of literals blanked; offsets and lines stay."""
    return _TOKEN.sub(_blank, text)


def without_preprocessor(code):
    """`strip`ped code with preprocessor lines blanked as well."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), code, flags=re.M)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


_PAIRS = {"(": ")", "[": "]", "{": "}"}


def match_bracket(code, start):
    """Offset of the bracket that closes the one at `start`, or the end of the code."""
    open_, close, depth = code[start], _PAIRS[code[start]], 0
    for offset in range(start, len(code)):
        if code[offset] == open_:
            depth += 1
        elif code[offset] == close:
            depth -= 1
            if depth == 0:
                return offset
    return len(code) - 1


class Source:
    """One file: its path, its text, and its code once stripped."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        self.is_cpp = path.endswith(CPP)
        self.code = strip(self.text) if self.is_cpp else self.text
        self.body = without_preprocessor(self.code) if self.is_cpp else self.text
        self.includes = []  # (line, name, is_quoted)
        if self.is_cpp:
            for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', self.text, re.M):
                self.includes.append((line_of(self.text, match.start()), match.group(2), match.group(1) == '"'))

    def allows(self, rule, line):
        """True when the line or the one above says `lint: allow(rule) reason`."""
        for number in (line, line - 1):
            if 1 <= number <= len(self.lines):
                if re.search(r"lint: allow\(" + re.escape(rule) + r"\) \S+", self.lines[number - 1]):
                    return True
        return False
