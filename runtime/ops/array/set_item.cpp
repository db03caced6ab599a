#include "runtime/ops/array/set_item.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/copy_to_device.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena {
namespace {

/// Whether some index is an array of integers, which may name an element twice.
bool may_repeat(std::span<const Index> slices) {
    return std::any_of(slices.begin(), slices.end(), [](const Index& index) {
        const Variable* array = std::get_if<Variable>(&index.value());
        return array && array->dtype() != Dtype::bool_;
    });
}

/// The value in the dtype of the elements, to whose shape it broadcasts.
Variable fitting(const char* function, const Variable& value, const Type& elements) {
    if (is_float(value.dtype()) && !is_float(elements.dtype))
        fail<DtypeError>("{}: {} does not fit into {}; cast it first", function,
                         to_string(value.type()), to_string(elements));
    Shape common;
    if (!broadcast_shapes(value.shape(), elements.shape, common) || common != elements.shape)
        fail<ShapeError>("{}: the value {} does not broadcast to the elements {}", function,
                         to_string(value.type()), to_string(elements));
    return cast(value, elements.dtype);
}

Variable like_elements(const char* function, const Variable& value, const Type& elements) {
    return broadcast_to(fitting(function, value, elements), elements.shape);
}

Variable counted(const Shape& shape) {
    std::vector<int64_t> numbers(size_t(element_count(shape)));
    std::iota(numbers.begin(), numbers.end(), 0);
    return Variable(Array::from(numbers, shape), false);
}

/// For each element of x that the indices name, the element of the value that goes there;
/// ValueError if there are two.
Variable sources(const Shape& x, std::span<const Index> slices, const Shape& value,
                 const Shape& elements) {
    const std::vector<int64_t> places = get_item(counted(x), slices).array().to_vector<int64_t>();
    const std::vector<int64_t> given =
        broadcast_to(counted(value), elements).array().to_vector<int64_t>();
    constexpr int64_t none = -1;
    std::vector<int64_t> found(size_t(element_count(x)), none);
    for (size_t i = 0; i < places.size(); ++i) {
        int64_t& source = found[size_t(places[i])];
        if (source != none && source != given[i])
            fail<ValueError>(
                "set_item: the indices name an element of x {} twice, for different elements of "
                "the value {}; it should be "
                "of size 1 along the axes of the index arrays",
                to_string(x), to_string(value));
        source = given[i];
    }
    std::replace(found.begin(), found.end(), none, int64_t(0));
    return Variable(Array::from(found, x), false);
}

bool has_repetition(const Variable& hits) {
    const std::vector<int32_t> counts = hits.array().to_vector<int32_t>();
    return std::any_of(counts.begin(), counts.end(), [](int32_t count) { return count > 1; });
}

/// x where `place` is.
Variable on_device_of(const Array& place, const Variable& x) {
    return &x.device() == &place.device() ? x : copy(x, place.device());
}

}  // namespace

Variable set_item(const Operand& x, std::span<const Index> slices, const Operand& value) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const Type elements = get_item(v, slices).type();
    const DeviceScope beside(v.device());
    const bool is_bool = v.dtype() == Dtype::bool_;  // Bools are not added.
    const Dtype summed = is_bool ? Dtype::uint8 : v.dtype();
    const Variable given = fitting("set_item", value, elements);
    const Variable hits = scatter_add(fill({Dtype::int32, v.shape()}, 0), slices,
                                      fill({Dtype::int32, elements.shape}, 1));
    if (given.size() == 1) return where(hits > 0, reshape(given, Shape{}), v);
    if (may_repeat(slices) && !v.device().is_meta() && has_repetition(hits))
        return where(
            hits > 0,
            take(flatten(given), sources(v.shape(), slices, given.shape(), elements.shape)), v);
    const Variable items = broadcast_to(given, elements.shape);
    const Variable placed = scatter_add(fill({summed, v.shape()}, 0), slices, cast(items, summed));
    return where(hits > 0, cast(placed, v.dtype()), v);
}
Variable set_item(const Operand& x, std::initializer_list<Index> slices, const Operand& value) {
    return set_item(x, std::span<const Index>(slices.begin(), slices.size()), value);
}
Variable set_item(const Operand& x, std::initializer_list<Index> slices, const Scalar& value) {
    LocationScope scope(x.location());
    const Variable& v = x;
    const DeviceScope beside(v.device());
    const Dtype given =
        value.kind() == Scalar::Kind::floating && !is_float(v.dtype()) ? Dtype::float64 : v.dtype();
    return set_item(v, slices, fill({given, Shape{}}, value));
}

void copyto(Array& to, const Operand& from, const Operand& where) {
    LocationScope scope(from.location());
    if (from.variable().dtype() != to.dtype())
        fail<DtypeError>("copyto: from is {}, to {}; dtypes must be equal",
                         to_string(from.variable().type()), to_string(to.type()));
    const Variable source = on_device_of(to, from), mask = on_device_of(to, where);
    const Variable items = like_elements("copyto", source, to.type());
    to = catena::where(broadcast_to(mask, to.shape()), items, to).array();
}
void copyto(Array& to, const Operand& from) {
    LocationScope scope(from.location());
    const DeviceScope beside(to.device());
    copyto(to, from, fill({Dtype::bool_, Shape{}}, true));
}

}  // namespace catena
