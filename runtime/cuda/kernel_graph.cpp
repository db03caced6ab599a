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

KernelGraph::KernelGraph(std::string device, std::span<const CodeDevice::Launch> launches)
    : device_(std::move(device)) {
    const Driver& d = driver();
    check(d.cuGraphCreate(&graph_, 0), device_, "cuGraphCreate");
    std::vector<CUgraphNode> level;  // Nodes of the level being built.
    CUgraphNode before = nullptr;    // What the level waits for.
    for (size_t i = 0; i < launches.size(); ++i) {
        const CodeDevice::Launch& launch = launches[i];
        if (i > 0 && launch.level != launches[i - 1].level) {
            if (level.size() > 1)  // One node in between: not every pair is an edge.
                check(d.cuGraphAddEmptyNode(&before, graph_, level.data(), level.size()), device_,
                      "cuGraphAddEmptyNode");
            else
                before = level[0];
            level.clear();
        }
        Node node;
        const auto* bytes = static_cast<const char*>(launch.arguments);
        node.arguments.assign(bytes, bytes + launch.bytes);
        void* parameter = node.arguments.data();
        const CUDA_KERNEL_NODE_PARAMS parameters = parameters_of(launch, &parameter);
        check(d.cuGraphAddKernelNode(&node.node, graph_, before ? &before : nullptr, before ? 1 : 0,
                                     &parameters),
              device_, fmt::format("cuGraphAddKernelNode({})", launch.name));
        level.push_back(node.node);
        nodes_.push_back(std::move(node));
    }
    check(d.cuGraphInstantiate(&executable_, graph_, 0), device_,
          fmt::format("cuGraphInstantiate of {} kernels", launches.size()));
}

KernelGraph::~KernelGraph() {
    if (executable_) driver().cuGraphExecDestroy(executable_);
    if (graph_) driver().cuGraphDestroy(graph_);
}

void KernelGraph::run(std::span<const CodeDevice::Launch> launches, CUstream stream) {
    const Driver& d = driver();
    for (size_t i = 0; i < launches.size(); ++i) {
        Node& node = nodes_[i];
        if (std::memcmp(node.arguments.data(), launches[i].arguments, node.arguments.size()) == 0)
            continue;
        std::memcpy(node.arguments.data(), launches[i].arguments, node.arguments.size());
        void* parameter = node.arguments.data();
        const CUDA_KERNEL_NODE_PARAMS parameters = parameters_of(launches[i], &parameter);
        check(d.cuGraphExecKernelNodeSetParams(executable_, node.node, &parameters), device_,
              fmt::format("cuGraphExecKernelNodeSetParams({})", launches[i].name));
    }
    check(d.cuGraphLaunch(executable_, stream), device_,
          fmt::format("cuGraphLaunch of {} kernels", launches.size()));
}

}  // namespace catena::cuda
