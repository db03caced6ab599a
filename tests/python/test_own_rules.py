"""Update rules that are written in Python: formulas, and classes with update_core()."""

from __future__ import annotations

import copy
import pickle
import threading
from pathlib import Path
from typing import Any, ClassVar

import catena as ct
import numpy as np
import pytest
from catena import nn, optim

OwnAdam = optim.formula_rule(
    "OwnAdam",
    lambda p, g, m, v, t, *, alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8: (
        p
        - alpha
        * ct.sqrt(1 - beta2**t)
        / (1 - beta1**t)
        * (m + (1 - beta1) * (g - m))
        / (ct.sqrt(v + (1 - beta2) * (g * g - v)) + eps),
        m + (1 - beta1) * (g - m),
        v + (1 - beta2) * (g * g - v),
    ),
)
Counting = optim.formula_rule(
    "Counting",
    lambda p, g, n, *, lr=1.0: (p - lr * g / n, n + 1),
    states={"n": 1.0},
)
# No update before the third: a truth value that is the same for all elements.
Late = optim.formula_rule(
    "Late", lambda p, g, t, *, lr=1.0, first=3.0: p - ct.where(t >= first, lr, 0.0) * g
)


class Momentum(optim.UpdateRule):
    """Written with functions of catena."""

    states: ClassVar = {"v": 0.0}

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__(lr=lr, momentum=momentum)

    def update_core(self, parameter: Any) -> None:
        v = self.state["v"]
        v.assign(self.momentum * v - self.lr * parameter.grad_var)
        parameter.assign(parameter + v)


class NumPyMomentum(Momentum):
    """Written with NumPy, in place."""

    def update_core(self, parameter: Any) -> None:
        v = self.state["v"].array
        v[...] = self.momentum * v - self.lr * parameter.grad
        parameter.array[...] += v


class RowNorms(optim.UpdateRule):
    """A state of a shape of its own: one number for each row."""

    states: ClassVar = {"h": 0.0}

    def init_state(self, parameter: Any) -> dict[str, Any]:
        return {"h": np.ones(parameter.shape[0], np.float32)}

    def update_core(self, parameter: Any) -> None:
        g = parameter.grad_var.reshape(parameter.shape[0], -1)
        h = self.state["h"]
        h.assign(h + ct.sum(g * g, axis=1))
        scaled = g / ct.sqrt(h).reshape(-1, 1)
        parameter.assign(parameter - self.lr * scaled.reshape(parameter.shape))


def network() -> nn.Sequential:
    np.random.seed(0)
    return nn.Sequential(nn.Linear(4, 8), ct.tanh, nn.Linear(8, 3))


X = np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)
T = np.array([0, 1, 2, 0, 1, 2], np.int32)


def trained(optimizer: Any, compiled: bool = False, steps: int = 6, change: bool = True) -> Any:
    """The weights after some steps, in the middle of which the first number of the rule grows."""
    model = network()
    optimizer.setup(model)

    def step(x: Any, t: Any) -> Any:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    run = ct.jit(step) if compiled else step
    for i in range(steps):
        if change and i == 3:
            name = next(iter(optimizer.hyperparameters))
            setattr(optimizer, name, getattr(optimizer, name) * 10)
        run(X, T)
    if compiled and not isinstance(optimizer, NumPyMomentum):
        assert run.statistics().programs == 1
        assert run.statistics().cuts == 0
    return np.concatenate([p.array.ravel() for p in model.parameters()])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("own", "bound"),
    [
        (OwnAdam, optim.Adam),
        (Momentum, lambda: optim.MomentumSGD(0.01, 0.9)),
        (NumPyMomentum, lambda: optim.MomentumSGD(0.01, 0.9)),
    ],
)
def test_an_own_rule_does_what_the_same_rule_of_catena_does(
    own: Any, bound: Any, compiled: bool
) -> None:
    expected = trained(bound())
    assert np.abs(trained(own(), compiled) - expected).max() < 2e-6


def test_a_rule_of_one_formula_begins_states_as_it_says() -> None:
    W = ct.Parameter(np.zeros(2, np.float32))
    optimizer = Counting().setup([W])
    for _ in range(3):
        W.grad = np.ones(2, np.float32)
        optimizer.update()
    np.testing.assert_allclose(W.array, -(1 + 1 / 2 + 1 / 3), rtol=1e-6)
    np.testing.assert_array_equal(optimizer.update_rule(W).state("n").array, [4, 4])
    assert optimizer.state_dict()["0/n"].tolist() == [4, 4]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_formula_may_decide_by_the_number_of_the_update(compiled: bool) -> None:
    W = ct.Parameter(np.zeros(2, np.float32))
    optimizer = Late().setup([W])

    def step() -> None:
        W.cleargrad()
        ct.sum(W * 2).backward()
        optimizer.update()

    run = ct.jit(step) if compiled else step
    seen = []
    for _ in range(4):
        run()
        seen.append(W.array[0].item())
    assert seen == [0, 0, -2, -4]


def test_powers_of_the_count_keep_their_digits() -> None:
    W = ct.Parameter(np.zeros(1, np.float32))
    rest = optim.formula_rule("rest_of_beta", lambda p, g, t, *, beta=0.999999: p + (1 - beta**t))
    W.grad = np.ones(1, np.float32)
    rest().setup([W]).update()
    np.testing.assert_allclose(W.array, 1e-6, rtol=1e-6)  # In float32, 1 - beta is 9.5e-7.


def test_numbers_are_arguments_attributes_and_those_of_single_parameters() -> None:
    for kind in (OwnAdam, Momentum):
        optimizer = kind()
        name = next(iter(optimizer.hyperparameters))
        setattr(optimizer, name, 0.5)
        assert optimizer.hyperparameters[name] == getattr(optimizer, name) == 0.5
    assert repr(Momentum(0.5)) == "Momentum(lr=0.5, momentum=0.9)"
    assert OwnAdam(0.25, eps=1.0).hyperparameters == {
        "alpha": 0.25,
        "beta1": 0.9,
        "beta2": 0.999,
        "eps": 1.0,
    }
    for kind in (Counting, Momentum):
        a, b = (ct.Parameter(np.ones(2, np.float32)) for _ in range(2))
        optimizer = kind(lr=1.0).setup([a, b])
        optimizer.update_rule(b)["lr"] = 0.5
        a.grad = b.grad = np.ones(2, np.float32)
        optimizer.update()
        assert (a.array[0], b.array[0]) == (0.0, 0.5)
        assert optimizer.update_rule(b).own_numbers == {"lr": 0.5}


@pytest.mark.parametrize("own", [OwnAdam, Momentum, NumPyMomentum, RowNorms])
def test_one_parameter_may_be_updated_by_an_own_rule(own: Any) -> None:
    model = nn.Linear(2, 2, initial_W=1.0)
    optimizer = optim.SGD(0.0).setup(model)
    rule = own(lr=0.5) if own is RowNorms else own()
    optimizer.update_rule(model.W).use(rule)
    for p in model.parameters():
        p.grad = np.ones(p.shape, np.float32)
    optimizer.update()
    assert (model.W.array < 1).all() and (model.b.array == 0).all()
    assert set(optimizer.state_dict()) >= {f"W/{name}" for name in optimizer_states(rule)}


def optimizer_states(rule: Any) -> list[str]:
    return list(getattr(rule, "states", ["m", "v"]))


@pytest.mark.parametrize("own", [OwnAdam, Momentum, NumPyMomentum, lambda: RowNorms(lr=0.1)])
def test_an_own_rule_goes_on_from_a_file(own: Any, tmp_path: Path) -> None:
    file = tmp_path / "training.npz"

    def steps(model: Any, optimizer: Any, count: int) -> None:
        for _ in range(count):
            optimizer.update(lambda: ct.softmax_cross_entropy(model(X), T))

    model = network()
    optimizer = own().setup(model)
    steps(model, optimizer, 3)
    ct.save(file, {"model": model, "optimizer": optimizer})
    steps(model, optimizer, 3)

    again = network()
    optimizer_again = own().setup(again)
    ct.load(file, {"model": again, "optimizer": optimizer_again})
    assert optimizer_again.t == 3
    steps(again, optimizer_again, 3)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
@pytest.mark.parametrize(
    "make",
    [
        OwnAdam,
        Momentum,
        lambda: RowNorms(lr=0.1),
        lambda: optim.Adam(0.01, amsgrad=True),
        lambda: optim.RMSprop(eps_inside_sqrt=True),
    ],
)
def test_a_copy_of_model_and_optimizer_goes_on_alike(make: Any, copied: Any) -> None:
    model = network()
    optimizer = make().setup(model)
    optimizer.add_hook(optim.WeightDecay(0.1)).add_hook(optim.GradientClipping(2.0), "clip")
    rule = optimizer.update_rule(model[0].b)
    rule[next(iter(optimizer.hyperparameters))] = 0.125
    rule.add_hook(optim.GradientHardClipping(-0.5, 0.25), timing="post")
    optimizer.update_rule(model[2].b).use(optim.MomentumSGD(0.5))

    def steps(model: Any, optimizer: Any) -> None:
        for _ in range(3):
            optimizer.update(lambda: ct.softmax_cross_entropy(model(X), T))

    steps(model, optimizer)
    other, optimizer_of_other = copied((model, optimizer))
    assert optimizer_of_other.target is other
    assert optimizer_of_other.t == 3
    assert list(optimizer_of_other.hooks) == ["WeightDecay", "clip"]
    steps(model, optimizer)
    before = [p.array.copy() for p in model.parameters()]
    steps(other, optimizer_of_other)
    for a, b, c in zip(model.parameters(), other.parameters(), before, strict=True):
        np.testing.assert_array_equal(a.array, c)
        np.testing.assert_array_equal(a.array, b.array)
        assert a is not b


def test_copies_keep_what_optimizers_were_told() -> None:
    W = ct.Parameter(np.ones(2, np.float16))
    optimizer = optim.SGD(1e-4).setup([W])
    optimizer.use_fp32_update()
    optimizer.loss_scale = 8.0
    optimizer.new_epoch()
    made = copy.deepcopy(optimizer)
    assert (made.loss_scale, made.epoch) == (8.0, 1)
    (_, parameter), *_ = made.named_parameters()
    for _ in range(20):
        parameter.grad = np.full(2, 8, np.float16)
        made.update()
    np.testing.assert_allclose(parameter.array, 1 - 20e-4, rtol=1e-3)
    unset = pickle.loads(pickle.dumps(optim.Adam(0.5)))
    assert unset.alpha == 0.5 and unset.target is None


def test_a_rule_in_python_sees_the_float32_copy_of_half_precision() -> None:
    W = ct.Parameter(np.ones(2, np.float16))
    optimizer = Momentum(1e-4, 0.0).setup([W])
    optimizer.use_fp32_update()
    for _ in range(20):
        W.grad = np.ones(2, np.float16)
        optimizer.update()
    assert W.dtype == np.float16
    np.testing.assert_allclose(W.array, 1 - 20e-4, rtol=1e-3)


def test_the_number_of_the_update_is_there_in_update_core() -> None:
    seen = []

    class Seen(optim.UpdateRule):
        def update_core(self, parameter: Any) -> None:
            seen.append(self.t_var.item())

    W = ct.Parameter(np.ones(1, np.float32))
    optimizer = Seen().setup([W])
    for _ in range(2):
        W.grad = np.ones(1, np.float32)
        optimizer.update()
    assert seen == [1, 2]
    with pytest.raises(ValueError, match="Seen: t_var is there while update_core runs"):
        _ = optimizer.t_var


def test_an_error_of_update_core_names_the_parameter_and_leaves_as_it_is() -> None:
    class Broken(optim.UpdateRule):
        def update_core(self, parameter: Any) -> None:
            raise KeyError("mine")

    optimizer = Broken().setup({"head/W": ct.Parameter(np.ones((2, 3), np.float32))})
    dict(optimizer.named_parameters())["head/W"].grad = np.ones((2, 3), np.float32)
    with pytest.raises(KeyError, match="mine") as raised:
        optimizer.update()
    assert raised.value.__notes__ == ["while Broken updated head/W (2, 3)"]


def test_what_no_rule_can_be_is_refused() -> None:
    with pytest.raises(TypeError, match="the number 'lr' needs a default"):
        optim.formula_rule("A", lambda p, g, *, lr: p)
    with pytest.raises(ValueError, match="gives 1 values; it should give the parameter and 1 st"):
        optim.formula_rule("A", lambda p, g, m: p)
    with pytest.raises(TypeError, match="takes the parameter, its gradient, and its states"):
        optim.formula_rule("A", lambda p: p)
    with pytest.raises(ValueError, match="the formula has no state 'm'"):
        optim.formula_rule("A", lambda p, g: p, states={"m": 1})
    with pytest.raises(ValueError, match="'epoch' is an attribute of every optimizer"):
        optim.formula_rule("A", lambda p, g, *, epoch=1.0: p)
    with pytest.raises(TypeError, match="truth"):
        optim.formula_rule("A", lambda p, g: p if p > 0 else g)
    with pytest.raises(TypeError, match=r"OwnAdam.*'lr'; its arguments are: alpha, beta1"):
        OwnAdam(lr=0.1)
    with pytest.raises(AttributeError, match="OwnAdam has no number 'lr'; it has: alpha"):
        OwnAdam().lr = 1.0
    with pytest.raises(TypeError, match="alpha should be a number, it is generator"):
        optim.Adam(network().parameters())
    with pytest.raises(TypeError, match="alpha should be a number, it is generator"):
        OwnAdam(network().parameters())
    with pytest.raises(AttributeError, match="no attribute 'rate'"):
        _ = Momentum().rate


def test_init_state_gives_states_that_the_class_names() -> None:
    class Wrong(optim.UpdateRule):
        def init_state(self, parameter: Any) -> dict[str, Any]:
            return {"m": 0.0}

    W = ct.Parameter(np.ones(1, np.float32))
    W.grad = np.ones(1, np.float32)
    with pytest.raises(ValueError, match="init_state gives 'm' for 0; the class's `states`"):
        Wrong().setup([W]).update()


def test_a_state_that_begins_as_the_parameter_is_an_array_of_its_own() -> None:
    class Slow(optim.UpdateRule):
        states: ClassVar = {"slow": 0.0}

        def init_state(self, parameter: Any) -> dict[str, Any]:
            return {"slow": parameter}

        def update_core(self, parameter: Any) -> None:
            parameter.array[...] -= parameter.grad

    W = ct.Parameter(np.ones(2, np.float32))
    optimizer = Slow().setup([W])
    W.grad = np.ones(2, np.float32)
    optimizer.update()
    np.testing.assert_array_equal(optimizer.update_rule(W).state("slow").array, [1, 1])
    np.testing.assert_array_equal(W.array, [0, 0])


def test_a_rule_may_serve_optimizers_of_several_threads_at_a_time() -> None:
    inside, other_is_done = threading.Event(), threading.Event()

    class Slow(optim.UpdateRule):
        states: ClassVar = {"m": 0.0}

        def update_core(self, parameter: Any) -> None:
            if parameter.size == 2:
                inside.set()
                assert other_is_done.wait(10)
            self.state["m"].assign(self.state["m"] + self.lr * parameter.grad_var)

    rule = Slow(lr=1.0)
    W, other = ct.Parameter(np.zeros(2, np.float32)), ct.Parameter(np.zeros(3, np.float32))
    optimizers = [optim.SGD().setup([W]), optim.SGD().setup([other])]
    for optimizer, parameter, lr in zip(optimizers, (W, other), (0.5, 2.0), strict=True):
        optimizer.update_rule(parameter).use(rule)
        optimizer.update_rule(parameter)["lr"] = lr
        parameter.grad = np.ones(parameter.shape, np.float32)
    thread = threading.Thread(target=optimizers[0].update)
    thread.start()
    assert inside.wait(10)
    optimizers[1].update()
    other_is_done.set()
    thread.join()
    np.testing.assert_array_equal(optimizers[0].update_rule(W).state("m").array, [0.5, 0.5])
    np.testing.assert_array_equal(optimizers[1].update_rule(other).state("m").array, [2, 2, 2])
