"""Times of the same functions in PyTorch, eager and compiled: torch_times.py [--seconds 2] [small] [products] [models]

Products of float32 are rounded as float32 (the first column), as Catena's are; the second column is with TF32, which
PyTorch's convolutions use unless told otherwise. Models and shapes are those of `catena bench` and of
benchmarks/device_models.cpp.
"""
import argparse
import time
import traceback

import torch
import torch.nn.functional as F

device = "cuda"


def use_tf32(on):
    torch.backends.cuda.matmul.allow_tf32 = on
    torch.backends.cudnn.allow_tf32 = on


def median_ms(step, seconds):
    """Of runs after four that warm up, of which the longest is the first's time in seconds."""
    def timed():
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        return time.perf_counter() - start
    first = max(timed() for _ in range(4))
    times = []
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or len(times) < 5:
        times.append(timed())
    return sorted(times)[len(times) // 2] * 1e3, first


class Failures:
    count = 0


def measure(name, variant, make, seconds, operations=0, float32=True):
    """One line. `make` gives the step anew, as what is compiled depends on the precision."""
    try:
        torch._dynamo.reset()
        use_tf32(False)
        ms, first = median_ms(make(), seconds)
        line = "%-26s torch-%-10s %10.3f ms, first %.3f s" % (name, variant, ms, first)
        if float32:
            torch._dynamo.reset()
            use_tf32(True)
            line += ", with TF32 %10.3f ms" % median_ms(make(), seconds)[0]
        if operations:
            line += ", %.1f Tflop/s" % (operations / ms / 1e9)
        print(line, flush=True)
    except Exception:
        Failures.count += 1
        print("%-26s torch-%-10s failed" % (name, variant), flush=True)
        traceback.print_exc()
    finally:
        use_tf32(False)


def compiled_or_not(variant, f):
    return torch.compile(f) if variant == "compiled" else f


# ---- small workloads

def autocast(dtype):
    return torch.autocast(device, dtype, enabled=dtype is not torch.float32)


def training(make, variant, dtype=torch.float32):
    """A step of a classifier: make() gives model, optimizer, x and labels."""
    def made():
        model, optimizer, x, t = make()
        called = compiled_or_not(variant, model)

        def step():
            with autocast(dtype):
                loss = F.cross_entropy(called(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return step
    return made


def mlp():
    layers = [torch.nn.Linear(784, 1000), torch.nn.ReLU(), torch.nn.Linear(1000, 1000), torch.nn.ReLU(),
              torch.nn.Linear(1000, 10)]
    model = torch.nn.Sequential(*layers).to(device)
    return model, torch.optim.Adam(model.parameters(), 1e-3), torch.rand(100, 784, device=device), \
        torch.randint(0, 10, (100,), device=device)


def lenet():
    conv = torch.nn.Conv2d
    layers = [conv(1, 6, 5, padding=2), torch.nn.ReLU(), torch.nn.MaxPool2d(2), conv(6, 16, 5), torch.nn.ReLU(),
              torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(400, 120), torch.nn.ReLU(),
              torch.nn.Linear(120, 84), torch.nn.ReLU(), torch.nn.Linear(84, 10)]
    model = torch.nn.Sequential(*layers).to(device)
    return model, torch.optim.SGD(model.parameters(), 1e-2), torch.rand(64, 1, 28, 28, device=device), \
        torch.randint(0, 10, (64,), device=device)


def function(f, shapes, variant):
    def made():
        xs = [torch.rand(shape, device=device, requires_grad=True) for shape in shapes]
        gy = torch.rand_like(f(*xs))
        g = compiled_or_not(variant, f)

        def step():
            for x in xs:
                x.grad = None
            g(*xs).backward(gy)
        return step
    return made


def small(seconds):
    functions = {
        "gelu_chain": (lambda x, a, b, c: F.gelu(x * a + b, approximate="tanh") * torch.sigmoid(x) + c, [(4 << 20,)] * 4),
        "layer_norm": (lambda x, g, b: F.layer_norm(x, (1024,), g, b), [(4096, 1024), (1024,), (1024,)]),
    }
    for variant in ("eager", "compiled"):
        for name, (f, shapes) in functions.items():
            measure(name, variant, function(f, shapes, variant), seconds)
        for name, make in (("mlp", mlp), ("lenet", lenet)):
            measure(name, variant, training(make, variant), seconds)


# ---- products and convolutions

def product(size, dtype):
    def made():
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        return lambda: a @ b
    return made


def convolution(batch, channels, out, size, window, stride, dtype):
    def made():
        x = torch.randn(batch, channels, size, size, device=device).to(dtype).requires_grad_()
        W = torch.randn(out, channels, window, window, device=device).to(dtype).requires_grad_()
        gy = torch.randn_like(F.conv2d(x, W, None, stride, window // 2))

        def step():
            x.grad = W.grad = None
            F.conv2d(x, W, None, stride, window // 2).backward(gy)
        return step
    return made


def products(seconds):
    batch = 64
    for dtype, text in ((torch.float32, "float32"), (torch.float16, "float16"), (torch.bfloat16, "bfloat16")):
        float32 = dtype == torch.float32
        for size in (1024, 4096):
            measure("matmul %d %s" % (size, text), "eager", product(size, dtype), seconds, 2.0 * size ** 3, float32)
        for channels, out, size, window, stride in ((64, 64, 56, 3, 1), (256, 64, 56, 1, 1), (128, 128, 56, 3, 2),
                                                    (512, 512, 7, 3, 1)):
            result = (size + 2 * (window // 2) - window) // stride + 1
            operations = 3 * 2.0 * batch * out * result ** 2 * channels * window ** 2
            measure("conv %d-%d %dx%d /%d %s" % (channels, out, window, size, stride, text), "eager",
                    convolution(batch, channels, out, size, window, stride, dtype), seconds, operations, float32)


# ---- models

class Bottleneck(torch.nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        out = 4 * width
        self.reduce = torch.nn.Sequential(torch.nn.Conv2d(channels, width, 1, bias=False), torch.nn.BatchNorm2d(width))
        self.window = torch.nn.Sequential(torch.nn.Conv2d(width, width, 3, stride, 1, bias=False),
                                          torch.nn.BatchNorm2d(width))
        self.expand = torch.nn.Sequential(torch.nn.Conv2d(width, out, 1, bias=False), torch.nn.BatchNorm2d(out))
        self.shortcut = torch.nn.Identity()
        if stride != 1 or channels != out:
            self.shortcut = torch.nn.Sequential(torch.nn.Conv2d(channels, out, 1, stride, bias=False),
                                                torch.nn.BatchNorm2d(out))

    def forward(self, x):
        h = self.expand(F.relu(self.window(F.relu(self.reduce(x)))))
        return F.relu(h + self.shortcut(x))


def resnet50():
    layers = [torch.nn.Conv2d(3, 64, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(64), torch.nn.ReLU(),
              torch.nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(Bottleneck(channels, width, stride if i == 0 else 1))
            channels = 4 * width
    layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(2048, 1000)]
    return torch.nn.Sequential(*layers)


def resnet50_training(batch):
    def make():
        model = resnet50().to(device)
        return model, torch.optim.SGD(model.parameters(), 0.1, 0.9), torch.randn(batch, 3, 224, 224, device=device), \
            torch.arange(batch, device=device) * 37 % 1000
    return make


class GptBlock(torch.nn.Module):
    """Of GPT-2 small: pre-norm, causal attention, GELU in its tanh form."""
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_normalization = torch.nn.LayerNorm(width)
        self.perceptron_normalization = torch.nn.LayerNorm(width)
        self.attention, self.projection = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.attention(self.attention_normalization(x)).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.perceptron_normalization(x)), approximate="tanh"))


def gpt_training(variant, dtype=torch.float32):
    def made():
        model = GptBlock(768, 12).to(device)
        called = compiled_or_not(variant, model)
        optimizer = torch.optim.Adam(model.parameters(), 3e-4)
        x = torch.randn(8, 1024, 768, device=device)

        def step():
            with autocast(dtype):
                loss = called(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return step
    return made


def models(seconds):
    for variant in ("eager", "compiled"):
        for dtype, precision in ((torch.float32, ""), (torch.bfloat16, " bfloat16")):
            float32 = dtype is torch.float32
            for batch in (4, 64):
                measure("resnet50 batch %d%s" % (batch, precision), variant,
                        training(resnet50_training(batch), variant, dtype), seconds, 0, float32)
            measure("gpt2 block 8x1024%s" % precision, variant, gpt_training(variant, dtype), seconds, 0, float32)


if __name__ == "__main__":
    parts = {"small": small, "products": products, "models": models}
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--device", default=device)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=[])
    arguments = parser.parse_args()
    device = arguments.device
    torch.manual_seed(0)
    for part in arguments.parts or parts:
        parts[part](arguments.seconds)
    raise SystemExit(1 if Failures.count else 0)
