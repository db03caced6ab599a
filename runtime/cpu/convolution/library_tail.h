#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// A convolution whose results oneDNN clips in the registers that they are summed in, where NaN
/// would become a bound. That is for results that cannot be NaN, as is shown at each run from three
/// things: the largest magnitude of x, which the operation that made x tells or which is looked up;
/// the largest sum of magnitudes of an output channel's weights, which is kept with the packed
/// weights (runtime/cpu/onednn/packed.h); and their product with what the tail adds, which must
/// stay far from overflow. A scale is then multiplied into the packed weights. Whether weights are
/// kept yet changes no bit.
class LibraryTail final : public PreparedWay {
public:
    /// False where NaN could not be excluded, where weights are not kept yet, or where bounds have
    /// changed again and again.
    bool run(const ConvolutionTask& task) override;
    size_t scratch_bytes() const override {
        return call_ ? call_->a_bytes() + call_->execute_bytes() : 0;
    }

private:
    bool prepare(const ConvolutionTask& task);
    /// Joins both additions into one bias. Returns the largest magnitude that they add.
    double join_additions(const TailEpilogue& tail, int64_t channels);

    std::vector<float> bias_;
    int runs_ = 0, preparations_ = 0;
    float lowest_ = 0, highest_ = 0;  ///< The bounds of the prepared epilogue.
    std::shared_ptr<const ConvolutionPrimitive> primitive_;
    std::optional<ConvolutionCall> call_;
};

}  // namespace catena
