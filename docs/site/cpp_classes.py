"""Pages of C++: classes and functions of the headers that catena.h is made of, one page of each
folder, from what Doxygen reads. Functions of arrays have pages of their own (functions.py)."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from functions import public_headers
from text import escaped, indented, title, wrapped

_SETTINGS = """
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
WARNINGS = NO
EXTRACT_ALL = YES
HIDE_FRIEND_COMPOUNDS = YES
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
JAVADOC_AUTOBRIEF = NO
FULL_PATH_NAMES = YES
"""
_KINDS = (
    "public-type",
    "public-static-func",
    "public-func",
    "public-attrib",
    "public-static-attrib",
)


def write(folder: Path, root: Path, pages: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = title("C++")
    if shutil.which("doxygen") is None:
        lines += ["This site was built without Doxygen, which reads the classes of C++.", ""]
        (folder / "index.rst").write_text("\n".join(lines) + "\n")
        return
    headers = [h for h in public_headers() if not h.startswith("runtime/ops/")]
    found = _read(root, headers)
    lines += [
        "Classes and functions of ``#include <catena/catena.h>``, namespace ``catena``, by the "
        "folder of their headers. Functions of arrays are told "
        ":doc:`by family </functions/index>`.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
    ]
    for name in sorted({h.rsplit("/", 1)[0] for h in headers}):
        texts = [found[h] for h in headers if h.rsplit("/", 1)[0] == name and h in found]
        if texts:
            page = name.replace("/", "_")
            lines.append(f"   {page}")
            body = title(name.split("/", 1)[1])
            for header in (h for h in headers if h.rsplit("/", 1)[0] == name and h in found):
                link = f"`{header} <../{pages.source(header)}>`__"
                body += [*title(header.rsplit("/", 1)[1], "-"), link, "", *found[header]]
            (folder / f"{page}.rst").write_text("\n".join(body) + "\n")
    (folder / "index.rst").write_text("\n".join(lines) + "\n")


def _read(root: Path, headers: list[str]) -> dict[str, list[str]]:
    """The text on each header."""
    with tempfile.TemporaryDirectory() as out:
        inputs = " ".join(str(root / header) for header in headers)
        settings = f"{_SETTINGS}INPUT = {inputs}\nOUTPUT_DIRECTORY = {out}\n"
        settings += f"STRIP_FROM_PATH = {root}\n"
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, capture_output=True)
        xml = Path(out) / "xml"
        compounds = [ET.parse(p).getroot().find("compounddef") for p in sorted(xml.glob("*.xml"))]
    found: dict[str, list[tuple[int, list[str]]]] = {}
    for compound in compounds:
        if compound is None:
            continue
        kind = compound.get("kind")
        if kind in ("class", "struct") and compound.get("prot") == "public":
            entries = [(compound, _class(compound))]
        elif kind == "namespace" and compound.findtext("compoundname") == "catena":
            entries = [(m, _function(m)) for m in compound.iterfind("sectiondef/memberdef")]
        else:
            continue
        for element, lines in entries:
            place = element.find("location")
            if place is not None and lines:
                at = int(place.get("line", "0"))
                header = place.get("file", "").removeprefix(f"{root}/")
                found.setdefault(header, []).append((at, lines))
    return {
        header: [line for _, lines in sorted(entries) for line in lines]
        for header, entries in found.items()
    }


def _class(compound: ET.Element) -> list[str]:
    name = (compound.findtext("compoundname") or "").removeprefix("catena::")
    if "detail" in name or "functions::" in name or "<" in name:
        return []
    bases = [(b.text or "").replace("catena::", "") for b in compound.iterfind("basecompoundref")]
    parameters = [_flat(p) for p in compound.iterfind("templateparamlist/param")]
    head = f"template <{', '.join(parameters)}> " if parameters else ""
    head += f"{compound.get('kind')} {name}"
    head += f" : {', '.join(bases)}" if bases else ""
    lines = title(name, "~")
    lines += [".. code-block:: cpp", "", f"   {head}", "", *_description(compound)]
    undescribed: list[str] = []
    for kind in _KINDS:
        for member in compound.iterfind(f"sectiondef[@kind='{kind}']/memberdef"):
            told, signature = _description(member), _signature(member)
            if not _is_shown(member, name, signature):
                continue
            if not told:
                undescribed += wrapped(f"{signature};")
                continue
            lines += _code(undescribed) + _code(wrapped(f"{signature};"))
            undescribed = []
            lines += [".. container:: member", "", *indented(told, 3)]
    return lines + _code(undescribed)


def _code(lines: list[str]) -> list[str]:
    return [".. code-block:: cpp", "", *indented(lines, 3), ""] if lines else []


def _is_shown(member: ET.Element, owner: str, signature: str) -> bool:
    """Not what every class has: a destructor, copies, what is deleted."""
    name, own = member.findtext("name") or "", owner.split("::")[-1]
    if name.startswith(("~", "@")) or signature.endswith("=delete"):
        return False
    copies = rf"{own}\((const )?{own} ?&+\w*\).*|.*operator= ?\((const )?{own} ?&+.*"
    return re.fullmatch(copies, signature) is None


def _function(member: ET.Element) -> list[str]:
    """A free function, a type or a constant; what nothing is said of is left out."""
    told = _description(member)
    if not told or member.get("kind") == "define":
        return []
    return [
        *_code(wrapped(f"{_signature(member)};")),
        ".. container:: member",
        "",
        *indented(told, 3),
    ]


def _signature(member: ET.Element) -> str:
    if member.get("kind") == "enum":
        values = [v.findtext("name") or "" for v in member.iterfind("enumvalue")]
        return f"enum class {member.findtext('name')} {{ {', '.join(values)} }}"
    kept = [] if member.get("static") == "no" else ["static"]
    parameters = [_flat(p) for p in member.iterfind("templateparamlist/param")]
    if parameters:
        kept.insert(0, f"template <{', '.join(parameters)}>")
    if member.get("kind") == "typedef":
        kept.append(re.sub(r"catena::(?:\w+::)*", "", member.findtext("definition") or ""))
        return " ".join(kept)
    kept += [_flat(member.find("type")), member.findtext("name") or ""]
    text = " ".join(word for word in kept if word)
    text += _as_here(member.findtext("argsstring") or "")
    initial = (member.findtext("initializer") or "") if member.get("kind") == "variable" else ""
    return re.sub(r"\s+", " ", f"{text} {initial}".strip())


def _flat(element: ET.Element | None) -> str:
    text = "" if element is None else " ".join("".join(element.itertext()).split())
    return _as_here(text)


def _as_here(text: str) -> str:
    """Laid out as in the headers, not as Doxygen does."""
    text = text.replace("catena::", "").replace("< ", "<").replace(" >", ">")
    text = re.sub(r" ([&*]+)(?=\w)", r"\1 ", text)
    return re.sub(r" ([&*]+)(?=$|[,)])", r"\1", re.sub(r"(?<=\w)=(?=\S)", " = ", text))


def _description(element: ET.Element) -> list[str]:
    lines: list[str] = []
    for part in ("briefdescription", "detaileddescription", "inbodydescription"):
        for paragraph in element.iterfind(f"{part}/para"):
            lines += _paragraph(paragraph)
    return lines


def _paragraph(paragraph: ET.Element) -> list[str]:
    lines: list[str] = []
    for entry in _blocks(paragraph):
        if isinstance(entry, str):
            text = " ".join(entry.split())
            lines += [escaped(text), ""] if text else []
        elif entry.tag == "itemizedlist":
            for item in entry.iterfind("listitem"):
                texts = [
                    " ".join(t.split()) for p in item for t in _blocks(p) if isinstance(t, str)
                ]
                lines.append("- " + escaped(" ".join(t for t in texts if t)))
            lines.append("")
        else:
            code = entry.text or "" if entry.tag == "verbatim" else _listing(entry)
            lines += [".. code-block:: cpp", "", *indented(code.strip("\n").split("\n"), 3), ""]
    return lines


def _blocks(paragraph: ET.Element) -> Iterator[str | ET.Element]:
    """Its text, with `code`, between blocks of other kinds."""
    text = paragraph.text or ""
    for child in paragraph:
        if child.tag in ("itemizedlist", "programlisting", "verbatim"):
            yield text
            yield child
            text = ""
        elif child.tag == "computeroutput":
            text += f"`{''.join(child.itertext())}`"
        else:
            text += "".join(child.itertext())
        text += child.tail or ""
    yield text


def _listing(element: ET.Element) -> str:
    for blank in element.iter("sp"):
        blank.text = " "
    return "\n".join("".join(line.itertext()) for line in element.iterfind("codeline"))
