#include "runtime/ops/pooling/unpooling.h"

#include <algorithm>

#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/connection/window_count.h"
#include "runtime/ops/pooling/images.h"

namespace catena {
namespace {

/// The windows of each axis, and the sizes that they are of.
struct UnpooledWindows {
    Dims size, stride, pad, result;

    UnpooledWindows(const char* op, const Variable& x, int axes, const PerAxis& ksize,
                    const Unpooling& o) {
        check_images(op, x, axes);
        axes = x.rank() - 2;
        size = per_axis(op, "ksize", ksize, axes, 1);
        stride = o.stride.empty() ? size : per_axis(op, "stride", o.stride, axes, 1);
        pad = per_axis(op, "pad", o.pad, axes, 0);
        result = o.outsize.empty() ? least(x.shape(), o.cover_all)
                                   : per_axis(op, "outsize", o.outsize, axes, 1);
        for (int i = 0; i < axes; ++i) {
            const int64_t count =
                result[i] < 1 ? 0
                              : window_count(result[i], size[i], stride[i], pad[i], o.cover_all);
            if (count != x.shape()[i + 2])
                fail<ShapeError>(
                    "{}: {} has {} windows of {} (stride {}, pad {}) in axis {}, x {} has {} "
                    "elements",
                    op, to_string(result), count, to_string(size), to_string(stride),
                    to_string(pad), i + 2, to_string(x.shape()), x.shape()[i + 2]);
        }
    }
    Dims least(const Shape& x, bool cover_all) const {
        Dims sizes;
        for (int i = 0; i < size.rank(); ++i)
            sizes.push_back(
                sum_of_sizes("unpooling", {product_of_sizes("unpooling", {stride[i], x[i + 2] - 1}),
                                           size[i], -2 * pad[i], cover_all ? 1 - stride[i] : 0}));
        return sizes;
    }
    /// The part of an axis that some window has, without padding.
    int64_t reach(int i, int64_t count) const { return (count - 1) * stride[i] + size[i]; }
};

/// The part of y's axis 2 + i that is not padding, or lies beyond all windows.
Variable without_output_pad(const Variable& y, const UnpooledWindows& w, int i) {
    const int64_t missing = w.pad[i] + w.result[i] - y.shape()[i + 2];
    Dims none = Dims::filled(y.rank(), 0), after = none;
    after[i + 2] = std::max<int64_t>(missing, 0);
    return slice_axis(missing > 0 ? pad(y, none, after, Scalar(0)) : y, i + 2, w.pad[i],
                      w.result[i]);
}

/// Element k of the windows of axis 2 + i.
Variable placed(const Variable& x, const UnpooledWindows& w, int i, int64_t k) {
    Dims begin = Dims::filled(x.rank(), 0), step = Dims::filled(x.rank(), 1);
    Shape shape = x.shape();
    begin[i + 2] = k;
    step[i + 2] = w.stride[i];
    shape[i + 2] = w.reach(i, x.shape()[i + 2]);
    return place_slice(x, begin, step, shape);
}

/// Axis by axis: what a window gives to an element is the same for all.
Variable spread(const char* op, int axes, const Operand& x, const PerAxis& ksize,
                const Unpooling& options) {
    LocationScope scope(x.location());
    const UnpooledWindows w(op, x, axes, ksize, options);
    Variable y = x;
    for (int i = 0; i < w.size.rank(); ++i) {
        Variable sum;
        if (w.stride[i] == w.size[i])
            sum = repeat(y, w.size[i], i + 2);
        else
            for (int64_t k = 0; k < w.size[i]; ++k) {
                const Variable part = placed(y, w, i, k);
                sum = sum.defined() ? sum + part : part;
            }
        y = without_output_pad(sum, w, i);
    }
    return y;
}

Unpooling options_of(const FunctionArguments& a) {
    return {a.dims("stride"), a.dims("pad"), a.dims("outsize"), a.flag("cover_all")};
}
const FunctionDef& unpooling_function(const char* name, int axes) {
    return function(
        std::string(name) + "(x, ksize, stride=None, pad=0, outsize=None, cover_all=True)", {"x"},
        [name, axes](const FunctionArguments& a) {
            return spread(name, axes, a.array("x"), a.dims("ksize"), options_of(a));
        });
}
const FunctionDef& f_unpooling_nd = unpooling_function("unpooling_nd", 0);
const FunctionDef& f_unpooling_1d = unpooling_function("unpooling_1d", 1);
const FunctionDef& f_unpooling_2d = unpooling_function("unpooling_2d", 2);
const FunctionDef& f_unpooling_3d = unpooling_function("unpooling_3d", 3);
const FunctionDef& f_upsampling_2d = function(
    "upsampling_2d(x, indexes, ksize, stride=None, pad=0, outsize=None, cover_all=True)",
    {"x", "indexes"}, [](const FunctionArguments& a) {
        return upsampling_2d(a.array("x"), a.array("indexes"), a.dims("ksize"), options_of(a));
    });

}  // namespace

Variable unpooling_nd(const Operand& x, const PerAxis& ksize, const Unpooling& options) {
    return spread("unpooling_nd", 0, x, ksize, options);
}
Variable unpooling_1d(const Operand& x, const PerAxis& ksize, const Unpooling& options) {
    return spread("unpooling_1d", 1, x, ksize, options);
}
Variable unpooling_2d(const Operand& x, const PerAxis& ksize, const Unpooling& options) {
    return spread("unpooling_2d", 2, x, ksize, options);
}
Variable unpooling_3d(const Operand& x, const PerAxis& ksize, const Unpooling& options) {
    return spread("unpooling_3d", 3, x, ksize, options);
}

Variable upsampling_2d(const Operand& x, const Operand& indexes, const PerAxis& ksize,
                       const Unpooling& options) {
    LocationScope scope(x.location());
    const Variable &values = x, &places = indexes;
    if (!is_integer(places.dtype()))
        fail<DtypeError>("upsampling_2d: indexes should be integers of x's shape {}, it is {}",
                         to_string(values.shape()), to_string(places.type()));
    if (places.shape() != values.shape())
        fail<ShapeError>("upsampling_2d: indexes should have x's shape {}, it has {}",
                         to_string(values.shape()), to_string(places.shape()));
    const UnpooledWindows w("upsampling_2d", values, 2, ksize, options);
    Variable y;
    for (int64_t k = 0; k < w.size[0] * w.size[1]; ++k) {
        const Variable chosen = where(places == k, values, 0);
        const Variable part = placed(placed(chosen, w, 0, k / w.size[1]), w, 1, k % w.size[1]);
        y = y.defined() ? y + part : part;
    }
    return without_output_pad(without_output_pad(y, w, 0), w, 1);
}

}  // namespace catena
