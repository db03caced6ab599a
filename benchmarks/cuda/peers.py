"""What PyTorch and JAX do with Catena's rows, and this card's ceilings.

    peers.py [--seconds 0.5] [--left 220] [--divisor 1] [--device cuda] ceilings | models | jax ...

One JSON object a line, with the keys of `catena bench --json`. Each row is a training step, or a
call with its gradient, on arrays that are on the device. What compilers made is kept under
TORCHINDUCTOR_CACHE_DIR, TRITON_CACHE_DIR and JAX_COMPILATION_CACHE_DIR: the first run pays for it,
some minutes, later ones load it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from argparse import Namespace


def ceilings(options: Namespace) -> None:
    import peer_torch

    peer_torch.ceilings(peer_torch.make_timing(*settings(options)))


def models(options: Namespace) -> None:
    """The most telling first: what does not fit into the time is left out."""
    import peer_torch as torch_rows

    timing = torch_rows.make_timing(*settings(options))
    torch_rows.functions(timing)
    for variant in ("eager", "compile"):
        torch_rows.gpt_block(timing, variant, "bfloat16")
        torch_rows.resnet50(timing, 64, variant, "bfloat16", channels_last=True)
        torch_rows.gpt(timing, 16, 1024, "gpt2_16x1024", variant, "bfloat16")
    torch_rows.resnet50(timing, 256, "compile", "float16", channels_last=True)
    torch_rows.resnet50(timing, 64, "eager", "float32", channels_last=False, deterministic=True)
    torch_rows.resnet50(timing, 64, "eager", "tf32", channels_last=False)
    torch_rows.gpt_block(timing, "eager", "tf32")
    torch_rows.gpt(timing, 1, 256, "gpt2_small", "compile", "bfloat16")
    torch_rows.small(timing, "compile")
    if importlib.util.find_spec("jax") and not timing.is_over():
        # In a process of its own, which does not take all memory at once.
        environment = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", **os.environ}
        left = timing.left - (time.time() - timing.begin)
        words = [f"--seconds={options.seconds}", f"--left={left}", f"--divisor={options.divisor}"]
        words += [f"--device={options.device}", "jax"]
        subprocess.run([sys.executable, __file__, *words], env=environment, check=True)


def jax(options: Namespace) -> None:
    import peer_jax

    peer_jax.rows(peer_jax.make_timing(*settings(options)))


def settings(options: Namespace) -> tuple[str, float, float, int]:
    return options.device, options.seconds, options.left, options.divisor


def main() -> None:
    parts = {"ceilings": ceilings, "models": models, "jax": jax}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=0.5, help="for one time")
    parser.add_argument("--left", type=float, default=220, help="seconds in which rows may begin")
    parser.add_argument("--divisor", type=int, default=1, help="of all sizes, for a trial")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("parts", nargs="+", choices=list(parts))
    options = parser.parse_args()
    for part in options.parts:
        parts[part](options)


if __name__ == "__main__":
    main()
