#include "frontend/onnx/importers/shared.h"
#include "frontend/onnx/tensor.h"
#include "frontend/onnx/unsigned_types.h"
#include "runtime/core/array/device.h"

namespace catena::onnx {
namespace {

Variable data(Array array) { return Variable(std::move(array), false); }

Variables constant(const NodeCall& n) {
    if (n.has_attribute("value")) return {data(n.tensor("value"))};
    if (n.has_attribute("value_float"))
        return {data(Array::full({Dtype::float32, Shape{}}, n.number("value_float", 0)))};
    if (n.has_attribute("value_int"))
        return {data(Array::scalar(n.integer("value_int", any_number)))};
    if (n.has_attribute("value_ints")) {
        const std::vector<int64_t> values = *n.integers("value_ints", {});
        return {data(Array::from(values, Shape{int64_t(values.size())}))};
    }
    if (n.has_attribute("value_floats")) {
        const std::vector<double> values = n.numbers("value_floats");
        return {data(Array::from(values, Shape{int64_t(values.size())}).astype(Dtype::float32))};
    }
    n.unsupported("a constant of this kind");
}

Variables constant_of_shape(const NodeCall& n) {
    const Array value =
        n.has_attribute("value") ? n.tensor("value") : Array::zeros({Dtype::float32, Shape{1}});
    if (value.size() != 1)
        n.wrong(
            fmt::format("attribute value is {}; expected is one element", to_string(value.type())));
    const Shape shape = dims_of(n, n.values(0, {{.least = 0}}));
    return {broadcast_to(reshape(data(value), Shape::filled(shape.rank(), 1)), shape)};
}

Variables converted(const NodeCall& n) {
    const int to = int(n.integer("to", any_size));
    if (held_as(to)) return {wrapped(n[0], to)};
    return {cast(n[0], n.dtype("to"))};
}

constexpr int64_t most_elements = int64_t(1) << 32;  ///< The most elements of a range.

/// A range of integers, computed in whole numbers, which float64 does not hold from 2^53 on.
Array range_of_integers(const NodeCall& n) {
    const int64_t start = n.value(0, any_number), limit = n.value(1, any_number),
                  delta = n.value(2, any_number);
    if (delta == 0) n.wrong("delta is 0");
    const __int128 way = __int128(limit) - start, step = delta,
                   count = way == 0 || (way < 0) != (step < 0)
                               ? 0
                               : (way - (step > 0 ? 1 : -1)) / step + 1;
    if (count > most_elements)
        n.wrong(fmt::format("it has more than {} elements, from {} to {} in steps of {}",
                            most_elements, start, limit, delta));
    const Array values = Array::empty({Dtype::int64, Shape{int64_t(count)}}, cpu_device());
    auto* const to = values.to_fill<int64_t>();
    // What is between the two need not fit an int64.
    for (int64_t i = 0; i < int64_t(count); ++i)
        to[i] = int64_t(uint64_t(start) + uint64_t(i) * uint64_t(delta));
    return values;
}

Array range_of_floats(const NodeCall& n) {
    const double start = n.number_at(0), limit = n.number_at(1), delta = n.number_at(2);
    const int64_t count = n.whole(
        std::max(std::ceil((limit - start) / delta), 0.0), {0, most_elements},
        fmt::format("the number of elements from {} to {} in steps of {}", start, limit, delta));
    const Array values = Array::empty({Dtype::float64, Shape{count}}, cpu_device());
    auto* const to = values.to_fill<double>();
    for (int64_t i = 0; i < count; ++i) to[i] = start + double(i) * delta;
    return values;
}

Variables range(const NodeCall& n) {
    const Dtype dtype = n[0].dtype();
    return {data((is_integer(dtype) ? range_of_integers(n) : range_of_floats(n)).astype(dtype))};
}

const int constant_importers = add_importers({
    Importer("Constant", constant).only_naming(),
    {"ConstantOfShape", constant_of_shape},
    Importer("Cast", converted).moving(),
    Importer("CastLike", [](const NodeCall& n) { return Variables{cast(n[0], n[1].dtype())}; })
        .moving(),
    {"Range", range},
});

}  // namespace
}  // namespace catena::onnx
