#pragma once

#if __has_include(<cudnn_graph.h>) && __has_include(<cuda_runtime_api.h>)
#include <cudnn_version.h>
#if CUDNN_VERSION >= 90800
#define CATENA_HAS_CUDNN 1

#include <string>

#include <cudnn_graph.h>

namespace catena::cuda {

/// The entries of cuDNN that Catena calls, those of its graph interface, found at run time. Tests
/// put a double in their place.
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
    std::string complaint;  ///< Why it is not to be used; empty when it is.
};

/// The process's, loaded at the first use from CATENA_CUDNN_PATH, else as the loader finds it.
const Cudnn& cudnn();
Cudnn load_cudnn();
/// For tests; null brings the process's own back.
void replace_cudnn(const Cudnn* replacement);

}  // namespace catena::cuda

#endif
#endif
