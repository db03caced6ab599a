"""Catena: define-by-run deep learning with a compiler under it.

    import catena as ct

    x = ct.Variable([[1.0, 2.0], [3.0, 4.0]])
    y = ct.sum(ct.exp(x))
    y.backward()
    print(x.grad)
"""

from catena import _catena, _methods, _numpy
from catena._catena import *  # noqa: F403
