#pragma once

#include "runtime/cuda/cudnn/cudnn.h"

#ifdef CATENA_HAS_CUDNN

#include <cstdint>
#include <vector>

namespace catena::testing {

/// A tensor as cuDNN has it described, and where it lies on the host.
struct HostTensor {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    std::vector<int64_t> sizes, steps;
    void* memory = nullptr;

    int64_t count() const;
    std::vector<int64_t> index_of(int64_t k) const;  ///< Of the k-th element, by rows.
    double at(const std::vector<int64_t>& index) const;
    void set(const std::vector<int64_t>& index, double value) const;
};

struct HostWindow {
    std::vector<int64_t> before, after, stride, dilate, size;  ///< `size` is pooling's.
};

// What the operations of cuDNN's graph interface are documented to compute, in double, element by
// element. Each checks that its tensors' sizes fit and throws std::logic_error where they do not.
enum class ConvolutionResult { y, x, W };
void host_convolution(ConvolutionResult result, const HostTensor& x, const HostTensor& W,
                      const HostTensor& y, const HostWindow& window);
/// Means that count the border; backward y is given and x is the result.
void host_average_pooling(bool forward, const HostTensor& x, const HostTensor& y,
                          const HostWindow& window);

struct HostNormalization {
    HostTensor x, y, mean, inverse_deviation, scale, bias;
};
void host_normalization(const HostNormalization& n, double epsilon);
struct HostNormalizationGradient {
    HostTensor x, gy, gx, mean, inverse_deviation, scale, gscale, gbias;
};
void host_normalization_gradient(const HostNormalizationGradient& n);

}  // namespace catena::testing

#endif
