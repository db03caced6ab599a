#include "runtime/cuda/library_version.h"

#include "runtime/cuda/driver.h"

namespace catena::cuda {

SharedLibrary::Refusal later_than_driver(const char* entry) {
    return [entry](const std::function<void*(const char*)>& find) -> std::string {
        const auto version = reinterpret_cast<size_t (*)()>(find(entry));
        const int newest = driver().version;
        if (!version || newest == 0 || int(version()) / 1000 <= newest / 1000) return "";
        return fmt::format("is for CUDA {}, the driver for {}", version_text(int(version())),
                           version_text(newest));
    };
}

}  // namespace catena::cuda
