"""Modules: what belongs to them, and what each layer computes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn


class MLP(nn.Module):
    def __init__(self, units: int | None = 3) -> None:
        self.l1 = nn.Linear(units, 4)
        self.l2 = nn.Linear(4, 2)
        self.activation = ct.relu

    def forward(self, x: Any) -> ct.Variable:
        return self.l2(self.activation(self.l1(x)))


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


@pytest.fixture(autouse=True)
def _same_weights() -> None:
    np.random.seed(0)


def test_parameters_are_found_by_attribute_in_order() -> None:
    model = MLP()
    assert [path for path, _ in model.named_parameters()] == [
        "l1/W",
        "l1/b",
        "l2/W",
        "l2/b",
    ]
    assert model.count_parameters() == 3 * 4 + 4 + 4 * 2 + 2
    assert model.l1.W.name == "W"


def test_members_of_lists_and_dicts_belong_to_a_module() -> None:
    model = nn.Module()
    model.blocks = [nn.Linear(2, 2), (nn.Linear(2, 2, bias=False),)]
    model.heads = {"a": nn.Linear(2, 1), "scale": ct.Parameter(np.ones(3, np.float32))}
    model.number = 3
    assert [path for path, _ in model.named_parameters()] == [
        "blocks/0/W",
        "blocks/0/b",
        "blocks/1/0/W",
        "heads/a/W",
        "heads/a/b",
        "heads/scale",
    ]


def test_a_module_that_has_two_places_is_listed_once() -> None:
    model = nn.Module()
    model.first = nn.Linear(2, 2)
    model.second = model.first
    model.itself = [model]
    assert [path for path, _ in model.named_parameters()] == ["first/W", "first/b"]
    assert [path for path, _ in model.named_modules()] == ["", "first"]


def test_modules_may_get_attributes_while_they_are_listed() -> None:
    model = MLP()
    for path, module in model.named_modules():
        module.path = path
    for path, parameter in model.named_parameters():
        model.last = (path, parameter)
    assert (model.path, model.l2.path, model.last[0]) == ("", "l2", "l2/b")


def test_replaced_and_deleted_attributes_do_not_belong_any_more() -> None:
    model = MLP()
    model.l1 = nn.Linear(3, 4, bias=False)
    del model.l2
    assert [path for path, _ in model.named_parameters()] == ["l1/W"]


def test_a_module_without_forward_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Module has no method forward"):
        nn.Module()(1)


def test_linear_is_a_product_and_a_bias() -> None:
    layer = nn.Linear(3, 2)
    x = drawn(5, 3)
    expected = x @ layer.W.array.T + layer.b.array
    np.testing.assert_allclose(layer(x).array, expected, rtol=1e-5, atol=1e-6)


def test_sizes_that_are_left_out_come_from_the_first_input() -> None:
    for layer in (nn.Linear(None, 2), nn.Linear(2)):
        assert not layer.W.is_initialized
        assert repr(layer) == "Linear(None, 2)"
        assert layer(drawn(4, 3, 5)).shape == (4, 2)
        assert layer.W.shape == (2, 15)
    convolution = nn.Conv2d(None, 4, 3)
    assert convolution(drawn(2, 3, 8, 8)).shape == (2, 4, 6, 6)
    assert repr(convolution) == "Conv2d(3, 4, (3, 3))"


def test_weights_are_drawn_from_numpy() -> None:
    np.random.seed(7)
    layer = nn.Linear(3, 2)
    np.random.seed(7)
    expected = np.random.normal(0.0, np.sqrt(1 / 3), (2, 3)).astype(np.float32)
    np.testing.assert_array_equal(layer.W.array, expected)
    np.testing.assert_array_equal(layer.b.array, np.zeros(2))


def test_an_initializer_is_a_number_an_array_or_a_function() -> None:
    W = drawn(2, 3)
    np.testing.assert_array_equal(nn.Linear(3, 2, initial_W=0.5).W.array, np.full((2, 3), 0.5))
    np.testing.assert_array_equal(nn.Linear(3, 2, initial_W=ct.initializers.Constant(W)).W.array, W)

    def ones(array: np.ndarray) -> None:
        array[...] = 1

    np.testing.assert_array_equal(nn.Linear(3, 2, initial_W=ones).W.array, np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"has shape \(2, 3\), the parameter \(3, 2\)"):
        nn.Linear(2, 3, initial_W=ct.initializers.Constant(W))


@pytest.mark.parametrize(
    ("name", "deviation"),
    [
        ("LeCunNormal", np.sqrt(1 / 600)),
        ("LeCunUniform", np.sqrt(1 / 600)),
        ("GlorotNormal", np.sqrt(2 / 1000)),
        ("GlorotUniform", np.sqrt(2 / 1000)),
        ("HeNormal", np.sqrt(2 / 600)),
        ("HeUniform", np.sqrt(2 / 600)),
        ("Normal", 0.05),
        ("Uniform", 0.05 / np.sqrt(3)),
    ],
)
def test_initializers_have_the_deviation_of_their_papers(name: str, deviation: float) -> None:
    array = np.empty((400, 600), np.float32)
    getattr(ct.initializers, name)()(array)
    assert abs(array.mean()) < 0.01 * deviation * 10
    assert array.std() == pytest.approx(deviation, rel=0.01)


def test_an_orthogonal_matrix_has_orthonormal_rows_or_columns() -> None:
    for shape in ((3, 8), (8, 3), (4, 2, 3)):
        array = np.empty(shape)
        ct.initializers.Orthogonal(scale=2.0)(array)
        flat = array.reshape(len(array), -1) / 2
        gram = flat @ flat.T if len(flat) <= flat.shape[1] else flat.T @ flat
        np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-12)
    with pytest.raises(ValueError, match="mode 'projection' does not fit 8 x 3"):
        ct.initializers.Orthogonal(mode="projection")(np.empty((8, 3)))


def test_a_convolution_is_that_of_its_function() -> None:
    x = drawn(2, 4, 7, 7)
    layer = nn.Conv2d(4, 6, 3, stride=2, pad=1, groups=2)
    assert layer.W.shape == (6, 2, 3, 3)
    expected = ct.convolution_2d(x, layer.W, layer.b, 2, 1, groups=2)
    np.testing.assert_allclose(layer(x).array, expected.array, rtol=1e-5, atol=1e-6)
    assert nn.Conv1d(4, 5, 2)(drawn(2, 4, 9)).shape == (2, 5, 8)
    assert nn.Conv3d(4, 5, 2)(drawn(2, 4, 5, 5, 5)).shape == (2, 5, 4, 4, 4)


def test_a_transposed_convolution_goes_back_to_the_size_of_the_picture() -> None:
    down, up = nn.Conv2d(3, 5, 4, 2, 1), nn.Deconv2d(5, 3, 4, 2, 1)
    x = drawn(2, 3, 8, 8)
    assert up(down(x)).shape == x.shape
    assert nn.Deconv2d(5, 3, 3, 2, 1, outsize=(8, 8))(down(x)).shape == x.shape
    assert nn.Deconv1d(None, 3, 4, 2, 1)(drawn(2, 5, 4)).shape == (2, 3, 8)


def test_sizes_that_cannot_be_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="Linear: out_size should be positive, it is 0"):
        nn.Linear(3, 0)
    with pytest.raises(ValueError, match="out_channels should be a multiple of groups"):
        nn.Conv2d(4, 5, 3, groups=2)
    with pytest.raises(ValueError, match="ksize should be a number or 2 of them"):
        nn.Conv2d(4, 5, (3, 3, 3))
    with pytest.raises(ValueError, match="Dropout: ratio should be in"):
        nn.Dropout(1.0)


def test_batch_norm_follows_the_batch_in_training_and_its_averages_otherwise() -> None:
    layer = nn.BatchNorm(decay=0.5)
    x = drawn(16, 3, 4) * 2 + 1
    y = layer(x).array
    np.testing.assert_allclose(y.mean((0, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(y.std((0, 2)), 1, atol=1e-4)
    mean, var = x.mean((0, 2)), x.var((0, 2), ddof=1)
    np.testing.assert_allclose(layer.avg_mean.array, 0.5 * mean, rtol=1e-5)
    np.testing.assert_allclose(layer.avg_var.array, 0.5 + 0.5 * var, rtol=1e-5)
    before = layer.avg_mean.array.copy()
    with ct.test_mode():
        fixed = layer(x).array
    np.testing.assert_array_equal(layer.avg_mean.array, before)
    scale = 1 / np.sqrt(layer.avg_var.array + layer.eps)
    expected = (x - layer.avg_mean.array[:, None]) * scale[:, None]
    np.testing.assert_allclose(fixed, expected, rtol=1e-4, atol=1e-5)


def test_batch_norm_without_gamma_and_beta_learns_nothing() -> None:
    layer = nn.BatchNorm(3, use_gamma=False, use_beta=False)
    assert list(layer.parameters()) == []
    assert [path for path, _ in layer.named_states()] == ["avg_mean", "avg_var", "N"]
    np.testing.assert_allclose(layer(drawn(8, 3)).array.mean(0), 0, atol=1e-6)


def test_layer_norm_and_group_norm_normalize_each_sample() -> None:
    x = drawn(4, 6, 5)
    y = nn.LayerNorm()(x).array
    np.testing.assert_allclose(y.mean(-1), 0, atol=1e-5)
    grouped = nn.GroupNorm(2)(x).array.reshape(4, 2, -1)
    np.testing.assert_allclose(grouped.mean(-1), 0, atol=1e-5)
    np.testing.assert_allclose(grouped.std(-1), 1, atol=1e-3)


def test_an_embedding_takes_rows() -> None:
    layer = nn.Embedding(5, 3, ignore_label=-1)
    ids = np.array([[0, 4], [-1, 2]])
    expected = layer.W.array[ids] * (ids != -1)[..., None]
    np.testing.assert_array_equal(layer(ids).array, expected)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm_by_numpy(layer: nn.LSTM, xs: np.ndarray) -> np.ndarray:
    """Chainer's formulas, one layer and one direction."""
    part = getattr(layer, "0")
    w = [getattr(part, f"w{i}").array for i in range(8)]
    b = [getattr(part, f"b{i}").array for i in range(8)]
    h = c = np.zeros(layer.out_size)
    ys = []
    for x in xs:
        gates = [w[i] @ x + b[i] + w[i + 4] @ h + b[i + 4] for i in range(4)]
        i, f, new, o = (
            sigmoid(gates[0]),
            sigmoid(gates[1]),
            np.tanh(gates[2]),
            sigmoid(gates[3]),
        )
        c = f * c + i * new
        h = o * np.tanh(c)
        ys.append(h)
    return np.array(ys)


def test_an_lstm_is_that_of_the_formulas_for_sequences_of_any_length() -> None:
    layer = nn.LSTM(3, 4, initial_bias=0.1)
    xs = [drawn(n, 3) for n in (2, 5, 3)]
    hy, cy, ys = layer(xs)
    assert hy.shape == cy.shape == (1, 3, 4)
    for i, x in enumerate(xs):
        np.testing.assert_allclose(ys[i].array, lstm_by_numpy(layer, x), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(hy.array[0, i], ys[i].array[-1], rtol=1e-6)


def test_a_batch_of_sequences_is_one_array() -> None:
    layer = nn.LSTM(3, 4, layers=2, bidirectional=True)
    x = drawn(2, 5, 3)
    hy, _, ys = layer(x)
    assert ys.shape == (2, 5, 8)
    assert hy.shape == (4, 2, 4)
    _, _, listed = layer([x[0], x[1]])
    np.testing.assert_allclose(ys.array[1], listed[1].array, rtol=1e-5, atol=1e-6)


def test_recurrent_layers_go_on_from_a_state() -> None:
    x = drawn(2, 6, 3)
    for layer in (nn.GRU(3, 4), nn.RNN(3, 4), nn.RNN(3, 4, activation="relu")):
        _, whole = layer(x)
        h, first = layer(x[:, :4])
        _, second = layer(x[:, 4:], h)
        joined = np.concatenate([first.array, second.array], axis=1)
        np.testing.assert_allclose(joined, whole.array, rtol=1e-5, atol=1e-6)


def test_cells_are_steps_of_their_layers() -> None:
    x = drawn(2, 3)
    cell = nn.LSTMCell(None, 4)
    state = cell(x)
    h, c = cell(x, state)
    assert h.shape == c.shape == (2, 4)
    gru = nn.GRUCell(3, 4)
    assert gru(x, gru(x)).shape == (2, 4)


def test_sequential_runs_layers_and_functions() -> None:
    model = nn.Sequential(nn.Linear(4), ct.relu, nn.Dropout(0.5), nn.Linear(4, 2))
    assert model(drawn(3, 5)).shape == (3, 2)
    assert [path for path, _ in model.named_parameters()] == [
        "0/W",
        "0/b",
        "3/W",
        "3/b",
    ]
    assert len(model) == 4
    assert len(model[:2]) == 2
    assert repr(model).splitlines()[1:3] == ["  0: Linear(5, 4)", "  1: relu"]


def test_repr_shows_the_tree() -> None:
    assert repr(MLP()) == "MLP(\n  l1: Linear(3, 4)\n  l2: Linear(4, 2)\n)"


def test_pooling_flattening_and_prelu_are_modules() -> None:
    x = drawn(2, 3, 4, 4)
    model = nn.Sequential(nn.MaxPool2d(2), nn.AvgPool2d(2), nn.Flatten(), nn.PReLU())
    expected = x.reshape(2, 3, 2, 2, 2, 2).max((3, 5)).mean((2, 3))
    expected = np.where(expected > 0, expected, 0.25 * expected)
    np.testing.assert_allclose(model(x).array, expected, rtol=1e-5)


def test_a_copy_has_parameters_of_its_own() -> None:
    model = MLP()
    for twin in (model.copy(), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.l1.W.array, model.l1.W.array)
        twin.l1.W.array[...] = 0
        assert model.l1.W.array.any()
        assert twin.l1.W.initializer.__class__ is ct.initializers.LeCunNormal


def test_a_copy_of_an_unshaped_module_gets_its_own_shape() -> None:
    model = MLP(None)
    twin = pickle.loads(pickle.dumps(model.copy()))
    twin(drawn(1, 7))
    assert not model.l1.W.is_initialized
    assert twin.l1.W.shape == (4, 7)


def test_sharing_within_a_module_survives_a_copy() -> None:
    model = nn.Module()
    model.a, model.b = nn.Linear(2, 2), nn.Linear(2, 2)
    model.b.W = model.a.W
    twin = model.copy()
    assert twin.b.W is twin.a.W


def test_state_dict_has_copies_and_none_for_what_has_no_shape() -> None:
    model = MLP(None)
    state = model.state_dict()
    assert state["l1/W"] is None
    state["l2/W"][...] = 0
    assert model.l2.W.array.any()


def test_load_state_dict_shapes_and_fills_a_module() -> None:
    source, target = MLP(3), MLP(None)
    target.load_state_dict(source.state_dict())
    x = drawn(2, 3)
    np.testing.assert_array_equal(target(x).array, source(x).array)


def test_load_state_dict_names_the_keys_and_changes_nothing() -> None:
    model = MLP()
    before = model.state_dict()
    state = MLP().state_dict()
    wrong = {**state, "l2/W": np.zeros((2, 5), np.float32)}
    with pytest.raises(ct.ShapeError, match=r"'l2/W' has shape \(2, 5\), it should have \(2, 4\)"):
        model.load_state_dict(wrong)
    del state["l1/b"]
    with pytest.raises(ValueError, match="MLP: there is nothing for l1/b; it has no l9/W"):
        model.load_state_dict({**state, "l9/W": 0})
    for path, array in model.state_dict().items():
        np.testing.assert_array_equal(array, before[path])
    model.load_state_dict({**state, "l9/W": 0}, strict=False)
    np.testing.assert_array_equal(model.l1.W.array, state["l1/W"])


def test_load_state_dict_converts_dtypes_but_not_floats_to_integers() -> None:
    model = nn.Linear(2, 2)
    W = np.arange(4.0).reshape(2, 2)
    model.load_state_dict({"W": W, "b": np.zeros(2, np.float64)})
    assert model.W.dtype == np.float32
    np.testing.assert_array_equal(model.W.array, W)
    norm = nn.BatchNorm(2)
    with pytest.raises(ct.DtypeError, match="'N' is float32, it should be int64"):
        norm.load_state_dict({**norm.state_dict(), "N": np.zeros((), np.float32)})


def test_frozen_parameters_stay() -> None:
    model = MLP()
    model.l1.freeze()
    optimizer = ct.optim.SGD(0.1).setup(model)
    before = model.state_dict()
    ct.sum(model(drawn(2, 3))).backward()
    optimizer.update()
    np.testing.assert_array_equal(model.l1.W.array, before["l1/W"])
    assert (model.l2.b.array != before["l2/b"]).any()
    assert model.l1.unfreeze().W.update_enabled


def test_cleargrads_removes_all_gradients() -> None:
    model = MLP()
    ct.sum(model(drawn(2, 3))).backward()
    assert model.l1.W.grad is not None
    model.cleargrads()
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_parameter_without_a_shape_tells_so() -> None:
    parameter = ct.Parameter(None, name="W")
    assert repr(parameter) == "<Parameter W without a shape yet>"
    parameter.initialize((2, 3))
    with pytest.raises(ct.ShapeError, match="already has shape"):
        parameter.initialize((3, 2))
    with pytest.raises(ValueError, match="an array has its shape"):
        ct.Parameter(np.ones(3), (3,))


def test_a_failing_initializer_leaves_an_empty_parameter() -> None:
    def broken(array: np.ndarray) -> None:
        raise RuntimeError("no numbers left")

    parameter = ct.Parameter(broken)
    with pytest.raises(RuntimeError, match="no numbers left"):
        parameter.initialize((2,))
    assert not parameter.is_initialized


def test_an_initializer_may_have_a_dtype_of_its_own() -> None:
    parameter = ct.Parameter(ct.initializers.Normal(dtype=np.float64), (2, 2))
    assert parameter.dtype == np.float64
    with ct.using_config("dtype", "float16"):
        assert nn.Linear(2, 2).W.dtype == np.float16


def test_a_state_is_replaced_outside_the_graph() -> None:
    state = ct.State(np.zeros(3, np.float32), name="mean")
    state.assign(state + 1)
    np.testing.assert_array_equal(state.array, np.ones(3))
    with pytest.raises(ct.ShapeError, match="mean holds"):
        state.assign(np.zeros(4, np.float32))
