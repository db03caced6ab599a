#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/graph/trace/trace.h"
#include "runtime/program/schedule/executable.h"

namespace catena {

class CodeDevice;
class Device;
class KernelProvider;
struct PortableOptions;
struct PortableProgram;
struct DevicePortableOptions;
struct DevicePortableProgram;

struct CompileOptions {
    bool fast_math = false;    ///< Whether rewrites may change rounding, NaN or inf.
    Device* device = nullptr;  ///< The target device; null: the host.
    /// The most bytes of intermediate results at a time: values needed late are computed again. 0:
    /// no limit. If it cannot be reached, the program comes as near as possible, and a note says
    /// so.
    int64_t memory_budget = 0;
};

/// Statistics of the process-wide cache of machine code.
struct KernelCacheState {
    size_t kernels = 0, bytes = 0;
    /// The most bytes of code; beyond it the least recently used kernels are evicted.
    size_t limit = 0;
    int64_t dropped = 0;  ///< Number of kernels evicted since the process began.
};

class Compiler {
public:
    virtual ~Compiler() = default;
    /// Compiles a program for the sizes in `trace`. Machine code is shared through a process-wide
    /// cache whose key contains no sizes: the same program at other sizes is planned again but
    /// compiles nothing, unless the sizes change which dimensions collapse or broadcast.
    /// CompileError names the op and the user's line.
    virtual std::shared_ptr<Executable> compile(const Trace& trace,
                                                const CompileOptions& options) = 0;
    /// Compiles a program for other processes on processors of this architecture, see
    /// runtime/program/run/portable.h.
    virtual PortableProgram compile_portable(const Trace& trace,
                                             const PortableOptions& options) = 0;
    /// Compiles a program for other processes on devices with generated kernels. `runs` are the
    /// recordings of one program at several sizes, all of which its code must support. No device is
    /// needed.
    virtual DevicePortableProgram compile_portable_for_device(
        std::span<const Trace* const> runs, const DevicePortableOptions& options) = 0;
    /// The default architectures for this device: its own, and PTX for later ones.
    virtual std::vector<std::string> portable_architectures(const CodeDevice& device) = 0;
    /// The version of the compiler: "LLVM 22.1.8, znver4, 512-bit vectors".
    virtual std::string version() const = 0;
    /// Number of kernels compiled for the host since the process began.
    virtual int kernels_compiled() const = 0;
    /// The provider that runs single operations on devices with generated kernels.
    virtual KernelProvider& kernel_provider() = 0;
    virtual KernelCacheState kernel_cache() const = 0;
    /// Sets the limit of the kernel cache in bytes. Initially it is CATENA_KERNEL_CACHE_MB, default
    /// 256 MB. Programs own the code that they run.
    virtual void set_kernel_cache_limit(size_t bytes) = 0;
};

/// The function exported by the library; found through dlsym, never linked.
extern "C" Compiler* catena_compiler_create();

}  // namespace catena
