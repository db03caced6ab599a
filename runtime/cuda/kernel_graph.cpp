#include "runtime/cuda/kernel_graph.h"

#include <cstring>

namespace catena::cuda {

namespace {

/// A kernel has one parameter; the driver copies it.
CUDA_KERNEL_NODE_PARAMS parameters_of(const CodeDevice::Launch& launch, void** parameter) {
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = static_cast<CUfunction>(const_cast<void*>(launch.kernel));
    parameters.gridDimX = launch.blocks;
    parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = launch.threads;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = parameter;
    return parameters;
}

}  // namespace

KernelGraph::KernelGraph(std::string device, std::span<const CodeDevice::Work> work,
                         Capture* capture)
    : device_(std::move(device)) {
    check(driver().cuGraphCreate(&graph_, 0), device_, "cuGraphCreate");
    try {
        for (const CodeDevice::Work& part : work) {
            if (!part.call)
                add(part.launches);
            else if (const CUgraph taken = capture->taken(part.call))
                add(taken);
        }
        check(driver().cuGraphInstantiate(&executable_, graph_, 0), device_,
              fmt::format("cuGraphInstantiate of {} kernels", nodes_.size()));
    } catch (...) {
        driver().cuGraphDestroy(graph_);
        throw;
    }
}

/// What comes next waits for all of the level.
void KernelGraph::end_level() {
    if (level_.empty()) return;
    if (level_.size() > 1)  // One node in between: not every pair is an edge.
        check(driver().cuGraphAddEmptyNode(&before_, graph_, level_.data(), level_.size()), device_,
              "cuGraphAddEmptyNode");
    else
        before_ = level_[0];
    level_.clear();
}

void KernelGraph::add(std::span<const CodeDevice::Launch> launches) {
    for (size_t i = 0; i < launches.size(); ++i) {
        const CodeDevice::Launch& launch = launches[i];
        if (i == 0 || launch.level != launches[i - 1].level) end_level();
        Node node;
        const auto* bytes = static_cast<const char*>(launch.arguments);
        node.arguments.assign(bytes, bytes + launch.bytes);
        void* parameter = node.arguments.data();
        const CUDA_KERNEL_NODE_PARAMS parameters = parameters_of(launch, &parameter);
        check(driver().cuGraphAddKernelNode(&node.node, graph_, before_ ? &before_ : nullptr,
                                            before_ ? 1 : 0, &parameters),
              device_, fmt::format("cuGraphAddKernelNode({})", launch.name));
        level_.push_back(node.node);
        nodes_.push_back(std::move(node));
    }
}

/// Adds a graph, of which it becomes the owner.
void KernelGraph::add(CUgraph part) {
    end_level();
    CUgraphNode node = nullptr;
    const CUresult added = driver().cuGraphAddChildGraphNode(
        &node, graph_, before_ ? &before_ : nullptr, before_ ? 1 : 0, part);
    driver().cuGraphDestroy(part);  // The node has a copy.
    check(added, device_, "cuGraphAddChildGraphNode");
    level_.push_back(node);
}

KernelGraph::~KernelGraph() {
    if (executable_) driver().cuGraphExecDestroy(executable_);
    if (graph_) driver().cuGraphDestroy(graph_);
}

void KernelGraph::update(Node& node, const CodeDevice::Launch& launch) {
    if (std::memcmp(node.arguments.data(), launch.arguments, node.arguments.size()) == 0) return;
    void* parameter = const_cast<void*>(launch.arguments);
    const CUDA_KERNEL_NODE_PARAMS parameters = parameters_of(launch, &parameter);
    check(driver().cuGraphExecKernelNodeSetParams(executable_, node.node, &parameters), device_,
          fmt::format("cuGraphExecKernelNodeSetParams({})", launch.name));
    std::memcpy(node.arguments.data(), launch.arguments,
                node.arguments.size());  // The graph has them now.
}

void KernelGraph::run(std::span<const CodeDevice::Work> work, CUstream stream) {
    size_t next = 0;
    for (const CodeDevice::Work& part : work)
        for (const CodeDevice::Launch& launch : part.launches) update(nodes_[next++], launch);
    check(driver().cuGraphLaunch(executable_, stream), device_,
          fmt::format("cuGraphLaunch of {} kernels", nodes_.size()));
}

}  // namespace catena::cuda
