"""Programs in files: saved by a region, called without its code."""

from __future__ import annotations

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import values


@pytest.fixture
def region():
    W = ct.Parameter(values(3, 4), name="W")

    @ct.jit
    def model(x):
        return ct.tanh(ct.linear(x, W))

    model.W = W
    with ct.no_backprop_mode():
        model(ct.Variable(values(2, 4)))
        yield model


def test_a_saved_region_is_a_program(region, tmp_path):
    region.save(tmp_path / "model.catena")
    program = ct.Program(tmp_path / "model.catena")
    x = values(2, 4, seed=3)
    expected = region(ct.Variable(x)).array
    for given in (x, ct.Variable(x), x.tolist()):
        np.testing.assert_allclose(program(given).array, expected, rtol=1e-6)
    np.testing.assert_allclose(program(x=x).array, expected, rtol=1e-6)


def test_open_sizes_are_the_callers_choice(region, tmp_path):
    region.save(
        tmp_path / "model.catena",
        input_names=["image"],
        output_names=["score"],
        open_sizes=[(0, 0, "batch")],
    )
    program = ct.Program(tmp_path / "model.catena")
    assert program.inputs[0].name == "image"
    assert program.inputs[0].sizes == ["batch", "4"]
    assert program.inputs[0].dtype == np.float32
    assert program.outputs[0].name == "score"
    assert "image float32[batch,4]" in repr(program)
    for n in (1, 2, 7):
        x = values(n, 4, seed=n)
        np.testing.assert_allclose(program(x).array, region(ct.Variable(x)).array, rtol=1e-5)


def test_open_sizes_of_ndarrays_in_a_nesting(tmp_path):
    @ct.jit
    def model(batch, scale):
        return {"y": ct.exp(batch["x"]) * scale, "n": 3}

    with ct.no_backprop_mode():
        model({"x": values(2, 4)}, scale=2.0)
    model.save(tmp_path / "model.catena", open_sizes=[(0, 0, "batch")])
    x = values(5, 4)
    np.testing.assert_allclose(
        ct.Program(tmp_path / "model.catena")(x).array, np.exp(x) * 2, rtol=1e-5
    )


def test_states_and_numbers_are_read_and_set(region, tmp_path):
    region.save(tmp_path / "model.catena")
    program = ct.Program(tmp_path / "model.catena")
    ((name, W),) = program.states.items()
    np.testing.assert_array_equal(W, region.W.array)
    program.set_state(name, W * 0)
    np.testing.assert_array_equal(program(values(2, 4)).array, np.zeros((2, 3)))
    program.save(tmp_path / "zero.catena")
    again = ct.Program(tmp_path / "zero.catena")
    np.testing.assert_array_equal(again.states[name], np.zeros((3, 4)))
    with pytest.raises(ct.ShapeError):
        program.set_state(name, np.zeros((1, 1), np.float32))
    with pytest.raises(ValueError):
        program.set_state("nothing", W)


def test_several_outputs_are_a_tuple(tmp_path):
    @ct.jit
    def model(x, y):
        return {"sum": x + y, "product": x * y}

    with ct.no_backprop_mode():
        model(ct.Variable(values(3)), ct.Variable(values(3, seed=1)))
    model.save(tmp_path / "model.catena", input_names=["x", "y"])
    x, y = values(3, seed=2), values(3, seed=3)
    first, second = ct.Program(tmp_path / "model.catena")(x, y=y)
    np.testing.assert_allclose(first.array, x + y, rtol=1e-6)
    np.testing.assert_allclose(second.array, x * y, rtol=1e-6)


def test_wrong_inputs_are_refused(region, tmp_path):
    region.save(tmp_path / "model.catena")
    program = ct.Program(tmp_path / "model.catena")
    x = values(2, 4)
    with pytest.raises(TypeError, match="misses its input 'x'"):
        program()
    with pytest.raises(TypeError, match="takes 1 inputs, 2 were given"):
        program(x, x)
    with pytest.raises(TypeError, match="has no input 'z': it has x"):
        program(z=x)
    with pytest.raises(TypeError, match="twice"):
        program(x, x=x)
    with pytest.raises(ct.ShapeError):
        program(values(2, 5))
    with pytest.raises(ct.DtypeError):
        program(np.zeros((2, 4), np.int32))


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(OSError):
        ct.Program(tmp_path / "missing.catena")
    (tmp_path / "text.catena").write_text("nothing")
    with pytest.raises(ct.FileError):
        ct.Program(tmp_path / "text.catena")


def test_a_program_can_be_inspected(region, tmp_path):
    region.save(tmp_path / "model.catena")
    program = ct.Program.open(tmp_path / "model.catena")
    program.verify()
    assert program.name == "model"
    assert any("tanh" in program.stage(stage) for stage in program.stages())
    assert program.targets
    with pytest.raises(ValueError):
        program(values(2, 4))


def test_what_cannot_be_saved_says_why(tmp_path):
    @ct.jit
    def step(x):
        return x * float(ct.sum(x))

    with pytest.raises(ValueError, match="no program yet"):
        step.save(tmp_path / "model.catena")
    step(ct.Variable(values(3)))
    with pytest.raises(ValueError, match="reads a computed value on the host"):
        step.save(tmp_path / "model.catena")
    with pytest.raises(ct.DtypeError, match="open_sizes is"):
        step.save(tmp_path / "model.catena", open_sizes=[0])
    with pytest.raises(TypeError, match="there are code_levels"):
        step.save(tmp_path / "model.catena", sizes=[])


def test_an_object_of_the_first_call_that_is_gone_is_named(tmp_path):
    class Model:
        @ct.jit
        def step(self, x):
            return x * 2

    with ct.no_backprop_mode():
        Model().step(ct.Variable(values(2)))
    Model.step.save(tmp_path / "same.catena")
    with pytest.raises(ValueError, match="exists no longer"):
        Model.step.save(tmp_path / "open.catena", open_sizes=[(0, 0, "n")])
