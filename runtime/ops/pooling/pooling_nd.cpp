#include "runtime/ops/pooling/pooling_nd.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/pooling/images.h"

namespace catena {
namespace {

/// The windows of each axis.
struct PooledWindows {
    Dims size, stride, pad;

    PooledWindows(const char* op, const Variable& x, int axes, const PerAxis& ksize,
                  const PerAxis& step, const PerAxis& border) {
        check_images(op, x, axes);
        axes = x.rank() - 2;
        size = per_axis(op, "ksize", ksize, axes, 1);
        stride = step.empty() ? size : per_axis(op, "stride", step, axes, 1);
        pad = per_axis(op, "pad", border, axes, 0);
    }
};

/// The axes that one pooling of images takes: the last two, or one alone.
struct Pass {
    /// The first and the last offset of the windows along an axis; axis 2 + i of x is i.
    int first, last;
    Shape image;  ///< x as one image of many channels. A single last axis is its width, so that
                  ///< neighbours lie side by side.
    Dims size, stride, pad;

    /// The pass whose last axis is `last`; all behind it are done.
    Pass(const Variable& x, const PooledWindows& w, int last)
        : first(last > 0 && last + 3 == x.rank() ? last - 1 : last),
          last(last),
          image{1, 1, 1, 1},
          size{1, 1},
          stride{1, 1},
          pad{0, 0} {
        for (int k = 0; k < first + 2; ++k) image[1] *= x.shape()[k];
        for (int k = last + 3; k < x.rank(); ++k) image[3] *= x.shape()[k];
        for (int i = first; i <= last; ++i) {
            const int at = side_of(i, x);
            image[at + 2] = x.shape()[i + 2];
            size[at] = w.size[i];
            stride[at] = w.stride[i];
            pad[at] = w.pad[i];
        }
    }
    /// The shape of x when its images have become `pooled`.
    Shape shape(const Variable& x, const Shape& pooled) const {
        Shape y = x.shape();
        for (int i = first; i <= last; ++i) y[i + 2] = pooled[side_of(i, x) + 2];
        return y;
    }

private:
    int side_of(int i, const Variable& x) const {
        return i + 3 == x.rank() ? 1 : 0;
    }  ///< 0: height.
};

/// Where the maximum of each window was along axis 2 + i of x.
Variable places_along(const Variable& number, const PooledWindows& w, int i) {
    const int64_t count = number.shape()[i + 2];
    const Variable window = counting(0, count, number, number.rank() - i - 2);
    return cast(number, Dtype::int64) + (window * w.stride[i] - w.pad[i]);
}

Variables maxima(const char* op, int axes, const Operand& x, const PerAxis& ksize,
                 const MaxPooling& o, bool with_indices) {
    LocationScope scope(x.location());
    const PooledWindows w(op, x, axes, ksize, o.stride, o.pad);
    Variable y = x, index;
    int64_t inside = 1;  // Elements of the windows of the axes that are done.
    for (int i = w.size.rank(); with_indices && i-- > 0;)
        if (y.shape()[i + 2] == 0)
            fail<ShapeError>("{}: axis {} of x {} is empty, its windows have no maxima to number",
                             op, i + 2, to_string(x.variable().shape()));
    for (int i = w.size.rank(); i-- > 0;) {
        const Pass pass(y, w, i);
        i = pass.first;
        const Variables both = max_pooling_2d_with_indices(
            reshape(y, pass.image), pass.size,
            {.stride = pass.stride, .pad = pass.pad, .cover_all = o.cover_all});
        const Shape shape = pass.shape(y, both[0].shape());
        y = reshape(both[0], shape);
        if (!with_indices) continue;
        const Variable number = reshape(both[1], shape);
        index = index.defined()
                    ? number * inside + take_along_axis(index, places_along(number, w, i), i + 2)
                    : number;
        inside *= pass.size[0] * pass.size[1];
    }
    return with_indices ? Variables{y, cast(index, Dtype::int32)} : Variables{y};
}

/// The factor from means over whole windows to means over what lies in x.
Variable without_pad(const Variable& x, const PooledWindows& w, int i, int64_t count) {
    std::vector<double> factors;
    for (int64_t k = 0; k < count; ++k) {
        const int64_t begin = k * w.stride[i] - w.pad[i], end = begin + w.size[i];
        const int64_t width = std::min(end, x.shape()[i + 2]) - std::max<int64_t>(begin, 0);
        factors.push_back(double(w.size[i]) / double(width));
    }
    Shape line = Shape::filled(x.rank() - i - 2, 1);
    line[0] = count;
    return cast(constant(factors, line, x), x.dtype());
}

Variable means(const char* op, int axes, const Operand& x, const PerAxis& ksize,
               const AveragePooling& o) {
    LocationScope scope(x.location());
    const PooledWindows w(op, x, axes, ksize, o.stride, o.pad);
    Variable y = widened(x);
    for (int i = w.size.rank(); i-- > 0;) {
        const Pass pass(y, w, i);
        const Variable image =
            average_pooling_2d(reshape(y, pass.image), pass.size, pass.stride, pass.pad);
        Variable each = reshape(image, pass.shape(y, image.shape()));
        for (int k = pass.first; k <= pass.last; ++k)
            if (!o.count_pad && w.pad[k] > 0)
                each = each * without_pad(y, w, k, each.shape()[k + 2]);
        y = each;
        i = pass.first;
    }
    return cast(y, x.variable().dtype());
}

const FunctionDef& max_function(const char* name, int axes) {
    return function(
        std::string(name) + "(x, ksize, stride=None, pad=0, cover_all=True, return_indices=False)",
        {"x"}, [name, axes](const FunctionArguments& a) {
            return OneOrMore(maxima(name, axes, a.array("x"), a.dims("ksize"),
                                    {a.dims("stride"), a.dims("pad"), a.flag("cover_all")},
                                    a.flag("return_indices")));
        });
}
const FunctionDef& average_function(const char* name, int axes) {
    return function(std::string(name) + "(x, ksize, stride=None, pad=0, pad_value=0)", {"x"},
                    [name, axes](const FunctionArguments& a) {
                        if (!a.is_none("pad_value") && a.number("pad_value") != 0)
                            fail<ValueError>("{}: pad_value is {} and should be 0 or None", name,
                                             a.number("pad_value"));
                        return means(name, axes, a.array("x"), a.dims("ksize"),
                                     {a.dims("stride"), a.dims("pad"), !a.is_none("pad_value")});
                    });
}
const FunctionDef& f_max_nd = max_function("max_pooling_nd", 0);
const FunctionDef& f_max_1d = max_function("max_pooling_1d", 1);
const FunctionDef& f_max_3d = max_function("max_pooling_3d", 3);
const FunctionDef& f_average_nd = average_function("average_pooling_nd", 0);
const FunctionDef& f_average_1d = average_function("average_pooling_1d", 1);
const FunctionDef& f_average_3d = average_function("average_pooling_3d", 3);
const FunctionDef& f_pyramid = function(
    "spatial_pyramid_pooling_2d(x, pyramid_height, pooling='max')", {"x"},
    [](const FunctionArguments& a) {
        if (a.text("pooling") != "max")
            fail<ValueError>("spatial_pyramid_pooling_2d: pooling is '{}' and should be 'max'",
                             a.text("pooling"));
        return spatial_pyramid_pooling_2d(a.array("x"), a.integer("pyramid_height"));
    });

}  // namespace

Variable max_pooling_nd(const Operand& x, const PerAxis& ksize, const MaxPooling& options) {
    return maxima("max_pooling_nd", 0, x, ksize, options, false)[0];
}
Variables max_pooling_nd_with_indices(const Operand& x, const PerAxis& ksize,
                                      const MaxPooling& options) {
    return maxima("max_pooling_nd", 0, x, ksize, options, true);
}
Variable average_pooling_nd(const Operand& x, const PerAxis& ksize, const AveragePooling& options) {
    return means("average_pooling_nd", 0, x, ksize, options);
}
Variable max_pooling_1d(const Operand& x, const PerAxis& ksize, const MaxPooling& options) {
    return maxima("max_pooling_1d", 1, x, ksize, options, false)[0];
}
Variable max_pooling_3d(const Operand& x, const PerAxis& ksize, const MaxPooling& options) {
    return maxima("max_pooling_3d", 3, x, ksize, options, false)[0];
}
Variable average_pooling_1d(const Operand& x, const PerAxis& ksize, const AveragePooling& options) {
    return means("average_pooling_1d", 1, x, ksize, options);
}
Variable average_pooling_3d(const Operand& x, const PerAxis& ksize, const AveragePooling& options) {
    return means("average_pooling_3d", 3, x, ksize, options);
}

Variable spatial_pyramid_pooling_2d(const Operand& x, int64_t pyramid_height) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    if (pyramid_height < 1)
        fail<ValueError>("spatial_pyramid_pooling_2d: pyramid_height is {} and should be positive",
                         pyramid_height);
    if (shape.rank() != 4)
        fail<ShapeError>("spatial_pyramid_pooling_2d: x should be [N,C,H,W], it is {}",
                         to_string(shape));
    std::vector<Variable> levels;
    for (int64_t level = 0; level < pyramid_height; ++level) {
        const int64_t bins = int64_t(1) << level;
        Dims size, pad;
        for (int i = 2; i < 4; ++i) {
            size.push_back((shape[i] + bins - 1) / bins);
            pad.push_back((size.back() * bins - shape[i]) / 2);
            if (pad.back() >= size.back())
                fail<ShapeError>(
                    "spatial_pyramid_pooling_2d: at level {} {} windows of {} over {} elements "
                    "leave some without any; a smaller "
                    "pyramid_height or a larger image is needed (x {})",
                    level, bins, size.back(), shape[i], to_string(shape));
        }
        const Variable y = max_pooling_2d(x, size, {.pad = pad});
        levels.push_back(reshape(y, {shape[0], shape[1] * y.shape()[2] * y.shape()[3], 1, 1}));
    }
    return concat(levels, 1);
}

}  // namespace catena
