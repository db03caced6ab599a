"""Static regions as objects: options, reports, counters, and what is refused."""

from __future__ import annotations

import functools
import inspect
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
from typing import Any

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import values


@pytest.fixture
def run_python(tmp_path):
    """Runs a program in a process of its own, from program.py."""

    def run(text, **environment):
        program = tmp_path / "program" / "program.py"
        program.parent.mkdir()
        program.write_text(textwrap.dedent(text))
        subprocess.run([sys.executable, program], check=True, env={**os.environ, **environment})

    return run


@ct.jit
def module_level(x, scale=2.0):
    """What it does."""
    y = ct.exp(x * scale)
    return ct.tanh(y) + y


def called(region, times=3, n=4):
    for i in range(times):
        region(ct.Variable(values(n, seed=i)))
    return region


def test_jit_takes_a_function_options_or_both():
    for region in (
        ct.jit(lambda x: x * 2),
        ct.jit(lambda x: x * 2, audit="never", name="twice"),
        ct.jit(audit="sampled", memory_budget=1 << 20)(lambda x: x * 2),
        ct.jit()(lambda x: x * 2),
        ct.static_graph(lambda x: x * 2, "twice"),
        ct.static_graph(lambda x: x * 2, compile_mode="later", keep_grads=True, verify=True),
    ):
        assert isinstance(region, ct.StaticGraph)
        np.testing.assert_allclose(region(ct.Variable(values(3))).array, values(3) * 2)


def test_a_region_looks_like_its_function():
    assert module_level.__name__ == "module_level"
    assert module_level.__qualname__ == "module_level"
    assert module_level.__doc__ == "What it does."
    assert module_level.__module__ == __name__
    assert str(inspect.signature(module_level)) == "(x, scale=2.0)"
    assert module_level.__wrapped__.__code__.co_name == "module_level"
    assert "module_level" in repr(module_level)
    module_level.note = 1
    assert vars(module_level)["note"] == 1


def test_a_region_of_an_object_calls_it():
    class Model:
        """A model."""

        scale = 3.0

        def __call__(self, x):
            return x * self.scale

    model = Model()
    region = ct.jit(model)
    np.testing.assert_allclose(called(region)(ct.Variable(values(3))).array, values(3) * 3)
    assert region.__wrapped__ is model
    assert "Model" in region.explain()


def test_a_region_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(module_level)) is module_level


def test_generators_and_coroutines_are_refused():
    def generator(x):
        yield x

    async def coroutine(x):
        return x

    async def both(x):
        yield x

    class Callable:
        def __call__(self, x):
            yield x

    for f, what in (
        (generator, "a generator"),
        (coroutine, "a coroutine"),
        (both, "an asynchronous generator"),
        (Callable(), "a generator"),
        (functools.partial(generator, 1), "a generator"),
    ):
        with pytest.raises(TypeError, match=what):
            ct.jit(f)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="cannot be called"):
        ct.jit(3)
    with pytest.raises(TypeError):
        ct.StaticGraph()


def test_options_are_checked():
    with pytest.raises(ct.ArgumentError, match="'always', 'sampled', 'never'"):
        ct.jit(lambda x: x, audit="often")
    with pytest.raises(ct.ArgumentError, match="'now', 'later', 'background'"):
        ct.jit(lambda x: x, compile_mode=1)
    with pytest.raises(ct.ArgumentError, match="at least 0"):
        ct.jit(lambda x: x, memory_budget=-1)
    with pytest.raises(ct.DtypeError, match="keep_grads is 'yes'"):
        ct.jit(lambda x: x, keep_grads="yes")
    with pytest.raises(TypeError, match="'audits': there are audit, breaks"):
        ct.jit(lambda x: x, audits="never")


def test_statistics_count_calls_and_cuts():
    @ct.jit
    def step(x):
        y = ct.exp(x)
        return y * float(ct.sum(y))

    counters = called(step, 5).statistics()
    assert counters.calls == 5
    assert counters.followed_calls == 5
    assert counters.cuts == 5
    assert counters.programs >= 2
    assert counters.as_dict()["calls"] == 5
    assert "cuts=5" in repr(counters)


def test_a_warm_region_is_one_compiled_program():
    @ct.jit
    def step(x):
        return ct.sum(ct.tanh(ct.exp(x) * 2 + 1))

    counters = called(step, 5).statistics()
    assert counters.programs == 1
    assert counters.mismatches == 0
    assert counters.compiled_calls == 5


def test_clear_removes_the_programs():
    step = called(ct.jit(lambda x: ct.exp(x)))
    step.clear()
    assert called(step).statistics().programs == 2


def test_switched_off_a_region_runs_as_plain_python():
    step = ct.jit(lambda x: ct.exp(x))
    with ct.using_config("use_static_graph", False):
        called(step)
    assert step.statistics().eager_calls == 3
    assert step.statistics().programs == 0


def test_explain_names_the_function_its_file_and_the_lines_of_its_operations():
    called(module_level)
    report = module_level.explain()
    here = pathlib.Path(__file__).name
    line = module_level.__wrapped__.__code__.co_firstlineno
    assert f"{here}:{line}" in report
    assert f"{here}:{line + 3}" in report, "the line of exp"
    assert report._repr_html_().startswith("<pre>")
    assert "<" not in report._repr_html_().removeprefix("<pre>").removesuffix("</pre>")


def test_a_cut_names_its_line():
    @ct.jit
    def step(x):
        y = ct.exp(x)
        return x * float(ct.sum(y))

    line = step.__wrapped__.__code__.co_firstlineno + 3
    assert f"{pathlib.Path(__file__).name}:{line}" in called(step).explain()


def test_cuts_can_be_refused():
    @ct.jit(breaks=False)
    def step(x):
        return x * float(ct.sum(ct.exp(x)))

    with pytest.raises(ct.TraceError, match="reads a value computed in the region"):
        step(ct.Variable(values(3)))


@pytest.mark.parametrize(
    "read",
    [
        lambda y: y.array,
        lambda y: y.data,
        lambda y: float(y[0]),
        lambda y: int(y[0]),
        lambda y: bool(y[0] > 0),
        lambda y: y[0].item(),
        lambda y: y.tolist(),
        lambda y: repr(y),
        lambda y: np.asarray(y),
        lambda y: f"{y}",
        lambda y: list(range(int(y[0]))),
    ],
    ids=[
        "array",
        "data",
        "float",
        "int",
        "bool",
        "item",
        "tolist",
        "repr",
        "asarray",
        "f",
        "range",
    ],
)
def test_reading_a_value_cuts(read):
    @ct.jit
    def step(x):
        y = ct.exp(x)
        return str(read(y)), y * 2

    x = ct.Variable(values(3))
    eager = step.__wrapped__(x)
    compiled = step(x)
    assert compiled[0] == eager[0]
    assert step.statistics().cuts == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda y: y.shape,
        lambda y: y.ndim,
        lambda y: y.dtype,
        lambda y: y.size,
        lambda y: len(y),
        lambda y: y.requires_grad,
        lambda y: y.device,
        lambda y: y.name,
        lambda y: isinstance(y, ct.Variable),
    ],
    ids=["shape", "ndim", "dtype", "size", "len", "requires_grad", "device", "name", "isinstance"],
)
def test_asking_for_types_does_not_cut(ask):
    @ct.jit(breaks=False)
    def step(x):
        y = ct.exp(x)
        return ask(y), y * 2

    x = ct.Variable(values(3))
    assert step(x)[0] == step.__wrapped__(x)[0]


def test_profile_lists_the_launches():
    @ct.jit
    def step(x):
        return ct.sum(ct.tanh(ct.exp(x)))

    called(step)
    with ct.profile_scope():
        called(step, 5)
    profile = step.profile()
    assert profile.region == "step"
    assert profile.is_timed
    assert profile.rows
    assert abs(sum(row.share for row in profile.rows) - 1) < 1e-6
    assert any(pathlib.Path(__file__).name in at for row in profile.rows for at in row.operations)
    assert "step" in str(profile)
    assert profile._repr_html_().startswith("<table>")


def test_profile_tells_what_each_launch_used_of_the_machine():
    x = ct.Variable(np.ones((64, 128), np.float32))
    W = ct.Variable(np.ones((128, 96), np.float32))

    @ct.jit
    def step(x):
        return ct.tanh(ct.matmul(x, W) * 2.0)

    called(lambda _: step(x))
    assert all(shares.bound == "" for shares in step.profile().shares())
    with ct.profile_scope():
        called(lambda _: step(x), 5)
    profile = step.profile()
    assert len(profile.shares()) == len(profile.rows)
    for row, shares in zip(profile.rows, profile.shares(), strict=True):
        assert shares.memory > 0
        assert (shares.products > 0) == ("matmul" in row.name)
        assert shares.launch == 0
        assert shares.most == max(shares.memory, shares.products)
        assert shares.bound == ("memory" if shares.memory > shares.products else "products")
        assert f" {shares.bound} " in str(profile)
    assert "of the limit" in profile._repr_html_()


def test_profile_tells_how_a_convolution_was_computed():
    x = ct.Variable(np.ones((8, 64, 16, 16), np.float32))
    W = ct.Variable(np.ones((64, 64, 3, 3), np.float32))

    @ct.jit
    def step(x):
        return ct.tanh(ct.convolution_2d(x, W, pad=1))

    called(lambda _: step(x))
    with ct.profile_scope():
        called(lambda _: step(x), 5)
    methods = [row.method for row in step.profile().rows if "convolution" in row.name]
    assert methods
    assert all(methods)
    assert all(row.method == "" for row in step.profile().rows if "tanh" in row.name)
    assert methods[0] in str(step.profile())


def test_profile_and_pages_are_saved(tmp_path):
    called(module_level)
    module_level.profile().save(tmp_path / "rows.csv")
    module_level.save_html(tmp_path / "page.html")
    assert "exp" in (tmp_path / "rows.csv").read_text()
    assert pathlib.Path(__file__).name in (tmp_path / "page.html").read_text()
    with pytest.raises(OSError):
        module_level.save_html(tmp_path / "nowhere" / "page.html")


def test_dumps_name_the_lines_of_python(tmp_path, run_python):
    run_python(
        """
        import catena as ct, numpy as np

        @ct.jit
        def dumped(x):
            return ct.exp(x) * 2

        dumped(ct.Variable(np.ones(4, np.float32)))
        """,
        CATENA_DUMP_DIR=str(tmp_path / "dump"),
    )
    files = [p for p in (tmp_path / "dump").rglob("*") if p.is_file()]
    texts = [p.read_text(errors="replace") for p in files]
    assert any("dumped" in str(p) for p in files)
    assert any("program.py:6" in text for text in texts)


def test_a_deferred_error_names_the_line_of_its_operation():
    table = ct.Variable(values(3, 2))

    @ct.jit
    def step(ids):
        y = ct.embed_id(ids, table)
        return ct.exp(y)

    line = step.__wrapped__.__code__.co_firstlineno + 2
    step(ct.Variable(np.array([1], np.int32)))
    with pytest.raises((ValueError, IndexError)) as caught:
        step(ct.Variable(np.array([9], np.int32)))
    assert f"{pathlib.Path(__file__).name}:{line}" in str(caught.value)


def test_exceptions_keep_their_traceback():
    @ct.jit
    def step(x):
        def inner():
            raise KeyError("deep")

        inner()

    with pytest.raises(KeyError) as caught:
        step(ct.Variable(values(2)))
    names = [entry.name for entry in caught.traceback]
    assert names[-2:] == ["step", "inner"]


def test_an_interrupt_passes():
    @ct.jit
    def step(x):
        ct.exp(x)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        step(ct.Variable(values(2)))
    assert ct.exp(ct.Variable(values(2))).shape == (2,)


def test_sampled_calls_skip_the_code():
    calls = []

    @ct.jit(audit="sampled")
    def step(x):
        calls.append(1)
        return ct.exp(x)

    called(step, 20)
    assert len(calls) == 5  # 1, 2, 4, 8, 16


def test_memory_stays_constant_over_many_calls():
    step = ct.jit(lambda x, t: ct.sum(ct.tanh(x) * t))
    x, t = values(64), values(64, seed=1)
    for _ in range(50):
        step(x, t)
    before = ct.memory_in_use()
    for _ in range(500):
        step(x, t)
    assert ct.memory_in_use() <= before


def test_messages_name_options_as_both_languages_write_them(capfd: Any) -> None:
    @ct.jit(audit="never")
    def reads_what_numpy_made(x: Any) -> ct.Variable:
        return ct.Variable(x) * np.ones(3, np.float32)

    @ct.jit(breaks=False)
    def reads_a_value(x: Any) -> float:
        return (x * 2).array.sum()

    for _ in range(4):
        reads_what_numpy_made(np.ones(3, np.float32))
    with pytest.raises(ct.TraceError, match="the option breaks is false") as error:
        reads_a_value(ct.Variable(np.ones(3, np.float32)))
    said = capfd.readouterr().err + str(error.value)
    assert "its option audit asks for less" in said
    assert "::" not in said
