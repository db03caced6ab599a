"""write_resize_cases.py FOLDER: models of one Resize with what ONNX Runtime gives for them, in the form of
write_node_cases.py: all coordinate modes, whole and fractional scales, up and down."""
import itertools
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(3)
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
random = numpy.random.default_rng(0)

places = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"]
nearest_modes = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
# Rows and columns, and what they are resized by: 10 by 0.7 is 7 in float32 and less in more precision.
scales = [((9, 7), (1.5, 1.5)), ((8, 8), (2, 2)), ((5, 10), (0.6, 0.7)), ((4, 7), (0.3, 2.3)), ((6, 6), (1, 0.5))]
sizes = [((9, 7), (13, 10)), ((8, 6), (3, 4)), ((5, 4), (1, 9))]


def case(name, by, shape, target, opset=18, **attributes):
    x = random.standard_normal((1, 2, *shape)).astype(numpy.float32)
    roi = numpy.array([0, 0, 0.1, 0.2, 1, 1, 0.8, 0.9], numpy.float32)
    crops = attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    roi_wanted = crops or opset in (11, 12)  # an input that later became optional
    values = numpy.array([1, 1, *target], numpy.float32) if by == "scales" else numpy.array([1, 2, *target], numpy.int64)
    inputs = ["x", "roi" if roi_wanted else "", "s", ""] if by == "scales" else ["x", "roi" if roi_wanted else "", "", "s"]
    if opset < 11:
        inputs = ["x", "s"]
    graph = helper.make_graph(
        [helper.make_node("Resize", inputs, ["y"], **attributes)], "resize",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(values, "s")] + ([numpy_helper.from_array(roi, "roi")] if roi_wanted else []))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    text = model.SerializeToString()
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    y, = session.run(None, {"x": x})
    place = folder / name
    place.mkdir(exist_ok=True)
    (place / "model.onnx").write_bytes(text)
    (place / "input_0.pb").write_bytes(numpy_helper.from_array(x).SerializeToString())
    (place / "output_0.pb").write_bytes(numpy_helper.from_array(y).SerializeToString())
    return f"{name} 1e-4 1e-5 a a 0"


lines = []
for place, (by, (shape, target)) in itertools.product(places, [("scales", s) for s in scales] + [("sizes", s) for s in sizes]):
    if place == "tf_crop_and_resize" and 1 in target and by == "scales":
        continue  # ONNX Runtime leaves an axis whose scale is 1 as it is, crop or not; ONNX says it is cropped.
    name = "{}_{}x{}_by_{}_{}_{}".format(place, *shape, by, *target)
    common = {"coordinate_transformation_mode": place}
    lines.append(case("linear_" + name, by, shape, target, mode="linear", **common))
    for nearest in nearest_modes:
        if place == "half_pixel_symmetric" and nearest == "floor" and shape == (5, 10):
            continue  # A position that is whole, or a unit in the last place less, by the order of operations.
        lines.append(case(f"nearest_{nearest}_{name}", by, shape, target, mode="nearest", nearest_mode=nearest, **common))
    # ONNX Runtime has no cubic crop, and samples all of the image when it crops.
    if place != "tf_crop_and_resize":
        for exclude in (0, 1):
            lines.append(case(f"cubic_{exclude}_{name}", by, shape, target, mode="cubic", exclude_outside=exclude, **common))
for shape, target in scales:
    name = "{}x{}_by_{}_{}".format(*shape, *target)
    lines.append(case("opset_10_linear_" + name, "scales", shape, target, opset=10, mode="linear"))
    if min(target) >= 1:
        lines.append(case("opset_10_nearest_" + name, "scales", shape, target, opset=10, mode="nearest"))
    lines.append(case("opset_11_for_nn_" + name, "scales", shape, target, opset=11, mode="nearest", nearest_mode="floor",
                      coordinate_transformation_mode="tf_half_pixel_for_nn"))
(folder / "cases.txt").write_text(f"{onnxruntime.__version__}\n" + "\n".join(lines) + "\n")
