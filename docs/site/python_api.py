"""Pages of the Python package: its public modules with their classes, functions and constants."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

from text import escaped, from_plain, title


def public_modules() -> dict[str, ModuleType]:
    """All modules of the package whose names have no underscore, by name."""
    import catena

    found = {"catena": catena}
    for part in pkgutil.walk_packages(catena.__path__, "catena."):
        if not any(word.startswith("_") for word in part.name.split(".")):
            found[part.name] = importlib.import_module(part.name)
    for name, value in vars(catena).items():  # Modules of the extension: catena.random.
        is_own = isinstance(value, ModuleType) and value.__name__.startswith("catena")
        if is_own and not name.startswith("_"):
            found.setdefault(f"catena.{name}", value)
    return dict(sorted(found.items()))


def public_names(name: str, module: ModuleType) -> dict[str, Any]:
    """What a module offers by itself: no modules, nothing of other packages or of other modules."""
    import catena

    found = {}
    for member, value in sorted(vars(module).items(), key=lambda item: item[0].lower()):
        if member.startswith("_") or isinstance(value, ModuleType):
            continue
        if isinstance(value, catena.Function):
            continue  # They have pages of their own.
        home = getattr(value, "__module__", None) or "catena"
        if not home.startswith("catena"):
            continue
        if not (inspect.isclass(value) or callable(value)):
            continue
        if name != "catena" and getattr(catena, member, None) is value:
            continue
        listed = getattr(module, "__all__", None)
        if listed is None or member in listed or home.startswith(name) or name == "catena":
            found[member] = value
    return found


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    modules = public_modules()
    index = [
        *title("Python"),
        "Modules, classes and functions of the package ``catena``. Functions of arrays "
        "(``catena.relu``, ``catena.sum``, ...) are told :doc:`by family </functions/index>`.",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
        *(f"   {name}" for name in modules),
        "   catena.config",
    ]
    (folder / "index.rst").write_text("\n".join(index) + "\n")
    for name, module in modules.items():
        (folder / f"{name}.rst").write_text("\n".join(_page(name, module)) + "\n")
    (folder / "catena.config.rst").write_text("\n".join(_settings()) + "\n")


def _page(name: str, module: ModuleType) -> list[str]:
    lines = [*title(name), f".. py:module:: {name}", ""]
    lines += from_plain(inspect.getdoc(module) or "")
    names = public_names(name, module)
    classes = {n: v for n, v in names.items() if inspect.isclass(v)}
    others = {n: v for n, v in names.items() if not inspect.isclass(v)}
    for heading, members in (("Functions", others), ("Classes", classes)):
        if members:
            lines += title(heading, "-")
            for member, value in members.items():
                lines += _member(f"{name}.{member}", value)
    return lines


def _member(path: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        if not isinstance(getattr(value, "__signature__", None), inspect.Signature | None):
            return _without_constructor(path, value)
        if issubclass(value, BaseException):
            return [f".. autoexception:: {path}", "   :show-inheritance:", ""]
        return [
            f".. autoclass:: {path}",
            "   :members:",
            "   :show-inheritance:",
            "   :member-order: alphabetical",
            "",
        ]
    return [f".. autofunction:: {path}", ""]


def _without_constructor(path: str, value: Any) -> list[str]:
    """A class whose objects have signatures, which autodoc takes for the constructor's."""
    module, name = path.rsplit(".", 1)
    lines = [f".. py:class:: {name}", f"   :module: {module}", ""]
    lines += ["   " + line if line else "" for line in from_plain(inspect.getdoc(value) or "")]
    for member in sorted(vars(value)):
        if not member.startswith("_"):
            lines += [f"   .. py:attribute:: {member}", ""]
            told = inspect.getdoc(vars(value)[member]) or ""
            lines += ["      " + line if line else "" for line in from_plain(told)]
    return lines


def _settings() -> list[str]:
    import catena

    lines = [*title("catena.config"), ".. py:data:: catena.config", ""]
    lines += [
        "   " + line if line else "" for line in from_plain(type(catena.config).__doc__ or "")
    ]
    for name in dir(catena.config):
        if name.startswith("_"):
            continue
        attribute = inspect.getattr_static(type(catena.config), name, None)
        told = inspect.getdoc(attribute) or ""
        value = repr(getattr(catena.config, name))
        lines += [f".. py:attribute:: catena.config.{name}", f"   :value: {value}", ""]
        lines += ["   " + line if line else "" for line in from_plain(told)]
    return [*lines, escaped("Values are those at the start of a program."), ""]
