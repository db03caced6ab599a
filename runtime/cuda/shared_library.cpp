#include "runtime/cuda/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/core/environment.h"

namespace catena::cuda {

SharedLibrary::SharedLibrary(const char* variable, const std::vector<std::string>& names) {
    std::vector<std::string> files;
    if (auto file = environment::text(variable)) {
        files.push_back(*file);
    } else {
        files = names;
        const std::string home = environment::text("CUDA_HOME").value_or("");
        for (const std::string& folder : {home, std::string("/usr/local/cuda")})
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
