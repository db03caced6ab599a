#include "runtime/cpu/convolution/float_convolution.h"

#include <algorithm>

#include "runtime/core/array/memory_order.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/convolution/epilogue_pass.h"
#include "runtime/cpu/convolution/ways.h"
#include "runtime/profile/method_span.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;

bool fits(const Array& array, bool is_image) {
    if (array.dtype() != Dtype::float32 || array.size() == 0) return false;
    return array.contiguous() || (is_image && memory_order(array.shape(), array.strides()));
}

const char* pass_of(const Epilogue& epilogue) {
    return epilogue.tail ? ", then its tail" : ", then statistics";
}

}  // namespace

bool is_float_convolution(Direction direction, const Array& a, const Array& b, const Array& bias,
                          const Array& result) {
    const bool gives_weights = direction == Direction::weights;
    return fits(a, true) && fits(b, gives_weights) && fits(result, !gives_weights) &&
           (!bias.defined() || fits(bias, false));
}

FloatConvolution::Taken FloatConvolution::run(const ConvolutionTask& task) {
    const Epilogue none;
    const ConvolutionTask bare{task.direction, task.steps, task.a,      task.b,
                               task.result,    none,       task.scratch};
    for (size_t i = 0;; ++i) {
        if (i == choices_.size()) choices_.push_back(next(task, bare));
        const Choice& choice = choices_[i];
        const auto [way, in_pass] = choice.taken;
        const profile::MethodSpan span(work_of(task.direction), way->name,
                                       in_pass ? pass_of(task.epilogue) : "");
        if (!choice.prepared->run(in_pass ? bare : task)) continue;
        if (in_pass) apply_epilogue(task.epilogue, task.result);
        return choice.taken;
    }
}

FloatConvolution::Choice FloatConvolution::next(const ConvolutionTask& task,
                                                const ConvolutionTask& bare) const {
    const auto ways = convolution_ways();
    size_t place = choices_.empty() ? 0 : choices_.back().place + 1;
    bool in_pass = !choices_.empty() && choices_.back().taken.in_pass;
    for (;; ++place) {
        if (place == ways.size()) {
            CATENA_ASSERT(!in_pass && !task.epilogue.is_plain(),
                          "the last way computes all that have no epilogue");
            in_pass = true;
            place = 0;
        }
        const ConvolutionTask& wanted = in_pass ? bare : task;
        if (ways[place]->fits(wanted))
            return {place, {ways[place], in_pass}, ways[place]->prepare(wanted)};
    }
}

size_t FloatConvolution::scratch_bytes() const {
    size_t most = 0;
    for (const Choice& choice : choices_) most = std::max(most, choice.prepared->scratch_bytes());
    return most;
}

}  // namespace catena
