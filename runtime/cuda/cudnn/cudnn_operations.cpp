#include "runtime/cuda/cudnn/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>

#include "runtime/core/array/address.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cuda/library_call.h"

namespace catena::cuda {

namespace {

Descriptor tensor(int64_t id, Dtype dtype, std::span<const int64_t> sizes,
                  std::span<const int64_t> steps) {
    Descriptor made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, *cudnn_type_of(dtype));
    made.set_all(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
    made.set_all(CUDNN_ATTR_TENSOR_STRIDES, steps);
    return made;
}

/// Where there is one element, any step would do: that of an array without gaps. By these cuDNN
/// tells the two orders of images.
Strides steps_of(const Array& array) {
    Strides steps = array.strides();
    if (steps == strides_in(MemoryOrder::channels_last, array.shape())) return steps;
    for (int d = array.rank(); d-- > 0;)
        if (array.dim(d) == 1)
            steps[d] = d + 1 < array.rank() ? steps[d + 1] * array.dim(d + 1) : 1;
    return steps;
}

}  // namespace

std::optional<cudnnDataType_t> cudnn_type_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            return CUDNN_DATA_HALF;
        case Dtype::bfloat16:
            return CUDNN_DATA_BFLOAT16;
        case Dtype::float32:
            return CUDNN_DATA_FLOAT;
        case Dtype::float64:
            return CUDNN_DATA_DOUBLE;
        default:
            return std::nullopt;
    }
}

int64_t alignment_of(const Array& array) {
    const auto address = int64_t(address_word(array));
    return std::min<int64_t>(address == 0 ? 16 : address & -address, 16);
}

bool is_described_by_steps(const Array& array) {
    for (int d = 0; d < array.rank(); ++d)
        if (array.dim(d) > 1 && array.strides()[d] <= 0) return false;
    return true;
}

Descriptor tensor_of(int64_t id, const Array& array) {
    Descriptor made = tensor(id, array.dtype(), array.shape(), steps_of(array));
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment_of(array));
    made.finalize();
    return made;
}

Descriptor number_tensor(int64_t id, Dtype dtype, int rank) {
    const Shape ones = Shape::filled(rank, 1);
    Descriptor made = tensor(id, dtype, ones, ones);
    made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, int64_t(size_of(dtype)));
    made.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, true);
    made.finalize();
    return made;
}

std::vector<Binding> bindings_of(const Operands& operands, void* number) {
    std::vector<Binding> bindings;
    for (const Array& operand : operands)
        bindings.push_back({int64_t(bindings.size()), address_of(operand)});
    if (number) bindings.push_back({int64_t(bindings.size()), number});
    return bindings;
}

}  // namespace catena::cuda

#endif
