"""write_node_cases.py FOLDER: the node tests of the onnx package as files. cases.txt has a line for each: name, relative
and absolute tolerance, what the inputs and the outputs are, and 1 where the result is random. Values are a (an array), s3 (a
sequence of three), n (nothing) or x (something else), with commas between them; - if there are none."""
import pathlib
import sys
import warnings

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

warnings.simplefilter("ignore")
# The absolute tolerance with which onnx runs these on its own reference (onnx/test/test_backend_reference.py): NumPy
# transforms complex64 in float32, so that 1.9e-7 stands where 0 is right.
transforms = {"test_dft", "test_dft_axis", "test_dft_inverse"}
absolute = {name + opset: 1e-6 for name in transforms for opset in ("", "_opset19")}


def is_random(case):
    """Operators that onnx.defs calls non-deterministic, but for those that are so through their subgraphs. onnx excludes
    test_bernoulli from its own run for the same reason."""
    for node in case.model.graph.node:
        if node.op_type == "Dropout":
            inputs = case.data_sets[0][0]
            if len(inputs) > 2 and inputs[2] and inputs[1] > 0:
                return True
        elif "Random" in node.op_type or node.op_type in ("Bernoulli", "Multinomial"):
            determinism = onnx.defs.get_schema(node.op_type).node_determinism
            return determinism == onnx.defs.OpSchema.NodeDeterminism.NonDeterministic
    return False


def write_array(path, value):
    tensor = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(numpy.asarray(value))
    path.write_bytes(tensor.SerializeToString())


def is_array(value):
    return isinstance(value, (numpy.ndarray, numpy.generic, onnx.TensorProto))


def write_values(place, prefix, values):
    """The arrays of these values; returns what they are."""
    kinds = []
    for i, value in enumerate(values):
        if is_array(value):
            write_array(place / f"{prefix}_{i}.pb", value)
            kinds.append("a")
        elif value is None:
            kinds.append("n")
        elif isinstance(value, (list, tuple)) and all(is_array(v) for v in value):
            for k, element in enumerate(value):
                write_array(place / f"{prefix}_{i}_{k}.pb", element)
            kinds.append(f"s{len(value)}")
        else:
            kinds.append("x")
    return ",".join(kinds) or "-"


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
lines = []
for case in collect_testcases(None):
    place = folder / case.name
    place.mkdir(exist_ok=True)
    (place / "model.onnx").write_bytes(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    atol = absolute.get(case.name, case.atol)
    kinds = [write_values(place, prefix, values) for prefix, values in (("input", inputs), ("output", outputs))]
    lines.append(f"{case.name} {case.rtol} {atol} {kinds[0]} {kinds[1]} {int(is_random(case))}")
(folder / "cases.txt").write_text(f"{onnx.__version__}\n" + "\n".join(lines) + "\n")
