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

/// A sequence of launches and library calls as one CUDA graph. Kernels are nodes of their own, so a
/// call costs one launch and an update of those nodes whose arguments have changed. Launches of one
/// level run concurrently; work runs one after another.
class KernelGraph final : public CodeDevice::Replay {
public:
    /// Builds the graph. `capture` records what the calls of `work` launch; null if there are no
    /// calls. DeviceError.
    KernelGraph(std::string device, std::span<const CodeDevice::Work> work,
                Capture* capture = nullptr);
    ~KernelGraph() override;
    KernelGraph(const KernelGraph&) = delete;

    /// Keeps the memory alive that its calls use beside their operands.
    void keep(std::shared_ptr<GraphMemory> memory) { memory_ = std::move(memory); }

    /// Runs the graph. `work` is that of the constructor; only the content of its launches'
    /// arguments may differ.
    void run(std::span<const CodeDevice::Work> work, CUstream stream);

private:
    struct Node {
        CUgraphNode node = nullptr;
        std::vector<char> arguments;  ///< The arguments as the graph has them now.
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
    std::vector<CUgraphNode> level_;  ///< The nodes of the present level.
    CUgraphNode before_ = nullptr;    ///< The node that the nodes of the present level wait for.
};

}  // namespace catena::cuda
