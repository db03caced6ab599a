"""Writes what the registry decides about types: catena/_functions.pyi, and the marked parts of
catena/_catena/*.pyi (the methods of Variable that are functions, the update rules).

    python frontend/python/generate/stubs.py [--check]

Run it with a built package on PYTHONPATH after a function or a rule was added. --check says whether
the files are as they would be written.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import catena as ct
from catena._array_methods import methods_of_ndarray
from catena._catena import Function, functions, optim

PACKAGE = Path(__file__).parent.parent / "catena"
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
#: What a call gives is known of one Variable alone; `| Any` spares programs a check of what their
#: arguments ask for.
RESULTS = {
    "one": "Variable",
    "several": "tuple[Variable | Any, ...]",
    "one or several": "Variable | Any",
}
#: What the getters of arguments say that they take, as types, and what these then refuse.
TAKEN = {
    "True or False": ("bool", [0]),
    "an integer": ("int", [0]),
    "a number": ("float", [0]),
    "a text": ("str", [0]),
    "an integer or a list of them": ("_Shape", [[0]]),
    "an integer or a pair": ("_Shape", [[0]]),
}
Parameter = tuple[str, str, bool, bool, bool, object]


def attempts(function: Function, name: str, value: object) -> Iterator[str]:
    """What calls with this value of one argument say, with arrays of several ranks: a function may
    look at its arrays first."""
    for rank in range(5):
        given: dict[str, object] = {name: value}
        by_position: list[object] = []
        for other, kind, variadic, _, has_default, _ in function.parameters:
            if has_default or other == name:
                continue
            array = ct.zeros((1,) * rank)
            if variadic:
                by_position = [array]
            else:
                given[other] = {"array": array, "arrays": [array], "value": 1}[kind]
        try:
            function(*by_position, **given)
        except Exception as error:
            yield str(error)


def refusals(function: Function, name: str, value: object) -> list[str]:
    """What the argument says that it takes instead: "an integer"."""
    pattern = re.compile(rf"\b{name} takes (.+?), not ")
    found = (pattern.search(message) for message in attempts(function, name, value))
    return [match[1] for match in found if match]


def is_dtype(function: Function, name: str) -> bool:
    return any("is not a dtype" in message for message in attempts(function, name, "\t"))


def type_of_default(default: object) -> str:
    return type(default).__name__ if isinstance(default, bool | str | float) else "Any"


def kind_of_value(function: Function, parameter: Parameter) -> str:
    """By what it refuses; one that refuses nothing, before other errors, by its default."""
    name = parameter[0]
    if is_dtype(function, name):
        return "DTypeLike"
    for value in ("\t", -0.5):
        for taken in refusals(function, name, value):
            kind, refused = TAKEN[taken]
            return kind if refusals(function, name, refused) else "Any"
    return type_of_default(parameter[5])


def type_of_value(function: Function, parameter: Parameter) -> str:
    name, _, _, _, has_default, default = parameter
    kind = kind_of_value(function, parameter)
    if kind == "Any":
        return kind
    if has_default:
        return f"{kind} | None" if default is None else kind
    # None is an empty list, too: no reason to show it.
    optional = kind not in ("_Shape", "DTypeLike") and not refusals(function, name, None)
    return f"{kind} | None" if optional else kind


def parameter_text(function: Function, parameter: Parameter) -> str:
    name, kind, variadic, _, has_default, default = parameter
    if variadic:
        return f"*{name}: _Array"
    if kind == "array":
        return f"{name}: _Array | None = None" if has_default else f"{name}: _Array"
    if kind == "arrays":
        return f"{name}: _Arrays | None = None" if has_default else f"{name}: _Arrays"
    written = f"{name}: {type_of_value(function, parameter)}"
    if not has_default:
        return written
    return f"{written} = {json.dumps(default) if isinstance(default, str) else repr(default)}"


def parameters_text(function: Function) -> list[str]:
    parts: list[str] = []
    for parameter in function.parameters:
        if parameter[3] and not any(part.startswith("*") for part in parts):
            parts.append("*")
        parts.append(parameter_text(function, parameter))
    return parts


def stub_of(function: Function) -> str:
    arguments = "".join(f"\n    {part}," for part in parameters_text(function))
    head = f"def {function.__name__}({arguments}\n) -> {RESULTS[function.gives]}:"
    return f"{head}\n{docstring(function)}\n"


def docstring(function: Function) -> str:
    """What help() shows at run time, but for the signature, which stands above it."""
    text = inspect.cleandoc(function.__doc__ or "").removeprefix(f"{function.signature}\n\n")
    start = 'r"""' if "\\" in text else '"""'
    if '"""' in text or text.endswith('"'):
        raise ValueError(f"{function.__name__}: its description would end the docstring")
    lines = [f"    {line}".rstrip() for line in f'{start}{text}\n"""'.splitlines()]
    return "\n".join(lines)


def in_natural_order(name: str) -> list[tuple[bool, int, str]]:
    """log2 before log10, as ruff wants the names of a list."""
    parts = re.split(r"(\d+)", name)
    return [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts if p]


def functions_text() -> str:
    registered = [f for f in vars(functions).values() if isinstance(f, Function)]
    in_order = sorted((f.__name__ for f in registered), key=in_natural_order)
    names = "".join(f'    "{name}",\n' for name in in_order)
    stubs = "\n".join(stub_of(f) for f in registered)
    return f"{HEAD}__all__ = [\n{names}]\n\n{stubs}"


def methods_text() -> str:
    lines = []
    for name, function in methods_of_ndarray():
        if vars(ct.Variable)[name] is function:
            arguments = ["self", *parameters_text(function)[1:]]
            given = "".join(f"\n        {a}," for a in arguments)
            lines.append(f"    def {name}({given}\n    ) -> {RESULTS[function.gives]}: ...\n")
    return "".join(lines)


def documentation_text(rule: type) -> str:
    """Its first paragraph."""
    paragraph = inspect.cleandoc(rule.__doc__ or "").split("\n\n")[0]
    lines = [part for line in paragraph.splitlines() for part in textwrap.wrap(line, 96)]
    text = "\n    ".join(lines)
    fits = len(lines) == 1 and len(text) <= 90
    return f'    """{text}"""' if fits else f'    """{text}\n    """'


def rule_text(name: str, rule: type) -> str:
    numbers: dict[str, object] = rule._parameters  # type: ignore[attr-defined]
    flags = [k for k, v in numbers.items() if isinstance(v, bool)]
    of_the_class = [k for k, v in vars(rule).items() if isinstance(v, property)]
    attributes = [f"    {k}: float" for k in of_the_class]
    arguments = [f"{k}: float = {v!r}" for k, v in numbers.items() if k not in flags]
    arguments += ["*"] * bool(flags) + [f"{k}: bool = {numbers[k]!r}" for k in flags]
    given = "".join(f"\n        {a}," for a in ["self", *arguments])
    head = f"class {name}(Optimizer):\n{documentation_text(rule)}\n"
    return "\n".join([head, *attributes, f"    def __init__({given}\n    ) -> None: ...\n"])


def rules_text() -> str:
    rules = {k: v for k, v in vars(optim).items() if hasattr(v, "_parameters")}
    return "\n" + "\n".join(rule_text(name, rule) for name, rule in rules.items()) + "\n"


def with_part(stub: Path, part: str) -> str:
    """The file, with `part` between the marks."""
    begin, end = "# Written by generate/stubs.py.\n", "# End of what is written.\n"
    text = stub.read_text()
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    indent = head.rsplit("\n", 1)[1]
    return head + begin + part + indent + end + tail


def written() -> dict[Path, str]:
    bound = PACKAGE / "_catena"
    return {
        PACKAGE / "_functions.pyi": functions_text(),
        bound / "__init__.pyi": with_part(bound / "__init__.pyi", methods_text()),
        bound / "optim.pyi": with_part(bound / "optim.pyi", rules_text()),
    }


def main() -> int:
    files = written()
    if "--check" in sys.argv[1:]:
        wrong = [str(path) for path, text in files.items() if path.read_text() != text]
        print("\n".join(f"{path} is not as the registry has it" for path in wrong))
        return 1 if wrong else 0
    for path, text in files.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
