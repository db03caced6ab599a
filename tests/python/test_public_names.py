"""What `from module import *` gives: the module's own names, all of them, and nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

import catena as ct
import pytest
from catena._catena import optim as bound_optim


def public_modules() -> list[str]:
    found = pkgutil.walk_packages(ct.__path__, "catena.")
    return [m.name for m in found if not any(p.startswith("_") for p in m.name.split("."))]


def imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        if name in ("catena.onnx", "catena.caffe", "catena.shards"):
            pytest.skip(f"this build has no {name}")
        raise


def everything_of(name: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(f"from {name} import *", space)
    return {key: value for key, value in space.items() if not key.startswith("__")}


def test_there_are_public_modules() -> None:
    assert {"catena.nn", "catena.optim", "catena.data"} <= set(public_modules())


@pytest.mark.parametrize("name", public_modules())
def test_all_lists_what_is_defined_and_nothing_that_was_imported(name: str) -> None:
    module = imported(name)
    assert len(set(module.__all__)) == len(module.__all__)
    given = everything_of(name)
    assert set(given) == set(module.__all__)
    for key, value in given.items():
        home = value.__name__ if isinstance(value, ModuleType) else value.__module__
        assert home.split(".")[0] == "catena", key
    defined = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", None) == name
    }
    assert defined - set(module.__all__) == INNER.get(name, set())


#: Without an underscore, but for the package's other modules.
INNER = {"catena.optim": {"named_parameters_of"}}


def test_all_of_optim_has_all_rules_and_hooks_that_are_bound() -> None:
    bound = {name for name in vars(bound_optim) if not name.startswith("_")}
    assert len(bound) > 20
    assert bound <= set(ct.optim.__all__)


def test_the_package_gives_nothing_that_is_not_its_own() -> None:
    for key, value in everything_of("catena").items():
        home = value.__name__ if isinstance(value, ModuleType) else type(value).__module__
        if not isinstance(value, ModuleType):
            home = getattr(value, "__module__", home)
        assert str(home).split(".")[0] == "catena", key
