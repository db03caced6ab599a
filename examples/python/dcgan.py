"""Chainer's train_dcgan: a generator of pictures, and a discriminator that tells them from real.

python examples/python/dcgan.py -e 50            # made-up pictures of coloured discs, 16 x 16
python examples/python/dcgan.py --data FILE.npz  # your own: an array "x" [N, 3, 16 k, 16 k], uint8
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import catena as ct
import numpy as np
from catena import nn, optim

NORMAL = ct.initializers.Normal(0.02)


class Generator(nn.Module):
    """z [N, latent] to pictures [N, 3, 4 base, 4 base] in (0, 1)."""

    def __init__(self, latent: int, width: int, base: int) -> None:
        self.latent, self.width, self.base = latent, width, base
        self.l0 = nn.Linear(latent, base * base * width, initial_W=NORMAL)
        self.bn0 = nn.BatchNorm(base * base * width)
        self.dc1 = nn.Deconv2d(width, width // 2, 4, 2, 1, initial_W=NORMAL)
        self.bn1 = nn.BatchNorm(width // 2)
        self.dc2 = nn.Deconv2d(width // 2, width // 4, 4, 2, 1, initial_W=NORMAL)
        self.bn2 = nn.BatchNorm(width // 4)
        self.dc3 = nn.Deconv2d(width // 4, 3, 3, 1, 1, initial_W=NORMAL)

    def forward(self, z: Any) -> ct.Variable:
        h = ct.relu(self.bn0(self.l0(z)))
        h = h.reshape(-1, self.width, self.base, self.base)
        h = ct.relu(self.bn1(self.dc1(h)))
        h = ct.relu(self.bn2(self.dc2(h)))
        return ct.sigmoid(self.dc3(h))


class Discriminator(nn.Module):
    """Pictures to scores [N, 1], high for those of the data."""

    def __init__(self, width: int) -> None:
        self.c0 = nn.Conv2d(None, width // 4, 3, 1, 1, initial_W=NORMAL)
        self.c1 = nn.Conv2d(width // 4, width // 2, 4, 2, 1, initial_W=NORMAL)
        self.bn1 = nn.BatchNorm(width // 2)
        self.c2 = nn.Conv2d(width // 2, width, 4, 2, 1, initial_W=NORMAL)
        self.bn2 = nn.BatchNorm(width)
        self.l3 = nn.Linear(None, 1, initial_W=NORMAL)

    def forward(self, x: Any) -> ct.Variable:
        h = ct.leaky_relu(self.c0(x))
        h = ct.leaky_relu(self.bn1(self.c1(h)))
        h = ct.leaky_relu(self.bn2(self.c2(h)))
        return self.l3(h)


def discs(count: int, size: int = 16) -> np.ndarray:
    """Pictures of one coloured disc each, [count, 3, size, size] in [0, 1]."""
    rows, columns = np.mgrid[:size, :size]
    centre = np.random.uniform(0.3 * size, 0.7 * size, (count, 2, 1, 1))
    radius = np.random.uniform(0.15 * size, 0.3 * size, (count, 1, 1))
    inside = (rows - centre[:, 0]) ** 2 + (columns - centre[:, 1]) ** 2 < radius**2
    colour = np.random.uniform(0.5, 1.0, (count, 3, 1, 1))
    return np.asarray(inside[:, None] * colour, np.float32)


def distance_of_moments(a: np.ndarray, b: np.ndarray) -> float:
    """How far the means and deviations of the pixels of two sets of pictures are apart."""
    means = np.abs(a.mean(0) - b.mean(0)).mean()
    return float(means + np.abs(a.std(0) - b.std(0)).mean())


def write_pictures(path: str, pictures: np.ndarray, columns: int) -> None:
    """A PPM of pictures side by side."""
    rows = len(pictures) // columns
    _, _, height, width = pictures.shape
    sheet = pictures[: rows * columns].reshape(rows, columns, 3, height, width)
    sheet = sheet.transpose(0, 3, 1, 4, 2).reshape(rows * height, columns * width, 3)
    with open(path, "wb") as file:
        file.write(f"P6 {columns * width} {rows * height} 255\n".encode())
        file.write((sheet * 255).astype(np.uint8).tobytes())


def train(options: argparse.Namespace) -> float:
    """The distance of moments between generated and real pictures at the end."""
    if options.data:
        real = ct.load(options.data)["x"].astype(np.float32) / 255
    else:
        real = discs(options.pictures)
    base = real.shape[2] // 4
    generator = Generator(options.n_hidden, options.width, base)
    discriminator = Discriminator(options.width)
    rule = {"alpha": options.alpha, "beta1": 0.5}
    gen_adam = optim.Adam(**rule).setup(generator).add_hook(optim.WeightDecay(1e-4))
    dis_adam = optim.Adam(**rule).setup(discriminator).add_hook(optim.WeightDecay(1e-4))

    def step(x: Any) -> tuple[ct.Variable, ct.Variable]:
        z = ct.random_normal((len(x), options.n_hidden))
        made = generator(z)
        score_real, score_made = discriminator(x), discriminator(made)
        gen_loss = ct.mean(ct.softplus(-score_made))
        dis_loss = ct.mean(ct.softplus(-score_real)) + ct.mean(ct.softplus(score_made))
        generator.cleargrads()
        gen_loss.backward()
        gen_adam.update()
        made.unchain_backward()
        discriminator.cleargrads()
        dis_loss.backward()
        dis_adam.update()
        return gen_loss, dis_loss

    def generated(count: int) -> np.ndarray:
        with ct.test_mode(), ct.no_backprop_mode():
            made: ct.Variable = generator(ct.random_normal((count, options.n_hidden)))
            return made.array

    if not options.eager:
        step = ct.jit(step)
    print(f"distance of moments before training {distance_of_moments(generated(200), real):.4f}")
    batches = ct.data.Batches(real, size=options.batchsize, drop_last=True)
    for epoch in range(1, options.epoch + 1):
        for x in batches:
            gen_loss, dis_loss = step(x)
        if epoch % options.display == 0 or epoch == options.epoch:
            print(
                f"epoch {epoch}: gen/loss {gen_loss.item():.4f} dis/loss {dis_loss.item():.4f}",
                flush=True,
            )
    os.makedirs(options.out, exist_ok=True)
    write_pictures(os.path.join(options.out, "generated.ppm"), generated(100), 10)
    ct.save(os.path.join(options.out, "dcgan.npz"), {"gen": generator, "dis": discriminator})
    return distance_of_moments(generated(200), real)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-i", "--data", help="npz file with pictures x; else they are made up")
    parser.add_argument("--pictures", type=int, default=1000, help="how many are made up")
    parser.add_argument("-b", "--batchsize", type=int, default=50, help="pictures in a mini-batch")
    parser.add_argument("-e", "--epoch", type=int, default=100, help="sweeps over the pictures")
    parser.add_argument("-n", "--n_hidden", type=int, default=32, help="size of z")
    parser.add_argument("--width", type=int, default=64, help="most channels of a layer")
    parser.add_argument("--alpha", type=float, default=2e-4, help="step size of Adam")
    parser.add_argument("--display", type=int, default=1, help="epochs between lines")
    parser.add_argument("-o", "--out", default="result", help="folder for pictures and weights")
    parser.add_argument("--device", default="cpu", help='"cpu" or "cuda:0"')
    parser.add_argument("--eager", action="store_true", help="without the compiler")
    parser.add_argument("--seed", type=int, default=0, help="of weights, pictures and z")
    options = parser.parse_args(arguments)
    np.random.seed(options.seed)
    ct.random.seed(options.seed)
    try:
        with ct.using_device(options.device):
            print(f"distance of moments {train(options):.4f}")
    except (ct.Error, KeyError) as error:
        print(f"dcgan.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
