#!/usr/bin/env python3
"""As chainer_values.py, for special functions, linear algebra, Fourier transforms and sparse products: writes
chainer_values_mathematics.json beside this file."""
import json
import pathlib

import chainer
import chainer.functions as F
import numpy as np

from chainer_values import Draw, case, cases


def special():
    d = Draw(11)
    ranges = {"arcsin": (-0.99, 0.99), "arccos": (-0.99, 0.99), "arctan": (-9, 9), "arctanh": (-0.95, 0.95), "sinh": (-4, 4),
              "cosh": (-4, 4), "erf": (-3, 3), "erfc": (-3, 6), "erfcx": (-3, 30), "erfinv": (-0.999, 0.999),
              "erfcinv": (0.001, 1.999), "ndtr": (-6, 6), "log_ndtr": (-30, 6), "ndtri": (0.001, 0.999), "lgamma": (0.1, 40),
              "digamma": (0.1, 40), "expm1": (-2, 2), "log1p": (-0.9, 5), "log2": (0.1, 9), "log10": (0.1, 9)}
    for name, (low, high) in ranges.items():
        case(name, [d.uniform(12, low=low, high=high)])
    case("lgamma", [d.uniform(8, low=-5.9, high=-0.1)], note="negative")
    case("digamma", [d.uniform(8, low=-5.9, high=-0.1)], note="negative")
    case("arctan2", [d.uniform(3, 4), d.uniform(3, 4)])
    case("fmod", [d.uniform(3, 4, low=-9, high=9), d.uniform(3, 4, low=0.5, high=3)],
         run=lambda x, divisor: F.fmod(x, divisor))
    case("polygamma", [d.integers(12, high=6), d.uniform(12, low=0.2, high=9)], run=lambda n, x: F.polygamma(n, x))
    case("zeta", [np.array([1.5, 2, 3, 4.5, 7, 12]), d.uniform(6, low=0.2, high=9)],
         run=lambda x, q: F.zeta(x.array, q))


def matrices():
    d = Draw(12)
    a, batch = d.uniform(4, 4), d.uniform(3, 3, 3)
    case("inv", [a])
    case("batch_inv", [batch])
    case("det", [a])
    case("batch_det", [batch])
    case("squared_difference", [d.uniform(2, 3), d.uniform(2, 3)])
    for transa, transb in ((False, False), (True, True)):
        factors = [d.uniform(2, 3, 3, dtype=np.float32), d.uniform(2, 3, 3, dtype=np.float32)]
        case("batch_matmul", factors, transa=transa, transb=transb)
    case("batch_matmul", [d.uniform(2, 3, dtype=np.float32), d.uniform(2, 3, dtype=np.float32)], transa=True)
    b = d.uniform(3, 3)
    case("cholesky", [np.round(b @ b.T + 2 * np.eye(3), 3)])


def transforms():
    d = Draw(13)
    for n in (1, 6, 7, 16):
        for name in ("fft", "ifft"):
            case(name, [d.uniform(2, n), d.uniform(2, n)], run=lambda *x, f=getattr(F, name): f(x))


def sparse_matmul(data, row, col, b, shape, transa, transb):
    a = chainer.utils.CooMatrix(data.array, row, col, shape)
    a.data = data
    return F.sparse_matmul(a, b, transa, transb)


def sparse():
    d = Draw(14)
    for batch in ((), (2,)):
        for transa in (False, True):
            for transb in (False, True):
                row, col = d.integers(*batch, 5, high=3), d.integers(*batch, 5, high=4)
                size = 3 if transa else 4
                b = d.uniform(*batch, *((2, size) if transb else (size, 2)))
                case("sparse_matmul", [d.uniform(*batch, 5), row, col, b], shape=(3, 4), transa=transa, transb=transb,
                     run=sparse_matmul)


if __name__ == "__main__":
    chainer.config.dtype = np.float64
    special()
    matrices()
    transforms()
    sparse()
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("[\n" + lines + "\n]\n")
    print(f"{len(cases)} calls in {path.name}")
