#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/lanes/lane_images.h"
#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// The sizes that decide whether a vector lane per image is faster. For the gradient towards the
/// images, `in` are the channels of gy and `out` those of gx.
struct LaneSizes {
    /// The width of the result's rows; for the gradient towards the weights, of gy's.
    int64_t images, in, out, width;
    Dims kernel, stride;
    /// Whether the result (for the weights' gradient: gy) has its channels last.
    bool channels_last;
};
/// Whether a LaneConvolution is faster, from measurements: benchmarks/lane_convolutions.cpp. False
/// without AVX2, and with CATENA_LANE_CONVOLUTIONS=0.
bool is_faster_by_lanes(ConvolutionDirection direction, const LaneSizes& sizes);

/// A float32 convolution of few channels, or one of its gradients, on sixteen images at once: each
/// image in a lane of a vector (two vectors of eight on AVX2), so that no lane is idle however few
/// channels there are. Operands are packed for it as they are needed
/// (runtime/cpu/convolution/lanes/lane_images.h), and products are summed in registers in the order
/// of the definition: input channels, rows, columns; for the weights' gradient positions, then
/// images. Images may be in either memory order; the bits depend on the sizes alone.
class LaneConvolution {
public:
    /// The LaneConvolution for operands as those of a ConvolutionTask; nothing where it cannot be
    /// done, or where oneDNN is faster.
    static std::optional<LaneConvolution> find(ConvolutionDirection direction, const Array& a,
                                               const Array& b, const Array& result,
                                               const WindowSteps& steps);
    /// The LaneConvolution where it can be done, even if oneDNN is faster (for benchmarks and
    /// tests).
    static std::optional<LaneConvolution> find_possible(ConvolutionDirection direction,
                                                        const Array& a, const Array& b,
                                                        const Array& result,
                                                        const WindowSteps& steps);

    /// Scratch memory in bytes, with the present number of threads.
    size_t scratch_bytes() const;
    /// Computes the result. False if it must be computed in another way, because numbers that are
    /// not finite would meet the zeros around the images; then some of the result may be written.
    bool run(const Array& a, const Array& b, const Array& bias, const Array& result,
             std::span<std::byte> scratch) const;

private:
    LaneConvolution(ConvolutionDirection direction, const Array& a, const Array& b,
                    const Array& result, const WindowSteps& steps);

    bool gives_weights() const { return direction_ == ConvolutionDirection::weights; }
    int64_t weights() const { return in_ * out_ * kernel_rows_ * kernel_columns_; }

    // Forwards and towards the images: a correlation of x, which is padded, with W, which is turned
    // around for the latter.
    size_t correlation_bytes() const;
    bool correlate(const float* x, const Array& W, const float* bias, float* y,
                   std::span<std::byte> scratch) const;
    bool pack_weights(const float* W, float* to) const;
    int64_t bands() const;
    int64_t block_rows() const;
    void correlate_band(const float* x, const float* W, const float* bias, float* y, int64_t unit,
                        std::byte* memory) const;
    void correlate_row(const float* x, int64_t x_rows, const float* W, const float* bias, float* y,
                       int64_t y_rows, int64_t row) const;
    int64_t first_input(int64_t row) const;
    int64_t end_input(int64_t row) const;

    // Towards the weights. Groups of images are summed in parts, whatever the number of threads.
    size_t products_bytes() const;
    bool multiply(const float* x, const float* gy, float* gW, std::span<std::byte> scratch) const;
    int64_t parts() const;
    int64_t gradient_rows() const;
    void multiply_group(const float* x, const float* gy, int64_t group, float* sums,
                        float* memory) const;
    void multiply_band(const float* x, const float* gy, int64_t begin, int64_t end,
                       float* sums) const;
    bool add_up(const float* sums, float* gW) const;

    ConvolutionDirection direction_;
    /// The images x and y: for the gradient towards the images gy and gx; towards the weights, y is
    /// gy.
    LaneImages x_, y_;
    int64_t in_, out_, kernel_rows_, kernel_columns_, stride_rows_, stride_columns_, top_;
};

/// Convolutions so, wherever it is faster.
const ConvolutionWay& lane_way();

}  // namespace catena
