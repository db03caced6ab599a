#include "runtime/cuda/cuda_device.h"

#include <algorithm>
#include <map>
#include <memory>

#include "runtime/core/array/address.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/notice.h"
#include "runtime/cuda/capture.h"
#include "runtime/cuda/kernel_graph.h"

namespace catena::cuda {

namespace {

size_t bytes_of(const Array& array) { return size_t(array.size()) * size_of(array.dtype()); }

}  // namespace

CudaDevice::CudaDevice(int index)
    : CodeDevice(fmt::format("cuda:{}", index)), pool_(name()), staging_(name()) {
    const Driver& d = driver();
    check(d.cuDeviceGet(&device_, index), name(), "cuDeviceGet");
    int major = 0, minor = 0;
    auto attribute = [&](int& value, CUdevice_attribute which) {
        check(d.cuDeviceGetAttribute(&value, which, device_), name(), "cuDeviceGetAttribute");
    };
    attribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    attribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    attribute(multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    architecture_ = fmt::format("sm_{}{}", major, minor);
    check(d.cuDevicePrimaryCtxRetain(&context_, device_), name(), "cuDevicePrimaryCtxRetain");
    enter();
    check(d.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), name(), "cuStreamCreate");
    void* faults = nullptr;
    check(d.cuMemAllocHost(&faults, 5 * sizeof(int64_t)), name(), "cuMemAllocHost");
    faults_ = static_cast<int64_t*>(faults);
    std::fill_n(faults_, 5, 0);
    for (auto* make : {&make_contractions, &make_windows})
        if (auto provider = make({*this, stream_, [this] { return most_workspace(); }}))
            libraries_.push_back(std::move(provider));
}

CudaDevice::~CudaDevice() { driver().cuMemFreeHost(faults_); }

void CudaDevice::enter() const {
    CUcontext current = nullptr;
    if (driver().cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context_) return;
    check(driver().cuCtxSetCurrent(context_), name(), "cuCtxSetCurrent");
}

std::vector<const void*> CudaDevice::load(const std::string& image,
                                          std::span<const std::string> names) {
    enter();
    CUmodule module = nullptr;
    check(driver().cuModuleLoadData(&module, image.c_str()), name(),
          fmt::format("cuModuleLoadData of {} kernels ({} bytes for {})", names.size(),
                      image.size(), architecture_));
    std::vector<const void*> kernels;
    for (const std::string& kernel : names) {
        CUfunction function = nullptr;
        check(driver().cuModuleGetFunction(&function, module, kernel.c_str()), name(),
              fmt::format("cuModuleGetFunction({})", kernel));
        kernels.push_back(function);
    }
    return kernels;
}

void CudaDevice::launch_code(const Launch& launch) {
    LocationScope location(launch.location);
    enter();
    size_t bytes = launch.bytes;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(launch.arguments),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    auto function = static_cast<CUfunction>(const_cast<void*>(launch.kernel));
    check(driver().cuLaunchKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, 0, stream(),
                                  nullptr, extra),
          name(),
          fmt::format("cuLaunchKernel({}, {} blocks of {} threads)", launch.name, launch.blocks,
                      launch.threads));
}

void CudaDevice::replay(std::unique_ptr<Replay>& memory, std::span<const Launch> launches) {
    if (launches.size() < 2 || Capture::of(name())) return CodeDevice::replay(memory, launches);
    enter();
    const Work work{launches, {}};
    if (!memory) memory = std::make_unique<KernelGraph>(name(), std::span(&work, 1));
    static_cast<KernelGraph&>(*memory).run({&work, 1}, stream_);
}

std::unique_ptr<CodeDevice::Replay> CudaDevice::record(std::span<const Work> work) {
    enter();
    std::lock_guard lock(recording_);
    std::shared_ptr<GraphMemory> memory = graph_memory_.lock();
    if (!memory) graph_memory_ = memory = std::make_shared<GraphMemory>(pool_, stream_);
    std::unique_ptr<KernelGraph> graph;
    try {
        Capture capture(name(), *memory);
        graph = std::make_unique<KernelGraph>(name(), work, &capture);
        graph->keep(memory);
    } catch (const std::exception& error) {
        notice_once(
            fmt::format("{}: a program is not recorded as one graph: {}", name(), error.what()));
    }
    if (memory->is_all_free()) return graph;
    memory->leave_used_blocks();
    return nullptr;
}

void CudaDevice::replay(Replay& recorded, std::span<const Work> work) {
    enter();
    static_cast<KernelGraph&>(recorded).run(work, stream());
    ++replays_;
}

bool CudaDevice::is_recording() const { return Capture::of(name()) != nullptr; }

void CudaDevice::expect_no_capture(const char* what) const {
    if (is_recording()) fail<DeviceError>("{}: a recorded call makes {}", name(), what);
}

CUstream CudaDevice::stream() const {
    const Capture* capture = Capture::of(name());
    return capture ? capture->stream() : stream_;
}

LibraryProvider* CudaDevice::library_for(const KernelCall& call) {
    for (const auto& provider : libraries_)
        if (provider->takes(call)) return provider.get();
    return nullptr;
}

/// A large part of what is free, but no more than follows from the device alone: others in the
/// memory decide about algorithms only where it is short.
size_t CudaDevice::most_workspace() const {
    constexpr size_t always = 256 << 20;
    if (const auto megabytes = environment::whole_number("CATENA_CUDA_WORKSPACE_MB", 0, 1 << 20))
        return size_t(*megabytes) << 20;
    enter();
    size_t total = 0;
    check(driver().cuDeviceTotalMem(&total, device_), name(), "cuDeviceTotalMem");
    return std::max(always, std::min(total / 16, pool_.available() / 2));
}

bool CudaDevice::has_library_for(const KernelCall& call) { return library_for(call) != nullptr; }

bool CudaDevice::launch_in_library(const KernelCall& call) {
    LibraryProvider* provider = library_for(call);
    if (!provider) return false;
    LocationScope location(known_location());
    enter();
    return provider->launch(call);
}

void CudaDevice::upload(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return;
    expect_no_capture("a copy from the host");
    enter();
    staging_.upload(CUdeviceptr(to), from, bytes, stream_);
}

Ref<Storage> CudaDevice::allocate(size_t bytes) {
    Ref<Storage> storage = make_ref<Storage>();
    storage->device = this;
    if (bytes == 0) return storage;
    enter();
    Capture* capture = Capture::of(name());
    if (capture) {
        const GraphMemory::Block block = capture->memory().allocate(bytes);
        storage->data = reinterpret_cast<void*>(block.address);
        storage->bytes = block.bytes;
        return storage;
    }
    storage->data = reinterpret_cast<void*>(pool_.allocate(bytes, stream_));
    storage->bytes = bytes;
    return storage;
}

void CudaDevice::free(Storage* storage) {
    const auto address = CUdeviceptr(storage->data);
    Capture* capture = Capture::of(name());
    if (address && !(capture && capture->memory().free(address)))
        pool_.free(address, storage->bytes);
    delete storage;
}

void CudaDevice::copy_from_host(const void* host, const Array& to) {
    if (to.size() > 0) upload(address_of(to), host, bytes_of(to));
}

void CudaDevice::copy_to_host(const Array& from, void* host) {
    if (from.size() == 0) return;
    expect_no_capture("a copy to the host");
    const Array dense = from.as_contiguous();
    enter();
    staging_.download(host, address_word(dense), bytes_of(dense), stream_);
    raise_all_faults();
}

void CudaDevice::raise_all_faults() {
    std::vector<CudaDevice*> known{this};
    for (size_t k = 0; k < known.size(); ++k) {
        std::lock_guard lock(known[k]->mutex_);
        for (CudaDevice* source : known[k]->sources_)
            if (std::ranges::find(known, source) == known.end()) known.push_back(source);
    }
    for (CudaDevice* device : known) device->raise_faults();
}

void CudaDevice::reach(const CudaDevice& peer) {
    {
        std::lock_guard lock(mutex_);
        if (!asked_.insert(&peer).second) return;
    }
    const Driver& d = driver();
    int connected = 0;
    check(d.cuDeviceCanAccessPeer(&connected, device_, peer.device_), name(),
          "cuDeviceCanAccessPeer");
    enter();
    const CUresult enabled =
        connected ? d.cuCtxEnablePeerAccess(peer.context_, 0) : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (enabled == CUDA_SUCCESS || enabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return;
    const char* reason = "the two are not connected";
    if (connected) d.cuGetErrorString(enabled, &reason);
    notice_once(fmt::format(
        "{}: it does not reach the memory of {} ({}): copies from there pass through the host",
        name(), peer.name(), reason));
}

bool CudaDevice::copy_from_peer(const Array& from, const Array& to) {
    auto* peer = dynamic_cast<CudaDevice*>(&from.device());
    if (!peer) return false;
    if (to.size() == 0) return true;
    expect_no_capture("a copy from another device");
    const Driver& d = driver();
    reach(*peer);
    peer->reach(*this);
    // After what the peer has been asked for by now; and what the peer is asked for later must not
    // write over it.
    CUevent written = nullptr, read = nullptr;
    auto order = [&](CudaDevice& first, CudaDevice& second, CUevent& event) {
        first.enter();
        check(d.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), name(), "cuEventCreate");
        check(d.cuEventRecord(event, first.stream_), name(), "cuEventRecord");
        second.enter();
        check(d.cuStreamWaitEvent(second.stream_, event, 0), name(), "cuStreamWaitEvent");
    };
    order(*peer, *this, written);
    check(d.cuMemcpyPeerAsync(address_word(to), context_, address_word(from), peer->context_,
                              bytes_of(to), stream_),
          name(), fmt::format("cuMemcpyPeerAsync of {} bytes from {}", bytes_of(to), peer->name()));
    {
        std::lock_guard lock(mutex_);
        sources_.insert(peer);
    }
    order(*this, *peer, read);
    d.cuEventDestroy(written);
    d.cuEventDestroy(read);
    return true;
}

void CudaDevice::synchronize() {
    expect_no_capture("the host wait");
    enter();
    check(driver().cuStreamSynchronize(stream_), name(), "cuStreamSynchronize");
    raise_all_faults();
}

void CudaDevice::release_cached_memory() {
    enter();
    pool_.release(stream_);
}

std::string CudaDevice::description() const {
    char text[256] = "";
    size_t bytes = 0;
    driver().cuDeviceGetName(text, int(sizeof text), device_);
    driver().cuDeviceTotalMem(&bytes, device_);
    return fmt::format("{}, {}, {:.1f} GB", text, architecture_, double(bytes) / 1e9);
}

int device_count() {
    int count = 0;
    check(driver().cuDeviceGetCount(&count), "cuda", "cuDeviceGetCount");
    return count;
}

CudaDevice& cuda_device(int index) {
    static std::mutex& mutex = *new std::mutex;
    static auto& devices = *new std::map<int, std::unique_ptr<CudaDevice>>;
    std::lock_guard lock(mutex);
    auto found = devices.find(index);
    if (found != devices.end()) return *found->second;
    if (int count = device_count(); index >= count)
        fail<DeviceError>("cuda:{}: there {} {} device{}: cuda:0{}", index,
                          count == 1 ? "is" : "are", count, count == 1 ? "" : "s",
                          count > 1 ? fmt::format(" to cuda:{}", count - 1) : "");
    return *devices.emplace(index, std::make_unique<CudaDevice>(index)).first->second;
}

}  // namespace catena::cuda
