"""Writes catena/_functions.pyi, the types of the registry's functions.

    python frontend/python/generate/stubs.py [--check]

Run it with a built package on PYTHONPATH after a function was added. --check says whether the file
is as it would be written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from catena._catena import Function, functions

STUB = Path(__file__).parent.parent / "catena" / "_functions.pyi"
HEAD = '''\
# Written by generate/stubs.py: do not change it by hand.
"""The functions of the registry, by name."""

from collections.abc import Sequence
from typing import Any

from catena import Variable
from numpy.typing import ArrayLike, DTypeLike

_Array = Variable | ArrayLike
_Arrays = Sequence[_Array] | Sequence[Sequence[_Array]]
_Shape = int | Sequence[int]
'''
RESULTS = {
    "one": "Variable",
    "several": "tuple[Any, ...]",
    "one or several": "Any",
}


def type_of_value(name: str, default: object, has_default: bool) -> str:
    """From the default, where there is one that tells."""
    if name in ("dtype", "typ"):
        return "DTypeLike | None" if default is None and has_default else "DTypeLike"
    if isinstance(default, bool):
        return "bool"
    if isinstance(default, float):
        return "float"
    if isinstance(default, str):
        return "str"
    if isinstance(default, int):
        return "_Shape | float"
    return "Any"


def parameter_text(parameter: tuple[str, str, bool, bool, bool, object]) -> str:
    name, kind, variadic, _, has_default, default = parameter
    if variadic:
        return f"*{name}: _Array"
    if kind == "array":
        return f"{name}: _Array | None = None" if has_default else f"{name}: _Array"
    if kind == "arrays":
        return f"{name}: _Arrays | None = None" if has_default else f"{name}: _Arrays"
    written = f"{name}: {type_of_value(name, default, has_default)}"
    if not has_default:
        return written
    return f"{written} = {json.dumps(default) if isinstance(default, str) else repr(default)}"


def stub_of(function: Function) -> str:
    parts: list[str] = []
    for parameter in function.parameters:
        if parameter[3] and "*" not in "".join(p[0] for p in parts if p):
            parts.append("*")
        parts.append(parameter_text(parameter))
    # A parameter without a default cannot follow one that has one.
    arguments = "".join(f"\n    {part}," for part in parts)
    return f"def {function.__name__}({arguments}\n) -> {RESULTS[function.gives]}: ..."


def text() -> str:
    registered = [f for f in vars(functions).values() if isinstance(f, Function)]
    return HEAD + "\n" + "\n".join(stub_of(f) for f in registered) + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        return 0 if STUB.read_text() == text() else 1
    STUB.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
