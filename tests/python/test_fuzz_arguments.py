"""Arguments of every kind to everything that the package offers: no crash, no internal error, no
text of C++, and NumPy's result where NumPy takes the same.

    python tests/python/test_fuzz_arguments.py --seconds 600 --seed 7

runs for longer, and prints the failing calls, each with as few odd arguments as it fails with.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import json
import os
import pickle
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catena as ct
import fuzz_calls
import fuzz_values
import numpy as np
import pytest
from fuzz_calls import Call

MEMORY = 8 << 30
SECONDS_OF_A_CALL = 2.0
#: What a call may raise, besides what an argument of its own raises.
ALLOWED = (
    *(TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, OSError),
    *(MemoryError, RecursionError, ZeroDivisionError, BufferError, StopIteration),
    *(fuzz_values.Refused, ReferenceError, pickle.PicklingError, ct.Error),
)
INTERNAL = re.compile(
    r"std::|InternalError|internal error|basic_string|vector::|bad_alloc|bad_cast|nb::|map::at"
)


def fault_of(error: BaseException) -> str | None:
    """What is wrong with an exception as an answer to a call."""
    text = str(error)
    if not isinstance(error, ALLOWED):
        return f"{type(error).__name__}: {text[:300]}"
    if INTERNAL.search(text):
        return f"text of C++: {type(error).__name__}: {text[:300]}"
    if not text.strip() and not isinstance(error, StopIteration):
        return f"{type(error).__name__} without a message"
    return None


def evaluate(text: str) -> Any:
    return eval(text, fuzz_calls.namespace())


_settings = {n: getattr(ct.config, n) for n in dir(ct.config) if not n.startswith("_")}


def restore() -> None:
    for name, value in _settings.items():
        setattr(ct.config, name, value)
    ct.random.seed(1)


def plain(value: Any) -> Any:
    """Results as float64 or integer ndarrays."""
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return np.asarray(value.array if isinstance(value, ct.Variable) else value)


def differ(found: Any, wanted: Any) -> str | None:
    if isinstance(found, list) or isinstance(wanted, list):
        if not isinstance(found, list) or not isinstance(wanted, list) or len(found) != len(wanted):
            return "another number of results"
        return next((d for d in map(differ, found, wanted) if d), None)
    if found.shape != wanted.shape:
        return f"shape {found.shape}, NumPy's has {wanted.shape}"
    if wanted.dtype.kind not in "biuf" or found.dtype.kind not in "biuf":
        return None
    if wanted.dtype.kind in "iu" and found.dtype.kind == "f":
        return None  # Functions of reals take integers as floats; some of NumPy's divide them.
    kinds = [d for d in (found.dtype, wanted.dtype) if d.kind == "f"]
    tolerance = max((float(np.finfo(d).eps) for d in kinds), default=0.0) * 40
    if not np.allclose(
        found.astype(np.float64), wanted.astype(np.float64), tolerance, tolerance, equal_nan=True
    ):
        return f"{found.tolist()}, NumPy's is {wanted.tolist()}"[:300]
    return None


#: Chainer's functions of which NumPy's are others: their arguments are.
OTHERS = {"average", "concat"}
#: A float64 that is inf as `config.dtype`, and what is two-dimensional for ever.
NOT_COMPARED = {"1e308", "np.matrix([[1., 2.], [3., 4.]])"}


def numpy_differs(call: Call, result: Any) -> str | None:
    function = getattr(np, call.name, None)
    if not isinstance(function, (np.ufunc, type(np.sum), type(np.dot))) or call.name in OTHERS:
        return None
    if any(value in NOT_COMPARED for value in call.values):
        return None
    names = {**fuzz_calls.namespace(), "ct": np, "v": fuzz_values.a}
    try:
        wanted = plain(eval(call.text(), names))
    except Exception:
        return None
    return differ(plain(result), wanted)


def fault(call: Call) -> str | None:
    """What is wrong with what the call does."""
    started = time.process_time()
    try:
        result = evaluate(call.text())
    except BaseException as error:
        found = fault_of(error)
    else:
        found = numpy_differs(call, result)
    if not found and (took := time.process_time() - started) > SECONDS_OF_A_CALL:
        found = f"takes {took:.1f} s"
    restore()
    return found


def smallest(call: Call, found: str) -> tuple[Call, str]:
    """The same fault with plainer arguments."""
    while True:
        for simpler in fuzz_calls.simpler(call):
            other = fault(simpler)
            if other and other.split(":")[0] == found.split(":")[0]:
                call, found = simpler, other
                break
        else:
            return call, found


def legal_call(function: Any, rng: random.Random, tries: int) -> Call | None:
    for _ in range(tries):
        call = fuzz_calls.draw(rng, fuzz_calls.target_of(function, rng, False), 0.0)
        try:
            evaluate(call.text())
        except Exception:
            continue
        finally:
            restore()
        return call
    return None


def calls(rng: random.Random) -> Iterator[Call]:
    """All targets in turn: legal calls with one argument replaced, and drawn ones."""
    functions = fuzz_calls.registered()
    others = fuzz_calls.other_targets()
    legal: dict[str, Call] = {}
    while True:
        for function in functions:
            name = function.__name__
            if name not in legal and (found := legal_call(function, rng, 10)):
                legal[name] = found
            for wrong in (0.0, 0.5):
                target = fuzz_calls.target_of(function, rng, rng.random() < 0.2)
                yield fuzz_calls.draw(rng, target, wrong)
            if known := legal.get(name):
                values = list(known.values)
                for i in range(len(values)):
                    odd = [*values]
                    odd[i] = rng.choice(fuzz_values.WRONG)
                    yield Call(known.name, known.template, known.kinds, tuple(odd))
        for target in others:
            for wrong in (0.1, 0.6, 1.0):
                yield fuzz_calls.draw(rng, target, wrong)


class Report:
    """Which call is running, for one that ends the process, and the faults found."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._now = os.open(f"{path}.now", os.O_CREAT | os.O_WRONLY)

    def running(self, call: Call) -> None:
        text = json.dumps(call.text()).encode()
        os.pwrite(self._now, text + b"\n", 0)

    def note(self, *line: Any) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    @staticmethod
    def read(path: Path) -> tuple[str, list[tuple[str | None, Any]]]:
        now = Path(f"{path}.now")
        running = json.loads(now.read_text().splitlines()[0]) if now.exists() else "the start"
        return running, [
            json.loads(x) for x in path.read_text().splitlines()
        ] if path.exists() else []


def limit_this_process() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    warnings.simplefilter("ignore")
    os.chdir(fuzz_values.FOLDER)
    fuzz_calls.make_files()


def child(given: Iterator[Call], seconds: float, report: Report) -> None:
    """Runs calls until the time is over."""
    limit_this_process()
    seen: set[tuple[str, str]] = set()
    count = 0
    end = time.monotonic() + seconds
    for call in given:
        if time.monotonic() > end:
            break
        faulthandler.dump_traceback_later(60, exit=True)
        report.running(call)
        count += 1
        if not (found := fault(call)):
            continue
        key = (call.name, found.split(":")[0])
        if key not in seen:
            seen.add(key)
            call, found = smallest(call, found)
            report.note(call.text(), found)
    faulthandler.cancel_dump_traceback_later()
    report.note(None, count)
    shutil.rmtree(fuzz_values.FOLDER, True)
    os._exit(0)  # What odd arguments left behind is not what is tested.


def run(
    seed: int, seconds: float, text: str | None = None, most: int = 1 << 62
) -> tuple[int, list[str]]:
    """Number of calls in a process of their own, and what is wrong with some."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report"
        options = [f"--child={path}", f"--seed={seed}", f"--seconds={seconds}", f"--most={most}"]
        done = subprocess.run(
            [sys.executable, __file__, *options, *([f"--call={text}"] if text else [])],
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds * 4 + 300,
        )
        running, lines = Report.read(path)
        count = sum(number for call, number in lines if call is None)
        faults = [f"{call}\n    {found}" for call, found in lines if call is not None]
        if done.returncode != 0:
            end = f"ends the process: {done.returncode}\n{done.stderr[-1500:]}"
            faults.append(f"{running}\n    {end}")
        return count, faults


def test_odd_arguments_are_answered_by_results_or_errors_that_tell() -> None:
    count, faults = run(seed=1, seconds=300, most=6000)
    assert not faults, "\n".join(faults)
    assert count == 6000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ct.relu(v())", None),
        ("ct.relu('text')", None),
        ("(_ for _ in ()).throw(RuntimeError('e'))", "RuntimeError: e"),
        ("(_ for _ in ()).throw(SystemError('e'))", "SystemError: e"),
        ("(_ for _ in ()).throw(ValueError('std::vector'))", "text of C++"),
        ("(_ for _ in ()).throw(ValueError())", "without a message"),
        ("__import__('os').abort()", "ends the process: -6"),
        ("__import__('ctypes').string_at(8)", "ends the process: -11"),
    ],
)
def test_faults_are_seen(text: str, found: str | None) -> None:
    count, faults = run(1, 1, text)
    if found is None:
        assert (count, faults) == (1, [])
    else:
        assert len(faults) == 1 and text in faults[0] and found in faults[0]


def test_another_result_than_numpy_s_is_seen() -> None:
    call = Call("sum", "ct.sum({})", "a", ("a()",))
    assert numpy_differs(call, ct.sum(fuzz_values.a())) is None
    assert numpy_differs(call, ct.sum(fuzz_values.a()) + 1) is not None
    assert numpy_differs(call, ct.sum(fuzz_values.a(), 0)) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--call", help="only this one, a text")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--most", type=int, default=1 << 62, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        one = iter([Call("call", options.call or "", "", ())])
        drawn = itertools.islice(calls(random.Random(options.seed)), options.most)
        child(one if options.call else drawn, options.seconds, Report(options.child))
    end = time.monotonic() + options.seconds
    seed, total, found = options.seed, 0, 0
    while (left := end - time.monotonic()) > 0:
        count, faults = run(seed, left, options.call)
        for each in faults:
            print(each, flush=True)
        total, found, seed = total + count, found + len(faults), seed + 1
        if options.call:
            break
    print(f"{total} calls, {found} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
