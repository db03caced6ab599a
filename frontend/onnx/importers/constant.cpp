#include "frontend/onnx/importers/shared.h"
#include "frontend/onnx/tensor.h"
#include "frontend/onnx/unsigned_types.h"

namespace catena::onnx {
namespace {

Variable data(Array array) { return Variable(std::move(array), false); }

Variables constant(const NodeCall& n) {
    if (n.has_attribute("value")) return {data(n.tensor("value"))};
    if (n.has_attribute("value_float"))
        return {data(Array::full({Dtype::float32, Shape{}}, n.number("value_float", 0)))};
    if (n.has_attribute("value_int"))
        return {data(Array::full({Dtype::int64, Shape{}}, double(n.integer("value_int"))))};
    if (n.has_attribute("value_ints")) {
        const std::vector<int64_t> values = n.integers("value_ints");
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
    const Shape shape = dims_of(n, n.values(0));
    Array one = value.as_contiguous();
    return {broadcast_to(reshape(data(one), Shape::filled(shape.rank(), 1)), shape)};
}

Variables converted(const NodeCall& n) {
    if (const int to = int(n.integer("to")); held_as(to)) return {wrapped(n[0], to)};
    return {cast(n[0], dtype_from_onnx(int(n.integer("to")), n.describe()))};
}

Variables range(const NodeCall& n) {
    const double start = n.number_at(0), limit = n.number_at(1), delta = n.number_at(2);
    if (delta == 0) n.wrong("delta is 0");
    const int64_t count = std::max<int64_t>(0, int64_t(std::ceil((limit - start) / delta)));
    if (count > int64_t(1) << 32) n.wrong(fmt::format("{} elements", count));
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(start + double(i) * delta);
    return {data(Array::from(values, Shape{count}).astype(n[0].dtype()))};
}

const int constant_importers = add_importers({
    Importer("Constant", constant).only_naming(),
    {"ConstantOfShape", constant_of_shape},
    {"Cast", converted},
    {"CastLike", [](const NodeCall& n) { return Variables{cast(n[0], n[1].dtype())}; }},
    {"Range", range},
});

}  // namespace
}  // namespace catena::onnx
