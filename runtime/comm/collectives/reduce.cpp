#include "runtime/comm/collectives/reduce.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

constexpr int64_t block = 1024;  // Sums of a block stay in the first-level cache.

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double,
                                std::conditional_t<std::is_integral_v<T>, int64_t, float>>;

template <class T>
void reduce(std::span<const void* const> parts, T* result, int64_t count, bool mean) {
    Wide<T> sums[block];
    const Wide<T> ranks = Wide<T>(parts.size());
    for (int64_t begin = 0; begin < count; begin += block) {
        const int64_t n = std::min(block, count - begin);
        const T* first = static_cast<const T*>(parts[0]) + begin;
        for (int64_t i = 0; i < n; ++i) sums[i] = Wide<T>(first[i]);
        for (size_t r = 1; r < parts.size(); ++r) {
            const T* part = static_cast<const T*>(parts[r]) + begin;
            for (int64_t i = 0; i < n; ++i) sums[i] += Wide<T>(part[i]);
        }
        if (mean)
            for (int64_t i = 0; i < n; ++i) sums[i] /= ranks;
        for (int64_t i = 0; i < n; ++i) result[begin + i] = T(sums[i]);
    }
}

}  // namespace

void check_reducible(const char* call, Dtype dtype, Reduction reduction) {
    if (dtype == Dtype::bool_) fail<DtypeError>("{}: adds numbers, not bool", call);
    if (reduction == Reduction::mean && !is_float(dtype))
        fail<DtypeError>("{}: the mean needs floats, not {}", call, name_of(dtype));
}

void reduce_parts(const char* call, Dtype dtype, std::span<const void* const> parts, void* result,
                  int64_t count, Reduction reduction) {
    check_reducible(call, dtype, reduction);
    const bool mean = reduction == Reduction::mean;
    visit_dtype(dtype, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_same_v<T, bool>) reduce(parts, static_cast<T*>(result), count, mean);
    });
}

void divide_by_ranks(Dtype dtype, void* data, int64_t count, int ranks) {
    visit_dtype(dtype, [&](auto zero) {
        using T = decltype(zero);
        T* values = static_cast<T*>(data);
        if constexpr (!std::is_same_v<T, bool>)
            for (int64_t i = 0; i < count; ++i) values[i] = T(Wide<T>(values[i]) / Wide<T>(ranks));
    });
}

Widened::Widened(Dtype dtype, void* data, int64_t count)
    : dtype_(dtype), data_(data), count_(count) {
    if (!is_float(dtype) || size_of(dtype) != 2) return;
    copy_ = Array::empty({Dtype::float32, {count}}, cpu_device());
    float* wide = static_cast<float*>(copy_.raw_data());
    visit_dtype(dtype, [&](auto zero) {
        const auto* narrow = static_cast<const decltype(zero)*>(data);
        for (int64_t i = 0; i < count; ++i) wide[i] = float(narrow[i]);
    });
}

void Widened::round_into(void* data) const {
    if (!copy_.defined()) return;
    const float* wide = static_cast<const float*>(copy_.elements());
    visit_dtype(dtype_, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t i = 0; i < count_; ++i) static_cast<T*>(data)[i] = T(wide[i]);
    });
}

void reduce_together(const char* call, Dtype dtype, std::span<char* const> data, int rank,
                     int64_t count, Reduction reduction, const std::function<void()>& barrier) {
    const int size = int(data.size());
    const int64_t width = int64_t(size_of(dtype));
    auto begin = [&](int r) { return count * r / size * width; };  // In bytes.
    std::vector<const void*> parts;
    for (const char* each : data) parts.push_back(each + begin(rank));
    reduce_parts(call, dtype, parts, data[size_t(rank)] + begin(rank),
                 (begin(rank + 1) - begin(rank)) / width, reduction);
    barrier();
    for (int r = 0; r < size; ++r)
        if (const int64_t bytes = begin(r + 1) - begin(r); r != rank && bytes > 0)
            std::memcpy(data[size_t(rank)] + begin(r), data[size_t(r)] + begin(r), size_t(bytes));
    barrier();  // No rank reads this buffer any more.
}

}  // namespace catena
