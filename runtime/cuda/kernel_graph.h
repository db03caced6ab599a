#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/code_device.h"
#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// A sequence of launches as one CUDA graph, built node by node, so that a call costs one launch
/// and an update of the nodes whose arguments are others than last time. Launches of one level run
/// beside each other.
class KernelGraph final : public CodeDevice::Replay {
public:
    KernelGraph(std::string device, std::span<const CodeDevice::Launch> launches);
    ~KernelGraph() override;

    /// `launches` differ from those of the constructor in their arguments' content only.
    void run(std::span<const CodeDevice::Launch> launches, CUstream stream);

private:
    struct Node {
        CUgraphNode node = nullptr;
        std::vector<char> arguments;  ///< As the graph has them.
    };
    std::string device_;
    CUgraph graph_ = nullptr;
    CUgraphExec executable_ = nullptr;
    std::vector<Node> nodes_;
};

}  // namespace catena::cuda
