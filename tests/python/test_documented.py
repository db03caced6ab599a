"""Public members of C++ have comments, which editors show: above functions."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
sys.path.insert(0, str(ROOT / "frontend" / "python" / "generate"))
import documented  # noqa: E402
from declarations import Declaration, declarations  # noqa: E402

needs_doxygen = pytest.mark.skipif(shutil.which("doxygen") is None, reason="Doxygen is missing")


@needs_doxygen
def test_public_members_have_comments() -> None:
    found = documented.members(ROOT)
    assert len(found) > 3500
    untold = [str(member) for member in found if not member.is_told]
    assert len(untold) <= 0.02 * len(found), "\n".join(untold)


@needs_doxygen
def test_members_without_a_comment_are_found(tmp_path: Path) -> None:
    (tmp_path / "frontend").mkdir()
    (tmp_path / "frontend" / "catena.h").write_text('#include "a.h"\n#include <vector>\n')
    (tmp_path / "a.h").write_text(
        """
namespace catena {
/// Told.
struct Told {
    Told(const Told&);
    ~Told();
    int untold = 1;
    /// Both.
    int x, y;
    /// An overload.
    void f();
    void f(int);
    void g();
    void gone() = delete;
private:
    int hidden;
};
namespace detail {
struct Inner {};
}
struct Untold : Told {
    using Told::Told;
};
}
"""
    )
    found = documented.members(tmp_path)
    assert {m.name for m in found if not m.is_told} == {
        "catena::Told::untold",
        "catena::Told::g",
        "catena::Untold",
    }
    assert {m.name for m in found if m.is_told} == {
        "catena::Told",
        "catena::Told::x",
        "catena::Told::y",
        "catena::Told::f",
    }


def _with_members(found: Iterator[Declaration]) -> Iterator[Declaration]:
    for declaration in found:
        yield declaration
        yield from _with_members(iter(declaration.members))


def _is_function(declaration: Declaration) -> bool:
    """A member's type may have brackets, in its template arguments and in its value. A constructor
    with a body is read together with what follows it."""
    text = re.split(r"[={]", declaration.text.rpartition("}")[2] or declaration.text)[0]
    while re.search(r"<[^<>]*>", text):
        text = re.sub(r"<[^<>]*>", "", text)
    return "(" in text


def test_comments_of_functions_stand_above_them() -> None:
    """An editor's language server shows no comment that stands behind a function."""
    behind = [
        declaration.place
        for folder in ("frontend", "runtime")
        for path in sorted((ROOT / folder).rglob("*.h"))
        for declaration in _with_members(declarations(path, ROOT))
        if declaration.is_behind and _is_function(declaration)
    ]
    assert behind == []
