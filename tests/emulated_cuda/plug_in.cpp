// libcatena_cuda for machines without a GPU: its cuda:0 takes the source of kernels and is emulated. Found by CATENA_PLUGIN_PATH.
#include "runtime/core/cuda_plug_in.h"
#include "tests/cuda/emulated_device.h"

namespace {

catena::Device* device(int index) {
    if (index != 0) catena::fail<catena::DeviceError>("cuda:{}: there is 1 device: cuda:0", index);
    static auto& only = *new catena::testing::EmulatedDevice("cuda:0");
    return &only;
}

constexpr catena::CudaPlugIn plug_in = {
    .complaint = []() -> const char* { return nullptr; },
    .version = []() -> const char* { return "an emulation; cuda:0 takes text"; },
    .device = device,
};

}  // namespace

extern "C" const catena::CudaPlugIn* catena_cuda_plug_in_1() { return &plug_in; }
