"""Well-known data, downloaded once."""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from catena._catena import FileError
from catena._io import replacing
from numpy.typing import NDArray

__all__ = ["cache_folder", "mnist", "read_idx"]

Pair = tuple[NDArray[Any], NDArray[Any]]

#: As published; the mirrors are Google's and PyTorch's.
_MNIST = {
    "train-images-idx3-ubyte.gz": (
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
    ),
    "train-labels-idx1-ubyte.gz": (
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
    ),
    "t10k-images-idx3-ubyte.gz": (
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
    ),
    "t10k-labels-idx1-ubyte.gz": (
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
    ),
}
_MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)


def cache_folder() -> Path:
    """Where downloads are kept: $CATENA_CACHE_DIR, else ~/.cache/catena; the C++ side uses it,
    too."""
    if folder := os.environ.get("CATENA_CACHE_DIR"):
        return Path(folder)
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "catena"
    return Path.home() / ".cache" / "catena"


def mnist(
    folder: str | os.PathLike[str] | None = None, url: str | None = None
) -> tuple[Pair, Pair]:
    """The training and the test set: `(images, labels), (images, labels)`.

    images are float32 (N, 784) in [0, 1], labels int32 (N). `folder` has the four files
    train-images-idx3-ubyte.gz, ...; without it they are downloaded once, from `url` or from the
    usual places, and their sha256 is checked. FileError names what is missing or damaged.
    """
    if folder is None:
        folder = cache_folder() / "mnist"
        for name, digest in _MNIST.items():
            if not (folder / name).exists():
                _download(folder / name, digest, (url,) if url else _MIRRORS)
    names = list(_MNIST)
    train, test = (
        (_images(Path(folder) / names[i]), _labels(Path(folder) / names[i + 1])) for i in (0, 2)
    )
    return train, test


def _images(path: Path) -> NDArray[Any]:
    pixels = read_idx(path, 3)
    return pixels.reshape(len(pixels), -1).astype(np.float32) / np.float32(255)


def _labels(path: Path) -> NDArray[Any]:
    return read_idx(path, 1).astype(np.int32)


def read_idx(path: str | os.PathLike[str], axes: int) -> NDArray[Any]:
    """The unsigned bytes of an idx file of so many axes, gzipped or not, as an ndarray; FileError
    naming it otherwise.
    """
    try:
        data = Path(path).read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except FileNotFoundError as error:
        raise FileError(f"{path}: there is no such file") from error
    except (OSError, EOFError, ValueError) as error:
        raise FileError(f"{path}: {error}") from error
    begin = bytes([0, 0, 8, axes])
    if data[:4] != begin:
        raise FileError(
            f"{path}: begins with {data[:4].hex()}; unsigned bytes in {axes} dimensions begin with "
            f"{begin.hex()}"
        )
    head = 4 + 4 * axes
    if len(data) < head:
        raise FileError(f"{path}: ends in its header")
    shape = tuple(int(size) for size in np.frombuffer(data[4:head], ">u4"))
    if len(data) - head != math.prod(shape):
        raise FileError(f"{path}: declares the shape {shape} and has {len(data) - head} elements")
    return np.frombuffer(data, np.uint8, offset=head).reshape(shape)


def _download(path: Path, digest: str, mirrors: tuple[str, ...]) -> None:
    import urllib.request  # It costs more than the rest of the package.

    problems = []
    for mirror in mirrors:
        url = mirror + path.name
        print(f"downloading {url}", file=sys.stderr)
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                content = answer.read()
        except (OSError, ValueError) as error:
            problems.append(f"{url}: {error}")
            continue
        found = hashlib.sha256(content).hexdigest()
        if found == digest:
            return _store(path, content)
        problems.append(f"{url}: {len(content)} bytes with sha256 {found}, expected {digest}")
    tried = "\n  ".join(["", *problems])
    raise FileError(
        f"{path.name} is not in {path.parent} and cannot be downloaded:{tried}\n"
        "Without a network, put the file there by hand, or name a folder that has it"
    )


def _store(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(str(path)) as temporary:
        Path(temporary).write_bytes(content)
