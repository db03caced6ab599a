"""Arrays in files."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim

ENDINGS = [".npz", ".safetensors", ".h5"]
LIBRARIES = {".h5": "h5py"}


@pytest.fixture(params=ENDINGS)
def file(request: Any, tmp_path: Path) -> Path:
    ending = request.param
    if ending in LIBRARIES:
        pytest.importorskip(LIBRARIES[ending])
    return tmp_path / f"file{ending}"


def model_with(value: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 2, initial_W=value), nn.BatchNorm(2))


def test_arrays_of_every_dtype_come_back(file: Path) -> None:
    values = {
        name: np.arange(6).reshape(2, 3).astype(name)
        for name in [
            "bool",
            "int8",
            "uint8",
            "int16",
            "int32",
            "int64",
            "float16",
            "float32",
            "float64",
        ]
    }
    values["scalar"] = np.float32(2.5).reshape(())
    values["empty"] = np.zeros((0, 3), np.float32)
    ct.save(file, values)
    loaded = ct.load(file)
    assert set(loaded) == set(values)
    for name, array in values.items():
        assert loaded[name].dtype == array.dtype
        np.testing.assert_array_equal(loaded[name], array)


def test_texts_numbers_none_and_dicts_come_back_as_keys(file: Path) -> None:
    ct.save(file, {"a": {"b": ct.Variable([1.0]), "c": None}, "epoch": 3, "text": "größer"})
    loaded = ct.load(file)
    assert set(loaded) == {"a/b", "a/c", "epoch", "text"}
    assert loaded["a/c"] is None
    assert loaded["text"] == "größer"
    assert int(loaded["epoch"]) == 3


def test_what_was_loaded_can_be_written(file: Path) -> None:
    ct.save(file, {"x": np.zeros(3)})
    ct.load(file)["x"][0] = 1


def test_views_are_written_as_they_look(file: Path) -> None:
    x = np.arange(12.0).reshape(3, 4)
    ct.save(file, {"t": x.T, "r": x[::-1, ::2]}, compression=False)
    loaded = ct.load(file)
    np.testing.assert_array_equal(loaded["t"], x.T)
    np.testing.assert_array_equal(loaded["r"], x[::-1, ::2])


def test_a_module_comes_back(file: Path) -> None:
    source, target = model_with(3.0), model_with(0.0)
    source(np.random.normal(size=(4, 2)).astype(np.float32))
    ct.save(file, source)
    ct.load(file, target)
    for path, array in target.state_dict().items():
        np.testing.assert_array_equal(array, source.state_dict()[path])


def test_a_model_and_its_optimizer_are_parts_of_one_file(file: Path) -> None:
    model = model_with(1.0)
    adam = optim.Adam().setup(model)
    adam.update(lambda: ct.sum(model(np.eye(2, dtype=np.float32)) ** 2))
    ct.save(file, {"model": model, "optimizer": adam, "epoch": 7})
    twin = model_with(0.0)
    again = optim.Adam().setup(twin)
    values = ct.load(file, {"model": twin, "optimizer": again})
    assert int(values["epoch"]) == 7
    assert again.t == 1
    np.testing.assert_array_equal(twin[0].W.array, model[0].W.array)
    np.testing.assert_array_equal(again.state_dict()["0/W/m"], adam.state_dict()["0/W/m"])


def test_an_unshaped_module_takes_its_shape_from_a_file(file: Path) -> None:
    ct.save(file, nn.Linear(3, 2))
    target = nn.Linear(None, 2)
    ct.load(file, target)
    assert target.W.shape == (2, 3)
    ct.save(file, nn.Linear(None, 2))
    assert ct.load(file)["W"] is None


def test_a_file_that_does_not_fit_names_file_and_key_and_changes_nothing(
    file: Path,
) -> None:
    ct.save(file, {"model": nn.Linear(3, 2), "other": nn.Linear(2, 2)})
    model, other = nn.Linear(4, 2), nn.Linear(2, 2, initial_W=9.0)
    before = other.W.array.copy()
    with pytest.raises(ct.FileError, match=rf"{file.name}: .*'W' has shape \(2, 3\)"):
        ct.load(file, {"other": other, "model": model})
    np.testing.assert_array_equal(other.W.array, before)
    with pytest.raises(ct.FileError, match="there is nothing for"):
        ct.load(file, nn.Linear(3, 2))


def test_missing_files_and_folders_are_named(file: Path) -> None:
    with pytest.raises(ct.FileError, match=f"{file.name}: there is no such file"):
        ct.load(file)
    nowhere = file.parent / "none" / file.name
    with pytest.raises(ct.FileError, match=f"none/{file.name}"):
        ct.save(nowhere, {"x": np.zeros(1)})


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"no such format" * 50,
        lambda data: data[: len(data) // 2],
        lambda data: data[:20] + b"\xff" * 200 + data[220:],
    ],
    ids=["empty", "other", "half", "overwritten"],
)
def test_damaged_files_are_file_errors(file: Path, damage: Any) -> None:
    ct.save(file, {"x": np.random.normal(size=100), "y": np.arange(3)}, compression=False)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ct.FileError, match=file.name):
        values = ct.load(file)
        # A format without a checksum may still be read; then it must at least be complete.
        if set(values) == {"x", "y"} and values["x"].shape == (100,):
            raise ct.FileError(f"{file.name}: read all the same")


def test_an_old_file_stays_where_writing_fails(file: Path) -> None:
    ct.save(file, {"x": np.ones(2)})
    with pytest.raises(TypeError, match="'y' is a object, which no array holds"):
        ct.save(file, {"x": np.zeros(2), "y": object()})
    np.testing.assert_array_equal(ct.load(file)["x"], np.ones(2))
    assert os.listdir(file.parent) == [file.name]


def test_a_new_file_has_the_usual_rights(file: Path) -> None:
    ct.save(file, {"x": np.ones(2)})
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask


def test_unknown_endings_list_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"one of \.npz, \.safetensors, \.h5, \.hdf5"):
        ct.save(tmp_path / "model.pt", {"x": np.ones(1)})


def test_what_is_no_dict_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="takes a Module or a dict of arrays, not ndarray"):
        ct.save(tmp_path / "x.npz", np.ones(1))
    with pytest.raises(TypeError, match="a key should be a text, 3 is not"):
        ct.save(tmp_path / "x.npz", {3: np.ones(1)})


def test_numpy_reads_and_writes_the_same_files(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    ct.save(file, {"a": {"b": np.arange(3)}})
    with np.load(file) as npz:
        np.testing.assert_array_equal(npz["a/b"], np.arange(3))
    np.savez(file, x=np.arange(4))
    np.testing.assert_array_equal(ct.load(file)["x"], np.arange(4))


def test_a_pickle_in_a_file_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    np.savez(file, x=np.array([print], dtype=object))
    with pytest.raises(ct.FileError, match="x"):
        ct.load(file)


def test_a_file_that_claims_too_much_memory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000000,), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(ct.FileError, match="x"):
        ct.load(file)


ALL_DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]


def test_the_library_safetensors_reads_what_is_written(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors")
    file = tmp_path / "x.safetensors"
    values = {name: np.arange(6).reshape(2, 3).astype(name) for name in ALL_DTYPES}
    values["odd"] = np.arange(3, dtype=np.uint8)  # What follows it would not be aligned.
    values["scalar"] = np.float64(2.5).reshape(())
    values["empty"] = np.zeros((0, 3), np.float32)
    values["t"] = np.arange(6.0).reshape(2, 3).T
    ct.save(file, values | {"format": "np", "größer": 'a "text"'})
    with library.safe_open(file, framework="numpy") as opened:
        assert opened.metadata() == {"format": "np", "größer": 'a "text"'}
        assert set(opened.keys()) == set(values)
        for name, array in values.items():
            found = opened.get_tensor(name)
            assert found.dtype == array.dtype
            np.testing.assert_array_equal(found, array)


def test_files_of_the_library_safetensors_are_read(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    from safetensors.numpy import save_file

    file = tmp_path / "x.safetensors"
    values = {name: np.arange(6).reshape(2, 3).astype(name) for name in ALL_DTYPES}
    wide = {"uint16": "int32", "uint32": "int64", "uint64": "int64"}
    values |= {name: np.array([1, 60000]).astype(name) for name in wide}
    save_file(values, file, metadata={"format": "pt"})
    loaded = ct.load(file)
    assert loaded.pop("format") == "pt"
    assert set(loaded) == set(values)
    for name, array in values.items():
        assert loaded[name].dtype == wide.get(name, name)
        np.testing.assert_array_equal(loaded[name], array)
    save_file({"z": np.zeros(2, np.complex64)}, file)
    with pytest.raises(ct.FileError, match=r"x\.safetensors: tensor 'z' is C64, which Catena"):
        ct.load(file)


def test_bfloat16_passes_in_both_directions(tmp_path: Path) -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    library = pytest.importorskip("safetensors.numpy")
    file = tmp_path / "x.safetensors"
    values = np.array([1.5, -2, 3e38]).astype(bfloat16)
    ct.save(file, {"x": values, "v": ct.Variable(values)})
    assert set(library.load_file(file)) == {"x", "v"}
    np.testing.assert_array_equal(library.load_file(file)["v"], values)
    library.save_file({"x": values}, file)
    np.testing.assert_array_equal(ct.load(file)["x"], values)


@pytest.mark.parametrize("seed", range(20))
def test_random_files_pass_in_both_directions(tmp_path: Path, seed: int) -> None:
    library = pytest.importorskip("safetensors.numpy")
    random = np.random.RandomState(seed)
    values = {
        f"{'/'.join('ab'[: 1 + i % 2])}{i}": random.randint(
            0, 100, random.randint(0, 4, i % 4)
        ).astype(random.choice(ALL_DTYPES))
        for i in range(random.randint(0, 9))
    }
    ours, theirs = tmp_path / "ours.safetensors", tmp_path / "theirs.safetensors"
    ct.save(ours, values)
    library.save_file(values, theirs)
    for found in (library.load_file(ours), ct.load(theirs), ct.load(ours)):
        assert set(found) == set(values)
        for name, array in values.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)


def test_what_no_safetensors_file_holds_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    with pytest.raises(TypeError, match="'a/b' cannot be saved: there is no dtype uint16") as error:
        ct.save(file, {"a": {"b": np.zeros(2, np.uint16)}})
    assert str(error.value).count("(at ") == 1, "the line stands once"
    with pytest.raises(ValueError, match="the name '__metadata__' is reserved by the format"):
        ct.save(file, {"__metadata__": np.zeros(2)})
    assert os.listdir(tmp_path) == []
