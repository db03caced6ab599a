#!/usr/bin/env python3
"""What Chainer 7.8.1's use_fp32_update does in 20 steps, written to chainer_fp32_update.npz beside this file: the float32 copies
("Adam/master") and the float16 parameters ("Adam/param") after each step. Made as chainer_optimizers.py says;
tests/frontend/masters_test.cpp repeats the formulas of the parameter and the gradients."""
import pathlib

import chainer
import numpy as np
from chainer import optimizer_hooks as hooks
from chainer import optimizers as o

SHAPE = (3, 4)


class Weights(chainer.Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            numbers = np.cos(np.arange(12) * 0.9).reshape(SHAPE)
            self.a = chainer.Parameter(numbers.astype(np.float16))


RULES = {
    "SGD": lambda: o.SGD(1e-4),
    "MomentumSGD": lambda: o.MomentumSGD(1e-4),
    "Adam": lambda: o.Adam(1e-4),
    "RMSprop": lambda: o.RMSprop(1e-4),
    "decay": lambda: o.MomentumSGD(1e-4),
}

arrays = {}
for name, make in RULES.items():
    link, optimizer = Weights(), make()
    optimizer.use_fp32_update()
    optimizer.setup(link)
    if name == "decay":
        link.a.update_rule.add_hook(hooks.WeightDecay(0.1))
    masters, params = [], []
    for t in range(1, 21):
        link.a.grad = np.sin(np.arange(12) * 0.7 + t).reshape(SHAPE).astype(np.float16)
        optimizer.update()
        masters.append(link.a.update_rule._fp32_param.array.copy())
        params.append(link.a.array.copy())
    arrays[f"{name}/master"] = np.array(masters)
    arrays[f"{name}/param"] = np.array(params)
np.savez_compressed(pathlib.Path(__file__).with_suffix(".npz"), **arrays)
