"""Static regions: Python functions whose arithmetic is compiled."""

from __future__ import annotations

import functools
import html
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, Unpack, overload

from catena import _catena

if TYPE_CHECKING:
    from catena._catena import StaticGraph, _RegionOptions

__all__ = ["Report", "jit", "static_graph"]

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """`jit(audit="sampled")`: what makes a region of a function."""

    def __call__(self, f: Callable[P, R], /) -> StaticGraph[P, R]: ...


class Report(str):
    """A text for reading, which notebooks show as it is laid out."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


def static_graph(f: Callable[P, R], name: str | None = None, **options: Any) -> StaticGraph[P, R]:
    """Make a function, a method, or an object that can be called, a static region.

    Its Python code runs at every call. Its operations on arrays are recorded, compared with those
    of earlier calls, and computed by compiled code when it has returned, or where Python reads a
    value: results, gradients, prints, and all other effects are those of the plain function.

    Arguments and results are Variables, ndarrays, numbers, texts and any nesting of tuples, named
    tuples, lists, dictionaries and dataclasses of them; other objects are passed as they are.

    Args:
        f: The function. Generators and coroutines are refused: their code runs after the call.
        name: The region's name in reports and messages; by default that of the function.
        audit: How often the code runs. "always": at every call. "sampled": at calls 1, 2, 4, 8,
            ... and then every 1024th of the same types, numbers, texts and structures; "never":
            at the first. With these two you promise that the code has no state of its own.
        compile_mode: "now": the call waits for the compiler; "later": compiled at the second call;
            "background": by another thread.
        keep_grads: Keep the gradients of parameters that the region also updates.
        breaks: False: a read of a computed value inside is a TraceError.
        watches_memory: Copy what NumPy could write to when an operation first reads it. False: you
            promise that the function does not write to what its operations have read.
        verify: Compare every call with the eager kernels. Slow.
        cache_bytes: Approximate limit of the memory for programs.
        memory_budget: Bytes of intermediate results that a program should hold at a time; 0: no
            limit.

    Returns:
        The region. It has ``explain()``, ``profile()``, ``statistics()``, ``save(path)``,
        ``save_html(path)`` and ``clear()``; ``__wrapped__`` is the plain function.

    Raises:
        TypeError: for what cannot be called, generators, coroutines, and unknown options.
        ArgumentError: for the value of an option that it does not take.
    """
    if not callable(f):
        raise TypeError(f"jit: {f!r} cannot be called: it takes a function, or an object with one")
    _refuse_suspended(f)
    region = _catena.StaticGraph(f, name=_name_of(f) if name is None else name, **options)
    functools.update_wrapper(region, f, updated=())
    vars(region).update(getattr(f, "__dict__", {}) if inspect.isroutine(f) else {})
    region.__wrapped__ = f
    return region


@overload
def jit(f: Callable[P, R], /, **options: Unpack[_RegionOptions]) -> StaticGraph[P, R]: ...
@overload
def jit(f: None = None, /, **options: Unpack[_RegionOptions]) -> Decorator: ...
def jit(f: Any = None, /, **options: Any) -> Any:
    """Makes a function a compiled region: its array operations run as one program.

    ``@jit``, ``@jit(audit="sampled")`` or ``jit(model)``. `help(catena.static_graph)` has the
    options and what the region offers, such as ``explain()``.
    """
    if f is None:
        return functools.partial(static_graph, **options)
    return static_graph(f, **options)


def _name_of(f: Any) -> str:
    """What the region is called in reports and files: the last part of the function's name."""
    name = getattr(f, "__name__", None)
    if name is None and isinstance(f, functools.partial):
        return _name_of(f.func)
    if name is None:
        name = type(f).__name__
    return "region" if name == "<lambda>" else str(name)


_SUSPENDED = (
    (inspect.isgeneratorfunction, "a generator"),
    (inspect.isasyncgenfunction, "an asynchronous generator"),
    (inspect.iscoroutinefunction, "a coroutine"),
)


def _refuse_suspended(f: Any) -> None:
    code = f if inspect.isroutine(f) or inspect.isclass(f) else type(f).__call__
    for is_one, what in _SUSPENDED:
        if is_one(f) or is_one(code):
            raise TypeError(
                f"jit: {_name_of(f)} is {what}: its code runs when the call has long returned. "
                "Make a region of a function that it calls"
            )


def _statistics_repr(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
    return f"StaticGraphStatistics({fields})"


def _as_dict(self: Any) -> dict[str, float]:
    """All counters by their names."""
    return {name: getattr(self, name) for name in self._fields}


def _profile_repr(self: Any) -> str:
    return f"<catena.RegionProfile of {self.region}: {len(self.rows)} launches>"


_PROFILE_COLUMNS = (
    ("program", "{}"),
    ("name", "{}"),
    ("method", "{}"),
    ("sizes", "{}"),
    ("share", "{:.1%}"),
    ("milliseconds", "{:.4f}"),
    ("gigabytes_per_second", "{:.1f}"),
    ("gigaflops_per_second", "{:.1f}"),
)


def _profile_html(self: Any) -> str:
    names = [name.replace("_", " ") for name, _ in _PROFILE_COLUMNS] + ["of the limit"]
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = ""
    for row, shares in zip(self.rows, self.shares(), strict=True):
        cells = [how.format(getattr(row, name)) for name, how in _PROFILE_COLUMNS]
        cells.append(f"{shares.most:.0%} {shares.bound}" if shares.bound else "")
        rows += "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in cells) + "</tr>"
    return f"<table><caption>{html.escape(self.region)}</caption><tr>{head}</tr>{rows}</table>"


def _attach(statistics: Any, profile: Any) -> None:
    """Gives the classes what is written in Python."""
    statistics.__repr__ = _statistics_repr
    statistics.as_dict = _as_dict
    profile.__repr__ = _profile_repr
    profile._repr_html_ = _profile_html


_attach(_catena.StaticGraphStatistics, _catena.RegionProfile)
