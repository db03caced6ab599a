#pragma once

#if __has_include(<cudnn.h>) && __has_include(<cuda_runtime_api.h>)
#define CATENA_HAS_CUDNN 1

#include <string>

// The classical interface, which cuDNN 9 has under this attribute: one call for each operation that is wanted here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cudnn.h>

namespace catena::cuda {

/// The entries of cuDNN that Catena calls, found at run time. Tests put a double in their place.
#define CATENA_CUDNN(entry)                                                                                     \
    entry(cudnnGetVersion) entry(cudnnGetErrorString) entry(cudnnCreate) entry(cudnnSetStream)                  \
    entry(cudnnCreateTensorDescriptor) entry(cudnnSetTensorNdDescriptor) entry(cudnnCreateFilterDescriptor)     \
    entry(cudnnSetFilterNdDescriptor) entry(cudnnCreateConvolutionDescriptor)                                   \
    entry(cudnnSetConvolutionNdDescriptor) entry(cudnnSetConvolutionGroupCount)                                 \
    entry(cudnnSetConvolutionMathType) entry(cudnnGetConvolutionForwardAlgorithm_v7)                            \
    entry(cudnnGetConvolutionBackwardDataAlgorithm_v7) entry(cudnnGetConvolutionBackwardFilterAlgorithm_v7)     \
    entry(cudnnConvolutionForward) entry(cudnnConvolutionBackwardData) entry(cudnnConvolutionBackwardFilter)    \
    entry(cudnnCreatePoolingDescriptor) entry(cudnnSetPoolingNdDescriptor) entry(cudnnPoolingForward)           \
    entry(cudnnPoolingBackward) entry(cudnnSetTensor) entry(cudnnScaleTensor)                                   \
    entry(cudnnBatchNormalizationForwardTraining) entry(cudnnBatchNormalizationBackward)

struct Cudnn {
#define CATENA_CUDNN_POINTER(name) decltype(&::name) name = nullptr;
    CATENA_CUDNN(CATENA_CUDNN_POINTER)
#undef CATENA_CUDNN_POINTER
    std::string complaint;  ///< Why it is not to be used; empty when it is.
};

/// The process's, loaded at the first use from CATENA_CUDNN_PATH, else as the loader finds it.
const Cudnn& cudnn();
Cudnn load_cudnn();
/// For tests; null brings the process's own back.
void replace_cudnn(const Cudnn* replacement);

}  // namespace catena::cuda

#pragma GCC diagnostic pop
#endif
