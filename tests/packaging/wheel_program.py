"""wheel_program.py compiled|eager|saved FOLDER: what a user of the wheel does first.

It trains a network and writes its prediction as a program and as an ONNX model (compiled, eager),
or runs the program that is there (saved).
"""

import sys
from pathlib import Path

import catena as ct
import numpy as np
from catena import nn, optim

WHAT, FOLDER = sys.argv[1], Path(sys.argv[2])


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    t = rng.integers(0, 3, 300).astype(np.int32)
    x = 2 * np.eye(3, 8)[t] + 0.3 * rng.normal(size=(300, 8))
    return x.astype(np.float32), t


def train() -> None:
    np.random.seed(0)
    x, t = data()
    model = nn.Sequential(nn.Linear(8, 16), ct.relu, nn.Linear(16, 3))
    adam = optim.Adam(alpha=0.01).setup(model)

    @ct.jit
    def step(x: np.ndarray, t: np.ndarray) -> ct.Variable:
        loss = ct.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        adam.update()
        return loss

    losses = [step(x, t).item() for _ in range(60)]
    assert losses[-1] < 0.2 * losses[0], losses
    compiled = step.statistics().compiled_calls
    assert (compiled > 50) == (WHAT == "compiled"), compiled

    @ct.jit
    def predict(x: np.ndarray) -> ct.Variable:
        with ct.no_backprop_mode():
            return ct.softmax(model(x))

    expected = np.asarray(predict(x).array)
    if WHAT == "compiled":
        predict.save(str(FOLDER / "predict.catena"), open_sizes=[(0, 0, "batch")])
        np.save(FOLDER / "expected.npy", expected)
    ct.onnx.export(predict, x, str(FOLDER / "predict.onnx"))
    np.testing.assert_allclose(ct.onnx.load(str(FOLDER / "predict.onnx"))(x).array, expected, 1e-5)


def run_saved() -> None:
    x, _ = data()
    expected = np.load(FOLDER / "expected.npy")
    program = ct.Program(str(FOLDER / "predict.catena"))
    np.testing.assert_allclose(program(x).array, expected, rtol=1e-5)
    np.testing.assert_allclose(program(x[:7]).array, expected[:7], rtol=1e-5)


if WHAT == "saved":
    run_saved()
else:
    train()
