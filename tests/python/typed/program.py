"""A program of a user who checks types strictly: mypy reads it (test_types.py), and it runs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

import catena as ct
import numpy as np
from catena import nn, optim
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


def operators(x: ct.Variable, n: ct.Variable) -> list[ct.Variable]:
    a = np.ones((2, 3), np.float32)
    results = [x + 1, 1 + x, x - a, 2 - x, x * x, 2.0 * x, x / 2, 1 / x, x // 2, 7 // x, x % 2]
    results += [x**2, 2**x, x @ a.T, abs(x), -x, +x, ~n, n & 1, 1 | n, n ^ n, n << 1, n >> 1]
    results += [a + x, a @ x.T]
    results += [x < 1, x <= a, x > x, x >= 0, x == 1, x != a, x + np.float32(2)]
    return results


def indexing(x: ct.Variable) -> list[ct.Variable]:
    rows = np.array([0, 1])
    results = [x[0], x[-1, 2], x[:, 1:], x[..., None], x[rows], x[[0, 1]], x[x.argmax() * 0]]
    x[0] = 5
    x[:, 1] = np.zeros(2, np.float32)
    results += list(x)
    return results


def facts(x: ct.Variable) -> str:
    rows: int = x.shape[0]
    gradient: FloatArray = x.grad
    elements = x.array
    sizes = f"{rows} {x.ndim} {x.size} {x.dtype.name} {x.device} {x.name}"
    return f"{sizes} {elements.sum()} {gradient.sum()}"


def functions(x: ct.Variable) -> ct.Variable:
    total = x.sum(axis=(0, 1)) + x.mean(0).max() + ct.sum(x, axis=None, keepdims=False)
    parts = ct.split_axis(x, 3, 1)
    joined = ct.concat([parts[0], np.ones((2, 1), np.float32)], axis=1)
    dropped = ct.dropout(joined, 0.5)
    return total + ct.softmax(x.reshape(3, 2).T).sum() + dropped.sum()


class Network(nn.Module):
    def __init__(self, units: int, classes: int) -> None:
        self.l1 = nn.Linear(None, units)
        self.norm = nn.BatchNorm(units)
        self.l2 = nn.Linear(units, classes)
        self.scale = ct.Parameter(1.0, (classes,), name="scale")
        self.seen = ct.State(np.zeros((), np.int32))

    def forward(self, x: ct.Variable | FloatArray) -> ct.Variable:
        h = ct.relu(self.norm(self.l1(x)))
        return self.l2(h) * self.scale


class Cube(ct.UserFunction):
    def forward(self, x: ct.Variable) -> ct.Variable:
        return x * x * x

    def backward(self, gy: ct.Variable) -> ct.Variable:
        (x,) = self.retained_inputs()
        gradient: ct.Variable = 3 * x * x * gy
        return gradient


soft_sign = ct.elementwise(
    "typed_soft_sign",
    lambda x, *, scale=1.0: x / (scale + abs(x)),
    lambda x, y, gy, *, scale=1.0: scale * gy / (scale + abs(x)) ** 2,
)


def loss_of(model: Network, x: FloatArray, t: NDArray[np.int32]) -> ct.Variable:
    return ct.softmax_cross_entropy(model(x), t)


@ct.jit
def scaled(x: ct.Variable, factor: float = 2.0) -> ct.Variable:
    return x * factor


Lion = optim.formula_rule(
    "TypedLion",
    lambda p, g, m, *, lr=1e-4, beta1=0.9, beta2=0.99: (
        p - lr * ct.sign(beta1 * m + (1 - beta1) * g),
        beta2 * m + (1 - beta2) * g,
    ),
)


class SignMomentum(optim.UpdateRule):
    states = {"m": 0.0}  # noqa: RUF012

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__(lr=lr, momentum=momentum)
        self.updated: list[tuple[int, ...]] = []

    def init_state(self, parameter: optim.UpdatedVariable) -> dict[str, FloatArray]:
        return {"m": np.zeros(parameter.shape, np.float32)}

    def update_core(self, parameter: optim.UpdatedVariable) -> None:
        m = self.state["m"]
        m.assign(self.momentum * m + parameter.grad_var)
        parameter.assign(parameter - self.lr / self.t_var * ct.sign(m))
        self.updated.append(parameter.shape)


class Halve:
    """A hook that is called for each parameter."""

    call_for_each_param = True
    timing = "pre"

    def __call__(self, rule: optim.ParameterRule, parameter: ct.Parameter) -> None:
        if rule.enabled:
            parameter.grad = parameter.grad / 2


def own_rules(model: Network) -> tuple[float, str]:
    schedule: Callable[[float], float] = optim.schedules.warmup(
        2, optim.schedules.pieces({0: 0.1, 10: 0.01})
    )
    lion = Lion(lr=3e-4).setup(model)
    own = SignMomentum(momentum=0.5)
    own.setup(model).add_hook(Halve()).add_hook(optim.Lasso(1e-4), timing="post")
    for i in range(2):
        lion.lr = own.lr = schedule(i)
        own.loss_scaling(interval=10)
        loss = ct.mean(ct.forget(model.forward, ct.Variable(np.ones((2, 4), np.float32))) ** 2)
        model.cleargrads()
        loss.backward()
        lion.update()
        own.update()
    rules = own.update_rules(lambda path, parameter: path.endswith("/b"))
    for rule in rules:
        rule.add_hook(lambda rule, parameter: None, "nothing").add_hook(optim.WeightDecay(0.1))
        rule["lr"] = 0.5 * rule["momentum"]
        rule.use(optim.SGD(lr=0.1)).use_fp32_update()
    paths: list[str] = [rule.path for rule in rules]
    shape: tuple[int, ...] = own.updated[0]
    return lion.beta1 + len(shape) + len(own.hooks), " ".join([*paths, *rules[0].hooks])


def recomputed(x: ct.Variable) -> ct.Variable:
    def block(a: ct.Variable, factor: float = 1.0) -> tuple[ct.Variable, ct.Variable]:
        return ct.tanh(a) * factor, ct.exp(a)

    def parts(a: ct.Variable) -> list[ct.Variable]:
        return [a, a * a]

    def only_variables(a: ct.Variable, b: ct.Variable) -> ct.Variable:
        return a * b

    y, z = ct.forget(block, x, factor=2.0)
    y = y + ct.forget(ct.tanh, np.ones(3, np.float32))
    y = y + ct.forget(only_variables, np.ones(3, np.float32), x)
    return y + z + ct.forget(parts, x)[1] + ct.forget(lambda a, b: a * b, x, x)


class Trainer:
    def __init__(self, model: Network) -> None:
        self.model = model
        self.adam = optim.Adam(alpha=1e-3, amsgrad=True).setup(model)
        self.adam.add_hook(optim.WeightDecay(1e-4))
        self.adam.add_hook(lambda optimizer: None, name="nothing")

    @ct.jit(name="train", audit="always")
    def step(self, x: FloatArray, t: NDArray[np.int32]) -> tuple[ct.Variable, float]:
        loss = loss_of(self.model, x, t)
        self.model.cleargrads()
        loss.backward()
        self.adam.update()
        return loss, 1.0


def training(model: Network) -> float:
    trainer = Trainer(model)
    x, t = np.ones((8, 4), np.float32), np.zeros(8, np.int32)
    last = 0.0
    for x_batch, t_batch in ct.data.Batches(x, t, size=4):
        loss, one = trainer.step(x_batch, t_batch)
        last = loss.item() + one
    value, gradients = ct.value_and_grad(loss_of)(model, x, t)
    trainer.adam.update(gradients)
    trainer.adam.alpha = 1e-4
    trainer.adam.update_rule(model.scale)["alpha"] = 1e-5
    slope: ct.Variable = ct.grad(lambda v: v * v * v)(2.0)
    y = scaled(ct.Variable(x), factor=3.0)
    (gradient,) = ct.grad([ct.sum(y)], [y])
    statistics = trainer.step.statistics()
    return last + value.item() + slope.item() + gradient.shape[0] + statistics.calls


def files(model: Network, folder: str) -> tuple[int, ...]:
    path = os.path.join(folder, "model.npz")
    ct.save(path, {"model": model, "epoch": 3})
    values = ct.load(path, {"model": model})
    x = np.ones((2, 4), np.float32)

    @ct.jit
    def predict(x: FloatArray) -> ct.Variable:
        with ct.test_mode(), ct.no_backprop_mode():
            return ct.softmax(model(x))

    predict(x)
    predict.save(os.path.join(folder, "predict.catena"), open_sizes=[(0, 0, "batch")])
    program = ct.Program(os.path.join(folder, "predict.catena"))
    result: ct.Variable = program(x)
    ports = [port.name for port in program.inputs]
    return (*result.shape, int(values["epoch"]), len(ports))


def models(model: Network, folder: str) -> tuple[int, ...]:
    path = os.path.join(folder, "model.onnx")
    with ct.test_mode():
        ct.onnx.export(model, np.ones((2, 4), np.float32), path, open_sizes=[(0, 0, "batch")])
    loaded = ct.onnx.load(path, trainable=True)
    sizes = [parameter.size for parameter in loaded.params()]
    result: ct.Variable = loaded(np.ones((2, 4), np.float32))
    return (*result.shape, len(sizes))


def ranks(model: Network) -> tuple[float, int]:
    comm = ct.distributed.create_communicator("local")
    adam = ct.distributed.create_multi_node_optimizer(ct.optim.Adam().setup(model), comm)
    adam.alpha = 1e-3
    total: float = comm.allreduce(0.5, op="mean") + float(comm.allreduce(np.ones(2)).sum())
    shared: ct.Variable = comm.allreduce(ct.Variable([1.0, 2.0]))
    part = comm.split(0)
    ct.distributed.bcast_data(comm, model)
    return total, shared.size + (part.size if part else 0)


def main() -> None:
    ct.random.seed(1)
    x = ct.Variable(np.arange(1, 7, dtype=np.float32).reshape(2, 3), name="x")
    functions(x).backward()
    print(facts(x))
    print(len(operators(x, ct.Variable([1, 2, 3]))), len(indexing(x)))
    y = Cube()(x) + soft_sign(x, scale=2.0)
    print(y.shape, ct.config.dtype, ct.has_device("cpu"))
    model = Network(5, 3)
    print(training(model) > 0, ct.memory_in_use() > 0)
    print(own_rules(model), recomputed(x).shape, 2.0 in x)
    print(ranks(model))
    with tempfile.TemporaryDirectory() as folder, ct.using_device("cpu"):
        print(files(model, folder), models(model, folder))
    try:
        ct.Variable(1.0) @ np.ones(3)
    except ct.ShapeError as error:
        print(type(error).__name__)


if __name__ == "__main__":
    main()
