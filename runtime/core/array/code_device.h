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
    /// What load() accepts: "sm_90": code for it, or PTX that is no newer; "text": source.
    virtual std::string architecture() const = 0;
    virtual int multiprocessors() const = 0;
    /// The last version of CUDA whose code it loads: 12080 for 12.8, of which every 12.x is taken.
    /// 0: any.
    virtual int newest_code() const { return 0; }

    /// Loads an image, never unloaded, and returns its kernels by name; DeviceError with the
    /// driver's message on failure.
    virtual std::vector<const void*> load(const std::string& image,
                                          std::span<const std::string> names) = 0;

    /// One kernel over blocks * threads; its only parameter is the `bytes` at `arguments`.
    struct Launch {
        const void* kernel = nullptr;
        const char* name = "";  ///< For errors.
        uint32_t blocks = 1, threads = 1;
        const void* arguments = nullptr;
        size_t bytes = 0;
        SourceLoc location;  ///< The user's line, for errors.
        uint32_t level = 0;  ///< In replay(): neighbours of one level do not depend on each other.
    };
    virtual void launch_code(const Launch& launch) = 0;

    /// A device's cached form of a launch sequence, for faster repetition (a CUDA graph).
    class Replay {
    public:
        virtual ~Replay() = default;
    };
    /// As launch_code() of each launch, for a sequence that is repeated with other argument values.
    /// `memory` caches it; null at first.
    virtual void replay(std::unique_ptr<Replay>& memory, std::span<const Launch> launches);

    /// A part of a program's work: launches, or a call that makes its own (of a library).
    struct Work {
        std::span<const Launch> launches;
        std::function<void()> call;
    };
    /// All of it, one after another, in one cached form (a CUDA graph). Calls are made here and
    /// computed by replay(), every time from and to the memory and with the values that they have
    /// here; nothing is computed yet. Null where the device has no such form, or a call does not
    /// fit into one.
    virtual std::unique_ptr<Replay> record(std::span<const Work>) { return nullptr; }
    /// Whether the calling thread is in a call of record().
    virtual bool is_recording() const { return false; }
    /// Computes what record() gave for `work`, of which the content of the launches' arguments may
    /// be another since.
    virtual void replay(Replay& recorded, std::span<const Work> work);
    virtual int64_t replays() const { return 0; }  ///< Calls of it so far.

    /// Runs one operation with a vendor library; false if none supports it.
    virtual bool launch_in_library(const KernelCall&) { return false; }
    /// The result of launch_in_library() for these types and attributes; arrays need no memory.
    virtual bool has_library_for(const KernelCall&) { return false; }

    /// Five words shared by kernels and the host: the site of a bad index (0: none), the index, its
    /// axis, the axis's size, whether negative indices count from the end. Null: indices are not
    /// checked.
    virtual int64_t* fault_words() { return nullptr; }
    /// ValueError for an index error that a kernel has reported since the last call. Called when
    /// work is done.
    void raise_faults();

    /// Copies bytes to the device; the host memory may be reused when the call returns.
    virtual void upload(void* to, const void* from, size_t bytes) = 0;

    /// Copies contiguous elements directly from another device; false if that is not possible.
    virtual bool copy_from_peer(const Array&, const Array&) { return false; }
    /// Waits until all work of the device is done.
    virtual void synchronize() {}
    /// Of the device's memory pool, as cpu_memory_statistics().
    virtual MemoryStatistics memory_statistics() const { return {}; }

    /// A point in a stream of work (a CUDA event).
    class Mark {
    public:
        virtual ~Mark() = default;
        /// Whether all earlier work is done; DeviceError if it failed.
        virtual bool is_reached() = 0;
    };
    /// A stream beside the device's own, for libraries that need one.
    class Stream {
    public:
        virtual ~Stream() = default;
        /// The driver's handle; also makes the device current on the calling thread.
        virtual void* handle() = 0;
        /// Later work in this stream waits for the device's `mark`.
        virtual void wait_for(const Mark& mark) = 0;
        virtual std::unique_ptr<Mark> mark() = 0;
    };
    /// A mark after all work so far. This and the next: DeviceError on devices with a single
    /// stream.
    virtual std::unique_ptr<Mark> mark();
    virtual std::unique_ptr<Stream> make_stream();

    /// Measures work on the device.
    class Timer {
    public:
        virtual ~Timer() = default;
        virtual void mark() = 0;  ///< A point of time after all work so far.
        /// The seconds from each mark to the next; waits until the last one is reached.
        virtual std::vector<double> seconds() = 0;
    };
    /// The default waits for the work at every mark and asks the host's clock; a device with a
    /// clock of its own does not wait.
    virtual std::unique_ptr<Timer> make_timer();

    /// By the kernel provider.
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
    /// As catena::copy_elements, with both arrays on `device`.
    virtual void copy(CodeDevice& device, const Array& from, const Array& to) = 0;
    /// Code that a vendor library compiled in an earlier process, by a key with everything it
    /// depends on. The default caches nothing.
    virtual std::optional<std::string> kept_code(const std::string&) { return std::nullopt; }
    virtual void keep_code(const std::string& /*key*/, const std::string& /*code*/) {}
    /// Number of operations that ran on the host, with copies both ways, for lack of a device
    /// kernel.
    virtual int64_t host_calls() const = 0;
};

/// DeviceError, with a remedy, if there is none.
KernelProvider& kernel_provider();
/// Replaces the thread's provider until the scope ends: a program from a file contains its own
/// kernels.
class KernelProviderScope {
public:
    explicit KernelProviderScope(KernelProvider* provider);  ///< Null changes nothing.
    ~KernelProviderScope();
    KernelProviderScope(const KernelProviderScope&) = delete;

private:
    KernelProvider* previous_;
};
/// `load` is called at the first use; it may throw.
void set_kernel_provider(KernelProvider& (*load)());

}  // namespace catena
