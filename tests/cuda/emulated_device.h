#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "tests/cuda/emulator.h"

namespace catena::testing {

/// A CodeDevice without hardware: kernels' text is compiled by the host's compiler and run by an
/// emulation of CUDA's threads. Memory is the host's, each block at the end of a page before one
/// that may not be touched; what was not written is NaN or -1. Kernels are compiled at the first
/// launch, all that were loaded by then at once.
class EmulatedDevice final : public CodeDevice {
public:
    static EmulatedDevice& instance();
    /// Another one, whose kernels are those of one test.
    explicit EmulatedDevice(std::string name) : CodeDevice(std::move(name)) {}

    std::string architecture() const override { return "text"; }
    int multiprocessors() const override { return 4; }
    std::vector<const void*> load(const std::string& image,
                                  std::span<const std::string> names) override;
    void launch_code(const Launch& launch) override;
    /// Null where a library took a call: it has computed it.
    std::unique_ptr<Replay> record(std::span<const Work> work) override;
    bool is_recording() const override;
    void replay(Replay& recorded, std::span<const Work> work) override;
    using CodeDevice::replay;
    int64_t* fault_words() override { return faults_; }
    void upload(void* to, const void* from, size_t bytes) override;

    Ref<Storage> allocate(size_t bytes) override;
    void free(Storage* storage) override;
    void copy_from_host(const void* host, const Array& to) override;
    void copy_to_host(const Array& from, void* host) override;

    /// What a vendor library computes: nothing at first.
    struct Library {
        std::function<bool(const KernelCall&)> takes, launch;
    };
    void set_library(Library library) { library_ = std::move(library); }
    bool has_library_for(const KernelCall& call) override {
        return library_.takes && library_.takes(call);
    }
    bool launch_in_library(const KernelCall& call) override;

    /// Of a kernel's only parameter. Compiles it.
    size_t argument_bytes(const void* kernel);

    /// Work is done when it is asked for; a stream is what a double of a library makes of it.
    std::unique_ptr<Mark> mark() override;
    std::unique_ptr<Stream> make_stream() override;
    /// Whether all these bytes lie in one block that is in use.
    bool owns(const void* memory, size_t bytes);

    /// Every text that was loaded.
    const std::vector<std::string>& texts() const { return texts_; }
    /// While it is set, kernels are loaded and launches are not done: all can be compiled at once
    /// afterwards.
    void set_collecting(bool collecting) { collecting_ = collecting; }
    int launches() const { return launches_; }
    int uploads() const { return uploads_; }
    int64_t replays() const override { return replays_; }
    int kernel_count() const { return int(kernels_.size()); }

private:
    void compile_pending();
    void* pages_for(size_t bytes);
    void compile_some(std::span<const size_t> units);

    struct Unit {
        std::vector<EmulatedKernel*> kernels;
        bool compiled = false;
    };
    Library library_;
    std::vector<std::string> texts_;
    std::vector<Unit> units_;
    std::vector<std::unique_ptr<EmulatedKernel>> kernels_;
    int launches_ = 0, uploads_ = 0, replays_ = 0;
    bool collecting_ = false;
    int64_t faults_[5] = {};
    std::mutex mutex_;
    std::map<const char*, size_t> blocks_;
    std::map<size_t, std::vector<void*>> unused_;  ///< Pages that nobody may touch, by bytes.
};

}  // namespace catena::testing
