#include "tests/cuda/cudnn_deviceless.h"

#ifdef CATENA_HAS_CUDNN

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <fmt/format.h>

#include "tests/support/command.h"

namespace catena::testing {

namespace {

// What cuDNN's own compiler looks for in the driver. There is no device, but an image is loaded.
constexpr const char* driver_text = R"(
#define NONE(name) extern "C" int name() { return 100; }  // CUDA_ERROR_NO_DEVICE
NONE(cuInit) NONE(cuDriverGetVersion) NONE(cuGetErrorName) NONE(cuGetErrorString) NONE(cuDeviceGetCount)
NONE(cuDeviceGet) NONE(cuCtxGetCurrent) NONE(cuCtxGetLimit) NONE(cuCtxPushCurrent) NONE(cuCtxPopCurrent)
NONE(cuStreamGetCtx) NONE(cuLinkCreate) NONE(cuLinkAddData) NONE(cuLinkComplete) NONE(cuLinkDestroy)
NONE(cuLibraryLoadFromFile) NONE(cuKernelSetAttribute) NONE(cuKernelGetAttribute) NONE(cuLaunchKernel)
NONE(cuLaunchKernelEx) NONE(cuLaunchCooperativeKernel) NONE(cuOccupancyMaxPotentialClusterSize)
static int something;
extern "C" int cuLibraryLoadData(void** library) { *library = &something; return 0; }
extern "C" int cuLibraryGetKernel(void** kernel) { *kernel = &something; return 0; }
extern "C" int cuLibraryUnload(void*) { return 0; }
)";

/// Loads the double under the driver's name, for good; cuDNN finds it as the loader does. Why not,
/// otherwise.
std::string load_driver_double() {
    constexpr const char* name = "libcuda.so.1";
    if (dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return "a driver is loaded";
    std::string pattern =
        (std::filesystem::temp_directory_path() / "catena_driver_XXXXXX").string();
    if (!mkdtemp(pattern.data())) return "no temporary folder";
    const std::string base = pattern + "/driver";
    std::ofstream(base + ".cpp") << driver_text;
    const auto made = run(fmt::format("{0} -w -shared -fPIC -Wl,-soname,{1} -o {2}.so {2}.cpp",
                                      CATENA_CXX, name, base));
    const bool loaded = made.status == 0 && dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string complaint =
        loaded ? "" : "the double of the driver cannot be loaded: " + made.output;
    std::error_code ignored;
    std::filesystem::remove_all(pattern, ignored);
    return complaint;
}

/// In cuDNN's words, from the data sheets and what the driver says of such devices.
std::string properties_text(const std::string& architecture) {
    const bool hopper = architecture == "sm_90";
    return fmt::format(
        R"({{"deviceVer":{},"deviceName":"{}","multiProcessorCount":{},"maxSharedMemoryPerBlockOptin":{},)"
        R"("totalGlobalMem":{},"smClockRateKHz":{},"memClockRateKHz":{},"l2CacheSize":{},)"
        R"("maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,"warpSize":32,)"
        R"("maxSharedMemoryPerBlock":49152,"reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,)"
        R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,)"
        R"("supportCoopLaunch":1,"cudaDeviceId":0,"driverVer":13000}})",
        hopper ? 900 : 800, hopper ? "NVIDIA H100 80GB HBM3" : "NVIDIA A100-SXM4-40GB",
        hopper ? 132 : 108, hopper ? 232448 : 166912, hopper ? 85017624576 : 42298834944,
        hopper ? 1980000 : 1410000, hopper ? 2619000 : 1215000, hopper ? 52428800 : 41943040);
}

}  // namespace

DevicelessCudnn::DevicelessCudnn(const std::string& architecture) {
    static const std::string& driver = *new std::string(load_driver_double());
    if (const cuda::Cudnn& c = cuda::cudnn(); !c.complaint.empty())
        complaint_ = "no cuDNN: " + c.complaint;
    else if (c.cudnnGetVersion() < 90800)
        complaint_ = "cuDNN before 9.8 makes no plans without a device";
    else if (!driver.empty())
        complaint_ = driver;
    if (!complaint_.empty()) return;
    const std::string text = properties_text(architecture);
    properties_ = std::make_unique<cuda::Descriptor>(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    properties_->set_all<char>(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                               {text.c_str(), text.size() + 1});
    properties_->finalize();
}

}  // namespace catena::testing

#endif
