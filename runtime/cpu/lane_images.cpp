#include "runtime/cpu/lane_images.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/memory_order.h"
#include "runtime/cpu/transpose_lanes.h"

namespace catena {

LaneImages::LaneImages(const Array& array, int64_t left, int64_t right)
    : images_(array.dim(0)),
      channels_(array.dim(1)),
      height_(array.dim(2)),
      width_(array.dim(3)),
      left_(left),
      right_(right),
      channels_last_(memory_order(array.shape(), array.strides()) == MemoryOrder::channels_last) {}

int64_t LaneImages::present(int64_t group) const { return std::min(lanes, images_ - group * lanes); }

int64_t LaneImages::offset(int64_t group, int64_t channel, int64_t row) const {
    const int64_t image = channels_ * height_ * width_;
    return group * lanes * image + (channels_last_ ? row * width_ * channels_ : (channel * height_ + row) * width_);
}

#if defined(__x86_64__)

namespace {

constexpr int64_t lanes = LaneImages::lanes;

uint16_t first_bits(int64_t count) { return uint16_t(count >= 16 ? 0xFFFF : (1 << std::max<int64_t>(count, 0)) - 1); }

/// `count` elements of each image, which follow each other there.
void pack_run(const float* from, int64_t image, int64_t images, int64_t count, float* to) {
    for (int64_t i = 0; i < count; i += lanes) transpose_lanes(from + i, image, images, first_bits(count - i), to + i * lanes, lanes);
}

__attribute__((target("avx512f"))) void unpack_run(const float* from, int64_t image, int64_t images, int64_t count, float* to) {
    for (int64_t i = 0; i < count; i += lanes) {
        const int64_t columns = std::min(lanes, count - i);
        const uint16_t present = first_bits(columns);
        __m512 x[lanes];
#pragma GCC unroll 16
        for (int64_t c = 0; c < lanes; ++c) x[c] = c < columns ? _mm512_load_ps(from + (i + c) * lanes) : _mm512_setzero_ps();
        transpose_vectors(x);
#pragma GCC unroll 16
        for (int64_t n = 0; n < lanes; ++n)
            if (n < images) _mm512_mask_storeu_ps(to + n * image + i, present, x[n]);
    }
}

}  // namespace

void LaneImages::pack(const float* array, int64_t group, int64_t begin, int64_t end, float* to) const {
    const int64_t image = channels_ * height_ * width_, count = present(group);
    const int64_t unit = channels_last_ ? channels_ : 1;  // Elements of a column that follow each other.
    const size_t left_bytes = size_t(left_ * unit * lanes) * sizeof(float), right_bytes = size_t(right_ * unit * lanes) * sizeof(float);
    const bool is_whole = left_ + right_ == 0;  // Rows follow each other without a gap.
    const int64_t step = is_whole ? end - begin : 1, run = step * width_ * unit;
    for (int64_t c = 0; c < (channels_last_ ? 1 : channels_); ++c)
        for (int64_t row = begin; row < end; row += step) {
            std::memset(to, 0, left_bytes);
            to += left_ * unit * lanes;
            pack_run(array + offset(group, c, row), image, count, run, to);
            to += run * lanes;
            std::memset(to, 0, right_bytes);
            to += right_ * unit * lanes;
        }
}

void LaneImages::unpack(const float* from, int64_t group, int64_t begin, int64_t end, float* array) const {
    const int64_t image = channels_ * height_ * width_, run = (end - begin) * width_ * (channels_last_ ? channels_ : 1);
    for (int64_t c = 0; c < (channels_last_ ? 1 : channels_); ++c, from += run * lanes)
        unpack_run(from, image, present(group), run, array + offset(group, c, begin));
}

#else

void LaneImages::pack(const float*, int64_t, int64_t, int64_t, float*) const {}
void LaneImages::unpack(const float*, int64_t, int64_t, int64_t, float*) const {}

#endif

}  // namespace catena
