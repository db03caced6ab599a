"""The page of the functions of C, from the comments of its headers."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import doxygen
from cpp_prose import description
from cpp_signatures import flat
from text import escaped, indented, title

HEADERS = {"runtime/capi.h": "catena/capi.h", "runtime/c/catena_c.h": "catena/catena_c.h"}


def write(page: Path, root: Path, pages: Any) -> None:
    lines = [*title("Functions of C"), ":doc:`c` shows how they are used.", ""]
    if shutil.which("doxygen") is None:
        lines += ["This site was built without Doxygen, which reads the headers of C.", ""]
    else:
        for header, installed in HEADERS.items():
            lines += title(installed, "-")
            lines += [f"In the source tree `{header} <{pages.source(header)}>`__.", ""]
            lines += _header(root, header)
    page.write_text("\n".join(lines) + "\n")


def _header(root: Path, header: str) -> list[str]:
    found = doxygen.compounds(root, [header])
    told: list[str] = []
    entries: list[tuple[int, list[str]]] = []
    macros = {}
    for compound in found:
        if compound.get("kind") in ("struct", "class"):
            name = compound.findtext("compoundname") or ""
            body = [*description(compound), *_members(compound, root)]
            entries.append((doxygen.header_of(compound, root)[1], _entry("struct", [name], body)))
        elif compound.get("kind") == "file":
            told = description(compound)
            members = list(compound.iterfind("sectiondef/memberdef"))
            macros = {m.findtext("name"): m for m in members if m.get("kind") == "define"}
            entries += [(doxygen.header_of(m, root)[1], _member(m)) for m in members if _is_told(m)]
            entries += _made_by_macros(members, macros, root)
    return [*told, *(line for _, lines in sorted(entries) for line in lines)]


def _members(compound: ET.Element, root: Path) -> list[str]:
    """Those on one line share its comment."""
    lines: dict[int, list[ET.Element]] = {}
    for member in compound.iterfind("sectiondef/memberdef"):
        lines.setdefault(doxygen.header_of(member, root)[1], []).append(member)
    body: list[str] = []
    for members in lines.values():
        texts = [_declaration(member) for member in members]
        body += _entry("member", texts, [t for member in members for t in description(member)])
    return body


def _is_told(member: ET.Element) -> bool:
    return member.get("kind") in ("function", "enum") and doxygen.has_text(member)


def _made_by_macros(
    members: list[ET.Element], macros: dict[Any, ET.Element], root: Path
) -> list[tuple[int, list[str]]]:
    """Functions without a comment of their own: the macro that declares them has it."""
    functions = [m for m in members if m.get("kind") == "function" and not doxygen.has_text(m)]
    told = [m for m in macros.values() if doxygen.has_text(m)]
    if not functions or not told:
        return []
    texts = [_declaration(m) for m in functions]
    line = doxygen.header_of(told[0], root)[1]
    return [(line, _entry("function", texts, description(told[0])))]


def _member(member: ET.Element) -> list[str]:
    body = description(member)
    if member.get("kind") == "function":
        return _entry("function", [_declaration(member)], body)
    for value in member.iterfind("enumvalue"):
        number = flat(value.find("initializer")).removeprefix("= ")
        text = [*([f"= {escaped(number)}.", ""] if number else []), *description(value)]
        body += _entry("enumerator", [value.findtext("name") or ""], text)
    name = member.findtext("name") or ""
    return body if name.startswith("@") or not name else _entry("enum", [name], body)


def _declaration(member: ET.Element) -> str:
    name, arguments = member.findtext("name") or "", flat_c(member.find("argsstring"))
    text = f"{flat_c(member.find('type'))} {name}{arguments}"
    return re.sub(r" extern |^extern ", "", text)


def flat_c(element: ET.Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _entry(kind: str, texts: list[str], body: list[str]) -> list[str]:
    """Declarations with one description."""
    marks = ["   :no-contents-entry:"] if kind in ("member", "enumerator") else []
    head = [f".. c:{kind}:: {texts[0]}", *(f"   {text}" for text in texts[1:])]
    return [*head, *marks, "", *indented(body, 3), ""]
