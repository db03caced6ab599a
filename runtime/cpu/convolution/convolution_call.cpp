#include "runtime/cpu/convolution/convolution_call.h"

#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/scratch.h"

namespace catena {
namespace {

/// Places in the list of arguments.
enum Argument : size_t { first, second, result_, scratchpad, bias_ };

onednn::Call call_of(const ConvolutionPrimitive& p) {
    const onednn::Call::Argument a{p.a_argument, p.a.theirs()}, b{p.b_argument, p.b.theirs()},
        result{p.result_argument, p.result.theirs()}, scratch{DNNL_ARG_SCRATCHPAD, p.scratchpad};
    if (!p.has_bias) return {p.primitive, {a, b, result, scratch}};
    return {p.primitive, {a, b, result, scratch, {DNNL_ARG_BIAS, p.bias}}};
}

size_t converted_bytes(const onednn::Tensor& tensor) { return tensor.is_converted() ? Scratch::rounded(tensor.theirs().get_size()) : 0; }

const void* open(onednn::Call& conversion, size_t bytes, const void* elements, std::byte* to) {
    if (bytes == 0) return elements;
    conversion.set(0, elements);
    conversion.set(1, to);
    conversion.run();
    return to;
}

}  // namespace

ConvolutionCall::ConvolutionCall(std::shared_ptr<const ConvolutionPrimitive> primitive)
    : primitive_(std::move(primitive)),
      convert_a_(onednn::conversion(primitive_->a)),
      convert_b_(onednn::conversion(primitive_->b)),
      convert_result_(onednn::conversion(primitive_->result)),
      call_(call_of(*primitive_)),
      a_bytes_(converted_bytes(primitive_->a)),
      b_bytes_(converted_bytes(primitive_->b)),
      result_bytes_(converted_bytes(primitive_->result)),
      execute_bytes_(result_bytes_ + Scratch::rounded(primitive_->scratchpad.get_size())) {}

const void* ConvolutionCall::open_a(const void* a, std::byte* to) { return open(convert_a_, a_bytes_, a, to); }
const void* ConvolutionCall::open_b(const void* b, std::byte* to) { return open(convert_b_, b_bytes_, b, to); }

void ConvolutionCall::execute(const void* a, const void* b, const float* bias, void* result, std::byte* scratch) {
    void* const opened = result_bytes_ > 0 ? scratch : result;
    call_.set(first, a);
    call_.set(second, b);
    call_.set(result_, opened);
    call_.set(scratchpad, execute_bytes_ > result_bytes_ ? scratch + result_bytes_ : nullptr);
    if (primitive_->has_bias) call_.set(bias_, bias);
    call_.run();
    if (result_bytes_ == 0) return;
    convert_result_.set(0, opened);
    convert_result_.set(1, result);
    convert_result_.run();
}

void ConvolutionCall::run(const void* a, const Array& W, const float* bias, void* result, std::span<std::byte> scratch) {
    Scratch memory(scratch, scratch_bytes());
    const void* const opened_a = open_a(a, memory.take(a_bytes_));
    const void* const elements = W.elements();
    Array kept;
    if (b_bytes_ > 0)
        kept = onednn::form_if_kept(W, onednn::WeightForm::layout, primitive_->b.ours(), primitive_->b.theirs(), [&] {
            Array packed = onednn::scratch(primitive_->b.theirs());
            open_b(elements, static_cast<std::byte*>(packed.to_fill()));
            return packed;
        });
    const void* const opened_b = kept.defined() ? kept.elements() : open_b(elements, memory.take(b_bytes_));
    execute(opened_a, opened_b, bias, result, memory.take(execute_bytes_));
}

}  // namespace catena
