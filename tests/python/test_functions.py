"""The registry's functions by name and by position."""

from __future__ import annotations

import inspect
from typing import Any

import catena as ct
import numpy as np
import pytest


def registered() -> list[Any]:
    return [f for f in vars(ct.functions).values() if isinstance(f, ct.Function)]


def test_every_function_of_the_registry_is_there() -> None:
    assert len(registered()) > 300
    for f in registered():
        assert getattr(ct, f.__name__) is f


@pytest.mark.parametrize("f", registered(), ids=lambda f: f.__name__)
def test_signatures_are_as_documented(f: Any) -> None:
    parameters = inspect.signature(f).parameters
    written = f.signature[f.signature.index("(") + 1 : -1]
    assert [p.name for p in parameters.values()] == [
        part.split("=")[0].strip(" *") for part in split(written) if part.strip() != "*"
    ]
    assert f.__doc__.startswith(f.signature)


def split(parameters: str) -> list[str]:
    parts, depth = [""], 0
    for c in parameters:
        depth += (c in "([" and 1) or ((c in ")]" and -1) or 0)
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def test_arguments_go_where_python_puts_them() -> None:
    x = ct.Variable(np.arange(6, dtype="float32").reshape(2, 3))
    for y in [ct.sum(x, 1), ct.sum(x, axis=1), ct.sum(axis=1, x=x), ct.sum(x, (1,)), x.sum(1)]:
        assert y.array.tolist() == [3, 12]
    assert ct.sum(x, keepdims=True).shape == (1, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ct.relu(),
        lambda x: ct.relu(x, x),
        lambda x: ct.relu(x, y=1),
        lambda x: ct.relu(x, x=x),
        lambda x: ct.relu(None),
        lambda x: ct.relu("text"),
        lambda x: ct.sum(x, axis="a"),
        lambda x: ct.sum(x, axis=object()),
        lambda x: ct.sum(x, axis=2**70),
        lambda x: ct.leaky_relu(x, {}),
        lambda x: ct.concat(3),
        lambda x: ct.concat([x, "a"]),
        lambda x: ct.reshape(x, "23"),
        lambda x: ct.convolution_2d(x, x, stride=(1, 2, 3)),
        lambda x: ct.dropout(x, 0.5, None),
        lambda x: ct.max(x, axis=(5,)),
    ],
)
def test_wrong_arguments_are_errors(call: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        call(ct.Variable(np.ones((2, 3), "float32")))


def test_numbers_take_the_dtype_of_the_arrays_beside_them() -> None:
    x = ct.Variable(np.array([-1.0, 2.0]))
    assert ct.maximum(x, 0).array.tolist() == [0, 2]
    assert ct.where(x > 0, x, 0.5).dtype == np.float64
    assert ct.where(np.array([True, False]), x, x * 2).array.tolist() == [-1, 4]


def test_lists_of_arrays() -> None:
    a = np.ones((2, 3), "float32")
    assert ct.concat([a, ct.Variable(a)], axis=0).shape == (4, 3)
    assert ct.stack((a, a)).shape == (2, 2, 3)
    assert [v.shape for v in ct.split_axis(a, 2, 0)] == [(1, 3), (1, 3)]
    assert [v.shape for v in ct.broadcast(a, a[:1])] == [(2, 3), (2, 3)]


def test_several_lists_and_results() -> None:
    rng = np.random.default_rng(0)
    xs = [rng.normal(size=(n, 3)).astype("float32") for n in (4, 2)]
    sizes = [(2, 3)] * 4 + [(2, 2)] * 4
    ws = [[rng.normal(size=s).astype("float32") for s in sizes]]
    bs = [[np.zeros(2, "float32")] * 8]
    hy, cy, ys = ct.n_step_lstm(1, 0.0, None, None, ws, bs, xs)
    assert hy.shape == (1, 4, 2) and cy.shape == (1, 4, 2)
    assert [y.shape for y in ys] == [(4, 2), (2, 2)]


def test_dtypes_are_given_as_numpy_s() -> None:
    assert ct.zeros((2,), dtype=np.float64).dtype == np.float64
    assert ct.zeros((2,), dtype="int32").dtype == np.int32
    assert ct.cast(ct.zeros((2,)), np.dtype("int8")).dtype == np.int8
    assert ct.zeros(3).shape == (3,)


def test_numpy_s_functions_take_variables() -> None:
    a = np.array([[1.0, 4.0], [9.0, 16.0]])
    x = ct.Variable(a)
    y = np.sqrt(x)
    assert isinstance(y, ct.Variable) and y.array.tolist() == [[1, 2], [3, 4]]
    assert isinstance(np.add(a, x), ct.Variable)
    assert isinstance(np.concatenate([x, a]), ct.Variable)
    assert np.mean(x, axis=0).array.tolist() == [5, 10]
    assert np.shape(x) == (2, 2)
    np.testing.assert_array_equal(np.asarray(x), a)
    with pytest.raises(TypeError, match="gradient"):
        np.nextafter(x, x)
    assert np.allclose(x.detach(), a)
    y.sum().backward()
    np.testing.assert_allclose(x.grad, 0.5 / np.sqrt(a))


def test_dlpack_goes_both_ways() -> None:
    x = ct.Variable(np.arange(3, dtype="float32"))
    assert np.from_dlpack(x).tolist() == [0, 1, 2]


def test_methods_are_functions() -> None:
    x = ct.Variable(np.arange(6, dtype="float32").reshape(2, 3))
    assert x.T.shape == (3, 2)
    assert x.reshape(3, 2).shape == x.reshape((3, 2)).shape == x.reshape(-1, 2).shape == (3, 2)
    assert x.transpose(1, 0).shape == (3, 2)
    assert x.max().item() == 5 and x.argmax().item() == 5
    assert x.mean(axis=0, keepdims=True).shape == (1, 3)
    assert x.squeeze().shape == (2, 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_numbers_beside_integers_are_integers_as_numpys_are() -> None:
    x = np.array([1, 5], np.int64)
    for ours, numpys in [
        (ct.maximum(x, 2), np.maximum(x, 2)),
        (ct.maximum(x, [2, 2]), np.maximum(x, [2, 2])),
        (ct.bitwise_and(x, 1), np.bitwise_and(x, 1)),
        (ct.maximum(np.array([1, 5], np.float32), 2), np.maximum(np.float32([1, 5]), 2)),
    ]:
        assert ours.dtype == numpys.dtype
        np.testing.assert_array_equal(ours.array, numpys)
    with pytest.raises(ValueError, match="300"):
        ct.maximum(np.array([1], np.uint8), 300)


def test_errors_but_those_of_dtypes_are_about_the_floats_that_were_meant() -> None:
    """Lists of integers are tried as integers where a function refuses floats, and only there."""
    for f in (ct.equal, ct.fmod, ct.floor_divide):
        with pytest.raises(ct.ShapeError, match=r"\(float32\[3\], float32\[2\]\)"):
            f([1, 2, 3], [-5, 1])
    assert ct.embed_id([1, 0], np.eye(2, dtype=np.float32)).array.tolist() == [[0, 1], [1, 0]]
    scores = np.zeros((2, 3), np.float32)
    assert ct.softmax_cross_entropy(scores, [0, 2]).item() == pytest.approx(np.log(3))
    with pytest.raises(ct.DtypeError, match="integer dtype"):
        ct.softmax_cross_entropy(scores, [0.5, 1])
    upsampled = ct.upsampling_2d([[[[3.0]]]], [[[[2]]]], 2, outsize=(2, 2))
    assert upsampled.array.tolist() == [[[[0, 0], [3, 0]]]]


INDICES: list[Any] = [
    1,
    -1,
    slice(1, 3),
    slice(None, None, -1),
    slice(-(10**30), 10**30, 2),
    ...,
    None,
    (slice(None), 1),
    (..., slice(0, 2)),
    (1, slice(None), None),
    (0, 1),
    [0, 1],
    [[0, 1], [2, 2]],
    ([0, 2], [1, 3]),
    (slice(1, None), [0, 0]),
    [True, False, True],
    ([True, False, True], slice(0, 2)),
    np.array([2, 0]),
    np.array([False, True, True]),
    [],
    (),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices_by_name_are_numpys(index: Any) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = x[index]
    np.testing.assert_array_equal(ct.get_item(x, index).array, expected)
    np.testing.assert_array_equal(ct.Variable(x)[index].array, expected)
    places = np.zeros_like(x, dtype=int)
    np.add.at(places, np.arange(0) if isinstance(index, list) and not index else index, 1)
    added = ct.scatter_add(x, index, np.ones_like(expected))
    np.testing.assert_array_equal(added.array, x + places)


@pytest.mark.parametrize("index", [[0, True], [[0, 1], [2]], "no", 0.5], ids=str)
def test_indices_by_name_that_are_none_are_refused(index: Any) -> None:
    with pytest.raises(ct.Error, match="get_item"):
        ct.get_item(np.zeros((3, 4), np.float32), index)
