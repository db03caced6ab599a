#include "runtime/ops/spatial/resize.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"

namespace catena {
namespace {

/// The place of every new pixel among `size` old ones.
std::vector<double> places(int64_t size, int64_t count, const std::string& mode,
                           bool align_corners) {
    const double scale = double(size) / double(count);
    std::vector<double> result;
    for (int64_t i = 0; i < count; ++i) {
        double place = std::max((double(i) + 0.5) * scale - 0.5, 0.0);
        if (align_corners)
            place = count > 1 ? double(i) * (double(size - 1) / double(count - 1)) : 0;
        if (mode == "nearest") place = std::floor(double(i) * scale);
        result.push_back(std::min(place, double(size - 1)));
    }
    return result;
}

/// x with the axis resampled at places between two neighbours.
Variable resampled(const Variable& x, int axis, const std::vector<double>& places) {
    const Shape count{int64_t(places.size())};
    std::vector<int64_t> before, after;
    std::vector<double> rest;
    for (const double place : places) {
        before.push_back(int64_t(place));
        after.push_back(std::min(before.back() + 1, x.shape()[axis] - 1));
        rest.push_back(place - double(before.back()));
    }
    const Variable near = take(x, constant(before, count, x), axis);
    if (std::all_of(rest.begin(), rest.end(), [](double r) { return r == 0; })) return near;
    Shape along = Shape::filled(x.rank() - axis, 1);
    along[0] = count[0];
    const Variable weight = cast(constant(rest, along, x), x.dtype());
    return near + (take(x, constant(after, count, x), axis) - near) * weight;
}

const FunctionDef& f_resize_images =
    function("resize_images(x, output_shape, *, mode='bilinear', align_corners=True)", {"x"},
             [](const FunctionArguments& a) {
                 return resize_images(a.array("x"), a.dims("output_shape"), a.text("mode"),
                                      a.flag("align_corners"));
             });

}  // namespace

Variable resize_images(const Operand& x, const Dims& output_shape, const std::string& mode,
                       bool align_corners) {
    LocationScope scope(x.location());
    const Variable& images = x;
    if (mode != "bilinear" && mode != "nearest")
        fail<ValueError>("resize_images: mode is '{}' and should be 'bilinear' or 'nearest'", mode);
    if (!is_float(images.dtype()))
        fail<DtypeError>("resize_images: x should be floating point, it is {}",
                         to_string(images.type()));
    if (images.rank() != 4)
        fail<ShapeError>("resize_images: x should be [N,C,H,W], it is {}",
                         to_string(images.shape()));
    if (output_shape.rank() != 2 || output_shape[0] < 1 || output_shape[1] < 1)
        fail<ValueError>("resize_images: output_shape is {} and should be two positive sizes",
                         to_string(output_shape));
    Variable y = widened(images);
    for (int i = 0; i < 2; ++i) {
        const int64_t size = images.shape()[i + 2];
        if (size < 1)
            fail<ShapeError>("resize_images: x {} has no pixels", to_string(images.shape()));
        y = resampled(y, i + 2, places(size, output_shape[i], mode, align_corners));
    }
    return cast(y, images.dtype());
}

}  // namespace catena
