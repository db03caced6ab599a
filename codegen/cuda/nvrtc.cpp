#include "codegen/cuda/nvrtc.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <dlfcn.h>

#include "runtime/core/plugin/cuda_libraries.h"
#include "runtime/core/plugin/load_library.h"
#include "runtime/core/system/error.h"

namespace catena::codegen::cuda {

namespace {

/// NVRTC's entries (nvrtc.h, stable since CUDA 11.1), which are found at run time.
struct Nvrtc {
    using Program = void*;
    int (*version)(int*, int*) = nullptr;
    int (*architecture_count)(int*) = nullptr;
    int (*architectures)(int*) = nullptr;
    const char* (*error)(int) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*,
                  const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*code_size)(Program, size_t*) = nullptr;
    int (*code)(Program, char*) = nullptr;
    int (*ptx_size)(Program, size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;

    std::string complaint;
    std::vector<int> known;  ///< The architectures that the library makes code for: 75, 80, ...
};

struct Version {
    int major = 0, minor = 0;
};
Version version_of(void* library) {
    Version version;
    const auto ask = reinterpret_cast<decltype(Nvrtc::version)>(dlsym(library, "nvrtcVersion"));
    if (ask) ask(&version.major, &version.minor);
    return version;
}

/// What was looked for in vain.
struct Search {
    std::string tried, too_new;
};

/// Opens a library of version `newest_major` or before; 0: of any version.
void* open_library(int newest_major, Search& search) {
    for (const std::string& file : cuda_library_files(
             "CATENA_NVRTC_PATH", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})) {
        if (void* library = load_library(file.c_str())) {
            const Version version = version_of(library);
            if (newest_major == 0 || version.major <= newest_major) return library;
            dlclose(library);
            search.too_new += fmt::format("{}{} is NVRTC {}.{}", search.too_new.empty() ? "" : ", ",
                                          file, version.major, version.minor);
        } else {
            search.tried += (search.tried.empty() ? "" : ", ") + file;
        }
    }
    return nullptr;
}

std::string complaint_of(const Search& search, int newest) {
    if (!search.too_new.empty())
        return fmt::format(
            "no NVRTC makes kernels that the driver loads: it is a driver for CUDA {}.{}, and {}; "
            "install NVRTC {} (of the "
            "toolkit, or nvidia-cuda-nvrtc of pip) or a newer driver, or set CATENA_NVRTC_PATH to "
            "libnvrtc.so",
            newest / 1000, newest % 1000 / 10, search.too_new, newest / 1000);
    return fmt::format(
        "NVRTC, which makes kernels for CUDA devices, is not there (tried {}); install the CUDA "
        "toolkit or "
        "set CATENA_NVRTC_PATH to libnvrtc.so",
        search.tried);
}

template <class F>
void bind(void* library, F*& function, const char* name, std::string& missing) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (!function) missing = name;
}

Nvrtc load_nvrtc(int newest) {
    Nvrtc n;
    Search search;
    std::string missing;
    void* library = open_library(newest / 1000, search);
    if (!library) {
        n.complaint = complaint_of(search, newest);
        return n;
    }
    bind(library, n.version, "nvrtcVersion", missing);
    bind(library, n.architecture_count, "nvrtcGetNumSupportedArchs", missing);
    bind(library, n.architectures, "nvrtcGetSupportedArchs", missing);
    bind(library, n.error, "nvrtcGetErrorString", missing);
    bind(library, n.create, "nvrtcCreateProgram", missing);
    bind(library, n.destroy, "nvrtcDestroyProgram", missing);
    bind(library, n.compile, "nvrtcCompileProgram", missing);
    bind(library, n.log_size, "nvrtcGetProgramLogSize", missing);
    bind(library, n.log, "nvrtcGetProgramLog", missing);
    bind(library, n.code_size, "nvrtcGetCUBINSize", missing);
    bind(library, n.code, "nvrtcGetCUBIN", missing);
    bind(library, n.ptx_size, "nvrtcGetPTXSize", missing);
    bind(library, n.ptx, "nvrtcGetPTX", missing);
    if (!missing.empty()) {
        n.complaint = fmt::format("NVRTC is too old: it has no {}", missing);
        return n;
    }
    int count = 0;
    if (n.architecture_count(&count) == 0 && count > 0) {
        n.known.resize(size_t(count));
        n.architectures(n.known.data());
    }
    return n;
}

/// The loaded library, one for each major version that drivers have.
const Nvrtc& nvrtc(int newest) {
    static std::mutex& mutex = *new std::mutex;
    static auto& instances = *new std::map<int, std::unique_ptr<Nvrtc>>;
    std::lock_guard lock(mutex);
    std::unique_ptr<Nvrtc>& instance = instances[newest / 1000];
    if (!instance) instance = std::make_unique<Nvrtc>(load_nvrtc(newest));
    return *instance;
}

/// The program, destroyed at the end.
struct Program {
    explicit Program(const Nvrtc& n, const std::string& text) : n(n) {
        if (int error = n.create(&handle, text.c_str(), "catena.cu", 0, nullptr, nullptr))
            fail<CompileError>("nvrtcCreateProgram: {}", n.error(error));
    }
    ~Program() { n.destroy(&handle); }
    std::string result(int (*size_of)(void*, size_t*), int (*get)(void*, char*)) const {
        size_t size = 0;
        size_of(handle, &size);
        std::string bytes(size, '\0');
        if (size > 0) get(handle, bytes.data());
        return bytes;
    }
    const Nvrtc& n;
    void* handle = nullptr;
};

}  // namespace

std::string nvrtc_version(int newest) {
    const Nvrtc& n = nvrtc(newest);
    int major = 0, minor = 0;
    if (!n.complaint.empty() || n.version(&major, &minor) != 0) return "";
    return fmt::format("NVRTC {}.{}", major, minor);
}

std::vector<int> nvrtc_architectures(int newest) { return nvrtc(newest).known; }

std::vector<const char*> nvrtc_flags(const NvrtcOptions& options) {
    return {"--std=c++17",      options.fast_math ? "--fmad=true" : "--fmad=false",
            "--ftz=false",      "--prec-div=true",
            "--prec-sqrt=true", "--disable-warnings"};
}

std::string nvrtc_compile(const std::string& text, const NvrtcOptions& options) {
    const Nvrtc& n = nvrtc(options.newest);
    if (!n.complaint.empty()) fail<CompileError>("{}", n.complaint);
    if (!options.architecture.starts_with("sm_"))
        fail<CompileError>("nvrtc: '{}' is no architecture; sm_90 is one", options.architecture);
    const int wanted = std::atoi(options.architecture.c_str() + 3);
    bool known = std::find(n.known.begin(), n.known.end(), wanted) != n.known.end();
    bool ptx = options.ptx || !known;
    int virtual_architecture = wanted;
    if (!known) {
        // The newest that is not newer than the device: its driver compiles the PTX.
        virtual_architecture = 0;
        for (int each : n.known)
            if (each <= wanted) virtual_architecture = std::max(virtual_architecture, each);
        if (virtual_architecture == 0)
            fail<CompileError>(
                "nvrtc: {} is older than everything that {} makes code for (sm_{} and newer)",
                options.architecture, nvrtc_version(options.newest),
                n.known.empty() ? 0 : n.known.front());
    }
    const std::string architecture =
        fmt::format("--gpu-architecture={}_{}", ptx ? "compute" : "sm", virtual_architecture);
    std::vector<const char*> flags = nvrtc_flags(options);
    flags.push_back(architecture.c_str());
    int major = 0, minor = 0;
    n.version(&major, &minor);
    if (options.quick && major >= 13) flags.push_back("--Ofast-compile=max");
    Program program(n, text);
    if (int error = n.compile(program.handle, int(flags.size()), flags.data()))
        fail<CompileError>("nvrtcCompileProgram: {}: {}", n.error(error),
                           program.result(n.log_size, n.log));
    return ptx ? program.result(n.ptx_size, n.ptx) : program.result(n.code_size, n.code);
}

}  // namespace catena::codegen::cuda
