#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "runtime/core/array/code_device.h"
#include "runtime/core/system/fork.h"
#include "runtime/cuda/capture.h"
#include "runtime/cuda/library_call.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/staging.h"

namespace catena::cuda {

/// The device cuda:N. All its work is in the order of one stream; only copies to the host wait for
/// it. Any thread may use it.
class CudaDevice final : public CodeDevice {
public:
    explicit CudaDevice(int index);

    ~CudaDevice() override;

    std::string architecture() const override { return architecture_; }
    int newest_code() const override { return driver().version; }
    int multiprocessors() const override { return multiprocessors_; }
    std::vector<const void*> load(const std::string& image,
                                  std::span<const std::string> names) override;
    void launch_code(const Launch& launch) override;
    void replay(std::unique_ptr<Replay>& memory, std::span<const Launch> launches) override;
    std::unique_ptr<Replay> record(std::span<const Work> work) override;
    bool is_recording() const override;
    void replay(Replay& recorded, std::span<const Work> work) override;
    int64_t replays() const override { return replays_; }
    bool launch_in_library(const KernelCall& call) override;
    bool has_library_for(const KernelCall& call) override;
    int64_t* fault_words() override { return faults_; }
    void upload(void* to, const void* from, size_t bytes) override;

    Ref<Storage> allocate(size_t bytes) override;
    void free(Storage* storage) override;
    void copy_from_host(const void* host, const Array& to) override;
    void copy_to_host(const Array& from, void* host) override;
    bool copy_from_peer(const Array& from, const Array& to) override;

    void synchronize() override;
    std::unique_ptr<Mark> mark() override;
    std::unique_ptr<Stream> make_stream() override;
    std::unique_ptr<Timer> make_timer() override;
    void release_cached_memory();
    MemoryStatistics memory_statistics() const override { return pool_.statistics(); }
    /// Name, architecture and memory: "NVIDIA H100 80GB HBM3, sm_90, 85.0 GB".
    std::string description() const;

private:
    LibraryProvider* library_for(const KernelCall& call);
    /// The most memory, in bytes, that one call of a library may take beside its operands.
    size_t most_workspace() const;
    /// Lets the device read and write the peer's memory, if the two are so connected; tried once.
    void reach(const CudaDevice& peer);
    /// The stream for work of the calling thread.
    CUstream stream() const;
    /// DeviceError while the calling thread records a graph: `what` is done at once, by a copy
    /// engine, and cannot be recorded.
    void expect_no_capture(const char* what) const;
    /// Calls raise_faults() of this device and of all devices whose results may have been copied
    /// here, because nobody may ever read on those.
    void raise_all_faults();
    /// Makes the device's context the calling thread's.
    void enter() const;

    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
    std::string architecture_;
    int multiprocessors_ = 0;
    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    std::set<const CudaDevice*> asked_;  ///< The peers that reach() was called for.
    /// The peers that copies came from; devices live as long as the process.
    std::set<CudaDevice*> sources_;
    /// The fault words, in pinned host memory, which kernels can write.
    int64_t* faults_ = nullptr;
    std::atomic<int64_t> replays_ = 0;
    MemoryPool pool_;
    std::mutex& recording_ = taken_by_forks(*new std::mutex);
    std::weak_ptr<GraphMemory> graph_memory_;  ///< The memory of the graphs that exist.
    Staging staging_;
    /// The libraries; the first one that takes a call computes it.
    std::vector<std::unique_ptr<LibraryProvider>> libraries_;
};

/// The device cuda:N, made at the first use; DeviceError that says how many there are when N is too
/// large.
CudaDevice& cuda_device(int index);
int device_count();

}  // namespace catena::cuda
