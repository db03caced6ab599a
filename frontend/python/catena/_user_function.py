"""Functions with a gradient of the user's."""

from __future__ import annotations

from typing import Any

import catena._catena as _catena
from catena._catena import Variable


class UserFunction:
    """A function of arrays with a gradient of its own, as chainer.FunctionNode and
    torch.autograd.Function: one object for one call, which may keep what it wants.

        class Cube(ct.UserFunction):
            def forward(self, x):
                return x * x * x

            def backward(self, gy):
                (x,) = self.retained_inputs()
                return 3 * x * x * gy

        y = Cube()(x)

    `forward` takes Variables and gives one or a tuple; its graph is not recorded. `forward_numpy`
    takes and gives NumPy arrays instead. `backward` takes the gradients of the results (None where
    nothing flows) and gives one for each input, None for none; `self.needs` has the numbers of the
    inputs whose gradients are used. Written with functions of catena it can be differentiated
    again; `backward_numpy`, with NumPy arrays, cannot.

    All inputs are retained for backward and no results, unless forward says otherwise by
    `self.retain_inputs(0, 2)` and `self.retain_outputs(0)`. In a static region forward is a part of
    the program; what reads elements cuts it there. Exceptions leave as they are.
    """

    needs: tuple[int, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for kind in ("forward", "backward"):
            both = [n for n in (kind, f"{kind}_numpy") if n in vars(cls)]
            if len(both) == 2:
                raise TypeError(f"{cls.__name__} has {both[0]} and {both[1]}: it should have one")

    # `**named` is there for type checkers alone: a method that names its arguments may replace one
    # of any arguments.
    def forward(self, *xs: Any, **named: Any) -> Any:
        """The result, or a tuple of them; subclasses define it, or forward_numpy."""
        raise NotImplementedError(f"{type(self).__name__} has no forward and no forward_numpy")

    def backward(self, *gys: Any, **named: Any) -> Any:
        """The gradients of the inputs from those of the results; subclasses define it, or
        backward_numpy.
        """
        raise NotImplementedError(f"{type(self).__name__} has no backward and no backward_numpy")

    def retain_inputs(self, *numbers: int) -> None:
        """Called in forward: of the inputs, only these are kept for backward."""
        self._kept_inputs = _checked_numbers("retain_inputs", numbers, self._counts[0])

    def retain_outputs(self, *numbers: int) -> None:
        """Called in forward: these results are kept for backward."""
        self._kept_outputs = tuple(numbers)

    def retained_inputs(self) -> tuple[Any, ...]:
        """In backward: the inputs that forward retained."""
        return self._retained("inputs")

    def retained_outputs(self) -> tuple[Any, ...]:
        """In backward: the results that forward retained."""
        return self._retained("outputs")

    def __call__(self, *xs: Any) -> Any:
        """The result, or a tuple of them. ValueError for an object that was called before."""
        if "_counts" in vars(self):
            raise ValueError(
                f"{type(self).__name__}: this object was called before; make another for each call"
            )
        self._counts = (len(xs), 0)
        ys = _catena._call_user_function(self, type(self).__name__, *xs)
        return ys[0] if self._gives_one else tuple(ys)

    @classmethod
    def apply(cls, *xs: Any) -> Any:
        """`Cube.apply(x)` is `Cube()(x)`."""
        return cls()(*xs)

    _counts: tuple[int, int]
    _kept_inputs: tuple[int, ...]
    _kept_outputs: tuple[int, ...] = ()
    _gives_one = True
    _in_backward: dict[str, tuple[Any, ...]] | None = None

    def _retained(self, which: str) -> tuple[Any, ...]:
        if self._in_backward is None:
            raise ValueError(
                f"{type(self).__name__}: retained {which} are there only while backward runs"
            )
        return self._in_backward[which]

    def _is_numpy(self, kind: str) -> bool:
        """Whether the method that is nearest in the order of the bases takes NumPy's arrays."""
        for base in type(self).__mro__:
            if f"{kind}_numpy" in vars(base):
                return True
            if kind in vars(base):
                return False
        return False

    def _run_forward(
        self, xs: list[Variable]
    ) -> tuple[list[Any], tuple[int, ...], tuple[int, ...]]:
        """What the C++ side calls: results, numbers of retained inputs, and of outputs."""
        self._kept_inputs = tuple(range(len(xs)))
        if self._is_numpy("forward"):
            result = self.forward_numpy(*(x.array for x in xs))  # type: ignore[attr-defined]
        else:
            result = self.forward(*xs)
        self._gives_one = not isinstance(result, (tuple, list))
        ys = [result] if self._gives_one else list(result)
        self._counts = (len(xs), len(ys))
        _checked_numbers("retain_outputs", self._kept_outputs, len(ys))
        return ys, self._kept_inputs, self._kept_outputs

    def _run_backward(
        self,
        needs: list[int],
        gys: list[Variable | None],
        xs: list[Variable],
        ys: list[Variable],
    ) -> list[Any]:
        """What the C++ side calls: the gradients of the inputs `needs`."""
        in_numpy = self._is_numpy("backward")

        def given(values: list[Any]) -> tuple[Any, ...]:
            return tuple(v.array if in_numpy and v is not None else v for v in values)

        outer, before = self._in_backward, self.needs
        self._in_backward = {"inputs": given(xs), "outputs": given(ys)}
        self.needs = tuple(needs)
        try:
            method = self.backward_numpy if in_numpy else self.backward  # type: ignore[attr-defined]
            result = method(*given(gys))
        finally:
            self._in_backward, self.needs = outer, before
        gxs = list(result) if isinstance(result, (tuple, list)) else [result]
        if len(gxs) != self._counts[0]:
            raise ValueError(
                f"{type(self).__name__}: backward gives {len(gxs)} gradients, there are "
                f"{self._counts[0]} inputs (None is no gradient)"
            )
        return [gxs[i] for i in needs]


def _checked_numbers(what: str, numbers: tuple[int, ...], count: int) -> tuple[int, ...]:
    for number in numbers:
        if not 0 <= number < count:
            raise ValueError(f"{what}({number}): there are {count}")
    return tuple(numbers)
