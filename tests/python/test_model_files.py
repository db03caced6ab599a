"""ONNX and Caffe models as functions, and functions as such models."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import values

data = pathlib.Path(__file__).parent.parent / "caffe" / "data"


@pytest.fixture
def onnx():
    return pytest.importorskip("catena.onnx", reason="built without ONNX")


@pytest.fixture
def caffe():
    return pytest.importorskip("catena.caffe", reason="built without Caffe")


class Model:
    def __init__(self):
        self.W = ct.Parameter(values(3, 4), name="W")
        self.b = ct.Parameter(values(3, seed=1), name="b")

    def __call__(self, x):
        return ct.tanh(ct.linear(x, self.W, self.b))


@pytest.fixture
def onnx_file(onnx, tmp_path):
    model = Model()
    onnx.export(
        model,
        values(2, 4),
        tmp_path / "model.onnx",
        input_names=["image"],
        open_sizes=[(0, 0, "batch")],
    )
    return model, tmp_path / "model.onnx"


def test_an_exported_function_is_loaded_as_a_function(onnx, onnx_file):
    model, path = onnx_file
    loaded = onnx.load(path)
    assert [port.name for port in loaded.inputs] == ["image"]
    assert loaded.inputs[0].shape == ["batch", "4"]
    for n in (1, 5):
        x = values(n, 4, seed=n)
        expected = model(ct.Variable(x)).array
        np.testing.assert_allclose(loaded(x).array, expected, rtol=1e-5)
        np.testing.assert_allclose(loaded(image=x).array, expected, rtol=1e-5)


def test_a_loaded_model_compiles_and_has_gradients(onnx, onnx_file):
    model, path = onnx_file
    loaded = onnx.load(path, trainable=True)
    step = ct.jit(loaded)
    gradients = []
    for f in (model, loaded, step):
        x = ct.Variable(values(2, 4))
        for p in (model.W, model.b, *loaded.params()):
            p.cleargrad()
        ct.sum(f(x)).backward()
        gradients.append(x.grad)
    for gradient in gradients[1:]:
        np.testing.assert_allclose(gradient, gradients[0], rtol=1e-5)
    names = dict(loaded.namedparams())
    assert len(names) == 2
    assert all(isinstance(p, ct.Parameter) and p.grad is not None for p in names.values())


def test_parameters_of_a_loaded_model_are_the_models_own(onnx, onnx_file):
    _, path = onnx_file
    loaded = onnx.load(path, trainable=True)
    for parameter in loaded.params():
        parameter.array = np.zeros_like(parameter.array)
    np.testing.assert_array_equal(loaded(values(2, 4)).array, np.zeros((2, 3)))


def test_wrong_inputs_of_a_loaded_model_are_refused(onnx, onnx_file):
    _, path = onnx_file
    loaded = onnx.load(path)
    x = values(2, 4)
    with pytest.raises(TypeError, match="'other' and has none"):
        loaded(other=x)
    with pytest.raises(TypeError, match="'image' twice"):
        loaded(x, image=x)
    with pytest.raises(ValueError):
        loaded(values(2, 5))


def test_files_that_are_no_models_are_refused(onnx, tmp_path):
    (tmp_path / "text.onnx").write_text("nothing")
    for name in ("text.onnx", "missing.onnx"):
        with pytest.raises(OSError):
            onnx.load(tmp_path / name)


def test_a_region_and_several_results_are_exported(onnx, tmp_path):
    @ct.jit
    def f(x, y):
        return {"sum": x + y, "rest": [x * y]}

    onnx.export(f, [values(3), values(3)], tmp_path / "f.onnx")
    first, second = onnx.load(tmp_path / "f.onnx")(values(3), values(3, seed=1))
    np.testing.assert_allclose(first.array, values(3) + values(3, seed=1), rtol=1e-6)
    np.testing.assert_allclose(second.array, values(3) * values(3, seed=1), rtol=1e-6)


def test_exceptions_of_an_exported_function_pass(onnx, tmp_path):
    def f(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        onnx.export(f, values(3), tmp_path / "f.onnx")


@pytest.mark.parametrize("file", ["new_format.caffemodel", "old_format.caffemodel"])
def test_a_caffe_network_is_a_function(caffe, file):
    network = caffe.load(data / file)
    assert network.layers
    assert network.inputs
    assert all(isinstance(p, ct.Parameter) for _, p in network.namedparams())


def test_an_exported_caffe_network_computes_the_same(caffe, tmp_path):
    W = ct.Parameter(values(5, 3, 3, 3), name="W")

    def model(x):
        return ct.relu(ct.convolution_2d(x, W))

    caffe.export(model, values(2, 3, 8, 8), tmp_path, file_name="net")
    network = caffe.load(tmp_path / "net.caffemodel")
    x = values(2, 3, 8, 8, seed=4)
    expected = model(ct.Variable(x)).array
    np.testing.assert_allclose(network(x).array, expected, rtol=1e-4, atol=1e-5)
    (named,) = network({network.inputs[0]: x}, outputs=[network.layers[-1].top[0]])
    np.testing.assert_allclose(named.array, expected, rtol=1e-4, atol=1e-5)
    compiled = ct.jit(network)
    for _ in range(2):
        np.testing.assert_allclose(compiled(x).array, expected, rtol=1e-4, atol=1e-5)


def test_importing_catena_loads_no_format():
    code = (
        "import catena, sys; "
        "assert not any(m in sys.modules for m in ('catena._onnx', 'catena._caffe')); "
        "assert 'protobuf' not in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
