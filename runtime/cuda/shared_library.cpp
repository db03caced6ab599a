#include "runtime/cuda/shared_library.h"

#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>

namespace catena::cuda {

SharedLibrary::SharedLibrary(const char* variable, const std::vector<std::string>& names) {
    std::vector<std::string> files;
    if (const char* file = std::getenv(variable); file && *file) {
        files.push_back(file);
    } else {
        files = names;
        const char* home = std::getenv("CUDA_HOME");
        for (const std::string& folder : {std::string(home ? home : ""), std::string("/usr/local/cuda")})
            for (const char* below : {"/lib64/", "/lib/"})
                for (const std::string& name : names)
                    if (!folder.empty()) files.push_back(folder + below + name);
    }
    std::string tried;
    for (const std::string& file : files) {
        if ((handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))) {
            file_ = file;
            return;
        }
        tried += (tried.empty() ? "" : ", ") + file;
    }
    complaint_ = fmt::format("not there (tried {}); install it or set {}", tried, variable);
}

void* SharedLibrary::find(const char* name) {
    void* found = handle_ ? dlsym(handle_, name) : nullptr;
    if (!found && complaint_.empty()) complaint_ = fmt::format("too old: {} has no {}", file_, name);
    return found;
}

}  // namespace catena::cuda
