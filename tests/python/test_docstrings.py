"""Docstrings of the registry's functions, which are the comments of their declarations in C++."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import catena as ct
import pytest

ROOT = Path(__file__).parents[2]
GENERATOR = ROOT / "frontend" / "python" / "generate" / "descriptions.py"


def registered() -> list[Any]:
    return [f for f in vars(ct.functions).values() if isinstance(f, ct.Function)]


each_function = pytest.mark.parametrize("f", registered(), ids=lambda f: f.__name__)


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


@each_function
def test_a_function_is_described_by_more_than_its_name(f: Any) -> None:
    told = f.descriptions[""]
    assert words(told) - words(f.__name__.replace("_", " ")) or re.search(r"[-+*/^]", told)
    assert told.strip().endswith((".", "..."))


@each_function
def test_a_docstring_has_the_description_and_names_each_argument(f: Any) -> None:
    text = f.__doc__
    assert text.startswith(f.signature + "\n\n")
    flat = " ".join(text.split())
    assert " ".join(f.descriptions[""].split()) in flat
    arguments = text[text.index("\nArguments:\n") :] if f.parameters else ""
    for name, *_ in f.parameters:
        assert re.search(rf"^    \*?{name}( \(|:|$)", arguments, re.MULTILINE), name
        assert " ".join(f.descriptions.get(name, "").split()) in flat
    assert "\nReturns:\n    " in text


@each_function
def test_a_docstring_is_for_readers_of_python(f: Any) -> None:
    for mark in ("///", "`", "std::", "Operand", "undefined", "{}", "\n- "):
        assert mark not in f.__doc__
    assert not re.search(r"\[[A-Z](, ?[A-Z].*)?\]", f.descriptions[""]), "shapes are (N, C)"
    assert max(map(len, f.__doc__.split("\n")[2:])) <= 88


@each_function
def test_values_have_an_entry_each(f: Any) -> None:
    """What an array is follows from the description; what an option does is said."""
    options = [p[0] for p in f.parameters if p[1] == "value"]
    assert [name for name in options if name not in f.descriptions] == []


def public_objects() -> dict[str, Any]:
    """Classes, functions, methods and properties of the package by their names."""
    found: dict[str, Any] = {}
    modules = [ct, ct.nn, ct.optim, ct.data, ct.datasets, ct.initializers, ct.random]
    for module in modules:
        for name, thing in vars(module).items():
            if name.startswith("_") or isinstance(thing, ct.Function) or not callable(thing):
                continue
            if not getattr(thing, "__module__", "catena").startswith("catena"):
                continue
            if thing is ct.Function:  # Whose docstrings are its objects'.
                continue
            found[f"{module.__name__}.{name}"] = thing
            has_members = inspect.isclass(thing) and not issubclass(thing, Exception)
            for member in dir(thing) if has_members else ():
                attribute = inspect.getattr_static(thing, member)
                if not member.startswith("_") and (
                    callable(attribute) or inspect.isdatadescriptor(attribute)
                ):
                    found[f"{module.__name__}.{name}.{member}"] = getattr(thing, member)
    return found


@pytest.mark.parametrize("thing", [pytest.param(t, id=n) for n, t in public_objects().items()])
def test_what_is_public_has_a_docstring(thing: Any) -> None:
    text = inspect.getdoc(thing) or ""
    # nanobind's begin with signatures.
    lines = [line for line in text.split("\n") if not re.fullmatch(r"\w*\(.*\) -> .*", line)]
    assert words(" ".join(lines)), text


def write(folder: Path, header: str, source: str = "") -> None:
    (folder / "runtime/ops/math").mkdir(parents=True)
    (folder / "runtime/graph").mkdir()
    (folder / "runtime/ops/math/math.h").write_text(header)
    (folder / "runtime/ops/math/math.cpp").write_text(source)


def generate(folder: Path, *signatures: str) -> subprocess.CompletedProcess[str]:
    (folder / "functions.txt").write_text("".join(f"{s}\n" for s in signatures))
    # -S: without any package but Python's own.
    command = [GENERATOR, "--signatures", folder / "functions.txt", "--root", folder]
    return subprocess.run(
        [sys.executable, "-S", *command, "--output", folder / "rows.inc"],
        capture_output=True,
        text=True,
        check=False,
    )


def rows(folder: Path, *signatures: str) -> dict[str, str]:
    done = generate(folder, *signatures)
    assert done.returncode == 0, done.stderr
    text = (folder / "rows.inc").read_text()
    found = re.findall(r'^\{"(.*?)", "(.*)"\},$', text, re.MULTILINE)
    assert found == sorted(found) and len(found) == text.count("\n")
    return dict(found)


HEADER = """\
#pragma once
namespace catena {
namespace functions {
struct Elu {
    Variable operator()(const Operand& x, const Scalar& alpha = 1.0) const;
};
}  // namespace functions

/// (x, alpha = 1): x, or `alpha` times
/// less.
/// - alpha: How much,
///   at most.
inline constexpr functions::Elu elu;

struct PoolOptions {
    /// How far.
    PerAxis stride = {1, 2};
    bool whole = true;  ///< All of it.
};
struct Pair {
    Variable first;   ///< One.
    Variable second;
};
/// Of two.
Pair pool(const Operand& x, const PoolOptions& options = {});
/// With b.
Pair pool(const Operand& x, const Operand& b, const PoolOptions& options = {});
/// Of something else.
Pair pool(const Device& device);

// A remark.
#define CATENA_COMPARISON(name) Variable name(const Operand& x1, const Operand& x2);
/// x1 < x2.
CATENA_COMPARISON(less)
/// Spread.
///
/// By name: var.
inline Variable variance(const Operand& x) { return square(x - "a;{b" ); }
/// As it is.
///
/// In C++, as it was.
Variable copy(const Operand& x);
}  // namespace catena
"""
SOURCE = """\
/// x1 * x2, not "*".
static const FunctionDef& f_multiply =
    function("multiply(x1, x2)", {"x1", "x2"}, f);
"""
SIGNATURES = (
    "elu(x, alpha=1.0)",
    "pool(x, b=None, stride=(1, 2), whole=True)",
    "less(x1, x2)",
    "var(x)",
    "copy(x)",
    "multiply(x1, x2)",
)


def test_comments_are_found_in_all_forms_of_declarations(tmp_path: Path) -> None:
    write(tmp_path, HEADER, SOURCE)
    assert rows(tmp_path, *SIGNATURES) == {
        "copy": "As it is.",
        "elu": "x, or alpha times less.",
        "elu.alpha": "How much, at most.",
        "less": "x1 < x2.",
        "multiply": r"x1 * x2, not \"*\".",
        "pool": r"Of two.\n\nWith b.",
        "pool.returns": "first (One), second",
        "pool.stride": "How far.",
        "pool.whole": "All of it.",
        "var": "Spread.",
    }


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("Variable relu(const Operand& x);", "relu has no comment .* in runtime/ops/math/math.h:1"),
        ("/// A comment of all.\n\nVariable relu(const Operand& x);", "relu has no comment"),
        ("Variable relu(const Operand& x);  ///< Text.", "relu is described behind its decl.*h:1"),
        ("/// Text.\n/// - y: No such.\nVariable relu(const Operand& x);", "relu.*argument y"),
        ("", "relu has no comment .* none above its registration"),
    ],
)
def test_the_build_fails_with_the_name_of_what_is_not_described(
    tmp_path: Path, header: str, message: str
) -> None:
    write(tmp_path, header + "\n")
    done = generate(tmp_path, "relu(x)")
    assert done.returncode == 1
    assert re.search(message, done.stderr), done.stderr
    assert not (tmp_path / "rows.inc").exists()
