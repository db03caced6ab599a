"""What mypy must find: each marked line is an error of this code, and no other line is."""

import catena as ct
import numpy as np
from catena import optim


@ct.jit
def step(x: ct.Variable, factor: float) -> ct.Variable:
    return x * factor


class NoState(optim.UpdateRule):
    def update_core(self, parameter: ct.Parameter) -> None: ...  # override


def size(x: ct.Variable) -> int:
    return x.size


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
x.unsqueeze(0)  # attr-defined
ct.no_grad()  # attr-defined
ct.nn.ReLU()  # attr-defined
ct.data.DataLoader(x)  # attr-defined
optim.Lion(1e-3)  # attr-defined
adam = optim.Adam()
adam.step()  # attr-defined
adam.alhpa = 1e-3  # attr-defined
adam.add_hook(optim.WeightDecay(0.1), timing="later")  # arg-type
adam.update_rule(ct.Parameter(1.0)).add_hook(optim.GradientClipping(1.0))  # arg-type
optim.formula_rule("Rule", lambda p, g: p - g, states=["m"])  # arg-type
optim.schedules.warmup(10, 0.1)  # arg-type
ct.forget(size, x)  # type-var
ct.forget(step, x, "2")  # call-overload
comm = ct.distributed.create_communicator("local", sums="any")  # arg-type
comm.allreduce(x, "max")  # call-overload
print(comm.allreduce(1.0).no_such_attribute)  # attr-defined
comm.Get_rank()  # attr-defined
ct.distributed.create_multi_node_optimizer(adam, comm, overlap="no")  # arg-type
ct.distributed.init_process_group("nccl")  # attr-defined
