"""Arrays of other libraries by DLPack: NumPy's exporter is the independent truth."""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Any

import catena as ct
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64"]


def plain_capsule(array: Any) -> Any:
    return array.__dlpack__()


class Gives:
    """An array of another library that says where it is."""

    def __init__(self, array: Any, device: tuple[int, int] = (1, 0), knows_versions: bool = True):
        self.array, self.device, self.knows_versions = array, device, knows_versions
        self.asked: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **how: Any) -> Any:
        self.asked.append(how)
        if not self.knows_versions and how:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**how)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_are_those_of_the_other_library(dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    x = ct.from_dlpack(array)
    assert x.dtype == array.dtype
    assert not x.requires_grad
    np.testing.assert_array_equal(x.array, array)


@pytest.mark.parametrize("knows_versions", [True, False], ids=["versioned", "plain"])
def test_memory_is_shared(knows_versions: bool) -> None:
    array = np.zeros(3, np.float32)
    given = Gives(array, knows_versions=knows_versions)
    x = ct.from_dlpack(given)
    assert given.asked[0] == {"max_version": (1, 0)}
    array[1] = 5
    assert (x + 0).array.tolist() == [0, 5, 0]


def test_a_view_has_its_strides() -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (array[:, ::2, 1:], array.T, array[1, ::-1]):
        np.testing.assert_array_equal((ct.from_dlpack(view) * 2).array, view * 2)
    assert ct.from_dlpack(array[:0]).shape == (0, 3, 4)
    assert ct.from_dlpack(np.array(3.0)).item() == 3.0


def test_the_other_librarys_array_lives_as_long_as_the_variable() -> None:
    array = np.ones(1000, np.float32)
    before = sys.getrefcount(array)
    x = ct.from_dlpack(array)
    assert sys.getrefcount(array) > before
    view = x.array
    del x
    gc.collect()
    assert view.sum() == 1000
    assert sys.getrefcount(array) > before
    del view
    gc.collect()
    assert sys.getrefcount(array) == before


def test_what_may_only_be_read_is_not_written() -> None:
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    assert not ct.from_dlpack(array).array.flags.writeable
    assert not ct.from_dlpack(plain_capsule(np.zeros(3, np.float32))).array.flags.writeable
    assert ct.from_dlpack(np.zeros(3, np.float32)).array.flags.writeable


def test_a_capsule_is_read_once() -> None:
    capsule = plain_capsule(np.arange(3.0))
    assert ct.from_dlpack(capsule).array.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read already"):
        ct.from_dlpack(capsule)


def test_writes_after_an_operation_of_a_region_come_too_late() -> None:
    array = np.ones(3, np.float32)

    @ct.jit
    def f(other: Any) -> ct.Variable:
        y = ct.from_dlpack(other) * 2
        other[:] = 7
        return y

    for _ in range(3):
        array[:] = 1
        assert f(array).array.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "device, name", [((2, 1), "cuda:1"), ((8, 0), "DLPack's type 8")], ids=["cuda", "metal"]
)
def test_devices_are_refused_before_anything_is_copied(device: Any, name: str) -> None:
    given = Gives(np.zeros(3), device)
    with pytest.raises(ct.DeviceError, match=name):
        ct.from_dlpack(given)
    assert not given.asked


@pytest.mark.parametrize("dtype", ["uint16", "complex64"])
def test_dtypes_that_catena_lacks_are_named(dtype: str) -> None:
    with pytest.raises(TypeError, match="Catena has no dtype of"):
        ct.from_dlpack(np.zeros(3, dtype))


@pytest.mark.parametrize("given", [3, "x", None, [1.0], object()])
def test_what_is_no_array_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError, match="__dlpack__"):
        ct.from_dlpack(given)


def test_a_capsule_of_something_else_is_a_type_error() -> None:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    with pytest.raises(TypeError, match="PyCapsule"):
        ct.from_dlpack(new(1, b"another", None))


def test_an_error_of_the_other_library_passes() -> None:
    class Fails:
        def __dlpack__(self, **how: Any) -> Any:
            raise BufferError("not contiguous")

    with pytest.raises(BufferError, match="not contiguous"):
        ct.from_dlpack(Fails())


def test_a_tensor_of_a_later_major_version_is_given_back() -> None:
    class Tensor(ctypes.Structure):
        _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]
        _fields_ += [("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]
        _fields_ += [("rest", ctypes.c_uint64 * 8)]

    deleted = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleted.append)
    tensor = Tensor(2, 3, None, ctypes.cast(deleter, ctypes.c_void_p))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    name = b"dltensor_versioned"
    with pytest.raises(ValueError, match=r"DLPack 2\.3"):
        ct.from_dlpack(new(ctypes.addressof(tensor), name, None))
    assert deleted == [ctypes.addressof(tensor)]


def test_bfloat16_needs_no_numpy_for_it() -> None:
    torch = pytest.importorskip("torch")
    x = ct.from_dlpack(torch.arange(4, dtype=torch.bfloat16))
    assert x.astype("float32").array.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_reads_variables_without_a_copy(dtype: str) -> None:
    x = ct.Variable(np.arange(6).reshape(2, 3).astype(dtype))
    array = np.from_dlpack(x)
    assert array.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(array, x.array)
    assert np.shares_memory(array, x.array)
    np.testing.assert_array_equal(np.from_dlpack(x[:, ::2]), x.array[:, ::2])


def test_what_the_taker_writes_is_seen_and_a_copy_is_not() -> None:
    x = ct.Variable(np.zeros(3, np.float32)) + 0
    taken = np.from_dlpack(x)
    copied = np.from_dlpack(x, copy=True)
    taken[1] = 5
    assert x.array.tolist() == [0, 5, 0]
    assert copied.tolist() == [0, 0, 0]


def test_the_taker_keeps_the_memory() -> None:
    x = ct.Variable(np.ones(1000, np.float32)) * 3
    array = np.from_dlpack(x)
    del x
    gc.collect()
    others = [ct.Variable(np.ones(1000, np.float32)) * 7 for _ in range(50)]
    assert array.sum() == 3000
    assert len(others) == 50


def test_a_capsule_that_nobody_reads_gives_the_memory_back() -> None:
    array = np.ones(1000, np.float32)
    before = sys.getrefcount(array)
    x = ct.Variable(array)
    for how in ({}, {"max_version": (1, 0)}, {"copy": True}):
        capsule = x.__dlpack__(**how)
        assert "dltensor" in repr(capsule)
        del capsule
    del x
    gc.collect()
    assert sys.getrefcount(array) == before


def test_both_kinds_of_capsules_come_back() -> None:
    x = ct.Variable(np.arange(6, dtype=np.float32).reshape(2, 3))
    for how in ({}, {"max_version": (1, 1)}, {"max_version": (0, 8)}):
        again = ct.from_dlpack(x.__dlpack__(**how))
        np.testing.assert_array_equal(again.array, x.array)
    assert x.__dlpack_device__() == (1, 0)


def test_memory_that_may_only_be_read_needs_a_version_or_a_copy() -> None:
    array = np.zeros(3, np.float32)
    array.flags.writeable = False
    x = ct.from_dlpack(array)
    with pytest.raises(BufferError, match="may only be read, which needs max_version"):
        x.__dlpack__()
    assert not np.from_dlpack(x).flags.writeable
    assert np.from_dlpack(x, copy=True).flags.writeable


def test_what_memory_of_the_host_cannot_be_is_a_buffer_error() -> None:
    x = ct.Variable(np.zeros(3, np.float32))
    with pytest.raises(BufferError, match="stream=None"):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError, match=r"dl_device=\(1, 0\), not \(2, 0\)"):
        x.__dlpack__(dl_device=(2, 0))
    assert ct.from_dlpack(x.__dlpack__(dl_device=(1, 0))).shape == (3,)


def test_bfloat16_is_given_without_numpy() -> None:
    x = ct.Variable(np.array([1.5, -2], np.float32)).astype("bfloat16")
    again = ct.from_dlpack(x)
    assert str(again.dtype) == "bfloat16"
    assert again.astype("float32").array.tolist() == [1.5, -2]


def test_a_region_computes_what_is_given_away() -> None:
    @ct.jit
    def f(x: ct.Variable) -> ct.Variable:
        y = x * 2
        return ct.sum(y) * float(np.from_dlpack(y)[1]) + float(np.from_dlpack(y, copy=True)[0])

    for k in range(1, 4):
        assert f(ct.Variable(np.full(3, k, np.float32))).item() == 6 * k * 2 * k + 2 * k
