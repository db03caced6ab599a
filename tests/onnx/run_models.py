"""run_models.py FOLDER: runs every NAME.onnx of a folder in ONNX Runtime on x0, x1, ... of NAME.npz and compares
with y0, y1, ... there. One line a model; the exit status is 1 when one differs. ONNX does not say where the largest of
numbers with NaN is, and versions of ONNX Runtime differ: there the reference of the onnx package decides."""
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator


# A rest by 0 of integers is 0 here, an error in ONNX Runtime, and not said in ONNX.
def is_refused_by_runtimes(error):
    return "Integer modulo by zero" in str(error)


def is_open_to_runtimes(model, inputs):
    places = any(node.op_type in ("ArgMax", "ArgMin") for node in model.graph.node)
    return places and any(x.dtype.kind == "f" and numpy.isnan(x).any() for x in inputs.values())


onnxruntime.set_default_logger_severity(3)
failed = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    data = numpy.load(path.with_suffix(".npz"))
    try:
        onnx.checker.check_model(str(path), full_check=True)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        if any("bfloat16" in x.type for x in session.get_inputs()):
            print(path.stem, "is not run: NumPy has no bfloat16 to give to ONNX Runtime")
            continue
        inputs = {x.name: data["x%d" % i] for i, x in enumerate(session.get_inputs())}
        model = onnx.load(str(path))
        if is_open_to_runtimes(model, inputs):
            results = ReferenceEvaluator(model).run(None, inputs)
        else:
            results = session.run(None, inputs)
    except Exception as error:
        if "NOT_IMPLEMENTED" in str(error):
            print(path.stem, "has no kernel in ONNX Runtime:", str(error).splitlines()[0][:160])
            continue
        if is_refused_by_runtimes(error):
            print(path.stem, "is refused by ONNX Runtime:", str(error).splitlines()[0][:160])
            continue
        print(path.stem, "FAILED:", str(error)[:600])
        failed += 1
        continue
    # ONNX Runtime transforms other sizes than powers of two by chirps, in float32.
    atol = 1e-3 if any(node.op_type == "DFT" for node in onnx.load(str(path)).graph.node) else 1e-5
    for i, y in enumerate(results):
        expected = data["y%d" % i]
        same = y.dtype == expected.dtype and y.shape == expected.shape and numpy.allclose(
            y, expected, rtol=1e-4, atol=atol, equal_nan=True)
        if not same:
            print(path.stem, "FAILED: output", i, y.dtype, y.shape, y.ravel()[:8], "expected", expected.dtype,
                  expected.shape, expected.ravel()[:8])
            failed += 1
            break
    else:
        print(path.stem, "agrees")
sys.exit(failed > 0)
