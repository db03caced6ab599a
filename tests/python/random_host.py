"""Random programs in Python around static regions, each run plainly and compiled.

    python random_host.py --seed 7 --programs 2000      # other programs, for longer
    python random_host.py --seed 1234 --show            # one of them, as text

A difference is printed with its seed. What a program may do lies in `Writer`: statements of Python
and calls of Catena, drawn at random; numbers are float64 and bounded, so that rounding decides
nothing.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
from typing import Any

import catena as ct
import numpy as np
from eager_and_compiled import Regions, assert_same, plain, told_by

UNARY = (
    "ct.tanh({})",
    "ct.sigmoid({})",
    "ct.sin({})",
    "ct.relu({})",
    "-{}",
    "{} * {n}",
    "{} + {n}",
)
BINARY = ("{} + {}", "{} - {}", "{} * {}", "ct.maximum({}, {})", "ct.where({} > 0, {}, 0.5)")
MOST_DEPTH = 3


class Writer:
    """Writes one program. Names in scope have the shape () "s", (3,) "v" or (2, 3) "m"."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[str, str] = {}
        self.next = 0
        self.top_depth = 1
        self.has_inner = self.has_moments = False

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def number(self) -> str:
        return self.random.choice(["0.5", "-1.25", "2", "scale", "(count[0] % 3 + 1)", "0.1"])

    def some(self, shapes: str = "svm") -> str:
        """A name of one of the shapes; a new one where there is none."""
        known = [name for name, shape in self.names.items() if shape in shapes]
        if known:
            return self.random.choice(known)
        made = {"s": "ct.sum(p)", "v": "p * 1", "m": "q * 1"}[shapes[0]]
        return self.assign(made, shapes[0])

    def local(self) -> str:
        """A name that may be assigned again: p, q and the argument keep theirs."""
        known = [name for name in self.names if name[-1].isdigit()]
        return self.random.choice(known) if known else self.assign("p * 0.5", "v")

    def assign(self, expression: str, shape: str) -> str:
        name = f"x{self.next}"
        self.next += 1
        self.line(f"{name} = {expression}")
        self.names[name] = shape
        return name

    def expression(self) -> tuple[str, str]:
        """A text, and its shape."""
        kind = self.random.randrange(10)
        if kind < 4:
            a = self.some()
            return self.random.choice(UNARY).format(a, n=self.number()), self.names[a]
        if kind < 7:
            a, b = self.some(), self.some()
            shape = max((self.names[a], self.names[b]), key="svm".index)
            return f"ct.tanh({self.random.choice(BINARY).format(a, b)})", shape
        if kind == 7:
            return f"ct.sum({self.some('vm')}) / 6", "s"
        m = self.some("m")
        return self.random.choice(
            [
                (f"ct.sum({m}, axis=0) / 2", "v"),
                (f"{m}[1]", "v"),
                (f"{m}[::-1]", "m"),
                (f"ct.transpose(ct.reshape({m}, (3, 2)))", "m"),
                (f"ct.stack([{self.some('v')}, {self.some('v')}])", "m"),
                (f"ct.softmax({m})", "m"),
            ]
        )

    def block(self, count: int) -> None:
        """Statements one deeper; what they name is known there alone."""
        before = dict(self.names)
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1
        self.names = before

    def statement(self) -> None:
        kinds = [self.compute] * 6 + [self.host, self.numpy, self.state, self.gradient]
        kinds += [self.update, self.look]
        if self.depth < MOST_DEPTH + 1:
            kinds += [self.branch, self.loop, self.attempt]
        self.random.choice(kinds)()

    def compute(self) -> None:
        self.assign(*self.expression())

    def branch(self) -> None:
        value = self.some()
        condition = self.random.choice(
            [
                "count[0] % 2",
                "count[0] > 2",
                f"float(ct.sum({value})) > {self.random.choice(['0', '0.3', '-0.5'])}",
                f"ct.max({value}) > 0.4",
                "table.get('seen', 0) < 3",
            ]
        )
        target = self.local()
        shape = self.names[target]
        self.line(f"if {condition}:")
        self.block(self.random.randint(1, 2))
        self.depth += 1
        self.line(f"{target} = ct.tanh({target} * {self.number()})")
        self.depth -= 1
        if self.random.random() < 0.5:
            self.line("else:")
            self.block(self.random.randint(1, 2))
        self.names[target] = shape

    def loop(self) -> None:
        target = self.local()
        if self.random.random() < 0.7:
            many = self.random.choice(["2", "count[0] % 4", "len(history)"])
            self.line(f"for i in range({many}):")
            step = f"{target} = ct.tanh({target} * {self.number()} + i)"
        else:
            self.line("rounds = 0")
            self.line(f"while rounds < 4 and float(ct.sum({target} * {target})) > 0.2:")
            step = f"{target} = {target} * 0.5; rounds += 1"
        self.depth += 1
        self.line(step)
        self.depth -= 1
        self.block(1)

    def attempt(self) -> None:
        target = self.local()
        self.line("try:")
        self.block(1)
        self.depth += 1
        self.line(f"{target} = ct.sin({target})")
        self.line(
            self.random.choice(
                ["if count[0] % 3 == 0: raise KeyError('inside')", "p + np.zeros(4)", "pass"]
            )
        )
        self.depth -= 1
        self.line("except (KeyError, ValueError) as error:")
        self.depth += 1
        self.line("log(type(error).__name__)")
        self.line(f"{target} = {target} - 1")
        self.depth -= 1
        if self.random.random() < 0.3:
            self.line("finally:")
            self.depth += 1
            self.line("log('finally')")
            self.depth -= 1

    def host(self) -> None:
        a = self.some()
        choices = [
            "count[0] += 1",
            "gc.collect()",
            f"history.append({a}); del history[:-3]",
            f"history[:] = sorted(history + [{a}], key=lambda x: float(ct.sum(x)))[-3:]",
            "table['seen'] = table.get('seen', 0) + 1",
            f"log(round(float(ct.sum({a})), 6))",
            f"log({a})",
            f"node = Box(); node.me = node; node.value = {a}; del node",
            f"if count[0] == {self.random.randint(2, 5)}: raise Stop({a})",
            "log(sorted(table), len(history))",
        ]
        self.line(self.random.choice(choices))
        if self.random.random() < 0.1 and len(self.names) > 3 and self.depth == self.top_depth:
            name = self.local()
            self.line(f"del {name}")
            del self.names[name]

    def numpy(self) -> None:
        a = self.some("vm")
        shape = self.names[a]
        kind = self.random.randrange(10)
        if kind == 0:
            self.assign(f"ct.Variable(np.sort({a}.array, axis=-1))", shape)
        elif kind == 1:
            name = self.assign(f"({a} * 1).detach()", shape)
            self.line(f"{name}.array[..., 0] = count[0] % 3")
        elif kind == 2:
            self.line("buffer[:] = buffer * 0.5 + count[0] % 4")
            self.assign(f"ct.tanh({a} * buffer)", shape)
        elif kind == 3:
            self.assign(f"ct.tanh({a} * buffer)", shape)
            self.line(f"buffer[{self.random.randrange(3)}] += 0.5")
        elif kind == 4:
            self.assign(f"{a} * np.float64(np.tanh(np.asarray({a}).sum()))", shape)
        elif kind == 5:
            self.assign(f"np.tanh({a}) + np.arange(3)", shape)
        elif kind == 6:  # Memory that the region's Variables show.
            self.assign(f"ct.sin({a} * shared[::-1] + shared)", shape)
            self.line(f"buffer[{self.random.randrange(3)}] = count[0] % 3 * 0.5")
        elif kind == 7:
            self.assign(f"{a} * p", shape)
            self.line(f"window[{self.random.randrange(3)}] = count[0] % 3 * 0.5")
        elif kind == 8:
            self.line("window[...] = np.tanh(buffer - window)")
        else:
            self.line(f"held = {a}.array")
            self.assign(f"ct.Variable(held * 2, requires_grad=False) + {a}", shape)

    def state(self) -> None:
        v = self.some("v")
        kind = self.random.randrange(6)
        if kind == 0:
            self.line(f"table['h'] = ct.tanh(table['h'].detach() * 0.5 + {v})")
            self.assign("table['h'] + 1", "v")
        elif kind == 1:
            self.line(f"box.value = {v}")
            self.assign("box.value * 0.5", "v")
        elif kind == 2:
            self.assign(f"box.method({v})", "v")
        elif kind == 3:
            self.line(f"p.array = np.tanh({v}.array)")
        elif kind == 4 and self.has_inner:
            self.assign(f"inner({v}, {self.number()})", "v")
        else:
            self.assign(f"sum((x * i for i, x in enumerate([{v}, p, {self.some('v')}])), {v})", "v")

    def gradient(self) -> None:
        a = self.some()
        kind = self.random.randrange(5)
        if kind == 0:
            self.line("p.cleargrad(); q.cleargrad()")
            self.line(f"ct.sum(ct.tanh({a} * p) * q).backward()")
        elif kind == 1:
            self.assign(f"ct.grad([ct.sum(ct.sin(p * 2) * {a})], [p])[0]", "v")
        elif kind == 2:
            self.line("if p.grad is not None: p.array = p.array - 0.1 * np.tanh(p.grad)")
        elif kind == 3:
            self.line("if q.grad_var is not None: log(ct.tanh(q.grad_var))")
        else:
            self.assign(f"{a}.detach()", self.names[a])

    def update(self) -> None:
        """Changes of parameters and states, of some of which NumPy has the memory."""
        a, v = self.some(), self.some("v")
        kind = self.random.randrange(8)
        if kind < 3:
            self.line("p.cleargrad(); q.cleargrad(); r.cleargrad()")
            self.line(f"ct.sum(ct.sin({a} * p * r) * q).backward()")
            if self.random.random() < 0.2:
                self.line("views.append(p.grad)")
            self.line("optimizer.update()")
        elif kind == 3:
            target = self.random.choice(["p", "r", "memory"])
            self.line(f"{target}.assign(ct.tanh({v} * {self.number()}))")
        elif kind == 4:
            pair = self.random.sample(["p", "r", "memory"], 2)
            self.line(f"{pair[0]}.assign({pair[1]}{self.random.choice(['', '[::-1]'])})")
        elif kind == 5:
            self.line(f"memory.assign(ct.tanh(memory * 0.5 + {v}))")
            self.assign("memory * 0.5", "v")
        elif kind == 6:
            self.line(self.random.choice(["p.assign(buffer)", "r.array = np.tanh(buffer)"]))
        else:
            self.line(f"r.data[{self.random.randrange(3)}] = count[0] % 3 * 0.25")

    def look(self) -> None:
        """Takes, reads, writes, compares and drops NumPy's arrays over their memory."""
        k = self.random.randrange(3)
        view = self.random.choice(["window", "owned", "table_of_q[1]", "views[-1]", "views[0]"])
        choices = [
            f"log({view})",
            f"log({view})",
            f"{view}[{k}] = count[0] % 4 * 0.25",
            f"{view}[...] = np.tanh({view} + 0.5)",
            "log([p.array is view for view in views], r.array is owned)",
            f"log(np.shares_memory(p.array, window), np.shares_memory(r.array, {view}))",
            "views.append(p.array); del views[:-3]",
            "views.append(memory.array); del views[:-3]",
            "views.append(optimizer.update_rule(p).state('v').array); del views[:-3]"
            if self.has_moments
            else "views.append(q.array[0]); del views[:-3]",
            "del views[1:]",
        ]
        self.line(self.random.choice(choices))
        if self.random.random() < 0.5:
            self.assign(f"ct.Variable({view}, requires_grad=False) * 0.5", "v")

    def function(self, name: str, arguments: str, count: int) -> None:
        option = self.random.choice(["", "", "", "memory_budget=4096", "compile_mode='later'"])
        self.line(f"@region(keep_grads=True, {option})")
        self.line(f"def {name}({arguments}):")
        self.depth += 1
        self.top_depth = self.depth
        self.line("nonlocal scale")
        self.assign("ct.sin(x) if x.ndim == 1 else ct.sum(ct.sin(x), axis=0)", "v")
        for _ in range(count):
            self.statement()
        names = [*self.random.sample(list(self.names), min(3, len(self.names)))]
        self.line(self.random.choice(self.results(names)))
        self.depth -= 1
        self.names = {}

    def results(self, names: list[str]) -> list[str]:
        listed = ", ".join(names)
        return [
            f"return ({listed},)",
            f"return [{names[0]}, ({listed}, count[0])]",
            f"return {{'a': {names[0]}, 'b': [{listed}], 'n': len(history)}}",
            f"return ({listed}, {names[-1]}.array)",
        ]

    def calls(self) -> None:
        """What is done with the region, outside of it.

        No backward where there was one inside: a region does not keep the graph that it went
        through (docs/static_graph.md).
        """
        walked = any(".backward()" in line or "ct.grad(" in line for line in self.lines)
        for call in range(self.random.randint(4, 7)):
            shape = "2, 3" if call % 3 == 2 and self.random.random() < 0.3 else "3"
            argument = self.random.choice(["ct.Variable(x)", "x", "ct.Variable(x)"])
            self.line(f"x = np.sin(np.arange({6 if ',' in shape else 3}.0) + {call})")
            if "," in shape:
                self.line(f"x = x.reshape({shape})")
            self.line("try:")
            self.line(f"    result = step({argument}, {call % 3})")
            self.line("    log(result)")
            kind = self.random.randrange(4)
            if kind == 0 and not walked:
                self.line("    total = sum_of(result)")
                self.line("    if total.requires_grad: total.backward()")
            elif kind == 1:
                self.line("    kept.append(result)")
            self.line("except Stop as stop:")
            self.line("    log('stopped', stop.args[0])")
            after = ["scale = -scale", "count[0] += 1", "gc.collect()", "p.cleargrad()", "pass"]
            self.line(self.random.choice([*after, "buffer[:] = 1", "kept.clear()"]))
            self.line("log(p, q, buffer, r, memory, owned, window, table_of_q, views)")

    def program(self) -> str:
        self.line("scale = 1.5")
        self.line("count, history, table, kept = [0], [], {'h': ct.Variable(np.zeros(3))}, []")
        self.line("p = ct.Parameter(np.cos(np.arange(3.0)))")
        self.line("q = ct.Parameter(np.cos(np.arange(6.0)).reshape(2, 3))")
        self.line("box, buffer = Box(), np.linspace(-1, 1, 3)")
        self.line("shared, window = ct.Variable(buffer, requires_grad=False), p.array")
        self.line("owned, views = np.sin(np.arange(3.0)), [np.zeros(3)]")
        self.line("r, memory = ct.Parameter(owned), ct.State(np.zeros(3))")
        if self.random.random() < 0.3:
            self.line("del window; window = owned")  # Nobody looks at p.
        self.line(f"table_of_q = {self.random.choice(['q.array', 'np.zeros((2, 3))'])}")
        rule = self.random.choice(["SGD(0.1)", "MomentumSGD(0.1)", "Adam(0.1)"])
        self.has_moments = rule.startswith("Momentum")
        self.line(f"optimizer = ct.optim.{rule}")
        self.line("optimizer.setup({'p': p, 'q': q, 'r': r})")
        self.line("p.assign(p * 1); optimizer_begins(optimizer, p, q, r)")
        if self.random.random() < 0.4:
            self.names = {"p": "v"}
            self.function("inner", "x, k", self.random.randint(1, 3))
            # Its first result is of some shape: a sum of it fits everywhere.
            self.line("inner_results = inner")
            self.line("def inner(x, k): return ct.tanh(sum_of(inner_results(x, k)) + x)")
            self.has_inner = True
        self.names = {"p": "v", "q": "m", "r": "v", "memory": "v"}
        self.function("step", "x, n", self.random.randint(3, 10))
        self.calls()
        self.line("return kept")
        return "\n".join(["def program(region, log):", *self.lines, ""])


class Stop(Exception):
    """Leaves a region."""


class Box:
    """An object with a value and a method."""

    value: Any = None
    factor = 0.5

    def method(self, x: Any) -> Any:
        self.factor = -self.factor
        return ct.tanh(x * self.factor)


def sum_of(result: Any) -> Any:
    """The sum of all Variables in a result."""
    if isinstance(result, ct.Variable):
        return ct.sum(result)
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return sum((sum_of(part) for part in result), ct.Variable(np.zeros(())))
    return ct.Variable(np.zeros(()))


def optimizer_begins(optimizer: Any, *parameters: ct.Parameter) -> None:
    """A first update, of gradients of zeros: the moments are there."""
    for parameter in parameters:
        parameter.zerograd()
    optimizer.update()
    for parameter in parameters:
        parameter.cleargrad()


def thing_of(seed: int) -> Any:
    """The function program(region, log) of a seed."""
    scope: dict[str, Any] = {
        "Box": Box,
        "Stop": Stop,
        "ct": ct,
        "gc": gc,
        "optimizer_begins": optimizer_begins,
        "np": np,
        "sum_of": sum_of,
    }
    exec(compile(Writer(seed).program(), f"program_{seed}.py", "exec"), scope)
    return scope["program"]


def check(seed: int) -> Regions:
    """AssertionError where the program of this seed does something else when it is compiled."""
    thing = thing_of(seed)
    eager = told_by(thing, plain)
    regions = Regions()
    compiled = told_by(thing, regions)
    assert_same(eager, compiled, f"seed {seed}: told")
    return regions


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the program, do not run it")
    options = parser.parse_args()
    if options.show:
        print(Writer(options.seed).program())
        return 0
    failures = 0
    totals = dict.fromkeys(("calls", "compiled_calls", "interpreted_calls", "cuts", "programs"), 0)
    for seed in range(options.seed, options.seed + options.programs):
        try:
            regions = check(seed)
        except AssertionError as error:
            failures += 1
            print(f"seed {seed}: {str(error)[:2000]}")
            continue
        for counter in totals:
            totals[counter] += regions.total(counter)
    print(f"{options.programs} programs from seed {options.seed}: {failures} differ; {totals}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
