#!/usr/bin/env python3
"""Values of special functions over their ranges, from mpmath with 40 digits, written to special_values.inc beside this file.

A line is VALUE("function", a, b, y): y is the function of a, or of a and b (where b is not NaN)."""
import pathlib

import mpmath as mp

mp.mp.dps = 40
lines = []


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def quantile(p):
    """The inverse of the normal distribution's integral, by Newton's method on its logarithm."""
    if p > mp.mpf(1) / 2:
        return -quantile(1 - p)
    x = -mp.sqrt(-2 * mp.log(p)) if p < mp.mpf("0.1") else (p - mp.mpf(1) / 2) * 2.5
    for _ in range(200):
        integral = mp.ncdf(x)
        step = (mp.log(integral) - mp.log(p)) * integral / mp.npdf(x)
        x -= step
        if abs(step) < mp.mpf(10) ** -36:
            break
    return x


def lgamma(x):
    return mp.log(abs(mp.gamma(x)))


def add(name, f, points):
    """At float32 numbers, so that both precisions are asked the same."""
    import struct
    for point in points:
        point = point if isinstance(point, tuple) else (point,)
        point = [struct.unpack("f", struct.pack("f", x))[0] for x in point]
        y = f(*(mp.mpf(x) for x in point))
        b = repr(point[1]) if len(point) > 1 else "NAN"
        lines.append(f'VALUE("{name}", {point[0]!r}, {b}, {mp.nstr(y, 20)})')


unit = [1e-30, 1e-6, 1e-3, 0.01, 0.1, 0.24, 0.4, 0.49, 0.51, 0.6, 0.7, 0.84, 0.86, 0.95, 0.99, 0.999, 0.99999]
signed = [s * x for x in unit for s in (-1, 1)]
wide = [1e-30, 1e-3, 0.1, 0.4, 0.6, 0.65, 0.67, 0.99, 1.01, 2.4, 2.42, 5, 30, 1e3, 1e6, 1e12]
add("arcsin", mp.asin, signed)
add("arccos", mp.acos, signed)
add("arctanh", mp.atanh, signed)
add("arctan", mp.atan, [s * x for x in wide for s in (-1, 1)])
add("arcsinh", mp.asinh, [s * x for x in wide for s in (-1, 1)])
add("arccosh", mp.acosh, [1.0001, 1.01, 1.5, 2, 10, 1e3, 1e8, 2e8, 1e15])
add("arctan2", mp.atan2, [(a, b) for a in (-3.0, -0.5, 0.01, 2.0) for b in (-2.5, -0.01, 0.5, 3.0, 1e6)])
add("exp2", lambda x: mp.power(2, x), [-100, -3.7, -0.1, 0.01, 0.5, 10.3, 60.7])
add("sinc", lambda x: mp.sinc(mp.pi * x), [0.001, 0.1, 0.3, 0.5, 1.5, -2.3, 0.9])
add("erfcx", erfcx, [-8, -5.3, -3.1, -1, -0.3, -1e-3, 0, 1e-3, 0.3, 0.5, 1, 2, 3.75, 5, 10, 30, 100])
add("erfinv", lambda x: quantile((1 + x) / 2) / mp.sqrt(2), [s * x for x in unit[1:] for s in (-1, 1)])
add("erfcinv", lambda x: -quantile(x / 2) / mp.sqrt(2), [1e-30, 1e-10, 1e-6, 0.01, 0.1, 0.14, 0.3, 0.9, 1.1, 1.8, 1.999])
add("ndtr", mp.ncdf, [-12, -8, -5, -2, -1, -0.1, 0, 0.5, 1, 3, 6])
add("log_ndtr", lambda x: mp.log(mp.ncdf(x)), [-30, -12, -5, -2, -1.01, -0.99, -0.1, 0, 0.5, 1, 3, 6, 9])
add("ndtri", quantile, [1e-30, 1e-12, 1e-6, 0.01, 0.05, 0.07, 0.08, 0.2, 0.4, 0.49, 0.6, 0.9, 0.93, 0.99])
add("lgamma", lgamma, [1e-30, 1e-4, 0.1, 0.49, 0.51, 0.9, 0.99, 0.9999, 1.0001, 1.2, 1.49, 1.51, 1.99, 2.0001, 2.49, 2.51,
                       3.3, 5.5, 7.9, 8, 8.1, 20, 150, 1e5, 1e10, -0.1, -0.5, -1.3, -3.7, -10.4, -1e-20])
add("digamma", lambda x: mp.psi(0, x), [1e-20, 1e-4, 0.1, 0.9, 0.999, 1.001, 1.3, 1.46, 1.4616, 1.462, 1.7, 1.99, 2.01, 5,
                                        9.9, 10.1, 50, 1e4, 1e10, -0.1, -0.7, -1.3, -4.6])
orders = [(n, x) for n in (0, 1, 2, 3, 5, 9, 14) for x in (0.02, 0.5, 1, 1.7, 6, 12.5, 80)]
add("polygamma", lambda n, x: mp.psi(int(n), x), orders + [(n, x) for n in (0, 1, 2, 3, 4) for x in (-0.3, -1.6, -5.2)])
add("zeta", lambda x, q: mp.zeta(x, q), [(x, q) for x in (1.01, 1.5, 2, 3, 4.7, 10, 25) for q in (0.05, 0.5, 1, 2.5, 9, 11, 40)
                                         if not (x == 25 and q == 40)])
path = pathlib.Path(__file__).with_suffix(".inc")
path.write_text("// Written by special_values.py.\n" + "\n".join(lines) + "\n")
