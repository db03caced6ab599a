"""The functions of the registry, by name.

_functions.pyi, which generate/stubs.py writes, has their types.
"""

from catena._catena import Function, functions

_registered = {name: f for name, f in vars(functions).items() if isinstance(f, Function)}
globals().update(_registered)
__all__ = list(_registered)
