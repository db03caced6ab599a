#include "runtime/ops/array/indexing/index_arrays.h"

#include "runtime/ops/define/composite.h"

namespace catena {

void check_integer(const char* op, const char* argument, Dtype dtype) {
    if (!is_integer(dtype))
        fail<DtypeError>("{}: {} is {}, an integer dtype is needed", op, argument, name_of(dtype));
}

CheckedRanges places_in(const Shape& shape, const Attributes& attributes, const Axes& axes) {
    CheckedRanges ranges;
    for (int k = 0; k < axes.rank(); ++k) {
        const int64_t size = shape[int(axes[k])];
        ranges.push_back(
            {.operand = 1 + k, .low = attributes.flag("wrap") ? -size : 0, .high = size});
        if (attributes.has("ignore_label"))
            ranges.back().ignored = attributes.integer("ignore_label");
    }
    return ranges;
}

Variables only_first(const GradientCall& g, Variable gradient) {
    Variables gx(size_t(g.input_count()));
    gx[0] = std::move(gradient);
    return gx;
}

Reads reads_indices(int, int input_count) {
    return {.inputs = first_inputs(input_count) & ~uint64_t(1)};
}

}  // namespace catena
