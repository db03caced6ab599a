#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runtime/cpu/convolution/convolution_primitive.h"
#include "runtime/cpu/onednn/onednn_call.h"

namespace catena {

/// A ConvolutionPrimitive with the conversions of its operands, ready to run again and again. For
/// one thread at a time; the primitive itself is shared. Inputs a and b are those of the primitive.
class ConvolutionCall {
public:
    explicit ConvolutionCall(std::shared_ptr<const ConvolutionPrimitive> primitive);

    /// Runs the convolution or its gradient towards the images. `W` may be cached in packed form
    /// (runtime/cpu/onednn/packed.h), `bias` may be null. `scratch` has scratch_bytes(); if it is
    /// smaller, memory is taken from the pool.
    void run(const void* a, const Array& W, const float* bias, void* result,
             std::span<std::byte> scratch);
    size_t scratch_bytes() const { return a_bytes() + b_bytes_ + execute_bytes(); }

    // The same in steps, where operands are shared by several runs. Sizes are multiples of
    // Scratch::alignment; those of operands are 0 if the primitive reads them as they are.
    size_t a_bytes() const { return has_images() ? 0 : a_bytes_; }
    size_t b_bytes() const { return b_bytes_; }
    size_t execute_bytes() const {
        return has_images() ? workers_.size() * (a_bytes_ + execute_bytes_) : execute_bytes_;
    }
    /// The operand as the primitive reads it: itself, or converted into `to`.
    const void* open_a(const void* a, std::byte* to);
    const void* open_b(const void* b, std::byte* to);
    void execute(const void* a, const void* b, const float* bias, void* result, std::byte* scratch);

private:
    /// The oneDNN calls of one thread.
    struct Worker {
        onednn::Call convert_a, convert_result, call;

        explicit Worker(const ConvolutionPrimitive& primitive);
    };

    /// Whether execute() also converts images and computes several at once, on different threads.
    bool has_images() const { return primitive_->images > 0; }
    void execute_images(const void* a, const void* b, const float* bias, void* result,
                        std::byte* scratch);
    void execute_one(Worker& worker, const void* a, const void* b, const float* bias, void* result,
                     std::byte* scratch) const;

    std::shared_ptr<const ConvolutionPrimitive> primitive_;
    std::vector<Worker> workers_;  ///< One worker, or as many as there were threads at first.
    onednn::Call convert_b_;
    /// Scratch bytes of one call, for each operand, the result and the primitive.
    size_t a_bytes_, b_bytes_, result_bytes_, execute_bytes_;
};

}  // namespace catena
