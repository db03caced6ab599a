"""Arguments that nobody means to give, one by one: what random ones found (test_fuzz_arguments)."""

from __future__ import annotations

from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import optim
from fuzz_values import Gives, Raises, Refused, deep, in_itself

A = np.ones((2, 3), np.float32)


@pytest.mark.parametrize("nesting", [in_itself, deep, lambda: deep(500)])
@pytest.mark.parametrize(
    "call", [ct.sum, lambda x: ct.sum(A, axis=x), ct.concat, lambda x: ct.einsum("i", x)]
)
def test_lists_that_never_end_are_errors(call: Any, nesting: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"deep|list|sequence"):
        call(nesting())


def test_what_is_no_variable_is_no_gradient() -> None:
    x = ct.Variable(A)
    for wrong in (A, 3, "text"):
        with pytest.raises(TypeError, match="grad_var takes a Variable"):
            x.grad_var = wrong  # type: ignore[assignment]


class Unmade(ct.Parameter):
    def __init__(self) -> None:
        """Forgets super().__init__()."""


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1,
        lambda x: 1 - x,
        lambda x: -x,
        hash,
        float,
        len,
        list,
        lambda x: x[0],
        lambda x: x == x,
        ct.relu,
        lambda x: ct.concat([x]),
        ct.jit(lambda x: x),
        lambda x: x.array,
    ],
)
def test_an_object_without_super_init_says_so(use: Any) -> None:
    with pytest.raises(TypeError, match=r"super|incompatible"):
        use(Unmade())


def test_names_that_are_no_utf_8_are_errors() -> None:
    for name in ("\ud800", "a\0b"):
        with pytest.raises((TypeError, ValueError)):
            ct.relu(A, **{name: 1})
        with pytest.raises((TypeError, ValueError)):
            ct.Variable(A).astype(name)
        with pytest.raises((TypeError, ValueError)):
            ct.zeros((2,), dtype=name)


def test_a_name_with_a_zero_byte_is_not_cut_off_there() -> None:
    with pytest.raises(TypeError):
        ct.Variable(A).astype("float32\0x")


def test_hidden_elements_are_not_computed_with() -> None:
    hidden = np.ma.array([1.0, 2.0], mask=[False, True])
    for call in (ct.sum, ct.Variable, ct.Parameter, lambda x: ct.zeros(2) + x):
        with pytest.raises(ValueError, match="masked array"):
            call(hidden)
    assert ct.sum(np.ma.array([1.0, 2.0])).item() == 3


def test_an_array_is_the_list_of_its_rows() -> None:
    a = np.arange(6, dtype="float32").reshape(2, 3)
    for ours, numpys in [
        (ct.concatenate, np.concatenate),
        (ct.stack, np.stack),
        (ct.vstack, np.vstack),
        (ct.hstack, np.hstack),
        (ct.dstack, np.dstack),
    ]:
        assert ours(ct.Variable(a)).array.tolist() == numpys(a).tolist()
        assert ours([[1.0, 2.0], [3.0, 4.0]]).array.tolist() == numpys([[1, 2], [3, 4]]).tolist()
        assert ours([[a, a], [a, a]]).array.tolist() == numpys([[a, a], [a, a]]).tolist()
    x = ct.Variable(a)
    ct.sum(ct.concatenate(x) * np.arange(6, dtype="float32")).backward()
    assert x.grad.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(TypeError, match="list of arrays"):
        ct.concatenate(np.float32(3).reshape(()))


def test_functions_of_several_arrays_take_them_as_numpy_does() -> None:
    a = np.arange(4, dtype="float32").reshape(2, 2)
    assert ct.einsum("ij,jk->ik", a, a).array.tolist() == (a @ a).tolist()
    for ours, numpys in zip(ct.meshgrid(a[0], a[1]), np.meshgrid(a[0], a[1]), strict=True):
        assert ours.array.tolist() == numpys.tolist()
    assert ct.take(a, np.array([1, 2])).array.tolist() == [1, 2]
    assert ct.take(a, np.array([1]), axis=0).array.tolist() == [[2, 3]]
    assert ct.copysign(np.array([True, False]), -1).array.tolist() == [-1, 0]


def test_no_axes_are_not_all_axes() -> None:
    for function in (ct.sum, ct.max, ct.mean, ct.nansum):
        with pytest.raises(ValueError, match="axis is an empty list"):
            function(A, axis=())


def test_numbers_and_objects_of_other_types_are_named() -> None:
    for wrong in ("a", None, [1.0], A, Gives("__float__", "no")):
        with pytest.raises(TypeError, match=r"alpha|float"):
            optim.Adam(alpha=wrong)
    with pytest.raises(TypeError, match="amsgrad is 3: it is a bool"):
        optim.Adam(amsgrad=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="update_rule"):
        optim.Adam().setup([ct.Parameter(A)]).update_rule(3)  # type: ignore[arg-type]
    # NumPy shows what is no dtype: from Python 3.12 on the error of repr() itself comes out.
    with pytest.raises((TypeError, Refused), match=r"dtype|__repr__ raises"):
        ct.initializers.Zero(Raises("__repr__"))
    with pytest.raises((TypeError, Refused), match=r"Raises is no dtype|__repr__ raises"):
        ct.Variable(A).astype(Raises("__repr__"))
    with pytest.raises(TypeError, match="'no' is no dtype"):
        ct.Variable(A).astype("no")


def test_a_scope_is_entered_and_left_by_itself_alone() -> None:
    from catena import profile_scope

    for scope in (profile_scope, ct.using_device):
        with pytest.raises(TypeError):
            scope.__enter__(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="left more often"):
        ct.using_device("cpu").__exit__(None, None, None)


def test_texts_are_saved_in_no_array() -> None:
    for name in ("x.npz", "x.safetensors", "x.h5"):
        with pytest.raises(TypeError, match="'a'"):
            ct.save(name, {"a": np.array(["text"])})
