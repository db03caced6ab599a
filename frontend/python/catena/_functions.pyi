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
    "append",
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
    "array_split",
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
    "column_stack",
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
    "hypot",
    "identity",
    "ifft",
    "im2col",
    "insert",
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
    "logspace",
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
    "rot90",
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
) -> Variable:
    """|x|, elementwise; the gradient at 0 is 0. Integers and bools keep their dtype.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def absolute_error(
    x0: _Array,
    x1: _Array,
) -> Variable:
    """|x0 - x1|, elementwise; the gradient is 0 where they are equal. Floats of one shape and
    dtype (ShapeError, DtypeError).

    Arguments:
        x0 (Variable or array-like)
        x1 (Variable or array-like)

    Returns:
        Variable
    """

def accuracy(
    y: _Array,
    t: _Array,
    ignore_label: int | None = None,
) -> Variable:
    """The share of positions where the largest of y along axis 1 is at t; one number of y's
    dtype. No gradient. Chainer's function.

    Arguments:
        y (Variable or array-like): Scores, floating point, (N, C, ...).
        t (Variable or array-like): Integer labels, one for each position, (N, ...).
        ignore_label (default None): A label that is not counted; 0 is given where no other
            is left.

    Returns:
        Variable
    """

def add(
    *xs: _Array,
) -> Variable:
    """x1 + x2 + ... of one or more arrays, elementwise. Shapes broadcast, and dtypes are
    promoted.

    Arguments:
        *xs (Variable or array-like)

    Returns:
        Variable
    """

def add_along_axis(
    x: _Array,
    indices: _Array,
    axis: int,
    size: int,
) -> Variable:
    """x added up along an axis at the places that indices name, in an array of zeros: the
    gradient of take_along_axis.

    Arguments:
        x (Variable or array-like)
        indices (Variable or array-like): Integers of x's shape; negative ones count from
            the end.
        axis: Along which elements are placed.
        size: The axis's size in the result.

    Returns:
        Variable
    """

def add_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """x + value, elementwise.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def all(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """Whether no element along the axes is 0: bool; of no elements, true. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def any(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """Whether some element along the axes is not 0: bool; of no elements, false. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def append(
    x: _Array,
    values: _Array,
    axis: int | None = None,
) -> Variable:
    """x and behind it values, as NumPy's append: a new array.

    Arguments:
        x (Variable or array-like)
        values (Variable or array-like)
        axis (default None): Along which they are joined; if not given, the flattened
            arrays.

    Returns:
        Variable
    """

def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
) -> Variable:
    """start, start + step, ... before stop, as NumPy's arange: one number is the stop.
    ValueError for a step of 0 and for integers that the dtype does not hold.

    Arguments:
        start: The first number; with no stop, the stop, and the first number is 0.
        stop (default None): Where the numbers end, which it is not one of.
        step (default 1): From one to the next.
        dtype (default None): Its dtype; if not given, int32 of integers and the default
            float dtype of floats.

    Returns:
        Variable
    """

def arccos(
    x: _Array,
) -> Variable:
    """The inverse cosine, in [0, pi], elementwise; NaN outside of [-1, 1].

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def arccosh(
    x: _Array,
) -> Variable:
    """The inverse hyperbolic cosine, elementwise; NaN below 1.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def arcsin(
    x: _Array,
) -> Variable:
    """The inverse sine, in [-pi / 2, pi / 2], elementwise; NaN outside of [-1, 1].

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def arcsinh(
    x: _Array,
) -> Variable:
    """The inverse hyperbolic sine, elementwise.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def arctan(
    x: _Array,
) -> Variable:
    """The inverse tangent, in [-pi / 2, pi / 2], elementwise.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def arctan2(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The angle of the point (x2, x1) in [-pi, pi], in the quadrant of the signs, elementwise.
    Shapes broadcast.

    Arguments:
        x1 (Variable or array-like): The ordinate.
        x2 (Variable or array-like): The abscissa.

    Returns:
        Variable
    """

def arctanh(
    x: _Array,
) -> Variable:
    """The inverse hyperbolic tangent, elementwise; NaN outside of [-1, 1].

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def argmax(
    x: _Array,
    axis: int | None = None,
) -> Variable:
    """The index of the first largest element along the axis, int32. NaN counts as the largest.
    No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which; of the flattened array if not given.

    Returns:
        Variable
    """

def argmax_crf1d(
    cost: _Array,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]:
    """The likeliest labels of sequences under a linear-chain conditional random field
    (Viterbi), and their scores. Sequences are sorted by decreasing length and given
    position by position, as transpose_sequence gives them.

    Arguments:
        cost (Variable or array-like): Scores of the steps from a label to the next, (K, K).
        xs (list of Variables or array-likes): Scores of the K labels at each position i,
            for the sequences that are longer than i: (B_i, K).

    Returns:
        tuple of Variables: score ((B_0), differentiable), labels (int32 (B_i) for each
            position i)
    """

def argmin(
    x: _Array,
    axis: int | None = None,
) -> Variable:
    """The index of the first smallest element along the axis, int32. NaN counts as the
    smallest. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which; of the flattened array if not given.

    Returns:
        Variable
    """

def argsort(
    x: _Array,
    axis: int = -1,
) -> Variable:
    """The indices that put x in ascending order along an axis, int32; equal elements keep
    their order and NaN come last. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default -1): Along which elements are ordered; without one, all elements, by
            their places in the flattened x.

    Returns:
        Variable
    """

def array_split(
    x: _Array,
    indices_or_sections: _Shape,
    axis: int = 0,
) -> tuple[Variable | Any, ...]:
    """As split, but of any size: the first parts are larger by 1 where it cannot be divided.

    Arguments:
        x (Variable or array-like)
        indices_or_sections: A number of parts, or the places where all parts but the first
            begin.
        axis (default 0): Along which it is split.

    Returns:
        tuple of Variables
    """

def as_strided(
    x: _Array,
    shape: _Shape,
    strides: _Shape,
    storage_offset: int = 0,
) -> Variable:
    """Windows, diagonals and repeats of the elements of x: element (i, j, ...) of the result
    is element offset + i * strides[0] + j * strides[1] + ... of the flattened x. A copy,
    not a view; where elements occur several times, their gradients are summed. ShapeError
    unless all elements named exist.

    Arguments:
        x (Variable or array-like)
        shape: That of the result.
        strides: Elements, not bytes, from one place of each axis to the next.
        storage_offset (default 0): The first element.

    Returns:
        Variable
    """

def atleast_1d(
    x: _Array,
) -> Variable:
    """x, or a number as an array (1).

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def atleast_2d(
    x: _Array,
) -> Variable:
    """x with axes of size 1 in front until it has two.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def atleast_3d(
    x: _Array,
) -> Variable:
    """x with axes of size 1 until it has three: (1, n, 1) of a vector and (m, n, 1) of a
    matrix, as NumPy.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def average(
    x: _Array,
    axis: _Shape | None = None,
    weights: _Array | None = None,
    keepdims: bool = False,
) -> Variable:
    """The mean of elements along the axes; with weights, sum(x * weights) / sum(weights).

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        weights (Variable or array-like, optional): Of x's shape, or a vector along the one
            axis that is given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def average_pooling_1d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    pad_value: float = 0,
) -> Variable:
    """average_pooling_nd over one spatial axis.

    Arguments:
        x (Variable or array-like): (N, C, L).
        ksize: Size of a window.
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side; less than the
            window (ShapeError).
        pad_value (default 0): 0, so that padding counts as zeros, or None: not at all.

    Returns:
        Variable
    """

def average_pooling_2d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
) -> Variable:
    """The mean of each window, where padding counts as zeros: (N, C, H2, W2). Elements after
    the last full window are ignored. Floats only; ShapeError where no window fits.
    Chainer's function.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        ksize: Size of a window: a number, or (kh, kw).
        stride (default None): Distance of neighbouring windows: a number, or (down,
            across); ksize if not given.
        pad (default 0): Zeros put on each side: a number, or (down, across); less than
            ksize (ShapeError).

    Returns:
        Variable
    """

def average_pooling_3d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    pad_value: float = 0,
) -> Variable:
    """average_pooling_nd over three spatial axes.

    Arguments:
        x (Variable or array-like): (N, C, D, H, W).
        ksize: Size of a window: a number, or (kd, kh, kw).
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side; less than the
            window (ShapeError).
        pad_value (default 0): 0, so that padding counts as zeros, or None: not at all.

    Returns:
        Variable
    """

def average_pooling_nd(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    pad_value: float = 0,
) -> Variable:
    """The mean of each window, over any number of spatial axes. Elements after the last full
    window are ignored. Floats only.

    Arguments:
        x (Variable or array-like): (N, C, D1, ..., Dk).
        ksize: Size of a window: a number, or one for each spatial axis.
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side; less than the
            window (ShapeError).
        pad_value (default 0): 0, so that padding counts as zeros, or None: not at all.

    Returns:
        Variable
    """

def batch_det(
    a: _Array,
) -> Variable:
    """det of (B, n, n) alone, (B); Chainer's function.

    Arguments:
        a (Variable or array-like): (B, n, n).

    Returns:
        Variable
    """

def batch_inv(
    a: _Array,
) -> Variable:
    """inv of (B, n, n) alone; Chainer's function.

    Arguments:
        a (Variable or array-like): (B, n, n).

    Returns:
        Variable
    """

def batch_l2_norm_squared(
    x: _Array,
) -> Variable:
    """The sum of the squares over all axes but the first: (N). Floats only. Chainer's
    function.

    Arguments:
        x (Variable or array-like): (N, ...).

    Returns:
        Variable
    """

def batch_matmul(
    a: _Array,
    b: _Array,
    transa: bool = False,
    transb: bool = False,
) -> Variable:
    """The products of B pairs of matrices, (B, n, m); matmul, which Chainer recommends in its
    place, does the same.

    Arguments:
        a (Variable or array-like): (B, n, k); an array (B, k) is B columns.
        b (Variable or array-like): (B, k, m); an array (B, k) is B columns.
        transa (default False): Swap the last two axes of a first.
        transb (default False): Swap the last two axes of b first.

    Returns:
        Variable
    """

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
) -> Variable:
    """(x - mean) / sqrt(variance + eps) * gamma + beta, with the mean and the (biased)
    variance of the batch (Ioffe and Szegedy 2015, "Batch Normalization"). Floats only;
    ShapeError where sizes do not agree.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        gamma (Variable or array-like): Factors, of the axes that are not normalised over:
            (C).
        beta (Variable or array-like): Added at the end, of gamma's shape.
        eps (default 2e-05): Added to the variance.
        running_mean (Variable or array-like, optional): Changed in place when given: decay
            * old + (1 - decay) * the mean of the batch; of gamma's shape.
        running_var (Variable or array-like, optional): Changed in place when given,
            likewise, by the unbiased variance of the batch; of gamma's shape.
        decay (default 0.9): How much of the running statistics stays.
        axis (default None): The axes that are normalised over; if not given, all but those
            of gamma, which are 1, 2, ...

    Returns:
        Variable
    """

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
) -> Variable:
    """Batch normalization moved towards the running statistics (Ioffe 2017, "Batch
    Renormalization"): (x - mean) / std * r + d, times gamma plus beta, with r = clip(std /
    running std, 1 / rmax, rmax) and d = clip((mean - running mean) / running std, -dmax,
    dmax), which are not differentiated. Floats only; ShapeError where sizes do not agree.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        gamma (Variable or array-like): Factors, with the axes of x from 1 on: (C).
        beta (Variable or array-like): Added at the end, of gamma's shape.
        rmax: At least 1 (ValueError).
        dmax: At least 0 (ValueError).
        eps (default 2e-05): Added to the variance.
        running_mean (Variable or array-like, optional): Of gamma's shape; they have to be
            given.
        running_var (Variable or array-like, optional): Of gamma's shape; they have to be
            given.
        decay (default 0.9): How much of the running statistics stays.
        update_statistics (default False): Whether the running statistics are changed in
            place, as batch_normalization does.

    Returns:
        Variable
    """

def bernoulli_nll(
    x: _Array,
    y: _Array,
    reduce: str = "sum",
) -> Variable:
    """softplus(y) - x * y, elementwise: the negative log likelihood of x under a Bernoulli
    distribution, as reconstructions of auto-encoders have it (Kingma and Welling 2013,
    "Auto-Encoding Variational Bayes"). Floats; shapes broadcast.

    Arguments:
        x (Variable or array-like): The data, between 0 and 1.
        y (Variable or array-like): The logit of 1.
        reduce (default 'sum'): "sum" or "mean" over all elements, one number; or "no", one
            loss for each.

    Returns:
        Variable
    """

def bias(
    x: _Array,
    y: _Array,
    axis: int = 1,
) -> Variable:
    """x plus y, whose axes are those of x from axis on. Chainer's function. ShapeError where
    sizes differ.

    Arguments:
        x (Variable or array-like)
        y (Variable or array-like)
        axis (default 1): The axis of x that the first one of y is.

    Returns:
        Variable
    """

def bilinear(
    e1: _Array,
    e2: _Array,
    W: _Array,
    V1: _Array | None = None,
    V2: _Array | None = None,
    b: _Array | None = None,
) -> Variable:
    """A product of two inputs: y[n, l] = the sum of e1[n, j] * e2[n, k] * W[j, k, l] over j
    and k; (N, L). Floats only; ShapeError where sizes do not agree. Chainer's function.

    With V1, V2 and b, which are given together, the bilinear product plus e1 V1 + e2 V2 +
    b.

    Arguments:
        e1 (Variable or array-like): (N, J); further axes are flattened.
        e2 (Variable or array-like): (N, K); further axes are flattened.
        W (Variable or array-like): (J, K, L).
        V1 (Variable or array-like, optional): (J, L).
        V2 (Variable or array-like, optional): (K, L).
        b (Variable or array-like, optional): (L).

    Returns:
        Variable
    """

def binary_accuracy(
    y: _Array,
    t: _Array,
) -> Variable:
    """The share of positions where (y >= 0) is t; one number of y's dtype. No gradient.
    Chainer's function.

    Arguments:
        y (Variable or array-like): Scores, floating point.
        t (Variable or array-like): Integers of y's shape: 0, 1, or -1 for positions that
            are not counted.

    Returns:
        Variable
    """

def bitwise_and(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The bits that both have, elementwise; of bools, logic. Integers and bools only
    (DtypeError); shapes broadcast. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def bitwise_not(
    x: _Array,
) -> Variable:
    """The other bits, elementwise, in two's complement; of bools, logic. Integers and bools
    only (DtypeError). No gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def bitwise_or(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The bits that either has, elementwise; of bools, logic. Integers and bools only
    (DtypeError); shapes broadcast. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def bitwise_xor(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The bits that one of the two has, elementwise; of bools, logic. Integers and bools only
    (DtypeError); shapes broadcast. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def black_out(
    x: _Array,
    t: _Array,
    W: _Array,
    samples: _Array,
    reduce: str = "mean",
) -> Variable:
    """BlackOut for large vocabularies (Ji et al. 2015, "BlackOut: Speeding up Recurrent Neural
    Network Language Models With Very Large Vocabularies"): -log p[t] minus the sum of
    log(1 - p[k]) over the samples k of a row, where p is the softmax of x . W over the
    label and the samples.

    Arguments:
        x (Variable or array-like): Floating point, (N, D).
        t (Variable or array-like): Integer labels, (N).
        W (Variable or array-like): A vector for each word, (V, D), of x's dtype.
        samples (Variable or array-like): Integers, (N, S), the words that each row is
            compared with.
        reduce (default 'mean'): "mean" over the rows, one number, or "no", (N).

    Returns:
        Variable
    """

def broadcast(
    *args: _Array,
) -> tuple[Variable | Any, ...]:
    """Arrays broadcast to their common shape (NumPy's rules). ShapeError where there is none.

    Arguments:
        *args (Variable or array-like): Arrays.

    Returns:
        tuple of Variables
    """

def broadcast_to(
    x: _Array,
    shape: _Shape,
) -> Variable:
    """x repeated along axes of size 1 and new leading axes, until it has the shape (NumPy's
    rules). ShapeError where it cannot be.

    Arguments:
        x (Variable or array-like)
        shape: That of the result.

    Returns:
        Variable
    """

def cast(
    x: _Array,
    typ: DTypeLike,
) -> Variable:
    """x in another dtype; x itself where it has that one. The gradient is cast back. Chainer's
    function.

    Arguments:
        x (Variable or array-like)
        typ: That of the result.

    Returns:
        Variable
    """

def ceil(
    x: _Array,
) -> Variable:
    """The smallest integer that is at least x, elementwise, in x's dtype; without gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def choice(
    x: _Array,
    size: int,
    replace: bool = True,
    p: _Array | None = None,
) -> Variable:
    """Items of x along axis 0, drawn at random: (size, ...). ValueError where there are too
    few items to draw without replacement.

    Arguments:
        x (Variable or array-like): Of at least one axis; ShapeError for a scalar.
        size: How many.
        replace (default True): Whether an item may be drawn more than once.
        p (Variable or array-like, optional): (n), weights of the items, which need not sum
            to 1; all equal if not given.

    Returns:
        Variable
    """

def cholesky(
    a: _Array,
) -> Variable:
    """The lower triangular L with L L^T = a, for symmetric positive definite matrices, of
    which the lower triangle is read; ValueError for others. The gradient is symmetric.
    Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).

    Returns:
        Variable
    """

def classification_summary(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    beta: float = 1.0,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]:
    """Precision, recall and F-score of each class, where the prediction is the largest of y
    along axis 1; of y's dtype, and NaN where they are 0 / 0. No gradient. Chainer's
    function.

    Arguments:
        y (Variable or array-like): Scores, floating point, (N, C, ...).
        t (Variable or array-like): Integer labels, (N, ...).
        label_num (default None): Number of classes; if not given, as many as the largest
            label says, which is read on the host.
        beta (default 1.0): The F-score weighs recall by beta^2.
        ignore_label (default -1): Positions of this label are not counted.

    Returns:
        tuple of Variables: precision (Share of the positions predicted to be of the class
            that are), recall (Share of the positions of the class that are predicted to
            be), fbeta ((1 + beta^2) precision recall / (beta^2 precision + recall)),
            support (Positions of the class)
    """

def clip(
    x: _Array,
    x_min: float | None,
    x_max: float | None,
) -> Variable:
    """min(max(x, x_min), x_max), elementwise, of any dtype. The gradient is 1 within the
    bounds and at them. ValueError where x_min is greater than x_max.

    Arguments:
        x (Variable or array-like)
        x_min: The lower bound, a number; none if not given.
        x_max: The upper bound, a number; none if not given.

    Returns:
        Variable
    """

def clipped_relu(
    x: _Array,
    z: float = 20.0,
) -> Variable:
    """min(max(0, x), z), elementwise. The gradient is 0 at 0 and at z. Floats only.

    Arguments:
        x (Variable or array-like)
        z (default 20.0): The upper bound; ValueError unless it is greater than 0.

    Returns:
        Variable
    """

def column_stack(
    xs: _Arrays,
) -> Variable:
    """Vectors as the columns of a matrix, beside matrices, as NumPy's column_stack.

    Arguments:
        xs (list of Variables or array-likes): At least one array, of one or two axes.

    Returns:
        Variable
    """

def concat(
    xs: _Arrays,
    axis: int = 1,
) -> Variable:
    """Arrays joined along an axis. All other sizes must be equal (ShapeError). Dtypes that
    differ are promoted, as by arithmetic.

    Arguments:
        xs (list of Variables or array-likes): At least one array.
        axis (default 1): Along which they are joined.

    Returns:
        Variable
    """

def concatenate(
    xs: _Arrays,
    axis: int = 0,
) -> Variable:
    """Arrays joined along an axis, as NumPy's concatenate. All other sizes must be equal
    (ShapeError); dtypes that differ are promoted.

    Arguments:
        xs (list of Variables or array-likes): At least one array.
        axis (default 0): Along which they are joined; by None (C++: nullopt) the flattened
            arrays.

    Returns:
        Variable
    """

def connectionist_temporal_classification(
    x: _Arrays,
    t: _Array,
    blank_symbol: int,
    input_length: _Array | None = None,
    label_length: _Array | None = None,
    reduce: str = "mean",
) -> Variable:
    """Connectionist temporal classification (Graves et al. 2006): -log of the probability that
    a sequence of labels is read from steps, each with the softmax of its scores as
    probabilities of V symbols, where equal neighbours count once and the blank symbol
    stands for none. Differentiable towards the scores. Labels that do not fit into their
    steps give about 1e10.

    Arguments:
        x (list of Variables or array-likes): Scores of each step, a list of (B, V),
            floating point.
        t (Variable or array-like): Integer labels, (B, M); what is past a length may be
            anything.
        blank_symbol: Which of the V symbols stands for none.
        input_length (Variable or array-like, optional): Integers (B), how many steps of
            each sequence count; all if not given.
        label_length (Variable or array-like, optional): Integers (B), how many labels of
            each sequence count; all if not given.
        reduce (default 'mean'): "mean" over the batch, one number, or "no", one loss for
            each sequence, (B).

    Returns:
        Variable
    """

def contrastive(
    x0: _Array,
    x1: _Array,
    y: _Array,
    margin: float = 1,
    reduce: str = "mean",
) -> Variable:
    """(y * d^2 + (1 - y) * max(0, margin - d)^2) / 2 with the Euclidean distance d of rows of
    x0 and x1 (Hadsell et al. 2006, "Dimensionality Reduction by Learning an Invariant
    Mapping"). Equal rows get the gradient 0.

    Arguments:
        x0 (Variable or array-like): Floating point, (N, K).
        x1 (Variable or array-like): Of x0's shape and dtype.
        y (Variable or array-like): Integers, (N): 1 for pairs that are alike, 0 for others.
        margin (default 1): From what distance on other pairs cost nothing; ValueError
            unless positive.
        reduce (default 'mean'): "mean" over the batch, one number, or "no", one loss for
            each pair, (N).

    Returns:
        Variable
    """

def convolution_1d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable:
    """convolution_nd over one spatial axis; ShapeError for others.

    Arguments:
        x (Variable or array-like): (N, C, L).
        W (Variable or array-like): Filters, (O, C / groups, k).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows, in elements: a number, or one
            for each spatial axis.
        pad (default 0): Zeros put around x, on each side of a spatial axis: a number, or
            one for each.
        cover_all (default False): Whether the last window may exceed the padded end, so
            that every element is in a window.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels: those of a group of the result
            read those of the same group of x. It divides both numbers of channels.

    Returns:
        Variable
    """

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
) -> Variable:
    """Two-dimensional convolution, as networks use the word (cross-correlation): result (n, o,
    i, j) is b[o] plus the sum of x[n, c, i * stride + u * dilate - pad, j * stride + v *
    dilate - pad] * W[o, c, u, v] over c, u and v, where x is 0 outside. Chainer's function,
    and PyTorch's conv2d.

    The result is (N, O, H2, W2) with H2 = 1 + floor((H + 2 * pad - dilate * (kh - 1) - 1) /
    stride). Floats only; dtypes are promoted. ShapeError where sizes do not agree or no
    window fits.

    Arguments:
        x (Variable or array-like): Images, (N, C, H, W).
        W (Variable or array-like): Filters, (O, C / groups, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows, in elements: a number, or one
            for each spatial axis.
        pad (default 0): Zeros put around x, on each side of a spatial axis: a number, or
            one for each.
        cover_all (default False): Whether the last window may exceed the padded end, so
            that every element is in a window.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels: those of a group of the result
            read those of the same group of x. It divides both numbers of channels.
        cudnn_fast (default False): Has no effect; it is there for Chainer's programs.

    Returns:
        Variable
    """

def convolution_3d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable:
    """convolution_nd over three spatial axes; ShapeError for others.

    Arguments:
        x (Variable or array-like): (N, C, D, H, W).
        W (Variable or array-like): Filters, (O, C / groups, kd, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows, in elements: a number, or one
            for each spatial axis.
        pad (default 0): Zeros put around x, on each side of a spatial axis: a number, or
            one for each.
        cover_all (default False): Whether the last window may exceed the padded end, so
            that every element is in a window.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels: those of a group of the result
            read those of the same group of x. It divides both numbers of channels.

    Returns:
        Variable
    """

def convolution_nd(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable:
    """A convolution as convolution_2d, over as many spatial axes as x has: 1 to 3.

    Arguments:
        x (Variable or array-like): (N, C, D1, ..., Dk).
        W (Variable or array-like): Filters, (O, C / groups, k1, ..., kk).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows, in elements: a number, or one
            for each spatial axis.
        pad (default 0): Zeros put around x, on each side of a spatial axis: a number, or
            one for each.
        cover_all (default False): Whether the last window may exceed the padded end, so
            that every element is in a window.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels: those of a group of the result
            read those of the same group of x. It divides both numbers of channels.

    Returns:
        Variable
    """

def copy(
    x: _Array,
) -> Variable:
    """A new array of x's elements. Differentiable.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def copysign(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The first argument with the sign of the second, elementwise, which -0 has, too. Its
    gradient is that of |x1| times the sign; none flows to x2. NumPy's function.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def cos(
    x: _Array,
) -> Variable:
    """The cosine of x in radians, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def cosh(
    x: _Array,
) -> Variable:
    """The hyperbolic cosine, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def count_nonzero(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """How many elements along the axes are not 0: int64. NaN is not 0. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def crelu(
    x: _Array,
    axis: int = 1,
) -> Variable:
    """relu(x) and relu(-x) joined along the axis, which is then twice as long (Shang et al.
    2016, "Understanding and Improving Convolutional Neural Networks via Concatenated
    Rectified Linear Units"). Floats only.

    Arguments:
        x (Variable or array-like)
        axis (default 1): Along which the two are joined.

    Returns:
        Variable
    """

def crf1d(
    cost: _Array,
    xs: _Arrays,
    ys: _Arrays,
    reduce: str = "mean",
) -> Variable:
    """The negative log likelihood of labels under a linear-chain conditional random field
    (Lafferty et al. 2001, "Conditional Random Fields"). Sequences are sorted by decreasing
    length and given position by position, as transpose_sequence gives them. Floats of one
    dtype; ShapeError where lengths increase.

    Arguments:
        cost (Variable or array-like): Scores of the steps from a label to the next, (K, K).
        xs (list of Variables or array-likes): Scores of the K labels at each position i,
            for the sequences that are longer than i: (B_i, K).
        ys (list of Variables or array-likes): Integer labels of each position, (B_i).
        reduce (default 'mean'): "mean" over the sequences, one number, or "no", one loss
            for each, (B_0).

    Returns:
        Variable
    """

def cross_covariance(
    y: _Array,
    z: _Array,
    reduce: str = "half_squared_sum",
) -> Variable:
    """A penalty on what two groups of features share: half the sum of the squared covariances
    of the columns of y with those of z, over the batch (Cheung et al. 2014, "Discovering
    Hidden Factors of Variation in Deep Networks"). Floats of one dtype.

    Arguments:
        y (Variable or array-like): (N, K).
        z (Variable or array-like): (N, L).
        reduce (default 'half_squared_sum'): "half_squared_sum", one number, or "no", the
            covariances, (K, L).

    Returns:
        Variable
    """

def cumprod(
    x: _Array,
    axis: int | None = None,
) -> Variable:
    """Running products along the axis. Integers and bools give int64. Gradients are right
    where elements are 0.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which; of the flattened array if not given.

    Returns:
        Variable
    """

def cumsum(
    x: _Array,
    axis: int | None = None,
) -> Variable:
    """Running sums along the axis. Integers and bools give int64.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which; of the flattened array if not given.

    Returns:
        Variable
    """

def deconvolution_1d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable:
    """deconvolution_nd over one spatial axis; ShapeError for others.

    Arguments:
        x (Variable or array-like): (N, I, L).
        W (Variable or array-like): Filters, (I, O / groups, k).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows in the result, in elements: a
            number, or one for each spatial axis.
        pad (default 0): The number of elements that the result lacks on each side of a
            spatial axis: a number, or one for each.
        outsize (default None): Spatial sizes of the result; if not given, the smallest that
            fit: stride * (size - 1) + dilate * (kernel - 1) + 1 - 2 * pad.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels, which divides both numbers of
            channels.

    Returns:
        Variable
    """

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
) -> Variable:
    """The transpose of a two-dimensional convolution, towards its x (Zeiler et al. 2010):
    every element of x adds its filters, multiplied by it, to a window of the result, which
    is (N, O, H2, W2). Chainer's function, and PyTorch's conv_transpose2d. Floats only.
    ShapeError where sizes do not agree, or a convolution of an array with the sizes outsize
    would not give those of x.

    Arguments:
        x (Variable or array-like): (N, I, H, W).
        W (Variable or array-like): Filters, (I, O / groups, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows in the result, in elements: a
            number, or one for each spatial axis.
        pad (default 0): The number of elements that the result lacks on each side of a
            spatial axis: a number, or one for each.
        outsize (default None): Spatial sizes of the result; if not given, the smallest that
            fit: stride * (size - 1) + dilate * (kernel - 1) + 1 - 2 * pad.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels, which divides both numbers of
            channels.

    Returns:
        Variable
    """

def deconvolution_3d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable:
    """deconvolution_nd over three spatial axes; ShapeError for others.

    Arguments:
        x (Variable or array-like): (N, I, D, H, W).
        W (Variable or array-like): Filters, (I, O / groups, kd, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows in the result, in elements: a
            number, or one for each spatial axis.
        pad (default 0): The number of elements that the result lacks on each side of a
            spatial axis: a number, or one for each.
        outsize (default None): Spatial sizes of the result; if not given, the smallest that
            fit: stride * (size - 1) + dilate * (kernel - 1) + 1 - 2 * pad.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels, which divides both numbers of
            channels.

    Returns:
        Variable
    """

def deconvolution_nd(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    dilate: _Shape = 1,
    groups: int = 1,
) -> Variable:
    """The transpose of a convolution, as deconvolution_2d, over as many spatial axes as x has:
    1 to 3.

    Arguments:
        x (Variable or array-like): (N, I, D1, ..., Dk).
        W (Variable or array-like): Filters, (I, O / groups, k1, ..., kk).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows in the result, in elements: a
            number, or one for each spatial axis.
        pad (default 0): The number of elements that the result lacks on each side of a
            spatial axis: a number, or one for each.
        outsize (default None): Spatial sizes of the result; if not given, the smallest that
            fit: stride * (size - 1) + dilate * (kernel - 1) + 1 - 2 * pad.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        groups (default 1): Number of groups of channels, which divides both numbers of
            channels.

    Returns:
        Variable
    """

def decorrelated_batch_normalization(
    x: _Array,
    *,
    groups: int = 16,
    eps: float = 2e-05,
    running_mean: _Array | None = None,
    running_projection: _Array | None = None,
    decay: float = 0.9,
) -> Variable:
    """Whitening: the channels of each group, of c, get the mean 0 and the identity as
    covariance over the batch (Huang et al. 2018, "Decorrelated Batch Normalization").
    Floats only. ShapeError where the groups do not divide the channels.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        groups (default 16): How many groups the channels are in, which divides their
            number.
        eps (default 2e-05): Added to the variances.
        running_mean (Variable or array-like, optional): (groups, c); changed in place when
            given: decay * old + (1 - decay) * the mean of the batch.
        running_projection (Variable or array-like, optional): (groups, c, c); changed in
            place when given, likewise, by the batch's projection times m / (m - 1) for m
            elements of a channel.
        decay (default 0.9): How much of the running statistics stays.

    Returns:
        Variable
    """

def decov(
    h: _Array,
    reduce: str = "half_squared_sum",
) -> Variable:
    """A penalty on features that vary together: half the sum of the squared covariances of
    different columns of h, over the batch (Cogswell et al. 2015, "Reducing Overfitting in
    Deep Networks by Decorrelating Representations"). Floats only.

    Arguments:
        h (Variable or array-like): (N, K).
        reduce (default 'half_squared_sum'): "half_squared_sum", one number, or "no", the
            covariances, (K, K), with zeros on the diagonal.

    Returns:
        Variable
    """

def deformable_convolution_2d_sampler(
    x: _Array,
    offset: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
) -> Variable:
    """A convolution whose windows read every element at an offset of its own, between pixels,
    and zeros outside of x (Dai et al. 2017, "Deformable Convolutional Networks"). Gradients
    flow to x, offset, W and b. Chainer's function.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        offset (Variable or array-like): (N, 2 * kh * kw, H2, W2), in pixels: first all
            offsets across, then all down, row by row of the window.
        W (Variable or array-like): Filters, (O, C, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows: a number, or (down, across).
        pad (default 0): Zeros put on each side: a number, or (down, across).

    Returns:
        Variable
    """

def depth2space(
    X: _Array,
    r: int,
) -> Variable:
    """Channels become squares of pixels: (N, r * r * C, H, W) gives (N, C, r * H, r * W).
    Chainer's function. ShapeError where r * r does not divide the channels.

    Arguments:
        X (Variable or array-like): (N, r * r * C, H, W).
        r: Pixels of a square's side.

    Returns:
        Variable
    """

def depthwise_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
) -> Variable:
    """A convolution of every channel with filters of its own: channel c * M + m of the result,
    (N, C * M, H2, W2), is channel c of x with filter m. Chainer's function. Floats only.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        W (Variable or array-like): Filters, (M, C, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (C * M).
        stride (default 1): Distance of neighbouring windows: a number, or (down, across).
        pad (default 0): Zeros put on each side: a number, or (down, across).

    Returns:
        Variable
    """

def det(
    a: _Array,
) -> Variable:
    """The determinants of square matrices, (...). The gradient of a singular matrix is an
    error, as it reads the inverse. Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).

    Returns:
        Variable
    """

def diag(
    v: _Array,
    k: int = 0,
) -> Variable:
    """The k-th diagonal of a matrix, or the square matrix with a vector on its k-th diagonal,
    as NumPy's diag.

    Arguments:
        v (Variable or array-like): (m, n), or (n).
        k (default 0): Which diagonal: above the main one where positive, below it where
            negative.

    Returns:
        Variable
    """

def diagflat(
    v: _Array,
    k: int = 0,
) -> Variable:
    """The square matrix with the elements of v on its k-th diagonal, as NumPy's diagflat.

    Arguments:
        v (Variable or array-like): Of any shape.
        k (default 0): Which diagonal: above the main one where positive, below it where
            negative.

    Returns:
        Variable
    """

def diagonal(
    x: _Array,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
) -> Variable:
    """The elements of two axes where the index of axis2 is offset more than that of axis1, as
    the last axis, as NumPy's diagonal.

    Arguments:
        x (Variable or array-like)
        offset (default 0): Which diagonal: above the main one where positive, below it
            where negative.
        axis1 (default 0): The axes, which the result lacks.
        axis2 (default 1): The axes, which the result lacks.

    Returns:
        Variable
    """

def digamma(
    x: _Array,
) -> Variable:
    """The derivative of lgamma, elementwise: -inf at 0, NaN at -1, -2, ...

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def dilated_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
    pad: _Shape = 0,
    dilate: _Shape = 1,
    cover_all: bool = False,
) -> Variable:
    """Chainer's earlier name of convolution_2d with dilate (Yu and Koltun 2015, "Multi-Scale
    Context Aggregation by Dilated Convolutions").

    Arguments:
        x (Variable or array-like): Images, (N, C, H, W).
        W (Variable or array-like): Filters, (O, C, kh, kw).
        b (Variable or array-like, optional): Added to each channel of the result, (O).
        stride (default 1): Distance of neighbouring windows, in elements: a number, or one
            for each spatial axis.
        pad (default 0): Zeros put around x, on each side of a spatial axis: a number, or
            one for each.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or one
            for each spatial axis.
        cover_all (default False): Whether the last window may exceed the padded end, so
            that every element is in a window.

    Returns:
        Variable
    """

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
) -> tuple[Variable | Any, ...]:
    """Losses of an instance segmentation (De Brabandere et al. 2017, "Semantic Instance
    Segmentation with a Discriminative Loss Function"), each one number: of pixels that are
    further than delta_v from the mean of their instance, of means that are nearer to each
    other than 2 * delta_d, and of large means.

    Arguments:
        embeddings (Variable or array-like): A vector for each pixel, floating point, (N, D,
            H, W).
        labels (Variable or array-like): Integers from 1 to max_embedding_dim, (N, H, W);
            pixels with others belong to no instance.
        delta_v: The distance from the mean that costs nothing.
        delta_d: Half the distance of means that costs nothing.
        max_embedding_dim: The number of instances.
        norm (default 1): The norm of distances: 1, sums of absolute values, or 2,
            Euclidean.
        alpha (default 1.0): A factor of one of the three losses: alpha of the first, beta
            of the second, gamma of the third.
        beta (default 1.0): A factor of one of the three losses: alpha of the first, beta of
            the second, gamma of the third.
        gamma (default 0.001): A factor of one of the three losses: alpha of the first, beta
            of the second, gamma of the third.

    Returns:
        tuple of Variables
    """

def divide(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """x1 / x2, elementwise. Integers divided by integers give floats. Shapes broadcast, and
    dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def divide_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """x / value, elementwise. Integers divided by an integer give floats.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def dropout(
    x: _Array,
    ratio: float = 0.5,
    *,
    mask: _Array | None = None,
    return_mask: bool = False,
) -> Variable | Any:
    """In training mode each element is 0 with the probability ratio, and else divided by 1 -
    ratio; in test mode x (Srivastava et al. 2014, "Dropout"). Floats only; ValueError
    unless 0 <= ratio < 1.

    Arguments:
        x (Variable or array-like)
        ratio (default 0.5): The probability of 0.
        mask (Variable or array-like, optional): Factors of x's shape, in place of drawn
            ones, in training mode.
        return_mask (default False): Whether the factors are returned, too.

    Returns:
        Variable or tuple of Variables: the result; with return_mask also the factors, or
            None in test mode.
    """

def dsplit(
    x: _Array,
    indices_or_sections: _Shape,
) -> tuple[Variable | Any, ...]:
    """An array of three axes or more in parts along axis 2. ShapeError where its size cannot
    be divided.

    Arguments:
        x (Variable or array-like)
        indices_or_sections: A number of equal parts, or the places where all parts but the
            first begin.

    Returns:
        tuple of Variables
    """

def dstack(
    xs: _Arrays,
) -> Variable:
    """Arrays joined along axis 2, where vectors (n) are (1, n, 1) and matrices (m, n) are (m,
    n, 1), as NumPy's dstack.

    Arguments:
        xs (list of Variables or array-likes): At least one array.

    Returns:
        Variable
    """

def eigh(
    a: _Array,
    UPLO: str = "L",
) -> tuple[Variable | Any, ...]:
    """Eigenvalues and eigenvectors of symmetric matrices, a = v diag(w) v^T. Where eigenvalues
    are equal, v has no gradient (it comes out as inf or NaN). Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).
        UPLO (default 'L'): Which triangle is read, "L" or "U".

    Returns:
        tuple of Variables: w (Eigenvalues, ascending, (..., n)), v (Eigenvectors in the
            columns, (..., n, n))
    """

def eigvalsh(
    a: _Array,
    UPLO: str = "L",
) -> Variable:
    """The eigenvalues of symmetric matrices, ascending, (..., n). Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).
        UPLO (default 'L'): Which triangle is read, "L" or "U".

    Returns:
        Variable
    """

def einsum(
    subscripts: Any,
    *operands: _Array,
) -> Variable:
    """Sums of products over named axes, as NumPy's einsum: "ij,jk->ik" is a matrix product. A
    letter that a term repeats is its diagonal; "..." stands for further axes, which
    broadcast; without "->" the result has the letters that occur once, in order. Integers
    and bools are taken as floats. ValueError for a wrong equation.

    Arguments:
        subscripts: The equation.
        *operands (Variable or array-like): An array for each of its terms.

    Returns:
        Variable
    """

def elu(
    x: _Array,
    alpha: float = 1.0,
) -> Variable:
    """x where x > 0, elsewhere alpha * (exp(x) - 1) (Clevert et al. 2015, "Fast and Accurate
    Deep Network Learning by Exponential Linear Units"). The gradient at 0 is alpha. Floats
    only.

    Arguments:
        x (Variable or array-like)
        alpha (default 1.0): Minus the value that is approached towards -infinity.

    Returns:
        Variable
    """

def embed_id(
    x: _Array,
    W: _Array,
    ignore_label: int | None = None,
) -> Variable:
    """Rows of W by their numbers, a table of word vectors: (..., D). Gradients flow to W.
    Chainer's function. ValueError for a number that has no row.

    Arguments:
        x (Variable or array-like): Integers, of any shape.
        W (Variable or array-like): (V, D).
        ignore_label (default None): A number that gives zeros; none if not given.

    Returns:
        Variable
    """

def equal(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether two elements are equal: bool; NaN equals nothing. Shapes broadcast, and dtypes
    are promoted first. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def equal_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """Whether x is the value, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def erf(
    x: _Array,
) -> Variable:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x,
    elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def erfc(
    x: _Array,
) -> Variable:
    """1 - erf(x), elementwise, exact for large x. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def erfcinv(
    x: _Array,
) -> Variable:
    """The inverse of erfc, elementwise, on [0, 2].

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def erfcx(
    x: _Array,
) -> Variable:
    """exp(x^2) erfc(x), elementwise, finite for all x > -9 (float32).

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def erfinv(
    x: _Array,
) -> Variable:
    """The inverse of erf, elementwise: +-inf at +-1, NaN beyond.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def exp(
    x: _Array,
) -> Variable:
    """e^x, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def exp2(
    x: _Array,
) -> Variable:
    """2^x, elementwise.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def expand_dims(
    x: _Array,
    axis: int,
) -> Variable:
    """x with a new axis of size 1.

    Arguments:
        x (Variable or array-like)
        axis: Its place in the result; -1 is after the last.

    Returns:
        Variable
    """

def expm1(
    x: _Array,
) -> Variable:
    """exp(x) - 1, elementwise, exact near 0. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def eye(
    n: int,
    m: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
) -> Variable:
    """A matrix (n, m) with 1 where column - row is k, and 0 elsewhere, as NumPy's eye.

    Arguments:
        n: Rows.
        m (default None): Columns; n if not given.
        k (default 0): Which diagonal: above the main one where positive, below it where
            negative.
        dtype (default None): Its dtype; the default float dtype if not given.

    Returns:
        Variable
    """

def f1_score(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]:
    """The harmonic mean of precision and recall, for each class, (label_num); NaN where it is
    0 / 0. No gradient. Chainer's function.

    Arguments:
        y (Variable or array-like): Scores, floating point, (N, C, ...); the prediction is
            the largest along axis 1.
        t (Variable or array-like): Integer labels, (N, ...).
        label_num (default None): Number of classes; if not given, as many as the largest
            label says, which is read on the host.
        ignore_label (default -1): Positions of this label are not counted.

    Returns:
        tuple of Variables: the scores of each class, and how many positions are of it,
            int64.
    """

def fft(
    real: _Array,
    imag: _Array,
) -> tuple[Variable | Any, ...]:
    """The discrete Fourier transform along the last axis: y_k = the sum of x_j * exp(-2 pi i j
    k / n) over j, with real and imaginary parts as two arrays. Any n takes O(n log n); the
    host computes it in float64. Floats only; ShapeError where the parts differ in shape, or
    have no axis or no element along it. Chainer's function.

    Arguments:
        real (Variable or array-like): The real part.
        imag (Variable or array-like): The imaginary part, of the same shape.

    Returns:
        tuple of Variables: real, imag
    """

def fill(
    shape: _Shape,
    value: float,
    dtype: DTypeLike = "float32",
) -> Variable:
    """An array filled with a number, which stays an argument of a compiled program, so that
    other numbers do not compile anew.

    Arguments:
        shape: That of the result.
        value: The number.
        dtype (default 'float32'): That of the result.

    Returns:
        Variable
    """

def fix(
    x: _Array,
) -> Variable:
    """x without the digits behind its point, in x's dtype, as trunc. Without gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def fixed_batch_normalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    mean: _Array,
    var: _Array,
    eps: float = 2e-05,
    axis: _Shape | None = None,
) -> Variable:
    """batch_normalization with statistics that are given, as in prediction.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        gamma (Variable or array-like): Factors, of the axes that are not normalised over:
            (C).
        beta (Variable or array-like): Added at the end, of gamma's shape.
        mean (Variable or array-like): Of gamma's shape.
        var (Variable or array-like): The variances, of gamma's shape.
        eps (default 2e-05): Added to the variance.
        axis (default None): The axes that are normalised over; if not given, all but those
            of gamma, which are 1, 2, ...

    Returns:
        Variable
    """

def fixed_batch_renormalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    mean: _Array,
    var: _Array,
    eps: float = 2e-05,
) -> Variable:
    """batch_renormalization in prediction, where nothing is to be corrected:
    fixed_batch_normalization.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        gamma (Variable or array-like): Factors, with the axes of x from 1 on: (C).
        beta (Variable or array-like): Added at the end, of gamma's shape.
        mean (Variable or array-like): Of gamma's shape.
        var (Variable or array-like): The variances, of gamma's shape.
        eps (default 2e-05): Added to the variance.

    Returns:
        Variable
    """

def fixed_decorrelated_batch_normalization(
    x: _Array,
    mean: _Array,
    projection: _Array,
    groups: int = 16,
) -> Variable:
    """decorrelated_batch_normalization with statistics that are given, as in prediction.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        mean (Variable or array-like): (groups, c).
        projection (Variable or array-like): (groups, c, c), the inverse square roots of
            covariances.
        groups (default 16): How many groups of c channels.

    Returns:
        Variable
    """

def flatten(
    x: _Array,
) -> Variable:
    """The elements in one axis, row-major.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def flip(
    x: _Array,
    axis: _Shape | None = None,
) -> Variable:
    """x with the order along an axis reversed.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which.

    Returns:
        Variable
    """

def fliplr(
    a: _Array,
) -> Variable:
    """flip of axis 1.

    Arguments:
        a (Variable or array-like)

    Returns:
        Variable
    """

def flipud(
    a: _Array,
) -> Variable:
    """flip of axis 0.

    Arguments:
        a (Variable or array-like)

    Returns:
        Variable
    """

def floor(
    x: _Array,
) -> Variable:
    """The largest integer that is at most x, elementwise, in x's dtype; without gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def floor_divide(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """floor(x1 / x2), elementwise, as Python's //; without gradient. Integers divided by 0
    give 0. Shapes broadcast, and dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def fmod(
    x: _Array,
    divisor: _Array,
) -> Variable:
    """The rest of x divided by the divisor, elementwise, with the sign of x, as C's and
    NumPy's fmod. Shapes broadcast, and dtypes are promoted.

    Arguments:
        x (Variable or array-like)
        divisor (Variable or array-like)

    Returns:
        Variable
    """

def full(
    shape: _Shape,
    fill_value: float,
    dtype: DTypeLike | None = None,
) -> Variable:
    """An array filled with a number. ValueError for an integer that the dtype does not hold.

    Arguments:
        shape: Its sizes.
        fill_value: The number.
        dtype (default None): Its dtype; if not given, int32 for an integer and the default
            float dtype for a float.

    Returns:
        Variable
    """

def full_like(
    x: _Array,
    fill_value: float,
    dtype: DTypeLike | None = None,
) -> Variable:
    """An array of x's shape and device, filled with a number.

    Arguments:
        x (Variable or array-like)
        fill_value: The number.
        dtype (default None): Its dtype; x's if not given.

    Returns:
        Variable
    """

def gaussian(
    mean: _Array,
    ln_var: _Array,
    *,
    eps: _Array | None = None,
    return_eps: bool = False,
) -> Variable | Any:
    """mean + eps * exp(ln_var / 2), with eps from the standard normal distribution, in
    training and test mode: a draw from a normal distribution that gradients flow through
    (Kingma and Welling 2013, "Auto-Encoding Variational Bayes"). Arrays of one shape
    (ShapeError).

    Arguments:
        mean (Variable or array-like): The means.
        ln_var (Variable or array-like): The logarithms of the variances.
        eps (Variable or array-like, optional): Used in place of drawn numbers.
        return_eps (default False): Whether eps is returned, too.

    Returns:
        Variable or tuple of Variables: the result; with return_eps also eps.
    """

def gaussian_kl_divergence(
    mean: _Array,
    ln_var: _Array,
    reduce: str = "sum",
) -> Variable:
    """(mean^2 + exp(ln_var) - ln_var - 1) / 2, elementwise: the Kullback-Leibler divergence of
    a normal distribution from the standard one, as variational auto-encoders have it
    (Kingma and Welling 2013, "Auto-Encoding Variational Bayes"). Floats; shapes broadcast.

    Arguments:
        mean (Variable or array-like): The means of the distribution.
        ln_var (Variable or array-like): The logarithms of its variances.
        reduce (default 'sum'): "sum" or "mean" over all elements, one number; or "no", one
            for each.

    Returns:
        Variable
    """

def gaussian_nll(
    x: _Array,
    mean: _Array,
    ln_var: _Array,
    reduce: str = "sum",
) -> Variable:
    """(ln_var + log(2 pi) + (x - mean)^2 / exp(ln_var)) / 2, elementwise: the negative log
    likelihood of x under a normal distribution. Floats; shapes broadcast.

    Arguments:
        x (Variable or array-like): The data.
        mean (Variable or array-like): The means of the distribution.
        ln_var (Variable or array-like): The logarithms of its variances.
        reduce (default 'sum'): "sum" or "mean" over all elements, one number; or "no", one
            loss for each.

    Returns:
        Variable
    """

def gelu(
    x: _Array,
    approximate: str = "none",
) -> Variable:
    """x times the probability that a standard normal number is at most x (Hendrycks and Gimpel
    2016, "Gaussian Error Linear Units"), as PyTorch's gelu. Floats only.

    Arguments:
        x (Variable or array-like)
        approximate (default 'none'): "none", exact by erf, or "tanh", 0.5 * x * (1 +
            tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).

    Returns:
        Variable
    """

def get_item(
    x: _Array,
    slices: Any,
) -> Variable:
    """The elements that x[slices] has in NumPy: integers, slices, new axes, ellipses, and
    arrays of integers or bools, which may be negative. A bool array selects its true
    elements, so its values are read at once. ValueError for an index outside of its axis.

    By name, slices is a list of integers, slices in text ("2:5", "::-1", "..."), None for a
    new axis, and lists for arrays; in Python, what x[...] takes: there a list is an array.

    Arguments:
        x (Variable or array-like)
        slices: One entry for each axis, or fewer.

    Returns:
        Variable
    """

def greater(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether x1 > x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are
    promoted first. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def greater_equal(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether x1 >= x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are
    promoted first. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def greater_equal_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """Whether x >= value, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def greater_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """Whether x > value, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def group_normalization(
    x: _Array,
    groups: int,
    gamma: _Array,
    beta: _Array,
    eps: float = 1e-05,
) -> Variable:
    """(x - mean) / sqrt(variance + eps) * gamma + beta, with the mean and the (biased)
    variance of each group of channels of a sample (Wu and He 2018, "Group Normalization").
    Floats only. ValueError where the groups do not divide the channels.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        groups: How many groups of channels.
        gamma (Variable or array-like): Factors, (C).
        beta (Variable or array-like): Added at the end, (C).
        eps (default 1e-05): Added to the variance.

    Returns:
        Variable
    """

def gumbel_softmax(
    log_pi: _Array,
    tau: float = 0.1,
    axis: int = 1,
) -> Variable:
    """softmax((log_pi + g) / tau), with g from the Gumbel distribution, in training and test
    mode: a draw of a class that gradients flow through (Jang et al. 2016, "Categorical
    Reparameterization with Gumbel-Softmax"). Floats only.

    Arguments:
        log_pi (Variable or array-like): The logarithms of the classes' probabilities.
        tau (default 0.1): The temperature: the lower, the nearer to one class alone.
        axis (default 1): Along which the classes lie.

    Returns:
        Variable
    """

def hard_sigmoid(
    x: _Array,
) -> Variable:
    """min(max(0.2 * x + 0.5, 0), 1), elementwise. The gradient is 0 at both bounds. Floats
    only.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def hinge(
    x: _Array,
    t: _Array,
    norm: str = "L1",
    reduce: str = "mean",
) -> Variable:
    """The hinge loss of several classes: max(0, 1 - x) where t is the class and max(0, 1 + x)
    elsewhere. The slope at the margin is 0. Chainer's function. ValueError for a label that
    is no class.

    Arguments:
        x (Variable or array-like): Scores, floating point, (N, K).
        t (Variable or array-like): Integer labels from 0 to K - 1, (N).
        norm (default 'L1'): "L1", or "L2" for the squares.
        reduce (default 'mean'): "mean", the sum over classes and its mean over the batch,
            or "no", (N, K).

    Returns:
        Variable
    """

def hsplit(
    x: _Array,
    indices_or_sections: _Shape,
) -> tuple[Variable | Any, ...]:
    """An array in parts along axis 1, of a vector along axis 0. ShapeError where its size
    cannot be divided.

    Arguments:
        x (Variable or array-like)
        indices_or_sections: A number of equal parts, or the places where all parts but the
            first begin.

    Returns:
        tuple of Variables
    """

def hstack(
    xs: _Arrays,
) -> Variable:
    """Arrays joined along axis 1, or axis 0 of vectors, as NumPy's hstack.

    Arguments:
        xs (list of Variables or array-likes): At least one array.

    Returns:
        Variable
    """

def huber_loss(
    x: _Array,
    t: _Array,
    delta: float,
    reduce: str = "sum_along_second_axis",
) -> Variable:
    """Huber's loss (Huber 1964), quadratic near 0 and linear beyond: with d = |x - t| it is
    d^2 / 2 where d <= delta, elsewhere delta * (d - delta / 2). Floats of one shape and
    dtype (ShapeError, DtypeError).

    Arguments:
        x (Variable or array-like)
        t (Variable or array-like)
        delta: From where on the loss is linear.
        reduce (default 'sum_along_second_axis'): "sum_along_second_axis", which drops axis
            1, or "no", one loss for each element.

    Returns:
        Variable
    """

def hypot(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The length sqrt(x1^2 + x2^2), elementwise, without overflow: infinity where one of the
    two is infinite, though the other is NaN. The gradient at (0, 0) is 0. Shapes broadcast.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def identity(
    *inputs: _Array,
) -> Variable | Any:
    """What it is given: one array, or as many as there are. Chainer's function.

    Arguments:
        *inputs (Variable or array-like)

    Returns:
        Variable or tuple of Variables
    """

def ifft(
    real: _Array,
    imag: _Array,
) -> tuple[Variable | Any, ...]:
    """The inverse of fft: y_k = the sum of x_j * exp(2 pi i j k / n) over j, divided by n,
    along the last axis.

    Arguments:
        real (Variable or array-like): The real part.
        imag (Variable or array-like): The imaginary part, of the same shape.

    Returns:
        tuple of Variables: real, imag
    """

def im2col(
    x: _Array,
    ksize: _Shape,
    stride: _Shape = 1,
    pad: _Shape = 0,
    cover_all: bool = False,
    dilate: _Shape = 1,
) -> Variable:
    """The windows of a convolution as columns: x (N, C, H, W) becomes (N, C * kh * kw, H2,
    W2), where channel (c * kh + u) * kw + v holds element (u, v) of every window of channel
    c, and H2 and W2 are the sizes of a convolution's result. Of any dtype. ShapeError where
    no window fits.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        ksize: Size of a window: a number, or (kh, kw).
        stride (default 1): Distance of neighbouring windows: a number, or (down, across).
        pad (default 0): Zeros put on each side: a number, or (down, across).
        cover_all (default False): Whether the last window may exceed the padded end, so
            that every element is in one.
        dilate (default 1): Distance of neighbouring elements of a window: a number, or
            (down, across).

    Returns:
        Variable
    """

def insert(
    x: _Array,
    index: int,
    values: _Array,
    axis: int | None = None,
) -> Variable:
    """x with values between its elements, as NumPy's insert: a new array. The values are cast
    to x's dtype (DtypeError of floats into integers) and broadcast. ValueError for a place
    outside of the axis.

    Arguments:
        x (Variable or array-like)
        index: The place before which they stand, 0 to the axis's size; negative ones count
            from it.
        values (Variable or array-like): The elements to insert.
        axis (default None): Along which they are inserted; if not given, the flattened x.

    Returns:
        Variable
    """

def inv(
    a: _Array,
) -> Variable:
    """The inverses of square matrices. ValueError with the matrix's number where one is
    singular. Floats only, as all linear algebra, and LAPACK is needed.

    Arguments:
        a (Variable or array-like): (..., n, n).

    Returns:
        Variable
    """

def inverse_square_root(
    a: _Array,
) -> Variable:
    """a^(-1/2) of symmetric positive definite matrices: the positive definite b with b a b =
    1. The symmetric part of a is read. It has gradients also where eigenvalues are equal.
    Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).

    Returns:
        Variable
    """

def isclose(
    a: _Array,
    b: _Array,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Variable:
    """Whether |a - b| <= atol + rtol * |b|, elementwise: bool. Equal infinities are close.
    Shapes broadcast. No gradient.

    Arguments:
        a (Variable or array-like)
        b (Variable or array-like)
        rtol (default 1e-05): Tolerance relative to |b|.
        atol (default 1e-08): Absolute tolerance.
        equal_nan (default False): Whether NaN is close to NaN (in floats).

    Returns:
        Variable
    """

def isfinite(
    x: _Array,
) -> Variable:
    """Whether x is neither NaN nor infinite, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def isinf(
    x: _Array,
) -> Variable:
    """Whether x is infinite, of either sign, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def isnan(
    x: _Array,
) -> Variable:
    """Whether x is NaN, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def layer_normalization(
    x: _Array,
    gamma: _Array,
    beta: _Array,
    eps: float = 1e-05,
) -> Variable:
    """(x - mean) / sqrt(variance + eps) * gamma + beta, with the mean and the (biased)
    variance along the last axis (Ba et al. 2016, "Layer Normalization"). Floats only;
    ShapeError where sizes do not agree.

    Arguments:
        x (Variable or array-like): (..., K).
        gamma (Variable or array-like): Factors, (K).
        beta (Variable or array-like): Added at the end, (K).
        eps (default 1e-05): Added to the variance.

    Returns:
        Variable
    """

def leaky_relu(
    x: _Array,
    slope: float = 0.2,
) -> Variable:
    """x where x >= 0, elsewhere slope * x (Maas et al. 2013, "Rectifier Nonlinearities Improve
    Neural Network Acoustic Models"). The gradient at 0 is slope. Floats only.

    Arguments:
        x (Variable or array-like)
        slope (default 0.2): The factor of negative values.

    Returns:
        Variable
    """

def left_shift(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """x1's bits moved to the left by x2 places, those beyond the width lost. A shift by the
    width or more, or by less than 0, gives 0. Integers only (DtypeError); shapes broadcast.
    No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def less(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether x1 < x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are
    promoted first. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def less_equal(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether x1 <= x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are
    promoted first. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def less_equal_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """Whether x <= value, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def less_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """Whether x < value, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def lgamma(
    x: _Array,
) -> Variable:
    """log |gamma(x)|, elementwise; inf at 0, -1, -2, ...

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def linear(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    n_batch_axes: int = 1,
) -> Variable:
    """x W^T + b, a fully connected layer: the first n_batch_axes axes of x stay, the others
    are one axis of K features. The result is (..., M). Dtypes are promoted. ShapeError
    where x has not K features or fewer than two axes.

    Arguments:
        x (Variable or array-like): (N, ...); the axes after the batch axes hold K elements.
        W (Variable or array-like): (M, K).
        b (Variable or array-like, optional): (M).
        n_batch_axes (default 1): How many first axes number samples: 1 to the number of
            axes less one.

    Returns:
        Variable
    """

def linear_interpolate(
    p: _Array,
    x: _Array,
    y: _Array,
) -> Variable:
    """p * x + (1 - p) * y, elementwise. Floats only; shapes broadcast. Chainer's function.

    Arguments:
        p (Variable or array-like): The share of x.
        x (Variable or array-like): The values between which results lie.
        y (Variable or array-like): The values between which results lie.

    Returns:
        Variable
    """

def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
) -> Variable:
    """Numbers at equal distances, as NumPy's linspace.

    Arguments:
        start: The first.
        stop: The last, or without endpoint the one after it.
        num (default 50): How many.
        endpoint (default True): Whether stop is one of them.
        dtype (default None): Its dtype; the default float dtype if not given. Integers are
            rounded down.

    Returns:
        Variable
    """

def local_convolution_2d(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    stride: _Shape = 1,
) -> Variable:
    """A convolution without shared weights: filters differ from position to position. The
    result is (N, O, H2, W2), without padding. Chainer's function. Floats only.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        W (Variable or array-like): Filters, (O, H2, W2, C, kh, kw).
        b (Variable or array-like, optional): Added to the result, (O, H2, W2).
        stride (default 1): Distance of neighbouring windows: a number, or (down, across).

    Returns:
        Variable
    """

def local_response_normalization(
    x: _Array,
    n: int = 5,
    k: float = 2,
    alpha: float = 0.0001,
    beta: float = 0.75,
) -> Variable:
    """x / (k + alpha * s)^beta, where s is the sum of the squares of n / 2 channels before,
    the own, and n / 2 behind (Krizhevsky et al. 2012, "ImageNet Classification with Deep
    Convolutional Neural Networks"). Floats only.

    Arguments:
        x (Variable or array-like): (N, C, ...).
        n (default 5): How many channels are read, rounded up to an odd number.
        k (default 2): Added to the sum.
        alpha (default 0.0001): The factor of the sum.
        beta (default 0.75): The exponent.

    Returns:
        Variable
    """

def log(
    x: _Array,
) -> Variable:
    """The natural logarithm, elementwise; -inf of 0, NaN of negative numbers. Integers and
    bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def log10(
    x: _Array,
) -> Variable:
    """The logarithm to base 10, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def log1p(
    x: _Array,
) -> Variable:
    """log(1 + x), elementwise, exact near 0. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def log2(
    x: _Array,
) -> Variable:
    """The logarithm to base 2, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def log_ndtr(
    x: _Array,
) -> Variable:
    """The logarithm of ndtr(x), elementwise, exact where ndtr underflows.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def log_softmax(
    x: _Array,
    axis: int = 1,
) -> Variable:
    """x - log(sum(exp(x))), with the sum along the axis, without overflow: the logarithm of
    softmax. Floats only.

    Arguments:
        x (Variable or array-like)
        axis (default 1): Along which the exponentials are summed.

    Returns:
        Variable
    """

def logical_and(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether both are not 0, elementwise: bool, of any dtypes; shapes broadcast. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def logical_not(
    x: _Array,
) -> Variable:
    """Whether x is 0, elementwise: bool, of any dtype. No gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def logical_or(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether one or both are not 0, elementwise: bool, of any dtypes; shapes broadcast. No
    gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def logical_xor(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether exactly one of the two is not 0, elementwise: bool, of any dtypes; shapes
    broadcast. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
) -> Variable:
    """Numbers whose logarithms are at equal distances, as NumPy's logspace: base^start to
    base^stop.

    Arguments:
        start: The logarithm of the first.
        stop: The logarithm of the last, or without endpoint of the one after it.
        num (default 50): How many.
        endpoint (default True): Whether base^stop is one of them.
        base (default 10.0): That of the logarithms, above 0.
        dtype (default None): Its dtype; the default float dtype if not given. Integers are
            rounded down.

    Returns:
        Variable
    """

def logsumexp(
    x: _Array,
    axis: _Shape | None = None,
) -> Variable:
    """log(sum(exp(x))) along the axes, without overflow. Floats only.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.

    Returns:
        Variable
    """

def lstm(
    c_prev: _Array,
    x: _Array,
) -> tuple[Variable | Any, ...]:
    """One step of long short-term memory (Hochreiter and Schmidhuber 1997): c = tanh(a) *
    sigmoid(i) + c_prev * sigmoid(f) and h = sigmoid(o) * tanh(c). Floats of one dtype.
    Chainer's function.

    Arguments:
        c_prev (Variable or array-like): The cells before, (B, units); it may have more rows
            than x, which are copied to c.
        x (Variable or array-like): The gates a, i, f and o of each unit, interleaved: (n, 4
            * units), n <= B.

    Returns:
        tuple of Variables: c, of c_prev's shape, and h, (n, units).
    """

def lyapunov(
    a: _Array,
    q: _Array,
) -> Variable:
    """The x with a x + x a = q (Lyapunov's equation), for symmetric q and symmetric positive
    definite a, whose symmetric parts are read. Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).
        q (Variable or array-like): (..., n, n).

    Returns:
        Variable
    """

def matmul(
    a: _Array,
    b: _Array,
    transa: bool = False,
    transb: bool = False,
) -> Variable:
    """The product of matrices in the last two axes; the axes before them broadcast. An array
    of one axis is a row (left) or a column (right), and its axis is dropped from the
    result. NumPy's matmul; for floats and integers, whose dtypes are promoted. ShapeError
    where sizes do not agree or an array has no axis.

    Arguments:
        a (Variable or array-like): (..., n, k), or (k).
        b (Variable or array-like): (..., k, m), or (k).
        transa (default False): Swap the last two axes of a first; without effect on one
            axis.
        transb (default False): Swap the last two axes of b first; without effect on one
            axis.

    Returns:
        Variable
    """

def max(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The largest element along the axes. NaN propagates; all elements that are the largest
    get the gradient. ValueError for an axis without elements.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def max_pooling_1d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any:
    """max_pooling_nd over one spatial axis.

    Arguments:
        x (Variable or array-like): (N, C, L).
        ksize: Size of a window.
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side, as if they were
            -infinity; less than the window (ShapeError).
        cover_all (default True): Whether the last window may exceed the padded end, so that
            every element is in a window.
        return_indices (default False): Whether the places are returned, too.

    Returns:
        Variable or tuple of Variables: the maxima; with return_indices also the number of
            each within its window, int32.
    """

def max_pooling_2d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any:
    """The maximum of each window: (N, C, H2, W2). Floats only; ShapeError where no window
    fits. Chainer's function.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        ksize: Size of a window: a number, or (kh, kw).
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side, as if they were
            -infinity; less than the window (ShapeError).
        cover_all (default True): Whether the last window may exceed the padded end, so that
            every element is in a window.
        return_indices (default False): Whether the places are returned, too.

    Returns:
        Variable or tuple of Variables: the maxima; with return_indices also the number of
            each within its window, row by row, int32.
    """

def max_pooling_3d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any:
    """max_pooling_nd over three spatial axes.

    Arguments:
        x (Variable or array-like): (N, C, D, H, W).
        ksize: Size of a window: a number, or (kd, kh, kw).
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side, as if they were
            -infinity; less than the window (ShapeError).
        cover_all (default True): Whether the last window may exceed the padded end, so that
            every element is in a window.
        return_indices (default False): Whether the places are returned, too.

    Returns:
        Variable or tuple of Variables: the maxima; with return_indices also the number of
            each within its window, row by row, int32.
    """

def max_pooling_nd(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    cover_all: bool = True,
    return_indices: bool = False,
) -> Variable | Any:
    """The maximum of each window, as max_pooling_2d, over any number of spatial axes.

    Arguments:
        x (Variable or array-like): (N, C, D1, ..., Dk).
        ksize: Size of a window: a number, or one for each spatial axis.
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements put around x, on each side, as if they were
            -infinity; less than the window (ShapeError).
        cover_all (default True): Whether the last window may exceed the padded end, so that
            every element is in a window.
        return_indices (default False): Whether the places are returned, too.

    Returns:
        Variable or tuple of Variables: the maxima; with return_indices also the number of
            each within its window, row by row, int32.
    """

def maximum(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The larger of two elements; at a tie the gradient goes to x1. NaN propagates. Shapes
    broadcast, and dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def maximum_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """The larger of x and value, elementwise; at a tie the gradient goes to x.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def maxout(
    x: _Array,
    pool_size: int,
    axis: int = 1,
) -> Variable:
    """The largest of each pool_size neighbours along the axis, whose size is divided by
    pool_size (Goodfellow et al. 2013, "Maxout Networks"). ShapeError where pool_size does
    not divide it. Floats only.

    Arguments:
        x (Variable or array-like)
        pool_size: How many neighbours make one result.
        axis (default 1): Along which neighbours are compared.

    Returns:
        Variable
    """

def mean(
    x: _Array,
    axis: _Shape | None = None,
    weights: _Array | None = None,
    keepdims: bool = False,
) -> Variable:
    """The mean of elements along the axes; with weights, as average. Integers and bools give
    floats; float16 and bfloat16 are summed in float32.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        weights (Variable or array-like, optional): Of x's shape, or a vector along the one
            axis that is given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def mean_absolute_error(
    x0: _Array,
    x1: _Array,
) -> Variable:
    """The mean of |x0 - x1| over all elements, one number; the gradient is 0 where they are
    equal. Floats of one shape and dtype (ShapeError, DtypeError).

    Arguments:
        x0 (Variable or array-like)
        x1 (Variable or array-like)

    Returns:
        Variable
    """

def mean_squared_error(
    x0: _Array,
    x1: _Array,
) -> Variable:
    """The mean of (x0 - x1)^2 over all elements, one number. Floats of one shape and dtype
    (ShapeError, DtypeError).

    Arguments:
        x0 (Variable or array-like)
        x1 (Variable or array-like)

    Returns:
        Variable
    """

def meshgrid(
    *xs: _Array,
    indexing: str = "xy",
) -> tuple[Variable | Any, ...]:
    """All combinations of the elements of vectors: for each vector an array of all axes, as
    NumPy's meshgrid.

    Arguments:
        *xs (Variable or array-like): Vectors.
        indexing (default 'xy'): "xy", the first vector along axis 1, as in plots, or "ij",
            along axis 0.

    Returns:
        tuple of Variables
    """

def min(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The smallest element along the axes. NaN propagates; all elements that are the smallest
    get the gradient. ValueError for an axis without elements.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def minimum(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """The smaller of two elements; at a tie the gradient goes to x1. NaN propagates. Shapes
    broadcast, and dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def minimum_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """The smaller of x and value, elementwise; at a tie the gradient goes to x.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def moveaxis(
    x: _Array,
    source: _Shape,
    destination: _Shape,
) -> Variable:
    """x with axes at other places; the others keep their order, as NumPy's moveaxis.
    ShapeError unless both name equally many axes, each once.

    Arguments:
        x (Variable or array-like)
        source: An axis of x, or several.
        destination: Its place in the result, or theirs.

    Returns:
        Variable
    """

def multiply(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """x1 * x2, elementwise. Shapes broadcast, and dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def multiply_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """x * value, elementwise.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def n_step_bigru(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]:
    """n_step_gru in both directions, whose results are joined at each step and are the inputs
    of the next layer.

    Arguments:
        n_layers: Number of layers, L.
        dropout_ratio: The share that is dropped.
        hx (Variable or array-like): The states before the first step, (2 * L, B, units),
            forward and backward of each layer; zeros if not given.
        ws (list of Variables or array-likes): A list for each layer and direction: W0 to
            W2, (units, inputs), and W3 to W5, (units, units).
        bs (list of Variables or array-likes): A list for each layer and direction: six
            vectors, (units).
        xs (list of Variables or array-likes): The steps, (B_t, inputs).

    Returns:
        tuple of Variables: hy, of hx's shape; and a list of the last layer's results at
            each step, (B_t, 2 * units).
    """

def n_step_bilstm(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    cx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]:
    """n_step_lstm in both directions, whose results are joined at each step and are the inputs
    of the next layer.

    Arguments:
        n_layers: Number of layers, L.
        dropout_ratio: The share that is dropped.
        hx (Variable or array-like): The states before the first step, (2 * L, B, units),
            forward and backward of each layer; zeros if not given.
        cx (Variable or array-like): The cells before the first step, of hx's shape; zeros
            if not given.
        ws (list of Variables or array-likes): A list for each layer and direction: W0 to
            W3, (units, inputs), and W4 to W7, (units, units).
        bs (list of Variables or array-likes): A list for each layer and direction: eight
            vectors, (units).
        xs (list of Variables or array-likes): The steps, (B_t, inputs).

    Returns:
        tuple of Variables: hy and cy, of hx's shape; and a list of the last layer's results
            at each step, (B_t, 2 * units).
    """

def n_step_birnn(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
    activation: str = "tanh",
) -> tuple[Variable | Any, ...]:
    """n_step_rnn in both directions, whose results are joined at each step and are the inputs
    of the next layer.

    Arguments:
        n_layers: Number of layers, L.
        dropout_ratio: The share that is dropped.
        hx (Variable or array-like): The states before the first step, (2 * L, B, units),
            forward and backward of each layer; zeros if not given.
        ws (list of Variables or array-likes): A list for each layer and direction: W0,
            (units, inputs), and W1, (units, units).
        bs (list of Variables or array-likes): A list for each layer and direction: two
            vectors, (units).
        xs (list of Variables or array-likes): The steps, (B_t, inputs).
        activation (default 'tanh'): "tanh" or "relu".

    Returns:
        tuple of Variables: hy, of hx's shape; and a list of the last layer's results at
            each step, (B_t, 2 * units).
    """

def n_step_gru(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]:
    """Gated recurrent units in layers over sequences (Cho et al. 2014): r = s(W0 x + W3 h + b0
    + b3), z = s(W1 x + W4 h + b1 + b4) and h' = (1 - z) * tanh(W2 x + b2 + r * (W5 h + b5))
    + z * h, where s is sigmoid. Sequences, dropout and errors as of n_step_rnn. Chainer's
    function.

    Arguments:
        n_layers: Number of layers, L.
        dropout_ratio: The share that is dropped.
        hx (Variable or array-like): The states before the first step, (L, B, units); zeros
            if not given.
        ws (list of Variables or array-likes): A list for each layer: W0 to W2, (units,
            inputs), and W3 to W5, (units, units).
        bs (list of Variables or array-likes): A list for each layer: six vectors, (units).
        xs (list of Variables or array-likes): The steps, (B_t, inputs).

    Returns:
        tuple of Variables: hy, the states after the last step of each sequence, of hx's
            shape; and a list of the last layer's h at each step, (B_t, units).
    """

def n_step_lstm(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    cx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
) -> tuple[Variable | Any, ...]:
    """Long short-term memory in layers over sequences (Hochreiter and Schmidhuber 1997): i, f,
    a, o = W0..3 x + W4..7 h + b0..3 + b4..7, c' = s(i) * tanh(a) + s(f) * c and h' = s(o) *
    tanh(c'), where s is sigmoid. Sequences, dropout and errors as of n_step_rnn. Chainer's
    function.

    Arguments:
        n_layers: Number of layers, L.
        dropout_ratio: The share that is dropped.
        hx (Variable or array-like): The states before the first step, (L, B, units); zeros
            if not given.
        cx (Variable or array-like): The cells before the first step, of hx's shape; zeros
            if not given.
        ws (list of Variables or array-likes): A list for each layer: W0 to W3, (units,
            inputs), and W4 to W7, (units, units).
        bs (list of Variables or array-likes): A list for each layer: eight vectors,
            (units).
        xs (list of Variables or array-likes): The steps, (B_t, inputs).

    Returns:
        tuple of Variables: hy and cy, the states and cells after the last step of each
            sequence, of hx's shape; and a list of the last layer's h at each step, (B_t,
            units).
    """

def n_step_rnn(
    n_layers: int,
    dropout_ratio: Any,
    hx: _Array,
    ws: _Arrays,
    bs: _Arrays,
    xs: _Arrays,
    activation: str = "tanh",
) -> tuple[Variable | Any, ...]:
    """A recurrent network in layers over sequences (Elman 1990): h' = activation(W0 x + W1 h +
    b0 + b1). Sequences are sorted by decreasing length and given step by step, as
    transpose_sequence gives them. In training mode a share of the inputs of each layer but
    the first is dropped. Floats of one dtype; ShapeError and DtypeError name the argument
    and what it should be. Chainer's function.

    Arguments:
        n_layers: Number of layers, L.
        dropout_ratio: The share that is dropped.
        hx (Variable or array-like): The states before the first step, (L, B, units); zeros
            if not given.
        ws (list of Variables or array-likes): A list for each layer: W0, (units, inputs),
            and W1, (units, units).
        bs (list of Variables or array-likes): A list for each layer: two vectors, (units).
        xs (list of Variables or array-likes): The steps, (B_t, inputs).
        activation (default 'tanh'): "tanh" or "relu".

    Returns:
        tuple of Variables: hy, the states after the last step of each sequence, of hx's
            shape; and a list of the last layer's h at each step, (B_t, units).
    """

def nanargmax(
    x: _Array,
    axis: int | None = None,
) -> Variable:
    """The index of the first largest number along the axis, int32; 0 where nothing is a
    number, for which NumPy has an error. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which; of the flattened array if not given.

    Returns:
        Variable
    """

def nanargmin(
    x: _Array,
    axis: int | None = None,
) -> Variable:
    """The index of the first smallest number along the axis, int32; 0 where nothing is a
    number, for which NumPy has an error. No gradient.

    Arguments:
        x (Variable or array-like)
        axis (default None): Which; of the flattened array if not given.

    Returns:
        Variable
    """

def nanmax(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The largest element along the axes that is no NaN; NaN where nothing is a number.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def nanmean(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The mean along the axes of the elements that are no NaN; NaN where nothing is a number.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def nanmin(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The smallest element along the axes that is no NaN; NaN where nothing is a number.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def nanstd(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
    ddof: int = 0,
) -> Variable:
    """The standard deviation along the axes of the elements that are no NaN; NaN where nothing
    is a number.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.
        ddof (default 0): As of nanvar().

    Returns:
        Variable
    """

def nansum(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The sum along the axes, where NaN counts as 0. Integers and bools give int64.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def nanvar(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
    ddof: int = 0,
) -> Variable:
    """The variance along the axes of the elements that are no NaN; NaN where nothing is a
    number.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.
        ddof (default 0): As of variance(); NaN where no more numbers are there.

    Returns:
        Variable
    """

def ndtr(
    x: _Array,
) -> Variable:
    """The probability that a standard normal number is less than x, elementwise.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def ndtri(
    x: _Array,
) -> Variable:
    """The inverse of ndtr, elementwise, on [0, 1].

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def negative(
    x: _Array,
) -> Variable:
    """-x, elementwise; bools stay as they are.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def negative_sampling(
    x: _Array,
    t: _Array,
    W: _Array,
    samples: _Array,
    reduce: str = "sum",
) -> Variable:
    """Negative sampling for large vocabularies (Mikolov et al. 2013, "Distributed
    Representations of Words and Phrases and their Compositionality"): softplus(-x . W[t])
    plus the sum of softplus(x . W[k]) over the samples k of a row. Rows with the label -1
    have the loss 0.

    Arguments:
        x (Variable or array-like): Floating point, (N, D).
        t (Variable or array-like): Integer labels, (N).
        W (Variable or array-like): A vector for each word, (V, D), of x's dtype.
        samples (Variable or array-like): Integers, (N, S), the words that each row is
            compared with.
        reduce (default 'sum'): "sum" over the rows, one number, or "no", (N).

    Returns:
        Variable
    """

def normalize(
    x: _Array,
    eps: float = 1e-05,
    axis: _Shape = 1,
) -> Variable:
    """x / (|x| + eps), with Euclidean lengths along the axes. Vectors of zeros stay, and get
    the gradient gy / eps. Floats only. Chainer's function.

    Arguments:
        x (Variable or array-like)
        eps (default 1e-05): Added to the lengths.
        axis (default 1): One or several, along which vectors lie.

    Returns:
        Variable
    """

def not_equal(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """Whether two elements differ: bool; NaN differs from all. Shapes broadcast, and dtypes
    are promoted first. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def not_equal_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """Whether x is not the value, elementwise: bool. No gradient.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def one_hot(
    x: _Array,
    classes: int,
    dtype: DTypeLike = "float32",
) -> Variable:
    """A new last axis of zeros with 1 at the place that x names: (..., classes). No gradient.
    ValueError for others than 0 to classes - 1.

    Arguments:
        x (Variable or array-like): Integers, of any shape.
        classes: Size of the new axis.
        dtype (default 'float32'): That of the result.

    Returns:
        Variable
    """

def ones(
    shape: _Shape,
    dtype: DTypeLike | None = None,
) -> Variable:
    """An array of ones.

    Arguments:
        shape: Its sizes.
        dtype (default None): Its dtype; if not given, the default float dtype
            (config().dtype in C++, catena.config.dtype in Python).

    Returns:
        Variable
    """

def ones_like(
    x: _Array,
    dtype: DTypeLike | None = None,
) -> Variable:
    """An array of ones of x's shape and device.

    Arguments:
        x (Variable or array-like)
        dtype (default None): Its dtype; x's if not given.

    Returns:
        Variable
    """

def pad(
    x: _Array,
    pad_width: Any,
    mode: str,
    constant_values: Any = 0,
) -> Variable:
    """x with elements put around it, as NumPy's pad. ShapeError where a mirrored border would
    exceed the array.

    Arguments:
        x (Variable or array-like)
        pad_width: How many: a number for all sides, (before, after) for all axes, or one
            such pair for each axis.
        mode: "constant"; "edge" repeats the outermost element; "reflect" mirrors without
            it, "symmetric" with it.
        constant_values (default 0): With "constant": a number, (before, after), or one such
            pair for each axis.

    Returns:
        Variable
    """

def pad_sequence(
    xs: _Arrays,
    length: int | None = None,
    padding: float = 0,
) -> Variable:
    """Arrays whose first sizes differ, stacked: (arrays, length, ...). ShapeError where one is
    longer than the length. Chainer's function.

    Arguments:
        xs (list of Variables or array-likes): Arrays (length, ...) of one dtype.
        length (default None): That of all; the longest one's if not given (C++: 0).
        padding (default 0): What is put behind shorter ones.

    Returns:
        Variable
    """

def permutate(
    x: _Array,
    indices: _Array,
    axis: int = 0,
    inv: bool = False,
) -> Variable:
    """x with the order along an axis changed: item i is item indices[i] of x, or the other way
    round with inv. Chainer's function.

    Arguments:
        x (Variable or array-like)
        indices (Variable or array-like): Integers, a permutation of 0 to the axis's size
            less one. In debug mode ValueError for others.
        axis (default 0): Along which items are moved.
        inv (default False): Whether the inverse permutation is applied.

    Returns:
        Variable
    """

def permutation(
    x: _Array,
    axis: int = 0,
) -> Variable:
    """The items of x along an axis in a random order; x stays as it is.

    Arguments:
        x (Variable or array-like): Of at least one axis.
        axis (default 0): Along which items are moved.

    Returns:
        Variable
    """

def pinv(
    a: _Array,
    rcond: float = 1e-15,
) -> Variable:
    """The Moore-Penrose inverses of matrices, (..., n, m). The gradient is that of matrices of
    the same rank (Golub and Pereyra 1973). Floats only.

    Arguments:
        a (Variable or array-like): (..., m, n).
        rcond (default 1e-15): Singular values below rcond times the largest count as 0.

    Returns:
        Variable
    """

def place_slice(
    x: _Array,
    begin: _Shape,
    step: _Shape,
    shape: _Shape,
) -> Variable:
    """An array of zeros with x at elements begin[i] + k * step[i] of every axis i: the
    gradient of slice.

    Arguments:
        x (Variable or array-like)
        begin: The first element of each axis.
        step: From one to the next, not 0; backwards where negative.
        shape: That of the result.

    Returns:
        Variable
    """

def polygamma(
    n: _Array,
    x: _Array,
) -> Variable:
    """The n-th derivative of digamma, elementwise; for x < 0 up to n = 4, else NaN.
    Differentiable towards x.

    Arguments:
        n (Variable or array-like): Integers from 0 on.
        x (Variable or array-like): Floating point.

    Returns:
        Variable
    """

def power(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """x1^x2, elementwise. Integers to the power of integers give floats. Shapes broadcast, and
    dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def power_scalar(
    x: _Array,
    exponent: float,
) -> Variable:
    """x^exponent, elementwise. Integers to the power of an integer give floats.

    Arguments:
        x (Variable or array-like)
        exponent: A number.

    Returns:
        Variable
    """

def precision(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]:
    """The share of the positions predicted to be of a class that are, for each class,
    (label_num); NaN where it is 0 / 0. No gradient. Chainer's function.

    Arguments:
        y (Variable or array-like): Scores, floating point, (N, C, ...); the prediction is
            the largest along axis 1.
        t (Variable or array-like): Integer labels, (N, ...).
        label_num (default None): Number of classes; if not given, as many as the largest
            label says, which is read on the host.
        ignore_label (default -1): Positions of this label are not counted.

    Returns:
        tuple of Variables: the scores of each class, and how many positions are of it,
            int64.
    """

def prelu(
    x: _Array,
    W: _Array,
) -> Variable:
    """x where x >= 0, elsewhere W * x (He et al. 2015, "Delving Deep into Rectifiers").
    ShapeError where the sizes do not agree. Floats only.

    Arguments:
        x (Variable or array-like): Of shape (N, ...).
        W (Variable or array-like): Has the leading sizes of x without its batch axis: of
            shape (C) for x of shape (N, C, H, W), or () for one number.

    Returns:
        Variable
    """

def prod(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The product of elements along the axes. Integers and bools give int64. The gradient is
    right where elements are 0.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def prod_others(
    x: _Array,
) -> Variable:
    """For each element the product of the others of its row: the gradient of prod. Floats
    only.

    Arguments:
        x (Variable or array-like): (M, N).

    Returns:
        Variable
    """

def prod_pairs(
    x: _Array,
    gy: _Array,
) -> Variable:
    """For each element i of a row the sum over j of gy[j] times the product of the row without
    i and j: the gradient of prod_others. Floats only.

    Arguments:
        x (Variable or array-like): (M, N).
        gy (Variable or array-like): Of x's shape and dtype.

    Returns:
        Variable
    """

def qr(
    a: _Array,
    mode: str = "reduced",
) -> Variable | Any:
    """a = q r with orthogonal q and upper triangular r. Differentiable where r is square and
    regular. Floats only.

    Arguments:
        a (Variable or array-like): (..., m, n).
        mode (default 'reduced'): "reduced", q is (..., m, min(m, n)); "complete", q is
            (..., m, m); by name also "r", which gives r alone.

    Returns:
        Variable or tuple of Variables: q, r; or r alone, a Variable, with mode "r".
    """

def r2_score(
    pred: _Array,
    true: _Array,
    sample_weight: Any = None,
    multioutput: str = "uniform_average",
) -> Variable:
    """The coefficient of determination: 1 - sum((true - pred)^2) / sum((true - mean)^2) over
    axis 0, and 0 where true is constant. No gradient. Chainer's function.

    Arguments:
        pred (Variable or array-like): Predictions, floating point.
        true (Variable or array-like): What they should be, of the same shape.
        sample_weight (default None): Has to be None: there are no weights of samples.
        multioutput (default 'uniform_average'): "uniform_average", the mean over the other
            axes, or "raw_values".

    Returns:
        Variable
    """

def randint(
    low: int,
    high: int,
    shape: _Shape,
    dtype: DTypeLike = "int64",
) -> Variable:
    """Independent integers from low to high - 1. ValueError for an interval of more than 2^53,
    or that the dtype does not hold.

    Arguments:
        low: The least.
        high: One more than the largest.
        shape: That of the result.
        dtype (default 'int64'): That of the result.

    Returns:
        Variable
    """

def random_categorical(
    logits: _Array,
    draws: int = 1,
) -> Variable:
    """Classes drawn from softmax(logits) along the last axis, int32: (..., draws). No
    gradient.

    Arguments:
        logits (Variable or array-like): (..., classes), floating point.
        draws (default 1): How many for each row.

    Returns:
        Variable
    """

def random_normal(
    shape: _Shape,
    dtype: DTypeLike = "float32",
) -> Variable:
    """Independent draws from the standard normal distribution, from Catena's own random
    numbers, which a seed repeats, eager and compiled.

    Arguments:
        shape: That of the result.
        dtype (default 'float32'): That of the result.

    Returns:
        Variable
    """

def random_uniform(
    shape: _Shape,
    dtype: DTypeLike = "float32",
) -> Variable:
    """Independent draws from [0, 1), from Catena's own random numbers, which a seed repeats,
    eager and compiled.

    Arguments:
        shape: That of the result.
        dtype (default 'float32'): That of the result.

    Returns:
        Variable
    """

def ravel(
    x: _Array,
) -> Variable:
    """The elements in one axis, row-major: NumPy's name of flatten.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def recall(
    y: _Array,
    t: _Array,
    label_num: int | None = None,
    ignore_label: int = -1,
) -> tuple[Variable | Any, ...]:
    """The share of the positions of a class that are predicted to be, for each class,
    (label_num); NaN where it is 0 / 0. No gradient. Chainer's function.

    Arguments:
        y (Variable or array-like): Scores, floating point, (N, C, ...); the prediction is
            the largest along axis 1.
        t (Variable or array-like): Integer labels, (N, ...).
        label_num (default None): Number of classes; if not given, as many as the largest
            label says, which is read on the host.
        ignore_label (default -1): Positions of this label are not counted.

    Returns:
        tuple of Variables: the scores of each class, and how many positions are of it,
            int64.
    """

def reciprocal(
    x: _Array,
) -> Variable:
    """1 / x, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def relu(
    x: _Array,
) -> Variable:
    """max(0, x), elementwise. The gradient at 0 is 0. Floats only.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def relu6(
    x: _Array,
) -> Variable:
    """min(max(0, x), 6), elementwise. The gradient is 0 at 0 and at 6. Floats only.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def remainder(
    x: _Array,
    y: _Array,
) -> Variable:
    """The remainder of x after floor division by y, elementwise, with the sign of y, as
    Python's % (fmod has the sign of x). Of integers divided by 0 it is 0, of floats NaN.
    Shapes broadcast, and dtypes are promoted.

    Arguments:
        x (Variable or array-like)
        y (Variable or array-like)

    Returns:
        Variable
    """

def repeat(
    x: _Array,
    repeats: _Shape,
    axis: int | None = None,
) -> Variable:
    """Elements repeated along an axis, as NumPy's repeat. ShapeError unless there is one
    number of repeats, or one for each element of the axis.

    Arguments:
        x (Variable or array-like)
        repeats: How often each element, or one number for each.
        axis (default None): Along which elements are repeated; if not given, the flattened
            array.

    Returns:
        Variable
    """

def reshape(
    x: _Array,
    shape: _Shape,
) -> Variable:
    """The elements of x, row-major, in another shape. ShapeError where the numbers of elements
    differ.

    Arguments:
        x (Variable or array-like)
        shape: That of the result; one size may be -1, and follows from the others.

    Returns:
        Variable
    """

def resize_images(
    x: _Array,
    output_shape: _Shape,
    *,
    mode: str = "bilinear",
    align_corners: bool = True,
) -> Variable:
    """Images (N, C, H, W) resized to (N, C, H2, W2).

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        output_shape: (H2, W2).
        mode (default 'bilinear'): "bilinear", or "nearest", which takes the pixel at or
            before the place.
        align_corners (default True): Whether the outermost pixels stay the outermost ones
            (bilinear only); else the borders stay.

    Returns:
        Variable
    """

def right_shift(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """x1's bits moved to the right by x2 places; a negative number is filled up with ones. A
    shift by the width or more, or by less than 0, moves out all. Integers only
    (DtypeError); shapes broadcast. No gradient.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def roi_average_align_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
    sampling_ratio: _Shape | None = None,
) -> Variable:
    """The mean of samples between pixels in each bin of regions of images: (R, C, rows,
    columns) (He et al. 2017, "Mask R-CNN"). Samples outside of x count as 0. No gradient
    flows to the regions. ValueError for the number of an image that x does not have.

    Arguments:
        x (Variable or array-like): (N, C, H, W), floating point.
        rois (Variable or array-like): Regions, (R, 4), floating point: top, left, bottom
            and right.
        roi_indices (Variable or array-like): Integers, (R): the number of each region's
            image.
        outsize: How many bins: a number, or (rows, columns).
        spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
        sampling_ratio (default None): How many samples along each axis of a bin: a number,
            or (down, across); if not given, or 0, as many as the bin has pixels, rounded
            up.

    Returns:
        Variable
    """

def roi_average_pooling_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
) -> Variable:
    """The mean of the pixels of each bin of regions of images: (R, C, rows, columns), as
    roi_max_pooling_2d; 0 for a bin outside of x.

    Arguments:
        x (Variable or array-like): (N, C, H, W), floating point.
        rois (Variable or array-like): Regions, (R, 4), floating point: top, left, bottom
            and right.
        roi_indices (Variable or array-like): Integers, (R): the number of each region's
            image.
        outsize: How many bins: a number, or (rows, columns).
        spatial_scale: What the corners of regions are multiplied by; positive (ValueError).

    Returns:
        Variable
    """

def roi_max_align_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
    sampling_ratio: _Shape | None = None,
) -> Variable:
    """The largest of samples between pixels in each bin of regions of images: (R, C, rows,
    columns), as roi_average_align_2d; -infinity for a bin without a sample in x.

    Arguments:
        x (Variable or array-like): (N, C, H, W), floating point.
        rois (Variable or array-like): Regions, (R, 4), floating point: top, left, bottom
            and right.
        roi_indices (Variable or array-like): Integers, (R): the number of each region's
            image.
        outsize: How many bins: a number, or (rows, columns).
        spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
        sampling_ratio (default None): How many samples along each axis of a bin: a number,
            or (down, across); if not given, or 0, as many as the bin has pixels, rounded
            up.

    Returns:
        Variable
    """

def roi_max_pooling_2d(
    x: _Array,
    rois: _Array,
    roi_indices: _Array,
    outsize: _Shape,
    spatial_scale: float,
) -> Variable:
    """The largest pixel of each bin of regions of images: (R, C, rows, columns). Corners of
    regions are rounded to pixels, half to even (Girshick 2015, "Fast R-CNN"). -infinity for
    a bin outside of x. No gradient flows to the regions. ValueError for the number of an
    image that x does not have.

    Arguments:
        x (Variable or array-like): (N, C, H, W), floating point.
        rois (Variable or array-like): Regions, (R, 4), floating point: top, left, bottom
            and right.
        roi_indices (Variable or array-like): Integers, (R): the number of each region's
            image.
        outsize: How many bins: a number, or (rows, columns).
        spatial_scale: What the corners of regions are multiplied by; positive (ValueError).

    Returns:
        Variable
    """

def roi_pooling_2d(
    x: _Array,
    rois: _Array,
    outh: int,
    outw: int,
    spatial_scale: float,
) -> Variable:
    """The earlier form of roi_max_pooling_2d: (R, C, outh, outw). Regions contain the row and
    the column of the far corner, and a bin outside of x gives 0.

    Arguments:
        x (Variable or array-like): (N, C, H, W), floating point.
        rois (Variable or array-like): Regions, (R, 5), floating point: number of the image,
            left, top, right and bottom.
        outh: Rows of bins.
        outw: Columns of bins.
        spatial_scale: What the corners of regions are multiplied by; positive (ValueError).

    Returns:
        Variable
    """

def roll(
    x: _Array,
    shift: int,
    axis: int | None = None,
) -> Variable:
    """Elements moved along an axis, what leaves at the end coming in at the beginning, as
    NumPy's roll.

    Arguments:
        x (Variable or array-like)
        shift: By how many places; towards the beginning where negative.
        axis (default None): Along which elements are moved; if not given, in the flattened
            array.

    Returns:
        Variable
    """

def rollaxis(
    x: _Array,
    axis: int,
    start: int = 0,
) -> Variable:
    """x with an axis moved back until it stands before another, as NumPy's rollaxis.

    Arguments:
        x (Variable or array-like)
        axis: The axis that is moved.
        start (default 0): The axis before which it stands afterwards.

    Returns:
        Variable
    """

def rot90(
    x: _Array,
    k: int = 1,
    axes: _Shape = (0, 1),
) -> Variable:
    """x turned by 90 degrees in the plane of two axes, from the first of them to the second,
    as NumPy's rot90. ShapeError where there are no two such axes.

    Arguments:
        x (Variable or array-like)
        k (default 1): How often it is turned; the other way where negative.
        axes (default (0, 1)): Two different axes.

    Returns:
        Variable
    """

def rrelu(
    x: _Array,
    l: float = 0.125,
    u: float = 0.3333333333333333,
    *,
    r: _Array | None = None,
    return_r: bool = False,
) -> Variable | Any:
    """x where x >= 0, elsewhere r * x: in training mode r is drawn from [l, u) for every
    element, in test mode it is (l + u) / 2 (Xu et al. 2015, "Empirical Evaluation of
    Rectified Activations in Convolutional Network"). Floats only; ValueError unless 0 <= l
    < u < 1.

    Arguments:
        x (Variable or array-like)
        l (default 0.125): The least slope.
        u (default 0.3333333333333333): The bound of slopes.
        r (Variable or array-like, optional): Slopes of x's shape and dtype, in place of
            drawn ones, in training mode.
        return_r (default False): Whether the slopes are returned, too.

    Returns:
        Variable or tuple of Variables: the result; with return_r also the slopes.
    """

def rsqrt(
    x: _Array,
) -> Variable:
    """1 / sqrt(x), elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def scalar_divide(
    x: _Array,
    value: float,
) -> Variable:
    """value / x, elementwise. An integer divided by integers gives floats.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def scalar_power(
    x: _Array,
    base: float,
) -> Variable:
    """base^x, elementwise. An integer to the power of integers gives floats.

    Arguments:
        x (Variable or array-like)
        base: A number.

    Returns:
        Variable
    """

def scalar_subtract(
    x: _Array,
    value: float,
) -> Variable:
    """value - x, elementwise.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def scale(
    x: _Array,
    y: _Array,
    axis: int = 1,
) -> Variable:
    """x times y, whose axes are those of x from axis on. Chainer's function. ShapeError where
    sizes differ.

    Arguments:
        x (Variable or array-like)
        y (Variable or array-like)
        axis (default 1): The axis of x that the first one of y is.

    Returns:
        Variable
    """

def scatter_add(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable:
    """a with b added at the slices; repeated indices add up. Arrays of one dtype (DtypeError).
    ValueError for an index outside of its axis. Chainer's function.

    Arguments:
        a (Variable or array-like)
        slices: As of get_item.
        b (Variable or array-like): Of the shape of get_item(a, slices).

    Returns:
        Variable
    """

def scatter_maximum(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable:
    """a with the largest of its element and all elements of b that go there at each place of
    the slices; NaN propagates. Of equal ones each has an equal share of the gradient.

    Arguments:
        a (Variable or array-like)
        slices: As of get_item.
        b (Variable or array-like): Of the shape of get_item(a, slices), and a's dtype.

    Returns:
        Variable
    """

def scatter_minimum(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable:
    """a with the smallest of its element and all elements of b that go there at each place of
    the slices; NaN propagates. Of equal ones each has an equal share of the gradient.

    Arguments:
        a (Variable or array-like)
        slices: As of get_item.
        b (Variable or array-like): Of the shape of get_item(a, slices), and a's dtype.

    Returns:
        Variable
    """

def scatter_multiply(
    a: _Array,
    slices: Any,
    b: _Array,
) -> Variable:
    """a with the product of its element and all elements of b that go there at each place of
    the slices.

    Arguments:
        a (Variable or array-like)
        slices: As of get_item.
        b (Variable or array-like): Of the shape of get_item(a, slices), and a's dtype.

    Returns:
        Variable
    """

def select_item(
    x: _Array,
    t: _Array,
) -> Variable:
    """One element of each row: (N), x[i, t[i]] for each i. Chainer's function.

    Arguments:
        x (Variable or array-like): (N, K).
        t (Variable or array-like): Integers from 0 to K - 1, (N).

    Returns:
        Variable
    """

def selu(
    x: _Array,
    alpha: float = 1.6732632423543772,
    scale: float = 1.0507009873554805,
) -> Variable:
    """scale * elu(x, alpha). With the default numbers, layers keep the mean 0 and the variance
    1 of their inputs (Klambauer et al. 2017, "Self-Normalizing Neural Networks"). Floats
    only.

    Arguments:
        x (Variable or array-like)
        alpha (default 1.6732632423543772): As of elu.
        scale (default 1.0507009873554805): The factor of the result.

    Returns:
        Variable
    """

def separate(
    x: _Array,
    axis: int = 0,
) -> tuple[Variable | Any, ...]:
    """The items along an axis, which they lack: the inverse of stack. Chainer's function.

    Arguments:
        x (Variable or array-like)
        axis (default 0): Along which it is separated.

    Returns:
        tuple of Variables
    """

def shift(
    x: _Array,
    ksize: _Shape = 3,
    dilate: _Shape = 1,
) -> Variable:
    """Channels moved against each other (Wu et al. 2018, "Shift: A Zero FLOP, Zero Parameter
    Alternative to Spatial Convolutions"): the channels of x are kh * kw groups, each moved
    by its place in the kernel, from the middle, times dilate, with zeros moved in. The
    group that stays is the last one. Of any dtype.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        ksize (default 3): Size of the kernel: an odd number, or (kh, kw), ValueError for
            even ones.
        dilate (default 1): Pixels from one place of the kernel to the next: a number, or
            (down, across).

    Returns:
        Variable
    """

def sigmoid(
    x: _Array,
) -> Variable:
    """1 / (1 + exp(-x)), elementwise. Floats only.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def sigmoid_cross_entropy(
    x: _Array,
    t: _Array,
    normalize: bool = True,
    reduce: str = "mean",
) -> Variable:
    """The cross entropy of sigmoid(x) and labels, elementwise: -t * log(s) - (1 - t) * log(1 -
    s) with s = sigmoid(x), and 0 where t is -1. Chainer's function; without overflow.

    Arguments:
        x (Variable or array-like): Scores before the sigmoid, floating point.
        t (Variable or array-like): 0, 1, or -1 for positions that are ignored; of x's
            shape.
        normalize (default True): Whether the sum is divided by the number of positions that
            are not ignored (at least 1); else by the batch size, the size of axis 0.
        reduce (default 'mean'): "mean", one number, or "no", one loss for each element.

    Returns:
        Variable
    """

def sign(
    x: _Array,
) -> Variable:
    """-1, 0 or 1, elementwise, in x's dtype; NaN of NaN. Without gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def silu(
    x: _Array,
) -> Variable:
    """x * sigmoid(x), elementwise: swish with beta 1 (Elfwing et al. 2017, "Sigmoid-Weighted
    Linear Units"). Floats only.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def simplified_dropconnect(
    x: _Array,
    W: _Array,
    b: _Array | None = None,
    ratio: float = 0.5,
    train: bool = True,
    mask: _Array | None = None,
    use_batchwise_mask: bool = True,
) -> Variable:
    """x W^T + b, where weights are 0 with the probability ratio, and else divided by 1 - ratio
    (Wan et al. 2013, "Regularization of Neural Networks using DropConnect"). The result is
    (N, M).

    Arguments:
        x (Variable or array-like): (N, ...), of K features.
        W (Variable or array-like): (M, K).
        b (Variable or array-like, optional): (M).
        ratio (default 0.5): The probability that a weight is 0.
        train (default True): Whether weights are dropped and the others divided by 1 -
            ratio; False: weights stay as they are, unless there is a mask.
        mask (Variable or array-like, optional): An array that is not 0 where a weight
            stays, in place of a drawn one: (M, K), or (N, M, K).
        use_batchwise_mask (default True): Whether a mask is drawn for each sample.

    Returns:
        Variable
    """

def sin(
    x: _Array,
) -> Variable:
    """The sine of x in radians, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def sinc(
    x: _Array,
) -> Variable:
    """sin(pi x) / (pi x), 1 at 0, elementwise.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def sinh(
    x: _Array,
) -> Variable:
    """The hyperbolic sine, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def slice(
    x: _Array,
    begin: _Shape,
    step: _Shape,
    size: _Shape,
) -> Variable:
    """Elements begin[i] + k * step[i], for k from 0 to size[i] - 1, of every axis i. All
    elements named must exist (ShapeError).

    Arguments:
        x (Variable or array-like)
        begin: The first element of each axis.
        step: From one to the next, not 0; backwards where negative.
        size: The sizes of the result.

    Returns:
        Variable
    """

def slstm(
    c_prev1: _Array,
    c_prev2: _Array,
    x1: _Array,
    x2: _Array,
) -> tuple[Variable | Any, ...]:
    """A node of a tree over two children with inputs of their own (Zhu et al. 2015, "Long
    Short-Term Memory Over Tree Structures"): c = tanh(a1) s(i1) + tanh(a2) s(i2) + s(f1)
    c_prev1 + s(f2) c_prev2 and h = s(o1 + o2) tanh(c), where s is sigmoid. Floats of one
    dtype.

    Arguments:
        c_prev1 (Variable or array-like): The children's cells, (n, units).
        c_prev2 (Variable or array-like): The children's cells, (n, units).
        x1 (Variable or array-like): The gates a, i, f and o of each unit, interleaved: (n,
            4 * units).
        x2 (Variable or array-like): The gates a, i, f and o of each unit, interleaved: (n,
            4 * units).

    Returns:
        tuple of Variables: c and h, (n, units).
    """

def softmax(
    x: _Array,
    axis: int = 1,
) -> Variable:
    """exp(x) divided by its sum along the axis, without overflow. Floats only.

    Arguments:
        x (Variable or array-like)
        axis (default 1): Along which results add up to 1.

    Returns:
        Variable
    """

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
) -> Variable:
    """The cross entropy of softmax(x) along axis 1 and labels: -class_weight[t] *
    log_softmax(x)[t] at each position, or -sum(t * log_softmax(x)) for probabilities t.
    Chainer's function; without overflow, however large x is. ValueError for a label that is
    no class and not ignored.

    Arguments:
        x (Variable or array-like): Scores before the softmax, floating point, of shape (N,
            C) or (N, C, ...).
        t (Variable or array-like): Integer labels from 0 to C - 1, of shape (N) or (N,
            ...); or probabilities, floating point, of x's shape.
        normalize (default True): Whether the sum is divided by the number of labels that
            are not ignored (at least 1); else by the batch size, N.
        cache_score (default True): Has no effect; it is there for Chainer's programs.
        class_weight (Variable or array-like, optional): Factors for the losses of each
            class, (C); not differentiated, and for integer t only.
        ignore_label (default -1): Positions of this label have the loss 0; for integer t.
        reduce (default 'mean'): "mean", one number, or "no", one loss for each position.
        enable_double_backprop (default False): Has no effect; it is there for Chainer's
            programs.
        soft_target_loss (default 'cross-entropy'): The loss for floating point t:
            "cross-entropy", or "kl-divergence", which is (nearly) 0 where the softmax of x
            is t.

    Returns:
        Variable
    """

def softplus(
    x: _Array,
    beta: float = 1.0,
) -> Variable:
    """log(1 + exp(beta * x)) / beta, elementwise, without overflow. Floats only.

    Arguments:
        x (Variable or array-like)
        beta (default 1.0): The larger, the nearer to relu.

    Returns:
        Variable
    """

def solve(
    a: _Array,
    b: _Array,
) -> Variable:
    """The x with a x = b. ValueError where a is singular. Floats only.

    Arguments:
        a (Variable or array-like): (..., n, n).
        b (Variable or array-like): One vector (n), or matrices (..., n, k), whose first
            axes broadcast with a's.

    Returns:
        Variable
    """

def sort(
    x: _Array,
    axis: int = -1,
) -> Variable:
    """x in ascending order along an axis; equal elements keep their order and NaN come last.
    Differentiable.

    Arguments:
        x (Variable or array-like)
        axis (default -1): Along which elements are ordered; without one, all elements, in a
            vector.

    Returns:
        Variable
    """

def space2depth(
    X: _Array,
    r: int,
) -> Variable:
    """Squares of pixels become channels, depth2space backwards: (N, C, r * H, r * W) gives (N,
    r * r * C, H, W). Chainer's function. ShapeError where r does not divide the height and
    the width.

    Arguments:
        X (Variable or array-like): (N, C, r * H, r * W).
        r: Pixels of a square's side.

    Returns:
        Variable
    """

def sparse_matmul(
    data: _Array,
    row: _Array,
    col: _Array,
    b: _Array,
    shape: _Shape,
    transa: bool = False,
    transb: bool = False,
) -> Variable:
    """The product of a sparse and a dense matrix, dense. A batch of one factor needs one of
    the same size of the other. Gradients go to the dense factor and to data, the elements
    of the sparse one.

    By name the sparse factor is the first, and given by its elements, of which repeated
    ones add up; those with a negative row or column do not count.

    Arguments:
        data (Variable or array-like): The elements, floating point, (E), or (B, E) for a
            batch.
        row (Variable or array-like): Integers of data's shape, the places of the elements.
        col (Variable or array-like): Integers of data's shape, the places of the elements.
        b (Variable or array-like): The dense factor, (columns, k), or (B, columns, k).
        shape: (rows, columns) of the sparse factor.
        transa (default False): Swap the last two axes of the first factor first.
        transb (default False): Swap the last two axes of the second factor first.

    Returns:
        Variable
    """

def spatial_pyramid_pooling_2d(
    x: _Array,
    pyramid_height: int,
    pooling: str = "max",
) -> Variable:
    """The maxima over grids of 1, 2 x 2, 4 x 4, ... windows, joined: (N, C * (1 + 4 + 16 +
    ...), 1, 1), whatever the height and the width are (He et al. 2014, "Spatial Pyramid
    Pooling in Deep Convolutional Networks for Visual Recognition"). ShapeError where an
    image is too small for the finest grid.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        pyramid_height: How many grids.
        pooling (default 'max'): "max" alone.

    Returns:
        Variable
    """

def spatial_transformer_grid(
    theta: _Array,
    output_shape: _Shape,
) -> Variable:
    """The places where affine maps put the pixels of an image: (N, 2, H, W), x first. Places
    are between -1 and 1, the outermost pixels (Jaderberg et al. 2015, "Spatial Transformer
    Networks").

    Arguments:
        theta (Variable or array-like): (N, 2, 3), matrices that are multiplied by (x, y,
            1).
        output_shape: (H, W).

    Returns:
        Variable
    """

def spatial_transformer_sampler(
    x: _Array,
    grid: _Array,
) -> Variable:
    """Images read at the places of a grid, between pixels (bilinear) and with zeros outside:
    (N, C, H, W). Gradients flow to x and the grid (Jaderberg et al. 2015, "Spatial
    Transformer Networks").

    Arguments:
        x (Variable or array-like): (N, C, H0, W0).
        grid (Variable or array-like): (N, 2, H, W), between -1 and 1, the outermost pixels;
            x first, as spatial_transformer_grid gives it.

    Returns:
        Variable
    """

def split(
    x: _Array,
    indices_or_sections: _Shape,
    axis: int = 0,
) -> tuple[Variable | Any, ...]:
    """An array in parts along an axis, as NumPy's split. ShapeError where its size cannot be
    divided into equal parts.

    Arguments:
        x (Variable or array-like)
        indices_or_sections: A number of equal parts, or the places where all parts but the
            first begin.
        axis (default 0): Along which it is split.

    Returns:
        tuple of Variables
    """

def split_axis(
    x: _Array,
    indices_or_sections: _Shape,
    axis: int,
    force_tuple: bool = True,
) -> Variable | Any:
    """An array in parts along an axis. ShapeError where its size cannot be divided into equal
    parts. Chainer's function.

    Arguments:
        x (Variable or array-like)
        indices_or_sections: A number of equal parts, or the places where all parts but the
            first begin.
        axis: Along which it is split.
        force_tuple (default True): Whether one part alone is given as a tuple of one, too.

    Returns:
        Variable or tuple of Variables
    """

def sqrt(
    x: _Array,
) -> Variable:
    """The square root, elementwise; NaN of negative numbers. Integers and bools are taken as
    floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def square(
    x: _Array,
) -> Variable:
    """x^2, elementwise. Integers and bools keep their dtype.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def squared_difference(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """(x1 - x2)^2, elementwise, of floats of one shape and dtype: ChainerX's name of
    squared_error.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def squared_error(
    x0: _Array,
    x1: _Array,
) -> Variable:
    """(x0 - x1)^2, elementwise. Floats of one shape and dtype (ShapeError, DtypeError).

    Arguments:
        x0 (Variable or array-like)
        x1 (Variable or array-like)

    Returns:
        Variable
    """

def squeeze(
    x: _Array,
    axis: _Shape | None = None,
) -> Variable:
    """x without axes of size 1. ShapeError for an axis of another size.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all of size 1 if not given.

    Returns:
        Variable
    """

def stack(
    xs: _Arrays,
    axis: int = 0,
) -> Variable:
    """Arrays of one shape joined along a new axis. ShapeError where shapes differ; dtypes that
    differ are promoted.

    Arguments:
        xs (list of Variables or array-likes): At least one array.
        axis (default 0): The place of the new axis.

    Returns:
        Variable
    """

def std(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
    ddof: int = 0,
) -> Variable:
    """The square root of the mean squared distance from the mean, along the axes. Integers and
    bools give floats. The gradient where all elements are equal is NaN.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.
        ddof (default 0): As of variance().

    Returns:
        Variable
    """

def subtract(
    x1: _Array,
    x2: _Array,
) -> Variable:
    """x1 - x2, elementwise. Shapes broadcast, and dtypes are promoted.

    Arguments:
        x1 (Variable or array-like)
        x2 (Variable or array-like)

    Returns:
        Variable
    """

def subtract_scalar(
    x: _Array,
    value: float,
) -> Variable:
    """x - value, elementwise.

    Arguments:
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def sum(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
) -> Variable:
    """The sum of elements along the axes. Integers and bools give int64; float16 and bfloat16
    are summed in float32.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.

    Returns:
        Variable
    """

def sum_to(
    x: _Array,
    shape: _Shape,
) -> Variable:
    """x summed over the axes that broadcasting an array of shape to x's shape repeats: the
    result has that shape. ShapeError where it does not broadcast so.

    Arguments:
        x (Variable or array-like)
        shape: That of the result.

    Returns:
        Variable
    """

def svd(
    a: _Array,
    full_matrices: bool = True,
    compute_uv: bool = True,
) -> Variable | Any:
    """The singular value decomposition a = u diag(s) vt, with s descending, (..., k), where k
    = min(m, n). Gradients exist without full_matrices, where singular values differ and are
    not 0. Floats only.

    Arguments:
        a (Variable or array-like): (..., m, n).
        full_matrices (default True): Whether u is (..., m, m) and vt (..., n, n); else they
            are (..., m, k) and (..., k, n).
        compute_uv (default True): Whether u, s and vt are given; else s alone.

    Returns:
        Variable or tuple of Variables: u, s, vt; or s alone, a Variable, without
            compute_uv.
    """

def swapaxes(
    x: _Array,
    axis1: int,
    axis2: int,
) -> Variable:
    """x with two axes exchanged, as NumPy's swapaxes.

    Arguments:
        x (Variable or array-like)
        axis1: The axes.
        axis2: The axes.

    Returns:
        Variable
    """

def swish(
    x: _Array,
    beta: _Array,
) -> Variable:
    """x * sigmoid(beta * x), elementwise (Ramachandran et al. 2017, "Searching for Activation
    Functions"). ShapeError where the sizes do not agree. Floats only.

    Arguments:
        x (Variable or array-like): Of shape (N, ...).
        beta (Variable or array-like): Has the leading sizes of x without its batch axis: of
            shape (C) for x of shape (N, C, H, W), or () for one number.

    Returns:
        Variable
    """

def take(
    x: _Array,
    indices: _Array,
    axis: int | None = None,
) -> Variable:
    """x at indices along an axis, which is replaced by the axes of the indices, as NumPy's
    take. ValueError for an index outside of the axis.

    Arguments:
        x (Variable or array-like)
        indices (Variable or array-like): Integers of any shape; negative ones count from
            the end.
        axis (default None): Along which elements are taken; called by name, of x in one row
            if not given.

    Returns:
        Variable
    """

def take_along_axis(
    x: _Array,
    indices: _Array,
    axis: int,
) -> Variable:
    """Elements of x whose places along an axis are named for each place: for axis 1 of three,
    result (i, j, k) is x[i, indices[i, j, k], k]. NumPy's function.

    Arguments:
        x (Variable or array-like)
        indices (Variable or array-like): Integers of x's sizes but for the axis; negative
            ones count from the end.
        axis: Along which elements are taken.

    Returns:
        Variable
    """

def tan(
    x: _Array,
) -> Variable:
    """The tangent of x in radians, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def tanh(
    x: _Array,
) -> Variable:
    """The hyperbolic tangent, elementwise. Integers and bools are taken as floats.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def tensordot(
    a: _Array,
    b: _Array,
    axes: Any = 2,
) -> Variable:
    """Products summed over axes of both arrays, as NumPy's tensordot: the result has the other
    axes of a, then those of b. Floats only; ShapeError where sizes differ.

    Arguments:
        a (Variable or array-like)
        b (Variable or array-like)
        axes (default 2): How many: the last ones of a and the first ones of b; or two
            lists, the axes of a and, one by one, of b.

    Returns:
        Variable
    """

def tile(
    x: _Array,
    reps: _Shape,
) -> Variable:
    """x repeated as a whole, reps[i] times along axis i; missing reps or axes count as 1 in
    front. NumPy's function.

    Arguments:
        x (Variable or array-like)
        reps: How often along each axis; one number counts for the last axis.

    Returns:
        Variable
    """

def topk(
    x: _Array,
    k: int,
    axis: int = -1,
    largest: bool = True,
) -> tuple[Variable | Any, ...]:
    """The k largest elements along an axis, best first, and their places; equal elements in
    their order. NaN is larger than any number. As PyTorch's topk.

    Arguments:
        x (Variable or array-like)
        k: How many.
        axis (default -1): Along which elements are compared.
        largest (default True): Whether the largest are meant; else the smallest.

    Returns:
        tuple of Variables: the elements, and their places along the axis, int32.
    """

def transpose(
    x: _Array,
    axes: _Shape | None = None,
) -> Variable:
    """x with its axes in another order: axis i of the result is axis axes[i] of x.

    Arguments:
        x (Variable or array-like)
        axes (default None): All axes of x; reversed if not given.

    Returns:
        Variable
    """

def transpose_sequence(
    xs: _Arrays,
) -> tuple[Variable | Any, ...]:
    """Sequences, sorted by decreasing length, become positions: result t holds element t of
    all sequences that are longer than t. Its own inverse for sequences that are not empty.
    Chainer's function.

    Arguments:
        xs (list of Variables or array-likes): Arrays (length, ...) of one dtype that differ
            in their length alone; ShapeError where lengths increase.

    Returns:
        tuple of Variables: an array for each position, (sequences that are longer, ...).
    """

def tree_lstm(
    *inputs: _Array,
) -> tuple[Variable | Any, ...]:
    """A node of a tree over any number of children (Tai et al. 2015, "Improved Semantic
    Representations From Tree-Structured Long Short-Term Memory Networks"): c = tanh(a) *
    sigmoid(i) + the sum of sigmoid(f_k) * c_k and h = sigmoid(o) * tanh(c). Floats of one
    dtype.

    Arguments:
        *inputs (Variable or array-like): The cells of each child, (n, units); then x, (n,
            (3 + children) * units), which holds the gates a, i, o and an f for each child,
            one after the other.

    Returns:
        tuple of Variables: c and h, (n, units).
    """

def tri(
    n: int,
    m: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
) -> Variable:
    """A matrix (n, m) with 1 where column - row is at most k, and 0 elsewhere, as NumPy's tri.

    Arguments:
        n: Rows.
        m (default None): Columns; n if not given.
        k (default 0): The last diagonal of ones.
        dtype (default None): Its dtype; the default float dtype if not given.

    Returns:
        Variable
    """

def tril(
    x: _Array,
    k: int = 0,
) -> Variable:
    """The lower triangle of the matrices in the last two axes: 0 above the k-th diagonal. Of
    any dtype; NumPy's function.

    Arguments:
        x (Variable or array-like): (..., m, n).
        k (default 0): The last diagonal that stays.

    Returns:
        Variable
    """

def triplet(
    anchor: _Array,
    positive: _Array,
    negative: _Array,
    margin: float = 0.2,
    reduce: str = "mean",
) -> Variable:
    """max(0, |anchor - positive|^2 - |anchor - negative|^2 + margin), with squared distances
    along axis 1 (Schroff et al. 2015, "FaceNet"). The slope at the margin is 0.

    Arguments:
        anchor (Variable or array-like): Floating point, (N, K).
        positive (Variable or array-like): Samples of the anchors' class; of anchor's shape
            and dtype.
        negative (Variable or array-like): Samples of other classes; of anchor's shape and
            dtype.
        margin (default 0.2): By how much others should be further away; ValueError unless
            positive.
        reduce (default 'mean'): "mean" over the batch, one number, or "no", one loss for
            each sample, (N).

    Returns:
        Variable
    """

def triu(
    x: _Array,
    k: int = 0,
) -> Variable:
    """The upper triangle of the matrices in the last two axes: 0 below the k-th diagonal. Of
    any dtype; NumPy's function.

    Arguments:
        x (Variable or array-like): (..., m, n).
        k (default 0): The first diagonal that stays.

    Returns:
        Variable
    """

def trunc(
    x: _Array,
) -> Variable:
    """x without what is behind its point, towards 0, elementwise, in x's dtype; without
    gradient.

    Arguments:
        x (Variable or array-like)

    Returns:
        Variable
    """

def unpooling_1d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable:
    """unpooling_nd over one spatial axis.

    Arguments:
        x (Variable or array-like): (N, C, L).
        ksize: Size of a window.
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements that the pooling puts around the result, on
            each side.
        outsize (default None): Spatial sizes of the result; if not given, as small as the
            windows allow.
        cover_all (default True): Whether the last window may exceed the result.

    Returns:
        Variable
    """

def unpooling_2d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable:
    """unpooling_nd over two spatial axes.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        ksize: Size of a window: a number, or (kh, kw).
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements that the pooling puts around the result, on
            each side.
        outsize (default None): Spatial sizes of the result; if not given, as small as the
            windows allow.
        cover_all (default True): Whether the last window may exceed the result.

    Returns:
        Variable
    """

def unpooling_3d(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable:
    """unpooling_nd over three spatial axes.

    Arguments:
        x (Variable or array-like): (N, C, D, H, W).
        ksize: Size of a window: a number, or (kd, kh, kw).
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements that the pooling puts around the result, on
            each side.
        outsize (default None): Spatial sizes of the result; if not given, as small as the
            windows allow.
        cover_all (default True): Whether the last window may exceed the result.

    Returns:
        Variable
    """

def unpooling_nd(
    x: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable:
    """Every element of x spread over its window, over any number of spatial axes; where
    windows overlap, they add up. ShapeError where a pooling of outsize would not give the
    sizes of x. Chainer's function.

    Arguments:
        x (Variable or array-like): (N, C, D1, ..., Dk).
        ksize: Size of a window: a number, or one for each spatial axis.
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements that the pooling puts around the result, on
            each side.
        outsize (default None): Spatial sizes of the result; if not given, as small as the
            windows allow.
        cover_all (default True): Whether the last window may exceed the result.

    Returns:
        Variable
    """

def upsampling_2d(
    x: _Array,
    indexes: _Array,
    ksize: _Shape,
    stride: _Shape | None = None,
    pad: _Shape = 0,
    outsize: _Shape | None = None,
    cover_all: bool = True,
) -> Variable:
    """Every element of x at the place of its window that an index names, and zeros elsewhere:
    max_pooling_2d backwards (Zeiler et al. 2011). Chainer's function.

    Arguments:
        x (Variable or array-like): (N, C, H, W).
        indexes (Variable or array-like): Integers of x's shape, the places within windows,
            row by row, as max_pooling_2d returns them.
        ksize: Size of a window: a number, or (kh, kw).
        stride (default None): Distance of neighbouring windows, in elements; the size of
            the window if not given.
        pad (default 0): The number of elements that the pooling puts around the result, on
            each side.
        outsize (default None): Spatial sizes of the result; if not given, as small as the
            windows allow.
        cover_all (default True): Whether the last window may exceed the result.

    Returns:
        Variable
    """

def var(
    x: _Array,
    axis: _Shape | None = None,
    keepdims: bool = False,
    ddof: int = 0,
) -> Variable:
    """The mean squared distance from the mean, along the axes. Integers and bools give floats.

    Arguments:
        x (Variable or array-like)
        axis (default None): One or several; all if not given.
        keepdims (default False): Keep the axes, with size 1.
        ddof (default 0): The sum of squares of n elements is divided by n - ddof: 1 for an
            unbiased estimate from a sample. Where n is not larger, NaN or infinity.

    Returns:
        Variable
    """

def vsplit(
    x: _Array,
    indices_or_sections: _Shape,
) -> tuple[Variable | Any, ...]:
    """An array of two axes or more in parts along axis 0. ShapeError where its size cannot be
    divided.

    Arguments:
        x (Variable or array-like)
        indices_or_sections: A number of equal parts, or the places where all parts but the
            first begin.

    Returns:
        tuple of Variables
    """

def vstack(
    xs: _Arrays,
) -> Variable:
    """Arrays joined along axis 0, where vectors are rows, as NumPy's vstack.

    Arguments:
        xs (list of Variables or array-likes): At least one array.

    Returns:
        Variable
    """

def where(
    condition: _Array,
    x: _Array,
    y: _Array,
) -> Variable:
    """x where the condition is not 0, elsewhere y, elementwise. Shapes broadcast, and dtypes
    of x and y are promoted. No gradient flows to the condition.

    Arguments:
        condition (Variable or array-like): Of any dtype.
        x (Variable or array-like)
        y (Variable or array-like)

    Returns:
        Variable
    """

def where_else_scalar(
    condition: _Array,
    x: _Array,
    value: float,
) -> Variable:
    """x where the condition is not 0, elsewhere the value, elementwise.

    Arguments:
        condition (Variable or array-like): Of any dtype.
        x (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def where_then_scalar(
    condition: _Array,
    y: _Array,
    value: float,
) -> Variable:
    """The value where the condition is not 0, elsewhere y, elementwise.

    Arguments:
        condition (Variable or array-like): Of any dtype.
        y (Variable or array-like)
        value: A number.

    Returns:
        Variable
    """

def zeros(
    shape: _Shape,
    dtype: DTypeLike | None = None,
) -> Variable:
    """An array of zeros.

    Arguments:
        shape: Its sizes.
        dtype (default None): Its dtype; if not given, the default float dtype
            (config().dtype in C++, catena.config.dtype in Python).

    Returns:
        Variable
    """

def zeros_like(
    x: _Array,
    dtype: DTypeLike | None = None,
) -> Variable:
    """An array of zeros of x's shape and device.

    Arguments:
        x (Variable or array-like)
        dtype (default None): Its dtype; x's if not given.

    Returns:
        Variable
    """

def zeta(
    x: _Array,
    q: _Array,
) -> Variable:
    """Hurwitz' zeta function, elementwise: the sum of (q + k)^-x over k = 0, 1, ...
    Differentiable towards q.

    Arguments:
        x (Variable or array-like): Greater than 1; NaN elsewhere.
        q (Variable or array-like): 0 or more; NaN elsewhere.

    Returns:
        Variable
    """

def zoneout(
    h: _Array,
    x: _Array,
    ratio: float = 0.5,
) -> Variable:
    """In training mode each element is that of h with the probability ratio, and else that of
    x; in test mode x (Krueger et al. 2016, "Zoneout"). Floats of one shape and dtype.

    Arguments:
        h (Variable or array-like): The state before.
        x (Variable or array-like): The state now.
        ratio (default 0.5): The probability that an element stays as it was.

    Returns:
        Variable
    """
