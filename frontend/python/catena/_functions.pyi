# Written by generate/stubs.py: do not change it by hand.
"""The functions of the registry, by name."""

from collections.abc import Sequence
from typing import Any

from catena import Variable
from numpy.typing import ArrayLike, DTypeLike

_Array = Variable | ArrayLike
_Arrays = Sequence[_Array] | Sequence[Sequence[_Array]]
_Shape = int | Sequence[int]

def absolute(
    x: _Array,
) -> Variable: ...
def absolute_error(
    x0: _Array,
    x1: _Array,
) -> Variable: ...
def accuracy(
    y: _Array,
    t: _Array,
    ignore_label: Any = None,
) -> Variable: ...
def add(
    *xs: _Array,
) -> Variable: ...
def add_along_axis(
    x: _Array,
    indices: _Array,
    axis: Any,
    size: Any,
) -> Variable: ...
def add_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def all(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def any(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def arange(
    start: Any,
    stop: Any = None,
    step: _Shape | float = 1,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def arccos(
    x: _Array,
) -> Variable: ...
def arccosh(
    x: _Array,
) -> Variable: ...
def arcsin(
    x: _Array,
) -> Variable: ...
def arcsinh(
    x: _Array,
) -> Variable: ...
def arctan(
    x: _Array,
) -> Variable: ...
def arctan2(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def arctanh(
    x: _Array,
) -> Variable: ...
def argmax(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def argmax_crf1d(
    cost: _Array,
    xs: _Arrays,
) -> tuple[Any, ...]: ...
def argmin(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def argsort(
    x: _Array,
    axis: _Shape | float = -1,
) -> Variable: ...
def as_strided(
    x: _Array,
    shape: Any,
    strides: Any,
    storage_offset: _Shape | float = 0,
) -> Variable: ...
def atleast_1d(
    x: _Array,
) -> Variable: ...
def atleast_2d(
    x: _Array,
) -> Variable: ...
def atleast_3d(
    x: _Array,
) -> Variable: ...
def average(
    x: _Array,
    axis: Any = None,
    weights: _Array | None = None,
    keepdims: bool = False,
) -> Variable: ...
def average_pooling_1d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    pad_value: _Shape | float = 0,
) -> Variable: ...
def average_pooling_2d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
) -> Variable: ...
def average_pooling_3d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    pad_value: _Shape | float = 0,
) -> Variable: ...
def average_pooling_nd(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    pad_value: _Shape | float = 0,
) -> Variable: ...
def batch_det(
    a: _Array,
) -> Variable: ...
def batch_inv(
    a: _Array,
) -> Variable: ...
def batch_l2_norm_squared(
    x: _Array,
) -> Variable: ...
def batch_matmul(
    a: _Array,
    b: _Array,
    transa: bool = False,
    transb: bool = False,
) -> Variable: ...
def batch_normalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    *,
    eps: float = 2e-05,
    running_mean: _Array | None = None,
    running_var: _Array | None = None,
    decay: float = 0.9,
    axis: Any = None,
) -> Variable: ...
def batch_renormalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    rmax: Any,
    dmax: Any,
    eps: float = 2e-05,
    running_mean: _Array | None = None,
    running_var: _Array | None = None,
    decay: float = 0.9,
    update_statistics: bool = False,
) -> Variable: ...
def bernoulli_nll(
    x: _Array,
    y: _Array,
    reduce: str = "sum",
) -> Variable: ...
def bias(
    x: _Array,
    y: _Array,
    axis: _Shape | float = 1,
) -> Variable: ...
def bilinear(
    e1: _Array,
    e2: _Array,
    W: _Array,
    V1: _Array | None = None,
    V2: _Array | None = None,
    b: _Array | None = None,
) -> Variable: ...
def binary_accuracy(
    y: _Array,
    t: _Array,
) -> Variable: ...
def bitwise_and(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def bitwise_not(
    x: _Array,
) -> Variable: ...
def bitwise_or(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def bitwise_xor(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def black_out(
    x: _Array,
    t: _Array,
    W: _Array,
    samples: _Array,
    reduce: str = "mean",
) -> Variable: ...
def broadcast(
    *args: _Array,
) -> tuple[Any, ...]: ...
def broadcast_to(
    x: _Array,
    shape: Any,
) -> Variable: ...
def cast(
    x: _Array,
    typ: DTypeLike,
) -> Variable: ...
def ceil(
    x: _Array,
) -> Variable: ...
def choice(
    x: _Array,
    size: Any,
    replace: bool = True,
    p: _Array | None = None,
) -> Variable: ...
def cholesky(
    a: _Array,
) -> Variable: ...
def classification_summary(
    y: _Array,
    t: _Array,
    label_num: Any = None,
    beta: float = 1.0,
    ignore_label: _Shape | float = -1,
) -> tuple[Any, ...]: ...
def clip(
    x: _Array,
    x_min: Any,
    x_max: Any,
) -> Variable: ...
def clipped_relu(
    x: _Array,
    z: float = 20.0,
) -> Variable: ...
def concat(
    xs: _Arrays,
    axis: _Shape | float = 1,
) -> Variable: ...
def concatenate(
    xs: _Arrays,
    axis: _Shape | float = 0,
) -> Variable: ...
def connectionist_temporal_classification(
    x: _Arrays,
    t: _Array,
    blank_symbol: Any,
    input_length: _Array | None = None,
    label_length: _Array | None = None,
    reduce: str = "mean",
) -> Variable: ...
def contrastive(
    x0: _Array,
    x1: _Array,
    y: _Array,
    margin: _Shape | float = 1,
    reduce: str = "mean",
) -> Variable: ...
def convolution_1d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    cover_all: bool = False,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    cover_all: bool = False,
    *,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
    cudnn_fast: bool = False,
) -> Variable: ...
def convolution_3d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    cover_all: bool = False,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def convolution_nd(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    cover_all: bool = False,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def copy(
    x: _Array,
) -> Variable: ...
def copysign(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def cos(
    x: _Array,
) -> Variable: ...
def cosh(
    x: _Array,
) -> Variable: ...
def count_nonzero(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def crelu(
    x: _Array,
    axis: _Shape | float = 1,
) -> Variable: ...
def crf1d(
    cost: _Array,
    xs: _Arrays,
    ys: _Arrays,
    reduce: str = "mean",
) -> Variable: ...
def cross_covariance(
    y: _Array,
    z: _Array,
    reduce: str = "half_squared_sum",
) -> Variable: ...
def cumprod(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def cumsum(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def deconvolution_1d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    outsize: Any = None,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def deconvolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    outsize: Any = None,
    *,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def deconvolution_3d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    outsize: Any = None,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def deconvolution_nd(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    outsize: Any = None,
    dilate: _Shape | float = 1,
    groups: _Shape | float = 1,
) -> Variable: ...
def decorrelated_batch_normalization(
    x: _Array,
    *,
    groups: _Shape | float = 16,
    eps: float = 2e-05,
    running_mean: _Array | None = None,
    running_projection: _Array | None = None,
    decay: float = 0.9,
) -> Variable: ...
def decov(
    h: _Array,
    reduce: str = "half_squared_sum",
) -> Variable: ...
def deformable_convolution_2d_sampler(
    x: _Array,
    offset: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
) -> Variable: ...
def depth2space(
    X: _Array,
    r: Any,
) -> Variable: ...
def depthwise_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
) -> Variable: ...
def det(
    a: _Array,
) -> Variable: ...
def diag(
    v: _Array,
    k: _Shape | float = 0,
) -> Variable: ...
def diagflat(
    v: _Array,
    k: _Shape | float = 0,
) -> Variable: ...
def diagonal(
    x: _Array,
    offset: _Shape | float = 0,
    axis1: _Shape | float = 0,
    axis2: _Shape | float = 1,
) -> Variable: ...
def digamma(
    x: _Array,
) -> Variable: ...
def dilated_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    dilate: _Shape | float = 1,
    cover_all: bool = False,
) -> Variable: ...
def discriminative_margin_based_clustering_loss(
    embeddings: _Array,
    labels: _Array,
    delta_v: Any,
    delta_d: Any,
    max_embedding_dim: Any,
    norm: _Shape | float = 1,
    alpha: float = 1.0,
    beta: float = 1.0,
    gamma: float = 0.001,
) -> tuple[Any, ...]: ...
def divide(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def divide_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def dropout(
    x: _Array,
    ratio: float = 0.5,
    *,
    mask: _Array | None = None,
    return_mask: bool = False,
) -> Any: ...
def dsplit(
    x: _Array,
    indices_or_sections: Any,
) -> tuple[Any, ...]: ...
def dstack(
    xs: _Arrays,
) -> Variable: ...
def eigh(
    a: _Array,
    UPLO: str = "L",
) -> tuple[Any, ...]: ...
def eigvalsh(
    a: _Array,
    UPLO: str = "L",
) -> Variable: ...
def einsum(
    subscripts: Any,
    operands: _Arrays,
) -> Variable: ...
def elu(
    x: _Array,
    alpha: float = 1.0,
) -> Variable: ...
def embed_id(
    x: _Array,
    W: _Array,
    ignore_label: Any = None,
) -> Variable: ...
def equal(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def equal_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def erf(
    x: _Array,
) -> Variable: ...
def erfc(
    x: _Array,
) -> Variable: ...
def erfcinv(
    x: _Array,
) -> Variable: ...
def erfcx(
    x: _Array,
) -> Variable: ...
def erfinv(
    x: _Array,
) -> Variable: ...
def exp(
    x: _Array,
) -> Variable: ...
def exp2(
    x: _Array,
) -> Variable: ...
def expand_dims(
    x: _Array,
    axis: Any,
) -> Variable: ...
def expm1(
    x: _Array,
) -> Variable: ...
def eye(
    n: Any,
    m: Any = None,
    k: _Shape | float = 0,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def f1_score(
    y: _Array,
    t: _Array,
    label_num: Any = None,
    ignore_label: _Shape | float = -1,
) -> tuple[Any, ...]: ...
def fft(
    real: _Array,
    imag: _Array,
) -> tuple[Any, ...]: ...
def fill(
    shape: Any,
    value: Any,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def fix(
    x: _Array,
) -> Variable: ...
def fixed_batch_normalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    mean: _Array,
    var: _Array,
    eps: float = 2e-05,
    axis: Any = None,
) -> Variable: ...
def fixed_batch_renormalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    mean: _Array,
    var: _Array,
    eps: float = 2e-05,
) -> Variable: ...
def fixed_decorrelated_batch_normalization(
    x: _Array,
    mean: _Array,
    projection: _Array,
    groups: _Shape | float = 16,
) -> Variable: ...
def flatten(
    x: _Array,
) -> Variable: ...
def flip(
    x: _Array,
    axis: Any,
) -> Variable: ...
def fliplr(
    a: _Array,
) -> Variable: ...
def flipud(
    a: _Array,
) -> Variable: ...
def floor(
    x: _Array,
) -> Variable: ...
def floor_divide(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def fmod(
    x: _Array,
    divisor: _Array,
) -> Variable: ...
def full(
    shape: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def full_like(
    x: _Array,
    fill_value: Any,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def gaussian(
    mean: _Array,
    ln_var: _Array,
    *,
    eps: _Array | None = None,
    return_eps: bool = False,
) -> Any: ...
def gaussian_kl_divergence(
    mean: _Array,
    ln_var: _Array,
    reduce: str = "sum",
) -> Variable: ...
def gaussian_nll(
    x: _Array,
    mean: _Array,
    ln_var: _Array,
    reduce: str = "sum",
) -> Variable: ...
def gelu(
    x: _Array,
    approximate: str = "none",
) -> Variable: ...
def get_item(
    x: _Array,
    slices: Any,
) -> Variable: ...
def greater(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def greater_equal(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def greater_equal_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def greater_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def group_normalization(
    x: _Array,
    groups: Any,
    gamma: _Array,
    beta: _Array,
    eps: float = 1e-05,
) -> Variable: ...
def gumbel_softmax(
    log_pi: _Array,
    tau: float = 0.1,
    axis: _Shape | float = 1,
) -> Variable: ...
def hard_sigmoid(
    x: _Array,
) -> Variable: ...
def hinge(
    x: _Array,
    t: _Array,
    norm: str = "L1",
    reduce: str = "mean",
) -> Variable: ...
def hsplit(
    x: _Array,
    indices_or_sections: Any,
) -> tuple[Any, ...]: ...
def hstack(
    xs: _Arrays,
) -> Variable: ...
def huber_loss(
    x: _Array,
    t: _Array,
    delta: Any,
    reduce: str = "sum_along_second_axis",
) -> Variable: ...
def identity(
    *inputs: _Array,
) -> Any: ...
def ifft(
    real: _Array,
    imag: _Array,
) -> tuple[Any, ...]: ...
def im2col(
    x: _Array,
    ksize: Any,
    stride: _Shape | float = 1,
    pad: _Shape | float = 0,
    cover_all: bool = False,
    dilate: _Shape | float = 1,
) -> Variable: ...
def inv(
    a: _Array,
) -> Variable: ...
def inverse_square_root(
    a: _Array,
) -> Variable: ...
def isclose(
    a: _Array,
    b: _Array,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Variable: ...
def isfinite(
    x: _Array,
) -> Variable: ...
def isinf(
    x: _Array,
) -> Variable: ...
def isnan(
    x: _Array,
) -> Variable: ...
def layer_normalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    eps: float = 1e-05,
) -> Variable: ...
def leaky_relu(
    x: _Array,
    slope: float = 0.2,
) -> Variable: ...
def left_shift(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def less(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def less_equal(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def less_equal_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def less_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def lgamma(
    x: _Array,
) -> Variable: ...
def linear(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    n_batch_axes: _Shape | float = 1,
) -> Variable: ...
def linear_interpolate(
    p: _Array,
    x: _Array,
    y: _Array,
) -> Variable: ...
def linspace(
    start: Any,
    stop: Any,
    num: _Shape | float = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def local_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape | float = 1,
) -> Variable: ...
def local_response_normalization(
    x: _Array,
    n: _Shape | float = 5,
    k: _Shape | float = 2,
    alpha: float = 0.0001,
    beta: float = 0.75,
) -> Variable: ...
def log(
    x: _Array,
) -> Variable: ...
def log10(
    x: _Array,
) -> Variable: ...
def log1p(
    x: _Array,
) -> Variable: ...
def log2(
    x: _Array,
) -> Variable: ...
def log_ndtr(
    x: _Array,
) -> Variable: ...
def log_softmax(
    x: _Array,
    axis: _Shape | float = 1,
) -> Variable: ...
def logical_and(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def logical_not(
    x: _Array,
) -> Variable: ...
def logical_or(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def logical_xor(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def logsumexp(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def lstm(
    c_prev: _Array,
    x: _Array,
) -> tuple[Any, ...]: ...
def lyapunov(
    a: _Array,
    q: _Array,
) -> Variable: ...
def matmul(
    a: _Array,
    b: _Array,
    transa: bool = False,
    transb: bool = False,
) -> Variable: ...
def max(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def max_pooling_1d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Any: ...
def max_pooling_2d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Any: ...
def max_pooling_3d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Any: ...
def max_pooling_nd(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Any: ...
def maximum(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def maximum_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def maxout(
    x: _Array,
    pool_size: Any,
    axis: _Shape | float = 1,
) -> Variable: ...
def mean(
    x: _Array,
    axis: Any = None,
    weights: _Array | None = None,
    keepdims: bool = False,
) -> Variable: ...
def mean_absolute_error(
    x0: _Array,
    x1: _Array,
) -> Variable: ...
def mean_squared_error(
    x0: _Array,
    x1: _Array,
) -> Variable: ...
def meshgrid(
    xs: _Arrays,
    indexing: str = "xy",
) -> tuple[Any, ...]: ...
def min(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def minimum(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def minimum_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def moveaxis(
    x: _Array,
    source: Any,
    destination: Any,
) -> Variable: ...
def multiply(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def multiply_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def n_step_bigru(
    n_layers: Any,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Any, ...]: ...
def n_step_bilstm(
    n_layers: Any,
    dropout_ratio: Any,
    hx: _Array,
    cx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Any, ...]: ...
def n_step_birnn(
    n_layers: Any,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
    activation: str = "tanh",
) -> tuple[Any, ...]: ...
def n_step_gru(
    n_layers: Any,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Any, ...]: ...
def n_step_lstm(
    n_layers: Any,
    dropout_ratio: Any,
    hx: _Array,
    cx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Any, ...]: ...
def n_step_rnn(
    n_layers: Any,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
    activation: str = "tanh",
) -> tuple[Any, ...]: ...
def nanargmax(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def nanargmin(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def nanmax(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def nanmean(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def nanmin(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def nanstd(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def nansum(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def nanvar(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def ndtr(
    x: _Array,
) -> Variable: ...
def ndtri(
    x: _Array,
) -> Variable: ...
def negative(
    x: _Array,
) -> Variable: ...
def negative_sampling(
    x: _Array,
    t: _Array,
    W: _Array,
    samples: _Array,
    reduce: str = "sum",
) -> Variable: ...
def normalize(
    x: _Array,
    eps: float = 1e-05,
    axis: _Shape | float = 1,
) -> Variable: ...
def not_equal(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def not_equal_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def one_hot(
    x: _Array,
    classes: Any,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def ones(
    shape: Any,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def ones_like(
    x: _Array,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def pad(
    x: _Array,
    pad_width: Any,
    mode: Any,
    constant_values: _Shape | float = 0,
) -> Variable: ...
def pad_sequence(
    xs: _Arrays,
    length: Any = None,
    padding: _Shape | float = 0,
) -> Variable: ...
def permutate(
    x: _Array,
    indices: _Array,
    axis: _Shape | float = 0,
    inv: bool = False,
) -> Variable: ...
def permutation(
    x: _Array,
    axis: _Shape | float = 0,
) -> Variable: ...
def pinv(
    a: _Array,
    rcond: float = 1e-15,
) -> Variable: ...
def place_slice(
    x: _Array,
    begin: Any,
    step: Any,
    shape: Any,
) -> Variable: ...
def polygamma(
    n: _Array,
    x: _Array,
) -> Variable: ...
def power(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def power_scalar(
    x: _Array,
    exponent: Any,
) -> Variable: ...
def precision(
    y: _Array,
    t: _Array,
    label_num: Any = None,
    ignore_label: _Shape | float = -1,
) -> tuple[Any, ...]: ...
def prelu(
    x: _Array,
    W: _Array,
) -> Variable: ...
def prod(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def prod_others(
    x: _Array,
) -> Variable: ...
def prod_pairs(
    x: _Array,
    gy: _Array,
) -> Variable: ...
def qr(
    a: _Array,
    mode: str = "reduced",
) -> Any: ...
def r2_score(
    pred: _Array,
    true: _Array,
    sample_weight: Any = None,
    multioutput: str = "uniform_average",
) -> Variable: ...
def randint(
    low: Any,
    high: Any,
    shape: Any,
    dtype: DTypeLike = "int64",
) -> Variable: ...
def random_categorical(
    logits: _Array,
    draws: _Shape | float = 1,
) -> Variable: ...
def random_normal(
    shape: Any,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def random_uniform(
    shape: Any,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def ravel(
    x: _Array,
) -> Variable: ...
def recall(
    y: _Array,
    t: _Array,
    label_num: Any = None,
    ignore_label: _Shape | float = -1,
) -> tuple[Any, ...]: ...
def reciprocal(
    x: _Array,
) -> Variable: ...
def relu(
    x: _Array,
) -> Variable: ...
def relu6(
    x: _Array,
) -> Variable: ...
def remainder(
    x: _Array,
    y: _Array,
) -> Variable: ...
def repeat(
    x: _Array,
    repeats: Any,
    axis: Any = None,
) -> Variable: ...
def reshape(
    x: _Array,
    shape: Any,
) -> Variable: ...
def resize_images(
    x: _Array,
    output_shape: Any,
    *,
    mode: str = "bilinear",
    align_corners: bool = True,
) -> Variable: ...
def right_shift(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def roi_average_align_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: Any,
    spatial_scale: Any,
    sampling_ratio: Any = None,
) -> Variable: ...
def roi_average_pooling_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: Any,
    spatial_scale: Any,
) -> Variable: ...
def roi_max_align_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: Any,
    spatial_scale: Any,
    sampling_ratio: Any = None,
) -> Variable: ...
def roi_max_pooling_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: Any,
    spatial_scale: Any,
) -> Variable: ...
def roi_pooling_2d(
    x: _Array,
    rois: _Array,
    outh: Any,
    outw: Any,
    spatial_scale: Any,
) -> Variable: ...
def roll(
    x: _Array,
    shift: Any,
    axis: Any = None,
) -> Variable: ...
def rollaxis(
    x: _Array,
    axis: Any,
    start: _Shape | float = 0,
) -> Variable: ...
def rrelu(
    x: _Array,
    l: float = 0.125,
    u: float = 0.3333333333333333,
    *,
    r: _Array | None = None,
    return_r: bool = False,
) -> Any: ...
def rsqrt(
    x: _Array,
) -> Variable: ...
def scalar_divide(
    x: _Array,
    value: Any,
) -> Variable: ...
def scalar_power(
    x: _Array,
    base: Any,
) -> Variable: ...
def scalar_subtract(
    x: _Array,
    value: Any,
) -> Variable: ...
def scale(
    x: _Array,
    y: _Array,
    axis: _Shape | float = 1,
) -> Variable: ...
def scatter_add(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable: ...
def scatter_maximum(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable: ...
def scatter_minimum(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable: ...
def scatter_multiply(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable: ...
def select_item(
    x: _Array,
    t: _Array,
) -> Variable: ...
def selu(
    x: _Array,
    alpha: float = 1.6732632423543772,
    scale: float = 1.0507009873554805,
) -> Variable: ...
def separate(
    x: _Array,
    axis: _Shape | float = 0,
) -> tuple[Any, ...]: ...
def shift(
    x: _Array,
    ksize: _Shape | float = 3,
    dilate: _Shape | float = 1,
) -> Variable: ...
def sigmoid(
    x: _Array,
) -> Variable: ...
def sigmoid_cross_entropy(
    x: _Array,
    t: _Array,
    normalize: bool = True,
    reduce: str = "mean",
) -> Variable: ...
def sign(
    x: _Array,
) -> Variable: ...
def silu(
    x: _Array,
) -> Variable: ...
def simplified_dropconnect(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    ratio: float = 0.5,
    train: bool = True,
    mask: _Array | None = None,
    use_batchwise_mask: bool = True,
) -> Variable: ...
def sin(
    x: _Array,
) -> Variable: ...
def sinc(
    x: _Array,
) -> Variable: ...
def sinh(
    x: _Array,
) -> Variable: ...
def slice(
    x: _Array,
    begin: Any,
    step: Any,
    size: Any,
) -> Variable: ...
def slstm(
    c_prev1: _Array,
    c_prev2: _Array,
    x1: _Array,
    x2: _Array,
) -> tuple[Any, ...]: ...
def softmax(
    x: _Array,
    axis: _Shape | float = 1,
) -> Variable: ...
def softmax_cross_entropy(
    x: _Array,
    t: _Array,
    normalize: bool = True,
    cache_score: bool = True,
    class_weight: _Array | None = None,
    ignore_label: _Shape | float = -1,
    reduce: str = "mean",
    enable_double_backprop: bool = False,
    soft_target_loss: str = "cross-entropy",
) -> Variable: ...
def softplus(
    x: _Array,
    beta: float = 1.0,
) -> Variable: ...
def solve(
    a: _Array,
    b: _Array,
) -> Variable: ...
def sort(
    x: _Array,
    axis: _Shape | float = -1,
) -> Variable: ...
def space2depth(
    X: _Array,
    r: Any,
) -> Variable: ...
def sparse_matmul(
    data: _Array,
    row: _Array,
    col: _Array,
    b: _Array,
    shape: Any,
    transa: bool = False,
    transb: bool = False,
) -> Variable: ...
def spatial_pyramid_pooling_2d(
    x: _Array,
    pyramid_height: Any,
    pooling: str = "max",
) -> Variable: ...
def spatial_transformer_grid(
    theta: _Array,
    output_shape: Any,
) -> Variable: ...
def spatial_transformer_sampler(
    x: _Array,
    grid: _Array,
) -> Variable: ...
def split(
    x: _Array,
    indices_or_sections: Any,
    axis: _Shape | float = 0,
) -> tuple[Any, ...]: ...
def split_axis(
    x: _Array,
    indices_or_sections: Any,
    axis: Any,
    force_tuple: bool = True,
) -> Any: ...
def sqrt(
    x: _Array,
) -> Variable: ...
def square(
    x: _Array,
) -> Variable: ...
def squared_difference(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def squared_error(
    x0: _Array,
    x1: _Array,
) -> Variable: ...
def squeeze(
    x: _Array,
    axis: Any = None,
) -> Variable: ...
def stack(
    xs: _Arrays,
    axis: _Shape | float = 0,
) -> Variable: ...
def std(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def subtract(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def subtract_scalar(
    x: _Array,
    value: Any,
) -> Variable: ...
def sum(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def sum_to(
    x: _Array,
    shape: Any,
) -> Variable: ...
def svd(
    a: _Array,
    full_matrices: bool = True,
    compute_uv: bool = True,
) -> Any: ...
def swapaxes(
    x: _Array,
    axis1: Any,
    axis2: Any,
) -> Variable: ...
def swish(
    x: _Array,
    beta: _Array,
) -> Variable: ...
def take(
    x: _Array,
    indices: _Array,
    axis: _Shape | float = 0,
) -> Variable: ...
def take_along_axis(
    x: _Array,
    indices: _Array,
    axis: Any,
) -> Variable: ...
def tan(
    x: _Array,
) -> Variable: ...
def tanh(
    x: _Array,
) -> Variable: ...
def tensordot(
    a: _Array,
    b: _Array,
    axes: _Shape | float = 2,
) -> Variable: ...
def tile(
    x: _Array,
    reps: Any,
) -> Variable: ...
def topk(
    x: _Array,
    k: Any,
    axis: _Shape | float = -1,
    largest: bool = True,
) -> tuple[Any, ...]: ...
def transpose(
    x: _Array,
    axes: Any = None,
) -> Variable: ...
def transpose_sequence(
    xs: _Arrays,
) -> tuple[Any, ...]: ...
def tree_lstm(
    *inputs: _Array,
) -> tuple[Any, ...]: ...
def tri(
    n: Any,
    m: Any = None,
    k: _Shape | float = 0,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def tril(
    x: _Array,
    k: _Shape | float = 0,
) -> Variable: ...
def triplet(
    anchor: _Array,
    positive: _Array,
    negative: _Array,
    margin: float = 0.2,
    reduce: str = "mean",
) -> Variable: ...
def triu(
    x: _Array,
    k: _Shape | float = 0,
) -> Variable: ...
def trunc(
    x: _Array,
) -> Variable: ...
def unpooling_1d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    outsize: Any = None,
    cover_all: bool = True,
) -> Variable: ...
def unpooling_2d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    outsize: Any = None,
    cover_all: bool = True,
) -> Variable: ...
def unpooling_3d(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    outsize: Any = None,
    cover_all: bool = True,
) -> Variable: ...
def unpooling_nd(
    x: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    outsize: Any = None,
    cover_all: bool = True,
) -> Variable: ...
def upsampling_2d(
    x: _Array,
    indexes: _Array,
    ksize: Any,
    stride: Any = None,
    pad: _Shape | float = 0,
    outsize: Any = None,
    cover_all: bool = True,
) -> Variable: ...
def var(
    x: _Array,
    axis: Any = None,
    keepdims: bool = False,
) -> Variable: ...
def vsplit(
    x: _Array,
    indices_or_sections: Any,
) -> tuple[Any, ...]: ...
def vstack(
    xs: _Arrays,
) -> Variable: ...
def where(
    condition: _Array,
    x: _Array,
    y: _Array,
) -> Variable: ...
def where_else_scalar(
    condition: _Array,
    x: _Array,
    value: Any,
) -> Variable: ...
def where_then_scalar(
    condition: _Array,
    y: _Array,
    value: Any,
) -> Variable: ...
def zeros(
    shape: Any,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def zeros_like(
    x: _Array,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def zeta(
    x: _Array,
    q: _Array,
) -> Variable: ...
def zoneout(
    h: _Array,
    x: _Array,
    ratio: float = 0.5,
) -> Variable: ...
