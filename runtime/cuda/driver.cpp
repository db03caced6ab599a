#include "runtime/cuda/driver.h"

#include <atomic>

#include <dlfcn.h>

#include "runtime/core/plugin/load_library.h"
#include "runtime/core/system/environment.h"

namespace catena::cuda {

namespace {

// The first whose entries are all that Catena calls; headers of a later toolkit name the same ones.
// What code and libraries a driver takes is asked where they are chosen.
constexpr int oldest_driver = 12000;

std::atomic<const Driver*> replaced{nullptr};

}  // namespace

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Driver load_driver(const char* library) {
    Driver d;
    void* handle = load_library(library);
    if (!handle) {
        d.complaint = fmt::format("no driver: {}", dlerror());
        return d;
    }
    std::string missing;
#define CATENA_CUDA_BIND(name)                                                          \
    d.name = reinterpret_cast<decltype(d.name)>(dlsym(handle, CATENA_CUDA_NAME(name))); \
    if (!d.name && missing.empty()) missing = CATENA_CUDA_NAME(name);
    CATENA_CUDA_DRIVER(CATENA_CUDA_BIND)
#undef CATENA_CUDA_BIND
    d.elapsed_time =
        reinterpret_cast<decltype(d.elapsed_time)>(dlsym(handle, "cuEventElapsedTime"));
    if (!d.elapsed_time && missing.empty()) missing = "cuEventElapsedTime";
    if (d.cuDriverGetVersion) d.cuDriverGetVersion(&d.version);
    if (!missing.empty() || d.version < oldest_driver) {
        d.complaint = fmt::format("driver too old: has {}, needs {}{}",
                                  d.version ? version_text(d.version) : "no version",
                                  version_text(oldest_driver),
                                  missing.empty() ? "" : " (no " + missing + ")");
        return d;
    }
    if (CUresult result = d.cuInit(0); result != CUDA_SUCCESS) {
        const char* text = nullptr;
        d.cuGetErrorString(result, &text);
        d.complaint = fmt::format("no device: cuInit: {}", text ? text : "unknown error");
        return d;
    }
    int count = 0;
    if (d.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0)
        d.complaint = "no device: the driver sees none";
    return d;
}

const Driver& driver() {
    if (const Driver* other = replaced) return *other;
    static const Driver& own = *new Driver([] {
        return load_driver(
            environment::text("CATENA_CUDA_DRIVER").value_or("libcuda.so.1").c_str());
    }());
    return own;
}

void replace_driver(const Driver* replacement) { replaced = replacement; }

void check(CUresult result, const std::string& device, const std::string& call) {
    if (result == CUDA_SUCCESS) return;
    const char *name = nullptr, *text = nullptr;
    driver().cuGetErrorName(result, &name);
    driver().cuGetErrorString(result, &text);
    fail<DeviceError>("{}: {}: {}: {}", device, call, name ? name : std::to_string(int(result)),
                      text ? text : "unknown error");
}

}  // namespace catena::cuda
