#include "runtime/core/array/sizes.h"

#include <fmt/format.h>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

[[noreturn]] void too_many_elements(const Type& type) {
    fail<ShapeError>("an array of {} has more elements than can be counted", to_string(type));
}

}  // namespace

int64_t counted_elements(Dtype dtype, const Shape& shape, Strides* dense) {
    if (dense) *dense = shape;  // Sets the rank.
    int64_t count = 1;
    bool is_empty = false, too_large = false;
    for (int i = shape.rank() - 1; i >= 0; --i) {
        const int64_t size = shape[i];
        if (size < 0) [[unlikely]]
            fail<ShapeError>("an array cannot have the shape {}", to_string(shape));
        if (dense) (*dense)[i] = count;
        is_empty |= size == 0;
        too_large |= __builtin_mul_overflow(count, size + (size == 0), &count);
    }
    if (is_empty) return 0;
    if (too_large) [[unlikely]]
        too_many_elements({dtype, shape});
    return count;
}

size_t byte_count(const Type& type, Strides* dense) {
    const int64_t count = counted_elements(type.dtype, type.shape, dense);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(count, int64_t(size_of(type.dtype)), &bytes))
        too_many_elements(type);
    return size_t(bytes);
}

int64_t sum_of_sizes(const char* op, std::initializer_list<int64_t> sizes) {
    // In 128 bits, so that sizes that leave the range on the way may come back into it.
    __int128 sum = 0;
    for (const int64_t size : sizes) sum += size;
    if (sum != int64_t(sum))
        fail<ShapeError>("{}: {} is a size that 64 bits do not hold", op, fmt::join(sizes, " + "));
    return int64_t(sum);
}

int64_t product_of_sizes(const char* op, std::initializer_list<int64_t> sizes) {
    int64_t product = 1;
    bool too_large = false, is_empty = false;
    for (const int64_t size : sizes) {
        is_empty |= size == 0;
        too_large |= __builtin_mul_overflow(product, size, &product);
    }
    if (is_empty) return 0;
    if (too_large)
        fail<ShapeError>("{}: {} is a size that 64 bits do not hold", op, fmt::join(sizes, " x "));
    return product;
}

}  // namespace catena
