"""Update rules and hooks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, Self

from catena._catena import Parameter, Variable
from numpy.typing import ArrayLike, NDArray

_Timing = Literal["pre", "post"]

class _HookForEachParameter(Protocol):
    @property
    def call_for_each_param(self) -> bool: ...
    def __call__(self, rule: ParameterRule, parameter: Any, /) -> object: ...

class Optimizer:
    """Updates parameters from their gradients."""

    t: int
    epoch: int
    use_auto_new_epoch: bool
    loss_scale: float
    @property
    def target(self) -> Any: ...
    @property
    def hyperparameters(self) -> dict[str, float]: ...
    @property
    def learning_rate(self) -> float: ...
    def setup(self, target: Any) -> Self: ...
    def add_params(self, target: Any) -> Self: ...
    def named_parameters(self) -> list[tuple[str, Parameter | Any]]: ...
    def update(self, lossfun: Any = None, *args: Any, **kwargs: Any) -> None: ...
    def _update(self) -> None: ...
    def _update_with(self, lossfun: Any, *args: Any, **kwargs: Any) -> None: ...
    def backward(self, loss: Variable) -> None: ...
    def add_hook(
        self,
        hook: Hook | Callable[[Any], object] | _HookForEachParameter,
        name: str | None = None,
        timing: _Timing | None = None,
    ) -> Self: ...
    def remove_hook(self, name: str) -> None: ...
    @property
    def hooks(self) -> dict[str, Any]: ...
    def reallocate_cleared_grads(self) -> None: ...
    def use_cleargrads(self, use: bool = True) -> None: ...
    def use_fp32_update(self, use: bool = True) -> None: ...
    def new_epoch(self, auto: bool = False) -> None: ...
    def loss_scaling(
        self, interval: int = 1000, initial: float = 1.0, highest: float = 65504.0
    ) -> LossScaling: ...
    def update_rule(self, parameter: Variable) -> ParameterRule: ...
    def update_rules(
        self, where: Callable[[str, Any], bool] | None = None
    ) -> list[ParameterRule]: ...
    def state_dict(self) -> dict[str, NDArray[Any] | None]: ...
    def load_state_dict(self, values: Mapping[str, Any], strict: bool = True) -> None: ...
    def __setstate__(self, content: dict[str, Any], /) -> None: ...
    def _setup(self, pairs: list[tuple[str, Parameter]], /) -> None: ...
    def _add_params(self, pairs: list[tuple[str, Parameter]], /) -> None: ...
    def _add_hook(self, hook: Any, name: str, is_post: bool, /) -> None: ...
    def _remove_hook(self, name: str, /) -> None: ...
    def _call_hook(self, name: str) -> None: ...
    def _call_parameter_hook(self, path: str, name: str, parameter: Variable) -> None: ...
    def _paths(self) -> list[tuple[str, Variable | None]]: ...
    def _state(self) -> dict[str, NDArray[Any] | None]: ...
    def _load_state(self, state: dict[str, Any], strict: bool, /) -> None: ...

class LossScaling:
    """What Optimizer.loss_scaling() gives."""

    @property
    def scale(self) -> float: ...
    @property
    def is_safe_to_update(self) -> bool: ...

class ParameterRule:
    """How an optimizer updates one parameter."""

    enabled: bool
    @property
    def optimizer(self) -> Optimizer: ...
    @property
    def parameter(self) -> Parameter | Any: ...
    @property
    def path(self) -> str: ...
    @property
    def own_numbers(self) -> dict[str, float]: ...
    @property
    def hooks(self) -> dict[str, Any]: ...
    def __getitem__(self, name: str) -> float: ...
    def __setitem__(self, name: str, value: float) -> None: ...
    def follow_optimizer(self) -> None: ...
    def use(self, optimizer: Optimizer) -> Self: ...
    def use_fp32_update(self, use: bool = True) -> None: ...
    def add_hook(
        self,
        hook: ParameterHook | Callable[[ParameterRule, Any], object],
        name: str | None = None,
        timing: _Timing | None = None,
    ) -> Self: ...
    def remove_hook(self, name: str) -> None: ...
    def state(self, name: str) -> Variable | None: ...
    def _follow_optimizer(self) -> None: ...
    def _use(self, optimizer: Optimizer, /) -> None: ...
    def _add_hook(self, hook: Any, name: str, is_post: bool, /) -> None: ...
    def _remove_hook(self, name: str, /) -> None: ...
    def _use_fp32_update(self, use: bool, /) -> None: ...

class Hook:
    """Changes gradients or parameters at every update."""

    @property
    def name(self) -> str: ...
    @property
    def timing(self) -> _Timing: ...

class ParameterHook(Hook):
    """A hook that changes each gradient by itself."""

class WeightDecay(ParameterHook):
    """g += rate p"""

    rate: float
    def __init__(self, rate: float) -> None: ...

class Lasso(ParameterHook):
    """g += rate sign(p)"""

    rate: float
    def __init__(self, rate: float) -> None: ...

class GradientClipping(Hook):
    """Scales all gradients by threshold / norm where the L2 norm of all of them is larger."""

    threshold: float
    def __init__(self, threshold: float) -> None: ...

class GradientHardClipping(ParameterHook):
    """g = min(max(g, lower_bound), upper_bound)"""

    lower_bound: float
    upper_bound: float
    def __init__(self, lower_bound: float, upper_bound: float) -> None: ...

class GradientLARS(ParameterHook):
    """Layer-wise adaptive rates, https://arxiv.org/abs/1708.03888."""

    threshold: float
    weight_decay: float
    eps: float
    def __init__(
        self, threshold: float = 0.01, weight_decay: float = 0.0, eps: float = 1e-09
    ) -> None: ...

class GradientNoise(ParameterHook):
    """g += normal noise of variance eta / (1 + t)^0.55"""

    eta: float
    def __init__(self, eta: float) -> None: ...

# Rules that are written in Python.

_NamedNumbers = Sequence[tuple[str, float]]

class _DefinedRule:
    @property
    def formula(self) -> str: ...

def _define_rule(
    name: str,
    formula: Callable[..., Any],
    arguments: Sequence[str],
    states: _NamedNumbers,
    numbers: _NamedNumbers,
) -> _DefinedRule: ...

class _FormulaRule(Optimizer):
    def __init__(self, rule: _DefinedRule, numbers: _NamedNumbers, /) -> None: ...
    def _number(self, name: str, /) -> float: ...
    def _set_number(self, name: str, value: float, /) -> None: ...

class _PythonRule(Optimizer):
    def __init__(self, name: str, numbers: _NamedNumbers, states: Sequence[str], /) -> None: ...
    def _number(self, name: str, /) -> float: ...
    def _set_number(self, name: str, value: float, /) -> None: ...

class UpdatedVariable(Variable):
    """A parameter or state in update_core(): assign() replaces its content."""

    def assign(self, value: Variable | ArrayLike) -> None: ...

# Written by generate/stubs.py.

class SGD(Optimizer):
    """p -= lr g: stochastic gradient descent with the learning rate lr."""

    lr: float
    def __init__(
        self,
        lr: float = 0.01,
    ) -> None: ...

class MomentumSGD(Optimizer):
    """v = momentum v - lr g;  p += v"""

    lr: float
    momentum: float
    def __init__(
        self,
        lr: float = 0.01,
        momentum: float = 0.9,
    ) -> None: ...

class CorrectedMomentumSGD(Optimizer):
    """v = momentum v - g;  p += lr v"""

    lr: float
    momentum: float
    def __init__(
        self,
        lr: float = 0.01,
        momentum: float = 0.9,
    ) -> None: ...

class NesterovAG(Optimizer):
    """v = momentum v - lr g;  p += momentum^2 v - (1 + momentum) lr g"""

    lr: float
    momentum: float
    def __init__(
        self,
        lr: float = 0.01,
        momentum: float = 0.9,
    ) -> None: ...

class Adam(Optimizer):
    """m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v)"""

    alpha: float
    beta1: float
    beta2: float
    eps: float
    eta: float
    weight_decay_rate: float
    final_lr: float
    gamma: float
    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
        *,
        amsgrad: bool = False,
        adabound: bool = False,
        decay_by_alpha: bool = False,
    ) -> None: ...

class AdamW(Optimizer):
    """Adam with decoupled weight decay, under its usual name; weight_decay_rate is 0 unless given
    (Loshchilov and Hutter 2017).
    """

    alpha: float
    beta1: float
    beta2: float
    eps: float
    eta: float
    weight_decay_rate: float
    final_lr: float
    gamma: float
    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
        *,
        amsgrad: bool = False,
        adabound: bool = False,
        decay_by_alpha: bool = False,
    ) -> None: ...

class AMSGrad(Optimizer):
    """Adam with the largest v so far, https://openreview.net/forum?id=ryQu7f-RZ."""

    alpha: float
    beta1: float
    beta2: float
    eps: float
    eta: float
    weight_decay_rate: float
    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
        *,
        decay_by_alpha: bool = False,
    ) -> None: ...

class AdaBound(Optimizer):
    """Adam whose rates are kept between limits that meet at final_lr,
    https://openreview.net/forum?id=Bkg3g2R9FX.
    """

    alpha: float
    beta1: float
    beta2: float
    eps: float
    eta: float
    weight_decay_rate: float
    final_lr: float
    gamma: float
    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
        final_lr: float = 0.1,
        gamma: float = 0.001,
        *,
        decay_by_alpha: bool = False,
    ) -> None: ...

class AMSBound(Optimizer):
    """AdaBound with the largest v so far, as AMSGrad has it."""

    alpha: float
    beta1: float
    beta2: float
    eps: float
    eta: float
    weight_decay_rate: float
    final_lr: float
    gamma: float
    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-08,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
        final_lr: float = 0.1,
        gamma: float = 0.001,
        *,
        decay_by_alpha: bool = False,
    ) -> None: ...

class AdaGrad(Optimizer):
    """h += g^2;  p -= lr g / (sqrt(h) + eps)"""

    lr: float
    eps: float
    def __init__(
        self,
        lr: float = 0.001,
        eps: float = 1e-08,
    ) -> None: ...

class AdaDelta(Optimizer):
    """msg = rho msg + (1 - rho) g^2;  dx = sqrt((msdx + eps) / (msg + eps)) g
    msdx = rho msdx + (1 - rho) dx^2;  p -= dx
    """

    rho: float
    eps: float
    def __init__(
        self,
        rho: float = 0.95,
        eps: float = 1e-06,
    ) -> None: ...

class RMSprop(Optimizer):
    """ms = alpha ms + (1 - alpha) g^2;  p -= lr g / (sqrt(ms) + eps)"""

    lr: float
    alpha: float
    eps: float
    def __init__(
        self,
        lr: float = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-08,
        *,
        eps_inside_sqrt: bool = False,
    ) -> None: ...

class RMSpropGraves(Optimizer):
    """n = alpha n + (1 - alpha) g^2;  m = alpha m + (1 - alpha) g
    delta = momentum delta - lr g / sqrt(n - m^2 + eps);  p += delta
    """

    lr: float
    alpha: float
    momentum: float
    eps: float
    def __init__(
        self,
        lr: float = 0.0001,
        alpha: float = 0.95,
        momentum: float = 0.9,
        eps: float = 0.0001,
    ) -> None: ...

class SMORMS3(Optimizer):
    """r = 1 / (mem + 1);  m += r (g - m);  g2 += r (g^2 - g2);  x = m^2 / (g2 + eps)
    p -= g min(x, lr) / (sqrt(g2) + eps);  mem = 1 + mem (1 - x)
    """

    lr: float
    eps: float
    def __init__(
        self,
        lr: float = 0.001,
        eps: float = 1e-16,
    ) -> None: ...

class MSVAG(Optimizer):
    """M-SVAG: momentum scaled by how much of the gradient is signal;
    Balles and Hennig 2017, https://arxiv.org/abs/1705.07774.
    """

    lr: float
    beta: float
    eta: float
    weight_decay_rate: float
    def __init__(
        self,
        lr: float = 0.1,
        beta: float = 0.9,
        eta: float = 1.0,
        weight_decay_rate: float = 0.0,
    ) -> None: ...

# End of what is written.
