"""Arrays in files: npz, safetensors and HDF5."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import catena._catena as _catena
import numpy as np
from catena._catena import Error, FileError, Variable

Values = dict[str, Any]
PathLike = str | os.PathLike[str]


def save(path: PathLike, values: Any, *, compression: bool = True) -> None:
    """Writes arrays by key to a file; an older file stays until the new one is complete.

    `values` is a Module, an optimizer, or anything with state_dict(); or a dict of arrays,
    Variables, numbers and texts; dicts may be nested: {"model": model, "epoch": 3}. The
    name's end says what is written: `.npz` (readable by numpy.load, and by Chainer and Catena's
    C++ side as a link or optimizer), `.safetensors` (read by many libraries), `.h5` or `.hdf5`
    (by h5py).
    `compression` is for npz and HDF5. FileError where the file cannot be written; TypeError names a
    key whose value cannot be saved.
    """
    name = os.fspath(path)
    _format_of(name).write(name, flattened(values), compression)


def load(path: PathLike, into: Any = None, *, strict: bool = True) -> Values:
    """Reads a file that save(), Chainer, NumPy or others wrote: a dict by key, "model/l1/W".

    With `into`, a Module, an optimizer, or a dict of them as save() takes it, their content is
    replaced, and nothing is unless everything fits; `strict=False` takes what fits. FileError names
    the file, and the key that is missing or does not fit.
    """
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileError(f"{name}: there is no such file")
    values: Values = _format_of(name).read(name)
    if into is not None:
        try:
            _load_into(into, values, strict)
        except (Error, ValueError, TypeError) as error:
            raise FileError(f"{name}: {error}") from error
    return values


def flattened(values: Any) -> Values:
    """One dict of arrays by keys like "model/l1/W"."""
    flat: Values = {}
    _flatten("", values, flat)
    return flat


def _flatten(prefix: str, value: Any, flat: Values) -> None:
    if hasattr(value, "state_dict"):
        value = value.state_dict()
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str) or not key:
                raise TypeError(f"save: a key should be a text, {key!r} is not")
            _flatten(f"{prefix}/{key}" if prefix else key, part, flat)
        return
    if not prefix:
        raise TypeError(f"save: takes a Module or a dict of arrays, not {type(value).__name__}")
    flat[prefix] = _storable(prefix, value)


def _storable(key: str, value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    array = np.asarray(value.array if isinstance(value, Variable) else value)
    if array.dtype.hasobject or array.dtype.kind in "USMm" or array.dtype.names:
        raise TypeError(f"save: '{key}' is a {type(value).__name__}, which no array holds")
    return array


def _part(values: Values, prefix: str) -> Values:
    return {k[len(prefix) :]: v for k, v in values.items() if k.startswith(prefix)}


def _load_into(into: Any, values: Values, strict: bool) -> None:
    parts: list[tuple[str, Any]] = []
    _targets("", into, parts)
    if len(parts) > 1:  # Whether all fit, before the first changes.
        for prefix, target in parts:
            _check_part(prefix, target, _part(values, prefix), strict)
    for prefix, target in parts:
        target.load_state_dict(_part(values, prefix), strict=strict)


def _check_part(prefix: str, target: Any, values: Values, strict: bool) -> None:
    before = target.state_dict()
    try:
        target.load_state_dict(values, strict=strict)
    except (Error, ValueError, TypeError) as error:
        raise ValueError(f"{prefix.rstrip('/')}: {error}") from error
    target.load_state_dict(before, strict=False)


def _targets(prefix: str, into: Any, parts: list[tuple[str, Any]]) -> None:
    if hasattr(into, "load_state_dict"):
        parts.append((prefix, into))
    elif isinstance(into, Mapping):
        for key, part in into.items():
            _targets(f"{prefix}{key}/", part, parts)
    else:
        raise TypeError(f"load: into takes Modules and optimizers, not {type(into).__name__}")


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """A file beside `path` that takes its place where the block succeeds."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror}") from error
    os.close(handle)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error}") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


class _Npz:
    """By the C++ side: it checks what it reads, and replaces files atomically."""

    @staticmethod
    def write(path: str, values: Values, compression: bool) -> None:
        _catena._write_npz(path, values, compression)

    @staticmethod
    def read(path: str) -> Values:
        values: Values = _catena._read_npz(path)
        return values


def _library(module: str, path: str) -> Any:
    try:
        return __import__(module, fromlist=["_"])
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{path}: needs the package {package}: pip install {package}") from error


class _Safetensors:
    """By the C++ side. Texts are metadata; None is left out and noted there."""

    @staticmethod
    def write(path: str, values: Values, compression: bool) -> None:
        _catena._write_safetensors(path, values)

    @staticmethod
    def read(path: str) -> Values:
        values: Values = _catena._read_safetensors(path)
        return values


class _Hdf5:
    """By h5py, as Chainer writes them: groups and datasets, None an empty dataset."""

    @staticmethod
    def write(path: str, values: Values, compression: bool) -> None:
        library = _library("h5py", path)
        with replacing(path) as temporary, library.File(temporary, "w") as file:
            for key, value in values.items():
                if value is None:
                    file.create_dataset(key, data=library.Empty("f"))
                elif isinstance(value, str) or not value.ndim or not compression:
                    file.create_dataset(key, data=value)
                else:
                    file.create_dataset(key, data=value, compression=4)

    @staticmethod
    def read(path: str) -> Values:
        library = _library("h5py", path)
        values: Values = {}

        def visit(key: str, item: Any) -> None:
            if not isinstance(item, library.Dataset):
                return
            content = None if item.shape is None else item[()]
            values[key] = content.decode() if isinstance(content, bytes) else content

        try:
            with library.File(path, "r") as file:
                file.visititems(visit)
        except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
            raise FileError(f"{path}: {error}") from error
        return {k: np.asarray(v) if _is_number(v) else v for k, v in values.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, np.generic)


_formats: dict[str, Any] = {
    ".npz": _Npz,
    ".safetensors": _Safetensors,
    ".h5": _Hdf5,
    ".hdf5": _Hdf5,
}


def _format_of(path: str) -> Any:
    ending = Path(path).suffix.lower()
    if ending in _formats:
        return _formats[ending]
    endings = ", ".join(_formats)
    raise ValueError(f"{path}: its name should end in one of {endings}, which says what it is")
