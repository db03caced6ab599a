"""What mypy must find: each marked line is an error of this code, and no other line is."""

import catena as ct
import numpy as np
from catena import optim


@ct.jit
def step(x: ct.Variable, factor: float) -> ct.Variable:
    return x * factor


x = ct.Variable([1.0])
x + "text"  # operator
print(x.no_such_attribute)  # attr-defined
ct.no_such_function(x)  # attr-defined
ct.sum(x, axis="a")  # arg-type
ct.relu(x, 1)  # call-arg
step(x, "2")  # arg-type
step(x)  # call-arg
print(step(x, 2.0).no_such_attribute)  # attr-defined
ct.jit(step, audit="perhaps")  # call-overload
ct.value_and_grad(lambda a: ct.sum(a))(x, x)  # call-arg
optim.Adam(learning_rate=1.0)  # call-arg
ct.config.train = "yes"  # assignment
ct.Program(3)  # arg-type
ct.Parameter(1.0, (3,), names="p")  # call-arg
ct.Parameter(1.0, np.ones(3))  # arg-type
