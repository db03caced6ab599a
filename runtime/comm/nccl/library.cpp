#include "runtime/comm/nccl/library.h"

#include <fmt/format.h>

#include "runtime/cuda/shared_library.h"

namespace catena {
namespace {

/// The oldest version of NCCL, the first one whose communicators need not block.
constexpr int oldest = NCCL_VERSION(2, 14, 0);

std::string version_text(int code) {
    // Until 2.8 the numbers were packed more closely.
    const int unit = code < 10000 ? 1000 : 10000;
    return fmt::format("{}.{}.{}", code / unit, code % unit / 100, code % 100);
}

}  // namespace

NcclLibrary load_nccl_library() {
    NcclLibrary nccl;
    cuda::SharedLibrary library("CATENA_NCCL_PATH", {"libnccl.so.2", "libnccl.so"});
    library.bind(nccl.ncclGetVersion, "ncclGetVersion");
    nccl.complaint = library.complaint();
    if (!nccl.ncclGetVersion) return nccl;
    int code = 0;
    if (nccl.ncclGetVersion(&code) != ncclSuccess || code < oldest) {
        nccl.complaint = fmt::format("too old: it is {}, {} or later is needed", version_text(code),
                                     version_text(oldest));
        return nccl;
    }
    nccl.version = version_text(code);
#define CATENA_NCCL_BIND(name) library.bind(nccl.name, #name);
    CATENA_NCCL(CATENA_NCCL_BIND)
#undef CATENA_NCCL_BIND
    nccl.complaint = library.complaint();
    return nccl;
}

const NcclLibrary& nccl_library() {
    static const NcclLibrary& own = *new NcclLibrary(load_nccl_library());
    return own;
}

}  // namespace catena
