"""NumPy between the operations of a static region, and memory that both see."""

from __future__ import annotations

import ctypes
import weakref

import catena as ct
import numpy as np
import pytest
from eager_and_compiled import compare, things_of, values


def thing_numpy_in_between(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        z = np.sort(y.array)[::-1].copy()
        return ct.tanh(ct.Variable(z)) + y

    for i in range(3):
        log(step(ct.Variable(values(4, seed=i))))


def thing_numpy_functions_of_variables(region, log):
    @region
    def step(x):
        return np.exp(x) + np.maximum(x, 0), np.add(x, x)

    for i in range(3):
        log(step(ct.Variable(values(4, seed=i))))


def thing_asarray_inside(region, log):
    @region
    def step(x):
        y = x * 2
        seen = np.asarray(y)
        return y + float(seen.sum())

    for i in range(3):
        log(step(ct.Variable(values(4, seed=i))))


def thing_a_result_of_numpy_changes_between_calls(region, log):
    @region
    def step(x):
        mask = np.random.rand(4).astype(np.float32) > 0.5
        return x * mask.astype(np.float32)

    for _ in range(4):
        log(step(ct.Variable(values(4))))


def thing_a_captured_ndarray_is_replaced(region, log):
    table = values(4)

    @region
    def step(x):
        return ct.exp(x) * table

    x = ct.Variable(values(4))
    for i in range(3):
        table = values(4, seed=i)
        log(step(x))


def thing_a_captured_ndarray_is_written_between_calls(region, log):
    table = values(4)

    @region
    def step(x):
        return ct.exp(x) * table

    x = ct.Variable(values(4))
    for i in range(4):
        table[i] = 10 * i
        log(step(x))


def thing_an_ndarray_is_written_after_it_was_read(region, log):
    buffer = values(4)

    @region
    def step(x):
        first = x * buffer
        buffer[:] = 7
        second = x * buffer
        buffer[0] += 1
        return first, second

    for i in range(3):
        buffer[:] = i
        log(step(ct.Variable(values(4, seed=i))), buffer)


def thing_one_buffer_is_filled_in_a_loop(region, log):
    buffer = np.zeros(3, np.float32)

    @region
    def step(x):
        total = x
        for i in range(3):
            buffer[:] = i + 1
            total = total + x * buffer
        return total

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_an_argument_is_written_inside(region, log):
    @region
    def step(a):
        y = ct.exp(a)
        a[:] = 0
        return y, ct.exp(a)

    for i in range(3):
        a = values(3, seed=i)
        log(step(a), a)


def thing_a_variable_over_an_ndarray_is_written(region, log):
    @region
    def step(x, buffer):
        y = x * 2
        buffer[:] = buffer + 1
        return y, x * 2

    for i in range(3):
        buffer = values(3, seed=i)
        log(step(ct.Variable(buffer), buffer), buffer)


def thing_a_write_through_array_inside(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        before = y * 1
        y.array[0] = 5
        return before, y, y * 1

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_a_write_through_a_view_of_numpy(region, log):
    @region
    def step(x):
        view = x.array[1:]
        before = x + 0
        view[:] = 9
        return before, x + 0

    for i in range(3):
        x = ct.Variable(values(3, seed=i))
        log(step(x), x)


def thing_a_write_through_a_view_from_before_the_call(region, log):
    x = ct.Variable(values(4))
    window = x.array[:2]

    @region
    def step(k):
        before = x * k
        window[:] = k
        return before, x * k

    for k in (1.0, 2.0, 3.0):
        log(step(k), x)


def thing_an_ndarray_is_written_before_backward(region, log):
    p = ct.Parameter(values(4))
    buffer = values(4, seed=1)
    shared = ct.Variable(values(4, seed=2), requires_grad=False)
    window = shared.array

    @region
    def step(i):
        y = ct.sum(p * buffer + ct.exp(p * shared))
        buffer[:] = i
        window[1:] = i + 1
        p.cleargrad()
        y.backward()
        return y

    for i in range(4):
        log(step(i), p.grad, buffer, window)


def thing_an_ndarray_is_written_before_backward_outside(region, log):
    p = ct.Parameter(values(4))
    buffer = values(4, seed=1)
    shared = ct.Variable(values(4, seed=2), requires_grad=False)
    window = shared.array

    @region
    def model(x):
        return ct.sum(ct.tanh(p * x) + ct.exp(p * shared[::-1]) * p)

    for i in range(4):
        p.cleargrad()
        y = model(buffer)
        if i % 2:
            buffer[:] = i
            window[1:] += i + 1
        y.backward()
        log(y, p.grad)


def thing_a_view_of_a_parameter_is_written_in_a_training_step(region, log):
    model = ct.nn.Linear(3, 2)
    model.W.array[...] = values(2, 3)
    optimizer = ct.optim.SGD(0.1)
    optimizer.setup(model)
    view = model.W.array

    @region
    def step(x):
        before = model(x)
        view[0] *= 0.5
        loss = ct.sum((model(x) - before) ** 2)
        view[1] += 1
        model.cleargrads()
        loss.backward()
        view[:, 0] = 2
        optimizer.update()
        return before, loss

    for i in range(4):
        log(step(values(5, 3, seed=i)), view, model.W)


def thing_weights_are_exchanged_for_a_while(region, log):
    p = ct.Parameter(values(4))
    view = p.array

    @region
    def step(x):
        first = x * p
        kept = view.copy()
        view[...] = 1
        second = x * p
        view[...] = kept
        return first, second, x * p

    for i in range(3):
        log(step(values(4, seed=i)), p)


def thing_the_shape_of_an_ndarray_changes_inside(region, log):
    buffer = values(6)

    @region
    def step(x):
        first = x * buffer
        buffer.shape = (2, 3)
        second = x[0] * buffer
        buffer.shape = (6,)
        return first, second, x * buffer

    for i in range(3):
        log(step(ct.Variable(values(6, seed=i))))


def thing_ndarrays_that_catena_cannot_read_where_they_are(region, log):
    swapped = values(4).astype(">f4")
    record = np.zeros(4, np.dtype([("a", "i1"), ("b", "<f4")]))

    @region
    def step(x):
        first = x * swapped + record["b"]
        swapped[0] = 5
        record["b"] = 2
        return first, x * swapped + record["b"]

    for i in range(3):
        log(step(ct.Variable(values(4, seed=i))))


def thing_a_result_shows_the_memory_of_an_argument(region, log):
    @region
    def step(a):
        return ct.reshape(ct.Variable(a), (2, 2)), ct.Variable(a)[1:]

    a = values(4)
    for i in range(3):
        both = step(a)
        a[1] = i
        log(both)


def thing_a_write_through_a_view_of_catena(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        flat = ct.reshape(y, (4,))
        row = y[1]
        y.array[1, 0] = 3
        return flat, row, y

    for i in range(3):
        log(step(ct.Variable(values(2, 2, seed=i))))


def thing_a_parameter_is_set_inside(region, log):
    p = ct.Parameter(values(3))

    @region
    def step(x):
        y = x * p
        p.array = np.full(3, 2, np.float32)
        return y, x * p

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))), p)


def thing_a_parameter_is_written_in_place_inside(region, log):
    p = ct.Parameter(values(3))

    @region
    def step(x):
        y = x * p
        p.array[...] *= 0.5
        return y, x * p

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))), p)


def thing_a_view_of_a_parameter_is_held(region, log):
    p = ct.Parameter(values(3))
    held = p.array

    @region
    def step(x):
        return x * p

    for i in range(4):
        held[i % 3] = i
        log(step(ct.Variable(values(3, seed=i))), held)


def thing_a_result_is_written_by_numpy_later(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        return y, y * 2

    kept = []
    for i in range(3):
        y, z = step(ct.Variable(values(3, seed=i)))
        y.array[:] = i
        kept.append((y, z))
    log(kept)


def thing_results_of_earlier_calls_stay(region, log):
    @region
    def step(x):
        return ct.exp(x)

    kept = [step(ct.Variable(values(3, seed=i))) for i in range(4)]
    arrays = [y.array for y in kept]
    step(ct.Variable(values(3, seed=9)))
    log(kept, arrays)


def thing_an_argument_changes_between_calls(region, log):
    x = ct.Variable(values(3))

    @region
    def step(x):
        return ct.exp(x)

    for i in range(3):
        x.array[i] = i
        log(step(x))
    x.array = values(5)
    log(step(x))


def thing_items_are_assigned(region, log):
    @region
    def step(x):
        y = x * 2
        y[0] = 5.0
        y[1:] = y[:-1] + 1
        return y

    for i in range(3):
        log(step(ct.Variable(values(4, seed=i), requires_grad=False)))


def thing_fancy_indices(region, log):
    @region
    def step(x, rows, mask):
        return x[rows], x[:, ::2], x[None, 1, ...], x[mask]

    for i in range(3):
        x = values(3, 4, seed=i)
        log(step(ct.Variable(x), np.array([2, 0, i % 3]), x[:, 0] > 0))


def thing_values_decide_indices(region, log):
    @region
    def step(x):
        best = int(ct.argmax(x))
        return x[best] * 2, best

    for i in range(4):
        log(step(ct.Variable(values(5, seed=i))))


def thing_numbers_from_numpys_generator(region, log):
    generator = np.random.default_rng(4)

    @region
    def step(x):
        return x + generator.normal(size=3).astype(np.float32)

    for _ in range(3):
        log(step(ct.Variable(values(3))))


def thing_random_numbers_of_catena(region, log):
    @region
    def step(x):
        return ct.dropout(x, 0.5)

    for _ in range(3):
        log(step(ct.Variable(values(20))))


def thing_the_array_is_replaced_inside(region, log):
    @region
    def step(x):
        y = ct.exp(x)
        y.array = y.array * 3
        return y * 2

    for i in range(3):
        log(step(ct.Variable(values(3, seed=i))))


def thing_errors_of_values_come_out(region, log):
    table = ct.Variable(values(3, 2))

    @region
    def step(ids):
        return ct.embed_id(ids, table)

    for ids in ([0, 2], [1, 1], [0, 7], [2, 2]):
        try:
            log(step(ct.Variable(np.array(ids, np.int32))))
        except (ValueError, IndexError):
            log("refused")


@pytest.mark.parametrize("thing", things_of(globals()))
def test_numpy_and_regions_see_the_same_values(thing):
    compare(thing)


def written_behind_its_back(make, **options):
    """What a region computes of a Variable whose elements, ones, a pointer sets to 0 after the
    operation was called: 2, or 0 where they were not copied."""
    x, address, kept = make()

    @ct.jit(**options)
    def step(x):
        y = x * 2
        ctypes.memset(address, 0, 4 * x.size)
        return y

    y = step(x).array
    del kept
    return set(y.tolist())


def alone():
    a = np.ones(3, np.float32)
    return ct.Variable(a), a.ctypes.data, None


def reshaped():
    a = np.ones((3, 1), np.float32)
    return ct.Variable(a.reshape(3)), a.ctypes.data, None


def referred_to():
    a = np.ones(3, np.float32)
    return ct.Variable(a), a.ctypes.data, a


def part_of_another():
    a = np.ones(6, np.float32)
    return ct.Variable(a[:3]), a.ctypes.data, a


def weakly_referred_to():
    a = np.ones(3, np.float32)
    return ct.Variable(a), a.ctypes.data, weakref.ref(a)


def read_only():
    a = np.ones(6, np.float32)
    view = a[:3]
    view.flags.writeable = False
    return ct.Variable(view), a.ctypes.data, a


def of_catena():
    x = ct.exp(ct.Variable(np.zeros(3, np.float32)))
    return x, x.array.ctypes.data, None


def of_catena_with_a_view():
    x = ct.exp(ct.Variable(np.zeros(3, np.float32)))
    return x, x.array.ctypes.data, x.array


@pytest.mark.parametrize("make", [alone, reshaped, of_catena])
def test_memory_that_numpy_cannot_write_to_is_not_copied(make):
    assert written_behind_its_back(make) == {0}


@pytest.mark.parametrize(
    "make", [referred_to, part_of_another, weakly_referred_to, read_only, of_catena_with_a_view]
)
def test_memory_that_numpy_may_write_to_is_copied(make):
    assert written_behind_its_back(make) == {2}
    assert written_behind_its_back(make, watches_memory=False) == {0}


def test_memory_of_bytes_is_not_copied():
    numbers = np.frombuffer(np.ones(3, np.float32).tobytes(), np.float32)
    assert written_behind_its_back(
        lambda: (ct.Variable(numbers), numbers.ctypes.data, numbers)
    ) == {0}
