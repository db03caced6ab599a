#include "runtime/cuda/capture.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/core/fork.h"

namespace catena::cuda {

namespace {

thread_local Capture* current = nullptr;

/// Streams for captures that nobody uses now, by context: the driver's table has no call that ends one.
struct Unused {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::map<CUcontext, std::vector<CUstream>> streams;
};
Unused& unused() {
    static Unused& all = *new Unused;
    return all;
}

CUcontext context_of_thread(const std::string& device) {
    CUcontext context = nullptr;
    check(driver().cuCtxGetCurrent(&context), device, "cuCtxGetCurrent");
    return context;
}

CUstream stream_for_capture(const std::string& device) {
    {
        std::lock_guard lock(unused().mutex);
        std::vector<CUstream>& left = unused().streams[context_of_thread(device)];
        if (!left.empty()) {
            const CUstream stream = left.back();
            left.pop_back();
            return stream;
        }
    }
    CUstream stream = nullptr;
    check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), device, "cuStreamCreate");
    return stream;
}

}  // namespace

GraphMemory::~GraphMemory() {
    for (const Block& block : blocks_) pool_.free(block.address, block.bytes);
}

GraphMemory::Block GraphMemory::allocate(size_t bytes) {
    Block* best = nullptr;
    for (Block& block : blocks_)
        if (!block.used && block.bytes >= bytes && (!best || block.bytes < best->bytes)) best = &block;
    if (!best) best = &blocks_.emplace_back(Block{pool_.allocate(bytes, stream_), bytes, false});
    best->used = true;
    return *best;
}

bool GraphMemory::free(CUdeviceptr address) {
    const auto block = std::ranges::find(blocks_, address, &Block::address);
    if (block == blocks_.end()) return false;
    block->used = false;
    return true;
}

bool GraphMemory::is_all_free() const { return std::ranges::none_of(blocks_, &Block::used); }

void GraphMemory::leave_used_blocks() { std::erase_if(blocks_, &Block::used); }

Capture::Capture(const std::string& device, GraphMemory& memory)
    : device_(device), stream_(stream_for_capture(device)), memory_(memory), outer_(current) {
    current = this;
}

Capture::~Capture() {
    current = outer_;
    CUcontext context = nullptr;
    if (driver().cuCtxGetCurrent(&context) != CUDA_SUCCESS) return;
    std::lock_guard lock(unused().mutex);
    unused().streams[context].push_back(stream_);
}

CUgraph Capture::taken(const std::function<void()>& work) {
    const Driver& d = driver();
    check(d.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), device_, "cuStreamBeginCapture");
    CUgraph graph = nullptr;
    try {
        work();
    } catch (...) {
        if (d.cuStreamEndCapture(stream_, &graph) == CUDA_SUCCESS && graph) d.cuGraphDestroy(graph);
        throw;
    }
    check(d.cuStreamEndCapture(stream_, &graph), device_, "cuStreamEndCapture");
    size_t nodes = 0;
    if (graph) check(d.cuGraphGetNodes(graph, nullptr, &nodes), device_, "cuGraphGetNodes");
    if (graph && nodes == 0) d.cuGraphDestroy(graph);
    return nodes > 0 ? graph : nullptr;
}

Capture* Capture::of(const std::string& device) { return current && current->device_ == device ? current : nullptr; }

}  // namespace catena::cuda
