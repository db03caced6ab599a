#pragma once

#include <string>

#include <nccl.h>

namespace catena {

/// The functions of NCCL that Catena calls, loaded at run time: NCCL is not linked.
#define CATENA_NCCL(entry)                                                                 \
    entry(ncclGetUniqueId) entry(ncclCommInitRankConfig) entry(ncclCommGetAsyncError)      \
        entry(ncclCommAbort) entry(ncclGetErrorString) entry(ncclGetLastError)             \
            entry(ncclAllReduce) entry(ncclReduceScatter) entry(ncclAllGather)             \
                entry(ncclBroadcast) entry(ncclSend) entry(ncclRecv) entry(ncclGroupStart) \
                    entry(ncclGroupEnd)

struct NcclLibrary {
    decltype(&::ncclGetVersion) ncclGetVersion = nullptr;
#define CATENA_NCCL_POINTER(name) decltype(&::name) name = nullptr;
    CATENA_NCCL(CATENA_NCCL_POINTER)
#undef CATENA_NCCL_POINTER

    std::string version;    ///< The version of NCCL, "2.28.9".
    std::string complaint;  ///< The reason why NCCL cannot be used; empty if it can.
};

/// Opens CATENA_NCCL_PATH, else libnccl.so.2 where cuda_library_files() says. Never throws: see
/// `complaint`.
NcclLibrary load_nccl_library();
/// The NCCL library of the process, loaded at the first use.
const NcclLibrary& nccl_library();

}  // namespace catena
