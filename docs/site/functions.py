"""Pages of functions, one of each family of the registry, for both languages: what Python calls,
and the declarations in C++, with the comment that both have in common."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from cpp_signatures import Declared
from function_examples import examples, shown
from text import escaped, from_plain, indented, title

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "frontend/python/generate"))
from declarations import Declaration, declarations  # noqa: E402
from descriptions import Table, rows_of  # noqa: E402

#: What the folders' names do not say.
TITLES = {
    "activation": "Activations",
    "array": "Shapes, indices and copies",
    "communication": "Between processes",
    "connection": "Products and convolutions of layers",
    "evaluation": "Evaluation",
    "loss": "Losses",
    "math": "Mathematics",
    "noise": "Noise and random numbers",
    "normalization": "Normalization",
    "pooling": "Pooling",
    "rnn": "Recurrent networks",
    "spatial": "Images: sizes and transformations",
}


def public_headers() -> list[str]:
    """Those that catena.h is made of."""
    text = (ROOT / "frontend/catena.h").read_text()
    return re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)


class FunctionPages:
    def __init__(self, functions: list[Any], pages: Any, declared: Declared) -> None:
        self._declared_so_far = declared
        self._examples = examples()
        self._pages = pages
        self._functions = functions
        self._rows = rows_of([f.signature for f in functions], ROOT)
        self._table = Table(ROOT)
        self._shown: set[str] = set()  # Places of declarations.

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        families = sorted({f.family for f in self._functions})
        index = [
            *title("Functions by family"),
            "Each entry has the call in Python, the declarations in C++ (namespace ``catena``), "
            "what it computes, and what its arguments mean. Shapes are written as (N, C, H, W). "
            "Wrong shapes raise ``ShapeError``, wrong dtypes ``DtypeError``, other wrong arguments "
            "``ArgumentError``; the message names the function and what it was given.",
            "",
            ".. toctree::",
            "   :maxdepth: 1",
            "",
            *(f"   {family}" for family in families),
        ]
        (folder / "index.rst").write_text("\n".join(index) + "\n")
        for family in families:
            (folder / f"{family}.rst").write_text("\n".join(self._page(family)) + "\n")

    def _page(self, family: str) -> list[str]:
        lines = title(TITLES.get(family, family.capitalize()))
        lines += [".. cpp:namespace:: catena", ""]
        members = [f for f in self._functions if f.family == family]
        for function in sorted(members, key=lambda f: f.__name__.lower()):
            lines += self._entry(function)
        alone = self._in_cpp_alone(family)
        if alone:
            lines += title("In C++ alone", "-")
            for declaration in alone:
                lines += self._declared(declaration)
        return lines

    def _entry(self, function: Any) -> list[str]:
        name = function.__name__
        body: list[str] = []
        for paragraph in self._rows[name].split("\n\n"):
            body += [escaped(paragraph), ""]
        told = [(p[0], self._rows.get(f"{name}.{p[0]}", "")) for p in function.parameters]
        for parameter, text in told:
            if text:
                body.append(f":param {escaped(parameter)}: {escaped(text)}")
        if text := self._rows.get(f"{name}.returns"):
            body.append(f":returns: {escaped(text)}")
        body.append("")
        found = [d for d in self._overloads(name) if d.comment or len(self._overloads(name)) == 1]
        if found:
            self._shown.update(declaration.place for declaration in found)
            body += [*self._signatures(found, []), self._source_links(found), ""]
        if example := self._examples.get(name):
            body += [".. rubric:: Example", "", *shown(example)]
        return [f".. py:function:: catena.{function.signature}", "", *indented(body, 3), ""]

    def _signatures(self, found: list[Declaration], body: list[str]) -> list[str]:
        texts = dict.fromkeys(text for d in found for text in self._texts(d))
        return self._declared_so_far.directive(
            "function", list(texts), "catena", body, is_member=True
        )

    def _overloads(self, name: str) -> list[Declaration]:
        return self._table.by_name.get(name) or self._table.functions.get(name, [])

    def _texts(self, declaration: Declaration) -> list[str]:
        """The signatures; of an object those of its calls."""
        text = declaration.text
        constant = re.match(r"inline constexpr ([\w:]+) (\w+)", text)
        if constant:
            struct = self._table.structs.get(constant[1].split("::")[-1])
            calls = [m.text for m in struct.members if "operator()" in m.text] if struct else []
            return [c.replace("operator()", constant[2]).removesuffix(" const") for c in calls] or [
                text
            ]
        return [re.sub(r"^inline ", "", text)]

    def _source_links(self, found: list[Declaration]) -> str:
        paths = sorted({d.place.rsplit(":", 1)[0] for d in found})
        links = (f"`{path} <../{self._pages.source(path)}>`__" for path in paths)
        return "Declared in " + ", ".join(links) + "."

    def _in_cpp_alone(self, family: str) -> list[Declaration]:
        found = []
        for header in public_headers():
            if header.startswith(f"runtime/ops/{family}/"):
                for declaration in declarations(ROOT / header, ROOT):
                    is_new = declaration.place not in self._shown and not declaration.is_struct
                    if is_new and declaration.comment and "(" in declaration.text:
                        found.append(declaration)
        return found

    def _declared(self, declaration: Declaration) -> list[str]:
        told = [*from_plain("\n".join(declaration.comment)), self._source_links([declaration])]
        return [*self._signatures([declaration], told), ""]
