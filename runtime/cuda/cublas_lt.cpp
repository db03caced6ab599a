#include "runtime/cuda/cublas_lt.h"

#ifdef CATENA_HAS_CUBLAS_LT

#include <atomic>

#include "runtime/cuda/library_version.h"

namespace catena::cuda {

namespace {

std::atomic<const CublasLt*> replaced{nullptr};

}  // namespace

CublasLt load_cublas_lt() {
    CublasLt c;
    SharedLibrary library("CATENA_CUBLASLT_PATH",
                          {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
                          later_than_driver("cublasLtGetCudartVersion"));
#define CATENA_CUBLAS_LT_BIND(name) library.bind(c.name, #name);
    CATENA_CUBLAS_LT(CATENA_CUBLAS_LT_BIND)
#undef CATENA_CUBLAS_LT_BIND
    c.complaint = library.complaint();
    return c;
}

const CublasLt& cublas_lt() {
    if (const CublasLt* other = replaced) return *other;
    static const CublasLt& own = *new CublasLt(load_cublas_lt());
    return own;
}

void replace_cublas_lt(const CublasLt* replacement) { replaced = replacement; }

}  // namespace catena::cuda

#endif
