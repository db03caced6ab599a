"""Optimizers over Parameters that Python holds."""

from __future__ import annotations

import gc
import inspect
import warnings
import weakref
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim

RULES = [
    kind
    for name, kind in vars(optim).items()
    if isinstance(kind, type) and issubclass(kind, optim.Optimizer)
    if name not in ("Optimizer", "UpdateRule")
]


def model_with(value: float = 1.0) -> nn.Linear:
    return nn.Linear(2, 2, initial_W=value, initial_bias=value)


def set_grads(model: nn.Module, value: float) -> None:
    for parameter in model.parameters():
        parameter.grad = np.full(parameter.shape, value, np.float32)


def test_sgd_is_its_formula() -> None:
    model = model_with()
    optimizer = optim.SGD(lr=0.5).setup(model)
    set_grads(model, 0.5)
    optimizer.update()
    np.testing.assert_array_equal(model.W.array, np.full((2, 2), 0.75))
    assert optimizer.t == 1


def test_adam_is_its_formula() -> None:
    model = model_with()
    optimizer = optim.Adam(alpha=0.1, beta1=0.8, beta2=0.9).setup(model)
    p, m, v = 1.0, 0.0, 0.0
    for t in range(1, 6):
        g = 0.3 * t
        set_grads(model, g)
        optimizer.update()
        m += 0.2 * (g - m)
        v += 0.1 * (g * g - v)
        p -= 0.1 * np.sqrt(1 - 0.9**t) / (1 - 0.8**t) * m / (np.sqrt(v) + 1e-8)
    np.testing.assert_allclose(model.b.array, [p, p], rtol=1e-5)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_rule_makes_a_loss_smaller(rule: Any) -> None:
    model = nn.Sequential(nn.Linear(3, 4, initial_W=ct.initializers.Normal(0.5)), ct.tanh)
    np.random.seed(0)
    x = np.random.normal(size=(8, 3)).astype(np.float32)
    optimizer = rule().setup(model)

    def loss() -> ct.Variable:
        return ct.mean_squared_error(model(x), np.ones((8, 4), np.float32))

    before = loss().item()
    for _ in range(5):
        optimizer.update(loss)
    assert loss().item() < before
    assert optimizer.t == 5


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_numbers_are_arguments_and_attributes(rule: Any) -> None:
    signature = inspect.signature(rule)
    numbers = rule().hyperparameters
    assert list(numbers) == [n for n, p in signature.parameters.items() if p.default is not False]
    for name, value in numbers.items():
        assert getattr(rule(), name) == value == signature.parameters[name].default
        optimizer = rule(**{name: 0.25})
        assert getattr(optimizer, name) == 0.25
        setattr(optimizer, name, 0.125)
        assert optimizer.hyperparameters[name] == 0.125


def test_numbers_by_position_are_those_of_the_signature() -> None:
    assert optim.MomentumSGD(0.1, 0.8).hyperparameters == {"lr": 0.1, "momentum": 0.8}
    assert repr(optim.MomentumSGD(0.1, 0.8)) == "MomentumSGD(lr=0.1, momentum=0.8)"


def test_wrong_arguments_list_the_right_ones() -> None:
    with pytest.raises(TypeError, match=r"Adam\(\) has no argument 'lr'; its arguments are: alpha"):
        optim.Adam(lr=0.1)
    with pytest.raises(TypeError, match="takes at most 1 arguments by position, 2 were given"):
        optim.SGD(0.1, 0.2)
    with pytest.raises(TypeError, match="got 'lr' twice"):
        optim.SGD(0.1, lr=0.2)


def test_a_misspelled_number_is_an_error() -> None:
    optimizer = optim.Adam()
    with pytest.raises(AttributeError, match="Adam has no number 'lr'; it has: alpha"):
        optimizer.lr = 0.1
    with pytest.raises(AttributeError, match="final_lr"):
        optimizer.final_lr = 0.1
    assert optim.Adam(adabound=True).final_lr == 0.1


def test_flags_choose_the_form_of_a_rule() -> None:
    assert "final_lr" in optim.Adam(adabound=True).hyperparameters
    assert list(inspect.signature(optim.RMSprop).parameters)[-1] == "eps_inside_sqrt"
    model = model_with()
    optimizer = optim.RMSprop(lr=1.0, alpha=0.0, eps=3.0, eps_inside_sqrt=True).setup(model)
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_allclose(model.b.array, [0.5, 0.5])


def test_setup_takes_modules_dicts_and_lists() -> None:
    W = ct.Parameter(np.ones(2, np.float32))
    for target, path in (({"head/W": W}, "head/W"), ([W], "0"), (W, "0")):
        optimizer = optim.SGD().setup(target)
        assert [name for name, _ in optimizer.named_parameters()] == [path]
        assert optimizer.target is target
    both = optim.SGD().setup({"a": model_with(), "b": W})
    assert [name for name, _ in both.named_parameters()] == ["a/W", "a/b", "b"]
    several = optim.SGD().setup([model_with(), nn.Sequential(model_with())])
    assert [name for name, _ in several.named_parameters()] == ["0/W", "0/b", "1/0/W", "1/0/b"]
    with pytest.raises(TypeError, match="'0' should be a Parameter or a Module, it is ndarray"):
        optim.SGD().setup([np.ones(2)])
    with pytest.raises(ValueError, match="no parameters to train"):
        optim.SGD().setup([])
    with pytest.raises(ValueError, match=r"setup"):
        optim.SGD().update()


def test_a_variable_in_a_module_is_warned_of() -> None:
    class Net(nn.Module):
        def __init__(self, **of_scale: Any) -> None:
            self.layer = model_with()
            self.layer.scale = ct.Variable(np.ones(2, np.float32), **of_scale)
            self.h = ct.sum(self.layer(np.ones((1, 2), np.float32)))  # Computed: not meant to be.

    with pytest.warns(UserWarning, match=r"Net: layer/scale is a Variable, .* ct.Parameter") as all:
        optim.SGD().setup(Net())
    assert [Path(warning.filename).name for warning in all] == [Path(__file__).name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optim.SGD().setup(Net(requires_grad=False))


def test_parameters_may_get_their_shapes_after_setup() -> None:
    model = nn.Linear(None, 1, initial_W=1.0)
    optimizer = optim.SGD(1.0).setup(model)
    optimizer.update(lambda x: ct.sum(model(x)), np.ones((2, 3), np.float32))
    np.testing.assert_array_equal(model.W.array, np.full((1, 3), -1.0))


def test_a_parameter_without_a_gradient_stays() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    model.W.grad = np.ones((2, 2), np.float32)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [1, 1])
    np.testing.assert_array_equal(model.W.array, np.zeros((2, 2)))


def test_update_of_a_function_clears_runs_backward_and_steps() -> None:
    model = model_with()
    set_grads(model, 100.0)
    optimizer = optim.SGD(1.0).setup(model)
    optimizer.update(lambda x, *, scale: scale * ct.sum(model(x)), np.ones((1, 2)), scale=0.5)
    np.testing.assert_array_equal(model.b.array, [0.5, 0.5])
    with pytest.raises(TypeError, match="lossfun gives a float"):
        optimizer.update(lambda: 1.0)


def test_errors_of_a_loss_function_leave_as_they_are() -> None:
    optimizer = optim.SGD().setup(model_with())

    def broken() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        optimizer.update(broken)
    assert optimizer.t == 0


def test_update_takes_the_gradients_of_value_and_grad() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)

    def loss(model: nn.Linear, x: Any) -> ct.Variable:
        return ct.sum(model(x))

    _, grads = ct.value_and_grad(loss)(model, np.ones((1, 2), np.float32))
    optimizer.update(grads)
    np.testing.assert_array_equal(model.b.array, [0, 0])
    with pytest.raises(ValueError, match="there is no parameter V"):
        optimizer.update({"V": np.ones(2)})


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        (lambda: optim.WeightDecay(0.5), 1.0 - (2.0 + 0.5)),
        (lambda: optim.Lasso(0.5), 1.0 - (2.0 + 0.5)),
        (lambda: optim.GradientHardClipping(-1.0, 1.0), 0.0),
        (lambda: optim.GradientClipping(np.sqrt(6.0)), 0.0),
    ],
)
def test_hooks_are_their_formulas(hook: Any, expected: float) -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    optimizer.add_hook(hook())
    set_grads(model, 2.0)
    optimizer.update()
    np.testing.assert_allclose(model.W.array, np.full((2, 2), expected), atol=1e-6)


def test_numbers_of_hooks_are_attributes() -> None:
    decay = optim.WeightDecay(0.5)
    decay.rate = 0.25
    assert decay.rate == 0.25
    optimizer = optim.SGD().setup(model_with())
    optimizer.add_hook(decay)
    with pytest.raises(ValueError, match="a hook named 'WeightDecay' was added already"):
        optimizer.add_hook(decay)
    optimizer.remove_hook("WeightDecay")
    optimizer.add_hook(decay)


def test_functions_are_hooks_before_and_after_an_update() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    seen = []

    def halve(given: Any) -> None:
        assert given is optimizer
        for _, parameter in given.named_parameters():
            parameter.grad = parameter.grad / 2
        seen.append("pre")

    optimizer.add_hook(halve)
    optimizer.add_hook(lambda o: seen.append(("post", o.t)), name="count", timing="post")
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0.5, 0.5])
    assert seen == ["pre", ("post", 1)]
    optimizer.remove_hook("halve")
    optimizer.update()
    assert seen[2:] == [("post", 2)]
    with pytest.raises(ValueError, match="timing should be"):
        optimizer.add_hook(halve, timing="later")


def test_an_error_of_a_hook_leaves_as_it_is() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)

    def broken(optimizer: Any) -> None:
        raise ZeroDivisionError("hook")

    optimizer.add_hook(broken)
    set_grads(model, 1.0)
    with pytest.raises(ZeroDivisionError, match="hook"):
        optimizer.update()
    np.testing.assert_array_equal(model.b.array, [1, 1])


def test_an_optimizer_and_its_hooks_are_collected() -> None:
    optimizer = optim.SGD().setup(model_with())
    optimizer.add_hook(lambda o, again=optimizer: None, name="cycle")
    gone = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert gone() is None


def test_what_parameters_have_of_their_own_is_collected_with_their_optimizer() -> None:
    class Rule(optim.UpdateRule):
        def update_core(self, parameter: Any) -> None:
            self.kept = (parameter, self.state, self.t_var)

    def made(kind: str) -> weakref.ref[Any]:
        model = model_with()
        optimizer = (Rule() if kind == "kept" else optim.SGD()).setup(model)
        if kind == "use":
            rule = Rule()
            rule.owner = optimizer
            optimizer.update_rule(model.b).use(rule)
        elif kind == "hook":
            optimizer.update_rule(model.b).add_hook(lambda r, p, again=optimizer: None, "cycle")
        elif kind == "model":
            model.optimizer = optimizer
        set_grads(model, 1.0)
        optimizer.update()
        return weakref.ref(optimizer)

    for kind in ("plain", "use", "hook", "model", "kept"):
        gone = made(kind)
        gc.collect()
        assert gone() is None, kind


def test_a_rule_lives_as_long_as_parameters_use_it() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    for parameter in model.parameters():
        optimizer.update_rule(parameter).use(optim.MomentumSGD(0.5, 0.0))
    gc.collect()
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0.5, 0.5])
    optimizer.update_rule(model.b).use(optim.SGD(0.25))
    optimizer.update_rule(model.W).follow_optimizer()
    gc.collect()
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0.25, 0.25])
    np.testing.assert_array_equal(model.W.array, np.full((2, 2), -0.5))
    optimizer.setup(model)
    gc.collect()
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [-0.75, -0.75])


def test_a_parameter_may_have_numbers_hooks_and_a_rule_of_its_own() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    rule = optimizer.update_rule(model.b)
    assert rule["lr"] == 1.0
    rule["lr"] = 0.5
    rule.add_hook(optim.WeightDecay(1.0))
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0, 0])
    np.testing.assert_array_equal(model.W.array, np.zeros((2, 2)))
    rule.enabled = False
    assert not model.b.update_enabled
    with pytest.raises(ValueError, match="is not a parameter"):
        optimizer.update_rule(ct.Parameter(np.ones(1)))


def test_a_parameter_may_be_updated_by_another_rule() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    optimizer.update_rule(model.b).use(optim.MomentumSGD(0.5, 0.0))
    set_grads(model, 1.0)
    optimizer.update()
    np.testing.assert_array_equal(model.b.array, [0.5, 0.5])
    np.testing.assert_array_equal(optimizer.update_rule(model.b).state("v").array, [-0.5, -0.5])
    assert optimizer.state_dict()["b/v"].shape == (2,)


def test_a_rule_of_a_parameter_outlives_the_next_setup() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    rule = optimizer.update_rule(model.b)
    optimizer.setup([model.W])
    with pytest.raises(ValueError, match="is not a parameter"):
        _ = rule["lr"]


def test_an_optimizer_goes_on_from_its_state() -> None:
    models = [model_with(), model_with()]
    optimizers = [optim.Adam(0.1).setup(model) for model in models]
    for step in range(4):
        if step == 2:
            models[1] = model_with(5.0)
            models[1].load_state_dict(models[0].state_dict())
            optimizers[1] = optim.Adam(0.1).setup(models[1])
            optimizers[1].load_state_dict(optimizers[0].state_dict())
        for model, optimizer in zip(models, optimizers, strict=True):
            set_grads(model, 0.1 * step)
            optimizer.update()
    np.testing.assert_array_equal(models[0].W.array, models[1].W.array)
    assert optimizers[1].t == 4


def test_state_dict_has_chainers_keys_and_copies() -> None:
    model = model_with()
    optimizer = optim.Adam().setup(model)
    set_grads(model, 1.0)
    optimizer.update()
    state = optimizer.state_dict()
    assert {"t", "epoch", "W/m", "W/v", "b/m", "b/v"} <= set(state)
    state["W/m"][...] = 7
    assert optimizer.state_dict()["W/m"].max() < 1


def test_a_state_that_does_not_fit_names_the_key() -> None:
    model = model_with()
    optimizer = optim.Adam().setup(model)
    set_grads(model, 1.0)
    optimizer.update()
    state = optimizer.state_dict()
    with pytest.raises(ct.FileError, match="W/m"):
        optimizer.load_state_dict({**state, "W/m": np.zeros(3, np.float32)})
    assert optimizer.t == 1


def test_the_loss_scale_is_divided_out() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    optimizer.loss_scale = 8.0
    optimizer.update(lambda: ct.sum(model(np.ones((1, 2), np.float32))))
    np.testing.assert_array_equal(model.b.array, [0, 0])
    with pytest.raises(ValueError, match="loss scale must be positive"):
        optimizer.loss_scale = 0


def test_a_following_loss_scale_leaves_out_bad_updates() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    scaling = optimizer.loss_scaling(initial=4.0)
    optimizer.update(lambda: ct.sum(model(np.full((1, 2), np.inf, np.float32))))
    np.testing.assert_array_equal(model.b.array, [1, 1])
    assert not scaling.is_safe_to_update
    assert scaling.scale == 2.0
    optimizer.update(lambda: ct.sum(model(np.ones((1, 2), np.float32))))
    np.testing.assert_array_equal(model.b.array, [0, 0])


def test_half_precision_is_updated_through_float32() -> None:
    parameter = ct.Parameter(np.ones(2, np.float16))
    optimizer = optim.SGD(1e-4).setup([parameter])
    optimizer.use_fp32_update()
    for _ in range(20):
        parameter.grad = np.ones(2, np.float16)
        optimizer.update()
    np.testing.assert_allclose(parameter.array, 1 - 20e-4, rtol=1e-3)


def test_epochs_are_counted() -> None:
    optimizer = optim.SGD().setup(model_with())
    optimizer.new_epoch()
    assert optimizer.epoch == 1


def test_parameters_can_be_added_later() -> None:
    model, more = model_with(), ct.Parameter(np.ones(2, np.float32))
    optimizer = optim.SGD(1.0).setup(model).add_params({"more": more})
    set_grads(model, 1.0)
    more.grad = np.ones(2, np.float32)
    optimizer.update()
    np.testing.assert_array_equal(more.array, [0, 0])
    with pytest.raises(ValueError, match="more"):
        optimizer.add_params({"more": ct.Parameter(np.ones(1))})


def test_numpy_views_of_a_parameter_keep_their_values() -> None:
    model = model_with()
    optimizer = optim.SGD(1.0).setup(model)
    set_grads(model, 1.0)
    optimizer.update()
    assert model.b.array.dtype == np.float32
    np.testing.assert_array_equal(model.b.array, [0, 0])
