"""write_runtime_models.py FOLDER: models as ONNX Runtime's optimizer and quantizer write them, with inputs and what ONNX Runtime
gives, as files like those of write_node_cases.py. The exit status is 1 when an operator that these tools emit occurs in none."""
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

ort.set_default_logger_severity(3)
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
random = np.random.RandomState(3)
lines, found = [], set()
wanted = {
    "FusedConv", "FusedGemm", "FusedMatMul", "Gelu", "BiasGelu", "FastGelu", "QuickGelu", "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization", "Attention", "MultiHeadAttention", "EmbedLayerNormalization", "QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearAveragePool",
    "QLinearGlobalAveragePool", "QLinearConcat", "QLinearSoftmax", "QLinearWhere", "QGemm", "DynamicQuantizeMatMul",
    "MatMulIntegerToFloat", "DynamicQuantizeLSTM", "QLinearConv", "QLinearMatMul", "DynamicQuantizeLinear", "MatMulInteger",
    "ConvInteger", "QuantizeLinear", "DequantizeLinear"}


def numbers(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


class Graph:
    """Nodes with names for their results; x is the input, the last result the output."""

    def __init__(self, inputs, opset=17):
        self.inputs, self.opset, self.nodes, self.constants = inputs, opset, [], []

    def constant(self, array):
        name = "c%d" % len(self.constants)
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def __call__(self, op, *inputs, outputs=1, domain="", **attributes):
        names = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        results = ["%s_%d_%d" % (op, len(self.nodes), i) for i in range(outputs)]
        self.nodes.append(helper.make_node(op, names, results, domain=domain, name=results[0], **attributes))
        return results[0] if outputs == 1 else results

    def model(self, output, dtype=np.float32):
        kind = helper.np_dtype_to_tensor_dtype
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info(n, kind(x.dtype), x.shape) for n, x in self.inputs.items()],
            [helper.make_tensor_value_info(output, kind(np.dtype(dtype)), None)], self.constants)
        imports = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=8)


def write(name, model, inputs, steps=0):
    """With `steps`, results may differ by so many parts of 255 of their range. The mean of four integers is often half way between
    two: which way it is rounded depends on the last bit, and softmax enlarges the difference."""
    place = folder / name
    place.mkdir(exist_ok=True)
    (place / "model.onnx").write_bytes(model.SerializeToString())
    found.update(node.op_type for node in model.graph.node)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    outputs = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)
    order = [inputs[x.name] for x in model.graph.input if x.name in inputs]
    for prefix, values in (("input", order), ("output", outputs)):
        for i, value in enumerate(values):
            (place / f"{prefix}_{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(value)).SerializeToString())
    spread = max(float(y.max()) - float(y.min()) for y in outputs)
    integers = outputs[0].dtype.kind in "iu"
    absolute = 1e-5 if not steps else steps if integers else steps * spread / 255
    lines.append(f"{name} 1e-4 {absolute} {','.join('a' for _ in order)} {','.join('a' for _ in outputs)} 0")


def optimized(model):
    with tempfile.TemporaryDirectory() as place:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = place + "/model.onnx"
        ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(place + "/model.onnx")


class Reader(CalibrationDataReader):
    def __init__(self, inputs):
        self.rest = [inputs]

    def get_next(self):
        return self.rest.pop() if self.rest else None


def quantized(model, inputs=None, **options):
    with tempfile.TemporaryDirectory() as place:
        onnx.save(model, place + "/in.onnx")
        # Weights of seven bits: on processors without VNNI ONNX Runtime adds two products of bytes in 16 bits, which saturate with eight.
        options["reduce_range"] = True
        quant_pre_process(place + "/in.onnx", place + "/pre.onnx", skip_symbolic_shape=True, skip_optimization=True)
        if inputs is None:
            quantize_dynamic(place + "/pre.onnx", place + "/out.onnx", **options)
        else:
            quantize_static(place + "/pre.onnx", place + "/out.onnx", Reader(inputs), **options)
        return onnx.load(place + "/out.onnx")


def networks():
    image = {"x": numbers(2, 3, 8, 8)}
    g = Graph(image)
    a = g("Relu", g("Conv", "x", numbers(6, 3, 3, 3), numbers(6), pads=[1, 1, 1, 1]))
    b = g("LeakyRelu", g("Conv", a, numbers(6, 6, 3, 3), numbers(6), pads=[1, 1, 1, 1]), alpha=0.1)
    h = g("Add", g("Mul", a, g("Sigmoid", b)), b)
    h = g("Concat", g("MaxPool", h, kernel_shape=[2, 2], strides=[2, 2]), g("AveragePool", h, kernel_shape=[2, 2], strides=[2, 2]), axis=1)
    h = g("Flatten", g("GlobalAveragePool", h))
    y = g("Softmax", g("Gemm", h, numbers(12, 5), numbers(5)), axis=-1)
    yield "convolutions", g.model(y), image
    rows = {"x": numbers(4, 6)}
    g = Graph(rows)
    h = g("Relu", g("Add", g("MatMul", "x", numbers(6, 8)), numbers(8)))
    yield "products", g.model(g("MatMul", h, numbers(8, 3))), rows
    words = {"x": numbers(5, 1, 4)}
    for direction, count in (("forward", 1), ("bidirectional", 2)):
        g = Graph(words)
        y, _, _ = g("LSTM", "x", numbers(count, 24, 4), numbers(count, 24, 6), numbers(count, 48), outputs=3, hidden_size=6,
                    direction=direction)
        yield "lstm_" + direction, g.model(y), words


def write_fused():
    image = {"x": numbers(2, 3, 6, 6), "z": numbers(2, 4, 6, 6)}
    g = Graph(image)
    h = g("Relu", g("Add", g("Conv", "x", numbers(4, 3, 3, 3), numbers(4), pads=[1, 1, 1, 1]), "z"))
    h = g("LeakyRelu", g("Conv", h, numbers(4, 4, 3, 3)), alpha=0.3)
    h = g("HardSigmoid", g("Conv", h, numbers(4, 4, 1, 1)), alpha=0.3, beta=0.4)
    write("fused_convolutions", optimized(g.model(g("Clip", g("Conv", h, numbers(2, 4, 2, 2)), np.float32(-0.4), np.float32(0.6)))), image)
    pair = {"x": numbers(2, 5, 3), "z": numbers(2, 5, 4)}
    g = Graph(pair)
    y = g("Mul", g("MatMul", g("Transpose", "x", perm=[0, 2, 1]), "z"), np.float32(0.25))
    write("fused_product", optimized(g.model(y)), pair)
    rows = {"x": numbers(3, 4)}
    g = Graph(rows)
    h = g("LeakyRelu", g("Gemm", "x", numbers(4, 5), numbers(5), alpha=0.5), alpha=0.2)
    write("fused_gemm", optimized(g.model(g("Relu", g("Gemm", h, numbers(6, 5), numbers(6), transB=1)))), rows)
    words = {"x": numbers(2, 3, 8)}

    def erf_gelu(g, x):
        return g("Mul", g("Mul", x, g("Add", g("Erf", g("Div", x, np.float32(np.sqrt(2)))), np.float32(1))), np.float32(0.5))

    g = Graph(words)
    write("gelu", optimized(g.model(erf_gelu(g, g("Relu", "x")))), words)
    g = Graph(words)
    write("quick_gelu", optimized(g.model(g("Mul", "x", g("Sigmoid", g("Mul", "x", np.float32(1.702)))))), words)
    g = Graph(dict(words, z=numbers(2, 3, 8)))
    y = g("LayerNormalization", g("Add", "x", "z"), numbers(8), numbers(8), axis=-1, epsilon=1e-5)
    write("skip_layer_norm", optimized(g.model(y)), g.inputs)
    for name, op, extra in (("biased_gelu", "BiasGelu", [numbers(8)]), ("fast_gelu", "FastGelu", [numbers(8)]), ("skip_rms", "SkipSimplifiedLayerNormalization", [numbers(2, 3, 8), numbers(8)]),
                            ("skip_layer_norm_bias", "SkipLayerNormalization", [numbers(2, 3, 8), numbers(8), numbers(8), numbers(8)])):
        g = Graph(words)
        write(name, g.model(g(op, "x", *extra, domain="com.microsoft")), words)


def write_quantized():
    steps = 6
    for name, model, inputs in networks():
        dynamic = quantized(model, weight_type=QuantType.QUInt8 if name == "convolutions" else QuantType.QInt8)
        write("dynamic_" + name, dynamic, inputs, steps)
        if name == "products":
            write("dynamic_fused_" + name, optimized(dynamic), inputs, steps)
        if name.startswith("lstm"):
            continue
        for kind in ("QOperator", "QDQ"):
            for activations, per_channel in ((QuantType.QUInt8, False), (QuantType.QInt8, True)):
                static = quantized(model, inputs, quant_format=QuantFormat[kind], activation_type=activations,
                                   weight_type=QuantType.QInt8, per_channel=per_channel)
                label = f"{kind}_{activations.name}_{name}"
                write(label, static, inputs, steps)
                if kind == "QDQ":
                    write("fused_" + label, optimized(static), inputs, steps)


def write_single():
    """Forms that the networks do not have."""
    scale, zero, low = np.float32(0.02), np.uint8(120), np.int8(-3)
    bytes_ = {"x": random.randint(0, 255, (2, 5)).astype(np.uint8), "z": random.randint(0, 255, (2, 5)).astype(np.uint8)}

    def single(name, op, inputs, *given, dtype=np.uint8, **attributes):
        g = Graph(inputs)
        write(name, g.model(g(op, *given, domain="com.microsoft", **attributes), dtype), inputs, 1)

    single("q_where", "QLinearWhere", bytes_, np.array([True, False, True, True, False]), "x", scale, zero, "z", np.float32(0.03),
           np.uint8(100), np.float32(0.04), np.uint8(110))
    single("q_mul", "QLinearMul", bytes_, "x", scale, zero, "z", np.float32(0.03), np.uint8(100), np.float32(0.04), np.uint8(110))
    W, scales = random.randint(-127, 127, (4, 5)).astype(np.int8), np.array([0.01, 0.02, 0.03, 0.015], np.float32)
    x = {"x": bytes_["x"]}
    single("q_gemm", "QGemm", x, "x", scale, zero, W, scales, np.zeros(4, np.int8), random.randint(-500, 500, 4).astype(np.int32),
           dtype=np.float32, alpha=0.5, transB=1)
    single("q_gemm_grid", "QGemm", x, "x", scale, zero, W, np.float32(0.02), low, random.randint(-500, 500, 4).astype(np.int32),
           np.float32(0.1), np.uint8(128), transB=1)
    single("product_to_float", "MatMulIntegerToFloat", x, "x", np.ascontiguousarray(W.T), scale, scales, zero, np.zeros(4, np.int8), numbers(4),
           dtype=np.float32)
    image = {"x": random.randint(0, 255, (1, 3, 4, 4)).astype(np.uint8)}
    single("q_average_pool", "QLinearAveragePool", image, "x", scale, zero, np.float32(0.02), np.uint8(100), kernel_shape=[3, 3],
           pads=[1, 1, 1, 1], strides=[2, 2], count_include_pad=1)
    single("q_global_last", "QLinearGlobalAveragePool", image, "x", scale, zero, np.float32(0.02), np.uint8(100), channels_last=1)
    single("q_softmax", "QLinearSoftmax", x, "x", scale, zero, np.float32(1 / 256), np.uint8(0), axis=-1, opset=13)


def write_transformers():
    words = {"x": numbers(2, 5, 8)}
    W, b = numbers(8, 24), numbers(24)
    masks = {"": [], "_lengths": [np.array([3, 5], np.int32)], "_mask": [np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)],
             "_added": ["", "", numbers(1, 2, 5, 5)]}
    for name, extra in masks.items():
        for causal in (0, 1):
            g = Graph(words)
            inputs = ["x", W, b, *extra]
            y = g("Attention", *inputs, domain="com.microsoft", num_heads=2, unidirectional=causal)
            write(f"attention{name}_{causal}", g.model(y), words)
    g = Graph({"x": numbers(2, 3, 8), "z": numbers(2, 5, 8)})
    y = g("MultiHeadAttention", "x", "z", "z", b, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32), domain="com.microsoft", num_heads=4)
    write("multi_head_attention", g.model(y), g.inputs)
    ids = {"x": np.array([[1, 4, 2], [0, 3, 3]], np.int32)}
    for name, extra in (("embedding", []), ("embedding_mask", [np.array([[1, 1, 0], [1, 1, 1]], np.int32)])):
        g = Graph(ids)
        y, _ = g("EmbedLayerNormalization", "x", np.array([[0, 1, 1], [0, 0, 1]], np.int32), numbers(5, 8), numbers(6, 8), numbers(2, 8),
                 numbers(8), numbers(8), *extra, outputs=2, domain="com.microsoft")
        write(name, g.model(y), ids)


write_fused()
write_transformers()
write_quantized()
write_single()
(folder / "cases.txt").write_text(f"{ort.__version__}\n" + "\n".join(lines) + "\n")
print("missing:", *sorted(wanted - found))
sys.exit(bool(wanted - found))
