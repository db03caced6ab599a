"""Reads the declarations of C++ headers with the comments (`///`) above or behind them.

No more than Catena's own headers need: namespaces, structs with their members, functions, objects
(`inline constexpr functions::Elu elu;`) and macros that declare a function by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_TOKEN = re.compile(
    r"""
    (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<behind>///<[^\n]*)
  | (?P<above>///[^\n]*)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])')
  | (?P<line>\n[ \t]*)
  | (?P<word>\w[\w']*)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


@dataclass
class Declaration:
    """One of a function, an object, a member or a struct."""

    name: str
    text: str  # Without its comment.
    comment: list[str]  # Lines, without "///".
    place: str  # "runtime/ops/math/math.h:17"
    members: list[Declaration] = field(default_factory=list)  # Of a struct.
    is_behind: bool = False  # The comment stands behind it (`///<`).

    @property
    def is_struct(self) -> bool:
        return re.match(r"(struct|class)\b", self.text) is not None

    @property
    def parameters(self) -> list[str]:
        """The names of a function's parameters."""
        inside = self.text[self.text.find("(") + 1 : self.text.rfind(")")]
        parts = [_without_values(part) for part in _split(inside)]
        return [words[-1] for part in parts if (words := re.findall(r"\w+", part))]

    @property
    def result(self) -> str:
        """The type that a function returns."""
        return self.text[: self.text.find(self.name)].split()[-1] if self.name in self.text else ""


class _Reader:
    def __init__(self, path: Path, shown: str) -> None:
        self.source = path.read_text()
        self.shown = shown
        self.tokens = list(_TOKEN.finditer(self.source))
        self.next = 0

    def read(self, within: str = "") -> Iterator[Declaration]:
        """The declarations up to the brace that closes the scope; `within` is a struct's name."""
        comment: list[str] = []
        last: list[Declaration] = []
        while self.next < len(self.tokens):
            token = self.tokens[self.next]
            kind, text = token.lastgroup, token.group()
            if kind == "above":
                comment.append(text[3:].removeprefix(" ").rstrip())
                self.next += 1
            elif kind == "behind":
                for declaration in last:
                    declaration.comment.append(text[4:].strip())
                    declaration.is_behind = True
                self.next += 1
            elif kind == "line" or (kind == "mark" and text.isspace()):
                if self._is_blank_line():
                    comment = []
                self.next += 1
            elif kind in ("directive", "comment"):
                comment = []
                self.next += 1
            elif text == "}":
                self.next += 1
                return
            else:
                last = list(self._statement(comment, within))
                yield from last
                comment = []

    def _is_blank_line(self) -> bool:
        after = self.tokens[self.next + 1 : self.next + 2]
        return bool(after) and after[0].group().startswith("\n")

    def _statement(self, comment: list[str], within: str) -> Iterator[Declaration]:
        start = self.tokens[self.next].start()
        place = f"{self.shown}:{self.source.count(chr(10), 0, start) + 1}"
        parts: list[str] = []
        depth = 0
        while self.next < len(self.tokens):
            token = self.tokens[self.next]
            kind, text = token.lastgroup, token.group()
            self.next += 1
            if kind in ("comment", "above", "behind", "directive"):
                continue
            if text == "{" and depth == 0:
                written = _plain(parts)
                if re.match(r"(inline )?(namespace|extern)\b", written):
                    yield from self.read()
                    return
                if re.match(r"(struct|class|enum|union)\b", written):
                    yield from self._struct(written, comment, place)
                    return
                self.next -= 1
                self._skip_braces()
                if not re.search(r"[^=!<>]=[^=]*$", written):  # A function's body.
                    yield from _declared(written, comment, place, within)
                    return
                parts.append("{}")
                continue
            depth += (text in "([{") - (text in ")]}") if kind == "mark" else 0
            if text == ";" and depth == 0:
                break
            parts.append(" " if kind == "line" else text)
            if text == ")" and depth == 0 and re.match(r"CATENA_\w+ ?\(", _plain(parts)):
                break
            if text == ":" and re.fullmatch(r"(public|private|protected) ?:", _plain(parts)):
                return
        yield from _declared(_plain(parts), comment, place, within)

    def _struct(self, written: str, comment: list[str], place: str) -> Iterator[Declaration]:
        words = re.match(r"(?:struct|class|enum class|enum|union) (\w+)", written)
        name = words.group(1) if words else ""
        if written.startswith("enum"):
            self.next -= 1
            self._skip_braces()
            return
        inner = list(self.read(name or "?"))
        yield Declaration(name, written, comment, place, inner)

    def _skip_braces(self) -> None:
        depth = 0
        while self.next < len(self.tokens):
            token = self.tokens[self.next]
            self.next += 1
            if token.lastgroup == "mark":
                depth += (token.group() == "{") - (token.group() == "}")
                if depth == 0:
                    return


def _plain(parts: list[str]) -> str:
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def _declared(text: str, comment: list[str], place: str, within: str) -> Iterator[Declaration]:
    """What a statement declares, as far as anybody asks."""
    if re.match(r"(using|typedef|template|friend|extern|static_assert|return)\b", text):
        return
    macro = re.match(r"CATENA_\w+ ?\((\w+)", text)
    function = None if "operator" in text else re.search(r"(\w+) ?\(", _without_values(text))
    if macro:
        yield Declaration(macro.group(1), text, comment, place)
    elif within and not function:
        for part in _split(_without_values(text)):
            if words := re.findall(r"\w+", part):
                yield Declaration(words[-1], text, list(comment), place)
    elif function:
        yield Declaration(function.group(1), text, comment, place)
    elif constant := re.match(r"inline constexpr [\w:]+ (\w+)", text):
        yield Declaration(constant.group(1), text, comment, place)


def _without_values(text: str) -> str:
    """Without what follows "=" up to the next comma outside brackets."""
    kept, depth, skipping = [], 0, False
    for c in text:
        depth += (c in "([{<") - (c in ")]}>")
        if c == "=" and depth == 0:
            skipping = True
        elif c == "," and depth == 0:
            skipping = False
        if not skipping:
            kept.append(c)
    return "".join(kept)


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def declarations(path: Path, root: Path) -> list[Declaration]:
    """All of a header's, in their order."""
    return list(_Reader(path, str(path.relative_to(root))).read())
