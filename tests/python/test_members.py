"""Where modules look for their members, beside the same search written in Python."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn

Pair = namedtuple("Pair", ["first", "second"])


def found_in_python(path: str, value: Any, found: list[tuple[str, Any]], seen: set[int]) -> None:
    if isinstance(value, (ct.State, nn.Module)):
        if id(value) in seen:
            return
        seen.add(id(value))
        found.append((path, value))
        if isinstance(value, nn.Module):
            if type(value).named_members is nn.Module.named_members:
                attributes = value._attributes()
            else:
                attributes = value.named_members()
            for name, part in attributes:
                found_in_python(f"{path}/{name}" if path else str(name), part, found, seen)
    elif isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            found_in_python(f"{path}/{i}", part, found, seen)
    elif isinstance(value, dict):
        for key, part in value.items():
            found_in_python(f"{path}/{key}", part, found, seen)


def parameter() -> ct.Parameter:
    return ct.Parameter(np.zeros(2, np.float32))


class Stands:
    """Says the class of what it stands for, as proxies do."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    @property
    def __class__(self) -> Any:
        return type(self.inner)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.inner)


class Renamed(nn.Module):
    """Says itself what its members are."""

    def __init__(self) -> None:
        self.kept = nn.Linear(2, 2)

    def named_members(self) -> Iterator[tuple[str, Any]]:
        yield "other/name", self.kept
        yield from super().named_members()


class EveryPlace(nn.Module):
    def __init__(self) -> None:
        shared = parameter()
        self.number, self.text, self.nothing, self.function = 1, "W", None, ct.relu
        self.W = shared
        self.again = shared
        self.state = ct.State(np.zeros(3, np.float32))
        self.listed = [shared, [nn.Linear(2, 3), "text"], (parameter(), {"deep": parameter()})]
        self.named = {"a": parameter(), 7: nn.Linear(1, 1), ("x", 1): parameter()}
        self.ordered = OrderedDict(z=parameter(), a=parameter())
        self.pair = Pair(parameter(), nn.Sequential(nn.Linear(3, 3), ct.relu, nn.Linear(3, 1)))
        self.stands = Stands([parameter(), nn.Linear(2, 2)])
        self.renamed = Renamed()
        self.array = np.zeros(3)


def test_members_are_those_that_python_finds() -> None:
    model = EveryPlace()
    model.listed.append(model)
    expected: list[tuple[str, Any]] = []
    found_in_python("", model, expected, set())
    for kind, found in (
        (ct.Parameter, model.named_parameters()),
        (ct.State, model.named_states()),
        (nn.Module, model.named_modules()),
    ):
        wanted = [(path, part) for path, part in expected if isinstance(part, kind)]
        pairs = list(found)
        assert len(wanted) >= 5
        assert [path for path, _ in pairs] == [path for path, _ in wanted]
        assert all(a is b for (_, a), (_, b) in zip(pairs, wanted, strict=True))


def test_own_members_are_listed_where_they_stand_and_not_below() -> None:
    names = [name for name, _ in EveryPlace().named_members()]
    assert names[:5] == ["W", "again", "state", "listed/0", "listed/1/0"]
    assert "renamed" in names
    assert not any(name.startswith("renamed/") for name in names)


def test_gradients_of_all_parameters_are_cleared() -> None:
    model = EveryPlace()
    for p in model.parameters():
        p.grad = np.zeros(p.shape, np.float32)
    model.cleargrads()
    assert all(p.grad_var is None for p in model.parameters())


def test_a_cleargrad_of_a_class_of_the_users_is_called() -> None:
    class Counting(ct.Parameter):
        cleared = 0

        def cleargrad(self) -> None:
            Counting.cleared += 1
            super().cleargrad()

    class One(nn.Module):
        def __init__(self) -> None:
            self.W = Counting(np.zeros(2, np.float32))

    One().cleargrads()
    assert Counting.cleared == 1


def test_a_list_within_itself_is_a_recursion_error() -> None:
    model = nn.Module()
    endless: list[Any] = []
    endless.append(endless)
    model.endless = endless
    with pytest.raises(RecursionError, match="members"):
        model.cleargrads()


def test_members_that_change_while_they_are_looked_for_are_an_error() -> None:
    class Adds(nn.Module):
        def named_members(self) -> Iterator[tuple[str, Any]]:
            model.further = parameter()
            return iter(())

    model = nn.Module()
    model.adds = Adds()
    with pytest.raises(RuntimeError, match="changed size"):
        model.cleargrads()


def test_members_that_are_made_for_the_question_are_all_found() -> None:
    class Makes(nn.Module):
        def named_members(self) -> Iterator[tuple[str, Any]]:
            for i in range(100):
                yield str(i), parameter()

    assert len(list(Makes().parameters())) == 100


def test_members_that_are_no_pairs_are_refused() -> None:
    class Wrong(nn.Module):
        def named_members(self) -> Any:
            return iter([(1, 2, 3)])

    model = nn.Module()
    model.wrong = Wrong()
    with pytest.raises(ValueError, match="pairs"):
        model.cleargrads()
