"""The examples in Python, run as a user runs them, for a short time."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import catena as ct
import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "python"


def example(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def idx(path: Path, array: np.ndarray) -> None:
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(gzip.compress(head + array.tobytes(), 1))


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    """A folder like MNIST's with few pictures: label k has a bright row number 2 k."""
    rng = np.random.default_rng(0)
    for name, count in (("train", 300), ("t10k", 100)):
        labels = rng.integers(0, 10, count).astype(np.uint8)
        pictures = rng.integers(0, 60, (count, 28, 28)).astype(np.uint8)
        pictures[np.arange(count), 2 * labels] = 255
        idx(tmp_path / f"{name}-images-idx3-ubyte.gz", pictures)
        idx(tmp_path / f"{name}-labels-idx1-ubyte.gz", labels)
    return tmp_path


def run(name: str, *arguments: str) -> tuple[int, str]:
    printed = io.StringIO()
    with redirect_stdout(printed):
        status = example(name).main(list(arguments))
    return status, printed.getvalue()


def test_digits_learn_the_same_eagerly_and_compiled() -> None:
    status, text = run("digits", "-e", "1")
    assert status == 0
    eager, compiled = (float(line.split()[-2]) for line in text.splitlines()[-2:])
    assert eager > 85 and abs(eager - compiled) < 2


def test_digits_without_data_are_an_error(tmp_path: Path) -> None:
    assert run("digits", "--data", str(tmp_path)) == (1, "")


@pytest.mark.parametrize("mode", [["--eager"], []], ids=["eager", "compiled"])
def test_mnist_learns_saves_and_goes_on(digits: Path, tmp_path: Path, mode: list[str]) -> None:
    out = tmp_path / "out"
    flags = ["--data", str(digits), "--out", str(out), "-u", "32", "-b", "50", *mode]
    status, text = run("mnist", *flags, "-e", "4")
    assert status == 0
    assert float(text.split()[-1]) > 0.9
    status, text = run("mnist", *flags, "-e", "5", "--resume", str(out / "mlp.npz"))
    assert status == 0
    assert text.splitlines()[1].split()[0] == "5"


def test_mnist_gives_the_same_numbers_eagerly_and_compiled(digits: Path, tmp_path: Path) -> None:
    flags = ["--data", str(digits), "-o", str(tmp_path / "out"), "-u", "16", "-e", "2", "-b", "64"]
    rows = []
    for mode in (["--eager"], []):
        _, text = run("mnist", *flags, *mode)
        rows.append([float(value) for line in text.splitlines()[1:3] for value in line.split()[:5]])
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-4)


def test_mnist_without_data_says_what_to_do(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path))
    status, _ = run("mnist", "--url", f"file://{tmp_path}/none/")
    assert status == 1
    told = capsys.readouterr().err
    assert "train-images-idx3-ubyte.gz is not in" in told
    assert "Without a network" in told
    status, _ = run("mnist", "--data", str(tmp_path / "none"))
    assert status == 1
    assert "there is no such file" in capsys.readouterr().err


def test_a_downloaded_file_is_checked(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(b"damaged")
    with pytest.raises(ct.FileError, match="7 bytes with sha256"):
        ct.datasets.mnist(url=f"file://{tmp_path}/")
    assert not (tmp_path / "cache" / "mnist" / "train-images-idx3-ubyte.gz").exists()


def test_idx_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x"
    for content, message in (
        (b"", "begins with"),
        (bytes([0, 0, 8, 1, 0, 0, 0, 9]) + b"12", r"declares the shape \(9,\) and has 2"),
        (bytes([0, 0, 8, 1, 0, 0]), "ends in its header"),
        (b"\x1f\x8bnothing", "x: "),
    ):
        file.write_bytes(content)
        with pytest.raises(ct.FileError, match=message):
            ct.datasets.read_idx(file, 1)


@pytest.mark.parametrize("mode", [["--eager"], []], ids=["eager", "compiled"])
def test_dcgan_trains_and_writes_pictures(tmp_path: Path, mode: list[str]) -> None:
    flags = ["--pictures", "40", "-b", "20", "-e", "2", "--width", "16", "-n", "8", *mode]
    status, text = run("dcgan", *flags, "-o", str(tmp_path))
    assert status == 0
    assert np.isfinite(float(text.split()[-1]))
    assert (tmp_path / "generated.ppm").read_bytes().startswith(b"P6 160 160 255\n")


@pytest.mark.parametrize("mode", [["--eager"], []], ids=["eager", "compiled"])
def test_char_rnn_learns_a_text(tmp_path: Path, mode: list[str]) -> None:
    text = tmp_path / "text"
    text.write_text("abcd" * 200)
    flags = ["--data", str(text), "-o", str(tmp_path), "-e", "8", "-u", "16", "-b", "4", "-l", "16"]
    status, printed = run("char_rnn", *flags, "--sample", "8", "--alpha", "0.02", *mode)
    assert status == 0
    assert float(printed.split()[-1]) < 1.5
    text.write_text("too short")
    assert run("char_rnn", *flags, *mode)[0] == 1


def test_batches_are_all_rows_in_another_order_every_time() -> None:
    rows = np.arange(10)
    batches = ct.data.Batches(rows, rows * 2, size=4, seed=0)
    assert len(batches) == 3
    orders = []
    for _ in range(2):
        pairs = list(batches)
        assert [len(x) for x, _ in pairs] == [4, 4, 2]
        assert all((t == 2 * x).all() for x, t in pairs)
        orders.append(np.concatenate([x for x, _ in pairs]))
        assert sorted(orders[-1]) == list(range(10))
    assert (orders[0] != orders[1]).any()
    plain = ct.data.Batches(rows, size=4, shuffle=False, drop_last=True)
    np.testing.assert_array_equal(list(plain), [[0, 1, 2, 3], [4, 5, 6, 7]])
    with pytest.raises(ValueError, match=r"the same length, not \[10, 9\]"):
        ct.data.Batches(rows, rows[1:], size=2)


def notebooks() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def looks_like(printed: str, shown: str) -> bool:
    """Equal, but for a few points of a picture: other processors round in other ways."""
    if not shown or set(shown) - set(".#\n"):
        return printed == shown
    differing = sum(a != b for a, b in zip(printed, shown, strict=False))
    return len(printed) == len(shown) and differing < 0.05 * len(shown)


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path) -> None:
    names: dict[str, Any] = {}
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    assert cells
    for cell in cells:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec("".join(cell["source"]), names)
        shown = "".join(
            "".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout"
        )
        assert looks_like(printed.getvalue(), shown), "".join(cell["source"])
