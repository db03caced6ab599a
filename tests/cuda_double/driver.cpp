// A double of CUDA's driver that computes: two devices whose memory is the host's, whose kernels
// are texts that the host's compiler compiles (tests/cuda/emulated_device.h), and whose work is
// done as late as CUDA allows. Programs use it when CATENA_CUDA_DRIVER and CATENA_NVRTC_PATH name
// this library.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <regex>

#include "tests/cuda/emulated_device.h"
#include "tests/cuda_double/work_queue.h"

namespace catena::testing {
namespace {

constexpr int devices = 2;
constexpr size_t device_memory = size_t(4) << 30;
constexpr size_t alignment = 512;

std::map<uintptr_t, size_t> blocks, pinned;  ///< Bytes by address.
size_t memory_in_use = 0;
std::vector<std::unique_ptr<WorkQueue>> streams;
thread_local CUcontext current = nullptr;

struct Module {
    std::map<std::string, const void*> kernels;
};

template <class T, class Handle>
T& object(Handle handle) {
    return *reinterpret_cast<T*>(handle);
}
template <class Handle, class T>
Handle handle_of(T* object) {
    return reinterpret_cast<Handle>(object);
}

WorkQueue& queue_of(CUstream stream) {
    return static_cast<WorkQueue&>(object<EmulatedStream>(stream));
}

/// As CUDA does: what fails while it runs is seen by the call that waits.
CUresult guarded(const std::function<void()>& call) {
    std::lock_guard lock(WorkQueue::mutex());
    try {
        call();
        return CUDA_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "the double of CUDA's driver: %s\n", error.what());
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

bool lies_in(const std::map<uintptr_t, size_t>& known, const void* memory, size_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    auto next = known.upper_bound(begin);
    if (next == known.begin()) return false;
    const auto& [address, size] = *std::prev(next);
    return begin + bytes <= address + size;
}

void expect_block(CUdeviceptr address, size_t bytes, const char* what) {
    if (!lies_in(blocks, reinterpret_cast<void*>(address), bytes))
        throw std::logic_error(std::string(what) + " outside of the device's memory");
}

using Bytes = std::vector<char>;

/// A copy that waits in the stream; host memory that is not pinned is read at once and written at
/// the end of the call.
CUresult copy_in(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return guarded([&] {
        expect_block(to, bytes, "a copy");
        auto* target = reinterpret_cast<void*>(to);
        auto& queue = queue_of(stream);
        if (lies_in(pinned, from, bytes))
            return queue.add([=] { std::memcpy(target, from, bytes); });
        auto kept = std::make_shared<Bytes>(static_cast<const char*>(from),
                                            static_cast<const char*>(from) + bytes);
        queue.add([=] { std::memcpy(target, kept->data(), bytes); });
    });
}

CUresult copy_out(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return guarded([&] {
        expect_block(from, bytes, "a copy");
        auto& queue = queue_of(stream);
        queue.add([=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
        if (!lies_in(pinned, to, bytes)) queue.finish();
    });
}

CUresult copy_within(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return guarded([&] {
        expect_block(to, bytes, "a copy");
        expect_block(from, bytes, "a copy");
        queue_of(stream).add([=] {
            std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
        });
    });
}

EmulatedDevice& processor() { return EmulatedDevice::instance(); }

/// The launch with its argument copied, as the driver does it.
WorkQueue::Work launch_of(CUfunction kernel, unsigned grid, unsigned threads, const void* argument,
                          size_t bytes) {
    auto kept = std::make_shared<Bytes>(static_cast<const char*>(argument),
                                        static_cast<const char*>(argument) + bytes);
    return [=] {
        CodeDevice::Launch launch;
        launch.kernel = kernel;
        launch.blocks = grid;
        launch.threads = threads;
        launch.arguments = kept->data();
        launch.bytes = bytes;
        processor().launch_code(launch);
    };
}

WorkQueue::Work launch_of(const CUDA_KERNEL_NODE_PARAMS& p) {
    return launch_of(p.func, p.gridDimX, p.blockDimX, p.kernelParams[0],
                     processor().argument_bytes(p.func));
}

/// Nodes are named by their place, from 1 on.
size_t place_of(CUgraphNode node) { return reinterpret_cast<size_t>(node) - 1; }
CUgraphNode add_node(CUgraph graph, const CUgraphNode* after, size_t count, WorkQueue::Work work) {
    WorkGraph::Node node{std::move(work), {}};
    for (size_t i = 0; i < count; ++i) node.after.push_back(place_of(after[i]));
    auto& nodes = object<WorkGraph>(graph).nodes;
    nodes.push_back(std::move(node));
    return reinterpret_cast<CUgraphNode>(nodes.size());
}

void finish_all() {
    for (const auto& stream : streams) stream->finish();
}

}  // namespace
}  // namespace catena::testing

using namespace catena::testing;

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
/// CUDA_DOUBLE_VERSION in the environment, "12040", for tests of other drivers.
CUresult cuDriverGetVersion(int* version) {
    const char* given = std::getenv("CUDA_DOUBLE_VERSION");
    return *version = given ? std::atoi(given) : CUDA_VERSION, CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult result, const char** text) {
    *text = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                               : "CUDA_ERROR_LAUNCH_FAILED";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
    return *text = "so says the double", CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) { return *count = devices, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int index) {
    *device = index;
    return index < devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* text, int size, CUdevice) {
    std::snprintf(text, size_t(size), "emulated on the host");
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                     : 4;
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) { return *bytes = device_memory, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    return *context = reinterpret_cast<CUcontext>(size_t(device) + 1), CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) { return current = context, CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* context) { return *context = current, CUDA_SUCCESS; }

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return *can = device != peer, CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
    std::lock_guard lock(WorkQueue::mutex());
    if (memory_in_use + bytes > device_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    std::memset(memory, 0xff, bytes);
    *address = CUdeviceptr(memory);
    blocks[*address] = bytes;
    memory_in_use += bytes;
    return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
    return guarded([&] {
        finish_all();
        memory_in_use -= blocks.at(address);
        blocks.erase(address);
        std::free(reinterpret_cast<void*>(address));
    });
}
CUresult cuMemGetInfo(size_t* left, size_t* total) {
    std::lock_guard lock(WorkQueue::mutex());
    *left = device_memory - memory_in_use;
    *total = device_memory;
    return CUDA_SUCCESS;
}
CUresult cuMemAllocHost(void** memory, size_t bytes) {
    std::lock_guard lock(WorkQueue::mutex());
    *memory = std::malloc(bytes);
    pinned[reinterpret_cast<uintptr_t>(*memory)] = bytes;
    return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
    return guarded([&] {
        finish_all();
        pinned.erase(reinterpret_cast<uintptr_t>(memory));
        std::free(memory);
    });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copy_in(to, from, bytes, stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_out(to, from, bytes, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_within(to, from, bytes, stream);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes,
                           CUstream stream) {
    return copy_within(to, from, bytes, stream);
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
    std::lock_guard lock(WorkQueue::mutex());
    streams.push_back(std::make_unique<WorkQueue>());
    return *stream = handle_of<CUstream>(static_cast<EmulatedStream*>(streams.back().get())),
           CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
    return guarded([&] { queue_of(stream).finish(); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    return guarded([&] { queue_of(stream).wait_for(object<WorkQueue::Event>(event)); });
}
CUresult cuEventCreate(CUevent* event, unsigned) {
    return *event = handle_of<CUevent>(new WorkQueue::Event), CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    return guarded([&] { queue_of(stream).record(object<WorkQueue::Event>(event)); });
}
CUresult cuEventQuery(CUevent event) {
    std::lock_guard lock(WorkQueue::mutex());
    return WorkQueue::is_done(object<WorkQueue::Event>(event)) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_NOT_READY;
}
CUresult cuEventSynchronize(CUevent event) {
    return guarded([&] { WorkQueue::finish(object<WorkQueue::Event>(event)); });
}
#undef cuEventElapsedTime  // The later version that cuda.h of CUDA 13 names.
/// A microsecond for each piece of work.
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent until) {
    std::lock_guard lock(WorkQueue::mutex());
    const WorkQueue::Event &first = object<WorkQueue::Event>(from),
                           &last = object<WorkQueue::Event>(until);
    if (!WorkQueue::is_done(first) || !WorkQueue::is_done(last)) return CUDA_ERROR_NOT_READY;
    return *milliseconds = 1e-3f * float(last.position - first.position), CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
    delete &object<WorkQueue::Event>(event);
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return guarded([&] {
        // One for both devices.
        static auto& known = *new std::map<std::string, Module*>;
        const std::string text(static_cast<const char*>(image));
        if (Module* found = known[text]) {
            *module = handle_of<CUmodule>(found);
            return;
        }
        static const std::regex kernel(R"(__global__ void __launch_bounds__\(\d+\) (\w+)\()");
        std::vector<std::string> names;
        for (std::sregex_iterator found(text.begin(), text.end(), kernel), end; found != end;
             ++found)
            names.push_back((*found)[1]);
        if (names.empty()) throw std::logic_error("the image is no text with kernels");
        const std::vector<const void*> kernels = processor().load(text, names);
        auto* made = new Module;
        for (size_t i = 0; i < names.size(); ++i) made->kernels[names[i]] = kernels[i];
        known[text] = made;
        *module = handle_of<CUmodule>(made);
    });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    return guarded([&] {
        *function =
            static_cast<CUfunction>(const_cast<void*>(object<Module>(module).kernels.at(name)));
    });
}
CUresult cuLaunchKernel(CUfunction kernel, unsigned grid, unsigned, unsigned, unsigned threads,
                        unsigned, unsigned, unsigned, CUstream stream, void**, void** extra) {
    return guarded([&] {
        queue_of(stream).add(
            launch_of(kernel, grid, threads, extra[1], *static_cast<size_t*>(extra[3])));
    });
}

CUresult cuGraphCreate(CUgraph* graph, unsigned) {
    return *graph = handle_of<CUgraph>(new WorkGraph), CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
    delete &object<WorkGraph>(graph);
    return CUDA_SUCCESS;
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS* p) {
    return guarded([&] { *node = add_node(graph, after, count, launch_of(*p)); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                             size_t count) {
    return guarded([&] { *node = add_node(graph, after, count, [] {}); });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode*, size_t* count) {
    return *count = object<WorkGraph>(graph).nodes.size(), CUDA_SUCCESS;
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                  size_t count, CUgraph part) {
    return guarded([&] {
        *node = add_node(graph, after, count, [copy = object<WorkGraph>(part)] { copy.run(); });
    });
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
    return guarded([&] { queue_of(stream).begin_capture(); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    std::unique_ptr<WorkGraph> taken = queue_of(stream).end_capture();
    if (!taken) return CUDA_ERROR_ILLEGAL_STATE;
    return *graph = handle_of<CUgraph>(taken.release()), CUDA_SUCCESS;
}
CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
    return *executable = handle_of<CUgraphExec>(new WorkGraph(object<WorkGraph>(graph))),
           CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
    return guarded([&] {
        finish_all();
        delete &object<WorkGraph>(executable);
    });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS* p) {
    return guarded(
        [&] { object<WorkGraph>(executable).nodes.at(place_of(node)).work = launch_of(*p); });
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    // As it is now: later changes are for later launches.
    return guarded(
        [&] { queue_of(stream).add([graph = object<WorkGraph>(executable)] { graph.run(); }); });
}
}
