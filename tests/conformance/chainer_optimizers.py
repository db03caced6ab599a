#!/usr/bin/env python3
"""What Chainer 7.8.1's optimizers do in 20 steps, written to chainer_optimizers.npz beside this file.

    python3 -m venv chainer
    chainer/bin/pip install 'setuptools<60' wheel numpy==1.23.5
    chainer/bin/pip install --no-build-isolation chainer==7.8.1
    chainer/bin/python tests/conformance/chainer_optimizers.py

tests/frontend/optimizer_rules_test.cpp repeats the formulas of parameters and gradients and holds its own optimizers against
the parameters after each step ("AdaGrad/steps/a") and, of rules, the optimizer that Chainer saved after step 10 ("AdaGrad/saved/a/h")."""
import io
import pathlib

import chainer
import numpy as np
from chainer import optimizer_hooks as hooks
from chainer import optimizers as o

SHAPES = {"a": (3, 4), "b": (5,)}


class Weights(chainer.Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            for name, shape in SHAPES.items():
                numbers = np.cos(np.arange(np.prod(shape)) * 0.9).reshape(shape)
                setattr(self, name, chainer.Parameter(numbers.astype(np.float64)))


def gradient(shape, step):
    return np.sin(np.arange(np.prod(shape)) * 0.7 + step).reshape(shape)


RULES = {
    "SGD": lambda: o.SGD(),
    "MomentumSGD": lambda: o.MomentumSGD(),
    "CorrectedMomentumSGD": lambda: o.CorrectedMomentumSGD(),
    "NesterovAG": lambda: o.NesterovAG(),
    "NesterovAG_set": lambda: o.NesterovAG(lr=0.05, momentum=0.7),
    "RMSprop": lambda: o.RMSprop(),
    "RMSprop_inside": lambda: o.RMSprop(lr=0.02, alpha=0.9, eps=1e-3, eps_inside_sqrt=True),
    "RMSpropGraves": lambda: o.RMSpropGraves(),
    "RMSpropGraves_set": lambda: o.RMSpropGraves(lr=0.01, alpha=0.8, momentum=0.5, eps=1e-2),
    "AdaGrad": lambda: o.AdaGrad(),
    "AdaDelta": lambda: o.AdaDelta(),
    "MSVAG": lambda: o.MSVAG(),
    "MSVAG_decay": lambda: o.MSVAG(lr=0.05, beta=0.8, eta=0.5, weight_decay_rate=0.1),
    "SMORMS3": lambda: o.SMORMS3(),
    "SMORMS3_set": lambda: o.SMORMS3(lr=0.3, eps=1e-3),
    "Adam": lambda: o.Adam(),
    "AdamW": lambda: o.AdamW(alpha=0.01, eta=0.5, weight_decay_rate=0.1),
    "AMSGrad": lambda: o.AMSGrad(alpha=0.01, beta2=0.6),
    "AdaBound": lambda: o.AdaBound(alpha=0.01, final_lr=0.05, gamma=0.3),
    "AMSBound": lambda: o.AMSBound(alpha=0.01, beta2=0.6, final_lr=0.05, gamma=0.3),
}
HOOKS = {
    "WeightDecay": lambda: hooks.WeightDecay(0.1),
    "Lasso": lambda: hooks.Lasso(0.1),
    "GradientClipping": lambda: hooks.GradientClipping(1.5),
    "GradientHardClipping": lambda: hooks.GradientHardClipping(-0.3, 0.5),
    "GradientLARS": lambda: hooks.GradientLARS(),
    "GradientLARS_set": lambda: hooks.GradientLARS(threshold=2.0, weight_decay=0.1, eps=0.5),
}


def change_rate(optimizer, factor):
    """Learning rates change in the middle of the steps."""
    for name in ("lr", "alpha"):
        if hasattr(optimizer.hyperparam, name) and not (name == "alpha" and hasattr(optimizer.hyperparam, "lr")):
            setattr(optimizer.hyperparam, name, getattr(optimizer.hyperparam, name) * factor)
            return


def run(optimizer, prepare=lambda link, optimizer: None):
    link = Weights()
    optimizer.setup(link)
    prepare(link, optimizer)
    steps = {name: [] for name in SHAPES}
    saved = {}
    for t in range(1, 21):
        if t == 15:
            change_rate(optimizer, 0.5)
        for name, param in link.namedparams():
            param.grad = gradient(param.shape, t)
        optimizer.update()
        for name in SHAPES:
            steps[name].append(getattr(link, name).array.copy())
        if t == 10:
            file = io.BytesIO()
            chainer.serializers.save_npz(file, optimizer)
            file.seek(0)
            saved = dict(np.load(file, allow_pickle=True))
    return steps, saved


def prepare_own_numbers(link, optimizer):
    link.b.update_rule.hyperparam.alpha = 0.02
    link.b.update_rule.add_hook(hooks.WeightDecay(0.3))


chainer.global_config.dtype = np.float64
arrays = {}
for case, make in RULES.items():
    steps, saved = run(make())
    arrays.update({f"{case}/steps/{name}": np.array(values) for name, values in steps.items()})
    arrays.update({f"{case}/saved/{key}": value for key, value in saved.items()})
for case, make in HOOKS.items():
    steps, _ = run(o.SGD(lr=0.1), lambda link, optimizer: optimizer.add_hook(make()))
    arrays.update({f"{case}/steps/{name}": np.array(values) for name, values in steps.items()})
steps, _ = run(o.Adam(), prepare_own_numbers)
arrays.update({f"own_numbers/steps/{name}": np.array(values) for name, values in steps.items()})
np.savez_compressed(pathlib.Path(__file__).with_suffix(".npz"), **arrays)
