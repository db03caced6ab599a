"""Plain text, as comments and docstrings have it, as reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterable

import formulas

_CODE = re.compile(r"``([^`]+)``|`([^`\n]+)`")
#: A heading of a docstring's part, and what Sphinx calls such a list.
_SECTION = re.compile(r"^(Arguments|Args|Returns|Raises|Attributes):$")
_ENTRY = re.compile(r"^(\*{0,2}[\w, .*]+?(?: \([^()]*(?:\([^()]*\)[^()]*)*\))?): (.*)$", re.DOTALL)


def escaped(text: str) -> str:
    """With no marks but those of code (`x`), and formulas as such."""
    parts, end = [], 0
    for found in _CODE.finditer(text):
        parts += [_prose(text[end : found.start()]), f"``{found[1] or found[2]}``\\ "]
        end = found.end()
    return "".join([*parts, _prose(text[end:])])


def _prose(text: str) -> str:
    parts, end = [], 0
    for begin, after, tex in formulas.found_in(text):
        parts += [_escaped(text[end:begin]), f":math:`{tex}`\\ "]
        end = after
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def indented(lines: Iterable[str], by: int) -> list[str]:
    return [" " * by + line if line else "" for line in lines]


def _blocks(lines: list[str]) -> list[list[str]]:
    """What empty lines divide. Indented code keeps its empty lines."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            blocks.append([])
        else:
            blocks[-1].append(line.rstrip())
    joined: list[list[str]] = []
    for block in filter(None, blocks):
        goes_on = joined and joined[-1][0].startswith("  ") and block[0].startswith("  ")
        if goes_on:
            joined[-1] += ["", *block]
        else:
            joined.append(block)
    return joined


def _entries(lines: list[str]) -> list[str]:
    """The text of each entry of a part: lines further right go on with the one above."""
    least = min(len(line) - len(line.lstrip()) for line in lines)
    found: list[str] = []
    for line in lines:
        if line[least] != " " or not found:
            found.append(line.strip())
        else:
            found[-1] += " " + line.strip()
    return found


def _definitions(entries: list[str]) -> list[str]:
    out: list[str] = []
    for entry in entries:
        parts = _ENTRY.match(entry)
        if parts:
            out += [f"- **{_escaped(parts[1])}**: {escaped(parts[2])}"]
        else:
            out += [f"- {escaped(entry)}"]
    return [*out, ""]


def _list_items(block: list[str]) -> list[str]:
    items: list[str] = []
    for line in block:
        if line.lstrip().startswith("- ") or not items:
            items.append(line.strip())
        else:
            items[-1] += " " + line.strip()
    return ["- " + escaped(item.removeprefix("- ")) for item in items]


def from_plain(text: str) -> list[str]:
    """Lines of reStructuredText that show the text as it stands: paragraphs, indented code, lists,
    and the parts "Arguments:" and "Returns:"."""
    out: list[str] = []
    section = False
    for block in _blocks(text.expandtabs().split("\n")):
        if heading := _SECTION.match(block[0]):
            out += [f".. rubric:: {heading[1]}", ""]
            if block[1:]:
                out += _definitions(_entries(block[1:]))
            section = not block[1:]
        elif section:
            out += _definitions(_entries(block))
            section = False
        elif block[0].startswith("  "):
            out += ["::", "", *indented(block, 4), ""]
        elif block[0].startswith("- "):
            out += [*_list_items(block), ""]
        else:
            head = next((i for i, line in enumerate(block) if line.startswith("- ")), len(block))
            out += [escaped(" ".join(block[:head])), ""]
            if block[head:]:
                out += [*_list_items(block[head:]), ""]
    return out


def wrapped(signature: str, width: int = 84) -> list[str]:
    """A declaration of C++, with one parameter a line where it is longer than the width."""
    begin = signature.find("(")
    if len(signature) <= width or begin < 0:
        return [signature]
    parts, depth, part = [signature[: begin + 1]], 0, ""
    for i, c in enumerate(signature[begin + 1 :], begin + 1):
        depth += (c in "([{<") - (c in ")]}>")
        if depth < 0:
            return [*parts, f"    {part.strip()}{signature[i:]}"] if part else [signature]
        part += c
        if c == "," and depth == 0:
            parts.append(f"    {part.strip()}")
            part = ""
    return [signature]


def title(text: str, mark: str = "=") -> list[str]:
    return [text, mark * max(len(text), 3), ""]
