#include "runtime/cpu/convolution/patches.h"

#include <algorithm>
#include <type_traits>

#include "runtime/cpu/avx2/registers.h"

namespace catena::patches {

Sizes::Sizes(const Array& x, const Shape& W, const Shape& y, const WindowSteps& steps)
    : images(x.dim(0)),
      channels(x.dim(1)),
      height(x.dim(2)),
      width(x.dim(3)),
      kernel_rows(W[2]),
      kernel_columns(W[3]),
      row_stride(steps.stride[0]),
      column_stride(steps.stride[1]),
      top(steps.pad[0]),
      left(steps.pad[1]),
      out(y[1]),
      rows(y[2]),
      columns(y[3]),
      order(memory_order(x.shape(), x.strides()).value_or(MemoryOrder::row_major)) {}

int64_t Band::width(const Sizes& s) {
    return std::max(s.left + s.width, (s.columns - 1) * s.column_stride + s.kernel_columns);
}

void Band::clear() const {
    if (count_ > 0) std::fill_n(floats_, floats(s_, count_), 0.0f);
}

void Band::write(int64_t begin, int64_t end, float* picture) const {
    const int64_t line = width(s_), rows = count_ > 0 ? height(s_, count_) : 0,
                  top = first_ * s_.row_stride - s_.top;
    const bool last = s_.order == MemoryOrder::channels_last;
    const int64_t channel = last ? 1 : s_.height * s_.width, column = last ? s_.channels : 1;
    for (int64_t c = 0; c < s_.channels; ++c)
        for (int64_t row = begin; row < end; ++row) {
            const bool has = row >= top && row < top + rows;
            const float* const from =
                has ? floats_ + (c * rows + row - top) * line + s_.left : nullptr;
            float* const to = picture + c * channel + row * s_.width * column;
            for (int64_t i = 0; i < s_.width; ++i) to[i * column] = has ? from[i] : 0.0f;
        }
}

#if defined(__x86_64__)
namespace {

// The first `count` of so many lanes of `patch` are added; the others stay as they are.

CATENA_AVX2_INLINE void add_lanes(std::integral_constant<int, 4>, __m256i there, const float* patch,
                                  float* to) {
    _mm_storeu_ps(
        to, _mm_add_ps(_mm_loadu_ps(to), _mm_maskload_ps(patch, _mm256_castsi256_si128(there))));
}
CATENA_AVX2_INLINE void add_lanes(std::integral_constant<int, 8>, __m256i there, const float* patch,
                                  float* to) {
    _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), _mm256_maskload_ps(patch, there)));
}
/// Adds the lanes of a vector; `there`: of the upper half.
CATENA_AVX2_INLINE void add_lanes(std::integral_constant<int, 16>, __m256i there,
                                  const float* patch, float* to) {
    _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), _mm256_loadu_ps(patch)));
    add_lanes(std::integral_constant<int, 8>(), there, patch + avx2::lanes, to + avx2::lanes);
}

}  // namespace

/// Position by position: the rows of a patch lie in different lines, so that none waits for what
/// the one before has written.
template <int vector>
CATENA_AVX2 void Band::add_vectors(int64_t row, const float* patches) const {
    const int64_t line = width(s_), plane = height(s_, count_) * line;
    const __m256i there = avx2::first_lanes(s_.kernel_columns - (vector == 16 ? avx2::lanes : 0));
    float* to = floats_ + (row - first_) * s_.row_stride * line;
    for (int64_t p = 0; p < s_.columns; ++p, to += s_.column_stride, patches += s_.patch_step()) {
        const float* patch = patches;
        for (int64_t c = 0; c < s_.channels; ++c)
            for (int64_t i = 0; i < s_.kernel_rows; ++i, patch += s_.kernel_columns)
                add_lanes(std::integral_constant<int, vector>(), there, patch,
                          to + c * plane + i * line);
    }
}

void Band::add(int64_t row, const float* patches) const {
    if (s_.kernel_columns <= 4)
        add_vectors<4>(row, patches);
    else if (s_.kernel_columns <= 8)
        add_vectors<8>(row, patches);
    else
        add_vectors<16>(row, patches);
}

#else
void Band::add(int64_t, const float*) const {}
#endif

}  // namespace catena::patches
