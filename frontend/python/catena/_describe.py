"""Signatures and documentation of the registry's functions, made when somebody asks."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from catena._catena import Function

_gives = {
    "one": "Variable",
    "several": "tuple of Variables",
    "one or several": "Variable or tuple of Variables",
}
_kinds = {"array": "Variable or array-like", "arrays": "list of Variables or array-likes"}
_width = 88


def _kind(variadic: bool, keyword_only: bool) -> Any:
    if variadic:
        return inspect.Parameter.VAR_POSITIONAL
    if keyword_only:
        return inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter.POSITIONAL_OR_KEYWORD


def signature(function: Function) -> inspect.Signature:
    """As inspect.signature() gives it."""
    parameters = []
    for name, _, variadic, keyword_only, has_default, default in function.parameters:
        parameters.append(
            inspect.Parameter(
                name,
                _kind(variadic, keyword_only),
                default=default if has_default else inspect.Parameter.empty,
            )
        )
    return inspect.Signature(parameters)


def documentation(function: Function) -> str:
    """As help() shows it, from the comment of the function's declaration in C++."""
    told = function.descriptions
    lines = [function.signature, ""]
    for paragraph in told.get("", "").split("\n\n"):
        lines += [*_wrapped(paragraph), ""]
    if function.parameters:
        lines.append("Arguments:")
        for parameter in function.parameters:
            lines += _entry(_argument(parameter), told.get(parameter[0], ""))
        lines.append("")
    lines.append("Returns:")
    lines += _entry(_gives[function.gives], _beginning_small(told.get("returns", "")))
    return "\n".join(lines)


def _argument(parameter: tuple[str, str, bool, bool, bool, Any]) -> str:
    """ "stride (default 1)" """
    name, kind, variadic, _, has_default, default = parameter
    if variadic:
        return f"*{name} ({_kinds['array']})"
    if kind == "value":
        return f"{name} (default {default!r})" if has_default else name
    return f"{name} ({_kinds[kind]}{', optional' if has_default else ''})"


def _entry(head: str, text: str) -> list[str]:
    return _wrapped(f"{head}: {text}" if text else head, "    ", "        ")


def _wrapped(text: str, first: str = "", others: str = "") -> list[str]:
    """Lines of some width. None begins with a minus, as an entry of a list would."""
    kept = text.replace(" - ", "\xa0- ")
    lines = textwrap.wrap(
        kept, _width, initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    )
    return [line.replace("\xa0", " ") for line in lines]


def _beginning_small(text: str) -> str:
    """As it follows a colon: "The maxima" begins small, "W" does not."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
