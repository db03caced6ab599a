"""Which of cuDNN's engines there are on this card for ResNet-50's convolutions, and what they take.

    engines.py [--images 64] [--types bfloat16,float16] > engines.tsv

About a minute; needs PyTorch and the package nvidia-cudnn-frontend. For each layer, direction and
type: every engine that cuDNN's heuristics (mode A, then the fallback) name, in their order, with
its time, its workspace, and whether Catena's rules allow it: not those that vary, sum in less than
float32, round inputs, or use FFT or large Winograd tiles. Some engines that mode A names cannot be
planned without a device, so only a card tells which is taken; the fallback copies images into its
workspace. The last lines, with #, are sums over all layers: by the fastest engine of all, by the
fastest that is allowed, and by the first that is allowed, which Catena takes without
CATENA_AUTOTUNE.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import cudnn
import torch

NOTES = cudnn.numerical_note
REFUSED = [
    NOTES.NONDETERMINISTIC,
    NOTES.REDUCED_PRECISION_REDUCTION,
    NOTES.DOWN_CONVERT_INPUTS,
    NOTES.FFT,
    NOTES.WINOGRAD_TILE_4x4,
    NOTES.WINOGRAD_TILE_6x6,
    NOTES.WINOGRAD_TILE_13x13,
]
TYPES = {
    "bfloat16": cudnn.data_type.BFLOAT16,
    "float16": cudnn.data_type.HALF,
    "float32": cudnn.data_type.FLOAT,
}
MOST_ENGINES = 12


class Layer(NamedTuple):
    inputs: int
    outputs: int
    size: int
    window: int
    stride: int

    def shapes(self, images: int) -> dict[str, tuple[int, ...]]:
        result = (self.size + 2 * (self.window // 2) - self.window) // self.stride + 1
        return {
            "x": (images, self.inputs, self.size, self.size),
            "w": (self.outputs, self.inputs, self.window, self.window),
            "y": (images, self.outputs, result, result),
        }


class Engine(NamedTuple):
    name: str
    ms: float
    workspace: int


def resnet50_layers() -> dict[Layer, int]:
    """Each with how often it occurs."""
    layers = {Layer(3, 64, 224, 7, 2): 1}
    channels, size = 64, 56
    for width, count, first_stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            stride = first_stride if i == 0 else 1
            out = size // stride
            block = [Layer(channels, width, size, 1, 1), Layer(width, width, size, 3, stride)]
            block.append(Layer(width, 4 * width, out, 1, 1))
            if stride != 1 or channels != 4 * width:
                block.append(Layer(channels, 4 * width, size, 1, stride))
            for layer in block:
                layers[layer] = layers.get(layer, 0) + 1
            channels, size = 4 * width, out
    return layers


def channels_last(shape: tuple[int, ...]) -> list[int]:
    _, c, h, w = shape
    return [c * h * w, 1, c * w, c]


def graph(
    handle: Any, direction: str, layer: Layer, data_type: Any, tensors: dict[str, torch.Tensor]
) -> tuple[Any, dict[Any, torch.Tensor]]:
    """The convolution, or a gradient of it, and which tensor stands for which of its operands."""
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    g = cudnn.pygraph(
        io_data_type=data_type,
        intermediate_data_type=cudnn.data_type.FLOAT,
        compute_data_type=cudnn.data_type.FLOAT,
        handle=handle,
    )
    made = {
        name: g.tensor(name=name, dim=list(s), stride=channels_last(s), data_type=data_type)
        for name, s in shapes.items()
    }
    pad, stride = [layer.window // 2] * 2, [layer.stride] * 2
    window = {"padding": pad, "stride": stride, "dilation": [1, 1]}
    if direction == "forward":
        result, name = g.conv_fprop(image=made["x"], weight=made["w"], **window), "y"
    elif direction == "images":
        result, name = g.conv_dgrad(loss=made["y"], filter=made["w"], **window), "x"
    else:
        result, name = g.conv_wgrad(image=made["x"], loss=made["y"], **window), "w"
    result.set_output(True).set_data_type(data_type)
    result.set_dim(list(shapes[name])).set_stride(channels_last(shapes[name]))
    g.validate()
    g.build_operation_graph()
    g.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    operands = {result if key == name else made[key]: tensors[key] for key in shapes}
    return g, operands


def timed_plan(handle: Any, g: Any, operands: dict[Any, torch.Tensor], index: int) -> Engine:
    g.build_plan_at_index(index)
    workspace = g.get_workspace_size_plan_at_index(index)
    scratch = torch.empty(max(workspace, 1), dtype=torch.uint8, device="cuda")

    def run() -> None:
        g.execute_plan_at_index(operands, scratch, index, handle=handle)

    run()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(5):
        run()
    end.record()
    end.synchronize()
    return Engine(g.get_plan_name_at_index(index), start.elapsed_time(end) / 5, workspace)


def engines(strict: bool, handle: Any, *what: Any) -> list[Engine]:
    g, operands = graph(handle, *what)
    if strict:
        g.deselect_numeric_notes(REFUSED)
    g.check_support()
    found = []
    for index in range(min(g.get_execution_plan_count(), MOST_ENGINES)):
        try:
            found.append(timed_plan(handle, g, operands, index))
        except cudnn.cudnnGraphNotSupportedError:
            continue
    return found


def cases(type_name: str, images: int) -> Iterator[tuple[str, Layer, dict[str, torch.Tensor]]]:
    for layer in resnet50_layers():
        tensors = {
            name: torch.randn(shape, device="cuda")
            .to(getattr(torch, type_name))
            .to(memory_format=torch.channels_last)
            for name, shape in layer.shapes(images).items()
        }
        for direction in ("forward", "images", "weights"):
            if direction != "images" or layer.inputs != 3:
                yield direction, layer, tensors


def tell(type_name: str, images: int) -> None:
    handle = cudnn.create_handle()
    counts, sums = resnet50_layers(), {}
    for direction, layer, tensors in cases(type_name, images):
        what = f"{type_name}\t{direction}\t{tuple(layer)}\t{counts[layer]}"
        try:
            every, allowed = (
                engines(strict, handle, direction, layer, TYPES[type_name], tensors)
                for strict in (False, True)
            )
        except Exception as error:  # Of cuDNN: the other layers are told.
            print(f"{what}\tfailed: {str(error).splitlines()[0][:100]}", flush=True)
            continue
        names = {engine.name for engine in allowed}
        for engine in every:
            is_allowed = "yes" if engine.name in names else "no"
            megabytes = engine.workspace / 1e6
            print(f"{what}\t{engine.name}\t{engine.ms:.4f}\t{megabytes:.1f}\t{is_allowed}")
        for label, found in (
            ("the fastest", min((engine.ms for engine in every), default=None)),
            ("the fastest allowed", min((engine.ms for engine in allowed), default=None)),
            ("the first allowed", allowed[0].ms if allowed else None),
        ):
            key = direction, label
            if found is not None:
                sums[key] = sums.get(key, 0.0) + counts[layer] * found
    for (direction, label), ms in sorted(sums.items()):
        print(f"# {type_name} {direction}, {label}: {ms:.3f} ms for all layers", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=64)
    parser.add_argument("--types", default="bfloat16,float16")
    options = parser.parse_args()
    print("type\tdirection\tlayer\tcount\tengine\tms\tworkspace MB\tallowed")
    for type_name in options.types.split(","):
        tell(type_name, options.images)


if __name__ == "__main__":
    main()
