"""Comments of C++ as Doxygen reads them, as reStructuredText."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from text import escaped, indented

_ARGUMENT = re.compile(r"((?:\w+, )*\w+): (.*)", re.DOTALL)


def description(element: ET.Element) -> list[str]:
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
            lines += [*_list(entry), ""]
        else:
            code = entry.text or "" if entry.tag == "verbatim" else _listing(entry)
            lines += [".. code-block:: cpp", "", *indented(code.strip("\n").split("\n"), 3), ""]
    return lines


def _list(entry: ET.Element) -> list[str]:
    """Items; those that tell of an argument ("x: The input.") begin with its name."""
    lines = []
    for item in entry.iterfind("listitem"):
        texts = [" ".join(t.split()) for p in item for t in _blocks(p) if isinstance(t, str)]
        text = " ".join(t for t in texts if t)
        argument = _ARGUMENT.fullmatch(text)
        lines.append(
            f"- **{argument[1]}**: {escaped(argument[2])}" if argument else f"- {escaped(text)}"
        )
    return lines


def _blocks(paragraph: ET.Element) -> Iterator[str | ET.Element]:
    """Its text, with `code`, between blocks of other kinds. Names that Doxygen knows are code,
    which is linked (links.py)."""
    text = paragraph.text or ""
    for child in paragraph:
        inner = "".join(child.itertext())
        if child.tag in ("itemizedlist", "programlisting", "verbatim"):
            yield text
            yield child
            text = ""
        elif child.tag == "computeroutput" or (child.tag == "ref" and _is_name(inner, text)):
            text += f"`{inner}`"
        else:
            text += inner
        text += child.tail or ""
    yield text


def _is_name(word: str, before: str) -> bool:
    """Whether a word that Doxygen takes for a name is one: "Owned" may begin a sentence, too."""
    begins = re.search(r"(^|[.;:] )\s*$", before) is not None
    return word[:1].isalpha() and not (begins and re.fullmatch(r"[A-Z][a-z]+", word))


def _listing(element: ET.Element) -> str:
    for blank in element.iter("sp"):
        blank.text = " "
    return "\n".join("".join(line.itertext()) for line in element.iterfind("codeline"))
