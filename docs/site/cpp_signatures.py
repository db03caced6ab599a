"""Declarations of C++ from Doxygen's XML, as directives of Sphinx's domain of C++, which links the
types in them and gives every declaration an anchor and an entry of the index."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

from sphinx.domains.cpp._parser import DefinitionParser
from sphinx.util.cfamily import DefinitionError
from text import indented

#: Kinds of Doxygen's, and the directives and kinds of the parser for them.
_DIRECTIVES = {
    "function": ("function", "function"),
    "variable": ("member", "member"),
    "typedef": ("type", "type"),
    "enum": ("enum-class", "enum"),
    "class": ("class", "class"),
    "struct": ("struct", "class"),
}
_SETTINGS = SimpleNamespace(cpp_id_attributes=[], cpp_paren_attributes=[])


class _Parser(DefinitionParser):
    allowFallbackExpressionParsing = False


def flat(element: ET.Element | None) -> str:
    text = "" if element is None else " ".join("".join(element.itertext()).split())
    return as_here(text)


def as_here(text: str) -> str:
    """Laid out as in the headers, not as Doxygen does."""
    text = text.replace("catena::", "").replace("< ", "<").replace(" >", ">")
    text = re.sub(r" ([&*]+)(?=\w)", r"\1 ", text)
    return re.sub(r" ([&*]+)(?=$|[,)])", r"\1", re.sub(r"(?<=\w)=(?=\S)", " = ", text))


def _parameter(element: ET.Element) -> str:
    text = " ".join(filter(None, (flat(element.find("type")), element.findtext("declname"))))
    value = flat(element.find("defval"))
    return f"{text} = {value}" if value else text


def _template(element: ET.Element) -> list[str]:
    parameters = [_parameter(p) for p in element.iterfind("templateparamlist/param")]
    if not parameters:
        return ["template <>"] if element.find("templateparamlist") is not None else []
    requires = flat(element.find("requiresclause"))
    return [f"template <{', '.join(parameters)}>", *([f"requires {requires}"] if requires else [])]


def signature(member: ET.Element) -> str:
    """One line, without a semicolon."""
    kind = member.get("kind")
    if kind == "enum":
        return member.findtext("name") or ""
    if kind == "typedef":
        aliased = flat(member.find("type")).removeprefix("typedef ")
        return " ".join([*_template(member), f"{member.findtext('name')} = {aliased}"])
    kept = _template(member)
    kept += ["explicit"] if member.get("explicit") == "yes" else []
    kept += ["virtual"] if member.get("virt", "non-virtual") != "non-virtual" else []
    kept += ["static"] if member.get("static") == "yes" else []
    kept += [flat(member.find("type")), member.findtext("name") or ""]
    text = " ".join(word for word in kept if word)
    text += as_here(member.findtext("argsstring") or "")
    initial = flat(member.find("initializer")) if kind == "variable" else ""
    if "#" in initial or "template" in initial:
        initial = ""  # Made by a macro.
    return re.sub(r"\s+", " ", f"{text} {initial}".strip())


def class_signature(compound: ET.Element, name: str) -> str:
    bases = [as_here(b.text or "") for b in compound.iterfind("basecompoundref")]
    text = " ".join([*_template(compound), as_here(name)])
    return f"{text} : public {', public '.join(bases)}" if bases else text


def _is_read(kind: str, text: str) -> bool:
    try:
        parser = _Parser(text, location=None, config=_SETTINGS)
        parser.parse_declaration(*reversed(_DIRECTIVES[kind]))
        parser.assert_end()
    except DefinitionError:
        return False
    return True


def _readable(kind: str, text: str) -> str | None:
    """The declaration, or the part of it that Sphinx can read."""
    without_requires = re.sub(r"requires .*?(?=\b(?:explicit|static|auto|\w+ ?\())", "", text)
    without_values = re.sub(r" = (?:[^,()]|\([^()]*\))+(?=[,)]|$)", "", without_requires)
    for attempt in (text, without_requires, without_values):
        if _is_read(kind, attempt):
            return attempt
    return None


class Declared:
    """Writes directives, once for each declaration: the second time there is nothing to say."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def directive(
        self, kind: str, texts: list[str], namespace: str, body: list[str], *, is_member: bool
    ) -> list[str]:
        """Of declarations with one description."""
        name, _ = _DIRECTIVES[kind]
        texts = [text for text in texts if self._is_new(namespace, text)]
        if not texts:
            return []
        readable = [_readable(kind, text) for text in texts]
        if None in readable:
            return [".. code-block:: cpp", "", *(f"   {t};" for t in texts), "", *body]
        marks = ["   :no-contents-entry:"] if is_member else []
        head = f".. cpp:{name}:: "
        first, *others = (text.replace("\\", "\\\\") for text in readable if text)
        lines = [head + first, *(f"   {text}" for text in others), *marks, ""]
        return [*lines, *indented(body, 3), *([""] if body else [])]

    def _is_new(self, namespace: str, text: str) -> bool:
        key = namespace + "::" + re.sub(r" = (?:[^,()]|\([^()]*\))*(?=[,)]|$)|\s", "", text)
        is_new = key not in self._known
        self._known.add(key)
        return is_new
