#include "tests/nccl_double/add.h"

#include <type_traits>

#include "runtime/core/dtype/dtype.h"

namespace nccl_double {
namespace {

using catena::BFloat16;
using catena::Half;

template <class T>
void add_all(bool average, std::span<const void* const> parts, T* result, size_t count) {
    constexpr bool is_integer = std::is_integral_v<T>;
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    [[maybe_unused]] const T factor = is_integer ? T(1) : T(Wide(1) / Wide(parts.size()));
    for (size_t i = 0; i < count; ++i) {
        auto part = [&](size_t r) -> T {
            const T x = static_cast<const T*>(parts[r])[i];
            if constexpr (is_integer)
                return x;
            else
                return average ? T(Wide(x) * Wide(factor)) : x;
        };
        T sum = part(0);
        for (size_t r = 1; r < parts.size(); ++r)
            if constexpr (is_integer)
                sum = T(sum + part(r));
            else
                sum = T(Wide(sum) + Wide(part(r)));
        if constexpr (is_integer)
            if (average) sum = T(sum / T(parts.size()));
        result[i] = sum;
    }
}

template <class F>
void visit(ncclDataType_t type, F&& f) {
    switch (type) {
        case ncclInt8:
            return f(int8_t());
        case ncclUint8:
            return f(uint8_t());
        case ncclInt32:
            return f(int32_t());
        case ncclInt64:
            return f(int64_t());
        case ncclFloat16:
            return f(Half());
        case ncclBfloat16:
            return f(BFloat16());
        case ncclFloat32:
            return f(float());
        case ncclFloat64:
            return f(double());
        default:
            return;
    }
}

}  // namespace

size_t size_of(ncclDataType_t type) {
    size_t size = 0;
    visit(type, [&](auto zero) { size = sizeof zero; });
    return size;
}

void add(ncclDataType_t type, ncclRedOp_t op, std::span<const void* const> parts, void* result,
         size_t count) {
    visit(type, [&](auto zero) {
        add_all(op == ncclAvg, parts, static_cast<decltype(zero)*>(result), count);
    });
}

}  // namespace nccl_double
