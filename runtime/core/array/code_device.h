#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {

/// A device that runs generated kernels, implemented by a plug-in (CUDA) and used by the compiler
/// and by programs from files. Work runs asynchronously, in the order of the calls; copies to the
/// host wait for it.
class CodeDevice : public Device {
public:
    /// The kind of code that load() accepts: "sm_90" for machine code of that architecture or PTX
    /// that is no newer, "text" for source code.
    virtual std::string architecture() const = 0;
    virtual int multiprocessors() const = 0;
    /// The newest CUDA version whose code load() accepts: 12080 for 12.8, which stands for every
    /// 12.x. 0: any version.
    virtual int newest_code() const { return 0; }

    /// Loads an image, never unloaded, and returns its kernels by name; DeviceError with the
    /// driver's message on failure.
    virtual std::vector<const void*> load(const std::string& image,
                                          std::span<const std::string> names) = 0;

    /// One kernel over blocks * threads; its only parameter is the `bytes` at `arguments`.
    struct Launch {
        const void* kernel = nullptr;
        const char* name = "";  ///< The kernel's name, for error messages.
        uint32_t blocks = 1, threads = 1;
        const void* arguments = nullptr;
        size_t bytes = 0;
        SourceLoc location;  ///< The user's line, for errors.
        /// The launch's place in the order of replay(): neighbouring launches with equal levels do
        /// not depend on each other.
        uint32_t level = 0;
    };
    virtual void launch_code(const Launch& launch) = 0;

    /// A device's cached form of a launch sequence, for faster repetition (a CUDA graph).
    class Replay {
    public:
        virtual ~Replay() = default;
    };
    /// Runs every launch of a sequence that is repeated with other argument values, as
    /// launch_code() would. `memory` caches the device's form of the sequence; null at first.
    virtual void replay(std::unique_ptr<Replay>& memory, std::span<const Launch> launches);

    /// A part of a program's work: launches, or a call that makes its own (of a library).
    struct Work {
        std::span<const Launch> launches;
        std::function<void()> call;
    };
    /// Records the whole sequence of work in one cached form (a CUDA graph) without computing
    /// anything. Calls are made now, and replay() repeats them with the memory and the values that
    /// they have now. Null where the device has no such form, or where a call does not fit into
    /// one.
    virtual std::unique_ptr<Replay> record(std::span<const Work>) { return nullptr; }
    /// Whether the calling thread is inside record().
    virtual bool is_recording() const { return false; }
    /// Computes a sequence that record() has returned for `work`. The content of the launches'
    /// arguments may have changed since.
    virtual void replay(Replay& recorded, std::span<const Work> work);
    /// How many times replay(Replay&, ...) was called so far.
    virtual int64_t replays() const { return 0; }

    /// Runs one operation with a vendor library; false if none supports it.
    virtual bool launch_in_library(const KernelCall&) { return false; }
    /// Whether launch_in_library() would succeed for these types and attributes; the arrays need no
    /// memory.
    virtual bool has_library_for(const KernelCall&) { return false; }

    /// Five words shared by kernels and the host, which describe a bad index: its site (0: none),
    /// the index, its axis, the axis's size, whether negative indices count from the end. Null:
    /// indices are not checked.
    virtual int64_t* fault_words() { return nullptr; }
    /// Throws a ValueError for an index error that a kernel has reported since the last call.
    /// Called when work is done.
    void raise_faults();

    /// Copies bytes to the device; the host memory may be reused when the call returns.
    virtual void upload(void* to, const void* from, size_t bytes) = 0;

    /// Copies contiguous elements directly from another device; false if that is not possible.
    virtual bool copy_from_peer(const Array&, const Array&) { return false; }
    /// Waits until all work of the device is done.
    virtual void synchronize() {}
    /// Statistics of the device's memory pool, as cpu_memory_statistics() for the host.
    virtual MemoryStatistics memory_statistics() const { return {}; }

    /// A point in a stream of work (a CUDA event).
    class Mark {
    public:
        virtual ~Mark() = default;
        /// Whether all work before the mark is done; DeviceError if it failed.
        virtual bool is_reached() = 0;
    };
    /// A stream of work that runs concurrently with the device's own, for libraries that need one.
    class Stream {
    public:
        virtual ~Stream() = default;
        /// The driver's handle; also makes the device current on the calling thread.
        virtual void* handle() = 0;
        /// Later work in this stream waits for the device's `mark`.
        virtual void wait_for(const Mark& mark) = 0;
        virtual std::unique_ptr<Mark> mark() = 0;
    };
    /// A mark after all work so far. mark() and make_stream() throw a DeviceError on devices with a
    /// single stream.
    virtual std::unique_ptr<Mark> mark();
    virtual std::unique_ptr<Stream> make_stream();

    /// Measures work on the device.
    class Timer {
    public:
        virtual ~Timer() = default;
        /// A point of time after all work so far.
        virtual void mark() = 0;
        /// The seconds from each mark to the next; waits until the last one is reached.
        virtual std::vector<double> seconds() = 0;
    };
    /// A new timer. The default one waits for the work at every mark and reads the host's clock; a
    /// device with a clock of its own does not wait.
    virtual std::unique_ptr<Timer> make_timer();

    /// Runs one operation by the thread's KernelProvider.
    void launch(const KernelCall& call) override;

protected:
    explicit CodeDevice(std::string name) : Device(std::move(name), false, false) {}
};

/// The site number for fault_words(): identifies an op and the line of its call.
int64_t fault_site(const std::string& op, const SourceLoc& at);

/// Compiles and runs kernels for single operations: the eager calls of a CodeDevice. Implemented by
/// the compiler.
class KernelProvider {
public:
    virtual ~KernelProvider() = default;
    virtual void run(CodeDevice& device, const KernelCall& call) = 0;
    /// Copies elements with conversion, as catena::copy_elements, both arrays being on `device`.
    virtual void copy(CodeDevice& device, const Array& from, const Array& to) = 0;
    /// Code that a vendor library compiled in an earlier process, by a key with everything it
    /// depends on. The default caches nothing.
    virtual std::optional<std::string> kept_code(const std::string&) { return std::nullopt; }
    virtual void keep_code(const std::string& /*key*/, const std::string& /*code*/) {}
    /// Number of operations that ran on the host, with copies both ways, for lack of a device
    /// kernel.
    virtual int64_t host_calls() const = 0;
};

/// The KernelProvider of this thread. DeviceError, with a remedy, if there is none.
KernelProvider& kernel_provider();
/// Replaces the thread's KernelProvider until the scope ends: a program from a file contains its
/// own kernels.
class KernelProviderScope {
public:
    /// Makes `provider` the thread's; null changes nothing.
    explicit KernelProviderScope(KernelProvider* provider);
    ~KernelProviderScope();
    KernelProviderScope(const KernelProviderScope&) = delete;

private:
    KernelProvider* previous_;
};
/// Sets the function that gives the process its KernelProvider. `load` is called at the first use;
/// it may throw.
void set_kernel_provider(KernelProvider& (*load)());

}  // namespace catena
