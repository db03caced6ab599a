#include "frontend/compiler/compiler_loader.h"

#include <atomic>
#include <filesystem>
#include <mutex>

#include <dlfcn.h>
#include <unistd.h>

#include "frontend/compiler/compiler_memory.h"
#include "runtime/core/array/code_device.h"
#include "runtime/core/plugin/load_library.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"

namespace catena {

namespace {

constexpr const char* library_name = "libcatena_compiler.so";

/// The folder of the library this code is in.
std::filesystem::path own_folder() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&compiler_available), &info) || !info.dli_fname)
        return {};
    return std::filesystem::path(info.dli_fname).parent_path();
}

std::filesystem::path library_path() {
    if (auto path = environment::text("CATENA_COMPILER_PATH")) return *path;
    return own_folder() / library_name;
}

struct Loaded {
    Compiler* compiler = nullptr;
    std::string complaint;
};

Loaded load() {
    const std::string& path = compiler_path();
    const CompilerLibraries loading;
    // RTLD_LOCAL: LLVM's symbols must not clash with those of another LLVM in the process.
    void* library = load_library(path.c_str());
    if (!library)
        return {nullptr, fmt::format("the compiler {} cannot be loaded: {}; install "
                                     "libcatena-compiler, set CATENA_COMPILER_PATH to "
                                     "the file, or build with CATENA_COMPILER=ON",
                                     path, dlerror())};
    auto* create = reinterpret_cast<Compiler* (*)()>(dlsym(library, "catena_compiler_create"));
    if (!create) return {nullptr, fmt::format("{} is not Catena's compiler: {}", path, dlerror())};
    return {create(), ""};
}

std::atomic<const Loaded*> when_loaded = nullptr;

const Loaded& loaded() {
    static const Loaded& result = *new Loaded(load());
    when_loaded = &result;
    return result;
}

}  // namespace

Compiler& compiler() {
    const Loaded& result = loaded();
    if (!result.compiler) fail<CompileError>("{}", result.complaint);
    return *result.compiler;
}

namespace {

const bool provides =
    (set_kernel_provider([]() -> KernelProvider& { return compiler().kernel_provider(); }), true);

}  // namespace

const std::string& compiler_path() {
    static const std::string& path = *new std::string(library_path().string());
    return path;
}

bool compiler_available() { return loaded().compiler != nullptr; }

bool compiler_installed() {
    if (const Loaded* result = when_loaded) return result->compiler != nullptr;
    static const bool is_readable = ::access(compiler_path().c_str(), R_OK) == 0;
    return is_readable;
}

Compiler* loaded_compiler() {
    const Loaded* result = when_loaded;
    return result ? result->compiler : nullptr;
}

const std::string& compiler_complaint() { return loaded().complaint; }

}  // namespace catena
