#!/usr/bin/env python3
"""What Chainer 7.8.1 gives for its distributions, written to chainer_distributions.json beside this file; see chainer_values.py for
how Chainer is installed. Read by chainer_distributions_test.cpp."""
import json
import pathlib
import warnings

import chainer
import chainer.distributions as D
import chainer.functions as F
import numpy as np

from chainer_values import Draw, described, digits

cases = []
PROPERTIES = ("mean", "mode", "variance", "stddev", "entropy", "covariance")
FUNCTIONS = ("log_prob", "prob", "cdf", "icdf", "log_cdf", "survival_function", "log_survival_function")


def result(of, variables, draw):
    """A value, numbers by which its sum is weighed, and the gradients of the sum; None where Chainer has no value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = of()
    except (NotImplementedError, RuntimeError):
        return None
    y = chainer.as_variable(y)
    gy, gradients = None, [None] * len(variables)
    if y.creator is not None and np.all(np.isfinite(y.array)):
        gy = draw.uniform(*y.shape)
        found = chainer.grad([F.sum(y * gy.astype(y.dtype))], variables)
        gradients = [None if g is None else digits(g.array) for g in found]
    return {"value": described(y.array), "gy": None if gy is None else digits(gy), "gradients": gradients}


def case(name, make, params, x, others=None, p=None):
    variables = [chainer.Variable(a) for a in params]
    distribution = make(*variables)
    draw = Draw(len(cases))
    values = {}
    for f in PROPERTIES:
        values[f] = result(lambda: getattr(distribution, f), variables, draw)
    for f in FUNCTIONS:
        at = p if f == "icdf" else x
        if at is not None:
            values[f] = result(lambda: getattr(distribution, f)(at), variables, draw)
    if others is not None:
        second = [chainer.Variable(a) for a in others]
        values["kl"] = result(lambda: chainer.kl_divergence(distribution, make(*second)), variables + second, draw)
    cases.append({"distribution": name, "params": [described(a) for a in params],
                  "others": None if others is None else [described(a) for a in others],
                  "x": described(x), "p": None if p is None else described(p),
                  "batch_shape": list(distribution.batch_shape), "event_shape": list(distribution.event_shape),
                  "values": {k: v for k, v in values.items() if v is not None}})


def edges():
    """At the ends of the support and beside it."""
    def params(*values):
        return [np.array([v], np.float64) for v in values]

    def at(*values):
        return np.array([[v] for v in values], np.float64)

    ends = at(0, 1)
    case("Normal", D.Normal, params(0.5, 2), at(-np.inf, np.inf, 0.5, 60, -60), params(0.5, 2), at(0, 1, 0.5))
    case("Laplace", D.Laplace, params(0.5, 2), at(0.5, 200, -200), params(0.5, 2), at(0, 1, 0.5))
    case("Cauchy", D.Cauchy, params(0.5, 2), at(0.5, 1e200), None, at(0.5))
    case("Gumbel", D.Gumbel, params(0.5, 2), at(0.5, 100, -20), params(0.5, 2))
    case("LogNormal", D.LogNormal, params(0.5, 2), at(1, 1e-300), params(0.5, 2))
    case("Exponential", D.Exponential, params(2), at(0, 500), params(2), ends)
    case("Gamma", D.Gamma, params(1, 2), at(1e-300, 300), params(1, 2))
    case("Beta", D.Beta, params(2, 3), at(0, 1, -1, 2, 0.5), params(2, 3))
    case("Pareto", D.Pareto, params(2, 3), at(2, 1.9, 1e100), params(2, 3))
    case("Uniform", lambda l, h: D.Uniform(low=l, high=h), params(1, 2), at(1, 2, 0.9, 2.1), params(1, 2), ends)
    case("Bernoulli.with_logit", lambda l: D.Bernoulli(logit=l), params(40), at(0, 1), params(-40))
    case("Geometric", D.Geometric, params(0.5), at(1, 60), params(0.5))
    case("Poisson", D.Poisson, params(0.5), at(0, 60), params(0.5))
    case("Categorical.with_logit", lambda l: D.Categorical(logit=l), [np.array([[0, 0, 80.0]])], np.array([2], np.int32),
         [np.array([[0, 0, -80.0]])])


def unusual_parameters():
    """Each parameter in turn is 0, infinite or NaN, in one batch. Of negative ones Chainer gives negative densities, we NaN."""
    def one(name, make, *usual, x=(-1.0, 0.0, 0.5, 1.0, 3.0, np.inf, -np.inf, np.nan), has_icdf=False, has_kl=True):
        rows = np.array([[v if i == j else u for j, u in enumerate(usual)]
                         for i in range(len(usual)) for v in (0.0, np.inf, np.nan)])
        p = np.repeat(np.array([[0.0], [0.5], [1.0]]), len(rows), 1) if has_icdf else None
        case(name, make, list(rows.T.copy()), np.repeat(np.array(x)[:, None], len(rows), 1),
             [np.full(len(rows), u) for u in usual] if has_kl else None, p)

    def batch(*rows):
        return np.array(rows, np.float64)

    one("Normal", D.Normal, 0.5, 2.0, has_icdf=True)
    one("Normal.with_log_scale", lambda m, s: D.Normal(m, log_scale=s), 0.5, 0.3, has_icdf=True)
    one("Laplace", D.Laplace, 0.5, 2.0, has_icdf=True)
    one("Cauchy", D.Cauchy, 0.5, 2.0, has_icdf=True, has_kl=False)
    one("Gumbel", D.Gumbel, 0.5, 2.0)
    one("LogNormal", D.LogNormal, 0.5, 2.0)
    one("Exponential", D.Exponential, 2.0, x=(0.0, 0.5, 3.0, np.inf, np.nan), has_icdf=True)  # Below 0 Chainer's cdf is not 0.
    one("Gamma", D.Gamma, 1.5, 2.0)
    one("Chisquare", D.Chisquare, 3.0, has_kl=False)
    one("Beta", D.Beta, 1.5, 2.0)
    one("Pareto", D.Pareto, 1.5, 2.0)
    one("Uniform", lambda l, h: D.Uniform(low=l, high=h), 0.25, 2.0, has_icdf=True)
    one("Uniform.with_loc_scale", lambda l, s: D.Uniform(loc=l, scale=s), 0.25, 2.0, has_icdf=True, has_kl=False)
    one("Bernoulli", D.Bernoulli, 0.25, x=(0.0, 1.0))
    one("Bernoulli.with_logit", lambda l: D.Bernoulli(logit=l), 0.25, x=(0.0, 1.0))
    one("Geometric", D.Geometric, 0.25, x=(0.0, 1.0, 2.0, 50.0))
    one("Poisson", D.Poisson, 2.0, x=(0.0, 1.0, 5.0))
    thirds = batch(*[[0.2, 0.3, 0.5]] * 4)
    case("Categorical", D.Categorical, [batch([0, 0.5, 0.5], [0, 0, 1], [np.nan, 0.5, 0.5], [0.2, 0.2, 0.2])],
         np.array([0, 1, 1, 2], np.int32), [thirds])
    case("Categorical.with_logit", lambda l: D.Categorical(logit=l),
         [batch([0, -np.inf, 0], [np.inf, 0, 0], [np.nan, 0, 0], [1e300, 0, 0])], np.array([0, 1, 1, 2], np.int32), [thirds])
    case("OneHotCategorical", D.OneHotCategorical, [batch([0, 0.5, 0.5], [0, 0, 1], [np.nan, 0.5, 0.5], [0.2, 0.2, 0.2])],
         np.eye(3)[[0, 2, 1, 2]], [thirds])
    case("Dirichlet", D.Dirichlet, [batch([0, 0.5, 0.5], [1, 1, 1], [np.nan, 0.5, 0.5], [np.inf, 1, 1])],
         np.stack([thirds, batch(*[[0, 0.5, 0.5]] * 4)]), [thirds])
    # A scale that a difference of the ends would lose.
    case("Uniform.with_loc_scale", lambda l, s: D.Uniform(loc=l, scale=s), [np.array([1e9]), np.array([1e-7])], batch([0], [2e9]))
    case("Laplace", D.Laplace, [np.array([0.5, 0.5]), np.array([1e160, 1e200])], batch([0.5, 0.5], [3, 3]))


def main():
    d = Draw(21)

    def real():
        return d.uniform(2, 3)

    def positive(low=0.3, high=4):
        return d.uniform(2, 3, low=low, high=high)

    def share():
        return positive(0.1, 0.9)

    def probabilities():
        p = np.round(d.uniform(2, 4, low=0.1, high=1), 3)
        return p / p.sum(axis=-1, keepdims=True)

    def at(low, high):
        return d.uniform(3, 2, 3, low=low, high=high)

    unit = at(0.05, 0.95)
    case("Normal", D.Normal, [real(), positive()], at(-3, 3), [real(), positive()], unit)
    case("Normal.with_log_scale", lambda m, s: D.Normal(m, log_scale=s), [real(), real()], at(-3, 3), [real(), real()], unit)
    case("Laplace", D.Laplace, [real(), positive()], at(-3, 3), [real(), positive()], unit)
    case("Cauchy", D.Cauchy, [real(), positive()], at(-3, 3), None, unit)
    case("Gumbel", D.Gumbel, [real(), positive()], at(-3, 3), [real(), positive()])
    case("LogNormal", D.LogNormal, [real(), positive()], at(0.1, 4), [real(), positive()])
    case("Exponential", D.Exponential, [positive()], at(0, 4), [positive()], unit)
    case("Gamma", D.Gamma, [positive(), positive()], at(0.1, 5), [positive(), positive()])
    case("Chisquare", D.Chisquare, [positive()], at(0.1, 5))
    case("Beta", D.Beta, [positive(), positive()], at(-0.2, 1.2), [positive(), positive()])
    case("Dirichlet", D.Dirichlet, [d.uniform(2, 4, low=0.5, high=3)], np.stack([probabilities() for _ in range(3)]),
         [d.uniform(2, 4, low=0.5, high=3)])
    case("Pareto", D.Pareto, [positive(), positive(0.5, 4)], at(0.2, 6), [positive(), positive()])
    low, wider = real(), positive(0.5, 2)
    case("Uniform", lambda l, h: D.Uniform(low=l, high=h), [low, low + wider], at(-2, 4), [low - 0.5, low + 1.8], unit)
    case("Uniform.with_loc_scale", lambda l, s: D.Uniform(loc=l, scale=s), [low, wider], at(-2, 4), None, unit)
    bits = d.integers(3, 2, 3).astype(np.float64)
    case("Bernoulli", D.Bernoulli, [share()], bits, [share()])
    case("Bernoulli.with_logit", lambda l: D.Bernoulli(logit=l), [real()], bits, [real()])
    case("Bernoulli binary_check", lambda l: D.Bernoulli(l, binary_check=True), [share()], np.array([[[0, 1, 0.5], [1, 0.25, 0]]]))
    case("Categorical", D.Categorical, [probabilities()], d.integers(2, high=4), [probabilities()])
    case("Categorical.with_logit", lambda l: D.Categorical(logit=l), [d.uniform(2, 4)], d.integers(2, high=4), [d.uniform(2, 4)])
    case("OneHotCategorical", D.OneHotCategorical, [probabilities()], np.eye(4)[d.integers(3, 2, high=4)], [probabilities()])
    case("Geometric", D.Geometric, [share()], d.integers(3, 2, 3, low=1, high=6).astype(np.float64), [share()])
    case("Poisson", D.Poisson, [positive(0.3, 9)], d.integers(3, 2, 3, high=9).astype(np.float64), [positive(0.3, 9)])

    def lower():
        return (np.tril(d.uniform(2, 3, 3)) + 2 * np.eye(3)).astype(np.float32)

    def loc():
        return d.uniform(2, 3, dtype=np.float32)

    case("MultivariateNormal", lambda m, s: D.MultivariateNormal(m, scale_tril=s * np.tril(np.ones((3, 3), np.float32))),
         [loc(), lower()],
         d.uniform(3, 2, 3, dtype=np.float32), [loc(), lower()])
    case("Independent", lambda m, s: D.Independent(D.Normal(m, s)), [real(), positive()], at(-3, 3), [real(), positive()])
    edges()
    unusual_parameters()
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} distributions in {path}")


if __name__ == "__main__":
    main()
