#include "runtime/core/array/loop_nest.h"

namespace catena {

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
    Strides result = Dims::filled(target.rank(), 0);
    const int shift = target.rank() - shape.rank();
    for (int i = 0; i < shape.rank(); ++i)
        if (shape[i] != 1) result[i + shift] = strides[i];
    return result;
}

LoopNest make_loop_nest(const Shape& shape, std::span<const Strides> operands) {
    LoopNest nest;
    nest.strides.resize(operands.size());
    for (int i = 0; i < shape.rank(); ++i) {
        if (shape[i] == 1) continue;
        bool joins = nest.rank > 0;
        for (size_t k = 0; k < operands.size() && joins; ++k)
            joins = nest.strides[k][size_t(nest.rank - 1)] == operands[k][i] * shape[i];
        if (!joins) nest.sizes[nest.rank++] = 1;
        nest.sizes[nest.rank - 1] *= shape[i];
        for (size_t k = 0; k < operands.size(); ++k)
            nest.strides[k][size_t(nest.rank - 1)] = operands[k][i];
    }
    return nest;
}

}  // namespace catena
