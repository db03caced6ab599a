#include "runtime/cuda/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/core/plugin/cuda_libraries.h"
#include "runtime/core/plugin/load_library.h"

namespace catena::cuda {

SharedLibrary::SharedLibrary(const char* variable, const std::vector<std::string>& names,
                             const Refusal& refusal) {
    std::string tried;
    for (const std::string& file : cuda_library_files(variable, names)) {
        std::string refused;
        if (void* handle = load_library(file.c_str())) {
            if (refusal)
                refused = refusal([handle](const char* name) { return dlsym(handle, name); });
            if (refused.empty()) {
                handle_ = handle;
                file_ = file;
                return;
            }
            dlclose(handle);
        }
        tried += (tried.empty() ? "" : ", ") + file + (refused.empty() ? "" : ", which " + refused);
    }
    complaint_ = fmt::format("not there (tried {}); install it or set {}", tried, variable);
}

void* SharedLibrary::find(const char* name) {
    void* found = handle_ ? dlsym(handle_, name) : nullptr;
    if (!found && complaint_.empty())
        complaint_ = fmt::format("too old: {} has no {}", file_, name);
    return found;
}

}  // namespace catena::cuda
