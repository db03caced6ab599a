"""The rows of goals.tsv in PyTorch: the models of `catena bench`, eager and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from peer_timing import Step, Timing, say
from torch import Tensor, nn

HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def make_timing(device: str, seconds: float, left: float, divisor: int) -> Timing:
    on_gpu = device.startswith("cuda")

    def after_row() -> None:
        torch._dynamo.reset()
        if on_gpu:
            torch.cuda.empty_cache()

    wait = torch.cuda.synchronize if on_gpu else (lambda: None)
    return Timing(device, seconds, left, divisor, wait, after_row)


def use_tf32(on: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = on
    torch.backends.cudnn.allow_tf32 = on


def compiled(function: Callable[..., Any], variant: str) -> Callable[..., Any]:
    """`variant`: eager, compile, or a mode of torch.compile."""
    if variant == "eager":
        return function
    return torch.compile(function, mode=None if variant == "compile" else variant)


def ceilings(timing: Timing) -> None:
    """What no program on this card exceeds: copies, and products of large matrices."""
    size = timing.cut(1 << 30)
    x, y = (torch.empty(size, dtype=torch.uint8, device=timing.device) for _ in range(2))
    ms = timing.times_of(lambda: y.copy_(x))["pipelined_ms"]
    say(peer="ceiling", workload="large copy", ms=ms, gbytes_per_s=round(2 * size / ms / 1e6))
    side = timing.cut(8192)
    for dtype, tf32, name in (
        (torch.bfloat16, False, "bfloat16"),
        (torch.float16, False, "float16"),
        (torch.float32, True, "tf32"),
        (torch.float32, False, "float32"),
    ):
        use_tf32(tf32)
        a, b = (torch.randn(side, side, device=timing.device).to(dtype) for _ in range(2))
        ms = timing.times_of(lambda a=a, b=b: a @ b)["pipelined_ms"]
        tflops = round(2 * side**3 / ms / 1e9, 1)
        say(peer="ceiling", workload="large product", precision=name, ms=ms, tflops=tflops)


# ---- training steps


def training(
    model: nn.Module, optimizer: torch.optim.Optimizer, loss: Callable[..., Tensor], *inputs: Tensor
) -> Step:
    """`loss` calls the model; its gradients are unscaled."""

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss(*inputs).backward()
        optimizer.step()

    return step


def scaled_training(
    model: nn.Module, optimizer: torch.optim.Optimizer, loss: Callable[..., Tensor], *inputs: Tensor
) -> Step:
    """As float16 needs it."""
    scaler = torch.amp.GradScaler(inputs[0].device.type)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss(*inputs)).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def casting(timing: Timing, precision: str) -> Any:
    dtype = HALVES.get(precision)
    kind = timing.device.split(":")[0]
    return torch.autocast(kind, dtype or torch.bfloat16, enabled=dtype is not None)


def train_row(
    timing: Timing,
    workload: str,
    variant: str,
    precision: str,
    prepare: Callable[[], tuple[nn.Module, torch.optim.Optimizer, Callable[..., Tensor], tuple]],
    operations: float = 0.0,
    items: float = 0.0,
) -> None:
    def make() -> Step:
        use_tf32(precision == "tf32")
        model, optimizer, loss, inputs = prepare()

        def cast_loss(*inputs: Tensor) -> Tensor:
            with casting(timing, precision):
                return loss(*inputs)

        train = scaled_training if precision == "float16" else training
        return train(model, optimizer, compiled(cast_loss, variant), *inputs)

    timing.measure("torch-" + variant, workload, precision, make, operations, items)


def small(timing: Timing, variant: str) -> None:
    """`mlp` and `lenet` of `catena bench`."""
    device = timing.device

    def mlp() -> Any:
        layers = [nn.Linear(784, 1000), nn.ReLU(), nn.Linear(1000, 1000), nn.ReLU()]
        model = nn.Sequential(*layers, nn.Linear(1000, 10)).to(device)
        x, t = torch.rand(100, 784, device=device), torch.randint(0, 10, (100,), device=device)
        optimizer = torch.optim.Adam(model.parameters(), 1e-3)
        return model, optimizer, lambda x, t: F.cross_entropy(model(x), t), (x, t)

    def lenet() -> Any:
        layers = [nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5)]
        layers += [nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU()]
        layers += [nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
        model = nn.Sequential(*layers).to(device)
        x, t = torch.rand(64, 1, 28, 28, device=device), torch.randint(0, 10, (64,), device=device)
        optimizer = torch.optim.SGD(model.parameters(), 1e-2)
        return model, optimizer, lambda x, t: F.cross_entropy(model(x), t), (x, t)

    train_row(timing, "mlp", variant, "float32", mlp)
    train_row(timing, "lenet", variant, "float32", lenet)


# ---- ResNet-50


class Bottleneck(nn.Module):
    def __init__(self, channels: int, width: int, stride: int):
        super().__init__()

        def unit(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Sequential:
            convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
            return nn.Sequential(convolution, nn.BatchNorm2d(outputs))

        out = 4 * width
        self.reduce, self.window = unit(channels, width, 1), unit(width, width, 3, stride)
        self.expand = unit(width, out, 1)
        same = stride == 1 and channels == out
        self.shortcut = nn.Identity() if same else unit(channels, out, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        h = self.expand(F.relu(self.window(F.relu(self.reduce(x)))))
        return F.relu(h + self.shortcut(x))


def resnet50_model() -> nn.Module:
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(Bottleneck(channels, width, stride if i == 0 else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


def resnet50(
    timing: Timing,
    images: int,
    variant: str,
    precision: str,
    channels_last: bool,
    deterministic: bool = False,
) -> None:
    """With channels last and a fused optimizer: as fast as PyTorch's users make it."""
    device, count = timing.device, timing.cut(images)
    size = max(32, timing.cut(224))

    def prepare() -> Any:
        torch.backends.cudnn.benchmark = not deterministic
        torch.backends.cudnn.deterministic = deterministic
        order = torch.channels_last if channels_last else torch.contiguous_format
        model = resnet50_model().to(device).to(memory_format=order)
        x = torch.randn(count, 3, size, size, device=device).to(memory_format=order)
        t = torch.arange(count, device=device) * 37 % 1000
        fused = device.startswith("cuda")
        optimizer = torch.optim.SGD(model.parameters(), 0.1, 0.9, fused=fused)
        return model, optimizer, lambda x, t: F.cross_entropy(model(x), t), (x, t)

    name = "resnet50" if images == 4 else f"resnet50_{images}"
    name += "_deterministic" if deterministic else ""
    operations = 3 * 8.18e9 * count * (size / 224) ** 2
    train_row(timing, name, variant, precision, prepare, operations, count)


# ---- GPT-2


class Block(nn.Module):
    """Pre-norm, causal attention, GELU in its tanh form."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, n, width = x.shape
        parts = self.qkv(self.norm1(x)).split(width, 2)
        q, k, v = (p.view(batch, n, self.heads, -1).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(y.transpose(1, 2).reshape(batch, n, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, words: int, positions: int, width: int, blocks: int):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.positions = nn.Parameter(torch.zeros(positions, width))
        nn.init.normal_(self.embed.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, width // 64) for _ in range(blocks))
        self.norm = nn.LayerNorm(width)

    def forward(self, words: Tensor) -> Tensor:
        h = self.embed(words) + self.positions[: words.shape[1]]
        for block in self.blocks:
            h = block(h)
        return F.linear(self.norm(h), self.embed.weight)


def gpt_width(timing: Timing) -> int:
    """A multiple of the heads' 64."""
    return max(64, timing.cut(768) // 64 * 64)


def gpt_block(timing: Timing, variant: str, precision: str) -> None:
    device = timing.device
    batch, n, width = timing.cut(8), timing.cut(1024), gpt_width(timing)

    def prepare() -> Any:
        model = Block(width, width // 64).to(device)
        optimizer = torch.optim.Adam(model.parameters(), 3e-4, fused=device.startswith("cuda"))
        x = torch.randn(batch, n, width, device=device)
        return model, optimizer, lambda x: model(x).float().square().mean(), (x,)

    operations = batch * (72 * width**2 * n + 6 * width * n**2)
    train_row(timing, "gpt2_block", variant, precision, prepare, operations, batch * n)


def gpt(timing: Timing, batch: int, n: int, name: str, variant: str, precision: str) -> None:
    device, width, blocks = timing.device, gpt_width(timing), timing.cut(12)
    batch, n, words = timing.cut(batch), timing.cut(n), timing.cut(50257)

    def prepare() -> Any:
        model = Gpt(words, max(n, timing.cut(1024)), width, blocks).to(device)
        fused = device.startswith("cuda")
        optimizer = torch.optim.AdamW(model.parameters(), 3e-4, weight_decay=0.01, fused=fused)
        x, t = (torch.randint(0, words, (batch, n), device=device) for _ in range(2))
        return (
            model,
            optimizer,
            lambda x, t: F.cross_entropy(model(x).flatten(0, 1), t.flatten()),
            (
                x,
                t,
            ),
        )

    a_word = 6 * (12 * width**2 * blocks + words * width) + 6 * blocks * width * n
    train_row(timing, name, variant, precision, prepare, batch * n * a_word, batch * n)


# ---- single functions


def with_gradient(
    timing: Timing, peer: str, workload: str, function: Callable[..., Tensor], *shapes: tuple
) -> None:
    def make() -> Step:
        xs = [torch.randn(shape, device=timing.device).requires_grad_() for shape in shapes]
        called = compiled(function, peer)
        gy = torch.randn_like(function(*xs))

        def step() -> None:
            for x in xs:
                x.grad = None
            called(*xs).backward(gy)

        return step

    timing.measure("torch-" + peer, workload, "float32", make)


def attention(timing: Timing) -> None:
    """8 x 12 heads x 1024 words x 64, causal, forward and backward, by each of PyTorch's ways."""
    backends = nn.attention.SDPBackend
    batch, n = timing.cut(8), timing.cut(1024)

    def make(backend: Any) -> Step:
        shape = (batch, 12, n, 64)
        q, k, v = (
            torch.randn(shape, device=timing.device).bfloat16().requires_grad_() for _ in range(3)
        )
        gy = torch.randn_like(q)

        def step() -> None:
            q.grad = k.grad = v.grad = None
            with nn.attention.sdpa_kernel(backend):
                F.scaled_dot_product_attention(q, k, v, is_causal=True).backward(gy)

        return step

    for name, backend in (
        ("flash", backends.FLASH_ATTENTION),
        ("cudnn", backends.CUDNN_ATTENTION),
        ("math", backends.MATH),
    ):
        operations = 3.5 * 2 * batch * 12 * n**2 * 64
        timing.measure(
            "torch-" + name,
            "attention_8x12x1024x64",
            "bfloat16",
            lambda backend=backend: make(backend),
            operations,
        )


def functions(timing: Timing) -> None:
    attention(timing)
    with_gradient(
        timing,
        "compile",
        "layer_norm",
        lambda x, g, b: F.layer_norm(x, x.shape[1:], g, b),
        (timing.cut(4096), 1024),
        (1024,),
        (1024,),
    )
    with_gradient(
        timing,
        "compile",
        "gelu_chain",
        lambda x, a, b, c: F.gelu(x * a + b, approximate="tanh") * torch.sigmoid(x) + c,
        *[(timing.cut(4 << 20),)] * 4,
    )
