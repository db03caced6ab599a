"""Signatures and documentation of the registry's functions, made when somebody asks."""

from __future__ import annotations

import inspect
from typing import Any

from catena._catena import Function

_gives = {
    "one": "A Variable.",
    "several": "A tuple of Variables.",
    "one or several": "A Variable, or a tuple of them where the arguments ask for several.",
}


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
    """As help() shows it."""
    arrays = [p[0] for p in function.parameters if p[1] == "array"]
    lists = [p[0] for p in function.parameters if p[1] == "arrays"]
    lines = [function.signature, "", f"A function of the family {function.family}."]
    if arrays:
        lines.append(f"Arrays: {', '.join(arrays)} (Variables, ndarrays or numbers).")
    if lists:
        lines.append(f"Lists of arrays: {', '.join(lists)}.")
    lines += ["", f"Returns: {_gives[function.gives]}"]
    return "\n".join(lines)
