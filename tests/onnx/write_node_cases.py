"""write_node_cases.py FOLDER: the node tests of the onnx package as files. cases.txt has a line for each: name, relative
and absolute tolerance, how many inputs and outputs, and 1 where the result is random; -1 inputs where a value is no
tensor."""
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


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
lines = []
for case in collect_testcases(None):
    place = folder / case.name
    place.mkdir(exist_ok=True)
    (place / "model.onnx").write_bytes(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    tensors = all(isinstance(v, (numpy.ndarray, numpy.generic, onnx.TensorProto)) for v in [*inputs, *outputs])
    for prefix, values in (("input", inputs), ("output", outputs)) if tensors else ():
        for i, value in enumerate(values):
            tensor = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(numpy.asarray(value))
            (place / f"{prefix}_{i}.pb").write_bytes(tensor.SerializeToString())
    atol = absolute.get(case.name, case.atol)
    count = len(inputs) if tensors else -1
    lines.append(f"{case.name} {case.rtol} {atol} {count} {len(outputs)} {int(is_random(case))}")
(folder / "cases.txt").write_text(f"{onnx.__version__}\n" + "\n".join(lines) + "\n")
