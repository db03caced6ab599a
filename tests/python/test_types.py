"""Types: mypy --strict accepts the package, the examples and a user's program and finds mistakes;
the stubs of the extension modules have what the modules have."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import catena as ct
import pytest
from catena import _catena, _hints

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "frontend" / "python"
PACKAGE = SOURCES / "catena"
TYPED = Path(__file__).parent / "typed"
CHECKED = [
    str(PACKAGE),
    str(SOURCES / "generate"),
    *map(str, sorted((ROOT / "examples" / "python").glob("*.py"))),
    *map(str, sorted(TYPED.glob("*.py"))),
]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy --strict finds in all of them: one run reads NumPy once."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")
    command = ["-m", "mypy", "--strict", f"--cache-dir={cache}", "--no-error-summary"]
    command += [f"--config-file={SOURCES / 'pyproject.toml'}", *CHECKED]
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, cwd=SOURCES
    )
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if ": note: " not in line]


def test_mypy_accepts_the_package_the_examples_and_a_program(errors: list[str]) -> None:
    found = [line for line in errors if "mistakes.py" not in line]
    assert not found, "\n".join(found)


def test_mypy_finds_every_mistake_and_no_other(errors: list[str]) -> None:
    lines = (TYPED / "mistakes.py").read_text().splitlines()
    marked = Counter(
        (i + 1, code[1]) for i, line in enumerate(lines) if (code := re.search(r"  # (\S+)$", line))
    )
    pattern = re.compile(r"mistakes\.py:(\d+): error: .*\[(\S+)\]$")
    found = Counter((int(m[1]), m[2]) for line in errors if (m := pattern.search(line)))
    assert found == marked and len(marked) > 10


def test_the_program_runs() -> None:
    command = [sys.executable, str(TYPED / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "ShapeError"


# What every class has, and Python calls by other ways; the first of them are nanobind's.
IMPLIED = {"__doc__", "__module__", "__new__", "__dict__", "__signature__", "_parameters"}
IMPLIED |= {"__repr__", "__str__", "__vectorcalloffset__", "__weakref__", "__name__"}
IMPLIED |= {"__qualname__", "__slotnames__", "__delitem__", "__rpow__", "__wrapped__", "__init__"}
#: Attributes of objects, which no class shows.
OF_OBJECTS = {"initializer"}


class Stub:
    """The names of a stub or of a class in one: functions, properties, attributes, classes."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.functions: dict[str, ast.arguments] = {}
        self.settable: set[str] = set()
        self.properties: set[str] = set()
        self.classes: dict[str, Stub] = {}
        self.others: set[str] = set()
        for node in body:
            self._add(node)

    def _add(self, node: ast.stmt) -> None:
        if isinstance(node, ast.ClassDef):
            self.classes[node.name] = Stub(node.body)
        elif isinstance(node, ast.FunctionDef):
            marks = {ast.unparse(mark) for mark in node.decorator_list}
            if f"{node.name}.setter" in marks:
                self.settable.add(node.name)
            elif "property" in marks:
                self.properties.add(node.name)
            else:
                self.functions[node.name] = node.args
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self.others.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            self.others |= {alias.name for alias in node.names if alias.asname}

    def names(self) -> set[str]:
        return {*self.functions, *self.properties, *self.classes, *self.others}


def stub_of(path: Path) -> Stub:
    return Stub(ast.parse(path.read_text()).body)


Shape = list[tuple[str, str, bool]]
"""Of each parameter: its name, how it is given, and whether it has a default."""


def shape_in_stub(arguments: ast.arguments) -> Shape:
    by_position = [*arguments.posonlyargs, *arguments.args]
    first_default = len(by_position) - len(arguments.defaults)
    found: Shape = [
        (a.arg, "position" if i < len(arguments.posonlyargs) else "any", i >= first_default)
        for i, a in enumerate(by_position)
    ]
    if arguments.vararg:
        found.append((arguments.vararg.arg, "*", False))
    for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append((a.arg, "name", default is not None))
    if arguments.kwarg:
        found.append((arguments.kwarg.arg, "**", False))
    return found


KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "position",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "any",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "name",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def shape_of(value: Any) -> Shape | None:
    """None for what does not tell: slots of Python's own types."""
    if isinstance(value, staticmethod):
        value = value.__func__
    value = inspect.unwrap(value)
    if nanobind := getattr(value, "__nb_signature__", None):
        text = re.sub(r"\\\d+", "None", nanobind[0][0])
        function = ast.parse(re.sub(r"(?s)\) -> .*", "): ...", text)).body[0]
        assert isinstance(function, ast.FunctionDef)
        return shape_in_stub(function.args)
    if not inspect.isfunction(value) and not isinstance(value, ct.Function):
        return None
    return shape_of_signature(inspect.signature(value))


def shape_of_signature(signature: inspect.Signature) -> Shape:
    return [
        (p.name, KINDS[p.kind], p.default is not p.empty) for p in signature.parameters.values()
    ]


def comparable(shape: Shape, is_method: bool, name: str) -> Shape:
    """Without what no caller can tell: how the object itself is given, the names of what is given
    by place, and those of methods that operators call."""
    if is_method:
        shape = [("self", "any", False), *shape[1:]]
    if name.startswith("__") and name not in ("__init__", "__call__"):
        shape = [("", "position" if kind == "any" else kind, has) for _, kind, has in shape]
    unnamed = ("position", "*", "**")
    return [("" if kind in unnamed else name, kind, has) for name, kind, has in shape]


def names_of(value: Any) -> set[str]:
    """What it has, without names that only say what it is called here."""
    return {name for name, own in vars(value).items() if not isinstance(own, _hints._Elsewhere)}


def differences(stub: Stub, value: Any, where: str) -> list[str]:
    found = []
    for name in stub.names() - names_of(value) - IMPLIED - OF_OBJECTS:
        found.append(f"{where}.{name} is not in the module")
    bases = {name for base in getattr(value, "__mro__", ())[1:] for name in vars(base)}
    for name in names_of(value) - stub.names() - IMPLIED:
        is_implied = name in bases or inspect.ismodule(value)
        if not (name.startswith("__") and is_implied):
            found.append(f"{where}.{name} is not in the stub")
    for name, arguments in stub.functions.items():
        own = vars(value).get(name)
        shape = shape_of(own)
        if name == "__init__" and "__signature__" in vars(value):
            shape = [("self", "any", False), *shape_of_signature(value.__signature__)]
        written = shape_in_stub(arguments)
        is_method = inspect.isclass(value) and not isinstance(own, staticmethod)
        if shape is not None and comparable(shape, is_method, name) != comparable(
            written, is_method, name
        ):
            found.append(f"{where}.{name}: module {shape}, stub {written}")
    for name in stub.properties:
        own = vars(value)[name]
        if isinstance(own, property) and (own.fset is not None) != (name in stub.settable):
            found.append(f"{where}.{name}: one of both can be set")
    for name, inner in stub.classes.items():
        if hasattr(value, name):
            found += differences(inner, getattr(value, name), f"{where}.{name}")
    return found


STUBS = {
    "catena._catena": PACKAGE / "_catena" / "__init__.pyi",
    "catena._catena.distributed": PACKAGE / "_catena" / "distributed.pyi",
    "catena._catena.optim": PACKAGE / "_catena" / "optim.pyi",
    "catena._catena.random": PACKAGE / "_catena" / "random.pyi",
    "catena._catena.functions": PACKAGE / "_functions.pyi",
    "catena._onnx": PACKAGE / "_onnx.pyi",
    "catena._caffe": PACKAGE / "_caffe.pyi",
    "catena._shards": PACKAGE / "_shards.pyi",
}
#: Names of the stub that only type checkers know.
FOR_CHECKERS = {"_RegionOptions", "_HookForEachParameter"}


@pytest.mark.parametrize("name", STUBS)
def test_stubs_have_what_modules_have(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError:
        if name in ("catena._onnx", "catena._caffe", "catena._shards"):
            pytest.skip(f"this build has no {name}")
        raise
    stub = stub_of(STUBS[name])
    for only in FOR_CHECKERS:
        stub.classes.pop(only, None)
    found = differences(stub, module, name)
    assert not found, "\n".join(found)


def test_the_comparison_sees_differences() -> None:
    text = """
class Variable:
    def backward(self, retain_grad: bool, other: int = 3) -> None: ...
    @property
    def array(self) -> int: ...
    def no_such_method(self) -> None: ...
    def unsqueeze(self, axis: int) -> None: ...
"""
    found = differences(Stub(ast.parse(text).body), _catena, "m")
    assert any(line.startswith("m.Variable.backward: ") for line in found)
    assert "m.Variable.array: one of both can be set" in found
    assert "m.Variable.no_such_method is not in the module" in found
    assert "m.Variable.unsqueeze is not in the module" in found  # A hint alone.
    assert "m.Variable.item is not in the stub" in found and "m.State is not in the stub" in found


@pytest.mark.parametrize(
    "name", ["catena", "catena.nn", "catena.optim", "catena.data", "catena.distributed"]
)
def test_all_names_of_a_module_can_be_imported(name: str) -> None:
    """Also where the module's __getattr__ answers for names that are not there."""
    names: dict[str, Any] = {}
    exec(f"from {name} import *", names)
    module = importlib.import_module(name)
    public = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
    assert {n: names[n] for n in public} == {n: getattr(module, n) for n in public}
    assert public


def test_stubs_describe_each_function_as_help_does() -> None:
    stub = ast.parse((PACKAGE / "_functions.pyi").read_text())
    described = {f.name: ast.get_docstring(f) for f in stub.body if isinstance(f, ast.FunctionDef)}
    registered = [f for f in vars(ct.functions).values() if isinstance(f, ct.Function)]
    assert {f.__name__ for f in registered} == set(described)
    for f in registered:
        assert inspect.cleandoc(f.__doc__) == f"{f.signature}\n\n{described[f.__name__]}".rstrip()


def test_the_options_of_regions_are_those_that_checkers_know() -> None:
    stub = ast.parse((PACKAGE / "_catena" / "__init__.pyi").read_text())
    (options,) = (
        c for c in stub.body if isinstance(c, ast.ClassDef) and c.name == "_RegionOptions"
    )
    known = {a.target.id for a in options.body if isinstance(a, ast.AnnAssign)}  # type: ignore
    with pytest.raises(TypeError, match="there are ") as error:
        ct.jit(lambda x: x, nothing=1)  # type: ignore[call-overload]
    assert set(str(error.value).split("there are ")[1].split(", ")) == known
