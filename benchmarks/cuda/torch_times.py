"""Times of the same functions in PyTorch, eager and compiled; prints one line each, as `catena bench` does."""
import time

import torch
import torch.nn.functional as F

torch.manual_seed(0)
device = "cuda"


def median_ms(step, seconds=2.0):
    first = time.perf_counter()
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    first = time.perf_counter() - first
    times = []
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or len(times) < 5:
        t = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - t)
    return sorted(times)[len(times) // 2] * 1e3, first


def training(model, optimizer, x, t):
    def step():
        loss = F.cross_entropy(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return step


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


def function(f, *shapes):
    xs = [torch.rand(shape, device=device, requires_grad=True) for shape in shapes]
    gy = torch.rand_like(f(*xs))

    def make(g):
        def step():
            for x in xs:
                x.grad = None
            g(*xs).backward(gy)
        return step
    return f, make


functions = {
    "gelu_chain": function(lambda x, a, b, c: F.gelu(x * a + b, approximate="tanh") * torch.sigmoid(x) + c,
                           *[(4 << 20,)] * 4),
    "layer_norm": function(lambda x, g, b: F.layer_norm(x, (1024,), g, b), (4096, 1024), (1024,), (1024,)),
}
for name, (f, make) in functions.items():
    for variant, g in (("eager", f), ("compiled", torch.compile(f))):
        print("%-18s torch-%-10s %9.3f ms, first %.3f s" % (name, variant, *median_ms(make(g))))
for name, make in (("mlp", mlp), ("lenet", lenet)):
    for variant in ("eager", "compiled"):
        model, optimizer, x, t = make()
        called = torch.compile(model) if variant == "compiled" else model
        print("%-18s torch-%-10s %9.3f ms, first %.3f s" % (name, variant, *median_ms(training(called, optimizer, x, t))))
