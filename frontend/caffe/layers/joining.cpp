// Layers that join, split and reshape blobs.
#include "runtime/ops/array/layout/joining.h"

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena::caffe {
namespace {

constexpr int any_number = 1 << 20;

LayerFunction read_concat(const LayerInFile& layer) {
    const auto& p = layer->concat_param();
    const int64_t axis = !p.has_axis() && p.has_concat_dim() ? int64_t(p.concat_dim()) : p.axis();
    return {[axis](std::span<const Variable> x, Link*) { return Variables{concat(x, axis)}; }};
}

LayerFunction read_slice(const LayerInFile& layer) {
    const auto& p = layer->slice_param();
    const int64_t axis = !p.has_axis() && p.has_slice_dim() ? int64_t(p.slice_dim()) : p.axis();
    const int64_t parts = layer->top_size();
    const std::vector<int64_t> cuts(p.slice_point().begin(), p.slice_point().end());
    if (!cuts.empty() && int64_t(cuts.size()) + 1 != parts)
        layer.wrong(fmt::format("cuts at {} places and has {} tops; there must be one more",
                                cuts.size(), parts));
    return {[=](std::span<const Variable> x, Link*) {
        return cuts.empty() ? split_axis(x[0], parts, axis) : split_axis(x[0], cuts, axis);
    }};
}

/// Copies under several names.
LayerFunction read_split(const LayerInFile& layer) {
    const size_t count = size_t(layer->top_size());
    return {[count](std::span<const Variable> x, Link*) {
        Variables tops;
        for (size_t i = 0; i < count; ++i) tops.push_back(x[0]);
        return tops;
    }};
}

LayerFunction read_eltwise(const LayerInFile& layer) {
    using Parameter = format::EltwiseParameter;
    const auto operation = layer->eltwise_param().operation();
    const std::vector<double> factors(layer->eltwise_param().coeff().begin(),
                                      layer->eltwise_param().coeff().end());
    if (!factors.empty() &&
        (int(factors.size()) != layer->bottom_size() || operation != Parameter::SUM))
        layer.wrong(
            fmt::format("has {} factors for {} bottoms; a sum takes one for each, others none",
                        factors.size(), layer->bottom_size()));
    return {[=](std::span<const Variable> x, Link*) {
        const auto term = [&](size_t i) {
            return factors.empty() || factors[i] == 1 ? x[i] : x[i] * factors[i];
        };
        Variable y = term(0);
        for (size_t i = 1; i < x.size(); ++i)
            y = operation == Parameter::PROD  ? y * x[i]
                : operation == Parameter::MAX ? maximum(y, x[i])
                                              : y + term(i);
        return Variables{y};
    }};
}

/// The axes [axis, axis + num_axes) become those of `shape`: 0 keeps a size, -1 follows from the
/// others.
LayerFunction read_reshape(const LayerInFile& layer) {
    const auto& p = layer->reshape_param();
    const std::vector<int64_t> sizes(p.shape().dim().begin(), p.shape().dim().end());
    const int64_t first = p.axis(), count = p.num_axes();
    if (sizes.size() > size_t(max_rank))
        layer.wrong(fmt::format("makes {} axes; there may be {}", sizes.size(), max_rank));
    for (int64_t size : sizes)
        if (size < -1) layer.wrong(fmt::format("makes an axis of size {}", size));
    return of_one([=](const Variable& x) {
        const int rank = x.rank();
        const int64_t begin = first < 0 ? first + rank + 1 : first;
        const int64_t end = count < 0 ? rank : begin + count;
        if (begin < 0 || begin > end || end > rank ||
            rank - (end - begin) + int64_t(sizes.size()) > max_rank)
            fail<ShapeError>("caffe: Reshape of axes {} to {} of {} to {} others", begin, end,
                             to_string(x.shape()), sizes.size());
        Shape shape;
        for (int64_t i = 0; i < begin; ++i) shape.push_back(x.shape()[int(i)]);
        for (size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] == 0 && begin + int64_t(i) >= rank)
                fail<ShapeError>("caffe: Reshape keeps the size of axis {}, x is {}",
                                 begin + int64_t(i), to_string(x.shape()));
            shape.push_back(sizes[i] ? sizes[i] : x.shape()[int(begin + int64_t(i))]);
        }
        for (int64_t i = end; i < rank; ++i) shape.push_back(x.shape()[int(i)]);
        return reshape(x, shape);
    });
}

LayerFunction read_flatten(const LayerInFile& layer) {
    const int64_t first = layer->flatten_param().axis(), last = layer->flatten_param().end_axis();
    return of_one([=](const Variable& x) {
        const int begin = axis_of(first, x.rank(), "Flatten"),
                  end = axis_of(last, x.rank(), "Flatten");
        Shape shape;
        int64_t joined = 1;
        for (int i = 0; i < x.rank(); ++i) {
            if (i >= begin && i <= end) joined *= x.shape()[i];
            if (i < begin || i > end)
                shape.push_back(x.shape()[i]);
            else if (i == end)
                shape.push_back(joined);
        }
        return reshape(x, shape);
    });
}

const int joining_added = add_layer_readers({
    {"Concat", read_concat, any_number},
    {"Slice", read_slice},
    {"Split", read_split},
    {"Eltwise", read_eltwise, any_number},
    {"Reshape", read_reshape},
    {"Flatten", read_flatten},
});

}  // namespace
}  // namespace catena::caffe
