#include "runtime/cpu/convolution/patch_convolution.h"

#include <algorithm>

#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/environment.h"
#include "runtime/cpu/convolution/patches.h"
#include "runtime/cpu/product/tiles/product_tile.h"
#include "runtime/cpu/product/tiles/product_tiles.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

namespace catena {

#if defined(__x86_64__)
namespace {

using namespace patches;

int64_t rounded(int64_t floats) { return (floats + lanes - 1) / lanes * lanes; }

bool fits(const Array& gy, const WindowSteps& steps, const Array& gx) {
    if (gx.rank() != 4 || steps.groups != 1) return false;
    for (int d = 0; d < 2; ++d)
        if (steps.dilate[d] != 1 || steps.pad[d] < 0) return false;
    return memory_order(gy.shape(), gy.strides()) == MemoryOrder::channels_last &&
           memory_order(gx.shape(), gx.strides());
}

/// [out, taps], the rows patch_step() apart.
Array padded(const Array& W, const Sizes& s) {
    const Array made = float_memory(s.out * s.patch_step());
    const float* from = W.elements<float>();
    float* to = made.to_fill<float>();
    for (int64_t o = 0; o < s.out; ++o, from += s.taps(), to += s.patch_step()) {
        std::copy_n(from, s.taps(), to);
        std::fill(to + s.taps(), to + s.patch_step(), 0.0f);
    }
    return made;
}

class PictureGradient {
public:
    PictureGradient(const Sizes& sizes, const float* gy, float* W, float* gx)
        : s_(sizes), gy_(gy), W_(W), gx_(gx) {}

    void run() const {
        const int64_t work = s_.rows * s_.columns * s_.patch_step() * s_.out / bands_;
        parallel_for(
            s_.images * bands_, machine::grain_of_products(work), [&](int64_t begin, int64_t end) {
                const int64_t band = rounded(Band::floats(s_, most_results()));
                const Array own = float_memory(band + s_.columns * s_.patch_step() + lanes);
                for (int64_t unit = begin; unit < end; ++unit)
                    compute(unit / bands_, unit % bands_, own.to_fill<float>(),
                            own.to_fill<float>() + band);
            });
    }

private:
    struct Rows {
        int64_t first, count;
    };

    /// A picture, or parts of it if it does not fit a core's cache or there are too few for the
    /// threads.
    int64_t bands() const {
        constexpr int64_t cache_floats = 64 * 1024;
        const int64_t for_cache = s_.image_floats() / cache_floats + 1, threads = thread_count();
        const int64_t for_threads =
            s_.images % threads == 0 || s_.images >= 4 * threads ? 1 : threads;
        return std::min(std::max(for_cache, for_threads), s_.height);
    }

    /// The results that see rows [begin, end) of a picture.
    Rows results(int64_t begin, int64_t end) const {
        const int64_t above =
            begin + s_.top -
            s_.kernel_rows;  // The last row that the first result before them sees.
        const int64_t first =
            std::clamp<int64_t>(above < 0 ? 0 : above / s_.row_stride + 1, 0, s_.rows);
        const int64_t last =
            std::clamp<int64_t>((end - 1 + s_.top) / s_.row_stride + 1, first, s_.rows);
        return {first, last - first};
    }

    /// The most results of a part.
    int64_t most_results() const {
        const int64_t most = (s_.height + bands_ - 1) / bands_;
        return std::min(s_.rows, (most + s_.kernel_rows - 2) / s_.row_stride + 1);
    }

    void compute(int64_t image, int64_t part, float* memory, float* products) const {
        const int64_t begin = s_.height * part / bands_, end = s_.height * (part + 1) / bands_;
        const Rows rows = results(begin, end);
        const Band band(s_, rows.first, rows.count, memory);
        band.clear();
        for (int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            multiply(gy_ + (image * s_.rows + row) * s_.columns * s_.out, products);
            band.add(row, products);
        }
        band.write(begin, end, gx_ + image * s_.image_floats());
    }

    /// Patches of a row of results.
    void multiply(const float* gy, float* products) const {
        const int64_t tile_rows = tile_shape().rows, vectors = s_.patch_step() / lanes,
                      panels = (vectors + most_tile_vectors - 1) / most_tile_vectors;
        for (int64_t i = 0; i < panels; ++i) {
            const int64_t first = vectors * i / panels, count = vectors * (i + 1) / panels - first,
                          column = first * lanes;
            for (int64_t p = 0; p < s_.columns; p += tile_rows) {
                const Tile tile{.a = gy + p * s_.out,
                                .a_row = s_.out,
                                .a_step = 1,
                                .panel = {W_ + column, s_.patch_step()},
                                .k = s_.out,
                                .plus = nullptr,
                                .plus_row = 0,
                                .c = products + p * s_.patch_step() + column,
                                .c_row = s_.patch_step(),
                                .last = 0xffff};
                const int64_t rows = std::min(tile_rows, s_.columns - p);
                count == 1   ? compute_rows<1>(tile, rows)
                : count == 2 ? compute_rows<2>(tile, rows)
                             : compute_rows<3>(tile, rows);
            }
        }
    }

    const Sizes& s_;
    const float* const gy_;
    float *const W_, *const gx_;
    const int64_t bands_ = bands();
};

}  // namespace

bool is_faster_by_patches(const Shape& W) {
    static const bool on =
        has_product_tiles() && environment::flag("CATENA_PATCH_CONVOLUTIONS", true);
    constexpr int64_t most_channels = 4, least_out = 16, most_taps = 256;
    if (!on || W.rank() != 4 || W[1] > most_channels || W[0] < least_out) return false;
    return W[2] > 1 && W[3] > 1 && W[3] <= lanes && W[1] * W[2] * W[3] <= most_taps;
}

namespace {

bool fits(const ConvolutionTask& t) {
    return t.is(ConvolutionDirection::data) && is_faster_by_patches(t.W().shape()) &&
           fits(t.y(), t.steps, t.x());
}

bool run(const ConvolutionTask& t) {
    const Sizes sizes(t.x(), t.W().shape(), t.y().shape(), t.steps);
    const Array weights = padded(t.W(), sizes);
    PictureGradient(sizes, t.y().elements<float>(), weights.to_fill<float>(),
                    t.x().to_fill<float>())
        .run();
    return true;
}

}  // namespace

#else

bool is_faster_by_patches(const Shape&) { return false; }

namespace {

bool fits(const ConvolutionTask&) { return false; }
bool run(const ConvolutionTask&) { return false; }

}  // namespace

#endif

const ConvolutionWay& patch_way() {
    static constexpr ConvolutionWay way{"patches", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
