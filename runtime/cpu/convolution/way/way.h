#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/way/epilogue.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

/// A float32 convolution or one of its gradients, with its operands: a, b and result are x, W and y
/// (forward), gy, W and gx (data), x, gy and gW (weights). None is empty; images are in one of the
/// two memory orders, the others row-major.
struct ConvolutionTask {
    /// What is computed; never forward_bias: the bias is in the epilogue.
    ConvolutionDirection direction;
    const WindowSteps& steps;
    const Array &a, &b, &result;
    const Epilogue& epilogue;
    /// 64-byte aligned memory for the run; if it is too small, the pool gives more.
    std::span<std::byte> scratch = {};

    // The same operands by what they are: images, weights, and results or their gradients.
    const Array& x() const { return is(ConvolutionDirection::data) ? result : a; }
    const Array& W() const { return is(ConvolutionDirection::weights) ? result : b; }
    const Array& y() const {
        return is(ConvolutionDirection::data) ? a : is(ConvolutionDirection::weights) ? b : result;
    }
    bool is(ConvolutionDirection other) const { return direction == other; }
    bool is_forward() const { return is(ConvolutionDirection::forward); }
};

/// What is computed, as profiles show it: "convolution, images' gradient".
const char* work_of(ConvolutionDirection direction);

/// One way's work for a task, again and again with arrays of the same shapes and strides and the
/// same kind of epilogue. For one run at a time.
class PreparedWay {
public:
    virtual ~PreparedWay() = default;
    /// Computes the result and its epilogue. False if these values must be computed in another way;
    /// some of the result may then be written.
    virtual bool run(const ConvolutionTask& task) = 0;
    /// Scratch memory in bytes that the next run would like.
    virtual size_t scratch_bytes() const { return 0; }
};

/// A way to compute convolutions. There is one object for each, which functions give
/// (winograd_way() and so on); the table of them is in runtime/cpu/convolution/ways.h.
struct ConvolutionWay {
    std::string_view name;  ///< The name of the way that profiles show.
    /// Whether it can compute the task, with its epilogue, and is the fastest of those that come
    /// after it in the table. Shapes, memory orders and the kind of the epilogue decide, never the
    /// values or the number of threads.
    bool (*fits)(const ConvolutionTask& task);
    std::unique_ptr<PreparedWay> (*prepare)(const ConvolutionTask& task);
};

/// ConvolutionWay::prepare for a way that keeps nothing from run to run.
template <bool (*compute)(const ConvolutionTask& task)>
std::unique_ptr<PreparedWay> prepare_nothing(const ConvolutionTask&) {
    class Computed final : public PreparedWay {
        bool run(const ConvolutionTask& task) override { return compute(task); }
    };
    return std::make_unique<Computed>();
}

// Computes a convolution by one way alone, for benchmarks and tests. False where the way does not
// fit, and nothing is done, or does not compute these values. `bias` may be undefined.

bool convolve_by(const ConvolutionWay& way, const Array& x, const Array& W, const Array& bias,
                 const WindowSteps& steps, const Array& y);
bool convolve_data_by(const ConvolutionWay& way, const Array& gy, const Array& W,
                      const WindowSteps& steps, const Array& gx);
bool convolve_weights_by(const ConvolutionWay& way, const Array& x, const Array& gy,
                         const WindowSteps& steps, const Array& gW);

}  // namespace catena
