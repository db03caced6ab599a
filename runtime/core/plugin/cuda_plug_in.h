#pragma once

#include <string>

namespace catena {

class Device;

/// The interface of the plug-in libcatena_cuda; `catena_cuda_plug_in_2` returns its address.
struct CudaPlugIn {
    /// The reason why no CUDA device can be used, "no driver: ..."; null if one can.
    const char* (*complaint)();
    /// Driver and devices in a line: "driver for CUDA 13.0; cuda:0 NVIDIA H100, sm_90, 85.0 GB".
    const char* (*version)();
    /// The device with that index; DeviceError when there are fewer.
    Device* (*device)(int index);
    /// A device by its number, with all that decides how fast it is, by which what is measured of
    /// it is kept: "NVIDIA H100, sm_90, 85.0 GB; driver for CUDA 13.0; cuBLASLt 13.1; cuDNN 9.14".
    std::string (*machine)(int index);
};

/// The plug-in, loaded at the first call; null, with the reason in `complaint`, if it is missing or
/// unusable.
const CudaPlugIn* cuda_plug_in(std::string& complaint);

}  // namespace catena
