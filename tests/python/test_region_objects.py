"""Classes, threads, and Python's collector in and around a static region: eager beside compiled."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref

import catena as ct
import pytest
from eager_and_compiled import compare, things_of, values


def thing_a_method(region, log):
    class Scaled:
        def __init__(self, scale):
            self.scale = scale
            self.calls = 0

        @region
        def __call__(self, x):
            self.calls += 1
            return ct.tanh(x * self.scale)

    a, b = Scaled(2.0), Scaled(3.0)
    for i in range(3):
        x = ct.Variable(values(2, seed=i))
        log(a(x), b(x), a.calls, b.calls)


def thing_a_class_attribute_changes(region, log):
    class Model:
        scale = 1.0

        @region
        def step(self, x):
            return x * self.scale

    x = ct.Variable(values(2))
    model = Model()
    log(model.step(x), model.step(x))
    Model.scale = 4.0
    log(model.step(x))
    model.scale = 0.5
    log(model.step(x))
    del model.scale
    log(model.step(x))


def thing_class_and_static_methods(region, log):
    class Model:
        bias = 0.5

        @classmethod
        @region
        def made(cls, x):
            return x + cls.bias

        @staticmethod
        @region
        def double(x):
            return x * 2

    class Other(Model):
        bias = 2.0

    x = ct.Variable(values(2))
    for _ in range(2):
        log(Model.made(x), Other.made(x), Model.double(x), Other().double(x))


def thing_inheritance_and_super(region, log):
    class Base:
        @region
        def step(self, x):
            return ct.exp(x)

    class Derived(Base):
        @region
        def step(self, x):
            return super().step(x) + 1

    for i in range(3):
        x = ct.Variable(values(2, seed=i))
        log(Derived().step(x), Base().step(x))


def thing_a_property_computes(region, log):
    class Box:
        def __init__(self, x):
            self.x = x

        @property
        def double(self):
            log("asked")
            return self.x * 2

    @region
    def step(box):
        return box.double + box.double

    for i in range(3):
        log(step(Box(ct.Variable(values(2, seed=i)))))


def thing_attributes_made_on_demand(region, log):
    class Lazy:
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            log("made " + name)
            self.__dict__[name] = ct.Variable(values(3, seed=len(name)))
            return self.__dict__[name]

    lazy = Lazy()

    @region
    def step(x):
        return x * lazy.weight + lazy.bias

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_a_method_is_replaced(region, log):
    class Model:
        def inner(self, x):
            return x * 2

        @region
        def step(self, x):
            return self.inner(x) + 1

    model, x = Model(), ct.Variable(values(2))
    log(model.step(x), model.step(x))
    model.inner = lambda x: ct.exp(x)
    log(model.step(x))
    Model.inner = lambda self, x: x - 5
    del model.inner
    log(model.step(x))


def thing_a_function_of_the_package_is_replaced(region, log):
    @region
    def step(x):
        return ct.relu(x) + 1

    x, original = ct.Variable(values(3)), ct.relu
    log(step(x), step(x))
    try:
        ct.relu = lambda x: original(-x)
        log(step(x), step(x))
    finally:
        ct.relu = original
    log(step(x))


def thing_variables_are_stored_in_an_object(region, log):
    class State:
        pass

    state = State()
    state.h = ct.Variable(values(2))

    @region
    def step(x):
        state.h = ct.tanh(state.h + x)
        state.seen = [state.h, *getattr(state, "seen", [])][:2]
        return ct.sum(state.h)

    for i in range(4):
        log(step(ct.Variable(values(2, seed=i))), state.h, state.seen)


def thing_a_module_with_parameters(region, log):
    class Linear:
        def __init__(self, n, seed):
            self.W = ct.Parameter(values(n, n, seed=seed))
            self.b = ct.Parameter(values(n, seed=seed + 1))

        def __call__(self, x):
            return ct.linear(x, self.W, self.b)

    layers = [Linear(3, 0), Linear(3, 5)]

    @region
    def model(x):
        for layer in layers:
            x = ct.relu(layer(x))
        return x

    for i in range(3):
        y = model(ct.Variable(values(2, 3, seed=i)))
        for layer in layers:
            layer.W.cleargrad()
            layer.b.cleargrad()
        ct.sum(y).backward()
        log(y, [(layer.W, layer.b) for layer in layers])
    layers.append(Linear(3, 8))
    log(model(ct.Variable(values(2, 3))))


def thing_dunder_methods_of_the_users(region, log):
    class Interval:
        def __init__(self, low, high):
            self.low, self.high = low, high

        def __add__(self, other):
            return Interval(self.low + other.low, self.high + other.high)

        def __radd__(self, x):
            return Interval(self.low + x, self.high + x)

        __array_ufunc__ = None

    @region
    def step(x):
        total = Interval(x, x + 1) + Interval(-x, x * 2)
        return total.low, total.high

    for i in range(2):
        log(step(ct.Variable(values(2, seed=i))))


def thing_weak_references_to_variables(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        seen = weakref.ref(y)
        alive = seen() is y
        del y
        gc.collect()
        return x * 2, alive, seen() is None

    for _ in range(3):
        log(step(ct.Variable(values(2))))


def thing_a_finalizer_runs(region, log):
    class Noisy:
        def __del__(self):
            log("gone")

    @region
    def step(x):
        noisy = Noisy()
        y = x * 2
        del noisy
        return y

    for _ in range(3):
        log(step(ct.Variable(values(2))))


def thing_a_finalizer_computes(region, log):
    results = []

    class Last:
        def __init__(self, x):
            self.x = x

        def __del__(self):
            results.append(self.x * 2)

    @region
    def step(x):
        last = Last(ct.exp(x))
        del last
        return ct.tanh(x)

    for i in range(3):
        log(step(ct.Variable(values(2, seed=i))))
    log(results)


def thing_the_collector_runs_in_the_middle(region, log):
    class Node:
        pass

    @region
    def step(x):
        node = Node()
        node.self = node
        node.value = ct.exp(x)
        y = node.value + 1
        del node
        gc.collect()
        return ct.tanh(y)

    for i in range(4):
        log(step(ct.Variable(values(2, seed=i))))


def thing_cycles_live_on_after_the_call(region, log):
    class Node:
        pass

    @region
    def step(x):
        node = Node()
        node.self, node.value = node, ct.exp(x)
        return node.value * 2

    gc.disable()
    try:
        for i in range(5):
            log(step(ct.Variable(values(2, seed=i))))
            if i == 2:
                gc.collect()
    finally:
        gc.enable()


def thing_another_thread_computes_meanwhile(region, log):
    @region
    def step(x):
        results = []

        def work():
            results.append(float(ct.sum(ct.Variable(values(3)) * 2)))

        thread = threading.Thread(target=work)
        thread.start()
        y = ct.exp(x)
        thread.join()
        return y, results

    for _ in range(3):
        log(step(ct.Variable(values(2))))


def thing_several_threads_call_one_region(region, log):
    @region
    def step(x, n):
        return ct.sum(ct.tanh(x * n))

    results = {}

    def work(n):
        results[n] = [float(step(ct.Variable(values(4, seed=i)), n)) for i in range(20)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log([results[n] for n in range(4)])


def thing_threads_have_settings_of_their_own(region, log):
    @region
    def step(x):
        return ct.dropout(x, 0.5) if not ct.config.train else x * 3

    found = []

    def work():
        with ct.test_mode():
            found.append(step(ct.Variable(values(4))).array.tolist())

    log(step(ct.Variable(values(4))))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    log(found, step(ct.Variable(values(4))))


def thing_locks_and_queues(region, log):
    lock, queue = threading.Lock(), []

    @region
    def step(x):
        with lock:
            queue.append(ct.exp(x))
        return queue.pop(0) * 2

    for i in range(3):
        log(step(ct.Variable(values(2, seed=i))), len(queue))


def thing_a_region_is_copied(region, log):
    @region
    def step(x):
        return ct.exp(x)

    again, deep = copy.copy(step), copy.deepcopy({"step": step})["step"]
    log(again is step, deep is step, again(ct.Variable(values(2))))


def thing_variables_are_pickled_inside(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        again = pickle.loads(pickle.dumps(y.array))
        return y + ct.Variable(again)

    for i in range(2):
        log(step(ct.Variable(values(2, seed=i))))


def thing_sorting_by_computed_values(region, log):
    @region
    def step(xs):
        return sorted(xs, key=lambda x: float(ct.sum(x)))

    for i in range(3):
        log(step([ct.Variable(values(3, seed=i + k)) for k in range(3)]))


def thing_variables_are_keys(region, log):
    @region
    def step(x):
        y = x * 2
        names = {x: "x", y: "y"}
        return names[x], names[y], len({x, y, x})

    for _ in range(2):
        log(step(ct.Variable(values(2))))


def thing_isinstance_and_attributes_of_variables(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        return (isinstance(y, ct.Variable), y.shape, y.ndim, y.size, str(y.dtype), len(y))

    for n in (2, 3, 2):
        log(step(ct.Variable(values(n, 2))))


def thing_slots_and_named_tuples_hold_results(region, log):
    class Slots:
        __slots__ = ("a", "b")

    @region
    def step(x):
        s = Slots()
        s.a, s.b = ct.exp(x), ct.tanh(x)
        return s

    for i in range(3):
        s = step(ct.Variable(values(2, seed=i)))
        log(s.a, s.b, s.a + s.b)


@pytest.mark.parametrize("thing", things_of(globals()))
def test_objects_in_a_region_behave_as_outside(thing):
    compare(thing)
