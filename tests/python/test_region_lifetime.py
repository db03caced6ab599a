"""How long regions and what they refer to live, and other threads of Python meanwhile."""

from __future__ import annotations

import gc
import threading
import weakref

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import values


def test_a_region_in_a_cycle_with_its_closure_is_collected():
    def make():
        step = ct.jit(lambda x: ct.exp(x) if step else x)
        step(ct.Variable(values(2)))
        return weakref.ref(step)

    gone = make()
    gc.collect()
    assert gone() is None


def test_a_region_that_is_an_attribute_of_what_it_closes_over_is_collected():
    class Model:
        def __init__(self):
            self.W = ct.Parameter(values(2))
            self.step = ct.jit(self.forward, audit="never")

        def forward(self, x, others):
            return x * self.W

    model = Model()
    for _ in range(2):
        model.step(ct.Variable(values(2)), {"model": model})
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_a_region_does_not_keep_the_objects_of_its_first_call():
    class Model:
        @ct.jit
        def step(self, x):
            return x * 2

    model = Model()
    model.step(ct.Variable(values(2)))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
    assert Model().step(ct.Variable(values(2))).shape == (2,)


def test_a_region_dies_while_the_collector_runs_in_another_region():
    @ct.jit
    def outer(x):
        def make():
            inner = ct.jit(lambda x: ct.exp(x) if inner else x)
            return inner(x)

        y = make()
        gc.collect()
        return y + 1

    x = values(3)
    for _ in range(3):
        assert outer(ct.Variable(x)).array.tolist() == pytest.approx((np.exp(x) + 1).tolist())


def test_a_region_that_forgets_itself_while_it_runs_ends_its_call():
    holder = {}

    def code(x):
        holder.clear()
        gc.collect()
        return ct.exp(x)

    holder["step"] = ct.jit(code)
    assert holder["step"](ct.Variable(values(2))).shape == (2,)


def test_pending_values_are_not_for_other_threads():
    errors = []

    @ct.jit
    def step(x):
        y = ct.exp(x) * 2

        def work():
            try:
                float(ct.sum(y))
            except ct.TraceError as error:
                errors.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return y

    step(ct.Variable(values(2)))
    assert len(errors) == 1
    assert "another thread" in errors[0]


def test_other_threads_of_python_run_while_a_region_computes():
    seen = threading.Event()

    @ct.jit
    def step(x):
        return ct.matmul(x, x)

    def work():
        seen.set()

    thread = threading.Thread(target=work)
    thread.start()
    step(ct.Variable(values(64, 64)))
    thread.join()
    assert seen.is_set()
