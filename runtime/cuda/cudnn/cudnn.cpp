#include "runtime/cuda/cudnn/cudnn.h"

#ifdef CATENA_HAS_CUDNN

#include <atomic>

#include "runtime/cuda/library_version.h"

namespace catena::cuda {

namespace {

std::atomic<const Cudnn*> replaced{nullptr};

}  // namespace

Cudnn load_cudnn() {
    Cudnn c;
    SharedLibrary library("CATENA_CUDNN_PATH", {"libcudnn.so.9", "libcudnn.so"},
                          later_than_driver("cudnnGetCudartVersion"));
#define CATENA_CUDNN_BIND(name) library.bind(c.name, #name);
    CATENA_CUDNN(CATENA_CUDNN_BIND)
#undef CATENA_CUDNN_BIND
    c.complaint = library.complaint();
    return c;
}

const Cudnn& cudnn() {
    if (const Cudnn* other = replaced) return *other;
    static const Cudnn& own = *new Cudnn(load_cudnn());
    return own;
}

void replace_cudnn(const Cudnn* replacement) { replaced = replacement; }

}  // namespace catena::cuda

#endif
