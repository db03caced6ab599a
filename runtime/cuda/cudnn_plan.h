#pragma once

#include "runtime/cuda/cudnn_descriptor.h"

#ifdef CATENA_HAS_CUDNN

#include <optional>

#include "runtime/core/dtype.h"

namespace catena::cuda {

/// Whose engines are looked for: those of a device that is there, or those of one that is known by its properties
/// alone, for which plans are made as for any other but cannot be executed.
struct EngineSource {
    cudnnHandle_t handle = nullptr;
    const Descriptor* properties = nullptr;
};

/// One operation, the last, after what it is made of.
using Operation = std::vector<Descriptor>;

/// What engines may do for results of a dtype: the same result every time, rounded as the dtype says.
struct EngineRules {
    bool tensor_cores = true;
    size_t most_workspace = 256 << 20;
    static EngineRules of(Dtype dtype) { return {.tensor_cores = dtype != Dtype::float32}; }
    bool allow(cudnnBackendNumericalNote_t note) const;
};

/// Where a tensor of an operation lies: on the device, or on the host for one that is given by value.
struct Binding {
    int64_t id;
    void* memory;
};

/// How cuDNN computes one operation.
class Plan {
public:
    /// The first that works of those that cuDNN's heuristics name for the operation, the fastest first, and the rules
    /// allow; nothing when there is none. CudnnError when cuDNN fails.
    static std::optional<Plan> find(Operation operation, const EngineSource& source, const EngineRules& rules);

    size_t workspace() const { return workspace_; }
    const std::string& engine() const { return engine_; }  ///< "engine 28", for people.
    void execute(cudnnHandle_t handle, std::span<const Binding> bindings, void* workspace) const;

private:
    Plan(std::vector<Descriptor> parts, Descriptor plan, std::string engine);

    std::vector<Descriptor> parts_;  ///< What the plan was made from.
    Descriptor plan_;
    size_t workspace_;
    std::string engine_;
};

}  // namespace catena::cuda

#endif
