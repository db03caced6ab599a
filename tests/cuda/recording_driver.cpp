#include "tests/cuda/recording_driver.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace catena::testing {

namespace {

RecordingDriver* current = nullptr;
std::map<CUevent, float> recorded_at;
std::map<CUdeviceptr, size_t> blocks;
thread_local CUcontext context = nullptr;

/// Notes a call; what it is to return.
template <class... Args>
CUresult note(const char* name, fmt::format_string<Args...> format, Args&&... args) {
    std::string text = fmt::format(format, std::forward<Args>(args)...);
    current->calls.push_back(name + (text.empty() ? "" : " " + text));
    if (current->failing != name) return CUDA_SUCCESS;
    current->failing.clear();
    return current->failure;
}

/// Handles are small numbers that tell what they stand for.
template <class Handle>
Handle handle(size_t number) {
    return reinterpret_cast<Handle>(number);
}
template <class Handle>
size_t number(Handle h) {
    return reinterpret_cast<size_t>(h);
}

size_t next_handle = 1000;
size_t captured_launches = 0;
std::map<CUgraph, size_t> captured;  ///< Launches of graphs that were captured.

CUresult attribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                     : 4;
    return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* address, size_t bytes) {
    if (CUresult result = note("cuMemAlloc", "{}", bytes)) return result;
    if (bytes > current->memory_left) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = CUdeviceptr(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
    blocks[*address] = bytes;
    current->memory_left -= bytes;
    return CUDA_SUCCESS;
}

CUresult release(CUdeviceptr address) {
    current->memory_left += blocks.at(address);
    std::free(reinterpret_cast<void*>(address));
    const size_t bytes = blocks.at(address);
    blocks.erase(address);
    return note("cuMemFree", "{}", bytes);
}

CUresult launch(CUfunction kernel, unsigned blocks_x, unsigned, unsigned, unsigned threads,
                unsigned, unsigned, unsigned, CUstream, void**, void** extra) {
    ++captured_launches;
    return note("cuLaunchKernel", "{} {}x{} {} bytes", number(kernel), blocks_x, threads,
                *static_cast<size_t*>(extra[3]));
}

cuda::Driver make_table() {
    cuda::Driver d;
    d.version = 13000;
    d.cuInit = [](unsigned) { return CUDA_SUCCESS; };
    d.cuDriverGetVersion = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
    d.cuGetErrorName = [](CUresult result, const char** text) {
        *text = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                                   : "CUDA_ERROR_ILLEGAL_ADDRESS";
        return CUDA_SUCCESS;
    };
    d.cuGetErrorString = [](CUresult, const char** text) {
        return *text = "so says the double", CUDA_SUCCESS;
    };
    d.cuDeviceGetCount = [](int* count) { return *count = 2, CUDA_SUCCESS; };
    d.cuDeviceGet = [](CUdevice* device, int index) { return *device = index, CUDA_SUCCESS; };
    d.cuDeviceGetName = [](char* text, int, CUdevice) {
        return std::strcpy(text, "double"), CUDA_SUCCESS;
    };
    d.cuDeviceGetAttribute = attribute;
    d.cuDeviceTotalMem = [](size_t* bytes, CUdevice) {
        return *bytes = size_t(1) << 30, CUDA_SUCCESS;
    };
    d.cuDevicePrimaryCtxRetain = [](CUcontext* c, CUdevice device) {
        return *c = handle<CUcontext>(size_t(device) + 100), CUDA_SUCCESS;
    };
    d.cuCtxSetCurrent = [](CUcontext c) {
        return context = c, note("cuCtxSetCurrent", "{}", number(c));
    };
    d.cuCtxGetCurrent = [](CUcontext* c) { return *c = context, CUDA_SUCCESS; };
    d.cuDeviceCanAccessPeer = [](int* can, CUdevice device, CUdevice peer) {
        return *can = current->connected && device != peer, CUDA_SUCCESS;
    };
    d.cuCtxEnablePeerAccess = [](CUcontext peer, unsigned) {
        return note("cuCtxEnablePeerAccess", "{} to {}", number(context), number(peer));
    };
    d.cuMemAlloc = allocate;
    d.cuMemFree = release;
    d.cuMemGetInfo = [](size_t* left, size_t* total) {
        *left = current->memory_left;
        *total = size_t(1) << 30;
        return CUDA_SUCCESS;
    };
    d.cuMemAllocHost = [](void** memory, size_t bytes) {
        return *memory = std::malloc(bytes), note("cuMemAllocHost", "{}", bytes);
    };
    d.cuMemFreeHost = [](void* memory) { return std::free(memory), note("cuMemFreeHost", ""); };
    d.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, size_t bytes, CUstream) {
        std::memcpy(reinterpret_cast<void*>(to), from, bytes);
        return note("cuMemcpyHtoDAsync", "{}", bytes);
    };
    d.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, size_t bytes, CUstream) {
        std::memcpy(to, reinterpret_cast<void*>(from), bytes);
        return note("cuMemcpyDtoHAsync", "{}", bytes);
    };
    d.cuMemcpyDtoDAsync = [](CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
        std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
        return note("cuMemcpyDtoDAsync", "{}", bytes);
    };
    d.cuMemcpyPeerAsync = [](CUdeviceptr to, CUcontext target, CUdeviceptr from, CUcontext source,
                             size_t bytes, CUstream) {
        std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
        return note("cuMemcpyPeerAsync", "{} from {} to {}", bytes, number(source), number(target));
    };
    d.cuStreamCreate = [](CUstream* stream, unsigned) {
        return *stream = handle<CUstream>(++next_handle), CUDA_SUCCESS;
    };
    d.cuStreamSynchronize = [](CUstream) { return note("cuStreamSynchronize", ""); };
    d.cuStreamWaitEvent = [](CUstream, CUevent event, unsigned) {
        return note("cuStreamWaitEvent", "{}", number(event));
    };
    d.cuEventCreate = [](CUevent* event, unsigned) {
        return *event = handle<CUevent>(++next_handle), CUDA_SUCCESS;
    };
    d.cuEventRecord = [](CUevent event, CUstream) {
        recorded_at[event] = current->now++;
        return note("cuEventRecord", "{}", number(event));
    };
    d.cuEventQuery = [](CUevent) { return current->busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS; };
    d.cuEventSynchronize = [](CUevent event) {
        return note("cuEventSynchronize", "{}", number(event));
    };
    d.cuEventDestroy = [](CUevent) { return CUDA_SUCCESS; };
    d.elapsed_time = [](float* milliseconds, CUevent from, CUevent until) {
        *milliseconds = recorded_at.at(until) - recorded_at.at(from);
        return note("cuEventElapsedTime", "{} to {}", number(from), number(until));
    };
    d.cuModuleLoadData = [](CUmodule* module, const void*) {
        return *module = handle<CUmodule>(7), note("cuModuleLoadData", "");
    };
    d.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char* name) {
        return *function = handle<CUfunction>(++next_handle),
               note("cuModuleGetFunction", "{}", name);
    };
    d.cuLaunchKernel = launch;
    d.cuGraphCreate = [](CUgraph* graph, unsigned) {
        return *graph = handle<CUgraph>(++next_handle), CUDA_SUCCESS;
    };
    d.cuGraphDestroy = [](CUgraph) { return CUDA_SUCCESS; };
    d.cuGraphAddKernelNode = [](CUgraphNode* node, CUgraph, const CUgraphNode*, size_t dependencies,
                                const CUDA_KERNEL_NODE_PARAMS* p) {
        return *node = handle<CUgraphNode>(++next_handle),
               note("cuGraphAddKernelNode", "{} {}x{} after {}", number(p->func), p->gridDimX,
                    p->blockDimX, dependencies);
    };
    d.cuGraphAddEmptyNode = [](CUgraphNode* node, CUgraph, const CUgraphNode*,
                               size_t dependencies) {
        return *node = handle<CUgraphNode>(++next_handle),
               note("cuGraphAddEmptyNode", "after {}", dependencies);
    };
    d.cuGraphInstantiate = [](CUgraphExec* graph, CUgraph, unsigned long long) {
        return *graph = handle<CUgraphExec>(++next_handle), note("cuGraphInstantiate", "");
    };
    d.cuGraphExecDestroy = [](CUgraphExec) { return CUDA_SUCCESS; };
    d.cuGraphExecKernelNodeSetParams = [](CUgraphExec, CUgraphNode,
                                          const CUDA_KERNEL_NODE_PARAMS* p) {
        return note("cuGraphExecKernelNodeSetParams", "{} {}", number(p->func),
                    **reinterpret_cast<uint64_t**>(p->kernelParams));
    };
    d.cuGraphGetNodes = [](CUgraph graph, CUgraphNode*, size_t* count) {
        return *count = captured[graph], CUDA_SUCCESS;
    };
    d.cuGraphAddChildGraphNode = [](CUgraphNode* node, CUgraph, const CUgraphNode*,
                                    size_t dependencies, CUgraph part) {
        return *node = handle<CUgraphNode>(++next_handle),
               note("cuGraphAddChildGraphNode", "of {} after {}", captured[part], dependencies);
    };
    d.cuStreamBeginCapture = [](CUstream, CUstreamCaptureMode mode) {
        captured_launches = 0;
        return note("cuStreamBeginCapture", "{}", int(mode));
    };
    d.cuStreamEndCapture = [](CUstream, CUgraph* graph) {
        *graph = handle<CUgraph>(++next_handle);
        captured[*graph] = captured_launches;
        return note("cuStreamEndCapture", "");
    };
    d.cuGraphLaunch = [](CUgraphExec, CUstream) { return note("cuGraphLaunch", ""); };
    return d;
}

}  // namespace

RecordingDriver::RecordingDriver() : table_(make_table()) {
    current = this;
    context = nullptr;
    cuda::replace_driver(&table_);
}

RecordingDriver::~RecordingDriver() { cuda::replace_driver(nullptr); }

int RecordingDriver::count(const std::string& beginning) const {
    int found = 0;
    for (const std::string& call : calls) found += call.starts_with(beginning);
    return found;
}

}  // namespace catena::testing
