#pragma once

#if __has_include(<cudnn_graph.h>) && __has_include(<cuda_runtime_api.h>)
#include <cudnn_version.h>
#if CUDNN_VERSION >= 90800
#define CATENA_HAS_CUDNN 1

#include <string>

#include <cudnn_graph.h>

namespace catena::cuda {

/// The functions of cuDNN that Catena calls, those of its graph interface, found at run time. Tests
/// replace them by a fake.
#define CATENA_CUDNN(entry)                                                          \
    entry(cudnnGetVersion) entry(cudnnGetErrorString) entry(cudnnGetLastErrorString) \
        entry(cudnnCreate) entry(cudnnSetStream) entry(cudnnBackendCreateDescriptor) \
            entry(cudnnBackendDestroyDescriptor) entry(cudnnBackendSetAttribute)     \
                entry(cudnnBackendGetAttribute) entry(cudnnBackendFinalize)          \
                    entry(cudnnBackendExecute)

struct Cudnn {
#define CATENA_CUDNN_POINTER(name) decltype(&::name) name = nullptr;
    CATENA_CUDNN(CATENA_CUDNN_POINTER)
#undef CATENA_CUDNN_POINTER
    std::string complaint;  ///< The reason why it cannot be used; empty when it can.
};

/// The cuDNN library of the process, loaded at the first use from CATENA_CUDNN_PATH, else as the
/// loader finds it.
const Cudnn& cudnn();
Cudnn load_cudnn();
/// Replaces the library, for tests; null restores it.
void replace_cudnn(const Cudnn* replacement);

}  // namespace catena::cuda

#endif
#endif
