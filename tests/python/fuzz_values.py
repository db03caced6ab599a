"""What calls are made of in test_fuzz_arguments.py: expressions of Python, right ones by the kind
of the argument, and wrong ones for all. An expression is made anew for every call."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

import catena as ct
import numpy as np


def a(shape: Any = (2, 3), dtype: Any = np.float32) -> np.ndarray:
    """An ndarray whose elements lie in (0, 1], or are 0 and 1."""
    count = int(np.prod(shape))
    if np.dtype(dtype).kind in "bui":
        return (np.arange(count) % 2).reshape(shape).astype(dtype)
    return ((np.arange(count) % 7 + 1) / 8).reshape(shape).astype(dtype)


def v(shape: Any = (2, 3), dtype: Any = np.float32) -> ct.Variable:
    return ct.Variable(a(shape, dtype))


class Refused(Exception):
    """What objects below raise: it must come out as it is."""


class Raises:
    """An object of which one method raises."""

    def __new__(cls, name: str) -> Any:
        def refuse(*_: Any, **__: Any) -> Any:
            raise Refused(f"{name} raises")

        return object.__new__(type("Raises", (object,), {name: refuse}))


class Gives:
    """An object of which one method gives something."""

    def __new__(cls, name: str, what: Any) -> Any:
        return object.__new__(type("Gives", (object,), {name: lambda *_, **__: what}))


class Subclass(np.ndarray):
    pass


class Number(int):
    pass


class Text(str):
    pass


class Mine(ct.Variable):
    pass


class Unmade(ct.Parameter):
    def __init__(self) -> None:
        """Forgets super().__init__()."""


def numbers() -> Iterator[int]:
    yield from (1, 2)


def deep(depth: int = 100_000) -> list[Any]:
    made: list[Any] = [1.0]
    for _ in range(depth):
        made = [made]
    return made


def in_itself() -> list[Any]:
    made: list[Any] = [1.0]
    made.append(made)
    return made


def dict_in_itself() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["a"] = made
    return made


def dead() -> Any:
    return weakref.ref(Subclass(1))


def proxy_of_dead() -> Any:
    return weakref.proxy(Subclass(1))


def used_capsule() -> Any:
    capsule = np.ones(3, np.float32).__dlpack__()
    np.from_dlpack(Gives_dlpack(capsule))
    return capsule


class Gives_dlpack:
    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def closed_file() -> Any:
    file = open(os.devnull)  # noqa: SIM115
    file.close()
    return file


def read_only() -> np.ndarray:
    array = a()
    array.flags.writeable = False
    return array


FOLDER = tempfile.mkdtemp(prefix="catena_fuzz_")
atexit.register(shutil.rmtree, FOLDER, True)


def memmap() -> np.ndarray:
    return np.memmap(os.path.join(FOLDER, "memmap"), np.float32, "w+", shape=(2, 3))


ARRAYS = [
    *("a()", "v()", "a((3, 2))", "a((3,))", "v((3, 3))", "a((1, 2, 4, 4))", "v((2, 2, 4, 4))"),
    *("a((3, 2, 2, 2))", "a((2, 2, 4))", "v((2, 3, 4))", "a((1, 2, 3, 4, 4))", "a(())", "v(())"),
    *("a((2, 3), 'f8')", "v((2, 3), 'f8')", "a((2, 3), 'f2')", "a((2, 3), 'i4')", "a((2,), 'i4')"),
    *(
        "v((2, 3), 'i8')",
        "a((2, 3), '?')",
        "a((4,), 'u1')",
        "a((2, 3), 'i1')",
        "a((2, 2, 4), 'i2')",
    ),
    *("a((4, 4))", "a((4, 2))", "a((4,))", "a((2, 4))", "a((2,))", "a((2, 1))", "a((6,))"),
    *("2.5", "1", "True", "[1.0, 2.0]", "[[1, 2, 3], [4, 5, 6]]", "np.float32(2)", "np.int64(1)"),
    *("a()[::-1]", "a((3, 2)).T", "a((4, 6))[::2, ::-2]", "np.asfortranarray(a())", "read_only()"),
    *("np.broadcast_to(a((3,)), (2, 3))", "a((2, 3), '>f4')", "a((2, 3), '>i4')", "a((0, 3))"),
    *("a((2, 0))", "v((0,))", "memmap()", "np.matrix([[1., 2.], [3., 4.]])"),
    *("ct.Parameter(a())", "ct.State(a())", "Mine(a())", "a().view(Subclass)"),
]
#: Arrays that often go together: one call's are drawn from one row.
THEMES = [
    ["a()", "v()", "a()[::-1]", "a((2, 3), 'f8')"],
    ["a((2, 3), 'i4')", "v((2, 3), 'i4')", "a((2,), 'i4')"],
    ["a((2, 3), '?')", "a((2, 3), 'i4')", "v()"],
    ["v((4, 4))", "a((4, 4))", "a((4,))", "np.eye(4)", "a((4, 4))[::-1].T"],
    ["v()", "a((2,), 'i4')", "a((3,))", "a((2, 3), 'i4')", "a((2, 1))"],
    ["v((2, 4))", "a((2, 4))", "a((2, 2))", "a((2,))", "a((4, 4))"],
    ["v((2, 2, 4))", "a((2, 2, 2))", "a((2,))", "a((2, 2, 4))"],
    ["v((2, 2, 4, 4))", "a((2, 2, 2, 2))", "a((2,))", "a((2, 2, 4, 4))"],
    ["v((2, 2, 4, 4))", "a((2, 5))", "a((2, 4))", "a((2,), 'i4')", "a((2, 2, 3))"],
    ["v((1, 2, 4, 4, 4))", "a((2, 2, 2, 2, 2))", "a((2,))"],
    ["v((2, 4, 3))", "a((2, 4), 'i4')", "a((4, 4))", "a((2,), 'i4')", "a((3, 3))"],
    ["v((2, 8))", "a((2, 2))", "a((2, 8))"],
    ["v((2, 4, 2, 2))", "a((1, 2, 4, 4))", "a((2, 2, 2, 2), 'i4')"],
]
#: Values that are right for most arguments.
COMMON = [
    "'constant'",
    "1",
    "2",
    "0",
    "0.5",
    "(0, 1)",
    "None",
    "True",
    "(2, 2)",
    "-1",
    "((1, 1), (1, 1))",
]
LISTS = [
    *("[a(), a()]", "(v(), a())", "[a((2, 3))]", "[a((3,)), a((2,))]", "[v((4, 2)), v((2, 2))]"),
    *("[]", "[a((2,), 'i4'), a((2,))]", "[[a()], [a()]]", "[1.0, 2.0]", "a()", "v()"),
]
VALUES = [
    *("0", "1", "2", "-1", "3", "-2", "0.5", "1.5", "-0.25", "None", "True", "False", "(0, 1)"),
    *("(1,)", "[2, 2]", "(2, 3)", "(1, 0)", "(0,)", "()", "'mean'", "'sum'", "'float32'", "'no'"),
    *("np.float64", "np.dtype('int32')", "np.int32(1)", "np.float32(0.5)", "((1, 1), (0, 1))"),
    *("slice(0, 1)", "'constant'", "'ij,jk->ik'", "'tanh'", "[(0, 0)]", "np.array([1, 0])", "6"),
]
TEXTS = ["'cpu'", "'name'", "''", "'alpha'", "'float32'", "'train'"]
WRONG = [
    *("None", "2**33", "2**62", "2**63", "-2**63 - 1", "-2**63", "2**64", "2**200", "-(2**200)"),
    *(
        "float('nan')",
        "float('inf')",
        "-float('inf')",
        "1e308",
        "-0.0",
        "True",
        "1j",
        "''",
        "'text'",
    ),
    *("'a\\0b'", "'\\ud800'", "'\\0'", "'é' * 1000", "b'bytes'", "bytearray(b'b')", "object()"),
    *(
        "np.array([None, 1])",
        "np.array(['a', 'b'])",
        "np.array([b'x'])",
        "np.datetime64('2020-01-01')",
    ),
    *("np.array(['2020'], 'M8[D]')", "np.zeros(2, 'i4,f4')", "a((2, 3), 'c8')", "a((2, 3), 'f2')"),
    *("np.zeros(2, 'i4,f4')['f1']", "a((2, 3), 'u8')", "a((2, 3), 'g')", "np.timedelta64(3)"),
    *("a((1,) * 33)", "a((1,) * 64)", "np.complex64(1)", "np.longdouble(1)", "np.str_('s')"),
    *(
        "np.bool_(True)",
        "np.uint64(2**64 - 1)",
        "np.float16(1)",
        "np.ma.array([1., 2.], mask=[0, 1])",
    ),
    *("Raises('__array__')", "Raises('__index__')", "Raises('__float__')", "Raises('__eq__')"),
    *("Raises('__hash__')", "Raises('__bool__')", "Raises('__len__')", "Raises('__iter__')"),
    *("Raises('__repr__')", "Raises('__str__')", "Raises('__getattr__')", "Raises('__getitem__')"),
    *("Raises('__call__')", "Raises('__fspath__')", "Raises('__dlpack__')", "Raises('__int__')"),
    *("Raises('__array_interface__')", "Gives('__array__', 'text')", "Gives('__array__', None)"),
    *("Gives('__array__', a())", "Gives('__index__', 2**70)", "Gives('__index__', 'no')"),
    *(
        "Gives('__float__', 'no')",
        "Gives('__len__', -1)",
        "Gives('__iter__', 3)",
        "Gives('__array__', [1])",
    ),
    *(
        "Gives('__fspath__', 3)",
        "Gives('__repr__', 3)",
        "Gives('__bool__', 3)",
        "Gives('__call__', 3)",
    ),
    *(
        "in_itself()",
        "dict_in_itself()",
        "deep()",
        "deep(500)",
        "numbers()",
        "range(3)",
        "{}",
        "{1: 2}",
    ),
    *("{'a': a()}", "{(1,): None}", "set()", "frozenset([1])", "int", "np.ndarray", "ct.Variable"),
    *("ct", "len", "lambda *x: 3", "lambda: None", "closed_file()", "used_capsule()", "dead()"),
    *("proxy_of_dead()", "a().__dlpack__()", "memoryview(b'abc')", "Number(2)", "Text('cpu')"),
    *("Ellipsis", "NotImplemented", "slice(None)", "slice(2**70, None, 0)", "Exception('e')"),
    *("'cuda:99'", "'gpu'", "'cpu:-1'", "'cuda'", "'cpu:0'", "'cuda:99999999999999999999'"),
    *("[None]", "[[1], [1, 2]]", "[a(), None]", "[object()]", "['a']", "[[]]", "(2**70,)", "[1j]"),
    *("[-1, -1]", "(2**40, 2**40)", "(0, 2**63 - 1)", "(2**31, 2**31, 4)", "[True]", "(1.5, 2)"),
    *(
        "ct.Variable()",
        "ct.Parameter()",
        "ct.Parameter(None)",
        "ct.State()",
        "ct.relu",
        "ct.Function",
    ),
    *(
        "a((2, 3)).tolist()",
        "v((2, 3)).creator",
        "ct.sum(v())",
        "[0] * 40",
        "(1,) * 9",
        "(1,) * 65",
    ),
    *("Unmade()", "ct.Variable.__new__(ct.Variable)", "object.__new__(object)"),
    *("1 << 62", "-1", "-5", "10**6", "'x' * 100000", "[1.0] * 1000", "iter([1])", "np.random"),
]
