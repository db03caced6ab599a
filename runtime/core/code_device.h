#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/core/error.h"

namespace catena {

/// A device that runs generated kernels. Whoever knows a device implements this (the CUDA plug-in); the compiler and
/// programs from files use it. Work is done in the order it is asked for, later than the calls return; copies to the host wait for it.
class CodeDevice : public Device {
public:
    /// What load() takes: code of "sm_90" or PTX that is no newer, or "text" for the source itself.
    virtual std::string architecture() const = 0;
    virtual int multiprocessors() const = 0;
    /// The last version of CUDA whose code it loads: 12080 for 12.8, of which every 12.x is taken. 0: any.
    virtual int newest_code() const { return 0; }

    /// Loads an image for good and gives its kernels by name; DeviceError with the device's words on failure.
    virtual std::vector<const void*> load(const std::string& image, std::span<const std::string> names) = 0;

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

    /// What a device keeps of a sequence of launches to do it faster again.
    class Replay {
    public:
        virtual ~Replay() = default;
    };
    /// As launch_code() of each. The sequence comes again and again, with other content of its arguments; `memory`, null
    /// at first, belongs to it.
    virtual void replay(std::unique_ptr<Replay>& memory, std::span<const Launch> launches);

    /// Runs one operation by a library of the device's; false when none takes it.
    virtual bool launch_in_library(const KernelCall&) { return false; }
    /// What launch_in_library() would say for these types and attributes: the arrays' memory is not looked at.
    virtual bool has_library_for(const KernelCall&) { return false; }

    /// Five words that kernels and the host both see: the site of a bad index (0: none), the index, its axis, the
    /// axis's size, whether negative indices count from the end. Null: nobody looks.
    virtual int64_t* fault_words() { return nullptr; }
    /// ValueError for an index that a kernel has complained about since the last call. Devices ask when work is done.
    void raise_faults();

    /// Bytes to the device; the host's may be reused when the call returns.
    virtual void upload(void* to, const void* from, size_t bytes) = 0;

    /// Copies contiguous elements from another device without the host's help; false when there is no such way.
    virtual bool copy_from_peer(const Array&, const Array&) { return false; }
    /// Returns when all that the device was asked for is done.
    virtual void synchronize() {}

    /// A point in an order of work.
    class Mark {
    public:
        virtual ~Mark() = default;
        /// Whether all before it is done; DeviceError when that failed.
        virtual bool is_reached() = 0;
    };
    /// An order of work beside the device's own, for libraries that are given one.
    class Stream {
    public:
        virtual ~Stream() = default;
        /// The driver's; also makes the device the calling thread's.
        virtual void* handle() = 0;
        /// What comes later is done after `mark` of the device's.
        virtual void wait_for(const Mark& mark) = 0;
        virtual std::unique_ptr<Mark> mark() = 0;
    };
    /// After what the device has been asked for by now. DeviceError where there is one order only, here and below.
    virtual std::unique_ptr<Mark> mark();
    virtual std::unique_ptr<Stream> make_stream();

    /// By the kernel provider.
    void launch(const KernelCall& call) override;

protected:
    explicit CodeDevice(std::string name) : Device(std::move(name), false, false) {}
};

/// The number by which fault_words() name an op and the line it was called from.
int64_t fault_site(const std::string& op, const SourceLoc& at);

/// Makes and runs kernels for single operations: what a CodeDevice hands its eager calls to. Implemented by the
/// compiler.
class KernelProvider {
public:
    virtual ~KernelProvider() = default;
    virtual void run(CodeDevice& device, const KernelCall& call) = 0;
    /// As catena::copy_elements, with both arrays on `device`.
    virtual void copy(CodeDevice& device, const Array& from, const Array& to) = 0;
    /// What a device's library compiled in an earlier process, by a key that says all that decides about it. Whoever has
    /// no place for it keeps nothing.
    virtual std::optional<std::string> kept_code(const std::string&) { return std::nullopt; }
    virtual void keep_code(const std::string& /*key*/, const std::string& /*code*/) {}
    /// Operations that were computed on the host, with copies both ways, because nothing else can.
    virtual int64_t host_calls() const = 0;
};

/// DeviceError that says how to get one when there is none.
KernelProvider& kernel_provider();
/// Another one for this thread, until the scope ends: a program from a file brings the kernels that it needs.
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
