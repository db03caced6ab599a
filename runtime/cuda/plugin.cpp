// What libcatena_cuda offers; see runtime/core/plugin/cuda_plug_in.h.
#include "runtime/core/plugin/cuda_plug_in.h"

#include "runtime/cuda/cuda_device.h"

namespace catena::cuda {

namespace {

const char* complaint() {
    const std::string& text = driver().complaint;
    return text.empty() ? nullptr : text.c_str();
}

const char* version() {
    static const std::string& text = *new std::string([] {
        std::string line = "driver for CUDA " + version_text(driver().version);
        for (int i = 0; i < device_count(); ++i) {
            const CudaDevice& device = cuda_device(i);
            line += "; " + device.name() + " " + device.description();
        }
        line += "; " + cublas_lt_version() + "; " + cudnn_version();
        return line;
    }());
    return text.c_str();
}

Device* device(int index) { return &cuda_device(index); }

std::string machine(int index) {
    return fmt::format("{}; driver for CUDA {}; {}; {}", cuda_device(index).description(),
                       version_text(driver().version), cublas_lt_version(), cudnn_version());
}

constexpr CudaPlugIn plug_in{&complaint, &version, &device, &machine};

}  // namespace

}  // namespace catena::cuda

extern "C" const catena::CudaPlugIn* catena_cuda_plug_in_2() { return &catena::cuda::plug_in; }
