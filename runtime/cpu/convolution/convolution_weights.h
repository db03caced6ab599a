#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runtime/cpu/convolution/convolution_call.h"

namespace catena {

/// Computes gW of float32 x and gy of the same sizes again and again. oneDNN would divide the batch
/// by the number of threads, so that the order of additions depends on it; here the sizes alone
/// decide, and the bits are equal on any number of threads. For one run at a time.
class ConvolutionWeights {
public:
    explicit ConvolutionWeights(const ConvolutionSizes& sizes);

    /// Computes gW. `scratch` has scratch_bytes(); if it is smaller, memory is taken from the pool.
    void run(const void* x, const void* gy, float* gW, std::span<std::byte> scratch);
    /// Scratch memory in bytes, with the present number of threads.
    size_t scratch_bytes() const { return scratch_bytes(workers()); }

private:
    /// A range of the batch; its parts share x and gy.
    struct Images {
        int64_t begin, end;
        /// Index of the primitive: ranges differ in length by one image at most.
        size_t primitive;
        const void* x = nullptr;  ///< x in the primitive's layout, during this run.
    };
    int64_t parts() const { return int64_t(images_.size()) * channel_parts_; }
    int64_t workers() const;
    size_t scratch_bytes(int64_t workers) const;
    void make_calls(int64_t workers);
    void run_part(int64_t index, std::vector<ConvolutionCall>& calls, const void* gy,
                  float* results, std::byte* scratch) const;
    void add_up(const float* results, float* gW) const;

    const ConvolutionSizes sizes_;
    int64_t channel_parts_;
    std::vector<Images> images_;
    std::vector<std::shared_ptr<const ConvolutionPrimitive>> primitives_;
    /// The oneDNN calls of each thread that works, for each primitive.
    std::vector<std::vector<ConvolutionCall>> calls_;
    size_t x_bytes_ = 0, part_bytes_ = 0;  ///< Bytes of x of a range, and of a part of gW.
};

}  // namespace catena
