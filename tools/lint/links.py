"""Links in the documentation: a relative one names a file of the tree, an anchor a heading."""

import os
import re

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
_LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^\[[^\]\n]+\]:\s*(\S+)", re.M)


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def _anchors(text):
    """The anchors of the headings, spelled as the usual renderers spell them."""
    found = {}
    names = set()
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", _FENCE.sub(_blank, text), re.M):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        names.add(slug if count == 0 else f"{slug}-{count}")
    return names | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def check_links(root, path):
    """Yields (line, rule, message) for each link of a Markdown file that leads nowhere."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    prose = re.sub(r"`[^`\n]+`", _blank, _FENCE.sub(_blank, text))
    for match in [*_LINK.finditer(prose), *_REFERENCE.finditer(prose)]:
        target = match.group(1)
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue  # a link to elsewhere: lint needs no network
        line = prose.count("\n", 0, match.start()) + 1
        name, _, anchor = target.partition("#")
        reached = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        full = os.path.join(root, reached)
        if reached.startswith("..") or not os.path.exists(full):
            yield line, "link", f"{target} leads nowhere"
            continue
        if anchor and reached.endswith(".md"):
            with open(full, encoding="utf-8") as file:
                if anchor not in _anchors(file.read()):
                    yield line, "link", f"{target}: no such heading"
