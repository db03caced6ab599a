#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runtime/cpu/convolution/convolution_call.h"

namespace catena {

/// gW of float32 x and gy of the same sizes again and again. oneDNN would divide the batch by the
/// number of threads and add up in another order for other numbers; here the sizes alone say how it
/// is divided, and the bits are the same on any number of threads. For one run at a time.
class ConvolutionWeights {
public:
    explicit ConvolutionWeights(const ConvolutionSizes& sizes);

    /// `scratch`: scratch_bytes(), or less, and then it comes from the pool.
    void run(const void* x, const void* gy, float* gW, std::span<std::byte> scratch);
    size_t scratch_bytes() const {
        return scratch_bytes(workers());
    }  ///< With the present number of threads.

private:
    /// What the parts of one range of the batch share.
    struct Images {
        int64_t begin, end;
        size_t primitive;         ///< Ranges differ in length by one image at most.
        const void* x = nullptr;  ///< In the primitive's layout, in this run.
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
    std::vector<std::vector<ConvolutionCall>>
        calls_;                            ///< Of each thread that works, for each primitive.
    size_t x_bytes_ = 0, part_bytes_ = 0;  ///< Of a range's x, of a part.
};

}  // namespace catena
