#pragma once

#include <string>

namespace catena {

class Device;

/// What the plug-in libcatena_cuda offers; its function `catena_cuda_plug_in_1` gives the address of one.
struct CudaPlugIn {
    /// Why there is no CUDA device to use here, "no driver: ..."; null when there is one.
    const char* (*complaint)();
    const char* (*version)();       ///< "driver for CUDA 13.0; cuda:0 NVIDIA H100, sm_90, 85.0 GB"
    Device* (*device)(int index);   ///< DeviceError when there are fewer.
};

/// The plug-in, loaded at the first call; null when it is not there or cannot work here, and `complaint` says why.
const CudaPlugIn* cuda_plug_in(std::string& complaint);

}  // namespace catena
