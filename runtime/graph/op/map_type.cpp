#include "runtime/graph/op/map_type.h"

#include "runtime/core/system/error.h"

namespace catena {
namespace {

template <class TypeOf>
std::string list_types(size_t n, TypeOf type_of) {
    std::string text;
    for (size_t i = 0; i < n; ++i) text += (i ? ", " : "") + to_string(type_of(i));
    return text;
}

// A template so that the hot path reads types where they are, without copying them.
template <class TypeOf>
Type infer(const OpDef& op, size_t n, TypeOf type_of) {
    CATENA_ASSERT(n > 0, op.name + " has no input to take its type from");
    Type result = type_of(0);
    for (size_t i = 1; i < n; ++i) {
        const Type& t = type_of(i);
        if (t.dtype != result.dtype) result.dtype = promote(result.dtype, t.dtype);
        if (t.shape == result.shape) continue;
        Shape both;
        if (!broadcast_shapes(result.shape, t.shape, both))  // map_c1
            fail<ShapeError>("{}: shapes must broadcast, dimension by dimension equal or 1 ({})",
                             op.name, list_types(n, type_of));
        result.shape = both;
    }
    if (op.floats_only && !is_float(result.dtype))  // map_c2
        fail<DtypeError>("{}: takes floats ({}); cast first", op.name, list_types(n, type_of));
    if (op.gives_bool) result.dtype = Dtype::bool_;
    return result;
}

}  // namespace

Type map_type(const OpDef& op, std::span<const Type> inputs) {
    return infer(op, inputs.size(), [&](size_t i) -> const Type& { return inputs[i]; });
}

Type map_type(const OpDef& op, std::span<const Variable* const> inputs) {
    return infer(op, inputs.size(), [&](size_t i) -> const Type& { return inputs[i]->type(); });
}

}  // namespace catena
