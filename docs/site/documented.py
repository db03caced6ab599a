"""Counts which public members of C++ have a comment, and prints those that have none.

    documented.py

Counted are the classes, functions, members, types, enumerations and constants that a program meets
which includes catena/catena.h, in namespaces catena::*. Not counted: what is private or protected,
namespaces `detail`, and what says nothing of its own: copies and moves, destructors, `= delete`,
`= default`, constructors of the base (`using Base::Base`). Counted as told: an override whose base
is told, an overload right below one that has a comment, and members on one line with one (all are
shown with it), values of an enumeration that is told, and the calls of function objects
(`functions::Elu`), of which the comment of the object tells. Needs Doxygen.
"""

from __future__ import annotations

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import doxygen

ROOT = Path(__file__).parents[2]
_SAME_COMMENT = 8  # Lines within which an overload follows the one before it.


@dataclass(frozen=True)
class Member:
    name: str
    kind: str
    header: str
    line: int
    is_told: bool

    def __str__(self) -> str:
        return f"{self.header}:{self.line}: {self.kind} {self.name}"


def members(root: Path) -> list[Member]:
    """All that count."""
    found = doxygen.compounds(root, doxygen.included(root, "frontend/catena.h"))
    told = {m.get("id", "") for c in found for m in c.iter("memberdef") if doxygen.has_text(m)}
    return [member for compound in found for member in _members(compound, told, root)]


def _members(compound: ET.Element, told: set[str], root: Path) -> Iterator[Member]:
    name, kind = compound.findtext("compoundname") or "", compound.get("kind", "")
    if not re.match(r"catena(::|$)", name) or re.search(r"::(detail|functions)(::|$)", name):
        return
    is_type = kind in ("class", "struct", "union")
    if is_type and compound.get("prot") == "public":
        header, line = doxygen.header_of(compound, root)
        yield Member(name, kind, header, line, doxygen.has_text(compound))
    elif kind != "namespace":
        return
    before: Member | None = None
    sections = [m for m in compound.iterfind("sectiondef/memberdef") if _is_counted(m, name)]
    lines = {doxygen.header_of(m, root) for m in sections if doxygen.has_text(m)}
    for element in sorted(sections, key=lambda m: doxygen.header_of(m, root)):
        header, line = doxygen.header_of(element, root)
        own = f"{name}::{element.findtext('name')}"
        is_told = (header, line) in lines or any(
            base.get("refid") in told for base in element.iterfind("reimplements")
        )
        if before and before.is_told and before.header == header:
            is_overload = before.name == own and line - before.line <= _SAME_COMMENT
            is_told = is_told or is_overload
        before = Member(own, element.get("kind", ""), header, line, is_told)
        yield before
        for value in element.iterfind("enumvalue"):
            has_text = is_told or doxygen.has_text(value)
            yield Member(f"{own}::{value.findtext('name')}", "enumvalue", header, line, has_text)


def _is_counted(member: ET.Element, owner: str) -> bool:
    name, own = member.findtext("name") or "", owner.split("::")[-1].split("<")[0].strip()
    arguments = (member.findtext("argsstring") or "").strip()
    if member.get("prot") != "public" or member.get("kind") in ("define", "friend"):
        return False
    if _type(member).startswith("template "):  # extern template, of what is declared above.
        return False
    if name.startswith(("~", "@")) or re.search(r"= ?(delete|default)$", arguments):
        return False
    is_constructor = not _type(member) and member.get("kind") == "function"
    if is_constructor and name != own and "operator" not in name:
        return False
    is_copy = re.match(rf"\((const )?{own}(<.*>)? ?&+ ?\w*\)", arguments) is not None
    return not (is_copy and name in (own, "operator="))


def _type(member: ET.Element) -> str:
    element = member.find("type")
    return "" if element is None else "".join(element.itertext()).strip()


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    found = members(ROOT)
    told = sum(member.is_told for member in found)
    for member in sorted((m for m in found if not m.is_told), key=lambda m: (m.header, m.line)):
        print(member)
    print(f"{told} of {len(found)} public members have a comment ({100 * told / len(found):.1f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
