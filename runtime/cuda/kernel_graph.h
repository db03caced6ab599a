#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "runtime/cuda/capture.h"
#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// A sequence of launches, and of what calls of libraries launch, as one CUDA graph. Kernels are
/// nodes of their own, so that a call costs one launch and an update of the nodes whose arguments
/// are others than last time. Launches of one level run beside each other; work runs one after
/// another.
class KernelGraph final : public CodeDevice::Replay {
public:
    /// `capture`: takes what the calls of `work` launch; null where it has none. DeviceError.
    KernelGraph(std::string device, std::span<const CodeDevice::Work> work,
                Capture* capture = nullptr);
    ~KernelGraph() override;
    KernelGraph(const KernelGraph&) = delete;

    /// What its calls use beside their operands.
    void keep(std::shared_ptr<GraphMemory> memory) { memory_ = std::move(memory); }

    /// `work` is that of the constructor; only the content of its launches' arguments may differ.
    void run(std::span<const CodeDevice::Work> work, CUstream stream);

private:
    struct Node {
        CUgraphNode node = nullptr;
        std::vector<char> arguments;  ///< As the graph has them.
    };
    void add(std::span<const CodeDevice::Launch> launches);
    void add(CUgraph part);
    void end_level();
    void update(Node& node, const CodeDevice::Launch& launch);

    std::string device_;
    std::shared_ptr<GraphMemory> memory_;
    CUgraph graph_ = nullptr;
    CUgraphExec executable_ = nullptr;
    std::vector<Node> nodes_;
    // While the graph is built:
    std::vector<CUgraphNode> level_;  ///< Nodes beside each other,
    CUgraphNode before_ = nullptr;    ///< and what they wait for.
};

}  // namespace catena::cuda
