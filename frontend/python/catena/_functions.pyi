# Written by generate/stubs.py: do not change it by hand.
"""The functions of the registry, by name."""

from collections.abc import Sequence
from typing import Any

from catena import Variable
from numpy.typing import ArrayLike, DTypeLike

_Array = Variable | ArrayLike
_Arrays = Sequence[_Array] | Sequence[Sequence[_Array]]
_Shape = int | Sequence[int]

__all__ = [
    "absolute",
    "absolute_error",
    "accuracy",
    "add",
    "add_along_axis",
    "add_scalar",
    "all",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmax_crf1d",
    "argmin",
    "argsort",
    "as_strided",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "average_pooling_1d",
    "average_pooling_2d",
    "average_pooling_3d",
    "average_pooling_nd",
    "batch_det",
    "batch_inv",
    "batch_l2_norm_squared",
    "batch_matmul",
    "batch_normalization",
    "batch_renormalization",
    "bernoulli_nll",
    "bias",
    "bilinear",
    "binary_accuracy",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "black_out",
    "broadcast",
    "broadcast_to",
    "cast",
    "ceil",
    "choice",
    "cholesky",
    "classification_summary",
    "clip",
    "clipped_relu",
    "concat",
    "concatenate",
    "connectionist_temporal_classification",
    "contrastive",
    "convolution_1d",
    "convolution_2d",
    "convolution_3d",
    "convolution_nd",
    "copy",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "crelu",
    "crf1d",
    "cross_covariance",
    "cumprod",
    "cumsum",
    "deconvolution_1d",
    "deconvolution_2d",
    "deconvolution_3d",
    "deconvolution_nd",
    "decorrelated_batch_normalization",
    "decov",
    "deformable_convolution_2d_sampler",
    "depth2space",
    "depthwise_convolution_2d",
    "det",
    "diag",
    "diagflat",
    "diagonal",
    "digamma",
    "dilated_convolution_2d",
    "discriminative_margin_based_clustering_loss",
    "divide",
    "divide_scalar",
    "dropout",
    "dsplit",
    "dstack",
    "eigh",
    "eigvalsh",
    "einsum",
    "elu",
    "embed_id",
    "equal",
    "equal_scalar",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "eye",
    "f1_score",
    "fft",
    "fill",
    "fix",
    "fixed_batch_normalization",
    "fixed_batch_renormalization",
    "fixed_decorrelated_batch_normalization",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "floor_divide",
    "fmod",
    "full",
    "full_like",
    "gaussian",
    "gaussian_kl_divergence",
    "gaussian_nll",
    "gelu",
    "get_item",
    "greater",
    "greater_equal",
    "greater_equal_scalar",
    "greater_scalar",
    "group_normalization",
    "gumbel_softmax",
    "hard_sigmoid",
    "hinge",
    "hsplit",
    "hstack",
    "huber_loss",
    "identity",
    "ifft",
    "im2col",
    "inv",
    "inverse_square_root",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "layer_normalization",
    "leaky_relu",
    "left_shift",
    "less",
    "less_equal",
    "less_equal_scalar",
    "less_scalar",
    "lgamma",
    "linear",
    "linear_interpolate",
    "linspace",
    "local_convolution_2d",
    "local_response_normalization",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_ndtr",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lstm",
    "lyapunov",
    "matmul",
    "max",
    "max_pooling_1d",
    "max_pooling_2d",
    "max_pooling_3d",
    "max_pooling_nd",
    "maximum",
    "maximum_scalar",
    "maxout",
    "mean",
    "mean_absolute_error",
    "mean_squared_error",
    "meshgrid",
    "min",
    "minimum",
    "minimum_scalar",
    "moveaxis",
    "multiply",
    "multiply_scalar",
    "n_step_bigru",
    "n_step_bilstm",
    "n_step_birnn",
    "n_step_gru",
    "n_step_lstm",
    "n_step_rnn",
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanstd",
    "nansum",
    "nanvar",
    "ndtr",
    "ndtri",
    "negative",
    "negative_sampling",
    "normalize",
    "not_equal",
    "not_equal_scalar",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "pad_sequence",
    "permutate",
    "permutation",
    "pinv",
    "place_slice",
    "polygamma",
    "power",
    "power_scalar",
    "precision",
    "prelu",
    "prod",
    "prod_others",
    "prod_pairs",
    "qr",
    "r2_score",
    "randint",
    "random_categorical",
    "random_normal",
    "random_uniform",
    "ravel",
    "recall",
    "reciprocal",
    "relu",
    "relu6",
    "remainder",
    "repeat",
    "reshape",
    "resize_images",
    "right_shift",
    "roi_average_align_2d",
    "roi_average_pooling_2d",
    "roi_max_align_2d",
    "roi_max_pooling_2d",
    "roi_pooling_2d",
    "roll",
    "rollaxis",
    "rrelu",
    "rsqrt",
    "scalar_divide",
    "scalar_power",
    "scalar_subtract",
    "scale",
    "scatter_add",
    "scatter_maximum",
    "scatter_minimum",
    "scatter_multiply",
    "select_item",
    "selu",
    "separate",
    "shift",
    "sigmoid",
    "sigmoid_cross_entropy",
    "sign",
    "silu",
    "simplified_dropconnect",
    "sin",
    "sinc",
    "sinh",
    "slice",
    "slstm",
    "softmax",
    "softmax_cross_entropy",
    "softplus",
    "solve",
    "sort",
    "space2depth",
    "sparse_matmul",
    "spatial_pyramid_pooling_2d",
    "spatial_transformer_grid",
    "spatial_transformer_sampler",
    "split",
    "split_axis",
    "sqrt",
    "square",
    "squared_difference",
    "squared_error",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "subtract_scalar",
    "sum",
    "sum_to",
    "svd",
    "swapaxes",
    "swish",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "topk",
    "transpose",
    "transpose_sequence",
    "tree_lstm",
    "tri",
    "tril",
    "triplet",
    "triu",
    "trunc",
    "unpooling_1d",
    "unpooling_2d",
    "unpooling_3d",
    "unpooling_nd",
    "upsampling_2d",
    "var",
    "vsplit",
    "vstack",
    "where",
    "where_else_scalar",
    "where_then_scalar",
    "zeros",
    "zeros_like",
    "zeta",
    "zoneout",
]

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
    ignore_label: int | None = None,
) -> Variable: ...
def add(
    *xs: _Array,
) -> Variable: ...
def add_along_axis(
    x: _Array,
    indices: _Array,
    axis: int,
    size: int,
) -> Variable: ...
def add_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def all(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def any(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
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
    axis: int | None = None,
) -> Variable: ...
def argmax_crf1d(
    cost: _Array,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]: ...
def argmin(
    x: _Array,
    axis: int | None = None,
) -> Variable: ...
def argsort(
    x: _Array,
    axis: int = -1,
) -> Variable: ...
def as_strided(
    x: _Array,
    shape: _Shape,
    strides: _Shape,
    storage_offset: int = 0,
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
    axis: _Shape | None = None,
    weights: _Array | None = None,
    keepdims: bool = False,
) -> Variable: ...
def average_pooling_1d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    pad_value: float = 0,
) -> Variable: ...
def average_pooling_2d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
) -> Variable: ...
def average_pooling_3d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    pad_value: float = 0,
) -> Variable: ...
def average_pooling_nd(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    pad_value: float = 0,
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
    axis: _Shape | None = None,
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
    axis: int = 1,
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
) -> tuple[Variable | Any, ...]: ...
def broadcast_to(
    x: _Array,
    shape: _Shape,
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
    size: int,
    replace: bool = True,
    p: _Array | None = None,
) -> Variable: ...
def cholesky(
    a: _Array,
) -> Variable: ...
def classification_summary(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    beta: float = 1.0,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]: ...
def clip(
    x: _Array,
    x_min: float | None,
    x_max: float | None,
) -> Variable: ...
def clipped_relu(
    x: _Array,
    z: float = 20.0,
) -> Variable: ...
def concat(
    xs: _Arrays,
    axis: int = 1,
) -> Variable: ...
def concatenate(
    xs: _Arrays,
    axis: int = 0,
) -> Variable: ...
def connectionist_temporal_classification(
    x: _Arrays,
    t: _Array,
    blank_symbol: int,
    input_length: _Array | None = None,
    label_length: _Array | None = None,
    reduce: str = "mean",
) -> Variable: ...
def contrastive(
    x0: _Array,
    x1: _Array,
    y: _Array,
    margin: float = 1,
    reduce: str = "mean",
) -> Variable: ...
def convolution_1d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable: ...
def convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    *,
    dilate: _Shape = 1,
    groups: int = 1,
    cudnn_fast: bool = False,
) -> Variable: ...
def convolution_3d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable: ...
def convolution_nd(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
    groups: int = 1,
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
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def crelu(
    x: _Array,
    axis: int = 1,
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
    axis: int | None = None,
) -> Variable: ...
def cumsum(
    x: _Array,
    axis: int | None = None,
) -> Variable: ...
def deconvolution_1d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable: ...
def deconvolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    *,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable: ...
def deconvolution_3d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable: ...
def deconvolution_nd(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable: ...
def decorrelated_batch_normalization(
    x: _Array,
    *,
    groups: int = 16,
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
    stride: _Shape = 1,
    pad: _Shape = 0,
) -> Variable: ...
def depth2space(
    X: _Array,
    r: int,
) -> Variable: ...
def depthwise_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
) -> Variable: ...
def det(
    a: _Array,
) -> Variable: ...
def diag(
    v: _Array,
    k: int = 0,
) -> Variable: ...
def diagflat(
    v: _Array,
    k: int = 0,
) -> Variable: ...
def diagonal(
    x: _Array,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
) -> Variable: ...
def digamma(
    x: _Array,
) -> Variable: ...
def dilated_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    dilate: _Shape = 1,
    cover_all: bool = False,
) -> Variable: ...
def discriminative_margin_based_clustering_loss(
    embeddings: _Array,
    labels: _Array,
    delta_v: float,
    delta_d: float,
    max_embedding_dim: int,
    norm: int = 1,
    alpha: float = 1.0,
    beta: float = 1.0,
    gamma: float = 0.001,
) -> tuple[Variable | Any, ...]: ...
def divide(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def divide_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def dropout(
    x: _Array,
    ratio: float = 0.5,
    *,
    mask: _Array | None = None,
    return_mask: bool = False,
) -> Variable | Any: ...
def dsplit(
    x: _Array,
    indices_or_sections: _Shape,
) -> tuple[Variable | Any, ...]: ...
def dstack(
    xs: _Arrays,
) -> Variable: ...
def eigh(
    a: _Array,
    UPLO: str = "L",
) -> tuple[Variable | Any, ...]: ...
def eigvalsh(
    a: _Array,
    UPLO: str = "L",
) -> Variable: ...
def einsum(
    subscripts: Any,
    *operands: _Array,
) -> Variable: ...
def elu(
    x: _Array,
    alpha: float = 1.0,
) -> Variable: ...
def embed_id(
    x: _Array,
    W: _Array,
    ignore_label: int | None = None,
) -> Variable: ...
def equal(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def equal_scalar(
    x: _Array,
    value: float,
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
    axis: int,
) -> Variable: ...
def expm1(
    x: _Array,
) -> Variable: ...
def eye(
    n: int,
    m: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def f1_score(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]: ...
def fft(
    real: _Array,
    imag: _Array,
) -> tuple[Variable | Any, ...]: ...
def fill(
    shape: _Shape,
    value: float,
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
    axis: _Shape | None = None,
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
    groups: int = 16,
) -> Variable: ...
def flatten(
    x: _Array,
) -> Variable: ...
def flip(
    x: _Array,
    axis: int,
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
    shape: _Shape,
    fill_value: float,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def full_like(
    x: _Array,
    fill_value: float,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def gaussian(
    mean: _Array,
    ln_var: _Array,
    *,
    eps: _Array | None = None,
    return_eps: bool = False,
) -> Variable | Any: ...
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
    value: float,
) -> Variable: ...
def greater_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def group_normalization(
    x: _Array,
    groups: int,
    gamma: _Array,
    beta: _Array,
    eps: float = 1e-05,
) -> Variable: ...
def gumbel_softmax(
    log_pi: _Array,
    tau: float = 0.1,
    axis: int = 1,
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
    indices_or_sections: _Shape,
) -> tuple[Variable | Any, ...]: ...
def hstack(
    xs: _Arrays,
) -> Variable: ...
def huber_loss(
    x: _Array,
    t: _Array,
    delta: float,
    reduce: str = "sum_along_second_axis",
) -> Variable: ...
def identity(
    *inputs: _Array,
) -> Variable | Any: ...
def ifft(
    real: _Array,
    imag: _Array,
) -> tuple[Variable | Any, ...]: ...
def im2col(
    x: _Array,
    ksize: _Shape,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
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
    value: float,
) -> Variable: ...
def less_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def lgamma(
    x: _Array,
) -> Variable: ...
def linear(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    n_batch_axes: int = 1,
) -> Variable: ...
def linear_interpolate(
    p: _Array,
    x: _Array,
    y: _Array,
) -> Variable: ...
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def local_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
) -> Variable: ...
def local_response_normalization(
    x: _Array,
    n: int = 5,
    k: float = 2,
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
    axis: int = 1,
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
    axis: _Shape | None = None,
) -> Variable: ...
def lstm(
    c_prev: _Array,
    x: _Array,
) -> tuple[Variable | Any, ...]: ...
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
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def max_pooling_1d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any: ...
def max_pooling_2d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any: ...
def max_pooling_3d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any: ...
def max_pooling_nd(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any: ...
def maximum(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def maximum_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def maxout(
    x: _Array,
    pool_size: int,
    axis: int = 1,
) -> Variable: ...
def mean(
    x: _Array,
    axis: _Shape | None = None,
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
    *xs: _Array,
    indexing: str = "xy",
) -> tuple[Variable | Any, ...]: ...
def min(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def minimum(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def minimum_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def moveaxis(
    x: _Array,
    source: _Shape,
    destination: _Shape,
) -> Variable: ...
def multiply(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def multiply_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def n_step_bigru(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]: ...
def n_step_bilstm(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    cx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]: ...
def n_step_birnn(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
    activation: str = "tanh",
) -> tuple[Variable | Any, ...]: ...
def n_step_gru(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]: ...
def n_step_lstm(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    cx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]: ...
def n_step_rnn(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
    activation: str = "tanh",
) -> tuple[Variable | Any, ...]: ...
def nanargmax(
    x: _Array,
    axis: int | None = None,
) -> Variable: ...
def nanargmin(
    x: _Array,
    axis: int | None = None,
) -> Variable: ...
def nanmax(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def nanmean(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def nanmin(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def nanstd(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def nansum(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def nanvar(
    x: _Array,
    axis: _Shape | None = None,
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
    axis: _Shape = 1,
) -> Variable: ...
def not_equal(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def not_equal_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def one_hot(
    x: _Array,
    classes: int,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def ones(
    shape: _Shape,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def ones_like(
    x: _Array,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def pad(
    x: _Array,
    pad_width: Any,
    mode: str,
    constant_values: Any = 0,
) -> Variable: ...
def pad_sequence(
    xs: _Arrays,
    length: int | None = None,
    padding: float = 0,
) -> Variable: ...
def permutate(
    x: _Array,
    indices: _Array,
    axis: int = 0,
    inv: bool = False,
) -> Variable: ...
def permutation(
    x: _Array,
    axis: int = 0,
) -> Variable: ...
def pinv(
    a: _Array,
    rcond: float = 1e-15,
) -> Variable: ...
def place_slice(
    x: _Array,
    begin: _Shape,
    step: _Shape,
    shape: _Shape,
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
    exponent: float,
) -> Variable: ...
def precision(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]: ...
def prelu(
    x: _Array,
    W: _Array,
) -> Variable: ...
def prod(
    x: _Array,
    axis: _Shape | None = None,
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
) -> Variable | Any: ...
def r2_score(
    pred: _Array,
    true: _Array,
    sample_weight: Any = None,
    multioutput: str = "uniform_average",
) -> Variable: ...
def randint(
    low: int,
    high: int,
    shape: _Shape,
    dtype: DTypeLike = "int64",
) -> Variable: ...
def random_categorical(
    logits: _Array,
    draws: int = 1,
) -> Variable: ...
def random_normal(
    shape: _Shape,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def random_uniform(
    shape: _Shape,
    dtype: DTypeLike = "float32",
) -> Variable: ...
def ravel(
    x: _Array,
) -> Variable: ...
def recall(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]: ...
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
    repeats: _Shape,
    axis: int | None = None,
) -> Variable: ...
def reshape(
    x: _Array,
    shape: _Shape,
) -> Variable: ...
def resize_images(
    x: _Array,
    output_shape: _Shape,
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
    outsize: _Shape,
    spatial_scale: float,
    sampling_ratio: _Shape | None = None,
) -> Variable: ...
def roi_average_pooling_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
) -> Variable: ...
def roi_max_align_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
    sampling_ratio: _Shape | None = None,
) -> Variable: ...
def roi_max_pooling_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
) -> Variable: ...
def roi_pooling_2d(
    x: _Array,
    rois: _Array,
    outh: int,
    outw: int,
    spatial_scale: float,
) -> Variable: ...
def roll(
    x: _Array,
    shift: int,
    axis: int | None = None,
) -> Variable: ...
def rollaxis(
    x: _Array,
    axis: int,
    start: int = 0,
) -> Variable: ...
def rrelu(
    x: _Array,
    l: float = 0.125,
    u: float = 0.3333333333333333,
    *,
    r: _Array | None = None,
    return_r: bool = False,
) -> Variable | Any: ...
def rsqrt(
    x: _Array,
) -> Variable: ...
def scalar_divide(
    x: _Array,
    value: float,
) -> Variable: ...
def scalar_power(
    x: _Array,
    base: float,
) -> Variable: ...
def scalar_subtract(
    x: _Array,
    value: float,
) -> Variable: ...
def scale(
    x: _Array,
    y: _Array,
    axis: int = 1,
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
    axis: int = 0,
) -> tuple[Variable | Any, ...]: ...
def shift(
    x: _Array,
    ksize: _Shape = 3,
    dilate: _Shape = 1,
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
    begin: _Shape,
    step: _Shape,
    size: _Shape,
) -> Variable: ...
def slstm(
    c_prev1: _Array,
    c_prev2: _Array,
    x1: _Array,
    x2: _Array,
) -> tuple[Variable | Any, ...]: ...
def softmax(
    x: _Array,
    axis: int = 1,
) -> Variable: ...
def softmax_cross_entropy(
    x: _Array,
    t: _Array,
    normalize: bool = True,
    cache_score: bool = True,
    class_weight: _Array | None = None,
    ignore_label: int = -1,
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
    axis: int = -1,
) -> Variable: ...
def space2depth(
    X: _Array,
    r: int,
) -> Variable: ...
def sparse_matmul(
    data: _Array,
    row: _Array,
    col: _Array,
    b: _Array,
    shape: _Shape,
    transa: bool = False,
    transb: bool = False,
) -> Variable: ...
def spatial_pyramid_pooling_2d(
    x: _Array,
    pyramid_height: int,
    pooling: str = "max",
) -> Variable: ...
def spatial_transformer_grid(
    theta: _Array,
    output_shape: _Shape,
) -> Variable: ...
def spatial_transformer_sampler(
    x: _Array,
    grid: _Array,
) -> Variable: ...
def split(
    x: _Array,
    indices_or_sections: _Shape,
    axis: int = 0,
) -> tuple[Variable | Any, ...]: ...
def split_axis(
    x: _Array,
    indices_or_sections: _Shape,
    axis: int,
    force_tuple: bool = True,
) -> Variable | Any: ...
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
    axis: _Shape | None = None,
) -> Variable: ...
def stack(
    xs: _Arrays,
    axis: int = 0,
) -> Variable: ...
def std(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def subtract(
    x1: _Array,
    x2: _Array,
) -> Variable: ...
def subtract_scalar(
    x: _Array,
    value: float,
) -> Variable: ...
def sum(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def sum_to(
    x: _Array,
    shape: _Shape,
) -> Variable: ...
def svd(
    a: _Array,
    full_matrices: bool = True,
    compute_uv: bool = True,
) -> Variable | Any: ...
def swapaxes(
    x: _Array,
    axis1: int,
    axis2: int,
) -> Variable: ...
def swish(
    x: _Array,
    beta: _Array,
) -> Variable: ...
def take(
    x: _Array,
    indices: _Array,
    axis: int | None = None,
) -> Variable: ...
def take_along_axis(
    x: _Array,
    indices: _Array,
    axis: int,
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
    axes: Any = 2,
) -> Variable: ...
def tile(
    x: _Array,
    reps: _Shape,
) -> Variable: ...
def topk(
    x: _Array,
    k: int,
    axis: int = -1,
    largest: bool = True,
) -> tuple[Variable | Any, ...]: ...
def transpose(
    x: _Array,
    axes: _Shape | None = None,
) -> Variable: ...
def transpose_sequence(
    xs: _Arrays,
) -> tuple[Variable | Any, ...]: ...
def tree_lstm(
    *inputs: _Array,
) -> tuple[Variable | Any, ...]: ...
def tri(
    n: int,
    m: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
) -> Variable: ...
def tril(
    x: _Array,
    k: int = 0,
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
    k: int = 0,
) -> Variable: ...
def trunc(
    x: _Array,
) -> Variable: ...
def unpooling_1d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable: ...
def unpooling_2d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable: ...
def unpooling_3d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable: ...
def unpooling_nd(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable: ...
def upsampling_2d(
    x: _Array,
    indexes: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable: ...
def var(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable: ...
def vsplit(
    x: _Array,
    indices_or_sections: _Shape,
) -> tuple[Variable | Any, ...]: ...
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
    value: float,
) -> Variable: ...
def where_then_scalar(
    condition: _Array,
    y: _Array,
    value: float,
) -> Variable: ...
def zeros(
    shape: _Shape,
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
