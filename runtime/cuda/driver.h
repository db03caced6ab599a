#pragma once

#include <string>

#include <cuda.h>

#include "runtime/core/system/error.h"

namespace catena::cuda {

/// The functions of libcuda.so.1 that Catena calls, found at run time: nothing is linked. Tests
/// replace them by a fake.
#define CATENA_CUDA_DRIVER(entry)                                                                 \
    entry(cuInit) entry(cuDriverGetVersion) entry(cuGetErrorName) entry(cuGetErrorString) entry(  \
        cuDeviceGetCount) entry(cuDeviceGet) entry(cuDeviceGetName) entry(cuDeviceGetAttribute)   \
        entry(cuDeviceTotalMem) entry(cuDevicePrimaryCtxRetain) entry(cuCtxSetCurrent)            \
            entry(cuCtxGetCurrent) entry(cuDeviceCanAccessPeer) entry(cuCtxEnablePeerAccess)      \
                entry(cuMemAlloc) entry(cuMemFree) entry(cuMemGetInfo) entry(cuMemAllocHost)      \
                    entry(cuMemFreeHost) entry(cuMemcpyHtoDAsync) entry(cuMemcpyDtoHAsync) entry( \
                        cuMemcpyDtoDAsync) entry(cuMemcpyPeerAsync) entry(cuStreamCreate)         \
                        entry(cuStreamSynchronize) entry(cuStreamWaitEvent) entry(cuEventCreate)  \
                            entry(cuEventRecord) entry(cuEventQuery) entry(cuEventSynchronize)    \
                                entry(cuEventDestroy) entry(cuModuleLoadData)                     \
                                    entry(cuModuleGetFunction) entry(cuLaunchKernel)              \
                                        entry(cuGraphCreate) entry(cuGraphDestroy) entry(         \
                                            cuGraphAddKernelNode) entry(cuGraphAddEmptyNode)      \
                                            entry(cuGraphInstantiate) entry(cuGraphExecDestroy)   \
                                                entry(cuGraphExecKernelNodeSetParams)             \
                                                    entry(cuGraphLaunch) entry(cuGraphGetNodes)   \
                                                        entry(cuGraphAddChildGraphNode)           \
                                                            entry(cuStreamBeginCapture)           \
                                                                entry(cuStreamEndCapture)

// cuda.h maps some names to later versions of them by macros: cuMemAlloc is cuMemAlloc_v2. Both
// levels of macro below let it.
struct Driver {
#define CATENA_CUDA_STRING(name) #name
#define CATENA_CUDA_NAME(name) CATENA_CUDA_STRING(name)
#define CATENA_CUDA_POINTER(name) decltype(&::name) name = nullptr;
    CATENA_CUDA_DRIVER(CATENA_CUDA_POINTER)
#undef CATENA_CUDA_POINTER

    /// The time between two events. cuda.h of CUDA 13 names a later version of it, which drivers
    /// before 12.8 lack.
    CUresult (*elapsed_time)(float* milliseconds, CUevent from, CUevent until) = nullptr;
    std::string complaint;  ///< The reason why there is no usable driver; empty when there is one.
    int version = 0;        ///< The driver's version: 13000 for CUDA 13.0.
};

/// Opens `library` (libcuda.so.1), binds and initialises. Never throws: see `complaint`.
Driver load_driver(const char* library);

/// The driver of the process, loaded at the first use from CATENA_CUDA_DRIVER, else libcuda.so.1.
const Driver& driver();
/// Replaces the driver, for tests; null restores the process's own.
void replace_driver(const Driver* replacement);

/// A version as text: "13.0" for 13000.
std::string version_text(int version);

/// DeviceError "cuda:0: cuMemAlloc of 4096 bytes: CUDA_ERROR_OUT_OF_MEMORY: out of memory" when
/// `result` is not success.
void check(CUresult result, const std::string& device, const std::string& call);

}  // namespace catena::cuda
