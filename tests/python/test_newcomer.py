"""What somebody tries who comes from another package, and typical mistakes: each is told what is
right, with the values and the line."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import _hints, data, nn, optim
from catena.optim import schedules
from eager_and_compiled import values

HERE = Path(__file__).name


def message(call: Callable[[], Any]) -> str:
    """The error of a call, with its line."""
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("nothing was refused")


TABLES = {name: table for name, table in vars(_hints).items() if name.isupper()}


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_hints_name_what_is_there(table: dict[str, str]) -> None:
    roots = {
        "ct": ct,
        "nn": nn,
        "optim": optim,
        "x": ct.Variable([1.0]),
        "model": nn.Linear(2, 2),
        "layer": nn.Linear(2, 2),
        "optimizer": optim.Adam(),
    }
    names = re.compile(rf"\b({'|'.join(roots)})\.([a-zA-Z_.0-9]+)")
    for text in table.values():
        for root, path in names.findall(text):
            value: Any = roots[root]
            for name in path.rstrip(".").split("."):
                value = getattr(value, name)


def test_names_of_other_packages_tell_what_is_right() -> None:
    x, model, optimizer = ct.Variable([1.0]), nn.Linear(2, 2), optim.SGD()
    for owner, name, text in (
        (ct, "no_grad", "no_backprop_mode"),
        (nn, "ReLU", "ct.relu"),
        (optim, "lr_scheduler", "schedules"),
        (data, "DataLoader", "Batches"),
        (x, "view", "reshape"),
        (ct.Parameter(0.0), "clamp", "clip"),
        (model, "zero_grad", "cleargrads"),
        (model, "weight", r"layer\.W"),
        (optim.Adam(), "lr", "alpha"),
        (optimizer, "step", r"update\(\)"),
    ):
        assert not hasattr(owner, name)
        assert name not in dir(owner)
        with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{text}"):
            getattr(owner, name)
    with pytest.raises(AttributeError, match=r"module 'catena' has no attribute 'nothing'$"):
        _ = ct.nothing


def test_an_attribute_of_a_foreign_name_is_the_users() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            self.weight = ct.Parameter(np.ones(2, np.float32))
            self.training = True

        def eval(self) -> str:
            return "mine"

    net = Net()
    assert (net.eval(), net.training) == ("mine", True)
    assert [path for path, _ in net.named_parameters()] == ["weight"]
    assert copy.deepcopy(net).training


def test_a_single_element_is_a_number_where_one_is_wanted() -> None:
    x = ct.Variable(np.float32(2.5))
    assert round(x, 0) == 2.0 and round(x) == 2
    assert math.sqrt(x * 2.5) == 2.5
    assert f"{x:.1f}" == "2.5"
    assert float(x) == 2.5 and int(x) == 2
    assert 2.0 in ct.Variable([[1.0, 2.0]]) and 3.0 not in ct.Variable([[1.0, 2.0]])
    assert max(x, x * 2).item() == 5.0
    assert [row.shape for row in ct.Variable(np.ones((2, 3)))] == [(3,), (3,)]


def test_settings_are_shown() -> None:
    assert "train=True" in repr(ct.config) and "dtype=float32" in repr(ct.config)


def test_apply_reaches_all_modules() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 3)))
    seen: list[str] = []
    assert model.apply(lambda module: seen.append(type(module).__name__)) is model
    assert sorted(seen) == ["Linear", "Linear", "Sequential", "Sequential"]
    assert seen[-1] == "Sequential"


# Mistakes


def test_every_error_has_the_users_line() -> None:
    large = ct.Variable(np.ones((400, 400), np.float32))  # Others may run while it is computed.
    small = ct.Variable(np.ones((2, 3), np.float32))
    for call in (
        lambda: float(small),
        lambda: int(small),
        lambda: small.item(),
        lambda: bool(small),
        lambda: [1][small],
        lambda: len(small[0, 0]),
        lambda: small.reshape(4),
        lambda: large.reshape(4),
        lambda: ct.concat([large, small], 0),
        lambda: ct.softmax_cross_entropy(large, np.full(400, 500, np.int32)),
        lambda: large @ small,
        lambda: small[7],
        lambda: small.backward(),
        lambda: setattr(small, "grad", np.ones(5)),
        lambda: ct.Variable().shape,
        lambda: ct.Parameter(0.0).shape,
        lambda: ct.Parameter(0.0).dtype,
        lambda: ct.sum(np.ones(3, np.float32)).backward(),
        lambda: optim.SGD().update(),
        lambda: ct.Parameter(0.0, (3,)).initialize((4,)),
        lambda: ct.Parameter(np.ones(3)).assign(np.ones(4)),
        lambda: nn.Linear(2, 2)(np.ones((3, 4), np.float32)),
        lambda: nn.Conv2d(3, 4, 3)(np.ones((2, 4, 8, 8), np.float32)),
    ):
        text = message(call)
        assert len(re.findall(rf"\(at {HERE}:\d+\)", text)) == 1, text


def test_no_error_names_a_file_of_cpp() -> None:
    """Functions and methods with values that few of them take."""
    x = ct.Variable(np.ones((2, 3), np.float32))
    bad = [np.ones((4, 5, 7), np.float32), 3, [[1.0], [2.0, 3.0]], "text", None, object()]
    calls = [getattr(ct, name) for name in ct._functions.__all__]
    calls += [lambda *a, n=n: getattr(x, n)(*a) for n in ("reshape", "transpose", "astype", "to")]
    said = 0
    for call, first, second in itertools.product(calls, [x, bad[0]], bad):
        try:
            call(first, second)
        except Exception as error:
            said += 1
            assert not re.search(r"\.(cpp|h):\d", str(error)), error
    assert said > 1000


def test_notices_name_the_users_line(capfd: Any) -> None:
    y = ct.sum(np.full((5, 3), 0.5, np.float32), axis=1)
    assert y.grad is None
    assert f"grad: a float32[5] was asked for its gradient ({HERE}:" in capfd.readouterr().err


def test_lists_of_integers_are_what_the_function_takes() -> None:
    y = ct.Variable(np.eye(4, 3, dtype=np.float32))
    labels = [0, 1, 2, 0]
    expected = ct.softmax_cross_entropy(y, np.int32(labels)).item()
    assert ct.softmax_cross_entropy(y, labels).item() == expected
    assert ct.softmax_cross_entropy(y, tuple(labels)).item() == expected
    compiled = ct.jit(lambda y, t: ct.softmax_cross_entropy(y, t))
    for last in (0, 1, 2):
        labels[-1] = last
        np.testing.assert_allclose(
            compiled(y, labels).array, ct.softmax_cross_entropy(y, np.int32(labels)).array
        )
    W = ct.Variable(values(5, 2))
    np.testing.assert_array_equal(ct.embed_id([[1], [4]], W).array, W.array[[[1], [4]]])
    assert nn.Embedding(5, 3)([1, 2]).shape == (2, 3)
    assert ct.maximum(y, [1, 2, 3]).dtype == np.float32  # As before: beside floats they are floats.
    assert ct.mean_squared_error(ct.Variable([1.0, 2.0]), [1, 2]).item() == 0
    for wrong, text in (
        ([0, 1, 2, 7], "label 7 at index 3 is not a class"),
        ([0, 1, 2], r"t should be \[4\] for x \[4,3\], it is \[3\]"),
        ([0.5, 1.0, 2.0, 0.0], "class numbers need an integer dtype"),
        ([True, False, True, True], "t should hold integer labels, it is bool"),
    ):
        with pytest.raises((ValueError, TypeError), match=text):
            ct.softmax_cross_entropy(y, wrong)
    chosen = ct.where([True, False], np.float32([1, 2]), np.float32([3, 4]))
    assert chosen.array.tolist() == [1, 4]


def test_what_is_no_array_is_named() -> None:
    assert message(lambda: ct.relu(nn.Linear(2, 2))).startswith(
        "relu: x is of the class Linear, of which NumPy makes no array of numbers"
    )


def test_mistakes_of_training_say_what_is_right(capfd: Any) -> None:
    model = nn.Linear(2, 3)
    with pytest.raises(ValueError, match=r"SGD: call setup\(\) first"):
        optim.SGD().update()
    with pytest.raises(TypeError, match=r"not the class Linear: Linear\(...\)"):
        optim.SGD().setup(nn.Linear)
    with pytest.raises(TypeError, match=r"parameters are for setup\(\)"):
        optim.SGD(model.parameters())
    optim.SMORMS3().setup(model).update()
    assert "SMORMS3: update: no parameter that setup() was given has a gradient" in (
        capfd.readouterr().err
    )
    y = model(np.ones((4, 2), np.float32))
    for t, text in (
        (np.zeros(4, np.float32), "class numbers need an integer dtype, as int32"),
        (np.full(4, 3), "label 3 at index 0 is not a class .x has 3 classes, 0 to 2"),
        (np.zeros(3, np.int32), r"t should be \[4\] for x \[4,3\], it is \[3\]"),
        (np.zeros(4, bool), "t should hold integer labels"),
    ):
        with pytest.raises((ValueError, TypeError), match=text):
            ct.softmax_cross_entropy(y, t)


def test_backward_twice_adds_gradients() -> None:
    x = ct.Variable([1.0, 2.0])
    loss = ct.sum(x * x)
    loss.backward()
    loss.backward()
    np.testing.assert_array_equal(x.grad, [4, 8])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_model_is_copied_after_a_compiled_step_has_used_its_gradients_up(copied: Any) -> None:
    model = nn.Linear(2, 1)
    optimizer = optim.SGD(0.1).setup(model)

    @ct.jit
    def step(x: Any) -> Any:
        loss = ct.sum(model(x) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    for _ in range(3):
        step(np.ones((2, 2), np.float32))
    other = copied(model)
    np.testing.assert_array_equal(other.W.array, model.W.array)
    assert other.W.grad is None


# Schedules


def test_schedules_are_their_formulas() -> None:
    assert [schedules.linear(1.0, 4)(i) for i in (0, 1, 4, 9)] == [1.0, 0.75, 0.0, 0.0]
    assert schedules.polynomial(1.0, 4, last=0.5, power=2)(2) == 0.625
    np.testing.assert_allclose(
        [schedules.cosine(2.0, 4, last=1.0)(i) for i in (0, 2, 4, 5)], [2, 1.5, 1, 1]
    )
    np.testing.assert_allclose(schedules.exponential(1.0, 0.5, every=10)(5), math.sqrt(0.5))
    by_steps = schedules.exponential(1.0, 0.5, every=10, in_steps=True)
    assert [by_steps(i) for i in (0, 9, 10, 25)] == [1.0, 1.0, 0.5, 0.25]
    assert [schedules.inverse_sqrt(1.0, 4)(i) for i in (0, 4, 16)] == [1.0, 1.0, 0.5]
    pieces = schedules.pieces({0: 0.1, 10: 0.01, 20: 0.001})
    assert [pieces(i) for i in (0, 9, 10, 30)] == [0.1, 0.1, 0.01, 0.001]
    warm = schedules.warmup(4, schedules.linear(1.0, 10))
    assert [warm(i) for i in (0, 3, 4, 9)] == [0.25, 1.0, 1.0, 0.5]


def test_schedules_refuse_what_they_cannot_be() -> None:
    with pytest.raises(ValueError, match="linear: updates should be positive, it is 0"):
        schedules.linear(1.0, 0)
    with pytest.raises(ValueError, match="there is no number for update 0"):
        schedules.pieces({5: 0.1})
