#pragma once

#if __has_include(<cublasLt.h>) && __has_include(<cuda_runtime_api.h>)
#define CATENA_HAS_CUBLAS_LT 1

#include <string>

#include <cublasLt.h>

namespace catena::cuda {

/// The entries of cuBLASLt that Catena calls, found at run time. Tests put a double in their place.
#define CATENA_CUBLAS_LT(entry)                                                             \
    entry(cublasLtGetVersion) entry(cublasLtGetStatusName) entry(cublasLtGetStatusString)   \
        entry(cublasLtCreate) entry(cublasLtMatrixLayoutCreate)                             \
            entry(cublasLtMatrixLayoutSetAttribute) entry(cublasLtMatmulDescCreate)         \
                entry(cublasLtMatmulDescSetAttribute) entry(cublasLtMatmulPreferenceCreate) \
                    entry(cublasLtMatmulPreferenceDestroy)                                  \
                        entry(cublasLtMatmulPreferenceSetAttribute)                         \
                            entry(cublasLtMatmulAlgoGetHeuristic) entry(cublasLtMatmul)

struct CublasLt {
#define CATENA_CUBLAS_LT_POINTER(name) decltype(&::name) name = nullptr;
    CATENA_CUBLAS_LT(CATENA_CUBLAS_LT_POINTER)
#undef CATENA_CUBLAS_LT_POINTER
    std::string complaint;  ///< Why it is not to be used; empty when it is.
};

/// The process's, loaded at the first use from CATENA_CUBLASLT_PATH, else as the loader finds it.
const CublasLt& cublas_lt();
CublasLt load_cublas_lt();
/// For tests; null brings the process's own back.
void replace_cublas_lt(const CublasLt* replacement);

}  // namespace catena::cuda

#endif
