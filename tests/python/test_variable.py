"""Variables: memory, operators, indexing, gradients."""

from __future__ import annotations

import copy
import operator
import pickle
import threading
from collections.abc import Callable
from typing import Any

import catena as ct
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64"]


def numbers(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).uniform(0.5, 4, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_comes_back_as_it_was(dtype: str) -> None:
    a = numbers((3, 4), dtype)
    x = ct.Variable(a)
    assert x.dtype == a.dtype and x.shape == a.shape and x.ndim == 2 and x.size == 12
    np.testing.assert_array_equal(x.array, a)


def test_bfloat16_is_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = ct.Variable(np.array([1.5, 2.5], ml_dtypes.bfloat16))
    assert x.dtype == ml_dtypes.bfloat16
    assert (x + x).array.dtype == ml_dtypes.bfloat16
    assert x.astype("float32").array.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[::-1],
        lambda a: a.T,
        lambda a: np.broadcast_to(a[:1], (5, 6)),
        lambda a: np.asfortranarray(a),
        lambda a: a[1:, 2:],
        lambda a: a[:0],
        lambda a: a[0, 0],
        lambda a: a.astype(">f4"),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), "u1")[1:].view("f4").reshape(a.shape),
        lambda a: np.rec.fromarrays([a, a], names="x,y")["y"],
    ],
)
def test_memory_of_any_layout_is_read_right(view: Callable[[Any], Any]) -> None:
    a = view(numbers((6, 6)))
    np.testing.assert_array_equal((ct.Variable(a) * 2).array, np.asarray(a * 2))


def test_the_array_is_the_one_that_was_given() -> None:
    a = numbers((2, 3))
    assert ct.Variable(a).array is a


def test_a_write_is_seen_on_both_sides() -> None:
    a = numbers((2, 3))
    x = ct.Variable(a)
    a[0, 0] = 7
    assert x.array[0, 0] == 7
    y = x + 1
    y.array[...] = 3
    assert y.array.tolist() == [[3] * 3] * 2


def test_memory_outlives_the_variable() -> None:
    a = (ct.Variable(numbers((1000,))) + 1).array
    b = a.copy()
    for _ in range(10):
        ct.Variable(numbers((1000,))) + 1
    np.testing.assert_array_equal(a, b)


BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
]


@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("other", ["variable", "ndarray", "float", "int", "numpy scalar"])
def test_operators_are_numpy_s(f: Callable[[Any, Any], Any], other: str) -> None:
    a, b = numbers((2, 3)), numbers((2, 3), seed=1)
    right = {
        "variable": (ct.Variable(b), b),
        "ndarray": (b, b),
        "float": (1.5, np.float32(1.5)),
        "int": (2, np.float32(2)),
        "numpy scalar": (np.float32(2.5), np.float32(2.5)),
    }[other]
    x = ct.Variable(a)
    for ours, theirs in [(f(x, right[0]), f(a, right[1])), (f(right[0], x), f(right[1], a))]:
        assert isinstance(ours, ct.Variable)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.array, theirs, rtol=1e-5)


@pytest.mark.parametrize(
    "f", [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
)
def test_operators_of_bits_are_numpy_s(f: Callable[[Any, Any], Any]) -> None:
    a, b = np.array([1, 2, 7], "int32"), np.array([3, 1, 2], "int32")
    np.testing.assert_array_equal(f(ct.Variable(a), ct.Variable(b)).array, f(a, b))
    np.testing.assert_array_equal((~ct.Variable(a)).array, ~a)


def test_matmul_is_numpy_s() -> None:
    a, b = numbers((2, 3, 4)), numbers((4, 5))
    np.testing.assert_allclose((ct.Variable(a) @ b).array, a @ b, rtol=1e-5)
    np.testing.assert_allclose((a @ ct.Variable(b)).array, a @ b, rtol=1e-5)


def test_what_is_no_array_is_refused_as_python_does() -> None:
    x = ct.Variable(numbers((2,)))
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        x @ 2
    with pytest.raises(TypeError):
        object() * x
    assert (x == None) is False  # noqa: E711
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(TypeError):
        len(ct.Variable(1.0))
    with pytest.raises(TypeError):
        [1, 2][ct.Variable(1.0)]
    assert [1, 2][ct.Variable(np.array(1))] == 2


INDICES = [
    0,
    -1,
    slice(1, 3),
    slice(None, None, -1),
    slice(10, 20),
    (slice(None), 1),
    (Ellipsis, 1),
    (None, 1),
    (0, 1, 2),
    [0, 2],
    ([0, 1], [1, 2]),
    np.array([1, 0]),
    np.array([[0, 1], [1, 0]]),
    (slice(None), np.array([True, False, True, True])),
    np.arange(60).reshape(3, 4, 5) % 2 == 0,
    np.int64(2),
    slice(np.int32(0), np.int32(2)),
    (),
    [],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_is_numpy_s(index: Any) -> None:
    a = numbers((3, 4, 5))
    x = ct.Variable(a)
    want = (
        a[np.asarray(index, int) if index == [] else index] if isinstance(index, list) else a[index]
    )
    got = x[index]
    assert got.shape == want.shape
    np.testing.assert_array_equal(got.array, want)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_assigned_elements_are_numpy_s(index: Any) -> None:
    a = numbers((3, 4, 5))
    x = ct.Variable(a.copy(), requires_grad=False)
    if isinstance(index, list) and not index:
        return
    a[index] = 7
    x[index] = 7
    np.testing.assert_array_equal(x.array, a)


def test_gradients_flow_through_assigned_elements() -> None:
    x = ct.Variable(numbers((3,)))
    v = ct.Variable(numbers(()))
    y = x * 1
    y[1] = v
    (y * np.array([1, 10, 100], "float32")).sum().backward()
    assert x.grad.tolist() == [1, 0, 100]
    assert v.grad == 10


@pytest.mark.parametrize("index", [3, -4, (0, 0, 0, 0), 1.5, "a", [0.5], (0, 99), {}])
def test_a_wrong_index_is_an_index_error(index: Any) -> None:
    with pytest.raises((IndexError, ValueError, TypeError)):
        ct.Variable(numbers((3, 4, 5)))[index]


def test_iteration_goes_over_the_first_axis() -> None:
    a = numbers((3, 2))
    rows = list(ct.Variable(a))
    assert len(rows) == 3 and all(isinstance(r, ct.Variable) for r in rows)
    *_, last = ct.Variable(a)
    np.testing.assert_array_equal(last.array, a[2])
    with pytest.raises(TypeError):
        iter(ct.Variable(1.0))


def test_gradients_accumulate() -> None:
    x = ct.Variable(numbers((3,)))
    (x * x).sum().backward()
    (x * x).sum().backward()
    np.testing.assert_allclose(x.grad, 4 * x.array)
    x.cleargrad()
    assert x.grad is None
    x.grad = np.ones(3, "float32")
    assert x.grad_var.array.tolist() == [1, 1, 1]


def test_second_derivatives() -> None:
    x = ct.Variable(np.array([2.0, 3.0]))
    (gx,) = ct.grad([(x**3).sum()], [x], enable_double_backprop=True)
    (ggx,) = ct.grad([gx.sum()], [x])
    np.testing.assert_allclose(gx.array, 3 * x.array**2)
    np.testing.assert_allclose(ggx.array, 6 * x.array)


def test_backward_without_a_graph_is_an_error() -> None:
    with pytest.raises(ValueError):
        ct.Variable(1.0, requires_grad=False).backward()
    with ct.no_backprop_mode():
        y = ct.Variable(1.0) * 2
    with pytest.raises(ValueError):
        y.backward()


def test_settings_end_with_their_block() -> None:
    with ct.using_config("train", False):
        assert not ct.config.train
        with ct.train_mode():
            assert ct.config.train
    assert ct.config.train
    with pytest.raises(AttributeError):
        ct.using_config("trian", False)
    with pytest.raises(TypeError), ct.using_config("train", "no"):
        pass
    assert ct.config.train is True


def test_settings_belong_to_a_thread() -> None:
    seen = []
    with ct.test_mode():
        thread = threading.Thread(target=lambda: seen.append(ct.config.train))
        thread.start()
        thread.join()
    assert seen == [True]


def test_representations() -> None:
    assert repr(ct.Variable([1.0, 2.0])) == "variable([1., 2.])"
    assert repr(ct.Variable([1.0], name="x")) == "variable x([1.])"
    assert f"{ct.Variable(0.5):.2f}" == "0.50"
    assert str(ct.Variable([1.0])) == "variable([1.])"


def test_numbers_become_the_default_dtype() -> None:
    assert ct.Variable(1.0).dtype == np.float32
    assert ct.Variable([1, 2]).dtype == np.int64
    assert ct.Variable(np.float64(1)).dtype == np.float64
    with ct.using_config("dtype", "float64"):
        assert ct.Variable([1.0]).dtype == np.float64


def test_pickles_and_copies_are_of_leaves() -> None:
    x = ct.Variable(numbers((2,)), name="x")
    x.grad = np.ones(2, "float32")
    for y in [pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)]:
        np.testing.assert_array_equal(y.array, x.array)
        assert y.name == "x" and y.grad.tolist() == [1, 1] and y.requires_grad
        y.array[0] = 9
        assert x.array[0] != 9
    with pytest.raises(ValueError, match="graph"):
        copy.deepcopy(x * 2)
    assert pickle.loads(pickle.dumps(ct.relu)) is ct.relu


def test_two_handles_of_a_variable_are_one_key() -> None:
    x = ct.Variable(1.0)
    assert len({x: 1}) == 1 and x in {x: 1}


@pytest.mark.parametrize(
    "bad",
    [
        np.array(["a"]),
        np.array([1 + 2j]),
        np.array([object()]),
        np.zeros((1,) * 9),
        np.array([1], "uint64"),
        np.array(["2020-01-01"], "datetime64[D]"),
        "text",
        b"bytes",
        [[1], [1, 2]],
        {},
        object(),
        2**200,
    ],
    ids=lambda b: type(b).__name__ + str(getattr(b, "dtype", "")),
)
def test_what_has_no_dtype_is_refused(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        ct.Variable(bad)


def test_read_only_memory_stays_as_it_is() -> None:
    a = numbers((4,))
    a.flags.writeable = False
    x = ct.Variable(a)
    (x * 2).sum().backward()
    assert not x.array.flags.writeable
    np.testing.assert_array_equal(x.array, a)


def test_errors_are_catena_s_and_python_s() -> None:
    x, y = ct.Variable(numbers((2,))), ct.Variable(numbers((3,)))
    with pytest.raises(ct.ShapeError, match="add") as caught:
        x + y
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, ct.Error)
    assert "test_variable.py" in str(caught.value)
