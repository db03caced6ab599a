#include "runtime/cpu/convolution/convolution_call.h"

#include <algorithm>

#include "runtime/core/parallel/parallel.h"
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

size_t converted_bytes(const onednn::Tensor& tensor) {
    return tensor.is_converted() ? Scratch::rounded(tensor.theirs().get_size()) : 0;
}

const void* open(onednn::Call& conversion, size_t bytes, const void* elements, std::byte* to) {
    if (bytes == 0) return elements;
    conversion.set(0, elements);
    conversion.set(1, to);
    conversion.run();
    return to;
}

}  // namespace

ConvolutionCall::Worker::Worker(const ConvolutionPrimitive& primitive)
    : convert_a(onednn::conversion(primitive.a)),
      convert_result(onednn::conversion(primitive.result)),
      call(call_of(primitive)) {}

ConvolutionCall::ConvolutionCall(std::shared_ptr<const ConvolutionPrimitive> primitive)
    : primitive_(std::move(primitive)),
      convert_b_(onednn::conversion(primitive_->b)),
      a_bytes_(converted_bytes(primitive_->a)),
      b_bytes_(converted_bytes(primitive_->b)),
      result_bytes_(converted_bytes(primitive_->result)),
      execute_bytes_(result_bytes_ + Scratch::rounded(primitive_->scratchpad.get_size())) {
    const int64_t workers =
        has_images() ? std::min<int64_t>(thread_count(), primitive_->images) : 1;
    for (int64_t i = 0; i < workers; ++i) workers_.emplace_back(*primitive_);
}

const void* ConvolutionCall::open_a(const void* a, std::byte* to) {
    return has_images() ? a : open(workers_[0].convert_a, a_bytes_, a, to);
}
const void* ConvolutionCall::open_b(const void* b, std::byte* to) {
    return open(convert_b_, b_bytes_, b, to);
}

void ConvolutionCall::execute(const void* a, const void* b, const float* bias, void* result,
                              std::byte* scratch) {
    has_images() ? execute_images(a, b, bias, result, scratch)
                 : execute_one(workers_[0], a, b, bias, result, scratch);
}

void ConvolutionCall::execute_images(const void* a, const void* b, const float* bias, void* result,
                                     std::byte* scratch) {
    const int64_t images = primitive_->images, count = int64_t(workers_.size());
    parallel_for(count, 1, [&](int64_t begin, int64_t end) {
        const onednn::OneThread scope;
        for (int64_t w = begin; w < end; ++w) {
            Worker& worker = workers_[size_t(w)];
            std::byte* const own = scratch + size_t(w) * (a_bytes_ + execute_bytes_);
            for (int64_t i = images * w / count; i < images * (w + 1) / count; ++i) {
                const void* const image =
                    static_cast<const std::byte*>(a) + size_t(i) * primitive_->a_step;
                execute_one(worker, open(worker.convert_a, a_bytes_, image, own), b, bias,
                            static_cast<std::byte*>(result) + size_t(i) * primitive_->result_step,
                            own + a_bytes_);
            }
        }
    });
}

void ConvolutionCall::execute_one(Worker& worker, const void* a, const void* b, const float* bias,
                                  void* result, std::byte* scratch) const {
    void* const opened = result_bytes_ > 0 ? scratch : result;
    worker.call.set(first, a);
    worker.call.set(second, b);
    worker.call.set(result_, opened);
    worker.call.set(scratchpad, execute_bytes_ > result_bytes_ ? scratch + result_bytes_ : nullptr);
    if (primitive_->has_bias) worker.call.set(bias_, bias);
    worker.call.run();
    if (result_bytes_ == 0) return;
    worker.convert_result.set(0, opened);
    worker.convert_result.set(1, result);
    worker.convert_result.run();
}

void ConvolutionCall::run(const void* a, const Array& W, const float* bias, void* result,
                          std::span<std::byte> scratch) {
    Scratch memory(scratch, scratch_bytes());
    const void* const opened_a = open_a(a, memory.take(a_bytes()));
    const void* const elements = W.elements();
    Array kept;
    if (b_bytes_ > 0)
        kept = onednn::form_if_kept(W, onednn::WeightForm::layout, primitive_->b.ours(),
                                    primitive_->b.theirs(), [&] {
                                        Array packed = onednn::scratch(primitive_->b.theirs());
                                        open_b(elements, static_cast<std::byte*>(packed.to_fill()));
                                        return packed;
                                    });
    const void* const opened_b =
        kept.defined() ? kept.elements() : open_b(elements, memory.take(b_bytes_));
    execute(opened_a, opened_b, bias, result, memory.take(execute_bytes()));
}

}  // namespace catena
