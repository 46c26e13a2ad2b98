#!/usr/bin/env python3
"""Code in the documentation is a file of the tree: what is printed is what was built and run.

usage: docs_blocks.py ROOT. Above each block of C++, Meson or ini stands `<!-- path -->`, and the
block equals that file. With --write, blocks are brought up to their files.
"""

import os
import pathlib
import re
import sys

_BLOCK = re.compile(r"(?:^<!-- (?P<path>\S+) -->\n)?^```(?P<kind>cpp|meson|ini)\n(?P<text>.*?)^```$", re.S | re.M)


def documents(root):
    """README and every page of docs/, as paths below the root."""
    pages = sorted(pathlib.Path(root, "docs").rglob("*.md"))
    return ["README.md", *(str(page.relative_to(root)) for page in pages)]


def main():
    root = sys.argv[-1]
    bad = 0
    count = 0
    for document in documents(root):
        path = os.path.join(root, document)
        with open(path, encoding="utf-8") as file:
            text = file.read()

        def renewed(block, document=document):
            nonlocal bad, count
            count += 1
            line = text.count("\n", 0, block.start()) + 1
            if not block["path"]:
                print(f"{document}:{line}: no `<!-- path -->` above this block")
                bad += 1
                return block.group(0)
            with open(os.path.join(root, block["path"]), encoding="utf-8") as file:
                wanted = file.read()
            if block["text"] != wanted:
                print(f"{document}:{line}: differs from {block['path']}; see --write")
                bad += 1
            return f"<!-- {block['path']} -->\n```{block['kind']}\n{wanted}```"

        new = _BLOCK.sub(renewed, text)
        if "--write" in sys.argv and new != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    print(f"{count} blocks, {bad} that differ")
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
