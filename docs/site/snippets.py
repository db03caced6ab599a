"""The blocks of code of a page: which language, what stands in them, and what they print.

A block without a language that directly follows one of code is what that code prints; "..." in it
stands for any text. C++ and Python that follow each other say the same: they become tabs on the
site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: The folders whose pages are programs that tests run.
LESSONS = ("docs/first_hour", "docs/how_to")
NOT_RUN = "<!-- compiled only -->"
_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_TITLES = {"cpp": "C++", "python": "Python"}


@dataclass
class Snippet:
    """A block of code, and the block that says what it prints."""

    language: str
    code: str
    line: int  #: Of its first line, from 1.
    begin: int  #: Where it stands in the text, with what it prints.
    end: int
    printed: str = ""
    is_run: bool = True  #: False below the comment NOT_RUN.


def snippets(text: str) -> list[Snippet]:
    """All blocks that name a language, in the order of the page."""
    found: list[Snippet] = []
    for block in _BLOCK.finditer(text):
        between = text[found[-1].end : block.start()] if found else text[: block.start()]
        if block[2]:
            is_run = not between.rstrip().endswith(NOT_RUN)
            line = text.count("\n", 0, block.start(3)) + 1
            found.append(
                Snippet(block[2], block[3], line, block.start(), block.end(), is_run=is_run)
            )
        elif found and not between and not found[-1].printed:
            found[-1].printed, found[-1].end = block[3], block.end()
    return found


def lessons(root: Path) -> list[Path]:
    return [page for folder in LESSONS for page in sorted((root / folder).glob("*.md"))]


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern, in which "..." stands for anything, is the text."""
    parts = [re.escape(part) for part in pattern.split("...")]
    return re.fullmatch(".*?".join(parts), text, re.DOTALL) is not None


def _groups(text: str) -> Iterator[list[Snippet]]:
    """C++ and Python with nothing but empty lines between them."""
    group: list[Snippet] = []
    for snippet in snippets(text):
        follows = group and not text[group[-1].end : snippet.begin].replace(NOT_RUN, "").strip()
        is_other = snippet.language in _TITLES and group and snippet.language != group[-1].language
        if follows and is_other and len(group) < 2:
            group.append(snippet)
            continue
        if len(group) == 2:
            yield group
        group = [snippet] if snippet.language in _TITLES else []
    if len(group) == 2:
        yield group


def with_tabs(text: str) -> str:
    """The page with a tab for each language where C++ and Python stand beside each other."""
    parts, end = [], 0
    for group in _groups(text):
        parts += [text[end : group[0].begin], "::::{tab-set}\n:sync-group: language\n\n"]
        for snippet in sorted(group, key=lambda s: s.language != "python"):
            block = text[snippet.begin : snippet.end]
            title = _TITLES[snippet.language]
            parts.append(f":::{{tab-item}} {title}\n:sync: {snippet.language}\n\n{block}:::\n\n")
        parts.append("::::\n")
        end = group[-1].end
    return "".join([*parts, text[end:]])
