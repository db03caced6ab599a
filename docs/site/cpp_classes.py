"""Pages of C++: classes and functions of the headers that catena.h brings, one page of each folder,
from what Doxygen reads. Functions of arrays have pages of their own (functions.py)."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import doxygen
from cpp_prose import description
from cpp_signatures import Declared, class_signature, flat, signature
from text import indented, title

#: Folders, in the order of the pages, and what they are called there.
TITLES = {
    "runtime/core/array": "Arrays, shapes and devices",
    "runtime/core/dtype": "Dtypes",
    "runtime/graph": "Variables, gradients and settings",
    "runtime/scalar": "Formulas of elementwise functions",
    "frontend/link": "Links: the base, and the usual layers",
    "frontend/link/connection": "Links: further products and convolutions",
    "frontend/link/activation": "Links: activations",
    "frontend/link/normalization": "Links: further normalizations",
    "frontend/link/rnn": "Links: recurrent networks",
    "frontend/link/loss": "Links: losses",
    "frontend/link/vision": "Links: networks for images",
    "frontend/link/hooks": "Hooks of links",
    "frontend/init": "Initializers",
    "frontend/optimizer": "Optimizers and their hooks",
    "frontend/static_graph": "Static graphs",
    "frontend/static_graph/call": "Static graphs: options, statistics, profiles",
    "frontend/static_graph/sizes": "Static graphs: open sizes",
    "frontend/dataset": "Datasets and iterators",
    "frontend/trainer": "The trainer",
    "frontend/trainer/extensions": "Extensions of the trainer",
    "frontend/serializer": "Saving and loading",
    "frontend/parallel": "Many processes: models and training",
    "frontend/hooks": "Hooks of functions",
    "runtime/comm": "Many processes: communicators",
    "runtime/program/file": "Programs in files",
    "runtime/file": "Files of arrays",
    "runtime/profile": "Profiling",
    "runtime/core/system": "Errors and the log",
    "runtime/core/parallel": "Threads",
    "runtime/core/random": "Random numbers",
    "runtime/core/memory": "Memory and references",
    "runtime/program/schedule": "Compiled programs",
    "runtime/cpu/recurrent": "Sequences of different lengths",
}
OPS = "Options and results of functions"
_KINDS = (
    "public-type",
    "public-static-func",
    "public-func",
    "public-attrib",
    "public-static-attrib",
)


def write(folder: Path, root: Path, pages: Any, declared: Declared) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = title("C++")
    if shutil.which("doxygen") is None:
        lines += ["This site was built without Doxygen, which reads the classes of C++.", ""]
        (folder / "index.rst").write_text("\n".join(lines) + "\n")
        return
    headers = doxygen.included(root, "frontend/catena.h")
    found = _read(root, headers, declared)
    lines += [
        "Classes and functions of ``#include <catena/catena.h>``, namespace ``catena``. Functions "
        "of arrays are told :doc:`by family </functions/index>`. Names of types lead to where they "
        "are told.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
    ]
    by_page: dict[str, list[str]] = {}
    for header in headers:
        if header in found:
            by_page.setdefault(_page_of(header), []).append(header)
    order = list(TITLES)
    for name in sorted(by_page, key=lambda n: order.index(n) if n in order else len(order)):
        page = name.replace("/", "_")
        lines.append(f"   {page}")
        body = title(TITLES.get(name, OPS if name == "runtime/ops" else name.split("/", 1)[1]))
        for header in sorted(by_page[name]):
            link = f"`{header} <../{pages.source(header)}>`__"
            body += [*title(_heading(header), "-"), f"Declared in {link}.", "", *found[header]]
        (folder / f"{page}.rst").write_text("\n".join(body) + "\n")
    (folder / "index.rst").write_text("\n".join(lines) + "\n")


def _page_of(header: str) -> str:
    return "runtime/ops" if header.startswith("runtime/ops/") else header.rsplit("/", 1)[0]


def _heading(header: str) -> str:
    words = header.rsplit("/", 1)[1].removesuffix(".h").replace("_", " ")
    return words[0].upper() + words[1:]


def _read(root: Path, headers: list[str], declared: Declared) -> dict[str, list[str]]:
    """The text on each header."""
    found: dict[str, list[tuple[int, list[str]]]] = {}
    for compound in doxygen.compounds(root, headers):
        kind, name = compound.get("kind"), compound.findtext("compoundname") or ""
        if re.search(r"::(detail|functions)(::|$)", name) or not name.startswith("catena"):
            continue
        if kind in ("class", "struct") and compound.get("prot") == "public":
            header, line = doxygen.header_of(compound, root)
            found.setdefault(header, []).append((line, _class(compound, root, declared)))
        elif kind == "namespace":
            sections = list(compound.iterfind("sectiondef/memberdef"))
            for at, lines in _members(sections, name, "", root, declared):
                if not at[0].startswith("runtime/ops/"):  # Functions by family.
                    found.setdefault(at[0], []).append((at[1], [_scope(name), "", *lines]))
    return {
        header: [line for _, lines in sorted(entries) for line in lines]
        for header, entries in found.items()
    }


def _scope(namespace: str) -> str:
    return f".. cpp:namespace:: {namespace}"


def _class(compound: ET.Element, root: Path, declared: Declared) -> list[str]:
    whole = compound.findtext("compoundname") or ""
    namespace = whole.split("<")[0].rpartition("::")[0]
    name = whole[len(namespace) + 2 :]
    body = description(compound)
    members = [m for k in _KINDS for m in compound.iterfind(f"sectiondef[@kind='{k}']/memberdef")]
    for _, lines in _members(members, whole, name, root, declared):
        body += lines
    kind = compound.get("kind") or "class"
    head = class_signature(compound, name)
    return [
        _scope(namespace),
        "",
        *declared.directive(kind, [head], namespace, body, is_member=False),
    ]


def _members(
    elements: list[ET.Element], scope: str, owner: str, root: Path, declared: Declared
) -> list[tuple[tuple[str, int], list[str]]]:
    """Their places and texts. Overloads right below one with a comment share it, and so do members
    on one line."""
    groups: list[list[ET.Element]] = []
    for element in sorted(elements, key=lambda m: doxygen.header_of(m, root)):
        if element.get("kind") in ("define", "friend") or not _is_shown(element, owner):
            continue
        if groups and _shares(element, groups[-1], root):
            groups[-1].append(element)
        else:
            groups.append([element])
    found = []
    for group in groups:
        told = [line for element in group for line in description(element)]
        if not owner and not told:
            continue
        kind = group[0].get("kind") or "function"
        texts = list(dict.fromkeys(signature(element) for element in group))
        body = [*told, *_values(group[0])]
        lines = declared.directive(kind, texts, scope, body, is_member=bool(owner))
        found.append((doxygen.header_of(group[0], root), lines))
    return found


def _shares(element: ET.Element, group: list[ET.Element], root: Path) -> bool:
    header, line = doxygen.header_of(element, root)
    before = doxygen.header_of(group[-1], root)
    if header != before[0] or element.get("kind") != group[0].get("kind"):
        return False
    is_told = any(doxygen.has_text(e) for e in group)
    if element.get("kind") == "function" and element.findtext("name") == group[0].findtext("name"):
        return is_told and not doxygen.has_text(element) and line - before[1] <= 8
    return element.get("kind") == "variable" and line == before[1]


def _values(element: ET.Element) -> list[str]:
    """Those of an enumeration."""
    lines: list[str] = []
    for value in element.iterfind("enumvalue"):
        lines += [f".. cpp:enumerator:: {value.findtext('name')}", "   :no-contents-entry:", ""]
        lines += indented(description(value), 3)
    return lines


def _is_shown(member: ET.Element, owner: str) -> bool:
    """Not what every class has: a destructor, copies, what is deleted or inherited."""
    name, own = member.findtext("name") or "", owner.split("<")[0].split("::")[-1]
    text = signature(member)
    if name.startswith(("~", "@")) or re.search(r"= ?(delete|default)$", text):
        return False
    if text.startswith("template ") and member.find("templateparamlist") is None:
        return False  # An instance of what is declared above.
    is_function = member.get("kind") == "function" and "operator" not in name
    if owner and is_function and not flat(member.find("type")) and name != own:
        return False  # A constructor of the base.
    copies = rf"(explicit )?{own}\((const )?{own} ?&+\w*\).*|.*operator= ?\((const )?{own} ?&+.*"
    return not owner or re.fullmatch(copies, text) is None
