#include "runtime/cuda/capture.h"

#include <algorithm>

namespace catena::cuda {

namespace {

thread_local Capture* current = nullptr;

}  // namespace

GraphMemory::~GraphMemory() {
    for (const Block& block : blocks_) pool_.free(block.address, block.bytes);
}

GraphMemory::Block GraphMemory::allocate(size_t bytes) {
    Block* best = nullptr;
    for (Block& block : blocks_)
        if (!block.used && block.bytes >= bytes && (!best || block.bytes < best->bytes))
            best = &block;
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
    : device_(device), stream_(device), memory_(memory), outer_(current) {
    current = this;
}

Capture::~Capture() { current = outer_; }

CUgraph Capture::taken(const std::function<void()>& work) {
    const Driver& d = driver();
    check(d.cuStreamBeginCapture(stream(), CU_STREAM_CAPTURE_MODE_RELAXED), device_,
          "cuStreamBeginCapture");
    CUgraph graph = nullptr;
    try {
        work();
    } catch (...) {
        if (d.cuStreamEndCapture(stream(), &graph) == CUDA_SUCCESS && graph)
            d.cuGraphDestroy(graph);
        throw;
    }
    check(d.cuStreamEndCapture(stream(), &graph), device_, "cuStreamEndCapture");
    size_t nodes = 0;
    if (graph) check(d.cuGraphGetNodes(graph, nullptr, &nodes), device_, "cuGraphGetNodes");
    if (graph && nodes == 0) d.cuGraphDestroy(graph);
    return nodes > 0 ? graph : nullptr;
}

Capture* Capture::of(const std::string& device) {
    return current && current->device_ == device ? current : nullptr;
}

}  // namespace catena::cuda
