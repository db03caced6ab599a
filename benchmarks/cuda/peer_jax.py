"""A training step of GPT-2's block in JAX: Adam, products in bfloat16, cuDNN's attention."""

from __future__ import annotations

import os
from typing import Any

import jax
import jax.numpy as jnp
from peer_timing import Step, Timing


def make_timing(device: str, seconds: float, left: float, divisor: int) -> Timing:
    folder = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    if folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    return Timing(device, seconds, left, divisor, wait=lambda: None)


def parameters(width: int) -> dict[str, Any]:
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 16))
    shapes = {"qkv": 3 * width, "project": width, "up": 4 * width}
    params = {
        name: jax.random.normal(next(keys), (width, size)) * 0.02 for name, size in shapes.items()
    }
    params["down"] = jax.random.normal(next(keys), (4 * width, width)) * 0.02
    params.update({name + "_b": jnp.zeros(W.shape[1]) for name, W in params.items()})
    params.update(g1=jnp.ones(width), b1=jnp.zeros(width), g2=jnp.ones(width), b2=jnp.zeros(width))
    return params


def loss_of(on_gpu: bool, heads: int) -> Any:
    def norm(x: Any, g: Any, b: Any) -> Any:
        m = x.mean(-1, keepdims=True)
        return (x - m) * jax.lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b

    def loss(p: dict[str, Any], x: Any) -> Any:
        def linear(x: Any, name: str) -> Any:
            y = x.astype(jnp.bfloat16) @ p[name].astype(jnp.bfloat16)
            return y + p[name + "_b"].astype(jnp.bfloat16)

        parts = jnp.split(linear(norm(x, p["g1"], p["b1"]), "qkv"), 3, -1)
        q, k, v = (part.reshape(*x.shape[:2], heads, -1) for part in parts)
        way = "cudnn" if on_gpu else None
        y = jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation=way)
        x = x + linear(y.reshape(x.shape), "project")
        x = x + linear(jax.nn.gelu(linear(norm(x, p["g2"], p["b2"]), "up")), "down")
        return (x.astype(jnp.float32) ** 2).mean()

    return loss


def rows(timing: Timing) -> None:
    batch, n = timing.cut(8), timing.cut(1024)
    width = max(64, timing.cut(768) // 64 * 64)
    state: list[Any] = []

    def make() -> Step:
        loss = loss_of(timing.device.startswith("cuda"), width // 64)
        x = jax.random.normal(jax.random.PRNGKey(1), (batch, n, width))

        @jax.jit
        def update(p: Any, m: Any, v: Any, t: Any) -> Any:
            g = jax.grad(loss)(p, x)
            m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
            v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)

            def moved(p: Any, m: Any, v: Any) -> Any:
                return p - 3e-4 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)

            return jax.tree.map(moved, p, m, v), m, v, t + 1

        p = parameters(width)
        zeros = jax.tree.map(jnp.zeros_like, p)
        state[:] = [p, zeros, zeros, jnp.float32(1)]
        timing.wait = lambda: jax.block_until_ready(state)

        def step() -> None:
            state[:] = update(*state)

        return step

    operations = batch * (72 * width**2 * n + 6 * width * n**2)
    timing.measure("jax-jit", "gpt2_block", "bfloat16", make, operations, batch * n)
