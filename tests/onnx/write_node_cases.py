"""write_node_cases.py FOLDER: the node tests of the onnx package as files. cases.txt has a line for each: name, relative
and absolute tolerance, how many inputs and outputs; -1 inputs where a value is no tensor."""
import pathlib
import sys
import warnings

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

warnings.simplefilter("ignore")
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
    lines.append(f"{case.name} {case.rtol} {case.atol} {len(inputs) if tensors else -1} {len(outputs)}")
(folder / "cases.txt").write_text(f"{onnx.__version__}\n" + "\n".join(lines) + "\n")
