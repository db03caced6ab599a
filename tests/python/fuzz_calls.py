"""The calls that test_fuzz_arguments.py draws: every function of the registry, and everything else
that the package offers, as texts of Python with holes for arguments."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import catena as ct
import fuzz_values
import numpy as np
from catena import nn, optim
from fuzz_values import ARRAYS, COMMON, FOLDER, LISTS, TEXTS, THEMES, VALUES, WRONG

#: Right values by the letter that stands for them in a hole.
KINDS = {"a": ARRAYS, "l": LISTS, "x": VALUES, "t": TEXTS}


@dataclass(frozen=True)
class Call:
    """A text with a hole for each value."""

    name: str
    template: str
    kinds: str
    values: tuple[str, ...]

    def text(self) -> str:
        parts = self.template.split("{}")
        values = [v if v.isidentifier() else f"({v})" for v in self.values]
        return "".join(p + v for p, v in zip(parts, (*values, ""), strict=True))


class Cube(ct.UserFunction):
    def forward(self, *xs: Any) -> Any:
        return FORWARD(*xs)

    def backward(self, *gys: Any) -> Any:
        return BACKWARD(*gys)


FORWARD: Any = None
BACKWARD: Any = None


def user_function(xs: Any, y: Any, gx: Any) -> Any:
    """A call of a user's function that gives y, and gx for backward."""
    global FORWARD, BACKWARD
    FORWARD, BACKWARD = (lambda *_: y), (lambda *_: gx)
    result = Cube()(*xs)
    ct.sum(result).backward()
    return result


def retaining(inputs: Any, outputs: Any) -> Any:
    class Retaining(ct.UserFunction):
        def forward(self, x: Any) -> Any:
            self.retain_inputs(*inputs)
            self.retain_outputs(*outputs)
            return x * 2

        def backward(self, gy: Any) -> Any:
            return gy * len(self.retained_inputs()) * len(self.retained_outputs())

    y = Retaining()(fuzz_values.v())
    ct.sum(y).backward()
    return y


def net() -> Any:
    return nn.Sequential(nn.Linear(3, 4), ct.relu, nn.Linear(4, 2))


def trained(rule: Any = optim.SGD) -> Any:
    model = net()
    ct.sum(model(fuzz_values.a())).backward()
    return rule().setup(model)


@ct.jit
def region(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


@ct.jit(audit="sampled")
def skipping(*args: Any, **kwargs: Any) -> Any:
    return [x * 2 for x in args if isinstance(x, ct.Variable)]


@ct.jit
def returning(result: Any) -> Any:
    ct.exp(fuzz_values.a())
    return result


@ct.jit
def called(x: Any) -> Any:
    return ct.exp(x) + 1


soft = ct.elementwise(
    "fuzz_soft",
    lambda x, z, *, s=1.0: x * s + z,
    [lambda x, z, y, gy, *, s=1.0: s * gy, lambda x, z, y, gy, *, s=1.0: gy],
)
PROGRAM = os.path.join(FOLDER, "program.catena")
NPZ = os.path.join(FOLDER, "file.npz")


def make_files() -> None:
    called(fuzz_values.a())
    called.save(PROGRAM)
    ct.save(NPZ, {"model": net(), "n": 3, "t": "text", "none": None})


def program() -> Any:
    return ct.Program(PROGRAM)


OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]
OPERATORS += ["<", "<=", "==", "!=", ">", ">="]
UNARY = ["-{}", "+{}", "~{}", "abs({})", "float({})", "int({})", "bool({})", "len({})", "list({})"]
UNARY += ["hash({})", "repr({})", "str({})", "format({})", "operator.index({})", "copy.copy({})"]
UNARY += ["copy.deepcopy({})", "pickle.loads(pickle.dumps({}))", "np.asarray({})", "round({})"]
UNARY += ["complex({})", "reversed({})", "iter({})", "np.from_dlpack({})", "{}.__dlpack__()"]


def of_variables() -> list[tuple[str, str, str]]:
    found = [(f"operator {o}", f"v() {o} {{}}", "a") for o in OPERATORS]
    found += [(f"operator {o} reflected", f"{{}} {o} v()", "a") for o in OPERATORS]
    found += [(f"{u} of a Variable", u, "a") for u in UNARY]
    found += [
        ("pow of three", "pow(v(), {}, {})", "ax"),
        ("x[i]", "v()[{}]", "x"),
        ("x[i, j]", "v((2, 3, 4))[{}, {}]", "xx"),
        ("x[i] = y", "v().__setitem__({}, {})", "xa"),
        ("del x[i]", "v().__delitem__({})", "x"),
        ("in", "{} in v()", "a"),
        ("format with a text", "format(v(()), {})", "t"),
        ("Variable", "ct.Variable({}, name={}, grad={}, requires_grad={})", "atax"),
        ("Variable of one", "ct.Variable({})", "a"),
        ("subclass of Variable", "Mine({})", "a"),
        ("Parameter", "ct.Parameter({}, {}, {})", "axt"),
        ("State", "ct.State({}, {})", "at"),
        ("Parameter.initialize", "ct.Parameter().initialize({})", "x"),
        ("Parameter with an initializer", "ct.Parameter({}, {})", "xx"),
        ("State.assign", "ct.State(a()).assign({})", "a"),
        ("State._set_content", "ct.State(a())._set_content({})", "a"),
        ("isinstance", "isinstance({}, ct.Variable)", "a"),
    ]
    for kind in ("v()", "ct.Parameter(a())", "ct.State(a())"):
        for name in dir(eval(kind, namespace())):
            if name.startswith("_"):
                continue
            member = getattr(type(eval(kind, namespace())), name, None)
            if callable(member):
                for count in range(3):
                    holes = ", ".join(["{}"] * count)
                    found.append((f"{kind}.{name}", f"{kind}.{name}({holes})", "x" * count))
            else:
                found.append((f"{kind}.{name}", f"{kind}.{name}", ""))
                found.append((f"{kind}.{name} =", f"setattr({kind}, '{name}', {{}})", "a"))
    return found


def of_optimizers() -> list[tuple[str, str, str]]:
    found = []
    for name, rule in vars(optim).items():
        if not isinstance(rule, type) or rule is optim.Optimizer:
            continue
        found.append((f"optim.{name}", f"optim.{name}({{}})", "x"))
        found.append((f"optim.{name} **", f"optim.{name}(**{{{{}}: {{}}}})", "tx"))
        if issubclass(rule, optim.Optimizer):
            for number in rule().hyperparameters:
                found.append(
                    (f"{name}.{number} =", f"setattr(optim.{name}(), '{number}', {{}})", "x")
                )
    for method in ("setup", "add_params", "update", "backward", "add_hook", "remove_hook"):
        found.append((f"Optimizer.{method}", f"trained().{method}({{}})", "a"))
    for method in (
        "loss_scaling",
        "use_fp32_update",
        "use_cleargrads",
        "new_epoch",
        "load_state_dict",
    ):
        found.append((f"Optimizer.{method}", f"trained().{method}({{}})", "x"))
    for attribute in ("t", "epoch", "loss_scale", "use_auto_new_epoch", "alpha", "target"):
        found.append((f"Optimizer.{attribute} =", f"setattr(trained(), '{attribute}', {{}})", "x"))
    one = "optim.Adam().setup({'w': P}).update_rule(P)"
    return [
        *found,
        ("Optimizer.update of a function", "trained().update({}, {})", "xa"),
        ("Optimizer.update of gradients", "trained().update({{}: {}})", "ta"),
        ("Optimizer.add_hook named", "trained().add_hook(lambda o: {}, name={}, timing={})", "xtt"),
        ("Optimizer.add_hook runs", "trained().add_hook({}, name={})", "xt"),
        ("Optimizer.update_rule", "trained().update_rule({})", "a"),
        ("ParameterRule[]", f"{one}[{{}}]", "t"),
        ("ParameterRule[] =", f"{one}.__setitem__({{}}, {{}})", "tx"),
        ("ParameterRule.use", f"{one}.use({{}})", "x"),
        ("ParameterRule.add_hook", f"{one}.add_hook({{}}, {{}})", "xt"),
        ("ParameterRule.state", f"{one}.state({{}})", "t"),
        ("ParameterRule.enabled", f"setattr({one}, 'enabled', {{}})", "x"),
    ]


def of_regions() -> list[tuple[str, str, str]]:
    options = ("name", "audit", "compile_mode", "keep_grads", "breaks", "verify", "cache_bytes")
    found = [
        (f"jit({o})", f"ct.jit(lambda x: x, {o}={{}})", "x") for o in (*options, "memory_budget")
    ]
    saves = (
        "input_names",
        "output_names",
        "open_sizes",
        "code_levels",
        "cuda_architectures",
        "stages",
    )
    found += [(f"save({o})", f"called.save(PROGRAM + '2', {o}={{}})", "x") for o in saves]
    return [
        *found,
        ("jit", "ct.jit({})", "x"),
        ("jit **", "ct.jit(**{{}: {}})", "tx"),
        ("StaticGraph", "ct.StaticGraph({}, **{{}: {}})", "xtx"),
        ("region", "region({})", "a"),
        ("region named", "region({}, k={})", "aa"),
        ("region **", "region(**{{}: {}})", "ta"),
        ("skipping region", "skipping({}, {})", "ax"),
        ("region's result", "returning({})", "a"),
        ("region computes", "called({})", "a"),
        ("region.save", "called.save({})", "t"),
        ("region.save_html", "called.save_html({})", "t"),
        ("region.explain", "called.explain({})", "x"),
        ("region attribute", "setattr(ct.jit(lambda x: x), {}, {})", "tx"),
        ("Program", "ct.Program({}, device={})", "tt"),
        ("Program.open", "ct.Program.open({})", "t"),
        ("Program call", "program()({})", "a"),
        ("Program call of two", "program()({}, {})", "aa"),
        ("Program named", "program()(**{{}: {}})", "ta"),
        ("Program.set_state", "program().set_state({}, {})", "ta"),
        ("Program.set_number", "program().set_number({}, {})", "tx"),
        ("Program.stage", "program().stage({})", "t"),
        ("Program.save", "program().save({})", "t"),
    ]


def of_the_rest() -> list[tuple[str, str, str]]:
    settings = [n for n in dir(ct.config) if not n.startswith("_")]
    found = [(f"config.{n} =", f"setattr(ct.config, '{n}', {{}})", "x") for n in settings]
    layers = [n for n in nn.__all__ if n not in ("Module", "Sequential")]
    found += [(f"nn.{n}", f"nn.{n}({{}})", "x") for n in layers]
    found += [(f"nn.{n} of two", f"nn.{n}({{}}, {{}})", "xx") for n in layers]
    found += [(f"nn.{n} of three", f"nn.{n}({{}}, {{}}, {{}})", "xxx") for n in layers]
    fills = [n for n in ct.initializers.__all__ if n not in ("Initializer", "get", "generate")]
    found += [(f"initializers.{n}", f"ct.initializers.{n}({{}})({{}})", "xa") for n in fills]
    return [
        *found,
        ("UserFunction", "user_function({}, {}, {})", "laa"),
        ("UserFunction retains", "retaining({}, {})", "xx"),
        ("UserFunction.apply", "Cube.apply({})", "a"),
        ("elementwise call", "soft({}, {}, s={})", "aax"),
        ("elementwise", "ct.elementwise({}, {}, {})", "txx"),
        ("elementwise of a result", "ct.elementwise('f', lambda x: {})", "x"),
        ("elementwise of a symbol", "ct.elementwise('f', lambda x: x + {})", "x"),
        ("elementwise of a function", "ct.elementwise('f', lambda x: ct.maximum(x, {}))", "x"),
        ("elementwise gradient", "ct.elementwise('f', lambda x: x, {})", "x"),
        ("elementwise number", "ct.elementwise('f', lambda x, *, s={}: x * s)", "x"),
        ("grad", "ct.grad({}, {}, {}, {})", "aaaa"),
        ("grad of Variables", "ct.grad([(X * X)], [X], {}, loss_scale={})", "lx"),
        ("grad of a function", "ct.grad(lambda x: ct.sum(x), {}, {})({})", "xxa"),
        ("value_and_grad", "ct.value_and_grad(lambda x: {}, {})({})", "axa"),
        ("value_and_grad of nothing", "ct.value_and_grad({}, {}, {})", "xxx"),
        ("backward", "ct.backward({}, {}, {})", "aax"),
        ("Variable.backward", "ct.sum(v()).backward({}, {}, {})", "xxx"),
        ("save", "ct.save({}, {})", "ta"),
        ("save npz", "ct.save(NPZ + '.npz', {{}: {}})", "ta"),
        ("save hdf5", "ct.save(NPZ + '.h5', {{}: {}})", "ta"),
        ("save safetensors", "ct.save(NPZ + '.safetensors', {{}: {}})", "ta"),
        ("save compressed", "ct.save(NPZ + '.npz', {'a': {}}, compression={})", "ax"),
        ("load", "ct.load({}, {})", "tx"),
        ("load into", "ct.load(NPZ, {}, strict={})", "xx"),
        ("load_state_dict", "net().load_state_dict({{}: {}}, {})", "tax"),
        (
            "load_state_dict of all",
            "net().load_state_dict(dict.fromkeys(net().state_dict(), {}))",
            "a",
        ),
        ("using_device", "ct.using_device({}).__enter__()", "t"),
        ("using_device exit", "ct.using_device('cpu').__exit__({}, {}, {})", "xxx"),
        ("has_device", "ct.has_device({})", "t"),
        ("using_config", "ct.using_config({}, {}).__enter__()", "tx"),
        ("random.seed", "ct.random.seed({})", "x"),
        ("random.set_state", "ct.random.set_state({})", "x"),
        ("Module.to", "net().to({})", "t"),
        ("Module call", "net()({})", "a"),
        ("Sequential", "nn.Sequential({})({})", "xa"),
        ("Batches", "list(ct.data.Batches({}, size={}, seed={}))", "axx"),
        ("initializers.get", "ct.initializers.get({})", "x"),
        ("onnx.load", "ct.onnx.load({}, {})", "tx"),
        ("onnx.load_tensor", "ct.onnx.load_tensor({})", "t"),
        ("onnx.export", "ct.onnx.export({}, {}, NPZ + '.onnx', opset={})", "xax"),
        ("onnx.export opens", "ct.onnx.export(ct.relu, a(), NPZ + '.onnx', open_sizes={})", "x"),
        ("caffe.load", "ct.caffe.load({}, {})", "tt"),
        ("np.ufunc", "np.add({}, v(), out={})", "aa"),
        ("np function", "np.concatenate([v(), {}], {})", "ax"),
        ("np where", "np.where(v() > 0.5, {}, v())", "a"),
    ]


_namespace: dict[str, Any] = {}


def namespace() -> dict[str, Any]:
    """What texts may name."""
    if not _namespace:
        import copy
        import operator
        import pickle

        _namespace.update({k: w for k, w in vars(fuzz_values).items() if not k.startswith("_")})
        _namespace.update({k: w for k, w in globals().items() if not k.startswith("_")})
        _namespace.update(copy=copy, operator=operator, pickle=pickle, np=np)
        _namespace.update(P=ct.Parameter(fuzz_values.a()), X=fuzz_values.v())
    return _namespace


def other_targets() -> list[tuple[str, str, str]]:
    return [*of_variables(), *of_optimizers(), *of_regions(), *of_the_rest()]


def registered() -> list[Any]:
    return [f for f in vars(ct.functions).values() if isinstance(f, ct.Function)]


def target_of(function: Any, rng: random.Random, full: bool) -> tuple[str, str, str]:
    """Its call with some of the optional arguments; by position without `full` where it can be."""
    holes, kinds = [], ""
    by_name = rng.random() < 0.3 and not any(p[2] for p in function.parameters)
    for name, kind, variadic, keyword_only, has_default, _ in function.parameters:
        if has_default and not full and rng.random() < 0.6:
            by_name = True  # What follows is given by name: nothing variadic does.
            continue
        hole = f"{name}={{}}" if (by_name or keyword_only) and not variadic else "{}"
        holes.append(hole)
        kinds += {"array": "a", "arrays": "l", "value": "x"}[kind] if not variadic else "a"
    return function.__name__, f"ct.{function.__name__}({', '.join(holes)})", kinds


def draw(rng: random.Random, target: tuple[str, str, str], wrong: float) -> Call:
    """The target with values, each of which is a wrong one with probability `wrong`."""
    name, template, kinds = target
    pools = KINDS if rng.random() < 0.2 else {**KINDS, "a": rng.choice(THEMES), "x": COMMON}
    values = tuple(rng.choice(WRONG if rng.random() < wrong else pools[kind]) for kind in kinds)
    return Call(name, template, kinds, values)


def simpler(call: Call) -> Sequence[Call]:
    """The same call with one value replaced by a plainer one."""
    plain = {"a": "v()", "l": "[a(), a()]", "x": "1", "t": "'name'"}
    found = []
    for i, (kind, value) in enumerate(zip(call.kinds, call.values, strict=True)):
        for other in (plain[kind], "None"):
            if value != other and value not in plain.values():
                values = (*call.values[:i], other, *call.values[i + 1 :])
                found.append(Call(call.name, call.template, call.kinds, values))
    return found
