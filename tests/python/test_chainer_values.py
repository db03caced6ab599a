"""Modules and optimizers against what Chainer 7.8.1 gave (tests/conformance)."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def results(name: str) -> dict[str, np.ndarray]:
    with np.load(CONFORMANCE / f"{name}.npz") as file:
        return dict(file)


LINKS, RECURRENT, OPTIMIZERS = map(
    results, ("chainer_links", "chainer_recurrent", "chainer_optimizers")
)


def part(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def numbered(case: dict[str, np.ndarray], letter: str) -> list[np.ndarray]:
    return [case[f"{letter}{i}"] for i in range(99) if f"{letter}{i}" in case]


def check_gradients(module: nn.Module, case: dict[str, np.ndarray], xs: list[ct.Variable]) -> None:
    for i, x in enumerate(xs):
        if f"gx{i}" in case:
            np.testing.assert_allclose(x.grad, case[f"gx{i}"], rtol=1e-4, atol=1e-5)
    gradients = part(case, "grad/")
    parameters = dict(module.named_parameters())
    assert set(gradients) <= set(parameters)
    for path, expected in gradients.items():
        np.testing.assert_allclose(parameters[path].grad, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "make", "settings"),
    [
        ("Bilinear", lambda: nn.Bilinear(3, 4, 2), {}),
        ("Bilinear_nobias", lambda: nn.Bilinear(3, 4, 2, bias=False), {}),
        ("Convolution1D", lambda: nn.Conv1d(3, 4, 3, 2, 1), {}),
        ("Convolution2D", lambda: nn.Conv2d(4, 6, (3, 2), (1, 2), 1, dilate=2, groups=2), {}),
        ("Deconvolution1D", lambda: nn.Deconv1d(3, 4, 3, 2, 1), {}),
        ("Deconvolution2D", lambda: nn.Deconv2d(4, 2, 3, 2, 1, outsize=(8, 7), groups=2), {}),
        ("Deconvolution3D", lambda: nn.Deconv3d(2, 3, 2, 2), {}),
        ("PReLU", lambda: nn.PReLU(), {}),
        ("PReLU_channels", lambda: nn.PReLU((3,)), {}),
        ("GroupNormalization", lambda: nn.GroupNorm(2, 6), {}),
        ("GroupNormalization_eps", lambda: nn.GroupNorm(3, 6, eps=0.2), {}),
        ("LayerNormalization_eps", lambda: nn.LayerNorm(5, eps=0.1), {}),
        ("Linear_batch_axes", lambda: nn.Linear(4, 3, bias=False), {"n_batch_axes": 2}),
        ("BatchNormalization", lambda: nn.BatchNorm(3), {"calls": 2}),
        (
            "BatchNormalization_alone",
            lambda: nn.BatchNorm((3, 2), decay=0.5, eps=0.1, use_gamma=False),
            {"calls": 2},
        ),
        (
            "BatchNormalization_axis",
            lambda: nn.BatchNorm(2, axis=(0, 1), use_beta=False),
            {"calls": 2},
        ),
        ("BatchNormalization_test", lambda: nn.BatchNorm(3, eps=0.2), {"train": False}),
    ],
)
def test_a_module_gives_what_chainers_link_gave(name: str, make: Any, settings: Any) -> None:
    settings = dict(settings)
    case = part(LINKS, f"{name}/")
    calls, train = settings.pop("calls", 1), settings.pop("train", True)
    module = make()
    module.load_state_dict(part(case, "saved/"))
    xs = [ct.Variable(x) for x in numbered(case, "x")]
    with ct.using_config("train", train):
        for _ in range(calls):
            y = module(*xs, **settings)
    ct.sum(y * case["gy"]).backward()
    np.testing.assert_allclose(y.array, case["y"], rtol=1e-4, atol=1e-5)
    check_gradients(module, case, xs)
    state = module.state_dict()
    for path, expected in part(case, "after/").items():
        np.testing.assert_allclose(state[path], expected, rtol=1e-4, atol=1e-5)


def n_step(name: str) -> tuple[nn.Module, int]:
    both = "Bi" in name
    if "RNN" in name:
        activation = "tanh" if name.endswith("Tanh") else "relu"
        return nn.RNN(2, 3, 2, bidirectional=both, activation=activation), 1
    if "GRU" in name:
        return nn.GRU(2, 3, 2, bidirectional=both), 1
    return nn.LSTM(2, 3, 2, bidirectional=both), 2


@pytest.mark.parametrize(
    "name",
    [f"NStep{way}{kind}" for way in ("", "Bi") for kind in ("RNNTanh", "RNNReLU", "GRU", "LSTM")],
)
def test_recurrent_modules_give_what_chainers_links_gave(name: str) -> None:
    case = part(RECURRENT, f"{name}/")
    module, states = n_step(name)
    module.load_state_dict(part(case, "saved/"))
    xs = [ct.Variable(x) for x in numbered(case, "x")]
    *hs, ys = module(xs[states:], *xs[:states])
    given = [*hs, *ys]
    expected = numbered(case, "y")
    assert len(given) == len(expected)
    for y, right in zip(given, expected, strict=True):
        np.testing.assert_allclose(y.array, right, rtol=1e-4, atol=1e-5)
    loss = sum(ct.sum(y * gy) for y, gy in zip(given, numbered(case, "gy"), strict=True))
    loss.backward()
    check_gradients(module, case, xs)


def test_an_lstm_cell_gives_what_chainers_stateless_lstm_gave() -> None:
    case = part(RECURRENT, "StatelessLSTM/")
    cell = nn.LSTMCell(2, 4)
    cell.load_state_dict(part(case, "saved/"))
    c, h, x = (ct.Variable(x) for x in numbered(case, "x"))
    h1, c1 = cell(x, (h, c))
    for y, right in zip((c1, h1), numbered(case, "y"), strict=True):
        np.testing.assert_allclose(y.array, right, rtol=1e-4, atol=1e-5)


def rules_of_chainer() -> dict[str, dict[str, Any]]:
    """The tables RULES and HOOKS of the program that made Chainer's numbers, with our rules."""
    tree = ast.parse((CONFORMANCE / "chainer_optimizers.py").read_text())
    tables = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("RULES", "HOOKS"):
                code = compile(ast.Expression(node.value), "chainer_optimizers.py", "eval")
                tables[name] = eval(code, {"o": optim, "hooks": optim})
    return tables


TABLES = rules_of_chainer()
SHAPES = {"a": (3, 4), "b": (5,)}


def trained(optimizer: Any, prepare: Any = lambda optimizer, parameters: None) -> Any:
    """The parameters after each of 20 steps, and the optimizer's state after 10."""
    parameters = {
        name: ct.Parameter(np.cos(np.arange(np.prod(shape)) * 0.9).reshape(shape))
        for name, shape in SHAPES.items()
    }
    optimizer.setup(parameters)
    prepare(optimizer, parameters)
    steps: dict[str, list[np.ndarray]] = {name: [] for name in SHAPES}
    saved = {}
    for t in range(1, 21):
        if t == 15:
            rate = "lr" if hasattr(optimizer, "lr") else "alpha"
            if hasattr(optimizer, rate):
                setattr(optimizer, rate, getattr(optimizer, rate) * 0.5)
        for name, shape in SHAPES.items():
            gradient = np.sin(np.arange(np.prod(shape)) * 0.7 + t).reshape(shape)
            parameters[name].grad = gradient
        optimizer.update()
        for name, values in steps.items():
            values.append(parameters[name].array.copy())
        if t == 10:
            saved = optimizer.state_dict()
    return steps, saved


def check_steps(name: str, steps: dict[str, list[np.ndarray]]) -> None:
    for parameter, values in steps.items():
        expected = OPTIMIZERS[f"{name}/steps/{parameter}"]
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", TABLES["RULES"])
def test_rules_go_chainers_steps(name: str) -> None:
    steps, saved = trained(TABLES["RULES"][name]())
    check_steps(name, steps)
    for key, expected in part(OPTIMIZERS, f"{name}/saved/").items():
        if key.endswith("/t"):
            continue
        np.testing.assert_allclose(saved[key], expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", TABLES["HOOKS"])
def test_hooks_go_chainers_steps(name: str) -> None:
    hook = TABLES["HOOKS"][name]()
    steps, _ = trained(optim.SGD(lr=0.1), lambda optimizer, parameters: optimizer.add_hook(hook))
    check_steps(name, steps)


def test_numbers_of_one_parameter_go_chainers_steps() -> None:
    def prepare(optimizer: Any, parameters: Any) -> None:
        rule = optimizer.update_rule(parameters["b"])
        rule["alpha"] = 0.02
        rule.add_hook(optim.WeightDecay(0.3))

    steps, _ = trained(optim.Adam(), prepare)
    check_steps("own_numbers", steps)


def test_a_state_that_chainer_saved_is_loaded() -> None:
    parameters = {n: ct.Parameter(OPTIMIZERS[f"Adam/steps/{n}"][9].copy()) for n in SHAPES}
    optimizer = optim.Adam().setup(parameters)
    optimizer.load_state_dict(part(OPTIMIZERS, "Adam/saved/"))
    assert optimizer.t == 10
    for name, shape in SHAPES.items():
        parameters[name].grad = np.sin(np.arange(np.prod(shape)) * 0.7 + 11).reshape(shape)
    optimizer.update()
    for name, parameter in parameters.items():
        expected = OPTIMIZERS[f"Adam/steps/{name}"][10]
        np.testing.assert_allclose(parameter.array, expected, rtol=1e-9)
