"""The losses that workload_reference_test.cpp expects: python workload_reference.py, with JAX, in double precision.

The models are written here once more from their definitions, not translated from ours. A parameter of two or more
axes at the path p begins with sqrt(2 / fan_in) * sin(1.7 i + s), i the number of the element, s the sum of the
characters of p and fan_in the elements of one of its first axis; the others begin as the links say.
"""
import jax
jax.config.update('jax_enable_x64', True)
import jax.numpy as np
from jax import lax

steps = 5


def weight(path, *shape):
    count = 1
    for size in shape: count *= size
    return (np.sin(1.7 * np.arange(count) + sum(map(ord, path))) * (2 / (count // shape[0])) ** .5).reshape(shape)


def numbers(*shape):
    count = 1
    for size in shape: count *= size
    return np.sin(1.7 * np.arange(count)).reshape(shape)


def labels(classes, *shape):
    count = 1
    for size in shape: count *= size
    return (5 * np.arange(count) + np.arange(count) ** 2 % 3).reshape(shape) % classes


def cross_entropy(y, t): return -np.take_along_axis(jax.nn.log_softmax(y), t[:, None], 1).mean()


def linear(p, path, i, o): p[path + '/W'] = weight(path + '/W', o, i); p[path + '/b'] = np.zeros(o)
def apply_linear(p, path, x): return x @ p[path + '/W'].T + p[path + '/b']


def normalized_convolution(p, path, i, o, k):
    p[path + '/conv/W'] = weight(path + '/conv/W', o, i, k, k); p[path + '/norm/gamma'] = np.ones(o); p[path + '/norm/beta'] = np.zeros(o)


def apply_normalized_convolution(p, path, x, stride=1):
    W = p[path + '/conv/W']; pad = W.shape[2] // 2
    y = lax.conv_general_dilated(x, W, (stride, stride), [(pad, pad)] * 2, dimension_numbers=('NCHW', 'OIHW', 'NCHW'))
    y = (y - y.mean((0, 2, 3), keepdims=True)) / np.sqrt(y.var((0, 2, 3), keepdims=True) + 1e-5)
    return y * p[path + '/norm/gamma'][:, None, None] + p[path + '/norm/beta'][:, None, None]


def resnet20(width=4, depth=2):
    p, blocks, i = {}, [], width
    normalized_convolution(p, '/stem', 3, width, 3)
    for stage in range(3):
        for k in range(depth):
            o, stride, path = width << stage, 2 if stage and not k else 1, f'/blocks/{len(blocks)}'
            normalized_convolution(p, path + '/first', i, o, 3); normalized_convolution(p, path + '/second', o, o, 3)
            if i != o: normalized_convolution(p, path + '/shortcut/projection/0', i, o, 1)
            blocks.append((path, stride, i != o)); i = o
    linear(p, '/out', i, 10)
    x, t = numbers(4, 3, 16, 16), labels(10, 4)

    def loss(p):
        h = jax.nn.relu(apply_normalized_convolution(p, '/stem', x))
        for path, stride, projects in blocks:
            y = jax.nn.relu(apply_normalized_convolution(p, path + '/first', h, stride))
            y = apply_normalized_convolution(p, path + '/second', y)
            h = jax.nn.relu(y + (apply_normalized_convolution(p, path + '/shortcut/projection/0', h, stride) if projects else h))
        return cross_entropy(apply_linear(p, '/out', h.mean((2, 3))), t)
    return p, loss


def layer_norm(p, path, x):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * p[path + '/gamma'] + p[path + '/beta']


def transformer(words=50, n=12, width=16, heads=4, depth=2):
    p = {'/embed/W': weight('/embed/W', words, width), '/positions': weight('/positions', n, width)}
    for i in range(depth):
        b = f'/blocks/{i}'
        for name, rows, columns in (('qkv', width, 3 * width), ('project', width, width), ('up', width, 4 * width), ('down', 4 * width, width)):
            linear(p, f'{b}/{name}', rows, columns)
    for path in ['/norm'] + [f'/blocks/{i}/norm{j}' for i in range(depth) for j in (1, 2)]: p[path + '/gamma'] = np.ones(width); p[path + '/beta'] = np.zeros(width)
    linear(p, '/out/0', width, words)
    x, t = labels(words, 3, n), labels(words, 3 * n)

    def loss(p):
        h = p['/embed/W'][x] + p['/positions']
        for i in range(depth):
            b = f'/blocks/{i}'
            q, k, v = (a.reshape(3, n, heads, -1).swapaxes(1, 2) for a in np.split(apply_linear(p, b + '/qkv', layer_norm(p, b + '/norm1', h)), 3, 2))
            s = q @ k.swapaxes(2, 3) / (width // heads) ** .5
            s = jax.nn.softmax(np.where(np.tril(np.ones((n, n), bool)), s, -np.inf))
            h = h + apply_linear(p, b + '/project', (s @ v).swapaxes(1, 2).reshape(3, n, width))
            u = apply_linear(p, b + '/up', layer_norm(p, b + '/norm2', h))
            h = h + apply_linear(p, b + '/down', u * .5 * (1 + np.tanh((2 / np.pi) ** .5 * (u + .044715 * u ** 3))))
        return cross_entropy(apply_linear(p, '/out/0', layer_norm(p, '/norm', h)).reshape(-1, words), t)
    return p, loss


def char_rnn(characters=12, units=8, n=6, batch=3):
    p = {'/embed/W': weight('/embed/W', characters, units), '/lstm/lateral/W': weight('/lstm/lateral/W', 4 * units, units)}
    linear(p, '/lstm/upward', units, 4 * units); linear(p, '/out', units, characters)
    p['/lstm/upward/b'] = np.tile(np.array([0., 0., 1., 0.]), units)  # A unit's gates a i f o lie side by side; f begins at 1.
    x, t = labels(characters, n, batch), labels(characters, n * batch)

    def loss(p):
        c = h = np.zeros((batch, units)); ys = []
        for step in range(n):
            g = (apply_linear(p, '/lstm/upward', p['/embed/W'][x[step]]) + h @ p['/lstm/lateral/W'].T).reshape(batch, units, 4)
            a, i, f, o = (g[:, :, k] for k in range(4)); s = jax.nn.sigmoid
            c = np.tanh(a) * s(i) + c * s(f); h = s(o) * np.tanh(c); ys.append(h)
        return cross_entropy(apply_linear(p, '/out', np.concatenate(ys)), t)
    return p, loss


def momentum_sgd(rate, momentum, decay):
    def update(p, g, v, t):
        v = {k: momentum * v.get(k, 0) - rate * (g[k] + decay * p[k]) for k in p}
        return {k: p[k] + v[k] for k in p}, v
    return update


def adam(rate, decay=0., clip=None):
    """eps beside the root of the uncorrected v, as in Chainer."""
    def update(p, g, state, t):
        if clip:
            norm = np.sqrt(sum((x ** 2).sum() for x in g.values())); g = {k: x * np.minimum(1, clip / norm) for k, x in g.items()}
        m, v = state or ({k: 0 for k in p}, {k: 0 for k in p})
        m = {k: .9 * m[k] + .1 * g[k] for k in p}; v = {k: .999 * v[k] + .001 * g[k] ** 2 for k in p}
        scale = rate * (1 - .999 ** t) ** .5 / (1 - .9 ** t)
        return {k: p[k] - scale * m[k] / (np.sqrt(v[k]) + 1e-8) - rate * decay * p[k] for k in p}, (m, v)
    return update


def train(name, made, update):
    p, loss = made; state, losses = {}, []
    for step in range(steps):
        value, g = jax.value_and_grad(loss)(p); losses.append(float(value)); p, state = update(p, g, state, step + 1)
    print(f'const Losses {name} = {{' + ', '.join(f'{x:.12f}' for x in losses) + '};')


train('resnet20', resnet20(), momentum_sgd(.1, .9, 1e-4))
train('transformer', transformer(), adam(3e-3, .01))
train('char_rnn', char_rnn(), adam(1e-2, clip=.2))
