"""What Doxygen reads in the headers of C++, as elements of XML."""

from __future__ import annotations

import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

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
_INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)


def included(root: Path, header: str) -> list[str]:
    """The header and all of the tree that it includes, each before those that it leads to."""
    found: dict[str, None] = {}

    def follow(path: str) -> None:
        if path not in found and (root / path).exists():
            found[path] = None
            for other in _INCLUDE.findall((root / path).read_text()):
                follow(other)

    follow(header)
    return list(found)


def compounds(root: Path, headers: list[str]) -> list[ET.Element]:
    """Classes, structs, namespaces and files of the headers."""
    with tempfile.TemporaryDirectory() as out:
        inputs = " ".join(str(root / header) for header in headers)
        settings = f"{_SETTINGS}INPUT = {inputs}\nOUTPUT_DIRECTORY = {out}\n"
        settings += f"STRIP_FROM_PATH = {root}\n"
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, capture_output=True)
        files = sorted((Path(out) / "xml").glob("*.xml"))
        roots = [ET.parse(file).getroot() for file in files]
    return [c for c in (root.find("compounddef") for root in roots) if c is not None]


def header_of(element: ET.Element, root: Path) -> tuple[str, int]:
    """Where it is declared: the header and the line."""
    place = element.find("location")
    if place is None:
        return "", 0
    path = place.get("declfile") or place.get("file", "")
    line = int(place.get("declline") or place.get("line", "0"))
    return path.removeprefix(f"{root}/"), line


def has_text(element: ET.Element) -> bool:
    """Whether a comment tells of it."""
    parts = ("briefdescription", "detaileddescription", "inbodydescription")
    return any("".join(e.itertext()).strip() for part in parts for e in element.iterfind(part))
