#pragma once

#if __has_include(<cublasLt.h>) && __has_include(<cuda_runtime_api.h>)
#define CATENA_HAS_CUBLAS_LT 1

#include <string>

#include <cublasLt.h>

namespace catena::cuda {

/// The functions of cuBLASLt that Catena calls, found at run time. Tests replace them by a fake.
#define CATENA_CUBLAS_LT(entry)                                                             \
    entry(cublasLtGetVersion) entry(cublasLtGetStatusName) entry(cublasLtGetStatusString)   \
        entry(cublasLtCreate) entry(cublasLtMatrixLayoutCreate)                             \
            entry(cublasLtMatrixLayoutSetAttribute) entry(cublasLtMatmulDescCreate)         \
                entry(cublasLtMatmulDescSetAttribute) entry(cublasLtMatmulPreferenceCreate) \
                    entry(cublasLtMatmulPreferenceDestroy)                                  \
                        entry(cublasLtMatmulPreferenceSetAttribute)                         \
                            entry(cublasLtMatmulAlgoGetHeuristic) entry(cublasLtMatmul)     \
                                entry(cublasLtMatmulAlgoConfigGetAttribute)

struct CublasLt {
#define CATENA_CUBLAS_LT_POINTER(name) decltype(&::name) name = nullptr;
    CATENA_CUBLAS_LT(CATENA_CUBLAS_LT_POINTER)
#undef CATENA_CUBLAS_LT_POINTER
    std::string complaint;  ///< The reason why it cannot be used; empty when it can.
};

/// The cuBLASLt library of the process, loaded at the first use from CATENA_CUBLASLT_PATH, else as
/// the loader finds it.
const CublasLt& cublas_lt();
CublasLt load_cublas_lt();
/// Replaces the library, for tests; null restores it.
void replace_cublas_lt(const CublasLt* replacement);

}  // namespace catena::cuda

#endif
