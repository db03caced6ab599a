"""Memory of parameters and other states that NumPy sees: updates are written into it, in a region
at once, and what NumPy writes there stays, as in eager code."""

from __future__ import annotations

from typing import Any

import catena as ct
import numpy as np
import pytest
from catena import nn, optim
from eager_and_compiled import compare, things_of, values


def parameter(name: str = "p") -> ct.Parameter:
    return ct.Parameter(values(3), name=name)


def thing_a_view_shows_an_update_at_once(region, log):
    p = parameter()
    view = p.array
    sgd = optim.SGD(0.5).setup({"p": p})

    @region
    def step(x):
        p.cleargrad()
        loss = ct.sum(p * x)
        loss.backward()
        log(view)
        sgd.update()
        log(view)
        return loss + float(view.sum())

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), view, p, p.array is view)


def thing_a_write_after_an_update_stays(region, log):
    p = parameter()
    view = p.array
    sgd = optim.SGD(0.5).setup({"p": p})

    @region
    def step(x):
        p.cleargrad()
        loss = ct.sum(ct.sin(p) * x)
        loss.backward()
        view[1] = 5
        sgd.update()
        view[0] = 7
        return loss, p * 2

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), view, p)


def thing_a_view_taken_inside_shows_later_updates(region, log):
    p = parameter()
    sgd = optim.MomentumSGD(0.5).setup({"p": p})

    @region
    def step(x):
        view = p.array
        p.cleargrad()
        ct.sum(p * x).backward()
        sgd.update()
        log(view)
        view[2] = 3
        return p + x

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), p)


def thing_two_updates_and_a_forward_between(region, log):
    p, q = parameter("p"), parameter("q")
    seen, unseen = p.array, []
    adam = optim.Adam(0.1).setup({"p": p, "q": q})

    @region
    def step(x):
        for _ in range(2):
            p.cleargrad()
            q.cleargrad()
            loss = ct.sum(ct.tanh(p * x) * q)
            loss.backward()
            adam.update()
            unseen.append(seen.copy())
        return loss

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), p, q, unseen)


def thing_all_of_a_model_is_viewed(region, log):
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model(ct.Variable(values(2, 3)))
    views = [p.array for p in model.parameters()]
    adam = optim.Adam(0.05).setup(model)

    @region
    def step(x):
        model.cleargrads()
        loss = ct.sum(model(x) ** 2)
        loss.backward()
        adam.update()
        log(views)
        return loss

    for i in range(4):
        log(step(ct.Variable(values(2, 3, seed=i))), views)
        log([np.shares_memory(p.array, v) for p, v in zip(model.parameters(), views, strict=True)])


def thing_running_statistics_are_viewed(region, log):
    norm = nn.BatchNorm(3)
    norm(ct.Variable(values(4, 3)))
    views = [norm.avg_mean.array, norm.avg_var.array]

    @region
    def step(x):
        y = norm(x)
        log(views)
        views[0][0] = 0.25
        z = norm(x * 2)
        return y, z

    for i in range(4):
        log(step(ct.Variable(values(4, 3, seed=i))), views, norm.avg_mean, norm.avg_var)


def thing_new_memory_inside_leaves_the_view_behind(region, log):
    p = parameter()
    view = p.array

    @region
    def step(x):
        y = p * x
        p.array = values(3, seed=9)
        view[0] = 8
        p.assign(p * x)
        return y, p + 1

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))), view, p)


def thing_elements_are_written_in_place(region, log):
    p = parameter()
    view = p.array

    @region
    def step(x):
        y = p * x
        p.data[...] = x.array
        z = p * x
        p.assign(z)
        p.data[1] += 1
        return y, z, p * 1

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))), view, p)


def thing_gradients_are_viewed(region, log):
    p = parameter()
    ct.sum(p * 2).backward()
    views = [p.grad]

    @region
    def step(x):
        ct.sum(p * x).backward()
        log(views)
        views[0][0] = 5
        views.append(p.grad)
        ct.sum(p * x).backward()
        log(views)
        p.cleargrad()
        ct.sum(p * x * 3).backward()
        return p * 1

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))), views, p.grad)


def thing_a_given_gradient_is_added_to(region, log):
    p = parameter()
    given = np.ones(3, np.float32)

    @region
    def step(x):
        p.grad = given
        ct.sum(p * x).backward()
        given[0] = 4
        return p.grad_var * 1

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))), given, p.grad)


def thing_an_error_after_an_update_leaves_it(region, log):
    p = parameter()
    view = p.array
    sgd = optim.SGD(0.5).setup({"p": p})

    @region
    def step(x, fails):
        p.cleargrad()
        ct.sum(p * x).backward()
        sgd.update()
        y = p * x
        view[0] = 2
        if fails:
            raise KeyError("late")
        return y

    for i in range(6):
        try:
            log(step(ct.Variable(values(3, seed=i)), i % 3 == 1))
        except KeyError:
            log("failed")
        log(p, view)


def thing_states_take_each_others_content(region, log):
    p, q, r = ct.State(values(3, seed=1)), ct.State(values(3, seed=2)), ct.State(values(3, seed=3))
    views = [p.array, q.array]

    @region
    def step(x):
        old = p * 1
        p.assign(q)
        log(views)
        q.assign(old)
        r.assign(p)
        p.assign(p * x)
        log(views)
        r.assign(r[::-1])
        q.assign(q[::-1])
        views[1][0] = 6
        return p + q, r * 1

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), views, p, q, r)


def thing_a_parameter_over_an_ndarray(region, log):
    a = values(3)
    p = ct.Parameter(a)
    sgd = optim.SGD(0.5).setup({"p": p})

    @region
    def step(x):
        p.cleargrad()
        loss = ct.sum(p * x)
        loss.backward()
        sgd.update()
        log(a)
        a[0] = 7
        return loss, p * 1

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), a, p, p.array is a)


def thing_an_argument_becomes_the_content(region, log):
    p = parameter()
    view = p.array

    @region
    def step(x, a):
        p.assign(a)
        log(view)
        a[0] = 9
        y = p * x
        p.assign(ct.Variable(a, requires_grad=False) * 2)
        return y, p * 1

    for i in range(4):
        a = values(3, seed=10 + i)
        log(step(ct.Variable(values(3, seed=i)), a), a, view, p)


def thing_views_come_and_go(region, log):
    p = parameter()
    sgd = optim.MomentumSGD(0.1).setup({"p": p})
    views: list[Any] = []

    @region
    def step(x):
        p.cleargrad()
        loss = ct.sum(ct.sin(p) * x)
        loss.backward()
        sgd.update()
        for view in views:
            log(view)
            view[0] += 1
        return loss

    for i in range(9):
        if i % 3 == 1:
            views.append(p.array)
        if i % 3 == 0:
            views.clear()
        log(step(ct.Variable(values(3, seed=i))), np.array(p.array))


def thing_the_graph_of_before_the_update_is_gone_back_through(region, log):
    p, x0 = parameter(), ct.Variable(values(3, seed=5))
    view = p.array
    sgd = optim.SGD(0.5).setup({"p": p})

    @region
    def step(x):
        y = ct.sum(ct.sin(p) * x * x0)
        p.cleargrad()
        ct.sum(p * x).backward()
        sgd.update()
        view[0] = 1
        x0.cleargrad()
        y.backward()
        return y * 1

    for i in range(4):
        log(step(ct.Variable(values(3, seed=i))), x0.grad, p.grad, view)


@pytest.mark.parametrize("thing", things_of(globals()))
def test_as_eager_code(thing: Any) -> None:
    compare(thing)


@pytest.mark.parametrize("audit", ["sampled", "never"])
def test_calls_run_their_code_while_a_view_is_alive(audit: Any) -> None:
    def run(region: Any) -> tuple[list[Any], list[Any]]:
        p = parameter()
        view: Any = p.array
        told, seen = [], []

        @region
        def step(x: ct.Variable) -> ct.Variable:
            p.assign(p + x)
            if view is not None:
                seen.append(view.copy())
            return p * 1

        for i in range(12):
            if i == 6:
                view = None
            told.append(np.array(step(ct.Variable(values(3, seed=i))).array))
            told.append(np.array(p.array))
        return told, seen

    eager, compiled = run(lambda f: f), run(lambda f: ct.jit(f, audit=audit))
    assert len(eager[1]) == 6
    np.testing.assert_allclose(eager[0], compiled[0], rtol=1e-5)
    np.testing.assert_allclose(eager[1], compiled[1], rtol=1e-5)


def test_without_a_view_nothing_is_cut() -> None:
    p = parameter()
    sgd = optim.SGD(0.5).setup({"p": p})

    @ct.jit
    def step(x: ct.Variable) -> ct.Variable:
        p.cleargrad()
        loss = ct.sum(p * x)
        loss.backward()
        sgd.update()
        return loss

    for i in range(3):
        step(ct.Variable(values(3, seed=i)))
    assert step.statistics().cuts == 0
    view = p.array
    step(ct.Variable(values(3)))
    assert step.statistics().cuts == 1
    del view
    step(ct.Variable(values(3)))
    assert step.statistics().cuts == 1


def test_the_update_of_all_viewed_parameters_is_one_cut() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    adam = optim.Adam(0.05).setup(model)

    @ct.jit
    def step(x: ct.Variable) -> ct.Variable:
        model.cleargrads()
        loss = ct.sum(model(x) ** 2)
        loss.backward()
        adam.update()
        return loss

    step(ct.Variable(values(2, 3)))
    step(ct.Variable(values(2, 3)))
    before = step.statistics().cuts
    views = [p.array for p in model.parameters()]
    step(ct.Variable(values(2, 3)))
    assert len(views) == 4
    assert step.statistics().cuts == before + 1


def test_a_region_without_breaks_refuses_an_update_that_a_view_shows() -> None:
    p = parameter()

    @ct.jit(breaks=False)
    def step(x: ct.Variable) -> ct.Variable:
        p.assign(p * x)
        return p * 1

    step(ct.Variable(values(3)))
    before, view = np.array(p.array), p.array
    with pytest.raises(ct.TraceError, match="drop views of it before the call"):
        step(ct.Variable(values(3)))
    np.testing.assert_array_equal(p.array, before)
    np.testing.assert_array_equal(view, before)


def test_saving_leaves_a_viewed_parameter_where_it_is(tmp_path: Any) -> None:
    p = ct.Parameter(values(1, 3), name="p")

    @ct.jit
    def step(x: ct.Variable) -> ct.Variable:
        y = ct.sum(x * p)
        p.assign(p * 2)
        return y

    step(ct.Variable(values(2, 3)))
    view = p.array
    before = view.copy()
    step.save(tmp_path / "step.catena", open_sizes=[(0, 0, "batch")])
    np.testing.assert_array_equal(view, before)
    np.testing.assert_array_equal(p.array, before)
    p.assign(p * 2)
    np.testing.assert_array_equal(view, before * 2)


def test_a_failed_call_puts_back_what_was_given_and_writes_nothing() -> None:
    """The step fails when the program runs: what came before it is undone, but not written."""
    a, b = np.array([1.0, 2.0]), np.array([5.0, 6.0])
    p, q = ct.Parameter(a), parameter()
    view = q.array

    @ct.jit
    def step(x: ct.Variable) -> ct.Variable:
        y = ct.embed_id(x, ct.Variable(np.ones((2, 2))))
        p.array = b
        q.array = values(3, seed=4)
        return y

    with pytest.raises(ct.Error):
        step(ct.Variable(np.array([7, 1]), requires_grad=False))
    assert p.array is a
    assert np.shares_memory(q.array, view)
    np.testing.assert_array_equal(a, [1, 2])
    np.testing.assert_array_equal(b, [5, 6])
