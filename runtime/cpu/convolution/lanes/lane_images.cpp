#include "runtime/cpu/convolution/lanes/lane_images.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/core/array/memory_order.h"
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

int64_t LaneImages::present(int64_t group) const {
    return std::min(lanes, images_ - group * lanes);
}

#if defined(__x86_64__)

namespace {

constexpr int64_t lanes = LaneImages::lanes;

uint16_t first_bits(int64_t count) {
    return uint16_t(count >= 16 ? 0xFFFF : (1 << std::max<int64_t>(count, 0)) - 1);
}

/// Elements that follow each other in the array: `channels` of each column, in float steps on the
/// other side.
struct Run {
    int64_t count, channels, channel_step;
};

/// Where the elements of a run are, one after the other.
class Places {
public:
    explicit Places(const Run& run) : run_(run) {}
    int64_t next() {
        const int64_t now = channel_ * run_.channel_step + column_ * lanes;
        if (++channel_ == run_.channels) channel_ = 0, ++column_;
        return now;
    }

private:
    const Run& run_;
    int64_t channel_ = 0, column_ = 0;
};

namespace avx512 {

using namespace catena::avx512;

CATENA_AVX512 void pack_run(const Run& run, const float* from, int64_t image, int64_t images,
                            float* to) {
    Places places(run);
    for (int64_t i = 0; i < run.count; i += lanes) {
        const int64_t columns = std::min(lanes, run.count - i);
        const uint16_t present = first_bits(columns);
        __m512 x[lanes];
#pragma GCC unroll 16
        for (int64_t n = 0; n < lanes; ++n)
            x[n] = n < images ? _mm512_maskz_loadu_ps(present, from + n * image + i)
                              : _mm512_setzero_ps();
        transpose_vectors(x);
#pragma GCC unroll 16
        for (int64_t c = 0; c < lanes; ++c)
            if (c < columns) _mm512_store_ps(to + places.next(), x[c]);
    }
}

CATENA_AVX512 void unpack_run(const Run& run, const float* from, int64_t image, int64_t images,
                              float* to) {
    Places places(run);
    for (int64_t i = 0; i < run.count; i += lanes) {
        const int64_t columns = std::min(lanes, run.count - i);
        const uint16_t present = first_bits(columns);
        __m512 x[lanes];
#pragma GCC unroll 16
        for (int64_t c = 0; c < lanes; ++c)
            x[c] = c < columns ? _mm512_load_ps(from + places.next()) : _mm512_setzero_ps();
        transpose_vectors(x);
#pragma GCC unroll 16
        for (int64_t n = 0; n < lanes; ++n)
            if (n < images) _mm512_mask_storeu_ps(to + n * image + i, present, x[n]);
    }
}

}  // namespace avx512

namespace avx2 {

using namespace catena::avx2;
constexpr int64_t all = LaneImages::lanes;

/// Places of a block of columns.
struct BlockPlaces {
    std::array<int64_t, all> at{};

    BlockPlaces(Places& places, int64_t columns) {
        for (int64_t c = 0; c < columns; ++c) at[size_t(c)] = places.next();
    }
};

CATENA_AVX2 void pack_run(const Run& run, const float* from, int64_t image, int64_t images,
                          float* to) {
    Places places(run);
    for (int64_t i = 0; i < run.count; i += all) {
        const int64_t columns = std::min(all, run.count - i);
        const BlockPlaces block(places, columns);
        for (int64_t first = 0; first < all; first += catena::avx2::lanes)
            for (int64_t c = 0; c < columns; c += catena::avx2::lanes) {
                const int64_t count = lanes_from(columns, c);
                __m256 x[catena::avx2::lanes];
#pragma GCC unroll 8
                for (int64_t n = 0; n < 8; ++n)
                    x[n] = first + n < images
                               ? load_first(from + (first + n) * image + i + c, count)
                               : _mm256_setzero_ps();
                transpose(x);
#pragma GCC unroll 8
                for (int64_t n = 0; n < 8; ++n)
                    if (n < count) _mm256_store_ps(to + block.at[size_t(c + n)] + first, x[n]);
            }
    }
}

CATENA_AVX2 void unpack_run(const Run& run, const float* from, int64_t image, int64_t images,
                            float* to) {
    Places places(run);
    for (int64_t i = 0; i < run.count; i += all) {
        const int64_t columns = std::min(all, run.count - i);
        const BlockPlaces block(places, columns);
        for (int64_t first = 0; first < images; first += catena::avx2::lanes)
            for (int64_t c = 0; c < columns; c += catena::avx2::lanes) {
                const int64_t count = lanes_from(columns, c);
                __m256 x[catena::avx2::lanes];
#pragma GCC unroll 8
                for (int64_t n = 0; n < 8; ++n)
                    x[n] = n < count ? _mm256_load_ps(from + block.at[size_t(c + n)] + first)
                                     : _mm256_setzero_ps();
                transpose(x);
#pragma GCC unroll 8
                for (int64_t n = 0; n < 8; ++n)
                    if (first + n < images)
                        store_first(to + (first + n) * image + i + c, count, x[n]);
            }
    }
}

}  // namespace avx2

void pack_run(const Run& run, const float* from, int64_t image, int64_t images, float* to) {
    (has_avx512() ? avx512::pack_run : avx2::pack_run)(run, from, image, images, to);
}
void unpack_run(const Run& run, const float* from, int64_t image, int64_t images, float* to) {
    (has_avx512() ? avx512::unpack_run : avx2::unpack_run)(run, from, image, images, to);
}

}  // namespace

void LaneImages::pack(const float* array, int64_t group, int64_t begin, int64_t end,
                      float* to) const {
    const int64_t image = channels_ * height_ * width_, row = row_step(),
                  channel = channel_step(end - begin);
    for (int64_t c = 0; c < channels_; ++c)
        for (int64_t h = 0; h < end - begin; ++h) {
            float* const at = to + c * channel + h * row;
            std::memset(at, 0, size_t(left_ * lanes) * sizeof(float));
            std::memset(at + row - right_ * lanes, 0, size_t(right_ * lanes) * sizeof(float));
        }
    array += group * lanes * image, to += left_ * lanes;
    if (left_ + right_ == 0) {  // Rows follow each other without a gap.
        const int64_t columns = (end - begin) * width_;
        if (channels_last_)
            return pack_run({columns * channels_, channels_, channel},
                            array + begin * width_ * channels_, image, present(group), to);
        for (int64_t c = 0; c < channels_; ++c)
            pack_run({columns, 1, 0}, array + (c * height_ + begin) * width_, image, present(group),
                     to + c * channel);
        return;
    }
    for (int64_t h = begin; h < end; ++h, to += row) {
        if (channels_last_)
            pack_run({width_ * channels_, channels_, channel}, array + h * width_ * channels_,
                     image, present(group), to);
        else
            for (int64_t c = 0; c < channels_; ++c)
                pack_run({width_, 1, 0}, array + (c * height_ + h) * width_, image, present(group),
                         to + c * channel);
    }
}

void LaneImages::unpack(const float* from, int64_t group, int64_t begin, int64_t end,
                        float* array) const {
    const int64_t image = channels_ * height_ * width_, columns = (end - begin) * width_,
                  channel = channel_step(end - begin);
    array += group * lanes * image;
    if (channels_last_)
        return unpack_run({columns * channels_, channels_, channel}, from, image, present(group),
                          array + begin * width_ * channels_);
    for (int64_t c = 0; c < channels_; ++c)
        unpack_run({columns, 1, 0}, from + c * channel, image, present(group),
                   array + (c * height_ + begin) * width_);
}

#else

void LaneImages::pack(const float*, int64_t, int64_t, int64_t, float*) const {}
void LaneImages::unpack(const float*, int64_t, int64_t, int64_t, float*) const {}

#endif

}  // namespace catena
