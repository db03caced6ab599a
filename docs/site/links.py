"""Links from names in prose, written as code, to where they are told: `ct::Trainer`, `ct.relu`,
`StaticGraph::explain()`."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"(?:(?:ct|catena)(::|\.))?([A-Za-z_]\w*(?:(?:::|\.)~?\w+)*)(?:\(\))?")


def _targets(app: Any) -> dict[str, tuple[str, str]]:
    """Page and anchor of each name that can be written in prose: in C++ `ct::NAME` and, of classes
    and members, `NAME`; in Python `ct.NAME` and, of functions with a line below, `NAME`."""
    found: dict[str, tuple[str, str]] = {}
    for name, _, kind, page, anchor, _ in app.env.get_domain("py").get_objects():
        short = name.removeprefix("catena.")
        if name.startswith("catena.") and kind != "module":
            found.setdefault("ct." + short, (page, anchor))
            if kind == "function" and "_" in short and "." not in short:
                found.setdefault(short, (page, anchor))
    for name, _, kind, page, anchor, _ in app.env.get_domain("cpp").get_objects():
        short = name.removeprefix("catena::")
        if kind in ("templateParam", "functionParam") or not name.startswith("catena::"):
            continue
        found.setdefault("ct::" + short, (page, anchor))
        if kind in ("class", "struct", "type", "enum") or short[:1].isupper():
            found.setdefault(short, (page, anchor))
            bare = short.rpartition("::")[2] if kind in ("class", "struct") else short
            found.setdefault(bare, (page, anchor))
    return found


def _linked(app: Any, document: nodes.document, page: str) -> None:
    targets = getattr(app.env, "catena_targets", None)
    if targets is None:
        targets = app.env.catena_targets = _targets(app)
    for code in list(document.findall(nodes.literal)):
        parent = code.parent
        if isinstance(parent, nodes.reference | nodes.title | nodes.term):
            continue
        name = _NAME.fullmatch(code.astext())
        if not name:
            continue
        key = f"ct{name[1]}{name[2]}" if name[1] else name[2]
        if target := targets.get(key):
            to, anchor = target
            if to == page and _is_within(code, anchor):
                continue
            parent.replace(code, make_refnode(app.builder, page, to, anchor, [code], title=key))


def _is_within(code: nodes.Node, anchor: str) -> bool:
    """Whether the code stands in the description of what it names."""
    parent = code.parent
    while parent is not None:
        if isinstance(parent, addnodes.desc):
            for signature in parent.findall(addnodes.desc_signature):
                if anchor in signature["ids"]:
                    return True
                break
        parent = parent.parent
    return False


def setup(app: Any) -> None:
    app.connect("doctree-resolved", _linked)
