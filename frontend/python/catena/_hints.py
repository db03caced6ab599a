"""What other packages call something, and what it is here: the text of an AttributeError.

Nothing is defined twice: the names are no attributes, so hasattr() is false of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

#: Of the package `catena`.
PACKAGE = {
    "no_grad": "with ct.no_backprop_mode():",
    "inference_mode": "with ct.no_backprop_mode():",
    "enable_grad": "with ct.force_backprop_mode():",
    "tensor": "ct.Variable(data)",
    "Tensor": "ct.Variable",
    "as_tensor": "ct.Variable(data)",
    "from_numpy": "ct.Variable(array)",
    "array": "ct.Variable(data), or an ndarray as it is",
    "asarray": "ct.Variable(data), or an ndarray as it is",
    "cat": "ct.concat(xs, axis)",
    "concatenate": "ct.concat(xs, axis)",
    "manual_seed": "ct.random.seed(seed), and numpy.random.seed(seed) for initial weights",
    "seed": "ct.random.seed(seed), and numpy.random.seed(seed) for initial weights",
    "compile": "ct.jit(function)",
    "randn": "ct.Variable(numpy.random.randn(...)), or ct.gaussian(mean, ln_var)",
    "rand": "ct.Variable(numpy.random.rand(...))",
    "cross_entropy": "ct.softmax_cross_entropy(y, t)",
    "mse_loss": "ct.mean_squared_error(y, t)",
    "vmap": "functions of catena take arrays with an axis for the batch",
    "checkpoint": "ct.forget(function, x)",
    "optimizers": "ct.optim",
    "links": "ct.nn",
    "Chain": "ct.nn.Module",
    "Link": "ct.nn.Module",
    "serializers": "ct.save(file, model) and ct.load(file, model)",
    "utils": "ct.data and ct.optim.schedules",
    "save_npz": "ct.save('file.npz', values)",
    "load_npz": "ct.load('file.npz', model)",
    "read_npz": "ct.load('file.npz')",
    "save_hdf5": "ct.save('file.h5', values)",
    "load_hdf5": "ct.load('file.h5', model)",
    "read_hdf5": "ct.load('file.h5')",
    "save_safetensors": "ct.save('file.safetensors', values)",
    "load_safetensors": "ct.load('file.safetensors'), with a model as second argument into it",
    "read_safetensors": "ct.load('file.safetensors')",
    "to_dlpack": "x.__dlpack__(), which from_dlpack(x) of other libraries calls",
    "float16": 'numpy.float16, or "float16"',
    "bfloat16": '"bfloat16"',
    "float32": 'numpy.float32, or "float32"',
    "float64": 'numpy.float64, or "float64"',
    "int32": 'numpy.int32, or "int32"',
    "int64": 'numpy.int64, or "int64"',
    "long": 'numpy.int64, or "int64"',
}

#: Of `catena.nn`.
NN = {
    "functional": "the functions of catena: ct.relu(x)",
    "utils": "hooks of the optimizer: ct.optim.GradientClipping(threshold)",
    "init": "ct.initializers",
    "ReLU": "the function: ct.relu",
    "GELU": "the function: ct.gelu",
    "Tanh": "the function: ct.tanh",
    "Sigmoid": "the function: ct.sigmoid",
    "Softmax": "the function: ct.softmax",
    "LeakyReLU": "the function: ct.leaky_relu",
    "CrossEntropyLoss": "the function: ct.softmax_cross_entropy(y, t)",
    "MSELoss": "the function: ct.mean_squared_error(y, t)",
    "BCEWithLogitsLoss": "the function: ct.sigmoid_cross_entropy(y, t)",
    "NLLLoss": "the function: ct.softmax_cross_entropy(y, t), of y before the softmax",
    "ModuleList": "a list as an attribute: self.layers = [...]",
    "ModuleDict": "a dict as an attribute: self.parts = {...}",
    "ParameterList": "a list as an attribute",
    "Parameter": "ct.Parameter",
    "BatchNorm1d": "nn.BatchNorm",
    "BatchNorm2d": "nn.BatchNorm",
    "BatchNormalization": "nn.BatchNorm",
    "EmbedID": "nn.Embedding",
    "Embed": "nn.Embedding",
    "Dense": "nn.Linear",
    "Convolution2D": "nn.Conv2d",
    "Conv2D": "nn.Conv2d",
    "ConvTranspose2d": "nn.Deconv2d",
    "Chain": "nn.Module",
}

#: Of `catena.optim`.
OPTIM = {
    "lr_scheduler": "ct.optim.schedules: optimizer.alpha = schedule(i)",
    "RMSProp": "optim.RMSprop",
    "Adagrad": "optim.AdaGrad",
    "Adadelta": "optim.AdaDelta",
    "Momentum": "optim.MomentumSGD",
    "Lion": "optim.formula_rule(): it is the example there",
}

#: Of `catena.data`.
DATA = {
    "DataLoader": "ct.data.Batches(x, t, size=32), or any iterable of arrays",
    "TensorDataset": "ct.data.Batches(x, t, size=32)",
}

#: Of `catena.distributed`.
DISTRIBUTED = {
    "init_process_group": "create_communicator()",
    "get_rank": "create_communicator().rank",
    "get_world_size": "create_communicator().size",
    "all_reduce": "comm.allreduce(x)",
    "all_gather": "comm.allgather(x)",
    "broadcast": "comm.bcast(x)",
    "barrier": "comm.barrier()",
    "DistributedDataParallel": "create_multi_node_optimizer(optimizer, comm)",
    "COMM_WORLD": "create_communicator()",
}

#: Of a communicator.
COMMUNICATOR = {
    "all_reduce": "comm.allreduce(x)",
    "all_gather": "comm.allgather(x)",
    "all_to_all": "comm.alltoall(xs)",
    "broadcast": "comm.bcast(x)",
    "Get_rank": "comm.rank",
    "Get_size": "comm.size",
    "Allreduce": "comm.allreduce(x)",
    "Bcast": "comm.bcast(x)",
    "Barrier": "comm.barrier()",
    "Split": "comm.split(color, key)",
    "Abort": "comm.abort(status)",
    "reduce": "comm.allreduce(x)",
    "world_size": "comm.size",
}

#: Of a Variable.
VARIABLE = {
    "view": "x.reshape(shape)",
    "dim": "x.ndim",
    "numel": "x.size",
    "cpu": 'x.to("cpu")',
    "cuda": 'x.to("cuda:0")',
    "clone": "ct.copy(x), or x.copy()",
    "permute": "x.transpose(axes)",
    "unsqueeze": "ct.expand_dims(x, axis)",
    "float": 'x.astype("float32")',
    "double": 'x.astype("float64")',
    "half": 'x.astype("float16")',
    "long": 'x.astype("int64")',
    "int": 'x.astype("int32")',
    "type": "x.astype(dtype)",
    "t": "x.T",
    "mT": "ct.swapaxes(x, -1, -2)",
    "abs": "ct.absolute(x), or abs(x)",
    "exp": "ct.exp(x)",
    "log": "ct.log(x)",
    "sqrt": "ct.sqrt(x)",
    "tanh": "ct.tanh(x)",
    "softmax": "ct.softmax(x)",
    "clamp": "x.clip(low, high)",
    "expand": "ct.broadcast_to(x, shape)",
    "contiguous": "it is not needed",
    "zero_": "x.zerograd() of a gradient, x.array[...] = 0 of elements",
    "requires_grad_": "ct.Variable(array, requires_grad=True)",
    "grad_fn": "x.creator",
    "is_leaf": "x.creator is None",
    "retain_grad": "x.backward(retain_grad=True)",
    "dot": "ct.matmul(x, y), or x @ y",
    "at": "x[indices] = values",
    "block_until_ready": "it is not needed",
    "xp": "numpy, of x.array",
}

#: Of a module.
MODULE = {
    "train": "with ct.train_mode(): (a setting of the thread, and the default)",
    "eval": "with ct.test_mode(): (a setting of the thread)",
    "training": "ct.config.train",
    "zero_grad": "model.cleargrads()",
    "zerograds": "model.cleargrads()",
    "cuda": 'model.to("cuda:0")',
    "cpu": 'model.to("cpu")',
    "to_gpu": 'model.to("cuda:0")',
    "to_cpu": 'model.to("cpu")',
    "requires_grad_": "model.freeze() and model.unfreeze()",
    "num_parameters": "model.count_parameters()",
    "register_buffer": "self.name = ct.State(array)",
    "register_parameter": "self.name = ct.Parameter(array)",
    "add_module": "self.name = module",
    "add_link": "self.name = module",
    "init_scope": "attributes are found without it: self.name = module",
    "params": "model.parameters()",
    "namedparams": "model.named_parameters()",
    "save": "ct.save(file, model)",
    "load": "ct.load(file, model)",
    "half": 'ct.using_config("dtype", "float16") around the making of the model',
}

#: Of layers with a weight.
LAYER = {"weight": "layer.W", "bias": "layer.b", "kernel": "layer.W"}

#: Of an optimizer.
OPTIMIZER = {
    "lr": "its numbers are those of optimizer.hyperparameters; Adam's step is alpha",
    "step": "optimizer.update()",
    "zero_grad": "model.cleargrads()",
    "minimize": "optimizer.update(loss_function, x, t)",
    "apply_gradients": "optimizer.update(gradients)",
    "param_groups": "optimizer.update_rules(), and optimizer.update_rule(parameter)[name]",
    "add_param_group": "optimizer.add_params(parameters)",
}


class _Elsewhere:
    """An attribute that is not there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> NoReturn:
        kind = owner.__name__
        raise AttributeError(f"'{kind}' object has no attribute '{self._name}': {self._text}")


def attach(kind: Any, hints: Mapping[str, str]) -> None:
    """Lets an attribute that the class lacks say what it is called here."""
    for name, text in hints.items():
        if name not in vars(kind):
            missing = _Elsewhere(text)
            missing.__set_name__(kind, name)
            setattr(kind, name, missing)
    kind.__dir__ = _names


def _names(self: Any) -> list[str]:
    """What dir() lists: not what is elsewhere."""
    missing = {
        name
        for kind in type(self).__mro__
        for name, member in vars(kind).items()
        if isinstance(member, _Elsewhere)
    }
    return [name for name in object.__dir__(self) if name not in missing]


def missing(module: str, name: str, hints: Mapping[str, str]) -> AttributeError:
    """What a module's __getattr__ raises."""
    text = f": {hints[name]}" if name in hints else ""
    return AttributeError(f"module '{module}' has no attribute '{name}'{text}")
